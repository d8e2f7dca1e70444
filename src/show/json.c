/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/uuid.h"
#include "layout/layout.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "show/look.h"
#include "show/show.h"
#include "tech/kind.h"

/*
 * Written by hand and not through json-c: the order of the keys is part of the output, and every text passes text_quote_json(), so that
 * what is printed on a terminal can't steer it. What isn't known is left out; schemas/plan.schema.json says what may be.
 */

struct writer {
	struct arena *arena;
	struct text *out;
	unsigned depth;
	bool first; /* nothing stands in the innermost object or list yet */
};

static void line(struct writer *w)
{
	if (!w->first)
		text_addc(w->out, ',');
	w->first = false;
	text_addc(w->out, '\n');
	for (unsigned i = 0; i < w->depth; i++)
		text_add(w->out, "  ");
}

/* @name: NULL in a list. */
static void key(struct writer *w, const char *name)
{
	line(w);
	if (name)
		text_printf(w->out, "%s: ", text_quote_json(w->arena, name));
}

static void opens(struct writer *w, const char *name, char bracket)
{
	key(w, name);
	text_addc(w->out, bracket);
	w->depth++;
	w->first = true;
}

static void closes(struct writer *w, char bracket)
{
	bool empty = w->first;

	w->depth--;
	w->first = true;
	if (!empty)
		line(w);
	w->first = false;
	text_addc(w->out, bracket);
}

/* NULL: nothing is said. */
static void string(struct writer *w, const char *name, const char *s)
{
	if (!s)
		return;
	key(w, name);
	text_add(w->out, text_quote_json(w->arena, s));
}

static void number(struct writer *w, const char *name, uint64_t n)
{
	key(w, name);
	text_printf(w->out, "%" PRIu64, n);
}

/* 0: nothing is said. */
static void known(struct writer *w, const char *name, uint64_t n)
{
	if (n)
		number(w, name, n);
}

static void truth(struct writer *w, const char *name, bool b)
{
	key(w, name);
	text_add(w->out, b ? "true" : "false");
}

static void strings(struct writer *w, const char *name, const text_list *list)
{
	if (!list->n)
		return;
	opens(w, name, '[');
	vec_each (const char *const *, s, list)
		string(w, NULL, *s);
	closes(w, ']');
}

static void position(struct writer *w, const struct pos *pos)
{
	if (!pos->file)
		return;
	opens(w, "position", '{');
	string(w, "file", pos->file);
	known(w, "line", pos->line);
	known(w, "column", pos->col);
	closes(w, '}');
}

static void geometry(struct writer *w, const struct geometry *g)
{
	if (!g->logical && !g->physical && !g->min_io && !g->opt_io)
		return;
	opens(w, "geometry", '{');
	known(w, "logical", g->logical);
	known(w, "physical", g->physical);
	known(w, "min_io", g->min_io);
	known(w, "opt_io", g->opt_io);
	known(w, "offset", g->offset);
	if (g->declared)
		truth(w, "declared", true);
	closes(w, '}');
}

static void signatures(struct writer *w, const char *name, const signature_list *list)
{
	opens(w, name, '[');
	vec_each (const struct signature *, sig, list) {
		opens(w, NULL, '{');
		string(w, "type", sig->type);
		string(w, "uuid", sig->uuid);
		string(w, "label", sig->label);
		number(w, "offset", sig->offset);
		known(w, "size", sig->size);
		closes(w, '}');
	}
	closes(w, ']');
}

/* What the plan saw: with this, a machine can be compared with the plan. */
static void found(struct writer *w, const struct blockdev *b)
{
	opens(w, "found", '{');
	string(w, "path", b->path);
	number(w, "size", b->size);
	known(w, "start", b->start);
	string(w, "serial", b->serial);
	string(w, "wwn", b->wwn);
	string(w, "model", b->model);
	signatures(w, "signatures", &b->signatures);
	if (b->strays.n)
		signatures(w, "strays", &b->strays);
	closes(w, '}');
}

static void object(struct writer *w, const struct node *n, const struct map *given)
{
	const char *describe = look_describe(w->arena, n);

	opens(w, NULL, '{');
	string(w, "name", n->name);
	string(w, "kind", n->kind->name);
	string(w, "verdict", look_verdict(n->verdict));
	string(w, "describe", *describe ? describe : NULL);
	known(w, "size", n->size);
	known(w, "usable", n->usable);
	known(w, "start", look_start(given, n));
	string(w, "device", n->dev);
	if (!uuid_is_zero(n->uuid))
		string(w, "uuid", uuid_text(w->arena, n->uuid));
	opens(w, "below", '[');
	vec_each (const struct edge *, e, &n->below)
		string(w, NULL, e->to->name);
	closes(w, ']');
	if (n->parent)
		string(w, "part_of", n->parent->name);
	geometry(w, &n->geo);
	position(w, &n->pos);
	if (n->have && n->have->block)
		found(w, n->have->block);
	closes(w, '}');
}

