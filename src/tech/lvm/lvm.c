/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "machine/machine.h"
#include "plan/scrub.h"
#include "plan/settle.h"
#include "plan/step.h"
#include "tech/kind.h"
#include "tech/lvm/lvm.h"

static int vg_check(const struct node *want, struct diag *d)
{
	/* What lies in /dev by itself: LVM would find its directory taken, or take it from others. */
	static const char *const taken[] = { "block", "bsg",      "bus", "char",   "cpu",
					     "disk",  "dma_heap", "dri", "fd",     "hugepages",
					     "input", "mapper",   "md",  "mqueue", "net",
					     "pts",   "shm",      "snd", "usb",    "vfio" };
	const struct vg *vg = vg_of(want);
	struct pos pos = item_pos(&vg->words->item, "extent-size");
	int r = 0;

	if (!lvm_extent_size_ok(vg->extent_size))
		r = diag_error(d, pos,
			       "an extent of %s can't be: it is a power of two of at least 1 KiB, or a "
			       "multiple of 128 KiB",
			       units_exact(d->arena, vg->extent_size));
	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		if (!strcmp(vg->vg_name, taken[i]))
			r = diag_error(d, want->pos,
				       "a volume group can't be called '%s': there is a directory /dev/%s",
				       vg->vg_name, taken[i]);
	if (strlen(vg->vg_name) > 127)
		r = diag_error(d, want->pos, "the name has %zu characters, and LVM has room for 127",
			       strlen(vg->vg_name));
	return r;
}

static int check_stripes(const struct lv *lv, struct diag *d)
{
	const struct item *it = &lv->words->item;
	size_t devices = lv->on.n ? lv->on.n : lv->vg->pvs.n;
	uint64_t size = lv->words->stripe_size, extent = lv->vg->extent_size;

	if (lv->words->type && !strcmp(lv->words->type, "striped") && lv->stripes < 2)
		return diag_error(d, item_pos(it, "type"),
				  "'%s' is striped: 'stripes' says over how many devices, two or more",
				  lv->node.name);
	if (lv->words->type && !strcmp(lv->words->type, "linear") && lv->stripes > 1)
		return diag_error(d, item_pos(it, "type"), "'%s' is linear, and has %u stripes",
				  lv->node.name, lv->stripes);
	if (lv->words->each.n && lv->stripes > 1)
		return diag_error(d, item_pos(it, "stripes"),
				  "'%s' lies on one device alone, because of 'each': it can't be striped",
				  lv->node.name);
	if (lv->stripes > devices)
		return diag_error(d, item_pos(it, "stripes"), "'%s' has %u stripes, and %s %zu device%s",
				  lv->node.name, lv->stripes,
				  lv->on.n ? "is pinned to" : "its volume group has", devices,
				  devices == 1 ? "" : "s");
	if (!size)
		return 0;
	if (lv->stripes < 2)
		return diag_error(d, item_pos(it, "stripe-size"),
				  "'%s' has one stripe: a stripe size is of no use to it", lv->node.name);
	if (size < 4 * KIB || !units_is_power_of_two(size))
		return diag_error(d, item_pos(it, "stripe-size"),
				  "a stripe of %s can't be: it is a power of two of at least 4 KiB",
				  units_exact(d->arena, size));
	if (extent % size)
		return diag_error(d, item_pos(it, "stripe-size"),
				  "extents of %s are no multiple of a stripe of %s",
				  units_text(d->arena, extent), units_text(d->arena, size));
	return 0;
}

static int lv_check(const struct node *want, struct diag *d)
{
	const struct lv *lv = lv_of(want);
	const char *bad = lvm_name_why_not(lv->lv_name);

	if (bad)
		return diag_error(d, want->pos, "a volume can't be called '%s': LVM keeps '%s' for itself",
				  lv->lv_name, bad);
	/* Both names, each '-' twice, and one between them are a device-mapper name. */
	if (strlen(lvm_dm_name(d->arena, lv->vg_name, lv->lv_name)) > 127)
		return diag_error(
			d, want->pos,
			"the name '%s' is too long for device-mapper, which has room for 127 characters",
			want->name);
	/* What `each` makes is said once. */
	vec_each (struct lv *const *, first, &lv->vg->lvs)
		if ((*first)->words == lv->words)
			return *first == lv ? check_stripes(lv, d) : 0;
	return 0;
}

static void chain(struct steps *s, struct step *st, const struct vg *vg)
{
	steps_chain(s, st, arena_printf(steps_arena(s), "vg %s", vg->vg_name));
}

static int pv_create(struct steps *s, const struct node *want)
{
	const struct pv *pv = pv_of(want);
	struct arena *a = steps_arena(s);
	struct step *st = step_new(s, want, "create", "make '%s' a physical volume of LVM", pv->on->name);

	/* -y: clears what is on it. A UUID of one's own choice needs --norestorefile: there is no old metadata to restore from. */
	step_lvm(s, st, "pvcreate", "-y", "--uuid", uuid_text(a, want->uuid), "--norestorefile",
		 "--dataalignment", lvm_size_text(a, pv->pe_start), want->dev, NULL);
	chain(s, st, pv->vg);
	return 0;
}

