/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "base/arena.h"
#include "base/units.h"

static void bytes_are_exact(void **state)
{
	static const struct {
		const char *s;
		uint64_t bytes;
	} good[] = {
		{ "0", 0 },
		{ "0M", 0 },
		{ "1048576", MIB },
		{ "7B", 7 },
		{ "512M", 512 * MIB },
		{ "10 GiB", 10 * GIB },
		{ "10  G", 10 * GIB },
		{ "500GB", UINT64_C(500000000000) },
		{ "1kB", 1000 },
		{ "1KB", 1000 },
		{ "1K", 1024 },
		{ "2048s", MIB },
		{ "1.5s", 768 },
		{ "1.5T", TIB + TIB / 2 },
		{ "1.50T", TIB + TIB / 2 },
		{ "1.0", 1 },
		{ "0.000000000000000001EB", 1 },
		{ "0.0009765625K", 1 },
		{ "1.5000000000000000000000000M", MIB + MIB / 2 },
		{ "0.999999999999999999EB", UINT64_C(999999999999999999) },
		{ "15.5E", (UINT64_C(31) << 59) },
		{ "18.446744073709551615EB", UINT64_MAX },
		{ "18446744073709551615", UINT64_MAX },
		{ "00000000000000000000000512M", 512 * MIB },
	};
	_cleanup_arena_ struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		const char *why = NULL;
		uint64_t n = 1;

		assert_int_equal(units_parse_bytes(a, good[i].s, &n, &why), 0);
		assert_true(n == good[i].bytes);
		assert_null(why);
	}
}

static void bad_bytes_say_why(void **state)
{
	static const struct {
		const char *s;
		int r;
		const char *why;
	} bad[] = {
		{ "512m", -EINVAL, "'512m' has no unit that stowage knows; did you mean 512M?" },
		{ "512mib", -EINVAL, "'512mib' has no unit that stowage knows; did you mean 512MiB?" },
		{ "512Mb", -EINVAL, "'512Mb' has no unit that stowage knows; did you mean 512MB?" },
		{ "512Mi", -EINVAL, "'512Mi' has no unit that stowage knows; did you mean 512MiB?" },
		{ "1.5 tib", -EINVAL, "'1.5 tib' has no unit that stowage knows; did you mean 1.5 TiB?" },
		{ "8kb", -EINVAL, "'8kb' has no unit that stowage knows; did you mean 8kB?" },
		{ "34 sectors", -EINVAL, "'34 sectors' has no unit that stowage knows; did you mean 34 s?" },
		{ "1e", -EINVAL, "'1e' has no unit that stowage knows; did you mean 1E?" },
		{ "5Q", -EINVAL,
		  "'5Q' has no unit that stowage knows; those are K M G T P E, KiB to EiB, kB to EB, B and "
		  "s" },
		{ "", -EINVAL, "it is empty; write a size like 512M, 1.5T or 500GB" },
		{ "-5G", -EINVAL, "'-5G' is negative, which no size is" },
		{ "+5G", -EINVAL, "'+5G' has a sign; did you mean 5G?" },
		{ ".5", -EINVAL, "'.5' has no digit before the point; did you mean 0.5?" },
		{ "1,5T", -EINVAL, "'1,5T' has a comma; decimals stand behind a point, like 1.5T" },
		{ "25%", -EINVAL, "'25%' is a percentage, but it takes a number of bytes here, like 512M" },
		{ "0.3K", -EINVAL, "'0.3K' is not a whole number of bytes" },
		{ "0.5", -EINVAL, "'0.5' is not a whole number of bytes" },
		{ "0.0000000000000000001EB", -EINVAL,
		  "'0.0000000000000000001EB' is not a whole number of bytes" },
		{ "16E", -ERANGE, "'16E' is too large; sizes have to stay below 16E" },
		{ "18.446744073709551616EB", -ERANGE,
		  "'18.446744073709551616EB' is too large; sizes have to stay below 16E" },
		{ "18446744073709551616", -ERANGE,
		  "'18446744073709551616' is too large; sizes have to stay below 16E" },
	};
	static const char *const plain[] = { "1:30", "0x10", "1e3",   "5.",   "5.G",    " 5G",  "5G ", "5 ",
					     "G",    "rest", "1_000", "5\tG", "1.5.2G", "5GG5", "-",   "٣G" };
	_cleanup_arena_ struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		const char *why = NULL;
		uint64_t n = 42;

		assert_int_equal(units_parse_bytes(a, bad[i].s, &n, &why), bad[i].r);
		assert_string_equal(why, bad[i].why);
		assert_int_equal(n, 42);
	}
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++) {
		const char *why = NULL;
		uint64_t n;

		assert_int_equal(units_parse_bytes(a, plain[i], &n, &why), -EINVAL);
		assert_string_equal(
			why,
			arena_printf(a, "'%s' is not a size; write it like 512M, 1.5T or 500GB", plain[i]));
	}
}

