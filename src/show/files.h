/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

struct arena;
struct plan;
struct text;

/** files_print() - the files that a plan writes: new ones as a whole, else the lines that change, with three around them. For src/show alone. */
void files_print(const struct plan *p, struct arena *a, bool color, struct text *out);
