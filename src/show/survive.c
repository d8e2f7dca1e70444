/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"
#include "show/look.h"
#include "show/show.h"
#include "tech/kind.h"

/*
 * A failure is carried upwards from the disks: only what stands on a dead thing is asked again, so the cost follows what is hit and not
 * the size of the machine. Sets of two and more are tried for each end by itself, among its own disks.
 */
enum {
	MOST_SETS = 4096,     /* tried for one end and one number of disks */
	MOST_WORK = 1 << 24,  /* edges looked at in all */
	MOST_FATAL_SHOWN = 6, /* sets named; more are counted */
	MOST_NAMES = 8,
};

struct spot {
	const struct node *node;
	size_t *below, *above; /* indices */
	size_t below_n, above_n;
	bool dead;
};

typedef VEC(size_t) index_list;

struct search {
	struct arena *arena;
	struct spot *spots;
	size_t n;
	bool *alive;       /* of the node that is asked */
	index_list dead;   /* in the order of dying */
	index_list *fatal; /* by spot: the disks whose failure alone ends it */
	size_t work;
	bool single_known; /* all single disks were tried */
	size_t *stamps;    /* by spot: the round in which it was seen last */
	size_t round;
};

/* An end's disks and one set of them. */
struct set {
	const size_t *disks;
	size_t *pick; /* ascending positions in .disks */
	size_t n, k;
};

static void number_nodes(struct search *s, const node_list *nodes)
{
	struct map index = { .arena = s->arena };
	size_t most = 0;

	s->n = nodes->n;
	s->spots = arena_alloc(s->arena, s->n * sizeof(*s->spots));
	for (size_t i = 0; i < s->n; i++) {
		s->spots[i].node = nodes->at[i];
		map_set(&index, nodes->at[i]->name, &s->spots[i]);
	}
	for (size_t i = 0; i < s->n; i++) {
		struct spot *spot = &s->spots[i];

		spot->below = arena_alloc(s->arena, spot->node->below.n * sizeof(*spot->below));
		vec_each (const struct edge *, e, &spot->node->below) {
			struct spot *to = map_get(&index, e->to->name);

			assert(to);
			spot->below[spot->below_n++] = (size_t)(to - s->spots);
			to->above_n++;
		}
		if (spot->below_n > most)
			most = spot->below_n;
	}
	for (size_t i = 0; i < s->n; i++) {
		s->spots[i].above = arena_alloc(s->arena, s->spots[i].above_n * sizeof(size_t));
		s->spots[i].above_n = 0;
	}
	for (size_t i = 0; i < s->n; i++)
		for (size_t b = 0; b < s->spots[i].below_n; b++) {
			struct spot *to = &s->spots[s->spots[i].below[b]];

			to->above[to->above_n++] = i;
		}
	s->alive = arena_alloc(s->arena, most * sizeof(*s->alive));
	s->stamps = arena_alloc(s->arena, s->n * sizeof(*s->stamps));
}

static bool still_alive(struct search *s, const struct spot *spot)
{
	bool all = true;

	for (size_t i = 0; i < spot->below_n; i++) {
		s->alive[i] = !s->spots[spot->below[i]].dead;
		all = all && s->alive[i];
	}
	s->work += spot->below_n;
	if (all || !spot->node->kind->alive)
		return all;
	return spot->node->kind->alive(spot->node, s->alive);
}

static void kill_disk(struct search *s, size_t disk)
{
	size_t next = s->dead.n;

	if (s->spots[disk].dead)
		return;
	s->spots[disk].dead = true;
	vec_push(s->arena, &s->dead, disk);
	for (; next < s->dead.n; next++) {
		const struct spot *spot = &s->spots[s->dead.at[next]];

		s->work += spot->above_n;
		for (size_t i = 0; i < spot->above_n; i++) {
			struct spot *up = &s->spots[spot->above[i]];

			if (up->dead || still_alive(s, up))
				continue;
			up->dead = true;
			vec_push(s->arena, &s->dead, spot->above[i]);
		}
	}
}

