/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/units.h"
#include "machine/machine.h"
#include "machine/parts.h"

/* A disk without a table, as an image. */
struct trial {
	struct arena *a;
	int fd;
	struct blockdev dev;
	struct diag diag;
	signature_list found;
};

static struct trial trial(uint64_t size)
{
	struct trial t = { .a = arena_new(), .fd = memfd_create("disk", MFD_CLOEXEC) };

	assert_true(t.fd >= 0);
	assert_int_equal(ftruncate(t.fd, (off_t)size), 0);
	t.dev = (struct blockdev){ .name = "vda", .path = "/dev/vda", .type = "disk", .size = size };
	t.diag.arena = t.a;
	return t;
}

static void end_trial(struct trial *t)
{
	(void)close(t->fd);
	arena_free(t->a);
}
#define _cleanup_trial_ __attribute__((cleanup(end_trial)))

static void put(struct trial *t, uint64_t offset, const void *data, size_t n)
{
	assert_int_equal(pwrite(t->fd, data, n, (off_t)offset), n);
}

static void le(uint8_t *at, uint64_t n, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		at[i] = (uint8_t)(n >> (8 * i));
}

static void be(uint8_t *at, uint64_t n, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		at[bytes - 1 - i] = (uint8_t)(n >> (8 * i));
}

static void put_swap(struct trial *t, uint64_t at, uint64_t size)
{
	uint8_t b[4096] = { 0 };

	le(b + 1024, 1, 4);
	le(b + 1028, size / 4096 - 1, 4);
	memset(b + 1036, 0x11, 16);
	memcpy(b + 4086, "SWAPSPACE2", 10);
	put(t, at, b, sizeof(b));
}

static void put_ext4(struct trial *t, uint64_t at, uint64_t size, const char *label)
{
	uint8_t b[1024] = { 0 };

	le(b, 8192, 4);
	le(b + 4, size / 4096, 4);
	le(b + 12, size / 8192, 4);
	le(b + 16, 8000, 4);
	le(b + 24, 2, 4);
	le(b + 28, 2, 4);
	le(b + 32, 32768, 4);
	le(b + 56, 0xef53, 2);
	le(b + 76, 1, 4);
	le(b + 92, 4, 4);
	le(b + 96, 0x42, 4);
	memset(b + 104, 0x22, 16);
	memcpy(b + 120, label, strlen(label));
	put(t, at + 1024, b, sizeof(b));
}

static void put_pv(struct trial *t, uint64_t at, uint64_t size)
{
	uint8_t b[512] = "LABELONE";

	le(b + 8, 1, 8);
	le(b + 20, 32, 4);
	memcpy(b + 24, "LVM2 001", 8);
	memset(b + 32, 'a', 32);
	le(b + 64, size, 8);
	put(t, at + 512, b, sizeof(b));
}

/* @minor: 2: at the start; 0: at the end */
static void put_md(struct trial *t, uint64_t at, uint64_t size, int minor)
{
	uint8_t b[4096] = { 0 };
	uint64_t place = minor == 2 ? 8 : units_align_down(size / SECTOR - 16, 8);

	le(b, 0xa92b4efc, 4);
	le(b + 4, 1, 4);
	memset(b + 16, 0x33, 16);
	memcpy(b + 32, "any:data", 8);
	le(b + 128, minor == 2 ? 2048 : 0, 8);
	le(b + 136, (minor == 2 ? size / SECTOR - 2048 : place) - 0, 8);
	le(b + 144, place, 8);
	put(t, at + place * SECTOR, b, sizeof(b));
}

