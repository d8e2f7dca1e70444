/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/vec.h"
#include "tech/key.h"

struct arena;
struct diag;
struct graph;
struct lost;
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
	const struct lost
		*lost; /* layout/lost.h: what could not be read; NULL: the layout has no mistakes yet */
};

/**
 * layout_read() - reads a layout file (- is standard input) and checks every word against the rooms' tables
 * All mistakes are told in one go. @d keeps the text for its snippets.
 * Return: 0 with *@ret in @a, or -errno after diag_error(). On an error *@ret is set all the same where there is enough to go on with: what
 * was understood, for layout_build(), which tells what else is wrong. So set it to NULL before where that is wanted.
 */
int layout_read(struct arena *a, const char *path, struct diag *d, struct layout **ret);

/** layout_parse() - the same from text in memory. @file: how messages call it. */
int layout_parse(struct arena *a, const char *file, const char *text, size_t len, struct diag *d,
		 struct layout **ret);

/**
 * layout_build() - the wanted objects and what each stands on; names resolved, double use and cycles told, every kind's check() run
 * Of a layout with mistakes only what doesn't follow from those is told, and the result is an error (nothing may have been told then).
 * Stacks that are legal, but odd, get a warning.
 * Return: 0 with *@ret in @a (nodes sorted: each behind what it stands on), or -errno after diag_error().
 */
int layout_build(struct arena *a, const struct layout *l, struct diag *d, struct graph **ret);
