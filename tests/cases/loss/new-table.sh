#!/bin/sh
# Brings a machine's storage to the layout 'day2' (new-table.yaml): 33 steps, made by stowage.
# Writes to the disks d.0 (/dev/vda), d.1 (/dev/vdb), d.2 (/dev/vdc).
# On d.0 is lost: /dev/vda (3 GiB): gpt ba14a938-74f1-501f-ba44-d9036e6343a0.
# On d.0 is lost: /dev/vda1 (512 MiB): linux_raid_member 'any:m' 94c41f57-ec8d-56fc-8ecb-6db7fc6a70df.
# On d.0 is lost: /dev/vda2 (2558 MiB): LVM2_member 665781-617b-cd52-639c-5b62-38a6-a68351, 1012 MiB in use.
# On d.0 is lost: /dev/md127 (765 MiB): RAID10 n2 of 3, 2 copies, chunk 512 KiB, bitmap none; also on /dev/vdb, /dev/vdc.
# On d.0 is lost: vg v: volume group of 3 devices, extents of 4 MiB, 3088 MiB left; also on /dev/vdb, /dev/vdc.
# On d.0 is lost: /dev/mapper/v-x (1 GiB): volume of 2 stripes of 64 KiB; also on /dev/vdb.
# On d.0 is lost: /dev/mapper/v-y_0 (500 MiB): linear volume.
# On d.1 is lost: /dev/vdb (3 GiB): gpt ac1870a4-628a-574f-a3b0-78da96a6340a.
# On d.1 is lost: /dev/vdb1 (512 MiB): linux_raid_member 'any:m' 94c41f57-ec8d-56fc-8ecb-6db7fc6a70df.
# On d.1 is lost: /dev/vdb2 (2558 MiB): LVM2_member ffc430-a7af-9f58-20a6-8ebc-e79e-81eec6, 1012 MiB in use.
# On d.1 is lost: /dev/md127 (765 MiB): RAID10 n2 of 3, 2 copies, chunk 512 KiB, bitmap none; also on /dev/vda, /dev/vdc.
# On d.1 is lost: vg v: volume group of 3 devices, extents of 4 MiB, 3088 MiB left; also on /dev/vda, /dev/vdc.
# On d.1 is lost: /dev/mapper/v-x (1 GiB): volume of 2 stripes of 64 KiB; also on /dev/vda.
# On d.1 is lost: /dev/mapper/v-y_1 (500 MiB): linear volume.
# On d.2 is lost: /dev/vdc (3 GiB): gpt c10c3f63-145e-5c89-a39d-b0293948a12d.
# On d.2 is lost: /dev/vdc1 (512 MiB): linux_raid_member 'any:m' 94c41f57-ec8d-56fc-8ecb-6db7fc6a70df.
# On d.2 is lost: /dev/vdc2 (2558 MiB): LVM2_member 75c07b-cefc-4751-24a2-c936-6336-d35fa0, 2556 MiB in use.
# On d.2 is lost: /dev/md127 (765 MiB): RAID10 n2 of 3, 2 copies, chunk 512 KiB, bitmap none; also on /dev/vda, /dev/vdb.
# On d.2 is lost: vg v: volume group of 3 devices, extents of 4 MiB, 3088 MiB left; also on /dev/vda, /dev/vdb.
# On d.2 is lost: /dev/mapper/v-y_2 (500 MiB): linear volume.
# On d.2 is lost: /dev/mapper/v-z (2056 MiB): linear volume.
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

# Neither content nor users: path
blank() {
	[ -b "$1" ] || return 0
	has=$(wipefs --noheadings -O TYPE,LABEL -- "$1") || has='it cannot be read'
	[ -z "$has" ] || problem "$1 is not blank: $(one_line "$has")"
	has=$(lsblk -nro NAME -- "$1")
	has=$(printf '%s\n' "$has" | sed 1d)
	[ -z "$has" ] || problem "$1 has something on it: $(one_line "$has")"
	has=$(lsblk -dnro MOUNTPOINT -- "$1")
	[ -z "$has" ] || problem "$1 is in use: $(one_line "$has")"
}

one_line() {
	printf '%s\n' "$1" | sed 's/^ *//; s/ *$//' | sort -u | tr -s '\n ' ' '
}

