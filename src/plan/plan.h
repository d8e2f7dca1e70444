/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "machine/machine.h"
#include "plan/loss.h"
#include "plan/settle.h"
#include "plan/step.h"

struct layout;

/* From what is there to what shall be. A value: reaches nothing but its arena. */
struct plan {
	struct arena *arena;
	const struct layout *layout;
	const struct machine *machine;
	struct plan_options options;
	struct graph *want; /* settled; nodes sorted */
	struct graph *have;
	struct losses losses;
	bool partial; /* what is there has to be started first: its steps are all, and what stands on it is planned after them */
	loss_list lost;  /* what is lost, by disk; empty where nothing is */
	step_list steps; /* in one valid order, always the same */
};

/**
 * plan_make() - the plan for a layout on a machine
 * A function of its arguments alone: same input, same bytes out; opens nothing, starts nothing.
 * Return: 0 with *@ret in @a (also with warnings), or -errno after diag_error() or diag_refuse(): then *@ret may still be set, without
 * steps, so that what is there and what was wanted can be shown.
 */
int plan_make(struct arena *a, const struct layout *l, const struct machine *m, const struct plan_options *o,
	      struct diag *d, struct plan **ret);

/** plan_missing_tools() - programs that steps need and the machine doesn't have: "mdadm (Debian package mdadm)". Empty where tools aren't known. */
text_list plan_missing_tools(const struct plan *p, struct arena *a);

/**
 * plan_places() - where the plan puts new partitions on the disk of that path
 * For machine_peek(): what lies there without a table is content all the same.
 */
extent_list plan_places(const struct plan *p, struct arena *a, const char *disk);

/** plan_file() - the content that the plan leaves at @path ("etc/fstab" below the root): of its step, or of the file that is there and stays; NULL: none. */
const char *plan_file(const struct plan *p, const char *path);
