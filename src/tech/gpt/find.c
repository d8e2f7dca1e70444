/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <json-c/json.h>
#include <libfdisk/libfdisk.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "machine/have.h"
#include "machine/machine.h"
#include "machine/probe.h"
#include "tech/gpt/gpt.h"

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

static const char *text_at(struct json_object *o, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) && json_object_is_type(v, json_type_string)
		       ? json_object_get_string(v)
		       : NULL;
}

static uint64_t number_at(struct json_object *o, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) && json_object_is_type(v, json_type_int)
		       ? json_object_get_uint64(v)
		       : 0;
}

static struct json_object *recorded(const struct machine *m, const char *disk)
{
	struct json_object *all, *o;

	if (!m->json || !json_object_object_get_ex(m->json, "gpt", &all) ||
	    !json_object_is_type(all, json_type_object))
		return NULL;
	return json_object_object_get_ex(all, disk, &o) && json_object_is_type(o, json_type_object) ? o
												    : NULL;
}

int gpt_find_tables(const struct machine *m, struct graph *have, struct diag *d)
{
	(void)d;
	vec_each (struct blockdev *const *, b, &m->devs) {
		struct json_object *o = recorded(m, (*b)->name);
		struct table *t;

		if (!o && (!has_table(*b) || text_eq((*b)->type, "part")))
			continue;
		t = as_table(
			have_add(have, &kind_table, arena_printf(have->arena, "table %s", (*b)->name), NULL));
		t->label = o ? text_at(o, "label") : NULL;
		vec_each (const struct signature *, sig, &(*b)->signatures)
			if (!t->label && text_eq(sig->usage, "table"))
				t->label = sig->type;
		t->id = o ? text_at(o, "id") : NULL;
		/* libfdisk writes it as 0x1234abcd, blkid and PARTUUID leave the 0x out. */
		if (t->id && text_starts(t->id, "0x"))
			t->id += 2;
		t->gpt = text_eq(t->label, "gpt");
		have_on(have, &t->node, (*b)->name, true);
	}
	return 0;
}

static struct json_object *recorded_part(const struct machine *m, const struct blockdev *b)
{
	struct json_object *o = b->parent ? recorded(m, b->parent) : NULL, *parts;

	if (!o || !json_object_object_get_ex(o, "partitions", &parts) ||
	    !json_object_is_type(parts, json_type_array))
		return NULL;
	for (size_t i = 0; i < json_object_array_length(parts); i++) {
		struct json_object *part = json_object_array_get_idx(parts, i);

		if (json_object_is_type(part, json_type_object) && number_at(part, "number") == b->partn)
			return part;
	}
	return NULL;
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
			p->short_name = text_at(o, "name");
			p->type = text_at(o, "type");
			p->uuid = text_at(o, "uuid");
			p->attributes = text_at(o, "attributes");
		}
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
