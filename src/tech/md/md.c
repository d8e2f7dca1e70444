/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/units.h"
#include "layout/build.h"
#include "machine/machine.h"
#include "plan/settle.h"
#include "plan/step.h"
#include "tech/kind.h"
#include "tech/md/md.h"

#define MISSING "missing"

static const struct key array_keys[] = {
	KEY(TEXT, struct array_item, level, .need = true, .example = "10",
	    .doc = "RAID level: 0, 1, 4, 5, 6 or 10, also as raid0, raid1 (mirror), ..."),
	KEY(TEXT, struct array_item, layout, .example = "n2",
	    .doc = "RAID10: n2, o2, f2, n3, ... (near, offset or far copies and how many), n2 if absent. "
		   "RAID5 and RAID6: left-symmetric "
		   "(if absent), left-asymmetric, right-symmetric, right-asymmetric."),
	KEY(NAMES, struct array_item, devices, .need = true, .also = MISSING,
	    .example = "[vda.swap, vdb.swap]",
	    .doc = "Members, in order. `missing` leaves a place empty, for a device that comes later."),
	KEY(NAMES, struct array_item, spares, .example = "vdd.swap",
	    .doc = "Devices that wait to take the place of a failed member."),
	KEY(BYTES, struct array_item, chunk, .example = "512K",
	    .doc = "Bytes on one member before the next one follows: a power of two of at least 4 KiB, 512 "
		   "KiB if absent. Not for RAID1."),
	KEY(WORD, struct array_item, metadata, .one_of = "1.2 1.1 1.0 0.90",
	    .doc = "Format of md's own data, 1.2 if absent. 1.0 and 0.90 keep it at the end of each member."),
	KEY(WORD, struct array_item, bitmap, .one_of = "internal none",
	    .doc = "A map of what is being written shortens the resync after a crash. If absent: internal "
		   "where more than 100 GiB of each "
		   "member are used, else none."),
	KEY(UUID, struct array_item, uuid, .doc = "Derived if absent."),
	{ 0 },
};

static int array_declare(struct build *b, struct item *it)
{
	struct array_item *ai = (struct array_item *)it;

	ai->array = (struct array *)build_node(b, &array_kind, it->name, it);
	ai->array->words = ai;
	return build_name(b, it->name, it->pos, &ai->array->node, false);
}

static int link_spares(struct build *b, struct array *r)
{
	struct resolved found = { 0 };
	int e = 0;

	for (size_t i = 0; i < r->words->spares.n; i++)
		if (!strcmp(r->words->spares.at[i].name, MISSING))
			e = diag_error(build_diag(b), r->words->spares.at[i].pos,
				       "a spare of '%s' can't be missing: leave it out until it is there",
				       r->node.name);
	if (e < 0 || !r->words->spares.n)
		return e;
	e = build_resolve(b, &r->words->spares, NULL, &found);
	vec_each (const struct resolved_node *, n, &found.list) {
		if (!n->node)
			continue;
		vec_push(build_arena(b), &r->spares, (struct array_place){ .node = n->node, .pos = n->pos });
		node_on(build_graph(b), &r->node, n->node, n->pos, true);
	}
	return e;
}

static int array_link(struct build *b, struct item *it)
{
	struct array_item *ai = (struct array_item *)it;
	struct array *r = ai->array;
	struct resolved found = { 0 };
	struct map seen = { .arena = build_arena(b) };
	int e;

	if (!r)
		return 0; /* told when it was declared */
	e = build_resolve(b, &ai->devices, MISSING, &found);
	vec_each (const struct resolved_node *, n, &found.list) {
		vec_push(build_arena(b), &r->places, (struct array_place){ .node = n->node, .pos = n->pos });
		if (!n->node)
			continue;
		r->lost |= map_set(&seen, n->node->name, n->node) != NULL;
		node_on(build_graph(b), &r->node, n->node, n->pos, true);
	}
	r->lost |= e < 0;
	(void)link_spares(b, r);
	return 0; /* what was wrong has been said; level, chunk and the like can be looked at all the same */
}

