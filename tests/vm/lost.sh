#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Disks whose table is gone, and what stood behind it is not: no plan takes them for blank, whatever the layout, and none writes to them.
. "$(dirname "$0")/host.sh"

# other DISK: another layout; refused, down, reread: what the guests of this test have in common
cat >"$work/lost.sh" <<'COMMON'
other() { # DISK: another layout
	cat >other.yaml <<-END
		stowage: 1
		name: other
		disks: { d: $1 }
		tables: [ { disks: d, partitions: [ { name: x, size: 3G }, { name: y, size: rest } ] } ]
		filesystems: [ { type: ext4, devices: x, mount: /mnt/x }, { type: ext4, devices: y, mount: /mnt/y } ]
	END
}
refused() { # TEXT LAYOUT PATTERN...: plan and apply refuse, name what lies there, and write nothing
	local text=$1 layout=$2 before
	shift 2
	quiet
	before=$(written)
	status "$text: plan refuses" 3 ./stowage plan "$layout" --root /mnt/target
	has "$text: it says what it is" 'looks like a lost table' /tmp/said
	for p in "$@"; do has "$text: it names $p" "$p" /tmp/said; done
	cp /tmp/said /tmp/said.$layout
	status "$text: apply refuses" 3 ./stowage apply "$layout" --root /mnt/target --yes
	is "$text: no sector is written" "$before" "$(written)"
	./stowage probe -o now.json
	status "$text: so does a plan from the recording" 3 ./stowage plan "$layout" --root /mnt/target --machine now.json
}
down() { # everything is stopped
	findmnt -rno TARGET -R /mnt/target 2>/dev/null | tac | xargs -r umount
	swapoff -a
	vgchange -qqan vg0 >/dev/null 2>&1
	mdadm --stop --scan 2>/dev/null
	udevadm settle
}
reread() { udevadm settle; for d in "$@"; do blockdev --rereadpt "$d"; done; udevadm settle; }
COMMON
common() { # before the job
	cat "$work/lost.sh" -
}

LIMIT=1700 guest lost vda=20G vdb=20G vdc=20G,logical_block_size=4096,physical_block_size=4096 < <(common <<'JOB'
a=$(disk vda) b=$(disk vdb) c=$(disk vdc)
cat >old.yaml <<END
stowage: 1
name: lost
disks: { vda: $a, vdb: $b }
tables:
  - disks: [vda, vdb]
    partitions:
      - { name: bios, size: 1M, type: bios-boot }
      - { name: boot, size: 512M }
      - { name: root, size: 4G }
      - { name: swap, size: 512M }
      - { name: lvm,  size: rest }
arrays:
  md99: { level: 1, devices: swap }
volume-groups:
  vg0: { devices: lvm, volumes: { home: { size: 1G, each: lvm }, data: { size: 3G, stripes: 2 } } }
filesystems:
  - { type: btrfs, devices: boot, profile: raid1, mount: /boot, label: boot }
  - { type: btrfs, devices: root, profile: raid1, mount: / }
  - { type: btrfs, devices: vg0/home, profile: raid1, mount: /home }
  - { type: xfs,   devices: vg0/data, mount: /srv }
  - { type: swap,  devices: md99 }
END
# One disk with sectors of 4096 bytes, by itself.
cat >old4k.yaml <<END
stowage: 1
name: lost4k
disks: { vdc: $c }
tables:
  - { disks: vdc, partitions: [ { name: a, size: 700M }, { name: b, size: 1111M }, { name: c, size: rest } ] }
filesystems:
  - { type: ext4, devices: a, mount: /mnt/a, label: first }
  - { type: xfs,  devices: b, mount: /mnt/b }
  - { type: vfat, devices: c, mount: /mnt/c }
END
status "zeroes are blank" 2 ./stowage plan old.yaml --root /mnt/target --exit-code
modprobe -a xfs btrfs ext4 vfat # not while all else is under way, too
status "the old layout is built" 0 ./stowage apply old.yaml --root /mnt/target --yes
status "and that of the third disk" 0 ./stowage apply old4k.yaml --root /mnt/target --yes
cp -r /usr/lib/udev /mnt/target/home/
for d in a b c; do dd if=/dev/zero of=/mnt/target/mnt/$d/file bs=1M count=200 status=none; done
sync
boot=$(uuid_of ${a}2) root=$(uuid_of ${a}3) pv=$(uuid_of ${a}5) md=$(mdadm --detail --export /dev/md99 | sed -n 's/MD_UUID=//p')
first=$(uuid_of ${c}1) second=$(uuid_of ${c}2)
sfdisk -d $a >a.dump
sfdisk -d $c >c.dump
down
ok "nothing is mounted" sh -c "! findmnt $a'*'"
./stowage probe -o now.json
is "a probe says how much of each of three filesystems is in use" 3 \
	"$(grep -o '"used": *[0-9]*' now.json | awk '$2 > 200 * 2 ^ 20 && $2 < 264 * 2 ^ 20' | wc -l)"

wipefs -aq $a
reread $a
wipefs -aq $b
reread $b
is "wipefs: the kernel sees no partition" "" "$(lsblk -nro NAME,TYPE $a $b | grep part)"
is "wipefs: nor does blkid see anything" "" "$(blkid -p -o value -s TYPE $a)"
# 2 MiB: btrfs; 514 MiB: btrfs; 4610 MiB: md; 5122 MiB: a PV
refused "wipefs, the same layout" old.yaml "btrfs 'boot' $boot at 2 MiB" "btrfs $root at 514 MiB" \
	"linux_raid_member .* at 4610 MiB" "LVM2_member $pv at 5" "$a" "$b"
cat /tmp/said.old.yaml
other $a
refused "wipefs, another layout" other.yaml "btrfs 'boot' $boot at 2 MiB, 512 MiB long" "LVM2_member $pv at 5"
cat >match.yaml <<END
stowage: 1
name: match
disks: { d: { match: { size: 20G, blank: true }, count: 3 } }
tables: [ { disks: d, partitions: [ { name: x, size: rest } ] } ]
END
status "it isn't found where blank disks are sought" 1 ./stowage plan match.yaml
has "and it is said why" 'looks like a lost table' /tmp/said

wipefs -aq $c
reread $c
refused "4096-byte sectors, the same layout" old4k.yaml "ext4 'first' $first at 1 MiB, 700 MiB long" "xfs $second at 701 MiB" "vfat .* at 1812 MiB"
other $c
refused "4096-byte sectors, another layout" other.yaml "ext4 'first' $first" "xfs $second"
sfdisk -q --no-reread $c <c.dump
reread $c
dd if=/dev/zero of=$c bs=4096 count=6 conv=fsync status=none
reread $c
refused "only the backup GPT" other.yaml "ext4 'first' $first at 1 MiB" "xfs $second at 701 MiB" "a copy of its GPT is left"
cat /tmp/said.other.yaml

sfdisk -q --no-reread $a <a.dump
down # md and LVM come up by themselves
dd if=/dev/zero of=$a bs=1M count=1 conv=fsync status=none
dd if=/dev/zero of=$a bs=1M count=1 seek=20479 conv=fsync status=none
reread $a
refused "both ends are zeroed" old.yaml "btrfs 'boot' $boot" "LVM2_member $pv"
sfdisk -q --no-reread $a <a.dump
down # md and LVM come up by themselves
other $b
./stowage plan other.yaml --root /mnt/target --allow-loss d -o saved.plan >/tmp/said 2>&1
is "with leave there is a plan" 0 $?
status "the ledger names what goes" 0 ./stowage plan other.yaml --root /mnt/target --allow-loss d
has "the ledger names what goes" "btrfs 'boot'" /tmp/said

JOB
)

