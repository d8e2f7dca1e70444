#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Who uses a disk, and which disks are protected, seen by a real kernel: exit 3, not one sector is written, and the message names the reason.
. "$(dirname "$0")/host.sh"

# As it is told to the person, for review.
show() { # NAME
	sed -n 's/^says: /# /p' "$work/$1/log"
}

# What the jobs of these guests have in common.
{
	cat "$here/guest.sh"
	cat <<'MORE'
says() { # TEXT: what the person is told
	echo "says: === $1"
	grep -A30 -E 'refused:|error:' /tmp/said | sed 's/^/says: /'
}

refused() { # TEXT PATTERN WORDS...: apply refuses, says why, and writes nothing
	local text=$1 pattern=$2 before
	shift 2
	quiet
	before=$(written)
	status "$text: refused" 3 ./stowage apply --root /mnt/target --yes "$@"
	says "$text"
	has "$text: says why" "$pattern" /tmp/said
	is "$text: no sector is written" "$before" "$(written)"
}

# hold COMMAND...: a program that ends when `let_go` says so; returns when it is where it shall be
hold() {
	rm -f /tmp/gate /tmp/there
	mkfifo /tmp/gate
	"$@" &
	holder=$!
	await "the program is where it shall be" test -e /tmp/there
}
let_go() {
	echo >/tmp/gate
	wait "$holder"
}
MORE
} >"$work/functions.sh"

with_functions() { # NAME DISK=SIZE...: as `guest`
	mkdir -p "$work/$1"
	cp "$work/functions.sh" "$work/$1/"
	{ echo '. ./functions.sh'; cat; } >"$work/job"
	guest "$@" <"$work/job"
}

