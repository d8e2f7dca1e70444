/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/vec.h"
#include "graph/node.h"
#include "tech/key.h"

struct build;
struct kind;

/* A device, and the place of the word that stood for it. */
struct resolved_node {
	struct node *node; /* NULL: the word that was let through */
	struct pos pos;
};

struct resolved {
	VEC(struct resolved_node) list;
};

/* What rooms use in their sections' declare() and link(). Memory is the build's arena. */

struct arena *build_arena(struct build *b);
struct diag *build_diag(struct build *b);
struct graph *build_graph(struct build *b);

/** build_node() - a new wanted object. @name: as messages call it, kept by pointer. @it: its words, or NULL; gives its place. */
struct node *build_node(struct build *b, const struct kind *kind, const char *name, const struct item *it);

/**
 * build_name() - lets @name stand for @n
 * @join: whether more objects of the same kind may share the name (partitions of several disks): then it stands for all, in order.
 * A clash is an error with both places and a proposal.
 * Return: 0 or -errno after diag_error().
 */
int build_name(struct build *b, const char *name, struct pos pos, struct node *n, bool join);

/** build_alias() - lets @name stand for several objects, as another name for them (a set of disks). @nodes may be empty only with @later. */
int build_alias(struct build *b, const char *name, struct pos pos, const node_list *nodes);

/**
 * build_later() - @name (or all names that begin with @name and '/') will be made by @make, called at most once, when somebody first asks
 * for it or before the section's link(); a name that asks for itself while it is being made is an error (a cycle).
 */
int build_later(struct build *b, const char *name, struct pos pos,
		int (*make)(struct build *b, struct item *it), struct item *it);

/**
 * build_resolve() - the devices that names stand for, in order
 * @names: as written; a name that fits nothing is an error with the nearest that does, one that stands for no device (a volume group) too.
 * @also: a word that is let through as a NULL node, or NULL.
 * Return: 0 with *@ret filled (also in part), or -errno after diag_error().
 */
int build_resolve(struct build *b, const struct names *names, const char *also, struct resolved *ret);
