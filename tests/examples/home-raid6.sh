#!/bin/sh
# Brings a machine's storage to the layout 'home-raid6' (../../examples/home-raid6.yaml): 20 steps, made by stowage.
# Writes to the disks data.0 (/dev/sda), data.1 (/dev/sdb), data.2 (/dev/sdc), data.3 (/dev/sdd), data.4 (/dev/sde).
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

total=20
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
		wd1tb0000 /dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_WD-1TB-0000 scsi0qemuqemuharddiskwd1tb0000 \
		/dev/disk/by-path/pci-0000:00:1e.0-scsi-0:0:0:0 /dev/sda
	spared /dev/sdb \
		wd1tb0001 /dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_WD-1TB-0001 scsi0qemuqemuharddiskwd1tb0001 \
		/dev/disk/by-path/pci-0000:00:1e.0-scsi-0:0:1:0 /dev/sdb
	spared /dev/sdc \
		wd1tb0002 /dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_WD-1TB-0002 scsi0qemuqemuharddiskwd1tb0002 \
		/dev/disk/by-path/pci-0000:00:1e.0-scsi-0:0:2:0 /dev/sdc
	spared /dev/sdd \
		wd1tb0004 /dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_WD-1TB-0004 scsi0qemuqemuharddiskwd1tb0004 \
		/dev/disk/by-path/pci-0000:00:1e.0-scsi-0:0:4:0 /dev/sdd
	spared /dev/sde \
		wd1tb0003 /dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_WD-1TB-0003 scsi0qemuqemuharddiskwd1tb0003 \
		/dev/disk/by-path/pci-0000:00:1e.0-scsi-0:0:3:0 /dev/sde
	if [ "$bad" -ne 0 ]; then
		printf '%s\n' 'Nothing was written.' >&2
		exit 3
	fi
	disk /dev/sda 1000204886016 WD-1TB-0000 ''
	disk /dev/sdb 1000204886016 WD-1TB-0001 ''
	disk /dev/sdc 1000204886016 WD-1TB-0002 ''
	disk /dev/sdd 1000204886016 WD-1TB-0004 ''
	disk /dev/sde 1000204886016 WD-1TB-0003 ''
	blank /dev/sda
	blank /dev/sdb
	blank /dev/sdc
	blank /dev/sdd
	blank /dev/sde
	inside /mnt/target/srv || bad=1
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
	# 1. clear the ends of data.0, and the places where something old would show itself (../../examples/home-raid6.yaml:7)
	#    since /dev/sda is blank
	step 1 'clear the ends of data.0, and the places where something old would show itself'
	zero /dev/sda \
		0 2101248  3145728 4096  4194304 4096  5242880 4096 \
		67108864 4096  68157440 4096  136314880 2097152  158334976 1048576 \
		91761934336 1048576  274877906944 4096  274878955520 4096  1000203091968 1794048

	# 2. clear the ends of data.1, and the places where something old would show itself (../../examples/home-raid6.yaml:7)
	#    since /dev/sdb is blank
	step 2 'clear the ends of data.1, and the places where something old would show itself'
	zero /dev/sdb \
		0 2101248  3145728 4096  4194304 4096  5242880 4096 \
		67108864 4096  68157440 4096  136314880 2097152  158334976 1048576 \
		91761934336 1048576  274877906944 4096  274878955520 4096  1000203091968 1794048

	# 3. clear the ends of data.2, and the places where something old would show itself (../../examples/home-raid6.yaml:7)
	#    since /dev/sdc is blank
	step 3 'clear the ends of data.2, and the places where something old would show itself'
	zero /dev/sdc \
		0 2101248  3145728 4096  4194304 4096  5242880 4096 \
		67108864 4096  68157440 4096  136314880 2097152  158334976 1048576 \
		91761934336 1048576  274877906944 4096  274878955520 4096  1000203091968 1794048

	# 4. clear the ends of data.3, and the places where something old would show itself (../../examples/home-raid6.yaml:7)
	#    since /dev/sdd is blank
	step 4 'clear the ends of data.3, and the places where something old would show itself'
	zero /dev/sdd \
		0 2101248  3145728 4096  4194304 4096  5242880 4096 \
		67108864 4096  68157440 4096  136314880 2097152  158334976 1048576 \
		91761934336 1048576  274877906944 4096  274878955520 4096  1000203091968 1794048

	# 5. clear the ends of data.4, and the places where something old would show itself (../../examples/home-raid6.yaml:7)
	#    since /dev/sde is blank
	step 5 'clear the ends of data.4, and the places where something old would show itself'
	zero /dev/sde \
		0 2101248  3145728 4096  4194304 4096  5242880 4096 \
		67108864 4096  68157440 4096  136314880 2097152  158334976 1048576 \
		91761934336 1048576  274877906944 4096  274878955520 4096  1000203091968 1794048

	# 6. write a GPT with 1 partition to data.0 (../../examples/home-raid6.yaml:10)
	#    since /dev/sda holds nothing
	step 6 'write a GPT with 1 partition to data.0'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/sda <<'EOF'
label: gpt
label-id: 3dcf267f-51ea-5e6d-b666-7eec8bf120a4
unit: sectors
sector-size: 512

1 : start=2048, size=1953521664, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=2f1c0db4-8071-58f6-9495-e90d0cedd703, name="md"
EOF

	# 7. write a GPT with 1 partition to data.1 (../../examples/home-raid6.yaml:10)
	#    since /dev/sdb holds nothing
	step 7 'write a GPT with 1 partition to data.1'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/sdb <<'EOF'
