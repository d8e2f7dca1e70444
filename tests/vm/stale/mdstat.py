#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Shows /proc/mdstat each time that the kernel says it has changed."""
import select
import sys

with open("/proc/mdstat", "rb", buffering=0) as f:
    poll = select.poll()
    poll.register(f, select.POLLERR | select.POLLPRI)
    while True:
        f.seek(0)
        sys.stdout.write(f.read(1 << 20).decode())
        sys.stdout.flush()
        poll.poll()
