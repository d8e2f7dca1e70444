#!/bin/sh
# Brings a machine's storage to the layout 'md-matrix' (../../examples/md-matrix.yaml): 48 steps, made by stowage.
# Writes to the disks big (/dev/sda), small.0 (/dev/sdb), small.1 (/dev/sdc), small.2 (/dev/sdd).
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

total=48
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
	need mkfs.ext4 e2fsprogs
	need mount mount
	if [ -n "$missing" ]; then
		printf '%s\n' "These programs are missing:$missing" >&2
		exit 1
	fi
	read_protected
	spared /dev/sda \
		wd25000 /dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_WD-250-00 scsi0qemuqemuharddiskwd25000 \
		/dev/disk/by-path/pci-0000:00:1e.0-scsi-0:0:0:0 /dev/sda
	spared /dev/sdb \
		wd8000 /dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_WD-80-00 scsi0qemuqemuharddiskwd8000 \
		/dev/disk/by-path/pci-0000:00:1e.0-scsi-0:0:1:0 /dev/sdb
	spared /dev/sdc \
		wd8001 /dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_WD-80-01 scsi0qemuqemuharddiskwd8001 \
		/dev/disk/by-path/pci-0000:00:1e.0-scsi-0:0:2:0 /dev/sdc
	spared /dev/sdd \
		wd8002 /dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_WD-80-02 scsi0qemuqemuharddiskwd8002 \
		/dev/disk/by-path/pci-0000:00:1e.0-scsi-0:0:3:0 /dev/sdd
	if [ "$bad" -ne 0 ]; then
		printf '%s\n' 'Nothing was written.' >&2
		exit 3
	fi
	disk /dev/sda 250059350016 WD-250-00 ''
	disk /dev/sdb 80026361856 WD-80-00 ''
	disk /dev/sdc 80026361856 WD-80-01 ''
	disk /dev/sdd 80026361856 WD-80-02 ''
	blank /dev/sda
	blank /dev/sdb
	blank /dev/sdc
	blank /dev/sdd
	inside /mnt/target/srv/stripe || bad=1
	inside /mnt/target/srv/parity || bad=1
	inside /mnt/target/srv/near || bad=1
	inside /mnt/target/srv/offset || bad=1
	inside /mnt/target/srv/far || bad=1
	inside /mnt/target/srv/pair || bad=1
	inside /mnt/target/srv/far-two || bad=1
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
	# 1. clear the ends of big, and the places where something old would show itself (../../examples/md-matrix.yaml:8)
	#    since /dev/sda is blank
	step 1 'clear the ends of big, and the places where something old would show itself'
	zero /dev/sda \
		0 2101248  3145728 4096  4194304 4096  5242880 4096 \
		6291456 1572864  23068672 524288  67108864 4096  68157440 4096 \
		4293918720 3149824  4298113024 4096  4300210176 4096  4301258752 1572864 \
		4323278848 524288  4363124736 4096  8589934592 2101248  8593080320 4096 \
		8595177472 4096  8596226048 1572864  8598323200 524288  8629780480 524288 \
		8658092032 4096  12884901888 2101248  12888047616 4096  12890144768 4096 \
		12891193344 3145728  12924747776 1048576  12953059328 4096  17179869184 2101248 \
		17183014912 4096  17185112064 4096  17248026624 4096  21474836480 2101248 \
		21477982208 4096  21480079360 4096  21481127936 1572864  21483225088 524288 \
		21485322240 524288  21542993920 4096  21548236800 524288  25769803776 1048576 \
		250058301440 1048576

	# 2. clear the ends of small.0, and the places where something old would show itself (../../examples/md-matrix.yaml:9)
	#    since /dev/sdb is blank
	step 2 'clear the ends of small.0, and the places where something old would show itself'
	zero /dev/sdb \
		0 2101248  3145728 4096  4194304 4096  5242880 4096 \
		6291456 1572864  23068672 524288  67108864 4096  68157440 4096 \
		4293918720 3149824  4298113024 4096  4300210176 4096  4301258752 1572864 \
		4323278848 524288  4363124736 4096  8589934592 2101248  8593080320 4096 \
		8595177472 4096  8596226048 1572864  8598323200 524288  8629780480 524288 \
		8658092032 4096  12884901888 2101248  12888047616 4096  12890144768 4096 \
		12891193344 3145728  12924747776 1048576  12953059328 4096  17179869184 2101248 \
		17183014912 4096  17185112064 4096  17186160640 1572864  17208180736 524288 \
		17248026624 4096  19330498560 2097152  19353042944 524288  21474836480 2101248 \
		21477982208 4096  21480079360 4096  21481127936 1572864  21483225088 524288 \
		21485322240 524288  21542993920 4096  21548236800 524288  25769803776 1048576 \
		80025313280 1048576

	# 3. clear the ends of small.1, and the places where something old would show itself (../../examples/md-matrix.yaml:9)
	#    since /dev/sdc is blank
	step 3 'clear the ends of small.1, and the places where something old would show itself'
	zero /dev/sdc \
		0 2101248  3145728 4096  4194304 4096  5242880 4096 \
		6291456 1572864  23068672 524288  67108864 4096  68157440 4096 \
		4293918720 3149824  4298113024 4096  4300210176 4096  4301258752 1572864 \
		4323278848 524288  4363124736 4096  8589934592 2101248  8593080320 4096 \
		8595177472 4096  8596226048 1572864  8598323200 524288  8629780480 524288 \
		8658092032 4096  12884901888 2101248  12888047616 4096  12890144768 4096 \
		12891193344 3145728  12924747776 1048576  12953059328 4096  17179869184 2101248 \
		17183014912 4096  17185112064 4096  17186160640 1572864  17208180736 524288 \
		17248026624 4096  19330498560 2097152  19353042944 524288  21474836480 2101248 \
		21477982208 4096  21480079360 4096  21481127936 1572864  21483225088 524288 \
		21514682368 524288  21542993920 4096  23625465856 2097152  23628087296 524288 \
		23659544576 524288  25769803776 1048576  80025313280 1048576

	# 4. clear the ends of small.2, and the places where something old would show itself (../../examples/md-matrix.yaml:9)
	#    since /dev/sdd is blank
	step 4 'clear the ends of small.2, and the places where something old would show itself'
	zero /dev/sdd \
		0 2101248  3145728 4096  4194304 4096  5242880 4096 \
		6291456 1572864  23068672 524288  67108864 4096  68157440 4096 \
		4293918720 3149824  4298113024 4096  4300210176 4096  4301258752 1572864 \
		4323278848 524288  4363124736 4096  8589934592 2101248  8593080320 4096 \
		8595177472 4096  8596226048 1572864  8598323200 524288  8629780480 524288 \
		8658092032 4096  12884901888 2101248  12888047616 4096  12890144768 4096 \
		12891193344 3145728  12924747776 1048576  12953059328 4096  17179869184 2101248 \
		17183014912 4096  17185112064 4096  17186160640 1572864  17208180736 524288 \
		17248026624 4096  19330498560 2097152  19353042944 524288  21474836480 2101248 \
		21477982208 4096  21480079360 4096  21481127936 1572864  21483225088 524288 \
		21514682368 524288  21542993920 4096  23625465856 2097152  23628087296 524288 \
		23659544576 524288  25769803776 1048576  80025313280 1048576

	# 5. write a GPT with 6 partitions to big (../../examples/md-matrix.yaml:12)
	#    since /dev/sda holds nothing
	step 5 'write a GPT with 6 partitions to big'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/sda <<'EOF'
