/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "plan/protect.h"
#include "run/identity.h"
#include "run/loop.h"
#include "run/run.h"

enum { LEAST_JOBS = 4, MOST_JOBS = 64, NAMED_LEFT = 8 };

/* What the process had before, and gets back. */
struct signals {
	sigset_t mask;
	struct sigaction child, pipe;
};

static int take_signals(struct signals *s)
{
	struct sigaction usual = { .sa_handler = SIG_DFL }, ignore = { .sa_handler = SIG_IGN };
	sigset_t set;
	int fd;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGHUP);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return -errno;
	(void)sigprocmask(SIG_BLOCK, &set, &s->mask);
	/* Ignored, the kernel would reap our children itself, and how they ended would be lost. */
	(void)sigaction(SIGCHLD, &usual, &s->child);
	/* Who listened to us may go; what we have begun goes on. */
	(void)sigaction(SIGPIPE, &ignore, &s->pipe);
	return fd;
}

static void give_signals(const struct signals *s, int fd)
{
	struct signalfd_siginfo info;

	/* A second ^C must not end us before we have said what the first one led to. */
	while (read(fd, &info, sizeof(info)) > 0)
		;
	(void)close(fd);
	(void)sigaction(SIGPIPE, &s->pipe, NULL);
	(void)sigaction(SIGCHLD, &s->child, NULL);
	(void)sigprocmask(SIG_SETMASK, &s->mask, NULL);
}

static size_t job_count(const struct run_options *o)
{
	long n = o->jobs ? (long)o->jobs : sysconf(_SC_NPROCESSORS_ONLN);

	if (!o->jobs && n < LEAST_JOBS)
		n = LEAST_JOBS;
	return n > MOST_JOBS ? MOST_JOBS : (size_t)n;
}

static int check_losses(const struct plan *p, const struct run_options *o, struct diag *d)
{
	int r = 0;

	vec_each (struct step *const *, st, &p->steps)
		for (size_t i = 0; i < (*st)->loses.n && !o->may_lose; i++)
			r = diag_refuse(d, (*st)->pos, "to %s would lose '%s', which was not allowed",
					(*st)->id, (*st)->loses.at[i]);
	return r;
}

/* What stands and what is missing, as a note to what was said last. */
static void say_state(struct runner *r)
{
	struct run_result *ret = r->result;
	struct text left = { .arena = r->arena };

	for (size_t i = 0; i < ret->ids_left.n && i < NAMED_LEFT; i++)
		text_printf(&left, "%s%s", i ? ", " : "", ret->ids_left.at[i]);
	if (ret->ids_left.n > NAMED_LEFT)
		text_printf(&left, " and %zu more", ret->ids_left.n - NAMED_LEFT);
	diag_note(r->diag, nowhere, "%zu of %zu steps are done; not done: %s", ret->done, ret->steps,
		  text_str(&left));
	diag_note(r->diag, nowhere, "the journal is '%s'; to go on, apply the layout again", r->journal.path);
}

static void count(struct runner *r)
{
	for (size_t i = 0; i < r->plan->steps.n; i++) {
		const struct job *j = &r->jobs[i];

		if (j->phase == JOB_DONE)
			vec_push(r->plan->arena, &r->result->ids_done, j->step->id);
		else
			vec_push(r->plan->arena, &r->result->ids_left, j->step->id);
	}
}

