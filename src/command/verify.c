/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/verify.h"

#include "base/arena.h"
#include "command/command.h"
#include "layout/layout.h"
#include "machine/machine.h"
#include "show/show.h"

static int look(struct cli *c, struct verified **ret)
{
	struct layout *l = NULL;
	struct machine *m;
	struct graph *want;
	int r = layout_read(c->arena, c->words.at[0], &c->diag, &l);

	if (r < 0) {
		/* The mistakes that are left are told all the same. */
		if (l)
			(void)layout_build(c->arena, l, &c->diag, &want);
		return r;
	}
	r = command_machine(c, &m);
	return r < 0 ? r : verify_make(c->arena, l, m, &c->options, &c->diag, ret);
}

int command_verify(struct cli *c)
{
	struct text out = { .arena = c->arena };
	struct verified *v;
	int r;

	if (look(c, &v) < 0)
		return command_end(c);
	if (c->json)
		show_verify_json(v, c->arena, &out);
	else
		show_verify_text(v, c->arena, &out);
	/* Who watches must not take what could not be said for "as asked". */
	(void)command_print(c, text_str(&out));
	r = command_end(c);
	return r ? r : v->differences.n ? EXIT_CHANGES : EXIT_DONE;
}
