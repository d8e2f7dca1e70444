/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/scrub.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/units.h"
#include "machine/machine.h"
#include "plan/loss.h"
#include "plan/steps.h"
#include "tech/kind.h"

enum { LEAST = 4 << 20 };

/*
 * Where on a device a signature may lie that libblkid, the kernel or a tool would find, beside its first and its last MiB: the second
 * header of LUKS2 (the largest is 4 MiB), and the mirrors of a btrfs superblock.
 * Source: libblkid, luks.c; btrfs-progs, ondisk-format (superblock).
 */
static const struct op_range places[] = {
	{ 0, MIB + 4096 },
	{ 2 * MIB, 4096 },
	{ 4 * MIB, 4096 },
	{ 64 * MIB, 4096 },
	{ UINT64_C(256) << 30, 4096 },
};

void scrub_range(struct scrub *out, const struct node *below, uint64_t start, uint64_t size)
{
	if (start >= below->size)
		return;
	if (size > below->size - start)
		size = below->size - start;
	if (size)
		vec_push(out->arena, &out->spots,
			 (struct scrub_spot){ .node = below, .start = start, .size = size });
}

static void own_places(struct scrub *s, const struct node *n)
{
	if (n->size <= LEAST) {
		scrub_range(s, n, 0, n->size);
		return;
	}
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		scrub_range(s, n, places[i].start, places[i].size);
	scrub_range(s, n, units_align_down(n->size - MIB, 4096), MIB + 4096);
}

/* What lies on it without a table, both ends of each: else it would come to light with the next table that is written there. */
static void stray_places(struct scrub *s, const struct losses *l, const struct node *n)
{
	const struct blockdev *b = n->have && n->have->block
					   ? map_get(&l->machine->by_name, n->have->block->name)
					   : NULL;

	if (!b)
		return;
	vec_each (const struct signature *, stray, &b->strays) {
		uint64_t end = stray->size && stray->offset <= n->size &&
					       stray->size <= n->size - stray->offset
				       ? stray->offset + stray->size
				       : 0;

		for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
			scrub_range(s, n, stray->offset + places[i].start, places[i].size);
		if (end > MIB)
			scrub_range(s, n, end - MIB, MIB);
	}
}

/* A device that is there and gets new content. */
static bool is_ground(const struct node *n)
{
	if (!n->kind->device || n->verdict != VERDICT_KEEP || !n->dev)
		return false;
	vec_each (struct node *const *, up, &n->above)
		vec_each (const struct edge *, e, &(*up)->below)
			if (e->to == n && e->claim && (*up)->verdict == VERDICT_CREATE)
				return true;
	return false;
}

static int by_start(const void *a, const void *b)
{
	const struct op_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Whole sectors, in order, each byte once. */
static void tidy(struct op *op, const struct node *n)
{
	uint64_t sector = n->geo.logical ? n->geo.logical : SECTOR;
	size_t kept = 0;

	for (size_t i = 0; i < op->ranges.n; i++) {
		struct op_range *r = &op->ranges.at[i];
		uint64_t end = units_align_up(r->start + r->size, sector);

		r->start = units_align_down(r->start, sector);
		r->size = (end > n->size ? units_align_down(n->size, sector) : end) - r->start;
	}
	qsort(op->ranges.at, op->ranges.n, sizeof(*op->ranges.at), by_start);
	for (size_t i = 0; i < op->ranges.n; i++) {
		struct op_range *last = kept ? &op->ranges.at[kept - 1] : NULL, r = op->ranges.at[i];

		if (last && r.start <= last->start + last->size) {
			if (r.start + r.size > last->start + last->size)
				last->size = r.start + r.size - last->start;
		} else if (r.size) {
			op->ranges.at[kept++] = r;
		}
	}
	op->ranges.n = kept;
}

static struct step *clear_step(struct steps *s, const struct node *n)
{
	struct step *st = step_new(
		s, n, "clear", "clear the ends of %s, and the places where something old would show itself",
		n->name);

	st->op.form = OP_ZERO;
	st->op.dev = n->dev;
	return st;
}

static struct step *ground(struct steps *s, const struct losses *l, const struct node *n)
{
	bool given_up = n->have && map_get(&l->clear, n->have->name);
	struct step *st = clear_step(s, n);

	st->why = arena_printf(steps_arena(s), given_up ? "what was on %s is given up" : "%s is blank",
			       n->dev);
	return st;
}

void scrub_made(struct steps *s, const struct node *n)
{
	struct arena *a = steps_arena(s);
	struct scrub own = { .arena = a };
	struct step *st = clear_step(s, n);

	own_places(&own, n);
	vec_each (const struct scrub_spot *, spot, &own.spots)
		vec_push(a, &st->op.ranges, (struct op_range){ .start = spot->start, .size = spot->size });
	tidy(&st->op, n);
}

void plan_scrub(struct steps *s, const struct graph *want, const struct losses *l)
{
	struct arena *a = steps_arena(s);
	struct map grounds = { .arena = a };
	struct scrub all = { .arena = a };

	vec_each (struct node *const *, n, &want->nodes) {
		if (is_ground(*n)) {
			(void)map_set(&grounds, (*n)->name, ground(s, l, *n));
			own_places(&all, *n);
			stray_places(&all, l, *n);
		} else if ((*n)->verdict == VERDICT_CREATE && (*n)->kind->scrub) {
			own_places(&all, *n);
		}
	}
	/* Down to what is there; the list grows while it is walked. */
	for (size_t i = 0; i < all.spots.n; i++) {
		struct scrub_spot spot = all.spots.at[i];
		struct step *st = map_get(&grounds, spot.node->name);

		if (st)
			vec_push(a, &st->op.ranges,
				 (struct op_range){ .start = spot.start, .size = spot.size });
		else if (spot.node->verdict == VERDICT_CREATE && spot.node->kind->scrub)
			spot.node->kind->scrub(spot.node, spot.start, spot.size, &all);
	}
	map_each (it, &grounds) {
		struct step *st = it->value;

		tidy(&st->op, st->node);
	}
}
