# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables of guest.sh and of the other files here
# In the guest: what lies about on disks that were used before. `old KIND DEVICE` makes it with the tools of its kind; all that it is called
# by (labels, UUIDs, names of groups and arrays) is in /tmp/old/names afterwards, one a line, and must not be seen again.
# What btrfs knows by two devices is made on this one and on the device named third.

old_kinds=(md-0.90 md-1.0 md-1.1 md-1.2 lvm luks1 luks2 luks2-2m luks2-far btrfs btrfs-two xfs ext4 ext2 swap vfat zfs bcache iso9660 udf gpt mbr)
mkdir -p /tmp/old
: >/tmp/old/names
old_count=0
lvm_quiet=(--config 'devices/scan_lvs=1 devices/use_devicesfile=0 backup/backup=0 backup/archive=0')

# old_type KIND: what libblkid calls it
old_type() {
	case $1 in
	md-*) echo linux_raid_member ;;
	lvm) echo LVM2_member ;;
	luks*) echo crypto_LUKS ;;
	btrfs*) echo btrfs ;;
	zfs) echo zfs_member ;;
	mbr) echo dos ;;
	*) echo "$1" ;;
	esac
}

# asleep, awake: nobody assembles or activates anything behind our back; udev still makes its links
asleep() {
	mkdir -p /run/udev/rules.d
	ln -sfn /dev/null /run/udev/rules.d/64-md-raid-assembly.rules
	ln -sfn /dev/null /run/udev/rules.d/69-lvm.rules
	rm -f /run/udev/rules.d/69-bcache.rules
	udevadm control --reload
}
# The guest has no bcache-tools, whose rule this is: a device that looks like bcache is told to the kernel.
awake() {
	mkdir -p /run/udev/rules.d
	rm -f /run/udev/rules.d/64-md-raid-assembly.rules /run/udev/rules.d/69-lvm.rules
	modprobe -q bcache
	# shellcheck disable=SC2016 # the name is udev's
	echo 'SUBSYSTEM=="block", ACTION=="add|change", ENV{ID_FS_TYPE}=="bcache", RUN+="/bin/sh -c '\''echo $devnode >/sys/fs/bcache/register'\''"' \
		>/run/udev/rules.d/69-bcache.rules
	udevadm control --reload
}

old_names() { # DEVICE...: what they call themselves
	blkid -p -o export "$@" | sed -n 's/^\(UUID\|UUID_SUB\|PTUUID\|PARTUUID\)=//p' >>/tmp/old/names
}

old_groups() { # [GROUP]: their UUIDs, as LVM and as device-mapper has them
	vgs --noheadings -o vg_uuid "${lvm_quiet[@]}" "$@" | tr -d ' ' >/tmp/old/groups
	cat /tmp/old/groups >>/tmp/old/names
	tr -d - </tmp/old/groups >>/tmp/old/names
}

old_fs() { # DEVICE TAG: something to be mounted, inside of an array or a volume; small and quick to make
	mkfs.ext4 -q -F -O ^has_journal -N 64 -L "$2" "$1"
	old_names "$1"
}

old_lvm() { # DEVICE TAG
	pvcreate -q -y -ff "${lvm_quiet[@]}" "$1"
	vgcreate -q -y "${lvm_quiet[@]}" "$2" "$1"
	lvcreate -q -y "${lvm_quiet[@]}" -Wn -l 10 -n "v$2" "$2"
	old_fs "/dev/$2/v$2" "l$2"
	old_groups "$2"
	old_names "$1"
	[ -n "${old_keep:-}" ] || vgchange -q -an "${lvm_quiet[@]}" "$2"
}

