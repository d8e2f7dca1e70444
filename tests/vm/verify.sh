#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What was built is as asked. Then other tools take it apart, one thing at a time: each is seen with its class, exit 2, and not one sector is
# written for it; and when it is mended, all is as asked again.
. "$(dirname "$0")/host.sh"

guest verify a=2G b=2G c=2G,bus=scsi d=400M <<'JOB'
a=$(disk a) b=$(disk b) c=$(disk c) d=$(disk d)
root=/mnt/small
# With an array of parity in the making the kernel may be too busy to load a driver for others in time.
modprobe -a btrfs xfs ext4 raid456
place small.yaml /dev/vda=a /dev/vdb=b /dev/vdc=c
apply $root
verify() { ./stowage verify /tmp/layout.yaml --root $root "$@"; }
# is_now FILE WORD
is_now() { [ "$(cat "$1")" = "$2" ]; }
# Nothing else may write meanwhile: filesystems are frozen, and md has noted that its array is in order.
rest() {
	quiet
	for m in home data srv; do ! mountpoint -q $root/$m || fsfreeze -f $root/$m; done
	sync
	still
}
wake() { for m in home data srv; do ! mountpoint -q $root/$m || fsfreeze -u $root/$m; done; }
looks() { # TEXT STATUS: what verify says is in /tmp/said; it writes nothing
	local before
	rest
	before=$(written)
	status "$1" "$2" verify
	is "$1: no sector is written" "$before" "$(written)"
	wake
}
as_asked() {
	looks "$1: as asked" 0
	is "$1: one line" 1 "$(wc -l </tmp/said)"
}
differs() { # TEXT CLASS PATTERN: this one is among what differs, and nothing is of a class that is worse
	looks "$1" 2
	has "$1: $2" "^[^ ]*: $2: .*$3" /tmp/said
	cat /tmp/said
}
settled() { # all members of the array are filled
	echo idle >/sys/block/md0/md/sync_action
	mdadm --wait --quiet /dev/md0
	udevadm settle
}
settled
as_asked "what was built"
status "for programs, too" 0 verify --json
has "as JSON" '"as-asked": true' /tmp/said

fstab=$root/etc/fstab
cp $fstab /tmp/fstab
changed() { # TEXT CLASS PATTERN SED: fstab with a change
	sed -i "$4" $fstab
	cmp -s $fstab /tmp/fstab && echo "not ok - $1: the change was none"
	differs "$1" "$2" "$3"
	cp /tmp/fstab $fstab
}
srv=$(uuid_of /dev/vg0/srv)
changed "a wrong pass number" degraded "pass number 0 for /data" '/ext4/s/2$/0/'
changed "a UUID that is on no device" dangerous "which is on no device" "s/$srv/00000000-0000-4000-8000-000000000000/"
changed "somebody's line that leads nowhere" dangerous "LABEL=away for /away is on no device" '$aLABEL=away /away ext4 defaults 0 2'
changed "the kernel's name for an array" dangerous "the kernel deals out such names" 's,UUID=[^ ]* /data,/dev/md0 /data,'
changed "another filesystem" dangerous "that is another device" "s/$srv/$(uuid_of /dev/md0)/"
changed "a line that is gone" missing "no line for /srv" '/srv/d'
changed "other options" different "has options defaults for /srv" 's/noatime/defaults/'
cp $root/etc/mdadm/mdadm.conf /tmp/conf
sed -i '/^ARRAY/d' $root/etc/mdadm/mdadm.conf
differs "an array without its line" missing "no line that names 'md0'"
cp /tmp/conf $root/etc/mdadm/mdadm.conf
as_asked "the files as they were"

e2label /dev/md0 other
differs "another label" cosmetic "its label is 'other'"
e2label /dev/md0 data

mkfs.xfs -q -f -m uuid="$srv" $d && udevadm settle
differs "a copy of a filesystem" dangerous "bear one identifier as filesystem"
wipefs -aq $d
umount $root/srv
differs "a filesystem that isn't mounted" missing "isn't mounted at $root/srv"
lvchange -an vg0/srv && udevadm settle
differs "a volume that isn't active" different "it isn't active"
lvchange -ay vg0/srv && udevadm settle && mount -o noatime /dev/vg0/srv $root/srv
as_asked "those as they were"

