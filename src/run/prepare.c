/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "plan/plan.h"
#include "run/loop.h"

/* Words as execve() wants them. @first: a word before them, or NULL. */
static char **words(struct arena *a, const char *first, const text_list *list)
{
	char **argv = arena_alloc(a, (list->n + 2) * sizeof(*argv));
	size_t n = 0;

	if (first)
		argv[n++] = arena_strdup(a, first);
	for (size_t i = 0; i < list->n; i++)
		argv[n++] = arena_strdup(a, list->at[i]);
	return argv;
}

static size_t lock_index(struct runner *r, const char *path)
{
	for (size_t i = 0; i < r->locks.n; i++)
		if (!strcmp(r->locks.at[i].path, path))
			return i;
	vec_push(r->arena, &r->locks, (struct disk_lock){ .path = path, .fd = -1 });
	return r->locks.n - 1;
}

static bool writes_disk(const struct op *op)
{
	return op->form == OP_TABLE || op->form == OP_ZERO || op->form == OP_WIPE;
}

/*
 * Steps that need nothing but other writes of their kind are under locks that are taken before the first check and held until the last of
 * them is over. Those that come later, after a wait, take and leave the lock themselves.
 */
static void set_lock(struct runner *r, struct job *j, bool *early)
{
	const struct step *st = j->step;
	const char *disk;
	size_t at = st->number - 1;

	early[at] = writes_disk(&st->op);
	for (size_t i = 0; i < st->needs.n; i++)
		early[at] = early[at] && early[st->needs.at[i]->number - 1];
	if (!writes_disk(&st->op))
		return;
	disk = lock_whole(r->arena, st->op.dev);
	if (!disk)
		return;
	if (early[at]) {
		j->lock = lock_index(r, disk) + 1;
		r->locks.at[j->lock - 1].pending++;
	} else {
		j->op.lock = disk;
	}
}

static void set_form(struct runner *r, struct job *j)
{
	const struct step *st = j->step;

	switch (st->op.form) {
	case OP_ARGV:
		j->argv = words(r->arena, NULL, &st->op.argv);
		break;
	case OP_LVM:
		j->serial = true;
		j->line = lvm_line(r->arena, &st->op.argv);
		if (!j->line)
			j->argv = words(r->arena, "lvm", &st->op.argv);
		break;
	case OP_TABLE:
	case OP_ZERO:
	case OP_WIPE:
	case OP_SETTLE:
	case OP_MKDIR:
	case OP_MOUNT:
	case OP_FILE:
		j->op = (struct op_job){ .op = &st->op,
					 .root = r->plan->options.root,
					 .timeout_s = j->timeout_s };
		break;
	}
	if (j->argv)
		j->file = child_find(r->arena, r->env, j->argv[0]);
}

static unsigned deadline(const struct runner *r, const struct step *st)
{
	unsigned usual = st->timeout_s ? st->timeout_s : st->op.form == OP_SETTLE ? SETTLE_S : TIMEOUT_S;

	/* A longer one is for disks that are slow. udev isn't: a wait only becomes shorter. */
	return !r->deadline_s || (st->op.form == OP_SETTLE && usual < r->deadline_s) ? usual : r->deadline_s;
}

void runner_prepare(struct runner *r)
{
	size_t n = r->plan->steps.n;
	bool *early = arena_alloc(r->arena, (n + 1) * sizeof(*early));

	r->jobs = arena_alloc(r->arena, (n + 1) * sizeof(*r->jobs));
	for (size_t i = 0; i < n; i++) {
		const struct step *st = r->plan->steps.at[i];
		struct job *j = &r->jobs[i];

		assert(st->number == i + 1);
		j->step = st;
		j->missing = st->needs.n;
		j->timeout_s = deadline(r, st);
		j->settle_s = r->deadline_s && r->deadline_s < SETTLE_S ? r->deadline_s : SETTLE_S;
		set_form(r, j);
		set_lock(r, j, early);
		for (size_t k = 0; k < st->needs.n; k++) {
			assert(st->needs.at[k]->number < st->number);
			r->jobs[st->needs.at[k]->number - 1].next_count++;
		}
	}
	for (size_t i = 0; i < n; i++) {
		r->jobs[i].next = arena_alloc(r->arena, r->jobs[i].next_count * sizeof(size_t));
		r->jobs[i].next_count = 0;
	}
	for (size_t i = 0; i < n; i++) {
		const struct step *st = r->plan->steps.at[i];

		for (size_t k = 0; k < st->needs.n; k++) {
			struct job *before = &r->jobs[st->needs.at[k]->number - 1];

			before->next[before->next_count++] = i;
		}
	}
	if (r->slot_count > n)
		r->slot_count = n;
	r->slots = arena_alloc(r->arena, r->slot_count * sizeof(*r->slots));
	r->fds = arena_alloc(r->arena, (CHILD_FDS * (r->slot_count + 2) + 2) * sizeof(*r->fds));
	r->lvm = (struct lvm_worker){ .socket = -1,
				      .child = { .out_text = &r->lvm_out, .err_text = &r->lvm_err } };
}
