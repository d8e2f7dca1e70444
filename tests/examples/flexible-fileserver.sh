#!/bin/sh
# Brings a machine's storage to the layout 'flexible-fileserver' (../../examples/flexible-fileserver.yaml): 53 steps, made by stowage.
# Writes to the disks vda (/dev/vda), vdb (/dev/vdb), vdc (/dev/vdc).
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

total=53
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
	need pvcreate lvm2
	need vgcreate lvm2
	need lvcreate lvm2
	need mkfs.btrfs btrfs-progs
	need mount mount
	need chmod ''
	need mkfs.ext4 e2fsprogs
	need mkswap util-linux
	if [ -n "$missing" ]; then
		printf '%s\n' "These programs are missing:$missing" >&2
		exit 1
	fi
	read_protected
	spared /dev/vda \
		vda /dev/disk/by-id/virtio-vda virtiovda /dev/disk/by-path/pci-0000:00:03.0 \
		/dev/disk/by-path/virtio-pci-0000:00:03.0 /dev/vda
	spared /dev/vdb \
		vdb /dev/disk/by-id/virtio-vdb virtiovdb /dev/disk/by-path/pci-0000:00:03.1 \
		/dev/disk/by-path/virtio-pci-0000:00:03.1 /dev/vdb
	spared /dev/vdc \
		vdc /dev/disk/by-id/virtio-vdc virtiovdc /dev/disk/by-path/pci-0000:00:03.2 \
		/dev/disk/by-path/virtio-pci-0000:00:03.2 /dev/vdc
	if [ "$bad" -ne 0 ]; then
		printf '%s\n' 'Nothing was written.' >&2
		exit 3
	fi
	disk /dev/vda 21474836480 vda ''
	disk /dev/vdb 21474836480 vdb ''
	disk /dev/vdc 21474836480 vdc ''
	blank /dev/vda
	blank /dev/vdb
	blank /dev/vdc
	inside /mnt/target || bad=1
	if [ "$bad" -ne 0 ]; then
		printf '%s\n' 'Nothing was written: the machine is not as the plan saw it. Plan again.' >&2
		exit 3
	fi
}

