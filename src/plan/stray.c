/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "machine/machine.h"
#include "plan/match.h"
#include "plan/plan.h"

enum { MOST_NOTES = 24 };

/* Disks whose table may be lost: what lies on them without one. */

static bool is_gpt(const struct signature *s)
{
	return text_eq(s->usage, "table") && text_eq(s->type, "gpt");
}

const char *plan_stray_text(struct arena *a, const struct signature *sig)
{
	struct text t = { .arena = a };

	text_add(&t, sig->type);
	if (sig->version && is_gpt(sig))
		text_printf(&t, " %s", sig->version);
	if (sig->label)
		text_printf(&t, " '%s'", sig->label);
	if (sig->uuid)
		text_printf(&t, " %s", sig->uuid);
	text_printf(&t, " at %s", units_exact(a, sig->offset));
	if (sig->size)
		text_printf(&t, ", %s long", units_text(a, sig->size));
	return text_str(&t);
}

void plan_note_strays(const struct settle *s, const struct blockdev *b)
{
	const struct signature *table = NULL;
	size_t said = 0;

	vec_each (const struct signature *, sig, &b->strays)
		if (said++ < MOST_NOTES)
			diag_note(s->diag, nowhere, "%s", plan_stray_text(s->arena, sig));
	if (said > MOST_NOTES)
		diag_note(s->diag, nowhere, "and %zu more", said - MOST_NOTES);
	vec_each (const struct signature *, sig, &b->signatures)
		table = is_gpt(sig) ? sig : table;
	vec_each (const struct signature *, sig, &b->strays)
		table = is_gpt(sig) ? sig : table;
	if (table && table->version)
		diag_note(s->diag, nowhere,
			  "its GPT is %s: attached so that it has those again, the disk shows its partitions",
			  table->version);
	else if (table)
		diag_note(s->diag, nowhere,
			  "a copy of its GPT is left: 'gdisk %s' can bring the table back from it", b->path);
	else
		diag_note(s->diag, nowhere,
			  "a table with partitions that begin at these places brings it back ('testdisk %s' "
			  "looks for more)",
			  b->path);
}

/* "/dev/vda" and "/dev/vda4", "/dev/nvme0n1" and "/dev/nvme0n1p4". */
static bool is_partition_of(const char *path, const char *disk)
{
	size_t n = strlen(disk);
	const char *rest = path + n;

	if (!n || strncmp(path, disk, n) != 0)
		return false;
	if (strchr("0123456789", disk[n - 1]) && *rest++ != 'p')
		return false;
	return *rest && strspn(rest, "0123456789") == strlen(rest);
}

extent_list plan_places(const struct plan *p, struct arena *a, const char *disk)
{
	extent_list r = { 0 };
	bool any = false;

	vec_each (struct step *const *, st, &p->steps)
		any |= (*st)->op.form == OP_TABLE && text_eq((*st)->op.dev, disk);
	if (!any)
		return r;
	vec_each (struct step *const *, st, &p->steps) {
		vec_each (const struct op_expect *, e, &(*st)->op.expect)
			if (e->start && is_partition_of(e->dev, disk))
				vec_push(a, &r, (struct extent){ .start = e->start, .size = e->size });
		vec_each (const struct op_expect *, e, &(*st)->gives)
			if (e->start && is_partition_of(e->dev, disk))
				vec_push(a, &r, (struct extent){ .start = e->start, .size = e->size });
	}
	return r;
}
