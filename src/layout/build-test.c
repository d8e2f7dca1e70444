/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "layout/test-rooms.h"

#include <time.h>

#define DISKS  "disks: { vda: /dev/a, vdb: /dev/b, data: [/dev/c, /dev/d] }\n"
#define TABLES "tables: [{ disks: [vda, vdb, data], partitions: [{ name: boot }, { name: lvm }] }]\n"
#define TWO    DISKS TABLES /* four lines with the head */

/* The graph as a line for each node: NAME: what it stands on. */
static const char *drawn(struct arena *a, const struct graph *g)
{
	struct text t = { .arena = a };

	vec_each (struct node *const *, n, &g->nodes) {
		text_printf(&t, "%s:", (*n)->name);
		vec_each (const struct edge *, e, &(*n)->below)
			text_printf(&t, " %s", e->to->name);
		text_addc(&t, '\n');
	}
	return text_str(&t);
}

static void expect_head(const char *text, const char *messages)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };
	struct graph *g = NULL;
	int r = t_build(a, text, &d, &g);

	assert_string_equal(t_messages(&d), messages);
	assert_int_equal(r < 0, *messages != '\0');
	assert_int_equal(g != NULL, r == 0);
}

/* The same for what stands under a head that is right: lines count from 3. */
static void expect(const char *below, const char *messages)
{
	_cleanup_arena_ struct arena *a = arena_new();

	expect_head(arena_printf(a, T_HEAD "%s", below), messages);
}

static void builds_in_order(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };
	struct graph *g = NULL;

	(void)state;
	assert_int_equal(t_build(a,
				 T_HEAD
				 "filesystems:\n"
				 "- { type: btrfs, devices: vg/home, mount: /home }\n"
				 "- { type: xfs, devices: md0 }\n"
				 "arrays: { md0: { level: 1, devices: [boot, missing] } }\n"
				 "volume-groups: { vg: { devices: [vda.lvm, data.lvm], volumes: { home: { "
				 "size: 1G, each: [vda.lvm, data.lvm] }, x: 1G } } }\n" DISKS TABLES,
				 &d, &g),
			 0);
	assert_string_equal(
		drawn(a, g),
		"vda:\nvdb:\ndata.0:\ndata.1:\n"
		"table of vda: vda\ntable of vdb: vdb\ntable of data.0: data.0\ntable of data.1: data.1\n"
		"vda.boot: table of vda\nvdb.boot: table of vdb\ndata.0.boot: table of data.0\ndata.1.boot: "
		"table of data.1\n"
		"md0: vda.boot vdb.boot data.0.boot data.1.boot\nxfs on md0: md0\n"
		"vda.lvm: table of vda\nvdb.lvm: table of vdb\ndata.0.lvm: table of data.0\ndata.1.lvm: "
		"table of data.1\n"
		"vg: vda.lvm data.0.lvm data.1.lvm\n"
		"vg/home_0: vg\nvg/home_1: vg\nvg/home_2: vg\n/home: vg/home_0 vg/home_1 vg/home_2\n"
		"vg/x: vg\nmount /home: /home\n");
	assert_null(graph_get(g, "vda")->parent);
	assert_ptr_equal(graph_get(g, "vda.boot")->parent, graph_get(g, "table of vda"));
	assert_int_equal(graph_get(g, "md0")->pos.line, 6);
}

static void names_select_groups(void **state)
{
	(void)state;
	expect(TWO "arrays: { m: { level: 1, devices: boot }, n: { level: 1, devices: [vda.lvm, data.0.lvm, "
		   "data.1.lvm] } }\n",
	       "");
	expect(TWO "arrays: { m: { level: 1, devices: data.boot }, n: { level: 1, devices: [vda.boot, "
		   "vdb.boot] } }\n",
	       "");
	/* A table on an array is made when one of its names is asked for. */
	expect(TWO "tables: []\n", "5:1: duplicate key 'tables'\n4:1: note: first stated here\n");
	expect(DISKS "tables: [{ disks: m, partitions: [x] }, { disks: data, partitions: [p] }]\narrays: { "
		     "m: { level: 1, devices: p } }\nfilesystems: [{ type: xfs, devices: "
		     "m.x }]\n",
	       "");
	expect(DISKS "tables: [{ disks: m, partitions: [x] }, { disks: data, partitions: [p] }]\narrays: { "
		     "m: { level: 1, devices: p } }\n"
		     "filesystems: [{ type: xfs, devices: x }]\n",
	       "");
}