static void expects(struct writer *w, const char *name, const struct op_expect *at, size_t n)
{
	if (!n)
		return;
	opens(w, name, '[');
	for (size_t i = 0; i < n; i++) {
		opens(w, NULL, '{');
		string(w, "device", at[i].dev);
		known(w, "start", at[i].start);
		known(w, "size", at[i].size);
		if (at[i].gone)
			truth(w, "gone", true);
		closes(w, '}');
	}
	closes(w, ']');
}

static void operation(struct writer *w, const struct op *op)
{
	opens(w, "op", '{');
	string(w, "form", look_form(op->form));
	switch (op->form) {
	case OP_ARGV:
	case OP_LVM:
		strings(w, "argv", &op->argv);
		break;
	case OP_TABLE:
		string(w, "device", op->dev);
		string(w, "script", op->script);
		break;
	case OP_ZERO:
		string(w, "device", op->dev);
		opens(w, "ranges", '[');
		vec_each (const struct op_range *, r, &op->ranges) {
			opens(w, NULL, '{');
			number(w, "start", r->start);
			number(w, "size", r->size);
			closes(w, '}');
		}
		closes(w, ']');
		break;
	case OP_WIPE:
		string(w, "device", op->dev);
		break;
	case OP_SETTLE:
		expects(w, "expect", op->expect.at, op->expect.n);
		break;
	case OP_MKDIR:
		string(w, "path", op->path);
		number(w, "mode", op->mode ? op->mode : 0755);
		break;
	case OP_MOUNT:
		string(w, "device", op->dev);
		string(w, "path", op->path);
		string(w, "type", op->type);
		string(w, "options", op->options);
		break;
	case OP_FILE:
		string(w, "path", op->path);
		number(w, "mode", op->mode ? op->mode : 0644);
		break;
	}
	closes(w, '}');
}

static void step(struct writer *w, const struct step *st)
{
	opens(w, NULL, '{');
	number(w, "number", st->number);
	string(w, "id", st->id);
	string(w, "what", st->what);
	string(w, "why", st->why);
	if (st->node)
		string(w, "object", st->node->name);
	position(w, &st->pos);
	opens(w, "needs", '[');
	vec_each (struct step *const *, need, &st->needs)
		number(w, NULL, (*need)->number);
	closes(w, ']');
	operation(w, &st->op);
	string(w, "command", show_command(w->arena, &st->op));
	expects(w, "gives", st->gives.at, st->gives.n);
	strings(w, "loses", &st->loses);
	known(w, "timeout", st->timeout_s);
	closes(w, '}');
}

static void survival(struct writer *w, const struct plan *p)
{
	show_ends ends = show_survive(w->arena, &p->want->nodes);

	opens(w, "survival", '[');
	vec_each (const struct show_end *, end, &ends) {
		opens(w, NULL, '{');
		string(w, "object", end->node->name);
		opens(w, "disks", '[');
		vec_each (struct node *const *, n, &end->disks)
			string(w, NULL, (*n)->name);
		closes(w, ']');
		number(w, "any", end->any);
		truth(w, "at_least", end->at_least);
		string(w, "text", end->text);
		closes(w, '}');
	}
	closes(w, ']');
}

void show_json(const struct plan *p, struct arena *a, const struct show_options *o, struct text *out)
{
	struct writer w = { .arena = a, .out = out, .depth = 1, .first = true };
	struct map given = look_given(a, p);
	bool stuck = look_is_stuck(p, o);

	text_addc(out, '{');
	number(&w, "stowage-plan", 1);
	string(&w, "layout", p->layout->name);
	string(&w, "file", p->layout->file);
	string(&w, "root", p->options.root);
	truth(&w, "mount", p->options.mount);
	string(&w, "seed", p->options.seed);
	if (!p->machine->live)
		string(&w, "machine", p->machine->source);
	string(&w, "state", stuck ? "impossible" : p->steps.n ? "changes" : "done");

	opens(&w, "objects", '[');
	vec_each (struct node *const *, n, &p->want->nodes)
		object(&w, *n, &given);
	closes(&w, ']');

	if (!stuck)
		survival(&w, p);

	opens(&w, "lost", '[');
	vec_each (const struct loss_disk *, disk, &p->lost) {
		opens(&w, NULL, '{');
		string(&w, "disk", disk->name);
		string(&w, "device", disk->disk->block->path);
		string(&w, "serial", disk->disk->block->serial);
		strings(&w, "items", &disk->items);
		closes(&w, '}');
	}
	closes(&w, ']');

	opens(&w, "steps", '[');
	vec_each (struct step *const *, st, &p->steps)
		step(&w, *st);
	closes(&w, ']');

	opens(&w, "files", '{');
	vec_each (struct step *const *, st, &p->steps)
		if ((*st)->op.form == OP_FILE)
			string(&w, (*st)->op.path,
			       machine_mask(a, (*st)->op.path, (*st)->op.content ? (*st)->op.content : ""));
	closes(&w, '}');

	closes(&w, '}');
	text_addc(out, '\n');
}
