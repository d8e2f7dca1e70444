/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/vec.h"

struct arena;

/* A place in a file that a person wrote. line and col count from 1; 0 says "nowhere in particular". col
 * counts characters. */
struct pos {
	const char *file; /* NULL: none; lives as long as the messages */
	unsigned line, col;
	unsigned width; /* characters to underline, 0: one */
};

enum severity {
	DIAG_NOTE,    /* belongs to the message before it */
	DIAG_WARNING, /* the plan goes on */
	DIAG_ERROR,   /* wrong or doesn't fit: exit 1 */
	DIAG_REFUSAL, /* something would be lost or is in use: exit 3 */
};

struct diag_message {
	enum severity severity;
	struct pos pos;
	const char *text;
};

struct diag_source {
	const char *file; /* compared by pointer first, then by name */
	const char *text; /* whole, for the snippets */
	size_t len;
};

/* All that is to be said to the user in one run. Set up with { .arena = a }. */
struct diag {
	struct arena *arena;
	VEC(struct diag_message) messages;
	VEC(struct diag_source) sources;
	unsigned errors, warnings, refusals;
};

/** diag_source_add() - the text that positions in @file point into, so that messages can show the line. Not
 * copied. Lines end with LF, CR LF or CR. */
void diag_source_add(struct diag *d, const char *file, const char *text, size_t len);

/** diag_error() - one mistake. Say what is wrong, with both sides, and what would do. Return: -EINVAL, to
 * pass on. */
int diag_error(struct diag *d, struct pos pos, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/** diag_refuse() - something would be lost or is in use: exit 3. Return: -EPERM. */
int diag_refuse(struct diag *d, struct pos pos, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

void diag_warn(struct diag *d, struct pos pos, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/** diag_note() - adds to the message said last, of any severity. */
void diag_note(struct diag *d, struct pos pos, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/** diag_failed() - whether anything stands in the way of going on. */
bool diag_failed(const struct diag *d);

/** diag_exit() - the exit status that the messages call for: 0, 1 (errors) or 3 (refusals and no errors). */
int diag_exit(const struct diag *d);

/**
 * diag_print() - the messages: those about a file in the order of its lines, notes behind what they belong to
 * Up to a hundred errors and as many warnings; of more only the number is told.
 * FILE:LINE:COL: error: TEXT, then the line and a caret; a refusal says "refused:"; a note shows no line.
 * FILE: error: TEXT where there is no line, stowage: error: TEXT where there is no file; those come last.
 * Files come in the order in which they were first named. A long line is cut to about 100 columns around the
 * place. Identical messages are printed once, with the notes of all. Texts and lines pass text_safe(), so a
 * text is one line.
 * @color: whether to use colour
 */
void diag_print(const struct diag *d, FILE *to, bool color);

/**
 * diag_print_json() - the same as one JSON array of {severity, file, line, column, message, notes: [...]}
 * severity: note, warning, error or refusal. file, line and column are null where not known; notes have no
 * notes.
 */
void diag_print_json(const struct diag *d, FILE *to);

static const struct pos nowhere = { 0 };
