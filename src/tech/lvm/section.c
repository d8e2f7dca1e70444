/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "layout/build.h"
#include "tech/kind.h"
#include "tech/lvm/lvm.h"

static const struct key volume_keys[] = {
	KEY(SIZE, struct volume_item, size, .need = true, .example = "10G",
	    .doc = "Size. A percentage is of the group, or of the devices that the volume is pinned to; "
		   "`rest` too. With `each`: of every one."),
	KEY(NAMES, struct volume_item, each, .unless = "on", .example = "lvm",
	    .doc = "One volume on every one of these devices, pinned to it: NAME_0, NAME_1, ...; together "
		   "they are NAME."),
	KEY(NAMES, struct volume_item, on, .example = "[vda.lvm, vdb.lvm]",
	    .doc = "The devices that it may lie on. If absent, all of the group."),
	KEY(INT, struct volume_item, stripes, .min = 1, .max = LVM_STRIPES_MAX, .example = "3",
	    .doc = "Number of devices that it is striped over; 1 if absent. Its size is a multiple of as "
		   "many extents."),
	KEY(BYTES, struct volume_item, stripe_size, .with = "stripes", .example = "64K",
	    .doc = "Bytes on one device before the next one follows: a power of two from 4 KiB to an extent. "
		   "If absent 64 KiB, or one that "
		   "suits the stripes of the devices."),
	KEY(WORD, struct volume_item, type, .one_of = "linear striped",
	    .doc = "It follows from `stripes` if absent."),
	{ 0 },
};

static const struct key vg_keys[] = {
	KEY(NAMES, struct vg_item, devices, .need = true, .example = "lvm",
	    .doc = "Its physical volumes, in order."),
	KEY(BYTES, struct vg_item, extent_size, .example = "4M",
	    .doc = "Unit of all sizes in the group: a power of two of at least 1 KiB, or a multiple of 128 "
		   "KiB; 4 MiB if absent."),
	KEY(NAMED, struct vg_item, volumes, .keys = volume_keys, .size = sizeof(struct volume_item),
	    .scalar = "size",
	    .doc = "Logical volumes, by name. A device of one is called VG/NAME in a layout."),
	{ 0 },
};

static struct pv *pv_on(const struct vg *vg, const struct node *device)
{
	vec_each (struct pv *const *, pv, &vg->pvs)
		if ((*pv)->on == device)
			return *pv;
	return NULL;
}

/* The physical volumes that names stand for. */
static int resolve_pvs(struct build *b, struct vg *vg, const struct names *names, const char *volume,
		       struct lv *into)
{
	struct resolved found = { 0 };
	int r = build_resolve(b, names, NULL, &found);

	vec_each (const struct resolved_node *, n, &found.list) {
		struct pv *pv = n->node ? pv_on(vg, n->node) : NULL;
		bool twice = false;

		if (!n->node)
			continue;
		if (!pv) {
			r = diag_error(build_diag(b), n->pos,
				       "'%s' is no device of volume group '%s', so '%s' can't lie on it",
				       n->node->name, vg->vg_name, volume);
			diag_note(build_diag(b), item_pos(&vg->words->item, "devices"),
				  "its devices are stated here");
			continue;
		}
		vec_each (struct pv *const *, other, &into->on)
			twice = twice || *other == pv;
		if (twice)
			r = diag_error(build_diag(b), n->pos, "'%s' is named twice for '%s'", n->node->name,
				       volume);
		else
			vec_push(build_arena(b), &into->on, pv);
	}
	return r;
}

static struct lv *add_volume(struct build *b, struct vg *vg, const struct volume_item *v, const char *name)
{
	const char *full = arena_printf(build_arena(b), "%s/%s", vg->vg_name, name);
	struct lv *lv = (struct lv *)build_node(b, &lv_kind, full, &v->item);

