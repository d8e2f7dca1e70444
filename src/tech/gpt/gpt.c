/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tech/gpt/gpt.h"

#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "machine/have.h"
#include "machine/machine.h"
#include "plan/scrub.h"
#include "plan/settle.h"

enum { NAME_UNITS = 36, MBR_PRIMARY = 4, BLOCK = 4096 };

static const struct key partition_keys[] = {
	KEY(TEXT, struct partition_item, name, .need = true,
	    .doc = "What the layout calls it, and its name in a GPT.", .example = "boot"),
	KEY(SIZE, struct partition_item, size, .need = true,
	    .doc = "Rounded up to whole MiB; rest gets what is left.", .example = "512M"),
	KEY(BYTES, struct partition_item, start,
	    .doc = "Where it starts, from the start of the disk; behind the one before it if absent.",
	    .example = "10G"),
	KEY(TEXT, struct partition_item, type,
	    .doc = "linux, raid, lvm, swap, esp, bios-boot, home, ... or a GUID; on an MBR also a hex code. "
		   "If absent it follows the use.",
	    .example = "raid"),
	KEY(UUID, struct partition_item, uuid, .doc = "Its PARTUUID; derived if absent."),
	KEY(TEXTS, struct partition_item, attributes,
	    .doc = "GPT: required, no-block-io, legacy-boot, read-only, grow, no-auto. MBR: active.",
	    .example = "[legacy-boot]"),
	KEY(INT, struct partition_item, number, .min = 1, .max = 128,
	    .doc = "Its number; its place in the list if absent."),
	{ 0 },
};

static const struct key table_keys[] = {
	KEY(NAMES, struct table_item, disks, .need = true,
	    .doc = "Disks (or other devices) that get this table, each its own.", .example = "[vda, vdb]"),
	KEY(WORD, struct table_item, label, .one_of = "gpt mbr", .doc = "Kind of table, gpt if absent."),
	KEY(UUID, struct table_item, uuid,
	    .doc = "The disk's GUID, for a table on one disk; derived if absent."),
	KEY(LIST, struct table_item, partitions, .need = true, .keys = partition_keys,
	    .size = sizeof(struct partition_item), .doc = "In the order on the disk."),
	{ 0 },
};

static const struct partition_item *item_of(const struct node *n)
{
	return (const struct partition_item *)n->item;
}

/* What it is called by who stands on it; the first says it. */
static const char *type_by_use(const struct node *part)
{
	vec_each (struct node *const *, up, &part->above)
		if ((*up)->kind->part_type) {
			const char *word = (*up)->kind->part_type(*up);

			if (word)
				return word;
		}
	return "linux";
}

static int check_type(const struct node *n, bool gpt, struct diag *d)
{
	const struct partition_item *it = item_of(n);
	size_t count;
	const char *const *names, *near;

	if (!it->type || gpt_type(d->arena, gpt, it->type))
		return 0;
	names = gpt_type_names(&count);
	near = text_nearest(it->type, names, count);
	if (gpt_type(d->arena, true, it->type))
		return diag_error(d, item_pos(&it->item, "type"),
				  "an MBR has no partition type for '%s'; use label: gpt, or a hex code",
				  text_short(d->arena, it->type));
	return diag_error(d, item_pos(&it->item, "type"), "'%s' is no type of a partition%s%s%s",
			  text_short(d->arena, it->type), near ? "; did you mean '" : "",
			  near ? near
			       : (gpt ? "; a name such as linux, raid, lvm or esp, or a GUID"
				      : "; a name or a hex code"),
			  near ? "'?" : "");
}

