/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "show/columns.h"
#include "show/show.h"
#include "show/test-plan.h"

static const char *shown(struct arena *a, const struct plan *p, struct show_options o)
{
	struct text t = { .arena = a };

	show_text(p, a, &o, &t);
	return text_str(&t);
}

static void contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is missing in:\n%s", part, text);
}

static void lacks(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("'%s' should not be in:\n%s", part, text);
}

static void whole(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	const char *s = shown(a, test_plan(a), (struct show_options){ 0 });

	(void)state;
	contains(s, "Layout 'fileserver' (layout.yaml)\n");
	contains(s, "11 steps: 5 objects are made, 0 kept. Mounted below /mnt/a b.\n");
	contains(s,
		 "  vda  /dev/vda  64.00 GiB (68719477248 bytes)  QEMU HARDDISK, serial serial-vda  blank\n");
	contains(s, "  =  vda          /dev/vda   64.00 GiB  68719477248 bytes; a table (new)\n"
		    "  +  └─ vda.home  /dev/vda1     32 GiB  at 1 MiB → /home\n");
	contains(s, "  +  /home                              a btrfs; on vda.home, vdb.home\n");
	contains(s, "  /home  on vda, vdb  any one disk\n");
	contains(s, "   6  wipe \\x1B[31mred\\x1B[0m\n");
	contains(s, "   8  make a volume  (takes long)\n");
	contains(s, "/mnt/a b/etc/fstab  (new)\n"
		    "    # it's  fstab\n");
	lacks(s, "mkfs.btrfs");
	lacks(s, "\x1b");
}

/* What can't lose any disk is marked, and told at the top. */
static void weak(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct plan *p = test_plan(a);
	struct kind plain = { .name = "xfs", .size = sizeof(struct node) };
	struct node *n = test_node(p, &plain, "/scratch", "/dev/vda1", 3 * GIB);

	(void)state;
	node_on(p->want, n, graph_get(p->want, "vda"), nowhere, true);
	node_on(p->want, n, graph_get(p->want, "vdb"), nowhere, true);
	graph_get(p->want, "/home")->size = 4 * GIB;
	graph_get(p->want, "/home")->usable = 2 * GIB;
	contains(
		shown(a, p, (struct show_options){ 0 }),
		"  1 btrfs and 1 xfs, about 5 GiB in all; any one disk may fail, but none under /scratch.\n");
	contains(shown(a, p, (struct show_options){ 0 }),
		 "     /home     on vda, vdb  any one disk\n"
		 "  !  /scratch  on vda, vdb  none of its 2 disks: the loss of one is the loss of all\n");
}

static void same_twice(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	const struct plan *p = test_plan(a);
	struct show_options o = { .verbose = true };

	(void)state;
	assert_string_equal(shown(a, p, o), shown(a, p, o));
}

static void verbose_and_color(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	const struct plan *p = test_plan(a);
	const char *s = shown(a, p, (struct show_options){ .verbose = true, .color = true });

	(void)state;
	contains(s, "\033[1mWhat will be");
	contains(s, "mkfs.btrfs -L");
	contains(s, "since /dev/vda is blank");
	contains(s, "after 1\n");
	contains(s, "      start=2048, size=67108864");
}

static void changed_file(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct plan *p = test_plan(a);
	struct machine *m = (struct machine *)(uintptr_t)p->machine;
	const char *s;

	(void)state;
	map_set(&m->files, "/mnt/a b/etc/fstab", (void *)"EOF\nold line\n");
	s = shown(a, p, (struct show_options){ 0 });
	contains(s, "  + # it's  fstab\n    EOF\n  - old line\n  + EOF2\n");
}

