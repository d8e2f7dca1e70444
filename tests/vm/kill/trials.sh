# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# In the guest: a layout is carried out, interrupted, and carried out once more; and what that leaves is compared with what an unbroken run
# leaves. Blank disks d0, d1, ... and a disk `keep`, which no layout names: it has files whose sums are taken, and the state directory.
T=/mnt/t
state=/mnt/keep/state
group=/sys/fs/cgroup/trial
trial=0 good=0 steps=0 calls=0 disks=()

# More than all members of an array have to be written: the resync is kept from it, which would take the time of all that is looked at here.
prepare() {
	local disk
	find_disks
	mountpoint -q /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup
	mkdir -p $group $T /mnt/keep
	mkfifo /tmp/nothing
	modprobe -a md_mod 2>/dev/null
	echo 1 >/proc/sys/dev/raid/speed_limit_min
	echo 1 >/proc/sys/dev/raid/speed_limit_max
	disk=$(disk keep)
	[ "$(blkid -p -s TYPE -o value "$disk")" = ext4 ] || mkfs.ext4 -q "$disk"
	mount -o noatime "$disk" /mnt/keep
	if [ ! -e /mnt/keep/sums ]; then
		mkdir -p /mnt/keep/files
		for i in 1 2 3 4 5 6 7 8; do head -c "$((i * 77777))" /dev/urandom >"/mnt/keep/files/$i"; done
		(cd /mnt/keep && sha256sum files/*) >/mnt/keep/sums
		sync
	fi
}

# find_disks: which device is which. To ask anew each time costs more than the trial.
declare -A where=()
find_disks() {
	local dir serial
	where=()
	for dir in /sys/block/[sv]d*; do
		serial=$(cat "$dir/serial" 2>/dev/null || tail -c +5 "$dir/device/vpd_pg80" | tr -d '\0')
		[ -z "$serial" ] || where[${serial%% *}]=/dev/${dir##*/}
	done
}
disk() { echo "${where[$1]-}"; }

# choose EXAMPLE: its layout, on the disks d0, d1, ... in the order in which it names its own
choose() {
	local n=0 dev words=() file=examples/$1.yaml
	example=$1 disks=()
	[ -e "$file" ] || file=$1.yaml
	while read -r dev; do
		words+=("$dev=d$n")
		disks+=("${where[d$n]}")
		n=$((n + 1))
	done < <(grep -oE '/dev/[a-z]+' "$file" | awk '!seen[$0]++')
	place "$file" "${words[@]}"
	count=$n
}

mounted() { findmnt -rno TARGET | grep "^$T\(/\|$\)"; }
unmount() { mounted | tac | xargs -r umount; }

# reset: nothing is mounted, nothing runs, and the disks are blank
reset() {
	local i d
	unmount
	swapoff -a
	rm -rf ${T:?} $state && mkdir -p $T
	# It knows filesystems by devices that are no more, which no boot would.
	btrfs device scan --forget
	# Nobody has to look at what goes away.
	udevadm settle
	udevadm control --stop-exec-queue
	dmsetup remove_all --force --noudevsync >/dev/null 2>&1
	for i in /sys/block/md*; do [ ! -e "$i/md" ] || mdadm --stop -q "/dev/${i##*/}" >/dev/null 2>&1; done
	for d in "${disks[@]}"; do
		blkdiscard -f "$d" 2>/dev/null
		for i in /sys/block/"${d##*/}/${d##*/}"[0-9]*; do [ ! -e "$i" ] || { blockdev --rereadpt "$d"; break; }; done
	done
	udevadm control --start-exec-queue
	udevadm settle
	[ -z "$(lsblk -nro NAME,FSTYPE "${disks[@]}" | awk 'NF > 1 || $1 !~ /^sd[a-z]+$/')" ] ||
		{ echo "not ok - $example: the disks are not blank"; lsblk -f; exit 1; }
}

# run WORDS...: stowage in the group, with what is in the array `with` in its environment; ends when all that it started has ended
run() {
	local rc=0
	(
		echo $BASHPID >$group/cgroup.procs
		exec env INTERRUPT_PID=$BASHPID "${with[@]}" ./stowage "$@"
	) >/tmp/said 2>&1 &
	wait $! || rc=$?
	while grep -q 'populated 1' $group/cgroup.events; do read -rt 0.1 <>/tmp/nothing; done
	return $rc
}

