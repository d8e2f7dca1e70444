/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct diag;
struct machine;
struct plan;

/*
 * A saved plan is what it was made from: the layout, the recording of the machine, and what the person asked for; and the steps, so that
 * it can be reviewed and so that another version of the program, which would plan otherwise, doesn't pass for this one.
 */

/** saved_write() - a plan as a file's text: JSON that ends with a newline. */
const char *saved_write(const struct plan *p, struct arena *a);

/** saved_is() - whether a text may be a saved plan rather than a layout. */
bool saved_is(const char *text, size_t len);

/**
 * saved_read() - a plan from a file's text; opens no device, starts no process
 *
 * Return: 0 with *@ret in @a, or -errno after diag_error(): not a saved plan, or not one that this version would make.
 */
int saved_read(struct arena *a, const char *file, const char *text, size_t len, struct diag *d,
	       struct plan **ret);

/**
 * saved_is_fresh() - whether the disks that a plan touches still are what it saw
 *
 * Each must be there under the same name, with the same identity, size, signatures, table, partitions and holders, not in use where it
 * was not. What differs is told, disk by disk, as refusals.
 */
bool saved_is_fresh(const struct plan *p, const struct machine *now, struct diag *d);

/**
 * saved_is_due() - whether what is planned now is just what was saved
 *
 * @now: the plan for the machine as it is. It differs where something beside the disks has changed: a file in /etc, what is mounted, a name
 * that is taken by now. The first step that differs is told as a refusal.
 */
bool saved_is_due(const struct plan *p, const struct plan *now, struct diag *d);