static void unknown_names(void **state)
{
	(void)state;
	expect(TWO "volume-groups: { vg: { devices: lvmm } }\n",
	       "5:33: nothing is called 'lvmm'; did you mean 'lvm'?\n");
	expect(TWO "volume-groups: { vg: { devices: [lvm, vda.lv, quux], volumes: { a: { size: 1G, each: "
		   "nope } } } }\n",
	       "5:39: nothing is called 'vda.lv'; did you mean 'vda.lvm'?\n5:47: nothing is called 'quux'\n"
	       "5:86: nothing is called 'nope'\n");
	/* What a volume group that failed would have made is not complained of again. */
	expect(TWO "volume-groups: { vg: { devices: nope, volumes: { a: 1G } } }\nfilesystems: [{ type: xfs, "
		   "devices: vg/b }]\n",
	       "5:33: nothing is called 'nope'\n");
	expect(TWO "volume-groups: { vg: { devices: lvm, volumes: { home: 1G } } }\nfilesystems: [{ type: "
		   "xfs, devices: vg/hme }, { type: xfs, devices: vg "
		   "}]\n",
	       "6:37: nothing is called 'vg/hme'; did you mean 'vg/home'?\n"
	       "6:69: 'vg' is a volume group, and nothing can stand on that itself\n"
	       "5:49: note: its parts can be named, such as 'vg/home'\n");
}

static void clashes(void **state)
{
	(void)state;
	expect(TWO "arrays: { boot: { level: 1, devices: lvm } }\n",
	       "5:11: the name 'boot' is taken by a partition ('vda.boot', ...) already; 'boot-array' is "
	       "free\n"
	       "4:50: note: the other 'boot' is here\n");
	expect(DISKS "arrays: { vda: { level: 1, devices: vda }, data: { level: 1, devices: vdb } }\n",
	       "4:11: the name 'vda' is taken by a disk already; 'vda-array' is free\n3:10: note: the other "
	       "'vda' is here\n"
	       "4:44: the name 'data' is taken by a disk ('data.0', ...) already; 'data-array' is "
	       "free\n3:36: note: the other 'data' is here\n");
	expect(TWO "volume-groups: { vg: { devices: lvm, volumes: { a_0: 1G, a: { size: 1G, each: vda.lvm } "
		   "} } }\n",
	       "5:58: the name 'vg/a_0' is taken by a volume already; 'vg/a_0-volume' is free\n5:49: note: "
	       "the other 'vg/a_0' is here\n");
}

static void double_use(void **state)
{
	(void)state;
	expect(TWO
	       "arrays: { md0: { level: 1, devices: vda.lvm } }\nvolume-groups:\n  vg: { devices: lvm }\n",
	       "7:18: 'vda.lvm' is used twice\n5:37: note: 'md0' stands on it already\n");
	/* The second in the file, not the second in the order of the rooms. */
	expect(TWO
	       "volume-groups:\n  vg: { devices: lvm }\narrays: { md0: { level: 1, devices: vda.lvm } }\n",
	       "7:37: 'vda.lvm' is used twice\n6:18: note: 'vg' stands on it already\n");
	expect(TWO "arrays: { md0: { level: 1, devices: [vda, vda.lvm, vda.lvm] } }\n",
	       "5:38: 'vda' is used twice\n4:20: note: 'table of vda' stands on it already\n"
	       "5:52: 'vda.lvm' is used twice\n5:43: note: 'md0' stands on it already\n");
}

static void cycles(void **state)
{
	(void)state;
	expect("arrays: { m: { level: 1, devices: m } }\n",
	       "3:35: 'm' stands on itself: m -> m\n3:35: note: 'm' stands on 'm' here\n");
	expect("arrays: { m: { level: 1, devices: v/x } }\nvolume-groups: { v: { devices: m, volumes: { x: "
	       "1G } } }\n",
	       "3:35: 'm' stands on itself: m -> v/x -> v -> m\n3:35: note: 'm' stands on 'v/x' here\n"
	       "4:46: note: 'v/x' stands on 'v' here\n4:32: note: 'v' stands on 'm' here\n");
	expect("volume-groups:\n  v: { devices: w/a, volumes: { b: 1G } }\n  w: { devices: v/c, volumes: { "
	       "a: 1G } }\n",
	       "5:17: 'v' stands on itself: v -> w/a -> v/c -> v\n4:17: note: 'w/a' is asked for here\n");
}

static void checks_run_beside_other_mistakes(void **state)
{
	(void)state;
	expect(TWO "filesystems:\n- { type: xfs, devices: vda.lvm, label: much too long a label }\n- { type: "
		   "xfs, devices: nope }\n",
	       "7:25: nothing is called 'nope'\n6:41: the label 'much too long a label' is too long\n");
	/* Of an object that is half made nothing more is said. */
	expect(TWO
	       "filesystems:\n- { type: btrfs, devices: [vda.lvm, nope], label: much too long a label }\n",
	       "6:37: nothing is called 'nope'\n");
}