label: gpt
label-id: 85085c2b-f00a-5370-81b3-9d12af7789a3
unit: sectors
sector-size: 512

1 : start=2048, size=1953521664, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=4d105632-3454-5957-95d6-0667d5564da0, name="md"
EOF

	# 8. write a GPT with 1 partition to data.2 (../../examples/home-raid6.yaml:10)
	#    since /dev/sdc holds nothing
	step 8 'write a GPT with 1 partition to data.2'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/sdc <<'EOF'
label: gpt
label-id: 7ad9b2a4-f23f-5fae-a8a5-f0ee3003b645
unit: sectors
sector-size: 512

1 : start=2048, size=1953521664, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=54a31368-c1ed-550f-9312-908819b1dfdb, name="md"
EOF

	# 9. write a GPT with 1 partition to data.3 (../../examples/home-raid6.yaml:10)
	#    since /dev/sdd holds nothing
	step 9 'write a GPT with 1 partition to data.3'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/sdd <<'EOF'
label: gpt
label-id: aca7754f-c107-5e69-bb49-2914fb853be8
unit: sectors
sector-size: 512

1 : start=2048, size=1953521664, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=9a7b73ac-fc99-5918-b974-a8381633dc21, name="md"
EOF

	# 10. write a GPT with 1 partition to data.4 (../../examples/home-raid6.yaml:10)
	#    since /dev/sde holds nothing
	step 10 'write a GPT with 1 partition to data.4'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/sde <<'EOF'
label: gpt
label-id: ad08b818-27d6-5a81-99e4-2977597b3546
unit: sectors
sector-size: 512

1 : start=2048, size=1953521664, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=98fd74a1-64b0-59cf-a7de-203fa0591347, name="md"
EOF

	# 11. wait for the kernel and udev: partitions
	step 11 'wait for the kernel and udev: partitions'
	settle
	expect /dev/sda1 1048576 1000203091968
	expect /dev/sdb1 1048576 1000203091968
	expect /dev/sdc1 1048576 1000203091968
	expect /dev/sdd1 1048576 1000203091968
	expect /dev/sde1 1048576 1000203091968

	# 12. create RAID6 'md0' from data.0.md, data.1.md, data.2.md, data.3.md, data.4.md (../../examples/home-raid6.yaml:16)
	step 12 'create RAID6 '\''md0'\'' from data.0.md, data.1.md, data.2.md, data.3.md, data.4.md'
	mdadm --create /dev/md0 --run --quiet --level=6 --raid-devices=5 --metadata=1.2 --homehost=any --name=0 --uuid=d424f316:972e52a6:a490639d:fdf03dc8 --chunk=1024K --layout=left-symmetric --bitmap=none /dev/sda1 /dev/sdb1 /dev/sdc1 /dev/sdd1 /dev/sde1
	expect /dev/md0 0 3000203476992

	# 13. remove what an older use may show in 'md0' (../../examples/home-raid6.yaml:16)
	step 13 'remove what an older use may show in '\''md0'\'''
	wipefs -a -q /dev/md0

	# 14. make xfs on md0 for /srv: su 1 MiB, sw 3 (../../examples/home-raid6.yaml:19)
	step 14 'make xfs on md0 for /srv: su 1 MiB, sw 3'
	mkfs.xfs -q -f -m uuid=e415f489-9002-5651-ae84-dc0b6664c898 -d su=1m,sw=3 -l su=32k /dev/md0

	# 15. make the directory /mnt/target/srv (../../examples/home-raid6.yaml:19)
	step 15 'make the directory /mnt/target/srv'
	directory 0755 /mnt/target/srv

	# 16. mount the xfs of md0 at /mnt/target/srv (../../examples/home-raid6.yaml:19)
	step 16 'mount the xfs of md0 at /mnt/target/srv'
	mount -t xfs -- /dev/md0 /mnt/target/srv

	# 17. write /mnt/target/etc/mdadm/mdadm.conf, by which arrays keep their names (../../examples/home-raid6.yaml:16)
	step 17 'write /mnt/target/etc/mdadm/mdadm.conf, by which arrays keep their names'
	put 0644 /mnt/target/etc/mdadm/mdadm.conf <<'EOF'
# What mdadm should assemble and watch: mdadm.conf(5).
HOMEHOST <system>
MAILADDR root
ARRAY /dev/md0 metadata=1.2 UUID=d424f316:972e52a6:a490639d:fdf03dc8
EOF

	# 18. write /mnt/target/etc/fstab: 1 filesystem by the names that last
	#    since it isn't there
	step 18 'write /mnt/target/etc/fstab: 1 filesystem by the names that last'
	put 0644 /mnt/target/etc/fstab <<'EOF'
# /etc/fstab: what is mounted where; fstab(5). Lines of other hands are kept.
# <device> <mount point> <type> <options> <dump> <pass>
UUID=e415f489-9002-5651-ae84-dc0b6664c898 /srv xfs defaults 0 0
EOF

	# 19. have udev look at the new filesystems
	step 19 'have udev look at the new filesystems'
	udevadm trigger --action=change -- /dev/md0

	# 20. wait for udev: links by UUID
	step 20 'wait for udev: links by UUID'
	settle

	now=
	printf '%s\n' 'Done.'
}

trap ended EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
{ exec </dev/null; check; work; }
