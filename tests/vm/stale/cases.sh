# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables of guest.sh and of the other files here
# In the guest: things that went wrong for others, each with its inputs varied.

# A filesystem in an array outlives the array: made again, the array shows it.
old_in_array() {
	local level kind words
	for words in "0 btrfs" "1 xfs" "5 ext4" "10 lvm" "0 swap"; do
		read -r level kind <<<"$words"
		cat >/tmp/layout.yaml <<END
stowage: 1
name: before
disks: { a: $(disk a), b: $(disk b), c: $(disk c) }
tables: [{ disks: [a, b, c], partitions: [{ name: one, size: 100M }, { name: two, size: 320M }] }]
arrays: { md7: { level: $level, devices: [a.two, b.two, c.two] } }
END
		asleep
		status "RAID$level: an array from before" 0 ./stowage apply /tmp/layout.yaml --yes --no-mount --root /mnt/before --state /run/before
		old "$kind" /dev/md7
		mdadm --detail --export /dev/md7 | sed -n 's/^MD_UUID=//p' >>/tmp/old/names
		stopped
		awake
		headless a b c
		sed -i 's/name: before/name: new/' /tmp/layout.yaml
		echo 'filesystems: [{ type: btrfs, devices: md7, label: new }]' >>/tmp/layout.yaml
		made "RAID$level over one that held $kind" a b c
		clean a b c
	done
}

# A volume where one was removed that held something: lvcreate would ask.
old_in_volume() {
	local kind i=0 volumes
	cat >/tmp/layout.yaml <<END
stowage: 1
name: volumes
disks: { a: $(disk a) }
tables: [{ disks: a, partitions: [{ name: lvm, size: rest }] }]
volume-groups: { vg: { devices: lvm } }
END
	status "a group" 0 ./stowage apply /tmp/layout.yaml --yes --no-mount --root /mnt/t --state /run/t
	asleep
	for kind in xfs ext4 swap btrfs vfat luks1 luks2 md-1.0 md-1.2 lvm gpt zfs; do
		i=$((i + 1))
		lvcreate -q -y -Wn -L 320M -n "l$i" vg >/dev/null
		old "$kind" "/dev/vg/l$i"
		volumes+="l$i: 320M, "
		echo "vg/l$i $kind" >>/tmp/old/places
	done
	vgs --noheadings -o vg_uuid vg | tr -d ' ' >/tmp/vg.uuid
	for md in /sys/block/md*; do [ ! -e "$md" ] || mdadm --quiet --stop "/dev/${md##*/}"; done
	vgchange -q -an vg && vgchange -q -ay vg
	lvremove -q -y vg
	awake
	sed -i "s/devices: lvm }/devices: lvm, volumes: { ${volumes%, } } }/" /tmp/layout.yaml
	made "volumes where others were"
	is "the group is the one that was there" "$(cat /tmp/vg.uuid)" "$(vgs --noheadings -o vg_uuid vg | tr -d ' ')"
	clean a
}

# Both copies of the other table are gone, whatever the disk becomes.
other_table() {
	local kind use
	for kind in gpt gpt-headless hybrid mbr; do
		for use in mbr gpt md pv swap xfs; do
			case $kind in
			gpt*) printf 'name=old900, size=100M\nname=old901\n' | sfdisk -q -w always --label gpt "$(disk a)" ;;
			hybrid) printf 'name=old900, size=100M\nname=old901\n' | sfdisk -q -w always --label gpt "$(disk a)"
				sgdisk --hybrid=1 "$(disk a)" >/dev/null ;;
			mbr) printf 'label-id: 0x01d0ffff\nsize=100M\n,\n' | sfdisk -q -w always --label dos "$(disk a)" ;;
			esac
			udevadm settle
			printf '%s\n' old900 old901 01d0ffff >>/tmp/old/names
			blkid -p -o export "$(disk a)" | sed -n 's/^PTUUID=//p' >>/tmp/old/names
			[ $kind != gpt-headless ] || headless_only a
			{
				echo "stowage: 1"
				echo "name: other"
				echo "disks: { a: $(disk a), b: $(disk b) }"
				case $use in
				mbr | gpt) echo "tables: [{ disks: a, label: $use, partitions: [{ name: p, size: 200M }] }]" ;;
				md) echo "arrays: { md8: { level: 1, devices: [a, b], metadata: $([ $kind = gpt ] && echo 1.0 || echo 1.2) } }" ;;
				pv) echo "volume-groups: { vg: { devices: a } }" ;;
				*) echo "filesystems: [{ type: $use, devices: a }]" ;;
				esac
			} >/tmp/layout.yaml
			echo "a $kind" >/tmp/old/places
			made "$use on a disk with an old $kind" a
			clean a b
		done
	done
}

