/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/diag.h"
#include "machine/have.h"
#include "machine/machine.h"
#include "tech/kind.h"

static struct machine *machine(struct arena *a, const char *devices)
{
	struct diag d = { .arena = a };
	const char *text = arena_printf(a, "{ \"stowage-machine\": 1, \"devices\": [ %s ] }", devices);
	struct machine *m = NULL;

	assert_int_equal(machine_parse(a, "x.json", text, strlen(text), &d, &m), 0);
	return m;
}

static void test_what_no_room_knows_stays_visible(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };
	struct graph *have = NULL;
	const struct node *disk, *crypt;

	(void)state;
	assert_int_equal(machine_have(a,
				      machine(a, "{ \"name\": \"dm-0\", \"type\": \"dm\", \"size\": 512, "
						 "\"dm-target\": \"crypt\", "
						 "\"slaves\": [ \"vda\", \"gone\" ] }, "
						 "{ \"name\": \"vda\", \"type\": \"disk\", \"size\": 1024, "
						 "\"holders\": [ \"dm-0\" ] }"),
				      &d, &have),
			 0);
	disk = have_dev(have, "vda");
	crypt = have_dev(have, "dm-0");
	assert_non_null(disk);
	assert_non_null(crypt);
	assert_int_equal(disk->size, 1024);
	assert_string_equal(disk->dev, "/dev/vda");
	assert_int_equal(crypt->below.n, 1);
	assert_ptr_equal(crypt->below.at[0].to, disk);
	assert_true(crypt->below.at[0].claim);
	assert_ptr_equal(have_user(disk, crypt->kind), crypt);
	assert_null(have_user(crypt, crypt->kind));
	assert_null(have_dev(have, "gone"));
	assert_string_equal(crypt->kind->describe(a, crypt), "dm crypt, 512 B");
}

static void test_a_circle_is_an_error(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };
	struct graph *have = NULL;

	(void)state;
	assert_true(machine_have(a,
				 machine(a, "{ \"name\": \"dm-0\", \"type\": \"dm\", \"size\": 512, "
					    "\"slaves\": [ \"dm-1\", \"dm-0\" ] }, "
					    "{ \"name\": \"dm-1\", \"type\": \"dm\", \"size\": 512, "
					    "\"slaves\": [ \"dm-0\" ] }"),
				 &d, &have) < 0);
	assert_null(have);
	assert_int_equal(d.errors, 1);
}

static void test_a_name_is_used_once(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	static const struct kind kind = { .name = "thing", .size = sizeof(struct node) };
	struct graph *have = graph_new(a);
	struct node *first = have_add(have, &kind, "vg x", NULL),
		    *second = have_add(have, &kind, "vg x", NULL);

	(void)state;
	assert_ptr_equal(graph_get(have, "vg x"), first);
	assert_string_equal(second->name, "vg x (thing)");
	assert_null(have_dev(have, "vg x"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_no_room_knows_stays_visible),
		cmocka_unit_test(test_a_circle_is_an_error),
		cmocka_unit_test(test_a_name_is_used_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
