/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tech/mount/fstab.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "layout/build.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "tech/fs.h"
#include "tech/mount/fstab-parse.h"
#include "tech/mount/sources.h"

static const char path[] = "/etc/fstab";

/* Whether fstab has a line for it: what is mounted, and swap, which is the only kind that takes its devices one by one. */
static bool has_line(const struct node *n)
{
	return fs_is(n) && (fs_of(n)->item->mount || ((const struct fs_kind *)n->kind)->each);
}

int fstab_finish(struct build *b)
{
	struct graph *g = build_graph(b);
	size_t count = g->nodes.n;
	struct node *fstab = NULL;

	for (size_t i = 0; i < count; i++) {
		struct node *n = g->nodes.at[i];

		if (!has_line(n))
			continue;
		if (!fstab)
			fstab = build_node(b, &fstab_kind, "fstab", NULL);
		node_on(g, fstab, n, n->pos, false);
	}
	return 0;
}

/* What is behind the disk's path in that of one of its partitions: "4" of /dev/vda4, "p2" of /dev/nvme0n1p2. NULL: it is no partition. */
static const char *part_of(struct arena *a, const struct node *dev, const struct node **ret_disk)
{
	node_list disks = node_disks(a, dev);
	const struct node *disk = disks.n == 1 ? disks.at[0] : NULL;
	const char *rest;

	if (!dev->below.n || !dev->dev || !disk || !disk->dev || !text_starts(dev->dev, disk->dev))
		return NULL;
	rest = dev->dev + strlen(disk->dev);
	*ret_disk = disk;
	return *rest && !rest[strspn(rest, "p0123456789")] ? rest : NULL;
}

static const char *by_id(const struct node *disk)
{
	if (disk->have && disk->have->block)
		vec_each (const char *const *, link, &disk->have->block->links)
			if (text_starts(*link, "/dev/disk/by-id/"))
				return *link;
	return NULL;
}

/* A path that will lead there after the next boot, too: names of the kernel's are dealt out anew each time. */
static const char *lasting_path(struct arena *a, const struct node *dev)
{
	const struct node *disk = NULL;
	const char *part = part_of(a, dev, &disk), *link;

	if (!part)
		return !dev->below.n && by_id(dev) ? by_id(dev) : dev->dev;
	link = by_id(disk);
	return link ? arena_printf(a, "%s-part%s", link, *part == 'p' ? part + 1 : part) : dev->dev;
}

static const struct blockdev *block_of(const struct node *dev)
{
	return dev->have ? dev->have->block : NULL;
}

static bool is_ours(const struct fs *fs, const struct blockdev *b)
{
	vec_each (const struct edge *, e, &fs->node.below)
		if (block_of(e->to) == b)
			return true;
	return false;
}

/* Who else bears the UUID of a filesystem that is there: a copy, and no member of it. NULL: nobody. */
static const struct blockdev *copy_of(const struct settle *s, const struct fs *fs)
{
	source_list all = { 0 };

	if (fs->node.have && fs->uuid)
		all = source_with_uuid(s->arena, s->machine, fs->uuid);
	vec_each (const struct blockdev *const *, other, &all) {
		bool member = is_ours(fs, *other);

		vec_each (const struct edge *, e, &fs->node.below) {
			const struct blockdev *b = block_of(e->to);

			/* What the layout names may be what lies below the device that shows it (a path of a multipath device). */
			if (b && (source_on_top(s->machine, b) == *other))
				member = true;
		}
		if (member)
			continue;
		/* It isn't in the layout: of a btrfs it may be the member that was left out. It is a copy if it is the same member twice. */
		member = fs->node.below.n > 0;
		vec_each (const struct edge *, e, &fs->node.below)
			member &= block_of(e->to) && source_is_same(block_of(e->to), *other);
		if (!member)
			return *other;
	}
	return NULL;
}