# btrfs keeps a third superblock at 256 GiB, by which it is mended.
far_mirrors() {
	local far
	far=$(disk far)
	cat >/tmp/layout.yaml <<END
stowage: 1
name: before
disks: { far: $far, twin: $(disk twin) }
tables:
  - { disks: far, partitions: [{ name: part, size: 257G }, { name: lvm, size: 258G }, { name: leg, size: 257G }] }
  - { disks: twin, partitions: [{ name: leg, size: 257G }] }
arrays: { md20: { level: 1, devices: leg } }
volume-groups: { vg: { devices: lvm, volumes: { x: 257G } } }
END
	asleep
	status "far: what was there before" 0 ./stowage apply /tmp/layout.yaml --yes --no-mount --root /mnt/before --state /run/before
	old btrfs "${far}1"
	old btrfs /dev/md20
	old btrfs /dev/vg/x
	old_groups vg
	printf '%s\n' "far.part btrfs" "md20 btrfs" "vg/x btrfs" >/tmp/old/places
	is "far: each has all its mirrors" 6 "$(./by-hand.py mirrors "${far}1" /dev/md20 /dev/vg/x | wc -l)"
	stopped
	awake
	headless far twin
	sed -i 's/name: before/name: new/' /tmp/layout.yaml
	echo 'filesystems: [{ type: xfs, devices: part }, { type: swap, devices: md20 }]' >>/tmp/layout.yaml
	made "far" far twin
	clean far twin
}

# Partitions go before their table does, deepest users first, wherever the volume is.
old_partitions() {
	local round kinds i d
	for round in "lvm xfs swap" "ext4 lvm md-1.2" "btrfs luks2 lvm" "md-1.1 md-0.90 zfs"; do
		d=$(disk a)
		printf 'size=330M\nsize=330M\nsize=330M\n' | sfdisk -q -w always --label gpt "$d"
		udevadm settle
		read -ra kinds <<<"$round"
		for i in 0 1 2; do
			old_keep=1 old "${kinds[i]}" "$d$((i + 1))"
		done
		blkid -p -o export "$d" | sed -n 's/^PTUUID=//p' >>/tmp/old/names
		udevadm settle
		lsblk -o NAME,TYPE,FSTYPE "$d"
		cat >/tmp/layout.yaml <<END
stowage: 1
name: new
disks: { a: $d }
tables: [{ disks: a, partitions: [{ name: one, size: 500M }, { name: two, size: 500M }] }]
filesystems: [{ type: xfs, devices: one }, { type: ext4, devices: two }]
END
		status "$round alive: not unasked" 3 ./stowage apply /tmp/layout.yaml --yes --no-mount --root /mnt/t --state /run/t
		made_alive "$round alive" a
		clean a
	done
}

# made_alive: as made, but what runs at first is seen to go: its events are of that
made_alive() {
	local text=$1 words
	shift
	mapfile -t words < <(lossy "$@")
	watch
	status "$text: apply" 0 ./stowage apply /tmp/layout.yaml --yes --no-mount --root /mnt/t --state /run/t "${words[@]}"
	unwatch
	planned "$text"
	is "$text: nothing of it comes back once it is gone" "" "$(came_back)"
	is "$text: no link has a name of the old" "" "$(grep -iFf /tmp/old/patterns /tmp/watch/links | head -n 20)"
	is "$text: udev knows no name of the old" "" "$(grep -iFf /tmp/old/patterns /tmp/watch/db | sort | uniq -c | head -n 20)"
}

