#!/bin/sh
# Brings a machine's storage to the layout 't' (place.yaml): 29 steps, made by stowage.
# Writes to the disks d.0 (/dev/vda), d.1 (/dev/vdb), d.2 (/dev/vdc), hints (/dev/vdd), raw (/dev/vde).
# Filesystems are mounted below /mnt/t, files are written there.
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

total=29
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
	if [ -n "$missing" ]; then
		printf '%s\n' "These programs are missing:$missing" >&2
		exit 1
	fi
	read_protected
	spared /dev/vda \
		vda /dev/vda
	spared /dev/vdb \
		vdb /dev/vdb
	spared /dev/vdc \
		vdc /dev/vdc
	spared /dev/vdd \
		vdd /dev/vdd
	spared /dev/vde \
		vde /dev/vde
	if [ "$bad" -ne 0 ]; then
		printf '%s\n' 'Nothing was written.' >&2
		exit 3
	fi
	disk /dev/vda 10737418240 vda ''
	disk /dev/vdb 10737418240 vdb ''
	disk /dev/vdc 12884901888 vdc ''
	disk /dev/vdd 107374182400 vdd ''
	disk /dev/vde 10737418240 vde ''
	blank /dev/vda
	blank /dev/vdb
	blank /dev/vdc
	blank /dev/vdd
	blank /dev/vde
	if [ "$bad" -ne 0 ]; then
		printf '%s\n' 'Nothing was written: the machine is not as the plan saw it. Plan again.' >&2
		exit 3
	fi
}