/* The steps: locks are held, and the machine is as planned. */
static int perform(struct runner *r)
{
	int e;

	journal_add(&r->journal, JOURNAL_BEGIN, NULL, 0, r->plan->steps.n);
	e = journal_sync(&r->journal);
	if (e)
		return diag_error(r->diag, nowhere, "cannot write '%s': %s; nothing was done",
				  r->journal.path, strerror(-e));
	modules_load(r);
	/* Its setting up takes as long as a command: meanwhile tables are written. */
	for (size_t i = 0; i < r->plan->steps.n; i++)
		if (r->jobs[i].line) {
			r->result->forks++;
			(void)lvm_start(&r->lvm, r->env);
			break;
		}
	runner_run(r);
	progress_end(&r->progress);
	count(r);
	r->result->interrupted = r->interrupted;
	journal_add(&r->journal, JOURNAL_END, NULL, r->result->done, r->plan->steps.n);
	e = journal_sync(&r->journal);
	if (e && !r->failed) {
		(void)diag_error(r->diag, nowhere, "cannot write '%s': %s; %s", r->journal.path, strerror(-e),
				 r->result->ids_left.n ? "no more was done" : "all steps were carried out");
		r->failed = true;
	}
	if (r->interrupted && !r->failed && r->result->ids_left.n)
		(void)diag_error(r->diag, nowhere, "interrupted");
	if (r->result->ids_left.n)
		say_state(r);
	return r->failed || r->result->ids_left.n ? -EINVAL : 0;
}

static int read_protected(struct runner *r, const char *file, bool must, protected_list *list)
{
	const char *why;

	if (machine_protected_read(r->plan->arena, file, must, list, &why) == 0)
		return 0;
	return diag_error(r->diag, (struct pos){ .file = arena_strdup(r->plan->arena, file) },
			  "the list of protected disks can't be read, so nothing was done: %s", why);
}

/* A person may have thought for hours before saying yes, or run what was planned last year: what is protected now is what counts. */
static int check_protected(struct runner *r, const struct run_options *o)
{
	protected_list list = { 0 };
	int e = read_protected(r, PROTECTED_FILE, false, &list);

	vec_each (const char *const *, file, &o->protected)
		if (!e)
			e = read_protected(r, *file, true, &list);
	return e ? e : plan_protect(r->plan, &list, r->diag) ? 0 : -EPERM;
}

static int with_signals(struct runner *r, const struct run_options *o, int state_fd, const char *state_dir)
{
	int e = lock_disks(r->arena, &r->locks, r->env, r->signals, r->diag);

	if (e == -EINTR)
		return diag_error(r->diag, nowhere, "interrupted; nothing has been written");
	if (e)
		return e;
	e = check_protected(r, o);
	if (!e)
		e = identity_check(r->arena, r->plan, r->diag);
	if (e)
		return e;
	e = journal_open(&r->journal, r->arena, state_fd, state_dir, r->plan, r->slot_count);
	if (e)
		return diag_error(r->diag, nowhere, "cannot write to the journal in '%s': %s", state_dir,
				  strerror(-e));
	return perform(r);
}

int run_plan(const struct plan *p, const struct run_options *o, struct diag *d, struct run_result *ret)
{
	_cleanup_arena_ struct arena *a = arena_new();
	_cleanup_fd_ int state_fd = -1, lock_fd = -1;
	const char *dir = o->state_dir ? o->state_dir : STATE_DIR;
	struct runner *r = arena_of(a, struct runner);
	uint64_t start = child_clock_ms();
	struct signals signals;
	int e;

	*ret = (struct run_result){ .steps = p->steps.n };
	if (!p->steps.n)
		return 0;
	e = check_losses(p, o, d);
	if (!e)
		e = lock_state(a, dir, d, &state_fd, &lock_fd);
	if (e)
		return e;
	*r = (struct runner){ .arena = a,
			      .plan = p,
			      .diag = d,
			      .result = ret,
			      .slot_count = job_count(o),
			      .deadline_s = o->deadline_s,
			      .journal.fd = -1,
			      .lock_fd = lock_fd,
			      .env = child_environment(a) };
	runner_prepare(r);
	progress_init(&r->progress, a, p, o->out, o->progress);
	r->signals = take_signals(&signals);
	if (r->signals < 0)
		return diag_error(d, nowhere, "cannot wait for signals: %s", strerror(-r->signals));
	e = with_signals(r, o, state_fd, dir);
	vec_each (struct disk_lock *, l, &r->locks)
		lock_release(l);
	journal_close(&r->journal);
	give_signals(&signals, r->signals);
	ret->elapsed_ms = child_clock_ms() - start;
	return e;
}
