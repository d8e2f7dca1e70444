/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "machine/have.h"
#include "machine/machine.h"
#include "plan/settle.h"
#include "tech/kind.h"
#include "tech/lvm/lvm.h"

int pv_settle(struct node *want, struct settle *s)
{
	struct pv *pv = (struct pv *)want;
	const struct pv *have = want->have ? pv_of(want->have) : NULL;
	struct geometry geo = pv->on->geo;

	if (geo.opt_io && (geo.opt_io % (4 * KIB) || (geo.min_io && geo.opt_io % geo.min_io))) {
		if (!have)
			diag_warn(s->diag, want->pos,
				  "'%s' says that its full stripe is %s, which can't be: the first extent "
				  "goes to 1 MiB",
				  pv->on->name, units_exact(s->arena, geo.opt_io));
		geo.opt_io = 0;
		geo.offset = 0;
	}
	pv->pe_start = have && have->pe_start ? have->pe_start : lvm_data_start(&geo);
	pv->extents = have && have->extents ? have->extents
					    : lvm_extents(pv->on->size, pv->pe_start, pv->vg->extent_size);
	want->uuid = have ? have->node.uuid : settle_uuid(s, want, "");
	want->dev = pv->on->dev;
	want->size = pv->extents * (have && have->vg ? have->vg->extent_size : pv->vg->extent_size);
	want->geo = geo;
	if (geo.opt_io)
		want->geo.offset = (geo.offset + pv->pe_start) % geo.opt_io;
	if (!pv->extents && (!have || have->vg == NULL))
		return diag_error(
			s->diag, want->pos,
			"'%s' is %s, too small for an extent of %s behind the first %s that LVM keeps",
			pv->on->name, units_exact(s->arena, pv->on->size),
			units_text(s->arena, pv->vg->extent_size), units_text(s->arena, pv->pe_start));
	return 0;
}

static int check_sectors(const struct vg *vg, struct settle *s)
{
	const struct pv *first = vg->pvs.at[0];

	vec_each (struct pv *const *, pv, &vg->pvs)
		if ((*pv)->node.geo.logical && first->node.geo.logical &&
		    (*pv)->node.geo.logical != first->node.geo.logical)
			return diag_error(s->diag, (*pv)->node.pos,
					  "'%s' has sectors of %u bytes and '%s' of %u: LVM takes them into "
					  "one volume group only when forced, and filesystems break",
					  (*pv)->on->name, (*pv)->node.geo.logical, first->on->name,
					  first->node.geo.logical);
	if (vg->extent_size < first->node.geo.logical)
		return diag_error(s->diag, item_pos(&vg->words->item, "extent-size"),
				  "an extent of %s is less than a sector of '%s', %u bytes",
				  units_text(s->arena, vg->extent_size), first->on->name,
				  first->node.geo.logical);
	return 0;
}

/* A group that is not on these devices may bear the name, and LVM makes no second one. */
static int check_name(const struct vg *vg, struct settle *s)
{
	const char *path = arena_printf(s->arena, "/dev/%s", vg->vg_name);

	vec_each (struct node *const *, n, &s->have->nodes)
		if ((*n)->kind == &vg_kind && text_eq(vg_of(*n)->vg_name, vg->vg_name)) {
			const struct vg *other = vg_of(*n);
			int r = diag_error(
				s->diag, vg->node.pos,
				"there is a volume group '%s' already, on other devices: choose another name",
				vg->vg_name);

			vec_each (struct pv *const *, pv, &other->pvs)
				if ((*pv)->dev)
					diag_note(s->diag, nowhere, "it is on /dev/%s", (*pv)->dev);
			return r;
		}
	if (machine_dev(s->machine, path))
		return diag_error(s->diag, vg->node.pos,
				  "a volume group can't be called '%s': there is a device %s", vg->vg_name,
				  path);
	if (s->machine->root)
		return 0;
	vec_each (struct pv *const *, pv, &vg->pvs)
		if ((*pv)->node.have)
			return diag_error(
				s->diag, (*pv)->node.pos,
				"'%s' is a physical volume of LVM, but of which group only root can see",
				(*pv)->on->name);
	return 0;
}

/* The extents of a physical volume that nobody has. */
static void free_ranges(struct place *p, struct place_pv *at, const struct pv *pv, const struct vg *have)
{
	if (!have) {
		vec_push(p->arena, &at->free, (struct place_range){ .start = 0, .count = pv->extents });
		return;
	}
	vec_each (const struct piece *, piece, &have->pieces)
		if (&piece->pv->node == pv->node.have && !piece->lv && piece->count)
			vec_push(p->arena, &at->free,
				 (struct place_range){ .start = piece->start, .count = piece->count });
}

