/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "graph/node.h"

struct arena;
struct layout;

/**
 * stack_warn() - a warning for each named thing that stands on another of its section with other things between
 * An array on an array is common (RAID 50); an array on a volume on an array is legal, but odd. So is a volume group on its like.
 * @sorted: the wanted nodes, each behind what it stands on
 */
void stack_warn(struct arena *a, const struct layout *l, const node_list *sorted, struct diag *d);
