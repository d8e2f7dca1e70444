/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "layout/yaml.h"

#include <assert.h>
#include <errno.h>
#include <libfyaml.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"

enum {
	TEXT_MAX = YAML_TEXT_MAX,
	DEPTH_MAX = 64,
	NODES_MAX = 200000,
	LINES_MAX = 1000000,
	SCALAR_MAX = 64 << 10, /* bytes of one text, as written */
	FLOW_MAX =
		100000,   /* libfyaml holds the tokens of a whole bracket, some 500 bytes for each of these */
	ERRORS_MAX = 100, /* nobody reads more; they would be a way to fill memory */
	SMALL_MAP = 8,    /* keys up to which looking through all of them is quicker than hashing */
};

/* A node under way. Aliases point to the struct yaml in it. */
struct cell {
	struct yaml y;
	size_t count;    /* nodes in it, itself included, aliases written out */
	unsigned height; /* levels in it */
	bool open;
};

struct frame {
	struct cell *cell;
	bool has_key, drop;    /* drop: the value of a key that is wrong is read, but not kept */
	struct yaml_item item; /* what waits for its value */
	struct map keys;       /* of a large map */
};

struct reader {
	struct arena *arena;
	struct diag *diag;
	const char *file;
	const char *text;
	size_t len;
	VEC(uint32_t) lines;          /* offset of each line's first byte */
	size_t seen_at;               /* the last place that was counted: its offset ... */
	unsigned seen_line, seen_col; /* ... line, from 0, and column, from 0 */
	size_t end;                   /* offset behind the last thing that had a place */

	struct frame frames[DEPTH_MAX];
	size_t depth;
	struct cell *root;
	size_t nodes;
	struct map anchors; /* struct cell */
	unsigned errors;
};

static void free_parser(struct fy_parser **p)
{
	if (*p)
		fy_parser_destroy(*p);
}

static void free_fy_diag(struct fy_diag **p)
{
	if (*p)
		fy_diag_destroy(*p);
}

/* Characters that begin in these bytes. */
static unsigned chars(const char *s, size_t n)
{
	unsigned count = 0;

	for (size_t i = 0; i < n; i++)
		count += ((unsigned char)s[i] & 0xC0) != 0x80;
	return count;
}

