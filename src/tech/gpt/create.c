/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>

#include "base/arena.h"
#include "plan/step.h"
#include "tech/gpt/gpt.h"

/* One line of an sfdisk script. Sectors without a suffix: then sfdisk and libfdisk keep them to the sector, or refuse. */
static void add_line(struct text *t, const struct table *table, const struct partition *p, uint64_t sector)
{
	text_printf(t, "%u : start=%" PRIu64 ", size=%" PRIu64 ", type=%s", p->number, p->start / sector,
		    p->node.size / sector, p->type);
	if (table->gpt)
		text_printf(t, ", uuid=%s, name=\"%s\"", p->uuid, p->short_name);
	if (p->attributes && table->gpt)
		text_printf(t, ", attrs=\"%s\"", p->attributes);
	else if (p->attributes)
		text_add(t, ", bootable");
	text_addc(t, '\n');
}

static const char *script(struct arena *a, const struct table *table)
{
	struct text t = { .arena = a };
	uint64_t sector = table->node.geo.logical;

	text_printf(&t, "label: %s\nlabel-id: %s%s\nunit: sectors\nsector-size: %" PRIu64 "\n\n",
		    table->label, table->gpt ? "" : "0x", table->id, sector);
	vec_each (struct node *const *, n, &table->parts)
		add_line(&t, table, partition_of(*n), sector);
	return text_str(&t);
}

/* Tables on disks are waited for together; those that lie on something which stands on a table need a wait of their own. */
static unsigned depth(const struct node *n)
{
	unsigned deep = 0;

	while (n->below.n) {
		n = n->below.at[0].to;
		deep += n->kind == &kind_table;
	}
	return deep;
}

int gpt_table_create(struct steps *s, const struct node *want)
{
	const struct table *t = table_of(want);
	const struct node *disk = want->below.at[0].to;
	unsigned deep = depth(want);
	struct step *st = step_new(s, want, "write", "write a %s with %zu partition%s to %s",
				   t->gpt ? "GPT" : "MBR", t->parts.n, t->parts.n == 1 ? "" : "s",
				   disk->name);

	st->why = arena_printf(steps_arena(s), "%s holds nothing", disk->dev);
	st->op.form = OP_TABLE;
	st->op.dev = disk->dev;
	st->op.script = script(steps_arena(s), t);
	vec_each (struct node *const *, n, &t->parts)
		step_gives(s, st, (*n)->dev, partition_of(*n)->start, (*n)->size);
	steps_settle_after(
		s, st, deep ? arena_printf(steps_arena(s), "partitions, level %u", deep + 1) : "partitions");
	return 0;
}
