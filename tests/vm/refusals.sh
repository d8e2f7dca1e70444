#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Disks that hold something, are in use, or aren't what the plan saw: exit 3, and not one sector is written.
. "$(dirname "$0")/host.sh"

guest refusals a=4G b=4G c=4G <<'JOB'
a=$(disk a) b=$(disk b) c=$(disk c)
layout() { # DISK...: one XFS on the first, in an array over all where there are several
	{
		echo 'stowage: 1'
		echo 'name: refusals'
		echo 'disks:'
		for d in "$@"; do echo "  d${d##*/}: $d"; done
		echo 'tables:'
		echo "  - { disks: [$(for d in "$@"; do printf 'd%s, ' "${d##*/}"; done)], partitions: [{ name: data, size: rest }] }"
		[ $# = 1 ] || echo 'arrays: { md7: { level: 1, devices: data } }'
		echo 'filesystems:'
		echo "  - { type: xfs, devices: $([ $# = 1 ] && echo data || echo md7), mount: /srv }"
	} >layout.yaml
}
refused() { # TEXT PATTERN WORDS...: apply refuses, says why, and writes nothing
	local text=$1 pattern=$2 before
	shift 2
	quiet
	before=$(written)
	status "$text: refused" 3 ./stowage apply --root /mnt/target --yes "$@"
	has "$text: says why" "$pattern" /tmp/said
	is "$text: no sector is written" "$before" "$(written)"
}
# Partitions first: what is left behind a lost table isn't blank.
blank() {
	for d in $a $b $c; do
		for p in "$d"[0-9]*; do [ ! -b "$p" ] || wipefs -aqf "$p"; done
		wipefs -aqf "$d"
		blockdev --rereadpt "$d"
	done
	udevadm settle
}

layout $a
mkfs.ext4 -q -L "old data" $a
refused "a filesystem" "ext4 'old data'" layout.yaml
mount -o noinit_itable $a /mnt # else ext4 goes on making its inode tables, and the counters move
refused "a mounted filesystem" "mounted on /mnt" layout.yaml
umount /mnt
blank

mkswap -q $a && swapon $a
refused "swap in use" "in use as swap" layout.yaml
swapoff $a
blank

layout $a $b
vgcreate -qy old $a $c
refused "a physical volume" "LVM2_member" layout.yaml
vgremove -qy old && pvremove -qy $a $c
blank

mdadm --create /dev/md/old --run --quiet -l1 -n2 -e1.2 $b $c
udevadm settle
refused "a member of an array" "linux_raid_member" layout.yaml
mdadm --stop /dev/md/old
mdadm --zero-superblock $b $c
blank

echo 'size=1G' | sfdisk -q --label gpt $b
udevadm settle
mkfs.xfs -q ${b}1
before=$(written)
status "a table that is there with another partition than asked for" 3 ./stowage apply layout.yaml --yes --root /mnt/target
has "it says both sides" 'it is 1 GiB, the layout asks for' /tmp/said
is "and writes nothing" "$before" "$(written)"
wipefs -aq ${b}1
blank
blockdev --rereadpt $b
udevadm settle

cat >layout.yaml <<END
stowage: 1
name: refusals
disks: { c: $c }
volume-groups: { new: { devices: c, volumes: { x: { size: 100M } } } }
END
vgcreate -qy old $c
dd if=/dev/urandom of=$c bs=512 seek=8 count=1 conv=fsync status=none
udevadm settle
refused "a volume group whose metadata is damaged" "isn't blank" layout.yaml
blank

# Metadata 1.0 lies at the end: each member shows the array's table, and the array's blank partitions as its own.
mkdir -p /run/udev/rules.d && ln -s /dev/null /run/udev/rules.d/64-md-raid-assembly.rules && udevadm control --reload
mdadm --create /dev/md7 --run --quiet -l1 -n2 -e1.0 $b $c
printf 'name=data, size=1G\n' | sfdisk -q --label gpt /dev/md7
udevadm settle && mdadm --stop /dev/md7 && blockdev --rereadpt $b && udevadm settle
layout $b && sed -i 's/rest/1G/' layout.yaml
refused "a member that shows its array's table" "holds something else than its table" layout.yaml
rm /run/udev/rules.d/64-md-raid-assembly.rules && udevadm control --reload
mdadm --zero-superblock $b $c
blank
blockdev --rereadpt $b && udevadm settle

printf 'name=data, size=1G\nname=two, size=1G\n' | sfdisk -q --label gpt $b
udevadm settle && mkfs.ext4 -q ${b}2 && mount -o noinit_itable ${b}2 /mnt
printf 'name=data, start=2GiB, size=1G\nname=two, size=1G\n' | sfdisk -q --no-reread --force --label gpt $b
quiet
before=$(written)
status "a table that the kernel has not read" 1 ./stowage apply layout.yaml --yes --root /mnt/target
has "it says both sides" 'kernel has 1 GiB at 1 MiB, where the table on the disk has 1 GiB at 2 GiB' /tmp/said
is "and writes nothing" "$before" "$(written)"
umount /mnt && wipefs -aq ${b}2
blank
blockdev --rereadpt $b && udevadm settle

layout $c
mkdir -p /mnt/third/etc /opt/srv
ln -s /opt/srv /mnt/third/srv
refused "a link that leads out of the root" "'/mnt/third/srv' is a symbolic link" layout.yaml --root /mnt/third
rm /mnt/third/srv
status "a plan is saved once more" 0 ./stowage plan layout.yaml --root /mnt/third -o saved.plan
echo '# mine' >/mnt/third/etc/fstab
refused "a saved plan where fstab has changed" "write fstab would not be done so" saved.plan
is "fstab is as it was" '# mine' "$(cat /mnt/third/etc/fstab)"
mkdir /mnt/third/static && mv /mnt/third/etc/fstab /mnt/third/static/fstab && ln -s /static/fstab /mnt/third/etc/fstab
status "with standard streams closed" 0 sh -c 'exec ./stowage apply layout.yaml --yes --root /mnt/third --state /run/third <&- >&- 2>&-'
is "the journal has nothing but its lines" 0 "$(grep -cv '^{.*}$' /run/third/journal)"
has "fstab keeps what it held, where its link leads" '^# mine$' /mnt/third/static/fstab
umount /mnt/third/srv && wipefs -aq ${c}1
blank
blockdev --rereadpt $c && udevadm settle

layout $a
status "a plan is saved" 0 ./stowage plan layout.yaml --root /mnt/target -o saved.plan
mkfs.ext4 -q $a
refused "a saved plan whose disk has changed" "isn't what it was" saved.plan
blank
mkdir -p /run/held
exec 9>/run/held/lock
flock 9
before=$(written)
status "a second stowage waits for nobody" 3 ./stowage apply saved.plan --yes --root /mnt/target --state /run/held
is "and writes nothing" "$before" "$(written)"
exec 9>&-
status "a saved plan on the machine that it is for" 0 ./stowage apply saved.plan --yes --root /mnt/target
is "does what it says" xfs "$(blkid -p -s TYPE -o value ${a}1)"
refused "the same plan once more" "isn't what it was" saved.plan
status "while the layout itself has nothing left to do" 0 ./stowage plan layout.yaml --root /mnt/target --exit-code
status "a state directory that can't be written" 1 ./stowage apply layout.yaml --yes --root /mnt/other --state /proc/stowage

layout $b
./stowage apply layout.yaml --yes --root /mnt/other >/tmp/said 2>&1 &
pid=$!
until [ -e ${b}1 ] || ! kill -0 $pid 2>/dev/null; do :; done
kill -TERM $pid
wait $pid
is "SIGTERM: what runs is finished, nothing is started, exit 1" 1 $?
has "it says what was not done" 'not done|left' /tmp/said
cat /tmp/said
status "applied again, it finishes" 0 ./stowage apply layout.yaml --yes --root /mnt/other
status "and then has nothing left to do" 0 ./stowage plan layout.yaml --root /mnt/other --exit-code
JOB
done_testing
