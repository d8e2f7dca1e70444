/* SPDX-License-Identifier: GPL-2.0-or-later */
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
