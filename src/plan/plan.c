/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/units.h"
#include "layout/layout.h"
#include "machine/have.h"
#include "machine/machine.h"
#include "plan/identity.h"
#include "plan/loss.h"
#include "plan/match.h"
#include "plan/plan.h"
#include "plan/protect.h"
#include "plan/scrub.h"
#include "plan/steps.h"
#include "plan/teardown.h"
#include "plan/unfinished.h"
#include "tech/kind.h"

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *plan_identity(struct arena *a, const struct node *n)
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

/* Nobody knows what is on something that doesn't run; and what is taken for blank would be written to. */
static bool is_later(const struct node *n)
{
	vec_each (const struct edge *, e, &n->below)
		if (e->to->closed || e->to->verdict == VERDICT_LATER)
			return true;
	return false;
}

/* What an interrupted run has left half made is made anew. */
static bool is_leftover(struct settle *s, const struct node *n, bool differs)
{
	const char *why = plan_is_unfinished(s, n, n->have, differs);

	return why && loss_leftover(s, n, n->have, why);
}

/* What would bring it about, beside the messages that said what differs. */
static void note_anew(struct settle *s, const struct node *n, const struct why *why, size_t said)
{
	bool cosmetic = true;

	vec_each (const struct why_line *, line, &why->lines)
		cosmetic = cosmetic && line->class == WHY_COSMETIC;
	if (cosmetic)
		diag_note(
			s->diag, nowhere,
			"this version changes no name in place: changed by hand, nothing is lost; made anew, "
			"what is there would be");
	else
		diag_note(s->diag, nowhere,
			  "only making it anew would change that, and what is there would be lost");
	(void)loss_object(s, n->have, said, arena_printf(s->arena, "'%s'", n->name));
}

static bool is_half_table(struct settle *s, const struct node *n)
{
	bool found = false;

	vec_each (const struct edge *, e, &n->below) {
		const struct node *dev = e->claim ? e->to->have : NULL;
		const char *why = dev ? plan_is_half_table(s, n, dev) : NULL;

		found |= why && loss_half_table(s, n, dev, why);
	}
	return found;
}

/* What is there and isn't as asked: one message each, with both sides. */
static bool differs(struct settle *s, const struct node *n)
{
	struct why why = { .arena = s->arena };
	size_t grows = 0, said = s->diag->messages.n;
	bool anew = false;

	if (n->kind->compare)
		n->kind->compare(n, n->have, &why);
	if (why.lines.n && is_leftover(s, n, true))
		return true;
	vec_each (const struct why_line *, line, &why.lines) {
		anew = anew || line->anew;
		grows += line->grow_to != 0;
	}
	vec_each (const struct why_line *, line, &why.lines) {
		struct pos pos = n->item && line->key ? item_pos(n->item, line->key) : n->pos;

		if (anew)
			(void)diag_refuse(s->diag, pos, "'%s' is there, but %s", n->name, line->text);
		else if (line->grow_to)
			(void)diag_error(
				s->diag, pos,
				"'%s' is there, but has to grow from %s to %s, which this version doesn't do "
				"yet; nothing is given up for that",
				n->name, units_exact(s->arena, line->grow_from),
				units_exact(s->arena, line->grow_to));
		else
			(void)diag_error(s->diag, pos, "'%s' is there, but %s", n->name, line->text);
	}
	if (anew)
		note_anew(s, n, &why, said);
	else if (why.lines.n > grows)
		diag_note(s->diag, nowhere,
			  "what is there is only kept or added to, not changed: nothing was done to it");
	return why.lines.n != 0;
}

/* Sizes are numbers of 64 bits here, and signed ones in the kernel: no sum that a kind makes may pass that. */
static int check_sum(struct settle *s, const struct node *n)
{
	uint64_t sum = 0;

	vec_each (const struct edge *, e, &n->below)
		if (e->claim && __builtin_add_overflow(sum, e->to->size, &sum))
			return diag_error(s->diag, n->pos,
					  "what '%s' stands on has 16 EiB or more in all, which is more than "
					  "can be counted",
					  n->name);
	return 0;
}

