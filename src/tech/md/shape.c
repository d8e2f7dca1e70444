/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/units.h"
#include "tech/md/md.h"

/*
 * How large an array becomes is mdadm's choice, not the kernel's: it decides where data begins on the members. What follows counts as
 * version 4.2 does; md.md says what else was looked at.
 */

static const struct level_word {
	const char *word;
	int level;
} level_words[] = {
	{ "0", 0 },      { "raid0", 0 }, { "stripe", 0 }, { "1", 1 },       { "raid1", 1 },
	{ "mirror", 1 }, { "4", 4 },     { "raid4", 4 },  { "5", 5 },       { "raid5", 5 },
	{ "6", 6 },      { "raid6", 6 }, { "10", 10 },    { "raid10", 10 },
};

int md_level(const char *text)
{
	for (size_t i = 0; i < sizeof(level_words) / sizeof(*level_words); i++)
		if (!strcmp(text, level_words[i].word))
			return level_words[i].level;
	return -1;
}

const char *md_level_text(struct arena *a, int level)
{
	return arena_printf(a, "RAID%d", level);
}

/* The layouts of RAID5 and RAID6, by the kernel's number: where parity lies, and where data begins behind it. */
static const char *const parity_layouts[] = { "left-asymmetric", "right-asymmetric", "left-symmetric",
					      "right-symmetric" };
static const char *const parity_short[] = { "la", "ra", "ls", "rs" };

enum { LEFT_SYMMETRIC = 2, OFFSET_BIT = 1 << 16 };

static int raid10_layout(const char *text, int *ret)
{
	static const struct {
		const char *word, *letter;
		int by;
	} forms[] = { { "near", "n", 1 }, { "far", "f", 1 << 8 }, { "offset", "o", 1 << 8 } };

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		const char *number = "";
		char *end;
		unsigned long copies;

		if (text_starts(text, forms[i].word))
			number = text + strlen(forms[i].word);
		else if (text[0] == forms[i].letter[0])
			number = text + 1;
		if (number[0] < '1' || number[0] > '9')
			continue;
		copies = strtoul(number, &end, 10);
		if (*end || copies > 255)
			return -EINVAL;
		*ret = (int)copies * forms[i].by + (forms[i].by == 1 ? 1 << 8 : 1) +
		       (forms[i].letter[0] == 'o' ? OFFSET_BIT : 0);
		return 0;
	}
	return -EINVAL;
}

int md_layout(int level, const char *text, int *ret)
{
	if (level == 10)
		return raid10_layout(text, ret);
	if (level != 5 && level != 6)
		return -EINVAL;
	for (int i = 0; i < 4; i++)
		if (!strcmp(text, parity_layouts[i]) || !strcmp(text, parity_short[i])) {
			*ret = i;
			return 0;
		}
	return -EINVAL;
}

int md_layout_default(int level)
{
	switch (level) {
	case 10:
		return 2 | 1 << 8;
	case 5:
	case 6:
		return LEFT_SYMMETRIC;
	default:
		return 0;
	}
}

static unsigned near_copies(int layout)
{
	return (unsigned)layout & 255;
}

static unsigned far_copies(int layout)
{
	return (unsigned)layout >> 8 & 255;
}

const char *md_layout_text(struct arena *a, int level, int layout)
{
	unsigned near = near_copies(layout), far = far_copies(layout);

	switch (level) {
	case 5:
	case 6:
		return layout >= 0 && layout < 4 ? parity_layouts[layout]
						 : arena_printf(a, "number %d", layout);
	case 10:
		if (far == 1)
			return arena_printf(a, "n%u", near);
		if (near == 1)
			return arena_printf(a, "%c%u", layout & OFFSET_BIT ? 'o' : 'f', far);
		return arena_printf(a, "n%u%c%u", near, layout & OFFSET_BIT ? 'o' : 'f', far);
	default:
		return NULL;
	}
}

static const struct {
	const char *text;
	int metadata;
} metadatas[] = { { "1.2", 2 }, { "1.1", 1 }, { "1.0", 0 }, { "0.90", MD_METADATA_090 } };

int md_metadata(const char *text)
{
	for (size_t i = 0; i < sizeof(metadatas) / sizeof(*metadatas); i++)
		if (!strcmp(text, metadatas[i].text))
			return metadatas[i].metadata;
	return -1;
}

