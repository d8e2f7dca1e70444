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

static void pad(struct text *out, size_t n)
{
	while (n--)
		text_addc(out, ' ');
}

/* Bytes of @s that fit into @width columns, broken at a blank where there is one. */
static size_t fitting(const char *s, size_t width)
{
	size_t columns = 0, blank = 0, i;

	for (i = 0; s[i]; i++) {
		if (((unsigned char)s[i] & 0xC0) != 0x80 && columns++ == width)
			return blank ? blank : i;
		if (s[i] == ' ')
			blank = i;
	}
	return i;
}

/* @at: the column at which the tail begins; @used: columns that are taken in this line. */
static void print_tail(const struct columns *c, const struct columns_row *row, size_t at, size_t used,
		       struct text *out)
{
	const char *s = row->tail;
	const char *under = row->under ? row->under : "";
	size_t room = at + NARROWEST_TAIL > COLUMNS_WIDTH ? NARROWEST_TAIL : COLUMNS_WIDTH - at;
	size_t first = columns_width(c->indent) + columns_width(under) + 4;
	bool is_first = true;

	while (*s) {
		size_t n = fitting(s, room);

		if (is_first) {
			pad(out, at > used ? at - used : 0);
		} else {
			text_printf(out, "\n%s%s", c->indent, under);
			pad(out, 4);
		}
		text_addn(out, s, n);
		s += n;
		s += strspn(s, " ");
		room = first + NARROWEST_TAIL > COLUMNS_WIDTH ? NARROWEST_TAIL : COLUMNS_WIDTH - first;
		is_first = false;
	}
}

static bool is_last(const struct columns_row *row, size_t i)
{
	for (size_t k = i + 1; k < COLUMNS_MOST && row->cells[k]; k++)
		if (*row->cells[k])
			return false;
	return !row->tail || !*row->tail;
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
		size_t used = columns_width(c->indent);

		text_add(out, c->indent);
		for (size_t i = 0; i < COLUMNS_MOST && row->cells[i]; i++) {
			size_t w = columns_width(row->cells[i]);
			size_t gap = widths[i] > w ? widths[i] - w : 0;
			bool last = is_last(row, i);

			if (c->right & (1u << i))
				pad(out, gap);
			text_add(out, columns_style(c->arena, c->color, i ? STYLE_PLAIN : row->style,
						    row->cells[i]));
			if (last)
				break;
			if (!(c->right & (1u << i)))
				pad(out, gap);
			pad(out, widths[i] ? 2 : 0);
			used += w + gap + (widths[i] ? 2 : 0);
		}
		if (row->tail && *row->tail)
			print_tail(c, row, at, used, out);
		text_addc(out, '\n');
	}
}
