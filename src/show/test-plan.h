/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/units.h"
#include "graph/node.h"
#include "layout/layout.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "tech/kind.h"

/* A plan built by hand, for the tests of src/show: kinds that know nothing but what is shown of them. */

static inline bool test_any(const struct node *n, const bool *alive)
{
	for (size_t i = 0; i < n->below.n; i++)
		if (alive[i])
			return true;
	return false;
}

/* RAID10 of adjacent copies: one of each pair of neighbours. */
static inline bool test_pairs(const struct node *n, const bool *alive)
{
	for (size_t i = 0; i + 1 < n->below.n; i += 2)
		if (!alive[i] && !alive[i + 1])
			return false;
	return true;
}

static inline bool test_raid6(const struct node *n, const bool *alive)
{
	size_t lost = 0;

	for (size_t i = 0; i < n->below.n; i++)
		lost += !alive[i];
	return lost <= 2;
}

static inline const char *test_describe(struct arena *a, const struct node *n)
{
	return arena_printf(a, "a %s", n->kind->name);
}

static const struct kind test_disk = { .name = "disk", .size = sizeof(struct node), .device = true };
static const struct kind test_table = { .name = "table",
					.size = sizeof(struct node),
					.describe = test_describe };
static const struct kind test_part = { .name = "partition", .size = sizeof(struct node), .device = true };
static const struct kind test_mirror = { .name = "mirror",
					 .size = sizeof(struct node),
					 .device = true,
					 .alive = test_any,
					 .describe = test_describe };
static const struct kind test_fs = {
	.name = "btrfs", .size = sizeof(struct node), .alive = test_any, .describe = test_describe
};
static const struct kind test_mount = { .name = "mount", .size = sizeof(struct node) };
static const struct kind test_file = { .name = "fstab", .size = sizeof(struct node) };
static const struct item test_item = { .name = "x" };
static const struct layout test_layout = { .file = "layout.yaml", .name = "fileserver" };

struct test_plan {
	struct plan plan;
	struct machine machine;
	struct step *steps[32];
};

static inline struct node *test_node(struct plan *p, const struct kind *kind, const char *name,
				     const char *dev, uint64_t size)
{
	struct node *n = graph_add(p->want, kind, name);

	n->dev = dev;
	n->size = size;
	n->item = &test_item;
	n->pos = (struct pos){ .file = "layout.yaml", .line = (unsigned)p->want->nodes.n, .col = 3 };
	n->verdict = VERDICT_CREATE;
	return n;
}

static inline struct step *test_step(struct plan *p, const struct node *n, enum op_form form,
				     const char *what)
{
	struct step *st = arena_of(p->arena, struct step);

	st->what = what;
	st->id = what;
	st->node = n;
	if (n)
		st->pos = n->pos;
	st->op.form = form;
	if (p->steps.n)
		vec_push(p->arena, &st->needs, p->steps.at[p->steps.n - 1]);
	vec_push(p->arena, &p->steps, st);
	st->number = p->steps.n;
	return st;
}

static inline struct blockdev *test_block(struct plan *p, struct machine *m, const char *name, uint64_t size)
{
	struct blockdev *b = arena_of(p->arena, struct blockdev);

	b->name = name;
	b->path = arena_printf(p->arena, "/dev/%s", name);
	b->type = "disk";
	b->size = size;
	b->looked = true;
	b->serial = arena_printf(p->arena, "serial-%s", name);
	b->model = "QEMU HARDDISK";
	vec_push(p->arena, &m->devs, b);
	return b;
}

