/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "plan/plan.h"
#include "run/expect.h"
#include "run/loop.h"
#include "run/run.h"

enum { REDRAW_MS = 1000 };

static void stop(struct runner *r)
{
	/* Whatever still runs keeps its disk's lock; nobody else will need one. */
	vec_each (struct disk_lock *, l, &r->locks) {
		l->pending = 0;
		for (size_t i = 0; i < r->slot_count; i++)
			if (r->slots[i].job && r->slots[i].job->lock == (size_t)(l - r->locks.at) + 1)
				l->pending++;
		if (!l->pending)
			lock_release(l);
	}
}

static void let_go(struct runner *r, struct job *j)
{
	struct disk_lock *l = j->lock ? &r->locks.at[j->lock - 1] : NULL;

	if (l && l->pending && !--l->pending)
		lock_release(l);
	j->lock = 0;
}

static void over(struct runner *r, struct slot *s, bool good)
{
	struct job *j = s->job;
	uint64_t ms = child_clock_ms() - j->start_ms;

	s->job = NULL;
	s->child.state = CHILD_NONE;
	if (r->serial == j)
		r->serial = NULL;
	if (r->lvm_slot == s)
		r->lvm_slot = NULL;
	j->phase = good ? JOB_DONE : JOB_FAILED;
	journal_add(&r->journal, good ? JOURNAL_DONE : JOURNAL_FAILED, j->step, ms, 0);
	let_go(r, j);
	if (!good) {
		r->failed = true;
		stop(r);
		return;
	}
	r->result->done++;
	if (j->step->op.form == OP_TABLE)
		r->result->table_writes++;
	for (size_t i = 0; i < j->next_count; i++)
		r->jobs[j->next[i]].missing--;
	progress_done(&r->progress, j->step, ms);
}

static int look(void *arg)
{
	const struct job *j = arg;

	return op_wait(j->step->gives.at, j->step->gives.n, j->settle_s);
}

/* The operation is over and was good: is there what it gives? */
static void look_after(struct runner *r, struct slot *s)
{
	struct job *j = s->job;
	struct capture *out = &s->out, *err = &s->err;
	_cleanup_arena_ struct arena *a = arena_new();
	int e;

	if (expect_all(a, j->step->gives.at, j->step->gives.n, NULL)) {
		over(r, s, true);
		return;
	}
	/* The lock would keep udev from making the links. */
	let_go(r, j);
	j->phase = JOB_LOOKS;
	r->result->waits++;
	r->result->forks++;
	out->total = err->total = 0;
	s->child = (struct child){ .out_text = out, .err_text = err };
	e = child_fork(&s->child, look, j, -1, r->env,
		       child_clock_ms() + (j->settle_s + 10) * UINT64_C(1000));
	if (e) {
		runner_fail(r, j, out, err,
			    arena_printf(r->arena, "could not wait for what it makes: %s", strerror(-e)));
		over(r, s, false);
	}
}

static int run_op(void *arg)
{
	const struct job *j = arg;

	switch (j->step->op.form) {
	case OP_TABLE:
		return op_table(&j->op);
	case OP_ZERO:
		return op_zero(&j->op);
	case OP_WIPE:
		return op_wipe(&j->op);
	case OP_SETTLE:
		return op_settle(&j->op);
	case OP_MKDIR:
		return op_mkdir(&j->op);
	case OP_MOUNT:
		return op_mount(&j->op);
	case OP_FILE:
		return op_file(&j->op);
	case OP_ARGV:
	case OP_LVM:
		break;
	}
	return op_say("no such operation");
}

static int start_lvm(struct runner *r, struct slot *s, uint64_t deadline_ms)
{
	int e = 0;

	/* One that ended while it had nothing to do has left nothing half done: another one takes its place. */
	if (child_step(&r->lvm.child, child_clock_ms())) {
		lvm_stop(&r->lvm);
		r->result->forks++;
		e = lvm_start(&r->lvm, r->env);
	}
	if (e)
		return e;
	child_drain(&r->lvm.child);
	r->lvm_out.total = r->lvm_err.total = 0;
	r->lvm.child.deadline_ms = deadline_ms;
	r->lvm_slot = s;
	r->result->lvm_commands++;
	e = lvm_send(&r->lvm, s->job->line);
	return e == -EPIPE ? 0 : e; /* it is gone, and its pidfd will say so */
}

