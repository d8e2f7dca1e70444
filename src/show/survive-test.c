/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "show/show.h"
#include "show/test-plan.h"

static const struct kind stripes = { .name = "stripes", .size = sizeof(struct node), .device = true };
static const struct kind pairs = {
	.name = "pairs", .size = sizeof(struct node), .device = true, .alive = test_pairs
};
static const struct kind raid6 = {
	.name = "raid6", .size = sizeof(struct node), .device = true, .alive = test_raid6
};
static const struct kind group = { .name = "group", .size = sizeof(struct node), .alive = test_any };

/* The second one below, its PV, must live; the group may lack others. */
static bool pinned_alive(const struct node *n, const bool *alive)
{
	(void)n;
	return alive[0] && alive[1];
}

static const struct kind pinned = {
	.name = "volume", .size = sizeof(struct node), .device = true, .alive = pinned_alive
};

static struct node *add(struct graph *g, const struct kind *kind, const char *name)
{
	return graph_add(g, kind, name);
}

/* @n disks d0, d1, ... and one object over them. */
static show_ends over(struct arena *a, const struct kind *kind, size_t n)
{
	struct graph *g = graph_new(a);
	struct node *top;

	for (size_t i = 0; i < n; i++)
		add(g, &test_disk, arena_printf(a, "d%zu", i));
	top = add(g, kind, "top");
	for (size_t i = 0; i < n; i++)
		node_on(g, top, g->nodes.at[i], nowhere, true);
	return show_survive(a, &g->nodes);
}

static void check(struct arena *a, const struct kind *kind, size_t n, unsigned any, const char *text)
{
	show_ends ends = over(a, kind, n);

	assert_int_equal(ends.n, 1);
	assert_string_equal(ends.at[0].text, text);
	assert_int_equal(ends.at[0].any, any);
	assert_int_equal(ends.at[0].disks.n, n);
	assert_false(ends.at[0].at_least);
}

static void levels(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();

	(void)state;
	check(a, &stripes, 1, 0, "none: it is on this disk alone");
	check(a, &stripes, 3, 0, "none of its 3 disks");
	check(a, &test_mirror, 2, 1, "any one disk");
	check(a, &test_mirror, 4, 3, "any 3 disks");
	check(a, &pairs, 4, 1, "any one disk; 2 too, but not d0+d1 or d2+d3");
	check(a, &pairs, 16, 1, "any one disk; of 2 at once, 112 of 120 choices");
	check(a, &raid6, 5, 2, "any 2 disks");
}

static void the_work_has_a_bound(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	show_ends ends = over(a, &test_mirror, 300);

	(void)state;
	assert_true(ends.at[0].at_least);
	assert_string_equal(ends.at[0].text, "at least any one disk (more at once was not tried)");
}

/* Two mirror halves on one disk, the third elsewhere. */
static void shared_disk(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct graph *g = graph_new(a);
	struct node *d0 = add(g, &test_disk, "d0"), *d1 = add(g, &test_disk, "d1"),
		    *d2 = add(g, &test_disk, "d2");
	struct node *p0 = add(g, &test_part, "p0"), *p1 = add(g, &test_part, "p1"),
		    *m = add(g, &test_mirror, "m");
	struct node *s = add(g, &stripes, "s");
	show_ends ends;

	(void)state;
	node_on(g, p0, d0, nowhere, false);
	node_on(g, p1, d0, nowhere, false);
	node_on(g, m, p0, nowhere, true);
	node_on(g, m, p1, nowhere, true);
	node_on(g, m, d1, nowhere, true);
	ends = show_survive(a, &g->nodes);
	assert_int_equal(ends.n, 1);
	assert_string_equal(ends.at[0].text, "any one disk");

	node_on(g, s, m, nowhere, true);
	node_on(g, s, d2, nowhere, true);
	ends = show_survive(a, &g->nodes);
	assert_int_equal(ends.n, 1);
	assert_string_equal(ends.at[0].text, "d0 or d1 (one of them), but not d2");
	assert_int_equal(ends.at[0].any, 0);
}

/* A volume in a group of three disks that names the one it is on. */
static void pinned_volume(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct graph *g = graph_new(a);
	struct node *disks[3], *vg, *lv, *mount;
	show_ends ends;

	(void)state;
	for (size_t i = 0; i < 3; i++)
		disks[i] = add(g, &test_disk, arena_printf(a, "d%zu", i));
	vg = add(g, &group, "vg");
	for (size_t i = 0; i < 3; i++)
		node_on(g, vg, disks[i], nowhere, true);
	lv = add(g, &pinned, "vg/home");
	node_in(g, lv, vg, nowhere);
	node_on(g, lv, disks[1], nowhere, false);
	mount = add(g, &test_mount, "mount /home");
	node_on(g, mount, lv, nowhere, false);
	ends = show_survive(a, &g->nodes);
	assert_int_equal(ends.n, 1);
	assert_ptr_equal(ends.at[0].node, lv);
	assert_int_equal(ends.at[0].disks.n, 1);
	assert_string_equal(ends.at[0].text, "none: it is on this disk alone");
}

/* Many volumes in one group over many disks. */
static void large(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct graph *g = graph_new(a);
	struct node *vg;
	show_ends ends;

	(void)state;
	for (size_t i = 0; i < 300; i++)
		add(g, &test_disk, arena_printf(a, "d%zu", i));
	vg = add(g, &group, "vg");
	for (size_t i = 0; i < 300; i++)
		node_on(g, vg, g->nodes.at[i], nowhere, true);
	for (size_t i = 0; i < 3000; i++) {
		struct node *lv = add(g, &pinned, arena_printf(a, "vg/%zu", i));

		node_in(g, lv, vg, nowhere);
		node_on(g, lv, g->nodes.at[i % 300], nowhere, false);
	}
	ends = show_survive(a, &g->nodes);
	assert_int_equal(ends.n, 3000);
	assert_string_equal(ends.at[2999].text, "none: it is on this disk alone");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels),      cmocka_unit_test(the_work_has_a_bound),
		cmocka_unit_test(shared_disk), cmocka_unit_test(pinned_volume),
		cmocka_unit_test(large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
