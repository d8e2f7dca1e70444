/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

#include "base/text.h"

struct arena;
struct blockdev;

enum users_which {
	USERS_ALL,
	USERS_WRITING, /* of processes only those that can write: who just reads does no harm, and udev and its like do so all the time */
	USERS_APART, /* the same, without what a plan can see and end: what is mounted here, swap, what is a part of something */
};

/**
 * users_of() - who uses a device, or a partition of it, as far as the kernel shows it: for people, each a phrase
 *
 * "mounted on /srv", "mounted on /srv for process 12 (bash), in another mount namespace", "used as swap", "part of md127", "open in process
 * 7 (qemu-system-x86)". Processes are seen by root only. At most a dozen.
 */
text_list users_of(struct arena *a, const struct blockdev *dev, enum users_which which);