/* The number of "md99", -1 for other names. */
static int md_number(const char *name)
{
	const char *s = name + 2;
	int n = 0;

	if (!text_starts(name, "md") || !*s || (s[0] == '0' && s[1]) || strlen(s) > 3)
		return -1;
	for (; isdigit((unsigned char)*s); s++)
		n = n * 10 + (*s - '0');
	return !*s && n <= 511 ? n : -1; /* the kernel's limit for numbers that aren't asked for specially */
}

static int check_level(struct array *r, struct diag *d)
{
	const struct item *it = &r->words->item;
	struct pos pos = item_pos(it, "level");
	const char *level = r->words->level;

	r->shape.level = md_level(level);
	if (r->shape.level >= 0)
		return 0;
	if (!strcmp(level, "linear") || !strcmp(level, "concat"))
		return diag_error(d, pos,
				  "'%s' is no level here: a volume group over the devices joins them as "
				  "well, and can be changed later",
				  level);
	return diag_error(d, pos, "'%s' is no RAID level: 0, 1, 4, 5, 6 and 10 are",
			  text_short(d->arena, level));
}

static int check_layout(struct array *r, struct diag *d)
{
	const struct array_item *w = r->words;
	struct pos pos = item_pos(&w->item, "layout");
	int level = r->shape.level;

	r->shape.layout = md_layout_default(level);
	if (!w->layout)
		return 0;
	if (level != 5 && level != 6 && level != 10)
		return diag_error(d, pos, "%s has no layouts; RAID5, RAID6 and RAID10 do",
				  md_level_text(d->arena, level));
	if (md_layout(level, w->layout, &r->shape.layout) < 0)
		return diag_error(
			d, pos, "'%s' is no layout of %s: %s", text_short(d->arena, w->layout),
			md_level_text(d->arena, level),
			level == 10
				? "n2, o2, f2, n3 and so on are (near, offset or far copies, and how many)"
				: "left-symmetric, left-asymmetric, right-symmetric and right-asymmetric "
				  "are");
	return 0;
}

static int check_chunk(struct array *r, struct diag *d)
{
	const struct array_item *w = r->words;
	struct pos pos = item_pos(&w->item, "chunk");

	if (r->shape.level == 1)
		return w->chunk ? diag_error(d, pos, "RAID1 has no chunks: each member holds everything") : 0;
	r->shape.chunk = w->chunk ? w->chunk : 512 * KIB;
	if (r->shape.chunk < 4 * KIB || !units_is_power_of_two(r->shape.chunk))
		return diag_error(d, pos, "a chunk of %s can't be: it is a power of two of at least 4 KiB",
				  units_exact(d->arena, r->shape.chunk));
	if (r->shape.chunk > GIB)
		return diag_error(d, pos, "a chunk of %s is too large: at most 1 GiB",
				  units_text(d->arena, r->shape.chunk));
	return 0;
}

static int check_metadata(struct array *r, struct diag *d)
{
	const struct array_item *w = r->words;
	struct pos pos = item_pos(&w->item, "metadata");
	const char *name = r->node.name;
	int e = 0;

	r->shape.metadata = md_metadata(w->metadata ? w->metadata : "1.2");
	if (r->shape.metadata == MD_METADATA_090) {
		/* It has no room for RAID0's layout, without which a kernel from 5.4 on doesn't start one. */
		if (r->shape.level == 0)
			e = diag_error(d, pos,
				       "mdadm makes no RAID0 with metadata 0.90: take 1.0 to keep it at the "
				       "end of the members");
		if (r->places.n + r->spares.n > 27)
			e = diag_error(d, pos, "metadata 0.90 has room for 27 devices, '%s' has %zu", name,
				       r->places.n + r->spares.n);
	} else if (strlen("any:") + strlen(name) > 32) {
		e = diag_error(d, r->node.pos,
			       "the name '%s' has %zu characters, and an array's superblock has room for 28",
			       name, strlen(name));
	}
	return e;
}

