/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "layout/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "graph/node.h"
#include "layout/layout.h"
#include "layout/lost.h"
#include "layout/stack.h"
#include "layout/words.h"

enum {
	MAKE_DEPTH_MAX =
		100, /* names made on demand, one within the other: rooms call back, so this is depth of the stack */
	GUESSES_MAX = 50, /* suggestions: each looks through all names */
};

/* How an item fared with its room, whatever it was called for: what was made of one that failed is half made. */
struct call {
	bool failed;
	bool loose; /* stands on names of which not all is known: how many things it is about isn't, either */
};

/* What a name stands for. */
struct entry {
	struct pos pos;
	node_list nodes;
	bool join, alias;
	VEC(const struct call *) calls; /* that made it */
};

enum later_state { LATER_WAITS, LATER_RUNS, LATER_DONE, LATER_FAILED };

/* Names that are made on demand: one for each item and function, under any number of names. */
struct later {
	int (*make)(struct build *b, struct item *it);
	struct item *it;
	const struct section *section;
	const char *name; /* the first */
	enum later_state state;
	const char *asked;    /* while it runs: the name that was asked for ... */
	struct pos asked_pos; /* ... and where */
};

struct later_list {
	VEC(struct later *) list;
};

struct build {
	struct arena *arena;
	struct diag *diag;
	const struct room *const *rooms;
	struct graph *graph;
	struct map names;  /* struct entry */
	struct map laters; /* struct later_list, by each of their names */
	struct lost *
		failed; /* names of items that a room could not make sense of, and of what is in them; it has said so */
	const struct lost *lost; /* of the layout */
	struct diag said;        /* by the room that is running, until it is known whether to tell it */
	VEC(struct later *) all_laters;
	VEC(struct later *) running; /* the stack */
	VEC(struct call *) calls;    /* of each item, by its order */
	VEC(struct call *) made_by;  /* of each node of the graph */
	const struct section *section;
	const struct item *item; /* what a room is looking at; NULL in finish() */
	struct call *call;
	unsigned guesses;
};

struct arena *build_arena(struct build *b)
{
	return b->arena;
}

struct diag *build_diag(struct build *b)
{
	return b->call ? &b->said : b->diag;
}

struct graph *build_graph(struct build *b)
{
	return b->graph;
}

struct node *build_node(struct build *b, const struct kind *kind, const char *name, const struct item *it)
{
	struct node *n = graph_add(b->graph, kind, name);
	const struct item *origin = it ? it : b->item;

	n->item = it;
	if (origin) {
		n->pos = origin->pos;
		n->order = origin->order;
	} else {
		n->order = SIZE_MAX; /* what follows from the whole comes last */
	}
	/* A room may have put nodes into the graph by itself. */
	while (b->made_by.n + 1 < b->graph->nodes.n)
		vec_push(b->arena, &b->made_by, NULL);
	vec_push(b->arena, &b->made_by, b->call);
	return n;
}

static const char *shown(struct build *b, const char *s)
{
	return text_short(b->arena, s);
}

/* A name that is free, made from one that isn't: "boot-array", else "boot2". */
static const char *free_name(struct build *b, const char *name, const struct kind *kind)
{
	const char *s = arena_printf(b->arena, "%s-%s", name, kind->name);

	if (!words_is_name(kind->name) || map_get(&b->names, s) || map_get(&b->laters, s))
		for (unsigned i = 2; map_get(&b->names, s) || map_get(&b->laters, s) || i == 2; i++)
			s = arena_printf(b->arena, "%s%u", name, i);
	return s;
}

static int clash(struct build *b, const char *name, struct pos pos, const struct kind *kind,
		 const struct entry *first)
{
	const struct node *n = first->nodes.n ? first->nodes.at[0] : NULL;
	bool set = first->nodes.n > 1 || (n && !text_eq(n->name, name));
	int r;

	if (n)
		r = diag_error(b->diag, pos, "the name '%s' is taken by %s %s%s%s%s already; '%s' is free",
			       name, words_article(n->kind->name), n->kind->name, set ? " ('" : "",
			       set ? n->name : "", set ? (first->nodes.n > 1 ? "', ...)" : "')") : "",
			       free_name(b, name, kind ? kind : n->kind));
	else
		r = diag_error(b->diag, pos, "the name '%s' is taken already", name);
	diag_note(b->diag, first->pos, "the other '%s' is here", name);
	return r;
}