static void put_xfs(struct trial *t, uint64_t at, uint64_t blocks)
{
	uint8_t b[512] = "XFSB";

	be(b + 4, 4096, 4);
	be(b + 8, blocks, 8);
	memset(b + 32, 0x44, 16);
	be(b + 80, 1, 4);
	be(b + 84, blocks / 4, 4); /* blocks in a group */
	be(b + 88, 4, 4);
	be(b + 100, 0xb4a4, 2);
	be(b + 102, 512, 2);
	be(b + 104, 512, 2); /* an inode */
	be(b + 106, 8, 2);
	b[120] = 12; /* logarithms of all these */
	b[121] = 9;
	b[122] = 9;
	b[123] = 3;
	b[124] = 28;
	b[127] = 25; /* most of it for inodes, percent */
	be(b + 96, 2560, 4);
	put(t, at, b, sizeof(b));
}

static uint32_t crc(const uint8_t *s, size_t n)
{
	uint32_t r = ~0u;

	for (size_t i = 0; i < n; i++) {
		r ^= s[i];
		for (int bit = 0; bit < 8; bit++)
			r = r >> 1 ^ (r & 1 ? 0xedb88320u : 0);
	}
	return ~r;
}

/* A GPT's copy at the end, with one partition. Bytes. */
static void put_gpt(struct trial *t, uint32_t sector, uint64_t start, uint64_t size)
{
	uint64_t last = t->dev.size / sector - 1, entries = last - 32;
	uint8_t h[512] = "EFI PART", all[128 * 128] = { 0 }, *e = all;

	memset(e, 0x55, 32);
	le(e + 32, start / sector, 8);
	le(e + 40, (start + size) / sector - 1, 8);
	le(h + 8, 0x10000, 4);
	le(h + 12, 92, 4);
	le(h + 24, last, 8);
	le(h + 32, 1, 8);
	memset(h + 56, 0xab, 16);
	le(h + 72, entries, 8);
	le(h + 80, 128, 4);
	le(h + 84, 128, 4);
	le(h + 88, crc(all, sizeof(all)), 4);
	le(h + 16, crc(h, 92), 4);
	put(t, entries * sector, all, sizeof(all));
	put(t, last * sector, h, sizeof(h));
}

static void look(struct trial *t)
{
	t->found = stray_find(t->a, t->fd, &t->dev, NULL, true, &t->diag);
}

static const struct signature *at(const struct trial *t, uint64_t offset, const char *type)
{
	vec_each (const struct signature *, s, &t->found)
		if (s->offset == offset && text_eq(s->type, type))
			return s;
	return NULL;
}

static void test_zeroes_are_blank(void **state)
{
	_cleanup_trial_ struct trial t = trial(20 * GIB);
	_cleanup_trial_ struct trial small = trial(64 * KIB);

	(void)state;
	look(&t);
	assert_int_equal(t.found.n, 0);
	look(&small);
	assert_int_equal(small.found.n, 0);
	assert_int_equal(t.diag.messages.n + small.diag.messages.n, 0);
}

/* A few dozen reads, whatever the size of the disk. */
static void test_the_usual_places_are_few(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();

	(void)state;
	assert_true(stray_places(a).n <= 56);
}

/* No two of them at a usual place but the first: each is found by the size of the one before it. */
static void test_each_leads_to_the_next(void **state)
{
	_cleanup_trial_ struct trial t = trial(20 * GIB);
	uint64_t ext4 = MIB + 777 * MIB, md = ext4 + 1234 * MIB, pv = md + 333 * MIB, xfs = pv + 1111 * MIB,
		 last = xfs + 2048 * MIB;

	(void)state;
	put_swap(&t, MIB, 777 * MIB);
	put_ext4(&t, ext4, 1234 * MIB - 128 * KIB, "boot"); /* its end isn't the partition's */
	put_md(&t, md, 333 * MIB, 2);
	put_pv(&t, pv, 1111 * MIB);
	put_xfs(&t, xfs, 2048 * MIB / 4096);
	put_swap(&t, last, GIB);
	look(&t);
	assert_int_equal(t.found.n, 6);
	assert_non_null(at(&t, MIB, "swap"));
	assert_int_equal(at(&t, MIB, "swap")->size, 777 * MIB);
	assert_non_null(at(&t, ext4, "ext4"));
	assert_string_equal(at(&t, ext4, "ext4")->label, "boot");
	assert_int_equal(at(&t, ext4, "ext4")->size, 1234 * MIB - 128 * KIB);
	assert_non_null(at(&t, md, "linux_raid_member"));
	assert_int_equal(at(&t, md, "linux_raid_member")->size, 333 * MIB);
	assert_non_null(at(&t, pv, "LVM2_member"));
	assert_int_equal(at(&t, pv, "LVM2_member")->size, 1111 * MIB);
	assert_non_null(at(&t, xfs, "xfs"));
	assert_non_null(at(&t, last, "swap"));
}

