/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/loss.h"

#include <string.h>

#include "base/arena.h"
#include "machine/have.h"
#include "machine/machine.h"
#include "plan/protect.h"
#include "plan/settle.h"
#include "plan/use.h"
#include "tech/kind.h"

struct losses loss_none(struct arena *a, const struct machine *m, struct graph *all,
			const struct plan_options *o)
{
	return (struct losses){ .arena = a,
				.machine = m,
				.all = all,
				.options = o,
				.ends = { .arena = a },
				.clear = { .arena = a },
				.leftover = { .arena = a },
				.anew = { .arena = a } };
}

/* What would go if one thing went. */
struct closure {
	struct arena *arena;
	struct map ends, clear;
	node_list todo; /* nodes that end, not looked at yet */
};

static void end(struct closure *c, struct node *n)
{
	if (!map_set(&c->ends, n->name, n))
		vec_push(c->arena, &c->todo, n);
}

static void clear_content(struct closure *c, struct node *dev)
{
	if (map_set(&c->clear, dev->name, dev))
		return;
	vec_each (struct node *const *, up, &dev->above)
		end(c, *up);
}

/*
 * With an object goes all that stands on it, and the content of what it lies on; so a group takes its physical volumes along, and a
 * mirror the other half. A part leaves its container and what that lies on alone.
 */
static void spread(struct closure *c)
{
	while (c->todo.n) {
		struct node *n = c->todo.at[--c->todo.n];

		vec_each (struct node *const *, up, &n->above)
			end(c, *up);
		vec_each (const struct edge *, e, &n->below)
			if (e->claim)
				clear_content(c, e->to);
			else if (!n->parent && !e->to->kind->device)
				end(c, e->to);
	}
}

/* The node of what is there for one of the graph that rooms see in this round. */
static struct node *whole(const struct losses *l, const struct node *n)
{
	return graph_get(l->all, n->name);
}

/* Whether the kernel can be made to forget it. What has no device of its own ends with the content of what it lies on. */
static bool can_end(const struct node *n)
{
	if (!n->block || n->kind->retire || n->parent)
		return true;
	/* A mapping of a kind that no room knows, such as an open LUKS device. */
	return text_eq(n->block->type, "dm") || text_eq(n->block->type, "part");
}

/* The machine as it is, whatever this round has given up. */
static struct settle as_it_is(const struct settle *s)
{
	struct settle now = *s;

	now.machine = s->losses->machine;
	now.have = s->losses->all;
	now.options = s->losses->options;
	return now;
}

/* What no permission changes. Return: how many reasons were said. */
static unsigned say_blockers(const struct settle *s, const struct map *nodes, bool ends)
{
	struct settle now = as_it_is(s);
	unsigned said = 0;

	for (size_t i = 0; i < nodes->n; i++) {
		const struct node *n = nodes->items[i].value;
		use_list uses = plan_uses_of(&now, n);

		vec_each (const struct use *, use, &uses) {
			if (use->bond == USE_LOOSE)
				continue;
			diag_note(s->diag, nowhere, "%s%s", use->text,
				  use->bond == USE_BOUND ? ": nothing gives that up while it is so" : "");
			said += use->bond == USE_BOUND;
		}
		/* Of a loop device that is known to be one, this has just been said. */
		if (ends && !can_end(n) && !n->block->backing) {
			diag_note(s->diag, nowhere,
				  "%s (%s) stands on it, which can't be taken down from here: do that first",
				  n->block->path, n->block->type);
			said++;
		}
	}
	return said;
}

const struct node *loss_wanted(const struct graph *want, const struct node *disk)
{
	vec_each (struct node *const *, n, &want->nodes)
		if (!(*n)->below.n && (*n)->have && (*n)->have->block && disk->block &&
		    text_eq((*n)->have->block->name, disk->block->name))
			return *n;
	return NULL;
}

/* "data" names data.0, data.1, ... */
static bool is_of_set(const char *name, const char *set)
{
	size_t n = strlen(set);

	return !strncmp(name, set, n) && name[n] == '.';
}

static bool names_disk(const struct losses *l, const char *word, const struct node *disk,
		       const struct node *want)
{
	const struct blockdev *b = disk->block;

	if (want && (!strcmp(word, want->name) || is_of_set(want->name, word)))
		return true;
	if (text_eq(b->serial, word) || text_eq(b->wwn, word))
		return true;
	return word[0] == '/' && machine_dev(l->machine, word) &&
	       text_eq(machine_dev(l->machine, word)->name, b->name);
}

static bool is_allowed(const struct losses *l, const struct node *disk, const struct node *want)
{
	vec_each (const char *const *, word, &l->options->allow_loss)
		if (names_disk(l, *word, disk, want))
			return true;
	return false;
}

/* As a person would name it to --allow-loss. */
static const char *name_of(const struct node *disk, const struct node *want)
{
	return want ? want->name : disk->block->serial ? disk->block->serial : disk->block->path;
}