with_functions users a=1G b=1G c=1G,bus=scsi,wwn=0x5000c500a1b2c3d4 d=1G <<'JOB'
a=$(disk a) b=$(disk b) c=$(disk c) d=$(disk d)
layout() { # DISK...: one XFS on the first, in an array over all where there are several
	{
		echo 'stowage: 1'
		echo 'name: refusals'
		echo 'disks:'
		for x in "$@"; do echo "  d${x##*/}: $x"; done
		echo 'tables:'
		echo "  - { disks: [$(for x in "$@"; do printf 'd%s, ' "${x##*/}"; done)], partitions: [{ name: data, size: rest }] }"
		[ $# = 1 ] || echo 'arrays: { md7: { level: 1, devices: data } }'
		echo 'filesystems:'
		echo "  - { type: xfs, devices: $([ $# = 1 ] && echo data || echo md7), mount: /srv }"
	} >layout.yaml
}
blank() {
	for x in $a $b $c $d; do wipefs -aq "$x"; blockdev --rereadpt "$x" 2>/dev/null; done
	udevadm settle
}

# In use, and known when the plan is made.
layout $a
mkfs.ext4 -q -L "old data" $a
mount -o noinit_itable $a /mnt
refused "mounted" "$a is mounted on /mnt:" layout.yaml
refused "mounted, though it may be lost" "$a is mounted on /mnt: nothing gives that up" layout.yaml --allow-loss "d${a##*/}"
umount /mnt
blank

mkswap -q $a && swapon $a
refused "swap" "$a .*in use as swap" layout.yaml
swapoff $a
blank

layout $a $b
vgcreate -qy old $a $d && lvcreate -qy -n home -L 100M old $d
refused "a PV of a VG that is on another disk, too" "vg old" layout.yaml
lvcreate -qy -n root -l 10 old $a
refused "an active LV" "/dev/mapper/old-root .*linear volume" layout.yaml
refused "that PV, though its disk may lose it" "it would hit $d as well" layout.yaml --allow-loss "d${a##*/}"
vgremove -qy -f old && pvremove -qy $a $d
blank

mdadm --create /dev/md/old --run --quiet -l1 -n2 -e1.2 $b $d
udevadm settle
refused "a member of an array with another disk" "/dev/md127 .*RAID1" layout.yaml
refused "that member, though its disk may lose it" "it would hit $d as well" layout.yaml --allow-loss "d${b##*/}"
echo idle >/sys/block/md127/md/sync_action
mdadm --wait /dev/md127
for f in min max; do echo 100 >/sys/block/md127/md/sync_speed_$f; done
echo check >/sys/block/md127/md/sync_action
status "an array under a check" 3 ./stowage apply --root /mnt/target --yes layout.yaml
says "an array under a check"
has "an array under a check: says so" 'a check is under way on /dev/md127' /tmp/said
echo idle >/sys/block/md127/md/sync_action
mdadm --stop /dev/md127
mdadm --zero-superblock $b $d
blank

layout $a
printf secret >/tmp/key
cryptsetup -q luksFormat --pbkdf pbkdf2 --pbkdf-force-iterations 1000 --key-file /tmp/key $a
cryptsetup open --key-file /tmp/key $a vault
refused "LUKS, open" "/dev/mapper/vault .*dm crypt" layout.yaml
hold sh -c "exec 3<>/dev/mapper/vault; touch /tmp/there; read x </tmp/gate"
refused "LUKS, open, which a process writes to, though it may be lost" "/dev/dm-[0-9]+ is in use: open in process $holder \(sh\)" layout.yaml --allow-loss "d${a##*/}"
let_go
cryptsetup close vault
refused "LUKS, closed" "crypto_LUKS" layout.yaml
blank

layout $a
losetup /dev/loop0 $a
refused "a loop device on the disk" "$a is used by /dev/loop0" layout.yaml
refused "a loop device, though the disk may lose what is on it" "$a is used by /dev/loop0" layout.yaml --allow-loss "d${a##*/}"
losetup -d /dev/loop0
blank

mkfs.btrfs -q $a $d && udevadm settle
refused "a btrfs that is on another disk, too" "it would hit $d as well" layout.yaml
refused "that btrfs, though one disk may lose it" "it would hit $d as well" layout.yaml --allow-loss "d${a##*/}"
blank

# In use, and not to be seen by a plan.
cat >exclusive.py <<'PY'
import os, sys
fd = os.open(sys.argv[1], os.O_RDONLY | os.O_EXCL)
open("/tmp/there", "w").close()
open("/tmp/gate").read()
PY
hold python3 exclusive.py $a
refused "open exclusively" "$a is in use: open in process $holder \(python3\)" layout.yaml
let_go

hold sh -c "exec 3<>$a; touch /tmp/there; read x </tmp/gate"
refused "open for writing, as a virtual machine has it" "$a is in use: open in process $holder \(sh\)" layout.yaml
let_go
hold sh -c "exec 3<$a; touch /tmp/there; read x </tmp/gate"
status "open for reading is no use" 0 ./stowage plan layout.yaml --root /mnt/target
let_go
blank

# The signature is cleared behind the mount: the plan sees a blank disk.
mkfs.xfs -q -f $a
hold unshare -m --propagation private sh -c "mount $a /mnt && sync && touch /tmp/there; read x </tmp/gate"
refused "mounted in another mount namespace" "isn't blank" layout.yaml
refused "mounted there, though it may be lost" "$a is in use: mounted on /mnt for process $holder \(sh\)" layout.yaml --allow-loss "d${a##*/}"
dd if=/dev/zero of=$a bs=4k count=1 conv=fsync status=none
udevadm settle
refused "mounted there, and looking blank" "$a is in use: mounted on /mnt for process $holder \(sh\)" layout.yaml
let_go
blank

layout $a
dmsetup create hold --table "0 2048 linear $a 0"
refused "part of a device-mapper device" "/dev/mapper/hold .*dm linear" layout.yaml
dmsetup remove hold
blank

# A volume that is being moved, slowly.
vgcreate -qy old $a $d && lvcreate -qy -n home -l 200 old $a
echo 1 >/sys/module/dm_mirror/parameters/raid1_resync_throttle 2>/dev/null
if pvmove -q -b $a $d 2>/tmp/moved && dmsetup ls | grep -q pvmove; then
	status "a volume that is being moved" 3 ./stowage apply --root /mnt/target --yes layout.yaml
	says "a volume that is being moved"
	has "a volume that is being moved: says so" 'a pvmove is under way on /dev/mapper/old-home' /tmp/said
	pvmove -q --abort
else
	cat /tmp/moved
fi
vgremove -qy -f old && pvremove -qy $a $d
blank

# A system whose / lies on a volume on two disks. What it sees is what a process sees whose root that is.
vgcreate -qy sys $a $b && lvcreate -qy -n root -l 100 sys $b && mkfs.ext4 -q /dev/sys/root
mkdir -p /mnt/sys && mount -o noinit_itable /dev/sys/root /mnt/sys
mkdir -p /mnt/sys/{usr,etc,dev,proc,sys,run,tmp,var,job,mnt}
cp -a /bin /sbin /lib /lib64 /mnt/sys/ 2>/dev/null
for x in usr etc dev proc sys run; do mount --rbind /$x /mnt/sys/$x; done
cp stowage /mnt/sys/job/
for x in $a $b; do
	layout $x
	cp layout.yaml /mnt/sys/job/
	quiet
	freeze /mnt/sys
	before=$(written)
	status "the disk of / ($x)" 3 chroot /mnt/sys /job/stowage apply /job/layout.yaml --yes --root /run/target --state /run/state --allow-loss "d${x##*/}" --allow-loss a --allow-loss b
	is "the disk of /: no sector is written" "$before" "$(written)"
	thaw /mnt/sys
	says "the disk of / ($x)"
	has "the disk of /: says so" "/dev/mapper/sys-root is mounted on /:" /tmp/said
done
has "the disk of /: says that it is" "this system itself runs from $b" /tmp/said
umount -R /mnt/sys
vgremove -qy -f sys && pvremove -qy $a $b
blank
JOB
show users

with_functions protected a=1G b=1G,bus=scsi,wwn=0x5000c500a1b2c3d4 c=1G d=1G <<'JOB'
a=$(disk a) b=$(disk b) c=$(disk c) d=$(disk d)
mkdir -p /etc/stowage
list=/etc/stowage/protected
layout() { # DISK [MORE]
	{
		printf 'stowage: 1\nname: refusals\ndisks: { x: %s }\n' "$1"
		echo 'tables: [ { disks: x, partitions: [ { name: data, size: 512M } ] } ]'
		echo 'filesystems: [ { type: xfs, devices: data, mount: /srv } ]'
	} >layout.yaml
}
layout $a
printf '# the boss\n\n  a  # of the old server\r\n' >$list
refused "by serial number" "disk 'x' \($a\) is protected: line 3 of /etc/stowage/protected states 'a', the serial number of $a" layout.yaml
status "plan says so, too" 3 ./stowage plan layout.yaml --root /mnt/target
./stowage probe -o machine.json
status "and from the recording" 3 ./stowage plan layout.yaml --root /mnt/target --machine machine.json
has "with the line" 'line 3 of /etc/stowage/protected' /tmp/said
mkfs.ext4 -q $a
refused "by serial number, though it may be lost" "$a is protected: line 3 of /etc/stowage/protected" layout.yaml --allow-loss x
wipefs -aq $a
: >$list
layout $b
echo 'naa.5000C500A1B2C3D4' >other.list
refused "by WWN, in a list of its own" "line 1 of other.list states 'naa.5000C500A1B2C3D4', the WWN of $b" layout.yaml --protected other.list
refused "in the second of two lists" "line 1 of other.list" layout.yaml --protected $list --protected other.list
status "a saved plan" 0 ./stowage plan layout.yaml --root /mnt/target -o saved.plan
status "made before the disk was protected" 3 ./stowage apply saved.plan --yes --protected other.list
status "a script" 0 ./stowage plan layout.yaml --root /mnt/target --format sh -o plan.sh
echo 5000c500a1b2c3d4 >$list
quiet
before=$(written)
status "a script that was printed before the disk was protected" 3 sh plan.sh
has "says so" "$b is protected" /tmp/said
is "and writes nothing" "$before" "$(written)"
refused "a plan that was saved before the disk was protected" "line 1 of $list" saved.plan
sed "s,$b,$c," layout.yaml >other.yaml
status "a layout on another disk is none of its business" 0 ./stowage plan other.yaml --root /mnt/target

# A list that can't be read
before=$(written)
for how in 'mkdir' 'ln -s /nowhere' 'mkfifo' 'ln -s protected'; do
	rm -f $list
	(cd /etc/stowage && eval "$how protected")
	status "a list made by '$how'" 1 ./stowage apply layout.yaml --yes --root /mnt/target
	has "says so" 'list of protected disks' /tmp/said
	says "a list made by '$how'"
	rm -rf $list
done
status "a list that isn't there" 1 ./stowage apply layout.yaml --yes --root /mnt/target --protected /nowhere
is "no sector is written" "$before" "$(written)"
echo 5000c500a1b2c3d4 >/etc/stowage/real
ln -s real $list
refused "a list behind a link" "line 1 of $list" layout.yaml
rm $list

# By what is on the disks: to make a volume writes to all disks of its group.
layout() { # WORDS: volumes and filesystems beside those that are there
	cat >layout.yaml <<END
stowage: 1
name: refusals
disks: { c: $c, d: $d }
tables: [ { disks: d, partitions: [ { name: member, size: 512M } ] } ]
volume-groups: { vg0: { devices: [ c, member ], volumes: { one: { size: 300M, on: [ d.member ] }${1-} } } }
filesystems: [ { type: xfs, devices: vg0/one, mount: /one } ]
END
}
layout
status "a group is made" 0 ./stowage apply layout.yaml --yes --root /mnt/target
pv=$(blkid -p -s UUID -o value $c) fs=$(blkid -p -s UUID -o value /dev/vg0/one) table=$(blkid -p -s PTUUID -o value $d)
part=$(blkid -p -s PART_ENTRY_UUID -o value ${d}1)
vg=$(vgs --noheadings -o vg_uuid vg0 | xargs) lv=$(lvs --noheadings -o lv_uuid vg0/one | xargs)
umount /mnt/target/one
layout ', two: { size: 100M }'
for id in "$pv" "${fs^^}" "UUID=$fs" "${table//-/:}" "$part" "$vg" "$lv" c d; do
	echo "$id" >$list
	refused "by $id" "line 1 of $list states '$id'" layout.yaml
done
layout
echo "$fs" >$list
status "what is protected is mounted" 0 ./stowage apply layout.yaml --yes --root /mnt/target
ok "it is" mountpoint -q /mnt/target/one
umount /mnt/target/one
vgremove -qy -f vg0
wipefs -aq $c ${d}1

# The list that says so by the array's UUID, with colons, as mdadm tells it.
rm $list
printf 'name=member, size=512M, type=lvm\nname=more, size=100M\n' | sfdisk -q --wipe always --label gpt $d
udevadm settle
mdadm --create /dev/md/old --run --quiet -l1 -n2 -e1.2 $c ${d}1
udevadm settle
mdadm --detail --export /dev/md/old | sed -n 's/MD_UUID=//p' >$list
uuid=$(cat $list)
cat >layout.yaml <<END
stowage: 1
name: refusals
disks: { d: $d }
tables: [ { disks: d, partitions: [ { name: member, size: 512M, type: lvm }, { name: more, size: 100M } ] } ]
filesystems: [ { type: vfat, devices: more } ]
END
refused "by the UUID of an array" "states '$uuid', the UUID of the linux_raid_member on ($c|${d}1)" layout.yaml
mdadm --stop /dev/md/old
rm $list
JOB
show protected

# Other disks behind the same paths.
with_functions saving a=1G b=1G <<'JOB'
for path in "$(disk a)" /dev/disk/by-id/virtio-a; do
	printf 'stowage: 1\nname: refusals\ndisks: { x: %s }\nfilesystems: [ { type: xfs, devices: x } ]\n' "$path" >layout.yaml
	status "a plan is saved for $path" 0 ./stowage plan layout.yaml -o "out/${path##*/}.plan"
done
JOB
for how in "swapped b=1G a=1G" "renumbered a=1G,serial=other b=1G" "grown a=2G b=1G"; do
	read -ra words <<<"$how"
	mkdir -p "$work/${words[0]}"
	cp "$work"/saving/out/*.plan "$work/${words[0]}/"
	with_functions "${words[@]}" <<'JOB'
for plan in *.plan; do
	refused "$plan" "isn't what it was when the plan was made" "$plan"
	has "$plan: says what differs" '/dev/vda: (serial|size) was' /tmp/said
done
JOB
	show "${words[0]}"
done
done_testing
