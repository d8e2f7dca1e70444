#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# systems.sh STOWAGE BUS SECTOR: the RAID6 home server and the servers behind a RAID card, on disks of one kind.
. "$(dirname "$0")/host.sh"
bus=$2 sector=$3

disks=()
for d in r1=2G r2=2G r3=2G r4=2G r5=2G ten=40G six=40G; do
	disks+=("$d,bus=$bus,logical_block_size=$sector,physical_block_size=$sector")
done

guest "$bus-$sector" "${disks[@]}" <<JOB
sector=$sector
$(cat <<'JOB2'
place examples/home-raid6.yaml /dev/sda=r1 /dev/sdb=r2 /dev/sdc=r3 /dev/sdd=r4 /dev/sde=r5
apply /mnt/raid6
mdadm --detail /dev/md0 >/tmp/md
has "RAID6" 'Raid Level : raid6' /tmp/md
has "chunk of 1 MiB" 'Chunk Size : 1024K' /tmp/md
has "five devices" 'Raid Devices : 5' /tmp/md
has "metadata 1.2" 'Version : 1.2' /tmp/md
ok "no bitmap" sh -c '! grep -i bitmap /tmp/md'
is "XFS: three data disks of 1 MiB" "$sector 256 768" "$(geometry /mnt/raid6/srv)"
is "fstab" "UUID=$(uuid_of /dev/md0) /srv xfs defaults 0 0" "$(grep /srv /mnt/raid6/etc/fstab)"
quiet

place examples/r510-raid10-lvm.yaml /dev/sda=ten
apply /mnt/ten
is "extents of 32 MiB" 33554432 "$(vgs --noheadings --units b --nosuffix -o vg_extent_size MarisSpan0 | xargs)"
is "XFS: su 1024k, sw 5" "$sector 256 1280" "$(geometry /mnt/ten/local/data)"
part=$(pvs --noheadings -o pv_name -S vg_name=MarisSpan0 | xargs)
start=$(($(cat "/sys/class/block/${part#/dev/}/start") * 512))
pe=$(pvs --noheadings --units b --nosuffix -o pe_start "$part" | xargs)
is "the partition starts on a stripe of 5 MiB" 0 $((start % (5 << 20)))
is "and so does the first extent" 0 $(((start + pe) % (5 << 20)))
is "one volume over all of the group" 0 "$(vgs --noheadings -o vg_free_count MarisSpan0 | xargs)"
is "fstab" "UUID=$(uuid_of /dev/MarisSpan0/data) /local/data xfs nosuid,nodev,quota,noatime,logbufs=8,logbsize=256k 0 0" \
	"$(grep /local/data /mnt/ten/etc/fstab)"

place examples/r510-raid6-lvm.yaml /dev/sda=six
apply /mnt/six
is "XFS: su 64k, sw 9" "$sector 16 144" "$(geometry /mnt/six/local/data)"
is "extents of 32 MiB" 33554432 "$(vgs --noheadings --units b --nosuffix -o vg_extent_size BackupSpan0 | xargs)"
part=$(pvs --noheadings -o pv_name -S vg_name=BackupSpan0 | xargs)
start=$(($(cat "/sys/class/block/${part#/dev/}/start") * 512))
pe=$(pvs --noheadings --units b --nosuffix -o pe_start "$part" | xargs)
is "the first extent starts on a stripe of 576 KiB" 0 $(((start + pe) % (576 << 10)))
JOB2
)
JOB
done_testing
