#!/bin/sh
# Brings a machine's storage to the layout 'day2' (day2-added.yaml): 6 steps, made by stowage.
# Writes to the disks d.0 (/dev/vda), d.1 (/dev/vdb), d.2 (/dev/vdc).
# It needs root and looks at every disk before the first write. Exit status: 0 done, 3 nothing was written since
# the machine is not as planned, else a step failed. It doesn't go on where it ended: plan again for that.

# shellcheck disable=SC1003,SC2016

set -eu
export LC_ALL=C.UTF-8 LVM_SUPPRESS_FD_WARNINGS=1
PATH=${PATH:-/usr/bin:/bin}:/usr/local/sbin:/usr/sbin:/sbin
export PATH
umask 022

now=     # what is being done, for the message when it fails
missing= # programs
bad=0    # whether a look before the first write saw anything wrong

ended() {
	status=$?
	trap - EXIT
	if [ "$status" -ne 0 ] && [ -n "$now" ]; then
		printf '%s\n' "FAILED (exit status $status): $now" \
			'What comes before it was done, what comes after it was not. Plan again to go on from here.' >&2
	fi
	exit "$status"
}

problem() {
	printf '%s\n' "$1" >&2
	bad=1
}

# program, Debian package; empty: not known
need() {
	command -v "$1" >/dev/null 2>&1 || missing="$missing
  $1${2:+ (Debian package $2)}"
}

# A device's number in a file of sysfs, 512-byte sectors, as bytes: path, file
sys_bytes() {
	sys=/sys/class/block/$(readlink -f -- "$1" | sed 's|^/dev/||; s|/|!|g')/$2
	sectors=-1
	if [ -r "$sys" ]; then
		read -r sectors <"$sys"
		sectors=$((sectors * 512))
	fi
	printf '%s' "$sectors"
}

wrong=

# Says in $wrong what isn't as planned: path, start and size in bytes; 0 is not looked at
look() {
	wrong=
	if [ ! -b "$1" ]; then
		wrong="$1 is not there"
		return 0
	fi
	has=$(sys_bytes "$1" size)
	if [ "$has" -le 0 ]; then
		wrong="$1 has no size"
	elif [ "$3" != 0 ] && [ "$has" != "$3" ]; then
		wrong="$1 has $has bytes instead of $3"
	elif [ "$2" != 0 ]; then
		has=$(sys_bytes "$1" start)
		[ "$has" = "$2" ] || wrong="$1 starts at byte $has instead of $2"
	fi
}

# Before the first write, the same: path, start, size
there() {
	look "$1" "$2" "$3"
	[ -z "$wrong" ] || problem "$wrong"
}

# What lsblk, or else sysfs, says about a disk: path, column, file
identity() {
	word=$(lsblk -dno "$2" -- "$1" | sed 's/^ *//; s/ *$//')
	dir=/sys/class/block/$(readlink -f -- "$1" | sed 's|^/dev/||; s|/|!|g')
	for file in "$dir/$3" "$dir/device/$3"; do
		if [ -z "$word" ] && [ -r "$file" ]; then
			word=$(sed 's/^naa\./0x/; s/^ *//; s/ *$//' "$file")
		fi
	done
	printf '%s' "$word"
}

# path, size in bytes, serial number, WWN; empty: not known
disk() {
	if [ ! -b "$1" ]; then
		problem "$1 is not there"
		return 0
	fi
	has=$(blockdev --getsize64 "$1")
	[ "$has" = "$2" ] || problem "$1 has $has bytes instead of $2: it is another disk"
	if [ -n "$3" ]; then
		has=$(identity "$1" SERIAL serial)
		[ "$has" = "$3" ] || problem "$1 has the serial number '$has' instead of '$3': it is another disk"
	fi
	if [ -n "$4" ]; then
		has=$(identity "$1" WWN wwid)
		[ "$has" = "$4" ] || problem "$1 has the WWN '$has' instead of '$4': it is another disk"
	fi
}

list=/etc/stowage/protected
protected= # its lines, and the same without what people write in different ways
nl='
'