static int source_of_part(const struct settle *s, const struct fs *fs, const char *key, const char **ret)
{
	const struct node *dev = fs->node.below.at[0].to;
	struct pos pos = item_pos(&fs->item->item, "key");
	bool label = text_eq(key, "partlabel");
	const char *name = label ? dev->partlabel : dev->partuuid;
	const struct blockdev *other;

	if (!name || !*name)
		return diag_error(
			s->diag, pos,
			"fstab can't call '%s' by its %s, since '%s' has none%s; use uuid, label or path",
			fs->node.name, key, dev->name,
			!dev->partuuid ? ": it is no partition"
			: label        ? ": it is not in a GPT"
				       : "");
	if (!label) {
		*ret = arena_printf(s->arena, "PARTUUID=%s", name);
		return 0;
	}
	vec_each (struct node *const *, n, &s->want->nodes)
		if (*n != dev && text_eq((*n)->partlabel, name))
			return diag_error(s->diag, pos,
					  "fstab can't call '%s' by its partlabel '%s': partition '%s' has "
					  "it, too; use uuid or partuuid",
					  fs->node.name, name, (*n)->name);
	other = machine_dev(s->machine, arena_printf(s->arena, "/dev/disk/by-partlabel/%s", name));
	if (other && !is_ours(fs, other))
		return diag_error(s->diag, pos,
				  "fstab can't call '%s' by its partlabel '%s': %s has it already; use uuid "
				  "or partuuid",
				  fs->node.name, name, other->path);
	*ret = arena_printf(s->arena, "PARTLABEL=%s", name);
	return 0;
}

static int source_of(const struct settle *s, const struct fs *fs, const char **ret)
{
	const char *key = fs->item->key ? fs->item->key : "uuid";
	const struct node *dev = fs->node.below.at[0].to;
	const struct blockdev *copy;

	if (text_eq(key, "path")) {
		*ret = lasting_path(s->arena, dev);
		return 0;
	}
	copy = copy_of(s, fs);
	if (copy && fs->node.kind->many) {
		int r = diag_error(s->diag, fs->node.pos,
				   "%s holds a copy of the %s '%s', with the same UUID %s", copy->path,
				   fs->node.kind->name, fs->node.name, fs->uuid);

		/* The kernel takes either for the same member and writes to both. */
		diag_note(s->diag, nowhere,
			  "mounted with both in the machine, it would be damaged: unplug one, or give the "
			  "copy another UUID");
		return r;
	}
	if (copy) {
		*ret = lasting_path(s->arena, dev);
		diag_warn(s->diag, fs->node.pos,
			  "%s bears the UUID %s of '%s', too: is it a clone? %s has %s instead", copy->path,
			  fs->uuid, fs->node.name, path, *ret);
		return 0;
	}
	if (text_starts(key, "part"))
		return source_of_part(s, fs, key, ret);
	if (text_eq(key, "label")) {
		if (!fs->label)
			return diag_error(s->diag, item_pos(&fs->item->item, "key"),
					  "'%s' has no label; state one, or use uuid", fs->node.name);
		*ret = arena_printf(s->arena, "LABEL=%s", fs->label);
		return 0;
	}
	if (fs->uuid && *fs->uuid) {
		*ret = arena_printf(s->arena, "UUID=%s", fs->uuid);
		return 0;
	}
	*ret = lasting_path(s->arena, dev);
	diag_warn(s->diag, fs->node.pos, "the UUID of '%s' isn't known; %s has %s instead", fs->node.name,
		  path, *ret);
	return 0;
}

static void add_names(struct arena *a, const struct fs *fs, text_list *also)
{
	if (fs->uuid)
		vec_push(a, also, arena_printf(a, "UUID=%s", fs->uuid));
	if (fs->label)
		vec_push(a, also, arena_printf(a, "LABEL=%s", fs->label));
	vec_each (const struct edge *, e, &fs->node.below) {
		const struct blockdev *b = block_of(e->to);

		if (e->to->dev)
			vec_push(a, also, e->to->dev);
		if (e->to->partuuid)
			vec_push(a, also, arena_printf(a, "PARTUUID=%s", e->to->partuuid));
		if (!b)
			continue;
		vec_push(a, also, b->path);
		if (b->dm_name)
			vec_push(a, also, arena_printf(a, "/dev/mapper/%s", b->dm_name));
		vec_each (const char *const *, link, &b->links)
			vec_push(a, also, *link);
	}
}

int fstab_wanted(const struct settle *s, const struct node *fstab, fstab_entries *ret)
{
	int r = 0;

	vec_each (const struct edge *, e, &fstab->below) {
		const struct fs *fs = fs_of(e->to);
		struct fstab_entry entry = { .name = e->to->name,
					     .pos = e->to->pos,
					     .target = fs->item->mount,
					     .type = e->to->kind->name,
					     .options = fs_options(s->arena, fs),
					     .over = fs_options_over,
					     .fs = fs,
					     .pass = fs_pass(fs),
					     .pass_stated = fs->item->pass >= 0 };

		/* Of what isn't there nothing is settled. */
		if (s->verify && !e->to->have)
			continue;
		if (source_of(s, fs, &entry.source) < 0) {
			r = -EINVAL;
			continue;
		}
		add_names(s->arena, fs, &entry.also);
		vec_push(s->arena, ret, entry);
	}
	return r;
}

