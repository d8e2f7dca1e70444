/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

struct node;
struct settle;

/** plan_may_create() - whether everything that @n puts its content on is blank and idle; what isn't is refused, with what is on it. */
bool plan_may_create(const struct settle *s, const struct node *n);
