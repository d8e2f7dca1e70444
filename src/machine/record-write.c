/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/units.h"
#include "machine/machine.h"
#include "machine/parts.h"
#include "machine/record.h"

static const char *const device_types[] = {
	"disk", "part", "md", "dm", "loop", "rom", "zram", "other", NULL
};

#define FIELD(t, f, member, ...)                                                                             \
	{                                                                                                    \
		.form = FIELD_##f, .offset = offsetof(struct t, member), __VA_ARGS__                         \
	}

static const struct field record_signature[] = {
	FIELD(signature, TEXT, type, .name = "type", .need = true),
	FIELD(signature, TEXT, usage, .name = "usage", .need = true),
	FIELD(signature, TEXT, uuid, .name = "uuid"),
	FIELD(signature, TEXT, uuid_sub, .name = "uuid-sub"),
	FIELD(signature, TEXT, label, .name = "label"),
	FIELD(signature, TEXT, version, .name = "version"),
	FIELD(signature, BYTES, offset, .name = "offset", .max = INT64_MAX),
	FIELD(signature, BYTES, size, .name = "size", .max = INT64_MAX),
	{ 0 },
};

const struct field record_device[] = {
	FIELD(blockdev, NAME, name, .name = "name", .need = true),
	FIELD(blockdev, PATH, path, .name = "path"),
	FIELD(blockdev, TEXT, type, .name = "type", .need = true, .one_of = device_types),
	FIELD(blockdev, UINT, major, .name = "major", .max = 0xffffff),
	FIELD(blockdev, UINT, minor, .name = "minor", .max = 0xffffff),
	FIELD(blockdev, BYTES, size, .name = "size", .need = true, .max = INT64_MAX, .unit = SECTOR),
	FIELD(blockdev, NAME, parent, .name = "parent"),
	FIELD(blockdev, UINT, partn, .name = "partition", .max = 65536),
	FIELD(blockdev, BYTES, start, .name = "start", .max = INT64_MAX, .unit = SECTOR),
	FIELD(blockdev, BOOL, read_only, .name = "read-only"),
	FIELD(blockdev, BOOL, removable, .name = "removable"),
	FIELD(blockdev, BOOL, rotational, .name = "rotational"),
	FIELD(blockdev, U32, geo.logical, .name = "logical", .max = MIB),
	FIELD(blockdev, U32, geo.physical, .name = "physical", .max = 64 * MIB),
	FIELD(blockdev, BYTES, geo.min_io, .name = "min-io", .max = UINT32_MAX),
	FIELD(blockdev, BYTES, geo.opt_io, .name = "opt-io", .always = true, .max = UINT32_MAX),
	FIELD(blockdev, TEXT, serial, .name = "serial"),
	FIELD(blockdev, TEXT, wwn, .name = "wwn"),
	FIELD(blockdev, TEXT, model, .name = "model"),
	FIELD(blockdev, TEXT, vendor, .name = "vendor"),
	FIELD(blockdev, TEXT, transport, .name = "transport"),
	FIELD(blockdev, PATHS, links, .name = "links"),
	FIELD(blockdev, NAMES, slaves, .name = "slaves"),
	FIELD(blockdev, NAMES, holders, .name = "holders"),
	FIELD(blockdev, TEXT, dm_name, .name = "dm-name"),
	FIELD(blockdev, TEXT, dm_target, .name = "dm-target"),
	FIELD(blockdev, TEXT, backing, .name = "backing"),
	FIELD(blockdev, LIST, signatures, .name = "signatures", .always = true, .fields = record_signature,
	      .size = sizeof(struct signature)),
	FIELD(blockdev, LIST, strays, .name = "strays", .fields = record_signature,
	      .size = sizeof(struct signature)),
	FIELD(blockdev, BOOL, looked, .name = "looked", .always = true),
	FIELD(blockdev, TEXT, error, .name = "error"),
	{ 0 },
};

const struct field record_mount[] = {
	FIELD(mount_there, PLACE, target, .name = "target", .need = true),
	FIELD(mount_there, TEXT, source, .name = "source"),
	FIELD(mount_there, TEXT, type, .name = "type", .need = true),
	FIELD(mount_there, TEXT, options, .name = "options"),
	FIELD(mount_there, TEXT, root, .name = "root"),
	FIELD(mount_there, UINT, major, .name = "major", .max = 0xffffff),
	FIELD(mount_there, UINT, minor, .name = "minor", .max = 0xffffff),
	FIELD(mount_there, NAME, dev, .name = "dev"),
	{ 0 },
};

