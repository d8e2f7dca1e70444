/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/arena.h"
#include "layout/build.h"
#include "tech/gpt/gpt.h"

/* One partition of one disk, under all its names: "swap", "vda.swap"; the set's name is given once for all its disks. */
static int add_partition(struct build *b, struct node *table, const struct partition_item *it,
			 const char *disk, unsigned number)
{
	const char *name = arena_printf(build_arena(b), "%s.%s", disk, it->name);
	struct node *n = build_node(b, &kind_partition, name, &it->item);
	struct pos pos = item_pos(&it->item, "name");
	int r;

	n->pos = pos;
	as_partition(n)->short_name = it->name;
	as_partition(n)->number = it->number ? (unsigned)it->number : number;
	node_in(build_graph(b), n, table, pos);
	vec_push(build_arena(b), &as_table(table)->parts, n);
	r = build_name(b, name, pos, n, false);
	return r < 0 ? r : build_name(b, it->name, pos, n, true);
}

static int add_table(struct build *b, struct table_item *it, struct node *disk, struct pos pos)
{
	struct arena *a = build_arena(b);
	struct node *n = build_node(b, &kind_table, arena_printf(a, "table of %s", disk->name), &it->item);
	int r = 0;

	as_table(n)->elder = it->last;
	it->last = as_table(n);
	it->made++;
	as_table(n)->gpt = !text_eq(it->label, "mbr");
	as_table(n)->label = as_table(n)->gpt ? "gpt" : "dos";
	node_on(build_graph(b), n, disk, pos, true);
	for (size_t i = 0; i < it->partitions.n; i++) {
		int one = add_partition(b, n, (const struct partition_item *)it->partitions.at[i], disk->name,
					(unsigned)i + 1);

		r = r < 0 ? r : one;
	}
	return r;
}

/* "data.swap" stands for the partitions of all disks of the set, in their order. */
static int name_sets(struct build *b, const struct table_item *it)
{
	struct arena *a = build_arena(b);
	int r = 0;

	for (size_t d = 0; d < it->disks.n; d++) {
		struct names one = { .at = &it->disks.at[d], .n = 1 };
		struct resolved set = { 0 };

		if (build_resolve(b, &one, NULL, &set) < 0 ||
		    (set.list.n == 1 && text_eq(set.list.at[0].node->name, one.at->name)))
			continue;
		for (size_t i = 0; i < it->partitions.n; i++) {
			const struct partition_item *part =
				(const struct partition_item *)it->partitions.at[i];
			node_list nodes = { 0 };

			vec_each (struct resolved_node *, disk, &set.list) {
				struct node *n = graph_get(
					build_graph(b),
					arena_printf(a, "%s.%s", disk->node->name, part->name));

				if (n)
					vec_push(a, &nodes, n);
			}
			if (build_alias(b, arena_printf(a, "%s.%s", one.at->name, part->name),
					item_pos(&part->item, "name"), &nodes) < 0)
				r = -1;
		}
	}
	return r;
}

static int make(struct build *b, struct item *item)
{
	struct table_item *it = (struct table_item *)item;
	struct resolved disks = { 0 };
	int r = build_resolve(b, &it->disks, NULL, &disks);

	vec_each (struct resolved_node *, disk, &disks.list) {
		int one = disk->node ? add_table(b, it, disk->node, disk->pos) : 0;

		r = r < 0 ? r : one;
	}
	if (!r)
		r = name_sets(b, it);
	return r;
}

/* Disks have been declared by now, arrays and volumes not: a table on those is made when one of its names is asked for. */
static bool only_disks(struct build *b, const struct table_item *it)
{
	for (size_t i = 0; i < it->disks.n; i++) {
		const char *name = it->disks.at[i].name;

		if (!graph_get(build_graph(b), name) &&
		    !graph_get(build_graph(b), arena_printf(build_arena(b), "%s.0", name)))
			return false;
	}
	return true;
}

int gpt_declare(struct build *b, struct item *item)
{
	struct table_item *it = (struct table_item *)item;
	struct arena *a = build_arena(b);

	if (only_disks(b, it))
		return make(b, item);
	for (size_t i = 0; i < it->partitions.n; i++) {
		const struct partition_item *part = (const struct partition_item *)it->partitions.at[i];
		int r = build_later(b, part->name, part->item.pos, make, item);

		for (size_t d = 0; d < it->disks.n && !r; d++)
			r = build_later(b, arena_printf(a, "%s.%s", it->disks.at[d].name, part->name),
					part->item.pos, make, item);
		if (r < 0)
			return r;
	}
	return 0;
}
