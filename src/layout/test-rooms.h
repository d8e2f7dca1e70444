/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "layout/build.h"
#include "layout/layout.h"
#include "layout/words.h"

/*
 * A small language for the tests of this folder, with every form of key and every way to make names: so they hold whatever the real
 * rooms say.
 */

struct t_disk_item {
	struct item item;
	text_list path;
	struct t_stripe {
		struct item item;
		uint64_t unit;
		int64_t width;
	} stripe;
};

struct t_part_item {
	struct item item;
	const char *name;
	struct size_want size;
	struct uuid uuid;
};

struct t_table_item {
	struct item item;
	struct names disks;
	struct items partitions;
};

struct t_array_item {
	struct item item;
	const char *level;
	struct names devices;
	uint64_t chunk, su;
	int64_t sw;
	bool bitmap;
	const char *stripe_cache;
};

struct t_volume_item {
	struct item item;
	struct size_want size;
	struct names each;
};

struct t_group_item {
	struct item item;
	struct names devices;
	struct items volumes;
};

struct t_fs_item {
	struct item item;
	const char *type;
	struct names devices;
	const char *label, *mount;
	int64_t pass;
};

struct t_btrfs_item {
	struct t_fs_item fs;
	const char *profile;
};

static const struct key t_stripe_keys[] = {
	KEY(BYTES, struct t_stripe, unit, .need = true, .doc = "One unit."),
	KEY(INT, struct t_stripe, width, .need = true, .min = 1, .max = 64, .doc = "Data disks."),
	{ 0 },
};

static const struct key t_disk_keys[] = {
	KEY(TEXTS, struct t_disk_item, path, .need = true, .doc = "Any path to it.", .example = "/dev/sda"),
	KEY(MAP, struct t_disk_item, stripe, .keys = t_stripe_keys, .doc = "Hardware RAID."),
	{ 0 },
};

static const struct key t_part_keys[] = {
	KEY(TEXT, struct t_part_item, name, .need = true, .doc = "Its name."),
	KEY(SIZE, struct t_part_item, size, .doc = "Its size.", .example = "512M"),
	KEY(UUID, struct t_part_item, uuid, .doc = "Its UUID."),
	{ 0 },
};

static const struct key t_table_keys[] = {
	KEY(NAMES, struct t_table_item, disks, .need = true, .doc = "The same on each."),
	KEY(LIST, struct t_table_item, partitions, .keys = t_part_keys, .size = sizeof(struct t_part_item),
	    .scalar = "name", .doc = "In order."),
	{ 0 },
};

static const struct key t_array_keys[] = {
	KEY(WORD, struct t_array_item, level, .need = true, .one_of = "0 1 10 raid10", .doc = "RAID level."),
	KEY(NAMES, struct t_array_item, devices, .need = true, .also = "missing", .doc = "Members."),
	KEY(BYTES, struct t_array_item, chunk, .doc = "Chunk."),
	KEY(BYTES, struct t_array_item, su, .with = "sw", .unless = "chunk", .doc = "Stripe unit."),
	KEY(INT, struct t_array_item, sw, .with = "su", .min = 1, .max = 99, .doc = "Stripe width."),
	KEY(BOOL, struct t_array_item, bitmap, .doc = "Whether it has one_bitmap [or *none*]."),
	KEY(TEXT, struct t_array_item, stripe_cache, .doc = "Cache."),
	{ 0 },
};

static const struct key t_volume_keys[] = {
	KEY(SIZE, struct t_volume_item, size, .need = true, .doc = "Size."),
	KEY(NAMES, struct t_volume_item, each, .doc = "One for each of these."),
	{ 0 },
};

static const struct key t_group_keys[] = {
	KEY(NAMES, struct t_group_item, devices, .need = true, .doc = "Its devices."),
	KEY(NAMED, struct t_group_item, volumes, .keys = t_volume_keys, .size = sizeof(struct t_volume_item),
	    .scalar = "size", .doc = "Its volumes."),
	{ 0 },
};

static const struct key t_fs_keys[] = {
	KEY(WORD, struct t_fs_item, type, .need = true, .doc = "Its type."),
	KEY(NAMES, struct t_fs_item, devices, .need = true, .doc = "Its devices."),
	KEY(TEXT, struct t_fs_item, label, .doc = "Its label."),
	KEY(PATH, struct t_fs_item, mount, .doc = "Where."),
	KEY(INT, struct t_fs_item, pass, .min = 0, .max = 9, .doc = "When it is checked."),
	{ 0 },
};

static const struct key t_btrfs_keys[] = {
	KEY(WORD, struct t_btrfs_item, profile, .one_of = "single raid1", .doc = "For data and metadata."),
	{ 0 },
};

static int t_label_check(const struct node *n, struct diag *d)
{
	const struct t_fs_item *it = (const struct t_fs_item *)n->item;

	if (it->label && strlen(it->label) > 12)
		return diag_error(d, item_pos(n->item, "label"), "the label '%s' is too long", it->label);
	return 0;
}

