/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/arena.h"
#include "base/units.h"
#include "machine/parts.h"

/*
 * Where partitions like to begin. Each place costs a blank disk one read, so they are few: what lies behind the first thing that is found
 * is come upon by its size. Only what begins with nothing (a bios-boot partition, one that was never formatted) or doesn't tell its size
 * (LUKS) needs the second and third places below.
 */

/* Before the first MiB: GPT's first usable sectors (34; 40 on Apple's), a track of 63 sectors, and flash and BSD's 64 and 128. */
static const uint64_t early_sectors[] = { 34, 40, 63, 64, 128, 256 };

/* First partitions, MiB: bios-boot, PReP, Microsoft's reserved one, ESPs, /boot, swap. */
static const uint64_t first_mib[] = { 1,   2,   3,   7,   8,   16,  100, 128,  200,  256,  260,
				      300, 500, 512, 513, 550, 600, 953, 1024, 2048, 4096, 8192 };

/* A small one, and another: bios-boot and /boot, bios-boot and an ESP, an ESP and /boot. */
static const uint64_t two_mib[] = { 1 + 256,    1 + 300,     1 + 500,    1 + 1024,     1 + 2048,
				    1 + 4096,   2 + 512,     2 + 1024,   8 + 1024,     100 + 16,
				    200 + 512,  200 + 1024,  256 + 512,  512 + 512,    512 + 1000,
				    512 + 2048, 1024 + 1024, 600 + 1024, 1 + 512 + 512 };

/* Cards and sticks begin there. */
static const uint64_t late_starts_mib[] = { 2, 4, 16 };

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

extent_list stray_places(struct arena *a)
{
	extent_list r = { 0 };

	for (size_t i = 0; i < COUNT(early_sectors); i++)
		vec_push(a, &r, (struct extent){ .start = early_sectors[i] * SECTOR });
	vec_push(a, &r, (struct extent){ .start = MIB });
	for (size_t i = 0; i < COUNT(first_mib); i++)
		vec_push(a, &r, (struct extent){ .start = (1 + first_mib[i]) * MIB });
	for (size_t i = 0; i < COUNT(two_mib); i++)
		vec_push(a, &r, (struct extent){ .start = (1 + two_mib[i]) * MIB });
	for (size_t i = 0; i < COUNT(late_starts_mib); i++)
		vec_push(a, &r, (struct extent){ .start = late_starts_mib[i] * MIB });
	return r;
}
