/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/text.h"
#include "base/units.h"
#include "graph/node.h"

struct arena;
struct diag;
struct graph;
struct losses;
struct machine;

/* What the person asked for beside the layout. */
struct plan_options {
	const char *
		root; /* where filesystems are mounted and whose etc/ gets the files; "/" if absent; no slash at the end */
	bool mount;       /* false: --no-mount */
	const char *seed; /* NULL: the layout's name */
	text_list
		allow_loss; /* disks whose content may be lost: names of the layout, serial numbers, WWNs or paths */
};

/* What kinds see in match() and settle(). */
struct settle {
	struct arena *arena;
	struct diag *diag;
	const struct machine *machine; /* without what is given up */
	const struct graph *want;      /* sorted */
	const struct graph *have;      /* without what is given up */
	struct losses *losses;         /* what is given up; .machine and .all in it are as they are now */
	const struct plan_options *options;
	const char *seed;
	bool verify; /* nothing will be made: what isn't there is told, and all the rest is looked at as far as it goes */
};

/** settle_uuid() - the UUID of a new object: from the seed, the identity of the disks beneath, the kind, the name and @role ("" or what sets it apart). */
struct uuid settle_uuid(const struct settle *s, const struct node *n, const char *role);

/* One part of a container that shares itself out. Sizes in bytes. */
struct share {
	const struct size_want *want;
	struct pos pos;   /* of the size, for messages */
	const char *name; /* for messages */
	uint64_t unit;    /* multiples of this; 0: the container's */
	uint64_t fixed;   /* not 0: it has this size already (it is there): @want is not looked at */
	uint64_t size;    /* result */
};

/**
 * share_out() - settles the sizes of the parts of a container
 * Fixed sizes and min round up to the unit, max, percentages and rest down; a percentage is of @capacity whatever the order. First what is
 * fixed, then every min, then ranges grow to their max in the order given, then the one `rest` gets what is left, at least one unit.
 * Several `rest` are an error. What doesn't fit is an error: wanted, available, who took the space.
 * @what: names the container in messages ("disk vda", "volume group vg0").
 * Return: 0, or -errno after diag_error(); sizes are filled as far as they are known either way.
 */
int share_out(struct arena *a, uint64_t capacity, uint64_t unit, struct share *parts, size_t n,
	      const char *what, struct diag *d);