static const struct kind t_disk = { .name = "disk", .device = true };
static const struct kind t_table = { .name = "table" };
static const struct kind t_part = { .name = "partition", .device = true };
static const struct kind t_array = { .name = "array", .device = true };
static const struct kind t_group = { .name = "volume group" };
static const struct kind t_volume = { .name = "volume", .device = true };
static const struct kind t_btrfs = { .name = "btrfs",
				     .doc = "On several devices.",
				     .section = "filesystems",
				     .item_size = sizeof(struct t_btrfs_item),
				     .keys = t_btrfs_keys,
				     .check = t_label_check };
static const struct kind t_xfs = { .name = "xfs", .section = "filesystems", .check = t_label_check };
static const struct kind t_mount = { .name = "mount" };

static int t_disk_declare(struct build *b, struct item *item)
{
	struct t_disk_item *it = (struct t_disk_item *)item;
	node_list set = { 0 };

	if (it->path.n == 1)
		return build_name(b, item->name, item->pos, build_node(b, &t_disk, item->name, item), false);
	for (size_t i = 0; i < it->path.n; i++) {
		struct node *n = build_node(b, &t_disk, arena_printf(build_arena(b), "%s.%zu", item->name, i),
					    item);

		vec_push(build_arena(b), &set, n);
		(void)build_name(b, n->name, item->pos, n, false);
	}
	return build_alias(b, item->name, item->pos, &set);
}

static int t_table_make(struct build *b, struct item *item)
{
	struct t_table_item *it = (struct t_table_item *)item;
	struct arena *a = build_arena(b);
	struct resolved disks;
	int r = build_resolve(b, &it->disks, NULL, &disks);

	vec_each (struct resolved_node *, disk, &disks.list) {
		struct node *table = build_node(b, &t_table, arena_printf(a, "table of %s", disk->node->name),
						item);

		node_on(build_graph(b), table, disk->node, disk->pos, true);
		for (size_t i = 0; i < it->partitions.n; i++) {
			struct t_part_item *p = (struct t_part_item *)it->partitions.at[i];
			struct node *n = build_node(
				b, &t_part, arena_printf(a, "%s.%s", disk->node->name, p->name), &p->item);
			const char *dot = strchr(disk->node->name, '.');

			node_in(build_graph(b), n, table, p->item.pos);
			if (build_name(b, n->name, p->item.pos, n, false) < 0 ||
			    build_name(b, p->name, p->item.pos, n, true) < 0)
				r = -1;
			if (dot && build_name(b,
					      arena_printf(a, "%.*s.%s", (int)(dot - disk->node->name),
							   disk->node->name, p->name),
					      p->item.pos, n, true) < 0)
				r = -1;
		}
	}
	return r;
}

static int t_table_declare(struct build *b, struct item *item)
{
	struct t_table_item *it = (struct t_table_item *)item;

	if (graph_get(build_graph(b), it->disks.at[0].name) || strcmp(it->disks.at[0].name, "data") == 0)
		return t_table_make(b, item);
	for (size_t i = 0; i < it->partitions.n; i++)
		(void)build_later(b, ((struct t_part_item *)it->partitions.at[i])->name, item->pos,
				  t_table_make, item);
	return 0;
}

static int t_array_declare(struct build *b, struct item *item)
{
	return build_name(b, item->name, item->pos, build_node(b, &t_array, item->name, item), false);
}

static int t_array_link(struct build *b, struct item *item)
{
	struct resolved on;
	int r = build_resolve(b, &((struct t_array_item *)item)->devices, "missing", &on);

	vec_each (struct resolved_node *, d, &on.list)
		if (d->node)
			node_on(build_graph(b), graph_get(build_graph(b), item->name), d->node, d->pos, true);
	return r;
}

static int t_group_make(struct build *b, struct item *item)
{
	struct t_group_item *it = (struct t_group_item *)item;
	struct arena *a = build_arena(b);
	struct node *vg = graph_get(build_graph(b), item->name);
	struct resolved on;
	int r = build_resolve(b, &it->devices, NULL, &on);

	vec_each (struct resolved_node *, d, &on.list)
		node_on(build_graph(b), vg, d->node, d->pos, true);
	for (size_t i = 0; i < it->volumes.n; i++) {
		struct t_volume_item *v = (struct t_volume_item *)it->volumes.at[i];
		const char *name = arena_printf(a, "%s/%s", item->name, v->item.name);
		struct resolved each = { 0 };
		node_list made = { 0 };

		if (!v->each.n) {
			struct node *n = build_node(b, &t_volume, name, &v->item);

			node_in(build_graph(b), n, vg, v->item.pos);
			if (build_name(b, name, v->item.pos, n, false) < 0)
				r = -1;
			continue;
		}
		if (build_resolve(b, &v->each, NULL, &each) < 0)
			r = -1;
		for (size_t k = 0; k < each.list.n; k++) {
			struct node *n = build_node(b, &t_volume, arena_printf(a, "%s_%zu", name, k),
						    &v->item);

			node_in(build_graph(b), n, vg, v->item.pos);
			vec_push(a, &made, n);
			if (build_name(b, n->name, v->item.pos, n, false) < 0)
				r = -1;
		}
		if (build_alias(b, name, v->item.pos, &made) < 0)
			r = -1;
	}
	return r;
}

