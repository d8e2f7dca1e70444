/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "base/units.h"
#include "base/uuid.h"
#include "layout/yaml.h"

/*
 * The words of the language. A room describes its part of it in tables of keys; the parser, `stowage schema`, `stowage doc` and the man page
 * all read the same tables. What was written is kept in items: structs that begin with struct item.
 */
enum key_form {
	KEY_END = 0,
	KEY_BOOL,  /* bool: true, false; the YAML 1.1 words (yes, on, ...) are errors that say so */
	KEY_INT,   /* int64_t, .min to .max; decimal only, a leading zero is decimal too */
	KEY_WORD,  /* const char *: one of .one_of; aliases are the room's */
	KEY_TEXT,  /* const char *: literally, no control characters */
	KEY_TEXTS, /* text_list: a list of such texts, or one alone */
	KEY_PATH, /* const char *: absolute, no control characters, no "." or ".." parts, no double or trailing slash (but "/") */
	KEY_SIZE, /* struct size_want: all forms */
	KEY_BYTES, /* uint64_t: bytes, not 0 */
	KEY_UUID,  /* struct uuid */
	KEY_NAMES, /* struct names: a name, or a list of names, of devices */
	KEY_MAP,   /* a struct that begins with struct item, in place: the nested map's .keys */
	KEY_LIST, /* struct items: a list of maps, each a struct of .size bytes with .keys; with .scalar, a scalar alone is a list of one */
	KEY_NAMED, /* struct items: a map of names, each a struct of .size bytes with .keys */
};

struct key {
	const char *name;
	enum key_form form;
	size_t offset; /* in the item */
	bool need;
	const char *one_of; /* KEY_WORD: the words, separated by blanks */
	int64_t min, max;   /* KEY_INT */
	const char *also;   /* KEY_NAMES: a word that stands for no device ("missing") */
	const struct key *keys;
	size_t size;
	const char *
		scalar; /* KEY_NAMED, KEY_LIST: a scalar or list in place of the map is the value of this key */
	const char *unless;  /* key that may not be stated together with this one */
	const char *with;    /* key that must be stated too (su with sw) */
	const char *doc;     /* a sentence for the reference */
	const char *example; /* a value as one would write it, for the reference */
};

/* KEY(BOOL, struct array_item, bitmap, .doc = "...") - the member's name is the key's, with _ for -. */
#define KEY(f, type, member, ...)                                                                            \
	{                                                                                                    \
		.name = #member, .form = KEY_##f, .offset = offsetof(type, member), __VA_ARGS__              \
	}

/* What was written for one thing. The first member of every item struct. */
struct item {
	const struct yaml *src; /* its map (or the scalar in its place) */
	const char *name;       /* in a KEY_NAMED, else NULL */
	struct pos pos;         /* of the name, else of the item */
	size_t order;           /* in the file */
};

struct items {
	struct item **at;
	size_t n;
};

struct name_at {
	const char *name;
	struct pos pos;
};

struct names {
	struct name_at *at;
	size_t n;
};

/** item_pos() - where the item states @key; the item's own place where it doesn't. */
struct pos item_pos(const struct item *it, const char *key);

/** item_pos_at() - where the item states entry @i of @key, which is a list; a scalar alone is its entry 0. */
struct pos item_pos_at(const struct item *it, const char *key, size_t i);

/** item_has() - whether the layout states @key for it. */
bool item_has(const struct item *it, const char *key);
