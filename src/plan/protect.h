/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

#include "base/vec.h"
#include "machine/machine.h"

struct arena;
struct diag;
struct graph;
struct node;
struct plan;

/* A disk that a line of a protection list is about. */
struct protection {
	const struct blockdev *disk;
	const struct protected_line *line;
	const char *
		what; /* what the line states: "the serial number of /dev/sda", "the UUID of the ext4 on /dev/sda1" */
};

typedef VEC(struct protection) protection_list;

/**
 * plan_protections() - the disks that a list protects, each once
 *
 * Those whose serial number, WWN, or a link of /dev/disk/by-id it states, and those on which anything lies that bears a UUID which it states:
 * of @have, or one of those that @m knows for this alone.
 * Upper and lower case, blanks and the signs between groups of digits don't count, nor what is written before the digits (0x, naa., UUID=):
 * where two people write one number differently, the disk shall not be lost for it.
 */
protection_list plan_protections(struct arena *a, const struct machine *m, const struct graph *have,
				 const protected_list *list);

/** plan_protection_of() - what protects a disk, a node of any graph of what is there; NULL: nothing. */
const struct protection *plan_protection_of(const protection_list *list, const struct node *disk);

/**
 * plan_protect() - whether a plan leaves those disks alone that a list protects
 *
 * To keep what is on them, to mount it and to swap on it is no harm; every step that writes to them is. Nothing lifts it. Each such disk is
 * a refusal that names it, the list's line, and the steps. A list that the machine has and that could not be read is an error.
 */
bool plan_protect(const struct plan *p, const protected_list *list, struct diag *d);
