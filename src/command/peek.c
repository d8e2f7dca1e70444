/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/arena.h"
#include "command/command.h"
#include "machine/machine.h"
#include "plan/plan.h"

size_t command_peek(struct cli *c, const struct plan *p, struct machine *m)
{
	size_t found = 0;

	vec_each (struct step *const *, st, &p->steps)
		if ((*st)->op.form == OP_TABLE) {
			extent_list places = plan_places(p, c->arena, (*st)->op.dev);

			found += machine_peek(m, (*st)->op.dev, &places, &c->diag);
		}
	return found;
}

/* What was said between two moments. */
static void forget(struct diag *d, const struct diag *before, const struct diag *after)
{
	size_t n = d->messages.n - after->messages.n;

	if (n)
		memmove(d->messages.at + before->messages.n, d->messages.at + after->messages.n,
			n * sizeof(*d->messages.at));
	d->messages.n = before->messages.n + n;
	d->errors -= after->errors - before->errors;
	d->warnings -= after->warnings - before->warnings;
	d->refusals -= after->refusals - before->refusals;
}

int command_plan_for(struct cli *c, const struct layout *l, struct machine *m, const struct plan_options *o,
		     struct plan **ret)
{
	struct diag before = c->diag, after;
	int r = plan_make(c->arena, l, m, o, &c->diag, ret);

	after = c->diag;
	if (r < 0 || !command_peek(c, *ret, m))
		return r;
	forget(&c->diag, &before, &after); /* all is said again, of what is known now */
	return plan_make(c->arena, l, m, o, &c->diag, ret);
}
