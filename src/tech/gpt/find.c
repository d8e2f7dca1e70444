/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <json-c/json.h>
#include <libfdisk/libfdisk.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/field.h"
#include "machine/have.h"
#include "machine/machine.h"
#include "machine/probe.h"
#include "plan/settle.h"
#include "tech/gpt/gpt.h"
#include "tech/twins.h"

/*
 * The recording's part: "gpt": { "sda": { "label": "gpt", "id": "...", "partitions": [ { "number", "start", "size", "type", "uuid", "name",
 * "attributes" } ] } }; starts and sizes in bytes.
 */

static void add_text(struct json_object *o, const char *key, const char *value)
{
	if (value && *value)
		json_object_object_add(o, key, json_object_new_string(value));
}

static struct json_object *partition_json(struct arena *a, struct fdisk_partition *pa, uint64_t sector)
{
	struct json_object *o = json_object_new_object();
	struct fdisk_parttype *type = fdisk_partition_get_type(pa);

	json_object_object_add(o, "number",
			       json_object_new_int64((int64_t)fdisk_partition_get_partno(pa) + 1));
	json_object_object_add(o, "start", json_object_new_uint64(fdisk_partition_get_start(pa) * sector));
	json_object_object_add(o, "size", json_object_new_uint64(fdisk_partition_get_size(pa) * sector));
	if (type && fdisk_parttype_get_string(type))
		add_text(o, "type", fdisk_parttype_get_string(type));
	else if (type)
		add_text(o, "type", arena_printf(a, "%x", fdisk_parttype_get_code(type)));
	add_text(o, "uuid", fdisk_partition_get_uuid(pa));
	add_text(o, "name", fdisk_partition_get_name(pa));
	add_text(o, "attributes", fdisk_partition_get_attrs(pa));
	return o;
}

static struct json_object *table_json(struct arena *a, const struct blockdev *dev)
{
	struct fdisk_context *cxt = fdisk_new_context();
	struct fdisk_table *tb = NULL;
	struct fdisk_iter *it = fdisk_new_iter(FDISK_ITER_FORWARD);
	struct json_object *o = NULL, *parts;
	struct fdisk_partition *pa;
	char *id = NULL;

	if (!cxt || !it || fdisk_assign_device(cxt, dev->path, 1) < 0 || !fdisk_has_label(cxt))
		goto out;
	o = json_object_new_object();
	add_text(o, "label", fdisk_label_get_name(fdisk_get_label(cxt, NULL)));
	if (fdisk_get_disklabel_id(cxt, &id) == 0)
		add_text(o, "id", id);
	free(id);
	/* libfdisk has mended one copy by the other, and would write that. */
	if (text_eq(field_text(o, "label"), "gpt") && fdisk_label_is_changed(fdisk_get_label(cxt, NULL)))
		json_object_object_add(o, "half", json_object_new_int(1));
	parts = json_object_new_array();
	json_object_object_add(o, "partitions", parts);
	if (fdisk_get_partitions(cxt, &tb) == 0)
		while (fdisk_table_next_partition(tb, it, &pa) == 0)
			if (fdisk_partition_has_partno(pa) && fdisk_partition_has_size(pa) &&
			    fdisk_partition_has_start(pa))
				json_object_array_add(parts,
						      partition_json(a, pa, fdisk_get_sector_size(cxt)));
out:
	fdisk_unref_table(tb);
	fdisk_free_iter(it);
	(void)fdisk_deassign_device(cxt, 1);
	fdisk_unref_context(cxt);
	return o;
}

static bool has_table(const struct blockdev *b)
{
	vec_each (const struct signature *, sig, &b->signatures)
		if (text_eq(sig->usage, "table"))
			return true;
	return false;
}

int gpt_probe(struct probe *p)
{
	struct json_object *all;

	if (!p->root)
		return 0;
	all = json_object_new_object();
	vec_each (struct blockdev *const *, b, &p->m->devs) {
		struct json_object *o = has_table(*b) && !text_eq((*b)->type, "part")
						? table_json(p->arena, *b)
						: NULL;

		if (o)
			json_object_object_add(all, (*b)->name, o);
	}
	json_object_object_add(p->out, "gpt", all);
	return 0;
}