# A block device that the kernel removed and that is there again, under an old name
came_back() {
	awk '/^KERNEL *\[/ { action = $3; dev = $4 }
		/^UDEV *\[/ { action = ""; dev = $4 }
		action == "remove" && dev ~ /(md|dm-|bcache)[^\/]*$/ { gone[dev] = 1; action = "" }
		action == "add" && gone[dev] && dev ~ /bcache/ { print "again: " dev }' /tmp/watch/events
	saw_old_after_removal
}

# Events by name, behind the last removal of the device that bore it: nothing may assemble it a second time
saw_old_after_removal() {
	awk '/^(KERNEL|UDEV) *\[/ { who = $1; action = $3; dev = $4; next }
		/^(MD_UUID|DM_UUID|DM_NAME|MD_NAME)=/ {
			key = dev " " $0
			if (action == "remove") gone[$0] = 1
			else if (gone[$0] && action == "add") print "again: " key
		}' /tmp/watch/events | grep -iFf /tmp/old/patterns | sort -u
}

# A whole machine in use: what is allowed goes, what isn't stays as it is, to the sector.
in_use() {
	local a b c d before x
	a=$(disk a) b=$(disk b) c=$(disk c) d=$(disk d)
	for x in $a $b; do
		printf 'size=100M\nsize=400M\nsize=330M\nsize=100M\nsize=330M\n' | sfdisk -q -w always --label gpt "$x"
	done
	for x in $c $d; do printf 'size=64M\nsize=64M\nsize=64M\nsize=64M\n' | sfdisk -q -w always --label gpt "$x"; done
	udevadm settle
	blkid -p -o export "$a" "$b" | sed -n 's/^PTUUID=//p' >>/tmp/old/names
	printf '%s\n' old910 >>/tmp/old/names
	mdadm --create /dev/md/old910s --run -q -l1 -n2 --homehost=any -e1.2 "${a}1" "${b}1"
	mkswap -q -L old910s /dev/md/old910s && swapon /dev/md/old910s
	mdadm --create /dev/md/old910v --run -q -l1 -n2 --homehost=any -e1.0 "${a}2" "${b}2"
	pvcreate -q -y /dev/md/old910v && vgcreate -q -y old910 /dev/md/old910v
	lvcreate -q -y -L 100M -n old910a old910 && lvcreate -q -y -L 64M -n old910b old910
	mkfs.ext4 -q -L old910a /dev/old910/old910a
	mkswap -q -L old910b /dev/old910/old910b && swapon /dev/old910/old910b
	mkfs.btrfs -q -f -L old910 -d raid1 -m raid1 "${a}3" "${b}3"
	echo secret | cryptsetup luksFormat -q --type luks2 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 "${a}4" -
	echo secret | cryptsetup open --key-file - "${a}4" old910
	mkfs.xfs -q -f -L old910x "${b}5"
	old_names "$a"? "$b"? /dev/old910/* /dev/md/old910*
	old_groups old910
	# Others: an array, a group that is not active, one that is, a swap
	mdadm --create /dev/md/theirs --run -q -l1 -n2 --homehost=any -e1.2 "${c}1" "${d}1" && mkfs.ext4 -q -E lazy_itable_init=0 /dev/md/theirs
	vgcreate -q -y asleep "${c}2" "${d}2" && lvcreate -q -y -L 16M -n one asleep && vgchange -q -an asleep
	vgcreate -q -y awake "${c}3" && lvcreate -q -y -L 16M -n one awake
	mkswap -q "${d}4" && swapon "${d}4"
	udevadm settle
	cat >/tmp/layout.yaml <<END
stowage: 1
name: new
disks: { a: $a, b: $b }
tables: [{ disks: [a, b], partitions: [{ name: boot, size: 200M }, { name: data, size: 900M }] }]
arrays: { md40: { level: 1, devices: boot }, md41: { level: 1, devices: data } }
volume-groups: { new: { devices: md41, volumes: { x: 320M, y: 128M } } }
filesystems: [{ type: ext4, devices: md40 }, { type: xfs, devices: new/x }, { type: swap, devices: new/y }]
END
	quiet
	before=$(written)
	status "in use: not unasked" 3 ./stowage apply /tmp/layout.yaml --yes --no-mount --root /mnt/t --state /run/t
	cat /tmp/said
	status "in use: not with one disk alone allowed" 3 ./stowage apply /tmp/layout.yaml --yes --no-mount --root /mnt/t --state /run/t --allow-loss "$a"
	cat /tmp/said
	is "in use: and nothing is written" "$before" "$(written)"
	sum() { sha256sum "$c" "$d"; }
	theirs() {
		mdadm --detail --export /dev/md/theirs
		lvs --noheadings -o lv_full_name,lv_active,lv_uuid asleep awake
		dmsetup info -c --noheadings -o name,uuid,open awake-one
		# The kernel counts automatic priorities anew when another swap goes.
		awk -v dev="${d}4" '$1 == dev { print $1, $2, $3 }' /proc/swaps
		find /dev/md /dev/disk/by-id /dev/mapper -type l \( -name '*theirs*' -o -name '*awake*' -o -name '*asleep*' \) -printf '%p %l\n' | sort
	}
	echo frozen | tee /sys/block/md*/md/sync_action >/dev/null
	sum >/tmp/sum.before
	theirs >/tmp/theirs.before
	before=$(written | grep -E "^(${c#/dev/}|${d#/dev/}) ")
	made_alive "in use" a b
	is "in use: the other disks are not written to" "$before" "$(written | grep -E "^(${c#/dev/}|${d#/dev/}) ")"
	sum >/tmp/sum.after
	theirs >/tmp/theirs.after
	is "in use: the other disks hold what they held" "" "$(diff /tmp/sum.before /tmp/sum.after)"
	is "in use: their arrays, groups and swap are as they were" "" "$(diff /tmp/theirs.before /tmp/theirs.after)"
	is "in use: a sleeping group was not woken" "" "$(grep -oE '^DM_(NAME=asleep.*|VG_NAME=asleep)' /tmp/watch/events | sort -u)"
	is "in use: nobody touched their array" "" "$(grep -E '^(KERNEL|UDEV) *\[' /tmp/watch/events | grep -F "/$(basename "$(readlink -f /dev/md/theirs)") " | sort -u)"
	swapoff "${d}4"
	vgchange -q -an awake
	clean a b c d
}
