/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "layout/layout.h"
#include "layout/mend.h"
#include "layout/value.h"
#include "layout/words.h"

static enum outcome parse_items(struct parse *p, const struct key *k, const char *what, const struct yaml *y,
				struct items *ret);

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

static int tell_need(struct parse *p, const struct tables *t, const struct key *k, struct pos pos)
{
	return parse_error(p, pos, "%s needs '%s': %s%s%s", t->one, words_key(p->arena, k),
			   words_form(p->arena, k), has_example(k) ? ", such as " : "",
			   has_example(k) ? k->example : "");
}

/* @it: where @k is stated. */
static int check_with(struct parse *p, const struct tables *t, const struct yaml *map, const text_list *meant,
		      const struct key *k, const struct yaml_item *it)
{
	const struct key named = { .name = k->with }, *known = tables_find(t, k->with);
	const struct key *other = known ? known : &named;

	if (stated(map, other) || is_meant(p, meant, other))
		return 0;
	return parse_error(p, it->key_pos, "'%s' needs '%s' beside it", it->key, k->with);
}

static int check_unless(struct parse *p, const struct tables *t, const struct yaml *map, const struct key *k,
			const struct yaml_item *it)
{
	const struct key named = { .name = k->unless }, *known = tables_find(t, k->unless);
	const struct yaml_item *other = stated(map, known ? known : &named), *later = it;
	int r;

	if (!other || (known && known < k && known->unless && words_is(k, known->unless)))
		return 0; /* the other one has told it */
	if (other > it) {
		later = other;
		other = it;
	}
	r = parse_error(p, later->key_pos, "'%s' can't be stated together with '%s'", later->key, other->key);
	if (!p->muted)
		diag_note(p->diag, other->key_pos, "'%s' is stated here", other->key);
	return r;
}

/* What depends on several keys: need, with, unless. @meant: those that are there, but wrongly written. */
static int check_together(struct parse *p, const struct tables *t, const struct yaml *map,
			  const text_list *meant, struct pos pos)
{
	int r = 0;

	for (size_t i = 0; i < 2; i++)
		for (const struct key *k = t->keys[i]; k && k->name; k++) {
			const struct yaml_item *it = stated(map, k);

			if (!it && k->need && !is_meant(p, meant, k))
				r = tell_need(p, t, k, pos);
			if (it && k->with && check_with(p, t, map, meant, k, it) < 0)
				r = -EINVAL;
			if (it && k->unless && check_unless(p, t, map, k, it) < 0)
				r = -EINVAL;
		}
	return r;
}

static enum outcome parse_keys(struct parse *p, const struct tables *t, const struct yaml *map,
			       struct pos pos, void *to, struct lack *ret);

static enum outcome parse_map(struct parse *p, const struct key *k, const struct yaml_item *it, void *to)
{
	struct tables t = { .keys = { k->keys }, .one = arena_printf(p->arena, "'%s'", it->key) };
	struct item *nested = to;
	enum outcome r;
	struct lack lack = { 0 };

	if (it->value->form != YAML_MAP) {
		(void)parse_shape(p, it->value, it->key, "a map of keys");
		return GONE;
	}
	*nested = (struct item){ .src = it->value, .pos = it->value->pos, .order = p->order++ };
	r = parse_keys(p, &t, it->value, it->value->pos, to, &lack);
	return r == WHOLE || r == GONE ? r : BROKEN;
}

/* The member of an item. What is told of the value uses the key as it is written. */
static enum outcome parse_key(struct parse *p, const struct key *k, const struct yaml_item *it, void *to)
{
	int r;

	switch (k->form) {
	case KEY_MAP:
		return parse_map(p, k, it, to);
	case KEY_LIST:
	case KEY_NAMED:
		return parse_items(p, k, it->key, it->value, to);
	case KEY_NAMES:
		r = parse_value(p, k, it->key, it->value, to);
		vec_push(p->arena, &p->names,
			 (struct lost_names){ .names = *(struct names *)to, .also = k->also });
		return r < 0 ? BROKEN : WHOLE;
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
		break;
	}
	return parse_value(p, k, it->key, it->value, to) < 0 ? GONE : WHOLE;
}

