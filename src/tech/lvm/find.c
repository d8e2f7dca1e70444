/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <json-c/json.h>
#include <string.h>

#include "base/arena.h"
#include "base/field.h"
#include "base/text.h"
#include "machine/have.h"
#include "machine/machine.h"
#include "plan/settle.h"
#include "tech/kind.h"
#include "tech/lvm/lvm.h"
#include "tech/twins.h"

/* @dev: kernel name, NULL: missing. */
static struct pv *add_pv(struct graph *have, struct vg *vg, const char *dev, const char *uuid)
{
	struct arena *a = have->arena;
	struct pv *pv = (struct pv *)have_add(have, &pv_kind, arena_printf(a, "pv %s", dev ? dev : uuid),
					      NULL);

	pv->vg = vg;
	pv->dev = dev;
	pv->uuid = uuid;
	(void)lvm_uuid_plain(uuid, &pv->node.uuid);
	have_on(have, &pv->node, dev, true);
	if (vg) {
		node_on(have, &vg->node, &pv->node, nowhere, false);
		vec_push(a, &vg->pvs, pv);
	}
	return pv;
}

static struct vg *add_vg(struct graph *have, const char *name)
{
	struct vg *vg = (struct vg *)have_add(have, &vg_kind, arena_printf(have->arena, "vg %s", name), NULL);

	vg->vg_name = name;
	return vg;
}

static const struct signature *pv_signature(const struct blockdev *b)
{
	vec_each (const struct signature *, sig, &b->signatures)
		if (text_eq(sig->type, "LVM2_member"))
			return sig;
	return NULL;
}

/* Groups of two machines may bear one name while their disks are in one: the active volume may be the other's. */
static bool is_others(const struct machine *m, const struct vg *vg, const struct blockdev *b)
{
	bool others = false;

	vec_each (const char *const *, slave, &b->slaves) {
		const struct blockdev *on = machine_dev(m, *slave);

		vec_each (struct pv *const *, pv, &vg->pvs)
			if (text_eq((*pv)->dev, *slave))
				return false;
		others |= on && pv_signature(on);
	}
	return others;
}

static const struct blockdev *dm_device(const struct machine *m, const struct vg *vg, const char *dm_name)
{
	vec_each (struct blockdev *const *, b, &m->devs)
		if (text_eq((*b)->dm_name, dm_name))
			return is_others(m, vg, *b) ? NULL : *b;
	return NULL;
}

static struct lv *add_lv(const struct machine *m, struct graph *have, struct vg *vg, const char *name)
{
	struct arena *a = have->arena;
	const struct blockdev *b = dm_device(m, vg, lvm_dm_name(a, vg->vg_name, name));
	struct lv *lv = (struct lv *)have_add(
		have, &lv_kind, b ? b->name : arena_printf(a, "lv %s/%s", vg->vg_name, name), b);

	lv->vg = vg;
	lv->vg_name = vg->vg_name;
	lv->lv_name = name;
	node_in(have, &lv->node, &vg->node, nowhere);
	vec_push(a, &vg->lvs, lv);
	return lv;
}

static struct pv *pv_by_uuid(const struct vg *vg, const char *uuid)
{
	vec_each (struct pv *const *, pv, &vg->pvs)
		if (text_eq((*pv)->uuid, uuid))
			return *pv;
	return NULL;
}

bool lvm_belongs_to(const char *segment_lv, const char *lv)
{
	size_t n = strlen(lv);

	if (!strcmp(segment_lv, lv))
		return true;
	return segment_lv[0] == '[' && !strncmp(segment_lv + 1, lv, n) && segment_lv[n + 1] == '_';
}

static void find_extents(struct graph *have, struct vg *vg, struct json_object *list)
{
	for (size_t i = 0; i < field_count(list); i++) {
		struct json_object *o = json_object_array_get_idx(list, i);
		const char *uuid = field_text(o, "pv");
		struct pv *pv = uuid ? pv_by_uuid(vg, uuid) : NULL;
		struct piece piece = { .pv = pv,
				       .start = field_number(o, "start"),
				       .count = field_number(o, "count"),
				       .lv = field_text(o, "lv") };

		if (!pv)
			continue;
		vec_push(have->arena, &vg->pieces, piece);
		vec_each (struct lv *const *, lv, &vg->lvs) {
			bool on = false;

			if (!piece.lv || !lvm_belongs_to(piece.lv, (*lv)->lv_name))
				continue;
			vec_each (const struct edge *, e, &(*lv)->node.below)
				on = on || e->to == &pv->node;
			if (!on)
				node_on(have, &(*lv)->node, &pv->node, nowhere, false);
			vec_push(have->arena, &(*lv)->pieces, piece);
		}
	}
}