/* Behind partitions with nothing in them: bios-boot, and /boot that was never formatted. */
static void test_usual_places(void **state)
{
	static const uint64_t places[] = { 63 * SECTOR, 40 * SECTOR, 2 * MIB, 4 * MIB, 513 * MIB, 514 * MIB };

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		_cleanup_trial_ struct trial t = trial(4 * GIB);

		put_ext4(&t, places[i], 100 * MIB, "");
		look(&t);
		assert_int_equal(t.found.n, 1);
		assert_non_null(at(&t, places[i], "ext4"));
	}
}

/* Each allocation group begins with a superblock. */
static void test_copies_are_told_once(void **state)
{
	_cleanup_trial_ struct trial t = trial(20 * GIB);

	(void)state;
	for (unsigned group = 0; group < 4; group++)
		put_xfs(&t, MIB + group * GIB, 4 * GIB / 4096);
	look(&t);
	assert_int_equal(t.found.n, 1);
	assert_non_null(at(&t, MIB, "xfs"));
	assert_int_equal(at(&t, MIB, "xfs")->size, 4 * GIB);
}

/* Nor is a copy by itself a beginning, whose first superblock was cleared. */
static void test_copies_alone_are_no_filesystem(void **state)
{
	_cleanup_trial_ struct trial t = trial(20 * GIB);

	(void)state;
	put_xfs(&t, 257 * MIB, GIB / 4096);
	put(&t, 257 * MIB + 126, "\1", 1);
	look(&t);
	assert_int_equal(t.found.n, 0);
}

static void test_members_with_their_superblock_at_the_end(void **state)
{
	_cleanup_trial_ struct trial t = trial(4 * GIB);
	uint64_t tail = 3 * GIB;
	uint8_t old[4096] = { 0 };

	(void)state;
	/* One that fills the disk, and an old one before its end. */
	put_swap(&t, MIB, 100 * MIB);
	put_md(&t, tail, GIB - MIB, 0);
	le(old, 0xa92b4efc, 4);
	le(old + 8, 90, 4);
	memset(old + 20, 0x66, 4);
	put(&t, 4 * GIB - 256 * KIB, old, sizeof(old));
	look(&t);
	assert_non_null(at(&t, MIB, "swap"));
	assert_non_null(at(&t, tail, "linux_raid_member"));
	assert_string_equal(at(&t, tail, "linux_raid_member")->version, "1.0");
	assert_int_equal(at(&t, tail, "linux_raid_member")->size, GIB - MIB);
	assert_non_null(at(&t, 4 * GIB - 256 * KIB, "linux_raid_member"));
	assert_string_equal(at(&t, 4 * GIB - 256 * KIB, "linux_raid_member")->version, "0.90.0");
}

static void test_a_member_before_what_begins_at_a_usual_place(void **state)
{
	_cleanup_trial_ struct trial t = trial(4 * GIB);

	(void)state;
	put_md(&t, MIB, 512 * MIB, 0);
	put_ext4(&t, 513 * MIB, 100 * MIB, "");
	look(&t);
	assert_int_equal(t.found.n, 2);
	assert_non_null(at(&t, MIB, "linux_raid_member"));
	assert_non_null(at(&t, 513 * MIB, "ext4"));
}

