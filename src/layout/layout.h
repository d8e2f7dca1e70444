/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/vec.h"
#include "tech/key.h"

struct arena;
struct diag;
struct graph;
struct section;

/* What was written of one section. */
struct layout_section {
	const struct section *section;
	struct items items;
};

/* A layout as it was written, checked word by word; nothing is known of the machine. */
struct layout {
	struct arena *arena;
	const char *file;
	const char *name; /* goes into the seed */
	const char *text; /* as it was read, for saved plans */
	size_t len;
	VEC(struct layout_section) sections; /* those that are stated, in the order of the rooms */
};

/**
 * layout_read() - reads a layout file (- is standard input) and checks every word against the rooms' tables
 * All mistakes are told in one go. @d keeps the text for its snippets.
 * Return: 0 with *@ret in @a, or -errno after diag_error().
 */
int layout_read(struct arena *a, const char *path, struct diag *d, struct layout **ret);

/** layout_parse() - the same from text in memory. @file: how messages call it. */
int layout_parse(struct arena *a, const char *file, const char *text, size_t len, struct diag *d,
		 struct layout **ret);

/**
 * layout_build() - the wanted objects and what each stands on; names resolved, double use and cycles told, every kind's check() run
 * Return: 0 with *@ret in @a (nodes sorted: each behind what it stands on), or -errno after diag_error().
 */
int layout_build(struct arena *a, const struct layout *l, struct diag *d, struct graph **ret);
