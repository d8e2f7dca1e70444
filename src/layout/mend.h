/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/vec.h"
#include "layout/value.h"
#include "tech/key.h"

/* What an item is held against: a section's keys, and for typed sections the kind's. */
struct tables {
	const struct key *keys[2];
	const char *one;     /* "an array" */
	const char *section; /* typed: its name, to find what other kinds know; else NULL */
	bool blind;          /* typed: the kind is not known, and so not all keys */
};

/** tables_find() - the key of an item that a word is, NULL where there is none. */
const struct key *tables_find(const struct tables *t, const char *word);

/* What has become of a value or an item. Whatever is wrong has been told. */
enum outcome {
	WHOLE,
	PARTS,  /* something in it is broken or left out */
	BROKEN, /* has stand-ins: fit for making names and edges, and for nothing else */
	GONE,   /* there is nothing to go on with */
};

/* A key that is not as it should be. */
struct fault {
	const struct yaml_item *at;
	const struct key *key; /* NULL: nobody knows which one is meant */
	enum outcome outcome;  /* of its value */
	bool guessed;          /* it is written otherwise */
};

typedef VEC(struct fault) fault_list;

/* What follows from an item's mistakes for what is made of it. */
struct lack {
	bool group; /* it may stand for more things than are known */
	bool words; /* not only numbers are broken */
};

/**
 * mend() - makes an item with mistakes look like one without
 * What is broken is as if it weren't stated, or has a stand-in where it is needed: so rooms, which expect items that the tables allow, can
 * make names of it and put it on its devices. item->src loses what is broken.
 * @to: the item
 * @ret: added to
 * Return: PARTS, BROKEN or GONE (a needed key for which nothing can stand in).
 */
enum outcome mend(struct parse *p, const struct tables *t, const struct yaml *map, const fault_list *faults,
		  void *to, struct lack *ret);

/** mend_clear() - a member as if its key weren't stated. */
void mend_clear(const struct key *k, void *to);