/* The file that shall be. @ret_old: what is there now, NULL: nothing. */
static int content(const struct settle *s, const struct node *fstab, const char **ret_old, const char **ret)
{
	const struct node *hidden = target_hidden(s, path);
	fstab_entries entries = { 0 };
	int r;

	if (hidden)
		return diag_error(s->diag, hidden->pos,
				  "%s is on '%s', which is there but not mounted, so what it holds can't be "
				  "kept; mount it first: mount %s %s",
				  target_path(s, path), hidden->name, hidden->dev ? hidden->dev : "DEVICE",
				  target_path(s, fs_of(hidden)->item->mount));
	r = fstab_wanted(s, fstab, &entries);
	if (r < 0)
		return r;
	*ret_old = target_file(s, path);
	return fstab_make(s->arena, s->machine, target_path(s, path), *ret_old, &entries, s->diag, ret);
}

/* A recording hides passwords (cifs), and a file made from it would do so, too. */
static void warn_of_masked(const struct settle *s, const char *file, const char *old)
{
	struct fstab_line line = { 0 };
	size_t pos = 0;

	if (s->machine->live || !old)
		return;
	while (fstab_next(old, strlen(old), &pos, &line))
		if (line.entry && memmem(line.all.at, line.all.len, "***", 3))
			diag_warn(s->diag, (struct pos){ .file = file, .line = line.number, .col = 1 },
				  "the recording hides a password here; this plan is to be looked at: "
				  "applied, it would write the stars into %s",
				  file);
}

static int create(struct steps *steps, const struct node *want)
{
	const struct settle *s = steps_settle(steps);
	const char *old = NULL, *text = NULL, *file = target_path(s, path);
	const struct node *hidden;
	struct step *st;
	int r;

	if (!target_writable(s, path)) {
		diag_warn(s->diag, nowhere,
			  "%s isn't written: with --no-mount its filesystem isn't there; `stowage fstab` "
			  "prints it",
			  file);
		return 0;
	}
	hidden = target_hidden(s, path);
	if (hidden) {
		/* Of a run that was interrupted, say. apply looks again when all is mounted, and then writes it. */
		diag_warn(s->diag, hidden->pos,
			  "%s is written when '%s' is mounted, which is there but not mounted yet: only then "
			  "can be seen what is in it",
			  file, hidden->name);
		return 0;
	}
	r = content(s, want, &old, &text);
	if (r < 0)
		return r;
	if (old && !strcmp(old, text))
		return 0;
	warn_of_masked(s, file, old);
	st = step_new(steps, want, "write", "write %s: %zu filesystem%s by the names that last", file,
		      want->below.n, want->below.n == 1 ? "" : "s");
	st->why = old ? "it says something else now" : "it isn't there";
	st->op.form = OP_FILE;
	st->op.path = file;
	st->op.content = text;
	st->op.mode = 0644;
	return 0;
}

static const char *describe(struct arena *a, const struct node *n)
{
	return arena_printf(a, "%s, %zu line%s", path, n->below.n, n->below.n == 1 ? "" : "s");
}

const struct kind fstab_kind = {
	.name = "fstab",
	.doc = "The table of what is mounted where.",
	.size = sizeof(struct node),
	.health = fstab_health,
	.create = create,
	.describe = describe,
};

int fstab_text(const struct plan *p, struct arena *a, struct diag *d, const char **ret)
{
	struct settle s = { .arena = a,
			    .diag = d,
			    .machine = p->machine,
			    .want = p->want,
			    .have = p->have,
			    .options = &p->options,
			    .seed = p->options.seed };
	const struct node *fstab = p->want ? graph_get(p->want, fstab_kind.name) : NULL;
	const char *old = NULL;

	if (fstab)
		return content(&s, fstab, &old, ret);
	/* Of a plan that was saved, the steps are all there is. */
	old = p->want ? target_file(&s, path) : plan_file(p, path);
	*ret = old ? old : "";
	return 0;
}