static int vg_create(struct steps *s, const struct node *want)
{
	const struct vg *vg = vg_of(want);
	struct arena *a = steps_arena(s);
	struct step *st = step_new(s, want, "create", "create volume group '%s' with extents of %s",
				   vg->vg_name, units_text(a, vg->extent_size));

	step_lvm(s, st, "vgcreate", "-y", "--physicalextentsize", lvm_size_text(a, vg->extent_size),
		 vg->vg_name, NULL);
	vec_each (struct pv *const *, pv, &vg->pvs)
		step_word(s, st, (*pv)->node.dev);
	chain(s, st, vg);
	return 0;
}

/*
 * LVM mends a copy that it stumbles over while it scans; one that by its header is as the others it reads later, and then only says so. Once the
 * others are newer, that one is of the first sort, too. Seen with 2.03.16.
 */
static int vg_open(struct steps *s, const struct node *want)
{
	const struct vg *vg = vg_of(want);
	struct step *first = step_new(s, want, "renew", "write the metadata of volume group '%s' anew",
				      vg->vg_name),
		    *second = step_new(s, want, "repair",
				       "repair the copy of it on /dev/%s, which can't be read",
				       vg_damaged(vg_of(want->have))->dev);

	step_lvm(s, first, "vgck", "--updatemetadata", vg->vg_name, NULL);
	step_lvm(s, second, "vgck", "--updatemetadata", vg->vg_name, NULL);
	first->uses = second->uses = true;
	chain(s, first, vg);
	chain(s, second, vg);
	return 0;
}

/* "/dev/vda5:0-127:200-220" for every device, in their order. */
static void add_places(struct steps *s, struct step *st, const struct lv *lv)
{
	for (size_t i = 0; i < lv->pieces.n; i++) {
		const struct piece *p = &lv->pieces.at[i];
		struct text t = { .arena = steps_arena(s) };

		if (i && lv->pieces.at[i - 1].pv == p->pv)
			continue;
		text_add(&t, p->pv->node.dev);
		for (; p < lv->pieces.at + lv->pieces.n && p->pv == lv->pieces.at[i].pv; p++)
			text_printf(&t, ":%llu-%llu", (unsigned long long)p->start,
				    (unsigned long long)(p->start + p->count - 1));
		step_word(s, st, text_str(&t));
	}
}

static const char *places_text(struct arena *a, const struct lv *lv)
{
	struct text t = { .arena = a };
	const struct pv *last = NULL;

	vec_each (const struct piece *, p, &lv->pieces) {
		if (p->pv != last)
			text_printf(&t, "%s%s", t.len ? ", " : "",
				    p->pv->on    ? p->pv->on->name
				    : p->pv->dev ? p->pv->dev
						 : "?");
		last = p->pv;
	}
	return text_str(&t);
}

static int lv_create(struct steps *s, const struct node *want)
{
	const struct lv *lv = lv_of(want);
	struct arena *a = steps_arena(s);
	struct step *st = step_new(s, want, "create", "create volume '%s', %s, on %s", want->name,
				   units_text(a, want->size), places_text(a, lv));

	/* -y -Wy: what an older volume left in these extents is wiped without a question. */
	step_lvm(s, st, "lvcreate", "-y", "-Wy", "-n", lv->lv_name, NULL);
	step_word(s, st, "-l");
	step_wordf(s, st, "%llu", (unsigned long long)lv->extents);
	if (lv->stripes > 1) {
		step_word(s, st, "-i");
		step_wordf(s, st, "%u", lv->stripes);
		step_word(s, st, "-I");
		step_word(s, st, lvm_size_text(a, lv->stripe_size));
	}
	step_word(s, st, lv->vg_name);
	add_places(s, st, lv);
	step_gives(s, st, want->dev, 0, want->size);
	chain(s, st, lv->vg);
	if (lvm_clears_itself(lv))
		scrub_made(s, want);
	return 0;
}

static int lv_open(struct steps *s, const struct node *want)
{
	const struct lv *lv = lv_of(want);
	struct step *st = step_new(s, want, "activate", "activate volume '%s'", want->name);

	step_lvm(s, st, "lvchange", "-ay", NULL);
	step_wordf(s, st, "%s/%s", lv->vg_name, lv->lv_name);
	st->uses = true;
	step_gives(s, st, want->dev, 0, want->size);
	chain(s, st, lv->vg);
	return 0;
}

static const char *pv_describe(struct arena *a, const struct node *n)
{
	const struct pv *pv = pv_of(n);

	if (!pv->extents)
		return "physical volume";
	return arena_printf(a, "physical volume, %llu extents from %s on", (unsigned long long)pv->extents,
			    units_text(a, pv->pe_start));
}

static const char *vg_describe(struct arena *a, const struct node *n)
{
	const struct vg *vg = vg_of(n);

	if (!vg->extent_size)
		return "volume group";
	return arena_printf(a, "volume group of %zu device%s, extents of %s, %s left", vg->pvs.n,
			    vg->pvs.n == 1 ? "" : "s", units_text(a, vg->extent_size),
			    units_text(a, vg->free * vg->extent_size));
}

