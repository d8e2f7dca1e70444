/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "layout/layout.h"
#include "machine/have.h"
#include "machine/machine.h"
#include "plan/match.h"
#include "plan/plan.h"
#include "plan/steps.h"
#include "tech/kind.h"

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The identity of what lies beneath, whatever its order: of one disk its own, of several a digest, so that it stays short. */
static const char *identity(struct arena *a, const struct node *n)
{
	struct text all = { .arena = a };
	const char **ids;
	size_t count = 0;

	if (!n->below.n)
		return NULL;
	ids = arena_alloc(a, n->below.n * sizeof(*ids));
	vec_each (const struct edge *, e, &n->below)
		if (e->to->id)
			ids[count++] = e->to->id;
	qsort(ids, count, sizeof(*ids), by_text);
	for (size_t i = 0; i < count; i++) {
		if (i && !strcmp(ids[i], ids[i - 1]))
			continue;
		if (all.len)
			text_addc(&all, '\n');
		text_add(&all, ids[i]);
	}
	if (!strchr(text_str(&all), '\n'))
		return text_str(&all);
	return uuid_text(a, uuid_derive(text_str(&all)));
}

static bool is_blocked(const struct node *n)
{
	vec_each (const struct edge *, e, &n->below)
		if (e->to->verdict == VERDICT_CANNOT)
			return true;
	return false;
}

/* What is there and isn't as asked: one message each, with both sides. */
static bool differs(struct settle *s, const struct node *n)
{
	struct why why = { .arena = s->arena };

	if (n->kind->compare)
		n->kind->compare(n, n->have, &why);
	vec_each (const struct why_line *, line, &why.lines) {
		struct pos pos = n->item && line->key ? item_pos(n->item, line->key) : n->pos;

		diag_error(s->diag, pos, "'%s' is there, but %s", n->name, line->text);
	}
	if (why.lines.n)
		diag_note(s->diag, nowhere,
			  "what is there is only kept or added to, not changed: nothing was done to it");
	return why.lines.n != 0;
}

static void look_at(struct settle *s, struct node *n)
{
	n->verdict = VERDICT_CANNOT;
	if (is_blocked(n))
		return;
	n->id = identity(s->arena, n);
	if (n->kind->match) {
		unsigned said = s->diag->errors + s->diag->refusals;

		n->have = n->kind->match(n, s);
		if (s->diag->errors + s->diag->refusals != said)
			return;
	}
	if (n->kind->settle && n->kind->settle(n, s) < 0)
		return;
	if (n->have) {
		if (!differs(s, n))
			n->verdict = VERDICT_KEEP;
	} else if (plan_may_create(s, n)) {
		n->verdict = VERDICT_CREATE;
	}
}

/* A file that is there and could not be read would be lost unseen. */
static bool may_replace(const struct plan *p, struct diag *d)
{
	bool may = true;

	vec_each (struct step *const *, st, &p->steps) {
		const char *why = (*st)->op.form == OP_FILE ? map_get(&p->machine->unread, (*st)->op.path)
							    : NULL;

		if (!why)
			continue;
		diag_error(d, (*st)->pos, "%s would be replaced, but what is in it could not be read: %s",
			   (*st)->op.path, why);
		may = false;
	}
	return may;
}

static int make_steps(struct plan *p, const struct settle *s, struct diag *d)
{
	struct steps steps;
	int r = 0;

	steps_init(&steps, p->arena, s);
	plan_clear_disks(&steps, p->want);
	vec_each (struct node **, n, &p->want->nodes) {
		if ((*n)->verdict != VERDICT_CREATE || !(*n)->kind->create)
			continue;
		steps.last = NULL;
		if ((*n)->kind->create(&steps, *n) < 0)
			r = -EINVAL;
		/* A file that has its content already needs no step. */
		else if (!steps.last)
			(*n)->verdict = VERDICT_KEEP;
	}
	if (r < 0 || diag_failed(d))
		return -EINVAL;
	steps_settle_last(&steps);
	steps_order(&steps, &p->steps);
	if (may_replace(p, d))
		return 0;
	p->steps.n = 0;
	return -EINVAL;
}

int plan_make(struct arena *a, const struct layout *l, const struct machine *m, const struct plan_options *o,
	      struct diag *d, struct plan **ret)
{
	struct plan *p = arena_of(a, struct plan);
	struct settle s;
	int r;

	p->arena = a;
	p->layout = l;
	p->machine = m;
	p->options = *o;
	if (!p->options.root || !*p->options.root)
		p->options.root = "/";
	if (!p->options.seed)
		p->options.seed = l->name;

	r = layout_build(a, l, d, &p->want);
	if (r < 0)
		return r;
	r = machine_have(a, m, d, &p->have);
	if (r < 0)
		return r;

	s = (struct settle){ .arena = a,
			     .diag = d,
			     .machine = m,
			     .want = p->want,
			     .have = p->have,
			     .options = &p->options,
			     .seed = p->options.seed };
	vec_each (struct node **, n, &p->want->nodes)
		look_at(&s, *n);
	*ret = p;
	if (diag_failed(d))
		return -EINVAL;
	return make_steps(p, &s, d);
}

const char *plan_file(const struct plan *p, const char *path)
{
	const char *root = strcmp(p->options.root, "/") ? p->options.root : "";
	const char *full = arena_printf(p->arena, "%s%s", root, path);

	vec_each (struct step *const *, st, &p->steps)
		if ((*st)->op.form == OP_FILE && !strcmp((*st)->op.path, full))
			return (*st)->op.content;
	return machine_file(p->machine, full);
}
