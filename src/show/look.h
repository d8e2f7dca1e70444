/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "graph/node.h"
#include "plan/step.h"

/* What the forms of output have in common; for src/show alone. */

struct plan;
struct show_end;
struct show_options;

/** look_is_disk() - a device that stands on nothing. */
bool look_is_disk(const struct node *n);

/** look_is_attached() - uses others without putting anything there or offering anything (a mount, a file in /etc): no storage of its own. */
bool look_is_attached(const struct node *n);

/** look_is_beside() - attached to one object (a mount to its filesystem), which is .below.at[0]: shown beside it. */
bool look_is_beside(const struct node *n);

/** look_is_shown() - whether an end is worth a line: not a partition or volume of one disk that nobody uses. */
bool look_is_shown(const struct show_end *end);

/** look_home() - the one object under which @n is drawn; NULL: it stands on several, or on none. */
const struct node *look_home(const struct node *n);

/** look_describe() - the kind's word about it, "" where it has none. */
const char *look_describe(struct arena *a, const struct node *n);

/** look_verdict() - "create", "keep", "cannot", "none". */
const char *look_verdict(enum verdict v);

/** look_is_stuck() - whether something stands in the way of the plan, so that it has no steps. @o: may be NULL. */
bool look_is_stuck(const struct plan *p, const struct show_options *o);

/** look_given() - the devices that steps say will be there, struct op_expect by path. */
struct map look_given(struct arena *a, const struct plan *p);

/** look_start() - where a partition begins, in bytes; 0: not known, or no partition. @given: of look_given(). */
uint64_t look_start(const struct map *given, const struct node *n);

/** look_touched() - the disks on which something is made, in order; and with @ret_blank the devices that must be blank for it. */
node_list look_touched(struct arena *a, const struct plan *p, node_list *ret_blank);

/** look_form() - "argv", "lvm", "table", ... */
const char *look_form(enum op_form form);
