/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdarg.h>

#include "base/arena.h"
#include "tech/kind.h"

void why_add(struct why *why, const char *key, const char *fmt, ...)
{
	struct why_line line = { .key = key };
	va_list ap;

	va_start(ap, fmt);
	line.text = arena_vprintf(why->arena, fmt, ap);
	va_end(ap);
	vec_push(why->arena, &why->lines, line);
}

void why_is(struct why *why, enum why_class class)
{
	assert(why->lines.n);
	why->lines.at[why->lines.n - 1].class = class;
}

void why_anew(struct why *why)
{
	assert(why->lines.n);
	why->lines.at[why->lines.n - 1].anew = true;
}

void why_grows(struct why *why, uint64_t from, uint64_t to)
{
	assert(why->lines.n);
	why->lines.at[why->lines.n - 1].grow_from = from;
	why->lines.at[why->lines.n - 1].grow_to = to;
}

void why_at(struct why *why, struct pos pos)
{
	assert(why->lines.n);
	why->lines.at[why->lines.n - 1].pos = pos;
}

void why_absent(struct why *why)
{
	why_add(why, NULL, "isn't there");
	why_is(why, WHY_MISSING);
}
