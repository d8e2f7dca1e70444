/* SPDX-License-Identifier: GPL-2.0-or-later */
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

static int find(const struct machine *m, struct graph *have, struct diag *d)
{
	(void)d;
	vec_each (const struct swap_there *, swap, &m->swaps)
		if (swap->dev) {
			struct node *n = have_add(have, &swapon_kind,
						  arena_printf(have->arena, "use of swap %s", swap->dev),
						  NULL);

			have_on(have, n, swap->dev, false);
		}
	return 0;
}

static const struct node *match(const struct node *want, const struct settle *s)
{
	const struct node *dev = want->below.at[0].to->below.at[0].to->have;

	(void)s;
	return dev ? have_user(dev, &swapon_kind) : NULL;
}

/* Swap belongs to the running system: what is built below another root gets its own when it boots. */
static bool is_due(const struct settle *s, const struct fs *fs)
{
	return s->options->mount && !strcmp(s->options->root, "/") &&
	       !fstab_has_option(fs_options(s->arena, fs), "noauto");
}

static void health(const struct node *want, const struct settle *s, struct why *why)
{
	if (want->have || !is_due(s, fs_of(want->below.at[0].to)))
		return;
	why_add(why, NULL, "the system doesn't use it");
	why_is(why, WHY_MISSING);
}

static int create(struct steps *steps, const struct node *want)
{
	const struct settle *s = steps_settle(steps);
	const struct fs *fs = fs_of(want->below.at[0].to);
	const char *options = fs_options(s->arena, fs), *given = mount_options(s->arena, options);
	const char *dev = fs->node.below.at[0].to->dev;
	struct step *st;

	if (!is_due(s, fs))
		return 0;
	st = step_new(steps, want, "swapon", "use the swap on %s", fs->node.below.at[0].to->name);
	st->id = arena_printf(s->arena, "swapon %s", fs->node.below.at[0].to->name);
	step_argv(steps, st, "swapon", NULL);
	if (given) {
		step_word(steps, st, "-o");
		step_word(steps, st, given);
	}
	st->uses = true;
	step_word(steps, st, "--");
	step_word(steps, st, dev);
	return 0;
}

const struct kind swapon_kind = {
	.name = "use of swap",
	.doc = "Swap that the running system uses.",
	.size = sizeof(struct node),
	.find = find,
	.match = match,
	.health = health,
	.create = create,
};

void swapon_finish(struct build *b)
{
	struct graph *g = build_graph(b);
	size_t count = g->nodes.n;

	for (size_t i = 0; i < count; i++) {
		struct node *fs = g->nodes.at[i], *n;

		if (!fs_is(fs) || !((const struct fs_kind *)fs->kind)->each || !fs->below.n)
			continue;
		n = build_node(b, &swapon_kind, arena_printf(build_arena(b), "use of %s", fs->name),
			       fs->item);
		node_on(g, n, fs, fs->pos, false);
	}
}