static void find_group(const struct machine *m, struct graph *have, struct json_object *o)
{
	const char *name = field_text(o, "name");
	struct json_object *pvs = field_list(o, "pvs"), *lvs = field_list(o, "lvs");
	struct vg *vg;

	if (!name)
		return;
	vg = add_vg(have, name);
	vg->whole = true;
	vg->extent_size = field_number(o, "extent");
	for (size_t i = 0; i < field_count(pvs); i++) {
		struct json_object *p = json_object_array_get_idx(pvs, i);
		const char *uuid = field_text(p, "uuid");
		struct pv *pv = add_pv(have, vg, field_text(p, "dev"), uuid ? uuid : "unknown");

		pv->pe_start = field_number(p, "start");
		pv->extents = field_number(p, "extents");
		pv->damaged = field_true(p, "damaged");
		pv->node.size = pv->extents * vg->extent_size;
		vg->node.size += pv->node.size;
	}
	for (size_t i = 0; i < field_count(lvs); i++) {
		struct json_object *l = json_object_array_get_idx(lvs, i);
		struct lv *lv;

		if (!field_text(l, "name"))
			continue;
		lv = add_lv(m, have, vg, field_text(l, "name"));
		lv->node.size = field_number(l, "size");
		lv->extents = vg->extent_size ? lv->node.size / vg->extent_size : 0;
		lv->type = field_text(l, "type");
		lv->stripes = (unsigned)field_number(l, "stripes");
		lv->stripe_size = field_number(l, "stripe-size");
	}
	find_extents(have, vg, field_list(o, "extents"));
	vec_each (const struct piece *, piece, &vg->pieces) {
		vg->free += piece->lv ? 0 : piece->count;
		if (piece->lv)
			piece->pv->node.used += piece->count * vg->extent_size;
	}
}

static void find_report(const struct machine *m, struct graph *have, struct json_object *lvm)
{
	struct json_object *groups = field_list(lvm, "groups"), *pvs = field_list(lvm, "pvs");

	for (size_t i = 0; i < field_count(groups); i++)
		find_group(m, have, json_object_array_get_idx(groups, i));
	for (size_t i = 0; i < field_count(pvs); i++) {
		struct json_object *p = json_object_array_get_idx(pvs, i);
		const char *uuid = field_text(p, "uuid");

		add_pv(have, NULL, field_text(p, "dev"), uuid ? uuid : "unknown")->pe_start = field_number(
			p, "start");
	}
}

static struct pv *pv_by_dev(struct graph *have, const char *dev)
{
	struct node *n = graph_get(have, arena_printf(have->arena, "pv %s", dev));

	return n && n->kind == &pv_kind ? (struct pv *)n : NULL;
}

static struct vg *vg_by_name(struct graph *have, const char *name)
{
	struct node *n = graph_get(have, arena_printf(have->arena, "vg %s", name));

	return n && n->kind == &vg_kind ? (struct vg *)n : NULL;
}

/* An active volume, by its device's name and what lies below it. Something else may have such a name too. */
static void guess_volume(const struct machine *m, struct graph *have, const struct blockdev *b)
{
	const char *vg_name, *lv_name;
	struct vg *vg;
	struct lv *lv;

	if (!b->dm_name || !b->slaves.n || !lvm_dm_split(have->arena, b->dm_name, &vg_name, &lv_name))
		return;
	vec_each (const char *const *, slave, &b->slaves)
		if (!pv_by_dev(have, *slave))
			return;
	vg = vg_by_name(have, vg_name);
	if (!vg)
		vg = add_vg(have, vg_name);
	vec_each (const char *const *, slave, &b->slaves) {
		struct pv *pv = pv_by_dev(have, *slave);

		if (pv->vg)
			continue;
		pv->vg = vg;
		node_on(have, &vg->node, &pv->node, nowhere, false);
		vec_push(have->arena, &vg->pvs, pv);
	}
	lv = add_lv(m, have, vg, lv_name);
	lv->type = b->dm_target ? b->dm_target : "unknown";
	lv->stripes = text_eq(b->dm_target, "linear") ? 1 : 0;
}