const struct field record_swap[] = {
	FIELD(swap_there, PLACE, path, .name = "path", .need = true),
	FIELD(swap_there, NAME, dev, .name = "dev"),
	{ 0 },
};

const struct field record_protected[] = {
	FIELD(protected_line, TEXT, file, .name = "file", .need = true),
	FIELD(protected_line, UINT, line, .name = "line", .need = true, .max = INT32_MAX),
	FIELD(protected_line, TEXT, id, .name = "id", .need = true),
	{ 0 },
};

const struct field record_drawn[] = {
	FIELD(drawn_uuid, TEXT, id, .name = "id", .need = true),
	FIELD(drawn_uuid, TEXT, what, .name = "what", .need = true),
	FIELD(drawn_uuid, NAMES, devices, .name = "devices"),
	{ 0 },
};

static void put(struct json_object *o, const char *key, struct json_object *value)
{
	(void)json_object_object_add(o, key, value);
}

static struct json_object *write_struct(const struct field *fields, const void *s);

static struct json_object *write_texts(const text_list *list)
{
	struct json_object *r = json_object_new_array();

	vec_each (const char *const *, s, list)
		(void)json_object_array_add(r, json_object_new_string(*s));
	return r;
}

static struct json_object *write_list(const struct field *f, const void *vec)
{
	struct json_object *r;
	struct any_list list;

	memcpy(&list, vec, sizeof(list));
	if (!list.n && !f->always)
		return NULL;
	r = json_object_new_array();
	for (size_t i = 0; i < list.n; i++)
		(void)json_object_array_add(r, write_struct(f->fields, (const char *)list.at + i * f->size));
	return r;
}

/* One member's value; NULL where it is left out. */
static struct json_object *write_field(const struct field *f, const void *at)
{
	uint64_t n = 0;

	switch (f->form) {
	case FIELD_TEXT:
	case FIELD_NAME:
	case FIELD_PATH:
	case FIELD_PLACE: {
		const char *s = *(const char *const *)at;

		return s ? json_object_new_string(s) : NULL;
	}
	case FIELD_BOOL:
		return *(const bool *)at || f->always ? json_object_new_boolean(*(const bool *)at) : NULL;
	case FIELD_UINT:
		n = *(const unsigned *)at;
		break;
	case FIELD_U32:
		n = *(const uint32_t *)at;
		break;
	case FIELD_BYTES:
		n = *(const uint64_t *)at;
		break;
	case FIELD_NAMES:
	case FIELD_PATHS:
		return ((const text_list *)at)->n ? write_texts(at) : NULL;
	case FIELD_LIST:
		return write_list(f, at);
	case FIELD_END:
		return NULL;
	}
	return n || f->need || f->always ? json_object_new_uint64(n) : NULL;
}

/* Depth is that of the tables: two. */
static struct json_object *write_struct(const struct field *fields, const void *s)
{
	struct json_object *r = json_object_new_object();

	for (const struct field *f = fields; f->form != FIELD_END; f++) {
		struct json_object *value = write_field(f, (const char *)s + f->offset);

		if (value)
			put(r, f->name, value);
	}
	return r;
}

static int by_target(const void *a, const void *b)
{
	const struct mount_there *const *x = a, *const *y = b;
	int r = strcmp((*x)->target, (*y)->target);

	/* What is mounted over another stays behind it. */
	return r ? r : *x < *y ? -1 : *x > *y;
}

static struct json_object *write_mounts(const struct machine *m)
{
	_cleanup_arena_ struct arena *scratch = arena_new();
	struct json_object *r = json_object_new_array();
	VEC(const struct mount_there *) sorted = { 0 };

	vec_each (const struct mount_there *, mount, &m->mounts)
		vec_push(scratch, &sorted, mount);
	if (sorted.n)
		qsort(sorted.at, sorted.n, sizeof(*sorted.at), by_target);
	vec_each (const struct mount_there *const *, mount, &sorted)
		(void)json_object_array_add(r, write_struct(record_mount, *mount));
	return r;
}

static int by_path(const void *a, const void *b)
{
	const struct swap_there *const *x = a, *const *y = b;

	return machine_name_order((*x)->path, (*y)->path);
}

static struct json_object *write_swaps(const struct machine *m)
{
	_cleanup_arena_ struct arena *scratch = arena_new();
	struct json_object *r = json_object_new_array();
	VEC(const struct swap_there *) sorted = { 0 };