read_protected() {
	if [ -L "${list%/*}" ] && [ ! -d "${list%/*}" ]; then
		problem "${list%/*} is a symbolic link to something that is not there"
	fi
	if [ ! -e "$list" ] && [ ! -L "$list" ]; then
		return 0
	fi
	if [ ! -f "$list" ] || ! lines=$(tr '\r\t\v\f' '\n   ' <"$list") ||
		[ "$(tr -d '\000' <"$list" | cksum)" != "$(cksum <"$list")" ]; then
		problem "$list, the list of protected disks, cannot be read"
		return 0
	fi
	mark=$(printf '\357\273\277')
	lines=$(printf '%s\n' "${lines#"$mark"}" | sed 's/^ *//; s/^#.*//; s/ #.*//; s/ *$//')
	protected=$nl$lines$nl$(printf '%s\n' "$lines" | tr '[:upper:]' '[:lower:]' | sed 's/^uuid=//; s/^partuuid=//
		s/^ptuuid=//; s/^serial=//; s/^wwn=//; s/^wwn-//; s/^naa\.//; s/^eui\.//; s/^uuid\.//; s/^0x//
		s/[-:._ '\''"]//g')$nl
}

# No line of the list is about a disk: path, what a line would state
spared() {
	path=$1
	shift
	for id in "$@"; do
		case $protected in
		*"$nl$id$nl"*)
			protects "$path"
			return 0
			;;
		esac
	done
}

# The same: path, digits with which a longer WWN in a line would begin
spared_wwn() {
	case $protected in
	*"$nl$2"*) protects "$1" ;;
	esac
}

protects() {
	problem "$1 is protected: $list has a line about it, or about something on it; nothing lifts that"
}

total=6
# number, what
step() {
	now="step $1, $2"
	printf "[%${#total}s/%s] %s\\n" "$1" "$total" "$2"
}

# A busy udevd may drop the question at once: it is asked again.
settle() {
	if [ -e /run/udev/control ]; then
		udevadm settle --timeout=60 || udevadm settle --timeout=60 || udevadm settle --timeout=60
	fi
}

# Waits until a device is as planned: path, start, size
expect() {
	look "$1" "$2" "$3"
	if [ -n "$wrong" ]; then
		settle
		look "$1" "$2" "$3"
	fi
	if [ -n "$wrong" ]; then
		printf '%s\n' "$wrong" >&2
		return 1
	fi
}

