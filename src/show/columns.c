/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/columns.h"

#include <string.h>

#include "base/arena.h"

enum { WIDEST_CELL = 44, NARROWEST_TAIL = 30 };

size_t columns_width(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xC0) != 0x80;
	return n;
}

const char *columns_style(struct arena *a, bool color, enum columns_style style, const char *s)
{
	const char *code = NULL;

	switch (style) {
	case STYLE_PLAIN:
		return s;
	case STYLE_BOLD:
		code = "1";
		break;
	case STYLE_DIM:
		code = "2";
		break;
	case STYLE_GREEN:
		code = "32";
		break;
	case STYLE_RED:
		code = "31";
		break;
	case STYLE_YELLOW:
		code = "33";
		break;
	}
	return color && *s ? arena_printf(a, "\033[%sm%s\033[0m", code, s) : s;
}

void columns_heading(struct arena *a, bool color, const char *s, struct text *out)
{
	text_printf(out, "%s%s\n", out->len ? "\n" : "", columns_style(a, color, STYLE_BOLD, s));
}

static void pad(struct text *out, size_t n)
{
	while (n--)
		text_addc(out, ' ');
}

/* Bytes of @s that fit into @width columns, broken at a blank where there is one, and rather behind a comma or semicolon. */
static size_t fitting(const char *s, size_t width)
{
	size_t columns = 0, blank = 0, clause = 0, comma = 0, i;

	for (i = 0; s[i]; i++) {
		if (((unsigned char)s[i] & 0xC0) != 0x80 && columns++ == width)
			return clause ? clause : blank ? blank : comma ? comma : i;
		if (s[i] == ',')
			comma = i + 1; /* long lists of options have no blank */
		if (s[i] != ' ')
			continue;
		blank = i;
		if (i && (s[i - 1] == ',' || s[i - 1] == ';') && columns > width * 2 / 3)
			clause = i;
	}
	return i;
}

/* Whether the tail has to begin below the cells: what is left of their line is too narrow for a text that takes several. */
static bool is_below(const struct columns_row *row, size_t start)
{
	return start + NARROWEST_TAIL > COLUMNS_WIDTH && start + columns_width(row->tail) > COLUMNS_WIDTH;
}

/* @at: the column at which the tail begins, below the cells where @below says so. */
static void print_tail(const struct columns *c, const struct columns_row *row, size_t at, size_t used,
		       bool below, struct text *out)
{
	const char *s = row->tail, *under = row->under ? row->under : "";
	size_t bars = columns_width(c->indent) + columns_width(under), start = used > at ? used : at;

	if (below)
		at = bars + 4;
	while (*s) {
		bool beside = s == row->tail && !below;
		size_t from = beside ? start : at, n;

		if (beside) {
			pad(out, start - used);
		} else {
			text_printf(out, "\n%s%s", c->indent, under);
			pad(out, at > bars ? at - bars : 0);
		}
		n = fitting(s, !beside && from + NARROWEST_TAIL > COLUMNS_WIDTH ? NARROWEST_TAIL
										: COLUMNS_WIDTH - from);
		text_addn(out, s, n);
		s += n;
		s += strspn(s, " ");
	}
}

static bool is_last(const struct columns_row *row, size_t i, bool tail_follows)
{
	for (size_t k = i + 1; k < COLUMNS_MOST && row->cells[k]; k++)
		if (*row->cells[k])
			return false;
	return !tail_follows;
}

/* How far the cells of a row reach. */
static size_t row_end(const struct columns *c, const struct columns_row *row, const size_t *widths)
{
	size_t end = columns_width(c->indent);

	for (size_t i = 0; i < COLUMNS_MOST && row->cells[i]; i++) {
		size_t w = columns_width(row->cells[i]);

		end += (widths[i] > w ? widths[i] : w) + (widths[i] ? 2 : 0);
	}
	return end;
}

void columns_print(const struct columns *c, struct text *out)
{
	size_t widths[COLUMNS_MOST] = { 0 }, count = 0, at = columns_width(c->indent);

	vec_each (const struct columns_row *, row, &c->rows)
		for (size_t i = 0; i < COLUMNS_MOST && row->cells[i]; i++) {
			size_t w = columns_width(row->cells[i]);

			w = w > WIDEST_CELL ? WIDEST_CELL : w;
			widths[i] = w > widths[i] ? w : widths[i];
			count = i + 1 > count ? i + 1 : count;
		}
	for (size_t i = 0; i < count; i++)
		at += widths[i] ? widths[i] + 2 : 0;

	vec_each (const struct columns_row *, row, &c->rows) {
		bool has_tail = row->tail && *row->tail;
		size_t used = row_end(c, row, widths);
		bool below = has_tail && is_below(row, used > at ? used : at);

		text_add(out, c->indent);
		for (size_t i = 0; i < COLUMNS_MOST && row->cells[i]; i++) {
			size_t w = columns_width(row->cells[i]);
			size_t gap = widths[i] > w ? widths[i] - w : 0;
			bool last = is_last(row, i, has_tail && !below);

			if (c->right & (1u << i))
				pad(out, gap);
			text_add(out, columns_style(c->arena, c->color, i ? STYLE_PLAIN : row->style,
						    row->cells[i]));
			if (last)
				break;
			if (!(c->right & (1u << i)))
				pad(out, gap);
			pad(out, widths[i] ? 2 : 0);
		}
		if (has_tail)
			print_tail(c, row, at, used, below, out);
		text_addc(out, '\n');
	}
}