# With $old_keep set, what can run is left running.
old() { # KIND DEVICE [SECOND-DEVICE]
	local kind=$1 dev=$2 tag md
	old_count=$((old_count + 1))
	tag=$(printf 'old%03d' "$old_count")
	{
		echo "$tag"
		echo "${tag^^}"
	} >>/tmp/old/names
	case $kind in
	md-*)
		md=/dev/md/$tag
		mdadm --create "$md" --run --force --quiet -l1 -n1 -e"${kind#md-}" --bitmap=none --homehost=any "$dev" || return
		mdadm --detail --export "$md" | sed -n 's/^MD_UUID=//p' >>/tmp/old/names
		if [ "$kind" = md-1.1 ]; then old_lvm "$md" "$tag"; else old_fs "$md" "$tag"; fi
		old_names "$dev"
		[ -n "${old_keep:-}" ] || mdadm --quiet --stop "$md"
		;;
	lvm) old_lvm "$dev" "$tag" ;;
	luks*)
		local -a words=(--type "${kind%-*}" --pbkdf-force-iterations 1000)
		[ "$kind" = luks1 ] || words+=(--pbkdf pbkdf2 --label "$tag")
		# The second header then lies at 2 or at 4 MiB.
		[ "$kind" != luks2-2m ] || words+=(--luks2-metadata-size 2m --luks2-keyslots-size 8m)
		[ "$kind" != luks2-far ] || words+=(--luks2-metadata-size 4m --luks2-keyslots-size 8m)
		echo secret | cryptsetup luksFormat -q "${words[@]}" "$dev" - || return
		;;
	btrfs) mkfs.btrfs -q -f -K -L "$tag" "$dev" || return ;;
	btrfs-two) mkfs.btrfs -q -f -K -L "$tag" -d raid1 -m raid1 "$dev" "$3" || return ;;
	xfs) mkfs.xfs -q -f -K -L "$tag" "$dev" || return ;;
	ext4) mkfs.ext4 -q -F -E nodiscard -L "$tag" "$dev" || return ;;
	ext2) mkfs.ext2 -q -F -E nodiscard -L "$tag" "$dev" || return ;;
	swap) mkswap -q -f -L "$tag" "$dev" || return ;;
	vfat) mkfs.vfat -n "${tag^^}" "$dev" >/dev/null || return ;;
	gpt) printf 'name=%s, size=50M\nname=%sb\n' "$tag" "$tag" | sfdisk -q --force --no-reread --no-tell-kernel -w always --label gpt "$dev" || return ;;
	mbr) printf 'label-id: 0x01d%05x\nsize=50M, bootable\n,\n' "$old_count" | sfdisk -q --force --no-reread --no-tell-kernel -w always --label dos "$dev" || return ;;
	*) ./by-hand.py "$kind" "$dev" "$tag" || return ;;
	esac
	sync "$dev"
	old_names "$dev"
	blkid -p -o full "$dev" | grep -qE "TYPE=\"$(old_type "$kind")\"" || { blkid -p "$dev"; return 1; }
}

# old_pattern: the names, without those that are the same on every disc image
old_pattern() { sort -u /tmp/old/names | grep -vE '^$|^2019-01-02'; }

# watch: from now on all uevents, the kernel's and udev's, and each change of /proc/mdstat are recorded, in /tmp/watch
watch() {
	mkdir -p /tmp/watch
	: >/tmp/watch/events
	# Line by line, or the last events were lost with the end.
	stdbuf -oL udevadm monitor --kernel --udev --property --subsystem-match=block >/tmp/watch/events 2>&1 &
	watcher=$!
	await "udevadm listens" grep -q '^UDEV' /tmp/watch/events
	: >/tmp/watch/mdstat
	./mdstat.py >/tmp/watch/mdstat 2>&1 &
	md_watcher=$!
}

# idle: udev has nothing to do, and LVM has activated what udev told it about, which systemd starts apart: a job first, then a unit
idle() {
	local deadline=$((SECONDS + 120))
	udevadm settle
	while [ $SECONDS -lt $deadline ] && {
		systemctl list-jobs --no-legend 'lvm-activate-*'
		systemctl list-units --no-legend --state=active,activating,deactivating 'lvm-activate-*'
	} 2>/dev/null | grep -q lvm-activate; do
		udevadm settle
	done
	# One that failed would keep the next of its name from being started.
	systemctl reset-failed 'lvm-activate-*' 2>/dev/null
	udevadm settle
}

unwatch() {
	idle
	kill "$watcher" "$md_watcher"
	wait "$watcher" "$md_watcher" 2>/dev/null
	udevadm info --export-db >/tmp/watch/db
	find /dev/disk /dev/mapper /dev/md -type l -printf '%p %l\n' >/tmp/watch/links 2>/dev/null
}

# nothing_old TEXT MD...: nothing of the old was seen while we watched, nor is now; these arrays are all that may be there
nothing_old() {
	local text=$1 wrong=
	shift
	is "$text: no event has a name of the old" "" "$(saw_old | head -n 20)"
	is "$text: no link has a name of the old" "" "$(grep -iFf /tmp/old/patterns /tmp/watch/links | head -n 20)"
	is "$text: udev knows no name of the old" "" "$(grep -iFf /tmp/old/patterns /tmp/watch/db | sort | uniq -c | head -n 20)"
	wrong=$( { grep -hoE '^DEVNAME=/dev/md[0-9]+(p[0-9]+)?$' /tmp/watch/events | cut -d= -f2; grep -oE '^md[0-9a-z_]+' /tmp/watch/mdstat | sed 's,^,/dev/,'; } |
		sort -u | grep -vxFf <(printf '%s\n' none "$@") | xargs)
	is "$text: no array but the planned ones was seen" "" "$wrong"
	is "$text: no bcache was seen" "" "$(grep -hoE '^DEVNAME=/dev/bcache.*' /tmp/watch/events | sort -u | xargs)"
	is "$text: nothing shows a format that the layout has not" "" \
		"$(grep -hE '^ID_FS_TYPE=(zfs_member|bcache|iso9660|udf|crypto_LUKS|ext2)$' /tmp/watch/events | sort | uniq -c | xargs)"
}

