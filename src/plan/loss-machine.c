/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/arena.h"
#include "machine/machine.h"
#include "plan/loss.h"
#include "tech/kind.h"

/* A copy of the machine without what is given up: what the plan stands on. */

static bool is_named(const struct map *nodes, const char *kernel_name)
{
	const struct node *n = kernel_name ? map_get(nodes, kernel_name) : NULL;

	return n && n->block;
}

static text_list without(const struct losses *l, const text_list *names)
{
	text_list kept = { 0 };

	vec_each (const char *const *, name, names)
		if (!is_named(&l->ends, *name))
			vec_push(l->arena, &kept, *name);
	return kept;
}

static struct blockdev *device(const struct losses *l, const struct blockdev *b)
{
	struct blockdev *copy = arena_of(l->arena, struct blockdev);

	*copy = *b;
	copy->holders = without(l, &b->holders);
	if (is_named(&l->clear, b->name)) {
		copy->signatures.at = NULL;
		copy->signatures.n = copy->signatures.room = 0;
		copy->strays.at = NULL;
		copy->strays.n = copy->strays.room = 0;
		copy->error = NULL;
	}
	return copy;
}

struct machine *loss_machine(const struct losses *l)
{
	const struct machine *m = l->machine;
	struct machine *copy = arena_of(l->arena, struct machine);

	*copy = *m;
	copy->devs.at = NULL;
	copy->devs.n = copy->devs.room = 0;
	copy->by_name = (struct map){ .arena = l->arena };
	copy->by_link = (struct map){ .arena = l->arena };
	vec_each (struct blockdev *const *, b, &m->devs) {
		struct blockdev *dev;

		if (is_named(&l->ends, (*b)->name))
			continue;
		dev = device(l, *b);
		vec_push(l->arena, &copy->devs, dev);
		(void)map_set(&copy->by_name, dev->name, dev);
	}
	map_each (it, &m->by_link) {
		const struct blockdev *old = it->value;
		struct blockdev *dev = map_get(&copy->by_name, old->name);

		if (dev)
			(void)map_set(&copy->by_link, it->key, dev);
	}
	copy->mounts.at = NULL;
	copy->mounts.n = copy->mounts.room = 0;
	vec_each (const struct mount_there *, mount, &m->mounts) {
		const struct blockdev *b = mount->dev      ? map_get(&m->by_name, mount->dev)
					   : mount->source ? machine_dev(m, mount->source)
							   : NULL;

		if (!b || (!is_named(&l->ends, b->name) && !is_named(&l->clear, b->name)))
			vec_push(l->arena, &copy->mounts, *mount);
	}
	copy->swaps.at = NULL;
	copy->swaps.n = copy->swaps.room = 0;
	vec_each (const struct swap_there *, swap, &m->swaps)
		if (!is_named(&l->ends, swap->dev) && !is_named(&l->clear, swap->dev))
			vec_push(l->arena, &copy->swaps, *swap);
	return copy;
}

static void drop_above(const struct losses *l, struct node *n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n->above.n; i++)
		if (!map_get(&l->ends, n->above.at[i]->name))
			n->above.at[kept++] = n->above.at[i];
	n->above.n = kept;
}

void loss_graph(const struct losses *l, struct graph *have, const struct machine *m)
{
	size_t kept = 0;

	for (size_t i = 0; i < have->nodes.n; i++) {
		struct node *n = have->nodes.at[i];

		if (!map_get(&l->ends, n->name)) {
			have->nodes.at[kept++] = n;
			drop_above(l, n);
			if (n->block)
				n->block = map_get(&m->by_name, n->block->name);
			continue;
		}
		if (n->parent && !map_get(&l->ends, n->parent->name) && n->parent->kind->lose_part)
			n->parent->kind->lose_part(n->parent, n);
	}
	have->nodes.n = kept;
	have->by_name = (struct map){ .arena = have->arena };
	vec_each (struct node **, n, &have->nodes)
		(void)map_set(&have->by_name, (*n)->name, *n);
}
