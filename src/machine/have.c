/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/have.h"

#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "machine/machine.h"
#include "tech/kind.h"

static const char *describe(struct arena *a, const struct node *n)
{
	const struct blockdev *b = n->block;

	return arena_printf(a, "%s%s%s, %s", b->type, b->dm_target ? " " : "",
			    b->dm_target ? b->dm_target : "", units_text(a, b->size));
}

/* A device that no room knows, so that what holds what stays visible. */
static const struct kind other_kind = {
	.name = "device",
	.doc = "A device of a technology that is not known here.",
	.size = sizeof(struct node),
	.device = true,
	.describe = describe,
};

/* What a device holds and no room knows: a filesystem, a member, a container. */
struct content {
	struct node node;
	const struct signature *signature;
};

static const char *describe_content(struct arena *a, const struct node *n)
{
	const struct signature *s = ((const struct content *)n)->signature;

	return arena_printf(a, "%s%s%s%s%s%s", s->type, s->version ? " " : "", s->version ? s->version : "",
			    s->label ? " '" : "", s->label ? s->label : "", s->label ? "'" : "");
}

static const struct kind content_kind = {
	.name = "content",
	.doc = "What is on a device, of a technology that is not known here.",
	.size = sizeof(struct content),
	.describe = describe_content,
};

struct node *have_add(struct graph *have, const struct kind *kind, const char *name,
		      const struct blockdev *block)
{
	struct node *n;

	/* A recording may say that one thing is two; both are then seen, and the first has the name. */
	while (graph_get(have, name))
		name = arena_printf(have->arena, "%s (%s)", name, kind->name);
	n = graph_add(have, kind, name);
	n->order = have->nodes.n;
	n->block = block;
	if (block) {
		n->size = block->size;
		n->geo = block->geo;
		n->dev = block->path;
	}
	return n;
}

void have_on(struct graph *have, struct node *n, const char *kernel_name, bool claim)
{
	if (kernel_name)
		vec_push(have->arena, &have->pending,
			 (struct have_link){ .node = n, .below = kernel_name, .claim = claim });
}

const struct node *have_dev(const struct graph *have, const char *kernel_name)
{
	const struct node *n = kernel_name ? graph_get(have, kernel_name) : NULL;

	return n && n->block ? n : NULL;
}

const struct node *have_user(const struct node *n, const struct kind *kind)
{
	vec_each (struct node *const *, up, &n->above)
		if ((*up)->kind == kind)
			return *up;
	return NULL;
}

static bool is_below(const char *path, const char *dir)
{
	size_t n = strcmp(dir, "/") ? strlen(dir) : 0;

	return !strncmp(path, dir, n) && path[n] == '/';
}

/* The device whose filesystem has a file: that of the nearest mount point above it. */
static const char *file_device(const struct machine *m, const char *path)
{
	const struct mount_there *nearest = NULL;

	vec_each (const struct mount_there *, mount, &m->mounts)
		if (is_below(path, mount->target) &&
		    (!nearest || strlen(mount->target) >= strlen(nearest->target)))
			nearest = mount;
	return nearest ? nearest->dev : NULL;
}

/* The kernel names no device below a loop device, nor takes the one behind it for itself: it can be seen by the name of its file only. */
static void add_backings(const struct machine *m, struct graph *have)
{
	vec_each (struct blockdev *const *, b, &m->devs) {
		const struct blockdev *dev = (*b)->backing ? machine_dev(m, (*b)->backing) : NULL;
		struct node *n = (*b)->backing ? graph_get(have, (*b)->name) : NULL;

		if (!n || n->block != *b)
			continue;
		if (dev)
			have_on(have, n, dev->name, true);
		else
			have_on(have, n, file_device(m, (*b)->backing), false);
	}
}

static void add_others(const struct machine *m, struct graph *have)
{
	vec_each (struct blockdev *const *, at, &m->devs) {
		const struct blockdev *dev = *at;
		struct node *n;

		if (have_dev(have, dev->name))
			continue;
		n = have_add(have, &other_kind, dev->name, dev);
		have_on(have, n, dev->parent, false);
		vec_each (const char *const *, slave, &dev->slaves)
			have_on(have, n, *slave, true);
	}
}

static bool stands_on(const struct node *n, const struct node *below)
{
	vec_each (const struct edge *, e, &n->below)
		if (e->to == below)
			return true;
	return false;
}

static void join(struct graph *have)
{
	vec_each (const struct have_link *, link, &have->pending) {
		struct node *below = graph_get(have, link->below);

		if (below && below->block && below != link->node && !stands_on(link->node, below))
			node_on(have, link->node, below, nowhere, link->claim);
	}
	have->pending.n = 0;
}

static bool is_member(const struct signature *s)
{
	return text_eq(s->usage, "raid") || text_eq(s->usage, "crypto");
}

/* Where nothing stands on a device by now, nobody knows what it holds. Tables are of their devices, whether or not they hold anything. */
static void add_contents(const struct machine *m, struct graph *have)
{
	vec_each (struct blockdev *const *, dev, &m->devs) {
		const struct node *on = have_dev(have, (*dev)->name);
		bool member = false;

		if (!on || on->above.n)
			continue;
		/* A mirror's member (metadata 1.0) shows the filesystem that lies on the array. */
		vec_each (const struct signature *, sig, &(*dev)->signatures)
			member |= is_member(sig);
		vec_each (const struct signature *, sig, &(*dev)->signatures) {
			struct content *c;

			if (text_eq(sig->usage, "table") || (member && !is_member(sig)))
				continue;
			c = (struct content *)have_add(
				have, &content_kind,
				arena_printf(have->arena, "%s on %s", sig->type, (*dev)->name), NULL);
			c->signature = sig;
			c->node.size = (*dev)->size;
			if (sig->uuid)
				(void)uuid_read(sig->uuid, &c->node.uuid);
			have_on(have, &c->node, (*dev)->name, true);
		}
	}
	join(have);
}

int machine_have(struct arena *a, const struct machine *m, struct diag *d, struct graph **ret)
{
	struct graph *have = graph_new(a);
	node_list sorted;
	int r;

	for (const struct room *const *room = rooms; *room; room++)
		for (const struct kind *const *k = (*room)->kinds; k && *k; k++) {
			r = (*k)->find ? (*k)->find(m, have, d) : 0;
			if (r < 0)
				return r;
		}
	add_others(m, have);
	add_backings(m, have);
	join(have);
	add_contents(m, have);
	/* Only a recording that was made up has devices that stand on one another in a circle. */
	r = graph_sort(have, d, &sorted);
	if (r < 0)
		return r;
	have->nodes = sorted;
	*ret = have;
	return 0;
}
