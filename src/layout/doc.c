/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "layout/doc.h"

#include <ctype.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/text.h"
#include "layout/words.h"

enum { COLUMNS = 79, INDENT = 4 };

/* Keys that several others take: explained under the first of them, or the one that lies least deep. */
struct told {
	const struct key *table;
	const char *where; /* "disks.match" */
};

/* A page being written, in one of two syntaxes. */
struct page {
	struct arena *arena;
	struct text out;
	bool scdoc;
	const struct room *const *rooms;
	VEC(struct told) told;
};

/* A paragraph, broken into lines. scdoc breaks them itself. */
static void wrapped(struct page *p, unsigned indent, const char *s)
{
	size_t col = 0;

	while (*s) {
		size_t n = strcspn(s, " "), width = 0;

		for (size_t i = 0; i < n; i++)
			width += ((unsigned char)s[i] & 0xC0) != 0x80;
		if (col && col + 1 + width > COLUMNS) {
			text_addc(&p->out, '\n');
			col = 0;
		}
		if (!col) {
			for (unsigned i = 0; i < indent; i++)
				text_addc(&p->out, ' ');
			col = indent;
		} else {
			text_addc(&p->out, ' ');
			col++;
		}
		text_addn(&p->out, s, n);
		col += width;
		s += n + (s[n] == ' ');
	}
	text_addc(&p->out, '\n');
}

/* Text for scdoc: what it would take for markup is escaped. `word` becomes bold there. */
static const char *escaped(struct page *p, const char *s)
{
	struct text t = { .arena = p->arena };
	bool code = false;

	for (; *s; s++) {
		if (*s == '`') {
			code = !code;
			text_addc(&t, '*');
			continue;
		}
		if (strchr("\\*_~#[]|", *s) || (!t.len && strchr(".-+<'", *s)))
			text_addc(&t, '\\');
		text_addc(&t, *s);
	}
	if (code)
		text_addc(&t, '*');
	return text_str(&t);
}

/* A paragraph of prose at some depth of nested keys. */
static void paragraph(struct page *p, unsigned depth, const char *s)
{
	if (p->scdoc) {
		for (unsigned i = 0; i < depth; i++)
			text_addc(&p->out, '\t');
		text_printf(&p->out, "%s\n", escaped(p, s));
	} else {
		wrapped(p, depth * INDENT, s);
	}
}

static void blank(struct page *p)
{
	text_addc(&p->out, '\n');
}

