/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

#include "base/map.h"
#include "base/vec.h"
#include "graph/node.h"
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

/* What a list may state so that it protects a disk; as keys, with what each is. */
struct protect_ids {
	struct map exact; /* plain identifiers (small letters, without signs), and paths as they are */
	struct map begun; /* plain ones with which a longer one of the list may begin */
};

/** plan_protect_ids() - all that would protect a disk, by what is on it. @have, @disk: of what is there. */
void plan_protect_ids(struct arena *a, const struct machine *m, const struct graph *have,
		      const struct node *disk, struct protect_ids *ret);

/** plan_written_disks() - the disks that a plan writes to. @all: what is there, all of it. */
node_list plan_written_disks(const struct plan *p, struct arena *a, const struct graph *all);

/**
 * plan_protect() - whether a plan leaves those disks alone that a list protects
 *
 * To keep what is on them, to mount it and to swap on it is no harm; every step that writes to them is. Nothing lifts it. Each such disk is
 * a refusal that names it, the list's line, and the steps. A list that the machine has and that could not be read is an error.
 */
bool plan_protect(const struct plan *p, const protected_list *list, struct diag *d);
