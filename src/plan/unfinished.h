/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

struct node;
struct settle;

/*
 * A run that was interrupted leaves something half made. It is made anew where three things hold: it is ours, by the identifiers that are
 * planned for it on just these disks; nothing is in it, nobody uses it, and nobody else is on its devices; and it isn't known to be whole.
 * The journal knows what was made; where there is none, what is empty and isn't as the layout asks is enough.
 */

/** plan_making() - a name for what is made, equal for the same object of the same layout on the same disks only: a UUID. @n: with its .id. */
const char *plan_making(const struct settle *s, const struct node *n);

/** plan_was_making() - whether the journal says that a run was making it when it was interrupted. */
bool plan_was_making(const struct settle *s, const struct node *n);

/**
 * plan_is_half_table() - the same of a disk that looks like one whose table is lost: what is left of a table may be ours, half written
 *
 * @dev: the disk, of what is there.
 */
const char *plan_is_half_table(const struct settle *s, const struct node *want, const struct node *dev);

/**
 * plan_is_unfinished() - why what is there in the place of @want may be made anew without anybody's leave, in words; NULL: it may not
 *
 * @have: what is there. @differs: it isn't what the layout asks for.
 */
const char *plan_is_unfinished(const struct settle *s, const struct node *want, const struct node *have,
			       bool differs);
