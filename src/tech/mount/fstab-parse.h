/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct text;

enum fstab_field {
	FSTAB_SOURCE,
	FSTAB_TARGET,
	FSTAB_TYPE,
	FSTAB_OPTIONS,
	FSTAB_DUMP,
	FSTAB_PASS,
	FSTAB_FIELDS,
};

/* Bytes as they are written, not terminated, inside the file's text. */
struct fstab_bytes {
	const char *at;
	size_t len;
};

/* One line of an fstab. Nothing is copied: the line and its end give back exactly what was read. */
struct fstab_line {
	unsigned number;        /* from 1 */
	struct fstab_bytes all; /* without its end */
	struct fstab_bytes end; /* "\n", "\r\n", or "" at the end of the text */
	bool entry;             /* names a source, a target and a type: mount(8) reads it */
	unsigned
		fields; /* 0 in comments and blank lines; what stands behind the last field is a trailing comment */
	struct fstab_bytes field[FSTAB_FIELDS];
};

/**
 * fstab_next() - the next line of a text
 * @pos: where it begins, 0 at first; moved behind it
 * @ret: .number counts on from what is there, so zero it before the first call
 * Total: every text is a sequence of lines, and the lines one after another are the text.
 * Return: false at the end.
 */
bool fstab_next(const char *text, size_t len, size_t *pos, struct fstab_line *ret);

/**
 * fstab_decode() - a field as it is meant: a backslash and three octal digits are a byte (but \000, which stays)
 * Source: util-linux, lib/mangle.c; fstab(5) names \040, \011, \012 and \134.
 * Return: a copy in @a.
 */
char *fstab_decode(struct arena *a, struct fstab_bytes field);

/**
 * fstab_encode() - a word as a field: blanks, control characters, backslashes, and a '#' at its start in octal
 * Whatever @s holds, the result is one field of one line; an empty @s gives NULL, since no field can be empty.
 */
const char *fstab_encode(struct arena *a, const char *s);

/**
 * fstab_put() - adds a line with some of its fields replaced, and its end
 * @field: encoded, NULL leaves a field as it is. Where the line has fewer fields than the last one given, those between are filled up
 * with "defaults" and "0". Every other byte stays.
 */
void fstab_put(struct text *out, const struct fstab_line *line, const char *const field[FSTAB_FIELDS]);

/** fstab_same_source() - whether two sources are written the same: UUIDs in any case, values of tags with or without quotes. */
bool fstab_same_source(const char *a, const char *b);

/** fstab_tag() - the value of a source such as `LABEL="data"` for the tag "LABEL", without its quotes; NULL: another tag, or a path. In @a. */
const char *fstab_tag(struct arena *a, const char *source, const char *tag);

/** fstab_has_option() - whether a list separated by commas has the word @name, or "@name=...". */
bool fstab_has_option(const char *options, const char *name);

/** fstab_same_target() - whether two mount points are one: slashes at the end and doubled ones don't count. */
bool fstab_same_target(const char *a, const char *b);

/** fstab_is_below() - whether path @p lies below directory @dir, by whole components: /data2 is not below /data, nor is /data itself. */
bool fstab_is_below(const char *p, const char *dir);
