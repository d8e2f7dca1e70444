/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "layout/value.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>

#include "base/arena.h"
#include "layout/words.h"

int parse_error(struct parse *p, struct pos pos, const char *fmt, ...)
{
	va_list ap;

	if (p->muted)
		return -EINVAL;
	p->errors++;
	va_start(ap, fmt);
	(void)diag_error(p->diag, pos, "%s", arena_vprintf(p->arena, fmt, ap));
	va_end(ap);
	return -EINVAL;
}

const char *parse_shown(struct parse *p, const char *s)
{
	return text_short(p->arena, s);
}

static const char *form_name(const struct yaml *y)
{
	switch (y->form) {
	case YAML_NULL:
		return "nothing";
	case YAML_SCALAR:
		return "a single value";
	case YAML_LIST:
		return "a list";
	case YAML_MAP:
		return "a map";
	}
	return "";
}

int parse_shape(struct parse *p, const struct yaml *y, const char *what, const char *wanted)
{
	if (y->form != YAML_NULL)
		return parse_error(p, y->pos, "'%s' takes %s; this is %s", what, wanted, form_name(y));
	if (*y->text)
		return parse_error(p, y->pos, "'%s' takes %s; %s is no value%s", what, wanted, y->text,
				   strstr(wanted, "text") ? " (quote it where it is meant as text)" : "");
	return parse_error(p, y->pos, "'%s' has no value; it takes %s", what, wanted);
}

static bool is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7F && c < 0xA0);
}

int parse_text(struct parse *p, const struct yaml *y, const char *what, const char **ret)
{
	size_t left;

	if (y->form != YAML_SCALAR)
		return parse_shape(p, y, what, "a text");
	if (!*y->text)
		return parse_error(p, y->pos, "the text of '%s' is empty; leave the key out, or state one",
				   what);
	left = strlen(y->text);
	for (const char *s = y->text; left;) {
		uint32_t c = 0;
		size_t n = text_char(s, left, &c);

		if (!n) /* yaml_read() lets none through */
			return parse_error(p, y->pos, "the text of '%s' is not UTF-8", what);
		if (is_control(c))
			return parse_error(p, y->pos, "control character U+%04X in the text of '%s'%s", c,
					   what,
					   c == '\n'   ? " (a line end)"
					   : c == '\t' ? " (a tab)"
						       : "");
		s += n;
		left -= n;
	}
	*ret = y->text;
	return 0;
}

static int get_bool(struct parse *p, const char *what, const struct yaml *y, bool *ret)
{
	static const char *const words[] = { "yes", "on", "y", "no", "off", "n" };

	if (y->form != YAML_SCALAR)
		return parse_shape(p, y, what, "true or false");
	if (text_eq(y->text, "true") || text_eq(y->text, "false")) {
		*ret = text_eq(y->text, "true");
		return 0;
	}
	if (strcasecmp(y->text, "true") == 0 || strcasecmp(y->text, "false") == 0)
		return parse_error(p, y->pos, "'%s' takes true or false in small letters, not '%s'", what,
				   y->text);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcasecmp(words[i], y->text) == 0)
			return parse_error(p, y->pos,
					   "'%s' takes true or false; '%s' is a text in YAML 1.2, write %s",
					   what, y->text, i < 3 ? "true" : "false");
	return parse_error(p, y->pos, "'%s' takes true or false, not '%s'", what, parse_shown(p, y->text));
}

static int get_int(struct parse *p, const struct key *k, const char *what, const struct yaml *y, int64_t *ret)
{
	const char *s, *wanted = words_form(p->arena, k);
	int64_t max = k->max || k->min < 0 ? k->max : INT64_MAX;
	uint64_t n = 0;
	bool minus, far = false;

	if (y->form != YAML_SCALAR)
		return parse_shape(p, y, what, wanted);
	s = y->text;
	minus = *s == '-';
	s += minus;
	if (!*s || s[strspn(s, "0123456789")])
		return parse_error(p, y->pos, "'%s' takes %s, not '%s'", what, wanted,
				   parse_shown(p, y->text));
	/* Decimal whatever it begins with: 010 is ten here and eight elsewhere, and 08 is no number there. */
	for (; *s; s++) {
		far |= n > (uint64_t)INT64_MAX / 10;
		n = n * 10 + (uint64_t)(*s - '0');
	}
	if (far || n > (uint64_t)INT64_MAX || (minus ? -(int64_t)n : (int64_t)n) < k->min ||
	    (minus ? -(int64_t)n : (int64_t)n) > max)
		return parse_error(p, y->pos, "'%s' takes %s, and %s is out of that", what, wanted,
				   parse_shown(p, y->text));
	*ret = minus ? -(int64_t)n : (int64_t)n;
	return 0;
}