LIMIT=1700 guest blank a=20G b=20G noise=6G < <(common <<'JOB'
a=$(disk a) b=$(disk b) noise=$(disk noise) blank=$a
dd if=/dev/urandom of=$noise bs=1M count=400 status=none
udevadm settle
is "no magic among them" "" "$(wipefs $noise)"
other $noise
status "random bytes are blank" 2 ./stowage plan other.yaml --root /mnt/target --exit-code
other $blank
strace -f -e trace=read,pread64,openat -y -o /tmp/trace ./stowage plan other.yaml >/dev/null
echo "# reads of a blank disk: $(grep -c "pread64(.*<$blank" /tmp/trace) pread, $(grep -c "read(.*<$blank" /tmp/trace) in all"
ok "a blank disk costs few reads" test "$(grep -c "read.*<$blank" /tmp/trace)" -le 200
ok "nothing is opened for writing" sh -c '! grep -E "\"/dev/.*O_(WRONLY|RDWR|EXCL)" /tmp/trace | grep -vE "/dev/(null|tty|mapper/control)"'

other $blank
cat >anew.yaml <<END
stowage: 1
name: anew
disks: { d: $a }
tables: [ { disks: d, partitions: [ { name: x, size: 1G } ] } ]
END
# Where only the plan's own places tell: something begins where nobody looks, but for that partition.
mkfs.ext4 -q -F -E offset=$((3073 << 20)) -L hidden $blank 1G
udevadm settle
status "a place that isn't usual is blank to others" 0 ./stowage plan anew.yaml --root /mnt/target
quiet
before=$(written)
status "but not to a plan that would put something there" 3 ./stowage plan other.yaml --root /mnt/target
has "which names it" "ext4 'hidden' .* at 3073 MiB, 1 GiB long" /tmp/said
status "nor to apply" 3 ./stowage apply other.yaml --root /mnt/target --yes
is "no sector is written" "$before" "$(written)"
dd if=/dev/zero of=$blank bs=1M seek=3073 count=1 conv=fsync status=none
udevadm settle
status "a plan is saved" 0 ./stowage plan other.yaml --root /mnt/target -o saved.plan
mkfs.ext4 -q -F -E offset=$((3073 << 20)) -L hidden $blank 1G
udevadm settle
quiet
before=$(written)
status "what has appeared since is seen" 3 ./stowage apply saved.plan --root /mnt/target --yes
has "and told" "strays was nothing, is .*\"label\":\"hidden\"" /tmp/said
is "and no sector is written" "$before" "$(written)"

other $blank
status "given up, it is built" 0 ./stowage apply other.yaml --root /mnt/target --yes --allow-loss d
tail -3 /tmp/said
umount -R /mnt/target/mnt/x /mnt/target/mnt/y
sfdisk -d $a >a.dump
wipefs -aq $a
reread $a
refused "its own table lost" other.yaml "ext4 .* at 1 MiB, 3 GiB long" "ext4 .* at 3073 MiB"
status "given up, another table is made" 0 ./stowage apply anew.yaml --root /mnt/target --yes --allow-loss d
wipefs -aq $a
reread $a
sfdisk -q --no-reread $a <a.dump
reread $a
is "and the old table finds nothing of it any more" "" "$(blkid -p -o value -s TYPE ${a}1)$(blkid -p -o value -s TYPE ${a}2)"
JOB
)
done_testing
