/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

struct arena;
struct diag;
struct plan;

struct run_options {
	unsigned
		jobs; /* operations at a time; 0: one per CPU, and at least 4 since mkfs waits for the disk most of its time */
	unsigned
		deadline_s; /* of each step, in place of those in the plan; 0: those. Waits for udev don't become longer */
	const char *state_dir; /* where journal and lock are; NULL: /var/lib/stowage */
	bool progress; /* @out is a terminal: one line, rewritten in place; else one line per finished step */
	FILE *out;     /* NULL: nothing is shown */
	bool may_lose; /* the person has seen what is lost, and wants it */
	text_list protected; /* lists of protected disks beside PROTECTED_FILE; all are read anew before the first write */
};

struct run_result {
	size_t steps;          /* in the plan */
	size_t done;           /* brought about */
	unsigned processes;    /* programs started */
	unsigned forks;        /* operations and waits carried out in a copy of this process */
	unsigned lvm_commands; /* of these, run through liblvm2cmd in one process */
	unsigned table_writes;
	unsigned waits; /* for udev and for devices */
	uint64_t elapsed_ms;
	bool interrupted;   /* by SIGINT, SIGTERM or SIGHUP */
	text_list ids_done; /* in the order of the plan; in the plan's arena */
	text_list ids_left; /* the others, those that failed among them */
};

/**
 * run_plan() - carries out a plan
 * Before the first write: the state directory, the one lock that keeps a second stowage out, a lock on each disk that gets a table or is
 * zeroed (the BSD lock that udev honours), and the check that each disk still is what the plan saw. Then the steps, side by side where
 * their needs allow it. At the first failure nothing new is started; what runs finishes. SIGINT, SIGTERM and SIGHUP do the same.
 * The signal mask and the handler of SIGCHLD are as before when it returns. No threads: liblvm2cmd would not stand them.
 * @ret: filled either way.
 * Return: 0; -EINVAL after diag_error() (a step failed, interrupted, no state directory); -EPERM after diag_refuse() (a disk has changed,
 * is in use, locked or protected, something would be lost): then nothing has been written.
 */
int run_plan(const struct plan *p, const struct run_options *o, struct diag *d, struct run_result *ret);

/**
 * run_look_lock() - whether another stowage is changing this machine
 * What is planned meanwhile is planned for a moment; run_plan() takes the lock itself.
 * @state_dir: NULL: STATE_DIR.
 * Return: 0, or -EPERM after diag_refuse().
 */
int run_look_lock(struct arena *a, const char *state_dir, struct diag *d);
