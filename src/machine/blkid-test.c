/* SPDX-License-Identifier: GPL-2.0-or-later */
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
#include "base/file.h"
#include "base/units.h"
#include "machine/machine.h"
#include "machine/parts.h"

static int image(uint64_t size)
{
	int fd = memfd_create("disk", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	return fd;
}

static void put(int fd, uint64_t offset, const void *data, size_t n)
{
	assert_int_equal(pwrite(fd, data, n, (off_t)offset), n);
}

/* CRC32 as a GPT has it (reflected, polynomial 0xedb88320). */
static uint32_t crc(const unsigned char *s, size_t n)
{
	uint32_t r = ~0u;

	for (size_t i = 0; i < n; i++) {
		r ^= s[i];
		for (int bit = 0; bit < 8; bit++)
			r = r >> 1 ^ (r & 1 ? 0xedb88320u : 0);
	}
	return ~r;
}

static void le(unsigned char *at, uint64_t n, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		at[i] = (unsigned char)(n >> (8 * i));
}

/* A GPT header at sector @at, whose empty entries are at sector @entries. */
static void put_gpt(int fd, uint64_t sectors, uint64_t at, uint64_t entries)
{
	unsigned char h[512] = "EFI PART";
	unsigned char *all = calloc(128, 128);

	assert_non_null(all);
	le(h + 8, 0x10000, 4);
	le(h + 12, 92, 4);
	le(h + 24, at, 8);
	le(h + 32, at == 1 ? sectors - 1 : 1, 8);
	le(h + 40, 34, 8);
	le(h + 48, sectors - 34, 8);
	memset(h + 56, 0xab, 16);
	le(h + 72, entries, 8);
	le(h + 80, 128, 4);
	le(h + 84, 128, 4);
	le(h + 88, crc(all, (size_t)128 * 128), 4);
	le(h + 16, crc(h, 92), 4);
	put(fd, at * 512, h, sizeof(h));
	free(all);
}

static const unsigned char pmbr[66] = {
	[4] = 0xee, [8] = 1, [12] = 0xff, [13] = 0xff, [64] = 0x55, [65] = 0xaa
};

static const struct signature *find(const struct blockdev *dev, const char *type, uint64_t offset)
{
	vec_each (const struct signature *, s, &dev->signatures)
		if (text_eq(s->type, type) && s->offset == offset)
			return s;
	return NULL;
}

static void test_blank_has_none(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	_cleanup_fd_ int fd = image(16 * MIB);
	struct blockdev dev = { 0 };

	(void)state;
	assert_int_equal(look_signatures(a, fd, &dev), 0);
	assert_int_equal(dev.signatures.n, 0);
}

static void test_a_gpt_is_told_once_and_a_protective_mbr_alone(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	_cleanup_fd_ int fd = image(16 * MIB);
	struct blockdev dev = { 0 };
	const struct signature *s;
	_cleanup_fd_ int none = image(16 * MIB);

	(void)state;
	put(fd, 446, pmbr, sizeof(pmbr));
	put_gpt(fd, 32768, 1, 2);
	put_gpt(fd, 32768, 32767, 32735);
	assert_int_equal(look_signatures(a, fd, &dev), 0);
	assert_int_equal(dev.signatures.n, 1);
	s = find(&dev, "gpt", 512);
	assert_non_null(s);
	assert_string_equal(s->usage, "table");
	assert_string_equal(s->uuid, "abababab-abab-abab-abab-abababababab");
	put(none, 446, pmbr, sizeof(pmbr));
	assert_int_equal(look_signatures(a, none, &dev), 0);
	assert_int_equal(dev.signatures.n, 1);
	assert_non_null(find(&dev, "PMBR", 510));
}

static void test_a_backup_gpt_alone(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	_cleanup_fd_ int fd = image(16 * MIB);
	struct blockdev dev = { 0 };

	(void)state;
	put_gpt(fd, 32768, 32767, 32735);
	assert_int_equal(look_signatures(a, fd, &dev), 0);
	assert_int_equal(dev.signatures.n, 1);
	assert_non_null(find(&dev, "gpt", 16 * MIB - 512));
}

static void test_several_contents_at_once(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	_cleanup_fd_ int fd = image(16 * MIB);
	struct blockdev dev = { 0 };
	unsigned char swap[32] = { [0] = 1, [5] = 1 };

	(void)state;
	put_gpt(fd, 32768, 32767, 32735);
	put(fd, 1024, swap, sizeof(swap));
	put(fd, 1036, "0123456789abcdef", 16);
	put(fd, 1052, "my swap", 7);
	put(fd, 4086, "SWAPSPACE2", 10);
	assert_int_equal(look_signatures(a, fd, &dev), 0);
	assert_int_equal(dev.signatures.n, 2);
	assert_non_null(find(&dev, "gpt", 16 * MIB - 512));
	assert_string_equal(dev.signatures.at[0].type, "swap");
	assert_string_equal(dev.signatures.at[0].label, "my swap");
	assert_string_equal(dev.signatures.at[0].usage, "other");
	assert_int_equal(dev.signatures.at[0].offset, 4086);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blank_has_none),
		cmocka_unit_test(test_a_gpt_is_told_once_and_a_protective_mbr_alone),
		cmocka_unit_test(test_a_backup_gpt_alone),
		cmocka_unit_test(test_several_contents_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