static void made_by(struct build *b, struct entry *e)
{
	if (b->call && (!e->calls.n || e->calls.at[e->calls.n - 1] != b->call))
		vec_push(b->arena, &e->calls, b->call);
}

static struct entry *add_entry(struct build *b, const char *name, struct pos pos, bool join)
{
	struct entry *e = arena_of(b->arena, struct entry);

	e->pos = pos;
	e->join = join;
	made_by(b, e);
	(void)map_set(&b->names, name, e);
	return e;
}

/* Where lists of devices take a word that stands for none ("missing"), a device can't be called so. NULL: any may. */
static const char *taken_by_key(struct build *b, const char *name)
{
	for (const struct room *const *r = b->rooms; *r; r++)
		for (const struct section *s = (*r)->sections; s && s->name; s++)
			for (const struct key *k = s->keys; k && k->name; k++)
				if (text_eq(k->also, name))
					return arena_printf(b->arena, "'%s' of '%s'", words_key(b->arena, k),
							    s->name);
	return NULL;
}

int build_name(struct build *b, const char *name, struct pos pos, struct node *n, bool join)
{
	struct entry *e = map_get(&b->names, name);
	const char *taken = e ? NULL : taken_by_key(b, name);

	if (taken) {
		lost_word(b->failed, name);
		return diag_error(b->diag, pos,
				  "nothing can be called '%s', which stands for no device in %s", name,
				  taken);
	}
	if (!e)
		e = add_entry(b, name, pos, join);
	else if (e->nodes.n && e->nodes.at[e->nodes.n - 1] == n)
		return 0;
	else if (!join || !e->join || (e->nodes.n && e->nodes.at[0]->kind != n->kind))
		return clash(b, name, pos, n->kind, e);
	made_by(b, e);
	vec_push(b->arena, &e->nodes, n);
	return 0;
}

int build_alias(struct build *b, const char *name, struct pos pos, const node_list *nodes)
{
	struct entry *e = map_get(&b->names, name);

	if (e && e->nodes.n == nodes->n &&
	    (!nodes->n || memcmp(e->nodes.at, nodes->at, nodes->n * sizeof(struct node *)) == 0))
		return 0;
	if (e)
		return clash(b, name, pos, nodes->n ? nodes->at[0]->kind : NULL, e);
	e = add_entry(b, name, pos, false);
	e->alias = true;
	for (size_t i = 0; i < nodes->n; i++)
		vec_push(b->arena, &e->nodes, nodes->at[i]);
	return 0;
}

int build_later(struct build *b, const char *name, struct pos pos,
		int (*make)(struct build *b, struct item *it), struct item *it)
{
	struct later_list *list = map_get(&b->laters, name);
	struct later *l = b->all_laters.n ? b->all_laters.at[b->all_laters.n - 1] : NULL;

	(void)pos;
	/* All names of one item come one after the other. */
	if (!l || l->it != it || l->make != make) {
		l = arena_of(b->arena, struct later);
		*l = (struct later){ .make = make, .it = it, .section = b->section, .name = name };
		vec_push(b->arena, &b->all_laters, l);
	}
	if (!list) {
		list = arena_of(b->arena, struct later_list);
		(void)map_set(&b->laters, name, list);
	}
	if (!list->list.n || list->list.at[list->list.n - 1] != l)
		vec_push(b->arena, &list->list, l);
	return 0;
}

static struct call *call_of(struct build *b, const struct item *it)
{
	while (b->calls.n <= it->order)
		vec_push(b->arena, &b->calls, NULL);
	if (!b->calls.at[it->order])
		b->calls.at[it->order] = arena_of(b->arena, struct call);
	return b->calls.at[it->order];
}

static void tell(struct diag *d, const struct diag *said)
{
	vec_each (const struct diag_message *, m, &said->messages)
		switch (m->severity) {
		case DIAG_NOTE:
			diag_note(d, m->pos, "%s", m->text);
			break;
		case DIAG_WARNING:
			diag_warn(d, m->pos, "%s", m->text);
			break;
		case DIAG_ERROR:
			(void)diag_error(d, m->pos, "%s", m->text);
			break;
		case DIAG_REFUSAL:
			(void)diag_refuse(d, m->pos, "%s", m->text);
			break;
		}
}

/*
 * Lets a room look at an item, and keeps in mind what it makes of it. What a room says of an item that is broken, or of which it can't know
 * what it stands on, may only follow from that: it isn't told. What this file says (names, clashes, double use) is so in any case.
 * Return: 0 or -errno.
 */