label: gpt
label-id: e05be8c1-751f-5211-b151-e588b86b3a57
unit: sectors
sector-size: 512

1 : start=2048, size=8388608, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=de6705e3-9c6b-51d4-b025-e83edcc77956, name="p1"
2 : start=8390656, size=8388608, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=04ff8a87-1324-5e0c-9d32-b9a069d700e1, name="p2"
3 : start=16779264, size=8388608, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=cd2f7625-f47f-58e1-bd04-2d2b95bd8d34, name="p3"
4 : start=25167872, size=8388608, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=802f9db3-62b7-5b23-9df8-a64f7b5c8827, name="p4"
5 : start=33556480, size=8388608, type=0fc63daf-8483-4772-8e79-3d69d8477de4, uuid=521fe6c6-2754-5237-9d97-12cd907d0108, name="p5"
6 : start=41945088, size=8388608, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=0d986d67-c8f5-57f6-ad25-9c628c562ff0, name="p6"
EOF

	# 6. write a GPT with 6 partitions to small.0 (../../examples/md-matrix.yaml:12)
	#    since /dev/sdb holds nothing
	step 6 'write a GPT with 6 partitions to small.0'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/sdb <<'EOF'
label: gpt
label-id: f308f5a2-7762-574a-89a4-51ab243da7b0
unit: sectors
sector-size: 512

