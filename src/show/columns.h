/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "base/vec.h"

struct arena;

/* Text in aligned columns; for src/show alone. */
enum { COLUMNS_MOST = 6, COLUMNS_WIDTH = 100 };

enum columns_style { STYLE_PLAIN, STYLE_BOLD, STYLE_DIM, STYLE_GREEN, STYLE_RED, STYLE_YELLOW };

struct columns_row {
	const char *cells[COLUMNS_MOST]; /* up to the first NULL; safe to show already */
	const char *tail;  /* behind the last column, in the lines that it needs; NULL: nothing */
	const char *under; /* what the lines of the tail below the first begin with (the bars of a tree) */
	enum columns_style style; /* of the first cell */
};

struct columns {
	struct arena *arena;
	bool color;
	const char *indent;
	unsigned right; /* bit N: column N is aligned to the right */
	VEC(struct columns_row) rows;
};

/** columns_print() - the rows, each cell as wide as the widest of its column (within reason). */
void columns_print(const struct columns *c, struct text *out);

/** columns_style() - a text in a style; itself where @color is false. */
const char *columns_style(struct arena *a, bool color, enum columns_style style, const char *s);

/** columns_heading() - a line in bold, with an empty one before it unless it is the first. */
void columns_heading(struct arena *a, bool color, const char *s, struct text *out);

/** columns_width() - how many columns a text takes; code points, wide ones count once. */
size_t columns_width(const char *s);
