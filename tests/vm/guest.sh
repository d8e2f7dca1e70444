# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# In the guest: what a job says of what it sees.
set -u
mkdir -p out
failed=0

# ok TEXT COMMAND...: whether the command succeeds
ok() {
	local text=$1
	shift
	if "$@" >/tmp/ok.log 2>&1; then echo "ok - $text"; else
		failed=1
		echo "not ok - $text"
		sed 's/^/    /' /tmp/ok.log
	fi
}

# is TEXT WANTED GOT
is() {
	if [ "$2" = "$3" ]; then echo "ok - $1"; else
		failed=1
		echo "not ok - $1"
		echo "    wanted: $2"
		echo "    got:    $3"
	fi
}

# status TEXT WANTED COMMAND...: its exit status; what it says is in /tmp/said
status() {
	local text=$1 wanted=$2 rc=0
	shift 2
	"$@" >/tmp/said 2>&1 || rc=$?
	[ "$rc" = "$wanted" ] || cat /tmp/said
	is "$text" "$wanted" "$rc"
}

# has TEXT PATTERN FILE
has() {
	if grep -qE -- "$2" "$3"; then echo "ok - $1"; else
		failed=1
		echo "not ok - $1"
		echo "    wanted: $2"
		head -c 4000 "$3" | sed 's/^/    got:    /'
	fi
}

# await TEXT COMMAND...: until it succeeds; after two minutes that is told, and the job goes on
await() {
	local text=$1 end=$((SECONDS + 120))
	shift
	[ -p /tmp/await ] || mkfifo /tmp/await
	until "$@" 2>/dev/null; do
		[ $SECONDS -lt $end ] || { ok "$text within two minutes" false; return 1; }
		read -rt 0.02 <>/tmp/await
	done
}

# written: how many sectors were written to each disk so far
written() { awk '$3 !~ /^(loop|ram|sr)/ { print $3, $10 }' /proc/diskstats; }

# Sync and writeback of what was just done must not count as a write of what comes next. An md array in resync writes by itself.
quiet() {
	local md
	for md in /sys/block/md*/md/sync_action; do [ -e "$md" ] && echo frozen >"$md"; done
	sync
	udevadm settle
	still
}

# still: md notes by and by in its members that nobody writes any more; that is over
still() {
	local md
	for md in /sys/block/md*/md/sync_action; do [ ! -e "$md" ] || await "${md%/sync_action} is at rest" at_rest "${md%/sync_action}"; done
}
at_rest() {
	local member state
	state=$(cat "$1/array_state")
	case $state in
	clean) ;;
	# Nothing has to be waited for: it may be asked to.
	active* | write-pending) echo clean >"$1/array_state" ;;
	*) return 0 ;;
	esac
	# It says that it is clean before that is written, which its thread does. This wakes the thread.
	echo frozen >"$1/sync_action"
	[ "$state" = clean ] || return 1
	# In one that was never synced the members don't tell.
	[ "$(cat "$1/resync_start")" = none ] || return 0
	for member in "$1"/dev-*; do
		grep -q faulty "$member/state" || mdadm --examine "/dev/$(basename "$(readlink -f "$member/block")")" | grep -q 'State : clean$' || return 1
	done
}

# freeze DIR, thaw DIR: filesystems at and below a directory write nothing of their own meanwhile (ext4 still makes its inode tables, say)
freeze() { findmnt -rno TARGET -R "$1" | tac | while read -r m; do fsfreeze -f "$m"; done; }
thaw() { findmnt -rno TARGET -R "$1" | while read -r m; do fsfreeze -u "$m"; done; }

uuid_of() { blkid -p -s UUID -o value "$1"; }

# disk SERIAL: the kernel's path of a disk, whatever it hangs on. Asked of the kernel: udev forgets it while it looks at the disk again.
disk() {
	local dir serial
	for dir in /sys/block/*; do
		serial=$(cat "$dir/serial" "$dir/device/serial" 2>/dev/null || tail -c +5 "$dir/device/vpd_pg80" 2>/dev/null | tr -d '\0')
		[ "${serial%% *}" != "$1" ] || echo "/dev/${dir##*/}"
	done
}

# place LAYOUT PATH=SERIAL...: the layout with other disks, in /tmp/layout.yaml
place() {
	local word script=
	# In two rounds: what one disk is called here may be what another one is called in the layout.
	for word in "${@:2}"; do script+="s,${word%%=*}\\b,@${word#*=}@,g;"; done
	for word in "${@:2}"; do script+="s,@${word#*=}@,$(disk "${word#*=}"),g;"; done
	sed "$script" "$1" >/tmp/layout.yaml
}

# apply ROOT: /tmp/layout.yaml is carried out, holds, and has nothing left to do
apply() {
	status "apply below $1" 0 ./stowage apply /tmp/layout.yaml --yes --root "$1"
	grep '^Done' /tmp/said
	# findmnt looks for the mount points below the running root
	awk '!/^#/ && $2 ~ "^/" { print $2 }' "$1/etc/fstab" | xargs -r mkdir -p
	ok "findmnt finds nothing wrong in its fstab" findmnt --verify --tab-file "$1/etc/fstab"
	status "nothing is left to do" 0 ./stowage plan /tmp/layout.yaml --root "$1" --exit-code
}

# geometry MOUNTPOINT: sector size of an XFS, its stripe unit and width in blocks
geometry() { xfs_info "$1" | sed -n 's/.*sectsz=\([0-9]*\) *attr.*/\1/p; s/.*sunit=\([0-9]*\) *swidth=\([0-9]*\) blks/\1 \2/p' | xargs; }

finish() { exit "$failed"; }
