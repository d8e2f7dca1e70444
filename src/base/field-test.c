/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "base/field.h"

static const char sample[] = "{ 'text': 'sda', 'n': 7, 'large': 18446744073709551615, 'minus': -1, 'null': "
			     "null, 'true': true, 'false': false, 'real': 1.5,"
			     "  'list': [1, 2], 'object': { 'text': '' } }";

static int setup(void **state)
{
	*state = json_tokener_parse(sample);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	return json_object_put(*state) - 1;
}

static void each_form_is_read(void **state)
{
	struct json_object *o = *state;
	uint64_t n = 3;

	assert_string_equal(field_text(o, "text"), "sda");
	assert_string_equal(field_text(field_object(o, "object"), "text"), "");
	assert_int_equal(field_number(o, "n"), 7);
	assert_int_equal(field_number(o, "large"), UINT64_MAX);
	assert_int_equal(field_int(o, "n", 5), 7);
	assert_int_equal(field_int(o, "minus", 5), -1);
	assert_int_equal(field_count(field_list(o, "list")), 2);
	assert_true(field_has_number(o, "n", &n));
	assert_int_equal(n, 7);
	assert_true(field_true(o, "true"));
	assert_false(field_true(o, "false"));
}

static void other_forms_are_absent(void **state)
{
	static const char *const keys[] = { "none", "null", "real", "list", "object", "text", "minus" };
	struct json_object *o = *state;
	uint64_t n = 3;

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		assert_int_equal(field_number(o, keys[i]), 0);
		assert_false(field_true(o, keys[i]));
		assert_false(field_has_number(o, keys[i], &n));
	}
	assert_int_equal(n, 3);
	assert_null(field_text(o, "n"));
	assert_null(field_text(o, "null"));
	assert_int_equal(field_int(o, "text", 5), 5);
	assert_null(field_list(o, "object"));
	assert_null(field_object(o, "list"));
	assert_int_equal(field_count(NULL), 0);
}

static void nothing_has_no_fields(void **state)
{
	struct json_object *o = *state, *list = field_list(o, "list");

	assert_null(field_text(NULL, "text"));
	assert_null(field_object(list, "object"));
	assert_int_equal(field_number(field_object(field_object(o, "none"), "none"), "n"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_form_is_read, setup, teardown),
		cmocka_unit_test_setup_teardown(other_forms_are_absent, setup, teardown),
		cmocka_unit_test_setup_teardown(nothing_has_no_fields, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
