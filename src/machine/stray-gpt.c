/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/units.h"
#include "base/uuid.h"
#include "machine/machine.h"
#include "machine/parts.h"

/*
 * What is left of a GPT whose other copy is gone, or which was written for sectors of another size (a disk that was behind a USB bridge):
 * kernel and libblkid then see none. Little-endian. Source: UEFI 2.10, 5.3.2 (header) and 5.3.3 (entries).
 */
enum {
	HEADER = 92,       /* bytes of it that are defined */
	ENTRY = 128,       /* the smallest */
	MOST_ENTRY = 4096, /* the standard knows no limit but a power of two times 128 */
	MOST_ENTRIES = 1024,
	MOST_BYTES = 128 * KIB,
};

static uint64_t le(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | p[n];
	return v;
}

/* CRC-32 as in Ethernet: reflected, polynomial 0x04c11db7. The checksum's own place counts as zero. */
static uint32_t header_crc(const uint8_t *h, size_t n)
{
	uint32_t r = ~UINT32_C(0);

	for (size_t i = 0; i < n; i++) {
		r ^= i >= 16 && i < 20 ? 0 : h[i];
		for (int bit = 0; bit < 8; bit++)
			r = r >> 1 ^ (r & 1 ? 0xedb88320 : 0);
	}
	return ~r;
}

/* The first three fields of a GUID are little-endian numbers. */
static const char *guid_text(struct arena *a, const uint8_t *p)
{
	static const uint8_t order[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	struct uuid u;

	for (size_t i = 0; i < sizeof(order); i++)
		u.b[i] = p[order[i]];
	return uuid_text(a, u);
}

static void read_entry(const uint8_t *e, uint64_t size, uint32_t sector, struct arena *a, extent_list *ret)
{
	static const uint8_t unused[16];
	uint64_t first = le(e + 32, 8), last = le(e + 40, 8), sectors = size / sector;

	if (!memcmp(e, unused, sizeof(unused)) || !first || first > last || first >= sectors)
		return;
	vec_push(a, ret,
		 (struct extent){ .start = first * sector,
				  .size = last < sectors ? (last - first + 1) * sector : 0 });
}

bool gpt_entries(struct arena *a, int fd, uint64_t size, uint64_t header, uint32_t sector, extent_list *ret,
		 const char **ret_uuid)
{
	uint8_t h[4096];
	uint64_t header_size, start, count, each;
	uint8_t *entries;
	ssize_t got;

	if (sector > sizeof(h) || header > size || size - header < sector ||
	    pread(fd, h, sector, (off_t)header) != (ssize_t)sector || memcmp(h, "EFI PART", 8) != 0)
		return false;
	header_size = le(h + 12, 4);
	if (header_size < HEADER || header_size > sector || le(h + 16, 4) != header_crc(h, header_size))
		return false;
	*ret_uuid = guid_text(a, h + 56);
	start = le(h + 72, 8);
	count = le(h + 80, 4);
	each = le(h + 84, 4);
	if (start >= size / sector || each < ENTRY || each > MOST_ENTRY || each % 8)
		return true;
	if (count > MOST_ENTRIES)
		count = MOST_ENTRIES;
	if (count > MOST_BYTES / each)
		count = MOST_BYTES / each;
	entries = arena_alloc(a, count * each + 1);
	/* What can be read of them; those that the end of the disk cuts off, can't. */
	got = pread(fd, entries, count * each, (off_t)(start * sector));
	for (uint64_t i = 0; got > 0 && (i + 1) * each <= (uint64_t)got; i++)
		read_entry(entries + i * each, size, sector, a, ret);
	return true;
}
