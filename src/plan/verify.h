/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>

#include "base/diag.h"
#include "base/vec.h"
#include "tech/kind.h"

struct arena;
struct layout;
struct machine;
struct node;
struct plan;
struct plan_options;

/* One thing in which a machine isn't as its layout asks. */
struct difference {
	enum why_class class;
	const struct node *node; /* of the layout; NULL: it is about none of them, or .text names it */
	const char *key;         /* of the layout, NULL: the object itself */
	struct pos pos;
	const char *
		text; /* "it is degraded: 'vdb.raid' is missing"; goes on from the object's name where there is a node */
};

struct verified {
	struct arena *arena;
	const struct plan *plan; /* layout, machine, options, both graphs; no steps */
	VEC(struct difference)
	differences; /* those that matter most first, then in the order of what stands on what */
};

/**
 * verify_make() - in what a machine isn't as its layout asks
 * A function of its arguments alone, as plan_make(); but nothing that is missing or different ends it: what stands on that is looked at
 * as far as it can be seen. What is missing only because what lies beneath is gets no line of its own.
 * Return: 0 with *@ret in @a, or -errno after diag_error(): the layout is wrong, or the recording can't be read.
 */
int verify_make(struct arena *a, const struct layout *l, const struct machine *m,
		const struct plan_options *o, struct diag *d, struct verified **ret);

/** verify_class() - "dangerous", "missing", "degraded", "different", "cosmetic". */
const char *verify_class(enum why_class class);

/** verify_rank() - 0 for the class that matters most. All are below VERIFY_CLASSES. */
enum { VERIFY_CLASSES = WHY_MISSING + 1 };
unsigned verify_rank(enum why_class class);

/** verify_count() - differences of a class. */
size_t verify_count(const struct verified *v, enum why_class class);