static void start(struct runner *r, struct slot *s, struct job *j)
{
	uint64_t deadline;
	int e = 0;

	s->job = j;
	s->out.total = s->err.total = 0;
	s->child = (struct child){ .out_text = &s->out, .err_text = &s->err };
	j->phase = JOB_RUNS;
	j->start_ms = child_clock_ms();
	deadline = j->start_ms + (uint64_t)j->timeout_s * 1000;
	if (j->serial)
		r->serial = j;
	if (j->line) {
		e = start_lvm(r, s, deadline);
	} else if (j->argv) {
		r->result->processes++;
		e = j->file ? child_spawn(&s->child, j->file, j->argv, r->lock_fd, r->env, deadline)
			    : -ENOENT;
	} else {
		r->result->forks++;
		if (j->step->op.form == OP_SETTLE) {
			r->result->waits++;
			r->result->processes += expect_udev(); /* udevadm */
			deadline += UINT64_C(10) *
				    1000; /* it has a deadline itself, and knows what is missing */
		}
		e = child_fork(&s->child, run_op, j, -1, r->env, deadline);
	}
	if (!e)
		return;
	runner_fail(r, j, &s->out, &s->err,
		    e == -ENOENT && j->argv
			    ? "is not installed"
			    : arena_printf(r->arena, "could not be started: %s", strerror(-e)));
	over(r, s, false);
}

static struct slot *free_slot(struct runner *r)
{
	for (size_t i = 0; i < r->slot_count; i++)
		if (!r->slots[i].job)
			return &r->slots[i];
	return NULL;
}

static bool sync_journal(struct runner *r)
{
	int e = journal_sync(&r->journal);

	if (e && !r->failed) {
		(void)diag_error(r->diag, nowhere, "cannot write '%s': %s; nothing more was started",
				 r->journal.path, strerror(-e));
		r->failed = true;
		stop(r);
	}
	return !e;
}

/* As many as may start now, in the order of the plan. They are in the journal, on the disk, before the first of them starts. */
static void start_ready(struct runner *r)
{
	struct slot *s;
	size_t n = r->plan->steps.n, first = n, last = 0;
	bool serial = r->serial, loading = !child_step(&r->modules, child_clock_ms());
	size_t places = 0;

	for (size_t i = 0; i < r->slot_count; i++)
		places += !r->slots[i].job;
	for (size_t i = 0; i < n && places; i++) {
		struct job *j = &r->jobs[i];

		if (j->phase != JOB_WAITS || j->missing || (j->serial && serial) || (j->driver && loading))
			continue;
		serial = serial || j->serial;
		places--;
		j->phase = JOB_RUNS;
		journal_add(&r->journal, JOURNAL_STARTED, j->step, 0, 0);
		first = first < i ? first : i;
		last = i;
	}
	if (!sync_journal(r)) {
		for (size_t i = first; i < n && i <= last; i++)
			if (r->jobs[i].phase == JOB_RUNS && !r->jobs[i].start_ms)
				r->jobs[i].phase = JOB_WAITS;
		return;
	}
	for (size_t i = first; i < n && i <= last; i++)
		if (r->jobs[i].phase == JOB_RUNS && !r->jobs[i].start_ms && (s = free_slot(r)))
			start(r, s, &r->jobs[i]);
}

static void step_lvm_worker(struct runner *r, uint64_t now)
{
	struct slot *s = r->lvm_slot;
	int result = 0, e = s ? lvm_receive(&r->lvm, &result) : 0;
	enum child_state before = r->lvm.child.state;
	bool gone;

	if (e == 1) {
		struct job *j = s->job;

		r->lvm_slot = NULL;
		if (!r->lvm.child.late)
			r->lvm.child.deadline_ms = UINT64_MAX;
		if (result == 1 && !r->lvm.child.late) {
			look_after(r, s);
			return;
		}
		runner_fail(r, j, &r->lvm_out, &r->lvm_err,
			    r->lvm.child.late
				    ? arena_printf(r->arena, "took longer than %u s and was stopped",
						   j->timeout_s)
				    : arena_printf(r->arena, "failed with %d", result));
		over(r, s, false);
		return;
	}
	gone = child_step(&r->lvm.child, now);
	if (s && before == CHILD_RUNS && r->lvm.child.state == CHILD_ASKED)
		progress_say(&r->progress, "%s takes longer than %u s: stopping it",
			     r->progress.ids[s->job->step->number - 1], s->job->timeout_s);
	if (gone && s) {
		runner_fail(r, s->job, &r->lvm_out, &r->lvm_err,
			    child_end_text(&r->lvm.child, r->arena, s->job->timeout_s));
		over(r, s, false);
	}
}

