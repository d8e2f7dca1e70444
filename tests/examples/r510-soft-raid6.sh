#!/bin/sh
# Brings a machine's storage to the layout 'r510-soft-raid6' (../../examples/r510-soft-raid6.yaml): 32 steps, made by stowage.
# Writes to the disks data.0 (/dev/sda), data.1 (/dev/sdb), data.2 (/dev/sdc), data.3 (/dev/sdd), data.4 (/dev/sde), data.5 (/dev/sdf), data.6 (/dev/sdg), data.7 (/dev/sdh), data.8 (/dev/sdi), data.9 (/dev/sdj), data.10 (/dev/sdk).
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

total=32
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
	need mdadm mdadm
	need mkfs.xfs xfsprogs
	need mount mount
	if [ -n "$missing" ]; then
		printf '%s\n' "These programs are missing:$missing" >&2
		exit 1
	fi
	read_protected
	spared /dev/sda \
		st4000000 /dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_ST4000-000 scsi0qemuqemuharddiskst4000000 \
		/dev/disk/by-path/pci-0000:00:1e.0-scsi-0:0:0:0 /dev/sda
	spared /dev/sdb \
		st4000001 /dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_ST4000-001 scsi0qemuqemuharddiskst4000001 \
		/dev/disk/by-path/pci-0000:00:1e.0-scsi-0:0:1:0 /dev/sdb
	spared /dev/sdc \
		st4000002 /dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_ST4000-002 scsi0qemuqemuharddiskst4000002 \
		/dev/disk/by-path/pci-0000:00:1e.0-scsi-0:0:2:0 /dev/sdc
	spared /dev/sdd \
		st4000003 /dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_ST4000-003 scsi0qemuqemuharddiskst4000003 \
		/dev/disk/by-path/pci-0000:00:1e.0-scsi-0:0:3:0 /dev/sdd
	spared /dev/sde \
		st4000004 /dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_ST4000-004 scsi0qemuqemuharddiskst4000004 \
		/dev/disk/by-path/pci-0000:00:1e.0-scsi-0:0:4:0 /dev/sde
	spared /dev/sdf \
		st4000005 /dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_ST4000-005 scsi0qemuqemuharddiskst4000005 \
		/dev/disk/by-path/pci-0000:00:1e.0-scsi-0:0:5:0 /dev/sdf
	spared /dev/sdg \
		st4000006 /dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_ST4000-006 scsi0qemuqemuharddiskst4000006 \
		/dev/disk/by-path/pci-0000:00:1e.0-scsi-0:0:6:0 /dev/sdg
	spared /dev/sdh \
		st4000007 /dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_ST4000-007 scsi0qemuqemuharddiskst4000007 \
		/dev/disk/by-path/pci-0000:00:1e.0-scsi-0:0:7:0 /dev/sdh
	spared /dev/sdi \
		st4000008 /dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_ST4000-008 scsi0qemuqemuharddiskst4000008 \
		/dev/disk/by-path/pci-0000:00:1e.0-scsi-0:0:8:0 /dev/sdi
	spared /dev/sdj \
		st4000009 /dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_ST4000-009 scsi0qemuqemuharddiskst4000009 \
		/dev/disk/by-path/pci-0000:00:1e.0-scsi-0:0:9:0 /dev/sdj
	spared /dev/sdk \
		st40000010 /dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_ST4000-0010 \
		scsi0qemuqemuharddiskst40000010 /dev/disk/by-path/pci-0000:00:1e.0-scsi-0:0:10:0 /dev/sdk
	if [ "$bad" -ne 0 ]; then
		printf '%s\n' 'Nothing was written.' >&2
		exit 3
	fi
	disk /dev/sda 4000787030016 ST4000-000 ''
	disk /dev/sdb 4000787030016 ST4000-001 ''
	disk /dev/sdc 4000787030016 ST4000-002 ''
	disk /dev/sdd 4000787030016 ST4000-003 ''
	disk /dev/sde 4000787030016 ST4000-004 ''
	disk /dev/sdf 4000787030016 ST4000-005 ''
	disk /dev/sdg 4000787030016 ST4000-006 ''
	disk /dev/sdh 4000787030016 ST4000-007 ''
	disk /dev/sdi 4000787030016 ST4000-008 ''
	disk /dev/sdj 4000787030016 ST4000-009 ''
	disk /dev/sdk 4000787030016 ST4000-0010 ''
	blank /dev/sda
	blank /dev/sdb
	blank /dev/sdc
	blank /dev/sdd
	blank /dev/sde
	blank /dev/sdf
	blank /dev/sdg
	blank /dev/sdh
	blank /dev/sdi
	blank /dev/sdj
	blank /dev/sdk
	inside /mnt/target/local/data || bad=1
	inside /mnt/target/etc/mdadm/mdadm.conf || bad=1
	seen /mnt/target/etc/mdadm/mdadm.conf ''
	inside /mnt/target/etc/fstab || bad=1
	seen /mnt/target/etc/fstab ''
	if [ "$bad" -ne 0 ]; then
		printf '%s\n' 'Nothing was written: the machine is not as the plan saw it. Plan again.' >&2
		exit 3
	fi
}