static void sizes_have_forms(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	const char *why = NULL;
	struct size_want w = { .ppm = 9, .min = 9 };

	(void)state;
	assert_int_equal(units_parse_size(a, "10 GiB", &w, &why), 0);
	assert_int_equal(w.form, SIZE_BYTES);
	assert_true(w.bytes == 10 * GIB && !w.ppm && !w.min && !w.max);
	assert_int_equal(units_parse_size(a, "rest", &w, &why), 0);
	assert_int_equal(w.form, SIZE_REST);
	assert_int_equal(units_parse_size(a, "25%", &w, &why), 0);
	assert_int_equal(w.form, SIZE_PERCENT);
	assert_int_equal(w.ppm, 250000);
	assert_int_equal(units_parse_size(a, "33.3333 %", &w, &why), 0);
	assert_int_equal(w.ppm, 333333);
	assert_int_equal(units_parse_size(a, "0.0001%", &w, &why), 0);
	assert_int_equal(w.ppm, 1);
	assert_int_equal(units_parse_size(a, "100.0%", &w, &why), 0);
	assert_int_equal(w.ppm, 1000000);
	assert_null(why);
}

static void bad_sizes_say_why(void **state)
{
	static const struct {
		const char *s;
		int r;
		const char *why;
	} bad[] = {
		{ "150%", -EINVAL, "'150%' is more than there is; a percentage goes up to 100%" },
		{ "100.0001%", -EINVAL, "'100.0001%' is more than there is; a percentage goes up to 100%" },
		{ "99999999999999999999%", -EINVAL,
		  "'99999999999999999999%' is more than there is; a percentage goes up to 100%" },
		{ "0%", -EINVAL, "'0%' would be of no size; a percentage has to be above 0%" },
		{ "33.33333%", -EINVAL, "'33.33333%' has more than 4 decimals" },
		{ "-5%", -EINVAL, "'-5%' is negative, which no size is" },
		{ "Rest", -EINVAL, "'Rest' is not a size; did you mean rest?" },
		{ "512m", -EINVAL, "'512m' has no unit that stowage knows; did you mean 512M?" },
		{ "20E", -ERANGE, "'20E' is too large; sizes have to stay below 16E" },
	};
	_cleanup_arena_ struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct size_want w = { .bytes = 42 };
		const char *why = NULL;

		assert_int_equal(units_parse_size(a, bad[i].s, &w, &why), bad[i].r);
		assert_string_equal(why, bad[i].why);
		assert_int_equal(w.bytes, 42);
	}
}

