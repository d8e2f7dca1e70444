# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What the tests of this folder have in common. Each is a script that boots guests with blank disks, has the program do its work there, and
# lets other tools judge. Results are TAP: guests print "ok - TEXT" and "not ok - TEXT" (guest.sh), `guest` numbers them.
set -euo pipefail

stowage=$(realpath "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/var/tmp}/stowage-vm.XXXXXX")
count=0
trap '[ -n "${KEEP_WORK:-}" ] || rm -rf "$work"' EXIT

result() { # ok|not-ok TEXT
	count=$((count + 1))
	if [ "$1" = ok ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; fi
}

# check TEXT COMMAND...: on the host
check() {
	local text=$1
	shift
	if "$@" >"$work/check.log" 2>&1; then result ok "$text"; else
		result not-ok "$text"
		sed 's/^/# /' "$work/check.log"
	fi
}

# guest NAME DISK=SIZE...: boots a guest that runs what is on standard input, with the program and the examples beside it.
# What it leaves in out/ is in $work/NAME/out afterwards. DISKDIR is kept from one boot to the next where it is the same.
guest() {
	local name=$1 job=$work/$1 rc=0 line
	shift
	mkdir -p "$job"
	cp "$stowage" "$job/stowage"
	cp "$here/guest.sh" "$job/"
	cp -r "$top/examples" "$job/"
	cp "$top/tests/cases/verify/small.yaml" "$job/"
	{ echo '. ./guest.sh'; cat; echo 'finish'; } >"$job/job.sh"
	LIMIT=${LIMIT:-900} "$top/tests/lab/vm" "$job" "$@" >"$job/log" 2>&1 || rc=$?
	while IFS= read -r line; do
		case $line in
		"ok - "*) result ok "$name: ${line#ok - }" ;;
		"not ok - "*) result not-ok "$name: ${line#not ok - }" ;;
		esac
	done <"$job/log"
	[ "$rc" = 0 ] || {
		result not-ok "$name: the guest's job ends with status 0, not $rc"
		sed 's/^/# /' "$job/log"
	}
}

done_testing() { echo "1..$count"; }