static int call_room(struct build *b, int (*f)(struct build *b, struct item *it),
		     const struct section *section, struct item *it)
{
	const struct section *section_before = b->section;
	const struct item *item_before = b->item;
	struct call *call_before = b->call;
	struct diag said_before = b->said;
	int r;

	b->said = (struct diag){ .arena = b->arena };
	b->section = section;
	b->item = it;
	b->call = call_of(b, it);
	r = f(b, it);
	b->call->failed |= r < 0;
	if (!b->call->loose && !(lost_state(b->lost, it) & LOST_WORDS))
		tell(b->diag, &b->said);
	b->said = said_before;
	b->section = section_before;
	b->item = item_before;
	b->call = call_before;
	if (r < 0 && it->name)
		lost_word(b->failed, it->name);
	if (r < 0 && it->src)
		(void)lost_words_of(b->failed, section->keys, it->src);
	return r;
}

/* A name that needs itself: the stack from the call that runs already. */
static int tell_circle(struct build *b, const struct later *l, const char *asked, struct pos pos)
{
	struct text t = { .arena = b->arena };
	size_t first = 0, n = b->running.n;
	int r;

	while (b->running.at[first] != l)
		first++;
	for (size_t i = first; i < n; i++)
		text_printf(&t, "%s -> ", b->running.at[i]->asked);
	text_add(&t, asked);
	/* Of "vg0/home" it is "vg0" that runs. */
	if (strchr(asked, '/') && text_starts(asked, b->running.at[first]->asked))
		text_printf(&t, " -> %s", b->running.at[first]->asked);
	r = diag_error(b->diag, pos, "'%s' stands on itself: %s", l->it->name ? l->it->name : l->name,
		       text_str(&t));
	for (size_t i = first + 1; i < n; i++)
		diag_note(b->diag, b->running.at[i]->asked_pos, "'%s' is asked for here",
			  b->running.at[i]->asked);
	return r;
}

static int run_later(struct build *b, struct later *l, const char *asked, struct pos pos)
{
	int r;

	switch (l->state) {
	case LATER_DONE:
		return 0;
	case LATER_FAILED:
		return -EINVAL; /* has been told */
	case LATER_RUNS:
		return tell_circle(b, l, asked, pos);
	case LATER_WAITS:
		break;
	}
	if (b->running.n >= MAKE_DEPTH_MAX)
		return diag_error(b->diag, pos, "'%s' stands on a pile of more than %d others",
				  shown(b, l->name), MAKE_DEPTH_MAX);
	l->state = LATER_RUNS;
	l->asked = asked;
	l->asked_pos = pos;
	vec_push(b->arena, &b->running, l);
	r = call_room(b, l->make, l->section, l->it);
	b->running.n--;
	l->state = r < 0 ? LATER_FAILED : LATER_DONE;
	return r;
}

static int run_list(struct build *b, const char *key, const char *asked, struct pos pos)
{
	struct later_list *list = map_get(&b->laters, key);
	int r = 0;

	for (size_t i = 0; list && i < list->list.n; i++)
		if (run_later(b, list->list.at[i], asked, pos) < 0)
			r = -EINVAL;
	return r;
}

/* Makes what is made on demand under a name, or under what stands before its '/'. */
static int make_name(struct build *b, const char *name, struct pos pos)
{
	size_t n = strcspn(name, "/");
	int r;

	if (!b->laters.n)
		return 0;
	r = run_list(b, name, name, pos);
	if (r == 0 && name[n])
		r = run_list(b, arena_strndup(b->arena, name, n), name, pos);
	return r;
}

/* Whether the item could not be read or declared that would have made this name. */
static bool is_lost(struct build *b, const char *name)
{
	return lost_has(b->lost, name) || (b->lost && b->lost->any) || lost_has(b->failed, name);
}

/* "vg0/home" for "home". NULL: there is none. */
static const char *with_group(const text_list *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++) {
		const char *slash = strchr(all->at[i], '/');

		if (slash && text_eq(slash + 1, name))
			return all->at[i];
	}
	return NULL;
}

