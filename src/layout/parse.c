/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "layout/layout.h"
#include "layout/value.h"
#include "layout/words.h"

/* What an item is held against: a section's keys, and for typed sections the kind's. */
struct tables {
	const struct key *keys[2];
	const char *one;     /* "an array" */
	const char *section; /* typed: its name, to find what other kinds know; else NULL */
};

static int parse_items(struct parse *p, const struct key *k, const char *what, const struct yaml *y,
		       struct items *ret);

static const struct key *find_key(const struct tables *t, const char *word)
{
	const struct key *k = words_find(t->keys[0], word);

	return k ? k : words_find(t->keys[1], word);
}

static text_list key_list(struct parse *p, const struct tables *t)
{
	text_list list = { 0 };

	for (size_t i = 0; i < 2; i++)
		for (const struct key *k = t->keys[i]; k && k->name; k++)
			vec_push(p->arena, &list, words_key(p->arena, k));
	return list;
}

/* Another kind of the same section that has this key. */
static const char *kind_with(struct parse *p, const char *section, const char *word)
{
	text_list kinds = { 0 };

	if (!section)
		return NULL;
	kinds = words_kinds(p->arena, p->rooms, section);
	for (size_t i = 0; i < kinds.n; i++)
		if (words_find(words_kind(p->rooms, section, kinds.at[i])->keys, word))
			return kinds.at[i];
	return NULL;
}

/* Return: the key that was meant, or NULL. */
static const char *unknown_key(struct parse *p, const struct tables *t, const struct yaml_item *it)
{
	text_list list = key_list(p, t);
	const char *near = text_nearest(it->key, list.at, list.n), *other = kind_with(p, t->section, it->key);
	const char *word = parse_shown(p, it->key);

	if (other)
		(void)parse_error(p, it->key_pos, "'%s' is not a key of %s, only of %s", word, t->one, other);
	else if (near)
		(void)parse_error(p, it->key_pos, "'%s' is not a key of %s; did you mean '%s'?", word, t->one,
				  near);
	else
		(void)parse_error(p, it->key_pos, "'%s' is not a key of %s, which has %s", word, t->one,
				  text_join(p->arena, &list, ", "));
	return other ? NULL : near;
}

/* Whether a map states a key of the table. */
static const struct yaml_item *stated(const struct yaml *map, const struct key *k)
{
	vec_each (const struct yaml_item *, it, &map->items)
		if (words_is(k, it->key))
			return it;
	return NULL;
}

/* Whether the key is there, but wrongly written: that has been told. */
static bool is_meant(struct parse *p, const text_list *meant, const struct key *k)
{
	for (size_t i = 0; i < meant->n; i++)
		if (text_eq(meant->at[i], words_key(p->arena, k)))
			return true;
	return false;
}

/* Whether an example says more than the form of the value does. */
static bool has_example(const struct key *k)
{
	return k->example && k->form != KEY_INT && k->form != KEY_WORD;
}

/* What depends on several keys: need, with, unless. @meant: those that are there, but wrongly written. */
static int check_together(struct parse *p, const struct tables *t, const struct yaml *map,
			  const text_list *meant, struct pos pos)
{
	int r = 0;

	for (size_t i = 0; i < 2; i++)
		for (const struct key *k = t->keys[i]; k && k->name; k++) {
			const struct yaml_item *it = stated(map, k), *other;
			const struct key *o;

			if (!it && k->need && !is_meant(p, meant, k))
				r = parse_error(p, pos, "%s needs '%s': %s%s%s", t->one,
						words_key(p->arena, k), words_form(p->arena, k),
						has_example(k) ? ", such as " : "",
						has_example(k) ? k->example : "");
			if (it && k->with) {
				struct key named = { .name = k->with };

				o = find_key(t, k->with);
				o = o ? o : &named;
				if (!stated(map, o) && !is_meant(p, meant, o))
					r = parse_error(p, it->key_pos, "'%s' needs '%s' beside it", it->key,
							k->with);
			}
			if (!it || !k->unless)
				continue;
			o = find_key(t, k->unless);
			other = stated(map, o ? o : &(struct key){ .name = k->unless });
			if (!other || (o && o < k && o->unless && words_is(k, o->unless)))
				continue; /* the other one has told it */
			if (other > it) {
				const struct yaml_item *swap = other;

				other = it;
				it = swap;
			}
			r = parse_error(p, it->key_pos, "'%s' can't be stated together with '%s'", it->key,
					other->key);
			diag_note(p->diag, other->key_pos, "'%s' is stated here", other->key);
		}
	return r;
}

