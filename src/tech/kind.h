/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "graph/node.h"
#include "tech/key.h"

struct arena;
struct build;
struct diag;
struct graph;
struct machine;
struct probe;
struct scrub;
struct settle;
struct steps;
struct text;

/* How a top-level section of the layout is written. */
enum section_form {
	SECTION_NAMED, /* a map of names: each value a map of keys */
	SECTION_LIST,  /* a list of maps */
	SECTION_TYPED, /* a list of maps; `type:` picks the kind, whose own keys join the section's */
};

struct section {
	const char *name; /* the YAML word */
	enum section_form form;
	const struct key *keys;
	size_t item_size;   /* bytes of the struct that begins with struct item */
	const char *scalar; /* a scalar or list in place of an item's map is the value of this key */
	const char *doc;
	/* Makes the nodes and names that need nothing from other sections. Sections run in the order of the rooms. */
	int (*declare)(struct build *b, struct item *it);
	/* Makes edges, and nodes whose number depends on others. Every name is known by now (or made on demand). May be NULL. */
	int (*link)(struct build *b, struct item *it);
};

/* How much a difference matters to who watches a machine. */
enum why_class {
	WHY_DIFFERENT = 0, /* it isn't what the layout asks: a size, a level */
	WHY_COSMETIC,      /* nothing works worse for it: a label, a partition's name */
	WHY_DEGRADED,      /* it works, with less than it should: an array without a member */
	WHY_DANGEROUS, /* data or the next boot are at risk: a mirror with both halves on one disk, a UUID that two devices bear */
	WHY_MISSING, /* it isn't there at all */
};

struct why_line {
	const char *key;  /* of the layout, for the position; NULL: the object itself */
	const char *text; /* "is 512 MiB, the layout asks for 1 GiB" */
	struct pos pos;   /* where to point instead; .file NULL: nowhere else */
	enum why_class class;
	bool anew; /* only making it anew brings it about: what is there would be lost */
	uint64_t grow_from,
		grow_to; /* bytes: growing would bring it about, and lose nothing; 0: it wouldn't */
};

/* Says why a thing that is there is not as asked: both sides, for a message. */
struct why {
	struct arena *arena;
	VEC(struct why_line) lines;
};

/* What an interrupted run may have left behind. */
enum leftover {
	LEFTOVER_NOT = 0, /* somebody else's, or used since */
	LEFTOVER_OURS,    /* bears what was planned; whether it has been used since can't be seen */
	LEFTOVER_HALF,  /* bears what was planned, is empty, and stays so only where a run was interrupted */
	LEFTOVER_EMPTY, /* bears what was planned, and nobody has ever put anything there */
};

/* All that the program ever asks of one kind of object. A NULL slot: there is nothing to do, or it can't be done. */
struct kind {
	const char *name; /* in messages, and the YAML `type:` of typed sections */
	const char *doc;
	size_t size;            /* of the struct that begins with struct node */
	bool device;            /* others may stand on it */
	bool many;              /* typed sections: one object may stand on several devices (btrfs) */
	const char *section;    /* the typed section that this kind is an entry of, or NULL */
	size_t item_size;       /* typed sections: bytes of the item */
	const struct key *keys; /* typed sections: keys beside the section's */

