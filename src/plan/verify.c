/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/verify.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "layout/layout.h"
#include "machine/have.h"
#include "machine/machine.h"
#include "plan/identity.h"
#include "plan/plan.h"
#include "plan/settle.h"

enum { MOST_NAMES = 4 };

struct looking {
	struct settle s;
	struct diag caught; /* what kinds say while they look: no reason to stop here, but a difference */
	struct verified *v;
};

static void add(struct looking *k, struct difference difference)
{
	vec_each (const struct difference *, other, &k->v->differences)
		if (other->node == difference.node && other->pos.line == difference.pos.line &&
		    text_eq(other->pos.file, difference.pos.file) && text_eq(other->text, difference.text))
			return;
	vec_push(k->v->arena, &k->v->differences, difference);
}

static void add_lines(struct looking *k, const struct node *n, const struct why *why)
{
	vec_each (const struct why_line *, line, &why->lines) {
		struct pos pos = line->pos.file              ? line->pos
				 : n && n->item && line->key ? item_pos(n->item, line->key)
				 : n                         ? n->pos
							     : nowhere;

		add(k, (struct difference){ .class = line->class,
					    .node = n,
					    .key = line->key,
					    .pos = pos,
					    .text = line->text });
	}
}

/*
 * What a kind said of @n as errors. A refusal is about something that would be lost or hidden. The message names what it is about.
 * Return: whether it said anything.
 */
static bool add_caught(struct looking *k, const struct node *n)
{
	bool said = false;

	vec_each (const struct diag_message *, m, &k->caught.messages) {
		if (m->severity != DIAG_ERROR && m->severity != DIAG_REFUSAL)
			continue;
		said = true;
		/* A disk may speak for others: the first of those that one selector takes, or that a layout names, does. */
		add(k, (struct difference){ .class = m->severity == DIAG_REFUSAL ? WHY_DANGEROUS
						     : n->have && n->below.n     ? WHY_DIFFERENT
										 : WHY_MISSING,
					    .pos = m->pos,
					    .text = m->text });
	}
	k->caught = (struct diag){ .arena = k->v->arena };
	return said;
}

/* Whether what stands on it could be seen. Of a device that isn't running nobody knows what it holds. */
static bool is_seen(const struct node *n)
{
	return n->have && (!n->kind->device || n->have->block);
}

static void look_at(struct looking *k, struct node *n)
{
	bool some = !n->below.n, all = true, said = false;
	struct why why = { .arena = k->v->arena };

	n->verdict = VERDICT_CANNOT;
	vec_each (const struct edge *, e, &n->below) {
		some |= is_seen(e->to);
		all &= is_seen(e->to);
	}
	n->id = plan_identity(k->v->arena, n);
	if (n->kind->match && some) {
		n->have = n->kind->match(n, &k->s);
		said = add_caught(k, n);
	}
	if (!n->have) {
		if (n->kind->health && !said && (all || !n->kind->match))
			n->kind->health(n, &k->s, &why);
		/* A kind that makes nothing of itself is told by its container, a disk by its own match(). */
		else if (all && !said && n->kind->create && n->below.n)
			why_absent(&why);
		add_lines(k, n, &why);
		(void)add_caught(k, n);
		return;
	}
	if (n->kind->settle && n->kind->settle(n, &k->s) < 0) {
		(void)add_caught(k, n);
		return;
	}
	(void)add_caught(k, n);
	/* What a part should be isn't known where its container could not be shared out. */
	if (n->parent && n->parent->verdict == VERDICT_CANNOT)
		return;
	n->verdict = VERDICT_KEEP;
	if (n->kind->compare)
		n->kind->compare(n, n->have, &why);
	if (n->kind->health)
		n->kind->health(n, &k->s, &why);
	add_lines(k, n, &why);
	(void)add_caught(k, n);
}

static void survey(struct looking *k)
{
	for (const struct room *const *room = rooms; *room; room++) {
		struct why why = { .arena = k->v->arena };

		if ((*room)->survey)
			(*room)->survey(&k->s, &why);
		add_lines(k, NULL, &why);
	}
}

