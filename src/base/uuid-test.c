/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "base/arena.h"
#include "base/uuid.h"

/* Expected: python3 -c 'import uuid; print(uuid.uuid5(uuid.UUID("f464ab02-e633-4f21-8349-a904da2dc6b5"),
 * "seed/sys"))' */
static void derive_never_changes(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();

	(void)state;
	assert_string_equal(uuid_text(a, uuid_derive("seed/sys")), "72396117-6c24-540b-a7b7-e00accd2eaa4");
	assert_string_equal(uuid_text(a, uuid_derive("")), "80a6b48d-1718-5aef-a2f3-e3b1fb802c91");
	assert_true(uuid_eq(uuid_derive("a"), uuid_derive("a")));
	assert_false(uuid_eq(uuid_derive("a"), uuid_derive("b")));
}

static void parse_takes_any_case(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct uuid u, v;

	(void)state;
	assert_int_equal(uuid_read("C12A7328-F81F-11D2-BA4B-00A0C93EC93B", &u), 0);
	assert_int_equal(u.b[0], 0xC1);
	assert_int_equal(u.b[15], 0x3B);
	assert_string_equal(uuid_text(a, u), "c12a7328-f81f-11d2-ba4b-00a0c93ec93b");
	assert_int_equal(uuid_read("c12a7328-f81f-11d2-ba4b-00a0c93ec93b", &v), 0);
	assert_true(uuid_eq(u, v));
	assert_false(uuid_is_zero(u));
	assert_int_equal(uuid_read("00000000-0000-0000-0000-000000000000", &v), 0);
	assert_true(uuid_is_zero(v));
}

static void parse_refuses_the_rest(void **state)
{
	static const char *const bad[] = {
		"",
		"-",
		"c12a7328",
		"c12a7328-f81f-11d2-ba4b-00a0c93ec93",
		"c12a7328-f81f-11d2-ba4b-00a0c93ec93b0",
		"c12a7328-f81f-11d2-ba4b-00a0c93ec93b ",
		" 12a7328-f81f-11d2-ba4b-00a0c93ec93b",
		"c12a7328f81f11d2ba4b00a0c93ec93b",
		"c12a732-8f81f-11d2-ba4b-00a0c93ec93b",
		"{12a7328-f81f-11d2-ba4b-00a0c93ec93b}",
		"g12a7328-f81f-11d2-ba4b-00a0c93ec93b",
	};
	struct uuid u = { { 7 } };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(uuid_read(bad[i], &u), -EINVAL);
	assert_int_equal(u.b[0], 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(derive_never_changes),
		cmocka_unit_test(parse_takes_any_case),
		cmocka_unit_test(parse_refuses_the_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
