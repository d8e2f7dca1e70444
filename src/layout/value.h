/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/diag.h"
#include "layout/lost.h"
#include "tech/key.h"

struct arena;

/* What goes on while a layout is read. */
struct parse {
	struct arena *arena;
	struct diag *diag;
	const struct room *const *rooms;
	size_t order;    /* of the next item */
	unsigned errors; /* so far */
	unsigned muted;  /* nothing is told or counted: what is read is a guess */
	struct lost *lost;
	lost_names_list names; /* of the item of a section that is being read */
};

enum { PARSE_ERRORS_MAX = 500 }; /* nobody reads more */

/** parse_error() - tells a mistake, unless p->muted. Return: -EINVAL. */
int parse_error(struct parse *p, struct pos pos, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/** parse_shown() - a text for a message: cut where it is longer than anybody reads. Return: @s itself, or in the arena. */
const char *parse_shown(struct parse *p, const char *s);

/** parse_shape() - a mistake of shape: "'devices' takes a name, or a list of names; this is a map". @what: the key or thing. Return: -EINVAL. */
int parse_shape(struct parse *p, const struct yaml *y, const char *what, const char *wanted);

/** parse_text() - a text as it stands: not empty, no control characters. @what: for messages. Return: 0 or -EINVAL. */
int parse_text(struct parse *p, const struct yaml *y, const char *what, const char **ret);

/**
 * parse_value() - a value of one of the plain forms: all but KEY_MAP, KEY_LIST and KEY_NAMED
 * @what: the key as it is written
 * @to: the member of the item
 * Return: 0 or -EINVAL after a message. Of KEY_NAMES @to is filled then too, with "" in place of each name that isn't one.
 */
int parse_value(struct parse *p, const struct key *k, const char *what, const struct yaml *y, void *to);
