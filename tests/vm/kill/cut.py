#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What is on the disks after a power cut, from a record of all that was written to them.

QEMU's blklogwrites notes each disk's writes and flushes in a file of its own (the format is dm-log-writes'). `watch` notes again and again how
long these files are: each such note is a moment at which the power may have gone. `choose` picks moments, and for each disk a point at or
after its own last flush, behind which nothing was written; and of what was written after that flush each piece with a chance of one half.

    cut.py watch DISKDIR OUT            until QEMU is gone
    cut.py choose DISKDIR OUT COUNT SEED TO
"""
import os
import random
import struct
import sys
import time

SECTOR = 512
FLUSH, FUA, DISCARD = 1, 2, 4
MAGIC = 0x6A736677736872


def logs(folder):
    return sorted(f for f in os.listdir(folder) if f.endswith(".log"))


def watch(folder, out):
    pid = os.path.join(folder, "qemu.pid")
    names = logs(folder)
    last = None
    with open(out, "w") as f:
        f.write(" ".join(names) + "\n")
        while os.path.exists(pid):
            # One moment for all: what follows from a write on one disk is on another only later.
            sizes = [os.stat(os.path.join(folder, n)).st_size for n in names]
            if sizes != last and sizes == [os.stat(os.path.join(folder, n)).st_size for n in names]:
                f.write(" ".join(map(str, sizes)) + "\n")
                f.flush()
                last = sizes
            time.sleep(0.002)


def entries(path, end):
    """(flags, offset on the disk, offset in the log, bytes) of what lies in the log before `end`."""
    with open(path, "rb") as f:
        magic, = struct.unpack("<Q", f.read(8))
        if magic != MAGIC:
            sys.exit("%s is no log" % path)
        at = SECTOR
        while at + SECTOR <= end:
            f.seek(at)
            sector, count, flags, _ = struct.unpack("<QQQQ", f.read(32))
            if not count and not flags:
                return
            size = 0 if flags & DISCARD else count * SECTOR
            if at + SECTOR + size > end:
                return
            yield flags, sector * SECTOR, at + SECTOR, size
            at += SECTOR + size


def cut(rng, path, end):
    """The writes that are on the disk, in their order."""
    all_of_it = list(entries(path, end))
    flushed = max((i for i, e in enumerate(all_of_it) if e[0] & FLUSH), default=-1) + 1
    stop = rng.randint(flushed, len(all_of_it))
    kept = [e for i, e in enumerate(all_of_it[:stop]) if e[3] and (i < flushed or e[0] & FUA or rng.random() < 0.5)]
    lost = sum(1 for e in all_of_it[flushed:] if e[3]) - sum(1 for e in kept if e[2] >= (all_of_it[flushed][2] if flushed < len(all_of_it) else 1 << 62))
    return kept, lost


def choose(folder, out, count, seed, to):
    rng = random.Random(seed)
    with open(out) as f:
        names = f.readline().split()
        moments = [[int(w) for w in line.split()] for line in f]
    # The first moments are of before the job.
    begin = open(os.path.join(folder, "begin")).read().split()
    begin = [int(w) for w in begin]
    moments = [m for m in moments if all(x >= y for x, y in zip(m, begin))]
    print("# %d moments" % len(moments))
    first, last = (int(len(moments) * int(w) / 100) for w in os.environ.get("PART", "0-100").split("-"))
    for n, moment in enumerate(sorted(rng.sample(range(first, last), min(count, last - first)))):
        where = os.path.join(to, "cut-%d" % n)
        os.makedirs(where)
        lost = 0
        for name, end in zip(names, moments[moment]):
            kept, gone = cut(rng, os.path.join(folder, name), end)
            lost += gone
            with open(os.path.join(where, name[:-4]), "w") as f:
                for _, disk, at, size in kept:
                    f.write("%d %d %d\n" % (disk, at, size))
        with open(os.path.join(where, "moment"), "w") as f:
            f.write("%d of %d, %d writes lost\n" % (moment + 1, len(moments), lost))


if __name__ == "__main__":
    if sys.argv[1] == "watch":
        watch(*sys.argv[2:4])
    else:
        choose(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]), sys.argv[6])
