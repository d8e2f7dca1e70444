/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/arena.h"
#include "machine/machine.h"
#include "plan/settle.h"
#include "tech/fs.h"

/* Files below the root that the plan is for. */

static const char *absolute(struct arena *a, const char *path)
{
	return path[0] == '/' ? path : arena_printf(a, "/%s", path);
}

const char *target_path(const struct settle *s, const char *path)
{
	const char *root = s->options->root;

	path = absolute(s->arena, path);
	if (!root || !*root || !strcmp(root, "/"))
		return path;
	return strcmp(path, "/") ? arena_printf(s->arena, "%s%s", root, path) : root;
}

/* The wanted filesystem that a path of the target lies on: the innermost. NULL: none of the layout's. A mounted one is called by its place. */
static const struct node *fs_at(const struct settle *s, const char *path)
{
	char *p = arena_strdup(s->arena, absolute(s->arena, path));

	for (;;) {
		const struct node *n = graph_get(s->want, p);
		char *slash;

		if (n && fs_is(n) && text_eq(fs_of(n)->item->mount, p))
			return n;
		if (!p[1])
			return NULL;
		slash = strrchr(p, '/');
		slash[slash == p] = '\0';
	}
}

static bool stands_on(const struct node *fs, const struct blockdev *b)
{
	vec_each (const struct edge *, e, &fs->below)
		if (b && e->to->block == b)
			return true;
	return false;
}

/* Whether the filesystem that is there is mounted at its place below the root. What was mounted last at a place is what is seen there. */
static bool is_mounted(const struct settle *s, const struct node *want)
{
	const char *target = target_path(s, fs_of(want)->item->mount);
	bool is = false;

	vec_each (const struct mount_there *, m, &s->machine->mounts) {
		if (!text_eq(m->target, target) || text_eq(m->type, "autofs"))
			continue;
		is = stands_on(want->have, machine_dev(s->machine, m->dev ? m->dev : m->source));
	}
	return is;
}

const char *target_file(const struct settle *s, const char *path)
{
	const struct node *fs = fs_at(s, path);

	if (fs && (!fs->have || !is_mounted(s, fs)))
		return NULL;
	return machine_file(s->machine, target_path(s, path));
}

bool target_writable(const struct settle *s, const char *path)
{
	const struct node *fs = fs_at(s, path);

	return !fs || s->options->mount || (fs->have && is_mounted(s, fs));
}

const struct node *target_hidden(const struct settle *s, const char *path)
{
	const struct node *fs = fs_at(s, path);

	return fs && fs->have && !is_mounted(s, fs) ? fs : NULL;
}
