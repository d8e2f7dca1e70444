/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "graph/node.h"

#include "base/arena.h"
#include "base/text.h"
#include "tech/kind.h"

struct graph *graph_new(struct arena *a)
{
	struct graph *g = arena_of(a, struct graph);

	g->arena = a;
	g->by_name.arena = a;
	return g;
}

struct node *graph_add(struct graph *g, const struct kind *kind, const char *name)
{
	struct node *n = arena_alloc(g->arena, kind->size > sizeof(*n) ? kind->size : sizeof(*n));

	n->kind = kind;
	n->name = name;
	vec_push(g->arena, &g->nodes, n);
	/* Who adds a name twice has a mistake to tell; until then the name stays with the first. */
	if (!map_get(&g->by_name, name))
		(void)map_set(&g->by_name, name, n);
	return n;
}

struct node *graph_get(const struct graph *g, const char *name)
{
	return map_get(&g->by_name, name);
}

void node_on(struct graph *g, struct node *n, struct node *below, struct pos pos, bool claim)
{
	vec_push(g->arena, &n->below, (struct edge){ .to = below, .pos = pos, .claim = claim });
	/* Edges of one node come one after the other, so a look at the last is enough to keep each user once in most cases. */
	if (!below->above.n || below->above.at[below->above.n - 1] != n)
		vec_push(g->arena, &below->above, n);
}

void node_in(struct graph *g, struct node *n, struct node *parent, struct pos pos)
{
	node_on(g, n, parent, pos, false);
	n->parent = parent;
}

/* Nodes to numbers from 0, in the order in which they were first seen: a hash table with open addressing. */
struct numbers {
	struct arena *arena;
	const struct node **seen; /* by number */
	size_t n, room;
	size_t *slots; /* number + 1, 0: free */
	size_t slot_count;
};

static size_t *slot(const struct numbers *t, const struct node *n)
{
	/* Fibonacci hashing: objects lie at multiples of their alignment, the upper bits of the product don't show it. */
	size_t i = (size_t)(((uintptr_t)n * UINT64_C(11400714819323198485)) >> 32) & (t->slot_count - 1);

	while (t->slots[i] && t->seen[t->slots[i] - 1] != n)
		i = (i + 1) & (t->slot_count - 1);
	return &t->slots[i];
}

/* The number of a node. @ret_new: whether it got it just now; may be NULL. */
static size_t number(struct numbers *t, const struct node *n, bool *ret_new)
{
	size_t *s;

	if (t->n == t->room) {
		size_t room = t->room ? t->room * 2 : 32;

		t->seen = arena_grow(t->arena, t->seen, t->n * sizeof(const struct node *),
				     room * sizeof(const struct node *));
		t->room = room;
		t->slot_count = room * 2;
		t->slots = arena_alloc(t->arena, t->slot_count * sizeof(*t->slots));
		for (size_t i = 0; i < t->n; i++)
			*slot(t, t->seen[i]) = i + 1;
	}
	s = slot(t, n);
	if (ret_new)
		*ret_new = !*s;
	if (!*s) {
		t->seen[t->n++] = n;
		*s = t->n;
	}
	return *s - 1;
}

/* A sort under way. Numbers are places in @g->nodes. */
struct sort {
	struct graph *graph;
	struct arena *arena; /* ends with the sort */
	struct numbers numbers;
	size_t *waits;        /* edges to nodes that aren't sorted yet */
	VEC(size_t) * users;  /* the other end of each edge, once per edge */
	size_t *heap, heap_n; /* those that wait for nothing, the first in order on top */
	bool *done;
};

static bool is_before(const struct sort *s, size_t a, size_t b)
{
	const struct node *x = s->graph->nodes.at[a], *y = s->graph->nodes.at[b];

	return x->order != y->order ? x->order < y->order : a < b;
}

static void heap_push(struct sort *s, size_t number_)
{
	size_t i = s->heap_n++;

	for (; i && is_before(s, number_, s->heap[(i - 1) / 2]); i = (i - 1) / 2)
		s->heap[i] = s->heap[(i - 1) / 2];
	s->heap[i] = number_;
}

static size_t heap_pop(struct sort *s)
{
	size_t top = s->heap[0], last = s->heap[--s->heap_n], i = 0;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= s->heap_n)
			break;
		if (child + 1 < s->heap_n && is_before(s, s->heap[child + 1], s->heap[child]))
			child++;
		if (!is_before(s, s->heap[child], last))
			break;
		s->heap[i] = s->heap[child];
		i = child;
	}
	s->heap[i] = last;
	return top;
}

/* The first edge of a node that leads to another one that is not sorted: there is one, or it were sorted itself. */
static const struct edge *open_edge(struct sort *s, size_t i)
{
	const struct node *n = s->graph->nodes.at[i];

	for (size_t e = 0; e < n->below.n; e++)
		if (!s->done[number(&s->numbers, n->below.at[e].to, NULL)])
			return &n->below.at[e];
	return NULL;
}

