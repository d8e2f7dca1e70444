# SPDX-License-Identifier: GPL-2.0-or-later
# A recording without what another way to the same state may leave otherwise: kernel names and numbers of what was assembled, the order that
# goes by them, and which of its devices a multi-device filesystem's mount is shown with.
def serials: [.devices[] | select(.serial) | { (.name): "disk-\(.serial)" }] | add;
def arrays: . as $all | [.md.arrays[]? | . as $array |
	{ ($array.dev): "array-\([$all.md.supers[] | select(.dev as $d | any($array.members[]; .dev == $d)) | .uuid] | first)" }] | add;
def volumes: [.devices[] | select(."dm-name") | { (.name): "mapped-\(."dm-name")" }] | add;
def whole: serials + arrays + volumes;
def parts($whole): [.devices[] | select(.parent) | { (.name): "\($whole[.parent] // .parent)-part\(.partition)" }] | add;
def names: whole as $w | $w + parts($w);
def rename($names):
	if type == "string" then
		if $names[.] then $names[.]
		elif startswith("/dev/") and $names[.[5:]] then "/dev/" + $names[.[5:]]
		else . end
	elif type == "object" then with_entries(.key |= ($names[.] // .) | .value |= rename($names))
	elif type == "array" then map(rename($names)) | sort
	else . end;
names as $names
| del(.tools, .unfinished, .drawn)
# What the writes come from after a cut is no disk of the trial.
| del(.devices[] | select(.serial // "" | startswith("log-")))
| del(.devices[] | .major, .minor, .links)
# An assembled array that nobody writes to puts its resync off; whether it has one to do is asked of md itself.
| del(.md.arrays[]? | select(.sync == "resync").sync)
| (.mounts // []) |= map(select(.target | startswith("/mnt/t")) | del(.major, .minor) | if .type == "btrfs" then del(.source, .dev) else . end)
| rename($names)