static int check_count(const struct array *r, struct diag *d)
{
	const struct md_shape *s = &r->shape;
	struct pos pos = item_pos(&r->words->item, "devices");
	const char *level = md_level_text(d->arena, s->level),
		   *layout = md_layout_text(d->arena, s->level, s->layout);
	unsigned least = md_least(s->level, s->layout);

	if (s->disks < least)
		return diag_error(d, pos, "%s%s%s needs at least %u devices, '%s' has %u", level,
				  s->level == 10 ? " " : "", s->level == 10 ? layout : "", least,
				  r->node.name, s->disks);
	if (s->level == 6 && s->disks > 256)
		return diag_error(d, pos, "RAID6 takes at most 256 devices, '%s' has %u", r->node.name,
				  s->disks);
	if (s->level == 0 && r->spares.n)
		return diag_error(d, item_pos(&r->words->item, "spares"),
				  "a spare is of no use to RAID0: nothing could be rebuilt on it");
	if (s->level == 0 && item_has(&r->words->item, "bitmap") && strcmp(r->words->bitmap, "none") != 0)
		return diag_error(d, item_pos(&r->words->item, "bitmap"),
				  "a bitmap is of no use to RAID0: nothing is ever resynced");
	return 0;
}

/* A member on several disks may stand the loss of one: only what is sure is told. */
static bool is_on_alone(const struct array_place *p, struct arena *a, const struct node *disk)
{
	node_list on = { 0 };

	if (p->node)
		on = node_disks(a, p->node);
	return on.n == 1 && on.at[0] == disk;
}

/* Whether the data stays when a disk goes; NULL: none goes but what is missing. */
static bool alive_without(const struct array *r, struct arena *a, const struct node *disk)
{
	bool *alive = arena_alloc(a, r->places.n * sizeof(*alive));

	for (size_t i = 0; i < r->places.n; i++) {
		const struct array_place *p = &r->places.at[i];

		alive[i] = p->node && !is_on_alone(p, a, disk);
	}
	return md_alive(&r->shape, alive);
}

static int check_missing(const struct array *r, struct diag *d)
{
	size_t missing = 0, first = 0;
	const char *level = md_level_text(d->arena, r->shape.level);

	for (size_t i = r->places.n; i-- > 0;)
		if (!r->places.at[i].node) {
			missing++;
			first = i;
		}
	if (!missing)
		return 0;
	if (r->shape.level == 0)
		return diag_error(d, r->places.at[first].pos,
				  "RAID0 keeps nothing twice: none of its members can be missing");
	if (missing == r->places.n)
		return diag_error(d, r->places.at[first].pos, "all members of '%s' are missing",
				  r->node.name);
	if (!alive_without(r, d->arena, NULL))
		return diag_error(
			d, r->places.at[first].pos, "'%s' can't start with %zu of %zu members missing: %s",
			r->node.name, missing, r->places.n,
			r->shape.level == 10 ? "both copies of some data would be on those that are missing; "
					       "in another order it might"
			: r->shape.level == 6 ? "RAID6 stands the loss of two"
					      : arena_printf(d->arena, "%s stands the loss of one", level));
	diag_warn(d, r->places.at[first].pos, "'%s' will run degraded: %zu of %zu members missing",
		  r->node.name, missing, r->places.n);
	return 0;
}

/* Redundancy that ends with one disk. */
static void warn_disks(const struct array *r, struct diag *d)
{
	node_list disks;

	for (size_t i = 0; i < r->places.n; i++)
		if (!r->places.at[i].node)
			return;
	if (r->shape.level == 0 || (r->shape.level == 10 && md_copies(&r->shape) < 2))
		return;
	disks = node_disks(d->arena, &r->node);
	vec_each (struct node *const *, disk, &disks) {
		if (alive_without(r, d->arena, *disk))
			continue;
		diag_warn(d, item_pos(&r->words->item, "devices"),
			  "'%s' does not survive the loss of disk '%s'", r->node.name, (*disk)->name);
		vec_each (const struct array_place *, p, &r->places)
			if (is_on_alone(p, d->arena, *disk))
				diag_note(d, p->pos, "'%s' lies on it", p->node->name);
	}
}

/* The filesystem on it that firmware reads by itself, a member at a time, knowing nothing of md. NULL: there is none. */
static const struct node *for_firmware(const struct node *want)
{
	vec_each (struct node *const *, up, &want->above)
		if ((*up)->kind != &array_kind && (*up)->kind->part_type &&
		    text_eq((*up)->kind->part_type(*up), "esp"))
			return *up;
	return NULL;
}

