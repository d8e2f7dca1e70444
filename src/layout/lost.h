/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "tech/key.h"

/*
 * What mistakes have left unknown in a layout. The parser writes it down; layout_build() goes on with what is known, and says nothing that
 * would only follow from what isn't: a name that a broken item would have made is not called unknown.
 */

/* Names in an item that was left out: they are looked up all the same. */
struct lost_names {
	struct names names;
	const char *also;
};

typedef VEC(struct lost_names) lost_names_list;

struct lost {
	struct arena *arena;
	bool any;                 /* something may have any name */
	struct map words;         /* parts of names that broken items make or could make */
	VEC(unsigned char) items; /* of each item, by its order: how much of it is whole */
	lost_names_list names;
};

/** lost_new() - nothing is lost yet. */
struct lost *lost_new(struct arena *a);

/* How much of an item is lost. */
enum lost_state {
	LOST_PART = 1,  /* something in it is broken or left out */
	LOST_OWN = 2,   /* it is itself broken: keys are missing or have a stand-in */
	LOST_WORDS = 4, /* not only numbers are: whatever is said of it may follow from that */
};

/** lost_item() - an item is not whole. @state: of LOST_PART, ... */
void lost_item(struct lost *l, const struct item *it, unsigned state);

/** lost_state() - what was said of an item. @l, @it: NULL: it is whole. Return: 0, or of LOST_PART, ... */
unsigned lost_state(const struct lost *l, const struct item *it);

/** lost_word() - @word is or may be (a part of) a name. */
void lost_word(struct lost *l, const char *word);

/** lost_words() - the same of all words of a piece of YAML that may be meant as names: keys, entries of lists, and what `name` says. Return: how many. */
size_t lost_words(struct lost *l, const struct yaml *y);

/** lost_words_of() - the same of a map whose keys are known: the names of what is in it, and its own. Return: how many. */
size_t lost_words_of(struct lost *l, const struct key *keys, const struct yaml *map);

/** lost_makes_names() - whether each entry of a list or map makes a name. */
bool lost_makes_names(const struct key *k);

/** lost_has() - whether a name holds such a word: what it stands for isn't known, or not all of it. @l: NULL: all is. */
bool lost_has(const struct lost *l, const char *name);
