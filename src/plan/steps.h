/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/map.h"
#include "plan/step.h"

struct settle;

/* The steps while they are made; what the functions of step.h fill. */
struct steps {
	struct arena *arena;
	const struct settle *settle;
	step_list list;      /* as made */
	struct map makers;   /* node name -> the step that gives it */
	struct map chains;   /* key -> the last step of the chain */
	struct map barriers; /* key -> the wait for all steps of that key */
	struct step *last;   /* the one made last, while its node's create() runs */
	struct step *ended;  /* the last of those that end what is there; all others come after it */
};

void steps_init(struct steps *s, struct arena *a, const struct settle *settle);

/** steps_count(), steps_last() - how many there are, and the one made last. */
size_t steps_count(const struct steps *s);
struct step *steps_last(const struct steps *s);

/** steps_ended() - behind the last step that ends something: a wait until udev has seen it. */
void steps_ended(struct steps *s);

/** steps_settle_last() - where steps changed devices: a wait behind them all, so that links by UUID are there when the run is over. */
void steps_settle_last(struct steps *s);

/** steps_order() - draws the cardinal needs, and numbers the steps in one valid order: each behind what it needs, ties as made. */
void steps_order(struct steps *s, step_list *ret);
