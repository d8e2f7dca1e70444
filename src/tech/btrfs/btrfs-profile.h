/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

/* How btrfs lays out its chunks. */
struct profile {
	const char *name;
	uint64_t flag;      /* in a chunk's type, 0: single */
	unsigned least;     /* devices */
	unsigned tolerates; /* devices that may be lost */
	unsigned copies;    /* on one device, more than one: dup */
	bool parity;
};

/** profile_get() - by name; NULL: unknown. */
const struct profile *profile_get(const char *name);

/** profile_mirror() - one of mirrors that bears the loss of @lost devices: what metadata takes beside such data. */
const struct profile *profile_mirror(unsigned lost);

/** profile_names() - of the kinds of chunks whose flags are or-ed together: "raid1", "single, raid1". @single: whether one had no flag. */
const char *profile_names(struct arena *a, uint64_t flags, bool single);

/** profile_tolerates() - devices that may be lost where chunks of all these names exist ("single, raid1": 0). Unknown: 0. */
unsigned profile_tolerates(const char *names);

/**
 * profile_usable() - bytes of data that devices of these sizes have room for, without what metadata takes
 * @sizes: of @n devices, bytes. Return: bytes, rounded down; 0 where there are fewer devices than the profile needs.
 * Source: btrfs_alloc_chunk() in fs/btrfs/volumes.c, which takes those devices first that have most left, and for stripes all that it can.
 */
uint64_t profile_usable(struct arena *a, const struct profile *p, const uint64_t *sizes, size_t n);

/**
 * profile_smallest() - the smallest device on which mkfs.btrfs makes these, bytes
 * Source: btrfs_min_dev_size() in btrfs-progs 6.2, mkfs/common.c, which reckons with the chunks that it makes in passing.
 */
uint64_t profile_smallest(const struct profile *data, const struct profile *metadata);