work() {
	# 1. clear the ends of data.0, and the places where something old would show itself (../../examples/r510-soft-raid6.yaml:7)
	#    since /dev/sda is blank
	step 1 'clear the ends of data.0, and the places where something old would show itself'
	zero /dev/sda \
		0 2101248  3145728 4096  4194304 4096  5242880 4096 \
		67108864 4096  68157440 4096  136314880 131072  136511488 65536 \
		136773632 65536  143720448 65536  30678253568 65536  274877906944 4096 \
		274878955520 4096  4000785104896 1925120

	# 2. clear the ends of data.1, and the places where something old would show itself (../../examples/r510-soft-raid6.yaml:7)
	#    since /dev/sdb is blank
	step 2 'clear the ends of data.1, and the places where something old would show itself'
	zero /dev/sdb \
		0 2101248  3145728 4096  4194304 4096  5242880 4096 \
		67108864 4096  68157440 4096  136314880 131072  136511488 65536 \
		136773632 65536  143720448 65536  30678253568 65536  274877906944 4096 \
		274878955520 4096  4000785104896 1925120

	# 3. clear the ends of data.2, and the places where something old would show itself (../../examples/r510-soft-raid6.yaml:7)
	#    since /dev/sdc is blank
	step 3 'clear the ends of data.2, and the places where something old would show itself'
	zero /dev/sdc \
		0 2101248  3145728 4096  4194304 4096  5242880 4096 \
		67108864 4096  68157440 4096  136314880 131072  136511488 65536 \
		136773632 65536  143720448 65536  30678253568 65536  274877906944 4096 \
		274878955520 4096  4000785104896 1925120

	# 4. clear the ends of data.3, and the places where something old would show itself (../../examples/r510-soft-raid6.yaml:7)
	#    since /dev/sdd is blank
	step 4 'clear the ends of data.3, and the places where something old would show itself'
	zero /dev/sdd \
		0 2101248  3145728 4096  4194304 4096  5242880 4096 \
		67108864 4096  68157440 4096  136314880 131072  136511488 65536 \
		136773632 65536  143720448 65536  30678253568 65536  274877906944 4096 \
		274878955520 4096  4000785104896 1925120

	# 5. clear the ends of data.4, and the places where something old would show itself (../../examples/r510-soft-raid6.yaml:7)
	#    since /dev/sde is blank
	step 5 'clear the ends of data.4, and the places where something old would show itself'
	zero /dev/sde \
		0 2101248  3145728 4096  4194304 4096  5242880 4096 \
		67108864 4096  68157440 4096  136314880 131072  136511488 65536 \
		136773632 65536  143720448 65536  30678253568 65536  274877906944 4096 \
		274878955520 4096  4000785104896 1925120

	# 6. clear the ends of data.5, and the places where something old would show itself (../../examples/r510-soft-raid6.yaml:7)
	#    since /dev/sdf is blank
	step 6 'clear the ends of data.5, and the places where something old would show itself'
	zero /dev/sdf \
		0 2101248  3145728 4096  4194304 4096  5242880 4096 \
		67108864 4096  68157440 4096  136314880 131072  136511488 65536 \
		136773632 65536  143720448 65536  30678253568 65536  274877906944 4096 \
		274878955520 4096  4000785104896 1925120

	# 7. clear the ends of data.6, and the places where something old would show itself (../../examples/r510-soft-raid6.yaml:7)
	#    since /dev/sdg is blank
	step 7 'clear the ends of data.6, and the places where something old would show itself'
	zero /dev/sdg \
		0 2101248  3145728 4096  4194304 4096  5242880 4096 \
		67108864 4096  68157440 4096  136314880 131072  136511488 65536 \
		136773632 65536  143720448 65536  30678253568 65536  274877906944 4096 \
		274878955520 4096  4000785104896 1925120

	# 8. clear the ends of data.7, and the places where something old would show itself (../../examples/r510-soft-raid6.yaml:7)
	#    since /dev/sdh is blank
	step 8 'clear the ends of data.7, and the places where something old would show itself'
	zero /dev/sdh \
		0 2101248  3145728 4096  4194304 4096  5242880 4096 \
		67108864 4096  68157440 4096  136314880 131072  136511488 65536 \
		136773632 65536  143720448 65536  30678253568 65536  274877906944 4096 \
		274878955520 4096  4000785104896 1925120

	# 9. clear the ends of data.8, and the places where something old would show itself (../../examples/r510-soft-raid6.yaml:7)
	#    since /dev/sdi is blank
	step 9 'clear the ends of data.8, and the places where something old would show itself'
	zero /dev/sdi \
		0 2101248  3145728 4096  4194304 4096  5242880 4096 \
		67108864 4096  68157440 4096  136314880 131072  136511488 65536 \
		136773632 65536  143720448 65536  30678253568 65536  274877906944 4096 \
		274878955520 4096  4000785104896 1925120

	# 10. clear the ends of data.9, and the places where something old would show itself (../../examples/r510-soft-raid6.yaml:7)
	#    since /dev/sdj is blank
	step 10 'clear the ends of data.9, and the places where something old would show itself'
	zero /dev/sdj \
		0 2101248  3145728 4096  4194304 4096  5242880 4096 \
		67108864 4096  68157440 4096  136314880 131072  136511488 65536 \
		136773632 65536  143720448 65536  30678253568 65536  274877906944 4096 \
		274878955520 4096  4000785104896 1925120

	# 11. clear the ends of data.10, and the places where something old would show itself (../../examples/r510-soft-raid6.yaml:7)
	#    since /dev/sdk is blank
	step 11 'clear the ends of data.10, and the places where something old would show itself'
	zero /dev/sdk \
		0 2101248  3145728 4096  4194304 4096  5242880 4096 \
		67108864 4096  68157440 4096  136314880 131072  136511488 65536 \
		136773632 65536  143720448 65536  30678253568 65536  274877906944 4096 \
		274878955520 4096  4000785104896 1925120

	# 12. write a GPT with 1 partition to data.0 (../../examples/r510-soft-raid6.yaml:10)
	#    since /dev/sda holds nothing
	step 12 'write a GPT with 1 partition to data.0'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/sda <<'EOF'
label: gpt
label-id: 97b283d1-b094-5873-88d3-b79eecf11592
unit: sectors
sector-size: 512

1 : start=2048, size=7814033408, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=0029e1c9-51a9-5480-8abb-a20bc74e5d26, name="md"
EOF

	# 13. write a GPT with 1 partition to data.1 (../../examples/r510-soft-raid6.yaml:10)
	#    since /dev/sdb holds nothing
	step 13 'write a GPT with 1 partition to data.1'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/sdb <<'EOF'
label: gpt
label-id: 6cc867f3-7727-55a6-8df0-9932089746cf
unit: sectors
sector-size: 512

1 : start=2048, size=7814033408, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=f963d2ec-65cf-55bf-8b7c-e3230124ac22, name="md"
EOF

	# 14. write a GPT with 1 partition to data.2 (../../examples/r510-soft-raid6.yaml:10)
	#    since /dev/sdc holds nothing
	step 14 'write a GPT with 1 partition to data.2'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/sdc <<'EOF'
label: gpt
label-id: 872a9bfd-53bd-5a02-b6b3-a5712f824e82
unit: sectors
sector-size: 512

1 : start=2048, size=7814033408, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=2eae9991-20e7-5247-a04c-0e6be5ad4573, name="md"
EOF

	# 15. write a GPT with 1 partition to data.3 (../../examples/r510-soft-raid6.yaml:10)
	#    since /dev/sdd holds nothing
	step 15 'write a GPT with 1 partition to data.3'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/sdd <<'EOF'
label: gpt
label-id: afc1e2ff-67c7-5dde-bcb9-4bc10d5f408b
unit: sectors
sector-size: 512

1 : start=2048, size=7814033408, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=a53ed6ad-b761-5f88-b3c4-29dc888834d5, name="md"
EOF

	# 16. write a GPT with 1 partition to data.4 (../../examples/r510-soft-raid6.yaml:10)
	#    since /dev/sde holds nothing
	step 16 'write a GPT with 1 partition to data.4'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/sde <<'EOF'
label: gpt
label-id: b84cb659-754b-5dfc-b6b2-7f921b50c178
unit: sectors
sector-size: 512

1 : start=2048, size=7814033408, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=64692883-3fc0-5f64-bd4b-718f4c2d7ab5, name="md"
EOF

	# 17. write a GPT with 1 partition to data.5 (../../examples/r510-soft-raid6.yaml:10)
	#    since /dev/sdf holds nothing
	step 17 'write a GPT with 1 partition to data.5'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/sdf <<'EOF'
label: gpt
label-id: beed600f-0577-5737-99cf-2b5d7acaa9e4
unit: sectors
sector-size: 512

1 : start=2048, size=7814033408, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=3f09baeb-065b-5578-9f15-040d41dc554a, name="md"
EOF

	# 18. write a GPT with 1 partition to data.6 (../../examples/r510-soft-raid6.yaml:10)
	#    since /dev/sdg holds nothing
	step 18 'write a GPT with 1 partition to data.6'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/sdg <<'EOF'
label: gpt
label-id: 70d3b8cd-9321-591e-9c39-a075fb937c17
unit: sectors
sector-size: 512

1 : start=2048, size=7814033408, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=c17427ae-65bc-587a-8ef0-8d001e17ee70, name="md"
EOF

	# 19. write a GPT with 1 partition to data.7 (../../examples/r510-soft-raid6.yaml:10)
	#    since /dev/sdh holds nothing
	step 19 'write a GPT with 1 partition to data.7'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/sdh <<'EOF'
label: gpt
label-id: 6670fb46-cf80-5031-ac87-7030e843352e
unit: sectors
sector-size: 512

1 : start=2048, size=7814033408, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=f2a648a9-fff3-5b87-9793-a599bc4b05f7, name="md"
EOF

	# 20. write a GPT with 1 partition to data.8 (../../examples/r510-soft-raid6.yaml:10)
	#    since /dev/sdi holds nothing
	step 20 'write a GPT with 1 partition to data.8'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/sdi <<'EOF'
label: gpt
label-id: 33cdd5b6-5590-5fb8-8a0a-6352d19de697
unit: sectors
sector-size: 512

1 : start=2048, size=7814033408, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=845bd8ee-2f03-5880-8c16-eceb80e90118, name="md"
EOF

	# 21. write a GPT with 1 partition to data.9 (../../examples/r510-soft-raid6.yaml:10)
	#    since /dev/sdj holds nothing
	step 21 'write a GPT with 1 partition to data.9'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/sdj <<'EOF'
label: gpt
label-id: def41c55-f98d-54a4-bd01-8c8cd1015ca8
unit: sectors
sector-size: 512

1 : start=2048, size=7814033408, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=a1d652b9-dbe2-5b80-a270-f6c0fec0eae6, name="md"
EOF

	# 22. write a GPT with 1 partition to data.10 (../../examples/r510-soft-raid6.yaml:10)
	#    since /dev/sdk holds nothing
	step 22 'write a GPT with 1 partition to data.10'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/sdk <<'EOF'
label: gpt
label-id: b9633506-1911-5931-b981-f5841e99ebc7
unit: sectors
sector-size: 512

1 : start=2048, size=7814033408, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=d9191d3f-7ff6-5889-bad7-da9e62b6362e, name="md"
EOF

	# 23. wait for the kernel and udev: partitions
	step 23 'wait for the kernel and udev: partitions'
	settle
	expect /dev/sda1 1048576 4000785104896
	expect /dev/sdb1 1048576 4000785104896
	expect /dev/sdc1 1048576 4000785104896
	expect /dev/sdd1 1048576 4000785104896
	expect /dev/sde1 1048576 4000785104896
	expect /dev/sdf1 1048576 4000785104896
	expect /dev/sdg1 1048576 4000785104896
	expect /dev/sdh1 1048576 4000785104896
	expect /dev/sdi1 1048576 4000785104896
	expect /dev/sdj1 1048576 4000785104896
	expect /dev/sdk1 1048576 4000785104896

	# 24. create RAID6 'md0' from data.0.md, data.1.md, data.2.md, data.3.md, data.4.md, data.5.md, data.6.md, data.7.md, data.8.md, data.9.md, data.10.md (../../examples/r510-soft-raid6.yaml:15)
	step 24 'create RAID6 '\''md0'\'' from data.0.md, data.1.md, data.2.md, data.3.md, data.4.md, data.5.md, data.6.md, data.7.md, data.8.md, data.9.md, data.10.md'
	mdadm --create /dev/md0 --run --quiet --level=6 --raid-devices=11 --metadata=1.2 --homehost=any --name=0 --uuid=b4479556:e847579c:90b89a31:ee36411c --chunk=64K --layout=left-symmetric --bitmap=internal /dev/sda1 /dev/sdb1 /dev/sdc1 /dev/sdd1 /dev/sde1 /dev/sdf1 /dev/sdg1 /dev/sdh1 /dev/sdi1 /dev/sdj1 /dev/sdk1
	expect /dev/md0 0 36005848547328

	# 25. remove what an older use may show in 'md0' (../../examples/r510-soft-raid6.yaml:15)
	step 25 'remove what an older use may show in '\''md0'\'''
	wipefs -a -q /dev/md0

	# 26. make xfs on md0 for /local/data: su 64 KiB, sw 9 (../../examples/r510-soft-raid6.yaml:18)
	step 26 'make xfs on md0 for /local/data: su 64 KiB, sw 9'
	mkfs.xfs -q -f -m uuid=8a64c3d6-48a3-5f90-b084-b3195ecd8466 -d su=64k,sw=9 -l su=64k /dev/md0

	# 27. make the directory /mnt/target/local/data (../../examples/r510-soft-raid6.yaml:18)
	step 27 'make the directory /mnt/target/local/data'
	directory 0755 /mnt/target/local/data

	# 28. mount the xfs of md0 at /mnt/target/local/data (../../examples/r510-soft-raid6.yaml:18)
	step 28 'mount the xfs of md0 at /mnt/target/local/data'
	mount -t xfs -o nosuid,nodev,quota,noatime,logbufs=8,logbsize=256k -- /dev/md0 /mnt/target/local/data

	# 29. write /mnt/target/etc/mdadm/mdadm.conf, by which arrays keep their names (../../examples/r510-soft-raid6.yaml:15)
	step 29 'write /mnt/target/etc/mdadm/mdadm.conf, by which arrays keep their names'
	put 0644 /mnt/target/etc/mdadm/mdadm.conf <<'EOF'
# What mdadm should assemble and watch: mdadm.conf(5).
HOMEHOST <system>
MAILADDR root
ARRAY /dev/md0 metadata=1.2 UUID=b4479556:e847579c:90b89a31:ee36411c
EOF

	# 30. write /mnt/target/etc/fstab: 1 filesystem by the names that last
	#    since it isn't there
	step 30 'write /mnt/target/etc/fstab: 1 filesystem by the names that last'
	put 0644 /mnt/target/etc/fstab <<'EOF'
# /etc/fstab: what is mounted where; fstab(5). Lines of other hands are kept.
# <device> <mount point> <type> <options> <dump> <pass>
UUID=8a64c3d6-48a3-5f90-b084-b3195ecd8466 /local/data xfs nosuid,nodev,quota,noatime,logbufs=8,logbsize=256k 0 0
EOF

	# 31. have udev look at the new filesystems
	step 31 'have udev look at the new filesystems'
	udevadm trigger --action=change -- /dev/md0

	# 32. wait for udev: links by UUID
	step 32 'wait for udev: links by UUID'
	settle

	now=
	printf '%s\n' 'Done.'
}

trap ended EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
{ exec </dev/null; check; work; }