static void step_slot(struct runner *r, struct slot *s, uint64_t now)
{
	struct job *j = s->job;
	enum child_state before = s->child.state;

	if (!child_step(&s->child, now)) {
		if (before == CHILD_RUNS && s->child.state == CHILD_ASKED)
			progress_say(&r->progress, "%s takes longer than %u s: stopping it",
				     r->progress.ids[j->step->number - 1], j->timeout_s);
		return;
	}
	if (!child_good(&s->child)) {
		/* An operation of ours that ended by itself has said why. */
		const char *how = child_end_text(&s->child, r->arena,
						 j->phase == JOB_LOOKS ? j->settle_s : j->timeout_s);
		bool spoke = (!j->argv || j->phase == JOB_LOOKS) && text_starts(how, "exited") &&
			     s->err.total;

		runner_fail(r, j, &s->out, &s->err, spoke ? NULL : how);
		over(r, s, false);
	} else if (j->phase == JOB_LOOKS) {
		over(r, s, true);
	} else {
		look_after(r, s);
	}
}

static size_t running(const struct runner *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->slot_count; i++)
		n += r->slots[i].job != NULL;
	return n;
}

static void read_signals(struct runner *r)
{
	struct signalfd_siginfo info;

	while (read(r->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		size_t n = running(r);

		if (!r->interrupted)
			progress_say(&r->progress,
				     "interrupted: nothing new is started, %zu running step%s to finish", n,
				     n == 1 ? " has" : "s have");
		r->interrupted = true;
		stop(r);
	}
}

static void show(struct runner *r)
{
	const struct step *now[64];
	size_t n = 0;

	for (size_t i = 0; i < r->slot_count && n < sizeof(now) / sizeof(now[0]); i++)
		if (r->slots[i].job)
			now[n++] = r->slots[i].job->step;
	progress_running(&r->progress, r->result->done, now, n);
}

static int sooner(int a, int b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

static void await(struct runner *r)
{
	uint64_t now = child_clock_ms();
	int timeout = r->progress.terminal ? REDRAW_MS : -1;
	size_t n = 0;

	r->fds[n++] = (struct pollfd){ .fd = r->signals, .events = POLLIN };
	for (size_t i = 0; i < r->slot_count; i++) {
		n += child_poll_fds(&r->slots[i].child, r->fds + n);
		timeout = sooner(timeout, child_timeout_ms(&r->slots[i].child, now));
	}
	n += child_poll_fds(&r->modules, r->fds + n);
	timeout = sooner(timeout, child_timeout_ms(&r->modules, now));
	if (r->lvm.child.state != CHILD_NONE) {
		n += child_poll_fds(&r->lvm.child, r->fds + n);
		timeout = sooner(timeout, child_timeout_ms(&r->lvm.child, now));
		if (r->lvm_slot && r->lvm.child.state < CHILD_ENDED)
			r->fds[n++] = (struct pollfd){ .fd = r->lvm.socket, .events = POLLIN };
	}
	(void)poll(r->fds, n, timeout);
}

void runner_run(struct runner *r)
{
	for (;;) {
		uint64_t now;

		/* A signal that came before the first step is obeyed before it. */
		read_signals(r);
		if (!r->failed && !r->interrupted)
			start_ready(r);
		(void)sync_journal(r);
		if (!running(r) && (r->failed || r->interrupted || child_step(&r->modules, child_clock_ms())))
			break;
		show(r);
		await(r);
		now = child_clock_ms();
		(void)child_step(&r->modules, now);
		if (r->lvm.child.state != CHILD_NONE)
			step_lvm_worker(r, now);
		for (size_t i = 0; i < r->slot_count; i++)
			if (r->slots[i].job && r->slots[i].child.state != CHILD_NONE)
				step_slot(r, &r->slots[i], now);
	}
	(void)child_wait(&r->modules, -1);
	lvm_stop(&r->lvm);
	if (!r->failed && !r->interrupted && r->result->done < r->plan->steps.n) {
		(void)diag_error(r->diag, nowhere, "no step can start: their needs form a circle");
		r->failed = true;
	}
}
