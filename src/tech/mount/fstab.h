/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/text.h"

struct arena;
struct build;
struct fs;
struct kind;
struct machine;
struct plan;
struct node;
struct settle;
struct why;

/* One filesystem as fstab shall have it. Everything is plain text here; the file gets it in octal escapes where it must. */
struct fstab_entry {
	const char *name; /* for messages */
	struct pos pos;
	const char *source; /* "UUID=...", or a path */
	const char *target; /* NULL: swap */
	const char *type;
	const char *options; /* not empty; of a new line, and of one that is there where @over is NULL */
	/* The options of a line that has @there: those stay where the layout states none. */
	const char *(*over)(struct arena *a, const struct fs *fs, const char *there);
	const struct fs *fs; /* for @over */
	int pass;
	bool pass_stated;
	text_list
		also; /* what else the source may be called: a swap line with one of these is this entry's */
};

typedef VEC(struct fstab_entry) fstab_entries;

/**
 * fstab_make() - an fstab with these entries in it
 * A line is found by its mount point, of swap by its source; it gets the entry's source and type, and what is stated; everything else
 * in the file stays byte for byte. What has no line gets one: parents before children, before a line that needs it, else at the end.
 * @m:    where lines of devices that aren't there are looked for; NULL: nowhere
 * @file: how messages call it; kept by pointer
 * @old:  its content, NULL: there is none
 * Return: 0 with *@ret in @a (@old itself where nothing changes), or -EINVAL after diag_error(): two lines for one mount point, or one
 * that can't be this filesystem's.
 */
int fstab_make(struct arena *a, const struct machine *m, const char *file, const char *old,
	       const fstab_entries *entries, struct diag *d, const char **ret);

/**
 * fstab_convert() - an fstab with its device paths and labels turned into UUIDs
 * What can't be converted stays, with a warning that says why: no such device, no filesystem on it, no UUID, one that several devices
 * bear, encrypted with a passing key. Lines that aren't about block devices stay without a word, and so does every other byte.
 * @file: how messages call it; kept by pointer
 * @ret_all: whether nothing had to stay that should have been converted; false makes the command's exit status 1
 * Return: 0 with *@ret and *@ret_len in @a, NUL-terminated. It doesn't fail.
 */
int fstab_convert(struct arena *a, const struct machine *m, const char *file, const char *text, size_t len,
		  struct diag *d, const char **ret, size_t *ret_len, bool *ret_all);

/**
 * fstab_text() - the fstab that a plan leaves below its root, whether or not it has to be written
 * @p: made without errors
 * Return: 0 with *@ret in @a ("" where there is none and none is needed), or -EINVAL after diag_error().
 */
int fstab_text(const struct plan *p, struct arena *a, struct diag *d, const char **ret);

/** fstab_options_there() - the options that the line for a mount point has; NULL: no such line. @target: without doubled slashes. In @a. */
const char *fstab_options_there(struct arena *a, const char *text, const char *target);

/* For the room's table: mount.c. */

extern const struct kind fstab_kind;

/** fstab_wanted() - the lines that the layout asks for. Return: 0, or -EINVAL after diag_error(): what could be named is in @ret all the same. */
int fstab_wanted(const struct settle *s, const struct node *fstab, fstab_entries *ret);

/** fstab_is_called() - whether a source is what an entry's filesystem is called, or may be. */
bool fstab_is_called(const struct fstab_entry *e, const char *source);

/** fstab_health() - slot: in what the file that is there isn't as the layout asks, and lines of others that lead nowhere. fstab-health.c. */
void fstab_health(const struct node *want, const struct settle *s, struct why *why);

/** fstab_finish() - adds the wanted file, on all filesystems that it has a line for. */
int fstab_finish(struct build *b);