static void add_disks(struct arena *a, const struct map *nodes, struct map *disks)
{
	for (size_t i = 0; i < nodes->n; i++) {
		node_list below = node_disks(a, nodes->items[i].value);

		vec_each (struct node *const *, d, &below)
			if ((*d)->block)
				(void)map_set(disks, (*d)->name, *d);
	}
}

/* Whether all disks of a closure may lose what is on them. Says which may not. */
static bool may_lose(const struct settle *s, const struct closure *c)
{
	const struct losses *l = s->losses;
	struct map disks = { .arena = s->arena };
	struct text flags = { .arena = s->arena };
	struct settle now = as_it_is(s);
	protection_list protections = plan_protections(s->arena, now.machine, now.have,
						       &now.machine->protected);
	unsigned blockers = say_blockers(s, &c->ends, true) + say_blockers(s, &c->clear, false);

	add_disks(s->arena, &c->ends, &disks);
	add_disks(s->arena, &c->clear, &disks);
	map_each (it, &disks) {
		const struct node *disk = it->value, *want = loss_wanted(s->want, disk);

		const struct protection *by = plan_protection_of(&protections, disk);

		if (by) {
			diag_note(s->diag, nowhere,
				  "%s is protected: line %u of %s states '%s', %s; no option lifts that",
				  disk->block->path, by->line->line, by->line->file,
				  text_short(s->arena, by->line->id), by->what);
			blockers++;
		}
		if (plan_is_root_disk(&now, disk)) {
			diag_note(s->diag, nowhere,
				  "this system itself runs from %s: nothing on it is given up",
				  disk->block->path);
			blockers++;
		}
		if (is_allowed(l, disk, want))
			continue;
		if (!want)
			diag_note(s->diag, nowhere, "it would hit %s as well, which the layout doesn't name",
				  disk->block->path);
		text_printf(&flags, "%s--allow-loss %s", flags.len ? " " : "",
			    text_quote_sh(s->arena, name_of(disk, want)));
	}
	if (!blockers && flags.len)
		diag_note(s->diag, nowhere, "nothing is given up unasked: %s would allow it",
			  text_str(&flags));
	return !blockers && !flags.len;
}

static void join(struct map *to, const struct map *from)
{
	for (size_t i = 0; i < from->n; i++)
		(void)map_set(to, from->items[i].key, from->items[i].value);
}

/* Asks the person's permission alone: nothing is said yet. */
static bool is_free(const struct settle *s, const struct closure *c)
{
	struct diag unheard = { .arena = s->arena };
	struct settle quiet = *s;

	quiet.diag = &unheard;
	return may_lose(&quiet, c);
}

static bool lose(const struct settle *s, struct closure *c, size_t said, const char *subject)
{
	struct losses *l = s->losses;
	size_t number = l->refused.n;

	spread(c);
	if (is_free(s, c)) {
		join(&l->ends, &c->ends);
		join(&l->clear, &c->clear);
		return true;
	}
	vec_push(s->arena, &l->refused,
		 (struct loss_refused){ .ends = c->ends,
					.clear = c->clear,
					.first = said,
					.end = s->diag->messages.n,
					.subject = subject,
					.group = number });
	return false;
}

static struct closure closure_of(const struct settle *s)
{
	return (struct closure){ .arena = s->arena,
				 .ends = { .arena = s->arena },
				 .clear = { .arena = s->arena } };
}

bool loss_content(const struct settle *s, const struct node *dev, size_t said, const char *subject)
{
	struct closure c = closure_of(s);
	struct node *at = whole(s->losses, dev);

	if (!at)
		return false;
	clear_content(&c, at);
	return lose(s, &c, said, subject);
}

bool loss_object(const struct settle *s, const struct node *have, size_t said, const char *subject)
{
	struct closure c = closure_of(s);
	struct node *at = whole(s->losses, have);

	/* A part that can't be ended alone goes with its container: a partition with its table. */
	while (at && at->parent && !at->kind->retire)
		at = at->parent;
	if (!at)
		return false;
	end(&c, at);
	return lose(s, &c, said, subject);
}

/* Nobody is asked: the caller knows that nothing is in it. */
static void give_up_leftover(const struct settle *s, struct closure *c, const struct node *want,
			     const char *why)
{
	struct losses *l = s->losses;

	spread(c);
	join(&l->ends, &c->ends);
	join(&l->clear, &c->clear);
	join(&l->leftover, &c->ends);
	join(&l->leftover, &c->clear);
	(void)map_set(&l->anew, want->name, (void *)why);
}

bool loss_leftover(const struct settle *s, const struct node *want, const struct node *have, const char *why)
{
	struct closure c = closure_of(s);
	struct node *at = whole(s->losses, have);

	if (!at || map_get(&s->losses->ends, at->name))
		return false;
	end(&c, at);
	give_up_leftover(s, &c, want, why);
	return true;
}