static int unknown_name(struct build *b, const char *name, struct pos pos)
{
	text_list all = { 0 };
	const char *near = NULL;

	if (is_lost(b, name))
		return -EINVAL;
	if (b->guesses++ < GUESSES_MAX) {
		/* First those that something can stand on: a volume group's name is near its volumes'. */
		map_each (it, &b->names) {
			const struct entry *e = it->value;

			if (e->nodes.n && e->nodes.at[0]->kind->device)
				vec_push(b->arena, &all, it->key);
		}
		near = with_group(&all, name);
		if (!near)
			near = text_nearest(name, all.at, all.n);
	}
	if (near)
		return diag_error(b->diag, pos, "nothing is called '%s'; did you mean '%s'?", shown(b, name),
				  near);
	return diag_error(b->diag, pos, "nothing is called '%s'", shown(b, name));
}

/* A name that something is called by, but not a device. */
static int no_device(struct build *b, const char *name, struct pos pos, const struct entry *e)
{
	size_t n = strlen(name);
	int r;

	if (!e->nodes.n)
		return diag_error(b->diag, pos, "'%s' stands for no device", name);
	r = diag_error(b->diag, pos, "'%s' is %s %s, and nothing can stand on that itself", name,
		       words_article(e->nodes.at[0]->kind->name), e->nodes.at[0]->kind->name);
	map_each (it, &b->names)
		if (strncmp(it->key, name, n) == 0 && it->key[n] == '/') {
			diag_note(b->diag, ((const struct entry *)it->value)->pos,
				  "its parts can be named, such as '%s'", it->key);
			break;
		}
	return r;
}

/* Whether a name may stand for more than is known: what a broken item makes, and groups of what stands on such. */
static bool is_loose(const struct build *b, const char *name, const struct entry *e)
{
	if (lost_has(b->lost, name))
		return true;
	if (e->join || e->alias)
		vec_each (const struct call *const *, call, &e->calls)
			if ((*call)->loose)
				return true;
	return false;
}

static int resolve_one(struct build *b, const struct name_at *name, struct resolved *ret)
{
	const struct entry *e;
	int r;

	if (!*name->name) /* a stand-in for what is no name; that has been told */
		return -EINVAL;
	r = make_name(b, name->name, name->pos);
	if (r < 0)
		return r;
	e = map_get(&b->names, name->name);
	if (!e)
		return unknown_name(b, name->name, name->pos);
	if (b->call && is_loose(b, name->name, e))
		b->call->loose = true;
	if (!e->nodes.n || !e->nodes.at[0]->kind->device)
		return no_device(b, name->name, name->pos, e);
	for (size_t i = 0; i < e->nodes.n; i++)
		vec_push(b->arena, &ret->list,
			 (struct resolved_node){ .node = e->nodes.at[i], .pos = name->pos });
	return 0;
}

int build_resolve(struct build *b, const struct names *names, const char *also, struct resolved *ret)
{
	struct resolved all = { 0 };
	int r = 0;

	for (size_t i = 0; i < names->n; i++) {
		if (also && text_eq(names->at[i].name, also)) {
			vec_push(b->arena, &all.list, (struct resolved_node){ .pos = names->at[i].pos });
			/* Somebody meant a device by it. */
			if (b->call && lost_has(b->failed, also))
				b->call->loose = true;
		} else if (resolve_one(b, &names->at[i], &all) < 0)
			r = -EINVAL;
	}
	*ret = all;
	return r;
}

/* Content that is to be put on a device. */
struct claim {
	const struct node *on, *by;
	struct pos pos;
	size_t device, at; /* number of the device, and of the claim */
};

static int by_device(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->pos.line != y->pos.line)
		return x->pos.line < y->pos.line ? -1 : 1;
	if (x->pos.col != y->pos.col)
		return x->pos.col < y->pos.col ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* A device can hold one content. Those who come second in the file are told. */
static int check_claims(struct build *b)
{
	VEC(struct claim) claims = { 0 };
	struct map numbers = { .arena = b->arena };
	const struct claim *first = NULL;
	int r = 0;

	vec_each (struct node *const *, n, &b->graph->nodes)
		vec_each (const struct edge *, e, &(*n)->below) {
			struct claim c = { .on = e->to, .by = *n, .pos = e->pos, .at = claims.n };
			size_t *number;

			if (!e->claim)
				continue;
			/* Names are unique but for those that have been complained of. */
			number = map_get(&numbers, e->to->name);
			if (!number) {
				number = arena_of(b->arena, size_t);
				*number = numbers.n;
				(void)map_set(&numbers, e->to->name, number);
			}
			c.device = *number;
			vec_push(b->arena, &claims, c);
		}
	if (claims.n)
		qsort(claims.at, claims.n, sizeof(*claims.at), by_device);
	vec_each (const struct claim *, c, &claims) {
		if (!first || first->device != c->device) {
			first = c;
			continue;
		}
		r = diag_error(b->diag, c->pos, "'%s' is used twice", c->on->name);
		diag_note(b->diag, first->pos, "'%s' stands on it already", first->by->name);
	}
	return r;
}

