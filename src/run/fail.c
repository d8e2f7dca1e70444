/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "plan/plan.h"
#include "run/loop.h"

enum { LAST_LINES = 8 };

static const char *command(struct arena *a, const struct step *st)
{
	text_list quoted = { 0 };

	if (st->op.form == OP_LVM)
		vec_push(a, &quoted, "lvm");
	for (size_t i = 0; i < st->op.argv.n; i++)
		vec_push(a, &quoted, text_quote_sh(a, st->op.argv.at[i]));
	return text_join(a, &quoted, " ");
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void runner_fail(struct runner *r, const struct job *j, const struct capture *out, const struct capture *err,
		 const char *how)
{
	const struct step *st = j->step;
	bool program = st->op.form == OP_ARGV || st->op.form == OP_LVM;
	text_list said = capture_last(err, r->arena, LAST_LINES);
	size_t lines;

	if (!said.n)
		said = capture_last(out, r->arena, LAST_LINES);
	lines = said.n;
	if (!how && !lines)
		how = "failed without a word";
	if (how)
		(void)diag_error(r->diag, st->pos, "cannot %s: %s %s", st->id,
				 program && st->op.argv.n ? base_name(st->op.argv.at[0]) : "it", how);
	else if (j->phase == JOB_LOOKS)
		(void)diag_error(r->diag, st->pos, "cannot %s: that was done, but %s", st->id,
				 said.at[--lines]);
	else
		(void)diag_error(r->diag, st->pos, "cannot %s: %s", st->id, said.at[--lines]);
	if (how && text_starts(how, "took longer"))
		diag_note(r->diag, nowhere,
			  "where it was still at work, and not stuck, --deadline SECONDS gives it more time");
	if (program)
		diag_note(r->diag, nowhere, "the command: %s", command(r->arena, st));
	for (size_t i = 0; i < lines; i++)
		diag_note(r->diag, nowhere, "its words: %s", said.at[i]);
}
