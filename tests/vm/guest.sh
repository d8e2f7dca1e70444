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
has() { ok "$1" grep -qE -- "$2" "$3"; }

# written: how many sectors were written to each disk so far
written() { awk '$3 !~ /^(loop|ram|sr)/ { print $3, $10 }' /proc/diskstats; }

# Sync and writeback of what was just done must not count as a write of what comes next. An md array in resync writes by itself.
quiet() {
	local md
	for md in /sys/block/md*/md/sync_action; do [ -e "$md" ] && echo frozen >"$md"; done
	sync
	udevadm settle
}

# freeze DIR, thaw DIR: filesystems at and below a directory write nothing of their own meanwhile (ext4 still makes its inode tables, say)
freeze() { findmnt -rno TARGET -R "$1" | tac | while read -r m; do fsfreeze -f "$m"; done; }
thaw() { findmnt -rno TARGET -R "$1" | while read -r m; do fsfreeze -u "$m"; done; }

uuid_of() { blkid -p -s UUID -o value "$1"; }

finish() { exit "$failed"; }
