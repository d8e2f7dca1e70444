/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

struct arena;
struct blockdev;
struct machine;
struct settle;
struct why;

/* What a device is known by: an identifier that no other may bear. NULL: it has none of that sort. */
typedef const char *twins_key(struct arena *a, const struct machine *m, const struct blockdev *b);

/**
 * twins_tell() - for survey(): a dangerous difference for each identifier that several devices bear
 * Devices that show it only because one on top of them does (the ways to a multipath disk, the members of a RAID1) aren't counted.
 * @what: "partition table", "swap or filesystem"
 */
void twins_tell(const struct settle *s, struct why *why, twins_key *key, const char *what);
