/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "base/diag.h"
#include "plan/settle.h"

/* min() and what rounds up may pass 64 bits: then the part is as large as can be, and doesn't fit. */
static uint64_t round_up(uint64_t bytes, uint64_t unit)
{
	uint64_t up = units_align_up(bytes, unit);

	return up || !bytes ? up : units_align_down(UINT64_MAX, unit);
}

static uint64_t unit_of(const struct share *s, uint64_t unit)
{
	return s->unit ? s->unit : unit;
}

static bool takes(uint64_t *left, uint64_t size)
{
	if (size > *left)
		return false;
	*left -= size;
	return true;
}

/* Names the largest takers; a person who has to make room looks there first. */
static void note_takers(struct arena *a, const struct share *parts, size_t n, struct diag *d)
{
	for (size_t i = 0; i < n && i < 8; i++)
		if (parts[i].size)
			diag_note(d, parts[i].pos, "'%s' takes %s", parts[i].name,
				  units_exact(a, parts[i].size));
	if (n > 8)
		diag_note(d, parts[8].pos, "and %zu more", n - 8);
}

static int too_big(struct arena *a, const struct share *s, uint64_t wanted, uint64_t left, uint64_t capacity,
		   const char *what, const struct share *parts, size_t n, struct diag *d)
{
	int r;

	if (wanted > capacity)
		r = diag_error(d, s->pos, "'%s' wants %s, but %s has %s in all: %s too much", s->name,
			       units_exact(a, wanted), what, units_exact(a, capacity),
			       units_text(a, wanted - capacity));
	else
		r = diag_error(d, s->pos, "'%s' wants %s, but %s has only %s of %s left: %s too much",
			       s->name, units_exact(a, wanted), what, units_exact(a, left),
			       units_exact(a, capacity), units_text(a, wanted - left));
	note_takers(a, parts, n, d);
	return r;
}

/* The size that a part takes before ranges grow and the rest is given out. */
static uint64_t first_size(const struct share *s, uint64_t capacity, uint64_t unit)
{
	if (s->fixed)
		return s->fixed;
	switch (s->want->form) {
	case SIZE_BYTES:
		return round_up(s->want->bytes, unit);
	case SIZE_PERCENT:
		return units_align_down(units_percent(capacity, s->want->ppm), unit);
	case SIZE_RANGE:
		return round_up(s->want->min, unit);
	case SIZE_NONE:
	case SIZE_REST:
		return 0;
	}
	return 0;
}

static int share_fixed(struct arena *a, uint64_t capacity, uint64_t unit, struct share *parts, size_t n,
		       const char *what, struct diag *d, uint64_t *left)
{
	int r = 0;

	/* Two rounds: what is fixed comes before every min. */
	for (int range = 0; range < 2; range++)
		for (size_t i = 0; i < n; i++) {
			struct share *s = &parts[i];
			uint64_t size = first_size(s, capacity, unit_of(s, unit));

			if ((!s->fixed && s->want->form == SIZE_RANGE) != (range == 1))
				continue;
			if (!s->fixed && s->want->form == SIZE_PERCENT && !size) {
				r = diag_error(d, s->pos, "'%s' is %s of %s, less than one unit of %s",
					       s->name, units_size_text(a, s->want), what,
					       units_text(a, unit_of(s, unit)));
				continue;
			}
			if (!takes(left, size)) {
				r = too_big(a, s, size, *left, capacity, what, parts, i, d);
				continue;
			}
			s->size = size;
		}
	return r;
}

static void share_grow(uint64_t unit, struct share *parts, size_t n, uint64_t *left)
{
	for (size_t i = 0; i < n; i++) {
		struct share *s = &parts[i];
		uint64_t max, more;

		if (s->fixed || s->want->form != SIZE_RANGE || !s->size)
			continue;
		max = units_align_down(s->want->max, unit_of(s, unit));
		/* min rounded up may have passed max rounded down (both the same odd number): min stands. */
		if (max <= s->size)
			continue;
		more = max - s->size;
		if (more > *left)
			more = units_align_down(*left, unit_of(s, unit));
		s->size += more;
		*left -= more;
	}
}

int share_out(struct arena *a, uint64_t capacity, uint64_t unit, struct share *parts, size_t n,
	      const char *what, struct diag *d)
{
	struct share *rest = NULL;
	uint64_t left = capacity;
	int r = 0;

	for (size_t i = 0; i < n; i++) {
		struct share *s = &parts[i];

		s->size = 0;
		if (s->fixed || s->want->form != SIZE_REST)
			continue;
		if (rest) {
			r = diag_error(d, s->pos, "'%s' is to get the rest of %s, but '%s' gets it already",
				       s->name, what, rest->name);
			diag_note(d, rest->pos, "it is given away here");
		}
		rest = s;
	}
	if (r)
		return r;

	r = share_fixed(a, capacity, unit, parts, n, what, d, &left);
	if (r)
		return r;
	share_grow(unit, parts, n, &left);
	if (!rest)
		return 0;

	rest->size = units_align_down(left, unit_of(rest, unit));
	if (!rest->size) {
		r = diag_error(d, rest->pos,
			       "nothing is left of %s for '%s', which is to get the rest: %s of %s are free, "
			       "and it needs %s",
			       what, rest->name, units_text(a, left), units_exact(a, capacity),
			       units_text(a, unit_of(rest, unit)));
		note_takers(a, parts, n, d);
	}
	return r;
}
