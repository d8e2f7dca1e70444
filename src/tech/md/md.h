/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "graph/node.h"
#include "tech/key.h"

struct arena;
struct build;
struct diag;
struct graph;
struct json_object;
struct machine;
struct probe;
struct settle;
struct scrub;
struct steps;
struct why;

/* Software RAID of the kernel: the room's own words. Sizes are bytes. */

enum { MD_METADATA_090 = 90 }; /* the others are 0, 1, 2: "1.0", "1.1", "1.2" */

/* What all members of an array agree on. */
struct md_shape {
	int level; /* 0, 1, 4, 5, 6, 10 */
	int layout; /* the kernel's number: RAID10 near | far << 8 | 1 << 16 for offset; RAID5 and 6 0..3; else 0 */
	unsigned disks; /* places, missing ones too */
	uint64_t chunk; /* 0 for RAID1 */
	int metadata;   /* 0, 1, 2 or MD_METADATA_090 */
};

/* What mdadm makes of the members. */
struct md_sizes {
	uint64_t data_offset; /* the same on each member; 0 where the metadata lies at the end */
	uint64_t component;   /* used of each member; RAID0, which uses members in full: of the smallest */
	uint64_t size;        /* of the array */
	size_t small;         /* on failure: the index of the member that is too small */
};

struct array_item {
	struct item item;
	const char *level, *layout; /* as written */
	uint64_t chunk;
	const char *metadata, *bitmap;
	struct names devices, spares;
	struct uuid uuid;
	struct array *array; /* made of it */
};

/* A place in an array. */
struct array_place {
	struct node *node; /* want: NULL is "missing" */
	const char *dev;   /* have: kernel name, NULL: nobody is there */
	struct pos pos;
};

/* An array, wanted or there. */
struct array {
	struct node node;
	struct md_shape shape;
	VEC(struct array_place) places; /* .disks of them, in order */
	VEC(struct array_place) spares;
	const char *bitmap; /* "none", "internal"; have: also "file" */
	uint64_t data_offset;
	uint64_t component;

	/* want: the words of the layout, checked */
	const struct array_item *words;
	bool shaped;         /* level and layout could be read: .shape holds */
	struct uuid planned; /* the UUID that it would get if it were made now */
	bool lost;           /* some of its devices could not be found, or are named twice */

	/* have */
	const char *why_not;    /* it can't be used as it is: "isn't running"; NULL: it runs */
	const char *level_text; /* what the kernel says, where it is none of ours */
	uint64_t
		degraded; /* members that don't hold all of their data, as the kernel counts at this moment */
	const char *sync; /* "resync", "reshape", ... that is under way; NULL: none */
};

extern const struct kind array_kind, md_conf_kind;

static inline const struct array *array_of(const struct node *n)
{
	return (const struct array *)n;
}

/* shape.c: the arithmetic of the kernel and of mdadm 4.2 */

/** md_level() - "10", "raid10", "mirror", ... Return: the level, or -1. */
int md_level(const char *text);

/** md_level_text() - "RAID10". */
const char *md_level_text(struct arena *a, int level);

/**
 * md_layout() - "n2", "far2", "left-symmetric", "ls" as the kernel's number
 * @level: one that md_level() knows
 * Return: 0 with *@ret set, -EINVAL where @text is no layout of that level.
 */
int md_layout(int level, const char *text, int *ret);

/** md_layout_default() - what mdadm takes: n2, left-symmetric, else 0. */
int md_layout_default(int level);

/** md_layout_text() - as mdadm's --layout takes it; NULL for levels that have none. */
const char *md_layout_text(struct arena *a, int level, int layout);

/** md_metadata() - "1.2" as a number as in struct md_shape; -1: none that is known. */
int md_metadata(const char *text);
const char *md_metadata_text(int metadata);

/** md_copies() - of each piece of data that lie on different members; 1 where parity or nothing keeps it. */
unsigned md_copies(const struct md_shape *s);