# Each event that has one of the names, in a line: who tells, of which device, and what it shows. What was there before we watched, and went
# away, is no sight of it: its end is what was asked for.
saw_old() {
	awk '
		/^KERNEL\[/ { who = "KERNEL"; action = $2; dev = $3; head = 1 }
		/^UDEV *\[/ { who = "UDEV"; action = $3; dev = $4; head = 1 }
		head {
			head = 0
			key = who " " dev
			if (NR == FNR) {
				if ((action == "add" || action == "remove") && !(key in first)) first[key] = action
				next
			}
			ends = first[key] == "remove" && !(key in gone)
			if (action == "remove") gone[key] = 1
			next
		}
		NR != FNR && !ends { print dev " (" who " " action "): " $0 }' /tmp/watch/events /tmp/watch/events |
		grep -iFf /tmp/old/patterns | sed 's,/devices/[^ ]*/,,' | sort | uniq -c
}

# A resync has nothing to do here but to fill the host's disk.
no_resync() { echo 1 | tee /proc/sys/dev/raid/speed_limit_{min,max} >/dev/null; }

# stopped: nothing runs any more, but all of it lies about
stopped() {
	local round md stop
	idle
	for round in 1 2 3; do # an array may lie in a volume, and a volume in an array
		# What the kernel was told to be of bcache is held by it.
		for stop in /sys/fs/bcache/*/stop /sys/block/*/bcache/stop /sys/block/*/*/bcache/stop; do [ ! -e "$stop" ] || echo 1 >"$stop"; done
		udevadm settle
		vgs --noheadings -o vg_name "${lvm_quiet[@]}" 2>/dev/null | xargs -r -n1 vgchange -q -an "${lvm_quiet[@]}" >/dev/null 2>&1
		for md in /sys/block/md*; do [ ! -e "$md" ] || mdadm --quiet --stop "/dev/${md##*/}"; done
	done
	udevadm settle
}

# headless DISK...: the table is gone, at both ends; headless_only: its start alone
headless() {
	local d
	for d in "$@"; do
		d=$(disk "$d")
		dd if=/dev/zero of="$d" bs=1M seek=$(($(blockdev --getsize64 "$d") / 1048576 - 1)) count=1 conv=fsync status=none
	done
	headless_only "$@"
	btrfs -q device scan --forget
}

headless_only() {
	local d
	for d in "$@"; do
		d=$(disk "$d")
		dd if=/dev/zero of="$d" bs=1M count=1 conv=fsync status=none
		blockdev --rereadpt "$d"
	done
	udevadm settle
}

# lossy DISK...: the words that allow these disks to lose what they hold
lossy() {
	local d
	./stowage apply --help | grep -q allow-loss || return 0
	for d in "$@"; do printf -- '--allow-loss\n%s\n' "$(disk "$d")"; done
}

# made TEXT DISK...: /tmp/layout.yaml is carried out while we watch, whatever is on these disks; then the judges
made() {
	local text=$1 words
	shift
	mapfile -t words < <(lossy "$@")
	watch
	status "$text: apply" 0 ./stowage apply /tmp/layout.yaml --yes --no-mount --root /mnt/t --state /run/t "${words[@]}"
	unwatch
	grep '^Done' /tmp/said
	planned "$text"
	mapfile -t mds < <(jq -r '.objects[] | select(.kind == "array") | .device' plan.json)
	nothing_old "$text" "${mds[@]}"
}

# planned TEXT: the machine is as the layout says, and other tools say so, too
planned() {
	./stowage plan /tmp/layout.yaml --no-mount --root /mnt/t --format json >plan.json
	is "$1: nothing is left to do" "[]" "$(jq -c '[.steps[].id]' plan.json)"
	old_pattern >/tmp/old/patterns
	./judge.py "$1" plan.json || failed=1
	# An empty recording finds nothing, too.
	ok "$1: the events of the new were seen" grep -qE '^UDEV .* (add|change) ' /tmp/watch/events
}

# clean DISK...: everything on these disks ends, and all that was remembered of it
clean() {
	local d
	asleep
	stopped
	for d in "$@"; do
		d=$(disk "$d")
		blkdiscard -f -z "$d"
		blockdev --rereadpt "$d"
	done
	btrfs -q device scan --forget
	udevadm settle
	rm -rf /run/t /mnt/t /run/before /mnt/before
	: >/tmp/old/names
	: >/tmp/old/places
	awake
}
