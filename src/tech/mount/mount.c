/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "layout/build.h"
#include "machine/have.h"
#include "machine/machine.h"
#include "plan/settle.h"
#include "plan/step.h"
#include "tech/fs.h"
#include "tech/mount/fstab-parse.h"
#include "tech/mount/fstab.h"
#include "tech/mount/mount.h"
#include "tech/mount/sources.h"

/* A filesystem mounted at its place. Want: below the root; have: as the kernel says. */
struct mount {
	struct node node;
	const char *target;
	const char *options;             /* want: as fstab will have them, settled */
	const struct mount_there *there; /* have only */
};

extern const struct room room_mount;
static const struct kind mount_kind;

static const struct mount *mount_of(const struct node *n)
{
	return (const struct mount *)n;
}

static const struct fs *fs_below(const struct node *want)
{
	return fs_of(want->below.at[0].to);
}

static const char *have_name(struct arena *a, const char *target)
{
	return arena_printf(a, "mount %s", target);
}

static int find(const struct machine *m, struct graph *have, struct diag *d)
{
	struct map seen = { .arena = have->arena };

	(void)d;
	/* Of several at one place, the one mounted last is what is seen. */
	for (size_t i = m->mounts.n; i-- > 0;) {
		struct mount_there *there = &m->mounts.at[i];
		struct mount *mount;

		if (!there->target || map_set(&seen, there->target, there) || !there->dev)
			continue;
		mount = (struct mount *)have_add(have, &mount_kind, have_name(have->arena, there->target),
						 NULL);
		mount->target = there->target;
		mount->there = there;
		have_on(have, &mount->node, there->dev, false);
	}
	return 0;
}

/* What is seen at a place; NULL: nothing is mounted there. The trap of an automount isn't what a person means. */
static const struct mount_there *seen_at(const struct machine *m, const char *target)
{
	const struct mount_there *top = NULL;

	vec_each (const struct mount_there *, there, &m->mounts)
		if (text_eq(there->target, target) && !text_eq(there->type, "autofs"))
			top = there;
	return top;
}

/* The first that is mounted below a place, which mounting something at the place would hide. */
static const struct mount_there *seen_below(const struct machine *m, const char *target)
{
	vec_each (const struct mount_there *, there, &m->mounts)
		if (there->target && fstab_is_below(there->target, target))
			return there;
	return NULL;
}

static bool is_of(const struct settle *s, const struct fs *fs, const struct mount_there *there)
{
	const struct blockdev *dev = there->dev ? machine_dev(s->machine, there->dev) : NULL;

	if (!fs->node.have || !dev)
		return false;
	/* A directory of it (bind) isn't the filesystem. Where it has no device number, it is a subvolume, which `options` may ask for. */
	if (there->root && strcmp(there->root, "/") != 0 && there->major)
		return false;
	vec_each (const struct edge *, e, &fs->node.below) {
		const struct blockdev *b = e->to->have ? e->to->have->block : NULL;

		if (b && source_is_same(b, dev))
			return true;
	}
	return false;
}

/* As fstab will have them: what is stated, else what its line has already. */
static const char *options_of(const struct settle *s, const struct fs *fs)
{
	const char *text = target_hidden(s, "/etc/fstab") ? NULL : target_file(s, "/etc/fstab");

	return fs_options_over(s->arena, fs,
			       text ? fstab_options_there(s->arena, text, fs->item->mount) : NULL);
}

static const char *in_words(struct arena *a, const struct mount_there *there)
{
	const char *dir = there->root && strcmp(there->root, "/") != 0 && there->major ? there->root : NULL;

	return arena_printf(a, "%s%s%s (%s)", there->source ? there->source : "something",
			    dir ? ", directory " : "", dir ? dir : "",
			    there->type ? there->type : "of unknown type");
}

/* Mounted by a run that was interrupted before everybody could write into it. */
static bool is_shut(const struct node *want, const struct settle *s)
{
	return mount_is_for_all(mount_of(want)->target) &&
	       mount_is_fresh(s, target_path(s, mount_of(want)->target));
}

static const struct node *match(const struct node *want, const struct settle *s)
{
	const struct fs *fs = fs_below(want);
	const char *target = target_path(s, mount_of(want)->target);
	const struct mount_there *there = seen_at(s->machine, target);

	if (there && is_of(s, fs, there))
		return is_shut(want, s) && !s->verify && s->options->mount
			       ? NULL
			       : graph_get(s->have, have_name(s->arena, target));
	if (!strcmp(target, "/")) {
		(void)diag_error(s->diag, want->pos,
				 "'%s' isn't the filesystem that this system runs from%s%s; say with --root "
				 "where to build the new one: --root /mnt",
				 fs->node.name, there ? ", which is " : "",
				 there ? in_words(s->arena, there) : "");
		return NULL;
	}
	if (!s->options->mount || fstab_has_option(options_of(s, fs), "noauto"))
		return NULL;
	if (there) {
		(void)diag_refuse(
			s->diag, want->pos,
			"'%s' is to be mounted at %s, but %s is mounted there; unmount it first: umount %s",
			fs->node.name, target, in_words(s->arena, there), target);
		return NULL;
	}
	there = seen_below(s->machine, target);
	if (there)
		(void)diag_refuse(s->diag, want->pos,
				  "mounting '%s' at %s would hide %s, which is mounted at %s; unmount that "
				  "first: umount %s",
				  fs->node.name, target, in_words(s->arena, there), there->target,
				  there->target);
	return NULL;
}

