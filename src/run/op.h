/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "plan/step.h"

/*
 * The forms of operations that are not programs. Each runs in a process of its own (child_fork()): it may block, standard error takes its
 * last words, its return value is the exit status: 0 done, 1 failed.
 */
struct op_job {
	const struct op *op;
	const char *root; /* the plan's --root: symbolic links in OP_FILE's path don't lead out of it */
	const char *lock; /* a whole disk to lock meanwhile; NULL: no need, or the parent holds it */
	unsigned timeout_s;
};

int op_table(const struct op_job *j);
int op_zero(const struct op_job *j);
int op_wipe(const struct op_job *j);
int op_mkdir(const struct op_job *j);
int op_mount(const struct op_job *j);
int op_file(const struct op_job *j);

/**
 * op_link_on_way() - the first symbolic link among the directories that lead from @root to @path, and @path itself
 * What is mounted there would be found at another place, below another root even on this machine itself.
 * Return: its path in @a; NULL: none, as far as they are there.
 */
const char *op_link_on_way(struct arena *a, const char *root, const char *path);

/** op_settle() - for .expect, and until udev's queue is empty; without udevd, what the kernel says must do at once. */
int op_settle(const struct op_job *j);

/** op_wait() - for @expect alone: what a step gives. */
int op_wait(const struct op_expect *expect, size_t n, unsigned timeout_s);

/** op_say() - a line on standard error. Return: 1, the exit status of a failure. */
int op_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