static int parse_keys(struct parse *p, const struct tables *t, const struct yaml *map, struct pos pos,
		      void *to);

static int parse_key(struct parse *p, const struct key *k, const struct yaml_item *it, void *to)
{
	struct item *nested = to;
	struct tables t;

	switch (k->form) {
	case KEY_MAP:
		t = (struct tables){ .keys = { k->keys }, .one = arena_printf(p->arena, "'%s'", it->key) };
		if (it->value->form != YAML_MAP)
			return parse_shape(p, it->value, it->key, "a map of keys");
		*nested = (struct item){ .src = it->value, .pos = it->value->pos, .order = p->order++ };
		return parse_keys(p, &t, it->value, it->value->pos, to);
	case KEY_LIST:
	case KEY_NAMED:
		return parse_items(p, k, it->key, it->value, to);
	case KEY_END:
	case KEY_BOOL:
	case KEY_INT:
	case KEY_WORD:
	case KEY_TEXT:
	case KEY_TEXTS:
	case KEY_PATH:
	case KEY_SIZE:
	case KEY_BYTES:
	case KEY_UUID:
	case KEY_NAMES:
		break;
	}
	return parse_value(p, k, it->key, it->value, to);
}

/* The keys of one map. Their depth is that of the tables, not of the input. */
static int parse_keys(struct parse *p, const struct tables *t, const struct yaml *map, struct pos pos,
		      void *to)
{
	text_list meant = { 0 };
	const char *near;
	int r = 0;

	vec_each (const struct yaml_item *, it, &map->items) {
		const struct key *k = find_key(t, it->key);

		if (p->errors >= PARSE_ERRORS_MAX)
			return -EINVAL;
		if (!k) {
			near = unknown_key(p, t, it);
			if (near)
				vec_push(p->arena, &meant, near);
			r = -EINVAL;
		} else if (t->section && words_is(k, "type")) {
			*(const char **)(void *)((char *)to +
						 k->offset) = it->value->text; /* looked at before */
		} else if (parse_key(p, k, it, (char *)to + k->offset) < 0) {
			r = -EINVAL;
		}
	}
	return check_together(p, t, map, &meant, pos) < 0 ? -EINVAL : r;
}

/* A scalar or list in place of a map: as if the map had been written. */
static const struct yaml *as_map(struct parse *p, const struct yaml *y, const char *scalar)
{
	struct yaml *map;

	if (!scalar || (y->form != YAML_SCALAR && y->form != YAML_LIST))
		return y;
	map = arena_of(p->arena, struct yaml);
	map->form = YAML_MAP;
	map->pos = y->pos;
	vec_push(p->arena, &map->items,
		 (struct yaml_item){ .key = scalar, .key_pos = y->pos, .value = (struct yaml *)y });
	return map;
}

/* The second table of a typed item. Return: 0, or -EINVAL after a message. */
static int pick_kind(struct parse *p, const struct section *s, const struct yaml *map, struct tables *t,
		     size_t *ret_size)
{
	const struct yaml *type = yaml_get(map, "type");
	text_list kinds = words_kinds(p->arena, p->rooms, s->name);
	const char *near, *all = text_join(p->arena, &kinds, ", ");
	const struct kind *kind;

	if (!type)
		return parse_error(p, map->pos, "%s needs a 'type', one of %s", t->one, all);
	if (type->form != YAML_SCALAR)
		return parse_shape(p, type, "type", arena_printf(p->arena, "one of %s", all));
	kind = words_kind(p->rooms, s->name, type->text);
	if (!kind) {
		near = text_nearest(type->text, kinds.at, kinds.n);
		if (near)
			return parse_error(p, type->pos,
					   "'%s' is not a type of %s, which are %s; did you mean '%s'?",
					   parse_shown(p, type->text), strchr(t->one, ' ') + 1, all, near);
		return parse_error(p, type->pos, "'%s' is not a type of %s, which are %s",
				   parse_shown(p, type->text), strchr(t->one, ' ') + 1, all);
	}
	t->keys[1] = kind->keys;
	t->one = arena_printf(p->arena, "%s %s %s", words_article(kind->name), kind->name,
			      strchr(t->one, ' ') + 1);
	if (kind->item_size > *ret_size)
		*ret_size = kind->item_size;
	return 0;
}

