/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "tech/md/md.h"

/*
 * The two formats of md's superblock, as the kernel's include/uapi/linux/raid/md_p.h has them. Only what an array is, nothing of how it
 * fares: event counters and times differ between two looks at the same array.
 */
enum { V1_ROLES = 256, V1_MOST_ROLES = (MD_SUPER_BYTES - V1_ROLES) / 2 };

static const uint32_t magic = 0xa92b4efc;

static uint32_t le16(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static uint32_t le32(const uint8_t *p)
{
	return le16(p) | le16(p + 2) << 16;
}

static uint64_t le64(const uint8_t *p)
{
	return le32(p) | (uint64_t)le32(p + 4) << 32;
}

uint64_t md_super_place(int metadata, uint64_t device_size)
{
	uint64_t sectors = device_size / SECTOR;

	if (device_size < 64 * KIB)
		return UINT64_MAX;
	switch (metadata) {
	case MD_METADATA_090:
		return (units_align_down(sectors, 128) - (sectors >= 128 ? 128 : 0)) * SECTOR;
	case 0:
		return units_align_down(sectors - 16, 8) * SECTOR;
	case 1:
		return 0;
	case 2:
		return UINT64_C(8) * SECTOR;
	default:
		return UINT64_MAX;
	}
}

static int parse_v1(const uint8_t *b, struct md_super *r)
{
	uint32_t number = le32(b + 160), roles = le32(b + 220);

	if (le32(b) != magic || le32(b + 4) != 1)
		return -EINVAL;
	memcpy(r->uuid.b, b + 16, sizeof(r->uuid.b));
	memcpy(r->name, b + 32, 32);
	r->shape.level = (int)le32(b + 72);
	r->shape.layout = (int)le32(b + 76);
	r->component = le64(b + 80) < UINT64_MAX / SECTOR ? le64(b + 80) * SECTOR : 0;
	r->shape.chunk = (uint64_t)le32(b + 88) * SECTOR;
	r->shape.disks = le32(b + 92);
	r->data_offset = le64(b + 128) < UINT64_MAX / SECTOR ? le64(b + 128) * SECTOR : 0;
	r->bitmap = le32(b + 8) & 1;
	r->role = MD_ROLE_SPARE;
	if (number < roles && number < V1_MOST_ROLES) {
		uint32_t role = le16(b + V1_ROLES + (size_t)2 * number);

		r->role = role == 0xffff ? MD_ROLE_SPARE : role == 0xfffe ? MD_ROLE_FAULTY : (int)role;
	}
	return 0;
}

/* The older format is a row of 32-bit words. */
static uint32_t word(const uint8_t *b, size_t n)
{
	return le32(b + 4 * n);
}

/* A big-endian machine writes this one its own way round; such a member isn't recognised here, nor by a kernel of ours. */
static int parse_v0(const uint8_t *b, struct md_super *r)
{
	static const size_t uuid_words[] = { 5, 13, 14, 15 };
	const uint8_t *self = b + (size_t)4 * 992;

	if (word(b, 0) != magic || word(b, 1) != 0 || word(b, 2) != 90)
		return -EINVAL;
	/* mdadm shows these four words as numbers. */
	for (size_t i = 0; i < 4; i++)
		for (size_t k = 0; k < 4; k++)
			r->uuid.b[4 * i + k] = (uint8_t)(word(b, uuid_words[i]) >> (24 - 8 * k));
	r->shape.level = (int)word(b, 7);
	r->component = word(b, 8) * KIB;
	r->shape.disks = word(b, 10);
	r->shape.layout = (int)word(b, 64);
	r->shape.chunk = word(b, 65);
	r->bitmap = word(b, 33) & 1 << 8;
	if (word(self, 4) & 1)
		r->role = MD_ROLE_FAULTY;
	else
		r->role = word(self, 3) < r->shape.disks ? (int)word(self, 3) : MD_ROLE_SPARE;
	return 0;
}

int md_super_parse(const uint8_t *buf, int metadata, struct md_super *ret)
{
	struct md_super r = { .shape.metadata = metadata };
	int e = metadata == MD_METADATA_090 ? parse_v0(buf, &r) : parse_v1(buf, &r);

	if (e < 0)
		return e;
	if (r.shape.disks > V1_MOST_ROLES)
		return -EINVAL;
	if (r.shape.level != 5 && r.shape.level != 6 && r.shape.level != 10)
		r.shape.layout = 0; /* RAID0 keeps a number of its own there, the others nothing */
	*ret = r;
	return 0;
}

uint64_t md_extent(const char *type, const uint8_t *at, size_t len)
{
	if (!text_eq(type, "linux_raid_member"))
		return 0;
	for (int metadata = 1; metadata <= 2; metadata++) {
		const uint8_t *b = at + md_super_place(metadata, MIB);
		uint64_t data_offset, data_size;

		if (len < (size_t)(b - at) + MD_SUPER_BYTES || le32(b) != magic || le32(b + 4) != 1 ||
		    le64(b + 144) * SECTOR != (uint64_t)(b - at))
			continue;
		data_offset = le64(b + 128);
		data_size = le64(b + 136);
		if (data_offset > INT64_MAX / SECTOR || data_size > INT64_MAX / SECTOR - data_offset)
			return 0;
		return (data_offset + data_size) * SECTOR;
	}
	return 0;
}
