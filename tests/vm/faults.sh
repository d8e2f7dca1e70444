#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What goes wrong while apply runs: programs that fail, are missing, hang, talk without end or are killed; full and read-only file systems; disks
# that vanish or don't take a write; signals, a second stowage, udev that is stopped or dead. Each time: the exit status, a message that says
# what and where, nothing started afterwards, no process and no lock left, nothing that hangs, and a second apply that finishes.
# usage: faults.sh STOWAGE [programs|machine]
. "$(dirname "$0")/host.sh"
# A guest at the end of a pipe counts in this shell.
shopt -s lastpipe
export LIMIT=2400

# What both guests begin with.
read -rd '' helpers <<'HELPERS' || true
a=$(disk a) b=$(disk b) c=$(disk c)
export target=/mnt/target state=/run/state
mkdir -p $target /tmp/wrap
# The guest's own programs are not those of this folder, which a test fills.
real() { PATH=/usr/sbin:/usr/bin:/sbin:/bin command -v "$1"; }

# wrap PROGRAM: what is on standard input is run in its place; $real is the program itself, and $PPID is stowage
wrap() {
	{
		echo '#!/bin/sh'
		echo "real=$(real "$1")"
		cat
	} >"/tmp/wrap/$1"
	chmod +x "/tmp/wrap/$1"
}

layout() { # NAME
	{
		echo 'stowage: 1'
		echo 'name: faults'
		case $1 in
		plain) cat <<-END ;;
			disks: { a: $a, b: $b, c: $c }
			filesystems:
			  - { type: ext4, devices: a, mount: /tmp }
			  - { type: xfs, devices: b, mount: /data }
			  - { type: vfat, devices: c, mount: /efi }
		END
		array) cat <<-END ;;
			disks: { a: $a, b: $b, c: $c }
			tables: [{ disks: [b, c], partitions: [{ name: leg, size: 100M }] }]
			arrays: { md7: { level: 1, devices: leg } }
			filesystems:
			  - { type: btrfs, devices: a, mount: /srv }
			  - { type: swap, devices: md7 }
		END
		volumes) cat <<-END ;;
			disks: { a: $a, b: $b }
			volume-groups: { vg0: { devices: [a, b], volumes: { x: { size: 100M }, y: { size: 100M } } } }
			filesystems:
			  - { type: ext4, devices: vg0/x, mount: /srv }
		END
		one) cat <<-END ;;
			disks: { d: $2 }
			tables: [{ disks: d, partitions: [{ name: p, size: rest }] }]
			filesystems:
			  - { type: ext4, devices: p, mount: /srv }
		END
		esac
	} >layout.yaml
}

reread() { blockdev --rereadpt "$1" && ! compgen -G "$1[0-9]*" >/dev/null; }
# As if nothing had been.
blank() {
	findmnt -rno TARGET | grep "^$target" | tac | xargs -rd '\n' umount
	vgremove -qqfy vg0 2>/dev/null
	for m in /dev/md[0-9]*; do [ ! -b "$m" ] || { wipefs -aq "$m"; mdadm --quiet --stop "$m"; }; done
	for d in "$a" "$b" "$c" "$@"; do
		[ -b "$d" ] || continue
		for p in "$d"[0-9]*; do [ ! -b "$p" ] || wipefs -aqf "$p"; done
		# What lay in volumes, too: it would look like a lost table.
		blkdiscard -zf "$d"
		# udev may still look at a partition, which keeps it.
		await "$d has no partitions" reread "$d"
	done
	rm -rf $target /tmp/wrap/*
	mkdir -p $target
	udevadm settle
}

# Processes that this run has left: they have its environment.
left() { grep -laz "^FAULT_RUN=$run\$" /proc/[0-9]*/environ 2>/dev/null | while read -r f; do tr '\0' ' ' <"${f%environ}cmdline"; done; }
zombies() { ps -eo stat=,ppid=,args= | grep '^Z' | grep -v '^Z[^ ]* *1 '; }
after_failure() { awk '/"event":"begin"/ { bad = failed = 0 } /"event":"failed"/ { failed = 1 } /"event":"started"/ && failed { bad = 1 } END { print bad + 0 }' $state/journal; }
free() { flock -n "$1" true; }

