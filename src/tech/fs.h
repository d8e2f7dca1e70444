/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tech/kind.h"

struct blockdev;
struct build;
struct json_object;
struct probe;
struct settle;
struct signature;
struct step;
struct steps;

/*
 * What all filesystems (and swap) have in common: the section `filesystems`, its keys, and the slots that most of their kinds take as
 * they are. Not a room: rooms of filesystems and the mount room include it.
 */

/* What is written of any filesystem. Kinds with keys of their own have larger structs that begin with it. */
struct fs_item {
	struct item item;
	const char *type;
	struct names devices;
	const char *label, *uuid; /* NULL: not stated. The kind's check() knows their limits */
	const char *mount;        /* NULL: not mounted */
	text_list options;        /* of fstab, one in each after link(); .n == 0: not stated */
	int64_t pass;             /* -1 (after link()): not stated */
	const char *key;          /* "uuid", "partuuid", "label", "partlabel", "path"; NULL: not stated */
	text_list mkfs;           /* further words for the tool */
};

/* Any filesystem, wanted or there. Kinds have larger structs that begin with it. */
struct fs {
	struct node node;
	const struct fs_item *item; /* want only */
	const char *
		uuid; /* as blkid shows it: settled (want), found (have); lower case but for vfat's "DEAD-BEEF" */
	const char *label;  /* NULL: none */
	const char *on;     /* have only: kernel name of its (first) device */
	enum leftover left; /* have only: of one that bears our UUID, LEFTOVER_NOT where it has been used */
};

/*
 * A kind of filesystem, and what nobody but fstab asks of it. Every kind of the section `filesystems` lies in one; a room lists
 * &x_kind.kind.
 */
struct fs_kind {
	struct kind kind;
	bool each; /* several devices: one on each (swap) */
	bool fsck; /* the boot checks it: fstab's pass is 1 for /, else 2 */
	/* fstab's options. @base: those stated, else those of the line that is there, else NULL. NULL: @base, else "defaults". */
	const char *(*options)(struct arena *a, const struct fs *fs, const char *base);
};

extern const struct section fs_sections[]; /* `filesystems`, for the mount room's table */

/** fs_check_twins() - says of labels and UUIDs that are stated twice; when all filesystems are there. */
void fs_check_twins(struct build *b);

static inline struct fs *as_fs(struct node *n)
{
	return (struct fs *)n;
}

static inline const struct fs *fs_of(const struct node *n)
{
	return (const struct fs *)n;
}

/** fs_is() - whether a node is a filesystem or swap. */
bool fs_is(const struct node *n);

/* For fstab. */

/** fs_options() - a wanted filesystem's options, in one word: stated ones, else "defaults" (swap: "sw,pri=5"). */
const char *fs_options(struct arena *a, const struct fs *fs);

/** fs_options_over() - the same where a line is there already: @there are its options, which stay where the layout states none. */
const char *fs_options_over(struct arena *a, const struct fs *fs, const char *there);

/** fs_pass() - a wanted filesystem's pass: stated, else 0 where the boot checks nothing, 1 for /, 2. (.item->pass is -1 where not stated.) */
int fs_pass(const struct fs *fs);

/* For check(). */

/** fs_check_label() - a label of at most @limit bytes; the message names the filesystem, the limit and what was counted. Return: 0 or -errno. */
int fs_check_label(const struct node *want, size_t limit, struct diag *d);

/** fs_check_uuid() - a stated UUID is 8-4-4-4-12 and not zero. Return: 0 or -errno. */
int fs_check_uuid(const struct node *want, struct diag *d);

/* A word among `mkfs` that the plan must know of, or has settled. */
struct fs_word {
	const char *begins;  /* an option ("-L"), or a suboption ("su=") wherever it stands between commas */
	const char *instead; /* what would do: "state the key 'su'" */
};

/** fs_check_words() - an error for each `mkfs` word that is one of these. @not_these: ends with .begins NULL. Return: 0 or -errno. */
int fs_check_words(const struct node *want, const struct fs_word *not_these, struct diag *d);

/** fs_has_word() - whether `mkfs` holds a word or suboption that begins so. */
bool fs_has_word(const struct fs *fs, const char *begins);

/* For find() and probe(). */

/** fs_signature() - blkid's @type on a device; NULL where there is none, or where it is what is left beside a RAID or LUKS member's. */
const struct signature *fs_signature(const struct blockdev *b, const char *type);

/** fs_find_type() - for find(): an object of @kind on every device with blkid's @type on it, with its UUID, label and bytes in use. */
int fs_find_type(const struct machine *m, struct graph *have, const struct kind *kind, const char *type);