static size_t line_of(const struct reader *r, size_t at)
{
	size_t low = 0, high = r->lines.n;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (r->lines.at[middle] <= at)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The place of an offset. Goes on from the last one where it can, or a long line would be counted again for each word in it. */
static struct pos place(struct reader *r, size_t at, size_t end)
{
	size_t line;

	if (at > r->len)
		at = r->len;
	if (end > r->len)
		end = r->len;
	line = at < r->seen_at || (r->seen_line + 1u < r->lines.n && r->lines.at[r->seen_line + 1] <= at)
		       ? line_of(r, at)
		       : r->seen_line;
	if (line != r->seen_line || at < r->seen_at) {
		r->seen_line = (unsigned)line;
		r->seen_at = r->lines.at[line];
		r->seen_col = 0;
	}
	r->seen_col += chars(r->text + r->seen_at, at - r->seen_at);
	r->seen_at = at;
	if (line + 1 < r->lines.n && end >= r->lines.at[line + 1])
		end = at; /* goes over several lines */
	return (struct pos){ .file = r->file,
			     .line = r->seen_line + 1,
			     .col = r->seen_col + 1,
			     .width = end > at ? chars(r->text + at, end - at) : 0 };
}

static bool is_control(uint32_t c)
{
	return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || (c >= 0x7F && c < 0xA0 && c != 0x85);
}

static int tell_bytes(struct reader *r, size_t at)
{
	unsigned char b = (unsigned char)r->text[at];
	uint32_t c = 0;

	if (b == 0)
		return diag_error(r->diag, place(r, at, at), "a NUL byte: this is not text%s",
				  at < 2 ? " in UTF-8 (UTF-16, perhaps)" : "");
	if (!text_char(r->text + at, r->len - at, &c))
		return diag_error(r->diag, place(r, at, at),
				  "byte 0x%02X is not UTF-8; save the file in that encoding", b);
	return diag_error(r->diag, place(r, at, at),
			  "control character U+%04X; YAML allows none but tab and line ends", c);
}

/* Finds the lines, and what may not be in the text whatever its meaning. */
static int look_over(struct reader *r)
{
	static const char utf8_mark[] = "\xEF\xBB\xBF";
	size_t flow = 0;

	if (r->len > TEXT_MAX)
		return diag_error(r->diag, (struct pos){ .file = r->file },
				  "larger than the %d MiB that a layout may have", TEXT_MAX >> 20);
	if (r->len >= 2 && (memcmp(r->text, "\xFF\xFE", 2) == 0 || memcmp(r->text, "\xFE\xFF", 2) == 0))
		return diag_error(r->diag, (struct pos){ .file = r->file },
				  "begins with a UTF-16 mark; save the file as UTF-8");
	if (r->len >= 3 && memcmp(r->text, utf8_mark, 3) == 0)
		return diag_error(r->diag, (struct pos){ .file = r->file },
				  "begins with a UTF-8 mark (BOM); save the file as UTF-8 without one");
	vec_push(r->arena, &r->lines, 0);
	for (size_t i = 0, n; i < r->len; i += n) {
		unsigned char b = (unsigned char)r->text[i];
		uint32_t c = b;

		n = b < 0x80 ? 1 : text_char(r->text + i, r->len - i, &c);
		if (!n || is_control(c))
			return tell_bytes(r, i);
		switch (c) {
		case '\r':
			if (i + 1 < r->len && r->text[i + 1] == '\n')
				break;
			__attribute__((fallthrough));
		case '\n':
			if (r->lines.n == LINES_MAX)
				return diag_error(r->diag, place(r, i, i),
						  "more than the %d lines that a layout may have", LINES_MAX);
			vec_push(r->arena, &r->lines, (uint32_t)i + 1);
			break;
		case '[':
		case ']':
		case '{':
		case '}':
		case ',':
		case '?':
		case '&':
		case '*':
		case '!':
			if (++flow > FLOW_MAX)
				return diag_error(
					r->diag, place(r, i, i),
					"more than the %d brackets and commas that a layout may have",
					FLOW_MAX);
			break;
		default:
			break;
		}
	}
	return 0;
}

/* A mistake after which reading goes on, so that others are told as well. Return: 0 to go on. */
static int go_on(struct reader *r, int error)
{
	return ++r->errors < ERRORS_MAX ? 0 : error;
}

/* The first tab before the text of a line, SIZE_MAX where there is none. */
static size_t indenting_tab(const struct reader *r, size_t line)
{
	if (line >= r->lines.n)
		return SIZE_MAX;
	for (size_t i = r->lines.at[line]; i < r->len && (r->text[i] == ' ' || r->text[i] == '\t'); i++)
		if (r->text[i] == '\t')
			return i;
	return SIZE_MAX;
}

/* libfyaml's own words for what is no YAML at all. It tells the nearest cause first. */
static int tell_syntax(struct reader *r, struct fy_diag *errors)
{
	const struct fy_diag_error *e = NULL;
	void *it = NULL;
	size_t line, tab, at;
	int error;

	do
		e = fy_diag_errors_iterate(errors, &it);
	while (e && e->type != FYET_ERROR);
	if (!e || e->line < 1)
		return diag_error(r->diag, place(r, r->end, r->end), "this is not YAML%s%s", e ? ": " : "",
				  e ? e->msg : "");
	line = (size_t)e->line - 1;
	/* A tab in front of a line may be taken for a part of the line before it, which is then what libfyaml complains of. */
	tab = indenting_tab(r, line);
	if (tab == SIZE_MAX)
		tab = indenting_tab(r, line + 1);
	if (tab != SIZE_MAX)
		return diag_error(r->diag, place(r, tab, tab), "a tab can't indent in YAML; use spaces");
	assert(r->lines.at && r->lines.n);
	if (line >= r->lines.n)
		line = r->lines.n - 1;
	at = r->lines.at[line];
	for (int col = 1; col < e->column && at < r->len && r->text[at] != '\n'; col++) {
		at++;
		while (at < r->len && ((unsigned char)r->text[at] & 0xC0) == 0x80)
			at++;
	}
	error = diag_error(r->diag, place(r, at, at), "this is not YAML: %s%s", e->msg,
			   strstr(e->msg, "multiline plain key") ? " (is the next line indented too far?)"
								 : "");
	if (r->depth) {
		const struct pos *p = &r->frames[r->depth - 1].cell->y.pos;
		size_t start = r->lines.at[p->line - 1];
		char c;

		for (unsigned col = 1; col < p->col; col++)
			for (start++; start < r->len && ((unsigned char)r->text[start] & 0xC0) == 0x80;)
				start++;
		c = start < r->len ? r->text[start] : ' ';
		if (c == '[' || c == '{')
			diag_note(r->diag, *p, "in what this '%c' begins", c);
	}
	return error;
}

/* The dash of a list's entry that has nothing else. What else stands between it and the last thing is skipped. */
static struct pos empty_entry(struct reader *r)
{
	size_t at = r->end;

	while (at < r->len && strchr(" \r\n}],#", r->text[at])) {
		const char *end = r->text[at] == '#' ? memchr(r->text + at, '\n', r->len - at) : r->text + at;

		at = end ? (size_t)(end - r->text) + 1 : r->len;
	}
	if (at >= r->len || r->text[at] != '-')
		return place(r, r->end, r->end);
	r->end = at + 1;
	return place(r, at, at + 1);
}

/* The place of an event. What is left out has none: then it is where the last thing ended. */
static struct pos event_place(struct reader *r, struct fy_event *e)
{
	const struct fy_mark *start = fy_event_start_mark(e), *end = fy_event_end_mark(e);
	size_t from, to;

	if (e->type == FYET_SCALAR && fy_token_scalar_style(e->scalar.value) == FYSS_PLAIN &&
	    (!end || !start || end->input_pos <= start->input_pos))
		start = NULL;
	if (!start) {
		struct frame *f = r->depth ? &r->frames[r->depth - 1] : NULL;

		if (f && f->cell->y.form == YAML_LIST)
			return empty_entry(r);
		return f && f->has_key ? f->item.key_pos : place(r, r->end, r->end);
	}
	from = start->input_pos;
	to = end && end->input_pos > from ? end->input_pos : from;
	if (e->type == FYET_ALIAS && from && from <= r->len && r->text[from - 1] == '*')
		from--;
	if (e->type == FYET_SCALAR) {
		switch (fy_token_scalar_style(e->scalar.value)) {
		case FYSS_SINGLE_QUOTED:
		case FYSS_DOUBLE_QUOTED:
			/* The mark is behind the quote. */
			if (from && from <= r->len && strchr("'\"", r->text[from - 1])) {
				from--;
				to++;
			}
			break;
		case FYSS_LITERAL:
		case FYSS_FOLDED:
			while (from < to && from < r->len && strchr(" \n\r", r->text[from]))
				from++;
			break;
		case FYSS_PLAIN:
		case FYSS_ANY:
		case FYSS_MAX:
			break;
		}
	}
	if (to > r->end)
		r->end = to;
	return place(r, from, to);
}

/* Whether a token takes more bytes of the text than anybody writes. Asked before its text is, which would be copied. */
static bool is_long(struct fy_event *e)
{
	const struct fy_mark *start = fy_event_start_mark(e), *end = fy_event_end_mark(e);

	return start && end && end->input_pos > start->input_pos &&
	       end->input_pos - start->input_pos > SCALAR_MAX;
}

static const char *token_text(struct reader *r, struct fy_token *t, size_t *ret_len)
{
	size_t len = 0;
	const char *s = t ? fy_token_get_text(t, &len) : NULL;

	*ret_len = s ? len : 0;
	return arena_strndup(r->arena, s ? s : "", *ret_len);
}

static size_t skip_break(const char *s, size_t at, size_t end)
{
	if (at < end && s[at] == '\r')
		return at + 1 < end && s[at + 1] == '\n' ? at + 2 : at + 1;
	return at < end && s[at] == '\n' ? at + 1 : at;
}

static size_t skip_blanks(const char *s, size_t at, size_t end)
{
	while (at < end && (s[at] == ' ' || s[at] == '\t'))
		at++;
	return at;
}

/*
 * A text in single quotes, from behind the first to before the last. libfyaml loses memory for each that holds more than six quotes
 * (0.7.12 and 0.9.4 alike), so they are read here: '' is a quote, lines are folded (YAML 1.2.2, 7.3.2).
 */
static const char *single_quoted(struct reader *r, size_t at, size_t end, size_t *ret_len)
{
	const char *s = r->text;
	struct text t = { .arena = r->arena };

	while (at < end) {
		size_t blanks = skip_blanks(s, at, end), next = skip_break(s, blanks, end);

		if (next > blanks) {
			/* White space around a line end goes with it. One line end is a blank, of several the first is nothing. */
			size_t breaks = 0;

			for (; next > blanks; next = skip_break(s, blanks, end)) {
				breaks++;
				blanks = skip_blanks(s, next, end);
			}
			if (breaks == 1)
				text_addc(&t, ' ');
			for (; breaks > 1; breaks--)
				text_addc(&t, '\n');
			at = blanks;
			continue;
		}
		text_addn(&t, s + at, blanks - at);
		at = blanks;
		if (at == end)
			break;
		text_addc(&t, s[at]);
		at += s[at] == '\'' ? 2 : 1;
	}
	*ret_len = t.len;
	return text_str(&t);
}

static const char *scalar_text(struct reader *r, struct fy_event *e, size_t *ret_len)
{
	const struct fy_mark *start = fy_event_start_mark(e), *end = fy_event_end_mark(e);

	if (fy_token_scalar_style(e->scalar.value) == FYSS_SINGLE_QUOTED && start && end &&
	    start->input_pos && start->input_pos <= end->input_pos && end->input_pos < r->len &&
	    r->text[start->input_pos - 1] == '\'' && r->text[end->input_pos] == '\'')
		return single_quoted(r, start->input_pos, end->input_pos, ret_len);
	return token_text(r, e->scalar.value, ret_len);
}

/* What a tag makes of a node: nothing, but for !!str, after which a plain ~ or null is text. */
static int check_tag(struct reader *r, struct fy_token *tag, struct pos pos, enum yaml_form form,
		     bool *ret_text)
{
	static const char core[] = "tag:yaml.org,2002:";
	size_t len;
	const char *s, *rest;

	*ret_text = false;
	if (!tag)
		return 0;
	s = token_text(r, tag, &len);
	if (text_eq(s, "!") || !*s) {
		*ret_text = form == YAML_SCALAR;
		return 0;
	}
	rest = text_starts(s, core) ? s + strlen(core) : "";
	if (form == YAML_SCALAR && text_eq(rest, "str")) {
		*ret_text = true;
		return 0;
	}
	if ((form == YAML_SCALAR && (text_eq(rest, "null") || text_eq(rest, "bool") || text_eq(rest, "int") ||
				     text_eq(rest, "float"))) ||
	    (form == YAML_LIST && text_eq(rest, "seq")) || (form == YAML_MAP && text_eq(rest, "map")))
		return 0;
	return go_on(r, diag_error(r->diag, pos, "the tag '%s' means nothing here; leave it out",
				   text_short(r->arena, s)));
}

static bool is_null(const char *s)
{
	return !*s || text_eq(s, "~") || text_eq(s, "null") || text_eq(s, "Null") || text_eq(s, "NULL");
}

/* A scalar's text, which may be no C string or no Unicode only where escapes made it so. */
static int scalar(struct reader *r, struct fy_event *e, struct cell *c)
{
	size_t len;
	bool is_text;
	int error;

	if (is_long(e))
		return diag_error(r->diag, c->y.pos, "a text of more than the %d KiB that a layout may have",
				  SCALAR_MAX >> 10);
	c->y.form = YAML_SCALAR;
	c->y.text = scalar_text(r, e, &len);
	c->y.quoted = fy_token_scalar_style(e->scalar.value) != FYSS_PLAIN;
	error = check_tag(r, e->scalar.tag, c->y.pos, YAML_SCALAR, &is_text);
	if (error)
		return error;
	c->y.quoted |= is_text;
	if (strlen(c->y.text) != len)
		error = diag_error(r->diag, c->y.pos, "a NUL character (U+0000) in this text");
	else if (!len && fy_token_get_text_length(e->scalar.value))
		error = diag_error(r->diag, c->y.pos, "libfyaml can't read this text");
	else if (!text_valid_utf8(c->y.text, len))
		error = diag_error(r->diag, c->y.pos, "an escape in this text is no character");
	if (error)
		return go_on(r, error);
	if (!c->y.quoted && is_null(c->y.text))
		c->y.form = YAML_NULL;
	return 0;
}

static bool is_repeated(struct reader *r, struct frame *f, const char *key, struct pos *ret_first)
{
	struct yaml *y = &f->cell->y;

	if (y->items.n < SMALL_MAP) {
		for (size_t i = 0; i < y->items.n; i++)
			if (text_eq(y->items.at[i].key, key)) {
				*ret_first = y->items.at[i].key_pos;
				return true;
			}
		return false;
	}
	if (!f->keys.arena) {
		f->keys.arena = r->arena;
		for (size_t i = 0; i < y->items.n; i++)
			(void)map_set(&f->keys, y->items.at[i].key, &y->items.at[i].value->pos);
	}
	if (!map_get(&f->keys, key))
		return false;
	for (size_t i = 0; i < y->items.n; i++)
		if (text_eq(y->items.at[i].key, key))
			*ret_first = y->items.at[i].key_pos;
	return true;
}

static int key(struct reader *r, const struct cell *c)
{
	struct frame *f = &r->frames[r->depth - 1];
	struct pos first;
	int error;

	f->has_key = true;
	f->drop = true;
	f->item = (struct yaml_item){ .key = c->y.text, .key_pos = c->y.pos };
	if (c->y.form != YAML_SCALAR)
		return go_on(r, diag_error(r->diag, c->y.pos, "a key must be a word"));
	if (!c->y.quoted && text_eq(c->y.text, "<<"))
		return go_on(
			r,
			diag_error(
				r->diag, c->y.pos,
				"merge keys (<<) are not part of the language; state the keys themselves"));
	if (is_repeated(r, f, c->y.text, &first)) {
		error = diag_error(r->diag, c->y.pos, "duplicate key '%s'", text_safe(r->arena, c->y.text));
		diag_note(r->diag, first, "first stated here");
		return go_on(r, error);
	}
	f->drop = false;
	return 0;
}

/* Puts a node where it belongs. */
static void put(struct reader *r, struct cell *c)
{
	struct frame *f = r->depth ? &r->frames[r->depth - 1] : NULL;

	if (!f) {
		r->root = c;
		return;
	}
	f->cell->count += c->count;
	if (f->cell->height < c->height + 1)
		f->cell->height = c->height + 1;
	f->item.value = &c->y;
	if (!f->drop) {
		vec_push(r->arena, &f->cell->y.items, f->item);
		if (f->keys.arena)
			(void)map_set(&f->keys, f->item.key, &c->y.pos);
	}
	f->item = (struct yaml_item){ 0 };
	f->has_key = f->drop = false;
}

static bool wants_key(const struct reader *r)
{
	return r->depth && r->frames[r->depth - 1].cell->y.form == YAML_MAP &&
	       !r->frames[r->depth - 1].has_key;
}

static int count(struct reader *r, size_t n, struct pos pos)
{
	r->nodes += n;
	if (r->nodes > NODES_MAX)
		return diag_error(r->diag, pos,
				  "more than the %d values that a layout may have, aliases written out",
				  NODES_MAX);
	return 0;
}

static int too_deep(struct reader *r, struct pos pos)
{
	return diag_error(r->diag, pos, "nested deeper than %d levels", DEPTH_MAX);
}

static int another_document(struct reader *r, struct pos pos)
{
	return diag_error(r->diag, pos, "a layout is one document; here begins another one");
}

static int alias(struct reader *r, struct fy_event *e)
{
	struct pos pos = event_place(r, e);
	size_t len;
	const char *name = token_text(r, e->alias.anchor, &len);
	struct cell *c = map_get(&r->anchors, name);
	int error;

	if (!c)
		return diag_error(r->diag, pos, "no anchor '&%s' before this",
				  text_safe(r->arena, text_short(r->arena, name)));
	if (c->open)
		return diag_error(r->diag, pos, "'*%s' stands for something that contains itself",
				  text_safe(r->arena, name));
	error = count(r, c->count, pos);
	if (error)
		return error;
	if (r->depth + c->height > DEPTH_MAX)
		return too_deep(r, pos);
	if (wants_key(r)) {
		struct cell word = *c;

		word.y.pos = pos;
		return key(r, &word);
	}
	put(r, c);
	return 0;
}

/* A scalar, or the beginning of a list or map. */
static int node(struct reader *r, struct fy_event *e, enum yaml_form form, struct fy_token *anchor,
		struct fy_token *tag)
{
	struct cell *c = arena_of(r->arena, struct cell);
	bool ignored;
	size_t len;
	int error;

	*c = (struct cell){ .y = { .form = form, .pos = event_place(r, e) }, .count = 1 };
	if (!r->depth && r->root)
		return another_document(r, c->y.pos);
	error = count(r, 1, c->y.pos);
	if (!error)
		error = form == YAML_SCALAR ? scalar(r, e, c) : check_tag(r, tag, c->y.pos, form, &ignored);
	if (error)
		return error;
	if (anchor)
		(void)map_set(&r->anchors, token_text(r, anchor, &len), c);
	if (form == YAML_SCALAR) {
		if (wants_key(r))
			return key(r, c);
		put(r, c);
		return 0;
	}
	if (wants_key(r))
		return diag_error(r->diag, c->y.pos, "a key must be a word, this is a %s",
				  form == YAML_LIST ? "list" : "map");
	if (r->depth == DEPTH_MAX)
		return too_deep(r, c->y.pos);
	c->open = true;
	r->frames[r->depth++] = (struct frame){ .cell = c };
	return 0;
}

static int event(struct reader *r, struct fy_event *e)
{
	struct cell *done;

	switch (e->type) {
	case FYET_NONE:
	case FYET_STREAM_START:
	case FYET_STREAM_END:
	case FYET_DOCUMENT_END:
		return 0;
	case FYET_DOCUMENT_START:
		/* One without its '---' has no place but that of what is in it. */
		return r->root && fy_event_start_mark(e) ? another_document(r, event_place(r, e)) : 0;
	case FYET_ALIAS:
		return alias(r, e);
	case FYET_SCALAR:
		return node(r, e, YAML_SCALAR, e->scalar.anchor, e->scalar.tag);
	case FYET_SEQUENCE_START:
		return node(r, e, YAML_LIST, e->sequence_start.anchor, e->sequence_start.tag);
	case FYET_MAPPING_START:
		return node(r, e, YAML_MAP, e->mapping_start.anchor, e->mapping_start.tag);
	case FYET_SEQUENCE_END:
	case FYET_MAPPING_END:
		if (!r->depth)
			return 0;
		(void)event_place(r, e);
		done = r->frames[--r->depth].cell;
		done->open = false;
		if (!done->height)
			done->height = 1;
		put(r, done);
		return 0;
	}
	return 0;
}

static int read_events(struct reader *r)
{
	struct fy_diag_cfg diag_cfg;
	__attribute__((cleanup(free_fy_diag))) struct fy_diag *errors = NULL;
	__attribute__((cleanup(free_parser))) struct fy_parser *parser = NULL;
	struct fy_event *e;
	int error = 0;

	fy_diag_cfg_default(&diag_cfg);
	diag_cfg.fp = NULL;
	diag_cfg.level = FYET_ERROR;
	diag_cfg.colorize = false;
	errors = fy_diag_create(&diag_cfg);
	if (errors) {
		fy_diag_set_collect_errors(errors, true);
		parser = fy_parser_create(&(struct fy_parse_cfg){ .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG |
									   FYPCF_DEFAULT_VERSION_1_2 |
									   FYPCF_JSON_NONE,
								  .diag = errors });
	}
	if (!parser || fy_parser_set_string(parser, r->text, r->len) < 0)
		return diag_error(r->diag, (struct pos){ .file = r->file },
				  "libfyaml can't read it (out of memory?)");
	while (!error && (e = fy_parser_parse(parser))) {
		error = event(r, e);
		fy_parser_event_free(parser, e);
	}
	if (error)
		return error;
	if (fy_parser_get_stream_error(parser))
		return tell_syntax(r, errors);
	return r->errors ? -EINVAL : 0;
}

int yaml_read(struct arena *a, const char *file, const char *text, size_t len, struct diag *d,
	      struct yaml **ret)
{
	struct reader *r = arena_of(a, struct reader);
	int error;

	*r = (struct reader){
		.arena = a, .diag = d, .file = file, .text = text, .len = len, .anchors = { .arena = a }
	};
	error = look_over(r);
	if (!error && len)
		error = read_events(r);
	if (error)
		return error;
	if (!r->root || r->root->y.form == YAML_NULL)
		return diag_error(d, (struct pos){ .file = file },
				  "no layout in it; one begins with 'stowage: 1'");
	*ret = &r->root->y;
	return 0;
}

const struct yaml *yaml_get(const struct yaml *y, const char *key_)
{
	if (!y || y->form != YAML_MAP)
		return NULL;
	for (size_t i = 0; i < y->items.n; i++)
		if (text_eq(y->items.at[i].key, key_))
			return y->items.at[i].value;
	return NULL;
}

struct pos yaml_key_pos(const struct yaml *y, const char *key_)
{
	const struct yaml *value = yaml_get(y, key_);

	return value ? value->pos : y ? y->pos : nowhere;
}