	vec_each (const struct swap_there *, swap, &m->swaps)
		vec_push(scratch, &sorted, swap);
	if (sorted.n)
		qsort(sorted.at, sorted.n, sizeof(*sorted.at), by_path);
	vec_each (const struct swap_there *const *, swap, &sorted)
		(void)json_object_array_add(r, write_struct(record_swap, *swap));
	return r;
}

static int by_key(const void *a, const void *b)
{
	return strcmp((*(const struct map_item *const *)a)->key, (*(const struct map_item *const *)b)->key);
}

/*
 * A file's bytes. JSON is Unicode: what isn't UTF-8 is written as { "latin1": ... }, in which each character is the byte of
 * the same number, so that nothing is lost.
 */
static struct json_object *write_content(struct arena *a, const char *s)
{
	struct text t = { .arena = a };
	struct json_object *r;

	if (text_valid_utf8(s, strlen(s)))
		return json_object_new_string(s);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c >= 0x80)
			text_addc(&t, (char)(0xc0 | c >> 6));
		text_addc(&t, (char)(c >= 0x80 ? 0x80 | (c & 0x3f) : c));
	}
	r = json_object_new_object();
	put(r, "latin1", json_object_new_string(text_str(&t)));
	return r;
}

static struct json_object *write_map(const struct map *map, bool files)
{
	_cleanup_arena_ struct arena *scratch = arena_new();
	struct json_object *r = json_object_new_object();
	VEC(const struct map_item *) sorted = { 0 };

	map_each (it, map)
		vec_push(scratch, &sorted, it);
	if (sorted.n)
		qsort(sorted.at, sorted.n, sizeof(*sorted.at), by_key);
	vec_each (const struct map_item *const *, it, &sorted)
		put(r, (*it)->key,
		    files ? write_content(scratch, machine_mask(scratch, (*it)->key, (*it)->value))
			  : json_object_new_string((*it)->value));
	return r;
}

void record_put_protected(struct json_object *o, const struct machine *m)
{
	struct field list = { .fields = record_protected, .size = sizeof(struct protected_line) };
	struct json_object *value = write_list(&list, &m->protected);

	if (value)
		put(o, "protected", value);
	if (m->protected_why)
		put(o, "protected-unread", json_object_new_string(m->protected_why));
}

void record_put_drawn(struct json_object *o, const struct machine *m)
{
	struct field list = { .fields = record_drawn, .size = sizeof(struct drawn_uuid) };
	struct json_object *value = write_list(&list, &m->drawn);

	if (value)
		put(o, "drawn", value);
}

struct json_object *record_devices(const struct machine *m)
{
	struct json_object *r = json_object_new_array();

	vec_each (struct blockdev *const *, dev, &m->devs)
		(void)json_object_array_add(r, write_struct(record_device, *dev));
	return r;
}

struct json_object *record_build(const struct machine *m)
{
	struct json_object *r = json_object_new_object();

	put(r, "stowage-machine", json_object_new_int(1));
	put(r, "root", json_object_new_boolean(m->root));
	put(r, "devices", record_devices(m));
	put(r, "mounts", write_mounts(m));
	put(r, "swaps", write_swaps(m));
	put(r, "files", write_map(&m->files, true));
	record_put_protected(r, m);
	record_put_drawn(r, m);
	if (m->unfinished.n)
		put(r, "unfinished", write_map(&m->unfinished, false));
	if (m->tools_known)
		put(r, "tools", write_map(&m->tools, false));
	return r;
}

const char *machine_write(const struct machine *m, struct arena *a)
{
	struct json_object *r = record_build(m);
	const char *text;

	/* The rooms' parts stay as they are, in their order. "now" is what the next look may see otherwise. */
	if (m->json) {
		json_object_object_foreach(m->json, key,
					   value) if (!json_object_object_get_ex(r, key, NULL) &&
						      strcmp(key, "tools") != 0 && strcmp(key, "now") != 0)
			put(r, key, json_object_get(value));
	}
	text = text_safe_json(a, json_object_to_json_string_ext(r, JSON_C_TO_STRING_PRETTY |
									   JSON_C_TO_STRING_SPACED |
									   JSON_C_TO_STRING_NOSLASHESCAPE));
	text = arena_printf(a, "%s\n", text);
	(void)json_object_put(r);
	return text;
}
