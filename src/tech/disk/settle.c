/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "base/arena.h"
#include "machine/machine.h"
#include "plan/settle.h"
#include "tech/disk/disk.h"

/*
 * Some disks, and the bridges in front of them, report as optimal the most that they can take in one request, such as 65535 sectors.
 * Who aligned to that would start partitions off every real boundary. A full stripe is a multiple of its unit; and where no unit is
 * stated, a multiple of some sensible power of two.
 */
static bool is_absurd(const struct geometry *g)
{
	uint64_t power = g->opt_io & (~g->opt_io + 1);

	if (g->opt_io % g->logical || g->opt_io % g->physical || (g->min_io && g->opt_io % g->min_io))
		return true;
	return g->min_io <= g->physical && power != g->opt_io && power < 8 * KIB;
}

static void settle_kernel_geometry(struct disk *disk, struct settle *s)
{
	struct geometry *g = &disk->node.geo;

	g->offset = 0;
	if (g->opt_io && is_absurd(g)) {
		diag_warn(s->diag, disk->pos,
			  "%s reports an optimal I/O size of %s with a minimum of %s, which is no stripe of "
			  "anything; it is ignored",
			  disk->node.dev, units_exact(s->arena, g->opt_io), units_text(s->arena, g->min_io));
		g->opt_io = 0;
	}
	if (g->opt_io <= g->physical)
		g->opt_io = 0;
	if (!g->opt_io && g->min_io % g->physical)
		g->min_io = g->physical;
}

static int settle_stripe(struct disk *disk, struct settle *s)
{
	const struct stripe_item *st = disk->stripe;
	struct geometry *g = &disk->node.geo;
	uint64_t width = (uint64_t)st->width;

	if (st->unit > UINT32_MAX || st->unit * width > UINT32_MAX)
		return diag_error(s->diag, item_pos(&st->item, "unit"),
				  "a stripe of %llu times %s is more than a stripe can be, 4 GiB",
				  (unsigned long long)width, units_text(s->arena, st->unit));
	if (st->unit % g->logical)
		return diag_error(s->diag, item_pos(&st->item, "unit"),
				  "a stripe unit of %s is no multiple of the sectors of %s, %u bytes",
				  units_exact(s->arena, st->unit), disk->node.dev, g->logical);
	if (g->opt_io && (g->opt_io != st->unit * width || g->min_io != st->unit))
		diag_warn(s->diag, item_pos(&st->item, "unit"),
			  "%s itself reports a stripe of %s in units of %s; the layout's %s in units of %s "
			  "is taken",
			  disk->node.dev, units_text(s->arena, g->opt_io), units_text(s->arena, g->min_io),
			  units_text(s->arena, st->unit * width), units_text(s->arena, st->unit));
	g->min_io = st->unit;
	g->opt_io = st->unit * width;
	g->declared = true;
	return 0;
}

int disk_settle(struct node *want, struct settle *s)
{
	struct disk *disk = as_disk(want);
	const struct blockdev *dev = disk->found;

	if (!dev || !want->have)
		return -EINVAL; /* match() has said why */
	want->size = dev->size;
	want->geo = dev->geo;
	want->dev = dev->path;
	want->id = disk_id_or_name(s->arena, dev, want->name);
	if (!disk_id(s->arena, dev))
		diag_warn(s->diag, disk->pos,
			  "%s has neither a WWN nor a serial number: the UUIDs on it come from the layout "
			  "alone, and a clone of it would share them",
			  dev->path);
	settle_kernel_geometry(disk, s);
	return disk->stripe ? settle_stripe(disk, s) : 0;
}
