/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/teardown.h"

#include "base/arena.h"
#include "machine/machine.h"
#include "plan/loss.h"
#include "plan/steps.h"
#include "tech/kind.h"

static bool is_lost(const struct losses *l, const char *kernel_name)
{
	const struct node *n = NULL;

	if (kernel_name)
		n = map_get(&l->ends, kernel_name);
	if (kernel_name && !n)
		n = map_get(&l->clear, kernel_name);
	return n && n->block;
}

static const struct node *node_of(const struct losses *l, const char *kernel_name)
{
	return graph_get(l->all, kernel_name);
}

/* What is mounted last lies on top. */
static void unmount(struct steps *s, const struct losses *l)
{
	for (size_t i = l->machine->mounts.n; i--;) {
		const struct mount_there *m = &l->machine->mounts.at[i];
		const struct blockdev *b = m->dev      ? map_get(&l->machine->by_name, m->dev)
					   : m->source ? machine_dev(l->machine, m->source)
						       : NULL;
		struct step *st;

		if (!b || !is_lost(l, b->name))
			continue;
		st = step_ending(s, node_of(l, b->name), "unmount", m->target, "unmount %s", m->target);
		step_argv(s, st, "umount", "--", m->target, NULL);
	}
	vec_each (const struct swap_there *, swap, &l->machine->swaps) {
		struct step *st;

		if (!is_lost(l, swap->dev))
			continue;
		st = step_ending(s, node_of(l, swap->dev), "swapoff", swap->dev, "stop using %s as swap",
				 swap->path);
		step_argv(s, st, "swapoff", "--", node_of(l, swap->dev)->block->path, NULL);
	}
}

/* The partitions that go with what is on a disk. */
static void expect_partitions_gone(struct steps *s, const struct losses *l, struct step *st,
				   const struct node *disk)
{
	vec_each (struct blockdev *const *, b, &l->machine->devs)
		if (text_eq((*b)->parent, disk->block->name))
			step_ends(s, st, (*b)->path);
}

static void wipe(struct steps *s, const struct losses *l, const struct node *n)
{
	const struct blockdev *b = n->block;
	struct step *st;

	if (!b || !b->signatures.n)
		return;
	st = step_ending(s, n, "wipe", b->name, "wipe what is on %s", b->path);
	st->op.form = OP_WIPE;
	st->op.dev = b->path;
	expect_partitions_gone(s, l, st, n);
	step_loses(s, st, loss_item(l, steps_arena(s), n));
}

/* A mapping of a kind that no room knows, such as an open LUKS device. */
static void remove_mapping(struct steps *s, const struct losses *l, const struct node *n)
{
	const struct blockdev *b = n->block;
	struct step *st = step_ending(s, n, "close", b->dm_name ? b->dm_name : b->name, "close %s (%s)",
				      b->path, b->dm_target ? b->dm_target : "a mapping");

	step_argv(s, st, "dmsetup", "remove", "--", b->dm_name ? b->dm_name : b->path, NULL);
	step_ends(s, st, b->path);
	step_loses(s, st, loss_item(l, steps_arena(s), n));
}

static void end(struct steps *s, const struct losses *l, const struct node *n)
{
	/* The parts of a container that goes as a whole go with it. */
	bool with_parent = n->parent && map_get(&l->ends, n->parent->name);
	size_t before = steps_count(s);

	wipe(s, l, n);
	if (n->kind->retire && !with_parent) {
		(void)n->kind->retire(s, n);
		/* What the room's own step ends is said there, where it wasn't said by a wipe of the same. */
		if (steps_count(s) > before)
			step_loses(s, steps_last(s), loss_item(l, steps_arena(s), n));
	} else if (n->block && !n->kind->retire && text_eq(n->block->type, "dm")) {
		remove_mapping(s, l, n);
	}
}

void plan_teardown(struct steps *s, const struct losses *l)
{
	unmount(s, l);
	/* Sorted: each behind all that it stands on. */
	for (size_t i = l->all->nodes.n; i--;) {
		const struct node *n = l->all->nodes.at[i];

		if (map_get(&l->ends, n->name))
			end(s, l, n);
		else if (map_get(&l->clear, n->name))
			wipe(s, l, n);
	}
	steps_ended(s);
}
