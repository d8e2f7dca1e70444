/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tech/kind.h"

struct blockdev;

/* Geometry of a hardware RAID that the kernel can't see. */
struct stripe_item {
	struct item item;
	uint64_t unit; /* bytes */
	int64_t width; /* data disks */
};

/* By what a disk is chosen. Texts are NULL where they aren't stated. */
struct match_item {
	struct item item;
	const char *path, *serial, *wwn, *model, *vendor; /* patterns as of fnmatch() */
	const char *size;                                 /* a comparison, see disk_parse_size() */
	const char *transport;
	bool rotational, blank;
};

/* One disk of a set, or the only one. */
struct member_item {
	struct item item;
	const char *path;
	struct match_item match;
	struct stripe_item stripe;
};

struct disk_item {
	struct item item;
	struct items path; /* struct member_item */
	struct match_item match;
	int64_t count; /* 0: not stated */
	struct stripe_item stripe;
};

/* A whole disk, wanted or there. */
struct disk {
	struct node node;
	/* want only */
	const char *path;                 /* stated, or NULL */
	struct pos pos;                   /* of the path or of the selector */
	const struct match_item *match;   /* the selector, or NULL */
	const struct stripe_item *stripe; /* or NULL */
	size_t index, count; /* place among those that the selector takes together, and how many they are */
	bool resolved;       /* the disks of the layout were sought on the machine */
	const struct blockdev *found; /* what this one is, NULL: none, and that was said */
};

struct size_span {
	uint64_t min, max; /* bytes, both included */
};

extern const struct kind kind_disk;

static inline struct disk *as_disk(struct node *n)
{
	return (struct disk *)n;
}

static inline const struct disk *disk_of(const struct node *n)
{
	return (const struct disk *)n;
}

/**
 * disk_parse_size() - ">= 1T", "> 1T", "<= 1T", "< 1T", "= 500107862016", "1T..2T" (both included), or a size alone: exactly that
 * @ret_why: set on failure to what is wrong, in @a
 * Return: 0 or -EINVAL.
 */
int disk_parse_size(struct arena *a, const char *s, struct size_span *ret, const char **ret_why);

/** disk_id() - what tells a disk from all others: "wwn:..." or "serial:...". NULL: it has neither. */
const char *disk_id(struct arena *a, const struct blockdev *dev);

/** disk_id_or_name() - the same; for a disk with neither, what stands in for it: its name in the layout. */
const char *disk_id_or_name(struct arena *a, const struct blockdev *dev, const char *name);

/**
 * disk_misfit() - why a disk isn't one that a selector looks for
 * Leaves `blank` aside: that depends on what else is there. Return: "has 465.76 GiB, is connected by usb" in the arena; "" where it fits.
 */
const char *disk_misfit(const struct settle *s, const struct match_item *match, const struct blockdev *dev);

/** disk_part_of() - the path or name of what a disk is only a part of for the kernel (multipath); NULL: nothing. */
const char *disk_part_of(const struct settle *s, const struct blockdev *dev);

/** disk_resolve() - finds all disks of the layout on the machine, each once: .found. Says each mistake. */
void disk_resolve(const struct settle *s);

int disk_settle(struct node *want, struct settle *s);
