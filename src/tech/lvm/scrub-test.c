/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/units.h"
#include "plan/scrub.h"
#include "tech/lvm/lvm.h"

/*
 * Whatever a new volume shows at a byte has to be zero on the devices below. Where that byte lies is worked out here once more, extent by
 * extent, as device-mapper's linear and striped targets map it, and held against the ranges.
 */

enum { MOST = 4 };

struct world {
	struct vg vg;
	struct lv lv;
	struct pv pv[MOST];
	struct node on[MOST];
	struct scrub out;
};

static struct world *world(struct arena *a, uint64_t extent, unsigned stripes, uint64_t stripe_size)
{
	struct world *w = arena_of(a, struct world);

	w->vg.extent_size = extent;
	w->lv.vg = &w->vg;
	w->lv.stripes = stripes;
	w->lv.stripe_size = stripe_size;
	w->out.arena = a;
	for (size_t i = 0; i < MOST; i++) {
		w->pv[i].node.verdict = VERDICT_CREATE;
		w->pv[i].pe_start = (i + 1) * MIB;
		w->pv[i].on = &w->on[i];
		w->on[i].size = UINT64_C(1) << 40;
	}
	return w;
}

static void piece(struct world *w, size_t pv, uint64_t start, uint64_t count)
{
	vec_push(w->out.arena, &w->lv.pieces,
		 (struct piece){ .pv = &w->pv[pv], .start = start, .count = count });
	w->lv.extents += count;
	w->lv.node.size = w->lv.extents * w->vg.extent_size;
}

/* The extent of a device that is the @n-th that a volume has there; of any device where @pv is NULL. */
static const struct piece *nth(const struct lv *lv, const struct pv *pv, uint64_t n, uint64_t *ret_extent)
{
	vec_each (const struct piece *, p, &lv->pieces) {
		if (pv && p->pv != pv)
			continue;
		if (n < p->count) {
			*ret_extent = p->start + n;
			return p;
		}
		n -= p->count;
	}
	fail_msg("there is no such extent");
	return NULL;
}

static void assert_zero(const struct world *w, uint64_t at)
{
	const struct lv *lv = &w->lv;
	uint64_t within = at, extent, place;
	const struct pv *column = NULL;
	const struct piece *p;

	if (lv->stripes > 1) {
		uint64_t chunk = at / lv->stripe_size;

		column = &w->pv[chunk % lv->stripes];
		within = chunk / lv->stripes * lv->stripe_size + at % lv->stripe_size;
	}
	p = nth(lv, column, within / w->vg.extent_size, &extent);
	place = p->pv->pe_start + extent * w->vg.extent_size + within % w->vg.extent_size;
	vec_each (const struct scrub_spot *, spot, &w->out.spots)
		if (spot->node == p->pv->on && place >= spot->start && place - spot->start < spot->size)
			return;
	fail_msg("byte %llu, at %llu of device %zu", (unsigned long long)at, (unsigned long long)place,
		 (size_t)(p->pv - w->pv));
}

static void check(struct world *w)
{
	static const uint64_t lengths[] = { MIB + 4096, 4096, 512 };

	for (size_t k = 0; k < sizeof(lengths) / sizeof(lengths[0]); k++) {
		uint64_t starts[] = { 0, 4 * MIB, 64 * MIB - 512, w->lv.node.size - lengths[k] };

		for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
			w->out.spots.n = 0;
			lv_scrub(&w->lv.node, starts[i], lengths[k], &w->out);
			for (uint64_t at = starts[i]; at < starts[i] + lengths[k] && at < w->lv.node.size;
			     at += 512)
				assert_zero(w, at);
			/* More than needed is fine, the whole volume isn't. */
			vec_each (const struct scrub_spot *, spot, &w->out.spots)
				assert_true(spot->size <= lengths[k] + 2 * w->lv.stripe_size);
		}
	}
}

static void linear_volumes(void **state)
{
	static const uint64_t extents[] = { 64 * KIB, MIB, 4 * MIB, 16 * MIB };

	(void)state;
	for (size_t i = 0; i < sizeof(extents) / sizeof(extents[0]); i++) {
		_cleanup_arena_ struct arena *a = arena_new();
		struct world *w = world(a, extents[i], 1, 0);

		/* In more than one piece, out of order, and one so small that a range has its ends in others. */
		piece(w, 1, 100, 7 * MIB / extents[i] + 1);
		piece(w, 0, 50, 1);
		piece(w, 1, 3, 80 * MIB / extents[i] + 2);
		piece(w, 2, 0, 9);
		check(w);
	}
}

static void striped_volumes(void **state)
{
	static const uint64_t stripes[] = { 4 * KIB, 64 * KIB, MIB };

	(void)state;
	for (size_t i = 0; i < sizeof(stripes) / sizeof(stripes[0]); i++)
		for (unsigned n = 2; n <= MOST; n++) {
			_cleanup_arena_ struct arena *a = arena_new();
			struct world *w = world(a, MIB, n, stripes[i]);

			for (size_t p = 0; p < n; p++) {
				piece(w, p, 10 * p, 3 + p);
				piece(w, p, 70, 64 - p);
			}
			check(w);
		}
}

/* Of a group that is there, nothing is written below it: the volume is cleared when it is made. */
static void groups_that_are_there(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct world *w = world(a, MIB, 1, 0);

	(void)state;
	piece(w, 0, 0, 10);
	piece(w, 1, 0, 10);
	assert_false(lvm_clears_itself(&w->lv));
	w->pv[1].node.verdict = VERDICT_KEEP;
	assert_true(lvm_clears_itself(&w->lv));
	lv_scrub(&w->lv.node, 0, MIB, &w->out);
	assert_int_equal(w->out.spots.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(linear_volumes),
					    cmocka_unit_test(striped_volumes),
					    cmocka_unit_test(groups_that_are_there) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