bool loss_half_table(const struct settle *s, const struct node *want, const struct node *dev, const char *why)
{
	struct closure c = closure_of(s);
	struct node *at = whole(s->losses, dev);

	if (!at || map_get(&s->losses->clear, at->name))
		return false;
	clear_content(&c, at);
	give_up_leftover(s, &c, want, why);
	return true;
}

enum { MOST_NOTES = 16, MOST_SUBJECTS = 8 };

/* All that would go, the outermost first, so that a person sees what it is about. */
static void note_items(const struct settle *s, const struct closure *c)
{
	const struct losses *l = s->losses;
	size_t said = 0;

	vec_each (struct node *const *, n, &l->all->nodes) {
		const char *text;

		if (!map_get(&c->ends, (*n)->name) && !map_get(&c->clear, (*n)->name))
			continue;
		text = loss_item(l, s->arena, *n);
		if (*text && said++ < MOST_NOTES)
			diag_note(s->diag, nowhere, "%s", text);
	}
	if (said > MOST_NOTES)
		diag_note(s->diag, nowhere, "and %zu more", said - MOST_NOTES);
}

static size_t group_of(struct losses *l, size_t i)
{
	while (l->refused.at[i].group != i)
		i = l->refused.at[i].group = l->refused.at[l->refused.at[i].group].group;
	return i;
}

/* What is in two of them puts these together. @owner: name -> the first that had it. */
static void group_by(struct losses *l, struct map *owner, const struct map *names, size_t i)
{
	map_each (it, names) {
		struct loss_refused *other = map_get(owner, it->key);
		size_t a = group_of(l, i), b;

		if (!other) {
			(void)map_set(owner, it->key, &l->refused.at[i]);
			continue;
		}
		b = group_of(l, (size_t)(other - l->refused.at));
		l->refused.at[a > b ? a : b].group = a < b ? a : b;
	}
}

static void group(struct losses *l)
{
	struct map owner = { .arena = l->arena };

	for (size_t i = 0; i < l->refused.n; i++) {
		group_by(l, &owner, &l->refused.at[i].ends, i);
		group_by(l, &owner, &l->refused.at[i].clear, i);
	}
	for (size_t i = 0; i < l->refused.n; i++)
		l->refused.at[i].group = group_of(l, i);
}

/* What is said of a group, behind the first one's own words. */
static void tell_group(const struct settle *s, size_t number)
{
	struct closure c = closure_of(s);
	struct text others = { .arena = s->arena };
	struct map named = { .arena = s->arena };
	size_t more = 0;

	vec_each (const struct loss_refused *, r, &s->losses->refused) {
		if (r->group != number)
			continue;
		join(&c.ends, &r->ends);
		join(&c.clear, &r->clear);
		if (map_set(&named, r->subject, (void *)r) || named.n == 1)
			continue;
		if (named.n <= MOST_SUBJECTS + 1)
			text_printf(&others, "%s%s", others.len ? ", " : "", r->subject);
		else
			more++;
	}
	if (more)
		text_printf(&others, " and %zu more", more);
	if (others.len)
		diag_note(s->diag, nowhere, "%s %s not as asked either, and would go with it",
			  text_str(&others), named.n == 2 ? "is" : "are");
	note_items(s, &c);
	(void)may_lose(s, &c);
}

void loss_tell(const struct settle *s)
{
	struct losses *l = s->losses;
	struct diag *d = s->diag;
	const struct diag_message *old = d->messages.at;
	size_t n = d->messages.n, number = 0;

	group(l);
	d->messages.at = NULL;
	d->messages.n = d->messages.room = 0;
	for (size_t i = 0; i < n; i++) {
		const struct loss_refused *r = number < l->refused.n ? &l->refused.at[number] : NULL;

		if (!r || i < r->first) {
			vec_push(d->arena, &d->messages, old[i]);
			continue;
		}
		for (; i < r->end; i++)
			if (r->group == number)
				vec_push(d->arena, &d->messages, old[i]);
			else
				d->refusals -= old[i].severity == DIAG_REFUSAL;
		i--;
		if (r->group == number)
			tell_group(s, number);
		number++;
	}
}

bool loss_check_options(const struct losses *l, const struct graph *want, struct diag *d)
{
	bool ok = true;

	vec_each (const char *const *, word, &l->options->allow_loss) {
		bool found = false;

		vec_each (struct node *const *, n, &l->all->nodes)
			found = found || (!(*n)->below.n && (*n)->block &&
					  names_disk(l, *word, *n, loss_wanted(want, *n)));
		vec_each (struct node *const *, n, &want->nodes)
			found = found || (!(*n)->below.n && (*n)->kind->device &&
					  (!strcmp((*n)->name, *word) || is_of_set((*n)->name, *word)));
		if (found)
			continue;
		(void)diag_error(d, nowhere,
				 "--allow-loss '%s' names no disk: neither one of the layout, nor a serial "
				 "number, WWN or path of one that is there",
				 *word);
		ok = false;
	}
	return ok;
}