/**
 * fs_probe_broken() - for probe(), of a filesystem of which @out says that it is empty: adds "broken": 1 where its own checker says so
 *
 * Only of one that may be ours, by its UUID, and that no journal tells of: else it costs time, and is known or nobody's business.
 * @checker: words up to NULL, which write nothing; the device's path is added.
 */
void fs_probe_broken(struct probe *p, const char *type, const struct blockdev *b, const char *const *checker,
		     struct json_object *out);

/**
 * fs_probe_devices() - for probe(): looks into every device with blkid's @type on it, and records that under "TYPE": { "sda1": {...} }
 * Devices that can't be read are left out. Nothing is added where there is none.
 * "used", the bytes in use, is not kept of what is mounted: the superblock lags behind then, and no two looks would agree.
 * @read: fills @out from @fd, a device of @size bytes; false: isn't what it seems, nothing is recorded
 * @checker: as of fs_probe_broken(); NULL: none
 */
int fs_probe_devices(struct probe *p, const char *type, const char *const *checker,
		     bool (*read)(int fd, uint64_t size, struct json_object *out));

/**
 * fs_add_empty() - for what probe() reads: notes whether anything has ever been put there, by anybody
 * Nothing is noted where it can't be told: then it counts as used.
 */
void fs_add_empty(struct json_object *out, bool empty);

/** fs_find_empty() - for find(): sets .left of filesystem nodes from @first on by what fs_add_empty() noted. */
void fs_find_empty(const struct machine *m, struct graph *have, size_t first, const char *type);

/** fs_recorded() - a number of such a record. Return: false where there is none. */
bool fs_recorded(const struct machine *m, const char *type, const char *dev, const char *key, uint64_t *ret);

/* Slots, and what they need. */

/** fs_match() - slot: what of the same kind stands on the device beneath (of several: on the first that has one). */
const struct node *fs_match(const struct node *want, const struct settle *s);

/**
 * fs_settle() - slot: size and dev from below; UUID and label stated, there, or derived
 * A UUID that another device bears already, or a label by which fstab is to call it, is an error.
 */
int fs_settle(struct node *want, struct settle *s);

/** fs_settle_min() - for settle(): an error where a device beneath is smaller than @min bytes. @what: of which tool that is the limit. */
int fs_settle_min(const struct node *want, struct settle *s, uint64_t min, const char *what);

/** fs_leftover() - slot: what bears the UUID that was stated or derived, and was never used. */
enum leftover fs_leftover(const struct node *want, const struct node *have, const struct settle *s);

/** fs_describe() - slot: type and label. */
const char *fs_describe(struct arena *a, const struct node *n);

/** fs_compare() - slot: label and UUID, where stated. */
void fs_compare(const struct node *want, const struct node *have, struct why *why);

/* The stripe that a filesystem is told of. */
struct stripe {
	uint64_t unit;  /* bytes; 0: none */
	uint64_t width; /* units in a full stripe */
	bool hide; /* the kernel shows one that must not be taken: the tool has to be told that there is none */
};

/**
 * fs_stripe() - for settle(): the stripe of what lies beneath
 * None where the device says nothing, or no more than its sector. A stripe that can't be one, or that the device doesn't start on, is not
 * taken, with a warning where the filesystem is to be made.
 */
struct stripe fs_stripe(const struct node *want, struct settle *s);

/** fs_step() - for create(): the step, with the tool's name as its first word. @with: what is special, in words, or "". */
struct step *fs_step(struct steps *s, const struct node *want, const char *tool, const char *with);

/** fs_tool_words() - adds the item's `mkfs` words to a step. */
void fs_tool_words(struct steps *s, struct step *st, const struct fs *fs);

/* Files below the root that the plan is for. */

/** target_path() - @path below the root: "/mnt/target/etc/fstab". */
const char *target_path(const struct settle *s, const char *path);

/** target_file() - what is in a file below the root now: NULL where it isn't there, or lies on a filesystem that the plan makes. */
const char *target_file(const struct settle *s, const char *path);

/** target_writable() - whether a file below the root will be where it belongs: false with --no-mount where its filesystem isn't mounted there. */
bool target_writable(const struct settle *s, const char *path);

/**
 * target_hidden() - whether what is in a file below the root can't be known: its filesystem is there and stays, but isn't mounted there now
 * Such a file may hold lines of others, so it must not be written. Return: that filesystem, NULL: nothing is hidden.
 */
const struct node *target_hidden(const struct settle *s, const char *path);
