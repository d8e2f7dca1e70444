# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables of guest.sh and of the other files here
# In the guest: one layout with a device for each pair of an old signature and a place where it may lie. `dirty` builds it once without
# filesystems, under another name, puts the signatures on its devices, takes it down and clears both ends of the disks, so that they have
# no table; then everything lies where the layout puts something new.
#
# Places: part   a partition, which gets a filesystem on disk a, and on b nothing
#         member a partition that becomes a member of a mirror
#         array  what an array makes of its members
#         pv     a partition that becomes a physical volume
#         lv     extents that become a logical volume

places=(part member array pv lv)
levels=(1 0 5 10)
metadatas=(1.2 1.0 1.2 0.90 1.1)
types=(swap ext4 vfat xfs btrfs)
size=320M

# choose ROUND STEP: pairs of which kind and place are in this round; STEP 1 has them all
choose() {
	local k p
	slots=()
	for p in "${!places[@]}"; do
		for k in "${!old_kinds[@]}"; do
			(((k + p * 2) % $2 == $1 % $2)) && slots+=("${places[p]} ${old_kinds[k]}")
		done
	done
}

# layout NAME: on standard output; "before" has no filesystems and leaves partitions alone that are to be dirtied themselves
layout() {
	local i place kind n=0 lvs=0 type metadata level devices pvs=()
	local parts='' arrays='' fs='' volumes='' before=
	[ "$1" != before ] || before=1
	for i in "${!slots[@]}"; do
		read -r place kind <<<"${slots[i]}"
		n=$(printf '%02d' "$i")
		type=${types[i % 5]}
		case $place in
		part)
			parts+="      - { name: p$n, size: $size }"$'\n'
			fs+="  - { type: $type, devices: a.p$n }"$'\n'
			;;
		member)
			parts+="      - { name: m$n, size: $size }"$'\n'
			[ -n "$before" ] || arrays+="  md$((100 + i)): { level: 1, metadata: ${metadatas[i % 5]}, devices: [a.m$n, b.m$n] }"$'\n'
			fs+="  - { type: ${types[(i + 1) % 5]}, devices: md$((100 + i)) }"$'\n'
			;;
		array)
			parts+="      - { name: r$n, size: $size }"$'\n'
			level=${levels[i % 4]}
			devices="a.r$n, b.r$n"
			[ "$level" != 5 ] || devices+=", c.r$n"
			# A RAID0 with 0.90 is refused.
			metadata=${metadatas[i % 5]}
			[ "$level$metadata" != 00.90 ] || metadata=1.0
			arrays+="  md$((i + (before ? 300 : 200))): { level: $level, metadata: $metadata, devices: [$devices] }"$'\n'
			# A physical volume on every third, and nothing on some, where nothing of the old is overwritten
			if ((i % 3 == 1)); then pvs+=("md$((200 + i))"); elif ((i % 3 == 2)); then
				fs+="  - { type: ${types[(i + 2) % 5]}, devices: md$((200 + i)) }"$'\n'
			fi
			;;
		pv)
			parts+="      - { name: v$n, size: $size }"$'\n'
			pvs+=("a.v$n")
			;;
		lv)
			lvs=$((lvs + 1))
			volumes+="      l$n: { size: $size }"$'\n'
			# Nothing on every other one
			((i % 2)) && fs+="  - { type: ${types[(i + 3) % 5]}, devices: vgl/l$n }"$'\n'
			;;
		esac
	done
	[ -z "$before" ] || fs=
	echo "stowage: 1"
	echo "name: $1"
	echo "disks: { a: $(disk a), b: $(disk b), c: $(disk c) }"
	echo "tables:"
	echo "  - disks: [a, b, c]"
	echo "    partitions:"
	printf '%s' "$parts"
	((lvs)) && echo "      - { name: lvm, size: $((lvs * ${size%M} + 64))M }"
	[ -z "$arrays" ] || printf 'arrays:\n%s' "$arrays"
	echo "volume-groups:"
	((lvs)) && printf '  vgl:\n    devices: a.lvm\n    volumes:\n%s' "$volumes"
	[ -z "$before" ] && ((${#pvs[@]})) && printf '  vgp:\n    devices: [%s]\n    volumes: { some: 1G }\n' "$(
		IFS=,
		echo "${pvs[*]}"
	)"
	[ -z "$fs" ] || printf 'filesystems:\n%s' "$fs"
}

part_of() { # DISK NUMBER
	echo "$(disk "$1")$2"
}

dirty() {
	local i place kind number=0 dev n next bad
	asleep
	: >/tmp/old/places
	layout before >before.yaml
	status "what was there before is built" 0 ./stowage apply before.yaml --yes --no-mount --root /mnt/before --state /run/before
	[ "$failed" = 0 ] || exit 1
	# Its own UUIDs are old ones, too.
	mdadm --detail --scan | sed -n 's/.*UUID=\([0-9a-f:]*\).*/\1/p' >>/tmp/old/names
	old_groups
	for i in "${!slots[@]}"; do
		read -r place kind <<<"${slots[i]}"
		n=$(printf '%02d' "$i")
		bad=
		[ "$place" = lv ] || number=$((number + 1))
		case $place in
		part)
			old "$kind" "$(part_of a $number)" "$(part_of b $number)" && { [ "$kind" = btrfs-two ] || old "$kind" "$(part_of b $number)"; } || bad=1
			echo "a.p$n $kind" >>/tmp/old/places
			echo "b.p$n $kind" >>/tmp/old/places
			;;
		member)
			next=${old_kinds[(i * 7 + 3) % ${#old_kinds[@]}]}
			[ "$next" != btrfs-two ] || next=btrfs
			[ "$kind" != btrfs-two ] || next=btrfs-two
			old "$kind" "$(part_of a $number)" "$(part_of b $number)" && { [ "$kind" = btrfs-two ] || old "$next" "$(part_of b $number)"; } || bad=1
			echo "a.m$n $kind" >>/tmp/old/places
			echo "b.m$n $next" >>/tmp/old/places
			echo "md$((100 + i)) (on-members-that-held)$kind" >>/tmp/old/places
			;;
		array)
			# The second device of a btrfs is one that has nothing else to do.
			old "$kind" "/dev/md$((300 + i))" "$(part_of c 1)" || bad=1
			echo "md$((200 + i)) $kind" >>/tmp/old/places
			;;
		pv)
			old "$kind" "$(part_of a $number)" "$(part_of c 1)" || bad=1
			echo "a.v$n $kind" >>/tmp/old/places
			;;
		lv)
			old "$kind" "/dev/vgl/l$n" "$(part_of c 1)" || bad=1
			echo "vgl/l$n $kind" >>/tmp/old/places
			;;
		esac
		[ -z "$bad" ] || is "the old $kind at $place shows" yes no
	done
	stopped
	is "nothing of it runs" "" "$(lsblk -nro NAME,TYPE | awk '$2 !~ /disk|part/ { print $1 }' | xargs)"
	for dev in a b c; do sfdisk -d "$(disk $dev)" >/tmp/old/table.$dev; done
	headless a b c
	is "no partition is left" "" "$(lsblk -nro NAME,TYPE | awk '$2 != "disk" { print $1 }' | xargs)"
	awake
}

# control: that what lies there does come up where nothing is scrubbed, and that we see it. Takes it down again.
control() {
	local d
	watch
	for d in a b c; do sfdisk -q --wipe never --wipe-partitions never "$(disk $d)" </tmp/old/table.$d >/dev/null; done
	unwatch
	old_pattern >/tmp/old/patterns
	ok "without a scrub udev finds the old" grep -qiFf /tmp/old/patterns /tmp/watch/events
	ok "and arrays come up" grep -q '^md' /tmp/watch/mdstat
	ok "and volumes" grep -q '^E: DM_LV_NAME=' /tmp/watch/db
	asleep
	stopped
	headless a b c
	is "and all of that is gone again" "" "$(lsblk -nro NAME,TYPE | awk '$2 != "disk" { print $1 }' | xargs)"
	awake
}

# build TEXT WORDS...: the layout is carried out while we watch; then the judges
build() {
	layout after >/tmp/layout.yaml
	made "$@"
}
