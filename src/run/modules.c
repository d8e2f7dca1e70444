/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "plan/plan.h"
#include "run/loop.h"
#include "run/run.h"
#include "tech/kind.h"

enum { MODULES_S = 60 };

/* The filesystem whose driver a step has the kernel load; NULL: none. */
static const char *driver_of(const struct step *st)
{
	if (st->op.form == OP_MOUNT)
		return st->op.type;
	/* One over several devices is made known to its driver right when it is made, by its tool and by udev. */
	return st->node && st->node->kind && st->node->kind->section && st->node->kind->many
		       ? st->node->kind->name
		       : NULL;
}

/* Whether the kernel has it: a line "nodev\tNAME" or "\tNAME". */
static bool is_there(const char *filesystems, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = filesystems; (p = strstr(p, name)); p += n)
		if (p > filesystems && p[-1] == '\t' && (p[n] == '\n' || !p[n]))
			return true;
	return false;
}

void modules_load(struct runner *r)
{
	char *known = NULL, **argv;
	struct map seen = { .arena = r->arena };
	const char *modprobe;
	size_t n = 0;

	if (file_read(r->arena, AT_FDCWD, "/proc/filesystems", 1 << 20, &known, NULL))
		return;
	argv = arena_alloc(r->arena, (r->plan->steps.n + 5) * sizeof(*argv));
	argv[n++] = arena_strdup(r->arena, "modprobe");
	argv[n++] = arena_strdup(r->arena, "-qa");
	argv[n++] = arena_strdup(r->arena, "--");
	for (size_t i = 0; i < r->plan->steps.n; i++) {
		const char *name = driver_of(r->plan->steps.at[i]);

		if (!name || is_there(known, name))
			continue;
		r->jobs[i].driver = true;
		if (!map_set(&seen, name, (void *)name))
			argv[n++] = arena_printf(r->arena, "fs-%s", name);
	}
	modprobe = n > 3 ? child_find(r->arena, r->env, "modprobe") : NULL;
	if (!modprobe)
		return;
	r->modules.out_text = r->modules.err_text = arena_alloc(r->arena, sizeof(struct capture));
	if (!child_spawn(&r->modules, modprobe, argv, r->lock_fd, r->env,
			 child_clock_ms() +
				 (r->deadline_s && r->deadline_s < MODULES_S ? r->deadline_s : MODULES_S) *
					 UINT64_C(1000)))
		r->result->processes++;
}
