#!/bin/sh
# Brings a machine's storage to the layout 'shell-words' (shell-words.yaml): 30 steps, made by stowage.
# Writes to the disks d.0 (/dev/sda), d.1 (/dev/sdb), d.2 (/dev/sdc), d.3 (/dev/sdd), d.4 (/dev/sde), d.5 (/dev/sdf), d.6 (/dev/sdg), d.7 (/dev/sdh), d.8 (/dev/sdi), d.9 (/dev/sdj), k (/dev/sdk).
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

total=30
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
	need mkfs.btrfs btrfs-progs
	need mount mount
	if [ -n "$missing" ]; then
		printf '%s\n' "These programs are missing:$missing" >&2
		exit 1
	fi
	read_protected
	spared /dev/sda \
		sda /dev/sda
	spared /dev/sdb \
		sdb /dev/sdb
	spared /dev/sdc \
		sdc /dev/sdc
	spared /dev/sdd \
		sdd /dev/sdd
	spared /dev/sde \
		sde /dev/sde
	spared /dev/sdf \
		sdf /dev/sdf
	spared /dev/sdg \
		sdg /dev/sdg
	spared /dev/sdh \
		sdh /dev/sdh
	spared /dev/sdi \
		sdi /dev/sdi
	spared /dev/sdj \
		sdj /dev/sdj
	spared /dev/sdk \
		sdk /dev/sdk
	if [ "$bad" -ne 0 ]; then
		printf '%s\n' 'Nothing was written.' >&2
		exit 3
	fi
	disk /dev/sda 21474836480 sda ''
	disk /dev/sdb 21474836480 sdb ''
	disk /dev/sdc 21474836480 sdc ''
	disk /dev/sdd 21474836480 sdd ''
	disk /dev/sde 21474836480 sde ''
	disk /dev/sdf 21474836480 sdf ''
	disk /dev/sdg 21474836480 sdg ''
	disk /dev/sdh 21474836480 sdh ''
	disk /dev/sdi 21474836480 sdi ''
	disk /dev/sdj 21474836480 sdj ''
	disk /dev/sdk 21474836480 sdk ''
	blank /dev/sdk
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
	inside '/mnt/target/srv/$(id)' || bad=1
	inside /mnt/target/srv/-x || bad=1
	inside /mnt/target/etc/fstab || bad=1
	seen /mnt/target/etc/fstab ''
	if [ "$bad" -ne 0 ]; then
		printf '%s\n' 'Nothing was written: the machine is not as the plan saw it. Plan again.' >&2
		exit 3
	fi
}

