/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/text.h"

/* A message and the notes that belong to it. */
struct group {
	const struct diag_message *head;
	VEC(const struct diag_message *) notes;
	size_t rank; /* of its file: the one that was named first comes first */
	bool told;   /* its like stands before it and has taken its notes */
};

struct groups {
	VEC(struct group) list;
};

static bool is_same_file(const char *a, const char *b)
{
	return a == b || text_eq(a, b);
}

static bool is_same(const struct diag_message *a, const struct diag_message *b)
{
	return a->severity == b->severity && a->pos.line == b->pos.line && a->pos.col == b->pos.col &&
	       is_same_file(a->pos.file, b->pos.file) && strcmp(a->text, b->text) == 0;
}

static void add_note(struct arena *a, struct group *g, const struct diag_message *note)
{
	vec_each (const struct diag_message **, it, &g->notes)
		if (is_same(*it, note))
			return;
	vec_push(a, &g->notes, note);
}

static int by_place(const void *va, const void *vb)
{
	const struct group *a = va, *b = vb;
	const struct pos *p = &a->head->pos, *q = &b->head->pos;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->rank != SIZE_MAX && p->line != q->line)
		return p->line < q->line ? -1 : 1;
	if (a->rank != SIZE_MAX && p->col != q->col)
		return p->col < q->col ? -1 : 1;
	return a->head < b->head ? -1 : a->head > b->head; /* both lie in one array, as they were said */
}

static const char *key_of(struct arena *a, const struct diag_message *m)
{
	return arena_printf(a, "%d %u %u %s\n%s", (int)m->severity, m->pos.line, m->pos.col,
			    m->pos.file ? m->pos.file : "", m->text);
}

/* A line may have thousands of them: the like of one is looked up. */
static void merge(struct arena *a, struct groups *groups)
{
	struct map first = { .arena = a };

	vec_each (struct group *, g, &groups->list) {
		const char *key = key_of(a, g->head);
		struct group *like = map_get(&first, key);

		if (!like) {
			(void)map_set(&first, key, g);
			continue;
		}
		vec_each (const struct diag_message **, note, &g->notes)
			add_note(a, like, *note);
		g->told = true;
	}
}

static struct groups in_order(struct arena *a, const struct diag *d)
{
	struct groups groups = { 0 };
	text_list files = { 0 };

	vec_each (const struct diag_message *, m, &d->messages) {
		struct group g = { .head = m, .rank = SIZE_MAX };

		if (m->severity == DIAG_NOTE && groups.list.n) {
			add_note(a, &groups.list.at[groups.list.n - 1], m);
			continue;
		}
		if (m->pos.file) {
			for (g.rank = 0; g.rank < files.n; g.rank++)
				if (is_same_file(files.at[g.rank], m->pos.file))
					break;
			if (g.rank == files.n)
				vec_push(a, &files, m->pos.file);
		}
		vec_push(a, &groups.list, g);
	}
	if (groups.list.n)
		qsort(groups.list.at, groups.list.n, sizeof(*groups.list.at), by_place);
	merge(a, &groups);
	return groups;
}

static const struct look {
	const char *word, *color, *json;
} looks[] = {
	[DIAG_NOTE] = { "note", "\033[1;36m", "note" },
	[DIAG_WARNING] = { "warning", "\033[1;35m", "warning" },
	[DIAG_ERROR] = { "error", "\033[1;31m", "error" },
	[DIAG_REFUSAL] = { "refused", "\033[1;31m", "refusal" },
};

static const char bold[] = "\033[1m", plain[] = "\033[0m";

struct line {
	const char *s;
	size_t len;
};

/* Line breaks are LF, CR LF and CR. Return: false past the last line. */
static bool find_line(const struct diag_source *src, unsigned number, struct line *ret)
{
	const char *p = src->text, *end;

	if (!src->len)
		return false;
	end = p + src->len;
	if (src->len >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0)
		p += 3; /* no parser counts a byte order mark as a column */
	for (unsigned i = 1; p < end; i++) {
		const char *stop = p;

		while (stop < end && *stop != '\n' && *stop != '\r')
			stop++;
		if (i == number) {
			*ret = (struct line){ p, (size_t)(stop - p) };
			return true;
		}
		if (stop < end && *stop == '\r' && stop + 1 < end && stop[1] == '\n')
			stop++;
		p = stop < end ? stop + 1 : end;
	}
	return false;
}