/* Mistakes of words and values are told together with those that need names. */
static void goes_on_beside_broken_items(void **state)
{
	(void)state;
	/* A number that is wrong: the thing is there, and so is its name. */
	expect(TWO "volume-groups: { vg: { devices: lvm, volumes: { a: 5q, b: 1G } } }\n"
		   "filesystems: [{ type: xfs, devices: vg/a }, { type: xfs, devices: [vg/a, vg/c] }]\n",
	       "5:52: 'size': '5q' has no unit that stowage knows; those are K M G T P E, KiB to EiB, kB to "
	       "EB, B and s\n"
	       "6:74: nothing is called 'vg/c'; did you mean 'vg/a'?\n"
	       "6:68: 'vg/a' is used twice\n6:37: note: 'xfs on vg/a' stands on it already\n");
	/* A key that is nearly right is read as the right one. */
	expect(TWO
	       "arrays: { m: { level: 1, device: [vda.lvm, vda.lv] }, n: { level: 1, devices: vda.lvm } }\n",
	       "5:26: 'device' is not a key of an array; did you mean 'devices'?\n"
	       "5:44: nothing is called 'vda.lv'; did you mean 'vda.lvm'?\n"
	       "5:79: 'vda.lvm' is used twice\n5:35: note: 'm' stands on it already\n");
	/* Names in what can't be made at all are looked up. */
	expect(TWO "filesystems: [{ type: zfs, devices: [vda.lvm, vda.bot] }, { devices: nope }]\n",
	       "5:23: 'zfs' is not a type of filesystem, which are btrfs, xfs; did you mean 'xfs'?\n"
	       "5:59: a filesystem needs a 'type', one of btrfs, xfs\n"
	       "5:47: nothing is called 'vda.bot'; did you mean 'vda.boot'?\n"
	       "5:70: nothing is called 'nope'\n");
	/* The kind looks at what is whole, and only at that. */
	expect(TWO "filesystems:\n- { type: xfs, devices: vda.lvm, label: much too long a label }\n"
		   "- { type: xfs, devices: vdb.lvm, label: much too long a label, pass: 77 }\n",
	       "7:70: 'pass' takes a number from 0 to 9, and 77 is out of that\n"
	       "6:41: the label 'much too long a label' is too long\n");
}

static void nothing_follows_from_broken_items(void **state)
{
	(void)state;
	/* What would have made the name is there, but can't be read. */
	expect("disks: { a: ~ }\narrays: { m: { level: 1, devices: [a, b] } }\n",
	       "3:13: 'a' takes its 'path', or a map of keys; ~ is no value\n4:39: nothing is called 'b'\n");
	expect(DISKS
	       "tables: [{ disks: vda, partitions: [{ size: 1G }] }]\nfilesystems: [{ type: xfs, devices: "
	       "anything }]\n",
	       "4:37: an entry of 'partitions' needs 'name': a text\n");
	expect(DISKS
	       "tables: [{ disks: vda, partitions: { boot: 1G } }]\nfilesystems: [{ type: xfs, devices: "
	       "vda.boot }, { type: xfs, devices: vda.root }]\n",
	       "4:36: 'partitions' takes a value, or a list of them; this is a map\n"
	       "5:71: nothing is called 'vda.root'\n");
	expect("arrays:\nfilesystems: [{ type: xfs, devices: md0 }]\n",
	       "3:1: 'arrays' has no value; it takes a map of names\n");
	expect("raids: { md0: {} }\nfilesystems: [{ type: xfs, devices: md0 }, { type: xfs, devices: md1 "
	       "}]\n",
	       "3:1: 'raids' is not a section of a layout, which has stowage, name, disks, tables, arrays, "
	       "volume-groups, filesystems\n4:66: nothing is called 'md1'\n");
	/* Nearly right, and read as the right one. */
	expect("disk: { vda: /dev/a }\nfilesystems: [{ type: xfs, devices: vda }, { type: xfs, devices: vdb "
	       "}]\n",
	       "3:1: 'disk' is not a section of a layout; did you mean 'disks'?\n4:66: nothing is called "
	       "'vdb'; did "
	       "you mean 'vda'?\n");
	/* How many a group is about is not known: the kind is not asked about what stands on it. */
	expect(TWO "volume-groups: { vg: { devices: lvm, volumes: { a: { size: 1G, on-each: lvm } } } }\n"
		   "filesystems: [{ type: btrfs, devices: vg/a, label: much too long a label }, { type: xfs, "
		   "devices: vg/a_1 }]\n",
	       "5:64: 'on-each' is not a key of a volume, which has size, each\n");
	/* A refused name, and the word for no device. */
	expect(DISKS
	       "arrays: { missing: { level: 1, devices: vda }, m: { level: 1, devices: [vdb, missing] } }\n",
	       "4:11: nothing can be called 'missing', which stands for no device in 'devices' of "
	       "'arrays'\n");
	/* A table whose disks fit nothing would have made the names of other disks. */
	expect(DISKS
	       "tables: [{ disks: vdx, partitions: [p] }]\nfilesystems: [{ type: xfs, devices: vda.p }]\n",
	       "4:19: nothing is called 'vdx'; did you mean 'vda'?\n");
	/* Of another language nothing more is said. */
	expect_head("stowage: 2\nname: x\narrays: { m: { level: 1, devices: nope } }\n",
		    "1:10: this program knows version 1 of the language, not '2'\n");
	expect_head("arrays: { m: { level: 1, devices: nope } }\n",
		    "1:1: a layout states 'stowage: 1', the version of its language\n"
		    "1:1: a layout needs a 'name', from which its UUIDs are derived\n"
		    "1:35: nothing is called 'nope'\n");
}

