/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "tech/gpt/gpt.h"

static void test_backup_takes_33_small_or_5_large_sectors(void **state)
{
	(void)state;
	/* libfdisk: the last usable sector is N-34, and N-6 where sectors have 4096 bytes. */
	assert_int_equal(gpt_end(GIB, 512), GIB - 33 * 512);
	assert_int_equal(gpt_end(UINT64_C(4000787030016), 4096) / 4096 - 1, 976754640);
	assert_int_equal(gpt_end(512, 512), 0);
}

static void test_grain_is_a_mib_or_a_whole_stripe(void **state)
{
	(void)state;
	assert_int_equal(gpt_grain(0), MIB);
	assert_int_equal(gpt_grain(512 * KIB), MIB);
	assert_int_equal(gpt_grain(576 * KIB), 9 * MIB);
	assert_int_equal(gpt_grain(1536 * KIB), 3072 * 512);
	assert_int_equal(gpt_grain(2560 * KIB), 5120 * 512);
	assert_int_equal(gpt_grain(192 * KIB), 6144 * 512);
}

static void test_partitions_of_disks_that_end_in_a_digit(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();

	(void)state;
	assert_string_equal(gpt_part_dev(a, "/dev/sda", 3), "/dev/sda3");
	assert_string_equal(gpt_part_dev(a, "/dev/nvme0n1", 12), "/dev/nvme0n1p12");
	assert_string_equal(gpt_part_dev(a, "/dev/md0", 1), "/dev/md0p1");
}

static void test_types(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	size_t n;
	const char *const *names = gpt_type_names(&n);

	(void)state;
	assert_string_equal(gpt_type(a, true, "raid"), "a19d880f-05fc-4d3b-a006-743f0f84911e");
	assert_string_equal(gpt_type(a, false, "raid"), "fd");
	assert_string_equal(gpt_type(a, true, "A19D880F-05FC-4D3B-A006-743F0F84911E"),
			    "a19d880f-05fc-4d3b-a006-743f0f84911e");
	assert_string_equal(gpt_type(a, false, "0C"), "c");
	assert_null(gpt_type(a, false, "bios-boot"));
	assert_null(gpt_type(a, true, "fd"));
	assert_null(gpt_type(a, false, "0"));
	assert_string_equal(gpt_type_word(true, "C12A7328-F81F-11D2-BA4B-00A0C93EC93B"), "esp");
	for (size_t i = 0; i < n; i++)
		assert_non_null(gpt_type(a, true, names[i]));
}

static void test_attributes(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	text_list words = { 0 };
	const char *bad;

	(void)state;
	assert_null(gpt_attributes(a, true, &words, &bad));
	assert_null(bad);
	vec_push(a, &words, "legacy-boot");
	vec_push(a, &words, "required");
	assert_string_equal(gpt_attributes(a, true, &words, &bad), "LegacyBIOSBootable RequiredPartition");
	assert_null(gpt_attributes(a, false, &words, &bad));
	assert_string_equal(bad, "legacy-boot");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_backup_takes_33_small_or_5_large_sectors),
		cmocka_unit_test(test_grain_is_a_mib_or_a_whole_stripe),
		cmocka_unit_test(test_partitions_of_disks_that_end_in_a_digit),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_attributes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
