/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/arena.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "tech/kind.h"

static const char *package_of(const char *program)
{
	/* No room's, but the planner's own waits are for it. */
	if (text_eq(program, "udevadm"))
		return "udev";
	for (const struct room *const *room = rooms; *room; room++)
		for (const struct room_tool *t = (*room)->tools; t && t->program; t++)
			if (text_eq(t->program, program))
				return t->package;
	return NULL;
}

text_list plan_missing_tools(const struct plan *p, struct arena *a)
{
	struct map seen = { .arena = a };
	text_list missing = { 0 };

	if (!p->machine->tools_known)
		return missing;
	vec_each (struct step *const *, st, &p->steps) {
		const char *program = (*st)->op.argv.n              ? (*st)->op.argv.at[0]
				      : (*st)->op.form == OP_SETTLE ? "udevadm"
								    : NULL;
		const char *package;

		if (!program || map_get(&p->machine->tools, program) || map_set(&seen, program, *st))
			continue;
		package = package_of(program);
		/* Every Debian has the programs that no room names (chmod). */
		if (package)
			vec_push(a, &missing, arena_printf(a, "%s (Debian package %s)", program, package));
	}
	return missing;
}
