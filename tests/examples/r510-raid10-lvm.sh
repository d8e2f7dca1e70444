#!/bin/sh
# Brings a machine's storage to the layout 'r510-raid10-lvm' (../../examples/r510-raid10-lvm.yaml): 12 steps, made by stowage.
# Writes to the disks card (/dev/sda).
# Filesystems are mounted below /mnt/target, files are written there.
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

total=12
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

root=/mnt/target

# Whether no symbolic link leads elsewhere: path
inside() {
	top=${root:+$(readlink -m -- "$root")}
	if [ "$(readlink -m -- "$1")" != "$top${1#"$root"}" ]; then
		printf '%s\n' "$1 leads through a symbolic link to another place: $(readlink -m -- "$1")" >&2
		return 1
	fi
}

# mode, path
directory() {
	inside "$2"
	if [ ! -d "$2" ]; then
		mkdir -p -- "$(dirname -- "$2")"
		mkdir -m "$1" -- "$2"
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
	inside "$path"
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
	need blkdiscard util-linux
	need sfdisk fdisk
	need pvcreate lvm2
	need vgcreate lvm2
	need lvcreate lvm2
	need mkfs.xfs xfsprogs
	need mount mount
	if [ -n "$missing" ]; then
		printf '%s\n' "These programs are missing:$missing" >&2
		exit 1
	fi
	read_protected
	spared /dev/sda \
		perch7000 /dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_PERC-H700-0 scsi0qemuqemuharddiskperch7000 \
		/dev/disk/by-path/pci-0000:00:1e.0-scsi-0:0:0:0 /dev/sda
	if [ "$bad" -ne 0 ]; then
		printf '%s\n' 'Nothing was written.' >&2
		exit 3
	fi
	disk /dev/sda 10000831348736 PERC-H700-0 ''
	blank /dev/sda
	inside /mnt/target/local/data || bad=1
	inside /mnt/target/etc/fstab || bad=1
	seen /mnt/target/etc/fstab ''
	if [ "$bad" -ne 0 ]; then
		printf '%s\n' 'Nothing was written: the machine is not as the plan saw it. Plan again.' >&2
		exit 3
	fi
}

work() {
	# 1. clear the ends of card, and the places where something old would show itself (../../examples/r510-raid10-lvm.yaml:8)
	#    since /dev/sda is blank
	step 1 'clear the ends of card, and the places where something old would show itself'
	zero /dev/sda \
		0 1052672  2097152 4096  4194304 4096  5242880 1052672 \
		7340032 4096  9437184 4096  10485760 1052672  12582912 4096 \
		14680064 4096  67108864 4096  72351744 4096  77594624 4096 \
		274877906944 4096  274883149824 4096  274888392704 4096  10000807231488 1048576 \
		10000829251584 2097152

	# 2. write a GPT with 1 partition to card (../../examples/r510-raid10-lvm.yaml:11)
	#    since /dev/sda holds nothing
	step 2 'write a GPT with 1 partition to card'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/sda <<'EOF'
label: gpt
label-id: b447270d-320f-5593-a686-5346ac5431be
unit: sectors
sector-size: 512

1 : start=10240, size=19532861440, type=e6d6d379-f507-44c2-a23c-238f2a3df928, uuid=59157f2e-a749-5592-98e4-3a2aa6b6770c, name="span0"
EOF

	# 3. wait for the kernel and udev: partitions
	step 3 'wait for the kernel and udev: partitions'
	settle
	expect /dev/sda1 5242880 10000825057280

	# 4. make 'card.span0' a physical volume of LVM (../../examples/r510-raid10-lvm.yaml:17)
	step 4 'make '\''card.span0'\'' a physical volume of LVM'
	pvcreate -y --uuid 4959fafe-e0e4-5076-8f0f-88eae909cb59 --norestorefile --dataalignment 5m /dev/sda1

	# 5. create volume group 'MarisSpan0' with extents of 32 MiB (../../examples/r510-raid10-lvm.yaml:16)
	step 5 'create volume group '\''MarisSpan0'\'' with extents of 32 MiB'
	vgcreate -y --physicalextentsize 32m MarisSpan0 /dev/sda1

	# 6. create volume 'MarisSpan0/data', 9.10 TiB, on card.span0 (../../examples/r510-raid10-lvm.yaml:20)
	step 6 'create volume '\''MarisSpan0/data'\'', 9.10 TiB, on card.span0'
	lvcreate -y -Wy -n data -l 298047 MarisSpan0 /dev/sda1:0-298046
	expect /dev/MarisSpan0/data 0 10000797794304

	# 7. make xfs on MarisSpan0/data for /local/data: su 1 MiB, sw 5 (../../examples/r510-raid10-lvm.yaml:23)
	step 7 'make xfs on MarisSpan0/data for /local/data: su 1 MiB, sw 5'
	mkfs.xfs -q -f -m uuid=eb60a783-2d18-51b7-a040-030e53b4eeb9 -d su=1m,sw=5 -l su=32k /dev/MarisSpan0/data

	# 8. make the directory /mnt/target/local/data (../../examples/r510-raid10-lvm.yaml:23)
	step 8 'make the directory /mnt/target/local/data'
	directory 0755 /mnt/target/local/data

	# 9. mount the xfs of MarisSpan0/data at /mnt/target/local/data (../../examples/r510-raid10-lvm.yaml:23)
	step 9 'mount the xfs of MarisSpan0/data at /mnt/target/local/data'
	mount -t xfs -o nosuid,nodev,quota,noatime,logbufs=8,logbsize=256k -- /dev/MarisSpan0/data /mnt/target/local/data

	# 10. write /mnt/target/etc/fstab: 1 filesystem by the names that last
	#    since it isn't there
	step 10 'write /mnt/target/etc/fstab: 1 filesystem by the names that last'
	put 0644 /mnt/target/etc/fstab <<'EOF'
# /etc/fstab: what is mounted where; fstab(5). Lines of other hands are kept.
# <device> <mount point> <type> <options> <dump> <pass>
UUID=eb60a783-2d18-51b7-a040-030e53b4eeb9 /local/data xfs nosuid,nodev,quota,noatime,logbufs=8,logbsize=256k 0 0
EOF

	# 11. have udev look at the new filesystems
	step 11 'have udev look at the new filesystems'
	udevadm trigger --action=change -- /dev/MarisSpan0/data

	# 12. wait for udev: links by UUID
	step 12 'wait for udev: links by UUID'
	settle

	now=
	printf '%s\n' 'Done.'
}

trap ended EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
{ exec </dev/null; check; work; }