const char *md_metadata_text(int metadata)
{
	for (size_t i = 0; i < sizeof(metadatas) / sizeof(*metadatas); i++)
		if (metadatas[i].metadata == metadata)
			return metadatas[i].text;
	return "unknown";
}

unsigned md_copies(const struct md_shape *s)
{
	switch (s->level) {
	case 1:
		return s->disks;
	case 10:
		return near_copies(s->layout) * far_copies(s->layout);
	default:
		return 1;
	}
}

unsigned md_least(int level, int layout)
{
	unsigned copies = near_copies(layout) * far_copies(layout);

	switch (level) {
	case 6:
		return 4;
	case 10:
		return copies > 2 ? copies : 2;
	default:
		/* mdadm makes RAID0 and RAID1 of one device too, with --force alone. */
		return 2;
	}
}

/* Whether a copy of each chunk is left. The kernel counts chunks through the members, so the pattern repeats after as many as there are. */
static bool raid10_alive(const struct md_shape *s, const bool *alive)
{
	unsigned near = near_copies(s->layout), far = far_copies(s->layout), n = s->disks;

	for (unsigned chunk = 0; chunk < n; chunk++) {
		bool left = false;

		for (unsigned i = 0; i < near && !left; i++)
			for (unsigned k = 0; k < far && !left; k++)
				left = alive[((size_t)chunk * near + i + (size_t)k * near) % n];
		if (!left)
			return false;
	}
	return true;
}

bool md_alive(const struct md_shape *s, const bool *alive)
{
	unsigned dead = 0;

	for (unsigned i = 0; i < s->disks; i++)
		dead += !alive[i];
	switch (s->level) {
	case 1:
		return dead < s->disks;
	case 4:
	case 5:
		return dead <= 1;
	case 6:
		return dead <= 2;
	case 10:
		return raid10_alive(s, alive);
	default:
		return !dead;
	}
}

/* Room for a bitmap, sectors, whether there will be one or not. */
static uint64_t bitmap_room(uint64_t device)
{
	if (device < 128)
		return 0;
	if (device - 128 >= 200 * GIB / SECTOR)
		return 256;
	if (device - 8 > 8 * GIB / SECTOR)
		return 128;
	return 8;
}

/* Where data begins, sectors. 0.1% of the member is left for a later change of the shape, as a power of two of at most 128 MiB. */
static uint64_t data_offset(const struct md_shape *s, uint64_t first)
{
	uint64_t room = 128 * MIB / SECTOR, chunk = s->chunk / SECTOR;

	if (s->metadata != 1 && s->metadata != 2)
		return 0;
	while (room << 10 > first && (!chunk || room / 2 >= chunk * 2))
		room /= 2;
	return units_align_up(24 + bitmap_room(first) + room, MIB / SECTOR);
}

/* What a member has for data, sectors; 0: it is too small. */
static uint64_t data_room(const struct md_shape *s, uint64_t device, uint64_t offset)
{
	uint64_t overhead;

	switch (s->metadata) {
	case MD_METADATA_090:
		/* In 64 KiB, the last whole one is for the superblock. */
		device = units_align_down(device, 128);
		return device > 128 ? device - 128 : 0;
	case 0:
		overhead = 8 * 2 + 8 + bitmap_room(device);
		device = units_align_down(device, 8);
		return device > overhead ? device - overhead : 0;
	default:
		return device > offset ? device - offset : 0;
	}
}

/*
 * The same for RAID0: there each member is used in full, so the kernel goes by what the superblock says of this one. mdadm reserves no
 * bitmap there, but the log of bad blocks stays.
 */
static uint64_t data_room_raid0(const struct md_shape *s, uint64_t device, uint64_t offset)
{
	uint64_t place;

	if (s->metadata != 0)
		return data_room(s, device, offset);
	place = units_align_down(device - 16, 8);
	return device > 32 ? place - 8 : 0;
}

static uint64_t array_sectors(const struct md_shape *s, uint64_t component)
{
	uint64_t chunk = s->chunk / SECTOR, chunks;

	switch (s->level) {
	case 1:
		return component;
	case 4:
	case 5:
		return component * (s->disks - 1);
	case 6:
		return component * (s->disks - 2);
	case 10:
		/* The kernel's order of divisions: whole chunks of each far section first. */
		chunks = component / chunk / far_copies(s->layout);
		return chunks * s->disks / near_copies(s->layout) * chunk;
	default:
		return 0;
	}
}

