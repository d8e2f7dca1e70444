/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "command/command.h"
#include "layout/layout.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "plan/saved.h"
#include "run/run.h"
#include "show/show.h"

/* Whether the person at the terminal says yes. Anything else is a no. */
static bool ask(size_t steps)
{
	char answer[16];

	printf("\nCarry out these %zu steps? Type yes: ", steps);
	(void)fflush(stdout);
	return fgets(answer, sizeof(answer), stdin) && !strcmp(answer, "yes\n");
}

/* The disk is called by what stands on its label: who types that has looked. */
static bool ask_loss(struct cli *c, const struct loss_disk *disk)
{
	const struct blockdev *b = disk->disk->block;
	/* As it is shown: what a terminal would act on could not be typed. */
	const char *word = text_safe(c->arena, b->serial ? b->serial : b->wwn ? b->wwn : b->path);
	char answer[256];

	printf("\nWhat is on disk '%s' (%s) will be lost. Type its %s (%s): ",
	       text_safe(c->arena, disk->name), text_safe(c->arena, b->path),
	       b->serial ? "serial number"
	       : b->wwn  ? "WWN"
			 : "path",
	       word);
	(void)fflush(stdout);
	if (!fgets(answer, sizeof(answer), stdin))
		return false;
	answer[strcspn(answer, "\n")] = 0;
	return !strcmp(answer, word);
}

static int may_run(struct cli *c, const struct plan *p)
{
	text_list missing = plan_missing_tools(p, c->arena);

	if (missing.n)
		return diag_error(&c->diag, nowhere, "this machine lacks %s; nothing was done",
				  text_join(c->arena, &missing, ", "));
	if (!p->machine->root && geteuid() != 0)
		return diag_error(&c->diag, nowhere, "apply needs root; nothing was done");
	if (c->yes)
		return 0;
	if (!isatty(STDIN_FILENO))
		return diag_error(&c->diag, nowhere,
				  "there is no terminal to ask on; --yes says that the plan is wanted; "
				  "nothing was done");
	vec_each (const struct loss_disk *, disk, &p->lost)
		if (!ask_loss(c, disk))
			return diag_error(&c->diag, nowhere, "not confirmed; nothing was done");
	if (!ask(p->steps.n))
		return diag_error(&c->diag, nowhere, "not confirmed; nothing was done");
	return 0;
}

/* Planned again from what is there now. */
static int plan_again(struct cli *c, const struct plan *p, struct plan **ret)
{
	struct machine *m;
	int r = machine_read_live(c->arena, p->options.root, c->state, &c->diag, &m);

	if (r == 0)
		r = command_protect(c, m);
	return r < 0 ? r : command_plan_for(c, p->layout, m, &p->options, ret);
}

/* Whether only that is left which had to be mounted before anybody could see it: files, and the modes of directories. */
static bool only_inside(const struct plan *p)
{
	vec_each (struct step *const *, st, &p->steps)
		if ((*st)->op.form != OP_FILE && !(*st)->inside)
			return false;
	return p->steps.n != 0;
}

/* The last look: nothing may be left to do. */
static int look_again(struct cli *c, const struct plan *again)
{
	int r;

	if (!again->steps.n)
		return 0;
	r = diag_error(&c->diag, nowhere, "all steps were carried out, but %zu would still be due",
		       again->steps.n);
	vec_each (struct step *const *, st, &again->steps)
		diag_note(&c->diag, (*st)->pos, "%s", (*st)->what);
	return r;
}

static void print_json(struct cli *c, const struct plan *p, const struct run_result *result)
{
	printf("{\n  \"steps\": %zu,\n  \"done\": %zu,\n  \"left\": [", result->steps, result->done);
	for (size_t i = 0; i < result->ids_left.n; i++)
		printf("%s%s", i ? ", " : "", text_quote_json(c->arena, result->ids_left.at[i]));
	printf("],\n  \"processes\": %u,\n  \"forks\": %u,\n  \"lvm_commands\": %u,\n  \"table_writes\": "
	       "%u,\n  \"waits\": %u,\n"
	       "  \"milliseconds\": %llu,\n  \"root\": %s\n}\n",
	       result->processes, result->forks, result->lvm_commands, result->table_writes, result->waits,
	       (unsigned long long)result->elapsed_ms, text_quote_json(c->arena, p->options.root));
}

static void print_result(struct cli *c, const struct plan *p, const struct run_result *result)
{
	if (c->json)
		print_json(c, p, result);
	else
		printf("\nDone: %zu steps in %llu.%03llu s (%u programs, %u LVM commands in one process, %u "
		       "tables written, %u waits).\n",
		       result->done, (unsigned long long)(result->elapsed_ms / 1000),
		       (unsigned long long)(result->elapsed_ms % 1000), result->processes,
		       result->lvm_commands, result->table_writes, result->waits);
}

