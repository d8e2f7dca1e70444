/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/arena.h"
#include "base/file.h"
#include "machine/parts.h"

enum { ANSWER = 16 * 1024, ANSWER_MAX = 1024 * 1024 };

/* As the driver wants it; makedev() is another order. */
static uint64_t kernel_dev(unsigned major, unsigned minor)
{
	return (minor & 0xff) | ((uint64_t)major << 8) | ((uint64_t)(minor & ~0xffu) << 12);
}

const char *look_dm_target(struct arena *a, unsigned major, unsigned minor)
{
	_cleanup_fd_ int fd = open("/dev/mapper/control", O_RDWR | O_CLOEXEC);
	_cleanup_arena_ struct arena *scratch = arena_new();

	for (size_t room = ANSWER; fd >= 0 && room <= ANSWER_MAX; room *= 4) {
		struct dm_ioctl *io = arena_alloc(scratch, room);
		const struct dm_target_spec *first;

		/*
		 * The status instead of the table itself, since the table of an encrypted device holds its key; without
		 * flushing, since that would make thin pools commit.
		 */
		*io = (struct dm_ioctl){ .version = { DM_VERSION_MAJOR, 0, 0 },
					 .data_size = (uint32_t)room,
					 .data_start = sizeof(*io),
					 .flags = DM_NOFLUSH_FLAG | DM_READONLY_FLAG,
					 .dev = kernel_dev(major, minor) };
		if (ioctl(fd, DM_TABLE_STATUS, io) < 0)
			return NULL;
		if (io->flags & DM_BUFFER_FULL_FLAG)
			continue;
		if (!io->target_count || io->data_start > room - sizeof(*first))
			return NULL;
		first = (const void *)((const char *)io + io->data_start);
		return *first->target_type ? arena_strndup(a, first->target_type, sizeof(first->target_type))
					   : NULL;
	}
	return NULL;
}