/* What the copy says is looked at, wherever it is, and whatever its sectors are. */
static void test_the_copy_of_a_gpt(void **state)
{
	static const uint32_t sectors[] = { 512, 4096 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		_cleanup_trial_ struct trial t = trial(4 * GIB);
		uint8_t luks[512] = "LUKS\xba\xbe";

		put_gpt(&t, sectors[i], 1777 * MIB, 5 * MIB);
		be(luks + 6, 1, 2);
		memcpy(luks + 168, "01234567-89ab-cdef-0123-456789abcdef", 36);
		put(&t, 1777 * MIB, luks, sizeof(luks));
		look(&t);
		assert_int_equal(t.found.n, 2);
		assert_non_null(at(&t, 1777 * MIB, "crypto_LUKS"));
		assert_int_equal(at(&t, 1777 * MIB, "crypto_LUKS")->size, 5 * MIB);
		assert_non_null(at(&t, 4 * GIB - sectors[i], "gpt"));
		assert_string_equal(at(&t, 4 * GIB - sectors[i], "gpt")->uuid,
				    "abababab-abab-abab-abab-abababababab");
	}
}

/* Where libblkid has told of it already, it isn't told again. */
static void test_a_known_table_is_no_stray(void **state)
{
	_cleanup_trial_ struct trial t = trial(4 * GIB);

	(void)state;
	put_gpt(&t, 512, 1777 * MIB, 5 * MIB);
	assert_int_equal(look_signatures(t.a, t.fd, &t.dev), 0);
	assert_int_equal(t.dev.signatures.n, 1);
	look(&t);
	assert_int_equal(t.found.n, 0);
}

