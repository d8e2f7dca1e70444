/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "plan/settle.h"

enum { MOST = 8 };

struct setup {
	struct arena *a;
	struct diag d;
	struct size_want wants[MOST];
	struct share parts[MOST];
	size_t n;
};

static void add(struct setup *t, const char *size)
{
	static const char *const names[MOST] = { "a", "b", "c", "d", "e", "f", "g", "h" };
	const char *why = NULL;

	assert_int_equal(units_parse_size(t->a, size, &t->wants[t->n], &why), 0);
	t->parts[t->n] = (struct share){ .want = &t->wants[t->n], .name = names[t->n] };
	t->n++;
}

static void add_range(struct setup *t, uint64_t min, uint64_t max)
{
	t->wants[t->n] = (struct size_want){ .form = SIZE_RANGE, .min = min, .max = max };
	t->parts[t->n] = (struct share){ .want = &t->wants[t->n], .name = "range" };
	t->n++;
}

static int setup(void **state)
{
	static struct setup t;

	memset(&t, 0, sizeof(t));
	t.a = arena_new();
	t.d.arena = t.a;
	*state = &t;
	return 0;
}

static int teardown(void **state)
{
	arena_free(((struct setup *)*state)->a);
	return 0;
}

static int share(struct setup *t, uint64_t capacity, uint64_t unit)
{
	return share_out(t->a, capacity, unit, t->parts, t->n, "it", &t->d);
}

static void test_fixed_rounds_up_and_rest_gets_what_is_left(void **state)
{
	struct setup *t = *state;

	add(t, "1000s");
	add(t, "rest");
	add(t, "3000s");
	assert_int_equal(share(t, 10 * MIB, MIB), 0);
	assert_int_equal(t->parts[0].size, MIB);
	assert_int_equal(t->parts[2].size, 2 * MIB);
	assert_int_equal(t->parts[1].size, 7 * MIB);
}

static void test_percent_is_of_the_whole_and_the_remainder_stays(void **state)
{
	struct setup *t = *state;
	const uint64_t extents = 941189;

	add(t, "30%");
	add(t, "30%");
	add(t, "30%");
	add(t, "10%");
	assert_int_equal(share(t, extents * 4 * MIB, 4 * MIB), 0);
	assert_int_equal(t->parts[0].size / (4 * MIB), 282356);
	assert_int_equal(t->parts[2].size / (4 * MIB), 282356);
	assert_int_equal(t->parts[3].size / (4 * MIB), 94118);
}

static void test_33_3_percent_is_exact(void **state)
{
	struct setup *t = *state;

	add(t, "33.3%");
	assert_int_equal(share(t, UINT64_C(941189) * 4 * MIB, 4 * MIB), 0);
	assert_int_equal(t->parts[0].size / (4 * MIB), 313415);
}

static void test_one_unit_too_much_is_told_with_all_numbers(void **state)
{
	struct setup *t = *state;

	add(t, "6M");
	add(t, "5M");
	assert_true(share(t, 10 * MIB, MIB) < 0);
	assert_int_equal(t->d.errors, 1);
	assert_non_null(strstr(t->d.messages.at[0].text, "'b' wants 5 MiB"));
	assert_non_null(strstr(t->d.messages.at[0].text, "4 MiB of 10 MiB left"));
	assert_non_null(strstr(t->d.messages.at[1].text, "'a' takes 6 MiB"));
}

static void test_percentages_over_100_in_sum_do_not_fit(void **state)
{
	struct setup *t = *state;

	add(t, "60%");
	add(t, "50%");
	assert_true(share(t, 1000 * MIB, MIB) < 0);
}

static void test_two_rests_are_an_error(void **state)
{
	struct setup *t = *state;

	add(t, "rest");
	add(t, "rest");
	assert_true(share(t, 1000 * MIB, MIB) < 0);
	assert_int_equal(t->d.errors, 1);
}

static void test_rest_needs_a_unit(void **state)
{
	struct setup *t = *state;

	add(t, "10M");
	add(t, "rest");
	assert_true(share(t, 10 * MIB + MIB / 2, MIB) < 0);
}

static void test_ranges_grow_in_order_before_rest(void **state)
{
	struct setup *t = *state;

	add_range(t, 10 * MIB, 40 * MIB);
	add_range(t, 10 * MIB, 100 * MIB);
	add(t, "20M");
	assert_int_equal(share(t, 100 * MIB, MIB), 0);
	assert_int_equal(t->parts[0].size, 40 * MIB);
	assert_int_equal(t->parts[1].size, 40 * MIB);
	assert_int_equal(t->parts[2].size, 20 * MIB);
}

static void test_odd_min_equal_to_max_is_possible(void **state)
{
	struct setup *t = *state;

	add_range(t, 1000001, 1000001);
	add(t, "rest");
	assert_int_equal(share(t, 10 * MIB, MIB), 0);
	assert_int_equal(t->parts[0].size, MIB);
	assert_int_equal(t->parts[1].size, 9 * MIB);
}

static void test_every_size_near_64_bits_is_refused_not_wrapped(void **state)
{
	struct setup *t = *state;

	t->wants[0] = (struct size_want){ .form = SIZE_BYTES, .bytes = UINT64_MAX };
	t->parts[0] = (struct share){ .want = &t->wants[0], .name = "a" };
	t->n = 1;
	add(t, "1M");
	assert_true(share(t, 100 * MIB, MIB) < 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_fixed_rounds_up_and_rest_gets_what_is_left),
		TEST(test_percent_is_of_the_whole_and_the_remainder_stays),
		TEST(test_33_3_percent_is_exact),
		TEST(test_one_unit_too_much_is_told_with_all_numbers),
		TEST(test_percentages_over_100_in_sum_do_not_fit),
		TEST(test_two_rests_are_an_error),
		TEST(test_rest_needs_a_unit),
		TEST(test_ranges_grow_in_order_before_rest),
		TEST(test_odd_min_equal_to_max_is_possible),
		TEST(test_every_size_near_64_bits_is_refused_not_wrapped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
