#!/bin/sh
# Brings a machine's storage to the layout 'lost' (given-up.yaml): 11 steps, made by stowage.
# Writes to the disks a (/dev/vda), b (/dev/vdb).
# On a is lost: /dev/vda (20 GiB): no table, but 3 things that would lie in partitions.
# On a is lost: btrfs 'boot' 0f5ad7de-6f4c-4d60-8c5c-0d5fbb9d8a11 at 2 MiB, 512 MiB long.
# On a is lost: linux_raid_member 'any:md99' c0ffee00-6f4c-4d60-8c5c-0d5fbb9d8a11 at 514 MiB, 1 GiB long.
# On a is lost: LVM2_member aaaaaa-bbbb-cccc-dddd-eeee-ffff-gggggg at 1538 MiB, 18.50 GiB long.
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

total=11
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

root=

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
	need blkdiscard util-linux
	need sfdisk fdisk
	need mkfs.xfs xfsprogs
	need mount mount
	if [ -n "$missing" ]; then
		printf '%s\n' "These programs are missing:$missing" >&2
		exit 1
	fi
	read_protected
	spared /dev/vda \
		vda /dev/vda
	spared /dev/vdb \
		vdb /dev/vdb
	if [ "$bad" -ne 0 ]; then
		printf '%s\n' 'Nothing was written.' >&2
		exit 3
	fi
	disk /dev/vda 21474836480 vda ''
	disk /dev/vdb 21474836480 vdb ''
	blank /dev/vdb
	inside /srv || bad=1
	seen /etc/fstab ''
	if [ "$bad" -ne 0 ]; then
		printf '%s\n' 'Nothing was written: the machine is not as the plan saw it. Plan again.' >&2
		exit 3
	fi
}

work() {
	# 1. clear the ends of a, and the places where something old would show itself (given-up.yaml:5)
	#    since what was on /dev/vda is given up
	step 1 'clear the ends of a, and the places where something old would show itself'
	zero /dev/vda \
		0 3149824  4194304 4096  5242880 4096  6291456 4096 \
		67108864 4096  68157440 4096  69206016 4096  537919488 2101248 \
		541065216 4096  543162368 4096  606076928 4096  1611661312 2101248 \
		1614807040 4096  1616904192 4096  1679818752 4096  3221225472 2101248 \
		3224371200 4096  3226468352 4096  3289382912 4096  21472739328 2097152

	# 2. clear the ends of b, and the places where something old would show itself (given-up.yaml:5)
	#    since /dev/vdb is blank
	step 2 'clear the ends of b, and the places where something old would show itself'
	zero /dev/vdb \
		0 2101248  3145728 4096  4194304 4096  5242880 4096 \
		67108864 4096  68157440 4096  3221225472 2101248  3224371200 4096 \
		3226468352 4096  3289382912 4096  21472739328 2097152

	# 3. write a GPT with 2 partitions to a (given-up.yaml:7)
	#    since /dev/vda holds nothing
	step 3 'write a GPT with 2 partitions to a'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/vda <<'EOF'
label: gpt
label-id: 2abb7c35-0f2c-5f8b-bc20-feb465034f61
unit: sectors
sector-size: 512

1 : start=2048, size=6291456, type=0fc63daf-8483-4772-8e79-3d69d8477de4, uuid=db40f180-9832-5c40-b68d-0efdc1b0dc68, name="x"
2 : start=6293504, size=35647488, type=0fc63daf-8483-4772-8e79-3d69d8477de4, uuid=5b5e40fc-915a-5784-9eae-e343536f2106, name="y"
EOF

	# 4. write a GPT with 2 partitions to b (given-up.yaml:7)
	#    since /dev/vdb holds nothing
	step 4 'write a GPT with 2 partitions to b'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/vdb <<'EOF'
label: gpt
label-id: ef699266-8dd8-553f-b94b-e2603d28d608
unit: sectors
sector-size: 512

1 : start=2048, size=6291456, type=0fc63daf-8483-4772-8e79-3d69d8477de4, uuid=8454b3dc-9710-5c7a-b8fa-d4879ea5f124, name="x"
2 : start=6293504, size=35647488, type=0fc63daf-8483-4772-8e79-3d69d8477de4, uuid=ac801722-6605-5771-8a04-64a2c9d736c7, name="y"
EOF

	# 5. wait for the kernel and udev: partitions
	step 5 'wait for the kernel and udev: partitions'
	settle
	expect /dev/vda1 1048576 3221225472
	expect /dev/vda2 3222274048 18251513856
	expect /dev/vdb1 1048576 3221225472
	expect /dev/vdb2 3222274048 18251513856

	# 6. make xfs on a.x for /srv (given-up.yaml:9)
	step 6 'make xfs on a.x for /srv'
	mkfs.xfs -q -f -m uuid=f0efc7a8-17c8-5de6-99ba-385b647d30fd /dev/vda1

	# 7. make the directory /srv (given-up.yaml:9)
	step 7 'make the directory /srv'
	directory 0755 /srv

	# 8. mount the xfs of a.x at /srv (given-up.yaml:9)
	step 8 'mount the xfs of a.x at /srv'
	mount -t xfs -- /dev/vda1 /srv

	# 9. write /etc/fstab: 1 filesystem by the names that last
	#    since it isn't there
	step 9 'write /etc/fstab: 1 filesystem by the names that last'
	put 0644 /etc/fstab <<'EOF'
# /etc/fstab: what is mounted where; fstab(5). Lines of other hands are kept.
# <device> <mount point> <type> <options> <dump> <pass>
UUID=f0efc7a8-17c8-5de6-99ba-385b647d30fd /srv xfs defaults 0 0
EOF

	# 10. have udev look at the new filesystems
	step 10 'have udev look at the new filesystems'
	udevadm trigger --action=change -- /dev/vda1

	# 11. wait for udev: links by UUID
	step 11 'wait for udev: links by UUID'
	settle

	now=
	printf '%s\n' 'Done.'
}

trap ended EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
{ exec </dev/null; check; work; }