static int check_name(const struct node *n, struct diag *d)
{
	const struct partition_item *it = item_of(n);
	size_t units = text_utf16_units(it->name);

	if (units > NAME_UNITS)
		return diag_error(d, item_pos(&it->item, "name"),
				  "the name '%s' has %zu UTF-16 units, a GPT keeps at most %d",
				  text_short(d->arena, it->name), units, NAME_UNITS);
	for (const char *c = it->name; *c; c++)
		/* sfdisk's script has no way to say a quote, a backslash starts an escape there; beyond the BMP sfdisk drops the whole name. */
		if (*c == '"' || *c == '\\' || (unsigned char)*c >= 0xf0)
			return diag_error(d, item_pos(&it->item, "name"),
					  "the name of a partition can't hold a double quote, a backslash or "
					  "a character beyond U+FFFF");
	if (strpbrk(it->name, "./"))
		return diag_error(d, item_pos(&it->item, "name"),
				  "the name of a partition can't hold '%c': it stands between the parts of a "
				  "longer name (vda.boot, vg0/home)",
				  *strpbrk(it->name, "./"));
	return 0;
}

static int check_numbers(const struct node *want, struct diag *d)
{
	const struct table *t = table_of(want);
	int r = 0;

	for (size_t i = 0; i < t->parts.n; i++)
		for (size_t k = 0; k < i; k++)
			if (partition_of(t->parts.at[i])->number == partition_of(t->parts.at[k])->number) {
				r = diag_error(d, item_pos(t->parts.at[i]->item, "number"),
					       "'%s' and '%s' both have number %u", t->parts.at[i]->name,
					       t->parts.at[k]->name, partition_of(t->parts.at[i])->number);
				diag_note(d, t->parts.at[k]->pos, "the other one is here");
			}
	return r;
}

static int table_check(const struct node *want, struct diag *d)
{
	const struct table *t = table_of(want);
	const struct table_item *it = (const struct table_item *)want->item;
	int r = 0;

	if (t->elder) /* has been told of the first */
		return 0;
	if (!t->parts.n)
		r = diag_error(d, item_pos(&it->item, "partitions"), "a table needs at least one partition");
	if (!t->gpt && t->parts.n > MBR_PRIMARY)
		r = diag_error(d, t->parts.at[MBR_PRIMARY]->pos,
			       "an MBR has room for %d partitions, this is number %zu; use label: gpt",
			       MBR_PRIMARY, t->parts.n);
	vec_each (struct node *const *, n, &t->parts)
		if (!t->gpt && partition_of(*n)->number > MBR_PRIMARY && t->parts.n <= MBR_PRIMARY)
			r = diag_error(d, item_pos((*n)->item, "number"),
				       "an MBR has numbers from 1 to %d, '%s' has %u; use label: gpt",
				       MBR_PRIMARY, (*n)->name, partition_of(*n)->number);
	if (t->parts.n > 128)
		r = diag_error(d, t->parts.at[128]->pos,
			       "a GPT has room for 128 partitions, this table has %zu", t->parts.n);
	else if (check_numbers(want, d) < 0)
		r = -1;
	if (!uuid_is_zero(it->uuid) && it->made > 1)
		r = diag_error(d, item_pos(&it->item, "uuid"),
			       "a stated uuid is for one disk, this table is for %zu", it->made);
	return r;
}

static size_t place_of(const text_list *list, const char *word)
{
	size_t i = 0;

	while (i < list->n && list->at[i] != word)
		i++;
	return i;
}

static int partition_check(const struct node *want, struct diag *d)
{
	const struct partition_item *it = item_of(want);
	bool gpt = table_of(want->parent)->gpt;
	const char *bad;
	int r;

	if (table_of(want->parent)->elder)
		return 0;
	r = check_name(want, d);
	if (check_type(want, gpt, d) < 0)
		r = -1;
	gpt_attributes(d->arena, gpt, &it->attributes, &bad);
	if (bad)
		r = diag_error(d, item_pos_at(&it->item, "attributes", place_of(&it->attributes, bad)),
			       "'%s' is no attribute of a partition in %s", text_short(d->arena, bad),
			       gpt ? "a GPT: required, no-block-io, legacy-boot, read-only, grow, no-auto"
				   : "an MBR: active");
	if (!gpt && !uuid_is_zero(it->uuid))
		r = diag_error(d, item_pos(&it->item, "uuid"),
			       "partitions of an MBR have no UUID of their own");
	if (!uuid_is_zero(it->uuid) && ((const struct table_item *)want->parent->item)->made > 1)
		r = diag_error(d, item_pos(&it->item, "uuid"),
			       "a stated uuid is for one partition, this one is made on %zu disks",
			       ((const struct table_item *)want->parent->item)->made);
	return r;
}