1 : start=2048, size=8388608, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=8c2f7811-4356-57b3-85c5-cbcb789abd88, name="p1"
2 : start=8390656, size=8388608, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=8a17ef5b-24a7-5a4d-a6b2-0efba976a7db, name="p2"
3 : start=16779264, size=8388608, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=294ed3ad-7fa5-509a-b136-30c3b51805e6, name="p3"
4 : start=25167872, size=8388608, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=3d069f3b-5398-58b0-8f6c-8275d8f8dbb6, name="p4"
5 : start=33556480, size=8388608, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=e1188a1b-4c5d-53ed-a99e-81ff7ed9ee31, name="p5"
6 : start=41945088, size=8388608, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=bb3014e3-02c0-5243-9c25-5bad9e0a7e5c, name="p6"
EOF

	# 7. write a GPT with 6 partitions to small.1 (../../examples/md-matrix.yaml:12)
	#    since /dev/sdc holds nothing
	step 7 'write a GPT with 6 partitions to small.1'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/sdc <<'EOF'
label: gpt
label-id: 01fd2fcc-9368-5715-9c63-47d38776e380
unit: sectors
sector-size: 512

1 : start=2048, size=8388608, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=5d222d99-1e2a-5e62-aef0-9d7e90baaa81, name="p1"
2 : start=8390656, size=8388608, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=7e1ea037-fb7d-51ed-8bc7-bdf2ff31f6c9, name="p2"
3 : start=16779264, size=8388608, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=c997cee9-051c-52e8-aa78-6aa2072307e7, name="p3"
4 : start=25167872, size=8388608, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=68c38a6e-d784-5632-b1bc-ed3f66a7ee33, name="p4"
5 : start=33556480, size=8388608, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=45ec75c5-747c-5e41-ac0f-18696cebcef1, name="p5"
6 : start=41945088, size=8388608, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=1aa86182-59c7-5cba-bbae-211df0ed5ab1, name="p6"
EOF

	# 8. write a GPT with 6 partitions to small.2 (../../examples/md-matrix.yaml:12)
	#    since /dev/sdd holds nothing
	step 8 'write a GPT with 6 partitions to small.2'
	sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/sdd <<'EOF'
label: gpt
label-id: 1163fed0-90a5-5273-b6f2-a53591c08341
unit: sectors
sector-size: 512

