/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "fuzz.h"
#include "graph/node.h"
#include "machine/have.h"
#include "machine/machine.h"
#include "machine/parts.h"
#include "machine/probe.h"
#include "tech/kind.h"

/* What is read from a disk: by libblkid, and by the rooms themselves. The disk is a file in memory, most of it empty. */

enum { DISK_BYTES = 128 << 20 };

#define UUID "1b4e28ba-2fa1-11d2-883f-0016d3cca427"

static uint64_t number(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | p[n];
	return v;
}

/* Pieces of: four bytes of sector, two of length, so many bytes. */
static void fill(int fd, const uint8_t *data, size_t size)
{
	if (ftruncate(fd, DISK_BYTES) < 0)
		abort();
	while (size >= 6) {
		uint64_t at = number(data, 4) % (DISK_BYTES / SECTOR) * SECTOR;
		size_t n = number(data + 4, 2);

		data += 6;
		size -= 6;
		if (n > size)
			n = size;
		if (n > DISK_BYTES - at)
			n = DISK_BYTES - at;
		if (pwrite(fd, data, n, (off_t)at) != (ssize_t)n)
			abort();
		data += n;
		size -= n;
	}
}

/* Asks the rooms that read, and none that starts a program. */
static void ask_rooms(struct machine *m, struct diag *d)
{
	static const char *const readers[] = { "md", "btrfs", "xfs", "ext4", "vfat", "swap" };
	struct probe p = {
		.arena = m->arena, .diag = d, .m = m, .out = json_object_new_object(), .root = true
	};
	struct machine *again;
	struct graph *have;
	const char *text;

	for (const struct room *const *room = rooms; *room; room++)
		for (size_t i = 0; i < sizeof(readers) / sizeof(*readers); i++)
			if ((*room)->probe && !strcmp((*room)->name, readers[i]))
				(void)(*room)->probe(&p);
	m->json = p.out;
	text = machine_write(m, m->arena);
	/* What was seen can be written down, and read again. */
	if (machine_parse(m->arena, "again", text, strlen(text), d, &again) < 0) {
		diag_print(d, stderr, false);
		abort();
	}
	(void)machine_have(m->arena, again, d, &have);
	m->json = NULL;
	json_object_put(p.out);
}

static void see(struct machine *m, struct blockdev *dev, const char *type, const char *usage,
		const char *version)
{
	struct signature s = { .type = type, .usage = usage, .uuid = UUID, .version = version };

	dev->signatures.n = 0;
	vec_push(m->arena, &dev->signatures, s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const types[] = { "ext4", "xfs", "btrfs", "vfat", "swap" };
	static const char *const versions[] = { "0.90.0", "1.0", "1.1", "1.2" };
	_cleanup_arena_ struct arena *a = arena_new();
	_cleanup_fd_ int fd = memfd_create("disk", MFD_CLOEXEC);
	struct diag d = { .arena = a };
	struct machine m = { .arena = a, .source = "fuzz", .live = true, .root = true };
	struct blockdev *dev = arena_of(a, struct blockdev);
	const char *what;

	if (fd < 0)
		abort();
	fill(fd, data, size);
	*dev = (struct blockdev){ .name = "sda",
				  .path = arena_printf(a, "/dev/fd/%d", fd),
				  .type = "disk",
				  .major = 8,
				  .size = DISK_BYTES,
				  .geo = { .logical = 512, .physical = 512 } };
	vec_push(a, &m.devs, dev);
	m.by_name.arena = m.by_link.arena = a;
	if (machine_index(&m, &what))
		abort();
	if (look_signatures(a, fd, dev) == 0)
		ask_rooms(&m, &d);
	/* As if blkid had seen them, so that the rooms' own readers don't depend on its taste. */
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		see(&m, dev, types[i], "filesystem", NULL);
		ask_rooms(&m, &d);
	}
	for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++) {
		see(&m, dev, "linux_raid_member", "raid", versions[i]);
		ask_rooms(&m, &d);
	}
	return 0;
}