static const char *lv_describe(struct arena *a, const struct node *n)
{
	const struct lv *lv = lv_of(n);

	if (lv->type && strcmp(lv->type, "linear") != 0 && strcmp(lv->type, "striped") != 0)
		return arena_printf(a, "%s volume", lv->type);
	if (lv->stripes > 1 && lv->stripe_size)
		return arena_printf(a, "volume of %u stripes of %s", lv->stripes,
				    units_text(a, lv->stripe_size));
	return lv->stripes > 1 ? arena_printf(a, "volume of %u stripes", lv->stripes) : "linear volume";
}

static const char *pv_part_type(const struct node *want)
{
	(void)want;
	return "lvm";
}

/* What the group knows of itself is on each of its devices. */
static bool vg_alive(const struct node *n, const bool *alive)
{
	for (size_t i = 0; i < n->below.n; i++)
		if (alive[i])
			return true;
	return false;
}

const struct kind pv_kind = {
	.name = "pv",
	.doc = "A physical volume of LVM.",
	.size = sizeof(struct pv),
	.match = pv_match,
	.settle = pv_settle,
	.leftover = pv_leftover,
	.compare = pv_compare,
	.health = pv_health,
	.create = pv_create,
	.describe = pv_describe,
	.part_type = pv_part_type,
};

const struct kind vg_kind = {
	.name = "volume group",
	.doc = "A volume group of LVM.",
	.size = sizeof(struct vg),
	.check = vg_check,
	.find = vg_find,
	.match = vg_match,
	.settle = vg_settle,
	.leftover = vg_leftover,
	.open = vg_open,
	.compare = vg_compare,
	.health = vg_health,
	.create = vg_create,
	.describe = vg_describe,
	.alive = vg_alive,
	.retire = vg_retire,
	.lose_part = vg_lose_part,
};

/* While it is moved, some of its segments lie on a mirror that LVM calls "pvmove0". */
static const char *lv_busy(struct arena *a, const struct machine *m, const struct node *have)
{
	const char *vg, *lv;

	if (!have->block)
		return NULL;
	vec_each (const char *const *, slave, &have->block->slaves) {
		const struct blockdev *b = machine_dev(m, *slave);

		if (b && b->dm_name && lvm_dm_split(a, b->dm_name, &vg, &lv) && text_starts(lv, "pvmove"))
			return "a pvmove";
	}
	return NULL;
}

const struct kind lv_kind = {
	.name = "volume",
	.doc = "A logical volume of LVM.",
	.size = sizeof(struct lv),
	.device = true,
	.check = lv_check,
	.match = lv_match,
	.settle = lv_settle,
	.leftover = lv_leftover,
	.compare = lv_compare,
	.create = lv_create,
	.scrub = lv_scrub,
	.open = lv_open,
	.retire = lv_retire,
	.busy = lv_busy,
	.describe = lv_describe,
};

/* liblvm2cmd runs them in a run; the script that a plan prints calls the programs. */
static const struct room_tool tools[] = { { "lvm", "lvm2" },      { "pvcreate", "lvm2" },
					  { "vgcreate", "lvm2" }, { "lvcreate", "lvm2" },
					  { "vgchange", "lvm2" }, { "vgremove", "lvm2" },
					  { "lvremove", "lvm2" }, { "lvchange", "lvm2" },
					  { "vgck", "lvm2" },     { 0 } };

static const struct kind *const kinds[] = { &pv_kind, &vg_kind, &lv_kind, NULL };

extern const struct section lvm_sections[];
/*
 * The label lies in one of the first four sectors, and says how far behind it the header of the physical volume begins: its UUID, then the
 * size of the device. Little-endian. Source: struct label_header and struct pv_header, lvm2: lib/label/label.h, lib/format_text/layout.h.
 */
static uint64_t lvm_extent(const char *type, const uint8_t *at, size_t len)
{
	enum { SECTORS = 4, LABEL = 32, HEADER = 40, ID = 32 };

	if (!text_eq(type, "LVM2_member"))
		return 0;
	for (size_t i = 0; i < SECTORS && (i + 1) * SECTOR <= len; i++) {
		const uint8_t *label = at + i * SECTOR, *size;
		uint64_t bytes = 0;
		uint32_t offset;

		if (memcmp(label, "LABELONE", 8) != 0 || memcmp(label + 24, "LVM2 001", 8) != 0)
			continue;
		offset = (uint32_t)label[23] << 24 | (uint32_t)label[22] << 16 | (uint32_t)label[21] << 8 |
			 label[20];
		if (offset < LABEL || offset > SECTOR - HEADER)
			return 0;
		size = label + offset + ID;
		for (size_t k = 8; k--;)
			bytes = bytes << 8 | size[k];
		return bytes <= INT64_MAX ? bytes : 0;
	}
	return 0;
}

extern const struct room room_lvm;
const struct room room_lvm = {
	.name = "lvm",
	.doc = "Volume groups with LVM2.",
	.sections = lvm_sections,
	.kinds = kinds,
	.tools = tools,
	.probe = lvm_probe,
	.survey = lvm_survey,
	.extent = lvm_extent,
};
