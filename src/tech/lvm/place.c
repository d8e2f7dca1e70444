/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tech/lvm/place.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"

/* The PVs that a volume may lie on, by index. */
static size_t domain_n(const struct place *p, const struct place_lv *lv)
{
	return lv->on_n ? lv->on_n : p->pv_n;
}

static size_t domain_at(const struct place_lv *lv, size_t i)
{
	return lv->on_n ? lv->on[i] : i;
}

static bool in_domain(const struct place *p, const struct place_lv *lv, size_t pv)
{
	for (size_t i = 0; i < domain_n(p, lv); i++)
		if (domain_at(lv, i) == pv)
			return true;
	return false;
}

static uint64_t domain_left(const struct place *p, const struct place_lv *lv)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < domain_n(p, lv); i++)
		sum += p->pvs[domain_at(lv, i)].left;
	return sum;
}

static uint64_t domain_extents(const struct place *p, const struct place_lv *lv)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < domain_n(p, lv); i++)
		sum += p->pvs[domain_at(lv, i)].extents;
	return sum;
}

static const char *domain_text(const struct place *p, const struct place_lv *lv)
{
	struct text t = { .arena = p->arena };

	if (!lv->on_n)
		return p->what;
	for (size_t i = 0; i < lv->on_n && i < 4; i++)
		text_printf(&t, "%s'%s'",
			    !i                  ? ""
			    : i + 1 == lv->on_n ? " and "
						: ", ",
			    p->pvs[lv->on[i]].name);
	if (lv->on_n > 4)
		text_printf(&t, " and %zu more", lv->on_n - 4);
	return text_str(&t);
}

/*
 * One round of LVM's allocator: the @stripes largest areas, each as far as the smallest of them goes, at most @rows.
 * @picked: their indices. Return: rows.
 */
static uint64_t greedy_round(const uint64_t *areas, size_t n, unsigned stripes, uint64_t rows, size_t *picked)
{
	size_t have = 0;

	for (size_t i = 0; i < n; i++) {
		size_t at = have < stripes ? have++ : stripes;

		/* Behind those of the same size, so that the first in order is taken. */
		while (at > 0 && areas[picked[at - 1]] < areas[i]) {
			if (at < stripes)
				picked[at] = picked[at - 1];
			at--;
		}
		if (at < stripes)
			picked[at] = i;
	}
	if (have < stripes)
		return 0;
	return areas[picked[stripes - 1]] < rows ? areas[picked[stripes - 1]] : rows;
}

/* Gives up to @rows rows of stripes out of @areas, which shrink; @take grows. Return: rows given. */
static uint64_t give_rows(struct arena *a, uint64_t *areas, size_t n, unsigned stripes, uint64_t rows,
			  uint64_t *take)
{
	size_t *picked = arena_alloc(a, stripes * sizeof(*picked));
	uint64_t given = 0, now;

	while (given < rows && (now = greedy_round(areas, n, stripes, rows - given, picked)) > 0) {
		for (unsigned k = 0; k < stripes; k++) {
			areas[picked[k]] -= now;
			take[picked[k]] += now;
		}
		given += now;
	}
	return given;
}

uint64_t place_greedy(struct arena *a, const uint64_t *areas, size_t n, unsigned stripes)
{
	uint64_t *copy = arena_alloc(a, n * sizeof(*copy)), *take = arena_alloc(a, n * sizeof(*take));

	memcpy(copy, areas, n * sizeof(*copy));
	return give_rows(a, copy, n, stripes, UINT64_MAX, take);
}

/* Takes extents back. */
static void release(struct place *p, struct place_lv *lv)
{
	for (size_t i = 0; i < p->pv_n; i++) {
		p->pvs[i].left += lv->take[i];
		lv->take[i] = 0;
	}
	lv->extents = 0;
}

static void give_linear(struct place *p, struct place_lv *lv, uint64_t extents)
{
	for (size_t i = 0; i < domain_n(p, lv) && lv->extents < extents; i++) {
		size_t pv = domain_at(lv, i);
		uint64_t now = extents - lv->extents;

		if (now > p->pvs[pv].left)
			now = p->pvs[pv].left;
		p->pvs[pv].left -= now;
		lv->take[pv] += now;
		lv->extents += now;
	}
}

/*
 * All of a striped volume's extents are chosen anew when it grows: only what one run of the greedy choice has picked is sure to be laid
 * out the same way by LVM.
 */
static void give_striped(struct place *p, struct place_lv *lv, uint64_t extents)
{
	size_t n = domain_n(p, lv);
	uint64_t *areas = arena_alloc(p->arena, n * sizeof(*areas)),
		 *take = arena_alloc(p->arena, n * sizeof(*take)), rows;

	release(p, lv);
	for (size_t i = 0; i < n; i++)
		areas[i] = p->pvs[domain_at(lv, i)].left;
	rows = give_rows(p->arena, areas, n, lv->stripes, extents / lv->stripes, take);
	for (size_t i = 0; i < n; i++) {
		p->pvs[domain_at(lv, i)].left -= take[i];
		lv->take[domain_at(lv, i)] += take[i];
	}
	lv->extents = rows * lv->stripes;
}

