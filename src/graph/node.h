/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/map.h"
#include "base/uuid.h"
#include "base/vec.h"

struct arena;
struct blockdev;
struct item;
struct kind;
struct node;

/* I/O geometry of a device, bytes. 0: the device says nothing about it. */
struct geometry {
	uint32_t logical;  /* logical sector, 512 or 4096 */
	uint32_t physical; /* physical sector */
	uint64_t min_io;   /* preferred granularity: chunk, stripe unit, or a sector */
	uint64_t opt_io;   /* a full stripe; 0 where there is none */
	bool declared; /* stated by the layout (hardware RAID): the kernel and so the tools can't see it */
	uint64_t
		offset; /* where byte 0 of this device lies within a stripe of what is below, 0 .. opt_io-1 */
};

/* A node stands on another one. */
struct edge {
	struct node *to;
	struct pos pos; /* where the layout says so */
	bool claim;     /* puts its own content there: one user only, and it must be blank before */
};

/* What the planner found about a wanted object. */
enum verdict {
	VERDICT_NONE = 0, /* not looked at yet */
	VERDICT_CREATE,   /* isn't there */
	VERDICT_KEEP,     /* is there as asked */
	VERDICT_LATER,    /* what it stands on has to be started before anybody can see whether it is there */
	VERDICT_CANNOT,   /* an error or a refusal has been said, or something below has one */
};

typedef VEC(struct node *) node_list;

/*
 * One object of storage: wanted (from the layout) or there (from the machine). Rooms have larger structs that begin with it.
 * A wanted node's block "settled" is written by plan/ and by the rooms that it calls, once; before, it is zero.
 */
struct node {
	const struct kind *kind;
	const char *
		name; /* want: unique, as messages call it: "vda.swap", "vg0/home_1", "md99"; have: kernel name, or "KIND NAME" */
	struct pos pos;          /* want: where the layout states it */
	const struct item *item; /* want: the words of the layout, NULL for what is implied */
	size_t order;            /* in the file, then in a set: breaks ties */
	VEC(struct edge)
	below; /* what it stands on, in order; a container (table, volume group) is below its parts */
	node_list above;     /* who stands on it */
	struct node *parent; /* the container that shares itself out to this node: also below; or NULL */

	/* settled (want) or found (have) */
	uint64_t size;   /* bytes it offers to what stands on it */
	uint64_t usable; /* bytes that files find room in, about: what copies leave of .size; 0: all of it */
	uint64_t used;   /* have: bytes of it in use, by its superblock; 0: not known, or not told apart */
	struct geometry geo;
	const char *
		dev; /* path for commands, NULL where it is no device: "/dev/vda4", "/dev/md/data", "/dev/vg0/home_1" */
	const char *id; /* identity of the disks beneath: equal on no two machines */
	struct uuid uuid;
	const char *partuuid,
		*partlabel; /* of a partition: what the kernel and udev call it by (an MBR's has no label); else NULL */

	/* want only */
	const struct node *have; /* the match, NULL: none */
	enum verdict verdict;
	bool closed; /* is there, and isn't ready: an inactive volume, on which nothing can be seen; a group with a damaged copy of its metadata */

	/* have only */
	const struct blockdev *block; /* the kernel's device, NULL where it is none */
};

/* "node stands on the device of that kernel name", before all nodes are known. */
struct have_link {
	struct node *node;
	const char *below;
	bool claim;
};

/* The nodes of one side, in order. */
struct graph {
	struct arena *arena;
	node_list nodes;
	struct map by_name;            /* struct node by .name */
	VEC(struct have_link) pending; /* machine/have.c: joined after all rooms have found theirs */
};

/** graph_new() - an empty graph in an arena. */
struct graph *graph_new(struct arena *a);

/** graph_add() - a zeroed node of @kind (kind->size bytes) at the end of @g. @name: unique in @g, kept by pointer. */
struct node *graph_add(struct graph *g, const struct kind *kind, const char *name);

/** graph_get() - by name, NULL where there is none. */
struct node *graph_get(const struct graph *g, const char *name);

/** node_on() - @n stands on @below. @claim: puts its content there. Both get the edge. */
void node_on(struct graph *g, struct node *n, struct node *below, struct pos pos, bool claim);

/** node_in() - @n is a part of the container @parent: stands on it, and is shared out by it. */
void node_in(struct graph *g, struct node *n, struct node *parent, struct pos pos);

/**
 * graph_sort() - the nodes, each behind all that it stands on, ties in their order; no recursion, linear
 * A cycle is an error that names its members in order ("m -> vg0/x -> vg0 -> m"), with the place of each edge as a note.
 * Return: 0 with *@ret in @g's arena, or -errno after diag_error().
 */
int graph_sort(struct graph *g, struct diag *d, node_list *ret);

/**
 * node_disks() - the nodes without anything below them that @n reaches, each once, in order. In @a
 * Follows every edge, but that to the container of a part which says by other edges where it lies.
 */
node_list node_disks(struct arena *a, const struct node *n);