static int check_firmware(const struct array *r, struct diag *d)
{
	const struct node *fs = for_firmware(&r->node);
	const struct item *it = &r->words->item;

	if (!fs)
		return 0;
	if (r->shape.level != 1)
		return diag_error(d, item_pos(it, "level"),
				  "firmware can't read '%s' from %s: only a RAID1 with metadata 1.0 looks to "
				  "it like a plain partition",
				  fs->name, md_level_text(d->arena, r->shape.level));
	if (r->shape.metadata != md_metadata("1.0") && r->shape.metadata != MD_METADATA_090)
		return diag_error(d, item_pos(it, "metadata"),
				  "firmware looks for '%s' at the start of each member, where md keeps its "
				  "own data with metadata %s; state metadata: 1.0",
				  fs->name, md_metadata_text(r->shape.metadata));
	diag_warn(d, item_pos(it, "metadata"),
		  "what firmware writes to '%s' goes to one member of '%s', and the others won't have it",
		  fs->name, r->node.name);
	return 0;
}

static int array_check(const struct node *want, struct diag *d)
{
	/* The words become numbers here, once; later stages read those. */
	struct array *r = (struct array *)want;
	int e, f;

	r->shape.disks = (unsigned)r->places.n;
	e = check_level(r, d);
	if (e < 0)
		return e;
	e = check_layout(r, d);
	r->shaped = !e;
	f = check_chunk(r, d);
	e = e < 0 ? e : f;
	f = check_metadata(r, d);
	e = e < 0 ? e : f;
	f = check_firmware(r, d);
	e = e < 0 ? e : f;
	if (!r->shaped || r->lost)
		return e;
	f = check_count(r, d);
	if (f < 0)
		return f;
	f = check_missing(r, d);
	if (!f && !e)
		warn_disks(r, d);
	return e < 0 ? e : f;
}

/* A kept array is as it is: only what the layout leaves open is taken from it, the rest is compared. */
static void take_over(struct array *r, const struct array *h)
{
	if (!item_has(&r->words->item, "layout") && r->shape.level == h->shape.level)
		r->shape.layout = h->shape.layout;
	if (!item_has(&r->words->item, "chunk"))
		r->shape.chunk = h->shape.chunk;
	if (!item_has(&r->words->item, "metadata"))
		r->shape.metadata = h->shape.metadata;
	r->bitmap = h->bitmap ? h->bitmap : "none";
	r->data_offset = h->data_offset;
	r->component = h->component;
}

static void warn_waste(const struct array *r, const uint64_t *sizes, struct settle *s)
{
	uint64_t largest = 0, waste = 0;

	for (size_t i = 0; i < r->places.n; i++) {
		if (!sizes[i])
			continue;
		if (sizes[i] > largest)
			largest = sizes[i];
		if (sizes[i] > r->data_offset + r->component)
			waste += sizes[i] - r->data_offset - r->component;
	}
	/* Where mdadm itself speaks up: more than 1% of the largest. */
	if (r->shape.level == 0 || (largest - r->data_offset - r->component) * 100 <= largest)
		return;
	diag_warn(s->diag, item_pos(&r->words->item, "devices"),
		  "%s of the members of '%s' stay unused, since of each as much is used as of the smallest",
		  units_text(s->arena, waste), r->node.name);
	for (size_t i = 0; i < r->places.n; i++)
		if (sizes[i])
			diag_note(s->diag, r->places.at[i].pos, "'%s' has %s", r->places.at[i].node->name,
				  units_text(s->arena, sizes[i]));
}

static void warn_sectors(const struct array *r, struct settle *s)
{
	const struct node *first = NULL;

	vec_each (const struct array_place *, p, &r->places) {
		if (!p->node)
			continue;
		if (!first)
			first = p->node;
		if (p->node->geo.logical == first->geo.logical)
			continue;
		diag_warn(s->diag, p->pos,
			  "'%s' has sectors of %u bytes and '%s' of %u: '%s' will have the larger ones",
			  first->name, first->geo.logical, p->node->name, p->node->geo.logical, r->node.name);
		return;
	}
}