/* Two disks with a table and a partition each, a filesystem over both that is mounted, and fstab; every form of operation. */
static inline struct plan *test_plan(struct arena *a)
{
	struct test_plan *t = arena_of(a, struct test_plan);
	struct plan *p = &t->plan;
	struct node *parts[2], *fs, *mount, *file;
	struct step *st;

	p->arena = a;
	p->layout = &test_layout;
	p->machine = &t->machine;
	p->options = (struct plan_options){ .root = "/mnt/a b", .mount = true, .seed = "fileserver" };
	p->want = graph_new(a);
	p->have = graph_new(a);
	t->machine.arena = a;
	t->machine.source = "server.json";
	t->machine.files.arena = t->machine.by_name.arena = t->machine.by_link.arena =
		t->machine.tools.arena = a;

	for (size_t i = 0; i < 2; i++) {
		const char *name = i ? "vdb" : "vda";
		struct node *disk = test_node(p, &test_disk, name, arena_printf(a, "/dev/%s", name),
					      64 * GIB + 512);
		struct node *table, *have = graph_add(p->have, &test_disk, name);

		have->block = test_block(p, &t->machine, name, 64 * GIB + 512);
		disk->verdict = VERDICT_KEEP;
		disk->have = have;
		disk->geo.logical = 512;
		table = test_node(p, &test_table, arena_printf(a, "table of %s", name), NULL, 0);
		node_on(p->want, table, disk, table->pos, true);
		parts[i] = test_node(p, &test_part, arena_printf(a, "%s.home", name),
				     arena_printf(a, "/dev/%s1", name), 32 * GIB);
		node_in(p->want, parts[i], table, parts[i]->pos);
		st = test_step(p, disk, OP_ZERO, arena_printf(a, "clear both ends of %s", name));
		st->op.dev = disk->dev;
		st->why = arena_printf(a, "%s is blank", disk->dev);
		vec_push(a, &st->op.ranges, (struct op_range){ 0, MIB });
		vec_push(a, &st->op.ranges, (struct op_range){ 63 * GIB, MIB });
		st = test_step(p, table, OP_TABLE, arena_printf(a, "write the table of %s", name));
		st->op.dev = disk->dev;
		st->op.script = "label: gpt\nstart=2048, size=67108864, name=\"EOF\"\nEOF\n";
	}
	st = test_step(p, NULL, OP_SETTLE, "wait for the kernel and udev: tables");
	vec_push(a, &st->op.expect, (struct op_expect){ .dev = "/dev/vda1", .start = MIB, .size = 32 * GIB });
	vec_push(a, &st->op.expect, (struct op_expect){ .dev = "/dev/vdb1", .start = MIB, .size = 32 * GIB });
	fs = test_node(p, &test_fs, "/home", "/dev/vda1", 0);
	fs->uuid = uuid_derive("test");
	node_on(p->want, fs, parts[0], fs->pos, true);
	node_on(p->want, fs, parts[1], fs->pos, true);
	st = test_step(p, fs, OP_WIPE, "wipe \x1b[31mred\x1b[0m");
	st->op.dev = "/dev/vda1";
	st = test_step(p, fs, OP_ARGV, "format /home");
	vec_push(a, &st->op.argv, "mkfs.btrfs");
	vec_push(a, &st->op.argv, "-L");
	vec_push(a, &st->op.argv, "it's $(id) `id` \"%n\" \\");
	vec_push(a, &st->op.argv, "/dev/vda1");
	vec_push(a, &st->op.argv, "/dev/vdb1");
	vec_push(a, &st->gives, (struct op_expect){ .dev = "/dev/vda1" });
	st = test_step(p, fs, OP_LVM, "make a volume");
	vec_push(a, &st->op.argv, "lvcreate");
	vec_push(a, &st->op.argv, "-y");
	st->timeout_s = 36000;
	mount = test_node(p, &test_mount, "mount /home", NULL, 0);
	node_on(p->want, mount, fs, mount->pos, false);
	st = test_step(p, mount, OP_MKDIR, "make the directory /home");
	st->op.path = "/mnt/a b/home";
	st->op.mode = 0700;
	st = test_step(p, mount, OP_MOUNT, "mount /home");
	st->op.dev = "/dev/vda1";
	st->op.path = "/mnt/a b/home";
	st->op.type = "btrfs";
	st->op.options = "noatime,subvol=/a b";
	file = test_node(p, &test_file, "fstab", NULL, 0);
	file->item = NULL;
	node_on(p->want, file, fs, file->pos, false);
	st = test_step(p, file, OP_FILE, "write /etc/fstab");
	st->op.path = "/mnt/a b/etc/fstab";
	st->op.content = "# it's\tfstab\nEOF\nEOF2\nUUID=1 /home btrfs defaults 0 0\n";
	return p;
}