/* @declared: for each item of the layout whether that went well. */
static int declare_all(struct build *b, const struct layout *l, bool *declared)
{
	int r = 0;

	vec_each (const struct layout_section *, s, &l->sections)
		for (size_t i = 0; i < s->items.n; i++) {
			*declared = !s->section->declare ||
				    call_room(b, s->section->declare, s->section, s->items.at[i]) == 0;
			if (!*declared++)
				r = -EINVAL;
		}
	return r;
}

/* An item that could not be declared is not linked: its room would not find what it made. */
static int link_all(struct build *b, const struct layout *l, const bool *declared)
{
	int r = 0;

	vec_each (const struct layout_section *, s, &l->sections) {
		for (size_t i = 0; i < b->all_laters.n; i++) {
			struct later *later = b->all_laters.at[i];

			if (later->section == s->section && later->state == LATER_WAITS &&
			    run_later(b, later, later->name, later->it->pos) < 0)
				r = -EINVAL;
		}
		for (size_t i = 0; i < s->items.n; i++)
			if (*declared++ && s->section->link &&
			    call_room(b, s->section->link, s->section, s->items.at[i]) < 0)
				r = -EINVAL;
	}
	return r;
}

/* Names in items that no room can look at. */
static void look_up_lost(struct build *b)
{
	struct resolved found;

	if (b->lost)
		vec_each (const struct lost_names *, n, &b->lost->names)
			(void)build_resolve(b, &n->names, n->also, &found);
}

static int finish_all(struct build *b)
{
	int r = 0;

	for (const struct room *const *room = b->rooms; *room; room++)
		if ((*room)->finish && (*room)->finish(b) < 0)
			r = -EINVAL;
	return r;
}

/* What a kind would say of an object that is half made, or broken, or part of a broken one, may not be so. */
static bool is_whole(const struct build *b, const struct node *n, const struct call *call)
{
	if (call && (call->failed || call->loose))
		return false;
	return !lost_state(b->lost, n->item) &&
	       !(n->parent && (lost_state(b->lost, n->parent->item) & LOST_OWN));
}

static int check_all(struct build *b)
{
	int r = 0;

	for (size_t i = 0; i < b->graph->nodes.n; i++) {
		const struct node *n = b->graph->nodes.at[i];
		const struct call *call = i < b->made_by.n ? b->made_by.at[i] : NULL;

		if (n->kind->check && is_whole(b, n, call) && n->kind->check(n, b->diag) < 0)
			r = -EINVAL;
	}
	return r;
}

int layout_build_rooms(const struct room *const *rooms_, struct arena *a, const struct layout *l,
		       struct diag *d, struct graph **ret)
{
	struct build *b = arena_of(a, struct build);
	unsigned errors = d->errors;
	node_list sorted;
	size_t items = 0;
	bool *declared;
	int r, worst;

	*b = (struct build){ .arena = a,
			     .diag = d,
			     .rooms = rooms_,
			     .graph = graph_new(a),
			     .names = { .arena = a },
			     .laters = { .arena = a },
			     .failed = lost_new(a),
			     .lost = l->lost };
	vec_each (const struct layout_section *, s, &l->sections)
		items += s->items.n;
	declared = arena_alloc(a, items);
	worst = declare_all(b, l, declared);
	r = link_all(b, l, declared);
	worst = r < 0 ? r : worst;
	look_up_lost(b);
	r = check_claims(b);
	worst = r < 0 ? r : worst;
	/* What walks the graph below must not meet a cycle. */
	r = graph_sort(b->graph, d, &sorted);
	if (r < 0)
		return r;
	stack_warn(a, l, &sorted, d);
	r = finish_all(b);
	worst = r < 0 ? r : worst;
	r = check_all(b);
	worst = r < 0 ? r : worst;
	r = graph_sort(b->graph, d, &sorted);
	worst = r < 0 ? r : worst;
	if (worst < 0 || l->lost || d->errors > errors)
		return -EINVAL;
	b->graph->nodes = sorted;
	*ret = b->graph;
	return 0;
}
