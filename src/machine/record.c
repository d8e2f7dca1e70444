/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/record.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/units.h"
#include "machine/machine.h"
#include "machine/parts.h"

enum {
	VERSION = 1,
	RECORD_LIMIT = 64 * MIB,
	MOST_DEPTH = 32,
	MOST_DEVICES = 16384,
	MOST_ENTRIES = 100000,
	MOST_ERRORS = 20
};

/* Where in the file something is: "devices[3].signatures[0]", the innermost first. */
struct at {
	const struct at *up;
	const char *key; /* NULL: .index */
	size_t index;
};

struct reader {
	struct machine *m;
	struct diag *d;
	const char *file;
	unsigned errors;
};

static const char *at_text(struct arena *a, const struct at *at)
{
	const struct at *way[8];
	struct text t = { .arena = a };
	size_t n = 0;

	for (; at && n < sizeof(way) / sizeof(way[0]); at = at->up)
		way[n++] = at;
	while (n--) {
		if (way[n]->key)
			text_printf(&t, "%s%s", t.len ? "." : "", way[n]->key);
		else
			text_printf(&t, "[%zu]", way[n]->index);
	}
	return text_str(&t);
}

static int wrong(struct reader *r, const struct at *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static int wrong(struct reader *r, const struct at *at, const char *fmt, ...)
{
	va_list ap;
	const char *text;

	if (r->errors++ >= MOST_ERRORS)
		return -EINVAL;
	va_start(ap, fmt);
	text = arena_vprintf(r->m->arena, fmt, ap);
	va_end(ap);
	return diag_error(r->d, (struct pos){ .file = r->file }, "%s %s", at_text(r->m->arena, at), text);
}

static const char *form_of(struct json_object *j)
{
	switch (json_object_get_type(j)) {
	case json_type_null:
		return "null";
	case json_type_boolean:
		return "true or false";
	case json_type_double:
		return "a number with a fraction";
	case json_type_int:
		return "a number";
	case json_type_object:
		return "an object";
	case json_type_array:
		return "a list";
	case json_type_string:
		return "a text";
	}
	return "something else";
}

/* Where it isn't what it must be, that is said. */
static bool is_form(struct reader *r, const struct at *at, struct json_object *j, enum json_type type,
		    const char *want)
{
	if (json_object_is_type(j, type))
		return true;
	(void)wrong(r, at, "is %s, but must be %s", form_of(j), want);
	return false;
}

static const char *read_text(struct reader *r, const struct at *at, struct json_object *j)
{
	const char *s;

	if (!is_form(r, at, j, json_type_string, "a text"))
		return NULL;
	s = json_object_get_string(j);
	if (strlen(s) == (size_t)json_object_get_string_len(j))
		return arena_strdup(r->m->arena, s);
	(void)wrong(r, at, "holds a NUL character");
	return NULL;
}

static const char *read_name(struct reader *r, const struct at *at, struct json_object *j)
{
	const char *s = read_text(r, at, j);

	if (!s || machine_good_name(s))
		return s;
	(void)wrong(r, at, "is '%s', which can't be the kernel's name of a device", s);
	return NULL;
}

static bool has_control(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			return true;
	return false;
}

static const char *read_path(struct reader *r, const struct at *at, struct json_object *j)
{
	const char *s = read_text(r, at, j);

	if (!s || (*s == '/' && strlen(s) < PATH_MAX && !has_control(s)))
		return s;
	(void)wrong(r, at, "is '%s', but must be a path that begins with a slash, without control characters",
		    s);
	return NULL;
}

static const char *read_place(struct reader *r, const struct at *at, struct json_object *j)
{
	const char *s = read_text(r, at, j);

	if (!s || *s == '/')
		return s;
	(void)wrong(r, at, "is '%s', but must be a path that begins with a slash", s);
	return NULL;
}

static bool read_number(struct reader *r, const struct at *at, struct json_object *j, const struct field *f,
			uint64_t *ret)
{
	uint64_t n;

	if (!is_form(r, at, j, json_type_int, "a whole number"))
		return false;
	if (json_object_get_int64(j) < 0) {
		(void)wrong(r, at, "is %lld, but can't be negative", (long long)json_object_get_int64(j));
		return false;
	}
	n = json_object_get_uint64(j);
	if (n > f->max || (f->unit && n % f->unit)) {
		(void)wrong(r, at,
			    n > f->max ? "is %llu, more than the %llu that it can be"
				       : "is %llu, but must be a multiple of %llu",
			    (unsigned long long)n, (unsigned long long)(n > f->max ? f->max : f->unit));
		return false;
	}
	*ret = n;
	return true;
}

static const char *read_word(struct reader *r, const struct at *at, struct json_object *j,
			     const struct field *f)
{
	const char *s = read_text(r, at, j);
	struct text words = { .arena = r->m->arena };

	if (!s || !f->one_of)
		return s;
	for (const char *const *w = f->one_of; *w; w++) {
		if (text_eq(s, *w))
			return s;
		text_printf(&words, "%s%s", words.len ? ", " : "", *w);
	}
	(void)wrong(r, at, "is '%s', but must be one of %s", s, text_str(&words));
	return NULL;
}

/* A list's length, within reason. */
static bool read_length(struct reader *r, const struct at *at, struct json_object *j, size_t most,
			size_t *ret)
{
	if (!is_form(r, at, j, json_type_array, "a list"))
		return false;
	*ret = json_object_array_length(j);
	if (*ret <= most)
		return true;
	(void)wrong(r, at, "has %zu entries, more than the %zu that are read", *ret, most);
	return false;
}

static void read_texts(struct reader *r, const struct at *at, struct json_object *j, enum field_form form,
		       text_list *ret)
{
	size_t n;

	if (!read_length(r, at, j, MOST_ENTRIES, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		struct at here = { .up = at, .index = i };
		struct json_object *entry = json_object_array_get_idx(j, i);
		const char *s = form == FIELD_NAMES ? read_name(r, &here, entry) : read_path(r, &here, entry);

		if (s)
			vec_push(r->m->arena, ret, s);
	}
}

static void read_struct(struct reader *r, const struct at *at, struct json_object *j,
			const struct field *fields, void *ret);

/* @ret: the VEC of those structs. */
static void read_list(struct reader *r, const struct at *at, struct json_object *j, const struct field *f,
		      void *ret)
{
	struct any_list list;
	size_t n;

	if (!read_length(r, at, j, MOST_ENTRIES, &n))
		return;
	list = (struct any_list){ .at = arena_alloc(r->m->arena, n * f->size), .n = n, .room = n };
	memcpy(ret, &list, sizeof(list));
	for (size_t i = 0; i < n; i++) {
		struct at here = { .up = at, .index = i };

		read_struct(r, &here, json_object_array_get_idx(j, i), f->fields,
			    (char *)list.at + i * f->size);
	}
}

static void read_field(struct reader *r, const struct at *at, struct json_object *j, const struct field *f,
		       void *ret)
{
	uint64_t n = 0;

	switch (f->form) {
	case FIELD_TEXT:
		*(const char **)ret = read_word(r, at, j, f);
		return;
	case FIELD_NAME:
		*(const char **)ret = read_name(r, at, j);
		return;
	case FIELD_PATH:
		*(const char **)ret = read_path(r, at, j);
		return;
	case FIELD_PLACE:
		*(const char **)ret = read_place(r, at, j);
		return;
	case FIELD_BOOL:
		if (is_form(r, at, j, json_type_boolean, "true or false"))
			*(bool *)ret = json_object_get_boolean(j);
		return;
	case FIELD_UINT:
		if (read_number(r, at, j, f, &n))
			*(unsigned *)ret = (unsigned)n;
		return;
	case FIELD_U32:
		if (read_number(r, at, j, f, &n))
			*(uint32_t *)ret = (uint32_t)n;
		return;
	case FIELD_BYTES:
		if (read_number(r, at, j, f, &n))
			*(uint64_t *)ret = n;
		return;
	case FIELD_NAMES:
	case FIELD_PATHS:
		read_texts(r, at, j, f->form, ret);
		return;
	case FIELD_LIST:
		read_list(r, at, j, f, ret);
		return;
	case FIELD_END:
		return;
	}
}

static const struct field *find_field(const struct field *fields, const char *name)
{
	for (const struct field *f = fields; f->form != FIELD_END; f++)
		if (text_eq(f->name, name))
			return f;
	return NULL;
}

/* Depth is that of the tables: two, whatever the file holds. */
static void read_struct(struct reader *r, const struct at *at, struct json_object *j,
			const struct field *fields, void *ret)
{
	if (!is_form(r, at, j, json_type_object, "an object"))
		return;
	json_object_object_foreach(j, key, value)
	{
		const struct field *f = find_field(fields, key);
		struct at here = { .up = at, .key = key };

		if (f)
			read_field(r, &here, value, f, (char *)ret + f->offset);
		else
			(void)wrong(r, &here, "is no member that is known here");
	}
	for (const struct field *f = fields; f->form != FIELD_END; f++)
		if (f->need && !json_object_object_get_ex(j, f->name, NULL))
			(void)wrong(r, at, "has no member '%s'", f->name);
}

/* What one member can't say about itself. Members that were left out are filled in. */
static void check_device(struct reader *r, const struct at *at, struct blockdev *dev)
{
	struct geometry *g = &dev->geo;

	if (!dev->path && dev->name) {
		char *path = arena_printf(r->m->arena, "/dev/%s", dev->name);

		for (char *c = path; *c; c++)
			if (*c == '!')
				*c = '/';
		dev->path = path;
	}
	g->logical = g->logical ? g->logical : SECTOR;
	g->physical = g->physical ? g->physical : g->logical;
	g->min_io = g->min_io ? g->min_io : g->physical;
	if (!units_is_power_of_two(g->logical) || g->logical < SECTOR ||
	    !units_is_power_of_two(g->physical) || g->physical < g->logical)
		(void)wrong(r, at,
			    "has sectors of %u bytes, %u physically: both must be powers of two from 512 on, "
			    "the second no smaller",
			    g->logical, g->physical);
	if (dev->path && !text_starts(dev->path, "/dev/"))
		(void)wrong(r, at, "has the path '%s', which isn't below /dev", dev->path);
	if (dev->start > INT64_MAX - dev->size)
		(void)wrong(r, at, "would end behind what can be counted in bytes");
	if (text_eq(dev->type, "part") && !dev->parent)
		(void)wrong(r, at, "is a partition, but has no member 'parent'");
}

static void read_devices(struct reader *r, struct json_object *j)
{
	struct at at = { .key = "devices" };
	size_t n;

	if (!read_length(r, &at, j, MOST_DEVICES, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		struct at here = { .up = &at, .index = i };
		struct blockdev *dev = arena_of(r->m->arena, struct blockdev);

		read_struct(r, &here, json_object_array_get_idx(j, i), record_device, dev);
		check_device(r, &here, dev);
		vec_push(r->m->arena, &r->m->devs, dev);
	}
}

static const char *read_content(struct reader *r, const struct at *at, struct json_object *j)
{
	struct json_object *latin1;
	struct text t = { .arena = r->m->arena };
	const char *s;

	if (!json_object_is_type(j, json_type_object))
		return read_text(r, at, j);
	if (json_object_object_length(j) != 1 || !json_object_object_get_ex(j, "latin1", &latin1)) {
		(void)wrong(r, at, "must be a text, or an object with the member 'latin1' alone");
		return NULL;
	}
	s = read_text(r, at, latin1);
	for (; s && *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c < 0x80) {
			text_addc(&t, *s);
		} else if ((c == 0xc2 || c == 0xc3) && (s[1] & 0xc0) == 0x80) {
			text_addc(&t, (char)((c & 3) << 6 | (s[1] & 0x3f)));
			s++;
		} else {
			(void)wrong(r, at, "holds a character beyond U+00FF, which stands for no byte");
			return NULL;
		}
	}
	return s ? text_str(&t) : NULL;
}

static void read_map(struct reader *r, const char *name, struct json_object *j, bool files, struct map *ret)
{
	struct at at = { .key = name };

	if (!is_form(r, &at, j, json_type_object, "an object"))
		return;
	json_object_object_foreach(j, key, value)
	{
		struct at here = { .up = &at, .key = key };
		const char *s;

		if (files && *key != '/')
			(void)wrong(r, &here, "is no path that begins with a slash");
		s = files ? read_content(r, &here, value) : read_path(r, &here, value);
		if (s)
			(void)map_set(ret, arena_strdup(r->m->arena, key), (char *)s);
	}
}

static void read_unfinished(struct reader *r, struct json_object *j)
{
	struct at at = { .key = "unfinished" };

	if (!is_form(r, &at, j, json_type_object, "an object"))
		return;
	json_object_object_foreach(j, key, value)
	{
		struct at here = { .up = &at, .key = key };
		const char *step = read_text(r, &here, value);
		struct uuid u;

		if (uuid_read(key, &u) < 0)
			(void)wrong(r, &here, "is no UUID");
		else if (step)
			(void)map_set(&r->m->unfinished, uuid_text(r->m->arena, u), (char *)step);
	}
}

static void read_all(struct reader *r, struct json_object *j)
{
	struct field mounts = { .fields = record_mount, .size = sizeof(struct mount_there) };
	struct field swaps = { .fields = record_swap, .size = sizeof(struct swap_there) };
	struct field protected = { .fields = record_protected, .size = sizeof(struct protected_line) };
	struct field drawn = { .fields = record_drawn, .size = sizeof(struct drawn_uuid) };
	struct machine *m = r->m;
	struct json_object *part;

	if (json_object_object_get_ex(j, "root", &part) &&
	    is_form(r, &(struct at){ .key = "root" }, part, json_type_boolean, "true or false"))
		m->root = json_object_get_boolean(part);
	if (json_object_object_get_ex(j, "devices", &part))
		read_devices(r, part);
	else
		(void)wrong(r, NULL, "the recording has no member 'devices'");
	if (json_object_object_get_ex(j, "mounts", &part))
		read_list(r, &(struct at){ .key = "mounts" }, part, &mounts, &m->mounts);
	if (json_object_object_get_ex(j, "swaps", &part))
		read_list(r, &(struct at){ .key = "swaps" }, part, &swaps, &m->swaps);
	if (json_object_object_get_ex(j, "files", &part))
		read_map(r, "files", part, true, &m->files);
	if (json_object_object_get_ex(j, "protected", &part))
		read_list(r, &(struct at){ .key = "protected" }, part, &protected, &m->protected);
	if (json_object_object_get_ex(j, "drawn", &part))
		read_list(r, &(struct at){ .key = "drawn" }, part, &drawn, &m->drawn);
	if (json_object_object_get_ex(j, "protected-unread", &part))
		m->protected_why = read_text(r, &(struct at){ .key = "protected-unread" }, part);
	if (json_object_object_get_ex(j, "unfinished", &part))
		read_unfinished(r, part);
	m->tools_known = json_object_object_get_ex(j, "tools", &part);
	if (m->tools_known)
		read_map(r, "tools", part, false, &m->tools);
}

/* What the devices say of one another. */
static void check_all(struct reader *r)
{
	struct at at = { .key = "devices" };
	const struct blockdev *clash;
	const char *what;

	clash = machine_index(r->m, &what);
	if (clash)
		(void)wrong(r, &at, "has '%s' (at %s) for a second time", what, clash->name);
	vec_each (struct blockdev *const *, dev, &r->m->devs)
		if ((*dev)->parent && !map_get(&r->m->by_name, (*dev)->parent))
			(void)wrong(r, &at, "has the partition %s of %s, but not %s itself", (*dev)->name,
				    (*dev)->parent, (*dev)->parent);
}

static int check_version(struct reader *r, struct json_object *j)
{
	struct json_object *version;

	if (!json_object_is_type(j, json_type_object) ||
	    !json_object_object_get_ex(j, "stowage-machine", &version))
		return diag_error(r->d, (struct pos){ .file = r->file },
				  "this is no recording of a machine: it has no member 'stowage-machine'; "
				  "'stowage probe' makes one");
	if (!json_object_is_type(version, json_type_int) || json_object_get_int64(version) != VERSION)
		return diag_error(r->d, (struct pos){ .file = r->file },
				  "the recording is of version %s, but only version %d can be read",
				  json_object_to_json_string(version), VERSION);
	return 0;
}

static struct pos pos_of(const char *file, const char *text, size_t offset)
{
	struct pos p = { .file = file, .line = 1, .col = 1 };

	for (size_t i = 0; i < offset; i++) {
		p.col++;
		if (text[i] == '\n') {
			p.line++;
			p.col = 1;
		}
	}
	return p;
}

/*
 * The text with all that isn't ASCII as escapes: json-c 0.18, when it is strict, takes the bytes of other characters for control characters.
 * Return: 0 with @ret filled, or -EINVAL after diag_error().
 */
static int escape(const char *name, const char *text, size_t len, struct diag *d, struct text *ret)
{
	size_t plain = 0;

	for (size_t i = 0, n; i < len; i += n) {
		uint32_t c;

		n = text_char(text + i, len - i, &c);
		if (!n || !c)
			return diag_error(d, pos_of(name, text, i), "this is no valid JSON: %s",
					  n ? "a NUL byte" : "bytes that are no UTF-8");
		if (c < 0x80)
			continue;
		text_addn(ret, text + plain, i - plain);
		plain = i + n;
		if (c < 0x10000)
			text_printf(ret, "\\u%04x", c);
		else
			text_printf(ret, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10),
				    0xdc00 + ((c - 0x10000) & 0x3ff));
	}
	text_addn(ret, text + plain, len - plain);
	return 0;
}

/* Return: a reference, or NULL after diag_error(). */
static struct json_object *parse(const char *name, const char *text, size_t len, struct diag *d)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct text ascii = { .arena = a };
	struct json_tokener *tok;
	struct json_object *j;
	enum json_tokener_error e;

	if (escape(name, text, len, d, &ascii) < 0)
		return NULL;
	tok = json_tokener_new_ex(MOST_DEPTH);
	if (!tok) {
		(void)diag_error(d, (struct pos){ .file = name }, "%s", strerror(ENOMEM));
		return NULL;
	}
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
	j = json_tokener_parse_ex(tok, text_str(&ascii), (int)ascii.len);
	e = json_tokener_get_error(tok);
	if (e != json_tokener_success) {
		(void)diag_error(d, pos_of(name, text_str(&ascii), json_tokener_get_parse_end(tok)),
				 "this is no valid JSON: %s",
				 e == json_tokener_continue ? "it ends too early"
							    : json_tokener_error_desc(e));
		(void)json_object_put(j);
		j = NULL;
	}
	json_tokener_free(tok);
	return j;
}

