/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "graph/node.h"
#include "plan/steps.h"
#include "tech/kind.h"

void steps_init(struct steps *s, struct arena *a, const struct settle *settle)
{
	*s = (struct steps){ .arena = a,
			     .settle = settle,
			     .makers = { .arena = a },
			     .chains = { .arena = a },
			     .barriers = { .arena = a } };
}

struct arena *steps_arena(struct steps *s)
{
	return s->arena;
}

const struct settle *steps_settle(const struct steps *s)
{
	return s->settle;
}

/* Generous: a deadline ends what hangs, it doesn't hurry what is slow. */
static unsigned deadline(enum op_form form)
{
	switch (form) {
	case OP_ARGV:
		return 3600;
	case OP_LVM:
	case OP_TABLE:
	case OP_ZERO:
	case OP_WIPE:
	case OP_MOUNT:
		return 120;
	case OP_SETTLE:
	case OP_MKDIR:
	case OP_FILE:
		return 60;
	}
	return 60;
}

static struct step *add(struct steps *s, const struct node *n, const char *id, const char *what,
			struct pos pos)
{
	struct step *st = arena_of(s->arena, struct step);

	st->id = id;
	st->what = what;
	st->pos = pos;
	st->node = n;
	vec_push(s->arena, &s->list, st);
	st->number = s->list.n;
	return st;
}

/* NULL @other: nothing. */
static void after(struct steps *s, struct step *st, struct step *other)
{
	if (other && other != st)
		vec_push(s->arena, &st->needs, other);
}

/* The step that gives a node; NULL: it is there, or nothing makes it. */
static struct step *maker_of(const struct steps *s, const struct node *n)
{
	return map_get(&s->makers, n->name);
}

struct step *step_new(struct steps *s, const struct node *n, const char *verb, const char *what, ...)
{
	struct step *st;
	const char *text;
	va_list ap;

	va_start(ap, what);
	text = arena_vprintf(s->arena, what, ap);
	va_end(ap);

	st = add(s, n, arena_printf(s->arena, "%s %s", verb, n->name), text, n->pos);
	if (s->last && s->last->node == n)
		after(s, st, s->last);
	map_set(&s->makers, n->name, st);
	s->last = st;
	return st;
}

struct step *step_ending(struct steps *s, const struct node *n, const char *verb, const char *name,
			 const char *what, ...)
{
	struct step *st;
	const char *text;
	va_list ap;

	va_start(ap, what);
	text = arena_vprintf(s->arena, what, ap);
	va_end(ap);
	st = add(s, n, arena_printf(s->arena, "%s %s", verb, name), text, nowhere);
	st->ending = true;
	after(s, st, s->ended);
	s->ended = st;
	return st;
}

void step_ends(struct steps *s, struct step *st, const char *dev)
{
	vec_push(s->arena, &st->gives, (struct op_expect){ .dev = dev, .gone = true });
}

void step_loses(struct steps *s, struct step *st, const char *what)
{
	if (*what)
		vec_push(s->arena, &st->loses, what);
}

size_t steps_count(const struct steps *s)
{
	return s->list.n;
}

struct step *steps_last(const struct steps *s)
{
	return s->list.n ? s->list.at[s->list.n - 1] : NULL;
}

void steps_ended(struct steps *s)
{
	if (!s->ended)
		return;
	step_ending(s, NULL, "wait for", "the end",
		    "wait for the kernel and udev: what was there before is gone")
		->op.form = OP_SETTLE;
}

void step_word(struct steps *s, struct step *st, const char *word)
{
	vec_push(s->arena, &st->op.argv, word);
}

void step_wordf(struct steps *s, struct step *st, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	step_word(s, st, arena_vprintf(s->arena, fmt, ap));
	va_end(ap);
}

static void words(struct steps *s, struct step *st, va_list ap)
{
	const char *word;

	while ((word = va_arg(ap, const char *)))
		step_word(s, st, word);
}

void step_argv(struct steps *s, struct step *st, ...)
{
	va_list ap;

	st->op.form = OP_ARGV;
	va_start(ap, st);
	words(s, st, ap);
	va_end(ap);
}

