/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/settle.h"
#include "base/arena.h"
#include "tech/kind.h"

struct uuid settle_uuid(const struct settle *s, const struct node *n, const char *role)
{
	return uuid_derive(arena_printf(s->arena, "%s\n%s\n%s\n%s\n%s", s->seed, n->id ? n->id : "",
					n->kind->name, n->name, role));
}
