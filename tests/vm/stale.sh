#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# stale.sh STOWAGE signatures|all|CASE...: old signatures lie where a layout puts something new, on a machine that assembles and activates by
# itself. None survives, and none is seen in between.
#   signatures  each kind of them at one place, and each place with some of them: a fifth of the whole
#   all         every kind at every place, and every CASE, in an hour or so where the guest is emulated: tests/vm/stale.sh build/stowage all
#   CASE        functions of stale/cases.sh: old_in_array old_in_volume other_table far_mirrors old_partitions in_use
. "$(dirname "$0")/host.sh"
export SYSTEMD=1 LIMIT=${LIMIT:-3600}

# stale NAME DISK=SIZE...: as guest, with what is in stale/ beside the job
stale() {
	mkdir -p "$work/$1"
	cp "$here"/stale/* "$work/$1/"
	guest "$@"
}

# A discard would end what the tests are about: only disks that can't do it keep stale data.
rounds() { # NAME ROUND STEP
	stale "$1" a=60G,discard=off b=60G,discard=off c=60G,discard=off < <(
		echo "round=$2 step=$3"
		cat <<'JOB'
. ./old.sh
. ./matrix.sh
modprobe -a md_mod raid0 raid1 raid10 raid456
no_resync
choose $round $step
dirty
[ $round != 0 ] || control
build "round $round of $step" a b c
JOB
	)
}

cases() { # NAME FUNCTION... of cases.sh
	stale "$1" a=4G,discard=off b=4G,discard=off c=500M,discard=off d=300M far=800G,discard=off twin=260G,discard=off < <(
		cat <<'JOB'
. ./old.sh
. ./cases.sh
modprobe -a md_mod raid0 raid1 raid10 raid456
no_resync
awake
JOB
		printf '%s\n' "${@:2}"
	)
}

case ${2:-signatures} in
all)
	for i in 0 1 2; do rounds "round$i" $i 3; done
	cases cases old_in_array old_in_volume other_table far_mirrors old_partitions in_use
	;;
signatures) rounds signatures 0 5 ;;
*) cases "$2" "${@:2}" ;;
esac
done_testing
