/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "plan/step.h"

struct arena;

/**
 * expect_met() - whether a device is there with that start and size, as the kernel sees it
 * @ret_why: otherwise what is wrong: "/dev/vda4 is not there"; in @a; may be NULL
 */
bool expect_met(struct arena *a, const struct op_expect *e, const char **ret_why);

/** expect_all() - the same for all of a list; @ret_why is about the first that isn't met. */
bool expect_all(struct arena *a, const struct op_expect *e, size_t n, const char **ret_why);

/** expect_udev() - whether somebody takes udevd's questions; one that is stopped doesn't answer them, but is there. */
bool expect_udev(void);