head -c 160M /dev/urandom >$root/home/file && sync
btrfs -q balance start -f -dconvert=single,limit=1 $root/home
btrfs filesystem df $root/home
differs "a balance that stopped half-way" degraded "its data is (raid1, single|single, raid1)"
btrfs -q balance start -dconvert=raid1,soft $root/home
as_asked "all of it converted back"

pvmove -q -n home_1 ${b}3 ${a}3 && udevadm settle
differs "a leg of a mirror on the wrong disk" dangerous "vg0/home_1: a part of it lies on ${a}3"
pvmove -q -n home_1 ${a}3 ${b}3 && udevadm settle
lvextend -qq -L +8M vg0/srv && udevadm settle
differs "a volume that was grown by hand" different "vg0/srv: it is 328 MiB"
lvreduce -qq -f -y -L 320M vg0/srv && udevadm settle
lvremove -qy vg0/spare 2>/dev/null
as_asked "volumes as they were"

# What a power cut may leave: on one device the header leads to where the text isn't.
text=$(pvck --dump headers ${b}3 | sed -n 's/.*mda_header_1.raw_locn\[0\].offset \([0-9]*\).*/\1/p')
dd if=/dev/zero of=${b}3 bs=512 seek=$(((4096 + text) / 512)) count=1 conv=fsync status=none
pvs 2>&1 | grep -q 'vgck --updatemetadata' || echo "not ok - the metadata was not damaged"
differs "a copy of a group's metadata that is damaged" degraded "on ${b}3 can't be read"
status "which apply writes anew" 0 ./stowage apply /tmp/layout.yaml --yes --root $root
is "LVM finds nothing wrong" "" "$(pvs 2>&1 >/dev/null; pvs | grep Retrying)"
as_asked "all copies whole"

mdadm --quiet --fail /dev/md0 ${b}2
differs "a member that failed" degraded "md0: it is degraded: 'vdb.data' is missing"
mdadm --quiet --remove /dev/md0 ${b}2
differs "a member that was taken out" degraded "md0: it is degraded: 'vdb.data' is missing"
echo frozen >/sys/block/md0/md/sync_action # as `rest` does
mdadm --quiet --add /dev/md0 ${b}2 && udevadm settle
differs "one that is to be filled" degraded "md0: it is degraded"
echo 1 >/sys/block/md0/md/sync_speed_min; echo 50 >/sys/block/md0/md/sync_speed_max
echo idle >/sys/block/md0/md/sync_action
await "md0 is being filled" is_now /sys/block/md0/md/sync_action recover
status "one that is being filled" 2 verify
has "which md tells" "degraded: md0: .*1 is not filled yet, md says recover" /tmp/said
cat /tmp/said
echo system >/sys/block/md0/md/sync_speed_min; echo system >/sys/block/md0/md/sync_speed_max
settled
as_asked "all of it filled"

umount $root/srv && lvremove -qy vg0/srv && udevadm settle
sed -i 's/2$/0/' $fstab
e2label /dev/md0 other
looks "several at once" 2
cp /tmp/said /tmp/live
./stowage probe --root $root -o out/broken.json
verify --machine out/broken.json >/tmp/said
is "a recording says the same" "$(cat /tmp/live)" "$(cat /tmp/said)"
is "what matters most comes first" "dangerous missing degraded cosmetic" "$(cut -d: -f4 /tmp/said | xargs -n1 | uniq | xargs)"
cat /tmp/said

before=$(md5sum /tmp/layout.yaml)
echo 1 >/sys/block/${c##*/}/device/delete
udevadm settle
date >$root/data/file; sync
status "a disk that was pulled" 2 verify
cat /tmp/said
has "is missing" "missing: there is no $c" /tmp/said
has "its array is degraded" "degraded: md0" /tmp/said
has "its volume group, too" "degraded: vg0" /tmp/said
JOB
done_testing
