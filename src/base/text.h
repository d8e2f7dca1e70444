/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct arena;

/* A list of strings, in an arena. */
typedef VEC(const char *) text_list; /* the one typedef: C has no other name for a shared anonymous struct */

/* A growing string in an arena. Set up with { .arena = a }; .s is NUL-terminated or NULL while empty. */
struct text {
	struct arena *arena;
	char *s;
	size_t len, room;
};

void text_add(struct text *t, const char *s);
void text_addn(struct text *t, const char *s, size_t n);
void text_addc(struct text *t, char c);
void text_printf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** text_str() - the string so far, "" while empty. Valid until the next addition. */
const char *text_str(const struct text *t);

/** text_join() - the strings of a list with @sep between them. */
const char *text_join(struct arena *a, const text_list *list, const char *sep);

bool text_eq(const char *a, const char *b); /* NULL equals only NULL */
bool text_starts(const char *s, const char *prefix);

/**
 * text_safe() - a text as a terminal may show it
 * Control characters, DEL, C1 controls, bidirectional controls and invalid UTF-8 come out as \xNN or
 * \u{NNNN}.
 *
 * Return: @s itself where nothing had to change, else a copy in @a.
 */
const char *text_safe(struct arena *a, const char *s);

/** text_add_safe() - adds @n bytes as text_safe() shows them; a NUL among them comes out as \x00. */
void text_add_safe(struct text *t, const char *s, size_t n);

/**
 * text_char() - the first character of a UTF-8 text of @n bytes
 * @ret: its code point, 0 for a NUL
 * Return: bytes that it takes, 1 to 4; 0 where @n is 0 or the text does not begin with a well-formed
 * character.
 */
size_t text_char(const char *s, size_t n, uint32_t *ret);

/** text_short() - a text for a message: cut where it is longer than anybody reads. Return: @s itself, or in @a. */
const char *text_short(struct arena *a, const char *s);

/** text_valid_utf8() - whether @n bytes are well-formed UTF-8 without NUL. */
bool text_valid_utf8(const char *s, size_t n);

/** text_utf16_units() - UTF-16 code units that a well-formed UTF-8 text takes; GPT names are counted so. */
size_t text_utf16_units(const char *s);

/**
 * text_nearest() - the word of a list that a person may have meant
 * Return: the nearest by edit distance (with transpositions, upper and lower case being one), the first of
 * several; NULL where none is near: more than a third of the bytes of the longer word differ, or a word has
 * more than 63.
 */
const char *text_nearest(const char *word, const char *const *list, size_t n);

/**
 * text_quote_sh() - a word as sh reads it back unchanged: bare where that is safe, else in '...' with '\''
 * inside. What text_safe() changes, but for line ends and tabs, is printed by the script itself: "$(printf '\302\205')".
 *
 * For arguments: in the place of a command, a bare a=b or a reserved word would mean something else.
 * Return: @word itself where it stays bare, else a copy in @a.
 */
const char *text_quote_sh(struct arena *a, const char *word);

/**
 * text_quote_json() - as a JSON string with its quotes
 * What text_safe() changes comes out as \uNNNN, each byte of invalid UTF-8 as \ufffd: valid JSON and safe to
 * show.
 */
const char *text_quote_json(struct arena *a, const char *s);

/** text_safe_json() - JSON of another writer, made safe to show: what text_safe() changes comes out as \uNNNN, no UTF-8 as \ufffd. */
const char *text_safe_json(struct arena *a, const char *json);