enum { CYCLE_SHOWN = 20 }; /* members and notes: who has more of them needs no list */

static int tell_cycle(struct sort *s, const size_t *members, size_t n, struct diag *d)
{
	struct text t = { .arena = d->arena };
	size_t first = 0;
	int r;

	for (size_t i = 1; i < n; i++)
		if (is_before(s, members[i], members[first]))
			first = i;
	for (size_t i = 0; i < n && i < CYCLE_SHOWN; i++)
		text_printf(&t, "%s -> ", s->graph->nodes.at[members[(first + i) % n]]->name);
	if (n > CYCLE_SHOWN)
		text_printf(&t, "(%zu more) -> ", n - CYCLE_SHOWN);
	text_add(&t, s->graph->nodes.at[members[first]]->name);
	r = diag_error(d, open_edge(s, members[first])->pos, "'%s' stands on itself: %s",
		       s->graph->nodes.at[members[first]]->name, text_str(&t));
	for (size_t i = 0; i < n && i < CYCLE_SHOWN; i++) {
		size_t m = members[(first + i) % n];
		const struct edge *e = open_edge(s, m);

		if (e->pos.line)
			diag_note(d, e->pos, "'%s' stands on '%s' here", s->graph->nodes.at[m]->name,
				  e->to->name);
	}
	return r;
}

/* Follows the first open edge of each node that is left. Every such path ends in a cycle, and each cycle is met once. */
static int tell_cycles(struct sort *s, struct diag *d)
{
	size_t n = s->graph->nodes.n, *walk = arena_alloc(s->arena, (n + 1) * sizeof(*walk));
	size_t *path = arena_alloc(s->arena, (n + 1) * sizeof(*path)), *place;
	int r = 0;

	place = arena_alloc(s->arena, (n + 1) * sizeof(*place));
	for (size_t i = 0; i < n; i++) {
		size_t len = 0, at = i;

		while (!s->done[at] && !walk[at]) {
			walk[at] = i + 1;
			place[at] = len;
			path[len++] = at;
			at = number(&s->numbers, open_edge(s, at)->to, NULL);
		}
		if (len && walk[at] == i + 1)
			r = tell_cycle(s, path + place[at], len - place[at], d);
	}
	return r;
}

int graph_sort(struct graph *g, struct diag *d, node_list *ret)
{
	_cleanup_arena_ struct arena *scratch = arena_new();
	struct sort s = { .graph = g, .arena = scratch, .numbers = { .arena = scratch } };
	size_t n = g->nodes.n;
	node_list sorted = { 0 };

	s.waits = arena_alloc(scratch, n * sizeof(*s.waits));
	s.users = arena_alloc(scratch, n * sizeof(*s.users));
	s.heap = arena_alloc(scratch, n * sizeof(*s.heap));
	s.done = arena_alloc(scratch, n * sizeof(*s.done));
	for (size_t i = 0; i < n; i++)
		(void)number(&s.numbers, g->nodes.at[i], NULL);
	for (size_t i = 0; i < n; i++) {
		const struct node *node = g->nodes.at[i];

		s.waits[i] = node->below.n;
		for (size_t e = 0; e < node->below.n; e++)
			vec_push(scratch, &s.users[number(&s.numbers, node->below.at[e].to, NULL)], i);
		if (!s.waits[i])
			heap_push(&s, i);
	}
	sorted.at = arena_alloc(g->arena, n * sizeof(struct node *));
	sorted.room = n;
	while (s.heap_n) {
		size_t i = heap_pop(&s);

		s.done[i] = true;
		sorted.at[sorted.n++] = g->nodes.at[i];
		for (size_t u = 0; u < s.users[i].n; u++)
			if (--s.waits[s.users[i].at[u]] == 0)
				heap_push(&s, s.users[i].at[u]);
	}
	if (sorted.n < n)
		return tell_cycles(&s, d);
	*ret = sorted;
	return 0;
}

node_list node_disks(struct arena *a, const struct node *n)
{
	_cleanup_arena_ struct arena *scratch = arena_new();
	struct numbers seen = { .arena = scratch };
	VEC(const struct node *) todo = { 0 };
	node_list disks = { 0 };

	vec_push(scratch, &todo, n);
	while (todo.n) {
		const struct node *at = todo.at[--todo.n];
		bool is_new;

		(void)number(&seen, at, &is_new);
		if (!is_new)
			continue;
		if (!at->below.n)
			vec_push(a, &disks, (struct node *)at);
		/* A volume that knows its devices isn't on all those of its group. */
		for (size_t i = at->below.n; i-- > 0;)
			if (at->below.n == 1 || at->below.at[i].to != at->parent)
				vec_push(scratch, &todo, at->below.at[i].to);
	}
	return disks;
}