/** md_least() - the least number of places. */
unsigned md_least(int level, int layout);

/** md_alive() - whether all data is there with the places for which @alive is true. */
bool md_alive(const struct md_shape *s, const bool *alive);

/**
 * md_sizes() - the sizes that mdadm 4.2 arrives at
 * @members: bytes of each place and, for the offset alone, in the order of mdadm's command line; 0 is "missing". Not all may be.
 * Return: 0 with *@ret filled, -ENOSPC where a member is too small (.small says which).
 * Source: mdadm 4.2, Create.c, super0.c, super1.c (validate_geometry); kernel 6.1, raid0.c, raid10.c (calc_sectors, raid10_size).
 */
int md_sizes(const struct md_shape *s, const uint64_t *members, struct md_sizes *ret);

/** md_bitmap_default() - whether mdadm 4.2 gives an array a write-intent bitmap by itself. @component: bytes used of a member. */
bool md_bitmap_default(int level, uint64_t component);

/**
 * md_geometry() - what the kernel will say of the array, and where its first byte lies within a stripe of the members
 * @members: @n geometries of those that are there, the first member first
 */
struct geometry md_geometry(const struct md_shape *s, uint64_t data_offset, const struct geometry *members,
			    size_t n);

/** md_uuid_text() - as mdadm writes it: "01234567:89abcdef:01234567:89abcdef". */
const char *md_uuid_text(struct arena *a, struct uuid u);

/** md_uuid_parse() - 32 hexadecimal digits with any of ":- ." between them. Return: 0 or -EINVAL. */
int md_uuid_parse(const char *s, struct uuid *ret);

/* super.c: what a member says of its array */

enum { MD_SUPER_BYTES = 4096, MD_ROLE_SPARE = -1, MD_ROLE_FAULTY = -2 };

struct md_super {
	struct md_shape shape; /* .level as it is there, also one that isn't ours */
	struct uuid uuid;
	char name[33]; /* "any:data"; empty where the metadata has none */
	uint64_t data_offset, component;
	int role; /* place, or MD_ROLE_... */
	bool bitmap;
};

/** md_super_place() - where the superblock of that metadata lies on a device. Return: bytes; UINT64_MAX where the device is too small. */
uint64_t md_super_place(int metadata, uint64_t device_size);

/** md_super_parse() - @buf: MD_SUPER_BYTES from there. Return: 0 with *@ret filled, -EINVAL where it is none or makes no sense. */
int md_super_parse(const uint8_t *buf, int metadata, struct md_super *ret);

/** md_extent() - slot: of metadata 1.1 and 1.2, whose superblock lies at the start, the end of the data. */
uint64_t md_extent(const char *type, const uint8_t *at, size_t len);

/* probe.c, find.c: what is there */
int md_probe(struct probe *p);
int array_find(const struct machine *m, struct graph *have, struct diag *d);
const struct node *array_match(const struct node *want, const struct settle *s);
void array_compare(const struct node *want, const struct node *have, struct why *why);
void array_health(const struct node *want, const struct settle *s, struct why *why);

/* end.c: what was there before */
int array_retire(struct steps *s, const struct node *have);
void array_scrub(const struct node *want, uint64_t start, uint64_t size, struct scrub *out);

/* conf.c: /etc/mdadm/mdadm.conf */

struct md_conf_line {
	const char *dev; /* "/dev/md/data" */
	const char *metadata;
	struct uuid uuid;
};

/**
 * md_conf_merge() - an mdadm.conf with these arrays in it
 * @old: the file as it is, NULL: there is none. Lines that are about none of the arrays stay byte for byte; an ARRAY line that is about
 * one (its UUID or its device) stays where it says the right thing, and is replaced where it doesn't; further ones about it go.
 */
const char *md_conf_merge(struct arena *a, const char *old, const struct md_conf_line *lines, size_t n);

/** md_conf_finish() - the room's finish(): the file follows from the arrays. */
int md_conf_finish(struct build *b);
