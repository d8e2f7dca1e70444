/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/arena.h"
#include "base/text.h"

/* Whether a terminal may act on a character instead of showing it. */
static bool is_steering(uint32_t c)
{
	if (c < 0x20 || (c >= 0x7F && c <= 0x9F))
		return true;
	/* Bidi_Control=Yes in the Unicode Character Database, PropList.txt */
	return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
	       (c >= 0x2066 && c <= 0x2069);
}

void text_add_safe(struct text *t, const char *s, size_t n)
{
	uint32_t c = 0;

	for (size_t len; n; s += len, n -= len) {
		len = text_char(s, n, &c);
		if (!len) {
			text_printf(t, "\\x%02X", (unsigned char)*s);
			len = 1;
		} else if (!is_steering(c)) {
			text_addn(t, s, len);
		} else if (c < 0x80) {
			text_printf(t, "\\x%02X", (unsigned)c);
		} else {
			text_printf(t, "\\u{%04X}", (unsigned)c);
		}
	}
}

const char *text_safe(struct arena *a, const char *s)
{
	struct text t = { .arena = a };
	size_t n = strlen(s), len;
	uint32_t c = 0;

	for (size_t i = 0; i < n; i += len) {
		len = text_char(s + i, n - i, &c);
		if (!len || is_steering(c)) {
			text_add_safe(&t, s, n);
			return text_str(&t);
		}
	}
	return s;
}

/* Bytes at the start that a terminal may act on, or that are no text. Line ends and tabs are what scripts are made of. */
static size_t count_steering(const char *s, size_t n)
{
	size_t count = 0, len;
	uint32_t c = 0;

	for (; count < n; count += len ? len : 1) {
		len = text_char(s + count, n - count, &c);
		if (len && (!is_steering(c) || c == '\n' || c == '\t'))
			break;
	}
	return count;
}

const char *text_quote_sh(struct arena *a, const char *word)
{
	struct text t = { .arena = a };
	size_t left = strlen(word), n;
	uint32_t c = 0;

	if (*word &&
	    !word[strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-")])
		return word;
	text_addc(&t, '\'');
	for (; left; word += n, left -= n) {
		n = count_steering(word, left);
		if (n) {
			/* The script is for people to read, too. sh gets the very bytes. */
			text_add(&t, "'\"$(printf '");
			for (size_t i = 0; i < n; i++)
				text_printf(&t, "\\%03o", (unsigned char)word[i]);
			text_add(&t, "')\"'");
			continue;
		}
		n = text_char(word, left, &c);
		if (c == '\'')
			text_add(&t, "'\\''");
		else
			text_addn(&t, word, n);
	}
	text_addc(&t, '\'');
	return text_str(&t);
}

const char *text_quote_json(struct arena *a, const char *s)
{
	struct text t = { .arena = a };
	size_t n = strlen(s);
	uint32_t c = 0;

	text_addc(&t, '"');
	for (size_t len; n; s += len, n -= len) {
		len = text_char(s, n, &c);
		if (!len) {
			text_add(&t, "\\ufffd");
			len = 1;
		} else if (c == '"' || c == '\\') {
			text_addc(&t, '\\');
			text_addc(&t, (char)c);
		} else if (c == '\n') {
			text_add(&t, "\\n");
		} else if (c == '\t') {
			text_add(&t, "\\t");
		} else if (is_steering(c)) {
			text_printf(&t, "\\u%04x", (unsigned)c);
		} else {
			text_addn(&t, s, len);
		}
	}
	text_addc(&t, '"');
	return text_str(&t);
}

const char *text_safe_json(struct arena *a, const char *json)
{
	struct text t = { .arena = a };
	size_t n = strlen(json), len;
	uint32_t c = 0;

	/* Between the strings there are line ends alone, and within them what is below a blank is escaped already. */
	for (; n; json += len, n -= len) {
		len = text_char(json, n, &c);
		if (!len) {
			text_add(&t, "\xEF\xBF\xBD"); /* as it is read back: U+FFFD */
			len = 1;
		} else if (c != '\n' && is_steering(c)) {
			text_printf(&t, "\\u%04x", (unsigned)c);
		} else {
			text_addn(&t, json, len);
		}
	}
	return text_str(&t);
}