/* Members that are hardware RAIDs themselves: their stripes have to begin where the array's do. */
static void warn_offset(const struct array *r, struct settle *s)
{
	if (r->shape.level == 1)
		return; /* .geo says it */
	vec_each (const struct array_place *, p, &r->places) {
		uint64_t stripe = p->node ? p->node->geo.opt_io : 0;

		if (!stripe || (p->node->geo.offset + r->data_offset) % stripe == 0)
			continue;
		diag_warn(s->diag, p->pos, "'%s' begins %s into '%s', which is not on its stripes of %s",
			  r->node.name, units_text(s->arena, r->data_offset), p->node->name,
			  units_text(s->arena, stripe));
		return;
	}
}

static struct uuid planned_uuid(const struct node *want, const struct settle *s)
{
	const struct array_item *words = array_of(want)->words;

	return uuid_is_zero(words->uuid) ? settle_uuid(s, want, "") : words->uuid;
}

/* Of one that doesn't run nobody can say what is in it; what stands on one that runs is seen. */
static enum leftover array_leftover(const struct node *want, const struct node *have, const struct settle *s)
{
	return uuid_eq(have->uuid, planned_uuid(want, s)) ? LEFTOVER_OURS : LEFTOVER_NOT;
}

static int settle_new(struct array *r, struct settle *s)
{
	uint64_t *sizes = arena_alloc(s->arena, r->places.n * sizeof(*sizes));
	VEC(struct geometry) geos = { 0 };
	struct md_sizes out;

	for (size_t i = 0; i < r->places.n; i++) {
		const struct node *n = r->places.at[i].node;

		if (!n)
			continue;
		sizes[i] = n->size;
		vec_push(s->arena, &geos, n->geo);
	}
	if (md_sizes(&r->shape, sizes, &out) < 0)
		return diag_error(s->diag, r->places.at[out.small].pos,
				  "'%s' is %s, too small for a member of '%s'%s",
				  r->places.at[out.small].node->name, units_exact(s->arena, sizes[out.small]),
				  r->node.name,
				  r->shape.chunk ? arena_printf(s->arena, " with a chunk of %s",
								units_text(s->arena, r->shape.chunk))
						 : "");
	r->data_offset = out.data_offset;
	r->component = out.component;
	if (r->shape.metadata == MD_METADATA_090 && r->component >= 4 * TIB)
		return diag_error(
			s->diag, item_pos(&r->words->item, "metadata"),
			"metadata 0.90 can't use %s of a member, less than 4 TiB only: take 1.2 or 1.0",
			units_text(s->arena, r->component));
	vec_each (const struct array_place *, p, &r->spares)
		if (p->node->size < r->data_offset + r->component)
			return diag_error(s->diag, p->pos,
					  "the spare '%s' is %s, and %s of each member of '%s' are used",
					  p->node->name, units_exact(s->arena, p->node->size),
					  units_exact(s->arena, r->data_offset + r->component), r->node.name);
	r->bitmap = r->words->bitmap                                  ? r->words->bitmap
		    : md_bitmap_default(r->shape.level, r->component) ? "internal"
								      : "none";
	r->node.size = out.size;
	r->node.geo = md_geometry(&r->shape, r->data_offset, geos.at, geos.n);
	r->node.uuid = r->planned;
	warn_waste(r, sizes, s);
	warn_sectors(r, s);
	warn_offset(r, s);
	return 0;
}

/* What the kernel says of an array that is there; it doesn't know what the layout says of hardware RAID below. */
static struct geometry geometry_there(const struct array *r, struct settle *s)
{
	VEC(struct geometry) geos = { 0 };
	struct geometry g;

	vec_each (const struct array_place *, p, &r->places)
		if (p->node)
			vec_push(s->arena, &geos, p->node->geo);
	g = md_geometry(&array_of(r->node.have)->shape, r->data_offset, geos.at, geos.n);
	if (g.declared)
		return g;
	if (r->node.have->geo.opt_io == g.opt_io)
		return (struct geometry){ .logical = r->node.have->geo.logical,
					  .physical = r->node.have->geo.physical,
					  .min_io = r->node.have->geo.min_io,
					  .opt_io = g.opt_io,
					  .offset = g.offset };
	return r->node.have->geo;
}