# Zeroes: path, then start and size in bytes of each place
zero() {
	path=$1
	shift
	while [ $# -gt 1 ]; do
		blkdiscard -z -o "$1" -l "$2" "$path"
		shift 2
	done
}

# A file as the plan saw it: path, what cksum says of it; empty: it wasn't there
seen() {
	has=
	if [ -e "$1" ]; then
		has=$(cksum <"$1")
	fi
	[ "$has" = "$2" ] || problem "$1 isn't what it was when the plan was made"
}

# Standard input becomes the content of a file, at once: mode, path
put() {
	path=$2
	if [ -L "$path" ]; then
		path=$(readlink -f -- "$path")
	fi
	if [ -e "$path" ] && [ ! -f "$path" ]; then
		printf '%s\n' "$path is not a regular file" >&2
		return 1
	fi
	mkdir -p -- "$(dirname -- "$path")"
	new=$(dirname -- "$path")/.$(basename -- "$path").stowage-new
	rm -f -- "$new"
	(umask 077 && cat >"$new")
	if [ -e "$path" ]; then
		cp --attributes-only --preserve=mode,ownership -- "$path" "$new"
	else
		chmod "$1" -- "$new"
	fi
	sync -- "$new"
	mv -f -T -- "$new" "$path"
	sync -- "$(dirname -- "$path")"
}

check() {
	if [ "$(id -u)" -ne 0 ]; then
		printf '%s\n' 'This needs root.' >&2
		exit 1
	fi
	need blockdev util-linux
	need lsblk util-linux
	need udevadm udev
	need lvcreate lvm2
	need blkdiscard util-linux
	if [ -n "$missing" ]; then
		printf '%s\n' "These programs are missing:$missing" >&2
		exit 1
	fi
	read_protected
	spared /dev/vda \
		vda ba14a93874f1501fba44d9036e6343a0 /dev/disk/by-id/virtio-vda virtiovda \
		/dev/disk/by-path/pci-0000:00:03.0 /dev/disk/by-path/virtio-pci-0000:00:03.0 /dev/vda \
		94c41f57ec8d56fc8ecb6db7fc6a70df /dev/disk/by-id/virtio-vda-part1 virtiovdapart1 \
		/dev/disk/by-partuuid/0c7c99ca-8b35-5ae9-9e8e-27df3a8d1627 0c7c99ca8b355ae99e8e27df3a8d1627 \
		/dev/disk/by-path/pci-0000:00:03.0-part1 /dev/disk/by-path/virtio-pci-0000:00:03.0-part1 \
		/dev/vda1 665781617bcd52639c5b6238a6a68351 /dev/disk/by-id/virtio-vda-part2 virtiovdapart2 \
		/dev/disk/by-partuuid/cb4f8c63-5f17-5841-af50-d84d7d35e5a5 cb4f8c635f175841af50d84d7d35e5a5 \
		/dev/disk/by-path/pci-0000:00:03.0-part2 /dev/disk/by-path/virtio-pci-0000:00:03.0-part2 \
		/dev/vda2 /dev/disk/by-id/md-name-any:m mdnameanym \
		/dev/disk/by-id/md-uuid-94c41f57:ec8d56fc:8ecb6db7:fc6a70df \
		mduuid94c41f57ec8d56fc8ecb6db7fc6a70df /dev/md/m /dev/md127 /dev/disk/by-id/dm-name-v-x \
		dmnamevx /dev/mapper/v-x /dev/v/x /dev/dm-0 /dev/disk/by-id/dm-name-v-y_0 dmnamevy0 \
		/dev/mapper/v-y_0 /dev/v/y_0 /dev/dm-1
	spared /dev/vdb \
		vdb ac1870a4628a574fa3b078da96a6340a /dev/disk/by-id/virtio-vdb virtiovdb \
		/dev/disk/by-path/pci-0000:00:03.1 /dev/disk/by-path/virtio-pci-0000:00:03.1 /dev/vdb \
		94c41f57ec8d56fc8ecb6db7fc6a70df /dev/disk/by-id/virtio-vdb-part1 virtiovdbpart1 \
		/dev/disk/by-partuuid/108a7038-6065-5a2f-ab9a-4ea89649a548 108a703860655a2fab9a4ea89649a548 \
		/dev/disk/by-path/pci-0000:00:03.1-part1 /dev/disk/by-path/virtio-pci-0000:00:03.1-part1 \
		/dev/vdb1 ffc430a7af9f5820a68ebce79e81eec6 /dev/disk/by-id/virtio-vdb-part2 virtiovdbpart2 \
		/dev/disk/by-partuuid/5559f9f8-5083-50bc-b86c-c80110ddd3b4 5559f9f8508350bcb86cc80110ddd3b4 \
		/dev/disk/by-path/pci-0000:00:03.1-part2 /dev/disk/by-path/virtio-pci-0000:00:03.1-part2 \
		/dev/vdb2 /dev/disk/by-id/md-name-any:m mdnameanym \
		/dev/disk/by-id/md-uuid-94c41f57:ec8d56fc:8ecb6db7:fc6a70df \
		mduuid94c41f57ec8d56fc8ecb6db7fc6a70df /dev/md/m /dev/md127 /dev/disk/by-id/dm-name-v-x \
		dmnamevx /dev/mapper/v-x /dev/v/x /dev/dm-0 /dev/disk/by-id/dm-name-v-y_1 dmnamevy1 \
		/dev/mapper/v-y_1 /dev/v/y_1 /dev/dm-2
	spared /dev/vdc \
		vdc c10c3f63145e5c89a39db0293948a12d /dev/disk/by-id/virtio-vdc virtiovdc \
		/dev/disk/by-path/pci-0000:00:03.2 /dev/disk/by-path/virtio-pci-0000:00:03.2 /dev/vdc \
		94c41f57ec8d56fc8ecb6db7fc6a70df /dev/disk/by-id/virtio-vdc-part1 virtiovdcpart1 \
		/dev/disk/by-partuuid/c3bd42cb-2223-5705-8cad-d829cd34ae76 c3bd42cb222357058cadd829cd34ae76 \
		/dev/disk/by-path/pci-0000:00:03.2-part1 /dev/disk/by-path/virtio-pci-0000:00:03.2-part1 \
		/dev/vdc1 75c07bcefc475124a2c9366336d35fa0 /dev/disk/by-id/virtio-vdc-part2 virtiovdcpart2 \
		/dev/disk/by-partuuid/c1c7dc28-32cb-5ae8-8ce5-3815c6d921d8 c1c7dc2832cb5ae88ce53815c6d921d8 \
		/dev/disk/by-path/pci-0000:00:03.2-part2 /dev/disk/by-path/virtio-pci-0000:00:03.2-part2 \
		/dev/vdc2 /dev/disk/by-id/md-name-any:m mdnameanym \
		/dev/disk/by-id/md-uuid-94c41f57:ec8d56fc:8ecb6db7:fc6a70df \
		mduuid94c41f57ec8d56fc8ecb6db7fc6a70df /dev/md/m /dev/md127 /dev/disk/by-id/dm-name-v-y_2 \
		dmnamevy2 /dev/mapper/v-y_2 /dev/v/y_2 /dev/dm-3 /dev/disk/by-id/dm-name-v-z dmnamevz \
		/dev/mapper/v-z /dev/v/z /dev/dm-4
	if [ "$bad" -ne 0 ]; then
		printf '%s\n' 'Nothing was written.' >&2
		exit 3
	fi
	disk /dev/vda 3221225472 vda ''
	disk /dev/vdb 3221225472 vdb ''
	disk /dev/vdc 3221225472 vdc ''
	there /dev/md/m 0 802160640
	seen /etc/mdadm/mdadm.conf '3114286471 651'
	if [ "$bad" -ne 0 ]; then
		printf '%s\n' 'Nothing was written: the machine is not as the plan saw it. Plan again.' >&2
		exit 3
	fi
}

work() {
	# 1. create volume 'v/n', 900 MiB, on d.0.p (day2-added.yaml:16)
	step 1 'create volume '\''v/n'\'', 900 MiB, on d.0.p'
	lvcreate -y -Wy -n n -l 225 v /dev/vda2:253-477
	expect /dev/v/n 0 943718400

	# 2. clear the ends of v/n, and the places where something old would show itself (day2-added.yaml:16)
	step 2 'clear the ends of v/n, and the places where something old would show itself'
	zero /dev/v/n \
		0 1052672  2097152 4096  4194304 4096  67108864 4096 \
		942669824 1048576

	# 3. create volume 'v/o', 1288 MiB, on d.0.p, d.1.p (day2-added.yaml:17)
	step 3 'create volume '\''v/o'\'', 1288 MiB, on d.0.p, d.1.p'
	lvcreate -y -Wy -n o -l 322 -i 2 -I 64k v /dev/vda2:478-638 /dev/vdb2:253-413
	expect /dev/v/o 0 1350565888

	# 4. clear the ends of v/o, and the places where something old would show itself (day2-added.yaml:17)
	step 4 'clear the ends of v/o, and the places where something old would show itself'
	zero /dev/v/o \
		0 1052672  2097152 4096  4194304 4096  67108864 4096 \
		1349517312 1048576

	# 5. write /etc/mdadm/mdadm.conf, by which arrays keep their names (day2-added.yaml:8)
	step 5 'write /etc/mdadm/mdadm.conf, by which arrays keep their names'
	put 0644 /etc/mdadm/mdadm.conf <<'EOF'
# mdadm.conf
#
# !NB! Run update-initramfs -u after updating this file.
# !NB! This will ensure that initramfs has an uptodate copy.
#
# Please refer to mdadm.conf(5) for information about this file.
#

# by default (built-in), scan all partitions (/proc/partitions) and all
# containers for MD superblocks. alternatively, specify devices to scan, using
# wildcards if desired.
#DEVICE partitions containers

# automatically tag new arrays as belonging to the local system
HOMEHOST <system>

# instruct the monitoring daemon where to send mail alerts
MAILADDR root

# This configuration was auto-generated on Mon, 30 Nov 2026 22:50:29 +0000 by mkconf
ARRAY /dev/md/m metadata=1.2 UUID=94c41f57:ec8d56fc:8ecb6db7:fc6a70df
EOF

	# 6. wait for udev: links by UUID
	step 6 'wait for udev: links by UUID'
	settle

	now=
	printf '%s\n' 'Done.'
}

trap ended EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
{ exec </dev/null; check; work; }
