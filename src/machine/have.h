/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "graph/node.h"

struct arena;
struct diag;
struct machine;

/**
 * machine_have() - the objects that are there, by asking every kind to find() its own
 * Devices that no room knows (crypt, loop, multipath) become plain nodes, so that what holds what stays visible.
 * Return: 0 with *@ret in @a, or -errno after diag_error().
 */
int machine_have(struct arena *a, const struct machine *m, struct diag *d, struct graph **ret);

/** have_add() - for find(): an object that is there. @name: the kernel name for a device, else unique ("vg vg0"). @block: NULL if no device. */
struct node *have_add(struct graph *have, const struct kind *kind, const char *name,
		      const struct blockdev *block);

/** have_on() - for find(): it stands on the device of that kernel name; joined when all have found theirs, ignored if that device isn't there. */
void have_on(struct graph *have, struct node *n, const char *kernel_name, bool claim);

/** have_dev() - the node of a device, by kernel name; NULL: none. For match(): have_dev(s->have, want->below.at[0].to->have->block->name). */
const struct node *have_dev(const struct graph *have, const char *kernel_name);

/** have_user() - the first node of @kind that stands on @n; NULL: none. */
const struct node *have_user(const struct node *n, const struct kind *kind);