/*
 * A key that isn't known is told. What it says is taken for the value of the one that was meant, but what is wrong with that isn't told:
 * the guess may be wrong.
 */
static struct fault guess_key(struct parse *p, const struct tables *t, const struct yaml *map,
			      const struct yaml_item *it, text_list *meant, void *to)
{
	struct fault f = { .at = it, .outcome = GONE };
	const char *near = t->blind ? NULL : unknown_key(p, t, it);
	const struct key *k = near ? tables_find(t, near) : NULL;

	if (k && !stated(map, k) && !is_meant(p, meant, k)) {
		f.key = k;
		f.guessed = true;
		p->muted++;
		f.outcome = parse_key(p, k, it, (char *)to + k->offset);
		p->muted--;
	}
	if (near)
		vec_push(p->arena, meant, near);
	return f;
}

/* The keys of one map. Their depth is that of the tables, not of the input. */
static enum outcome parse_keys(struct parse *p, const struct tables *t, const struct yaml *map,
			       struct pos pos, void *to, struct lack *ret)
{
	text_list meant = { 0 };
	fault_list faults = { 0 };
	enum outcome r;
	int e;

	vec_each (const struct yaml_item *, it, &map->items) {
		const struct key *k = tables_find(t, it->key);
		struct fault f = { .at = it, .key = k };

		if (p->errors >= PARSE_ERRORS_MAX)
			return GONE;
		if (!k)
			f = guess_key(p, t, map, it, &meant, to);
		else if (t->section && words_is(k, "type"))
			*(const char **)(void *)((char *)to +
						 k->offset) = it->value->text; /* looked at before */
		else
			f.outcome = parse_key(p, k, it, (char *)to + k->offset);
		if (f.outcome != WHOLE || f.guessed)
			vec_push(p->arena, &faults, f);
	}
	e = t->blind ? 0 : check_together(p, t, map, &meant, pos);
	if (e == 0 && !faults.n)
		return WHOLE;
	r = mend(p, t, map, &faults, to, ret);
	return e < 0 && r < BROKEN ? BROKEN : r;
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

/* Whether entries of a section make names that others stand on. */
static bool makes_names(const struct parse *p, const struct section *s)
{
	if (s->form != SECTION_TYPED)
		return true;
	for (const struct room *const *r = p->rooms; *r; r++)
		for (const struct kind *const *k = (*r)->kinds; k && *k; k++)
			if (text_eq((*k)->section, s->name) && (*k)->device)
				return true;
	return false;
}

/* What was to be one thing, but isn't a map. */
static void tell_no_map(struct parse *p, const struct tables *t, const struct yaml *y,
			const struct yaml_item *named, const char *scalar)
{
	if (named->key)
		(void)parse_shape(p, y, parse_shown(p, named->key),
				  scalar ? arena_printf(p->arena, "its '%s', or a map of keys", scalar)
					 : "a map of keys");
	else if (y->form == YAML_NULL)
		(void)parse_error(p, y->pos, "nothing is stated for %s", t->one);
	else
		(void)parse_error(p, y->pos, "%s is a map of keys; this is %s", t->one,
				  y->form == YAML_LIST ? "a list" : "a single value");
}

/* The words of a thing that others may name. @t: NULL: they are not known. Return: how many. */
static size_t lose_words(struct parse *p, const struct tables *t, const struct yaml *y,
			 const struct yaml_item *named)
{
	size_t n = named->key ? 1 : 0;

	if (named->key)
		lost_word(p->lost, named->key);
	if (!t && y->form == YAML_SCALAR && *y->text) {
		lost_word(p->lost, y->text);
		n++;
	}
	if (!t)
		return n + lost_words(p->lost, y);
	for (size_t i = 0; i < 2; i++)
		n += lost_words_of(p->lost, t->keys[i], y);
	return n;
}

/*
 * One thing of a section or list. @s: its section, NULL below that. @scalar: the key whose value stands in place of the map.
 * @ret_words: set where it is not whole: how many words may be its names
 */
static enum outcome parse_item(struct parse *p, const struct section *s, struct tables t,
			       const struct yaml_item *named, const char *scalar, size_t size,
			       struct item **ret, size_t *ret_words)
{
	const struct yaml *y = named->value, *map = as_map(p, y, scalar);
	struct pos pos = named->key ? named->key_pos : y->pos;
	bool name_ok = !named->key || words_is_name(named->key);
	struct lack lack = { 0 };
	enum outcome r;
	struct item *it;