go() { run apply /tmp/layout.yaml --yes --root $T --state $state; }

# sight DIR: what there is now, as stowage and as others see it
sight() {
	mkdir -p "$1"
	sync
	udevadm settle
	./stowage probe --root $T >/tmp/recording 2>"$1/probe.err"
	jq -S -f normal.jq /tmp/recording >"$1/recording"
	{
		echo "== lsblk"
		lsblk -bnPo TYPE,SIZE,PARTUUID,PARTLABEL,PARTTYPE "${where[keep]}" "${disks[@]}" | sort -u
		echo "== blkid"
		lsblk -nrpo NAME "${where[keep]}" "${disks[@]}" | sort -u | xargs blkid -p -s TYPE -s VERSION -s UUID -s LABEL -s PTTYPE -s PTUUID | sed 's/^[^:]*: //' | sort
		echo "== findmnt"
		mounted | xargs -rn1 findmnt -rno TARGET,FSTYPE,UUID,OPTIONS | sort
		mounted | xargs -r stat -c '%n %a %u:%g' | sort
		echo "== mdadm"
		for d in /sys/block/md*; do
			[ ! -e "$d/md" ] || mdadm --detail "/dev/${d##*/}" |
				grep -E 'Version|Level|Size|Devices|Layout|UUID|Name|Bitmap' | grep -vE 'Active|Working|Spare' | sort
			[ ! -e "$d/md/resync_start" ] || sed 's/^[0-9].*/its members have yet to be made alike/' "$d/md/resync_start"
		done | sort
		echo "== lvs"
		lvs --noheadings --units b -o lv_name,lv_size,segtype,stripes,stripe_size,lv_active,vg_name,vg_extent_size,vg_extent_count,vg_free_count,pv_count 2>/dev/null | sort
		echo "== btrfs"
		btrfs filesystem show --raw 2>/dev/null | sed 's/ path .*//; s/used [0-9]*//; s/FS bytes.*//' | sort
		echo "== files"
		cat $T/etc/fstab $T/etc/mdadm/mdadm.conf 2>/dev/null
		findmnt --verify --tab-file $T/etc/fstab 2>&1 | grep -E 'error|unreachable' | grep -v '0 parse errors, 0 errors'
		echo "== keep"
		(cd /mnt/keep && sha256sum --quiet -c sums 2>&1)
	} >"$1/judges"
}

# fat_sound DEVICE: FAT notes that it is mounted, and has no journal: that it was when the power went is no damage.
fat_sound() {
	fsck.vfat -n "$1" >/tmp/fat
	cat /tmp/fat
	! grep -vE '^ *$|^fsck\.fat |files, |between boot sector and its backup|mostly harmless|^  65:01/00$|Not automatically|[Dd]irty bit|Leaving filesystem' /tmp/fat
}

# sound: every filesystem is whole, by its own checker, and every table. Unmounts all.
sound() {
	local source type bad=0
	mounted | xargs -rn1 findmnt -rno SOURCE,FSTYPE | sort -u >/tmp/filesystems
	unmount
	while read -r source type; do
		case $type in
		ext4) e2fsck -fn "$source" ;;
		xfs) xfs_repair -n "$source" ;;
		btrfs) btrfs check --readonly "$source" ;;
		vfat) fat_sound "$source" ;;
		esac >/tmp/check 2>&1 || {
			echo "== $source ($type)"
			cat /tmp/check
			bad=1
		}
	done </tmp/filesystems
	for source in "${disks[@]}"; do
		sfdisk -V "$source" >/tmp/check 2>&1 || {
			echo "== $source"
			cat /tmp/check
			bad=1
		}
	done
	return $bad
}

# told TEXT: a result of a trial, and why
told() {
	trial=$((trial + 1))
	if [ "$bad" = 0 ]; then
		good=$((good + 1))
		echo "ok - $1"
	else
		# shellcheck disable=SC2034  # guest.sh's
		failed=1
		echo "not ok - $1"
		sed 's/^/    /' /tmp/why | head -n "${LINES_OF_WHY:-100}"
	fi
}

