/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tech/disk/disk.h"

#include <errno.h>

#include "base/arena.h"
#include "layout/build.h"
#include "machine/have.h"
#include "machine/machine.h"
#include "plan/settle.h"

static const struct key stripe_keys[] = {
	KEY(BYTES, struct stripe_item, unit, .need = true,
	    .doc = "What goes to one disk before the next one has its turn (chunk, strip).", .example = "1M"),
	KEY(INT, struct stripe_item, width, .need = true, .min = 1, .max = 4096,
	    .doc = "Number of disks that hold data: of 11 disks in a RAID6, 9; of 10 in a RAID10, 5.",
	    .example = "5"),
	{ 0 },
};

static const struct key match_keys[] = {
	KEY(TEXT, struct match_item, path, .doc = "Pattern for one of its paths and links.",
	    .example = "/dev/disk/by-path/*-ata-[1-4]"),
	KEY(TEXT, struct match_item, serial, .doc = "Pattern for its serial number.", .example = "S5H7NS*"),
	KEY(TEXT, struct match_item, wwn, .doc = "Pattern for its World Wide Name.",
	    .example = "0x5000c500*"),
	KEY(TEXT, struct match_item, model, .doc = "Pattern for its model.", .example = "ST4000*"),
	KEY(TEXT, struct match_item, vendor, .doc = "Pattern for its vendor.", .example = "DELL*"),
	KEY(TEXT, struct match_item, size,
	    .doc = "A size, or a comparison with one: '>= 1T', '< 500GB', '1T..2T'.", .example = "'>= 1T'"),
	KEY(WORD, struct match_item, transport,
	    .one_of = "sata sas nvme usb virtio iscsi fc scsi mmc firewire xen",
	    .doc = "By what it is connected; scsi where the kernel knows no more, as behind a RAID card."),
	KEY(BOOL, struct match_item, rotational, .doc = "Whether it has turning platters."),
	KEY(BOOL, struct match_item, blank,
	    .doc = "Whether nothing is on it. What this layout itself has put on a disk doesn't count, so "
		   "that a second run finds the same."),
	{ 0 },
};

#define MATCH_DOC  "Chooses by what a disk is, in place of its path; texts are patterns with *, ? and [...]."
#define STRIPE_DOC "Geometry of a hardware RAID, which the kernel doesn't see."

static const struct key member_keys[] = {
	KEY(PATH, struct member_item, path, .unless = "match", .doc = "Any path to it.",
	    .example = "/dev/disk/by-id/ata-..."),
	KEY(MAP, struct member_item, match, .keys = match_keys, .size = sizeof(struct match_item),
	    .doc = MATCH_DOC),
	KEY(MAP, struct member_item, stripe, .keys = stripe_keys, .size = sizeof(struct stripe_item),
	    .doc = STRIPE_DOC),
	{ 0 },
};

static const struct key disk_keys[] = {
	KEY(LIST, struct disk_item, path, .unless = "match", .scalar = "path", .keys = member_keys,
	    .size = sizeof(struct member_item),
	    .doc = "Any path to the disk; a list makes a set, whose members are called NAME.0, NAME.1 and so "
		   "on.",
	    .example = "/dev/sda"),
	KEY(MAP, struct disk_item, match, .keys = match_keys, .size = sizeof(struct match_item),
	    .doc = MATCH_DOC, .example = "{ transport: nvme, size: '>= 1T' }"),
	KEY(INT, struct disk_item, count, .min = 1, .max = 4096, .with = "match",
	    .doc = "How many disks the selector has to find, exactly; 1 if absent. From 2 on they are a "
		   "set."),
	KEY(MAP, struct disk_item, stripe, .keys = stripe_keys, .size = sizeof(struct stripe_item),
	    .doc = STRIPE_DOC, .example = "{ unit: 1M, width: 5 }"),
	{ 0 },
};

/* One node with its name. @member: NULL: the item's own words. */
static struct disk *add_disk(struct build *b, const struct disk_item *it, const struct member_item *member,
			     const char *name)
{
	struct disk *disk = as_disk(build_node(b, &kind_disk, name, &it->item));

	disk->count = 1;
	disk->path = member ? member->path : NULL;
	disk->pos = member ? item_pos(&member->item, "path") : item_pos(&it->item, "match");
	if (member && member->match.item.src)
		disk->match = &member->match;
	else if (!member)
		disk->match = &it->match;
	if (disk->match)
		disk->pos = disk->match->item.pos;
	if (member && member->stripe.item.src)
		disk->stripe = &member->stripe;
	else if (it->stripe.item.src)
		disk->stripe = &it->stripe;
	return disk;
}

static bool is_set(const struct disk_item *it)
{
	const struct yaml *path = yaml_get(it->item.src, "path");

	return it->count > 1 || (path && path->form == YAML_LIST);
}