	if (!name_ok)
		(void)parse_error(p, named->key_pos,
				  "'%s' can't be a name: a letter, then letters, digits, '_', '+' and '-'",
				  parse_shown(p, named->key));
	if (map->form != YAML_MAP) {
		tell_no_map(p, &t, y, named, scalar);
		*ret_words = lose_words(p, NULL, y, named);
		return GONE;
	}
	if (s && s->form == SECTION_TYPED) {
		t.section = s->name;
		t.blind = pick_kind(p, s, map, &t, &size) < 0;
	}
	it = arena_alloc(p->arena, size > sizeof(*it) ? size : sizeof(*it));
	*it = (struct item){ .src = map, .name = named->key, .pos = pos, .order = p->order++ };
	r = parse_keys(p, &t, map, pos, it, &lack);
	if (!name_ok || t.blind)
		r = GONE;
	*ret = it;
	if (r == WHOLE)
		return r;
	lost_item(p->lost, it, r == PARTS ? LOST_PART : LOST_OWN | (lack.words ? LOST_WORDS : 0));
	/* Otherwise all its names are made. */
	if (r == GONE || lack.group)
		*ret_words = lose_words(p, &t, map, named);
	return r;
}

/* All things of a section or list. @names: whether each makes a name. */
static enum outcome parse_all(struct parse *p, const struct section *s, const struct tables *t,
			      const struct yaml *y, const char *scalar, size_t size, bool names,
			      struct items *ret)
{
	struct items items = { .at = arena_alloc(p->arena, y->items.n * sizeof(struct item *)) };
	enum outcome r = WHOLE;

