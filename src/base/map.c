/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/map.h"

#include <stdint.h>
#include <string.h>

#include "base/arena.h"

/* FNV-1a, see http://www.isthe.com/chongo/tech/comp/fnv/ */
static uint64_t hash(const char *key)
{
	uint64_t h = UINT64_C(14695981039346656037);

	for (; *key; key++)
		h = (h ^ (unsigned char)*key) * UINT64_C(1099511628211);
	return h;
}

static struct map_item *find(const struct map *m, const char *key)
{
	if (!m->n)
		return NULL;
	for (size_t i = m->buckets[hash(key) & (m->bucket_count - 1)]; i; i = m->items[i - 1].next)
		if (strcmp(m->items[i - 1].key, key) == 0)
			return &m->items[i - 1];
	return NULL;
}

static void hang(struct map *m, size_t i)
{
	size_t *bucket = &m->buckets[hash(m->items[i].key) & (m->bucket_count - 1)];

	m->items[i].next = *bucket;
	*bucket = i + 1;
}

/* One bucket per item that fits; a power of two. */
static void grow(struct map *m)
{
	size_t room = m->room ? m->room * 2 : 8;

	m->items = arena_grow(m->arena, m->items, m->n * sizeof(*m->items), room * sizeof(*m->items));
	m->room = room;
	m->buckets = arena_alloc(m->arena, room * sizeof(*m->buckets));
	m->bucket_count = room;
	for (size_t i = 0; i < m->n; i++)
		hang(m, i);
}

void *map_get(const struct map *m, const char *key)
{
	const struct map_item *it = find(m, key);

	return it ? it->value : NULL;
}

void *map_set(struct map *m, const char *key, void *value)
{
	struct map_item *it = find(m, key);

	if (it) {
		void *old = it->value;

		it->value = value;
		return old;
	}
	if (m->n == m->room)
		grow(m);
	m->items[m->n] = (struct map_item){ .key = key, .value = value };
	hang(m, m->n);
	m->n++;
	return NULL;
}
