/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <json-c/json.h>

#include "plan/verify.h"
#include "show/show.h"
#include "show/test-plan.h"

/* What can't be made of any layout or recording: names that would steer a terminal, and classes in an order of their own. */

static struct verified *verified(struct arena *a)
{
	struct verified *v = arena_of(a, struct verified);

	v->arena = a;
	v->plan = test_plan(a);
	return v;
}

static const char *text_of(const struct verified *v)
{
	struct text t = { .arena = v->arena };

	show_verify_text(v, v->arena, &t);
	return text_str(&t);
}

static void as_asked(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct verified *v = verified(a);

	(void)state;
	assert_string_equal(text_of(v), "layout.yaml: as asked, as far as can be seen without being root\n");
	((struct machine *)v->plan->machine)->root = true;
	assert_string_equal(text_of(v), "layout.yaml: as asked\n");
}

static void one_line_each(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct verified *v = verified(a);
	struct node *n = v->plan->want->nodes.at[0];
	struct text json = { .arena = a };
	struct json_object *o, *list, *one;

	(void)state;
	n->name = "a\nb\x1b[31m";
	vec_push(a, &v->differences,
		 (struct difference){ .class = WHY_DANGEROUS,
				      .node = n,
				      .pos = { .file = "a\nb.yaml", .line = 3, .col = 7 },
				      .text = "its label is '\x1b]0;x\x07\n'" });
	vec_push(a, &v->differences, (struct difference){ .class = WHY_COSMETIC, .text = "twice" });
	assert_string_equal(text_of(v), "a\\x0Ab.yaml:3:7: dangerous: a\\x0Ab\\x1B[31m: its label is "
					"'\\x1B]0;x\\x07\\x0A'\n"
					"layout.yaml: cosmetic: twice\n");
	show_verify_json(v, a, &json);
	assert_null(strchr(text_str(&json), '\x1b'));
	o = json_tokener_parse(text_str(&json));
	assert_non_null(o);
	assert_true(json_object_object_get_ex(o, "differences", &list));
	assert_int_equal(json_object_array_length(list), 2);
	assert_true(json_object_object_get_ex(json_object_array_get_idx(list, 0), "object", &one));
	assert_string_equal(json_object_get_string(one), n->name);
	assert_true(json_object_object_get_ex(json_object_array_get_idx(list, 1), "object", &one));
	assert_null(one);
	assert_true(json_object_object_get_ex(json_object_array_get_idx(list, 1), "line", &one));
	assert_null(one);
	json_object_put(o);
}

/* Each class has a word and a rank of its own. */
static void classes(void **state)
{
	bool seen[VERIFY_CLASSES] = { false };

	(void)state;
	for (int class = 0; class < VERIFY_CLASSES; class ++) {
		unsigned rank = verify_rank((enum why_class) class);

		assert_true(rank < VERIFY_CLASSES && !seen[rank]);
		seen[rank] = true;
		for (int other = 0; other < class; other++)
			assert_string_not_equal(verify_class((enum why_class) class),
						verify_class((enum why_class)other));
	}
	assert_int_equal(verify_rank(WHY_DANGEROUS), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_asked),
		cmocka_unit_test(one_line_each),
		cmocka_unit_test(classes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