/* Columns that a character takes; a short form of East Asian Width, as terminals show it. */
static unsigned columns_of(uint32_t c)
{
	static const struct {
		uint32_t first, last;
		unsigned columns;
	} odd[] = {
		{ 0x0300, 0x036F, 0 },   { 0x1100, 0x115F, 2 },   { 0x200B, 0x200D, 0 },
		{ 0x2E80, 0xA4CF, 2 },   { 0xAC00, 0xD7A3, 2 },   { 0xF900, 0xFAFF, 2 },
		{ 0xFE00, 0xFE0F, 0 },   { 0xFE30, 0xFE6F, 2 },   { 0xFEFF, 0xFEFF, 0 },
		{ 0xFF00, 0xFF60, 2 },   { 0xFFE0, 0xFFE6, 2 },   { 0x1F300, 0x1F64F, 2 },
		{ 0x1F680, 0x1F6FF, 2 }, { 0x1F900, 0x1F9FF, 2 }, { 0x20000, 0x3FFFD, 2 },
	};

	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++)
		if (c >= odd[i].first && c <= odd[i].last)
			return odd[i].columns;
	return 1;
}

/* One character of a source line as it is shown. */
struct cell {
	const char *s;
	unsigned columns;
};

struct cells {
	VEC(struct cell) list;
	size_t skipped; /* characters left out before the first */
	bool more;      /* characters left out behind the last */
};

enum { SHOWN_COLUMNS = 100, COLUMNS_BEFORE = 40, NEAR = 2 * SHOWN_COLUMNS };

static struct cell show_char(struct arena *a, const char *s, size_t n, uint32_t c)
{
	const char *raw = c == '\t' ? " " : arena_strndup(a, s, n);
	const char *safe = text_safe(a, raw);

	if (!*raw)
		safe = "\\x00"; /* no parser lets it through, but the message may be about it */
	return (struct cell){ safe, safe == raw ? columns_of(c) : (unsigned)strlen(safe) };
}

static size_t count_chars(struct line line)
{
	size_t count = 0, len;
	uint32_t c;

	for (size_t i = 0; i < line.len; i += len ? len : 1, count++)
		len = text_char(line.s + i, line.len - i, &c);
	return count;
}

/* The characters near @col; of a line of a megabyte the rest is not looked at twice. */
static struct cells take_cells(struct arena *a, struct line line, size_t col)
{
	struct cells cells = { 0 };
	size_t i = 0, len;

	for (const char *p = line.s, *end = line.s + line.len; p < end; p += len, i++) {
		uint32_t c = 0xFFFD;

		len = text_char(p, (size_t)(end - p), &c);
		if (!len)
			len = 1;
		if (i + NEAR < col) {
			cells.skipped++;
		} else if (i > col + NEAR) {
			cells.more = true;
			break;
		} else {
			vec_push(a, &cells.list, show_char(a, p, len, c));
		}
	}
	return cells;
}

static unsigned columns_between(const struct cells *cells, size_t from, size_t to)
{
	unsigned sum = 0;

	for (size_t i = from; i < to && i < cells->list.n; i++)
		sum += cells->list.at[i].columns;
	return sum;
}

static void print_snippet(struct arena *a, const struct diag_source *src, const struct diag_message *m,
			  FILE *to, bool color)
{
	const struct look *look = &looks[m->severity];
	size_t col = m->pos.col ? m->pos.col - 1 : 0, width = m->pos.width ? m->pos.width : 1;
	size_t from, till, mark, count;
	struct cells cells;
	struct line line;
	unsigned tildes, indent;
	bool cut;

	if (!find_line(src, m->pos.line, &line))
		return;
	count = count_chars(line);
	if (col > count)
		col = count; /* the position is past the end: point just behind it */
	cells = take_cells(a, line, col);
	mark = col - cells.skipped;

	from = 0;
	till = cells.list.n;
	cut = cells.skipped || cells.more || columns_between(&cells, 0, till) > SHOWN_COLUMNS;
	if (cut) {
		for (from = mark; from > 0 && columns_between(&cells, from - 1, mark) <= COLUMNS_BEFORE;)
			from--;
		for (till = from;
		     till < cells.list.n && columns_between(&cells, from, till + 1) <= SHOWN_COLUMNS;)
			till++;
		while (till == cells.list.n && from > 0 &&
		       columns_between(&cells, from - 1, till) <= SHOWN_COLUMNS)
			from--;
	}

	(void)fprintf(to, "%5u | %s", m->pos.line, from || cells.skipped ? "..." : "");
	for (size_t i = from; i < till; i++)
		(void)fputs(cells.list.at[i].s, to);
	(void)fprintf(to, "%s\n", till < cells.list.n || cells.more ? "..." : "");
	if (!m->pos.col)
		return;

	indent = columns_between(&cells, from, mark) + (from || cells.skipped ? 3 : 0);
	if (width > till - mark)
		width = till - mark;
	tildes = columns_between(&cells, mark, mark + width);
	(void)fprintf(to, "      | %*s%s^", (int)indent, "", color ? look->color : "");
	for (unsigned i = 1; i < tildes; i++)
		(void)fputc('~', to);
	(void)fprintf(to, "%s\n", color ? plain : "");
}