/* Ours, with every member there, and not assembled: udev does that elsewhere, but not everywhere. */
static bool is_closed(const struct array *w, const struct array *h)
{
	if (h->node.block || !uuid_eq(w->planned, h->node.uuid) || !h->places.n)
		return false;
	vec_each (const struct array_place *, p, &h->places)
		if (!p->dev)
			return false;
	return true;
}

static int array_settle(struct node *want, struct settle *s)
{
	struct array *r = (struct array *)want;
	const struct blockdev *there;

	want->dev = arena_printf(s->arena, md_number(want->name) >= 0 ? "/dev/%s" : "/dev/md/%s", want->name);
	there = machine_dev(s->machine, want->dev);
	r->planned = uuid_is_zero(r->words->uuid) ? settle_uuid(s, want, "") : r->words->uuid;
	want->closed = !s->verify && want->have && is_closed(r, array_of(want->have));
	if (want->have) {
		take_over(r, array_of(want->have));
		want->size = want->have->size;
		want->geo = geometry_there(r, s);
		want->uuid = want->have->uuid;
		if (want->have->block && there != want->have->block)
			want->dev = want->have->block->path;
		return 0;
	}
	if (there)
		return diag_error(s->diag, want->pos, "'%s' would be %s, which is another array: %s",
				  want->name, want->dev, there->links.n ? there->links.at[0] : there->path);
	return settle_new(r, s);
}

static const char *member_names(struct arena *a, const struct array *r)
{
	struct text t = { .arena = a };

	vec_each (const struct array_place *, p, &r->places)
		text_printf(&t, "%s%s", t.len ? ", " : "", p->node ? p->node->name : MISSING);
	vec_each (const struct array_place *, p, &r->spares)
		text_printf(&t, "%s%s", p == r->spares.at ? " and spare " : ", ", p->node->name);
	return text_str(&t);
}

static int array_create(struct steps *s, const struct node *want)
{
	const struct array *r = array_of(want);
	struct arena *a = steps_arena(s);
	const char *layout = md_layout_text(a, r->shape.level, r->shape.layout);
	int number = md_number(want->name);
	struct step *st = step_new(s, want, "create", "create %s '%s' from %s",
				   md_level_text(a, r->shape.level), want->name, member_names(a, r));

	step_argv(s, st, "mdadm", "--create", want->dev, "--run", "--quiet", NULL);
	step_wordf(s, st, "--level=%d", r->shape.level);
	step_wordf(s, st, "--raid-devices=%u", r->shape.disks);
	if (r->spares.n)
		step_wordf(s, st, "--spare-devices=%zu", r->spares.n);
	step_wordf(s, st, "--metadata=%s", md_metadata_text(r->shape.metadata));
	/* Any machine may start it under its name. Metadata 0.90 has none. */
	step_word(s, st, "--homehost=any");
	if (r->shape.metadata != MD_METADATA_090 && number >= 0)
		step_wordf(s, st, "--name=%d", number);
	else if (r->shape.metadata != MD_METADATA_090)
		step_wordf(s, st, "--name=%s", want->name);
	step_wordf(s, st, "--uuid=%s", md_uuid_text(a, want->uuid));
	if (r->shape.chunk)
		step_wordf(s, st, "--chunk=%uK", (unsigned)(r->shape.chunk / KIB));
	if (layout)
		step_wordf(s, st, "--layout=%s", layout);
	/* Even "none" is an error for RAID0. */
	if (r->shape.level != 0)
		step_wordf(s, st, "--bitmap=%s", r->bitmap);
	vec_each (const struct array_place *, p, &r->places)
		step_word(s, st, p->node ? p->node->dev : MISSING);
	vec_each (const struct array_place *, p, &r->spares)
		step_word(s, st, p->node->dev);
	step_gives(s, st, want->dev, 0, want->size);
	/* One after the other, or the kernel's numbers of named arrays came out in another order each time. */
	steps_chain(s, st, "mdadm");

	st = step_new(s, want, "wipe", "remove what an older use may show in '%s'", want->name);
	st->op.form = OP_WIPE;
	st->op.dev = want->dev;
	return 0;
}