/* Whatever a table says of itself: numbers that lie beyond the disk, or are none. */
static void test_a_gpt_of_nonsense(void **state)
{
	static const struct {
		size_t at, bytes;
		uint64_t value;
	} wrong[] = {
		{ 12, 4, 0 },          { 12, 4, 91 },  { 12, 4, UINT32_MAX }, { 72, 8, UINT64_MAX },
		{ 72, 8, 0 },          { 80, 4, 0 },   { 80, 4, UINT32_MAX }, { 84, 4, 0 },
		{ 84, 4, UINT32_MAX }, { 84, 4, 127 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		_cleanup_trial_ struct trial t = trial(64 * MIB);
		uint8_t h[512];

		put_gpt(&t, 512, 0, 0);
		assert_int_equal(pread(t.fd, h, sizeof(h), (off_t)(64 * MIB - 512)), sizeof(h));
		le(h + wrong[i].at, wrong[i].value, wrong[i].bytes);
		memset(h + 16, 0, 4);
		le(h + 16, crc(h, 92), 4);
		put(&t, 64 * MIB - 512, h, sizeof(h));
		look(&t);
		assert_true(t.found.n <= 1);
	}
}

static void test_sizes_of_nonsense(void **state)
{
	_cleanup_trial_ struct trial t = trial(4 * GIB);

	(void)state;
	put_pv(&t, MIB, UINT64_MAX);
	put_md(&t, 2 * MIB, UINT64_MAX, 2);
	put_xfs(&t, 4 * MIB, UINT64_MAX);
	put_swap(&t, 9 * MIB, UINT64_C(4096) << 32);
	put_pv(&t, 513 * MIB, 1); /* the next would begin within it */
	look(&t);
	assert_non_null(at(&t, MIB, "LVM2_member"));
	assert_int_equal(at(&t, MIB, "LVM2_member")->size, 0);
	assert_non_null(at(&t, 2 * MIB, "linux_raid_member"));
	assert_non_null(at(&t, 9 * MIB, "swap"));
	assert_non_null(at(&t, 513 * MIB, "LVM2_member"));
}

/* Sixteen bits that look like an ext filesystem's. */
static void test_a_magic_alone_is_none(void **state)
{
	_cleanup_trial_ struct trial t = trial(4 * GIB);
	uint8_t b[1024];

	(void)state;
	memset(b, 0xa5, sizeof(b));
	le(b + 56, 0xef53, 2);
	put(&t, MIB + 1024, b, sizeof(b));
	look(&t);
	assert_int_equal(t.found.n, 0);
}

static void test_random_bytes_are_none(void **state)
{
	_cleanup_trial_ struct trial t = trial(10 * GIB);
	extent_list places = stray_places(t.a);
	uint8_t *b = arena_alloc(t.a, 80 * KIB);
	uint64_t x = 88172645463325252;

	(void)state;
	for (unsigned round = 0; round < 4; round++) {
		vec_each (const struct extent *, p, &places) {
			for (size_t i = 0; i < 80 * KIB; i += 8) {
				x ^= x << 13;
				x ^= x >> 7;
				x ^= x << 17;
				memcpy(b + i, &x, 8);
			}
			put(&t, p->start, b, 80 * KIB);
		}
		look(&t);
		assert_int_equal(t.found.n, 0);
	}
}

static void test_places_of_a_plan(void **state)
{
	_cleanup_trial_ struct trial t = trial(10 * GIB);
	extent_list places = { 0 };

	(void)state;
	put_ext4(&t, 1777 * MIB, 100 * MIB, "odd");
	put_md(&t, 3001 * MIB, 500 * MIB, 0);
	put_swap(&t, MIB, 10 * MIB);
	vec_push(t.a, &places, (struct extent){ .start = 3001 * MIB, .size = 500 * MIB });
	vec_push(t.a, &places, (struct extent){ .start = 1777 * MIB });
	vec_push(t.a, &places, (struct extent){ .start = UINT64_MAX, .size = 1 });
	vec_push(t.a, &places, (struct extent){ .start = 5 * GIB, .size = UINT64_MAX });
	t.found = stray_find(t.a, t.fd, &t.dev, &places, false, &t.diag);
	assert_int_equal(t.found.n, 2);
	assert_non_null(at(&t, 1777 * MIB, "ext4"));
	assert_non_null(at(&t, 3001 * MIB, "linux_raid_member"));
	t.found = stray_find(t.a, t.fd, &t.dev, &places, true, &t.diag);
	assert_int_equal(t.found.n, 3);
}

/* It is told, and a disk that fails everywhere isn't waited for everywhere. */
static void test_what_cannot_be_read(void **state)
{
	_cleanup_trial_ struct trial t = trial(10 * GIB);
	int dir = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	assert_true(dir >= 0);
	assert_int_equal(dup2(dir, t.fd), t.fd);
	(void)close(dir);
	look(&t);
	assert_int_equal(t.found.n, 0);
	assert_int_equal(t.diag.warnings, 3);
	assert_non_null(strstr(t.diag.messages.at[0].text, "/dev/vda can't be read at "));
	assert_null(strstr(t.diag.messages.at[1].text, "further"));
	assert_non_null(strstr(t.diag.messages.at[2].text, "isn't looked at further"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_zeroes_are_blank),
		cmocka_unit_test(test_the_usual_places_are_few),
		cmocka_unit_test(test_each_leads_to_the_next),
		cmocka_unit_test(test_usual_places),
		cmocka_unit_test(test_copies_are_told_once),
		cmocka_unit_test(test_copies_alone_are_no_filesystem),
		cmocka_unit_test(test_members_with_their_superblock_at_the_end),
		cmocka_unit_test(test_a_member_before_what_begins_at_a_usual_place),
		cmocka_unit_test(test_the_copy_of_a_gpt),
		cmocka_unit_test(test_a_known_table_is_no_stray),
		cmocka_unit_test(test_a_gpt_of_nonsense),
		cmocka_unit_test(test_sizes_of_nonsense),
		cmocka_unit_test(test_a_magic_alone_is_none),
		cmocka_unit_test(test_random_bytes_are_none),
		cmocka_unit_test(test_places_of_a_plan),
		cmocka_unit_test(test_what_cannot_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