/* Up to @extents in all, as far as there are any. */
static void give(struct place *p, struct place_lv *lv, uint64_t extents)
{
	if (lv->stripes > 1)
		give_striped(p, lv, extents);
	else
		give_linear(p, lv, extents);
}

static uint64_t unit_of(const struct place *p, const struct place_lv *lv)
{
	return p->extent_size * lv->stripes;
}

static uint64_t extents_up(const struct place *p, const struct place_lv *lv, uint64_t bytes)
{
	uint64_t up = units_align_up(bytes, unit_of(p, lv));

	if (!up && bytes)
		up = units_align_down(UINT64_MAX, unit_of(p, lv));
	return up / p->extent_size;
}

static uint64_t extents_down(const struct place *p, const struct place_lv *lv, uint64_t bytes)
{
	return units_align_down(bytes, unit_of(p, lv)) / p->extent_size;
}

/* What a volume must have, before ranges grow and the rest is given out. */
static uint64_t must_have(const struct place *p, const struct place_lv *lv)
{
	switch (lv->want->form) {
	case SIZE_BYTES:
		return extents_up(p, lv, lv->want->bytes);
	case SIZE_PERCENT:
		return units_align_down(units_percent(domain_extents(p, lv), lv->want->ppm), lv->stripes);
	case SIZE_RANGE:
		/* No min: something all the same. */
		return extents_up(p, lv, lv->want->min ? lv->want->min : 1);
	case SIZE_NONE:
	case SIZE_REST:
		return lv->stripes;
	}
	return 0;
}

static void note_takers(const struct place *p, const struct place_lv *lv)
{
	uint64_t others = 0;
	size_t said = 0;

	for (size_t i = 0; i < p->lv_n; i++) {
		const struct place_lv *o = &p->lvs[i];
		uint64_t here = 0;

		for (size_t k = 0; o != lv && k < p->pv_n; k++)
			here += in_domain(p, lv, k) ? o->take[k] : 0;
		if (here && said++ < 8)
			diag_note(p->diag, o->pos, "'%s' takes %s there", o->name,
				  units_exact(p->arena, here * p->extent_size));
	}
	if (said > 8)
		diag_note(p->diag, nowhere, "and %zu more", said - 8);
	for (size_t k = 0; k < p->pv_n; k++) {
		uint64_t free = 0;

		vec_each (const struct place_range *, r, &p->pvs[k].free)
			free += r->count;
		others += in_domain(p, lv, k) ? p->pvs[k].extents - free : 0;
	}
	if (others)
		diag_note(p->diag, nowhere, "volumes that are there already take %s",
			  units_exact(p->arena, others * p->extent_size));
}

static int too_big(struct place *p, struct place_lv *lv, uint64_t wanted)
{
	struct arena *a = p->arena;
	uint64_t e = p->extent_size, got = lv->extents, all = domain_extents(p, lv);
	const char *domain = domain_text(p, lv);
	bool rest = lv->want->form == SIZE_REST;
	int r;

	release(p, lv);
	if (lv->stripes > 1 && rest)
		r = diag_error(p->diag, lv->pos,
			       "nothing is left for '%s', which is to get the rest of %s: it needs %s on "
			       "each of %u devices",
			       lv->name, domain, units_text(a, e), lv->stripes);
	else if (rest)
		r = diag_error(p->diag, lv->pos, "nothing is left for '%s', which is to get the rest of %s",
			       lv->name, domain);
	else if (lv->stripes > 1)
		r = diag_error(p->diag, lv->pos,
			       "'%s' wants %s in %u stripes, %s on each of so many devices, but %s has room "
			       "for %s in such: %s too much",
			       lv->name, units_exact(a, wanted * e), lv->stripes,
			       units_text(a, wanted / lv->stripes * e), domain, units_exact(a, got * e),
			       units_text(a, (wanted - got) * e));
	else if (wanted > all)
		r = diag_error(p->diag, lv->pos, "'%s' wants %s, but %s has %s in all: %s too much", lv->name,
			       units_exact(a, wanted * e), domain, units_exact(a, all * e),
			       units_text(a, (wanted - all) * e));
	else
		r = diag_error(p->diag, lv->pos, "'%s' wants %s, but %s has only %s of %s left: %s too much",
			       lv->name, units_exact(a, wanted * e), domain, units_exact(a, got * e),
			       units_exact(a, all * e), units_text(a, (wanted - got) * e));
	note_takers(p, lv);
	return r;
}

/* Those with the least choice first. */
static int choice(const struct place *p, const struct place_lv *lv)
{
	size_t n = domain_n(p, lv);

	if (n == 1)
		return 0;
	if (lv->stripes > 1)
		return n == lv->stripes ? 1 : 2;
	return lv->on_n ? 3 : 4;
}

