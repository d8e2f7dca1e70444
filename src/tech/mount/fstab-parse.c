/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tech/mount/fstab-parse.h"

#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/text.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

static void split(struct fstab_line *l)
{
	const char *p = l->all.at, *end = p + l->all.len;

	/* A line with a NUL is broken: programs that read it see another, shorter one. */
	if (memchr(p, '\0', l->all.len))
		return;
	while (l->fields < FSTAB_FIELDS) {
		while (p < end && is_blank(*p))
			p++;
		/* In the first three fields only the first '#' of a line begins a comment: "nas:#1" and "/srv/#1" are names. */
		if (p == end || (*p == '#' && (!l->fields || l->fields > FSTAB_TYPE)))
			break;
		l->field[l->fields].at = p;
		while (p < end && !is_blank(*p))
			p++;
		l->field[l->fields].len = (size_t)(p - l->field[l->fields].at);
		l->fields++;
	}
	l->entry = l->fields > FSTAB_TYPE;
}

bool fstab_next(const char *text, size_t len, size_t *pos, struct fstab_line *ret)
{
	struct fstab_line l = { .number = ret->number + 1 };
	const char *start = text + *pos, *newline;
	size_t left = len - *pos;

	if (!left)
		return false;
	newline = memchr(start, '\n', left);
	l.all.at = start;
	l.all.len = newline ? (size_t)(newline - start) : left;
	/* A carriage return before the newline belongs to the end; mount(8) drops it, too. */
	if (newline && l.all.len && start[l.all.len - 1] == '\r')
		l.all.len--;
	l.end.at = start + l.all.len;
	l.end.len = newline ? (size_t)(newline + 1 - l.end.at) : 0;
	*pos += l.all.len + l.end.len;
	split(&l);
	*ret = l;
	return true;
}

char *fstab_decode(struct arena *a, struct fstab_bytes field)
{
	char *s = arena_alloc(a, field.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < field.len; i++) {
		const char *p = field.at + i;

		if (*p == '\\' && field.len - i > 3 && p[1] >= '0' && p[1] <= '3' && is_octal(p[2]) &&
		    is_octal(p[3])) {
			int byte = (p[1] - '0') * 64 + (p[2] - '0') * 8 + (p[3] - '0');

			if (byte) {
				s[n++] = (char)byte;
				i += 3;
				continue;
			}
		}
		s[n++] = *p;
	}
	return s;
}

const char *fstab_encode(struct arena *a, const char *s)
{
	struct text t = { .arena = a };

	if (!s || !*s)
		return NULL;
	for (const char *p = s; *p; p++) {
		unsigned char c = (unsigned char)*p;

		if (c <= ' ' || c == 0x7f || c == '\\' || (c == '#' && p == s))
			text_printf(&t, "\\%03o", c);
		else
			text_addc(&t, *p);
	}
	return text_str(&t);
}

void fstab_put(struct text *out, const struct fstab_line *line, const char *const field[FSTAB_FIELDS])
{
	static const char *const filler[FSTAB_FIELDS] = { "none", "none", "auto", "defaults", "0", "0" };
	const char *p = line->all.at, *sep = line->fields && memchr(p, '\t', line->all.len) ? "\t" : " ";
	unsigned last = 0;

	for (unsigned i = 0; i < FSTAB_FIELDS; i++)
		if (field[i])
			last = i + 1;
	for (unsigned i = 0; i < line->fields; i++) {
		const char *at = line->field[i].at, *end = at + line->field[i].len;

		text_addn(out, p, (size_t)(at - p));
		if (field[i])
			text_add(out, field[i]);
		else
			text_addn(out, at, (size_t)(end - at));
		p = end;
	}
	for (unsigned i = line->fields; i < last; i++)
		text_printf(out, "%s%s", i ? sep : "", field[i] ? field[i] : filler[i]);
	text_addn(out, p, (size_t)(line->end.at + line->end.len - p));
}

/* The length of the name in "NAME=value", 0 for a path. */
static size_t tag_len(const char *source)
{
	const char *eq = strchr(source, '=');

	return eq && *source != '/' ? (size_t)(eq - source) : 0;
}

static struct fstab_bytes tag_value(const char *source)
{
	const char *v = source + tag_len(source) + 1;
	size_t len = strlen(v);

	if (len >= 2 && (*v == '"' || *v == '\'') && v[len - 1] == *v)
		return (struct fstab_bytes){ v + 1, len - 2 };
	return (struct fstab_bytes){ v, len };
}

bool fstab_same_source(const char *a, const char *b)
{
	size_t name = tag_len(a);
	struct fstab_bytes x, y;

	if (!name || name != tag_len(b) || strncmp(a, b, name) != 0)
		return !strcmp(a, b);
	x = tag_value(a);
	y = tag_value(b);
	if (x.len != y.len)
		return false;
	return name >= 4 && !strncmp(a + name - 4, "UUID", 4) ? !strncasecmp(x.at, y.at, x.len)
							      : !memcmp(x.at, y.at, x.len);
}

const char *fstab_tag(struct arena *a, const char *source, const char *tag)
{
	struct fstab_bytes v;

	if (tag_len(source) != strlen(tag) || strncmp(source, tag, strlen(tag)) != 0)
		return NULL;
	v = tag_value(source);
	return arena_strndup(a, v.at, v.len);
}

bool fstab_has_option(const char *options, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = options; *p; p += strcspn(p, ","), p += *p == ',')
		if (!strncmp(p, name, len) && (!p[len] || p[len] == ',' || p[len] == '='))
			return true;
	return false;
}

/* Compares by components. Return: what is left of each where they differ or one ends; "" there. */
static void skip_common(const char **a, const char **b)
{
	for (;;) {
		const char *x = *a + strspn(*a, "/"), *y = *b + strspn(*b, "/");
		size_t n = strcspn(x, "/");

		*a = x;
		*b = y;
		if (!n || n != strcspn(y, "/") || strncmp(x, y, n) != 0)
			return;
		*a += n;
		*b += n;
	}
}

bool fstab_same_target(const char *a, const char *b)
{
	if (*a != '/' || *b != '/')
		return !strcmp(a, b);
	skip_common(&a, &b);
	return !*a && !*b;
}

bool fstab_is_below(const char *p, const char *dir)
{
	if (*p != '/' || *dir != '/')
		return false;
	skip_common(&p, &dir);
	return !*dir && *p;
}