1 : start=2048, size=8388608, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=764dd40d-5c26-5749-8b13-5cd1d2590302, name="p1"
2 : start=8390656, size=8388608, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=fe168490-5225-5e86-87f0-1b086c060d8a, name="p2"
3 : start=16779264, size=8388608, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=d4ddc3b9-1715-571c-929a-7014d5adeb7c, name="p3"
4 : start=25167872, size=8388608, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=bd90d109-e31a-5d54-8473-a3d85eab3c62, name="p4"
5 : start=33556480, size=8388608, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=51cf7454-c159-521e-ac74-8b90f557f045, name="p5"
6 : start=41945088, size=8388608, type=a19d880f-05fc-4d3b-a006-743f0f84911e, uuid=48483e14-91e7-5036-a552-af38de45eeb1, name="p6"
EOF

	# 9. wait for the kernel and udev: partitions
	step 9 'wait for the kernel and udev: partitions'
	settle
	expect /dev/sda1 1048576 4294967296
	expect /dev/sda2 4296015872 4294967296
	expect /dev/sda3 8590983168 4294967296
	expect /dev/sda4 12885950464 4294967296
	expect /dev/sda5 17180917760 4294967296
	expect /dev/sda6 21475885056 4294967296
	expect /dev/sdb1 1048576 4294967296
	expect /dev/sdb2 4296015872 4294967296
	expect /dev/sdb3 8590983168 4294967296
	expect /dev/sdb4 12885950464 4294967296
	expect /dev/sdb5 17180917760 4294967296
	expect /dev/sdb6 21475885056 4294967296
	expect /dev/sdc1 1048576 4294967296
	expect /dev/sdc2 4296015872 4294967296
	expect /dev/sdc3 8590983168 4294967296
	expect /dev/sdc4 12885950464 4294967296
	expect /dev/sdc5 17180917760 4294967296
	expect /dev/sdc6 21475885056 4294967296
	expect /dev/sdd1 1048576 4294967296
	expect /dev/sdd2 4296015872 4294967296
	expect /dev/sdd3 8590983168 4294967296
	expect /dev/sdd4 12885950464 4294967296
	expect /dev/sdd5 17180917760 4294967296
	expect /dev/sdd6 21475885056 4294967296

	# 10. create RAID0 'stripe' from big.p1, small.0.p1, small.1.p1, small.2.p1 (../../examples/md-matrix.yaml:22)
	step 10 'create RAID0 '\''stripe'\'' from big.p1, small.0.p1, small.1.p1, small.2.p1'
	mdadm --create /dev/md/stripe --run --quiet --level=0 --raid-devices=4 --metadata=1.2 --homehost=any --name=stripe --uuid=0decc596:f2b35bfc:8a3a53c4:84e60e17 --chunk=512K /dev/sda1 /dev/sdb1 /dev/sdc1 /dev/sdd1
	expect /dev/md/stripe 0 17158897664

	# 11. remove what an older use may show in 'stripe' (../../examples/md-matrix.yaml:22)
	step 11 'remove what an older use may show in '\''stripe'\'''
	wipefs -a -q /dev/md/stripe

	# 12. create RAID5 'parity' from big.p2, small.0.p2, small.1.p2, small.2.p2 (../../examples/md-matrix.yaml:23)
	step 12 'create RAID5 '\''parity'\'' from big.p2, small.0.p2, small.1.p2, small.2.p2'
	mdadm --create /dev/md/parity --run --quiet --level=5 --raid-devices=4 --metadata=1.2 --homehost=any --name=parity --uuid=0ccb78ed:0c5f5e6b:b725f062:db40f87a --chunk=512K --layout=left-symmetric --bitmap=none /dev/sda2 /dev/sdb2 /dev/sdc2 /dev/sdd2
	expect /dev/md/parity 0 12869173248

	# 13. remove what an older use may show in 'parity' (../../examples/md-matrix.yaml:23)
	step 13 'remove what an older use may show in '\''parity'\'''
	wipefs -a -q /dev/md/parity

	# 14. create RAID10 'near' from big.p3, small.0.p3, small.1.p3, small.2.p3 (../../examples/md-matrix.yaml:24)
	step 14 'create RAID10 '\''near'\'' from big.p3, small.0.p3, small.1.p3, small.2.p3'
	mdadm --create /dev/md/near --run --quiet --level=10 --raid-devices=4 --metadata=1.2 --homehost=any --name=near --uuid=9b5c9004:d7945357:9df9113a:1648b2dd --chunk=512K --layout=n2 --bitmap=none /dev/sda3 /dev/sdb3 /dev/sdc3 /dev/sdd3
	expect /dev/md/near 0 8579448832

	# 15. remove what an older use may show in 'near' (../../examples/md-matrix.yaml:24)
	step 15 'remove what an older use may show in '\''near'\'''
	wipefs -a -q /dev/md/near

	# 16. create RAID10 'offset' from big.p4, small.0.p4, small.1.p4, small.2.p4 (../../examples/md-matrix.yaml:25)
	step 16 'create RAID10 '\''offset'\'' from big.p4, small.0.p4, small.1.p4, small.2.p4'
	mdadm --create /dev/md/offset --run --quiet --level=10 --raid-devices=4 --metadata=1.2 --homehost=any --name=offset --uuid=8de717b3:31885b77:8d8be7a1:eee692d1 --chunk=512K --layout=o2 --bitmap=none /dev/sda4 /dev/sdb4 /dev/sdc4 /dev/sdd4
	expect /dev/md/offset 0 8579448832

	# 17. remove what an older use may show in 'offset' (../../examples/md-matrix.yaml:25)
	step 17 'remove what an older use may show in '\''offset'\'''
	wipefs -a -q /dev/md/offset

	# 18. create RAID10 'far' from small.0.p5, small.1.p5, small.2.p5 (../../examples/md-matrix.yaml:26)
	step 18 'create RAID10 '\''far'\'' from small.0.p5, small.1.p5, small.2.p5'
	mdadm --create /dev/md/far --run --quiet --level=10 --raid-devices=3 --metadata=1.2 --homehost=any --name=far --uuid=976e91b7:9f995bca:a6d8b457:e5bbbdae --chunk=512K --layout=f2 --bitmap=none /dev/sdb5 /dev/sdc5 /dev/sdd5
	expect /dev/md/far 0 6434586624

	# 19. remove what an older use may show in 'far' (../../examples/md-matrix.yaml:26)
	step 19 'remove what an older use may show in '\''far'\'''
	wipefs -a -q /dev/md/far

	# 20. create RAID10 'pair' from big.p6, small.0.p6 (../../examples/md-matrix.yaml:27)
	step 20 'create RAID10 '\''pair'\'' from big.p6, small.0.p6'
	mdadm --create /dev/md/pair --run --quiet --level=10 --raid-devices=2 --metadata=1.2 --homehost=any --name=pair --uuid=f7c1187c:9ffa52e4:b5e186e5:a3df6cc1 --chunk=512K --layout=n2 --bitmap=none /dev/sda6 /dev/sdb6
	expect /dev/md/pair 0 4289724416

	# 21. remove what an older use may show in 'pair' (../../examples/md-matrix.yaml:27)
	step 21 'remove what an older use may show in '\''pair'\'''
	wipefs -a -q /dev/md/pair

	# 22. create RAID10 'far-two' from small.1.p6, small.2.p6 (../../examples/md-matrix.yaml:28)
	step 22 'create RAID10 '\''far-two'\'' from small.1.p6, small.2.p6'
	mdadm --create /dev/md/far-two --run --quiet --level=10 --raid-devices=2 --metadata=1.2 --homehost=any --name=far-two --uuid=89d7c14e:9b135a2c:81f709da:c403240b --chunk=512K --layout=f2 --bitmap=none /dev/sdc6 /dev/sdd6
	expect /dev/md/far-two 0 4289724416

	# 23. remove what an older use may show in 'far-two' (../../examples/md-matrix.yaml:28)
	step 23 'remove what an older use may show in '\''far-two'\'''
	wipefs -a -q /dev/md/far-two

	# 24. make ext4 on stripe for /srv/stripe: stride 128, stripe-width 512 (../../examples/md-matrix.yaml:31)
	step 24 'make ext4 on stripe for /srv/stripe: stride 128, stripe-width 512'
	mkfs.ext4 -q -F -U cc5427c2-2b9a-56b8-b01b-e2d843443fa1 -E hash_seed=cc5427c2-2b9a-56b8-b01b-e2d843443fa1,stride=128,stripe_width=512 /dev/md/stripe

	# 25. make the directory /mnt/target/srv/stripe (../../examples/md-matrix.yaml:31)
	step 25 'make the directory /mnt/target/srv/stripe'
	directory 0755 /mnt/target/srv/stripe

	# 26. mount the ext4 of stripe at /mnt/target/srv/stripe (../../examples/md-matrix.yaml:31)
	step 26 'mount the ext4 of stripe at /mnt/target/srv/stripe'
	mount -t ext4 -- /dev/md/stripe /mnt/target/srv/stripe

	# 27. make ext4 on parity for /srv/parity: stride 128, stripe-width 384 (../../examples/md-matrix.yaml:32)
	step 27 'make ext4 on parity for /srv/parity: stride 128, stripe-width 384'
	mkfs.ext4 -q -F -U 56ac1864-339d-52aa-93c7-04e3ce16928b -E hash_seed=56ac1864-339d-52aa-93c7-04e3ce16928b,stride=128,stripe_width=384 /dev/md/parity

	# 28. make the directory /mnt/target/srv/parity (../../examples/md-matrix.yaml:32)
	step 28 'make the directory /mnt/target/srv/parity'
	directory 0755 /mnt/target/srv/parity

	# 29. mount the ext4 of parity at /mnt/target/srv/parity (../../examples/md-matrix.yaml:32)
	step 29 'mount the ext4 of parity at /mnt/target/srv/parity'
	mount -t ext4 -- /dev/md/parity /mnt/target/srv/parity

	# 30. make ext4 on near for /srv/near: stride 128, stripe-width 256 (../../examples/md-matrix.yaml:33)
	step 30 'make ext4 on near for /srv/near: stride 128, stripe-width 256'
	mkfs.ext4 -q -F -U ff79ba99-de17-525e-be93-1f09a4c6e6a6 -E hash_seed=ff79ba99-de17-525e-be93-1f09a4c6e6a6,stride=128,stripe_width=256 /dev/md/near

	# 31. make the directory /mnt/target/srv/near (../../examples/md-matrix.yaml:33)
	step 31 'make the directory /mnt/target/srv/near'
	directory 0755 /mnt/target/srv/near

	# 32. mount the ext4 of near at /mnt/target/srv/near (../../examples/md-matrix.yaml:33)
	step 32 'mount the ext4 of near at /mnt/target/srv/near'
	mount -t ext4 -- /dev/md/near /mnt/target/srv/near

	# 33. make ext4 on offset for /srv/offset: stride 128, stripe-width 512 (../../examples/md-matrix.yaml:34)
	step 33 'make ext4 on offset for /srv/offset: stride 128, stripe-width 512'
	mkfs.ext4 -q -F -U 574db77e-429c-53a1-93e6-54694d792df9 -E hash_seed=574db77e-429c-53a1-93e6-54694d792df9,stride=128,stripe_width=512 /dev/md/offset

	# 34. make the directory /mnt/target/srv/offset (../../examples/md-matrix.yaml:34)
	step 34 'make the directory /mnt/target/srv/offset'
	directory 0755 /mnt/target/srv/offset

	# 35. mount the ext4 of offset at /mnt/target/srv/offset (../../examples/md-matrix.yaml:34)
	step 35 'mount the ext4 of offset at /mnt/target/srv/offset'
	mount -t ext4 -- /dev/md/offset /mnt/target/srv/offset

	# 36. make ext4 on far for /srv/far: stride 128, stripe-width 384 (../../examples/md-matrix.yaml:35)
	step 36 'make ext4 on far for /srv/far: stride 128, stripe-width 384'
	mkfs.ext4 -q -F -U 29facb1d-f392-5d8e-82fa-f7c28c97354d -E hash_seed=29facb1d-f392-5d8e-82fa-f7c28c97354d,stride=128,stripe_width=384 /dev/md/far

	# 37. make the directory /mnt/target/srv/far (../../examples/md-matrix.yaml:35)
	step 37 'make the directory /mnt/target/srv/far'
	directory 0755 /mnt/target/srv/far

	# 38. mount the ext4 of far at /mnt/target/srv/far (../../examples/md-matrix.yaml:35)
	step 38 'mount the ext4 of far at /mnt/target/srv/far'
	mount -t ext4 -- /dev/md/far /mnt/target/srv/far

	# 39. make ext4 on pair for /srv/pair: stride 128, stripe-width 128 (../../examples/md-matrix.yaml:36)
	step 39 'make ext4 on pair for /srv/pair: stride 128, stripe-width 128'
	mkfs.ext4 -q -F -U 801adf6d-a5cb-5d35-a838-eccd4da81d60 -E hash_seed=801adf6d-a5cb-5d35-a838-eccd4da81d60,stride=128,stripe_width=128 /dev/md/pair

	# 40. make the directory /mnt/target/srv/pair (../../examples/md-matrix.yaml:36)
	step 40 'make the directory /mnt/target/srv/pair'
	directory 0755 /mnt/target/srv/pair

	# 41. mount the ext4 of pair at /mnt/target/srv/pair (../../examples/md-matrix.yaml:36)
	step 41 'mount the ext4 of pair at /mnt/target/srv/pair'
	mount -t ext4 -- /dev/md/pair /mnt/target/srv/pair

	# 42. make ext4 on far-two for /srv/far-two: stride 128, stripe-width 256 (../../examples/md-matrix.yaml:37)
	step 42 'make ext4 on far-two for /srv/far-two: stride 128, stripe-width 256'
	mkfs.ext4 -q -F -U 1b5d11f0-975e-5613-b625-d028807c0b64 -E hash_seed=1b5d11f0-975e-5613-b625-d028807c0b64,stride=128,stripe_width=256 /dev/md/far-two

	# 43. make the directory /mnt/target/srv/far-two (../../examples/md-matrix.yaml:37)
	step 43 'make the directory /mnt/target/srv/far-two'
	directory 0755 /mnt/target/srv/far-two

	# 44. mount the ext4 of far-two at /mnt/target/srv/far-two (../../examples/md-matrix.yaml:37)
	step 44 'mount the ext4 of far-two at /mnt/target/srv/far-two'
	mount -t ext4 -- /dev/md/far-two /mnt/target/srv/far-two

	# 45. write /mnt/target/etc/mdadm/mdadm.conf, by which arrays keep their names (../../examples/md-matrix.yaml:22)
	step 45 'write /mnt/target/etc/mdadm/mdadm.conf, by which arrays keep their names'
	put 0644 /mnt/target/etc/mdadm/mdadm.conf <<'EOF'
