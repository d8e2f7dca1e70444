/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "machine/machine.h"
#include "tech/kind.h"
#include "tech/lvm/lvm.h"

void pv_compare(const struct node *want, const struct node *have, struct why *why)
{
	const struct vg *vg = pv_of(have)->vg, *ours = pv_of(want)->vg;

	if (!vg || text_eq(vg->vg_name, ours->vg_name))
		return;
	why_add(why, NULL, "it belongs to volume group '%s', not to '%s'", vg->vg_name, ours->vg_name);
	why_is(why, WHY_DANGEROUS);
	why_anew(why);
}

/* Where the first extent of a volume begins is where stripes of what lies beneath have to begin. */
void pv_health(const struct node *want, const struct settle *s, struct why *why)
{
	const struct geometry *g = &want->geo;

	(void)s;
	if (!want->have) {
		why_absent(why);
		return;
	}
	if (!pv_of(want->have)->pe_start || !g->opt_io || !g->offset)
		return;
	why_add(why, NULL,
		"its alignment is lost: its first extent begins %s behind the start of a stripe of %s",
		units_text(why->arena, g->offset), units_text(why->arena, g->opt_io));
	why_is(why, WHY_DANGEROUS);
}

static bool has_pv(const struct vg *vg, const struct node *pv)
{
	vec_each (struct pv *const *, at, &vg->pvs)
		if (&(*at)->node == pv)
			return true;
	return false;
}

void vg_compare(const struct node *want, const struct node *have, struct why *why)
{
	const struct vg *w = vg_of(want), *h = vg_of(have);
	size_t absent = 0, missing = 0;

	if (!text_eq(w->vg_name, h->vg_name)) {
		why_add(why, NULL, "on its devices is volume group '%s'", h->vg_name);
		why_anew(why);
		why_is(why, WHY_DANGEROUS);
		return;
	}
	if (item_has(&w->words->item, "extent-size") && h->extent_size &&
	    h->extent_size != w->words->extent_size) {
		why_add(why, "extent-size", "its extents are %s, not %s",
			units_text(why->arena, h->extent_size),
			units_text(why->arena, w->words->extent_size));
		why_anew(why);
	}
	/* What can't be seen can't be told. */
	if (!h->whole)
		return;
	vec_each (struct pv *const *, pv, &w->pvs) {
		bool gone = !(*pv)->on->have;

		if ((*pv)->node.have && has_pv(h, (*pv)->node.have))
			continue;
		if (gone)
			why_add(why, "devices", "it is degraded: '%s' is missing", (*pv)->on->name);
		else
			why_add(why, "devices", "'%s' is no device of it", (*pv)->on->name);
		absent += gone;
		why_is(why, WHY_DEGRADED);
		/* It may stand in for the one that is missing. */
		if (!lvm_is_missing_some(h))
			why_anew(why);
	}
	vec_each (struct pv *const *, pv, &h->pvs) {
		bool known = false;

		vec_each (struct pv *const *, ours, &w->pvs)
			known = known || (*ours)->node.have == &(*pv)->node;
		if (known)
			continue;
		if ((*pv)->dev) {
			why_add(why, "devices", "/dev/%s is a device of it, which the layout doesn't name",
				(*pv)->dev);
			why_anew(why);
		} else if (missing++ >= absent) { /* those that the layout knows were told above */
			why_add(why, "devices", "a device of it is missing: physical volume %s", (*pv)->uuid);
			why_is(why, WHY_DEGRADED);
		}
	}
}

void vg_health(const struct node *want, const struct settle *s, struct why *why)
{
	const struct pv *pv = want->have ? vg_damaged(vg_of(want->have)) : NULL;

	(void)s;
	if (!want->have) {
		why_absent(why);
		return;
	}
	if (!pv)
		return;
	why_add(why, NULL,
		"the copy of its metadata on /dev/%s can't be read: 'vgck --updatemetadata %s', run twice, "
		"mends it",
		pv->dev, vg_of(want->have)->vg_name);
	why_is(why, WHY_DEGRADED);
}