static void fill_volume(struct place *p, struct place_lv *at, const struct vg *vg, const struct lv *lv,
			const struct lv *there)
{
	size_t *on = arena_alloc(p->arena, lv->on.n * sizeof(*on));

	at->name = lv->node.name;
	at->pos = item_pos(&lv->words->item, "size");
	at->want = &lv->words->size;
	at->stripes = lv->stripes;
	at->there = there;
	at->extents = there ? there->extents : 0;
	for (size_t i = 0; i < lv->on.n; i++)
		for (size_t k = 0; k < vg->pvs.n; k++)
			if (vg->pvs.at[k] == lv->on.at[i])
				on[i] = k;
	at->on = on;
	at->on_n = lv->on.n;
}

static uint64_t range_count(const struct place_pv *pv)
{
	uint64_t sum = 0;

	vec_each (const struct place_range *, r, &pv->free)
		sum += r->count;
	return sum;
}

/* A volume that is to have what is left, while something is left for it: growing comes with later work. */
static void warn_left(const struct place *p, const struct place_lv *lv, struct settle *s)
{
	size_t n = lv->on_n ? lv->on_n : p->pv_n;
	uint64_t *areas = arena_alloc(s->arena, n * sizeof(*areas)), left = 0;

	for (size_t i = 0; i < n; i++) {
		areas[i] = range_count(&p->pvs[lv->on_n ? lv->on[i] : i]);
		left += areas[i];
	}
	if (lv->stripes > 1)
		left = place_greedy(s->arena, areas, n, lv->stripes) * lv->stripes;
	if (left)
		diag_warn(s->diag, lv->pos,
			  "'%s' is to have what is left of %s, and %s are: it is kept as it is", lv->name,
			  p->what, units_text(s->arena, left * p->extent_size));
}

/* Every volume's extents, before any of them is made. */
static int share(struct vg *vg, const struct vg *have, struct settle *s)
{
	struct place p = { .arena = s->arena,
			   .diag = s->diag,
			   .what = arena_printf(s->arena, "volume group '%s'", vg->vg_name),
			   .extent_size = vg->extent_size,
			   .pv_n = vg->pvs.n,
			   .lv_n = vg->lvs.n };
	bool new_one = false;
	int r;

	p.pvs = arena_alloc(s->arena, p.pv_n * sizeof(*p.pvs));
	p.lvs = arena_alloc(s->arena, p.lv_n * sizeof(*p.lvs));
	for (size_t i = 0; i < p.pv_n; i++) {
		p.pvs[i].name = vg->pvs.at[i]->on->name;
		p.pvs[i].extents = vg->pvs.at[i]->extents;
		free_ranges(&p, &p.pvs[i], vg->pvs.at[i], have);
	}
	for (size_t i = 0; i < p.lv_n; i++) {
		const struct lv *there = have ? vg_volume(have, vg->lvs.at[i]->lv_name) : NULL;

		fill_volume(&p, &p.lvs[i], vg, vg->lvs.at[i], there);
		new_one = new_one || !there;
	}
	if (have && !have->whole) {
		if (new_one)
			return diag_error(s->diag, vg->node.pos,
					  "what is free in volume group '%s' only root can see", vg->vg_name);
		return 0;
	}
	r = place_volumes(&p);
	if (r < 0)
		return r;
	for (size_t i = 0; i < p.lv_n; i++) {
		struct lv *lv = vg->lvs.at[i];

		lv->extents = p.lvs[i].extents;
		vec_each (const struct place_piece *, piece, &p.lvs[i].pieces)
			vec_push(s->arena, &lv->pieces,
				 (struct piece){ .pv = vg->pvs.at[piece->pv],
						 .start = piece->start,
						 .count = piece->count });
	}
	for (size_t i = 0; i < p.pv_n; i++)
		vg->free += range_count(&p.pvs[i]);
	for (size_t i = 0; i < p.lv_n; i++)
		if (p.lvs[i].there && p.lvs[i].want->form == SIZE_REST)
			warn_left(&p, &p.lvs[i], s);
	return 0;
}

/* Whether a group that is there has just the devices that the layout says. If not, compare() tells, and sharing out makes no sense. */
static bool same_devices(const struct vg *vg, const struct vg *have)
{
	size_t found = 0;

	vec_each (struct pv *const *, pv, &vg->pvs)
		vec_each (struct pv *const *, there, &have->pvs)
			found += (*pv)->node.have == &(*there)->node;
	return found == vg->pvs.n && found == have->pvs.n;
}