/* What was confirmed to be lost is what is there, and nothing has come to it while the question stood. */
static int still_so(struct cli *c, const struct plan *p)
{
	struct machine *now;
	int r = machine_read_live(c->arena, p->options.root, c->state, &c->diag, &now);

	if (r < 0)
		return r;
	(void)command_peek(c, p, now);
	return saved_is_fresh(p, now, &c->diag) ? 0 : -EPERM;
}

/* @ret_rest: what is planned now that everything runs, where that had to be started first. */
static int apply(struct cli *c, const struct plan *p, struct plan **ret_rest)
{
	struct run_options o = { .jobs = c->jobs,
				 .deadline_s = c->deadline_s,
				 .state_dir = c->state,
				 .may_lose = true,
				 .protected = c->protected,
				 .progress = !c->json && isatty(STDOUT_FILENO),
				 .out = c->json ? NULL : stdout };
	struct run_result result = { 0 };
	struct plan *again;
	int r = may_run(c, p);

	if (r < 0)
		return r;
	/* Who read the plan may be gone (`| head`). What went wrong is then still to be said, on standard error. */
	(void)signal(SIGPIPE, SIG_IGN);
	if (!c->json)
		printf("\n");
	r = p->losses.ends.n || p->losses.clear.n ? still_so(c, p) : 0;
	if (r == 0)
		r = run_plan(p, &o, &c->diag, &result);
	if (r < 0) {
		if (c->json)
			print_json(c, p, &result);
		return r;
	}
	print_result(c, p, &result);
	r = plan_again(c, p, &again);
	if (r < 0)
		return r;
	if (p->partial) {
		*ret_rest = again;
		return 0;
	}
	if (!only_inside(p) && only_inside(again)) {
		r = run_plan(again, &o, &c->diag, &result);
		if (r < 0)
			return r;
		r = plan_again(c, p, &again);
	}
	return r < 0 ? r : look_again(c, again);
}

/* A saved plan is for the machine as it was. Where it still is, the same is planned once more, from what is seen here and now. */
static int renew(struct cli *c, struct plan **p)
{
	struct plan *again;
	struct machine *now;
	int r;

	if ((*p)->machine->live)
		return 0;
	r = machine_read_live(c->arena, (*p)->options.root, c->state, &c->diag, &now);
	if (r == 0)
		r = command_protect(c, now);
	if (r < 0)
		return r;
	(void)command_peek(c, *p, now);
	if (!saved_is_fresh(*p, now, &c->diag))
		return -EPERM;
	r = command_plan_for(c, (*p)->layout, now, &(*p)->options, &again);
	if (r < 0)
		return r;
	if (!saved_is_due(*p, again, &c->diag))
		return -EPERM;
	*p = again;
	return 0;
}

/* Shows it, and carries it out where there is something to do. */
static int show_and_apply(struct cli *c, const struct plan *p, struct plan **ret_rest)
{
	struct show_options o = { .color = command_color(stdout), .verbose = c->verbose };
	struct text out = { .arena = c->arena };

	*ret_rest = NULL;
	if (!c->json) {
		show_text(p, c->arena, &o, &out);
		(void)fputs(text_str(&out), stdout);
		(void)fflush(stdout);
	}
	if (p->steps.n)
		return apply(c, p, ret_rest);
	if (c->json)
		print_json(c, p, &(struct run_result){ 0 });
	return 0;
}

typedef VEC(const struct plan *) plan_list;

/* Whether a plan has a step that one before it had: what was to be started, or put in order, isn't so after it. */
static bool comes_again(const plan_list *before, const struct plan *p)
{
	vec_each (const struct plan *const *, then, before)
		vec_each (struct step *const *, old, &(*then)->steps)
			vec_each (struct step *const *, now, &p->steps)
				if ((*now)->node && !strcmp((*now)->id, (*old)->id))
					return true;
	return false;
}

int command_apply(struct cli *c)
{
	struct plan *p, *rest = NULL;
	plan_list done = { 0 };
	bool saved;
	int r;

	if (run_look_lock(c->arena, c->state, &c->diag) < 0 || command_plan(c, &p) < 0)
		return command_end(c);
	saved = !p->machine->live;
	r = renew(c, &p) < 0 ? -1 : show_and_apply(c, p, &rest);
	/* What was started, or put in order, may show more that has to be. */
	while (r == 0 && rest) {
		vec_push(c->arena, &done, p);
		p = rest;
		if (saved && p->steps.n)
			/* What is on the things that had to be started first was in nobody's plan. */
			r = diag_error(
				&c->diag, nowhere,
				"what was there runs now, and only now is seen what is on it: plan again");
		else if (p->partial && comes_again(&done, p))
			r = diag_error(
				&c->diag, nowhere,
				"what was started doesn't run, or isn't in order: nothing more was done");
		else
			r = show_and_apply(c, p, &rest);
	}
	return command_end(c);
}
