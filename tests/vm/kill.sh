#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# kill.sh STOWAGE [SHARE [SEED [EXAMPLE]...]]: interrupted, and applied once more, it ends as an unbroken run does.
#
# Each example, and one of each kind (kill/every-kind.yaml), is killed at every border of steps, once before the journal is told and once
# when it has it; and RANDOM_KILLS times (100 over all examples) at a call by which any of the programs changes something. Each time SEED
# decides whether stowage alone is killed, so that what it has started goes on, or all at once. One of SHARE of these is tried, 10 if absent;
# 1 is all of them, which takes hours. The same SEED tries the same; it is the day's if absent, and printed. TRIALS="calls:1234:all
# steps:5:alone" tries these instead.
. "$(dirname "$0")/host.sh"
share=${2:-10} seed=${3:-$(date +%j)} random=${RANDOM_KILLS:-100}
examples=("${@:4}")
if [ ${#examples[@]} = 0 ]; then
	for e in "$here"/kill/*.yaml "$top"/examples/*.yaml; do examples+=("$(basename "$e" .yaml)"); done
fi
echo "# one of $share, seed $seed: ${examples[*]}"

cc -D_GNU_SOURCE -O1 -shared -fPIC -o "$work/interrupt.so" "$here/kill/interrupt.c" -ldl

disks=("keep=256M,bus=scsi")
for i in {0..10}; do disks+=("d$i=40G,bus=scsi"); done
name=kills
mkdir -p "$work/$name"
cp "$here"/kill/* "$work/interrupt.so" "$work/$name/"
export SYSTEMD=1 LIMIT=${LIMIT:-20000}
guest "$name" "${disks[@]}" <<JOB
share=$share seed=$seed random=$random examples=(${examples[*]}) trials=(${TRIALS:-})
$(cat <<'JOB2'
. ./trials.sh
prepare
each=$(((random + ${#examples[@]} - 1) / ${#examples[@]}))
RANDOM=$seed
turn=$((RANDOM % share))
due() { turn=$(((turn + 1) % share)) && [ $turn = 0 ]; }
either() { [ $((RANDOM % 2)) = 0 ] && who=alone || who=all; }
for e in "${examples[@]}"; do
	unbroken "$e"
	if [ ${#trials[@]} -gt 0 ]; then
		for t in "${trials[@]}"; do IFS=: read -r kind n who <<<"$t" && interrupt "$kind" "$n" "$who"; done
		continue
	fi
	for ((n = 1; n <= steps; n++)); do
		either
		! due || interrupt steps $n $who
	done
	for ((n = 0; n < each; n++)); do
		at=$((((RANDOM << 15) + RANDOM) % calls + 1))
		either
		! due || interrupt calls $at $who
	done
done
echo "$good of $trial trials"
JOB2
)
JOB
done_testing