/* One thing of a section or list. @s: its section, NULL below that. */
static int parse_item(struct parse *p, const struct section *s, struct tables t, const struct yaml *y,
		      const struct yaml_item *named, const char *scalar, size_t size, struct item **ret)
{
	struct pos pos = named && named->key ? named->key_pos : y->pos;
	const char *what = named && named->key ? named->key : t.one;
	const struct yaml *map = as_map(p, y, scalar);
	struct item *it;
	bool name_ok = !named || !named->key || words_is_name(named->key);

	if (!name_ok)
		(void)parse_error(p, named->key_pos,
				  "'%s' can't be a name: a letter, then letters, digits, '_', '+' and '-'",
				  parse_shown(p, named->key));
	if (map->form != YAML_MAP) {
		if (named && named->key)
			return parse_shape(
				p, y, parse_shown(p, what),
				scalar ? arena_printf(p->arena, "its '%s', or a map of keys", scalar)
				       : "a map of keys");
		return y->form == YAML_NULL ? parse_error(p, y->pos, "nothing is stated for %s", t.one)
					    : parse_error(p, y->pos, "%s is a map of keys; this is %s", t.one,
							  y->form == YAML_LIST ? "a list" : "a single value");
	}
	if (s && s->form == SECTION_TYPED) {
		t.section = s->name;
		if (pick_kind(p, s, map, &t, &size) < 0)
			return -EINVAL;
	}
	it = arena_alloc(p->arena, size > sizeof(*it) ? size : sizeof(*it));
	*it = (struct item){ .src = map, .name = named ? named->key : NULL, .pos = pos, .order = p->order++ };
	if (parse_keys(p, &t, map, pos, it) < 0 || !name_ok)
		return -EINVAL;
	*ret = it;
	return 0;
}

/* All things of a section or list. */
static int parse_all(struct parse *p, const struct section *s, const struct tables *t, const struct yaml *y,
		     const char *scalar, size_t size, struct items *ret)
{
	struct items items = { .at = arena_alloc(p->arena, y->items.n * sizeof(struct item *)) };
	int r = 0;

	vec_each (const struct yaml_item *, it, &y->items) {
		if (p->errors >= PARSE_ERRORS_MAX)
			return -EINVAL;
		if (parse_item(p, s, *t, it->value, it, scalar, size, &items.at[items.n]) < 0)
			r = -EINVAL;
		else
			items.n++;
	}
	*ret = items;
	return r;
}

static int parse_items(struct parse *p, const struct key *k, const char *what, const struct yaml *y,
		       struct items *ret)
{
	struct tables t = { .keys = { k->keys }, .one = words_one(p->arena, what) };
	bool list = k->form == KEY_LIST;
	struct yaml alone = { .form = YAML_LIST, .pos = y->pos };

	if (list && k->scalar)
		t.one = arena_printf(p->arena, "an entry of '%s'", what);
	if (list && k->scalar && y->form == YAML_SCALAR) {
		vec_push(p->arena, &alone.items, (struct yaml_item){ .value = (struct yaml *)y });
		y = &alone;
	}
	if (y->form != (list ? YAML_LIST : YAML_MAP))
		return parse_shape(p, y, what,
				   list && k->scalar ? "a value, or a list of them"
				   : list            ? "a list of maps"
						     : "a map of names");
	return parse_all(p, NULL, &t, y, k->scalar, k->size, ret);
}

