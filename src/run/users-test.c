/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "machine/machine.h"
#include "run/users.h"

/* No device that any machine has. The rest, on devices that are really used, is tested in a virtual machine. */
static void test_nobody_uses_what_is_not_there(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct blockdev dev = { .name = "nothing", .path = "/dev/nothing", .major = 4095, .minor = 77 };

	(void)state;
	assert_int_equal(users_of(a, &dev, USERS_ALL).n, 0);
	assert_int_equal(users_of(a, &dev, USERS_APART).n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nobody_uses_what_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
