/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

struct arena;
struct blockdev;
struct node;
struct settle;
struct signature;

/** plan_may_create() - whether everything that @n puts its content on is blank and idle; what isn't is refused, with what is on it. */
bool plan_may_create(const struct settle *s, const struct node *n);

/** plan_note_strays() - notes on what lies on a disk that looks like one whose table is lost, and how the table may be brought back. */
void plan_note_strays(const struct settle *s, const struct blockdev *b);

/** plan_stray_text() - one of those in words: "ext4 'boot' 1234-... at 2 MiB, 512 MiB long". */
const char *plan_stray_text(struct arena *a, const struct signature *sig);