static int t_group_declare(struct build *b, struct item *item)
{
	int r = build_name(b, item->name, item->pos, build_node(b, &t_group, item->name, item), false);

	return r < 0 ? r : build_later(b, item->name, item->pos, t_group_make, item);
}

static int t_fs_link(struct build *b, struct item *item)
{
	struct t_fs_item *it = (struct t_fs_item *)item;
	struct resolved on;
	int r = build_resolve(b, &it->devices, NULL, &on);
	struct node *n;

	if (!on.list.n)
		return r;
	n = build_node(b, strcmp(it->type, "xfs") == 0 ? &t_xfs : &t_btrfs,
		       it->mount
			       ? it->mount
			       : arena_printf(build_arena(b), "%s on %s", it->type, on.list.at[0].node->name),
		       item);
	vec_each (struct resolved_node *, d, &on.list)
		node_on(build_graph(b), n, d->node, d->pos, true);
	return r;
}

static int t_finish(struct build *b)
{
	size_t n = build_graph(b)->nodes.n;

	for (size_t i = 0; i < n; i++) {
		struct node *fs = build_graph(b)->nodes.at[i];

		if (fs->name[0] == '/')
			node_on(build_graph(b),
				build_node(b, &t_mount, arena_printf(build_arena(b), "mount %s", fs->name),
					   NULL),
				fs, fs->pos, false);
	}
	return 0;
}

static const struct section t_storage[] = {
	{ .name = "disks",
	  .form = SECTION_NAMED,
	  .keys = t_disk_keys,
	  .item_size = sizeof(struct t_disk_item),
	  .scalar = "path",
	  .doc = "The disks.",
	  .declare = t_disk_declare },
	{ .name = "tables",
	  .form = SECTION_LIST,
	  .keys = t_table_keys,
	  .item_size = sizeof(struct t_table_item),
	  .doc = "Their tables.",
	  .declare = t_table_declare },
	{ .name = "arrays",
	  .form = SECTION_NAMED,
	  .keys = t_array_keys,
	  .item_size = sizeof(struct t_array_item),
	  .doc = "Arrays.",
	  .declare = t_array_declare,
	  .link = t_array_link },
	{ .name = "volume-groups",
	  .form = SECTION_NAMED,
	  .keys = t_group_keys,
	  .item_size = sizeof(struct t_group_item),
	  .doc = "Groups.",
	  .declare = t_group_declare },
	{ 0 },
};

static const struct section t_fs_sections[] = {
	{ .name = "filesystems",
	  .form = SECTION_TYPED,
	  .keys = t_fs_keys,
	  .item_size = sizeof(struct t_fs_item),
	  .doc = "Filesystems.",
	  .link = t_fs_link },
	{ 0 },
};

static const struct room t_storage_room = { .name = "storage",
					    .doc = "What lies below.",
					    .sections = t_storage };
static const struct room t_btrfs_room = { .name = "btrfs",
					  .kinds = (const struct kind *const[]){ &t_btrfs, NULL } };
static const struct room t_fs_room = { .name = "filesystem",
				       .sections = t_fs_sections,
				       .kinds = (const struct kind *const[]){ &t_xfs, &t_mount, NULL },
				       .finish = t_finish };
static const struct room *const t_rooms[] = { &t_storage_room, &t_btrfs_room, &t_fs_room, NULL };

/* All messages, a line for each: "LINE:COL: TEXT". */
static inline const char *t_messages(const struct diag *d)
{
	struct text t = { .arena = d->arena };

	vec_each (const struct diag_message *, m, &d->messages)
		text_printf(&t, "%u:%u: %s%s\n", m->pos.line, m->pos.col,
			    m->severity == DIAG_NOTE ? "note: " : "", m->text);
	return text_str(&t);
}

#define T_HEAD "stowage: 1\nname: t\n"

static inline int t_parse(struct arena *a, const char *text, struct diag *d, struct layout **ret)
{
	return layout_parse_rooms(t_rooms, a, "t.yaml", text, strlen(text), d, ret);
}

static inline int t_build(struct arena *a, const char *text, struct diag *d, struct graph **ret)
{
	struct layout *l = NULL;
	int r = t_parse(a, text, d, &l), e;

	if (!l)
		return r;
	e = layout_build_rooms(t_rooms, a, l, d, ret);
	return r < 0 ? r : e;
}