static int get_word(struct parse *p, const struct key *k, const char *what, const struct yaml *y,
		    const char **ret)
{
	const char *wanted = words_form(p->arena, k), *near;
	text_list list = words_split(p->arena, k->one_of);

	if (y->form != YAML_SCALAR)
		return parse_shape(p, y, what, wanted);
	if (!list.n)
		return parse_text(p, y, what, ret);
	for (size_t i = 0; i < list.n; i++)
		if (text_eq(list.at[i], y->text)) {
			*ret = list.at[i];
			return 0;
		}
	near = text_nearest(y->text, list.at, list.n);
	if (near)
		return parse_error(p, y->pos, "'%s' is no value for '%s', which takes %s; did you mean '%s'?",
				   parse_shown(p, y->text), what, wanted, near);
	return parse_error(p, y->pos, "'%s' is no value for '%s', which takes %s", parse_shown(p, y->text),
			   what, wanted);
}

static int get_texts(struct parse *p, const char *what, const struct yaml *y, text_list *ret)
{
	text_list list = { 0 };
	const char *s = NULL;
	int r = 0;

	if (y->form == YAML_SCALAR) {
		r = parse_text(p, y, what, &s);
		if (r < 0)
			return r;
		vec_push(p->arena, &list, s);
	} else if (y->form == YAML_LIST) {
		vec_each (const struct yaml_item *, it, &y->items) {
			if (p->errors >= PARSE_ERRORS_MAX)
				return -EINVAL;
			if (parse_text(p, it->value, what, &s) < 0)
				r = -EINVAL;
			else
				vec_push(p->arena, &list, s);
		}
	} else {
		return parse_shape(p, y, what, "a text, or a list of texts");
	}
	*ret = list;
	return r;
}

static int get_path(struct parse *p, const char *what, const struct yaml *y, const char **ret)
{
	const char *path = "";
	int r;

	if (y->form != YAML_SCALAR)
		return parse_shape(p, y, what, "an absolute path");
	r = parse_text(p, y, what, &path);
	if (r < 0)
		return r;
	if (*path != '/')
		return parse_error(p, y->pos, "'%s' takes an absolute path; '%s' does not begin with '/'",
				   what, parse_shown(p, path));
	if (strlen(path) >= PATH_MAX)
		return parse_error(p, y->pos, "the path '%s' has %zu bytes; the kernel takes %d",
				   parse_shown(p, path), strlen(path), PATH_MAX - 1);
	for (const char *s = path; *s && path[1]; s += 1 + strcspn(s + 1, "/")) {
		size_t n = strcspn(s + 1, "/");

		if (n > NAME_MAX)
			return parse_error(p, y->pos,
					   "a part of the path '%s' has %zu bytes; the kernel takes %d",
					   parse_shown(p, path), n, NAME_MAX);
		if (!n)
			return parse_error(
				p, y->pos,
				s[1] ? "the path '%s' has a double slash; write it with single ones"
				     : "the path '%s' ends with a slash; leave it out",
				parse_shown(p, path));
		if ((n == 1 && s[1] == '.') || (n == 2 && s[1] == '.' && s[2] == '.'))
			return parse_error(p, y->pos, "the path '%s' has a part '%.*s'; write where it leads",
					   parse_shown(p, path), (int)n, s + 1);
	}
	*ret = path;
	return 0;
}

/* A size whose message would be as long as itself. */
static int too_long(struct parse *p, const char *what, const struct yaml *y)
{
	return parse_error(p, y->pos, "'%s': '%s' is not a size", what, parse_shown(p, y->text));
}

static int get_bytes(struct parse *p, const char *what, const struct yaml *y, uint64_t *ret)
{
	const char *why = NULL;
	uint64_t bytes = 0;

	if (y->form != YAML_SCALAR)
		return parse_shape(p, y, what, "a size in bytes, such as 512M");
	if (parse_shown(p, y->text) != y->text)
		return too_long(p, what, y);
	if (units_parse_bytes(p->arena, y->text, &bytes, &why) < 0)
		return parse_error(p, y->pos, "'%s': %s", what, why ? why : "not a size");
	if (!bytes)
		return parse_error(p, y->pos, "'%s' can't be 0", what);
	*ret = bytes;
	return 0;
}