static const struct node *table_match(const struct node *want, const struct settle *s)
{
	const struct node *disk = want->below.at[0].to->have;

	(void)s;
	return disk ? have_user(disk, &kind_table) : NULL;
}

static const struct node *partition_match(const struct node *want, const struct settle *s)
{
	const struct node *table = want->parent->have;

	(void)s;
	if (table)
		vec_each (struct node *const *, n, &table_of(table)->parts)
			if (partition_of(*n)->number == partition_of(want)->number)
				return *n;
	return NULL;
}

static int partition_settle(struct node *want, struct settle *s)
{
	struct partition *p = as_partition(want);
	const struct partition_item *it = item_of(want);
	const struct table *t = table_of(want->parent);
	const struct node *disk = want->parent->below.at[0].to;
	const char *bad;

	p->start = want->have ? partition_of(want->have)->start : p->ideal_start;
	want->size = want->have ? want->have->size : p->ideal_size;
	want->geo = disk->geo;
	if (want->geo.opt_io)
		want->geo.offset = (disk->geo.offset + p->start) % want->geo.opt_io;
	want->dev = want->have ? want->have->block->path : gpt_part_dev(s->arena, disk->dev, p->number);
	p->type = gpt_type(s->arena, t->gpt, it->type ? it->type : type_by_use(want));
	if (!p->type)
		p->type = gpt_type(s->arena, t->gpt, "linux");
	p->attributes = gpt_attributes(s->arena, t->gpt, &it->attributes, &bad);
	want->uuid = uuid_is_zero(it->uuid) ? settle_uuid(s, want, "") : it->uuid;
	if (want->have && partition_of(want->have)->uuid)
		p->uuid = partition_of(want->have)->uuid;
	else
		p->uuid = t->gpt ? uuid_text(s->arena, want->uuid)
				 : arena_printf(s->arena, "%s-%02u", t->id, p->number);
	want->partuuid = p->uuid;
	want->partlabel = t->gpt ? p->short_name : NULL;
	return 0;
}

/* Of a protective MBR nothing can be told: it has no identifier, and protects nothing where it is alone. */
static bool is_planned(const signature_list *list, const struct node *want, const struct settle *s)
{
	const char *planned = gpt_table_id(s, want);

	vec_each (const struct signature *, sig, list) {
		if (!text_eq(sig->usage, "table"))
			return false;
		if (!(text_eq(sig->type, "PMBR") && table_of(want)->gpt) &&
		    !(sig->uuid && !strcasecmp(sig->uuid, planned)))
			return false;
	}
	return true;
}

/*
 * By the identifiers on the disk, since a table of which a part is missing isn't read as one. No run ends before both copies of a GPT are
 * on the disk.
 */
static enum leftover table_leftover(const struct node *want, const struct node *have, const struct settle *s)
{
	bool lost = !have->below.n;
	const struct blockdev *disk = lost ? have->block : have->below.at[0].to->block;

	if (!disk || !is_planned(&disk->signatures, want, s) || !is_planned(&disk->strays, want, s))
		return LEFTOVER_NOT;
	/* One whose partitions nobody shows: nothing lies where they begin. */
	if (lost)
		return table_of(want)->gpt ? LEFTOVER_HALF : LEFTOVER_NOT;
	if (!disk->signatures.n)
		return LEFTOVER_NOT;
	return table_of(have)->half ? LEFTOVER_HALF : LEFTOVER_OURS;
}