/* A key keeps its hyphen: a heading is what is written, in capitals. */
static const char *upper(struct page *p, const char *s)
{
	char *r = arena_strdup(p->arena, s);

	for (char *c = r; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	return r;
}

/* "a, b or c" */
static const char *one_of(struct page *p, const text_list *list)
{
	struct text t = { .arena = p->arena };

	for (size_t i = 0; i < list->n; i++)
		text_printf(&t, "%s%s", !i ? "" : i + 1 < list->n ? ", " : " or ", list->at[i]);
	return text_str(&t);
}

static void heading(struct page *p, unsigned level, const char *s)
{
	if (p->scdoc)
		text_printf(&p->out, "%s %s\n\n", level == 1 ? "#" : "##",
			    level == 1 ? upper(p, s) : escaped(p, s));
	else
		text_printf(&p->out, "%s\n\n", level == 1 ? upper(p, s) : s);
}

static void keys(struct page *p, unsigned depth, const struct key *table, bool skip_type, const char *path);

/* What a key is called, in the syntax of the page. */
static void term(struct page *p, unsigned depth, const char *word, const char *rest)
{
	if (p->scdoc) {
		for (unsigned i = 0; i < depth; i++)
			text_addc(&p->out, '\t');
		text_printf(&p->out, "*%s*%s\n", word, escaped(p, rest));
	} else {
		wrapped(p, depth * INDENT, arena_printf(p->arena, "%s%s", word, rest));
	}
}

/* Where the keys of a table are explained. */
static const char *told_at(const struct page *p, const struct key *table)
{
	vec_each (const struct told *, t, &p->told)
		if (t->table == table)
			return t->where;
	return NULL;
}

/* What a key asks of others, as sentences. */
static const char *conditions(struct page *p, const struct key *k)
{
	struct text t = { .arena = p->arena };

	if (k->with)
		text_printf(&t, " Only together with %s.", k->with);
	if (k->unless)
		text_printf(&t, " Not together with %s.", k->unless);
	return text_str(&t);
}

/* @path: "disks.match" */
static void key(struct page *p, unsigned depth, const struct key *k, const char *path)
{
	const char *word = words_key(p->arena, k), *form = words_form(p->arena, k),
		   *doc = k->doc ? k->doc : "";
	const char *need = k->need ? ", needed" : "", *where = k->keys ? told_at(p, k->keys) : NULL;

	term(p, depth, word, arena_printf(p->arena, ": %s%s", form, need));
	if (*doc || k->with || k->unless)
		paragraph(p, depth + 1, arena_printf(p->arena, "%s%s", doc, conditions(p, k)));
	if (k->example) {
		if (p->scdoc)
			blank(p); /* a paragraph of its own */
		paragraph(p, depth + 1, arena_printf(p->arena, "Example: `%s: %s`", word, k->example));
	}
	if (k->keys && k->scalar) {
		if (p->scdoc)
			blank(p);
		paragraph(p, depth + 1, arena_printf(p->arena, "A value alone means `%s`.", k->scalar));
	}
	if (where && strcmp(where, path) != 0) {
		if (p->scdoc)
			blank(p);
		paragraph(p, depth + 1, arena_printf(p->arena, "Its keys are those of `%s`.", where));
	}
	blank(p);
	if (where && !strcmp(where, path))
		keys(p, depth + 1, k->keys, false, path);
}

static void keys(struct page *p, unsigned depth, const struct key *table, bool skip_type, const char *path)
{
	/* All of this level before anything deeper, so that what both have is explained here. */
	for (const struct key *k = table; k && k->name; k++)
		if (k->keys && !told_at(p, k->keys))
			vec_push(p->arena, &p->told,
				 (struct told){ .table = k->keys,
						.where = arena_printf(p->arena, "%s.%s", path,
								      words_key(p->arena, k)) });
	for (const struct key *k = table; k && k->name; k++)
		if (!skip_type || !words_is(k, "type"))
			key(p, depth, k, arena_printf(p->arena, "%s.%s", path, words_key(p->arena, k)));
}

static void kind(struct page *p, const struct kind *k)
{
	heading(p, 2, arena_printf(p->arena, "%s, type: %s", k->section, k->name));
	if (k->doc) {
		paragraph(p, 0, k->doc);
		blank(p);
	}
	if (!k->keys || !k->keys->name) {
		paragraph(p, 0, "It has no keys of its own.");
		blank(p);
	}
	keys(p, 1, k->keys, false, k->section);
}

/* The kinds that are entries of a section, whichever rooms they are of. */
static void kinds_of(struct page *p, const struct section *s)
{
	for (const struct room *const *r = p->rooms; *r; r++)
		for (const struct kind *const *k = (*r)->kinds; k && *k; k++)
			if (text_eq((*k)->section, s->name))
				kind(p, *k);
}

static void section(struct page *p, const struct section *s)
{
	heading(p, 1, s->name);
	if (s->doc) {
		paragraph(p, 0, s->doc);
		blank(p);
	}
	switch (s->form) {
	case SECTION_NAMED:
		paragraph(p, 0, "A map: each name with a map of these keys.");
		break;
	case SECTION_LIST:
		paragraph(p, 0, "A list of maps with these keys.");
		break;
	case SECTION_TYPED:
		paragraph(p, 0, "A list of maps with these keys, and those of the type.");
		break;
	}
	blank(p);
	if (s->scalar) {
		paragraph(p, 0, arena_printf(p->arena, "A value in place of the map means `%s`.", s->scalar));
		blank(p);
	}
	if (s->form == SECTION_TYPED) {
		text_list kinds = words_kinds(p->arena, p->rooms, s->name);

		term(p, 1, "type", arena_printf(p->arena, ": %s, needed", one_of(p, &kinds)));
		blank(p);
	}
	keys(p, 1, s->keys, s->form == SECTION_TYPED, s->name);
}

/* One room's part: its sections, and its kinds of sections that others share. */
static void room_part(struct page *p, const struct room *r)
{
	for (const struct section *s = r->sections; s && s->name; s++)
		section(p, s);
	for (const struct kind *const *k = r->kinds; k && *k; k++)
		if ((*k)->section)
			kind(p, *k);
}

/* The forms of values that many keys take. */
static void forms(struct page *p)
{
	static const char *const lines[][2] = {
		{ "name", "A letter, then letters, digits, `_`, `+` and `-`. One name may stand for several "
			  "devices, in a fixed order: `swap` "
			  "is every partition of that name, `vda.swap` the one on vda, `data.swap` those of "
			  "the set data, `vg0/home` a volume "
			  "or all that were made for `each`. A device can be used once." },
		{ "size", "`512M`, `1.5T` and `512MiB` are powers of 1024, `500GB` is powers of 1000, "
			  "`2048s` is sectors of 512 bytes, a bare "
			  "number is bytes, `25%` is of what holds it, `rest` what the others leave, `{ min: "
			  "10G, max: 100G }` a range, which "
			  "may have one end." },
		{ "text",
		  "Taken literally: `no`, `0123` and `1e3` are texts. Control characters are refused." },
		{ "path", "Absolute, without `.` or `..` in it." },
	};

	heading(p, 1, "values");
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		term(p, 1, lines[i][0], "");
		paragraph(p, 2, lines[i][1]);
		blank(p);
	}
}