static int declare(struct build *b, struct item *item)
{
	const struct disk_item *it = (const struct disk_item *)item;
	struct arena *a = build_arena(b);
	size_t n = it->match.item.src ? (it->count ? (size_t)it->count : 1) : it->path.n;
	node_list members = { 0 };
	int r = 0;

	if (!n)
		return diag_error(build_diag(b), item_pos(item, "path"),
				  "'%s' names no disk: state its 'path', or a selector, 'match'", item->name);
	if (!is_set(it)) {
		struct disk *one = add_disk(
			b, it, it->path.n ? (const struct member_item *)it->path.at[0] : NULL, item->name);

		return build_name(b, item->name, item->pos, &one->node, false);
	}
	for (size_t i = 0; i < n; i++) {
		const struct member_item *member = it->path.n ? (const struct member_item *)it->path.at[i]
							      : NULL;
		struct disk *disk = add_disk(b, it, member, arena_printf(a, "%s.%zu", item->name, i));

		if (!member) {
			disk->index = i;
			disk->count = n;
		}
		if (build_name(b, disk->node.name, member ? member->item.pos : item->pos, &disk->node,
			       false) < 0)
			r = -EINVAL;
		vec_push(a, &members, &disk->node);
	}
	return build_alias(b, item->name, item->pos, &members) < 0 ? -EINVAL : r;
}

static int check_selector(const struct node *want, const struct match_item *match, struct diag *d)
{
	const struct item *it = &match->item;
	struct size_span span;
	const char *why;

	if (!it->src->items.n)
		return diag_error(d, it->pos, "the selector of '%s' is empty: it would take any disk",
				  want->name);
	if (match->size && disk_parse_size(d->arena, match->size, &span, &why) < 0)
		return diag_error(d, item_pos(it, "size"), "'size': %s", why);
	return 0;
}

static int check(const struct node *want, struct diag *d)
{
	const struct disk *disk = disk_of(want);
	int r = 0;

	if (disk->index) /* the first of those that share one selector has said it */
		return 0;
	if (!disk->path && !disk->match)
		r = diag_error(d, disk->pos, "'%s' needs a 'path', or a selector, 'match'", want->name);
	if (disk->match && check_selector(want, disk->match, d) < 0)
		r = -EINVAL;
	if (disk->stripe && disk->stripe->unit % SECTOR)
		r = diag_error(d, item_pos(&disk->stripe->item, "unit"),
			       "a stripe unit of %s is no multiple of a sector, 512 bytes",
			       units_exact(d->arena, disk->stripe->unit));
	return r;
}

static bool is_disk(const struct blockdev *dev)
{
	return text_eq(dev->type, "disk") || text_eq(dev->type, "loop") || text_eq(dev->type, "other");
}

static int find(const struct machine *m, struct graph *have, struct diag *d)
{
	(void)d;
	vec_each (struct blockdev *const *, dev, &m->devs) {
		struct node *n;

		if (!is_disk(*dev))
			continue;
		n = have_add(have, &kind_disk, (*dev)->name, *dev);
		n->id = disk_id(have->arena, *dev);
		/* bcache and its like stand on others, and have no room yet. */
		vec_each (const char *const *, slave, &(*dev)->slaves)
			have_on(have, n, *slave, true);
	}
	return 0;
}

static const struct node *match(const struct node *want, const struct settle *s)
{
	const struct disk *disk = disk_of(want);

	/* All at once, at the first question: whether a disk is free for this name depends on all the others. */
	if (!disk->resolved)
		disk_resolve(s);
	return disk->found ? have_dev(s->have, disk->found->name) : NULL;
}

static const char *describe(struct arena *a, const struct node *n)
{
	const struct node *have = n->have ? n->have : n;
	const struct blockdev *b = have->block;
	struct text t = { .arena = a };

	if (!b) {
		const struct disk *disk = disk_of(n);

		return disk->path ? disk->path : "chosen by a selector";
	}
	if (b->model)
		text_add(&t, b->model);
	if (b->serial)
		text_printf(&t, "%sserial %s", t.len ? ", " : "", b->serial);
	if (b->geo.logical != SECTOR)
		text_printf(&t, "%ssectors of %u bytes", t.len ? ", " : "", b->geo.logical);
	return t.len ? text_str(&t) : NULL;
}

const struct kind kind_disk = {
	.name = "disk",
	.doc = "A whole disk, or what the kernel shows as one.",
	.size = sizeof(struct disk),
	.device = true,
	.check = check,
	.find = find,
	.match = match,
	.settle = disk_settle,
	.describe = describe,
};

static const struct section sections[] = {
	{
		.name = "disks",
		.form = SECTION_NAMED,
		.keys = disk_keys,
		.item_size = sizeof(struct disk_item),
		.scalar = "path",
		.doc = "The disks that the layout is about, each by a path or a selector. A name is one disk "
		       "or a set.",
		.declare = declare,
	},
	{ 0 },
};

static const struct kind *const kinds[] = { &kind_disk, NULL };

extern const struct room room_disk;
const struct room room_disk = {
	.name = "disk",
	.doc = "Whole disks: by path, or chosen by size, model, serial number and the like.",
	.sections = sections,
	.kinds = kinds,
};