static int get_range(struct parse *p, const char *what, const struct yaml *y, struct size_want *ret)
{
	struct size_want range = { .form = SIZE_RANGE, .max = UINT64_MAX };
	int r = 0;

	if (!y->items.n)
		return parse_error(p, y->pos, "'%s' takes a map with min, max or both; this one is empty",
				   what);
	vec_each (const struct yaml_item *, it, &y->items) {
		const struct key *k = words_find(words_range, it->key);

		if (p->errors >= PARSE_ERRORS_MAX)
			return -EINVAL;
		if (!k)
			r = parse_error(p, it->key_pos, "'%s' is not a key of a size, which has min and max",
					parse_shown(p, it->key));
		else if (get_bytes(p, k->name, it->value, (uint64_t *)(void *)((char *)&range + k->offset)) <
			 0)
			r = -EINVAL;
	}
	if (r < 0)
		return r;
	if (range.min > range.max)
		return parse_error(p, yaml_key_pos(y, "max"), "max is %s, less than min, which is %s",
				   units_text(p->arena, range.max), units_text(p->arena, range.min));
	*ret = range;
	return 0;
}

static int get_size(struct parse *p, const char *what, const struct yaml *y, struct size_want *ret)
{
	const char *why = NULL;
	struct size_want want = { 0 };

	if (y->form == YAML_MAP)
		return get_range(p, what, y, ret);
	if (y->form != YAML_SCALAR)
		return parse_shape(p, y, what, "a size, such as 512M, 25%, rest or { min: 10G, max: 100G }");
	if (parse_shown(p, y->text) != y->text)
		return too_long(p, what, y);
	if (units_parse_size(p->arena, y->text, &want, &why) < 0)
		return parse_error(p, y->pos, "'%s': %s", what, why ? why : "not a size");
	if (want.form == SIZE_BYTES && !want.bytes)
		return parse_error(p, y->pos, "'%s' can't be 0", what);
	*ret = want;
	return 0;
}

static int get_uuid(struct parse *p, const char *what, const struct yaml *y, struct uuid *ret)
{
	struct uuid u;

	if (y->form != YAML_SCALAR)
		return parse_shape(p, y, what, "a UUID");
	if (uuid_read(y->text, &u) < 0)
		return parse_error(p, y->pos,
				   "'%s' is no UUID; one looks like 01234567-89ab-cdef-0123-456789abcdef",
				   parse_shown(p, y->text));
	if (uuid_is_zero(u))
		return parse_error(p, y->pos, "a UUID that is all zero means none; leave '%s' out instead",
				   what);
	*ret = u;
	return 0;
}

static int get_name(struct parse *p, const char *what, const struct yaml *y, const char *wanted,
		    struct names *ret)
{
	struct name_at *to = &ret->at[ret->n++];

	*to = (struct name_at){ .name = "", .pos = y->pos };
	if (y->form != YAML_SCALAR)
		return parse_shape(p, y, what, wanted);
	return parse_text(p, y, what, &to->name);
}

static int get_names(struct parse *p, const char *what, const struct yaml *y, struct names *ret)
{
	struct names names = { 0 };
	int r = 0;

	names.at = arena_alloc(p->arena, (y->form == YAML_LIST ? y->items.n + 1 : 1) * sizeof(*names.at));
	if (y->form != YAML_LIST) {
		r = get_name(p, what, y, "a name, or a list of names", &names);
	} else if (!y->items.n) {
		names.at[names.n++] = (struct name_at){ .name = "", .pos = y->pos };
		r = parse_error(p, y->pos, "'%s' is an empty list; it takes one name at least", what);
	} else
		vec_each (const struct yaml_item *, it, &y->items) {
			if (p->errors >= PARSE_ERRORS_MAX)
				break;
			if (get_name(p, what, it->value, "one name in each place of its list", &names) < 0)
				r = -EINVAL;
		}
	*ret = names;
	return r;
}

int parse_value(struct parse *p, const struct key *k, const char *what, const struct yaml *y, void *to)
{
	switch (k->form) {
	case KEY_BOOL:
		return get_bool(p, what, y, to);
	case KEY_INT:
		return get_int(p, k, what, y, to);
	case KEY_WORD:
		return get_word(p, k, what, y, to);
	case KEY_TEXT:
		return parse_text(p, y, what, to);
	case KEY_TEXTS:
		return get_texts(p, what, y, to);
	case KEY_PATH:
		return get_path(p, what, y, to);
	case KEY_SIZE:
		return get_size(p, what, y, to);
	case KEY_BYTES:
		return get_bytes(p, what, y, to);
	case KEY_UUID:
		return get_uuid(p, what, y, to);
	case KEY_NAMES:
		return get_names(p, what, y, to);
	case KEY_END:
	case KEY_MAP:
	case KEY_LIST:
	case KEY_NAMED:
		break;
	}
	return -EINVAL;
}
