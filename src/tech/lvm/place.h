/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/units.h"
#include "base/vec.h"

struct arena;

/*
 * Who gets which extents of a volume group, before anything is made: pure arithmetic, knows nothing of nodes or tools.
 */

struct place_range {
	uint64_t start, count;
};

struct place_pv {
	const char *name;
	uint64_t extents;             /* in all */
	VEC(struct place_range) free; /* in order */
	uint64_t left;                /* filled by place_volumes() */
};

struct place_piece {
	size_t pv;
	uint64_t start, count;
};

struct place_lv {
	const char *name;
	struct pos pos; /* of its size */
	const struct size_want *want;
	const size_t *on; /* indices of the PVs that it is pinned to; .on_n == 0: all */
	size_t on_n;
	unsigned stripes; /* at least 1 */
	bool there;       /* it has .extents already, and nothing is given to it */
	/* result */
	uint64_t extents;
	uint64_t *take; /* of each PV */
	VEC(struct place_piece) pieces;
};

struct place {
	struct arena *arena;
	struct diag *diag;
	const char *what; /* "volume group 'vg0'", for messages */
	uint64_t extent_size;
	struct place_pv *pvs;
	size_t pv_n;
	struct place_lv *lvs;
	size_t lv_n;
};

/**
 * place_volumes() - settles how many extents each volume gets, and which
 * A fixed size and a min round up to extents (of a striped volume to as many as it has stripes), max, percentages and `rest` down. A
 * percentage is of the devices that the volume is pinned to, or of the whole group. First comes all that must be: volumes pinned to one
 * device, striped ones, those pinned to several, those that may lie anywhere; these fill one device after the other. Then ranges grow in
 * order, then `rest` gets what is left of the devices that it may use. Within a device volumes lie in their order.
 * Return: 0, or -errno after diag_error().
 */
int place_volumes(struct place *p);

/**
 * place_greedy() - whether LVM's own allocator, given these many extents of each PV, makes so many rows of @stripes of them
 * It takes the @stripes largest areas as far as the smallest of them goes, and again. Return: rows.
 */
uint64_t place_greedy(struct arena *a, const uint64_t *areas, size_t n, unsigned stripes);