# What mdadm should assemble and watch: mdadm.conf(5).
HOMEHOST <system>
MAILADDR root
ARRAY /dev/md/stripe metadata=1.2 UUID=0decc596:f2b35bfc:8a3a53c4:84e60e17
ARRAY /dev/md/parity metadata=1.2 UUID=0ccb78ed:0c5f5e6b:b725f062:db40f87a
ARRAY /dev/md/near metadata=1.2 UUID=9b5c9004:d7945357:9df9113a:1648b2dd
ARRAY /dev/md/offset metadata=1.2 UUID=8de717b3:31885b77:8d8be7a1:eee692d1
ARRAY /dev/md/far metadata=1.2 UUID=976e91b7:9f995bca:a6d8b457:e5bbbdae
ARRAY /dev/md/pair metadata=1.2 UUID=f7c1187c:9ffa52e4:b5e186e5:a3df6cc1
ARRAY /dev/md/far-two metadata=1.2 UUID=89d7c14e:9b135a2c:81f709da:c403240b
EOF

	# 46. write /mnt/target/etc/fstab: 7 filesystems by the names that last
	#    since it isn't there
	step 46 'write /mnt/target/etc/fstab: 7 filesystems by the names that last'
	put 0644 /mnt/target/etc/fstab <<'EOF'