static int place_musts(struct place *p)
{
	int r = 0;

	for (int c = 0; c <= 4; c++)
		for (size_t i = 0; i < p->lv_n; i++) {
			struct place_lv *lv = &p->lvs[i];
			uint64_t must;

			if (lv->there || choice(p, lv) != c)
				continue;
			must = must_have(p, lv);
			if (!must) {
				r = diag_error(p->diag, lv->pos,
					       "'%s' is %s of %s, less than the least of %s", lv->name,
					       units_size_text(p->arena, lv->want), domain_text(p, lv),
					       units_text(p->arena, unit_of(p, lv)));
				continue;
			}
			give(p, lv, must);
			if (lv->extents < must)
				r = too_big(p, lv, must);
		}
	return r;
}

static void grow_ranges(struct place *p)
{
	for (size_t i = 0; i < p->lv_n; i++) {
		struct place_lv *lv = &p->lvs[i];
		uint64_t max;

		if (lv->there || lv->want->form != SIZE_RANGE)
			continue;
		/* min rounded up may have passed max rounded down: min stands. */
		max = extents_down(p, lv, lv->want->max);
		if (max > lv->extents)
			give(p, lv, max);
	}
}

static bool is_rest(const struct place_lv *lv)
{
	return !lv->there && lv->want->form == SIZE_REST;
}

static bool overlap(const struct place *p, const struct place_lv *x, const struct place_lv *y)
{
	for (size_t i = 0; i < domain_n(p, x); i++)
		if (in_domain(p, y, domain_at(x, i)))
			return true;
	return false;
}

/* Whether a linear volume that wants the rest of several PVs has one to itself, that no other one wants the rest of alone. */
static bool has_own(const struct place *p, const struct place_lv *lv)
{
	for (size_t i = 0; i < domain_n(p, lv); i++) {
		bool taken = false;

		for (size_t k = 0; k < p->lv_n; k++)
			taken = taken || (is_rest(&p->lvs[k]) && domain_n(p, &p->lvs[k]) == 1 &&
					  domain_at(&p->lvs[k], 0) == domain_at(lv, i));
		if (!taken)
			return true;
	}
	return false;
}

static int check_rests(struct place *p)
{
	int r = 0;

	for (size_t i = 0; i < p->lv_n; i++)
		for (size_t k = 0; k < i; k++) {
			const struct place_lv *x = &p->lvs[k], *y = &p->lvs[i];
			bool x_one = domain_n(p, x) == 1, y_one = domain_n(p, y) == 1;

			if (!is_rest(x) || !is_rest(y) || !overlap(p, x, y))
				continue;
			if (x_one != y_one && (x_one ? y : x)->stripes == 1 && has_own(p, x_one ? y : x))
				continue;
			r = diag_error(p->diag, y->pos,
				       "'%s' is to get the rest of %s, but '%s' gets it already", y->name,
				       domain_text(p, x_one ? x : y), x->name);
			diag_note(p->diag, x->pos, "it is given away here");
			break;
		}
	return r;
}

/* Those that are pinned to one PV come first: what they leave is what the others can have. */
static void give_rests(struct place *p)
{
	for (int one = 1; one >= 0; one--)
		for (size_t i = 0; i < p->lv_n; i++) {
			struct place_lv *lv = &p->lvs[i];

			if (is_rest(lv) && (domain_n(p, lv) == 1) == (one == 1))
				give(p, lv, units_align_down(lv->extents + domain_left(p, lv), lv->stripes));
		}
}

/* Extents of one PV, in one piece where that is possible. */
static void take_extents(struct place *p, struct place_lv *lv, size_t pv)
{
	struct place_pv *from = &p->pvs[pv];
	uint64_t want = lv->take[pv];

	for (int whole = 1; whole >= 0; whole--)
		vec_each (struct place_range *, r, &from->free) {
			uint64_t now = r->count < want ? r->count : want;

			if (!now || (whole && r->count < want))
				continue;
			vec_push(p->arena, &lv->pieces,
				 (struct place_piece){ .pv = pv, .start = r->start, .count = now });
			r->start += now;
			r->count -= now;
			want -= now;
		}
}

int place_volumes(struct place *p)
{
	int r;

	for (size_t i = 0; i < p->pv_n; i++) {
		p->pvs[i].left = 0;
		vec_each (const struct place_range *, range, &p->pvs[i].free)
			p->pvs[i].left += range->count;
	}
	for (size_t i = 0; i < p->lv_n; i++) {
		struct place_lv *lv = &p->lvs[i];

		if (!lv->there)
			lv->extents = 0;
		lv->take = arena_alloc(p->arena, p->pv_n * sizeof(*lv->take));
	}
	r = check_rests(p);
	if (r < 0)
		return r;
	r = place_musts(p);
	if (r < 0)
		return r;
	grow_ranges(p);
	give_rests(p);
	for (size_t i = 0; i < p->lv_n; i++)
		for (size_t k = 0; k < p->pv_n; k++)
			if (p->lvs[i].take[k])
				take_extents(p, &p->lvs[i], k);
	return 0;
}