/* Devices and filesystems that aren't there either, because they would stand on @n. */
static const char *would_stand_on(struct arena *a, const struct node *n)
{
	struct map seen = { .arena = a };
	struct text t = { .arena = a };
	node_list todo = { 0 };
	size_t count = 0;

	vec_push(a, &todo, (struct node *)n);
	for (size_t i = 0; i < todo.n; i++)
		for (size_t k = 0; k < todo.at[i]->above.n; k++) {
			struct node *up = todo.at[i]->above.at[k];

			if (up->have || map_set(&seen, up->name, up))
				continue;
			vec_push(a, &todo, up);
			if ((up->kind->device || up->kind->section) && count++ < MOST_NAMES)
				text_printf(&t, "%s%s", count > 1 ? ", " : "", up->name);
		}
	if (count > MOST_NAMES)
		text_printf(&t, " and %zu more", count - MOST_NAMES);
	return text_str(&t);
}

/* Once all have been looked at: one line for what is missing, with all that is missing for that reason alone. */
static void tell_what_follows(struct verified *v)
{
	vec_each (struct difference *, d, &v->differences) {
		const char *more = d->node && !d->node->have ? would_stand_on(v->arena, d->node) : "";

		if (*more)
			d->text = arena_printf(v->arena, "%s; nor is what would stand on it: %s", d->text,
					       more);
	}
}

const char *verify_class(enum why_class class)
{
	switch (class) {
	case WHY_DIFFERENT:
		return "different";
	case WHY_COSMETIC:
		return "cosmetic";
	case WHY_DEGRADED:
		return "degraded";
	case WHY_DANGEROUS:
		return "dangerous";
	case WHY_MISSING:
		return "missing";
	}
	return "different";
}

unsigned verify_rank(enum why_class class)
{
	switch (class) {
	case WHY_DANGEROUS:
		return 0;
	case WHY_MISSING:
		return 1;
	case WHY_DEGRADED:
		return 2;
	case WHY_DIFFERENT:
		return 3;
	case WHY_COSMETIC:
		return 4;
	}
	return 0;
}

size_t verify_count(const struct verified *v, enum why_class class)
{
	size_t n = 0;

	vec_each (const struct difference *, d, &v->differences)
		n += d->class == class;
	return n;
}

/* Stable: within a class they stay in the order in which they were found. */
static void sort(struct verified *v)
{
	struct verified in = *v;

	v->differences.at = NULL;
	v->differences.n = v->differences.room = 0;
	for (unsigned rank = 0; rank < VERIFY_CLASSES; rank++)
		vec_each (const struct difference *, d, &in.differences)
			if (verify_rank(d->class) == rank)
				vec_push(v->arena, &v->differences, *d);
}

/* Mistakes of the layout are told with all that was said of them; where there are none, `check` and `plan` have the warnings. */
static void hand_on(const struct diag *from, struct diag *to)
{
	vec_each (const struct diag_message *, m, &from->messages)
		vec_push(to->arena, &to->messages, *m);
	to->errors += from->errors;
	to->warnings += from->warnings;
	to->refusals += from->refusals;
}

/* Both graphs, and nothing in them looked at yet. Nothing is given up here. */
static int open_both(struct arena *a, const struct layout *l, const struct machine *m,
		     const struct plan_options *o, struct diag *d, struct plan **ret,
		     struct settle *ret_settle)
{
	struct plan *p = arena_of(a, struct plan);
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
	p->losses = loss_none(a, m, p->have, &p->options);
	*ret_settle = (struct settle){ .arena = a,
				       .machine = m,
				       .want = p->want,
				       .have = p->have,
				       .losses = &p->losses,
				       .options = &p->options,
				       .seed = p->options.seed };
	*ret = p;
	return 0;
}

int verify_make(struct arena *a, const struct layout *l, const struct machine *m,
		const struct plan_options *o, struct diag *d, struct verified **ret)
{
	struct looking k = { .caught = { .arena = a }, .v = arena_of(a, struct verified) };
	struct diag opening = { .arena = d->arena };
	struct plan *p;
	int r = open_both(a, l, m, o, &opening, &p, &k.s);

	if (r < 0) {
		hand_on(&opening, d);
		return r;
	}
	k.s.diag = &k.caught;
	k.s.verify = true;
	k.v->arena = a;
	k.v->plan = p;
	vec_each (struct node **, n, &p->want->nodes)
		look_at(&k, *n);
	survey(&k);
	tell_what_follows(k.v);
	sort(k.v);
	*ret = k.v;
	return 0;
}