static int array_open(struct steps *s, const struct node *want)
{
	struct step *st = step_new(s, want, "assemble", "start the array '%s'", want->name);

	step_argv(s, st, "mdadm", "--assemble", want->dev, "--quiet", NULL);
	step_wordf(s, st, "--uuid=%s", md_uuid_text(steps_arena(s), want->uuid));
	vec_each (const struct edge *, e, &want->below)
		step_word(s, st, e->to->dev);
	step_gives(s, st, want->dev, 0, 0);
	steps_chain(s, st, "mdadm");
	return 0;
}

static const char *array_describe(struct arena *a, const struct node *n)
{
	const struct array *r = array_of(n);
	const char *layout = md_layout_text(a, r->shape.level, r->shape.layout);
	struct text t = { .arena = a };

	if (r->shape.level < 0)
		return arena_printf(a, "array, %s",
				    r->level_text && *r->level_text ? r->level_text : "of a level not known");
	text_add(&t, md_level_text(a, r->shape.level));
	if (layout)
		text_printf(&t, " %s", layout);
	/* Where every member has a copy, their number says it all. */
	if (md_copies(&r->shape) != r->shape.disks || r->shape.disks == 1)
		text_printf(&t, " of %u", r->shape.disks);
	if (md_copies(&r->shape) > 1)
		text_printf(&t, ", %u copies", md_copies(&r->shape));
	if (r->shape.chunk)
		text_printf(&t, ", chunk %s", units_text(a, r->shape.chunk));
	if (r->spares.n)
		text_printf(&t, ", %zu spare%s", r->spares.n, r->spares.n == 1 ? "" : "s");
	if (r->bitmap && r->shape.level != 0)
		text_printf(&t, ", bitmap %s", r->bitmap);
	if (r->why_not)
		text_printf(&t, ", %s", r->why_not);
	return text_str(&t);
}

static const char *array_part_type(const struct node *want)
{
	return for_firmware(want) ? "esp" : "raid";
}

static bool array_alive(const struct node *n, const bool *alive)
{
	_cleanup_arena_ struct arena *scratch = arena_new();
	const struct array *r = array_of(n);
	bool *places = arena_alloc(scratch, r->places.n * sizeof(*places));

	for (size_t i = 0; i < r->places.n; i++)
		for (size_t e = 0; e < n->below.n; e++) {
			const struct node *to = n->below.at[e].to;

			if (r->places.at[i].node ? r->places.at[i].node == to
						 : text_eq(r->places.at[i].dev, to->name))
				places[i] = places[i] || alive[e];
		}
	return r->shape.disks == r->places.n && md_alive(&r->shape, places);
}

static const struct section sections[] = {
	{ .name = "arrays",
	  .form = SECTION_NAMED,
	  .keys = array_keys,
	  .item_size = sizeof(struct array_item),
	  .doc = "Software RAID. An array called `mdN` becomes /dev/mdN, any other /dev/md/NAME.",
	  .declare = array_declare,
	  .link = array_link },
	{ 0 },
};

static const char *array_busy(struct arena *a, const struct machine *m, const struct node *have)
{
	const char *sync = array_of(have)->sync;

	(void)m;
	return sync ? arena_printf(a, "a %s", text_eq(sync, "recover") ? "recovery" : sync) : NULL;
}

const struct kind array_kind = {
	.name = "array",
	.doc = "A software RAID of the kernel.",
	.size = sizeof(struct array),
	.device = true,
	.check = array_check,
	.find = array_find,
	.match = array_match,
	.settle = array_settle,
	.leftover = array_leftover,
	.compare = array_compare,
	.health = array_health,
	.create = array_create,
	.busy = array_busy,
	.open = array_open,
	.describe = array_describe,
	.part_type = array_part_type,
	.alive = array_alive,
	.retire = array_retire,
	.scrub = array_scrub,
};

static const struct room_tool tools[] = { { "mdadm", "mdadm" }, { 0 } };

static const struct kind *const kinds[] = { &array_kind, &md_conf_kind, NULL };

extern const struct room room_md;
const struct room room_md = {
	.name = "md",
	.doc = "Software RAID with mdadm.",
	.sections = sections,
	.kinds = kinds,
	.tools = tools,
	.finish = md_conf_finish,
	.probe = md_probe,
	.extent = md_extent,
};