run=0
# run STATUS TEXT WORDS...: apply with a deadline; what it says on standard error is in /tmp/said
run() {
	local wanted=$1 text=$2 start rc=0
	shift 2
	run=$((run + 1))
	read -r start _ </proc/uptime
	FAULT_RUN=$run PATH=/tmp/wrap:$PATH timeout -k 1 150 ./stowage apply layout.yaml --yes --root $target --state $state --deadline "${deadline:-60}" "$@" >/tmp/shown 2>/tmp/said || rc=$?
	read -r now _ </proc/uptime
	took=$(awk -v a="$start" -v b="$now" 'BEGIN { printf "%d", b - a }')
	echo "$text: exit status $rc after $took s"
	case " $wanted " in *" $rc "*) ;; *) cat /tmp/shown /tmp/said ;; esac
	ok "$text: exit status $wanted" sh -c "case ' $wanted ' in *' $rc '*) ;; *) exit 1 ;; esac"
	is "$text: no process is left" '' "$(left)"
	is "$text: no zombie is left" '' "$(zombies)"
	# Where there is one, and the file system hasn't failed.
	if cat $state/lock >/dev/null 2>&1; then ok "$text: the lock is free" free $state/lock; fi
	for d in "$a" "$b" "$c"; do
		free "$d" || is "$text: no disk is locked" '' "$d"
	done
}

# fails TEXT PATTERN WORDS...: it fails, says so with the state, starts nothing more
fails() {
	local text=$1 pattern=$2
	shift 2
	run 1 "$text" "$@"
	has "$text: is told" "$pattern" /tmp/said
	has "$text: with what is done" '[0-9]+ of [0-9]+ steps are done; not done: ' /tmp/said
	is "$text: nothing is started after the failure" 0 "$(after_failure)"
	tail -n 1 $state/journal >/tmp/last
	has "$text: the journal has its end" '"event":"end"' /tmp/last
}