/* Without root only the kernel's device names tell of volumes, and nothing of what isn't active. */
static void guess(const struct machine *m, struct graph *have)
{
	vec_each (struct blockdev *const *, b, &m->devs) {
		const struct signature *sig = pv_signature(*b);

		if (sig)
			(void)add_pv(have, NULL, (*b)->name, sig->uuid ? sig->uuid : "unknown");
	}
	vec_each (struct blockdev *const *, b, &m->devs)
		if (text_eq((*b)->type, "dm"))
			guess_volume(m, have, *b);
}

int vg_find(const struct machine *m, struct graph *have, struct diag *d)
{
	struct json_object *lvm = field_object(m->json, "lvm");

	(void)d;
	if (lvm)
		find_report(m, have, lvm);
	else
		guess(m, have);
	return 0;
}

const struct pv *vg_damaged(const struct vg *have)
{
	vec_each (struct pv *const *, pv, &have->pvs)
		if ((*pv)->damaged && (*pv)->dev)
			return *pv;
	return NULL;
}

const struct lv *vg_volume(const struct vg *have, const char *lv_name)
{
	vec_each (struct lv *const *, lv, &have->lvs)
		if (text_eq((*lv)->lv_name, lv_name))
			return *lv;
	return NULL;
}

/*
 * One that is of no group may be of one whose metadata is damaged, or of one that LVM could not tell of: only the one that this layout has
 * made itself, and got no further, is taken for free. Without root none is, and check_name() says so.
 */
const struct node *pv_match(const struct node *want, const struct settle *s)
{
	const struct node *device = want->below.at[0].to->have;
	const struct node *pv = device ? have_user(device, &pv_kind) : NULL;

	if (pv && !pv_of(pv)->vg && s->machine->root && !uuid_eq(pv->uuid, settle_uuid(s, want, "")))
		return NULL;
	return pv;
}

/* Its devices say which one it is; where they are of several groups, the one with the right name. */
const struct node *vg_match(const struct node *want, const struct settle *s)
{
	const struct node *found = NULL;

	(void)s;
	vec_each (const struct edge *, e, &want->below) {
		const struct node *vg = e->to->have ? have_user(e->to->have, &vg_kind) : NULL;

		if (!vg)
			continue;
		if (text_eq(vg_of(vg)->vg_name, vg_of(want)->vg_name))
			return vg;
		if (!found)
			found = vg;
	}
	return found;
}

const struct node *lv_match(const struct node *want, const struct settle *s)
{
	const struct lv *there = want->parent->have
					 ? vg_volume(vg_of(want->parent->have), lv_of(want)->lv_name)
					 : NULL;

	(void)s;
	return there ? &there->node : NULL;
}

static const char *pv_key(struct arena *a, const struct machine *m, const struct blockdev *b)
{
	const struct signature *sig = pv_signature(b);

	(void)a;
	(void)m;
	return sig ? sig->uuid : NULL;
}

void lvm_survey(const struct settle *s, struct why *why)
{
	twins_tell(s, why, pv_key, "physical volume");
}

/* One of no group holds nothing, and may be half written: LVM tells it by its label, and stumbles over the rest. */
enum leftover pv_leftover(const struct node *want, const struct node *have, const struct settle *s)
{
	return !pv_of(have)->vg && uuid_eq(have->uuid, settle_uuid(s, want, "")) ? LEFTOVER_HALF
										 : LEFTOVER_NOT;
}

bool lvm_is_ours(const struct vg *want, const struct vg *have, const struct settle *s)
{
	if (!have->whole || !text_eq(want->vg_name, have->vg_name))
		return false;
	vec_each (struct pv *const *, pv, &have->pvs) {
		bool ours = false;

		vec_each (struct pv *const *, planned, &want->pvs)
			ours = ours || uuid_eq((*pv)->node.uuid, settle_uuid(s, &(*planned)->node, ""));
		if (!ours || !(*pv)->dev)
			return false;
	}
	return true;
}

enum leftover vg_leftover(const struct node *want, const struct node *have, const struct settle *s)
{
	return !vg_of(have)->lvs.n && lvm_is_ours(vg_of(want), vg_of(have), s) ? LEFTOVER_EMPTY
									       : LEFTOVER_NOT;
}

enum leftover lv_leftover(const struct node *want, const struct node *have, const struct settle *s)
{
	const struct vg *w = lv_of(want)->vg, *h = lv_of(have)->vg;

	(void)s;
	return w->node.have == &h->node && text_eq(w->vg_name, h->vg_name) ? LEFTOVER_OURS : LEFTOVER_NOT;
}
