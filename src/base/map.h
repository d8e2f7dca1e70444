/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>

struct arena;

/* Strings to pointers, in an arena, kept in the order of insertion. A zeroed map with .arena set is empty. */
struct map_item {
	const char *key;
	void *value;
	size_t next; /* index + 1 of the next in this bucket */
};

struct map {
	struct arena *arena;
	struct map_item *items;
	size_t n, room;
	size_t *buckets, bucket_count;
};

/** map_get() - the value of @key, NULL where there is none. */
void *map_get(const struct map *m, const char *key);

/** map_set() - adds, or replaces the value in its old place. @key: must live as long as the map. Return: the
 * value that was there, or NULL. */
void *map_set(struct map *m, const char *key, void *value);

#define map_each(it, m) for (struct map_item *it = (m)->items; it && it < (m)->items + (m)->n; it++)