static const struct diag_source *find_source(const struct diag *d, const char *file)
{
	vec_each (const struct diag_source *, s, &d->sources)
		if (s->file == file)
			return s;
	vec_each (const struct diag_source *, s, &d->sources)
		if (text_eq(s->file, file))
			return s;
	return NULL;
}

static void print_place(struct arena *a, const struct pos *pos, FILE *to, bool color)
{
	(void)fprintf(to, "%s%s:", color ? bold : "", pos->file ? text_safe(a, pos->file) : "stowage");
	if (pos->file && pos->line)
		(void)fprintf(to, "%u:", pos->line);
	if (pos->file && pos->line && pos->col)
		(void)fprintf(to, "%u:", pos->col);
	(void)fputs(color ? plain : "", to);
}

/* @below: what it belongs to stands before it, so that a note without a place of its own is told from others by its indent. */
static void print_message(struct arena *a, const struct diag *d, const struct diag_message *m, bool below,
			  FILE *to, bool color)
{
	const struct look *look = &looks[m->severity];
	const struct pos *pos = &m->pos;
	const struct diag_source *src = NULL;

	if (below && !pos->file)
		(void)fputs(" ", to);
	else
		print_place(a, pos, to, color);
	(void)fprintf(to, " %s%s:%s %s\n", color ? look->color : "", look->word, color ? plain : "",
		      text_safe(a, m->text));
	if (pos->file && pos->line && m->severity != DIAG_NOTE)
		src = find_source(d, pos->file);
	if (src)
		print_snippet(a, src, m, to, color);
}

/* What one mistake has brought about many times over is not read to its end. */
enum { MOST_OF_A_KIND = 100 };

void diag_print(const struct diag *d, FILE *to, bool color)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct groups groups = in_order(a, d);
	size_t errors = 0, warnings = 0;

	vec_each (const struct group *, g, &groups.list) {
		size_t *count = g->head->severity == DIAG_WARNING || g->head->severity == DIAG_NOTE
					? &warnings
					: &errors;

		if (g->told || ++*count > MOST_OF_A_KIND)
			continue;
		print_message(a, d, g->head, false, to, color);
		vec_each (const struct diag_message *const *, note, &g->notes)
			print_message(a, d, *note, true, to, color);
	}
	if (errors > MOST_OF_A_KIND)
		(void)fprintf(to, "stowage: %zu more errors are not shown\n", errors - MOST_OF_A_KIND);
	if (warnings > MOST_OF_A_KIND)
		(void)fprintf(to, "stowage: %zu more warnings are not shown\n", warnings - MOST_OF_A_KIND);
}

static void json_number(FILE *to, const char *name, unsigned n)
{
	if (n)
		(void)fprintf(to, ", \"%s\": %u", name, n);
	else
		(void)fprintf(to, ", \"%s\": null", name);
}

static void json_fields(struct arena *a, const struct diag_message *m, FILE *to)
{
	const struct pos *pos = &m->pos;

	(void)fprintf(to, "{\"severity\": \"%s\", \"file\": %s", looks[m->severity].json,
		      pos->file ? text_quote_json(a, pos->file) : "null");
	json_number(to, "line", pos->file ? pos->line : 0);
	json_number(to, "column", pos->file && pos->line ? pos->col : 0);
	(void)fprintf(to, ", \"message\": %s", text_quote_json(a, m->text));
}

void diag_print_json(const struct diag *d, FILE *to)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct groups groups = in_order(a, d);
	const char *sep = "[\n  ";

	vec_each (const struct group *, g, &groups.list) {
		const char *note_sep = "";

		if (g->told)
			continue;
		(void)fputs(sep, to);
		json_fields(a, g->head, to);
		(void)fputs(", \"notes\": [", to);
		vec_each (const struct diag_message *const *, note, &g->notes) {
			(void)fputs(note_sep, to);
			json_fields(a, *note, to);
			(void)fputs("}", to);
			note_sep = ", ";
		}
		(void)fputs("]}", to);
		sep = ",\n  ";
	}
	(void)fputs(groups.list.n ? "\n]\n" : "[]\n", to);
}