static int check_size(struct settle *s, const struct node *n)
{
	if (!n->kind->device || n->size <= INT64_MAX)
		return 0;
	return diag_error(s->diag, n->pos, "'%s' would have %s, and a device stays below 8 EiB", n->name,
			  units_exact(s->arena, n->size));
}

static void look_at(struct settle *s, struct node *n)
{
	n->verdict = VERDICT_CANNOT;
	if (is_blocked(n))
		return;
	if (is_later(n)) {
		n->verdict = VERDICT_LATER;
		return;
	}
	n->id = plan_identity(s->arena, n);
	if (n->kind->match) {
		unsigned said = s->diag->errors + s->diag->refusals;

		n->have = n->kind->match(n, s);
		if (s->diag->errors + s->diag->refusals != said)
			return;
	}
	if (n->have ? is_leftover(s, n, false) : is_half_table(s, n))
		return;
	if (check_sum(s, n) < 0 || (n->kind->settle && n->kind->settle(n, s) < 0) || check_size(s, n) < 0)
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

/* What the journal says of the steps that make @n, which are those from number @first on. */
static void note_making(const struct settle *s, struct steps *steps, const struct node *n, size_t first)
{
	const char *making = n->kind->leftover ? plan_making(s, n) : NULL;
	struct step *last = NULL;

	for (size_t i = first; making && i < steps->list.n; i++) {
		if (steps->list.at[i]->node != n)
			continue;
		last = steps->list.at[i];
		last->making = making;
	}
	if (last)
		last->makes = true;
	if (last && map_get(&s->losses->anew, n->name))
		last->why = arena_printf(s->arena, "it %s", (const char *)map_get(&s->losses->anew, n->name));
}

/* Steps for what is there and doesn't run, or isn't in order. Return: whether there is any. */
static bool open_closed(const struct plan *p, struct steps *steps, struct diag *d)
{
	bool any = false;

	vec_each (struct node *const *, n, &p->want->nodes) {
		if (!(*n)->closed || (*n)->verdict != VERDICT_KEEP)
			continue;
		steps->last = NULL;
		(void)(*n)->kind->open(steps, *n);
		if (!any)
			diag_warn(
				d, (*n)->pos,
				(*n)->kind->device
					? "'%s' doesn't run, and what is on it is seen only then: this plan "
					  "starts it, and the rest is planned after that"
					: "'%s' has to be put in order first: this plan does so, and the "
					  "rest "
					  "is planned after that",
				(*n)->name);
		any = true;
	}
	return any;
}

static int make_steps(struct plan *p, const struct settle *s, struct diag *d)
{
	struct steps steps;
	size_t first;
	int r = 0;

	steps_init(&steps, p->arena, s);
	p->partial = open_closed(p, &steps, d);
	if (p->partial) {
		steps_settle_last(&steps);
		steps_order(&steps, &p->steps);
		return diag_failed(d) ? -EINVAL : 0;
	}
	plan_teardown(&steps, s->losses);
	plan_scrub(&steps, p->want, s->losses);
	vec_each (struct node **, n, &p->want->nodes) {
		if ((*n)->verdict != VERDICT_CREATE || !(*n)->kind->create)
			continue;
		steps.last = NULL;
		first = steps.list.n;
		if ((*n)->kind->create(&steps, *n) < 0)
			r = -EINVAL;
		/* A file that has its content already needs no step. */
		else if (!steps.last)
			(*n)->verdict = VERDICT_KEEP;
		note_making(s, &steps, *n, first);
	}
	if (r < 0 || diag_failed(d))
		return -EINVAL;
	steps_settle_last(&steps);
	steps_order(&steps, &p->steps);
	if (plan_protect(p, &p->machine->protected, d) && may_replace(p, d))
		return 0;
	p->steps.n = 0;
	return -EINVAL;
}

/* What was said so far, to go back to. */
struct mark {
	size_t messages, sources;
	unsigned errors, warnings, refusals;
};

static struct mark mark(const struct diag *d)
{
	return (struct mark){ .messages = d->messages.n,
			      .sources = d->sources.n,
			      .errors = d->errors,
			      .warnings = d->warnings,
			      .refusals = d->refusals };
}

static void unsay(struct diag *d, struct mark m)
{
	d->messages.n = m.messages;
	d->sources.n = m.sources;
	d->errors = m.errors;
	d->warnings = m.warnings;
	d->refusals = m.refusals;
}

static size_t given_up(const struct losses *l)
{
	return l->ends.n + l->clear.n;
}

/*
 * One round: what there is to say about each object, on the machine without what is given up so far.
 * Return: 0, or -errno where the layout or the machine make no sense at all.
 */
static int look_round(struct plan *p, struct settle *s)
{
	int r = layout_build(p->arena, p->layout, s->diag, &p->want);

	if (r < 0)
		return r;
	s->machine = p->machine;
	p->have = p->losses.all;
	if (given_up(&p->losses)) {
		struct machine *reduced = loss_machine(&p->losses);

		r = machine_have(p->arena, p->machine, s->diag, &p->have);
		if (r < 0)
			return r;
		loss_graph(&p->losses, p->have, reduced);
		s->machine = reduced;
	}
	s->want = p->want;
	s->have = p->have;
	vec_each (struct node **, n, &p->want->nodes)
		look_at(s, *n);
	return 0;
}

/* What goes into mount points, scripts and saved plans has to be text, as in a layout. */
static int check_option(const char *option, const char *s, struct diag *d)
{
	size_t left = strlen(s), n;

	for (; left; s += n, left -= n) {
		uint32_t c = 0;

		n = text_char(s, left, &c);
		if (!n)
			return diag_error(d, nowhere, "%s takes text in UTF-8; the byte 0x%02X is none",
					  option, (unsigned char)*s);
		if (c < 0x20 || (c >= 0x7F && c < 0xA0))
			return diag_error(d, nowhere, "control character U+%04X in %s%s", (unsigned)c, option,
					  c == '\n' ? " (a line end)" : "");
	}
	return 0;
}

int plan_make(struct arena *a, const struct layout *l, const struct machine *m, const struct plan_options *o,
	      struct diag *d, struct plan **ret)
{
	struct plan *p = arena_of(a, struct plan);
	struct mark before;
	struct graph *all;
	struct settle s;
	size_t lost;
	int r;

	p->arena = a;
	p->layout = l;
	p->machine = m;
	p->options = *o;
	if (!p->options.root || !*p->options.root)
		p->options.root = "/";
	if (!p->options.seed)
		p->options.seed = l->name;
	r = check_option("--root", p->options.root, d);
	r = check_option("--seed", p->options.seed, d) < 0 ? -EINVAL : r;
	if (r < 0)
		return r;
	r = machine_have(a, m, d, &all);
	if (r < 0)
		return r;
	p->losses = loss_none(a, m, all, &p->options);
	before = mark(d);
	s = (struct settle){
		.arena = a, .diag = d, .losses = &p->losses, .options = &p->options, .seed = p->options.seed
	};
	/* Each round gives up something more of what is there, or is the last. */
	do {
		unsay(d, before);
		p->losses.refused.n = 0;
		lost = given_up(&p->losses);
		r = look_round(p, &s);
		if (r < 0)
			return r;
	} while (given_up(&p->losses) != lost);
	loss_tell(&s);
	*ret = p;
	map_each (it, &p->losses.anew)
		diag_warn(d, graph_get(p->want, it->key)->pos, "'%s' %s: it is made anew", it->key,
			  (const char *)it->value);
	(void)loss_check_options(&p->losses, p->want, d);
	if (diag_failed(d))
		return -EINVAL;
	p->lost = loss_list_disks(&p->losses, a, p->want);
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
