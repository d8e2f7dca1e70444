/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/arena.h"
#include "base/vec.h"

static void memory_is_zeroed_and_aligned(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();

	(void)state;
	for (size_t size = 0; size < 300000; size = size * 2 + 1) {
		unsigned char *p = arena_alloc(a, size);

		assert_non_null(p);
		assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(p[i], 0);
		memset(p, 0xFF, size);
	}
}

static void objects_do_not_overlap(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	unsigned char *p[1000];

	(void)state;
	for (size_t i = 0; i < 1000; i++) {
		p[i] = arena_alloc(a, i + 1);
		memset(p[i], (int)(i & 0xFF), i + 1);
	}
	for (size_t i = 0; i < 1000; i++)
		for (size_t k = 0; k <= i; k++)
			assert_int_equal(p[i][k], i & 0xFF);
}

static void grow_copies(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	char *p = arena_alloc(a, 4), *q;

	(void)state;
	memcpy(p, "abcd", 4);
	q = arena_grow(a, p, 2, 8);
	assert_ptr_not_equal(p, q);
	assert_memory_equal(p, "abcd", 4);
	assert_memory_equal(q, "ab\0\0\0\0\0\0", 8);
	assert_memory_equal(arena_grow(a, NULL, 0, 2), "\0\0", 2);
}

static void vec_grows(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	VEC(size_t) v = { 0 };
	size_t sum = 0;

	(void)state;
	vec_each (size_t *, it, &v)
		fail();
	for (size_t i = 0; i < 1000; i++)
		vec_push(a, &v, i);
	vec_each (size_t *, it, &v)
		sum += *it;
	assert_int_equal(v.n, 1000);
	assert_int_equal(sum, 499500);
}

static void texts_are_copied(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();

	(void)state;
	assert_null(arena_strdup(a, NULL));
	assert_string_equal(arena_strdup(a, "sys"), "sys");
	assert_string_equal(arena_strndup(a, "system", 3), "sys");
	assert_string_equal(arena_strndup(a, "sys", 30), "sys");
	assert_string_equal(arena_printf(a, "%s-%d", "md", 127), "md-127");
	arena_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_zeroed_and_aligned),
		cmocka_unit_test(objects_do_not_overlap),
		cmocka_unit_test(grow_copies),
		cmocka_unit_test(vec_grows),
		cmocka_unit_test(texts_are_copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