int machine_parse(struct arena *a, const char *name, const char *text, size_t len, struct diag *d,
		  struct machine **ret)
{
	struct machine *m = arena_of(a, struct machine);
	struct reader r = { .m = m, .d = d, .file = name };
	struct json_object *j;
	int error;

	*m = (struct machine){ .arena = a,
			       .source = name,
			       .by_name.arena = a,
			       .by_link.arena = a,
			       .files.arena = a,
			       .unfinished.arena = a,
			       .tools.arena = a };
	if (len > RECORD_LIMIT)
		return diag_error(d, (struct pos){ .file = name }, "the recording has more than %s",
				  units_text(a, RECORD_LIMIT));
	j = parse(name, text, len, d);
	if (!j)
		return -EINVAL;
	machine_keep_json(m, j);
	error = check_version(&r, j);
	if (error < 0)
		return error;
	read_all(&r, j);
	if (!r.errors)
		check_all(&r);
	if (r.errors > MOST_ERRORS)
		(void)diag_error(d, (struct pos){ .file = name }, "and %u more mistakes",
				 r.errors - MOST_ERRORS);
	if (r.errors)
		return -EINVAL;
	*ret = m;
	return 0;
}

int machine_read_file(struct arena *a, const char *path, struct diag *d, struct machine **ret)
{
	bool is_stdin = text_eq(path, "-");
	const char *name = is_stdin ? "standard input" : arena_strdup(a, path);
	char *text;
	size_t len;
	int r = file_read(a, AT_FDCWD, is_stdin ? "/dev/stdin" : path, RECORD_LIMIT, &text, &len);

	if (r == -EFBIG)
		return diag_error(d, (struct pos){ .file = name }, "the recording has more than %s",
				  units_text(a, RECORD_LIMIT));
	if (r < 0)
		return diag_error(d, (struct pos){ .file = name }, "can't be read: %s", strerror(-r));
	return machine_parse(a, name, text, len, d, ret);
}
