#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""judge.py TEXT PLAN: whether the machine shows what a plan (JSON) says, and nothing else; other tools are asked.

Every device of the plan bears the one signature of what stands on it, with the planned UUID, or none. Names of the old, one a line in
/tmp/old/patterns, are shown by no tool. /tmp/old/places has lines "OBJECT KIND": what lay where, for the message."""
import json
import subprocess
import sys

FS = ("btrfs", "xfs", "ext4", "vfat", "swap")
failed = 0


def tool(*words, errors=subprocess.DEVNULL):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=errors, text=True, errors="replace").stdout


def told(text, wrong):
    global failed
    print(("not ok - " if wrong else "ok - ") + text)
    for line in wrong[:60]:
        print("    " + line)
    failed |= bool(wrong)


text, plan = sys.argv[1], json.load(open(sys.argv[2]))
objects = {o["name"]: o for o in plan["objects"]}
above = {name: [] for name in objects}
for o in objects.values():
    for below in o["below"]:
        above[below].append(o)
places = {}
try:
    for line in open("/tmp/old/places"):
        name, kind = line.split()
        places.setdefault(name, []).append(kind)
except FileNotFoundError:
    pass


def inner(o):
    """What the start of a RAID1's member shows too, where md's own data is at the end."""
    types = set()
    for up in above[o["name"]]:
        types |= {"LVM2_member" if up["kind"] == "pv" else up["kind"]} | inner(up)
    return types


want = {}
for o in objects.values():
    if o["kind"] not in ("disk", "partition", "array", "volume") or not o.get("device"):
        continue
    types, uuid, more = set(), None, set()
    for up in above[o["name"]]:
        if up["kind"] == "table":
            types |= {"gpt", "PMBR"} if "GPT" in up["describe"] else {"dos"}
        elif up["kind"] == "array":
            types.add("linux_raid_member")
            uuid = up.get("uuid")
            more |= inner(up)
        elif up["kind"] == "pv":
            types.add("LVM2_member")
        elif up["kind"] in FS:
            types.add(up["kind"])
            uuid = up.get("uuid")
    want[o["device"]] = (o["name"], types, uuid, more)

devices = sorted(want)
shown = {d: set() for d in devices}
at_end = set()
answer = tool("wipefs", "--json", "--output", "DEVICE,OFFSET,TYPE", *devices)
for s in json.loads(answer)["signatures"] if answer.strip() else []:
    # It names a device without its folder
    device = [d for d in devices if d == s["device"] or d.rsplit("/", 1)[1] == s["device"].rsplit("/", 1)[-1]]
    shown[device[0]].add(s["type"])
    if s["type"] == "linux_raid_member" and int(s["offset"], 16) > 1 << 20:
        at_end.add(device[0])

wrong = []
for d in devices:
    name, types, uuid, more = want[d]
    allowed = types | (more if d in at_end else set())
    got = shown[d]
    if not types <= got or not got <= allowed:
        wrong.append("%s (%s; old: %s): wipefs shows %s, planned is %s" % (
            d, name, ", ".join(places.get(name, ["nothing"])), " ".join(sorted(got)) or "nothing", " ".join(sorted(types)) or "nothing"))
told(text + ": wipefs shows what is planned and nothing else (%d devices)" % len(devices), wrong)

wrong, found, record = [], {}, {}
left = devices
while left:
    # It stops at the first device that has nothing.
    for line in tool("blkid", "-p", "-o", "export", *left).splitlines():
        key, _, value = line.partition("=")
        if key == "DEVNAME":
            record = found[value] = {}
        record[key] = value
    seen = [i for i, d in enumerate(left) if d in found]
    left = left[seen[-1] + 2 if seen else 1:]
for d in devices:
    name, types, uuid, _ = want[d]
    got = found.get(d, {})
    kinds = {got[k] for k in ("TYPE", "PTTYPE") if k in got and got[k] != "PMBR"}
    if kinds != types - {"PMBR"}:
        wrong.append("%s (%s; old: %s): blkid shows %s, planned is %s" % (
            d, name, ", ".join(places.get(name, ["nothing"])), " ".join(sorted(kinds)) or "nothing", " ".join(sorted(types)) or "nothing"))
    elif uuid and got.get("UUID", "").lower() != uuid.lower():
        wrong.append("%s (%s): its UUID is %s, planned is %s" % (d, name, got.get("UUID"), uuid))
told(text + ": blkid -p finds the planned types and UUIDs", wrong)

names = [line.strip().lower() for line in open("/tmp/old/patterns") if line.strip()]


def old_in(*words):
    return ["%s: %s" % (words[0], line.strip()) for line in tool(*words, errors=subprocess.STDOUT).splitlines()
            if any(n in line.lower() for n in names)]


told(text + ": mdadm, LVM, btrfs and the kernel know nothing of the old", old_in("mdadm", "--examine", "--scan", "--verbose")
     + old_in("mdadm", "--detail", "--scan")
     + old_in("pvs", "-a", "-o", "pv_name,pv_uuid,vg_name,vg_uuid", "--config", "devices/scan_lvs=1")
     + old_in("lvs", "-a", "-o", "lv_name,vg_name,vg_uuid") + old_in("btrfs", "filesystem", "show") 
     + old_in("dmsetup", "info", "-c", "--noheadings", "-o", "name,uuid") + old_in("cat", "/proc/mdstat", "/proc/mounts", "/proc/swaps")
     + old_in("./by-hand.py", "mirrors", *devices))
own = {o["uuid"] for o in objects.values() if o["kind"] == "btrfs"}
told(text + ": no mirror of an old btrfs is left", ["btrfs mirror " + line for line in tool("./by-hand.py", "mirrors", *devices).splitlines()
     if line.split()[-1] not in own])
sys.exit(failed)