void step_lvm(struct steps *s, struct step *st, ...)
{
	va_list ap;

	st->op.form = OP_LVM;
	va_start(ap, st);
	words(s, st, ap);
	va_end(ap);
}

void step_gives(struct steps *s, struct step *st, const char *dev, uint64_t start, uint64_t size)
{
	struct op_expect e = { .dev = dev, .start = start, .size = size };

	vec_push(s->arena, &st->gives, e);
}

void steps_chain(struct steps *s, struct step *st, const char *key)
{
	after(s, st, map_set(&s->chains, key, st));
}

void steps_settle_after(struct steps *s, struct step *st, const char *key)
{
	struct step *wait = map_get(&s->barriers, key);

	if (!wait) {
		wait = add(s, NULL, arena_printf(s->arena, "wait for %s", key),
			   arena_printf(s->arena, "wait for the kernel and udev: %s", key), nowhere);
		wait->op.form = OP_SETTLE;
		map_set(&s->barriers, key, wait);
	}
	after(s, wait, st);
	vec_each (struct op_expect *, e, &st->gives)
		vec_push(s->arena, &wait->op.expect, *e);
	st->gives.n = 0;
	map_set(&s->makers, st->node->name, wait);
}

static bool changes_device(enum op_form form)
{
	switch (form) {
	case OP_ARGV:
	case OP_LVM:
	case OP_TABLE:
	case OP_ZERO:
	case OP_WIPE:
		return true;
	case OP_SETTLE:
	case OP_MKDIR:
	case OP_MOUNT:
	case OP_FILE:
		return false;
	}
	return false;
}

/*
 * udevd looks away from a device while it works on an event of it: what is written just then goes unseen, and no link by UUID appears. So
 * each device that got a filesystem is announced once more.
 */
static void announce(struct steps *s)
{
	struct step *again = NULL;
	size_t n = s->list.n;

	for (size_t i = 0; i < n; i++) {
		const struct step *st = s->list.at[i];

		if (!st->node || !st->node->kind->section || !changes_device(st->op.form))
			continue;
		if (!again) {
			again = add(s, NULL, "announce filesystems", "have udev look at the new filesystems",
				    nowhere);
			step_argv(s, again, "udevadm", "trigger", "--action=change", "--", NULL);
		}
		after(s, again, s->list.at[i]);
		vec_each (const struct edge *, e, &st->node->below)
			if (e->claim && e->to->dev && maker_of(s, st->node) == st)
				step_word(s, again, e->to->dev);
	}
}

void steps_settle_last(struct steps *s)
{
	struct step *wait = NULL;

	announce(s);
	for (size_t i = 0, n = s->list.n; i < n; i++) {
		if (!changes_device(s->list.at[i]->op.form) || s->list.at[i]->inside)
			continue;
		if (!wait) {
			wait = add(s, NULL, "wait for links", "wait for udev: links by UUID", nowhere);
			wait->op.form = OP_SETTLE;
		}
		after(s, wait, s->list.at[i]);
	}
}

/* What gives everything below @n; a node without steps of its own passes it down. What is there needs nobody. */
static void need_below(struct steps *s, struct step *st, const struct node *n)
{
	node_list todo = { 0 };

	vec_push(s->arena, &todo, (struct node *)n);
	for (size_t i = 0; i < todo.n; i++)
		vec_each (const struct edge *, e, &todo.at[i]->below) {
			struct step *maker = maker_of(s, e->to);

			if (maker)
				after(s, st, maker);
			else if (e->to->verdict == VERDICT_CREATE)
				vec_push(s->arena, &todo, e->to);
		}
}

static const char *covers_path(const struct op *op)
{
	switch (op->form) {
	case OP_MKDIR:
	case OP_MOUNT:
	case OP_FILE:
		return op->path;
	case OP_ARGV:
	case OP_LVM:
	case OP_TABLE:
	case OP_ZERO:
	case OP_WIPE:
	case OP_SETTLE:
		return NULL;
	}
	return NULL;
}