work() {
	# 1. clear the ends of d.0, and the places where something old would show itself (shell-words.yaml:5)
	#    since /dev/sda is blank
	step 1 'clear the ends of d.0, and the places where something old would show itself'
	zero /dev/sda \
		0 1052672  2097152 4096  4194304 4096  67108864 4096 \
		21473787904 1048576

	# 2. clear the ends of d.1, and the places where something old would show itself (shell-words.yaml:5)
	#    since /dev/sdb is blank
	step 2 'clear the ends of d.1, and the places where something old would show itself'
	zero /dev/sdb \
		0 1052672  2097152 4096  4194304 4096  67108864 4096 \
		21473787904 1048576

	# 3. clear the ends of d.2, and the places where something old would show itself (shell-words.yaml:5)
	#    since /dev/sdc is blank
	step 3 'clear the ends of d.2, and the places where something old would show itself'
	zero /dev/sdc \
		0 1052672  2097152 4096  4194304 4096  67108864 4096 \
		21473787904 1048576

	# 4. clear the ends of d.3, and the places where something old would show itself (shell-words.yaml:5)
	#    since /dev/sdd is blank
	step 4 'clear the ends of d.3, and the places where something old would show itself'
	zero /dev/sdd \
		0 1052672  2097152 4096  4194304 4096  67108864 4096 \
		21473787904 1048576

	# 5. clear the ends of d.4, and the places where something old would show itself (shell-words.yaml:5)
	#    since /dev/sde is blank
	step 5 'clear the ends of d.4, and the places where something old would show itself'
	zero /dev/sde \
		0 1052672  2097152 4096  4194304 4096  67108864 4096 \
		21473787904 1048576

	# 6. clear the ends of d.5, and the places where something old would show itself (shell-words.yaml:5)
	#    since /dev/sdf is blank
	step 6 'clear the ends of d.5, and the places where something old would show itself'
	zero /dev/sdf \
		0 1052672  2097152 4096  4194304 4096  67108864 4096 \
		21473787904 1048576

	# 7. clear the ends of d.6, and the places where something old would show itself (shell-words.yaml:5)
	#    since /dev/sdg is blank
	step 7 'clear the ends of d.6, and the places where something old would show itself'
	zero /dev/sdg \
		0 1052672  2097152 4096  4194304 4096  67108864 4096 \
		21473787904 1048576

	# 8. clear the ends of d.7, and the places where something old would show itself (shell-words.yaml:5)
	#    since /dev/sdh is blank
	step 8 'clear the ends of d.7, and the places where something old would show itself'
	zero /dev/sdh \
		0 1052672  2097152 4096  4194304 4096  67108864 4096 \
		21473787904 1048576

	# 9. clear the ends of d.8, and the places where something old would show itself (shell-words.yaml:5)
	#    since /dev/sdi is blank
	step 9 'clear the ends of d.8, and the places where something old would show itself'
	zero /dev/sdi \
		0 1052672  2097152 4096  4194304 4096  67108864 4096 \
		21473787904 1048576

	# 10. clear the ends of d.9, and the places where something old would show itself (shell-words.yaml:5)
	#    since /dev/sdj is blank
	step 10 'clear the ends of d.9, and the places where something old would show itself'
	zero /dev/sdj \
		0 1052672  2097152 4096  4194304 4096  67108864 4096 \
		21473787904 1048576

	# 11. clear the ends of k, and the places where something old would show itself (shell-words.yaml:5)
	#    since /dev/sdk is blank
	step 11 'clear the ends of k, and the places where something old would show itself'
	zero /dev/sdk \
		0 2101248  3145728 4096  4194304 4096  5242880 4096 \
		67108864 4096  68157440 4096  536870912 2101248  540016640 4096 \
		542113792 4096  605028352 4096  21472739328 2097152

	# 12. write a GPT with 2 partitions to k (shell-words.yaml:7)
	#    since /dev/sdk holds nothing
	step 12 'write a GPT with 2 partitions to k'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/sdk <<'EOF'
label: gpt
label-id: 8342f161-800a-5dbe-9de7-3055f6728633
unit: sectors
sector-size: 512

1 : start=2048, size=1048576, type=c12a7328-f81f-11d2-ba4b-00a0c93ec93b, uuid=420b5628-20ce-51e1-85cd-6a6fbff8448d, name="EFI System Partition"
2 : start=1050624, size=40890368, type=0fc63daf-8483-4772-8e79-3d69d8477de4, uuid=e6143c69-5f48-5ac6-8b69-90386f702c5a, name="$(id); '`x`' %n"
EOF

	# 13. wait for the kernel and udev: partitions
	step 13 'wait for the kernel and udev: partitions'
	settle
	expect /dev/sdk1 1048576 536870912
	expect /dev/sdk2 537919488 20935868416

	# 14. make btrfs on d.0: data single, metadata dup (shell-words.yaml:9)
	step 14 'make btrfs on d.0: data single, metadata dup'
	mkfs.btrfs -q -f -U bb0c8a00-2bf5-57ad-8618-1ca3f67a2cf9 -L '; touch /pwned' -d single -m dup /dev/sda

	# 15. make btrfs on d.1: data single, metadata dup (shell-words.yaml:10)
	step 15 'make btrfs on d.1: data single, metadata dup'
	mkfs.btrfs -q -f -U 43b55f9b-1af1-5719-a62c-f08eaec253bb -L '$(id)' -d single -m dup /dev/sdb

	# 16. make btrfs on d.2: data single, metadata dup (shell-words.yaml:11)
	step 16 'make btrfs on d.2: data single, metadata dup'
	mkfs.btrfs -q -f -U e91835f3-de0f-5044-b68a-b298a531a72f -L '`id`' -d single -m dup /dev/sdc

	# 17. make btrfs on d.3: data single, metadata dup (shell-words.yaml:12)
	step 17 'make btrfs on d.3: data single, metadata dup'
	mkfs.btrfs -q -f -U e99703ed-5aa2-5903-b54c-857d46d404ba -L 'a'\''b' -d single -m dup /dev/sdd

	# 18. make btrfs on d.4: data single, metadata dup (shell-words.yaml:13)
	step 18 'make btrfs on d.4: data single, metadata dup'
	mkfs.btrfs -q -f -U 363727eb-8847-55fa-ab3c-089f1b2bb630 -L 'a"b' -d single -m dup /dev/sde

	# 19. make btrfs on d.5: data single, metadata dup (shell-words.yaml:14)
	step 19 'make btrfs on d.5: data single, metadata dup'
	mkfs.btrfs -q -f -U 8b68d497-9b6a-5b2d-acae-8bd5818bc58c -L 'a b' -d single -m dup /dev/sdf

	# 20. make btrfs on d.6: data single, metadata dup (shell-words.yaml:15)
	step 20 'make btrfs on d.6: data single, metadata dup'
	mkfs.btrfs -q -f -U 58658e13-f068-520a-b27c-485cbf12eeae -L -rf -d single -m dup /dev/sdg

	# 21. make btrfs on d.7: data single, metadata dup (shell-words.yaml:16)
	step 21 'make btrfs on d.7: data single, metadata dup'
	mkfs.btrfs -q -f -U 9c9418e4-2c07-5fd1-8c7b-78881430c41b -L '*' -d single -m dup -O '; rm' /dev/sdh

	# 22. make btrfs on d.8 for /srv/$(id): data single, metadata dup (shell-words.yaml:17)
	step 22 'make btrfs on d.8 for /srv/$(id): data single, metadata dup'
	mkfs.btrfs -q -f -U fab9a5da-0a7b-5de7-bd24-c4aea1fcd1b0 -L 'a\b' -d single -m dup /dev/sdi

	# 23. make the directory /mnt/target/srv/$(id) (shell-words.yaml:17)
	step 23 'make the directory /mnt/target/srv/$(id)'
	directory 0755 '/mnt/target/srv/$(id)'

	# 24. mount the btrfs of d.8 at /mnt/target/srv/$(id) (shell-words.yaml:17)
	step 24 'mount the btrfs of d.8 at /mnt/target/srv/$(id)'
	mount -t btrfs -- /dev/sdi '/mnt/target/srv/$(id)'

	# 25. make btrfs on d.9 for /srv/-x: data single, metadata dup (shell-words.yaml:18)
	step 25 'make btrfs on d.9 for /srv/-x: data single, metadata dup'
	mkfs.btrfs -q -f -U 8ad7d9d1-be3f-53a6-9d14-d80d85ded457 -L '%n %s' -d single -m dup /dev/sdj

	# 26. make the directory /mnt/target/srv/-x (shell-words.yaml:18)
	step 26 'make the directory /mnt/target/srv/-x'
	directory 0755 /mnt/target/srv/-x

	# 27. mount the btrfs of d.9 at /mnt/target/srv/-x (shell-words.yaml:18)
	step 27 'mount the btrfs of d.9 at /mnt/target/srv/-x'
	mount -t btrfs -- /dev/sdj /mnt/target/srv/-x

	# 28. write /mnt/target/etc/fstab: 2 filesystems by the names that last
	#    since it isn't there
	step 28 'write /mnt/target/etc/fstab: 2 filesystems by the names that last'
	put 0644 /mnt/target/etc/fstab <<'EOF'
# /etc/fstab: what is mounted where; fstab(5). Lines of other hands are kept.
# <device> <mount point> <type> <options> <dump> <pass>
UUID=fab9a5da-0a7b-5de7-bd24-c4aea1fcd1b0 /srv/$(id) btrfs defaults 0 0
UUID=8ad7d9d1-be3f-53a6-9d14-d80d85ded457 /srv/-x    btrfs defaults 0 0
EOF

	# 29. have udev look at the new filesystems
	step 29 'have udev look at the new filesystems'
	udevadm trigger --action=change -- /dev/sda /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi /dev/sdj

	# 30. wait for udev: links by UUID
	step 30 'wait for udev: links by UUID'
	settle

	now=
	printf '%s\n' 'Done.'
}

trap ended EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
{ exec </dev/null; check; work; }
