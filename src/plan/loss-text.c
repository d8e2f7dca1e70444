/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/arena.h"
#include "base/units.h"
#include "machine/machine.h"
#include "plan/loss.h"
#include "plan/match.h"
#include "tech/kind.h"

const char *loss_what(struct arena *a, const struct machine *m, const struct blockdev *b)
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
	if (b->strays.n)
		text_printf(&t, "%sno table, but %zu thing%s that would lie in partitions", t.len ? ", " : "",
			    b->strays.n, b->strays.n == 1 ? "" : "s");
	if (b->error)
		text_printf(&t, "%scould not be read (%s)", t.len ? ", " : "", b->error);
	return text_str(&t);
}

/* As people know it: a volume by its name rather than by its number. */
static const char *called(struct arena *a, const struct blockdev *b)
{
	return b->dm_name ? arena_printf(a, "/dev/mapper/%s", b->dm_name) : b->path;
}

/* How much of what is on a device is in use, by its superblock: of a filesystem on several devices, of all of it. */
static const char *in_use(struct arena *a, const struct node *dev)
{
	vec_each (struct node *const *, up, &dev->above) {
		size_t devices = 0;
		bool here = false;

		vec_each (const struct edge *, e, &(*up)->below) {
			devices += e->claim;
			here |= e->claim && e->to == dev;
		}
		if (here && (*up)->used)
			return arena_printf(a, ", %s in use%s", units_text(a, (*up)->used),
					    devices > 1 ? arena_printf(a, " on its %zu devices", devices)
							: "");
	}
	return "";
}

const char *loss_item(const struct losses *l, struct arena *a, const struct node *n)
{
	const char *content = n->block ? loss_what(a, l->machine, n->block) : "";
	const char *describe = n->kind->describe ? n->kind->describe(a, n) : NULL;

	/* Of a disk without a name, or a loop device, there may be nothing to describe. */
	describe = describe ? describe : "";
	if (map_get(&l->leftover, n->name))
		return "";
	/* The signature of what it lies on says it all: a filesystem, a physical volume, a table. */
	if (!n->block && (n->kind->section || (n->below.n == 1 && n->below.at[0].claim)))
		return "";
	if (!n->block)
		return arena_printf(a, "%s%s%s", n->name, *describe ? ": " : "", describe);
	/* A partition with nothing in it goes with its table. */
	if (!*content && (text_eq(n->block->type, "part") || text_eq(n->block->type, "disk")))
		return "";
	return arena_printf(a, "%s (%s): %s%s", called(a, n->block), units_text(a, n->block->size),
			    *content    ? content
			    : *describe ? describe
					: "nothing that is known",
			    in_use(a, n));
}

static const char *also_on(struct arena *a, const node_list *disks, const struct node *but)
{
	struct text t = { .arena = a };

	vec_each (struct node *const *, d, disks)
		if (*d != but && (*d)->block)
			text_printf(&t, "%s%s", t.len ? ", " : "; also on ", (*d)->block->path);
	return text_str(&t);
}

static struct loss_disk *disk_of(loss_list *list, struct arena *a, const struct node *disk,
				 const struct graph *want)
{
	const struct node *wanted = loss_wanted(want, disk);
	struct loss_disk new = { .disk = disk, .name = disk->block->path };

	vec_each (struct loss_disk *, it, list)
		if (it->disk == disk)
			return it;
	if (wanted)
		new.name = wanted->name;
	vec_push(a, list, new);
	return &list->at[list->n - 1];
}

loss_list loss_list_disks(const struct losses *l, struct arena *a, const struct graph *want)
{
	loss_list list = { 0 };

	/* In the order in which they are found: disks first, then what stands on them. */
	vec_each (struct node *const *, n, &l->all->nodes) {
		node_list disks;
		const char *text;

		if (!map_get(&l->ends, (*n)->name) && !map_get(&l->clear, (*n)->name))
			continue;
		if (map_get(&l->leftover, (*n)->name))
			continue;
		disks = node_disks(a, *n);
		text = loss_item(l, a, *n);
		vec_each (struct node *const *, d, &disks) {
			struct loss_disk *on;

			if (!(*d)->block)
				continue;
			on = disk_of(&list, a, *d, want);
			if (*text)
				vec_push(a, &on->items,
					 arena_printf(a, "%s%s", text, also_on(a, &disks, *d)));
			for (size_t i = 0; *d == *n && i < (*d)->block->strays.n; i++)
				vec_push(a, &on->items, plan_stray_text(a, &(*d)->block->strays.at[i]));
		}
	}
	return list;
}
