/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/text.h"

#include <string.h>

#include "base/arena.h"

/* Makes room for @n more bytes and the NUL. */
static void make_room(struct text *t, size_t n)
{
	size_t need = t->len + n + 1, room = t->room ? t->room : 32;

	if (need <= t->room)
		return;
	while (room < need)
		room *= 2;
	t->s = arena_grow(t->arena, t->s, t->len, room);
	t->room = room;
}

void text_add(struct text *t, const char *s)
{
	text_addn(t, s, strlen(s));
}

void text_addn(struct text *t, const char *s, size_t n)
{
	if (!n)
		return;
	make_room(t, n);
	memcpy(t->s + t->len, s, n);
	t->len += n;
	t->s[t->len] = '\0';
}

void text_addc(struct text *t, char c)
{
	text_addn(t, &c, 1);
}

void text_printf(struct text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	text_add(t, arena_vprintf(t->arena, fmt, ap));
	va_end(ap);
}

const char *text_str(const struct text *t)
{
	return t->s ? t->s : "";
}

const char *text_join(struct arena *a, const text_list *list, const char *sep)
{
	struct text t = { .arena = a };

	for (size_t i = 0; i < list->n; i++) {
		if (i)
			text_add(&t, sep);
		text_add(&t, list->at[i]);
	}
	return text_str(&t);
}

bool text_eq(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

bool text_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* Well-formed sequences: The Unicode Standard, table 3-7. */
size_t text_char(const char *s, size_t n, uint32_t *ret)
{
	const unsigned char *b = (const unsigned char *)s;
	unsigned char low = 0x80, high = 0xBF;
	size_t len;
	uint32_t c;

	if (!n)
		return 0;
	if (b[0] < 0x80) {
		*ret = b[0];
		return 1;
	}
	if (b[0] < 0xC2 || b[0] > 0xF4)
		return 0;
	len = b[0] < 0xE0 ? 2 : b[0] < 0xF0 ? 3 : 4;
	if (n < len)
		return 0;
	if (b[0] == 0xE0)
		low = 0xA0; /* below: overlong */
	else if (b[0] == 0xED)
		high = 0x9F; /* above: surrogates */
	else if (b[0] == 0xF0)
		low = 0x90; /* below: overlong */
	else if (b[0] == 0xF4)
		high = 0x8F; /* above: past U+10FFFF */
	if (b[1] < low || b[1] > high)
		return 0;
	c = b[0] & (0x7Fu >> len);
	for (size_t i = 1; i < len; i++) {
		if ((b[i] & 0xC0) != 0x80)
			return 0;
		c = c << 6 | (b[i] & 0x3F);
	}
	*ret = c;
	return len;
}

enum { SHORT_MAX = 80 };

const char *text_short(struct arena *a, const char *s)
{
	size_t n = strnlen(s, SHORT_MAX + 1);

	if (n <= SHORT_MAX)
		return s;
	for (n = SHORT_MAX; n && ((unsigned char)s[n] & 0xC0) == 0x80;)
		n--;
	return arena_printf(a, "%.*s...", (int)n, s);
}

bool text_valid_utf8(const char *s, size_t n)
{
	uint32_t c;

	for (size_t len; n; s += len, n -= len) {
		len = text_char(s, n, &c);
		if (!len || !c)
			return false;
	}
	return true;
}

size_t text_utf16_units(const char *s)
{
	size_t units = 0;

	for (; *s; s++) {
		unsigned char b = (unsigned char)*s;

		if ((b & 0xC0) != 0x80)
			units += b >= 0xF0 ? 2 : 1; /* past U+FFFF: a surrogate pair */
	}
	return units;
}

enum { LONGEST_WORD = 63 };

static char fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Optimal string alignment: insert, delete, replace, swap two neighbours. Words of LONGEST_WORD bytes at
 * most. */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t rows[3][LONGEST_WORD + 1];
	size_t *before = rows[0], *above = rows[1], *row = rows[2];

	for (size_t j = 0; j <= b_len; j++)
		row[j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		size_t *spare = before;

		before = above;
		above = row;
		row = spare;
		row[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			size_t other = fold(a[i - 1]) != fold(b[j - 1]);

			row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + other);
			if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
			    fold(a[i - 2]) == fold(b[j - 1]))
				row[j] = least(row[j], before[j - 2] + 1);
		}
	}
	return row[b_len];
}

const char *text_nearest(const char *word, const char *const *list, size_t n)
{
	size_t word_len = strlen(word), best = SIZE_MAX;
	const char *nearest = NULL;

	if (word_len > LONGEST_WORD)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(list[i]), d;

		if (len > LONGEST_WORD)
			continue;
		d = distance(word, word_len, list[i], len);
		if (d < best && d * 3 <= (len > word_len ? len : word_len)) {
			best = d;
			nearest = list[i];
		}
	}
	return nearest;
}