static void odd_stacks(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };
	struct graph *g;

	(void)state;
	assert_int_equal(
		t_build(a,
			T_HEAD DISKS
			"arrays: { m: { level: 1, devices: [vda, vdb] }, n: { level: 1, devices: v/a }, o: { "
			"level: 1, devices: n } }\n"
			"volume-groups: { v: { devices: m, volumes: { a: 1G, b: 1G } }, w: { devices: v/b } "
			"}\n",
			&d, &g),
		0);
	assert_string_equal(t_messages(&d), "4:73: 'n' stands on another array by way of other things: n -> "
					    "v/a -> v -> m; that can be made, "
					    "but is it meant?\n"
					    "5:78: 'w' stands on another volume group by way of other "
					    "things: w -> v/b -> v; that can be made, "
					    "but is it meant?\n");
}

static void deep_piles_end(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };
	struct text t = { .arena = a };
	struct graph *g;

	(void)state;
	text_add(&t, T_HEAD "disks: { d: x }\nvolume-groups:\n");
	for (unsigned i = 5000; i > 0; i--)
		text_printf(&t, "  v%u: { devices: v%u/x, volumes: { x: 1G } }\n", i, i - 1);
	text_add(&t, "  v0: { devices: d, volumes: { x: 1G } }\n");
	assert_true(t_build(a, text_str(&t), &d, &g) < 0);
	assert_true(d.errors >= 1);
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* A chain of arrays, each on the one before: as deep as it is long. Then the same with its end on its start. */
static void ten_thousand_objects(void **state)
{
	enum { N = 10000 };

	(void)state;
	for (int cycle = 0; cycle < 2; cycle++) {
		_cleanup_arena_ struct arena *a = arena_new();
		struct diag d = { .arena = a };
		struct text t = { .arena = a };
		struct graph *g = NULL;
		double start;

		text_add(&t, T_HEAD "disks: { d: x }\narrays:\n");
		for (unsigned i = N; i > 0; i--)
			text_printf(&t, "  a%u: { level: 1, devices: a%u }\n", i, i - 1);
		text_printf(&t, "  a0: { level: 1, devices: %s }\n", cycle ? arena_printf(a, "a%u", N) : "d");
		start = seconds();
		assert_int_equal(t_build(a, text_str(&t), &d, &g) < 0, cycle);
		assert_int_equal(d.errors, cycle);
		if (!cycle)
			assert_string_equal(g->nodes.at[N + 1]->name, "a10000");
		else
			assert_true(strlen(d.messages.at[0].text) < 500 && d.messages.n < 30);
		assert_true(seconds() - start <
			    5); /* far above what it takes: it is for what grows with the square */
	}
}

static void builds_twice_from_one_layout(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new(), *b = arena_new();
	struct diag d = { .arena = a };
	struct layout *l;
	struct graph *one, *two;

	(void)state;
	assert_int_equal(t_parse(a,
				 T_HEAD TWO "volume-groups: { vg: { devices: lvm, volumes: { a: 1G } } }\n",
				 &d, &l),
			 0);
	assert_int_equal(layout_build_rooms(t_rooms, a, l, &d, &one), 0);
	assert_int_equal(layout_build_rooms(t_rooms, b, l, &d, &two), 0);
	assert_string_equal(drawn(a, one), drawn(a, two));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(builds_in_order),
		cmocka_unit_test(names_select_groups),
		cmocka_unit_test(unknown_names),
		cmocka_unit_test(clashes),
		cmocka_unit_test(double_use),
		cmocka_unit_test(cycles),
		cmocka_unit_test(checks_run_beside_other_mistakes),
		cmocka_unit_test(goes_on_beside_broken_items),
		cmocka_unit_test(nothing_follows_from_broken_items),
		cmocka_unit_test(odd_stacks),
		cmocka_unit_test(deep_piles_end),
		cmocka_unit_test(ten_thousand_objects),
		cmocka_unit_test(builds_twice_from_one_layout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
