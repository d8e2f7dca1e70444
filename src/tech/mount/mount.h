/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

struct arena;
struct build;
struct kind;
struct node;
struct probe;
struct settle;
struct why;

/* What the files of this room have in common. */

extern const struct kind swapon_kind;

/**
 * mount_options() - the options of an fstab line that mount(8) and swapon(8) are to be given
 *
 * Without those that are notes to the boot. "nofail" must not be among them: with it, mount succeeds where the device is missing.
 *
 * Return: in @a; NULL: none.
 */
const char *mount_options(struct arena *a, const char *options);

/** mount_is_for_all() - whether a place in the layout is one that everybody may write into: /tmp, /var/tmp. */
bool mount_is_for_all(const char *target);

/** mount_probe() - the room's probe(). */
int mount_probe(struct probe *p);

/** mount_is_fresh() - whether what is mounted at a path has the mode that mkfs gives it, and nothing in it. */
bool mount_is_fresh(const struct settle *s, const char *target);

/** mount_survey() - the room's survey(): UUIDs that two filesystems bear, and where the layout has no fstab, lines of it that lead nowhere. */
void mount_survey(const struct settle *s, struct why *why);

/** swapon_finish() - adds the use of each wanted swap. */
void swapon_finish(struct build *b);
