#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What goes wrong while apply runs: programs that fail, are missing, hang, talk without end or are killed; full and read-only file systems; disks
# that vanish or don't take a write; signals, a second stowage, udev that is stopped or dead. Each time: the exit status, a message that says
# what and where, nothing started afterwards, no process and no lock left, nothing that hangs, and a second apply that finishes.
# usage: faults.sh STOWAGE [programs|machine]
. "$(dirname "$0")/host.sh"
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

# As if nothing had been.
blank() {
	findmnt -rno TARGET | grep "^$target" | tac | xargs -rd '\n' umount
	vgremove -qqfy vg0 2>/dev/null
	for m in /dev/md[0-9]*; do [ ! -b "$m" ] || { wipefs -aq "$m"; mdadm --quiet --stop "$m"; }; done
	for d in "$a" "$b" "$c" "$@"; do
		[ -b "$d" ] || continue
		for p in "$d"[0-9]*; do [ ! -b "$p" ] || wipefs -aqf "$p"; done
		wipefs -aqf "$d"
		blockdev --rereadpt "$d" 2>/dev/null
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
		case $program in udevadm | chmod) blank ;; esac
		layout "$plan"
		where='^layout\.yaml:[0-9]+:[0-9]+: error: '
		case $step in announce*) where='error: ' ;; esac
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
udevadm array announce filesystems
TABLE
JOB

[ "${2:-machine}" != machine ] || { echo "$helpers"; cat <<'JOB'; } | guest machine a=2G b=2G c=2G s=2G,bus=scsi bad=2G,bad-once=2050 worse=2G,bad-once=1

mkfifo /tmp/hold
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
	has "disk $name has vanished: is told" '^layout.yaml:4:[0-9]*: error: .*' /tmp/said
	cat /tmp/said
	# QEMU doesn't bring virtio's back whole: what is read of it then is an error.
	[ $name = s ] || continue
	for h in /sys/class/scsi_host/host*/scan; do echo '- - -' >"$h"; done
	until [ -n "$(disk $name)" ]; do udevadm settle; done
	layout one "$(disk $name)"
	finishes "disk $name vanishes"
	blank "$(disk $name)"
done
JOB
done_testing
