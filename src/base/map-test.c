/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/map.h"

static void empty_map_has_nothing(void **state)
{
	struct map m = { 0 };

	(void)state;
	assert_null(map_get(&m, "sys"));
	map_each (it, &m)
		fail();
}

static void set_adds_and_replaces(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct map m = { .arena = a };
	int one = 1, two = 2;

	(void)state;
	assert_null(map_set(&m, "sys", &one));
	assert_null(map_set(&m, "", &two));
	assert_ptr_equal(map_get(&m, "sys"), &one);
	assert_ptr_equal(map_get(&m, ""), &two);
	assert_null(map_get(&m, "sy"));
	assert_ptr_equal(map_set(&m, "sys", &two), &one);
	assert_ptr_equal(map_get(&m, "sys"), &two);
	assert_int_equal(m.n, 2);
}

static void many_keys_keep_their_order(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct map m = { .arena = a };
	enum { COUNT = 5000 };
	size_t seen = 0;
	int *numbers = arena_alloc(a, COUNT * sizeof(*numbers));

	(void)state;
	for (int i = 0; i < COUNT; i++) {
		numbers[i] = i;
		assert_null(map_set(&m, arena_printf(a, "disk%d", i), &numbers[i]));
	}
	for (int i = 0; i < COUNT; i++)
		assert_ptr_equal(map_get(&m, arena_printf(a, "disk%d", i)), &numbers[i]);
	assert_null(map_get(&m, "disk5000"));
	map_each (it, &m) {
		assert_ptr_equal(it->value, &numbers[seen]);
		seen++;
	}
	assert_int_equal(seen, COUNT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_map_has_nothing),
		cmocka_unit_test(set_adds_and_replaces),
		cmocka_unit_test(many_keys_keep_their_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
