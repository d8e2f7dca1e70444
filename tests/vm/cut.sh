#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cut.sh STOWAGE [CUTS [SEED [EXAMPLE]...]]: the power goes, and applied once more it ends as an unbroken run does.
#
# An example is carried out once while QEMU notes every write and flush. Of the moments of that run some are chosen by SEED (the day's if
# absent; it is printed). For each the disks are rebuilt as they may have been then: every disk cut off at a point at or after its own last
# flush, with a random half of what was written since; they are plugged in anew, so that udev and systemd assemble and activate what they
# find, and the layout is applied. Every other time the state directory, with the journal, is lost as well: then it may also be refused, if
# it says how to go on. PART=40-60 takes the moments between these parts in a hundred. 10 CUTS if absent, 5 for each of two examples that SEED chooses too; 100 is the whole, over all examples.
. "$(dirname "$0")/host.sh"
cuts=${2:-10} seed=${3:-$(date +%j)}
examples=("${@:4}")
if [ ${#examples[@]} = 0 ]; then
	for e in "$here"/kill/*.yaml "$top"/examples/*.yaml; do examples+=("$(basename "$e" .yaml)"); done
fi
# Two boots for each example: it gets five cuts at least.
most=$(((cuts + 4) / 5))
mapfile -t examples < <(python3 -c 'import random, sys
r, n, all = random.Random(int(sys.argv[1])), int(sys.argv[2]), sys.argv[3:]
print(*(all if n >= len(all) else r.sample(all, n)), sep="\n")' "$seed" "$most" "${examples[@]}")
echo "# $cuts cuts, seed $seed: ${examples[*]}"
each=$(((cuts + ${#examples[@]} - 1) / ${#examples[@]}))
export SYSTEMD=1

for e in "${examples[@]}"; do
	[ "$cuts" -gt 0 ] || break
	n=$((each < cuts ? each : cuts)) cuts=$((cuts - each))
	disks=("keep=256M,bus=scsi")
	layout=$top/examples/$e.yaml
	[ -e "$layout" ] || layout=$here/kill/$e.yaml
	on=$(grep -oE '/dev/[a-z]+' "$layout" | sort -u | wc -l)
	for ((i = 0; i < on; i++)); do disks+=("d$i=40G,bus=scsi"); done

	record=$work/record-$e
	mkdir -p "$record/disks"
	cp "$here"/kill/* "$record/"
	# What the logs hold when the job has prepared its disks: it says so on the console.
	(
		until [ -e "$record/disks/qemu.pid" ]; do read -rt 0.1 <> <(:) || true; done
		python3 "$here/kill/cut.py" watch "$record/disks" "$record/moments" &
		tail -n +1 -F --pid=$! "$record/console.log" 2>/dev/null | grep -m1 -q '^the run begins' || true
		(cd "$record/disks" && stat -c %s ./*.log | xargs) >"$record/disks/begin"
		wait
	) &
	watcher=$!
	WRITELOG=1 guest "record-$e" "${disks[@]}" <<JOB
. ./trials.sh
prepare
choose $e
sync
echo "the run begins"
with=()
status "$e: carried out while its writes are noted" 0 go
sight out/unbroken
JOB
	wait $watcher
	job=$work/cut-$e
	mkdir -p "$job"
	cp "$here"/kill/* "$job/"
	cp -r "$record/out/unbroken" "$job/"
	python3 "$here/kill/cut.py" choose "$record/disks" "$record/moments" "$n" "$seed" "$job"
	mkdir -p "$job/disks"
	for ((i = -1; i < on; i++)); do
		d=$([ $i = -1 ] && echo keep || echo d$i)
		truncate -s %4096 "$record/disks/$d.log"
		mv "$record/disks/$d.log" "$job/disks/log-$d.img"
		disks+=("log-$d=$(stat -c %s "$job/disks/log-$d.img"),bus=virtio")
	done
	LIMIT=${LIMIT:-10000} guest "cut-$e" "${disks[@]}" <<JOB
. ./trials.sh
prepare
rebuild_all $e
JOB
	rm -rf "$record/disks" "$job/disks"
done
done_testing
