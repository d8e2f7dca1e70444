/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tech/kind.h"

struct steps;

/* A partition as the layout states it. */
struct partition_item {
	struct item item;
	const char *name;
	struct size_want size;
	uint64_t start; /* bytes; 0: behind the one before */
	const char *type;
	struct uuid uuid;
	text_list attributes;
	int64_t number; /* 0: by its place in the list */
};

struct table_item {
	struct item item;
	struct names disks;
	const char *label;
	struct uuid uuid;
	struct items partitions;
	size_t made; /* tables, one for each disk */
	struct table *last;
};

/* A partition table, wanted or there. */
struct table {
	struct node node;
	bool gpt;
	const struct table
		*elder;      /* wanted: the one that was made from its item before; NULL: it is the first */
	bool half;           /* there: a GPT of which one of the copies is missing or broken */
	bool failed;         /* wanted: its parts have no room on a disk like this */
	const char *label;   /* "gpt", "dos", or what else is there */
	const char *id;      /* there: as the table states it */
	uint64_t first, end; /* bytes that partitions may use, [first, end) */
	uint64_t grain;      /* bytes: starts and sizes are multiples of it */
	node_list parts;     /* in the order of the layout; there: by number */
};

/* A partition, wanted or there. */
struct partition {
	struct node node;
	const char *short_name; /* the name that GPT keeps; NULL: none */
	unsigned number;
	uint64_t start;                   /* bytes */
	const char *type;                 /* GPT: lower-case GUID; MBR: hex code without 0x */
	const char *uuid;                 /* PARTUUID as blkid shows it */
	const char *attributes;           /* as sfdisk writes them, NULL: none */
	uint64_t ideal_start, ideal_size; /* want: what it would get on an empty disk */
	bool stale; /* there: the kernel has another one than the table says, .table_start and .table_size */
	uint64_t table_start, table_size; /* bytes; 0: the table has none of that number */
};

extern const struct kind kind_table, kind_partition;

static inline struct table *as_table(struct node *n)
{
	return (struct table *)n;
}

static inline const struct table *table_of(const struct node *n)
{
	return (const struct table *)n;
}

static inline struct partition *as_partition(struct node *n)
{
	return (struct partition *)n;
}

static inline const struct partition *partition_of(const struct node *n)
{
	return (const struct partition *)n;
}

/**
 * gpt_type() - the type of a partition as the table keeps it
 *
 * @word: a name ("raid", "esp", "root-x86-64") or a GUID (GPT) or a hex code (MBR).
 *
 * Return: lower-case GUID, or hex code; NULL: no table of that kind has such a type.
 * Source: the discoverable partitions specification; sfdisk's --list-types.
 */
const char *gpt_type(struct arena *a, bool gpt, const char *word);

/** gpt_type_word() - the name for a type, or the type itself. */
const char *gpt_type_word(bool gpt, const char *type);

/** gpt_type_names() - all names, for suggestions. @ret_n: how many. */
const char *const *gpt_type_names(size_t *ret_n);

/**
 * gpt_grain() - what partitions on a device are aligned to
 *
 * 1 MiB; above a stripe a multiple of the whole stripe of at least 1 MiB: the stripe itself where it is larger than 1 MiB, else the least
 * common multiple.
 *
 * @opt_io: bytes, 0: none.
 *
 * Return: bytes.
 */
uint64_t gpt_grain(uint64_t opt_io);

/**
 * gpt_end() - the first byte that a GPT's partitions may not use
 *
 * @size, @sector: of the disk, bytes.
 *
 * The backup is a header of one sector and 128 entries of 128 bytes, at the very end.
 */
uint64_t gpt_end(uint64_t size, uint32_t sector);

/** gpt_attributes() - a list of attribute words as sfdisk takes them. @ret_bad: the word that is none. Return: NULL: none, or a bad one. */
const char *gpt_attributes(struct arena *a, bool gpt, const text_list *words, const char **ret_bad);

int gpt_declare(struct build *b, struct item *it);
int gpt_find_tables(const struct machine *m, struct graph *have, struct diag *d);
int gpt_find_partitions(const struct machine *m, struct graph *have, struct diag *d);
int gpt_probe(struct probe *p);

/** gpt_survey() - the room's survey(): tables and partitions that bear one identifier, as after a disk was copied whole. */
void gpt_survey(const struct settle *s, struct why *why);
int gpt_table_settle(struct node *want, struct settle *s);

/** gpt_table_id() - what a new table is called by: a GUID, or an MBR's eight digits; stated or derived. */
const char *gpt_table_id(const struct settle *s, const struct node *want);

int gpt_table_create(struct steps *s, const struct node *want);

/** gpt_part_dev() - a partition's path from its disk's: "/dev/sda1", "/dev/nvme0n1p1". */
const char *gpt_part_dev(struct arena *a, const char *disk, unsigned number);
