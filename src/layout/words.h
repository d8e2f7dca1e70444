/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "tech/kind.h"

/*
 * What parser, schema and reference ask of the key tables. The list of rooms is an argument everywhere, so that tests can bring their own.
 */

struct layout;

#define LAYOUT_VERSION 1

/* `stowage` and `name`, which belong to no room; ends with .name NULL. */
extern const struct key words_head[];

/* The keys of a size's map, `min` and `max`; ends with .name NULL. */
extern const struct key words_range[];

/** words_key() - a key as a layout writes it: "stripe-size", of a member stripe_size. Return: in @a, or the table's own text. */
const char *words_key(struct arena *a, const struct key *k);

/** words_is() - whether a word of a layout is that key. */
bool words_is(const struct key *k, const char *word);

/** words_find() - the key of a table that a word is, NULL where there is none. @keys: may be NULL. */
const struct key *words_find(const struct key *keys, const char *word);

/** words_split() - the words of a KEY_WORD. */
text_list words_split(struct arena *a, const char *one_of);

/** words_article() - "a" or "an". */
const char *words_article(const char *word);

/** words_one() - what a thing of a section or list is called: "a volume group" for "volume-groups". */
const char *words_one(struct arena *a, const char *name);

/** words_form() - what a key takes, in words: "a size", "a name, or a list of names". */
const char *words_form(struct arena *a, const struct key *k);

/** words_section() - a section by its name, NULL where no room has it. */
const struct section *words_section(const struct room *const *rooms_, const char *name);

/** words_kind() - the kind that `type:` picks in a typed section, NULL where there is none. */
const struct kind *words_kind(const struct room *const *rooms_, const char *section, const char *type);

/** words_kinds() - the names of all kinds that are entries of a typed section, in the order of the rooms. */
text_list words_kinds(struct arena *a, const struct room *const *rooms_, const char *section);

/** words_is_name() - whether a word may name a thing: a letter, then letters, digits, _ + - */
bool words_is_name(const char *s);

/* The pattern of such a name, for the schema. */
#define WORDS_NAME_PATTERN "^[A-Za-z][A-Za-z0-9_+-]*$"

/* The stages of layout.h for a given list of rooms. */
int layout_parse_rooms(const struct room *const *rooms_, struct arena *a, const char *file, const char *text,
		       size_t len, struct diag *d, struct layout **ret);
int layout_build_rooms(const struct room *const *rooms_, struct arena *a, const struct layout *l,
		       struct diag *d, struct graph **ret);