# /etc/fstab: what is mounted where; fstab(5). Lines of other hands are kept.
# <device> <mount point> <type> <options> <dump> <pass>
UUID=cc5427c2-2b9a-56b8-b01b-e2d843443fa1 /srv/stripe  ext4 defaults 0 2
UUID=56ac1864-339d-52aa-93c7-04e3ce16928b /srv/parity  ext4 defaults 0 2
UUID=ff79ba99-de17-525e-be93-1f09a4c6e6a6 /srv/near    ext4 defaults 0 2
UUID=574db77e-429c-53a1-93e6-54694d792df9 /srv/offset  ext4 defaults 0 2
UUID=29facb1d-f392-5d8e-82fa-f7c28c97354d /srv/far     ext4 defaults 0 2
UUID=801adf6d-a5cb-5d35-a838-eccd4da81d60 /srv/pair    ext4 defaults 0 2
UUID=1b5d11f0-975e-5613-b625-d028807c0b64 /srv/far-two ext4 defaults 0 2
EOF

	# 47. have udev look at the new filesystems
	step 47 'have udev look at the new filesystems'
	udevadm trigger --action=change -- /dev/md/stripe /dev/md/parity /dev/md/near /dev/md/offset /dev/md/far /dev/md/pair /dev/md/far-two

	# 48. wait for udev: links by UUID
	step 48 'wait for udev: links by UUID'
	settle

	now=
	printf '%s\n' 'Done.'
}

trap ended EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
{ exec </dev/null; check; work; }
