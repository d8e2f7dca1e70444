#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""by-hand.py KIND DEVICE TAG: a signature of which the guest has no tool: zfs, bcache, iso9660, udf.
by-hand.py mirrors DEVICE...: the btrfs superblocks at 64 MiB and 256 GiB, which libblkid doesn't look for: "DEVICE NUMBER FSID"."""
import os
import struct
import sys
import uuid

MIB = 1 << 20


def size_of(f):
    return os.lseek(f, 0, os.SEEK_END)


def zfs(f, tag):
    """Four labels, two at each end: a list of names and values in XDR, and a ring of uberblocks."""

    def pair(name, kind, value):
        text = struct.pack(">I", len(name)) + name.encode().ljust((len(name) + 3) & ~3, b"\0")
        body = text + struct.pack(">II", kind, 1) + value
        return struct.pack(">II", len(body) + 8, len(body) + 32) + body

    number = uuid.uuid4().int >> 65
    value = struct.pack(">I", len(tag)) + tag.encode().ljust((len(tag) + 3) & ~3, b"\0")
    names = b"\1\1\0\0" + struct.pack(">II", 0, 1) + pair("name", 9, value)
    names += pair("pool_guid", 8, struct.pack(">Q", number)) + pair("guid", 8, struct.pack(">Q", number + 1)) + bytes(8)
    size = size_of(f) & ~(MIB // 4 - 1)
    for at in (0, MIB // 4, size - MIB // 2, size - MIB // 4):
        os.pwrite(f, names, at + (16 << 10))
        for i in range(8):
            block = struct.pack("<QQQQQ", 0x00BAB10C, 5000, 100 + i, number, 1700000000)
            os.pwrite(f, block.ljust(1024, b"\0"), at + (128 << 10) + 1024 * i)


def crc64(data):
    crc = (1 << 64) - 1
    for byte in data:
        crc ^= byte << 56
        for _ in range(8):
            crc = (crc << 1 ^ (0x42F0E1EBA9EA3693 if crc >> 63 else 0)) & (1 << 64) - 1
    return crc ^ (1 << 64) - 1


def bcache(f, tag):
    """A backing device, version 1: the kernel makes /dev/bcache0 of it as soon as it is registered."""
    magic = bytes.fromhex("c68573f64e1a45ca8265f57f48ba6d81")
    body = struct.pack("<QQ", 8, 1) + magic + uuid.uuid4().bytes + uuid.uuid4().bytes + tag.encode().ljust(32, b"\0")
    # flags, seq, padding, a union with the block size, last mount, first bucket, keys
    body += struct.pack("<QQ64xQHHHHIHH", 0, 0, 0, 1, 1024, 0, 1, 0, 1, 0)
    os.pwrite(f, struct.pack("<Q", crc64(body)) + body, 4096)


def iso9660(f, tag):
    first = b"\1CD001\1\0" + b"LINUX".ljust(32) + tag.upper().encode().ljust(32) + bytes(8)
    first += struct.pack("<I", 4096) + struct.pack(">I", 4096)
    first = first.ljust(813, b"\0") + b"2019010203040506\0" + b"2019010203040506\0"
    os.pwrite(f, first.ljust(2048, b"\0") + b"\xffCD001\1".ljust(2048, b"\0"), 32 << 10)


def udf(f, tag):
    def tagged(kind, location, body):
        return (struct.pack("<HHBBHHHI", kind, 3, 0, 0, 1, 0, 0, location) + body).ljust(block, b"\0")

    def dstring(text, size):
        return (b"\x08" + text.encode()).ljust(size - 1, b"\0") + bytes([len(text) + 1])

    block = 512
    for i, name in enumerate((b"BEA01", b"NSR03", b"TEA01")):
        os.pwrite(f, (b"\0" + name + b"\1").ljust(2048, b"\0"), (32 << 10) + 2048 * i)
    anchor = struct.pack("<IIII", 16 * block, 512, 16 * block, 512)
    os.pwrite(f, tagged(2, 256, anchor), 256 * block)
    primary = struct.pack("<II", 1, 0) + dstring(tag, 32) + struct.pack("<HHHHII", 1, 1, 2, 3, 1, 1)
    os.pwrite(f, tagged(1, 512, primary + dstring(uuid.uuid4().hex[:16] + tag, 128)), 512 * block)
    logical = struct.pack("<I", 2) + bytes(64) + dstring(tag, 128) + struct.pack("<I", block)
    logical += b"\0" + b"*OSTA UDF Compliant".ljust(23, b"\0") + struct.pack("<H", 0x201)
    os.pwrite(f, tagged(6, 513, logical), 513 * block)
    os.pwrite(f, tagged(8, 514, b""), 514 * block)
    last = size_of(f) // block - 1
    os.pwrite(f, tagged(2, last, anchor), last * block)


def mirrors(devices):
    for device in devices:
        f = os.open(device, os.O_RDONLY)
        for number, at in ((1, 64 * MIB), (2, 256 << 30)):
            if at + 4096 <= size_of(f):
                block = os.pread(f, 4096, at)
                if block[64:72] == b"_BHRfS_M":
                    print(device, number, uuid.UUID(bytes=block[32:48]))
        os.close(f)


if sys.argv[1] == "mirrors":
    mirrors(sys.argv[2:])
else:
    device = os.open(sys.argv[2], os.O_RDWR)
    {"zfs": zfs, "bcache": bcache, "iso9660": iso9660, "udf": udf}[sys.argv[1]](device, sys.argv[3])
    os.fsync(device)
