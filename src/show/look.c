/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/look.h"

#include "base/arena.h"
#include "base/map.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "show/show.h"
#include "tech/kind.h"

bool look_is_disk(const struct node *n)
{
	return n->kind->device && !n->below.n;
}

bool look_is_attached(const struct node *n)
{
	if (n->kind->device || n->dev || n->parent)
		return false;
	vec_each (const struct edge *, e, &n->below)
		if (e->claim)
			return false;
	vec_each (struct node *const *, up, &n->above)
		if ((*up)->parent == n)
			return false;
	return true;
}

bool look_is_beside(const struct node *n)
{
	/* A file that follows from the layout, and is stated nowhere, belongs to no one object even where it names one alone. */
	if (!n->item || !n->below.n || !look_is_attached(n) || look_is_attached(n->below.at[0].to))
		return false;
	for (size_t i = 1; i < n->below.n; i++)
		if (!look_is_attached(n->below.at[i].to))
			return false;
	return true;
}

bool look_is_shown(const struct show_end *end)
{
	return !end->node->kind->device || end->disks.n > 1;
}

const struct node *look_home(const struct node *n)
{
	if (n->parent)
		return n->parent;
	return n->below.n == 1 ? n->below.at[0].to : NULL;
}

const char *look_describe(struct arena *a, const struct node *n)
{
	const char *s = n->kind->describe ? n->kind->describe(a, n) : NULL;

	return s ? s : "";
}

const char *look_verdict(enum verdict v)
{
	switch (v) {
	case VERDICT_NONE:
		return "none";
	case VERDICT_CREATE:
		return "create";
	case VERDICT_KEEP:
		return "keep";
	case VERDICT_LATER:
		return "later";
	case VERDICT_CANNOT:
		return "cannot";
	}
	return "none";
}

bool look_is_stuck(const struct plan *p, const struct show_options *o)
{
	if (o && o->failed)
		return true;
	vec_each (struct node *const *, n, &p->want->nodes) {
		if ((*n)->verdict == VERDICT_CANNOT || (*n)->verdict == VERDICT_NONE)
			return true;
		if ((*n)->verdict == VERDICT_CREATE && !p->steps.n && !look_is_attached(*n))
			return true;
	}
	return false;
}

static void add_given(struct map *given, struct op_expect *e)
{
	const struct op_expect *before = map_get(given, e->dev);

	/* A later step (mkfs) may look for the device alone. */
	if (!before || !before->start)
		map_set(given, e->dev, e);
}

struct map look_given(struct arena *a, const struct plan *p)
{
	struct map given = { .arena = a };

	vec_each (struct step *const *, st, &p->steps) {
		vec_each (struct op_expect *, e, &(*st)->gives)
			add_given(&given, e);
		vec_each (struct op_expect *, e, &(*st)->op.expect)
			add_given(&given, e);
	}
	return given;
}

uint64_t look_start(const struct map *given, const struct node *n)
{
	const struct op_expect *e = n->dev ? map_get(given, n->dev) : NULL;

	/* A filesystem bears the path of what it is on, but begins nowhere. */
	if (!n->kind->device)
		return 0;
	if (e && e->start)
		return e->start;
	return n->have && n->have->block ? n->have->block->start : 0;
}

/* Adds what lies beneath @n and wasn't added before; the disks among it go to @disks. */
static void add_disks(struct arena *a, struct node *n, struct map *seen, node_list *disks)
{
	node_list todo = { 0 };

	vec_push(a, &todo, n);
	while (todo.n) {
		struct node *next = todo.at[--todo.n];

		if (map_set(seen, next->name, next))
			continue;
		if (look_is_disk(next))
			vec_push(a, disks, next);
		vec_each (const struct edge *, e, &next->below)
			vec_push(a, &todo, e->to);
	}
}

node_list look_touched(struct arena *a, const struct plan *p, node_list *ret_blank)
{
	struct map seen = { .arena = a }, claimed = { .arena = a }, is_touched = { .arena = a };
	node_list disks = { 0 }, sorted = { 0 };

	vec_each (struct node *const *, n, &p->want->nodes) {
		/* A file in /etc stands on filesystems that are there, but touches no disk of theirs as a whole. */
		if ((*n)->verdict != VERDICT_CREATE || look_is_attached(*n))
			continue;
		add_disks(a, *n, &seen, &disks);
		vec_each (const struct edge *, e, &(*n)->below)
			if (ret_blank && e->claim && e->to->have && e->to->have->block &&
			    !map_set(&claimed, e->to->name, e->to))
				vec_push(a, ret_blank, e->to);
	}
	vec_each (struct node **, n, &disks)
		map_set(&is_touched, (*n)->name, *n);
	vec_each (struct node *const *, n, &p->want->nodes)
		if (map_get(&is_touched, (*n)->name))
			vec_push(a, &sorted, *n);
	return sorted;
}

const char *look_form(enum op_form form)
{
	switch (form) {
	case OP_ARGV:
		return "argv";
	case OP_LVM:
		return "lvm";
	case OP_TABLE:
		return "table";
	case OP_ZERO:
		return "zero";
	case OP_WIPE:
		return "wipe";
	case OP_SETTLE:
		return "settle";
	case OP_MKDIR:
		return "mkdir";
	case OP_MOUNT:
		return "mount";
	case OP_FILE:
		return "file";
	}
	return "argv";
}
