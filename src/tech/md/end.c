/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/units.h"
#include "machine/machine.h"
#include "plan/scrub.h"
#include "plan/step.h"
#include "tech/md/md.h"

int array_retire(struct steps *s, const struct node *have)
{
	struct step *st;

	/* One that isn't assembled is known by its members alone. */
	if (!have->block)
		return 0;
	st = step_ending(s, have, "stop", have->block->name, "stop the array %s", have->block->path);
	step_argv(s, st, "mdadm", "--stop", have->block->path, NULL);
	step_ends(s, st, have->block->path);
	return 0;
}

/* Rows of chunks on each member that hold a range of the array. */
struct rows {
	uint64_t first, last;
};

/* @copies of each chunk lie side by side in @disks columns. */
static struct rows rows_of(uint64_t start, uint64_t size, uint64_t chunk, unsigned columns, unsigned copies)
{
	uint64_t first = start / chunk, last = (start + size - 1) / chunk;

	return (struct rows){ .first = first * copies / columns,
			      .last = (last * copies + copies - 1) / columns };
}

static void scrub_rows(const struct array *r, const struct node *member, struct rows rows, uint64_t at,
		       struct scrub *out)
{
	scrub_range(out, member, r->data_offset + at + rows.first * r->shape.chunk,
		    (rows.last - rows.first + 1) * r->shape.chunk);
}

/* Source: kernel 6.1, raid10.c (__raid10_find_phys): far copies lie in further parts of each member, those of an offset layout in the next rows. */
static void scrub_raid10(const struct array *r, const struct node *member, uint64_t start, uint64_t size,
			 struct scrub *out)
{
	unsigned near = (unsigned)r->shape.layout & 0xff, far = (unsigned)r->shape.layout >> 8 & 0xff;
	bool offset = r->shape.layout >> 16 & 1;
	struct rows rows;

	near = near ? near : 1;
	far = far ? far : 1;
	rows = rows_of(start, size, r->shape.chunk, r->shape.disks, near);
	if (offset) {
		rows.first *= far;
		rows.last = rows.last * far + far - 1;
		scrub_rows(r, member, rows, 0, out);
		return;
	}
	for (unsigned i = 0; i < far; i++)
		scrub_rows(r, member, rows, units_align_down(r->component / far, r->shape.chunk) * i, out);
}

void array_scrub(const struct node *want, uint64_t start, uint64_t size, struct scrub *out)
{
	const struct array *r = array_of(want);
	bool end = start + size >= want->size;

	vec_each (const struct array_place *, p, &r->places) {
		const struct node *member = p->node;
		unsigned parity = r->shape.level == 6                          ? 2
				  : r->shape.level == 4 || r->shape.level == 5 ? 1
									       : 0;

		if (!member)
			continue;
		if (r->shape.level == 1 || !r->shape.chunk)
			scrub_range(out, member, r->data_offset + start, size);
		else if (r->shape.level == 10)
			scrub_raid10(r, member, start, size, out);
		else
			scrub_rows(r, member,
				   rows_of(start, size, r->shape.chunk, r->shape.disks - parity, 1), 0, out);
		/* Members of unequal size: what is left of the larger ones has rows of its own, of which the last lie at their ends. */
		if (r->shape.level == 0 && end && member->size > size + 2 * r->shape.chunk)
			scrub_range(out, member, member->size - size - 2 * r->shape.chunk,
				    size + 2 * r->shape.chunk);
	}
}
