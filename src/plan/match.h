/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

struct graph;
struct node;
struct settle;
struct steps;

/** plan_may_create() - whether everything that @n puts its content on is blank and idle; what isn't is refused, with what is on it. */
bool plan_may_create(const struct settle *s, const struct node *n);

/** plan_clear_disks() - a step for each disk that gets new content: zeroes at both ends, where tables and superblocks lie. */
void plan_clear_disks(struct steps *s, const struct graph *want);