static void table_compare(const struct node *want, const struct node *have, struct why *why)
{
	const struct table *w = table_of(want), *h = table_of(have);

	if (!text_eq(w->label, h->label)) {
		why_add(why, "label", "%s has a table of kind %s, the layout asks for %s",
			want->below.at[0].to->name, h->label ? h->label : "unknown", w->label);
		why_anew(why);
		return;
	}
	vec_each (struct node *const *, part, &w->parts) {
		bool there = false;

		vec_each (struct node *const *, n, &h->parts)
			there |= partition_of(*n)->number == partition_of(*part)->number;
		if (there)
			continue;
		why_add(why, "partitions", "it has no partition number %u, which would be '%s'",
			partition_of(*part)->number, (*part)->name);
		why_anew(why);
		why_is(why, WHY_MISSING);
	}
}

/* Whether a size that is there is what the layout asks for: to the unit where it is stated, within a unit where it is derived. */
static bool size_fits(const struct partition *w, const struct partition *h, uint64_t grain)
{
	const struct size_want *size = &item_of(&w->node)->size;
	uint64_t diff = h->node.size > w->ideal_size ? h->node.size - w->ideal_size
						     : w->ideal_size - h->node.size;

	switch (size->form) {
	case SIZE_BYTES:
		return h->node.size == w->ideal_size || h->node.size == size->bytes;
	case SIZE_RANGE:
		return h->node.size >= size->min &&
		       h->node.size <= (size->max > UINT64_MAX - grain ? UINT64_MAX : size->max + grain);
	case SIZE_PERCENT:
	case SIZE_REST:
	case SIZE_NONE:
		return diff <= grain;
	}
	return false;
}

/* The size that a partition which is there could grow to: up to the next one, or to the end of what partitions may use. */
static uint64_t room_for(const struct partition *w, const struct partition *h)
{
	uint64_t end = table_of(w->node.parent)->end;

	vec_each (struct node *const *, n, &table_of(h->node.parent)->parts) {
		uint64_t start = partition_of(*n)->start;

		if (start > h->start && start < end)
			end = start;
	}
	return end > h->start ? end - h->start : 0;
}

/* What growing would make of it; 0: that can't bring about what the layout asks for. */
static uint64_t grown(const struct partition *w, const struct partition *h)
{
	uint64_t room = room_for(w, h), most = w->ideal_size > room ? room : w->ideal_size;
	const struct size_want *size = &item_of(&w->node)->size;
	bool enough = size->form == SIZE_REST || (size->form == SIZE_RANGE && most >= size->min);

	/* The rest is what is left behind where it is, not where a new table would have it. */
	return h->node.size < most && (enough || most == w->ideal_size) ? most : 0;
}

static void partition_compare(const struct node *want, const struct node *have, struct why *why)
{
	const struct partition *w = partition_of(want), *h = partition_of(have);
	const struct partition_item *it = item_of(want);
	const struct table *t = table_of(want->parent);

	if (h->stale) {
		why_add(why, NULL,
			"the kernel has %s at %s, where the table on the disk has %s: 'blockdev "
			"--rereadpt %s' when nothing uses the disk, or a reboot, makes them agree",
			units_exact(why->arena, have->size), units_exact(why->arena, h->start),
			h->table_size
				? arena_printf(why->arena, "%s at %s", units_exact(why->arena, h->table_size),
					       units_exact(why->arena, h->table_start))
				: "none of that number",
			want->parent->below.at[0].to->dev);
		why_is(why, WHY_DANGEROUS);
		return;
	}
	if (!size_fits(w, h, t->grain)) {
		why_add(why, "size", "it is %s, the layout asks for %s (%s)",
			units_exact(why->arena, have->size), units_size_text(why->arena, &it->size),
			units_exact(why->arena, w->ideal_size));
		if (grown(w, h))
			why_grows(why, have->size, grown(w, h));
		else
			why_anew(why);
	}
	if (it->start && it->start != h->start) {
		why_add(why, "start", "it starts at %s, the layout asks for %s",
			units_exact(why->arena, h->start), units_exact(why->arena, it->start));
		why_anew(why);
	}
	if (!uuid_is_zero(it->uuid) && h->uuid && strcasecmp(uuid_text(why->arena, it->uuid), h->uuid) != 0) {
		why_add(why, "uuid", "its UUID is %s, the layout asks for %s", h->uuid,
			uuid_text(why->arena, it->uuid));
		why_anew(why);
	}
	if (h->type && strcasecmp(h->type, w->type) != 0) {
		why_add(why, it->type ? "type" : NULL, "its type is %s, the layout asks for %s",
			gpt_type_word(t->gpt, h->type), gpt_type_word(t->gpt, w->type));
		why_anew(why);
	}
	if (t->gpt && h->type && !text_eq(h->short_name ? h->short_name : "", w->short_name)) {
		why_add(why, "name", "its name is '%s', the layout asks for '%s'",
			h->short_name ? h->short_name : "", w->short_name);
		why_is(why, WHY_COSMETIC);
		why_anew(why);
	}
}