const char *mount_options(struct arena *a, const char *options)
{
	static const char *const notes[] = { "defaults", "auto", "noauto", "nofail", "_netdev", "sw" };
	struct text t = { .arena = a };

	for (const char *p = options; *p; p += strcspn(p, ","), p += *p == ',') {
		size_t len = strcspn(p, ",");
		bool note = !len || text_starts(p, "x-") || text_starts(p, "comment=");

		for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++)
			note |= len == strlen(notes[i]) && !strncmp(p, notes[i], len);
		if (note)
			continue;
		if (t.len)
			text_addc(&t, ',');
		text_addn(&t, p, len);
	}
	return t.len ? text_str(&t) : NULL;
}

static int settle(struct node *want, struct settle *s)
{
	((struct mount *)want)->options = options_of(s, fs_below(want));
	return 0;
}

static void health(const struct node *want, const struct settle *s, struct why *why)
{
	const char *options;

	if (want->have && is_shut(want, s))
		why_add(why, "mount", "only root may write into %s", target_path(s, mount_of(want)->target));
	if (want->have || !s->options->mount)
		return;
	options = options_of(s, fs_below(want));
	if (fstab_has_option(options, "noauto") || fstab_has_option(options, "x-systemd.automount"))
		return;
	why_add(why, "mount", "isn't mounted at %s", target_path(s, mount_of(want)->target));
	why_is(why, WHY_MISSING);
}

/* Named by the place alone: the node's own name says "mount" already. */
static struct step *new_step(struct steps *steps, const struct node *want, const char *verb, const char *what)
{
	const char *target = target_path(steps_settle(steps), mount_of(want)->target);
	struct step *st = step_new(steps, want, verb, "%s %s", what, target);

	st->id = arena_printf(steps_arena(steps), "%s %s", verb, target);
	return st;
}

static void let_all_write(struct steps *steps, const struct node *want, const char *target)
{
	struct step *st = new_step(steps, want, "chmod", "let everybody write into");

	step_argv(steps, st, "chmod", "1777", "--", target, NULL);
	st->inside = true;
}

/* Made by this run, or by one that was interrupted before it mounted it. */
static bool is_new(const struct settle *s, const struct node *fs)
{
	if (fs->verdict == VERDICT_CREATE)
		return true;
	return fs->have && fs->kind->leftover && fs->kind->leftover(fs, fs->have, s) == LEFTOVER_EMPTY;
}

static int create(struct steps *steps, const struct node *want)
{
	const struct settle *s = steps_settle(steps);
	const struct fs *fs = fs_below(want);
	const char *target = target_path(s, mount_of(want)->target), *options = options_of(s, fs);
	struct step *st;

	if (!s->options->mount)
		return 0;
	if (seen_at(s->machine, target)) { /* match() has left it to us for this alone */
		let_all_write(steps, want, target);
		return 0;
	}
	if (fstab_has_option(options, "noauto"))
		return 0;
	st = new_step(steps, want, "mkdir", "make the directory");
	st->op.form = OP_MKDIR;
	st->op.path = target;
	st->op.mode = 0755;

	st = new_step(steps, want, "mount",
		      arena_printf(s->arena, "mount the %s of %s at", fs->node.kind->name,
				   fs->node.below.at[0].to->name));
	st->op.form = OP_MOUNT;
	/* Of a filesystem over several devices each one will do: udev and the tool that made it have told the kernel of all. */
	st->op.dev = fs->node.below.at[0].to->dev;
	st->op.path = target;
	st->op.type = fs->node.kind->name;
	st->op.options = mount_options(s->arena, options);

	if (mount_is_for_all(mount_of(want)->target) && is_new(s, &fs->node))
		let_all_write(steps, want, target);
	return 0;
}

static const char *describe(struct arena *a, const struct node *n)
{
	const struct mount *m = mount_of(n);

	if (m->there)
		return arena_printf(a, "%s at %s", m->there->source ? m->there->source : m->there->dev,
				    m->target);
	return m->options && strcmp(m->options, "defaults") != 0 ? arena_printf(a, "options %s", m->options)
								 : NULL;
}

static const struct kind mount_kind = {
	.name = "mount",
	.doc = "A filesystem at its place in the tree of directories.",
	.size = sizeof(struct mount),
	.find = find,
	.match = match,
	.settle = settle,
	.health = health,
	.create = create,
	.describe = describe,
};

static const struct kind *const kinds[] = { &mount_kind, &swapon_kind, &fstab_kind, NULL };

static int finish(struct build *b)
{
	struct graph *g = build_graph(b);
	size_t count = g->nodes.n;

	fs_check_twins(b);
	for (size_t i = 0; i < count; i++) {
		struct node *fs = g->nodes.at[i];
		const struct fs_item *it = fs_is(fs) ? fs_of(fs)->item : NULL;
		const char *name;
		struct mount *m;

		/* A second filesystem at one place has been told; the first keeps it. */
		if (!it || !it->mount || graph_get(g, name = have_name(build_arena(b), it->mount)))
			continue;
		m = (struct mount *)build_node(b, &mount_kind, name, &it->item);
		m->target = it->mount;
		m->node.pos = item_pos(&it->item, "mount");
		node_on(g, &m->node, fs, m->node.pos, false);
	}
	swapon_finish(b);
	return fstab_finish(b);
}

const struct room room_mount = {
	.name = "mount",
	.doc = "Filesystems, where they are mounted, and fstab.",
	.sections = fs_sections,
	.kinds = kinds,
	.finish = finish,
	.probe = mount_probe,
	.survey = mount_survey,
};
