/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tech/twins.h"

#include <ctype.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"
#include "machine/machine.h"
#include "plan/settle.h"
#include "tech/kind.h"

enum { MOST_NAMES = 4 };

static const char *lower(struct arena *a, const char *s)
{
	char *r = arena_strdup(a, s);

	for (char *c = r; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return r;
}

/* What is all zeroes was never drawn. */
static const char *key_of(const struct settle *s, twins_key *key, const struct blockdev *b)
{
	const char *k = key(s->arena, s->machine, b);

	return k && k[strspn(k, "0x-")] ? lower(s->arena, k) : NULL;
}

static bool shows_through(const struct settle *s, twins_key *key, const struct blockdev *b, const char *mine)
{
	const struct blockdev *disk = b->parent ? machine_dev(s->machine, b->parent) : NULL;

	vec_each (const char *const *, name, &b->holders) {
		const struct blockdev *up = machine_dev(s->machine, *name);

		if (up && text_eq(key_of(s, key, up), mine))
			return true;
	}
	if (disk)
		vec_each (const char *const *, name, &disk->holders) {
			const struct blockdev *up = machine_dev(s->machine, *name);

			/* Their partitions are those of the device that joins them. */
			if (up && (text_eq(up->dm_target, "multipath") || text_eq(up->type, "md")))
				return true;
		}
	return false;
}

struct twins {
	text_list paths;
};

void twins_tell(const struct settle *s, struct why *why, twins_key *key, const char *what)
{
	struct map by_key = { .arena = s->arena };

	vec_each (struct blockdev *const *, b, &s->machine->devs) {
		const char *k = key_of(s, key, *b);
		struct twins *t = k ? map_get(&by_key, k) : NULL;

		if (!k || shows_through(s, key, *b, k))
			continue;
		if (!t) {
			t = arena_of(s->arena, struct twins);
			(void)map_set(&by_key, k, t);
		}
		vec_push(s->arena, &t->paths, (*b)->path);
	}
	map_each (it, &by_key) {
		struct twins *t = it->value;
		struct text more = { .arena = s->arena };

		if (t->paths.n < 2)
			continue;
		if (t->paths.n > MOST_NAMES) {
			text_printf(&more, " and %zu more", t->paths.n - MOST_NAMES);
			t->paths.n = MOST_NAMES;
		}
		why_add(why, NULL,
			"%s%s bear one identifier as %s, %s: is one a clone? Which is taken is chance",
			text_join(s->arena, &t->paths, more.len ? ", " : " and "), text_str(&more), what,
			it->key);
		why_is(why, WHY_DANGEROUS);
	}
}
