/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/arena.h"
#include "base/text.h"
#include "layout/layout.h"
#include "plan/plan.h"
#include "show/look.h"
#include "show/sh-parts.h"
#include "show/show.h"

/*
 * The script: functions, the looks before the first write in check(), the steps in work(), and one line at the end that calls them. So
 * sh has read everything before anything is done, and a step that reads standard input can't eat the script.
 */

bool sh_uses(const struct plan *p, enum op_form form)
{
	vec_each (struct step *const *, st, &p->steps)
		if ((*st)->op.form == form)
			return true;
	return false;
}

static bool ends(const struct plan *p)
{
	vec_each (struct step *const *, st, &p->steps)
		vec_each (const struct op_expect *, e, &(*st)->gives)
			if (e->gone)
				return true;
	return false;
}

bool sh_waits(const struct plan *p)
{
	vec_each (struct step *const *, st, &p->steps)
		if ((*st)->gives.n)
			return true;
	return sh_uses(p, OP_SETTLE);
}

const char *sh_quote(const struct sh_writer *w, const char *s)
{
	return text_quote_sh(w->arena, s);
}

/* A comment can't hold a line end; whatever else a terminal might act on is made harmless as well. */
void sh_comment(const struct sh_writer *w, const char *indent, const char *s)
{
	text_printf(w->out, "%s# %s\n", indent, text_safe(w->arena, s));
}

const char *sh_path_of(const struct node *n)
{
	if (n->dev)
		return n->dev;
	return n->have && n->have->block ? n->have->block->path : NULL;
}

static const char *disk_names(struct arena *a, const node_list *disks)
{
	struct text t = { .arena = a };

	vec_each (struct node *const *, n, disks) {
		const char *path = sh_path_of(*n);

		text_printf(&t, "%s%s", t.len ? ", " : "", (*n)->name);
		if (path)
			text_printf(&t, " (%s)", path);
	}
	return text_str(&t);
}

static void header(const struct sh_writer *w, const node_list *disks)
{
	const struct layout *l = w->plan->layout;
	struct arena *a = w->arena;

	text_add(w->out, "#!/bin/sh\n");
	sh_comment(w, "",
		   arena_printf(
			   a,
			   "Brings a machine's storage to the layout '%s' (%s): %zu step%s, made by stowage.",
			   l->name, l->file, w->plan->steps.n, w->plan->steps.n == 1 ? "" : "s"));
	if (disks->n)
		sh_comment(w, "", arena_printf(a, "Writes to the disks %s.", disk_names(a, disks)));
	vec_each (const struct loss_disk *, disk, &w->plan->lost)
		vec_each (const char *const *, item, &disk->items)
			sh_comment(w, "", arena_printf(a, "On %s is lost: %s.", disk->name, *item));
	if (!w->root)
		sh_comment(w, "",
			   arena_printf(a, "Filesystems are mounted below %s, files are written there.",
					w->plan->options.root));
	text_add(w->out, "# It needs root and looks at every disk before the first write. Exit status: 0 "
			 "done, 3 nothing was written since\n"
			 "# the machine is not as planned, else a step failed. It doesn't go on where it "
			 "ended: plan again for that.\n\n");
}

static void without_steps(const struct sh_writer *w, bool stuck)
{
	if (stuck)
		text_add(w->out, "printf '%s\\n' 'This plan has errors: there is nothing that could be "
				 "done.' >&2\nexit 1\n");
	else
		text_add(w->out, "printf '%s\\n' 'Nothing to do: everything is as the layout asks.'\n");
}

void show_sh(const struct plan *p, struct arena *a, const struct show_options *o, struct text *out)
{
	struct sh_writer w = { .plan = p, .arena = a, .out = out, .root = text_eq(p->options.root, "/") };
	node_list blank = { 0 }, disks = look_touched(a, p, &blank);

	header(&w, &disks);
	if (!p->steps.n) {
		without_steps(&w, look_is_stuck(p, o));
		return;
	}
	text_add(out, sh_prologue);
	/* Only what is used: shellcheck is right about dead code. */
	if (sh_waits(p) || sh_guard_kept(&w, false))
		text_add(out, sh_looks);
	if (disks.n)
		text_add(out, sh_look_disk);
	if (blank.n)
		text_add(out, sh_look_blank);
	if (p->losses.ends.n || p->losses.clear.n)
		text_add(out, sh_look_lost);
	if (sh_writes(&w))
		text_add(out, sh_look_protected);
	text_printf(out, "total=%zu\n", p->steps.n);
	text_add(out, sh_step_function);
	if (sh_waits(p))
		text_add(out, sh_settle_function);
	if (sh_uses(p, OP_ZERO))
		text_add(out, sh_zero_function);
	if (ends(p))
		text_add(out, sh_gone_function);
	if (sh_uses(p, OP_MKDIR) || (sh_uses(p, OP_FILE) && !w.root))
		text_printf(out, sh_inside_function, w.root ? "" : sh_quote(&w, p->options.root));
	if (sh_uses(p, OP_MKDIR))
		text_add(out, sh_mkdir_function);
	if (sh_guard_paths(&w, false))
		text_add(out, sh_seen_function);
	if (sh_uses(p, OP_FILE))
		text_printf(out, sh_put_function, w.root ? sh_put_follow : sh_put_refuse);
	sh_check(&w, &disks, &blank);
	sh_work(&w);
	text_add(out, "trap ended EXIT\n"
		      "trap 'exit 129' HUP\n"
		      "trap 'exit 130' INT\n"
		      "trap 'exit 143' TERM\n"
		      "{ exec </dev/null; check; work; }\n");
}