# again: applied once more, that is 0, leaves what an unbroken run leaves, and nothing is left to do. Sets `bad` and `rc`.
again() {
	rc=0 bad=0
	with=()
	cp /tmp/said /tmp/said.first 2>/dev/null
	go || rc=$?
	if [ $rc != 0 ]; then
		bad=1
		{ echo "exit $rc:"; grep -vE '^ {2}[=+]' /tmp/said | tail -n 40; echo "--- journal"; tail -n 12 $state/journal; pvs; lsblk -o NAME,FSTYPE,UUID; cat /proc/mdstat; } >/tmp/why 2>&1
		return
	fi
	sight /tmp/now
	diff -r "/tmp/unbroken-$example" /tmp/now >/tmp/why || { bad=1; cat /proc/mdstat >>/tmp/why; }
	./stowage plan /tmp/layout.yaml --machine /tmp/recording --root $T --exit-code >/tmp/plan 2>&1 || { bad=1; cat /tmp/plan >>/tmp/why; }
}

# unbroken EXAMPLE: what it leaves, and how many moments there are
unbroken() {
	choose "$1"
	reset
	head -c 16 /dev/zero >/tmp/count
	with=(LD_PRELOAD="$PWD/interrupt.so" INTERRUPT_COUNT=/tmp/count)
	status "$1: an unbroken run" 0 go
	read -r steps calls < <(od -An -tu8 /tmp/count)
	sight "/tmp/unbroken-$1"
	echo "$1: $steps moments at borders of steps, $calls calls"
	reset
}

# interrupt KIND N alone|all
interrupt() {
	head -c 16 /dev/zero >/tmp/count
	with=(LD_PRELOAD="$PWD/interrupt.so" INTERRUPT_COUNT=/tmp/count INTERRUPT_AT="$2" INTERRUPT_KIND="$1")
	[ "$3" = alone ] || with+=(INTERRUPT_GROUP="$group/cgroup.kill")
	go
	again
	told "$example: killed at $1 $2, $3"
	reset
}

# replug: the disks go and come back, as after a boot; udev, stopped, has seen nothing of what they came to hold
replug() {
	local d host names=(keep)
	for ((i = 0; i < count; i++)); do names+=("d$i"); done
	for d in "${names[@]}"; do echo 1 >"/sys/block/$(basename "$(disk "$d")")/device/delete"; done
	udevadm control --start-exec-queue
	udevadm settle
	btrfs device scan --forget
	# Who opens the node of an array that is gone makes a new one that holds nothing.
	for d in /sys/block/md*/md/array_state /sys/block/dm-*; do
		[ ! -e "$d" ] || [ "$(cat "$d" 2>/dev/null)" = clear ] || { echo "not ok - $d is there without a disk"; exit 1; }
	done
	for host in /sys/class/scsi_host/*; do echo '- - -' >"$host/scan"; done
	for d in "${names[@]}"; do udevadm wait --timeout=60 "/dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_$d" || { echo "not ok - $d doesn't come back"; exit 1; }; done
	udevadm settle
	find_disks
}

# rebuild N lost|there: what the power cut left, and what comes of it
rebuild() {
	local d from=cut-$1 moment
	moment=$(cat "cut-$1/moment")
	umount /mnt/keep
	udevadm settle
	udevadm control --stop-exec-queue
	for d in keep $(for ((i = 0; i < count; i++)); do echo "d$i"; done); do
		blkdiscard -f "$(disk "$d")" 2>/dev/null && python3 replay.py "$from/$d" "$(disk "log-$d")" "$(disk "$d")"
	done
	replug
	mount -o noatime "$(disk keep)" /mnt/keep
	[ "$2" = there ] || rm -rf $state
	choose "$example"
	again
	[ $bad = 1 ] || sound >/tmp/why 2>&1 || bad=1
	if [ $bad = 1 ] && [ "$2" = lost ] && [ "$rc" != 0 ] && grep -qE 'allow-loss|mdadm --assemble|blockdev --rereadpt' /tmp/said; then
		refused=$((${refused:-0} + 1)) bad=0
		echo "not gone on with: $(grep -m1 -E 'refused:|error:' /tmp/said)"
	fi
	told "$example: cut at moment $moment; the journal is $2"
	reset
}

# rebuild_all EXAMPLE
rebuild_all() {
	local n
	cp -r unbroken "/tmp/unbroken-$1"
	choose "$1"
	for ((n = 0; ; n++)); do
		[ -e "cut-$n" ] || break
		rebuild $n "$([ $((n % 2)) = 0 ] && echo there || echo lost)"
	done
	echo "$good of $trial trials, ${refused:-0} refused for want of the journal"
}
