#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""replay.py LIST LOG DISK: writes to DISK what LIST names of LOG: a line for each piece, its place on the disk, in the log, and its bytes."""
import os
import sys

log = os.open(sys.argv[2], os.O_RDONLY)
disk = os.open(sys.argv[3], os.O_WRONLY)
with open(sys.argv[1]) as pieces:
    for line in pieces:
        at, where, size = map(int, line.split())
        os.pwrite(disk, os.pread(log, size, where), at)
os.fsync(disk)
