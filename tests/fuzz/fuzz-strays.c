/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/units.h"
#include "fuzz.h"
#include "machine/parts.h"
#include "tech/kind.h"

/* The first byte says where on a disk the rest lies, or behind which place of a partition a room is shown it. */
static const uint64_t places[] = { 512, 4096, 8 * MIB - 4096, 8 * MIB - 512, 8 * MIB - 16896, MIB, 2 * MIB };
static const char *const types[] = { "ext4", "ext2", "xfs",         "btrfs",
				     "vfat", "swap", "LVM2_member", "linux_raid_member" };
static const size_t starts[] = { 0, 512, 1024, 4086, 4096, 65536 };

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

static void ask_rooms(struct arena *a, unsigned which, const uint8_t *data, size_t size)
{
	size_t at = starts[which % COUNT(starts)];
	const char *type = types[which / COUNT(starts) % COUNT(types)];
	uint8_t *piece = arena_alloc(a, at + size);

	memcpy(piece + at, data, size);
	for (const struct room *const *r = rooms; *r; r++)
		if ((*r)->extent)
			(void)(*r)->extent(type, piece, at + size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_arena_ struct arena *a = arena_new();
	_cleanup_fd_ int fd = -1;
	struct diag d = { .arena = a };
	struct blockdev dev = { .name = "vda", .path = "/dev/vda", .type = "disk", .size = 8 * MIB };
	unsigned which;

	if (size < 2)
		return 0;
	which = *data++;
	size--;
	if (which >= COUNT(places)) {
		ask_rooms(a, which - COUNT(places), data, size);
		return 0;
	}
	fd = memfd_create("disk", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, (off_t)dev.size) < 0)
		return 0;
	if (size > dev.size - places[which])
		size = dev.size - places[which];
	if (pwrite(fd, data, size, (off_t)places[which]) == (ssize_t)size)
		(void)stray_find(a, fd, &dev, NULL, true, &d);
	return 0;
}
