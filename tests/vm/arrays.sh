#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# One array of each kind over unequal disks, the software arrays of ten and eleven disks, and XFS straight on a card's partition.
. "$(dirname "$0")/host.sh"

# shellcheck disable=SC2054 # the words of a disk have commas
disks=(big=30G,bus=scsi small0=26G,bus=scsi small1=26G,bus=scsi small2=26G,bus=scsi ten=40G six=40G)
for i in a b c d e f g h i j; do disks+=("t$i=600M"); done
for i in a b c d e f g h i j k; do disks+=("s$i=600M"); done

guest arrays "${disks[@]}" <<'JOB'
place examples/md-matrix.yaml /dev/sda=big /dev/sdb=small0 /dev/sdc=small1 /dev/sdd=small2
apply /mnt/matrix
detail() { mdadm --detail "/dev/md/$1" | awk -F' : ' '/Raid Level|Raid Devices|Layout/ { print $2 }' | xargs; }
is "RAID0 of four" "raid0 4 -unknown-" "$(detail stripe)"
is "RAID5 of four" "raid5 4 left-symmetric" "$(detail parity)"
is "RAID10 near of four" "raid10 4 near=2" "$(detail near)"
is "RAID10 offset of four" "raid10 4 offset=2" "$(detail offset)"
is "RAID10 far of three" "raid10 3 far=2" "$(detail far)"
is "RAID10 near of two" "raid10 2 near=2" "$(detail pair)"
is "RAID10 far of two" "raid10 2 far=2" "$(detail far-two)"
stripe() { dumpe2fs -h "/dev/md/$1" 2>/dev/null | awk '/RAID stri/ { print $NF }' | xargs; }
is "ext4 on RAID0: four disks wide" "128 512" "$(stripe stripe)"
is "ext4 on RAID5: three disks wide" "128 384" "$(stripe parity)"
is "ext4 on near of four: two disks wide" "128 256" "$(stripe near)"
is "ext4 on offset of four: as the kernel says, four" "128 512" "$(stripe offset)"
is "ext4 on far of three: as the kernel says, three" "128 384" "$(stripe far)"
quiet

place examples/r510-soft-raid10.yaml $(for i in a b c d e f g h i j; do echo "/dev/sd$i=t$i"; done)
apply /mnt/soft10
is "RAID10 of ten" "raid10 10 near=2" "$(mdadm --detail /dev/md0 | awk -F' : ' '/Raid Level|Raid Devices|Layout/ { print $2 }' | xargs)"
is "XFS: su 64k, sw 5" "512 16 80" "$(geometry /mnt/soft10/local/data)"
umount -R /mnt/soft10/local/data && mdadm --stop /dev/md0

place examples/r510-soft-raid6.yaml $(for i in a b c d e f g h i j k; do echo "/dev/sd$i=s$i"; done)
apply /mnt/soft6
is "RAID6 of eleven" "raid6 11 left-symmetric" "$(mdadm --detail /dev/md0 | awk -F' : ' '/Raid Level|Raid Devices|Layout/ { print $2 }' | xargs)"
is "XFS: su 64k, sw 9" "512 16 144" "$(geometry /mnt/soft6/local/data)"
quiet

place examples/r510-raid10-plain.yaml /dev/sda=ten
apply /mnt/ten
is "XFS on the partition: su 1024k, sw 5" "512 256 1280" "$(geometry /mnt/ten/local/data)"
place examples/r510-raid6-plain.yaml /dev/sda=six
apply /mnt/six
is "XFS on the partition: su 64k, sw 9" "512 16 144" "$(geometry /mnt/six/local/data)"
JOB
done_testing