/* Of a long file what changes, and three lines around it. */
static void context(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct plan *p = test_plan(a);
	struct machine *m = (struct machine *)(uintptr_t)p->machine;
	struct op *op = &p->steps.at[p->steps.n - 1]->op;
	const char *s;

	(void)state;
	map_set(&m->files, "/mnt/a b/etc/fstab", (void *)"1\n2\n3\n4\n\n5 \n6\n7\n8\n9\n10\n11\n12\n13\n");
	op->content = "1\n2\n3\n4\n\n5 \nsix\n7\n8\n9\n10\n11\n13\n";
	s = shown(a, p, (struct show_options){ 0 });
	contains(s, "lines that go)\n"
		    "    (3 lines as before)\n"
		    "    4\n\n    5\n"
		    "  - 6\n"
		    "  + six\n"
		    "    7\n    8\n    9\n    10\n    11\n"
		    "  - 12\n"
		    "    13\n");
	lacks(s, " \n");

	op->content = "0\n1\n2\n3\n4\n\n5 \n6\n7\n8\n9\n10\n11\n12\n13\n";
	contains(shown(a, p, (struct show_options){ 0 }),
		 "  + 0\n    1\n    2\n    3\n    (11 lines as before)\n");
	op->content = "";
	contains(shown(a, p, (struct show_options){ 0 }), "  - 1\n  - 2\n");
}

static void nothing_to_do(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct plan *p = test_plan(a);
	const char *s;

	(void)state;
	p->steps.n = 0;
	vec_each (struct node **, n, &p->want->nodes)
		(*n)->verdict = VERDICT_KEEP;
	s = shown(a, p, (struct show_options){ 0 });
	contains(s, "Nothing to do: everything is as the layout asks.\n");
	contains(s, "any one disk");
	lacks(s, "Steps");
	lacks(s, "What will be");
	contains(shown(a, p, (struct show_options){ .verbose = true }), "  =  └─ vda.home");
	s = shown(a, p, (struct show_options){ .failed = true });
	contains(s, "There is no plan");
	lacks(s, "Nothing to do");
}

static void no_plan(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct plan *p = test_plan(a);
	const char *s;

	(void)state;
	p->steps.n = 0;
	p->want->nodes.at[0]->have = NULL;
	vec_each (struct node **, n, &p->want->nodes)
		(*n)->verdict = VERDICT_CANNOT;
	s = shown(a, p, (struct show_options){ 0 });
	contains(s, "There is no plan");
	contains(s, "not there");
	contains(s, "  !  └─ vda.home");
}

/* A chain as deep as a layout may make it is drawn without recursion, and not ever further to the right. */
static void deep(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct plan *p = test_plan(a);
	struct node *below = p->want->nodes.at[2];

	(void)state;
	for (size_t i = 0; i < 5000; i++) {
		struct node *n = test_node(p, &test_part, arena_printf(a, "n%zu", i), NULL, 0);

		node_on(p->want, n, below, nowhere, true);
		below = n;
	}
	contains(shown(a, p, (struct show_options){ 0 }), "n4999\n");
}

static void columns(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct columns c = { .arena = a, .indent = "  ", .right = 1u << 1 };
	struct text t = { .arena = a };

	(void)state;
	vec_push(a, &c.rows, (struct columns_row){ .cells = { "é", "1", "x" } });
	vec_push(a, &c.rows, (struct columns_row){ .cells = { "abc", "100" }, .tail = "tail" });
	columns_print(&c, &t);
	assert_string_equal(text_str(&t), "  é      1  x\n"
					  "  abc  100     tail\n");

	/* What doesn't fit hangs below its beginning; where that is too far to the right, below the cells. */
	c.rows.n = t.len = 0;
	c.right = 0;
	vec_push(a, &c.rows,
		 (struct columns_row){
			 .cells = { "abc" },
			 .tail = "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do "
				 "eiusmod tempor; incididunt ut labore",
			 .under = "|" });
	columns_print(&c, &t);
	assert_string_equal(text_str(&t),
			    "  abc  Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod "
			    "tempor;\n"
			    "  |    incididunt ut labore\n");
	c.rows.n = t.len = 0;
	vec_push(a, &c.rows,
		 (struct columns_row){ .cells = { arena_printf(a, "%98s", "x") }, .tail = "tail" });
	columns_print(&c, &t);
	assert_string_equal(text_str(&t), arena_printf(a, "  %98s\n      tail\n", "x"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),
		cmocka_unit_test(same_twice),
		cmocka_unit_test(verbose_and_color),
		cmocka_unit_test(changed_file),
		cmocka_unit_test(context),
		cmocka_unit_test(weak),
		cmocka_unit_test(nothing_to_do),
		cmocka_unit_test(no_plan),
		cmocka_unit_test(deep),
		cmocka_unit_test(columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