static int parse_section(struct parse *p, const struct section *s, const struct yaml *y, struct items *ret)
{
	struct tables t = { .keys = { s->keys }, .one = words_one(p->arena, s->name) };
	bool list = s->form != SECTION_NAMED;

	if (y->form != (list ? YAML_LIST : YAML_MAP))
		return parse_shape(p, y, s->name, list ? "a list of maps" : "a map of names");
	return parse_all(p, s, &t, y, s->scalar, s->item_size, ret);
}

static int parse_version(struct parse *p, const struct yaml *root)
{
	const struct yaml *y = yaml_get(root, words_head[0].name);

	if (!y)
		return parse_error(p, root->pos, "a layout states 'stowage: %d', the version of its language",
				   LAYOUT_VERSION);
	if (y->form != YAML_SCALAR || !text_eq(y->text, "1"))
		return parse_error(p, y->pos, "this program knows version %d of the language, not '%s'",
				   LAYOUT_VERSION, y->form == YAML_SCALAR ? parse_shown(p, y->text) : "this");
	return 0;
}

static void unknown_section(struct parse *p, const struct yaml_item *it)
{
	text_list list = { 0 };
	const char *near, *word = parse_shown(p, it->key);

	for (const struct key *k = words_head; k->name; k++)
		vec_push(p->arena, &list, k->name);
	for (const struct room *const *r = p->rooms; *r; r++)
		for (const struct section *s = (*r)->sections; s && s->name; s++)
			vec_push(p->arena, &list, s->name);
	near = text_nearest(it->key, list.at, list.n);
	if (near)
		(void)parse_error(p, it->key_pos, "'%s' is not a section of a layout; did you mean '%s'?",
				  word, near);
	else
		(void)parse_error(p, it->key_pos, "'%s' is not a section of a layout, which has %s", word,
				  text_join(p->arena, &list, ", "));
}

/* Puts the sections in the order of the rooms, in which they are built. */
static void order_sections(struct parse *p, struct layout *l)
{
	VEC(struct layout_section) sorted = { 0 };

	for (const struct room *const *r = p->rooms; *r; r++)
		for (const struct section *s = (*r)->sections; s && s->name; s++)
			for (size_t i = 0; i < l->sections.n; i++)
				if (l->sections.at[i].section == s)
					vec_push(p->arena, &sorted, l->sections.at[i]);
	l->sections.at = sorted.at;
	l->sections.n = sorted.n;
	l->sections.room = sorted.room;
}

int layout_parse_rooms(const struct room *const *rooms_, struct arena *a, const char *file, const char *text,
		       size_t len, struct diag *d, struct layout **ret)
{
	struct parse p = { .arena = a, .diag = d, .rooms = rooms_ };
	struct layout *l = arena_of(a, struct layout);
	struct yaml *root;
	int r;

	diag_source_add(d, file, text, len);
	r = yaml_read(a, file, text, len, d, &root);
	if (r < 0)
		return r;
	if (root->form != YAML_MAP)
		return parse_error(&p, root->pos, "a layout is a map of keys; this is %s",
				   root->form == YAML_LIST ? "a list" : "a single value");
	l->arena = a;
	l->file = file;
	l->text = text;
	l->len = len;
	(void)parse_version(&p, root);
	if (!yaml_get(root, "name"))
		(void)parse_error(&p, root->pos, "a layout needs a 'name', from which its UUIDs are derived");
	vec_each (const struct yaml_item *, it, &root->items) {
		struct layout_section s = { .section = words_section(rooms_, it->key) };

		if (p.errors >= PARSE_ERRORS_MAX)
			break;
		if (s.section) {
			if (parse_section(&p, s.section, it->value, &s.items) == 0)
				vec_push(a, &l->sections, s);
		} else if (text_eq(it->key, "name")) {
			(void)parse_text(&p, it->value, "name", &l->name);
		} else if (!words_find(words_head, it->key)) {
			unknown_section(&p, it);
		}
	}
	if (p.errors)
		return -EINVAL;
	order_sections(&p, l);
	*ret = l;
	return 0;
}