# finishes TEXT: once the cause is gone
finishes() {
	rm -f /tmp/wrap/*
	run 0 "$1: applied again"
	status "$1: nothing is left to do" 0 ./stowage plan layout.yaml --root $target --exit-code
}

HELPERS

[ "${2:-programs}" != programs ] || { echo "$helpers"; cat <<'JOB'; } | guest programs a=2G b=2G c=2G
# Each program in each way. What stands for it: its layout, the step, its line.
while read -r program plan step; do
	for way in exits missing hangs deaf talks killed works; do
		# A failure that wrote nothing is followed by the next one, on what was done meanwhile; not where all else is done.
		case $program in chmod) blank ;; esac
		layout "$plan"
		where='^layout\.yaml:[0-9]+:[0-9]+: error: '
		deadline=60
		case $way in
		exits) echo 'echo "no such luck" >&2; exit 1' | wrap "$program"; says='exited with 1' ;;
		missing) printf '#!/nowhere/sh\n' >"/tmp/wrap/$program"; chmod +x "/tmp/wrap/$program"; says='(is not installed|could not be started: No such file)' ;;
		hangs) echo 'sleep 1000 & sleep 1000' | wrap "$program"; says='took longer than 8 s and was stopped'; deadline=8 ;;
		deaf) [ "$program" = mkswap ] || continue # one is enough: it costs a grace
			echo 'trap "" TERM; sleep 1000 & sleep 1000; sleep 1000' | wrap "$program"; says='took longer than 8 s and was stopped'; deadline=8 ;;
		talks) printf '%s\n' 'yes "all is well" | head -c 5000000' 'printf "at last \033[31m%s\n" red >&2' 'exit 1' | wrap "$program"; says='exited with 1' ;;
		killed) echo 'sleep 1000 & kill -KILL $$' | wrap "$program"; says='was killed by signal 9 \(Killed\)' ;;
		works) echo '"$real" "$@"; exit 1' | wrap "$program"; says='exited with 1' ;;
		esac
		# Others of its kind may be slow as well, on a small machine: only the program itself shall be late.
		fails "$program $way" "${where}cannot $step: $program $says"
		[ $way != exits ] || has "$program $way: the command is told" "the command: $program " /tmp/said
		[ $way != exits ] || has "$program $way: its words are told" 'its words: no such luck' /tmp/said
		[ $way != talks ] || has "$program $way: its last words can't steer the terminal" 'its words: at last \\x1B\[31mred' /tmp/said
		[ $deadline = 60 ] || ok "$program $way: ended in time, after $took s" test "$took" -le 40
	done
	finishes "$program"
	[ "$program" != chmod ] || is "/tmp is everybody's" 1777 "$(stat -c %a $target/tmp)"
	blank
done <<'TABLE'
mkfs.ext4 plain format /tmp
mkfs.xfs plain format /data
mkfs.vfat plain format /efi
chmod plain chmod /mnt/target/tmp
mkfs.btrfs array format /srv
mdadm array create md7
mkswap array format swap on md7
TABLE
JOB

[ "${2:-machine}" != machine ] || { echo "$helpers"; cat <<'JOB'; } | guest machine a=2G b=2G c=2G s=2G,bus=scsi bad=2G,bad-once=2050 worse=2G,bad-once=1

# Signals: what runs is finished, nothing is started.
for signal in INT TERM HUP; do
	layout plain
	printf '%s\n' "kill -$signal \$PPID" 'exec "$real" "$@"' | wrap mkfs.ext4
	fails "SIG$signal" '^stowage: error: interrupted$' --jobs 1
	has "SIG$signal: what ran is done" '"event":"done","step":"format /tmp"' $state/journal
	finishes "SIG$signal"
	blank
done

# A second stowage at the same time.
layout plain
mkfifo /tmp/hold
printf '%s\n' 'read -r x </tmp/hold' 'exec "$real" "$@"' | wrap mkfs.ext4
rm -f $state/journal
PATH=/tmp/wrap:$PATH ./stowage apply layout.yaml --yes --root $target --state $state >/tmp/first 2>&1 &
first=$!
await "the first one works" grep -qs 'started","step":"format /tmp' $state/journal
status "a second stowage is refused" 3 ./stowage apply layout.yaml --yes --root $target --state $state
has "it says who works" "another stowage, process $first, is changing this machine" /tmp/said
timeout 20 sh -c 'echo go >/tmp/hold'
wait $first
is "the first one finishes" 0 $?
finishes "a second stowage"
blank

# Who reads the output goes away.
for way in exits works; do
	layout plain
	[ $way = works ] || echo 'echo "no such luck" >&2; exit 1' | wrap mkfs.ext4
	rc=0
	{ PATH=/tmp/wrap:$PATH ./stowage apply layout.yaml --yes --root $target --state $state 2>/tmp/said; echo $? >/tmp/rc; } | while read -r line; do case $line in '['*1/*) break ;; esac; done
	if [ $way = works ]; then is "a reader that goes: exit status" 0 "$(cat /tmp/rc)"; else
		is "a reader that goes, and a failure: exit status" 1 "$(cat /tmp/rc)"
		has "a reader that goes, and a failure: is told" 'mkfs.ext4 exited with 1' /tmp/said
	fi
	finishes "a reader that goes"
	blank
done

# Processes run out in the middle.
layout plain
most=$(cat /proc/sys/kernel/threads-max)
printf '%s\n' 'echo 20 >/proc/sys/kernel/threads-max' 'exec "$real" "$@"' | wrap mkfs.ext4
run=$((run + 1))
rc=0
FAULT_RUN=$run PATH=/tmp/wrap:$PATH ./stowage apply layout.yaml --yes --root $target --state $state --jobs 1 >/tmp/shown 2>/tmp/said || rc=$?
echo "$most" >/proc/sys/kernel/threads-max
is "no more processes: exit status" 1 $rc
has "no more processes: is told" 'could not be started: Resource temporarily unavailable' /tmp/said
is "no more processes: no process is left" '' "$(left)"
finishes "no more processes"
blank

# A file system under the journal that is full or read-only from the start, gets full in the middle, or fails.
small() { # OPTIONS
	mount -t tmpfs -o size=64k,"$1" small /run/small
	state=/run/small/state
}
fill() { dd if=/dev/zero of="$1/fill" bs=4k 2>/dev/null; }
mkdir -p /run/small
for way in full read-only; do
	[ $way = full ] && why='No space left on device' || why='Read-only file system'
	small rw
	layout plain
	if [ $way = full ]; then fill /run/small; else mount -o remount,ro /run/small; fi
	quiet
	before=$(written)
	run 1 "the journal's file system is $way"
	has "the journal's file system is $way: is told" "/run/small/state.*: $why" /tmp/said
	is "the journal's file system is $way: no sector is written" "$before" "$(written)"
	mount -o remount,rw /run/small
	rm -f /run/small/fill
	finishes "the journal's file system is $way"
	blank
	umount /run/small
done
for way in full gone; do
	if [ $way = full ]; then
		why='No space left on device'
		small rw
		printf '%s\n' 'dd if=/dev/zero of=/run/small/fill bs=4k 2>/dev/null' 'exec "$real" "$@"' | wrap mkfs.ext4
		# The page that it has then has room for a few lines more.
		mkdir $state
		head -c 6800 /dev/zero | tr '\0' x >$state/journal
	else
		why='Input/output error'
		truncate -s 32M /tmp/small.img
		mkfs.ext4 -q /tmp/small.img
		mount -o loop /tmp/small.img /run/small
		state=/run/small/state
		echo 'xfs_io -xc shutdown /run/small; exec "$real" "$@"' | wrap mkfs.ext4
	fi
	layout plain
	run 1 "the journal's file system gets $way" --jobs 1
	has "the journal's file system gets $way: is told" "cannot write '/run/small/state/journal': $why; nothing more was started" /tmp/said
	has "the journal's file system gets $way: with what is done" '[0-9]+ of [0-9]+ steps are done; not done: ' /tmp/said
	umount /run/small
	state=/run/state
	finishes "the journal's file system gets $way"
	blank
done

# The same under fstab.
for way in full read-only; do
	[ $way = full ] && why='No space left on device' || why='Read-only file system'
	layout plain
	mount -t tmpfs -o size=64k small $target
	mkdir $target/etc $target/tmp $target/data $target/efi
	echo '# mine' >$target/etc/fstab
	if [ $way = full ]; then dd if=/dev/zero of=$target/fill bs=4k 2>/dev/null; else mount -o remount,ro $target; fi
	fails "fstab's file system is $way" "cannot write fstab: cannot write '$target/etc/fstab': $why"
	is "fstab's file system is $way: the file is as it was" '# mine' "$(cat $target/etc/fstab)"
	is "fstab's file system is $way: nothing lies beside it" fstab "$(ls -A $target/etc)"
	mount -o remount,rw $target
	rm -f $target/fill
	finishes "fstab's file system is $way"
	has "fstab's file system is $way: what it held is there" '^# mine$' $target/etc/fstab
	blank
done

# /proc or /sys isn't mounted.
for dir in /proc /sys; do
	layout plain
	quiet
	before=$(written)
	status "without $dir" 1 unshare -m sh -c "umount -l $dir; exec ./stowage apply layout.yaml --yes --root $target --state $state"
	has "without $dir: is told" "$dir" /tmp/said
	is "without $dir: no sector is written" "$before" "$(written)"
done

# Something is mounted while the person reads the plan.
layout plain
for place in $target $target/tmp $target/tmp/deeper; do
	mkfifo /tmp/answers
	quiet
	before=$(written)
	script -qec "./stowage apply layout.yaml --root $target --state $state" /dev/null </tmp/answers >/tmp/shown 2>&1 &
	asked=$!
	exec 8>/tmp/answers
	await "it asks" grep -q 'Type yes' /tmp/shown
	mkdir -p $place
	mount -t tmpfs other $place
	echo yes >&8
	wait $asked
	is "mounted meanwhile at $place: refused" 3 $?
	has "mounted meanwhile at $place: is told" "'$target.*other \(tmpfs\)|other \(tmpfs\) has been mounted at '$place'" /tmp/shown
	is "mounted meanwhile at $place: no sector is written" "$before" "$(written)"
	exec 8>&-
	umount $place
	rm /tmp/answers
	blank
done

# udevd is stopped in the middle, is dead, or never was.
udevd=$(pgrep -o systemd-udevd)
layout one $a
kill -STOP "$udevd"
deadline=4
fails "udevd is stopped" "udev's queue did not become empty within 4 s"
kill -CONT "$udevd"
deadline=60
finishes "udevd is stopped"
blank
layout volumes
printf '%s\n' "kill -STOP $udevd" 'exec "$real" "$@"' | wrap modprobe
[ -e /sys/module/ext4 ] || modprobe ext4
kill -STOP "$udevd"
deadline=4
fails "LVM waits for a udevd that is stopped" 'took longer than 4 s and was stopped'
kill -CONT "$udevd"
udevadm settle
deadline=60
finishes "LVM waits for a udevd that is stopped"
blank
kill -KILL "$udevd"
for plan in volumes array; do
	layout $plan
	run 0 "udevd is dead, and its socket is there: $plan"
	# LVM's own programs would wait for it.
	DM_DISABLE_UDEV=1 blank
done
rm -rf /run/udev/control
layout volumes
run 0 "udevd doesn't run"
/lib/systemd/systemd-udevd --daemon 2>/dev/null
udevadm trigger --action=add --subsystem-match=block
udevadm settle
blank
# Made without udev, it isn't removed with it.
rm -rf /dev/vg0

# The process that carries LVM's commands out is killed, or hangs. A lock of LVM holds it at work.
for way in killed hangs; do
	layout volumes
	vgcreate -qqy held $c
	exec 7>/run/lock/lvm/V_vg0
	flock 7
	if [ $way = hangs ]; then
		deadline=3
		fails "LVM $way" '^layout.yaml:[0-9:]* error: cannot create vg0: vgcreate took longer than 3 s and was stopped'
	else
		deadline=60
		rm -f $state/journal
		(
			await "vg0 is being created" grep -qs 'started","step":"create vg0' $state/journal
			read -rt 1 <>/tmp/hold
			# The only child of stowage that is stowage itself.
			ps -eo pid=,ppid=,comm= | awk '$3 == "stowage" { of[$1] = $2 } END { for (p in of) if (of[p] in of) print p }' | xargs kill -KILL
		) &
		fails "LVM $way" 'cannot create vg0: vgcreate was killed by signal 9 \(Killed\)'
		wait
	fi
	exec 7>&-
	deadline=60
	vgremove -qqfy held
	finishes "LVM $way"
	blank
done

# /run is full.
layout array
dd if=/dev/zero of=/run/fill bs=64k 2>/dev/null
state=/tmp/state
run "0 1" "/run is full"
rm /run/fill
finishes "/run is full"
state=/run/state
blank

# A disk that doesn't take a write, once: where the filesystem begins, and where the table does, of which the second half is there then.
for name in bad worse; do
	d=$(disk $name)
	layout one "$d"
	[ $name = bad ] && why='format /srv: mkfs.ext4 exited with 1' || why="write table of d: cannot write the table of $d: Input/output error"
	fails "a write error on $name" "^layout.yaml:[0-9:]* error: cannot $why"
	[ $name = worse ] || finishes "a write error on $name"
	blank "$d"
done

# A disk vanishes in the middle: a SCSI disk, and one of virtio, whose driver goes through the same as when it is unplugged.
for name in s a; do
	d=$(disk $name)
	layout one "$d"
	virtio=$(readlink -f "/sys/block/${d##*/}/device")
	if [ $name = s ]; then echo "echo 1 >/sys/block/${d##*/}/device/delete"; else
		echo "echo ${virtio##*/} >/sys/bus/virtio/drivers/virtio_blk/unbind"
	fi | { cat; echo 'exec "$real" "$@"'; } | wrap mkfs.ext4
	fails "disk $name vanishes" '^layout.yaml:[0-9:]* error: cannot format /srv: mkfs.ext4 exited with 1'
	status "disk $name has vanished: applied again" 1 ./stowage apply layout.yaml --yes --root $target --state $state
	has "disk $name has vanished: is told" '^layout.yaml:3:[0-9]*: error: ' /tmp/said
	cat /tmp/said
	# QEMU doesn't bring virtio's back whole: what is read of it then is an error.
	[ $name = s ] || continue
	for h in /sys/class/scsi_host/host*/scan; do echo '- - -' >"$h"; done
	back() { [ -n "$(disk $name)" ]; }
	await "the disk is back" back
	udevadm settle
	layout one "$(disk $name)"
	finishes "disk $name vanishes"
	blank "$(disk $name)"
done
JOB
done_testing
