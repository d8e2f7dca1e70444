/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/child.h"
#include "run/journal.h"
#include "run/lock.h"
#include "run/op-lvm.h"
#include "run/op.h"
#include "run/progress.h"

struct arena;
struct diag;
struct plan;
struct run_result;

enum { TIMEOUT_S = 600, SETTLE_S = 30 }; /* where a step states no deadline */

enum job_phase {
	JOB_WAITS,
	JOB_RUNS,
	JOB_LOOKS, /* has run; what it gives is awaited */
	JOB_DONE,
	JOB_FAILED,
};

/* A step on its way. */
struct job {
	const struct step *step;
	enum job_phase phase;
	size_t missing;           /* needs that are not done */
	size_t *next, next_count; /* jobs that need it */
	char **argv;              /* OP_ARGV, and OP_LVM that liblvm2cmd can't be told */
	const char *file;         /* the program; NULL: not found */
	const char *line;         /* OP_LVM for liblvm2cmd */
	bool driver;              /* of a filesystem, which waits for modules_load() */
	bool serial;              /* one at a time with all others of LVM */
	size_t lock;              /* index + 1 of the disk's lock that is held until it is over */
	struct op_job op;
	unsigned timeout_s, settle_s; /* deadlines of the operation, and of the wait for what it gives */
	uint64_t start_ms;
};

/* A place where one job runs. */
struct slot {
	struct job *job; /* NULL: free */
	struct child child;
	struct capture out, err;
};

struct runner {
	struct arena *arena;
	const struct plan *plan;
	struct diag *diag;
	struct run_result *result;
	struct journal journal;
	struct progress progress;
	lock_list locks;
	char **env;
	unsigned deadline_s; /* of each step; 0: the plan's */
	int signals;         /* signalfd */
	int lock_fd; /* of the state directory: programs keep it, so that the lock holds until the last has ended */
	struct job *jobs;
	struct slot *slots;
	size_t slot_count;
	struct pollfd *fds;
	struct child modules; /* modprobe */
	struct lvm_worker lvm;
	struct capture lvm_out, lvm_err;
	struct slot *lvm_slot;    /* whose job the worker has; NULL: idle */
	struct job *serial;       /* the LVM job that runs, there or as a program */
	bool failed, interrupted; /* nothing new starts */
};

/** runner_prepare() - all that is allocated, before the first step. .plan, .arena, .slot_count, .env are set. Fills .locks (not taken yet). */
void runner_prepare(struct runner *r);

/**
 * modules_load() - starts to load the filesystems' drivers that the kernel doesn't have yet
 * It would load each by itself, when the tool that makes the filesystem and udev, one worker for each device, ask for it: for every one that
 * asks a modprobe, all at once, and each does the whole work. Where this one fails it still comes to that, and those who need it complain.
 */
void modules_load(struct runner *r);

/** runner_run() - the steps, until all are done or, after a failure, none runs. Has spoken about each failure. */
void runner_run(struct runner *r);

/** runner_fail() - says why a step failed, with the command and its last words. @how: "exited with 1"; NULL: the operation's own last line. */
void runner_fail(struct runner *r, const struct job *j, const struct capture *out, const struct capture *err,
		 const char *how);