work() {
	# 1. clear the ends of vda, and the places where something old would show itself (../../examples/flexible-fileserver.yaml:8)
	#    since /dev/vda is blank
	step 1 'clear the ends of vda, and the places where something old would show itself'
	zero /dev/vda \
		0 3149824  4194304 4096  6291456 4096  67108864 4096 \
		69206016 4096  537919488 2101248  541065216 4096  543162368 4096 \
		606076928 4096  4832886784 2101248  4836032512 2101248  4838653952 524288 \
		4880596992 524288  4901044224 4096  5369757696 3149824  5373952000 4096 \
		5375000576 4096  5376049152 4096  5437915136 4096  5438963712 4096 \
		5907677184 2101248  5910822912 4096  5912920064 4096  5975834624 4096 \
		6981419008 2101248  6984564736 4096  6986661888 4096  7049576448 4096 \
		8055160832 2101248  8058306560 4096  8060403712 4096  8123318272 4096 \
		10202644480 1441792  10204348416 65536  10205069312 65536  10226040832 65536 \
		11277041664 393216  21472739328 2097152

	# 2. clear the ends of vdb, and the places where something old would show itself (../../examples/flexible-fileserver.yaml:9)
	#    since /dev/vdb is blank
	step 2 'clear the ends of vdb, and the places where something old would show itself'
	zero /dev/vdb \
		0 3149824  4194304 4096  6291456 4096  67108864 4096 \
		69206016 4096  537919488 2101248  541065216 4096  543162368 4096 \
		606076928 4096  4832886784 2101248  4836032512 2101248  4838653952 524288 \
		4880596992 524288  4901044224 4096  5369757696 3149824  5373952000 4096 \
		5375000576 4096  5376049152 4096  5437915136 4096  5438963712 4096 \
		5907677184 2101248  5910822912 4096  5912920064 4096  5975834624 4096 \
		6981419008 2101248  6984564736 4096  6986661888 4096  7049576448 4096 \
		8055160832 2101248  8058306560 4096  8060403712 4096  8123318272 4096 \
		10202644480 1441792  10204348416 65536  10205069312 65536  10226040832 65536 \
		11277041664 393216  21472739328 2097152

	# 3. clear the ends of vdc, and the places where something old would show itself (../../examples/flexible-fileserver.yaml:10)
	#    since /dev/vdc is blank
	step 3 'clear the ends of vdc, and the places where something old would show itself'
	zero /dev/vdc \
		0 3149824  4194304 4096  6291456 4096  67108864 4096 \
		69206016 4096  537919488 2101248  541065216 4096  543162368 4096 \
		606076928 4096  4832886784 2101248  4836032512 2101248  4838653952 524288 \
		4880596992 524288  4901044224 4096  5369757696 3149824  5373952000 4096 \
		5375000576 4096  5376049152 4096  5437915136 4096  5438963712 4096 \
		5907677184 2101248  5910822912 4096  5912920064 4096  5975834624 4096 \
		6981419008 2101248  6984564736 4096  6986661888 4096  7049576448 4096 \
		8055160832 2101248  8058306560 4096  8060403712 4096  8123318272 4096 \
		10202644480 1441792  10204348416 65536  10205069312 65536  10226040832 65536 \
		11277041664 393216  21472739328 2097152

	# 4. write a GPT with 5 partitions to vda (../../examples/flexible-fileserver.yaml:13)
	#    since /dev/vda holds nothing
	step 4 'write a GPT with 5 partitions to vda'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/vda <<'EOF'
label: gpt
label-id: 9b9aedc5-2493-5fff-8ca3-327a1f3d4a24
unit: sectors
sector-size: 512

1 : start=2048, size=2048, type=21686148-6449-6e6f-744e-656564454649, uuid=68f249fd-cdad-53a9-92fa-e6f3df634bbf, name="bios"
2 : start=4096, size=1048576, type=0fc63daf-8483-4772-8e79-3d69d8477de4, uuid=fef89301-74dd-5b72-b893-47519e233012, name="boot"
3 : start=1052672, size=8388608, type=0fc63daf-8483-4772-8e79-3d69d8477de4, uuid=6d51f327-97b8-591b-8c4b-1537408e27fb, name="root"
4 : start=9441280, size=1048576, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=d2576426-0241-5da1-8b3c-2e469723dfbb, name="swap"
5 : start=10489856, size=31451136, type=e6d6d379-f507-44c2-a23c-238f2a3df928, uuid=57fcdde4-5a1b-523f-97cd-251bdbef24f1, name="lvm"
EOF

	# 5. write a GPT with 5 partitions to vdb (../../examples/flexible-fileserver.yaml:13)
	#    since /dev/vdb holds nothing
	step 5 'write a GPT with 5 partitions to vdb'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/vdb <<'EOF'
label: gpt
label-id: 34a7440c-682c-5a07-8c3c-62ff60ebdf0c
unit: sectors
sector-size: 512

1 : start=2048, size=2048, type=21686148-6449-6e6f-744e-656564454649, uuid=d882105a-00f3-5a86-a8bf-0b47adcfa2ca, name="bios"
2 : start=4096, size=1048576, type=0fc63daf-8483-4772-8e79-3d69d8477de4, uuid=d1ed4a0f-7ad7-596d-aad0-6e8ebd3ba3a1, name="boot"
3 : start=1052672, size=8388608, type=0fc63daf-8483-4772-8e79-3d69d8477de4, uuid=cf3e8f1f-8cec-53db-b6d5-b3017ac58a11, name="root"
4 : start=9441280, size=1048576, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=5e240dfa-1ba3-5814-9d08-e7eb7dba1590, name="swap"
5 : start=10489856, size=31451136, type=e6d6d379-f507-44c2-a23c-238f2a3df928, uuid=620df48c-0f6d-50ea-8247-4711386c03d3, name="lvm"
EOF

	# 6. write a GPT with 5 partitions to vdc (../../examples/flexible-fileserver.yaml:13)
	#    since /dev/vdc holds nothing
	step 6 'write a GPT with 5 partitions to vdc'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/vdc <<'EOF'
label: gpt
label-id: fbcc638b-b214-5e94-ac90-2a8fd2b9812c
unit: sectors
sector-size: 512

1 : start=2048, size=2048, type=21686148-6449-6e6f-744e-656564454649, uuid=da09b9e1-78cd-5129-9e3f-abbd66b5227b, name="bios"
2 : start=4096, size=1048576, type=0fc63daf-8483-4772-8e79-3d69d8477de4, uuid=5706b313-f159-5728-9954-04fa6ab50d3a, name="boot"
3 : start=1052672, size=8388608, type=0fc63daf-8483-4772-8e79-3d69d8477de4, uuid=d8adf19d-2f14-5e81-8197-fa4be6deca5d, name="root"
4 : start=9441280, size=1048576, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=ba05d79e-8dc1-5027-bf0f-2ecaf6c53219, name="swap"
5 : start=10489856, size=31451136, type=e6d6d379-f507-44c2-a23c-238f2a3df928, uuid=fbded192-6251-51ed-9718-7396c5ca64a3, name="lvm"
EOF

	# 7. wait for the kernel and udev: partitions
	step 7 'wait for the kernel and udev: partitions'
	settle
	expect /dev/vda1 1048576 1048576
	expect /dev/vda2 2097152 536870912
	expect /dev/vda3 538968064 4294967296
	expect /dev/vda4 4833935360 536870912
	expect /dev/vda5 5370806272 16102981632
	expect /dev/vdb1 1048576 1048576
	expect /dev/vdb2 2097152 536870912
	expect /dev/vdb3 538968064 4294967296
	expect /dev/vdb4 4833935360 536870912
	expect /dev/vdb5 5370806272 16102981632
	expect /dev/vdc1 1048576 1048576
	expect /dev/vdc2 2097152 536870912
	expect /dev/vdc3 538968064 4294967296
	expect /dev/vdc4 4833935360 536870912
	expect /dev/vdc5 5370806272 16102981632

	# 8. create RAID10 'md99' from vda.swap, vdb.swap, vdc.swap (../../examples/flexible-fileserver.yaml:23)
	step 8 'create RAID10 '\''md99'\'' from vda.swap, vdb.swap, vdc.swap'
	mdadm --create /dev/md99 --run --quiet --level=10 --raid-devices=3 --metadata=1.2 --homehost=any --name=99 --uuid=44ffc698:b6005a40:82a30555:f59fcf0f --chunk=512K --layout=n2 --bitmap=none /dev/vda4 /dev/vdb4 /dev/vdc4
	expect /dev/md99 0 802160640

	# 9. remove what an older use may show in 'md99' (../../examples/flexible-fileserver.yaml:23)
	step 9 'remove what an older use may show in '\''md99'\'''
	wipefs -a -q /dev/md99

	# 10. make 'vda.lvm' a physical volume of LVM (../../examples/flexible-fileserver.yaml:27)
	step 10 'make '\''vda.lvm'\'' a physical volume of LVM'
	pvcreate -y --uuid e2bd3843-58f6-5786-b23a-0af92857c43f --norestorefile --dataalignment 1m /dev/vda5

	# 11. make 'vdb.lvm' a physical volume of LVM (../../examples/flexible-fileserver.yaml:27)
	step 11 'make '\''vdb.lvm'\'' a physical volume of LVM'
	pvcreate -y --uuid 6a5ffd41-ea2d-5f3e-86f5-6db0209a86d3 --norestorefile --dataalignment 1m /dev/vdb5

	# 12. make 'vdc.lvm' a physical volume of LVM (../../examples/flexible-fileserver.yaml:27)
	step 12 'make '\''vdc.lvm'\'' a physical volume of LVM'
	pvcreate -y --uuid 60bbd8ed-472d-50e7-b1b8-7e53aa3f60cd --norestorefile --dataalignment 1m /dev/vdc5

	# 13. create volume group 'vg0' with extents of 4 MiB (../../examples/flexible-fileserver.yaml:26)
	step 13 'create volume group '\''vg0'\'' with extents of 4 MiB'
	vgcreate -y --physicalextentsize 4m vg0 /dev/vda5 /dev/vdb5 /dev/vdc5

	# 14. create volume 'vg0/tmp_0', 512 MiB, on vda.lvm (../../examples/flexible-fileserver.yaml:29)
	step 14 'create volume '\''vg0/tmp_0'\'', 512 MiB, on vda.lvm'
	lvcreate -y -Wy -n tmp_0 -l 128 vg0 /dev/vda5:0-127
	expect /dev/vg0/tmp_0 0 536870912

	# 15. create volume 'vg0/tmp_1', 512 MiB, on vdb.lvm (../../examples/flexible-fileserver.yaml:29)
	step 15 'create volume '\''vg0/tmp_1'\'', 512 MiB, on vdb.lvm'
	lvcreate -y -Wy -n tmp_1 -l 128 vg0 /dev/vdb5:0-127
	expect /dev/vg0/tmp_1 0 536870912

	# 16. create volume 'vg0/tmp_2', 512 MiB, on vdc.lvm (../../examples/flexible-fileserver.yaml:29)
	step 16 'create volume '\''vg0/tmp_2'\'', 512 MiB, on vdc.lvm'
	lvcreate -y -Wy -n tmp_2 -l 128 vg0 /dev/vdc5:0-127
	expect /dev/vg0/tmp_2 0 536870912

	# 17. create volume 'vg0/home_0', 1 GiB, on vda.lvm (../../examples/flexible-fileserver.yaml:30)
	step 17 'create volume '\''vg0/home_0'\'', 1 GiB, on vda.lvm'
	lvcreate -y -Wy -n home_0 -l 256 vg0 /dev/vda5:128-383
	expect /dev/vg0/home_0 0 1073741824

	# 18. create volume 'vg0/home_1', 1 GiB, on vdb.lvm (../../examples/flexible-fileserver.yaml:30)
	step 18 'create volume '\''vg0/home_1'\'', 1 GiB, on vdb.lvm'
	lvcreate -y -Wy -n home_1 -l 256 vg0 /dev/vdb5:128-383
	expect /dev/vg0/home_1 0 1073741824

	# 19. create volume 'vg0/home_2', 1 GiB, on vdc.lvm (../../examples/flexible-fileserver.yaml:30)
	step 19 'create volume '\''vg0/home_2'\'', 1 GiB, on vdc.lvm'
	lvcreate -y -Wy -n home_2 -l 256 vg0 /dev/vdc5:128-383
	expect /dev/vg0/home_2 0 1073741824

	# 20. create volume 'vg0/var_0', 1 GiB, on vda.lvm (../../examples/flexible-fileserver.yaml:31)
	step 20 'create volume '\''vg0/var_0'\'', 1 GiB, on vda.lvm'
	lvcreate -y -Wy -n var_0 -l 256 vg0 /dev/vda5:384-639
	expect /dev/vg0/var_0 0 1073741824

	# 21. create volume 'vg0/var_1', 1 GiB, on vdb.lvm (../../examples/flexible-fileserver.yaml:31)
	step 21 'create volume '\''vg0/var_1'\'', 1 GiB, on vdb.lvm'
	lvcreate -y -Wy -n var_1 -l 256 vg0 /dev/vdb5:384-639
	expect /dev/vg0/var_1 0 1073741824

	# 22. create volume 'vg0/var_2', 1 GiB, on vdc.lvm (../../examples/flexible-fileserver.yaml:31)
	step 22 'create volume '\''vg0/var_2'\'', 1 GiB, on vdc.lvm'
	lvcreate -y -Wy -n var_2 -l 256 vg0 /dev/vdc5:384-639
	expect /dev/vg0/var_2 0 1073741824

	# 23. create volume 'vg0/raid1_0', 2 GiB, on vda.lvm (../../examples/flexible-fileserver.yaml:32)
	step 23 'create volume '\''vg0/raid1_0'\'', 2 GiB, on vda.lvm'
	lvcreate -y -Wy -n raid1_0 -l 512 vg0 /dev/vda5:640-1151
	expect /dev/vg0/raid1_0 0 2147483648

	# 24. create volume 'vg0/raid1_1', 2 GiB, on vdb.lvm (../../examples/flexible-fileserver.yaml:32)
	step 24 'create volume '\''vg0/raid1_1'\'', 2 GiB, on vdb.lvm'
	lvcreate -y -Wy -n raid1_1 -l 512 vg0 /dev/vdb5:640-1151
	expect /dev/vg0/raid1_1 0 2147483648

	# 25. create volume 'vg0/raid1_2', 2 GiB, on vdc.lvm (../../examples/flexible-fileserver.yaml:32)
	step 25 'create volume '\''vg0/raid1_2'\'', 2 GiB, on vdc.lvm'
	lvcreate -y -Wy -n raid1_2 -l 512 vg0 /dev/vdc5:640-1151
	expect /dev/vg0/raid1_2 0 2147483648

	# 26. create volume 'vg0/noraid', 3 GiB, on vda.lvm, vdb.lvm, vdc.lvm (../../examples/flexible-fileserver.yaml:33)
	step 26 'create volume '\''vg0/noraid'\'', 3 GiB, on vda.lvm, vdb.lvm, vdc.lvm'
	lvcreate -y -Wy -n noraid -l 768 -i 3 -I 64k vg0 /dev/vda5:1152-1407 /dev/vdb5:1152-1407 /dev/vdc5:1152-1407
	expect /dev/vg0/noraid 0 3221225472

	# 27. make btrfs on vda.boot, vdb.boot, vdc.boot for /boot: data and metadata raid1 (../../examples/flexible-fileserver.yaml:36)
	step 27 'make btrfs on vda.boot, vdb.boot, vdc.boot for /boot: data and metadata raid1'
	mkfs.btrfs -q -f -U a9a74b88-7165-55ac-a640-aad21f108b91 -d raid1 -m raid1 /dev/vda2 /dev/vdb2 /dev/vdc2

	# 28. make btrfs on vda.root, vdb.root, vdc.root for /: data and metadata raid1 (../../examples/flexible-fileserver.yaml:37)
	step 28 'make btrfs on vda.root, vdb.root, vdc.root for /: data and metadata raid1'
	mkfs.btrfs -q -f -U f91b72b3-d8a7-5a21-a0cb-db7e3bbc6ac3 -d raid1 -m raid1 /dev/vda3 /dev/vdb3 /dev/vdc3

	# 29. make the directory /mnt/target (../../examples/flexible-fileserver.yaml:37)
	step 29 'make the directory /mnt/target'
	directory 0755 /mnt/target

	# 30. mount the btrfs of vda.root at /mnt/target (../../examples/flexible-fileserver.yaml:37)
	step 30 'mount the btrfs of vda.root at /mnt/target'
	mount -t btrfs -- /dev/vda3 /mnt/target

	# 31. make the directory /mnt/target/boot (../../examples/flexible-fileserver.yaml:36)
	step 31 'make the directory /mnt/target/boot'
	directory 0755 /mnt/target/boot

	# 32. mount the btrfs of vda.boot at /mnt/target/boot (../../examples/flexible-fileserver.yaml:36)
	step 32 'mount the btrfs of vda.boot at /mnt/target/boot'
	mount -t btrfs -- /dev/vda2 /mnt/target/boot

	# 33. make btrfs on vg0/tmp_0, vg0/tmp_1, vg0/tmp_2 for /tmp: data and metadata raid1 (../../examples/flexible-fileserver.yaml:38)
	step 33 'make btrfs on vg0/tmp_0, vg0/tmp_1, vg0/tmp_2 for /tmp: data and metadata raid1'
	mkfs.btrfs -q -f -U 85ad9560-d39b-59c7-b9b5-b60554ab9053 -d raid1 -m raid1 /dev/vg0/tmp_0 /dev/vg0/tmp_1 /dev/vg0/tmp_2

	# 34. make the directory /mnt/target/tmp (../../examples/flexible-fileserver.yaml:38)
	step 34 'make the directory /mnt/target/tmp'
	directory 0755 /mnt/target/tmp

	# 35. mount the btrfs of vg0/tmp_0 at /mnt/target/tmp (../../examples/flexible-fileserver.yaml:38)
	step 35 'mount the btrfs of vg0/tmp_0 at /mnt/target/tmp'
	mount -t btrfs -- /dev/vg0/tmp_0 /mnt/target/tmp

	# 36. let everybody write into /mnt/target/tmp (../../examples/flexible-fileserver.yaml:38)
	step 36 'let everybody write into /mnt/target/tmp'
	chmod 1777 -- /mnt/target/tmp

	# 37. make btrfs on vg0/home_0, vg0/home_1, vg0/home_2 for /home: data and metadata raid1 (../../examples/flexible-fileserver.yaml:39)
	step 37 'make btrfs on vg0/home_0, vg0/home_1, vg0/home_2 for /home: data and metadata raid1'
	mkfs.btrfs -q -f -U efda797e-2ba6-5e7b-b027-53733ee758af -d raid1 -m raid1 /dev/vg0/home_0 /dev/vg0/home_1 /dev/vg0/home_2

	# 38. make the directory /mnt/target/home (../../examples/flexible-fileserver.yaml:39)
	step 38 'make the directory /mnt/target/home'
	directory 0755 /mnt/target/home

	# 39. mount the btrfs of vg0/home_0 at /mnt/target/home (../../examples/flexible-fileserver.yaml:39)
	step 39 'mount the btrfs of vg0/home_0 at /mnt/target/home'
	mount -t btrfs -- /dev/vg0/home_0 /mnt/target/home

	# 40. make btrfs on vg0/var_0, vg0/var_1, vg0/var_2 for /var: data and metadata raid1 (../../examples/flexible-fileserver.yaml:40)
	step 40 'make btrfs on vg0/var_0, vg0/var_1, vg0/var_2 for /var: data and metadata raid1'
	mkfs.btrfs -q -f -U 3c65082f-3d9c-585b-a500-b82f53a7d056 -d raid1 -m raid1 /dev/vg0/var_0 /dev/vg0/var_1 /dev/vg0/var_2

	# 41. make the directory /mnt/target/var (../../examples/flexible-fileserver.yaml:40)
	step 41 'make the directory /mnt/target/var'
	directory 0755 /mnt/target/var

	# 42. mount the btrfs of vg0/var_0 at /mnt/target/var (../../examples/flexible-fileserver.yaml:40)
	step 42 'mount the btrfs of vg0/var_0 at /mnt/target/var'
	mount -t btrfs -- /dev/vg0/var_0 /mnt/target/var

	# 43. make btrfs on vg0/raid1_0, vg0/raid1_1, vg0/raid1_2 for /data/raid1: data and metadata raid1 (../../examples/flexible-fileserver.yaml:41)
	step 43 'make btrfs on vg0/raid1_0, vg0/raid1_1, vg0/raid1_2 for /data/raid1: data and metadata raid1'
	mkfs.btrfs -q -f -U 42e00683-c977-5f71-9898-1f6d632f73e5 -d raid1 -m raid1 /dev/vg0/raid1_0 /dev/vg0/raid1_1 /dev/vg0/raid1_2

	# 44. make the directory /mnt/target/data/raid1 (../../examples/flexible-fileserver.yaml:41)
	step 44 'make the directory /mnt/target/data/raid1'
	directory 0755 /mnt/target/data/raid1

	# 45. mount the btrfs of vg0/raid1_0 at /mnt/target/data/raid1 (../../examples/flexible-fileserver.yaml:41)
	step 45 'mount the btrfs of vg0/raid1_0 at /mnt/target/data/raid1'
	mount -t btrfs -- /dev/vg0/raid1_0 /mnt/target/data/raid1

	# 46. make ext4 on vg0/noraid for /data/noraid: stride 16, stripe-width 48 (../../examples/flexible-fileserver.yaml:42)
	step 46 'make ext4 on vg0/noraid for /data/noraid: stride 16, stripe-width 48'
	mkfs.ext4 -q -F -U 06d82c7e-4a53-5418-9bb0-d059291b9fa7 -E hash_seed=06d82c7e-4a53-5418-9bb0-d059291b9fa7,stride=16,stripe_width=48 /dev/vg0/noraid

	# 47. make the directory /mnt/target/data/noraid (../../examples/flexible-fileserver.yaml:42)
	step 47 'make the directory /mnt/target/data/noraid'
	directory 0755 /mnt/target/data/noraid

	# 48. mount the ext4 of vg0/noraid at /mnt/target/data/noraid (../../examples/flexible-fileserver.yaml:42)
	step 48 'mount the ext4 of vg0/noraid at /mnt/target/data/noraid'
	mount -t ext4 -- /dev/vg0/noraid /mnt/target/data/noraid

	# 49. make swap on md99 (../../examples/flexible-fileserver.yaml:43)
	step 49 'make swap on md99'
	mkswap -U e8f15060-46b2-5019-a14b-a2b70af79a4b /dev/md99

	# 50. write /mnt/target/etc/mdadm/mdadm.conf, by which arrays keep their names (../../examples/flexible-fileserver.yaml:23)
	step 50 'write /mnt/target/etc/mdadm/mdadm.conf, by which arrays keep their names'
	put 0644 /mnt/target/etc/mdadm/mdadm.conf <<'EOF'
# What mdadm should assemble and watch: mdadm.conf(5).
HOMEHOST <system>
MAILADDR root
ARRAY /dev/md99 metadata=1.2 UUID=44ffc698:b6005a40:82a30555:f59fcf0f
EOF

	# 51. write /mnt/target/etc/fstab: 8 filesystems by the names that last
	#    since it isn't there
	step 51 'write /mnt/target/etc/fstab: 8 filesystems by the names that last'
	put 0644 /mnt/target/etc/fstab <<'EOF'
# /etc/fstab: what is mounted where; fstab(5). Lines of other hands are kept.
# <device> <mount point> <type> <options> <dump> <pass>
UUID=f91b72b3-d8a7-5a21-a0cb-db7e3bbc6ac3 /            btrfs defaults 0 0
UUID=a9a74b88-7165-55ac-a640-aad21f108b91 /boot        btrfs defaults 0 0
UUID=85ad9560-d39b-59c7-b9b5-b60554ab9053 /tmp         btrfs defaults 0 0
UUID=efda797e-2ba6-5e7b-b027-53733ee758af /home        btrfs defaults 0 0
UUID=3c65082f-3d9c-585b-a500-b82f53a7d056 /var         btrfs defaults 0 0
UUID=42e00683-c977-5f71-9898-1f6d632f73e5 /data/raid1  btrfs defaults 0 0
UUID=06d82c7e-4a53-5418-9bb0-d059291b9fa7 /data/noraid ext4  defaults 0 2
UUID=e8f15060-46b2-5019-a14b-a2b70af79a4b none         swap  sw       0 0
EOF

	# 52. have udev look at the new filesystems
	step 52 'have udev look at the new filesystems'
	udevadm trigger --action=change -- /dev/vda2 /dev/vdb2 /dev/vdc2 /dev/vda3 /dev/vdb3 /dev/vdc3 /dev/vg0/tmp_0 /dev/vg0/tmp_1 /dev/vg0/tmp_2 /dev/vg0/home_0 /dev/vg0/home_1 /dev/vg0/home_2 /dev/vg0/var_0 /dev/vg0/var_1 /dev/vg0/var_2 /dev/vg0/raid1_0 /dev/vg0/raid1_1 /dev/vg0/raid1_2 /dev/vg0/noraid /dev/md99

	# 53. wait for udev: links by UUID
	step 53 'wait for udev: links by UUID'
	settle

	now=
	printf '%s\n' 'Done.'
}

trap ended EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
{ exec </dev/null; check; work; }
