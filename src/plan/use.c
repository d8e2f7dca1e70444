/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/use.h"

#include <stdarg.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "graph/node.h"
#include "machine/have.h"
#include "machine/machine.h"
#include "plan/protect.h"
#include "plan/settle.h"
#include "tech/kind.h"

struct uses {
	const struct settle *s;
	use_list list;
};

static void add(struct uses *u, const struct node *n, enum use_bond bond, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
static void add(struct uses *u, const struct node *n, enum use_bond bond, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vec_push(u->s->arena, &u->list,
		 (struct use){ .bond = bond, .node = n, .text = arena_vprintf(u->s->arena, fmt, ap) });
	va_end(ap);
}

static bool is_at_or_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return !strncmp(path, dir, n) && (!path[n] || path[n] == '/');
}

/* What is mounted below the root that is built is the business of whoever builds it; below / that would be everything. */
static enum use_bond mount_bond(const struct settle *s, const char *target)
{
	const char *root = s->options && s->options->root ? s->options->root : "/";

	return strcmp(root, "/") != 0 && is_at_or_below(target, root) ? USE_LOOSE : USE_BOUND;
}

/* As people know it: a volume by its name rather than by its number. */
static const char *name_of(const struct settle *s, const struct node *n)
{
	if (!n->block)
		return n->name;
	return n->block->dm_name ? arena_printf(s->arena, "/dev/mapper/%s", n->block->dm_name)
				 : n->block->path;
}

static const char *described(const struct settle *s, const struct node *n)
{
	const char *text = n->kind->describe ? n->kind->describe(s->arena, n) : NULL;

	return arena_printf(s->arena, "%s%s%s%s", name_of(s, n), text ? " (" : "", text ? text : "",
			    text ? ")" : "");
}

static void add_holders(struct uses *u, const struct node *n)
{
	vec_each (const char *const *, name, &n->block->holders) {
		const struct node *holder = have_dev(u->s->have, *name);
		bool known = holder && holder->block->slaves.n;

		if (holder)
			add(u, n, known ? USE_LOOSE : USE_BOUND, "%s is part of %s", name_of(u->s, n),
			    described(u->s, holder));
		else
			add(u, n, USE_BOUND, "%s is held by %s, of which no more is known", name_of(u->s, n),
			    *name);
	}
	/* Of a loop device the kernel tells neither of the two that they belong together. */
	vec_each (struct node *const *, up, &n->above)
		if ((*up)->block && (*up)->block->backing)
			add(u, n, USE_BOUND, "%s is used by %s, a loop device on %s", name_of(u->s, n),
			    name_of(u->s, *up), (*up)->block->backing);
}

static void look_at(struct uses *u, const struct node *n)
{
	const struct settle *s = u->s;
	const char *busy = n->kind->busy ? n->kind->busy(s->arena, s->machine, n) : NULL;

	if (busy)
		add(u, n, USE_BUSY, "%s is under way on %s", busy, name_of(u->s, n));
	if (!n->block)
		return;
	text_list mounts = machine_mounts_of(s->machine, s->arena, n->block);

	vec_each (const char *const *, target, &mounts)
		add(u, n, mount_bond(s, *target), "%s is mounted on %s", name_of(u->s, n), *target);
	if (machine_is_swap(s->machine, n->block))
		add(u, n, USE_LOOSE, "%s is in use as swap", name_of(u->s, n));
	add_holders(u, n);
}

/* The mounts that make up /: itself, or for an overlay those with its layers, as far as they can be seen. */
static bool is_mount_of_root(const struct machine *m, const struct mount_there *mount)
{
	if (!strcmp(mount->target, "/"))
		return true;
	vec_each (const struct mount_there *, root, &m->mounts) {
		if (strcmp(root->target, "/") != 0 || !text_eq(root->type, "overlay") || !root->options)
			continue;
		for (const char *o = root->options; *o; o += strcspn(o, ",:"), o += *o != '\0') {
			const char *path = text_starts(o, "lowerdir=")   ? o + strlen("lowerdir=")
					   : text_starts(o, "upperdir=") ? o + strlen("upperdir=")
									 : o;
			size_t n = strlen(mount->target);

			if (*path == '/' && n > 1 && !strncmp(path, mount->target, n) &&
			    (!path[n] || strchr("/,:", path[n])))
				return true;
		}
	}
	return false;
}

static bool carries_root(const struct settle *s, const struct node *n)
{
	text_list mounts = n->block ? machine_mounts_of(s->machine, s->arena, n->block) : (text_list){ 0 };

	vec_each (const char *const *, target, &mounts)
		vec_each (const struct mount_there *, mount, &s->machine->mounts)
			if (!strcmp(mount->target, *target) && is_mount_of_root(s->machine, mount))
				return true;
	return false;
}

bool plan_is_root_disk(const struct settle *s, const struct node *disk)
{
	struct map seen = { .arena = s->arena };
	node_list todo = { 0 };

	if (disk->below.n)
		return false;
	vec_push(s->arena, &todo, (struct node *)disk);
	for (size_t i = 0; i < todo.n; i++) {
		if (carries_root(s, todo.at[i]))
			return true;
		vec_each (struct node *const *, up, &todo.at[i]->above)
			if (!map_set(&seen, (*up)->name, *up))
				vec_push(s->arena, &todo, *up);
	}
	return false;
}

use_list plan_uses_of(const struct settle *s, const struct node *have)
{
	struct uses u = { .s = s };

	look_at(&u, have);
	return u.list;
}

use_list plan_users_of(const struct settle *s, const struct node *have)
{
	struct uses u = { .s = s };
	struct map seen = { .arena = s->arena };
	protection_list protections = plan_protections(s->arena, s->machine, s->have, &s->machine->protected);
	node_list todo = { 0 }, disks = node_disks(s->arena, have);

	vec_each (struct node *const *, disk, &disks) {
		const struct protection *p = plan_protection_of(&protections, *disk);

		if (p)
			add(&u, *disk, USE_BOUND, "%s is protected: line %u of %s states '%s', %s",
			    name_of(s, *disk), p->line->line, p->line->file,
			    text_short(s->arena, p->line->id), p->what);
	}
	if (!have->below.n && plan_is_root_disk(s, have))
		add(&u, have, USE_BOUND, "%s is a disk of the running system: / stands on it",
		    name_of(s, have));
	vec_push(s->arena, &todo, (struct node *)have);
	for (size_t i = 0; i < todo.n; i++) {
		look_at(&u, todo.at[i]);
		vec_each (struct node *const *, up, &todo.at[i]->above)
			if (!map_set(&seen, (*up)->name, *up))
				vec_push(s->arena, &todo, *up);
	}
	return u.list;
}

bool plan_is_bound(const use_list *uses)
{
	vec_each (const struct use *, use, uses)
		if (use->bond == USE_BOUND)
			return true;
	return false;
}
