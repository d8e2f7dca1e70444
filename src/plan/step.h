/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/text.h"
#include "base/vec.h"

struct arena;
struct node;
struct settle;
struct step;
struct steps;

/*
 * A step is data. Its operation is one of a few closed forms: show/ prints each form, run/ performs each form, neither knows a technology.
 * If no form fits, add one: -Wswitch leads to both places.
 */
enum op_form {
	OP_ARGV, /* .argv: a program and its words */
	OP_LVM, /* .argv: an LVM command line without "lvm": lvcreate, ...; run through liblvm2cmd, in order */
	OP_TABLE, /* .dev, .script: an sfdisk script for a whole disk, starts and sizes in sectors of the disk */
	OP_ZERO, /* .dev, .ranges: zeroes, through the whole device */
	OP_WIPE, /* .dev: every signature that libblkid knows, both ends (wipefs -a) */
	OP_SETTLE, /* .expect: until each device is there, with that start and size, and udev's queue is empty */
	OP_MKDIR, /* .path, .mode: with its parents (0755) */
	OP_MOUNT, /* .dev, .path, .type, .options (comma-separated, may be NULL) */
	OP_FILE, /* .path, .content, .mode: replaced at once (temporary name, fsync, rename); makes the directories that lead there (0755) */
};

struct op_range {
	uint64_t start, size; /* bytes */
};

/* A device that is there after a step. */
struct op_expect {
	const char *dev; /* path */
	uint64_t start;  /* bytes; of a partition, else 0 */
	uint64_t size;   /* bytes; 0: any */
	bool gone; /* the kernel has no such device, or nothing in it: a stopped array may leave an empty one */
};

struct op {
	enum op_form form;
	text_list argv;
	const char *dev, *path, *type, *options, *script, *content;
	unsigned mode;
	VEC(struct op_range) ranges;
	VEC(struct op_expect) expect;
};

typedef VEC(struct step *) step_list;

struct step {
	const char *id;          /* unique and stable: "create md99", "format vg0/home", "mount /home" */
	const char *what;        /* in words: "create RAID10 md99 from vda.swap, vdb.swap, vdc.swap" */
	const char *why;         /* the fact about the machine: "/dev/vda is blank" ; may be NULL */
	struct pos pos;          /* the line in the layout */
	const struct node *node; /* what it is about, or NULL */
	struct op op;
	step_list needs; /* direct, each once, sorted by number */
	VEC(struct op_expect)
	gives; /* devices that are there when it is done; looked at after the step, waited for with a deadline */
	bool uses; /* takes what is there into use, as OP_MOUNT does, and puts nothing of its own there */
	const char *
		making; /* a UUID: what it makes, on which disks (plan/unfinished.h); NULL: nothing that a half could be left of */
	bool inside; /* about what lies in a mounted filesystem: as with OP_FILE, whether it is due is seen only then */
	bool makes;         /* the last of the steps that make it */
	text_list loses;    /* what it ends; empty in plans on blank disks */
	size_t number;      /* from 1, in the printed order */
	unsigned timeout_s; /* deadline of the operation */
	bool ending;        /* ends what is there; .node is of what is there, not of what shall be */
};

/* While the rooms write steps. */
struct arena *steps_arena(struct steps *s);
const struct settle *steps_settle(const struct steps *s);

/**
 * step_new() - a step about @n. Steps of one create() follow one another; the last gives the node.
 * The planner adds the cardinal needs: after all that gives what @n stands on.
 * @verb: for the id and the words: "create", "format", "mount". @what: in words.
 */
struct step *step_new(struct steps *s, const struct node *n, const char *verb, const char *what, ...)
	__attribute__((format(printf, 4, 5)));

/** step_argv() - OP_ARGV with these words up to NULL. */
void step_argv(struct steps *s, struct step *st, ...) __attribute__((sentinel));

/** step_lvm() - OP_LVM with these words up to NULL. */
void step_lvm(struct steps *s, struct step *st, ...) __attribute__((sentinel));

/** step_word() - one more word. */
void step_word(struct steps *s, struct step *st, const char *word);
void step_wordf(struct steps *s, struct step *st, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/** step_gives() - a device that is there afterwards. @start: bytes, of a partition; @size: bytes, 0: any. */
void step_gives(struct steps *s, struct step *st, const char *dev, uint64_t start, uint64_t size);

/**
 * step_ending() - for retire(): a step that ends something; they follow one another in the order in which they are made
 * @n: of what is there. @verb, @name: for the id: "stop", "md127".
 */
struct step *step_ending(struct steps *s, const struct node *n, const char *verb, const char *name,
			 const char *what, ...) __attribute__((format(printf, 5, 6)));

/** step_ends() - a device that the kernel has forgotten afterwards; waited for with a deadline. */
void step_ends(struct steps *s, struct step *st, const char *dev);

/** step_loses() - what is lost by it, for the person who has to allow it. "" is nothing. */
void step_loses(struct steps *s, struct step *st, const char *what);

/**
 * steps_chain() - steps with one @key follow one another in the order in which they were made ("vg vg0", "mdadm")
 */
void steps_chain(struct steps *s, struct step *st, const char *key);

/**
 * steps_settle_after() - the node is given not by @st but by the one wait (OP_SETTLE) for all steps of that @key
 * What @st gives is moved into that wait. udev re-reads a table by itself after its writer closed the disk; one wait serves them all.
 */
void steps_settle_after(struct steps *s, struct step *st, const char *key);
