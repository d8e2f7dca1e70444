/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

struct arena;
struct node;

/** plan_identity() - of what lies beneath, whatever its order: of one disk its own, of several a digest, so that it stays short. NULL: it is a disk. */
const char *plan_identity(struct arena *a, const struct node *n);
