/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/scrub.h"
#include "tech/lvm/lvm.h"

/* Bytes [@start, @end) of what a volume has on one device, its pieces one behind the other. */
static void scrub_column(const struct lv *lv, const struct pv *pv, uint64_t start, uint64_t end,
			 struct scrub *out)
{
	uint64_t extent = lv->vg->extent_size, at = 0;

	vec_each (const struct piece *, p, &lv->pieces) {
		uint64_t size = p->count * extent, from = start > at ? start - at : 0,
			 to = end > at ? end - at : 0;

		if (p->pv != pv)
			continue;
		at += size;
		if (to > size)
			to = size;
		if (from < to)
			scrub_range(out, pv->on, pv->pe_start + p->start * extent + from, to - from);
	}
}

static bool is_first_on(const struct lv *lv, size_t piece)
{
	for (size_t i = 0; i < piece; i++)
		if (lv->pieces.at[i].pv == lv->pieces.at[piece].pv)
			return false;
	return true;
}

static void scrub_striped(const struct lv *lv, uint64_t start, uint64_t size, struct scrub *out)
{
	uint64_t row = lv->stripes * lv->stripe_size, first = start / row, last = (start + size - 1) / row;

	for (size_t i = 0; i < lv->pieces.n; i++)
		if (is_first_on(lv, i))
			scrub_column(lv, lv->pieces.at[i].pv, first * lv->stripe_size,
				     (last + 1) * lv->stripe_size, out);
}

/*
 * lvcreate's -Wy wipes what libblkid sees on a new volume before udev looks at it. What it doesn't see (further superblocks of btrfs, LUKS2's
 * second header) is cleared where it will lie. Where the group is there already, its devices are in use: see lvm_clears_itself().
 */
void lv_scrub(const struct node *want, uint64_t start, uint64_t size, struct scrub *out)
{
	const struct lv *lv = lv_of(want);
	uint64_t extent = lv->vg->extent_size, at = 0;

	if (lvm_clears_itself(lv))
		return;
	if (lv->stripes > 1 && lv->stripe_size) {
		scrub_striped(lv, start, size, out);
		return;
	}
	vec_each (const struct piece *, p, &lv->pieces) {
		uint64_t piece = p->count * extent, from = start > at ? start - at : 0,
			 to = start + size > at ? start + size - at : 0;

		at += piece;
		if (to > piece)
			to = piece;
		if (from < to)
			scrub_range(out, p->pv->on, p->pv->pe_start + p->start * extent + from, to - from);
	}
}

bool lvm_clears_itself(const struct lv *lv)
{
	vec_each (const struct piece *, p, &lv->pieces)
		if (p->pv->node.verdict != VERDICT_CREATE)
			return true;
	return false;
}
