/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

#include "base/vec.h"

struct node;
struct settle;

/* How strongly a device is held. */
enum use_bond {
	USE_LOOSE, /* swap, a holder that is known, a mount below --root: ended in order where all of it may be lost */
	USE_BUSY, /* a resync, a pvmove, a balance is under way: nothing breaks that isn't lost anyway, but somebody waits for it */
	USE_BOUND, /* a mount elsewhere, the disk of /, a protected disk, a holder that nobody here can end: no option changes that */
};

/* Who uses a device, or what stands on it. */
struct use {
	enum use_bond bond;
	const struct node *node; /* of the have graph, that is used */
	const char *text;        /* "/dev/sda1 is mounted on /srv" */
};

typedef VEC(struct use) use_list;

/**
 * plan_users_of() - all uses of a thing that is there and of everything that stands on it, from below to above, each once. In s->arena
 * What the machine, or its recording, tells; who just has a device open is seen by the run alone.
 * @have: of the have graph
 */
use_list plan_users_of(const struct settle *s, const struct node *have);

/** plan_uses_of() - those of one thing that is there alone, without what stands on it and without what is said of its disk. */
use_list plan_uses_of(const struct settle *s, const struct node *have);

/** plan_is_bound() - whether one of the uses stands in the way of any option. */
bool plan_is_bound(const use_list *uses);

/**
 * plan_is_root_disk() - whether the running system's / stands on a disk of the have graph
 * Also in part, and on a group that the disk is a device of, on whichever of its devices the volume lies: the group would go with the disk.
 */
bool plan_is_root_disk(const struct settle *s, const struct node *disk);
