/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/arena.h"
#include "base/text.h"
#include "machine/machine.h"
#include "plan/step.h"
#include "tech/lvm/lvm.h"

static bool is_active(const struct vg *vg)
{
	vec_each (struct lv *const *, lv, &vg->lvs)
		if ((*lv)->node.block)
			return true;
	return false;
}

bool lvm_is_missing_some(const struct vg *vg)
{
	vec_each (struct pv *const *, pv, &vg->pvs)
		if (!(*pv)->dev)
			return true;
	return false;
}

int vg_retire(struct steps *s, const struct node *have)
{
	const struct vg *vg = vg_of(have);
	struct step *st;

	if (is_active(vg)) {
		st = step_ending(s, have, "deactivate", vg->vg_name, "deactivate the volume group '%s'",
				 vg->vg_name);
		step_lvm(s, st, "vgchange", "-an", vg->vg_name, NULL);
		vec_each (struct lv *const *, lv, &vg->lvs)
			if ((*lv)->node.block)
				step_ends(s, st, (*lv)->node.block->path);
	}
	/* Of one that misses a device LVM removes nothing; with its physical volumes wiped it is gone all the same. */
	if (!vg->whole || lvm_is_missing_some(vg))
		return 0;
	st = step_ending(s, have, "remove", vg->vg_name, "remove the volume group '%s'", vg->vg_name);
	step_lvm(s, st, "vgremove", "-ff", "-y", vg->vg_name, NULL);
	return 0;
}

int lv_retire(struct steps *s, const struct node *have)
{
	const struct lv *lv = lv_of(have);
	struct step *st = step_ending(s, have, "remove",
				      arena_printf(steps_arena(s), "%s/%s", lv->vg_name, lv->lv_name),
				      "remove the volume '%s/%s'", lv->vg_name, lv->lv_name);

	step_lvm(s, st, "lvremove", "-f", "-y", NULL);
	step_wordf(s, st, "%s/%s", lv->vg_name, lv->lv_name);
	if (have->block)
		step_ends(s, st, have->block->path);
	return 0;
}

void vg_lose_part(struct node *have, const struct node *part)
{
	struct vg *vg = (struct vg *)have;
	const struct lv *gone = lv_of(part);
	size_t kept = 0;

	for (size_t i = 0; i < vg->lvs.n; i++)
		if (&vg->lvs.at[i]->node != part)
			vg->lvs.at[kept++] = vg->lvs.at[i];
	vg->lvs.n = kept;
	vec_each (struct piece *, piece, &vg->pieces)
		if (piece->lv && lvm_belongs_to(piece->lv, gone->lv_name)) {
			piece->lv = NULL;
			vg->free += piece->count;
		}
}