/* What happens at a path happens on the filesystem that will be mounted over it. */
static void need_mounts(struct steps *s, struct step *st, const struct map *mounts)
{
	const char *path = covers_path(&st->op);
	char *p;

	if (!path || path[0] != '/')
		return;
	p = arena_strdup(s->arena, path);
	if (st->op.form == OP_FILE)
		after(s, st, map_get(mounts, p));
	while (p[1]) {
		char *slash = strrchr(p, '/');

		slash[slash == p] = '\0';
		after(s, st, map_get(mounts, p));
	}
}

static int by_number(const void *a, const void *b)
{
	size_t x = (*(struct step *const *)a)->number, y = (*(struct step *const *)b)->number;

	return x < y ? -1 : x > y;
}

static void tidy_needs(struct step *st)
{
	size_t kept = 0;

	if (st->needs.n < 2)
		return;
	qsort(st->needs.at, st->needs.n, sizeof(*st->needs.at), by_number);
	for (size_t i = 0; i < st->needs.n; i++)
		if (!kept || st->needs.at[kept - 1] != st->needs.at[i])
			st->needs.at[kept++] = st->needs.at[i];
	st->needs.n = kept;
}

/* A heap of steps by number: the first that is ready, as made. */
struct heap {
	struct step **at;
	size_t n;
};

static void heap_push(struct heap *h, struct step *st)
{
	size_t i = h->n++;

	for (; i && h->at[(i - 1) / 2]->number > st->number; i = (i - 1) / 2)
		h->at[i] = h->at[(i - 1) / 2];
	h->at[i] = st;
}

static struct step *heap_pop(struct heap *h)
{
	struct step *top = h->at[0], *last = h->at[--h->n];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < h->n) {
		if (child + 1 < h->n && h->at[child + 1]->number < h->at[child]->number)
			child++;
		if (last->number <= h->at[child]->number)
			break;
		h->at[i] = h->at[child];
		i = child;
	}
	h->at[i] = last;
	return top;
}

static void sort(struct steps *s, step_list *ret)
{
	size_t n = s->list.n;
	size_t *open = arena_alloc(s->arena, (n + 1) * sizeof(*open)); /* needs not met yet, by number */
	step_list *users = arena_alloc(s->arena, (n + 1) * sizeof(*users));
	struct heap ready = { .at = arena_alloc(s->arena, (n + 1) * sizeof(struct step *)) };

	vec_each (struct step **, st, &s->list) {
		open[(*st)->number] = (*st)->needs.n;
		vec_each (struct step **, need, &(*st)->needs)
			vec_push(s->arena, &users[(*need)->number], *st);
		if (!(*st)->needs.n)
			heap_push(&ready, *st);
	}
	while (ready.n) {
		struct step *st = heap_pop(&ready);

		vec_push(s->arena, ret, st);
		vec_each (struct step **, user, &users[st->number])
			if (!--open[(*user)->number])
				heap_push(&ready, *user);
	}
	/* Needs follow the edges of a graph that was sorted: a cycle here is a mistake of a room. */
	assert(ret->n == n);
}

void steps_order(struct steps *s, step_list *ret)
{
	struct map mounts = { .arena = s->arena };

	vec_each (struct step **, st, &s->list)
		if ((*st)->op.form == OP_MOUNT)
			map_set(&mounts, (*st)->op.path, *st);
	vec_each (struct step **, st, &s->list) {
		if (!(*st)->ending && !(*st)->needs.n)
			after(s, *st, s->ended);
		if ((*st)->node && !(*st)->ending)
			need_below(s, *st, (*st)->node);
		need_mounts(s, *st, &mounts);
		tidy_needs(*st);
		if (!(*st)->timeout_s)
			(*st)->timeout_s = deadline((*st)->op.form);
	}
	sort(s, ret);
	for (size_t i = 0; i < ret->n; i++)
		ret->at[i]->number = i + 1;
	vec_each (struct step **, st, ret)
		tidy_needs(*st);
}