static void revive(struct search *s)
{
	vec_each (size_t *, i, &s->dead)
		s->spots[*i].dead = false;
	s->dead.n = 0;
}

static void try_singles(struct search *s)
{
	s->fatal = arena_alloc(s->arena, s->n * sizeof(*s->fatal));
	for (size_t i = 0; i < s->n; i++) {
		if (!look_is_disk(s->spots[i].node))
			continue;
		if (s->work > MOST_WORK)
			return;
		kill_disk(s, i);
		vec_each (size_t *, dead, &s->dead)
			vec_push(s->arena, &s->fatal[*dead], i);
		revive(s);
	}
	s->single_known = true;
}

static int by_index(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * The disks that the data of @end lies on. A part of a container that also names what it lies on (a volume pinned to a PV) is on those
 * and not on all that the container has.
 */
static index_list disks_of(struct search *s, size_t end)
{
	index_list todo = { 0 }, disks = { 0 };

	s->round++;
	vec_push(s->arena, &todo, end);
	vec_each (size_t *, f, &s->fatal[end])
		vec_push(s->arena, &todo, *f);
	while (todo.n) {
		size_t i = todo.at[--todo.n];
		const struct spot *spot = &s->spots[i];

		if (s->stamps[i] == s->round)
			continue;
		s->stamps[i] = s->round;
		if (look_is_disk(spot->node))
			vec_push(s->arena, &disks, i);
		for (size_t b = 0; b < spot->below_n; b++)
			if (spot->below_n == 1 || spot->node->below.at[b].to != spot->node->parent)
				vec_push(s->arena, &todo, spot->below[b]);
	}
	if (disks.n)
		qsort(disks.at, disks.n, sizeof(*disks.at), by_index);
	return disks;
}

/* The next set of the same size; false: that was the last. */
static bool next_set(struct set *set)
{
	for (size_t i = set->k; i--;) {
		if (set->pick[i] + (set->k - i) >= set->n)
			continue;
		set->pick[i]++;
		for (size_t j = i + 1; j < set->k; j++)
			set->pick[j] = set->pick[j - 1] + 1;
		return true;
	}
	return false;
}

static bool survives(struct search *s, size_t end, const struct set *set)
{
	bool alive;

	for (size_t i = 0; i < set->k; i++)
		kill_disk(s, set->disks[set->pick[i]]);
	alive = !s->spots[end].dead;
	revive(s);
	return alive;
}

/* Sets of @k out of @n; MOST_SETS + 1 where there are more than MOST_SETS. */
static size_t count_sets(size_t n, size_t k)
{
	size_t c = 1;

	for (size_t i = 1; i <= k; i++) {
		c = c * (n - k + i) / i;
		if (c > MOST_SETS)
			return MOST_SETS + 1;
	}
	return c;
}

static const char *name_of(const struct search *s, size_t i)
{
	return text_safe(s->arena, s->spots[i].node->name);
}

static const char *set_text(const struct search *s, const struct set *set)
{
	struct text t = { .arena = s->arena };

	for (size_t i = 0; i < set->k; i++)
		text_printf(&t, "%s%s", i ? "+" : "", name_of(s, set->disks[set->pick[i]]));
	return text_str(&t);
}

static const char *list_text(const struct search *s, const index_list *list, const char *last)
{
	struct text t = { .arena = s->arena };
	size_t shown = list->n > MOST_NAMES ? MOST_NAMES - 1 : list->n;

	for (size_t i = 0; i < shown; i++) {
		text_add(&t, !i ? "" : i + 1 == list->n ? last : ", ");
		text_add(&t, name_of(s, list->at[i]));
	}
	if (shown < list->n)
		text_printf(&t, "%s%zu more", last, list->n - shown);
	return text_str(&t);
}

static const char *any_text(struct arena *a, size_t k)
{
	return k == 1 ? "any one disk" : arena_printf(a, "any %zu disks", k);
}

/* Some of its disks may fail, others not. */
static const char *some_text(struct search *s, const index_list *disks, const index_list *fatal)
{
	index_list may = { 0 };

	vec_each (const size_t *, d, disks) {
		bool is_fatal = false;

		vec_each (const size_t *, f, fatal)
			is_fatal = is_fatal || *f == *d;
		if (!is_fatal)
			vec_push(s->arena, &may, *d);
	}
	return arena_printf(s->arena, "%s%s, but not %s", list_text(s, &may, " or "),
			    may.n > 1 ? " (one of them)" : "", list_text(s, fatal, " or "));
}

/* Tries all sets of @k disks. Return: how many of them it survives; the first of the others in @fatal. */
static size_t try_sets(struct search *s, size_t end, const index_list *disks, size_t k, text_list *fatal)
{
	struct set set = { .disks = disks->at, .n = disks->n, .k = k };
	size_t good = 0;

	assert(k <= disks->n && disks->at);
	set.pick = arena_alloc(s->arena, k * sizeof(*set.pick));
	for (size_t i = 0; i < k; i++)
		set.pick[i] = i;
	do {
		if (survives(s, end, &set))
			good++;
		else if (fatal->n <= MOST_FATAL_SHOWN)
			vec_push(s->arena, fatal, set_text(s, &set));
	} while (next_set(&set));
	return good;
}

static void try_more(struct search *s, struct show_end *ret, size_t end, const index_list *disks)
{
	for (size_t k = 2; k < disks->n; k++) {
		text_list fatal = { 0 };
		size_t sets = count_sets(disks->n, k), good;
		const char *any = any_text(s->arena, k - 1);

		if (sets > MOST_SETS || s->work > MOST_WORK) {
			ret->at_least = true;
			ret->text = arena_printf(s->arena, "at least %s (more at once was not tried)", any);
			return;
		}
		good = try_sets(s, end, disks, k, &fatal);
		if (good == sets) {
			ret->any = (unsigned)k;
			ret->text = any_text(s->arena, k);
			continue;
		}
		if (!good)
			ret->text = any;
		else if (fatal.n <= MOST_FATAL_SHOWN)
			ret->text = arena_printf(s->arena, "%s; %zu too, but not %s", any, k,
						 text_join(s->arena, &fatal, " or "));
		else
			ret->text = arena_printf(s->arena, "%s; of %zu at once, %zu of %zu choices", any, k,
						 good, sets);
		return;
	}
}

static struct show_end look_at_end(struct search *s, size_t end)
{
	struct show_end ret = { .node = s->spots[end].node };
	index_list disks = disks_of(s, end);
	const index_list *fatal = &s->fatal[end];

	vec_each (size_t *, d, &disks)
		vec_push(s->arena, &ret.disks, (struct node *)s->spots[*d].node);
	if (!s->single_known) {
		ret.at_least = true;
		ret.text = "not worked out: too many objects";
	} else if (disks.n == 1 && fatal->n) {
		ret.none = true;
		ret.text = "none: it is on this disk alone";
	} else if (fatal->n == disks.n) {
		ret.none = true;
		ret.text = arena_printf(s->arena, "none of its %zu disks", disks.n);
	} else if (fatal->n) {
		ret.text = some_text(s, &disks, fatal);
	} else {
		ret.any = 1;
		ret.text = any_text(s->arena, 1);
		try_more(s, &ret, end, &disks);
	}
	return ret;
}

/* Whether nothing but mounts uses it, so that a person asks what becomes of it. */
static bool is_end(const struct node *n)
{
	if (!n->below.n || look_is_attached(n) || !(n->kind->device || n->dev))
		return false;
	vec_each (struct node *const *, up, &n->above)
		if (!look_is_attached(*up))
			return false;
	return true;
}

show_ends show_survive(struct arena *a, const node_list *nodes)
{
	struct search s = { .arena = a };
	show_ends ends = { 0 };

	number_nodes(&s, nodes);
	try_singles(&s);
	for (size_t i = 0; i < s.n; i++)
		if (is_end(s.spots[i].node))
			vec_push(a, &ends, look_at_end(&s, i));
	return ends;
}
