/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <string.h>

#include "base/arena.h"
#include "plan/settle.h"
#include "tech/gpt/gpt.h"

enum { GPT_ENTRIES = 128, GPT_ENTRY_SIZE = 128 };

/* MBR counts sectors in 32 bits. Source: the UEFI specification, 5.2.1. */
static const uint64_t mbr_sectors = UINT64_C(1) << 32;

uint64_t gpt_grain(uint64_t opt_io)
{
	uint64_t grain;

	if (!opt_io)
		return MIB;
	grain = opt_io >= MIB ? opt_io : units_lcm(opt_io, MIB);
	return grain ? grain : MIB;
}

uint64_t gpt_end(uint64_t size, uint32_t sector)
{
	uint64_t backup = sector + units_align_up((uint64_t)GPT_ENTRIES * GPT_ENTRY_SIZE, sector);

	return size > backup ? size - backup : 0;
}

const char *gpt_part_dev(struct arena *a, const char *disk, unsigned number)
{
	size_t n = strlen(disk);

	return arena_printf(a, "%s%s%u", disk, n && isdigit((unsigned char)disk[n - 1]) ? "p" : "", number);
}

static const struct partition_item *item_of(const struct node *part)
{
	return (const struct partition_item *)part->item;
}

/* The partitions between two stated starts share what lies between. A percentage is of the whole, wherever the part stands. */
static int share_run(struct settle *s, const struct table *t, size_t from, size_t to, uint64_t start,
		     uint64_t end, const char *what)
{
	struct share *shares = arena_alloc(s->arena, (to - from) * sizeof(*shares));
	struct size_want *wants = arena_alloc(s->arena, (to - from) * sizeof(*wants));
	uint64_t whole = units_align_down(t->end - t->first, t->grain), at = start;
	int r;

	for (size_t i = from; i < to; i++) {
		const struct node *n = t->parts.at[i];
		const struct partition_item *it = item_of(n);
		struct share *sh = &shares[i - from];

		wants[i - from] = it->size;
		if (it->size.form == SIZE_PERCENT) {
			uint64_t bytes = units_align_down(units_percent(whole, it->size.ppm), t->grain);

			wants[i - from].form = bytes ? SIZE_BYTES : SIZE_PERCENT;
			wants[i - from].bytes = bytes;
		}
		*sh = (struct share){ .want = &wants[i - from],
				      .pos = item_pos(n->item, "size"),
				      .name = n->name };
	}
	r = share_out(s->arena, end > start ? units_align_down(end - start, t->grain) : 0, t->grain, shares,
		      to - from, what, s->diag);
	for (size_t i = from; i < to; i++) {
		struct partition *p = as_partition(t->parts.at[i]);

		p->ideal_start = at;
		p->ideal_size = shares[i - from].size;
		at += p->ideal_size;
	}
	return r;
}

/* What a run of partitions shares: the disk, or what lies between stated starts. @next: the one that starts behind it, or NULL. */
static const char *run_text(struct settle *s, const struct table *t, const struct node *disk, size_t from,
			    const struct node *next)
{
	const struct node *first = t->parts.at[from];
	bool begins = item_of(first)->start != 0;

	return arena_printf(s->arena, "disk '%s'%s%s%s%s%s%s", disk->name,
			    begins ? " from the start of '" : "", begins ? first->name : "",
			    begins ? "'" : "",
			    next ? (begins ? " up to that of '" : " up to the start of '") : "",
			    next ? next->name : "", next ? "'" : "");
}

static int share_all(struct settle *s, struct table *t, const struct node *disk)
{
	uint64_t start = t->first;
	size_t from = 0;
	int r = 0;

	for (size_t i = 0; i <= t->parts.n; i++) {
		bool last = i == t->parts.n;
		const struct node *n = last ? NULL : t->parts.at[i];
		uint64_t stated = last ? 0 : item_of(n)->start;

		if (!last && !stated)
			continue;
		if (!last && (stated < t->first || stated >= t->end || stated % disk->geo.logical))
			return diag_error(s->diag, item_pos(n->item, "start"),
					  "'%s' can't start at %s: it must be a multiple of %u bytes (a "
					  "sector), from %s to below %s",
					  n->name, units_exact(s->arena, stated), disk->geo.logical,
					  units_exact(s->arena, t->first), units_exact(s->arena, t->end));
		if (!last && stated < start)
			return diag_error(s->diag, item_pos(n->item, "start"),
					  "'%s' would start at %s, before the partitions that stand ahead of "
					  "it in the list",
					  n->name, units_exact(s->arena, stated));
		if (!last && stated % t->grain)
			diag_warn(s->diag, item_pos(n->item, "start"),
				  "'%s' starts at %s, which isn't a multiple of %s", n->name,
				  units_exact(s->arena, stated), units_exact(s->arena, t->grain));
		if (i > from && share_run(s, t, from, i, start, last ? t->end : stated,
					  run_text(s, t, disk, from, n)) < 0)
			r = -1;
		if (!last) {
			start = stated;
			from = i;
		}
	}
	return r;
}

static int check_mbr(struct settle *s, const struct table *t, const struct node *disk)
{
	uint64_t limit = mbr_sectors * disk->geo.logical;

	vec_each (struct node *const *, n, &t->parts) {
		const struct partition *p = partition_of(*n);

		if (p->ideal_start + p->ideal_size > limit)
			return diag_error(
				s->diag, item_pos((*n)->item, "size"),
				"'%s' would end at %s, but an MBR reaches only to %s; use label: gpt",
				(*n)->name, units_exact(s->arena, p->ideal_start + p->ideal_size),
				units_exact(s->arena, limit));
	}
	return 0;
}

const char *gpt_table_id(const struct settle *s, const struct node *want)
{
	const struct table_item *it = (const struct table_item *)want->item;
	struct uuid u = uuid_is_zero(it->uuid) ? settle_uuid(s, want, "") : it->uuid;
	uint32_t id = (uint32_t)u.b[0] << 24 | (uint32_t)u.b[1] << 16 | (uint32_t)u.b[2] << 8 | u.b[3];

	if (table_of(want)->gpt)
		return uuid_text(s->arena, u);
	return arena_printf(s->arena, "%08x", id ? id : 1);
}

/* Whether what doesn't fit has been told of another disk that is as large. */
static bool is_told(const struct table *t)
{
	for (const struct table *e = t->elder; e; e = e->elder)
		if (e->failed && e->first == t->first && e->end == t->end && e->grain == t->grain &&
		    e->node.geo.logical == t->node.geo.logical)
			return true;
	return false;
}

int gpt_table_settle(struct node *want, struct settle *s)
{
	struct table *t = as_table(want);
	struct node *disk = want->below.at[0].to;

	want->size = disk->size;
	want->geo = disk->geo;
	t->grain = gpt_grain(disk->geo.opt_io);
	t->first = t->grain;
	t->end = units_align_down(t->gpt ? gpt_end(disk->size, disk->geo.logical) : disk->size, t->grain);
	if (t->end <= t->first)
		return diag_error(s->diag, want->below.at[0].pos,
				  "'%s' has %s, too small for a partition table and anything in it",
				  disk->name, units_exact(s->arena, disk->size));
	t->id = want->have ? table_of(want->have)->id : gpt_table_id(s, want);
	if (is_told(t))
		return -1;
	if (share_all(s, t, disk) < 0) {
		t->failed = true;
		return -1;
	}
	return t->gpt ? 0 : check_mbr(s, t, disk);
}