static struct json_object *recorded(const struct machine *m, const char *disk)
{
	return field_object(field_object(m->json, "gpt"), disk);
}

int gpt_find_tables(const struct machine *m, struct graph *have, struct diag *d)
{
	(void)d;
	vec_each (struct blockdev *const *, b, &m->devs) {
		struct json_object *o = recorded(m, (*b)->name);
		struct table *t;

		if (!o && (!has_table(*b) || text_eq((*b)->type, "part")))
			continue;
		/* A copy at the end is read by libfdisk; the kernel takes the partitions in it for none. */
		if (machine_looks_lost(m, *b))
			continue;
		t = as_table(
			have_add(have, &kind_table, arena_printf(have->arena, "table %s", (*b)->name), NULL));
		t->label = field_text(o, "label");
		vec_each (const struct signature *, sig, &(*b)->signatures)
			if (!t->label && text_eq(sig->usage, "table"))
				t->label = sig->type;
		t->id = field_text(o, "id");
		/* libfdisk writes it as 0x1234abcd, blkid and PARTUUID leave the 0x out. */
		if (t->id && text_starts(t->id, "0x"))
			t->id += 2;
		t->gpt = text_eq(t->label, "gpt");
		t->half = field_number(o, "half") != 0;
		have_on(have, &t->node, (*b)->name, true);
	}
	return 0;
}

static struct json_object *recorded_part(const struct machine *m, const struct blockdev *b)
{
	struct json_object *parts = b->parent ? field_list(recorded(m, b->parent), "partitions") : NULL;

	for (size_t i = 0; i < field_count(parts); i++) {
		struct json_object *part = json_object_array_get_idx(parts, i);

		if (json_object_is_type(part, json_type_object) && field_number(part, "number") == b->partn)
			return part;
	}
	return NULL;
}

static bool is_extended(const char *type)
{
	return text_eq(type, "5") || text_eq(type, "f") || text_eq(type, "85");
}

/* A table that was written while the disk was in use shows after the next boot: until then the kernel goes by the old one. */
static void compare_with_table(const struct machine *m, const struct blockdev *b, struct json_object *o,
			       struct partition *p)
{
	if (!b->parent || !recorded(m, b->parent) || (o && !field_number(o, "size")))
		return;
	p->table_start = o ? field_number(o, "start") : 0;
	p->table_size = o ? field_number(o, "size") : 0;
	/* Of an extended partition the kernel shows the first sectors alone. */
	p->stale = p->table_start != b->start || (p->table_size != b->size && !is_extended(p->type));
}

int gpt_find_partitions(const struct machine *m, struct graph *have, struct diag *d)
{
	(void)d;
	vec_each (struct blockdev *const *, b, &m->devs) {
		struct json_object *o;
		struct partition *p;
		struct node *table;

		if (!text_eq((*b)->type, "part"))
			continue;
		o = recorded_part(m, *b);
		p = as_partition(have_add(have, &kind_partition, (*b)->name, *b));
		p->number = (*b)->partn;
		p->start = (*b)->start;
		if (o) {
			p->short_name = field_text(o, "name");
			p->type = field_text(o, "type");
			p->uuid = field_text(o, "uuid");
			p->node.partuuid = p->uuid;
			p->attributes = field_text(o, "attributes");
		}
		compare_with_table(m, *b, o, p);
		table = (*b)->parent ? graph_get(have, arena_printf(have->arena, "table %s", (*b)->parent))
				     : NULL;
		if (table) {
			node_in(have, &p->node, table, nowhere);
			vec_push(have->arena, &as_table(table)->parts, &p->node);
		} else if ((*b)->parent) {
			have_on(have, &p->node, (*b)->parent, true);
		}
	}
	return 0;
}

static const char *table_key(struct arena *a, const struct machine *m, const struct blockdev *b)
{
	(void)a;
	return field_text(recorded(m, b->name), "id");
}

static const char *partition_key(struct arena *a, const struct machine *m, const struct blockdev *b)
{
	(void)a;
	return text_eq(b->type, "part") ? field_text(recorded_part(m, b), "uuid") : NULL;
}

void gpt_survey(const struct settle *s, struct why *why)
{
	twins_tell(s, why, table_key, "partition table");
	twins_tell(s, why, partition_key, "partition");
}
