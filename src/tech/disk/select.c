/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "base/arena.h"
#include "machine/machine.h"
#include "plan/loss.h"
#include "plan/settle.h"
#include "tech/disk/disk.h"

static int parse_one(struct arena *a, const char *s, size_t n, uint64_t *ret, const char **ret_why)
{
	while (n && *s == ' ')
		s++, n--;
	while (n && s[n - 1] == ' ')
		n--;
	return units_parse_bytes(a, arena_strndup(a, s, n), ret, ret_why) < 0 ? -EINVAL : 0;
}

int disk_parse_size(struct arena *a, const char *s, struct size_span *ret, const char **ret_why)
{
	static const char *const comparisons[] = { ">=", "<=", ">", "<", "=" };
	const char *dots = strstr(s, "..");
	const char *op = "";
	uint64_t low, high;

	if (dots) {
		if (parse_one(a, s, (size_t)(dots - s), &low, ret_why) < 0 ||
		    parse_one(a, dots + 2, strlen(dots + 2), &high, ret_why) < 0)
			return -EINVAL;
		if (low > high) {
			*ret_why = arena_printf(a, "'%s' begins with the larger size", s);
			return -EINVAL;
		}
		*ret = (struct size_span){ .min = low, .max = high };
		return 0;
	}
	for (size_t i = 0; i < sizeof(comparisons) / sizeof(comparisons[0]) && !*op; i++)
		if (text_starts(s, comparisons[i]))
			op = comparisons[i];
	if (parse_one(a, s + strlen(op), strlen(s + strlen(op)), &low, ret_why) < 0)
		return -EINVAL;
	if ((*op == '<' && !low) || (text_eq(op, ">") && low == UINT64_MAX)) {
		*ret_why = arena_printf(a, "no disk has a size '%s'", s);
		return -EINVAL;
	}
	*ret = (struct size_span){ .min = low, .max = low };
	if (*op == '>')
		*ret = (struct size_span){ .min = op[1] ? low : low + 1, .max = UINT64_MAX };
	else if (*op == '<')
		*ret = (struct size_span){ .min = 0, .max = op[1] ? low : low - 1 };
	return 0;
}

const char *disk_id(struct arena *a, const struct blockdev *dev)
{
	if (dev->wwn)
		return arena_printf(a, "wwn:%s", dev->wwn);
	return dev->serial ? arena_printf(a, "serial:%s", dev->serial) : NULL;
}

const char *disk_id_or_name(struct arena *a, const struct blockdev *dev, const char *name)
{
	const char *id = disk_id(a, dev);

	return id ? id : arena_printf(a, "name:%s", name);
}

static bool is_like(const char *pattern, const char *s)
{
	return fnmatch(pattern, s, FNM_CASEFOLD) == 0;
}

static bool has_path_like(const struct blockdev *dev, const char *pattern)
{
	if (is_like(pattern, dev->path))
		return true;
	vec_each (const char *const *, link, &dev->links)
		if (is_like(pattern, *link))
			return true;
	return false;
}

static void add(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	text_printf(t, "%s%s", t->len ? ", " : "", arena_vprintf(t->arena, fmt, ap));
	va_end(ap);
}

/* @what: "serial number". @value: NULL: it has none. */
static void add_unlike(struct text *t, const char *pattern, const char *what, const char *value)
{
	if (!pattern)
		return;
	if (!value)
		add(t, "has no %s", what);
	else if (!is_like(pattern, value))
		add(t, "has the %s '%s'", what, value);
}

const char *disk_part_of(const struct settle *s, const struct blockdev *dev)
{
	vec_each (const char *const *, name, &dev->holders) {
		const struct blockdev *holder = map_get(&s->losses->machine->by_name, *name);

		if (holder && text_eq(holder->dm_target, "multipath"))
			return holder->dm_name ? arena_printf(s->arena, "/dev/mapper/%s", holder->dm_name)
					       : holder->path;
	}
	return NULL;
}

const char *disk_misfit(const struct settle *s, const struct match_item *match, const struct blockdev *dev)
{
	struct text t = { .arena = s->arena };
	const char *whole = disk_part_of(s, dev), *why;
	struct size_span span;

	if (whole)
		add(&t, "is one of the ways to %s", whole);
	if (dev->read_only)
		add(&t, "is read-only");
	if (match->size && disk_parse_size(s->arena, match->size, &span, &why) == 0 &&
	    (dev->size < span.min || dev->size > span.max))
		add(&t, "has %s", units_exact(s->arena, dev->size));
	if (match->transport && !text_eq(match->transport, dev->transport))
		add(&t, dev->transport ? "is connected by %s" : "is connected in a way that isn't known%s",
		    dev->transport ? dev->transport : "");
	if (item_has(&match->item, "rotational") && match->rotational != dev->rotational)
		add(&t, dev->rotational ? "is rotational" : "isn't rotational");
	if (match->path && !has_path_like(dev, match->path))
		add(&t, "has no path like that");
	add_unlike(&t, match->serial, "serial number", dev->serial);
	add_unlike(&t, match->wwn, "WWN", dev->wwn);
	add_unlike(&t, match->model, "model", dev->model);
	add_unlike(&t, match->vendor, "vendor", dev->vendor);
	return text_str(&t);
}