/*
 * A start that the layout leaves open may be another than a new table would have, but not one within a block or a stripe: each write then
 * costs a read, and of parity or flash a good deal more.
 */
static void partition_health(const struct node *want, const struct settle *s, struct why *why)
{
	const struct partition_item *it = item_of(want);
	const struct geometry *g = &want->parent->geo;
	uint64_t unit = g->opt_io ? g->opt_io : g->physical > BLOCK ? g->physical : BLOCK, start;

	(void)s;
	if (!want->have || it->start)
		return;
	start = partition_of(want->have)->start;
	if (start % unit == 0)
		return;
	why_add(why, NULL, "its alignment is lost: it starts at %s, which is no multiple of %s, %s",
		units_exact(why->arena, start), units_text(why->arena, unit),
		g->opt_io ? "a stripe of what lies beneath" : "what a disk writes at a time");
	why_is(why, WHY_DANGEROUS);
}

static const char *table_describe(struct arena *a, const struct node *n)
{
	const struct table *t = table_of(n);

	return arena_printf(a, "%s, %zu partition%s",
			    t->gpt                     ? "GPT"
			    : text_eq(t->label, "dos") ? "MBR"
			    : t->label                 ? t->label
						       : "table",
			    t->parts.n, t->parts.n == 1 ? "" : "s");
}

static const char *partition_describe(struct arena *a, const struct node *n)
{
	const struct partition *p = partition_of(n);

	return p->type ? arena_printf(a, "type %s",
				      gpt_type_word(n->parent && table_of(n->parent)->gpt, p->type))
		       : NULL;
}

const struct kind kind_table = {
	.name = "table",
	.doc = "A partition table on a disk.",
	.size = sizeof(struct table),
	.check = table_check,
	.find = gpt_find_tables,
	.match = table_match,
	.settle = gpt_table_settle,
	.leftover = table_leftover,
	.compare = table_compare,
	.create = gpt_table_create,
	.describe = table_describe,
};

static void partition_scrub(const struct node *want, uint64_t start, uint64_t size, struct scrub *out)
{
	const struct partition *p = partition_of(want);

	scrub_range(out, want->parent->below.at[0].to, p->start + start, size);
}

const struct kind kind_partition = {
	.name = "partition",
	.doc = "A partition of a disk.",
	.size = sizeof(struct partition),
	.device = true,
	.check = partition_check,
	.find = gpt_find_partitions,
	.match = partition_match,
	.settle = partition_settle,
	.compare = partition_compare,
	.health = partition_health,
	.describe = partition_describe,
	.scrub = partition_scrub,
};

static const struct section sections[] = {
	{ .name = "tables",
	  .form = SECTION_LIST,
	  .keys = table_keys,
	  .item_size = sizeof(struct table_item),
	  .doc = "Partition tables. A layout may give several disks the same table; each gets identifiers of "
		 "its own.",
	  .declare = gpt_declare },
	{ 0 },
};

static const struct room_tool tools[] = { { "sfdisk", "fdisk" }, { 0 } };

extern const struct room room_gpt;
const struct room room_gpt = {
	.name = "gpt",
	.doc = "Partition tables: GPT, and MBR with up to four primary partitions.",
	.sections = sections,
	.kinds = (const struct kind *const[]){ &kind_table, &kind_partition, NULL },
	.tools = tools,
	.probe = gpt_probe,
	.survey = gpt_survey,
};
