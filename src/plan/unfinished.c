/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/unfinished.h"

#include <inttypes.h>

#include "base/arena.h"
#include "base/text.h"
#include "machine/machine.h"
#include "plan/settle.h"
#include "plan/use.h"
#include "tech/kind.h"

const char *plan_making(const struct settle *s, const struct node *n)
{
	struct text t = { .arena = s->arena };

	text_printf(&t, "making\n%s\n%s\n%s\n%s", s->seed, n->id ? n->id : "", n->kind->name, n->name);
	vec_each (const struct edge *, e, &n->below)
		if (e->to->kind->device)
			text_printf(&t, "\n%s %" PRIu64, e->to->name, e->to->size);
	return uuid_text(s->arena, uuid_derive(text_str(&t)));
}

bool plan_was_making(const struct settle *s, const struct node *n)
{
	return s->machine->unfinished.n && map_get(&s->machine->unfinished, plan_making(s, n));
}

static bool is_used(const struct settle *s, const struct blockdev *b)
{
	return b->error || machine_mounts_of(s->machine, s->arena, b).n || machine_is_swap(s->machine, b);
}

static bool stands_on(const struct node *n, const struct node *have)
{
	vec_each (const struct edge *, e, &n->below)
		if (e->to->have == have)
			return true;
	return false;
}

/* One content, whatever the number of its magics: a GPT has one more in the MBR. */
static bool is_one_content(const struct blockdev *b)
{
	const char *uuid = NULL;

	vec_each (const struct signature *, sig, &b->signatures) {
		if (uuid && sig->uuid && !text_eq(uuid, sig->uuid))
			return false;
		uuid = uuid ? uuid : sig->uuid;
	}
	return true;
}

/* A device that it lies on is the layout's, idle, and bears nothing else. */
static bool is_alone_on(const struct settle *s, const struct node *want, const struct node *have,
			const struct node *dev)
{
	if (!stands_on(want, dev) || !dev->block || is_used(s, dev->block) || !is_one_content(dev->block))
		return false;
	vec_each (struct node *const *, up, &dev->above)
		if (*up != have)
			return false;
	vec_each (const char *const *, holder, &dev->block->holders)
		if (!have->block || !text_eq(have->block->name, *holder))
			return false;
	return true;
}

/* A new device is blank, and so are its partitions. */
static bool is_blank(const struct settle *s, const struct node *n, const struct blockdev *holder)
{
	if (!n->block)
		return false;
	vec_each (const char *const *, name, &n->block->holders)
		if (!holder || !text_eq(holder->name, *name))
			return false;
	return !n->block->signatures.n && !is_used(s, n->block);
}

/* Nothing stands on it but the devices that it gives, all of them blank. */
static bool is_bare(const struct settle *s, const struct node *have)
{
	if (have->block && !is_blank(s, have, NULL))
		return false;
	vec_each (struct node *const *, up, &have->above)
		if (!(*up)->kind->device || (*up)->above.n || !is_blank(s, *up, NULL))
			return false;
	return true;
}

static bool is_alone(const struct settle *s, const struct node *want, const struct node *have)
{
	use_list uses = plan_users_of(s, have);

	if (plan_is_bound(&uses))
		return false;
	vec_each (const struct edge *, e, &have->below)
		if (e->claim && !is_alone_on(s, want, have, e->to))
			return false;
	return is_bare(s, have);
}

const char *plan_is_half_table(const struct settle *s, const struct node *want, const struct node *dev)
{
	const struct blockdev *b = dev->block;
	enum leftover left;

	if (!b || !want->kind->leftover || !machine_looks_lost(s->machine, b))
		return NULL;
	if (dev->above.n || b->holders.n || is_used(s, b))
		return NULL;
	left = want->kind->leftover(want, dev, s);
	return left == LEFTOVER_HALF ? "was being written when a run was interrupted" : NULL;
}

const char *plan_is_unfinished(const struct settle *s, const struct node *want, const struct node *have,
			       bool differs)
{
	enum leftover left = want->kind->leftover ? want->kind->leftover(want, have, s) : LEFTOVER_NOT;

	switch (left) {
	case LEFTOVER_NOT:
		return NULL;
	case LEFTOVER_OURS:
		if (plan_was_making(s, want) && is_alone(s, want, have))
			return "was being made when a run was interrupted";
		return NULL;
	case LEFTOVER_HALF:
		return is_alone(s, want, have) ? "was begun by an interrupted run, and is empty" : NULL;
	case LEFTOVER_EMPTY:
		if (!is_alone(s, want, have))
			return NULL;
		if (plan_was_making(s, want))
			return "was being made when a run was interrupted";
		return differs ? "was begun by an interrupted run, and is empty" : NULL;
	}
	return NULL;
}
