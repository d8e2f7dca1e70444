#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A server that is there gets one volume more: what is there stays, to the byte. And names that a shell or fstab could take for something
# else come through, by apply and by the script alike.
. "$(dirname "$0")/host.sh"

guest more a=4G b=4G <<'JOB'
layout() { # MORE-VOLUMES MORE-FILESYSTEMS
	cat <<LAYOUT
stowage: 1
name: more
disks: { a: $(disk a), b: $(disk b) }
tables:
  - { disks: [a, b], partitions: [{ name: boot, size: 256M }, { name: lvm, size: rest }] }
arrays:
  boot-md: { level: 1, devices: boot }
volume-groups:
  vg:
    devices: lvm
    volumes:
      home: { size: 1G, each: lvm }
$1
filesystems:
  - { type: ext4, devices: boot-md, mount: /boot, options: [noatime] }
  - { type: btrfs, devices: vg/home, mount: /home }
$2
LAYOUT
}
layout "" "" >layout.yaml
status "apply" 0 ./stowage apply layout.yaml --yes --root /mnt/t
echo keep >/mnt/t/home/file
sed -i 's/noatime/noatime,commit=60/' /mnt/t/etc/fstab
echo 'tmpfs /scratch tmpfs size=1g 0 0 # by hand' >>/mnt/t/etc/fstab
cp /mnt/t/etc/fstab out/fstab.before
layout "      data: { size: 25%, stripes: 2 }" "  - { type: xfs, devices: vg/data, mount: /srv/data }" | sed 's/, options: \[noatime\]//' >layout.yaml
status "one volume and one filesystem are due" 2 ./stowage plan layout.yaml --root /mnt/t --exit-code
./stowage plan layout.yaml --root /mnt/t --format json >plan.json
is "and nothing else" "create vg/data,clear vg/data,format /srv/data,mkdir /mnt/t/srv/data,mount /mnt/t/srv/data,write fstab,announce filesystems,wait for links" \
	"$(jq -r '[.steps[].id] | join(",")' plan.json)"
status "apply" 0 ./stowage apply layout.yaml --yes --root /mnt/t
is "what was there stays" keep "$(cat /mnt/t/home/file)"
is "the new one is mounted" xfs "$(findmnt -no FSTYPE /mnt/t/srv/data)"
is "its volume has two stripes" 2 "$(lvs --noheadings -o stripes vg/data | xargs)"
cp /mnt/t/etc/fstab out/fstab.after
is "fstab got one line, and lost none" ">" "$(diff out/fstab.before out/fstab.after | grep '^[<>]' | cut -c1 | xargs)"
status "nothing is left to do" 0 ./stowage plan layout.yaml --root /mnt/t --exit-code

layout "" "" | sed 's/size: 1G, each/size: 2G, each/' >layout.yaml
before=$(written)
status "a volume that has to grow is left as it is" 1 ./stowage apply layout.yaml --yes --root /mnt/t
has "and told so" 'has to grow from 1 GiB to 2 GiB' /tmp/said
JOB

cat >"$work/names.yaml" <<'LAYOUT'
stowage: 1
name: names
disks: { d: /dev/disk/by-id/virtio-n }
tables:
  - disks: d
    partitions:
      - { name: "EFI System Partition", size: 64M, type: esp }
      - { name: "it's $(touch pwned) `id`", size: 64M }
      - { name: "-n; rm", size: 400M }
      - { name: swap, size: 64M }
      - { name: "ünïcode", size: 256M }
filesystems:
  - { type: vfat, devices: "d.EFI System Partition", label: "A B", mount: /boot/efi }
  - { type: ext4, devices: "d.it's $(touch pwned) `id`", label: "-rf 'q' \"$(id)", mount: "/srv/$(touch pwned)/it's" }
  - { type: xfs, devices: "d.-n; rm", label: "; `id` *", mount: "/srv/Team Share", options: [nosuid] }
  - { type: swap, devices: d.swap, label: '%n\t\40' }
  - { type: btrfs, devices: d.ünïcode, label: "/ and \\ and ü", mount: "/srv/ü #1" }
LAYOUT

mkdir -p "$work/names"
cp "$work/names.yaml" "$work/names/"
guest names n=2G <<'JOB'
status "apply" 0 ./stowage apply names.yaml --yes --root "/mnt/it's here"
cat /tmp/said
T="/mnt/it's here"
d=$(disk n)
is "GPT name with everything" "it's \$(touch pwned) \`id\`" "$(sfdisk -J "$d" | jq -r '.partitiontable.partitions[1].name')"
is "ext4 label" "-rf 'q' \"\$(id)" "$(blkid -p -s LABEL -o value "${d}2")"
is "xfs label" '; `id` *' "$(blkid -p -s LABEL -o value "${d}3")"
is "swap label" '%n\t\40' "$(swaplabel "${d}4" | sed -n 's/^LABEL: *//p')"
is "btrfs label" '/ and \ and ü' "$(btrfs filesystem label "$T/srv/ü #1")"
is "mounted where it was asked for" xfs "$(findmnt -no FSTYPE "$T/srv/Team Share")"
is "mounted where it was asked for, with a quote" ext4 "$(findmnt -no FSTYPE "$T/srv/\$(touch pwned)/it's")"
has "fstab escapes the blank" '^UUID=[^ ]* +/srv/Team\\040Share +xfs' "$T/etc/fstab"
is "fstab is read as it was meant" "/srv/Team Share" "$(findmnt --tab-file "$T/etc/fstab" -no TARGET -t xfs)"
ok "no shell has run anything" sh -c '! find / -xdev -name pwned | grep .'
quiet
./stowage probe --root "$T" | jq 'del(.drawn)' >out/after.json
cp "$T/etc/fstab" out/fstab
status "nothing is left to do" 0 ./stowage plan names.yaml --root "$T" --exit-code
JOB
mkdir -p "$work/names-script"
cp "$work/names.yaml" "$work/names-script/"
guest names-script n=2G <<'JOB'
./stowage plan names.yaml --root "/mnt/it's here" --format sh -o plan.sh
status "the script" 0 sh ./plan.sh
quiet
./stowage probe --root "/mnt/it's here" | jq 'del(.drawn)' >out/after.json
cp "/mnt/it's here/etc/fstab" out/fstab
ok "no shell has run anything" sh -c '! find / -xdev -name pwned | grep .'
JOB
check "names: script and apply leave the same machine" diff -u "$work/names/out/after.json" "$work/names-script/out/after.json"
check "names: script and apply leave the same fstab" cmp "$work/names/out/fstab" "$work/names-script/out/fstab"
done_testing