	vec_each (const struct yaml_item *, it, &y->items) {
		size_t first = p->names.n, words = 0;
		enum outcome one;

		if (p->errors >= PARSE_ERRORS_MAX)
			return GONE;
		one = parse_item(p, s, *t, it, scalar, size, &items.at[items.n], &words);
		if (one != GONE)
			items.n++;
		else
			for (size_t i = first; i < p->names.n; i++)
				vec_push(p->arena, &p->lost->names, p->names.at[i]);
		/* Of what is kept rooms look names up; what is in it may still go with it. */
		if (one == GONE || s)
			p->names.n = first;
		if (one != WHOLE && r == WHOLE)
			r = PARTS;
		if (one != GONE || words)
			continue;
		/* Something without a name: either any name may be its, or it counts where it stands. */
		p->lost->any |= names;
		r = names ? r : BROKEN;
	}
	*ret = items;
	return r;
}

static enum outcome parse_items(struct parse *p, const struct key *k, const char *what, const struct yaml *y,
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
	if (y->form != (list ? YAML_LIST : YAML_MAP)) {
		(void)parse_shape(p, y, what,
				  list && k->scalar ? "a value, or a list of them"
				  : list            ? "a list of maps"
						    : "a map of names");
		return GONE;
	}
	return parse_all(p, NULL, &t, y, k->scalar, k->size, lost_makes_names(k), ret);
}

static void parse_section(struct parse *p, struct layout *l, const struct section *s, const struct yaml *y)
{
	struct tables t = { .keys = { s->keys }, .one = words_one(p->arena, s->name) };
	struct layout_section section = { .section = s };
	bool list = s->form != SECTION_NAMED;

	if (y->form == (list ? YAML_LIST : YAML_MAP)) {
		(void)parse_all(p, s, &t, y, s->scalar, s->item_size, makes_names(p, s), &section.items);
		vec_push(p->arena, &l->sections, section);
		return;
	}
	(void)parse_shape(p, y, s->name, list ? "a list of maps" : "a map of names");
	if (!lost_words(p->lost, y) && makes_names(p, s))
		p->lost->any = true;
}

/* The word of a layout's first level that was meant by one that isn't known, or NULL. */
static const char *nearest_section(struct parse *p, const char *word, text_list *ret_all)
{
	text_list list = { 0 };

	for (const struct key *k = words_head; k->name; k++)
		vec_push(p->arena, &list, k->name);
	for (const struct room *const *r = p->rooms; *r; r++)
		for (const struct section *s = (*r)->sections; s && s->name; s++)
			vec_push(p->arena, &list, s->name);
	*ret_all = list;
	return text_nearest(word, list.at, list.n);
}

/* Whether a key of the head is there, if only in other letters, which are told. */
static bool is_stated(struct parse *p, const struct yaml *root, const char *key)
{
	text_list all;

	if (yaml_get(root, key))
		return true;
	vec_each (const struct yaml_item *, it, &root->items)
		if (!words_section(p->rooms, it->key) && !words_find(words_head, it->key) &&
		    text_eq(nearest_section(p, it->key, &all), key))
			return true;
	return false;
}

/* Return: whether the layout can be read on, by the rules of this language. */
static bool parse_version(struct parse *p, const struct yaml *root)
{
	const struct yaml *y = yaml_get(root, words_head[0].name);

	if (y && (y->form != YAML_SCALAR || !text_eq(y->text, "1"))) {
		(void)parse_error(p, y->pos, "this program knows version %d of the language, not '%s'",
				  LAYOUT_VERSION, y->form == YAML_SCALAR ? parse_shown(p, y->text) : "this");
		return false;
	}
	if (!is_stated(p, root, words_head[0].name))
		(void)parse_error(p, root->pos, "a layout states 'stowage: %d', the version of its language",
				  LAYOUT_VERSION);
	return true;
}

/* Return: the name of the section that was meant, or NULL. */
static const char *unknown_section(struct parse *p, const struct yaml_item *it)
{
	text_list all;
	const char *near = nearest_section(p, it->key, &all), *word = parse_shown(p, it->key);

	if (near)
		(void)parse_error(p, it->key_pos, "'%s' is not a section of a layout; did you mean '%s'?",
				  word, near);
	else
		(void)parse_error(p, it->key_pos, "'%s' is not a section of a layout, which has %s", word,
				  text_join(p->arena, &all, ", "));
	return near;
}

static bool is_read(const struct layout *l, const struct section *s)
{
	vec_each (const struct layout_section *, other, &l->sections)
		if (other->section == s)
			return true;
	return false;
}

/* A section that isn't known: read as the one that was meant, but what is wrong with it isn't told, since the guess may be wrong. */
static void guess_section(struct parse *p, struct layout *l, const struct yaml *root,
			  const struct yaml_item *it)
{
	const char *near = unknown_section(p, it);
	const struct section *s = near ? words_section(p->rooms, near) : NULL;

	if (!s || yaml_get(root, near) || is_read(l, s)) {
		(void)lost_words(p->lost, it->value);
		return;
	}
	p->muted++;
	parse_section(p, l, s, it->value);
	p->muted--;
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
	bool known;
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
	p.lost = lost_new(a);
	known = parse_version(&p, root);
	if (!is_stated(&p, root, "name"))
		(void)parse_error(&p, root->pos, "a layout needs a 'name', from which its UUIDs are derived");
	vec_each (const struct yaml_item *, it, &root->items) {
		const struct section *s = words_section(rooms_, it->key);

		if (p.errors >= PARSE_ERRORS_MAX)
			break;
		if (s)
			parse_section(&p, l, s, it->value);
		else if (text_eq(it->key, "name"))
			(void)parse_text(&p, it->value, "name", &l->name);
		else if (!words_find(words_head, it->key))
			guess_section(&p, l, root, it);
	}
	/* Of another language, or of a layout that is all mistakes, nothing more can be said. */
	if (!known || p.errors >= PARSE_ERRORS_MAX)
		return -EINVAL;
	order_sections(&p, l);
	l->lost = p.errors ? p.lost : NULL;
	*ret = l;
	return p.errors ? -EINVAL : 0;
}
