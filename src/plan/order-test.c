/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/arena.h"
#include "graph/node.h"
#include "plan/steps.h"
#include "tech/kind.h"

static const struct kind thing = { .name = "thing", .size = sizeof(struct node), .device = true };

struct setup {
	struct arena *a;
	struct graph *g;
	struct steps s;
};

static int setup(void **state)
{
	static struct setup t;

	t.a = arena_new();
	t.g = graph_new(t.a);
	steps_init(&t.s, t.a, NULL);
	*state = &t;
	return 0;
}

static int teardown(void **state)
{
	arena_free(((struct setup *)*state)->a);
	return 0;
}

static struct node *node(struct setup *t, const char *name, struct node *below)
{
	struct node *n = graph_add(t->g, &thing, name);

	n->verdict = VERDICT_CREATE;
	if (below)
		node_on(t->g, n, below, nowhere, true);
	return n;
}

static struct step *make(struct setup *t, const struct node *n, const char *verb)
{
	struct step *st = step_new(&t->s, n, verb, "%s", verb);

	step_argv(&t->s, st, "true", NULL);
	return st;
}

static struct step *at_path(struct setup *t, const struct node *n, enum op_form form, const char *path)
{
	struct step *st = step_new(&t->s, n, "path", "path");

	st->op.form = form;
	st->op.path = path;
	return st;
}

static bool needs(const struct step *st, const struct step *other)
{
	vec_each (struct step *const *, n, &st->needs)
		if (*n == other)
			return true;
	return false;
}

static void test_needs_pass_through_nodes_without_steps(void **state)
{
	struct setup *t = *state;
	struct node *table = node(t, "table", NULL), *part = node(t, "part", table),
		    *fs = node(t, "fs", part);
	struct step *write = make(t, table, "write"), *format = make(t, fs, "format");
	step_list order = { 0 };

	steps_order(&t->s, &order);
	assert_true(needs(format, write));
	assert_ptr_equal(order.at[0], write);
}

static void test_what_is_kept_needs_nobody(void **state)
{
	struct setup *t = *state;
	struct node *disk = node(t, "disk", NULL), *fs = node(t, "fs", disk);
	struct step *format = make(t, fs, "format");
	step_list order = { 0 };

	disk->verdict = VERDICT_KEEP;
	steps_order(&t->s, &order);
	assert_int_equal(format->needs.n, 0);
}

static void test_one_wait_serves_all_tables(void **state)
{
	struct setup *t = *state;
	struct node *ta = node(t, "ta", NULL), *tb = node(t, "tb", NULL), *fs = node(t, "fs", ta);
	struct step *a = make(t, ta, "write"), *b, *format;
	step_list order = { 0 };

	step_gives(&t->s, a, "/dev/a1", 1, 2);
	steps_settle_after(&t->s, a, "partitions");
	b = make(t, tb, "write");
	step_gives(&t->s, b, "/dev/b1", 1, 2);
	steps_settle_after(&t->s, b, "partitions");
	format = make(t, fs, "format");
	steps_order(&t->s, &order);

	assert_int_equal(order.n, 4);
	assert_int_equal(order.at[2]->op.form, OP_SETTLE);
	assert_int_equal(order.at[2]->op.expect.n, 2);
	assert_true(needs(format, order.at[2]));
	assert_true(needs(order.at[2], b));
}

static void test_steps_of_a_chain_follow_one_another(void **state)
{
	struct setup *t = *state;
	struct node *x = node(t, "x", NULL), *y = node(t, "y", NULL);
	struct step *a = make(t, x, "make"), *b = make(t, y, "make");
	step_list order = { 0 };

	steps_chain(&t->s, a, "vg");
	steps_chain(&t->s, b, "vg");
	steps_order(&t->s, &order);
	assert_true(needs(b, a));
	assert_int_equal(a->needs.n, 0);
}

static void test_paths_wait_for_the_mounts_that_cover_them(void **state)
{
	struct setup *t = *state;
	struct node *file = node(t, "file", NULL), *deep = node(t, "deep", NULL),
		    *root = node(t, "root", NULL), *near = node(t, "near", NULL);
	/* made in the wrong order on purpose */
	struct step *write = at_path(t, file, OP_FILE, "/mnt/etc/fstab"),
		    *mount = at_path(t, deep, OP_MOUNT, "/mnt/data/x"),
		    *first = at_path(t, root, OP_MOUNT, "/mnt"),
		    *other = at_path(t, near, OP_MOUNT, "/mnt/data/xy");
	step_list order = { 0 };

	steps_order(&t->s, &order);
	assert_ptr_equal(order.at[0], first);
	assert_true(needs(write, first));
	assert_true(needs(mount, first));
	assert_false(needs(other, mount));
	assert_false(needs(first, first));
}

static void test_ten_thousand_steps(void **state)
{
	struct setup *t = *state;
	struct node *below = NULL;
	step_list order = { 0 };

	for (int i = 0; i < 10000; i++) {
		below = node(t, arena_printf(t->a, "n%d", i), below);
		make(t, below, "make");
	}
	steps_order(&t->s, &order);
	assert_int_equal(order.n, 10000);
	assert_string_equal(order.at[9999]->id, "make n9999");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_needs_pass_through_nodes_without_steps),
		TEST(test_what_is_kept_needs_nobody),
		TEST(test_one_wait_serves_all_tables),
		TEST(test_steps_of_a_chain_follow_one_another),
		TEST(test_paths_wait_for_the_mounts_that_cover_them),
		TEST(test_ten_thousand_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
