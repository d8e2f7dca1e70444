#!/usr/bin/env bash
# usage: tests/lab/smoke.sh [DIR]
#
# Does the lab work? A guest with disks of each kind makes an array, a volume group and a file system, and hands a file back.
# The variables of tests/lab/vm count here too: ACCEL=tcg, SYSTEMD=1, ...
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
if [ $# -gt 0 ]; then
	dir=$1
	mkdir -p "$dir"
else
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
fi

cat >"$dir/job.sh" <<'JOB'
set -eux
lsblk -o NAME,SIZE,TYPE,TRAN,SERIAL,LOG-SEC,PHY-SEC,MIN-IO,OPT-IO,ROTA
test "$(blockdev --getss /dev/nvme0n1)" = 4096
test -b /dev/disk/by-id/wwn-0x5000c500a1b2c3d4
test -b /dev/disk/by-id/virtio-WD-0002
for n in 1 2 3; do echo 'size=2G' | sfdisk -q --lock --label gpt "/dev/disk/by-id/virtio-WD-000$n"; done
udevadm settle
mdadm --create /dev/md/swap --run --quiet --level=10 --layout=n2 --raid-devices=3 /dev/vd[abc]1
pvcreate -q --yes /dev/sda
vgcreate -q lab /dev/sda
lvcreate -q --yes --name home --size 1G lab
mkfs.btrfs -q -L home /dev/lab/home
mkswap /dev/md/swap
mkfs.xfs -q /dev/nvme0n1
mount /dev/lab/home /mnt
echo kept >/mnt/file
umount /mnt
udevadm settle
cat /proc/mdstat
lsblk -o NAME,TYPE,SIZE
blkid /dev/lab/home /dev/md/swap /dev/nvme0n1 | tee out/blkid
JOB

BUS='' "$here/vm" "$dir" a=20G,serial=WD-0001 b=20G,serial=WD-0002 c=20G,serial=WD-0003 \
	s=20G,bus=scsi,wwn=0x5000c500a1b2c3d4,rotation_rate=7200,min_io_size=262144,opt_io_size=1048576 \
	n=20G,bus=nvme,logical_block_size=4096,physical_block_size=4096
grep -q '^/dev/lab/home.*TYPE="btrfs"' "$dir/out/blkid"
echo "the lab works"
