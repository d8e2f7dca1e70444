/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "layout/stack.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/map.h"
#include "layout/layout.h"
#include "tech/kind.h"

enum { SHOWN_MAX = 12 }; /* names of a stack in a message */

/* Where it goes down from a node to the things of one section. */
struct way {
	const struct edge *next; /* the first that leads to one; NULL: none does */
};

struct stacks {
	struct arena *arena;
	const struct layout *layout;
	VEC(size_t)
	section_of;      /* of each item that is called by a name of its own, by its order: its section + 1 */
	struct map ways; /* struct way for each section, by the node's name */
};

/* Return: the number of the section + 1; 0: the node is no named thing, but follows from one or lies in it. */
static size_t section_of(const struct stacks *s, const struct node *n)
{
	if (!n->item || !n->below.n || !text_eq(n->item->name, n->name) || n->item->order >= s->section_of.n)
		return 0;
	return s->section_of.at[n->item->order];
}

static const struct way *way_from(const struct stacks *s, const struct node *n, size_t section)
{
	const struct way *ways = map_get(&s->ways, n->name);

	return ways ? &ways[section] : NULL;
}

static void tell(const struct stacks *s, const struct node *n, size_t section, const struct edge *first,
		 struct diag *d)
{
	struct text t = { .arena = s->arena };
	const struct edge *e = first;
	size_t shown = 1;

	text_add(&t, n->name);
	while (section_of(s, e->to) != section + 1) {
		if (shown++ < SHOWN_MAX)
			text_printf(&t, " -> %s", e->to->name);
		else if (shown == SHOWN_MAX + 1)
			text_add(&t, " -> ...");
		e = way_from(s, e->to, section)->next;
	}
	text_printf(&t, " -> %s", e->to->name);
	diag_warn(d, first->pos.line ? first->pos : n->pos,
		  "'%s' stands on another %s by way of other things: %s; that can be made, but is it meant?",
		  n->name, n->kind->name, text_str(&t));
}

/* Sections without a name for each thing say where something lies (tables): those may well be on each other. */
static size_t number_items(struct stacks *s)
{
	size_t named = 0;

	for (size_t i = 0; i < s->layout->sections.n; i++) {
		const struct layout_section *section = &s->layout->sections.at[i];

		for (size_t k = 0; section->section->form == SECTION_NAMED && k < section->items.n; k++) {
			while (s->section_of.n <= section->items.at[k]->order)
				vec_push(s->arena, &s->section_of, 0);
			s->section_of.at[section->items.at[k]->order] = i + 1;
			named++;
		}
	}
	return named;
}

void stack_warn(struct arena *a, const struct layout *l, const node_list *sorted, struct diag *d)
{
	struct stacks s = { .arena = a, .layout = l, .ways = { .arena = a } };
	size_t sections = l->sections.n;

	if (number_items(&s) < 2)
		return;
	vec_each (struct node *const *, n, sorted) {
		struct way *ways;
		size_t own = section_of(&s, *n);

		if (!(*n)->below.n)
			continue;
		ways = arena_alloc(a, sections * sizeof(*ways));
		vec_each (const struct edge *, e, &(*n)->below) {
			size_t on = section_of(&s, e->to);

			for (size_t i = 0; i < sections; i++) {
				const struct way *way = on == i + 1 ? NULL : way_from(&s, e->to, i);

				if (ways[i].next || (on != i + 1 && !(way && way->next)))
					continue;
				ways[i].next = e;
			}
		}
		/* One of its own section right below: that one tells what it stands on. */
		for (size_t i = 0; own && i < (*n)->below.n; i++) {
			const struct edge *e = &(*n)->below.at[i];
			const struct way *way = way_from(&s, e->to, own - 1);

			if (section_of(&s, e->to) == own || !way || !way->next)
				continue;
			tell(&s, *n, own - 1, e, d);
			break;
		}
		(void)map_set(&s.ways, (*n)->name, ways);
	}
}