int md_sizes(const struct md_shape *s, const uint64_t *members, struct md_sizes *ret)
{
	uint64_t least = UINT64_MAX, sum = 0, offset = 0;
	bool first = true;

	for (size_t i = 0; i < s->disks; i++) {
		/* RAID1 has no chunk, but mdadm rounds for one, should it ever become a RAID5. */
		uint64_t device = members[i] / SECTOR, unit = s->level == 1 ? 128 : s->chunk / SECTOR, room;

		if (!device)
			continue;
		if (first)
			offset = data_offset(s, device);
		first = false;
		room = s->level == 0 ? data_room_raid0(s, device, offset) : data_room(s, device, offset);
		room = units_align_down(room, unit);
		if (!room) {
			ret->small = i;
			return -ENOSPC;
		}
		sum += room;
		if (room < least)
			least = room;
	}
	ret->data_offset = offset * SECTOR;
	ret->component = least * SECTOR;
	ret->size = (s->level == 0 ? sum : array_sectors(s, least)) * SECTOR;
	return 0;
}

bool md_bitmap_default(int level, uint64_t component)
{
	return level >= 1 && component > 100 * GIB;
}

/* The kernel stacks the limits of the members under its own: the larger granularity, the common multiple of stripes, 32 bits wide. */
static void stack(struct geometry *g, const struct geometry *member)
{
	uint64_t opt;

	if (member->logical > g->logical)
		g->logical = member->logical;
	if (member->physical > g->physical)
		g->physical = member->physical;
	if (member->declared) /* it doesn't see this one */
		return;
	if (member->min_io > g->min_io)
		g->min_io = member->min_io;
	opt = g->opt_io && member->opt_io ? units_lcm(g->opt_io, member->opt_io) : g->opt_io + member->opt_io;
	g->opt_io = opt && opt <= UINT32_MAX && (!g->physical || opt % g->physical == 0) ? opt : 0;
}

struct geometry md_geometry(const struct md_shape *s, uint64_t offset, const struct geometry *members,
			    size_t n)
{
	struct geometry g = { 0 };
	unsigned near = near_copies(s->layout), wide = 0;

	switch (s->level) {
	case 0:
		wide = s->disks;
		break;
	case 4:
	case 5:
		wide = s->disks - 1;
		break;
	case 6:
		wide = s->disks - 2;
		break;
	case 10:
		/* Far and offset copies count as one near copy, and what doesn't divide isn't divided. */
		wide = near && s->disks % near == 0 ? s->disks / near : s->disks;
		break;
	default:
		break;
	}
	g.min_io = s->chunk;
	g.opt_io = wide * s->chunk;
	for (size_t i = 0; i < n; i++)
		stack(&g, &members[i]);
	if (!wide && n && members[0].opt_io) {
		/* A mirror is as its members are, but begins further in. */
		if (members[0].declared) {
			g.declared = true;
			g.min_io = members[0].min_io;
			g.opt_io = members[0].opt_io;
		}
		if (g.opt_io)
			g.offset = (members[0].offset + offset) % g.opt_io;
	}
	return g;
}

const char *md_uuid_text(struct arena *a, struct uuid u)
{
	struct text t = { .arena = a };

	for (size_t i = 0; i < sizeof(u.b); i++)
		text_printf(&t, "%s%02x", i && i % 4 == 0 ? ":" : "", u.b[i]);
	return text_str(&t);
}

int md_uuid_parse(const char *s, struct uuid *ret)
{
	struct uuid u = { 0 };
	size_t digits = 0;

	for (; *s; s++) {
		int c = tolower((unsigned char)*s), value;

		if (strchr(":-. ", c))
			continue;
		if (!isxdigit(c) || digits == 2 * sizeof(u.b))
			return -EINVAL;
		value = isdigit(c) ? c - '0' : c - 'a' + 10;
		u.b[digits / 2] = (uint8_t)(u.b[digits / 2] << 4 | value);
		digits++;
	}
	if (digits != 2 * sizeof(u.b))
		return -EINVAL;
	*ret = u;
	return 0;
}