# What is given up is still what the plan saw, nothing more: path, then type and UUID of each
holds() {
	path=$1
	shift
	has=$(wipefs --noheadings -O TYPE,UUID -- "$path" | sed 's/^ *//; s/ *$//; s/  */ /g' | sort -u)
	wanted=$(printf '%s\n' "$@" | sort -u)
	[ "$has" = "$wanted" ] || problem "$path holds $(one_line "$has") instead of $(one_line "$wanted")"
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

total=33
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

# Waits until the kernel has forgotten a device: path
gone() {
	if [ -b "$1" ] && [ "$(sys_bytes "$1" size)" -gt 0 ]; then
		settle
	fi
	if [ -b "$1" ] && [ "$(sys_bytes "$1" size)" -gt 0 ]; then
		printf '%s\n' "$1 is still there" >&2
		return 1
	fi
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
	need wipefs util-linux
	need udevadm udev
	need vgchange lvm2
	need vgremove lvm2
	need mdadm mdadm
	need blkdiscard util-linux
	need sfdisk fdisk
	need pvcreate lvm2
	need vgcreate lvm2
	need lvcreate lvm2
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
	holds /dev/vda 'gpt ba14a938-74f1-501f-ba44-d9036e6343a0'
	holds /dev/vdb 'gpt ac1870a4-628a-574f-a3b0-78da96a6340a'
	holds /dev/vdc 'gpt c10c3f63-145e-5c89-a39d-b0293948a12d'
	holds /dev/vda1 'linux_raid_member 94c41f57-ec8d-56fc-8ecb-6db7fc6a70df'
	holds /dev/vda2 'LVM2_member 665781-617b-cd52-639c-5b62-38a6-a68351'
	holds /dev/vdb1 'linux_raid_member 94c41f57-ec8d-56fc-8ecb-6db7fc6a70df'
	holds /dev/vdb2 'LVM2_member ffc430-a7af-9f58-20a6-8ebc-e79e-81eec6'
	holds /dev/vdc1 'linux_raid_member 94c41f57-ec8d-56fc-8ecb-6db7fc6a70df'
	holds /dev/vdc2 'LVM2_member 75c07b-cefc-4751-24a2-c936-6336-d35fa0'
	seen /etc/mdadm/mdadm.conf '3114286471 651'
	if [ "$bad" -ne 0 ]; then
		printf '%s\n' 'Nothing was written: the machine is not as the plan saw it. Plan again.' >&2
		exit 3
	fi
}

work() {
	# 1. deactivate the volume group 'v'
	step 1 'deactivate the volume group '\''v'\'''
	vgchange -an v
	gone /dev/dm-0
	gone /dev/dm-1
	gone /dev/dm-2
	gone /dev/dm-3
	gone /dev/dm-4

	# 2. remove the volume group 'v'
	step 2 'remove the volume group '\''v'\'''
	vgremove -ff -y v

	# 3. stop the array /dev/md127
	step 3 'stop the array /dev/md127'
	mdadm --stop /dev/md127
	gone /dev/md127

	# 4. wipe what is on /dev/vdc2
	step 4 'wipe what is on /dev/vdc2'
	wipefs -a -q /dev/vdc2

	# 5. wipe what is on /dev/vdc1
	step 5 'wipe what is on /dev/vdc1'
	wipefs -a -q /dev/vdc1

	# 6. wipe what is on /dev/vdb2
	step 6 'wipe what is on /dev/vdb2'
	wipefs -a -q /dev/vdb2

	# 7. wipe what is on /dev/vdb1
	step 7 'wipe what is on /dev/vdb1'
	wipefs -a -q /dev/vdb1

	# 8. wipe what is on /dev/vda2
	step 8 'wipe what is on /dev/vda2'
	wipefs -a -q /dev/vda2

	# 9. wipe what is on /dev/vda1
	step 9 'wipe what is on /dev/vda1'
	wipefs -a -q /dev/vda1

	# 10. wipe what is on /dev/vdc
	step 10 'wipe what is on /dev/vdc'
	wipefs -a -q /dev/vdc
	gone /dev/vdc1
	gone /dev/vdc2

	# 11. wipe what is on /dev/vdb
	step 11 'wipe what is on /dev/vdb'
	wipefs -a -q /dev/vdb
	gone /dev/vdb1
	gone /dev/vdb2

	# 12. wipe what is on /dev/vda
	step 12 'wipe what is on /dev/vda'
	wipefs -a -q /dev/vda
	gone /dev/vda1
	gone /dev/vda2

	# 13. wait for the kernel and udev: what was there before is gone
	step 13 'wait for the kernel and udev: what was there before is gone'
	settle

	# 14. clear the ends of d.0, and the places where something old would show itself (new-table.yaml:5)
	#    since what was on /dev/vda is given up
	step 14 'clear the ends of d.0, and the places where something old would show itself'
	zero /dev/vda \
		0 2101248  3145728 2101248  5767168 524288  47710208 524288 \
		67108864 4096  68157440 4096  629145600 2686976  632291328 65536 \
		633339904 65536  634388480 4096  664797184 65536  697303040 4096 \
		1167589376 1576960  1170210816 4096  1172307968 4096  1235222528 4096 \
		1691353088 1048576  3219128320 2097152

	# 15. clear the ends of d.1, and the places where something old would show itself (new-table.yaml:5)
	#    since what was on /dev/vdb is given up
	step 15 'clear the ends of d.1, and the places where something old would show itself'
	zero /dev/vdb \
		0 2101248  3145728 2101248  5767168 524288  47710208 524288 \
		67108864 4096  68157440 4096  629145600 2686976  632291328 65536 \
		633339904 65536  634388480 4096  664797184 65536  697303040 4096 \
		1167589376 1576960  1170210816 4096  1172307968 4096  1235222528 4096 \
		1691353088 1048576  3219128320 2097152

	# 16. clear the ends of d.2, and the places where something old would show itself (new-table.yaml:5)
	#    since what was on /dev/vdc is given up
	step 16 'clear the ends of d.2, and the places where something old would show itself'
	zero /dev/vdc \
		0 2101248  3145728 2101248  5767168 524288  47710208 524288 \
		67108864 4096  68157440 4096  629145600 3149824  633339904 4096 \
		634388480 4096  635437056 4096  697303040 4096  698351616 4096 \
		1154482176 2101248  1157627904 4096  1159725056 4096  1222639616 4096 \
		3218079744 3145728

	# 17. write a GPT with 2 partitions to d.0 (new-table.yaml:7)
	#    since /dev/vda holds nothing
	step 17 'write a GPT with 2 partitions to d.0'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/vda <<'EOF'
label: gpt
label-id: ba14a938-74f1-501f-ba44-d9036e6343a0
unit: sectors
sector-size: 512

1 : start=2048, size=1228800, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=0c7c99ca-8b35-5ae9-9e8e-27df3a8d1627, name="r"
2 : start=1230848, size=5058560, type=e6d6d379-f507-44c2-a23c-238f2a3df928, uuid=cb4f8c63-5f17-5841-af50-d84d7d35e5a5, name="p"
EOF

	# 18. write a GPT with 2 partitions to d.1 (new-table.yaml:7)
	#    since /dev/vdb holds nothing
	step 18 'write a GPT with 2 partitions to d.1'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/vdb <<'EOF'
label: gpt
label-id: ac1870a4-628a-574f-a3b0-78da96a6340a
unit: sectors
sector-size: 512

1 : start=2048, size=1228800, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=108a7038-6065-5a2f-ab9a-4ea89649a548, name="r"
2 : start=1230848, size=5058560, type=e6d6d379-f507-44c2-a23c-238f2a3df928, uuid=5559f9f8-5083-50bc-b86c-c80110ddd3b4, name="p"
EOF

	# 19. write a GPT with 2 partitions to d.2 (new-table.yaml:7)
	#    since /dev/vdc holds nothing
	step 19 'write a GPT with 2 partitions to d.2'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/vdc <<'EOF'
label: gpt
label-id: c10c3f63-145e-5c89-a39d-b0293948a12d
unit: sectors
sector-size: 512

1 : start=2048, size=1228800, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=c3bd42cb-2223-5705-8cad-d829cd34ae76, name="r"
2 : start=1230848, size=5058560, type=e6d6d379-f507-44c2-a23c-238f2a3df928, uuid=c1c7dc28-32cb-5ae8-8ce5-3815c6d921d8, name="p"
EOF

	# 20. wait for the kernel and udev: partitions
	step 20 'wait for the kernel and udev: partitions'
	settle
	expect /dev/vda1 1048576 629145600
	expect /dev/vda2 630194176 2589982720
	expect /dev/vdb1 1048576 629145600
	expect /dev/vdb2 630194176 2589982720
	expect /dev/vdc1 1048576 629145600
	expect /dev/vdc2 630194176 2589982720

	# 21. create RAID10 'm' from d.0.r, d.1.r, d.2.r (new-table.yaml:9)
	step 21 'create RAID10 '\''m'\'' from d.0.r, d.1.r, d.2.r'
	mdadm --create /dev/md/m --run --quiet --level=10 --raid-devices=3 --metadata=1.2 --homehost=any --name=m --uuid=94c41f57:ec8d56fc:8ecb6db7:fc6a70df --chunk=512K --layout=n2 --bitmap=none /dev/vda1 /dev/vdb1 /dev/vdc1
	expect /dev/md/m 0 940572672

	# 22. remove what an older use may show in 'm' (new-table.yaml:9)
	step 22 'remove what an older use may show in '\''m'\'''
	wipefs -a -q /dev/md/m

	# 23. make 'd.0.p' a physical volume of LVM (new-table.yaml:12)
	step 23 'make '\''d.0.p'\'' a physical volume of LVM'
	pvcreate -y --uuid 66578161-7bcd-5263-9c5b-6238a6a68351 --norestorefile --dataalignment 1m /dev/vda2

	# 24. make 'd.1.p' a physical volume of LVM (new-table.yaml:12)
	step 24 'make '\''d.1.p'\'' a physical volume of LVM'
	pvcreate -y --uuid ffc430a7-af9f-5820-a68e-bce79e81eec6 --norestorefile --dataalignment 1m /dev/vdb2

	# 25. make 'd.2.p' a physical volume of LVM (new-table.yaml:12)
	step 25 'make '\''d.2.p'\'' a physical volume of LVM'
	pvcreate -y --uuid 75c07bce-fc47-5124-a2c9-366336d35fa0 --norestorefile --dataalignment 1m /dev/vdc2

	# 26. create volume group 'v' with extents of 4 MiB (new-table.yaml:11)
	step 26 'create volume group '\''v'\'' with extents of 4 MiB'
	vgcreate -y --physicalextentsize 4m v /dev/vda2 /dev/vdb2 /dev/vdc2

	# 27. create volume 'v/x', 1 GiB, on d.0.p, d.1.p (new-table.yaml:14)
	step 27 'create volume '\''v/x'\'', 1 GiB, on d.0.p, d.1.p'
	lvcreate -y -Wy -n x -l 256 -i 2 -I 64k v /dev/vda2:0-127 /dev/vdb2:0-127
	expect /dev/v/x 0 1073741824

	# 28. create volume 'v/y_0', 500 MiB, on d.0.p (new-table.yaml:15)
	step 28 'create volume '\''v/y_0'\'', 500 MiB, on d.0.p'
	lvcreate -y -Wy -n y_0 -l 125 v /dev/vda2:128-252
	expect /dev/v/y_0 0 524288000

	# 29. create volume 'v/y_1', 500 MiB, on d.1.p (new-table.yaml:15)
	step 29 'create volume '\''v/y_1'\'', 500 MiB, on d.1.p'
	lvcreate -y -Wy -n y_1 -l 125 v /dev/vdb2:128-252
	expect /dev/v/y_1 0 524288000

	# 30. create volume 'v/y_2', 500 MiB, on d.2.p (new-table.yaml:15)
	step 30 'create volume '\''v/y_2'\'', 500 MiB, on d.2.p'
	lvcreate -y -Wy -n y_2 -l 125 v /dev/vdc2:0-124
	expect /dev/v/y_2 0 524288000

	# 31. create volume 'v/z', 1968 MiB, on d.2.p (new-table.yaml:16)
	step 31 'create volume '\''v/z'\'', 1968 MiB, on d.2.p'
	lvcreate -y -Wy -n z -l 492 v /dev/vdc2:125-616
	expect /dev/v/z 0 2063597568

	# 32. write /etc/mdadm/mdadm.conf, by which arrays keep their names (new-table.yaml:9)
	step 32 'write /etc/mdadm/mdadm.conf, by which arrays keep their names'
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

	# 33. wait for udev: links by UUID
	step 33 'wait for udev: links by UUID'
	settle

	now=
	printf '%s\n' 'Done.'
}

trap ended EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
{ exec </dev/null; check; work; }