	lv->words = v;
	lv->vg = vg;
	lv->vg_name = vg->vg_name;
	lv->lv_name = name;
	lv->stripes = v->stripes ? (unsigned)v->stripes : 1;
	lv->on_pos = item_pos(&v->item, v->each.n ? "each" : "on");
	node_in(build_graph(b), &lv->node, &vg->node, v->item.pos);
	vec_push(build_arena(b), &vg->lvs, lv);
	return lv;
}

/* Which disk a volume is on is known early where there is no choice: mirrors of such volumes are looked at without a machine. */
static void pin(struct build *b, struct lv *lv)
{
	if (lv->on.n == 1)
		node_on(build_graph(b), &lv->node, &lv->on.at[0]->node, lv->on_pos, false);
}

static int make_volume(struct build *b, struct vg *vg, const struct volume_item *v)
{
	const char *full = arena_printf(build_arena(b), "%s/%s", vg->vg_name, v->item.name);
	struct lv all = { 0 };
	node_list group = { 0 };
	struct lv *lv;
	int r, e;

	if (!v->each.n) {
		lv = add_volume(b, vg, v, v->item.name);
		r = build_name(b, full, v->item.pos, &lv->node, false);
		if (r == 0 && v->on.n)
			r = resolve_pvs(b, vg, &v->on, full, lv);
		pin(b, lv);
		return r;
	}
	r = resolve_pvs(b, vg, &v->each, full, &all);
	for (size_t i = 0; i < all.on.n; i++) {
		lv = add_volume(b, vg, v, arena_printf(build_arena(b), "%s_%zu", v->item.name, i));
		vec_push(build_arena(b), &lv->on, all.on.at[i]);
		pin(b, lv);
		vec_push(build_arena(b), &group, &lv->node);
		e = build_name(b, lv->node.name, v->item.pos, &lv->node, false);
		r = r < 0 ? r : e;
	}
	if (!group.n)
		return r;
	e = build_alias(b, full, v->item.pos, &group);
	return r < 0 ? r : e;
}

/* Made when somebody first asks for it: a group may stand on volumes of another one. */
static int make_group(struct build *b, struct item *it)
{
	const struct vg_item *words = (const struct vg_item *)it;
	struct vg *vg = (struct vg *)build_node(b, &vg_kind, it->name, it);
	struct resolved found = { 0 };
	int r, e;

	vg->words = words;
	vg->vg_name = it->name;
	vg->extent_size = words->extent_size ? words->extent_size : LVM_EXTENT_DEFAULT;
	r = build_name(b, it->name, it->pos, &vg->node, false);
	if (r < 0)
		return r;
	r = build_resolve(b, &words->devices, NULL, &found);
	vec_each (const struct resolved_node *, n, &found.list) {
		struct pv *pv;

		if (!n->node)
			continue;
		if (pv_on(vg, n->node)) {
			r = diag_error(build_diag(b), n->pos, "'%s' is named twice", n->node->name);
			continue;
		}
		pv = (struct pv *)build_node(b, &pv_kind,
					     arena_printf(build_arena(b), "pv on %s", n->node->name), NULL);
		pv->node.pos = n->pos;
		pv->vg = vg;
		pv->on = n->node;
		node_on(build_graph(b), &pv->node, n->node, n->pos, true);
		node_on(build_graph(b), &vg->node, &pv->node, n->pos, false);
		vec_push(build_arena(b), &vg->pvs, pv);
	}
	/* What follows would only repeat it. */
	if (r < 0)
		return r;
	for (size_t i = 0; i < words->volumes.n; i++) {
		e = make_volume(b, vg, (const struct volume_item *)words->volumes.at[i]);
		r = r < 0 ? r : e;
	}
	return r;
}

static int declare_group(struct build *b, struct item *it)
{
	return build_later(b, it->name, it->pos, make_group, it);
}

extern const struct section lvm_sections[];
const struct section lvm_sections[] = {
	{ .name = "volume-groups",
	  .form = SECTION_NAMED,
	  .keys = vg_keys,
	  .item_size = sizeof(struct vg_item),
	  .doc = "Volume groups of LVM and their volumes.",
	  .declare = declare_group },
	{ 0 },
};