work() {
	# 1. clear the ends of d.0, and the places where something old would show itself (place.yaml:6)
	#    since /dev/vda is blank
	step 1 'clear the ends of d.0, and the places where something old would show itself'
	zero /dev/vda \
		0 3149824  4194304 4096  5242880 4096  6291456 4096 \
		67108864 4096  68157440 4096  69206016 4096  3114270720 1052672 \
		3116367872 4096  3118465024 4096  3181379584 4096  10629414912 2101248 \
		10632560640 4096  10634657792 4096  10697572352 4096  10734272512 3145728

	# 2. clear the ends of d.1, and the places where something old would show itself (place.yaml:6)
	#    since /dev/vdb is blank
	step 2 'clear the ends of d.1, and the places where something old would show itself'
	zero /dev/vdb \
		0 2101248  3145728 4096  4194304 4096  5242880 4096 \
		67108864 4096  68157440 4096  5261754368 786432  5262802944 262144 \
		5263851520 262144  5295308800 262144  10629939200 1576960  10632560640 4096 \
		10634657792 4096  10697572352 4096  10734272512 3145728

	# 3. clear the ends of d.2, and the places where something old would show itself (place.yaml:6)
	#    since /dev/vdc is blank
	step 3 'clear the ends of d.2, and the places where something old would show itself'
	zero /dev/vdc \
		0 2101248  3145728 4096  4194304 4096  5242880 4096 \
		67108864 4096  68157440 4096  3440377856 1835008  3442475008 262144 \
		3443523584 262144  3474980864 262144  8809611264 1576960  8812232704 4096 \
		8814329856 4096  8877244416 4096  9018802176 2101248  9021947904 4096 \
		9024045056 4096  9086959616 4096  12235833344 1048576  12882804736 2097152

	# 4. clear the ends of hints, and the places where something old would show itself (place.yaml:7)
	#    since /dev/vdd is blank
	step 4 'clear the ends of hints, and the places where something old would show itself'
	zero /dev/vdd \
		0 1052672  2097152 4096  4194304 4096  9437184 1052672 \
		10616832 1052672  12713984 4096  13631488 4096  14811136 4096 \
		67108864 4096  76546048 4096  77725696 4096  35757621248 2101248 \
		35760766976 4096  35762864128 4096  35825778688 4096  107362254848 1048576 \
		107365793792 1048576  107373133824 1048576

	# 5. clear the ends of raw, and the places where something old would show itself (place.yaml:8)
	#    since /dev/vde is blank
	step 5 'clear the ends of raw, and the places where something old would show itself'
	zero /dev/vde \
		0 2101248  3145728 4096  4194304 4096  5242880 4096 \
		67108864 4096  68157440 4096  10733223936 1048576  10736369664 1048576

	# 6. write a GPT with 1 partition to d.0 (place.yaml:10)
	#    since /dev/vda holds nothing
	step 6 'write a GPT with 1 partition to d.0'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/vda <<'EOF'
label: gpt
label-id: 80ceaf82-de4b-5039-91d9-dd23aec045f3
unit: sectors
sector-size: 512

1 : start=2048, size=20967424, type=e6d6d379-f507-44c2-a23c-238f2a3df928, uuid=cc6b834e-b125-5a9a-b686-394c27caff2c, name="lvm"
EOF

	# 7. write a GPT with 1 partition to d.1 (place.yaml:10)
	#    since /dev/vdb holds nothing
	step 7 'write a GPT with 1 partition to d.1'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/vdb <<'EOF'
label: gpt
label-id: 9314e02e-a9af-5a21-96a5-46ef50355766
unit: sectors
sector-size: 512

1 : start=2048, size=20967424, type=e6d6d379-f507-44c2-a23c-238f2a3df928, uuid=149beb92-d54d-5403-9454-443842d3ccd9, name="lvm"
EOF

	# 8. write a GPT with 1 partition to d.2 (place.yaml:10)
	#    since /dev/vdc holds nothing
	step 8 'write a GPT with 1 partition to d.2'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/vdc <<'EOF'
label: gpt
label-id: 8c85a68b-4653-54f0-950e-5c83c642a5e5
unit: sectors
sector-size: 512

1 : start=2048, size=25161728, type=e6d6d379-f507-44c2-a23c-238f2a3df928, uuid=bb02c1d8-0d2e-5923-8fcc-fa6371910679, name="lvm"
EOF

	# 9. write a GPT with 1 partition to hints (place.yaml:10)
	#    since /dev/vdd holds nothing
	step 9 'write a GPT with 1 partition to hints'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/vdd <<'EOF'
label: gpt
label-id: cd887ec9-bd40-585d-a59d-a7a11ce4cf20
unit: sectors
sector-size: 512

1 : start=18432, size=209682432, type=e6d6d379-f507-44c2-a23c-238f2a3df928, uuid=0b776c0e-72f0-5948-a3a9-a2bd469d79a8, name="lvm"
EOF

	# 10. wait for the kernel and udev: partitions
	step 10 'wait for the kernel and udev: partitions'
	settle
	expect /dev/vda1 1048576 10735321088
	expect /dev/vdb1 1048576 10735321088
	expect /dev/vdc1 1048576 12882804736
	expect /dev/vdd1 9437184 107357405184

	# 11. make 'd.0.lvm' a physical volume of LVM (place.yaml:13)
	step 11 'make '\''d.0.lvm'\'' a physical volume of LVM'
	pvcreate -y --uuid 801b0a11-4260-51ad-a09c-0d6b9cc79cd1 --norestorefile --dataalignment 1m /dev/vda1

	# 12. make 'd.1.lvm' a physical volume of LVM (place.yaml:13)
	step 12 'make '\''d.1.lvm'\'' a physical volume of LVM'
	pvcreate -y --uuid d2158ec8-ae04-5e38-bbe8-a8263baa42b8 --norestorefile --dataalignment 1m /dev/vdb1

	# 13. make 'd.2.lvm' a physical volume of LVM (place.yaml:13)
	step 13 'make '\''d.2.lvm'\'' a physical volume of LVM'
	pvcreate -y --uuid 9b7cd473-9818-58e5-b10c-57e900fbed63 --norestorefile --dataalignment 1m /dev/vdc1

	# 14. create volume group 'v' with extents of 4 MiB (place.yaml:12)
	step 14 'create volume group '\''v'\'' with extents of 4 MiB'
	vgcreate -y --physicalextentsize 4m v /dev/vda1 /dev/vdb1 /dev/vdc1

	# 15. create volume 'v/anywhere', 11 GiB, on d.0.lvm, d.1.lvm, d.2.lvm (place.yaml:15)
	step 15 'create volume '\''v/anywhere'\'', 11 GiB, on d.0.lvm, d.1.lvm, d.2.lvm'
	lvcreate -y -Wy -n anywhere -l 2816 v /dev/vda1:0-741 /dev/vdb1:0-1253 /dev/vdc1:0-819
	expect /dev/v/anywhere 0 11811160064

	# 16. create volume 'v/pinned', 7 GiB, on d.0.lvm (place.yaml:16)
	step 16 'create volume '\''v/pinned'\'', 7 GiB, on d.0.lvm'
	lvcreate -y -Wy -n pinned -l 1792 v /dev/vda1:742-2533
	expect /dev/v/pinned 0 7516192768

	# 17. create volume 'v/striped', 10 GiB, on d.1.lvm, d.2.lvm (place.yaml:17)
	step 17 'create volume '\''v/striped'\'', 10 GiB, on d.1.lvm, d.2.lvm'
	lvcreate -y -Wy -n striped -l 2560 -i 2 -I 256k v /dev/vdb1:1254-2533 /dev/vdc1:820-2099
	expect /dev/v/striped 0 10737418240

	# 18. create volume 'v/each_0', 100 MiB, on d.0.lvm (place.yaml:18)
	step 18 'create volume '\''v/each_0'\'', 100 MiB, on d.0.lvm'
	lvcreate -y -Wy -n each_0 -l 25 v /dev/vda1:2534-2558
	expect /dev/v/each_0 0 104857600

	# 19. create volume 'v/each_1', 100 MiB, on d.1.lvm (place.yaml:18)
	step 19 'create volume '\''v/each_1'\'', 100 MiB, on d.1.lvm'
	lvcreate -y -Wy -n each_1 -l 25 v /dev/vdb1:2534-2558
	expect /dev/v/each_1 0 104857600

	# 20. create volume 'v/each_2', 200 MiB, on d.2.lvm (place.yaml:18)
	step 20 'create volume '\''v/each_2'\'', 200 MiB, on d.2.lvm'
	lvcreate -y -Wy -n each_2 -l 50 v /dev/vdc1:2100-2149
	expect /dev/v/each_2 0 209715200

	# 21. create volume 'v/third', 3068 MiB, on d.2.lvm (place.yaml:19)
	step 21 'create volume '\''v/third'\'', 3068 MiB, on d.2.lvm'
	lvcreate -y -Wy -n third -l 767 v /dev/vdc1:2150-2916
	expect /dev/v/third 0 3217031168

	# 22. make 'hints.lvm' a physical volume of LVM (place.yaml:20)
	step 22 'make '\''hints.lvm'\'' a physical volume of LVM'
	pvcreate -y --uuid bc376b94-5d04-5b76-a27b-2d631c1ee279 --norestorefile --dataalignment 1152k /dev/vdd1

	# 23. create volume group 'w' with extents of 4608 KiB (place.yaml:20)
	step 23 'create volume group '\''w'\'' with extents of 4608 KiB'
	vgcreate -y --physicalextentsize 4608k w /dev/vdd1

	# 24. create volume 'w/a', 33.29 GiB, on hints.lvm (place.yaml:20)
	step 24 'create volume '\''w/a'\'', 33.29 GiB, on hints.lvm'
	lvcreate -y -Wy -n a -l 7576 w /dev/vdd1:0-7575
	expect /dev/w/a 0 35748052992

	# 25. create volume 'w/b', 66.69 GiB, on hints.lvm (place.yaml:20)
	step 25 'create volume '\''w/b'\'', 66.69 GiB, on hints.lvm'
	lvcreate -y -Wy -n b -l 15175 w /dev/vdd1:7576-22750
	expect /dev/w/b 0 71604633600

	# 26. make 'raw' a physical volume of LVM (place.yaml:21)
	step 26 'make '\''raw'\'' a physical volume of LVM'
	pvcreate -y --uuid 79ccd5e2-b536-553b-957f-228681004189 --norestorefile --dataalignment 1m /dev/vde

	# 27. create volume group 'x' with extents of 4 MiB (place.yaml:21)
	step 27 'create volume group '\''x'\'' with extents of 4 MiB'
	vgcreate -y --physicalextentsize 4m x /dev/vde

	# 28. create volume 'x/a', 10.00 GiB, on raw (place.yaml:21)
	step 28 'create volume '\''x/a'\'', 10.00 GiB, on raw'
	lvcreate -y -Wy -n a -l 2559 x /dev/vde:0-2558
	expect /dev/x/a 0 10733223936

	# 29. wait for udev: links by UUID
	step 29 'wait for udev: links by UUID'
	settle

	now=
	printf '%s\n' 'Done.'
}

trap ended EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
{ exec </dev/null; check; work; }