int vg_settle(struct node *want, struct settle *s)
{
	struct vg *vg = (struct vg *)want;
	const struct vg *have = want->have ? vg_of(want->have) : NULL;
	int r;

	if (have && have->extent_size)
		vg->extent_size = have->extent_size;
	/* LVM goes on with the copies that are whole, and leaves the other one as it is. A power cut in the midst of a change makes such. */
	want->closed = !s->verify && have && vg_damaged(have) && same_devices(vg, have);
	r = check_sectors(vg, s);
	if (r == 0 && !have)
		r = check_name(vg, s);
	if (r < 0)
		return r;
	vec_each (struct pv *const *, pv, &vg->pvs)
		if (__builtin_add_overflow(want->size, (*pv)->extents * vg->extent_size, &want->size))
			return diag_error(s->diag, want->pos,
					  "the physical volumes of '%s' have 16 EiB or more in all, which is "
					  "more than can be counted",
					  want->name);
	return have && have->whole && !same_devices(vg, have) ? 0 : share(vg, have, s);
}

/* An extent size near the stated one that is a multiple of a stripe. 0: there is none of a reasonable size. */
static uint64_t suiting_extent(uint64_t extent, uint64_t stripe)
{
	uint64_t step = units_lcm(stripe, 128 * KIB);

	return step && step <= GIB ? units_align_up(extent, step) : 0;
}

static void linear_geometry(struct lv *lv, const struct pv *pv, uint64_t first, struct settle *s)
{
	struct geometry *g = &lv->node.geo;
	uint64_t suits;

	if (!g->opt_io)
		return;
	g->offset = (pv->node.geo.offset + first * lv->vg->extent_size) % g->opt_io;
	if (!g->offset || lv->node.have)
		return;
	suits = suiting_extent(lv->vg->extent_size, g->opt_io);
	diag_warn(s->diag, lv->node.pos,
		  "'%s' begins %s behind the start of a stripe of '%s' (%s): extents of %s are no multiple "
		  "of it",
		  lv->node.name, units_text(s->arena, g->offset), pv->on->name,
		  units_text(s->arena, g->opt_io), units_text(s->arena, lv->vg->extent_size));
	if (suits && !lv->vg->node.have)
		diag_note(s->diag, item_pos(&lv->vg->words->item, "extent-size"),
			  "'extent-size: %lluK' would keep every volume on it",
			  (unsigned long long)(suits / KIB));
}

static void striped_geometry(struct lv *lv, const struct pv *pv)
{
	struct geometry *g = &lv->node.geo;

	lv->stripe_size = lv->words->stripe_size ? lv->words->stripe_size
						 : lvm_stripe_size(&pv->node.geo, lv->vg->extent_size);
	if (lv->node.have)
		lv->stripe_size = lv_of(lv->node.have)->stripe_size;
	g->min_io = lv->stripe_size;
	g->opt_io = lv->stripes * lv->stripe_size;
	g->offset = 0;
	g->declared = false; /* the kernel knows of these */
}

/* On which of the disks it lies: what reaches further up goes by these edges. */
static void stand_on(struct lv *lv, struct pv *pv, struct arena *a)
{
	vec_each (const struct edge *, e, &lv->node.below)
		if (e->to == &pv->node)
			return;
	vec_push(a, &lv->node.below, (struct edge){ .to = &pv->node, .pos = lv->on_pos });
	vec_push(a, &pv->node.above, &lv->node);
}

/* Where a volume lies that is there already, in terms of what the layout has. */
static void take_pieces(struct lv *lv, const struct lv *there, struct arena *a)
{
	vec_each (struct pv *const *, pv, &lv->vg->pvs)
		vec_each (const struct piece *, piece, &there->pieces)
			if ((*pv)->node.have == &piece->pv->node)
				vec_push(a, &lv->pieces,
					 (struct piece){
						 .pv = *pv, .start = piece->start, .count = piece->count });
}

int lv_settle(struct node *want, struct settle *s)
{
	struct lv *lv = (struct lv *)want;
	const struct lv *have = want->have ? lv_of(want->have) : NULL;
	const struct pv *first;

	want->dev = arena_printf(s->arena, "/dev/%s/%s", lv->vg_name, lv->lv_name);
	if (have) {
		take_pieces(lv, have, s->arena);
		lv->extents = have->extents;
		if (have->node.block && machine_dev(s->machine, want->dev) != have->node.block)
			want->dev = have->node.block->path;
	}
	want->closed = !s->verify && have && !have->node.block && lvm_is_ours(lv->vg, have->vg, s);
	want->size = have ? have->node.size : lv->extents * lv->vg->extent_size;
	first = lv->pieces.n ? lv->pieces.at[0].pv : lv->vg->pvs.at[0];
	/* Also of one that is there: the kernel doesn't know what the layout says of hardware RAID. */
	want->geo = have && !lv->pieces.n ? have->node.geo : first->node.geo;
	vec_each (const struct piece *, piece, &lv->pieces) {
		const struct geometry *g = &piece->pv->node.geo;

		if (g->physical > want->geo.physical)
			want->geo.physical = g->physical;
		stand_on(lv, piece->pv, s->arena);
	}
	if (lv->stripes > 1)
		striped_geometry(lv, first);
	else if (lv->pieces.n)
		linear_geometry(lv, first, lv->pieces.at[0].start, s);
	return 0;
}
