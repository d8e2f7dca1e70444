/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/text.h"
#include "graph/node.h"
#include "tech/kind.h"

static const struct kind thing = { .name = "thing", .size = sizeof(struct node) + 8 };

static struct node *add(struct graph *g, const char *name, size_t order)
{
	struct node *n = graph_add(g, &thing, name);

	n->order = order;
	return n;
}

static const char *names(struct arena *a, const node_list *list)
{
	struct text t = { .arena = a };

	for (size_t i = 0; i < list->n; i++)
		text_printf(&t, "%s%s", i ? " " : "", list->at[i]->name);
	return text_str(&t);
}

static void adds_and_finds(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct graph *g = graph_new(a);
	struct node *disk = add(g, "disk", 1), *table = add(g, "table", 2), *part = add(g, "part", 3);

	(void)state;
	node_on(g, table, disk, (struct pos){ .line = 7 }, true);
	node_in(g, part, table, nowhere);
	assert_ptr_equal(graph_get(g, "disk"), disk);
	assert_null(graph_get(g, "nothing"));
	assert_ptr_equal(part->parent, table);
	assert_null(table->parent);
	assert_ptr_equal(table->below.at[0].to, disk);
	assert_true(table->below.at[0].claim);
	assert_int_equal(table->below.at[0].pos.line, 7);
	assert_false(part->below.at[0].claim);
	assert_ptr_equal(disk->above.at[0], table);
	/* The first keeps its name. */
	(void)add(g, "disk", 4);
	assert_ptr_equal(graph_get(g, "disk"), disk);
}

static void sorts_below_first_then_in_order(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };
	struct graph *g = graph_new(a);
	struct node *c = add(g, "c", 1), *b = add(g, "b", 9), *x = add(g, "x", 5), *y = add(g, "y", 5),
		    *z = add(g, "z", 0);
	node_list sorted;

	(void)state;
	node_on(g, c, b, nowhere, true);
	node_on(g, c, b, nowhere, true); /* twice is told elsewhere */
	node_on(g, z, y, nowhere, false);
	assert_int_equal(graph_sort(g, &d, &sorted), 0);
	assert_string_equal(names(a, &sorted), "x y z b c");
	(void)x;
	assert_int_equal(sorted.n, g->nodes.n);
}

static void sorts_nothing(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };
	node_list sorted = { .n = 1 };

	(void)state;
	assert_int_equal(graph_sort(graph_new(a), &d, &sorted), 0);
	assert_int_equal(sorted.n, 0);
}

static void tells_each_cycle(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };
	struct graph *g = graph_new(a);
	struct node *top = add(g, "top", 0), *vg = add(g, "vg0", 3), *m = add(g, "m", 1),
		    *lv = add(g, "vg0/x", 2);
	struct node *self = add(g, "self", 9), *disk = add(g, "disk", 8);
	node_list sorted;

	(void)state;
	node_on(g, top, m, (struct pos){ .line = 10 }, true);
	node_on(g, m, disk, (struct pos){ .line = 20 }, true);
	node_on(g, m, lv, (struct pos){ .line = 21 }, true);
	node_in(g, lv, vg, (struct pos){ .line = 22 });
	node_on(g, vg, m, (struct pos){ .line = 23 }, true);
	node_on(g, self, self, (struct pos){ .line = 30 }, true);
	assert_true(graph_sort(g, &d, &sorted) < 0);
	assert_int_equal(d.errors, 2);
	assert_int_equal(d.messages.n, 6);
	assert_string_equal(d.messages.at[0].text, "'m' stands on itself: m -> vg0/x -> vg0 -> m");
	assert_int_equal(d.messages.at[0].pos.line, 21);
	assert_string_equal(d.messages.at[1].text, "'m' stands on 'vg0/x' here");
	assert_int_equal(d.messages.at[1].pos.line, 21);
	assert_string_equal(d.messages.at[3].text, "'vg0' stands on 'm' here");
	assert_int_equal(d.messages.at[3].pos.line, 23);
	assert_string_equal(d.messages.at[4].text, "'self' stands on itself: self -> self");
}

/* A chain, a ladder (each rung on both ends of the one before) and a star: depth, paths and width of ten thousand. */
static void large_graphs(void **state)
{
	enum { N = 10000 };
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };
	struct graph *g = graph_new(a);
	struct node *first = add(g, "first", 0), *left = first, *right = first,
		    *star = add(g, "star", SIZE_MAX);
	node_list sorted, disks;

	(void)state;
	for (size_t i = 0; i < N; i++) {
		struct node *l = add(g, arena_printf(a, "l%zu", i), N - i),
			    *r = add(g, arena_printf(a, "r%zu", i), N - i);

		node_on(g, l, left, nowhere, false);
		node_on(g, l, right, nowhere, false);
		node_on(g, r, left, nowhere, false);
		node_on(g, r, right, nowhere, false);
		node_on(g, star, add(g, arena_printf(a, "s%zu", i), i), nowhere, true);
		left = l;
		right = r;
	}
	assert_int_equal(graph_sort(g, &d, &sorted), 0);
	assert_int_equal(sorted.n, g->nodes.n);
	disks = node_disks(a, left);
	assert_string_equal(names(a, &disks), "first");
	disks = node_disks(a, star);
	assert_int_equal(disks.n, N);
	assert_string_equal(disks.at[N - 1]->name, "s9999");
	node_on(g, first, left, nowhere, true);
	assert_true(graph_sort(g, &d, &sorted) < 0);
	assert_int_equal(d.errors, 1);
	assert_true(strlen(d.messages.at[0].text) < 400);
}

static void finds_disks_once_in_order(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct graph *g = graph_new(a);
	struct node *x = add(g, "x", 0), *y = add(g, "y", 0), *m = add(g, "m", 0), *n = add(g, "n", 0),
		    *top = add(g, "top", 0);
	node_list disks;

	(void)state;
	node_on(g, m, y, nowhere, true);
	node_on(g, n, x, nowhere, true);
	node_on(g, n, y, nowhere, true);
	node_on(g, top, m, nowhere, true);
	node_on(g, top, n, nowhere, true);
	disks = node_disks(a, top);
	assert_string_equal(names(a, &disks), "y x");
	disks = node_disks(a, x);
	assert_string_equal(names(a, &disks), "x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds_and_finds), cmocka_unit_test(sorts_below_first_then_in_order),
		cmocka_unit_test(sorts_nothing),  cmocka_unit_test(tells_each_cycle),
		cmocka_unit_test(large_graphs),   cmocka_unit_test(finds_disks_once_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