static void text_is_short_or_rounded(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text, *exact;
	} sizes[] = {
		{ 0, "0 B", "0 B" },
		{ 1, "1 B", "1 B" },
		{ 1000, "1000 B", "1000 B" },
		{ 16896, "16.50 KiB", "16.50 KiB" },
		{ 10270, "10.03 KiB", "10.03 KiB (10270 bytes)" },
		{ 512 * MIB, "512 MiB", "512 MiB" },
		{ 1536 * GIB, "1536 GiB", "1536 GiB" },
		{ UINT64_C(1999844147200), "1.82 TiB", "1.82 TiB (1999844147200 bytes)" },
		{ UINT64_C(500000000000), "465.66 GiB", "465.66 GiB (500000000000 bytes)" },
		{ TIB - 512, "1.00 TiB", "1.00 TiB (1099511627264 bytes)" },
		{ MIB - 1, "1.00 MiB", "1.00 MiB (1048575 bytes)" },
		{ UINT64_C(15) << 60, "15 EiB", "15 EiB" },
		{ UINT64_MAX, "16.00 EiB", "16.00 EiB (18446744073709551615 bytes)" },
		{ (UINT64_C(5) << 58) + 1, "1.25 EiB", "1.25 EiB (1441151880758558721 bytes)" },
	};
	_cleanup_arena_ struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		assert_string_equal(units_text(a, sizes[i].bytes), sizes[i].text);
		assert_string_equal(units_exact(a, sizes[i].bytes), sizes[i].exact);
	}
}

static void size_text_is_like_the_layout(void **state)
{
	static const struct {
		struct size_want w;
		const char *text;
	} sizes[] = {
		{ { .form = SIZE_NONE }, "no size" },
		{ { .form = SIZE_BYTES, .bytes = MIB }, "1 MiB" },
		{ { .form = SIZE_PERCENT, .ppm = 250000 }, "25%" },
		{ { .form = SIZE_PERCENT, .ppm = 333333 }, "33.3333%" },
		{ { .form = SIZE_PERCENT, .ppm = 5000 }, "0.5%" },
		{ { .form = SIZE_PERCENT, .ppm = 10100 }, "1.01%" },
		{ { .form = SIZE_REST }, "rest" },
		{ { .form = SIZE_RANGE, .min = 10 * GIB, .max = 20 * GIB }, "10 GiB to 20 GiB" },
		{ { .form = SIZE_RANGE, .min = 10 * GIB, .max = UINT64_MAX }, "10 GiB or more" },
		{ { .form = SIZE_RANGE, .max = 20 * GIB }, "up to 20 GiB" },
		{ { .form = SIZE_RANGE, .max = UINT64_MAX }, "any size" },
	};
	_cleanup_arena_ struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		assert_string_equal(units_size_text(a, &sizes[i].w), sizes[i].text);
}

static void arithmetic_does_not_wrap(void **state)
{
	(void)state;
	assert_true(units_align_up(1, 4096) == 4096);
	assert_true(units_align_up(4096, 4096) == 4096);
	assert_true(units_align_up(7, 3) == 9);
	assert_true(units_align_up(UINT64_MAX, 4096) == 0);
	assert_true(units_align_up(UINT64_MAX, 5) == UINT64_MAX);
	assert_true(units_align_down(4097, 4096) == 4096);
	assert_true(units_is_power_of_two(MIB) && !units_is_power_of_two(0) && !units_is_power_of_two(3));
	assert_true(units_percent(UINT64_MAX, 1000000) == UINT64_MAX);
	assert_true(units_percent(UINT64_MAX, 500000) == UINT64_MAX / 2);
	assert_true(units_percent(UINT64_MAX, 2000000) == UINT64_MAX);
	assert_true(units_percent(10, 333333) == 3);
	assert_true(units_percent(3000000, 333333) == 999999);
	assert_true(units_lcm(4096, 512) == 4096);
	assert_true(units_lcm(0, 512) == 512);
	assert_true(units_lcm(0, 0) == 1);
	assert_true(units_lcm(196608, 1 << 20) == 3 << 20);
	assert_true(units_lcm(UINT64_MAX, 2) == 0);
	assert_true(units_lcm(UINT64_MAX, UINT64_MAX) == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_exact),          cmocka_unit_test(bad_bytes_say_why),
		cmocka_unit_test(sizes_have_forms),         cmocka_unit_test(bad_sizes_say_why),
		cmocka_unit_test(text_is_short_or_rounded), cmocka_unit_test(size_text_is_like_the_layout),
		cmocka_unit_test(arithmetic_does_not_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
