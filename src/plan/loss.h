/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

#include "base/diag.h"
#include "base/map.h"
#include "base/text.h"
#include "graph/node.h"

struct arena;
struct machine;
struct plan_options;
struct settle;

/* Something that would have to be given up, and may not be. */
struct loss_refused {
	struct map ends, clear; /* as those of struct losses: it, and all that would go with it */
	size_t first, end;      /* what has been said of it, by number in diag.messages: [first, end) */
	const char *subject;    /* in a list of several: "'vda.data'" */
	size_t group;           /* by number in .refused: the first of those that would go together */
};

/*
 * What is given up so that the layout can be reached. Planning goes in rounds: where something is in the way and may be lost, it is noted
 * here, and the next round plans for the machine as it will be without it. So there is one way to plan, that for what is blank.
 */
struct losses {
	struct arena *arena;
	const struct machine *machine; /* as it is */
	struct graph *all;             /* what is there, all of it, sorted */
	const struct plan_options *options;
	struct map
		ends; /* name -> node of .all that will be no more: arrays, volumes, partitions, filesystems */
	struct map
		clear; /* name -> node of .all, a device that stays and whose content goes: disks, partitions */
	struct map
		leftover; /* name -> node of .ends or .clear: what an interrupted run has left half made, in which nothing is */
	struct map anew; /* name of the wanted node that takes its place -> const char *: how that is known */
	VEC(struct loss_refused) refused; /* in this round, and not told yet: loss_tell() */
};

/* A disk that loses something. */
struct loss_disk {
	const struct node *disk; /* of what is there */
	const char *name;        /* as the person calls it: the layout's name, else its path */
	text_list items;         /* "/dev/sda1 (512 MiB): ext4 'boot' 1234-..." */
};

typedef VEC(struct loss_disk) loss_list;

/** loss_none() - nothing is given up so far. @m, @all: the machine and what is there, as they are. */
struct losses loss_none(struct arena *a, const struct machine *m, struct graph *all,
			const struct plan_options *o);

/**
 * loss_content() - whether all that is on a device may be lost, with all that stands on it, wherever else that lies
 *
 * @dev: of s->have.
 * @said: how many messages there were before the refusal that the caller has said.
 * @subject: what would be made there, for a list of several.
 *
 * Return: true where every disk concerned was allowed and nothing is in use: then it is noted, and this round is for nothing. Else
 * loss_tell() says why not.
 */
bool loss_content(const struct settle *s, const struct node *dev, size_t said, const char *subject);

/** loss_object() - the same for an object that has to be made anew: a table, an array, a volume. */
bool loss_object(const struct settle *s, const struct node *have, size_t said, const char *subject);

/**
 * loss_tell() - at the end of a round: adds what would be lost, and what would allow it, to the refusals of that round
 * Those of which one would go with the other become one, that of the first: nobody reads the same list five times.
 */
void loss_tell(const struct settle *s);

/**
 * loss_leftover() - gives up what an interrupted run has left half made: nobody has to allow it
 *
 * @want: what takes its place. @have: what plan_is_unfinished() was asked about. @why: what it said.
 *
 * Return: true where it was noted, and this round is for nothing.
 */
bool loss_leftover(const struct settle *s, const struct node *want, const struct node *have, const char *why);

/**
 * loss_half_table() - the same for what is on a disk whose table is half written
 *
 * @dev: the disk, of s->have; plan_is_half_table() was asked about it, and said @why.
 */
bool loss_half_table(const struct settle *s, const struct node *want, const struct node *dev,
		     const char *why);

/** loss_wanted() - the layout's node of a disk that is there; NULL: the layout doesn't name it. */
const struct node *loss_wanted(const struct graph *want, const struct node *disk);

/** loss_list_disks() - the ledger: what goes, by disk, in the order of the disks. */
loss_list loss_list_disks(const struct losses *l, struct arena *a, const struct graph *want);

/** loss_check_options() - whether each --allow-loss names a disk. Says those that don't. */
bool loss_check_options(const struct losses *l, const struct graph *want, struct diag *d);

/** loss_machine() - the machine as it will be when all that is given up is gone. */
struct machine *loss_machine(const struct losses *l);

/** loss_graph() - takes what is given up out of a graph of all that is there. @m: from loss_machine(). */
void loss_graph(const struct losses *l, struct graph *have, const struct machine *m);

/** loss_what() - what a device holds, for people: "ext4 'boot' 1234-..., mounted on /boot"; "" if nothing. */
const char *loss_what(struct arena *a, const struct machine *m, const struct blockdev *b);

/** loss_item() - what of an object is told in the ledger; "" where another one tells it. */
const char *loss_item(const struct losses *l, struct arena *a, const struct node *n);
