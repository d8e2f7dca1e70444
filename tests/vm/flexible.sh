#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The flexible fileserver of examples/: built by apply, and again by the printed script; the two must not differ.
. "$(dirname "$0")/host.sh"

disks=(vda=20G vdb=20G vdc=20G)

guest apply "${disks[@]}" <<'JOB'
layout=examples/flexible-fileserver.yaml
sed -i 's,/dev/vd\([abc]\),/dev/disk/by-id/virtio-vd\1,' $layout
./stowage probe -o out/blank.json
status "plan sees changes" 2 ./stowage plan $layout --root /mnt/target --exit-code
./stowage plan $layout --root /mnt/target --format sh -o out/plan.sh
./stowage fstab $layout --machine out/blank.json --root /mnt/target >out/fstab.before
strace -f -e trace=execve,openat,open -o /tmp/trace setpriv --reuid 65534 --clear-groups ./stowage plan $layout --machine out/blank.json >/dev/null
ok "a plan from a recording starts no process" test "$(grep -c 'execve(' /tmp/trace)" -le 2
ok "a plan from a recording opens no device" sh -c '! grep -E "\"/dev/(vd|sd|nvme|md|dm|mapper)" /tmp/trace'
strace -f -e trace=openat,open -o /tmp/trace ./stowage plan $layout --root /mnt/target >/dev/null
ok "a plan from the machine opens no device for writing" sh -c '! grep -E "\"/dev/.*O_(WRONLY|RDWR)" /tmp/trace | grep -vE "/dev/(null|tty|mapper/control)"'
status "plan needs no root" 0 setpriv --reuid 65534 --clear-groups ./stowage plan $layout --root /mnt/target

before=$(written)
status "without a terminal and --yes nothing is done" 1 ./stowage apply $layout --root /mnt/target </dev/null
is "and nothing was written" "$before" "$(written)"

status "apply" 0 ./stowage apply $layout --yes --root /mnt/target
cat /tmp/said
lsblk -o NAME,SIZE,TYPE,FSTYPE,MOUNTPOINTS
cat /mnt/target/etc/fstab

T=/mnt/target
for d in a b c; do
	is "vd$d: partitions" "1048576 536870912 4294967296 536870912 16102981632" \
		"$(lsblk -dbno SIZE /dev/disk/by-id/virtio-vd$d-part[1-5] | tr -d ' ' | tr '\n' ' ' | sed 's/ $//')"
	is "vd$d: GPT names" "bios boot root swap lvm" "$(lsblk -dno PARTLABEL /dev/disk/by-id/virtio-vd$d-part[1-5] | tr '\n' ' ' | sed 's/ $//')"
	is "vd$d: the first partition is for grub" 21686148-6449-6e6f-744e-656564454649 \
		"$(lsblk -dno PARTTYPE /dev/disk/by-id/virtio-vd$d-part1)"
	ok "vd$d: the table is sound" sfdisk --verify -q /dev/disk/by-id/virtio-vd$d
done
mdadm --detail /dev/md99 >/tmp/md
has "md99 is a RAID10" 'Raid Level : raid10' /tmp/md
has "md99 has the near layout with two copies" 'Layout : near=2' /tmp/md
has "md99 has three devices" 'Raid Devices : 3' /tmp/md
is "md99 holds swap" swap "$(blkid -p -s TYPE -o value /dev/md99)"
lvs --noheadings --units m --nosuffix -o lv_name,lv_size,segtype,stripes,devices --separator ' ' vg0 | sed 's/^ *//' >/tmp/lvs
for v in tmp:512 home:1024 var:1024 raid1:2048; do
	n=${v%:*}
	for i in 0 1 2; do
		pv=$(readlink -f "/dev/disk/by-id/virtio-vd$(echo abc | cut -c$((i + 1)))-part5")
		has "${n}_$i lies on its own disk" "^${n}_$i ${v#*:}.00 linear 1 $pv\\([0-9]+\\)$" /tmp/lvs
	done
done
has "noraid is striped over three disks" '^noraid 3072.00 striped 3 /dev/vd.5\([0-9]+\),/dev/vd.5\([0-9]+\),/dev/vd.5\([0-9]+\)$' /tmp/lvs
for m in /boot / /tmp /home /var /data/raid1; do
	btrfs filesystem df "$T$m" >/tmp/df
	has "$m: data are raid1" '^Data, RAID1:' /tmp/df
	has "$m: metadata are raid1" '^Metadata, RAID1:' /tmp/df
	ok "$m: no second profile" sh -c '! grep -E "single|DUP" /tmp/df | grep -v GlobalReserve'
	is "$m: three devices" 3 "$(btrfs filesystem show "$T$m" | grep -c devid)"
done
dumpe2fs -h /dev/vg0/noraid >/tmp/e2 2>&1
has "noraid: stride of 64 KiB" 'RAID stride: +16$' /tmp/e2
has "noraid: stripe of 192 KiB" 'RAID stripe width: +48$' /tmp/e2
mkdir -p /data/raid1 /data/noraid # findmnt looks for the mount points below the running root
ok "findmnt finds nothing wrong in fstab" findmnt --verify --tab-file $T/etc/fstab
awk '!/^#/ && $2 ~ "^/" { print $2 }' $T/etc/fstab | while read -r m; do
	mountpoint -q "$T${m%/}" || echo "$m"
done >/tmp/unmounted
is "everything in fstab is mounted" "" "$(cat /tmp/unmounted)"
is "/tmp is for everybody" 1777 "$(stat -c %a $T/tmp)"
cp $T/etc/fstab out/fstab.after
ok "fstab was known before, byte for byte" cmp out/fstab.before out/fstab.after
has "mdadm.conf names the array" "^ARRAY /dev/md99 .*UUID=$(mdadm --detail --export /dev/md99 | sed -n 's/MD_UUID=//p')" $T/etc/mdadm/mdadm.conf

quiet
./stowage probe --root $T | jq 'del(.drawn)' >out/after.json
freeze $T
before=$(written)
status "the second apply has nothing to do" 0 ./stowage apply $layout --yes --root $T
has "and says so" 'Nothing to do' /tmp/said
is "and writes no sector" "$before" "$(written)"
thaw $T
status "plan --exit-code says the same" 0 ./stowage plan $layout --root $T --exit-code
JOB

cp "$work/apply/out/plan.sh" "$work/plan.sh"
check "the script is clean under shellcheck" shellcheck -s sh "$work/plan.sh"

mkdir -p "$work/script"
cp "$work/plan.sh" "$work/script/"
guest script "${disks[@]}" <<'JOB'
status "the printed script, run by sh" 0 sh ./plan.sh
cat /tmp/said
quiet
./stowage probe --root /mnt/target | jq 'del(.drawn)' >out/after.json
cp /mnt/target/etc/fstab out/fstab.after
status "the script refuses disks that are not blank any more" 3 sh ./plan.sh
JOB

check "script and apply leave the same machine" diff -u "$work/apply/out/after.json" "$work/script/out/after.json"
check "script and apply leave the same fstab" cmp "$work/apply/out/fstab.after" "$work/script/out/fstab.after"
check "fstab from the recording, on this machine, is the same" sh -c \
	"'$stowage' fstab '$top/examples/flexible-fileserver.yaml' --machine '$work/apply/out/blank.json' --root /mnt/target | cmp - '$work/apply/out/fstab.after'"
done_testing