static bool has_part(const struct room *r)
{
	bool any = r->sections && r->sections->name;

	for (const struct kind *const *k = r->kinds; k && *k; k++)
		any |= (*k)->section != NULL;
	return any;
}

/* What a person may ask for by name. */
static text_list parts(struct page *p)
{
	text_list list = { 0 };

	for (const struct room *const *r = p->rooms; *r; r++)
		if (has_part(*r))
			vec_push(p->arena, &list, (*r)->name);
	return list;
}

static void whole(struct page *p)
{
	heading(p, 1, "layout");
	paragraph(p, 0, "A layout is one YAML 1.2 document: a map of these keys and of the sections below.");
	blank(p);
	keys(p, 1, words_head, false, "layout");
	for (const struct room *const *r = p->rooms; *r; r++)
		for (const struct section *s = (*r)->sections; s && s->name; s++) {
			section(p, s);
			kinds_of(p, s);
		}
	forms(p);
}

/* Without the blank line at the end. */
static const char *finished(struct page *p)
{
	while (p->out.len > 1 && p->out.s[p->out.len - 1] == '\n' && p->out.s[p->out.len - 2] == '\n')
		p->out.s[--p->out.len] = '\0';
	return text_str(&p->out);
}

const char *layout_doc_rooms(const struct room *const *rooms_, struct arena *a, const char *room,
			     struct diag *d)
{
	struct page p = { .arena = a, .out = { .arena = a }, .rooms = rooms_ };
	text_list list = parts(&p);
	const char *near;

	if (!room) {
		whole(&p);
		paragraph(&p, 0,
			  arena_printf(a, "`stowage doc PART` prints one part: %s.", one_of(&p, &list)));
		return finished(&p);
	}
	for (const struct room *const *r = rooms_; *r; r++) {
		if (text_eq((*r)->name, room) && has_part(*r)) {
			if ((*r)->doc) {
				paragraph(&p, 0, (*r)->doc);
				blank(&p);
			}
			room_part(&p, *r);
			return finished(&p);
		}
	}
	near = text_nearest(room, list.at, list.n);
	if (near)
		(void)diag_error(d, nowhere, "no part of the reference is called '%s'; did you mean '%s'?",
				 room, near);
	else
		(void)diag_error(d, nowhere, "no part of the reference is called '%s'; there are %s", room,
				 text_join(a, &list, ", "));
	return NULL;
}

const char *layout_doc_scdoc_rooms(const struct room *const *rooms_, struct arena *a)
{
	struct page p = { .arena = a, .out = { .arena = a }, .scdoc = true, .rooms = rooms_ };

	whole(&p);
	return finished(&p);
}
