/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/vec.h"

struct arena;

enum yaml_form { YAML_NULL, YAML_SCALAR, YAML_LIST, YAML_MAP };

struct yaml;

struct yaml_item {
	const char *key; /* of a map; NULL in a list */
	struct pos key_pos;
	struct yaml *value;
};

/* A YAML document with the place of everything, aliases resolved (shared by pointer), nothing typed: scalars are text. */
struct yaml {
	enum yaml_form form;
	struct pos pos;
	const char *text; /* scalar: literally, never NULL; YAML_NULL: what stands there ("", "~", "null") */
	bool quoted;      /* scalar in quotes or a block: never null */
	VEC(struct yaml_item) items;
};

enum { YAML_TEXT_MAX = 16 << 20 }; /* bytes */

/**
 * yaml_read() - a YAML 1.2 text as a tree
 * Limits, each an error with a position: 16 MiB, a million lines, 64 levels, 64 KiB for one scalar, 200000 nodes after aliases, 100000
 * brackets and commas, no NUL bytes or control characters, UTF-8 only (a UTF-16 or UTF-8 mark at the front is told), one document. Duplicate keys, keys that are
 * no words, tabs as indentation, tags other than the core schema's and merge keys (<<) are errors with a position. A plain ~, null or
 * nothing is YAML_NULL.
 * @file: for positions, kept by pointer.
 * Return: 0 with *@ret in @a, -errno after diag_error(). An empty text, or nothing but comments or null: an error "no layout".
 */
int yaml_read(struct arena *a, const char *file, const char *text, size_t len, struct diag *d,
	      struct yaml **ret);

/** yaml_get() - the value of a key of a map, NULL where there is none or @y is no map. */
const struct yaml *yaml_get(const struct yaml *y, const char *key);

/** yaml_key_pos() - the place of a key's value; of the map itself where the key isn't stated. */
struct pos yaml_key_pos(const struct yaml *y, const char *key);
