/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/match.h"

#include "base/arena.h"
#include "base/text.h"
#include "graph/node.h"
#include "machine/have.h"
#include "machine/machine.h"
#include "plan/loss.h"
#include "plan/settle.h"
#include "tech/kind.h"

static bool is_blank(const struct settle *s, const struct node *have)
{
	const struct blockdev *b = have->block;

	if (have->above.n)
		return false;
	return !b || (!b->signatures.n && !b->strays.n && !b->holders.n && !b->error &&
		      !machine_mounts_of(s->machine, s->arena, b).n && !machine_is_swap(s->machine, b));
}

/*
 * A disk that is a member of something as a whole, or bears a filesystem, may show a table all the same: the array's or one that was
 * written over it. What is blank on its partitions isn't free then.
 */
static const struct node *shared_disk(const struct settle *s, const struct node *have)
{
	const struct blockdev *b = have->block && have->block->parent
					   ? map_get(&s->machine->by_name, have->block->parent)
					   : NULL;

	if (!b)
		return NULL;
	if (b->holders.n)
		return have_dev(s->have, b->name);
	vec_each (const struct signature *, sig, &b->signatures)
		if (!text_eq(sig->usage, "table"))
			return have_dev(s->have, b->name);
	return NULL;
}

/* A table was wiped while the kernel kept to it: then nothing but the partitions says so. */
static void note_left_partitions(const struct settle *s, const struct blockdev *disk)
{
	struct text names = { .arena = s->arena };

	if (disk->signatures.n)
		return;
	vec_each (struct blockdev *const *, b, &s->machine->devs)
		if (text_eq((*b)->parent, disk->name))
			text_printf(&names, "%s%s", names.len ? ", " : "", (*b)->path);
	if (names.len)
		diag_note(s->diag, nowhere,
			  "the kernel still has partitions there (%s), and the table is gone: 'blockdev "
			  "--rereadpt %s' when nothing uses them makes them agree",
			  text_str(&names), disk->path);
}

bool plan_may_create(const struct settle *s, const struct node *n)
{
	bool may = true;

	vec_each (const struct edge *, e, &n->below) {
		const struct node *have = e->to->have, *disk;
		size_t said = s->diag->messages.n;

		if (!e->claim || !have)
			continue;
		disk = shared_disk(s, have);
		if (is_blank(s, have) && !disk)
			continue;
		if (disk)
			diag_refuse(s->diag, e->pos.line ? e->pos : n->pos,
				    "'%s' would be made on '%s', but %s holds something else than its "
				    "table, too",
				    n->name, e->to->name, disk->dev);
		else if (have->block && machine_looks_lost(s->machine, have->block))
			diag_refuse(s->diag, e->pos.line ? e->pos : n->pos,
				    "'%s' would be made on '%s', but what is on %s looks like a lost table: "
				    "it shows no partitions, yet what a table leads to is there",
				    n->name, e->to->name, have->block->path);
		else
			diag_refuse(s->diag, e->pos.line ? e->pos : n->pos,
				    "'%s' would be made on '%s', but %s isn't blank", n->name, e->to->name,
				    have->block ? have->block->path : have->name);
		if (have->block)
			note_left_partitions(s, have->block);
		if (have->block && machine_looks_lost(s->machine, have->block))
			plan_note_strays(s, have->block);
		(void)loss_content(s, disk ? disk : have, said,
				   arena_printf(s->arena, "'%s' on '%s'", n->name, e->to->name));
		may = false;
	}
	return may;
}
