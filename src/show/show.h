/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

#include "graph/node.h"

struct arena;
struct op;
struct plan;
struct text;
struct verified;

/* A plan as text. Nothing here looks at the machine, and the same plan gives the same bytes. */
struct show_options {
	bool color; /* text: escape sequences of a terminal */
	bool verbose; /* text: each step's command, reason and line, and all objects where there is nothing to do */
	bool failed; /* errors or refusals were told: a plan without steps is no plan, not one that is done */
};

/** show_text() - for a person: what is there, what will be, what may fail, the steps, the files. UTF-8. */
void show_text(const struct plan *p, struct arena *a, const struct show_options *o, struct text *out);

/**
 * show_sh() - a complete POSIX shell script that carries the plan out on a machine without stowage
 * It looks at every disk before the first write, ends at the first failure, and says in which step. It is read as
 * a whole before anything is done, so a script that was cut off does nothing.
 */
void show_sh(const struct plan *p, struct arena *a, const struct show_options *o, struct text *out);

/** show_json() - one object, described by schemas/plan.schema.json. Bytes that are no UTF-8 come out as U+FFFD. */
void show_json(const struct plan *p, struct arena *a, const struct show_options *o, struct text *out);

/** show_dot() - the objects and what stands on what, for dot(1): disks at the bottom. */
void show_dot(const struct plan *p, struct arena *a, const struct show_options *o, struct text *out);

/** show_verify_text() - one line for each difference, those that matter most first; "FILE: as asked" where there is none. */
void show_verify_text(const struct verified *v, struct arena *a, struct text *out);

/** show_verify_json() - one object, described by schemas/verify.schema.json. */
void show_verify_json(const struct verified *v, struct arena *a, struct text *out);

/**
 * show_command() - an operation as one shell command line, for messages
 * The words are quoted as sh would read them back; then what a terminal would act on is shown as text_safe() does.
 * What goes to standard input and the content of files is left out.
 * Return: in @a, or a word of @op; never NULL.
 */
const char *show_command(struct arena *a, const struct op *op);

/* Where something of use ends up, and what it bears. */
struct show_end {
	const struct node *node; /* a filesystem, swap, or a device that nobody uses */
	node_list disks;         /* those that its data lies on, in the graph's order */
	unsigned any;            /* so many disks may fail, whichever */
	bool none;               /* no single one may */
	bool at_least;           /* more was not tried */
	const char *text; /* "any 2 disks", "vda or vdb (one of them), but not vdc", "none of its 3 disks" */
};

typedef VEC(struct show_end) show_ends;

/**
 * show_survive() - for each end of a wanted graph, which disks may fail without loss of data
 * Asks every kind's alive() for single disks, pairs and so on, with a bound on the work.
 * @nodes: sorted, each behind what it stands on.
 */
show_ends show_survive(struct arena *a, const node_list *nodes);
