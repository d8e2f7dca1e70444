/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tech/btrfs/btrfs-profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/units.h"

/*
 * Source: btrfs_raid_array in fs/btrfs/volumes.c; flags from uapi/linux/btrfs_tree.h. Since Linux 5.15 raid0 does with one device and raid10
 * with two; btrfs-progs 6.2 makes them so.
 */
static const struct profile profiles[] = {
	{ .name = "single", .flag = 0, .least = 1, .copies = 1 },
	{ .name = "dup", .flag = 1 << 5, .least = 1, .copies = 2 },
	{ .name = "raid0", .flag = 1 << 3, .least = 1, .copies = 1 },
	{ .name = "raid1", .flag = 1 << 4, .least = 2, .copies = 1, .tolerates = 1 },
	{ .name = "raid1c3", .flag = 1 << 9, .least = 3, .copies = 1, .tolerates = 2 },
	{ .name = "raid1c4", .flag = 1 << 10, .least = 4, .copies = 1, .tolerates = 3 },
	{ .name = "raid10", .flag = 1 << 6, .least = 2, .copies = 1, .tolerates = 1 },
	{ .name = "raid5", .flag = 1 << 7, .least = 2, .copies = 1, .tolerates = 1, .parity = true },
	{ .name = "raid6", .flag = 1 << 8, .least = 3, .copies = 1, .tolerates = 2, .parity = true },
};

enum { COUNT = sizeof(profiles) / sizeof(*profiles) };

const struct profile *profile_get(const char *name)
{
	for (size_t i = 0; i < COUNT; i++)
		if (text_eq(profiles[i].name, name))
			return &profiles[i];
	return NULL;
}

const struct profile *profile_mirror(unsigned lost)
{
	return profile_get(lost >= 3 ? "raid1c4" : lost == 2 ? "raid1c3" : "raid1");
}

const char *profile_names(struct arena *a, uint64_t flags, bool single)
{
	struct text t = { .arena = a };

	for (size_t i = 0; i < COUNT; i++)
		if (profiles[i].flag ? (flags & profiles[i].flag) != 0 : single)
			text_printf(&t, "%s%s", t.len ? ", " : "", profiles[i].name);
	return text_str(&t);
}

unsigned profile_tolerates(const char *names)
{
	unsigned least = 0;
	bool any = false;

	while (*names) {
		size_t n = strcspn(names, ", ");
		unsigned lost = 0;

		for (size_t i = 0; i < COUNT; i++)
			if (strlen(profiles[i].name) == n && !strncmp(profiles[i].name, names, n))
				lost = profiles[i].tolerates;
		least = any && least < lost ? least : lost;
		any = true;
		names += n + strspn(names + n, ", ");
	}
	return least;
}

static int largest_first(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x > y ? -1 : x < y;
}

/* Each chunk lies on @copies devices: the largest ones have room for no more than the others can hold the other copies of. */
static uint64_t usable_mirrors(const uint64_t *sizes, size_t n, size_t copies)
{
	uint64_t rest = 0, least = UINT64_MAX;

	for (size_t i = 0; i < n; i++)
		rest += sizes[i];
	for (size_t i = 0; i < copies && i < n; i++) {
		uint64_t u = rest / (copies - i);

		least = u < least ? u : least;
		rest -= sizes[i];
	}
	return least;
}

/* Stripes go over all devices that have room left, so that they get narrower when the small ones are full. */
static uint64_t usable_parity(const uint64_t *sizes, size_t n, const struct profile *p)
{
	uint64_t sum = 0, full = 0;

	for (size_t left = n; left >= p->least; left--) {
		sum += (sizes[left - 1] - full) * (left - p->tolerates);
		full = sizes[left - 1];
	}
	return sum;
}

uint64_t profile_usable(struct arena *a, const struct profile *p, const uint64_t *sizes, size_t n)
{
	uint64_t *sorted = arena_alloc(a, n * sizeof(*sorted));

	if (!n || n < p->least)
		return 0;
	memcpy(sorted, sizes, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), largest_first);
	if (p->parity)
		return usable_parity(sorted, n, p);
	return usable_mirrors(sorted, n, p->tolerates + 1) / p->copies;
}

static uint64_t chunks(const struct profile *p, uint64_t single, uint64_t other)
{
	return (p->flag ? other : single) * p->copies;
}

uint64_t profile_smallest(const struct profile *data, const struct profile *metadata)
{
	return 21 * MIB + chunks(metadata, 16 * MIB, 40 * MIB) + chunks(data, 8 * MIB, 64 * MIB);
}