/* The extents that a size asks for; 0: any number would do. @ret_most: for ranges. */
static uint64_t asked(const struct lv *w, uint64_t extent, uint64_t *ret_most)
{
	const struct size_want *size = &w->words->size;
	uint64_t unit = extent * w->stripes, whole = 0, n = 0;

	*ret_most = 0;
	switch (size->form) {
	case SIZE_BYTES:
		n = *ret_most = units_align_up(size->bytes, unit) / extent;
		break;
	case SIZE_PERCENT:
		if (w->on.n)
			vec_each (struct pv *const *, pv, &w->on)
				whole += (*pv)->extents;
		else
			vec_each (struct pv *const *, pv, &w->vg->pvs)
				whole += (*pv)->extents;
		n = *ret_most = units_align_down(units_percent(whole, size->ppm), w->stripes);
		break;
	case SIZE_RANGE:
		n = units_align_up(size->min, unit) / extent;
		*ret_most = units_align_down(size->max, unit) / extent;
		if (*ret_most < n)
			*ret_most = n;
		break;
	case SIZE_NONE:
	case SIZE_REST:
		*ret_most = UINT64_MAX;
		break;
	}
	return n;
}

static void compare_size(const struct lv *w, const struct lv *h, struct why *why)
{
	uint64_t extent = h->vg->extent_size ? h->vg->extent_size : w->vg->extent_size, most, least;
	uint64_t there = h->node.size / extent;

	/* A percentage of what isn't known. */
	if (!h->vg->whole && w->words->size.form == SIZE_PERCENT)
		return;
	least = asked(w, extent, &most);
	if (there >= least && there <= most)
		return;
	if (w->words->size.form == SIZE_BYTES)
		why_add(why, "size", "it is %s (%llu extents), not %s (%llu extents)",
			units_text(why->arena, h->node.size), (unsigned long long)there,
			units_text(why->arena, most * extent), (unsigned long long)most);
	else
		why_add(why, "size", "it is %s (%llu extents), and %s are %s (%llu extents)",
			units_text(why->arena, h->node.size), (unsigned long long)there,
			units_size_text(why->arena, &w->words->size),
			units_text(why->arena, (there < least ? least : most) * extent),
			(unsigned long long)(there < least ? least : most));
	if (there < least)
		why_grows(why, h->node.size, least * extent);
	else
		why_anew(why);
}

static void compare_place(const struct lv *w, const struct lv *h, struct why *why)
{
	struct map told = { .arena = why->arena };

	vec_each (const struct piece *, piece, &h->pieces) {
		bool may = !w->on.n;
		const char *dev = piece->pv->dev ? piece->pv->dev : "a device that is missing";

		vec_each (struct pv *const *, pv, &w->on)
			may = may || (*pv)->node.have == &piece->pv->node;
		if (may || map_set(&told, dev, (void *)dev))
			continue;
		why_add(why, w->words->each.n ? "each" : "on",
			"a part of it lies on %s%s, where the layout doesn't have it",
			piece->pv->dev ? "/dev/" : "", dev);
		/* What mirrors volumes of several disks counts on each being on its own. */
		why_is(why, WHY_DANGEROUS);
		why_anew(why);
	}
}

void lv_compare(const struct node *want, const struct node *have, struct why *why)
{
	const struct lv *w = lv_of(want), *h = lv_of(have);
	struct arena *a = why->arena;
	bool missing = false;

	vec_each (const struct piece *, piece, &h->pieces)
		missing = missing || !piece->pv->dev;
	if (missing) {
		why_add(why, NULL, "a device that it lies on is missing");
		why_is(why, WHY_DANGEROUS);
		return;
	}
	if (!have->block && !want->closed) {
		why_add(why, NULL, "it isn't active: 'lvchange -ay %s/%s' activates it", h->vg_name,
			h->lv_name);
		return;
	}
	if (h->type && strcmp(h->type, "linear") != 0 && strcmp(h->type, "striped") != 0) {
		why_add(why, w->words->type ? "type" : NULL, "it is of type %s, not %s", h->type,
			w->stripes > 1 ? "striped" : "linear");
		why_anew(why);
		return;
	}
	compare_size(w, h, why);
	if (h->stripes && h->stripes != w->stripes) {
		why_add(why, "stripes", "it has %u stripe%s, not %u", h->stripes, h->stripes == 1 ? "" : "s",
			w->stripes);
		why_anew(why);
	} else if (h->stripe_size && w->words->stripe_size && h->stripe_size != w->words->stripe_size) {
		why_add(why, "stripe-size", "its stripes are %s wide, not %s", units_text(a, h->stripe_size),
			units_text(a, w->words->stripe_size));
		why_anew(why);
	}
	compare_place(w, h, why);
}
