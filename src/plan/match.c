/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/match.h"

#include "base/arena.h"
#include "base/text.h"
#include "graph/node.h"
#include "machine/have.h"
#include "machine/machine.h"
#include "plan/settle.h"
#include "plan/steps.h"
#include "tech/kind.h"

enum { MOST_NOTES = 16 };

/* One line about what a device holds: "/dev/sda1 (512 MiB): ext4 'boot', mounted on /boot". Empty: nothing. */
static const char *content_of(struct arena *a, const struct machine *m, const struct blockdev *b)
{
	struct text t = { .arena = a };
	text_list mounts = machine_mounts_of(m, a, b);

	vec_each (const struct signature *, sig, &b->signatures) {
		text_printf(&t, "%s%s", t.len ? ", " : "", sig->type);
		if (sig->label)
			text_printf(&t, " '%s'", sig->label);
		if (sig->uuid)
			text_printf(&t, " %s", sig->uuid);
	}
	vec_each (const char *const *, target, &mounts)
		text_printf(&t, "%smounted on %s", t.len ? ", " : "", *target);
	if (machine_is_swap(m, b))
		text_printf(&t, "%sin use as swap", t.len ? ", " : "");
	if (b->error)
		text_printf(&t, "%scould not be read (%s)", t.len ? ", " : "", b->error);
	return text_str(&t);
}

static bool is_blank(const struct settle *s, const struct node *have)
{
	const struct blockdev *b = have->block;

	if (have->above.n)
		return false;
	return !b || (!b->signatures.n && !b->holders.n && !b->error &&
		      !machine_mounts_of(s->machine, s->arena, b).n && !machine_is_swap(s->machine, b));
}

/* All that stands on a device, innermost last, so that a person sees what would go. */
static void note_content(const struct settle *s, const struct node *have)
{
	node_list todo = { 0 };
	struct map seen = { .arena = s->arena };
	size_t said = 0;

	vec_push(s->arena, &todo, (struct node *)have);
	for (size_t i = 0; i < todo.n; i++) {
		const struct node *n = todo.at[i];
		const char *content = n->block ? content_of(s->arena, s->machine, n->block) : "";

		if (n->block && (*content || i)) {
			if (said++ < MOST_NOTES)
				diag_note(s->diag, nowhere, "%s (%s): %s", n->block->path,
					  units_text(s->arena, n->block->size),
					  *content ? content : "nothing known");
		} else if (!n->block && !*content && said++ < MOST_NOTES) {
			diag_note(s->diag, nowhere, "%s%s%s", n->name, n->kind->describe ? ": " : "",
				  n->kind->describe ? n->kind->describe(s->arena, n) : "");
		}
		vec_each (struct node *const *, up, &n->above)
			if (!map_set(&seen, (*up)->name, *up))
				vec_push(s->arena, &todo, *up);
	}
	if (said > MOST_NOTES)
		diag_note(s->diag, nowhere, "and %zu more", said - MOST_NOTES);
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

bool plan_may_create(const struct settle *s, const struct node *n)
{
	bool may = true;

	vec_each (const struct edge *, e, &n->below) {
		const struct node *have = e->to->have, *disk;

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
		else
			diag_refuse(s->diag, e->pos.line ? e->pos : n->pos,
				    "'%s' would be made on '%s', but %s isn't blank", n->name, e->to->name,
				    have->block ? have->block->path : have->name);
		note_content(s, disk ? disk : have);
		diag_note(
			s->diag, nowhere,
			"nothing is overwritten unasked: choose another device, or clear this one yourself");
		may = false;
	}
	return may;
}

void plan_clear_disks(struct steps *s, const struct graph *want)
{
	vec_each (struct node *const *, n, &want->nodes) {
		struct node *disk = *n;
		struct step *st;
		bool used = false;

		if (!disk->kind->device || disk->below.n || disk->verdict != VERDICT_KEEP)
			continue;
		vec_each (struct node *const *, up, &disk->above)
			vec_each (const struct edge *, e, &(*up)->below)
				used |= e->to == disk && e->claim && (*up)->verdict == VERDICT_CREATE;
		if (!used || disk->size < 4 * MIB)
			continue;
		st = step_new(s, disk, "clear",
			      "clear both ends of %s, where old tables and superblocks would lie",
			      disk->name);
		st->why = arena_printf(s->arena, "%s is blank", disk->dev);
		st->op.form = OP_ZERO;
		st->op.dev = disk->dev;
		vec_push(s->arena, &st->op.ranges, (struct op_range){ .start = 0, .size = MIB });
		vec_push(s->arena, &st->op.ranges,
			 (struct op_range){
				 .start = units_align_down(disk->size - MIB,
							   disk->geo.logical ? disk->geo.logical : SECTOR),
				 .size = MIB });
	}
}