	/* What can be said without a machine: contradictions inside the layout. Says each mistake; returns 0 or -errno. */
	int (*check)(const struct node *want, struct diag *d);
	/* Adds what is there to the have graph: machine/have.h. Broken things are told and skipped. */
	int (*find)(const struct machine *m, struct graph *have, struct diag *d);
	/* The object that is there in the place of this one; all below @want have been matched. NULL: none. */
	const struct node *(*match)(const struct node *want, const struct settle *s);
	/*
	 * Fills the settled block: size, geo, dev, uuid, and for a container the size and start of its parts. All below is settled.
	 * Where want->have is set, what is there is taken over (its UUID, its real size), and what is derived is compared later.
	 */
	int (*settle)(struct node *want, struct settle *s);
	/*
	 * Whether what is there in the place of @want is what its create() makes, or a part of that: told by the identifiers that are planned
	 * for it, never by a name alone. @want may not be settled yet; what stands on @have, and who else is on its devices, is looked at by
	 * the planner. A table is also asked with the disk as @have, where that shows no more than what is left of a table. NULL: it can't be told.
	 */
	enum leftover (*leftover)(const struct node *want, const struct node *have, const struct settle *s);
	/* Adds a line to @why for everything that differs from what the layout asks; leaves it empty where it is as asked. */
	void (*compare)(const struct node *want, const struct node *have, struct why *why);
	/*
	 * What who watches the machine should know beside compare(): what a plan tolerates (a member that is being filled) and what it mends by
	 * itself (a line of fstab). Asked once all below have been looked at, also where want->have is NULL: why_absent() says so where that is
	 * a difference. Where what lies beneath is missing, that has been told; it isn't settled then. @why: with compare()'s lines in it.
	 */
	void (*health)(const struct node *want, const struct settle *s, struct why *why);
	/* Steps that bring it about. The last one gives the node. */
	int (*create)(struct steps *s, const struct node *want);
	/* Steps that start one that is there as asked and is .closed, or put it in order: settle() says which are. NULL: none is. */
	int (*open)(struct steps *s, const struct node *want);
	/*
	 * Steps that end an object which is there, so that the kernel has forgotten it: all that stood on it has gone before, its devices'
	 * content is wiped after. Device paths as the kernel knows them. NULL: wiping what it lies on ends it.
	 */
	int (*retire)(struct steps *s, const struct node *have);
	/* For containers: one of its parts is taken out of what is there, the container stays. May be NULL. */
	void (*lose_part)(struct node *have, const struct node *part);
	/*
	 * Where bytes of a new device lie on what it stands on: adds to @out what a range comes to, rather more than less. For what would
	 * show old signatures the moment it is made. NULL: its own tool wipes it before anybody sees it.
	 */
	void (*scrub)(const struct node *want, uint64_t start, uint64_t size, struct scrub *out);
	/* What is under way on an object that is there, and would be cut short with it: "a resync". NULL: nothing. May be NULL. */
	const char *(*busy)(struct arena *a, const struct machine *m, const struct node *have);
	/* One line for people, without the name: "raid10 n2 over 3 devices, chunk 512 KiB". May be NULL. */
	const char *(*describe)(struct arena *a, const struct node *n);
	/* What a partition is called that this one stands on, where the layout leaves it open: "raid", "lvm", "swap", "esp". NULL: "linux". */
	const char *(*part_type)(const struct node *want);
	/* Whether its data is whole when only those below (by index of n->below) with alive[i] are left. NULL: needs all. */
	bool (*alive)(const struct node *n, const bool *alive);
};

/** why_add() - one difference, WHY_DIFFERENT. @key: the layout's key, or NULL. */
void why_add(struct why *why, const char *key, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/** why_is() - the class of the difference that was added last. */
void why_is(struct why *why, enum why_class class);

/** why_anew() - the difference that was added last can only be mended by making the object anew. */
void why_anew(struct why *why);

/** why_grows() - the difference that was added last is one that growing mends, which loses nothing. @from, @to: bytes. */
void why_grows(struct why *why, uint64_t from, uint64_t to);

/** why_at() - the difference that was added last is at @pos, not at a key of its object. */
void why_at(struct why *why, struct pos pos);

/** why_absent() - for health(): the object isn't there at all. */
void why_absent(struct why *why);

/* A program that a room's steps start, and the Debian package that has it. */
struct room_tool {
	const char *program, *package;
};

/* A technology. */
struct room {
	const char *name;
	const char *doc;                 /* a sentence for the reference */
	const struct section *sections;  /* ends with .name NULL; may be NULL */
	const struct kind *const *kinds; /* ends with NULL */
	const struct room_tool *tools;   /* ends with .program NULL; may be NULL */
	/* After all sections are linked: adds what follows from the whole (mounts, files in /etc). May be NULL. */
	int (*finish)(struct build *b);
	/* Adds what this technology knows of the live machine to the recording, under its own name: machine/probe.h. May be NULL. */
	int (*probe)(struct probe *p);
	/* Adds to @why what is wrong with the machine that is about no object of the layout: a UUID that two devices bear. May be NULL. */
	void (*survey)(const struct settle *s, struct why *why);
	/*
	 * How many bytes of a device something takes that begins with these @len, as its superblock has it. @type: libblkid's. 0: not told,
	 * or not this technology's; EXTENT_NONE: libblkid takes it for more than it is. For what lies about without a table. May be NULL.
	 */
	uint64_t (*extent)(const char *type, const uint8_t *at, size_t len);
};

#define EXTENT_NONE UINT64_MAX

/* All rooms in the order of src/tech/meson.build; ends with NULL. Generated. */
extern const struct room *const rooms[];
