/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "layout/layout.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "tech/disk/disk.h"

/* Disks for most tests. */
#define SDA                                                                                                  \
	"{ \"name\": \"sda\", \"type\": \"disk\", \"size\": 500107862016, \"serial\": \"A1\", "              \
	"\"transport\": \"sata\", \"rotational\": true, \"model\": \"ST500\", \"links\": "                   \
	"[\"/dev/disk/by-id/ata-A1\"], \"signatures\": [ { \"type\": \"dos\", \"usage\": \"table\" } ] }"
#define SDA1                                                                                                 \
	"{ \"name\": \"sda1\", \"type\": \"part\", \"size\": 1048576, \"start\": 1048576, \"parent\": "      \
	"\"sda\" }"
#define SDB                                                                                                  \
	"{ \"name\": \"sdb\", \"type\": \"disk\", \"size\": 4000787030016, \"serial\": \"B1\", \"wwn\": "    \
	"\"0x5000b\", \"transport\": \"sas\", \"model\": \"ST4000\" }"
#define SDC                                                                                                  \
	"{ \"name\": \"sdc\", \"type\": \"disk\", \"size\": 4000787030016, \"serial\": \"C1\", "             \
	"\"transport\": \"sas\", \"model\": \"ST4000\", \"physical\": 4096 }"
#define SDD                                                                                                  \
	"{ \"name\": \"sdd\", \"type\": \"disk\", \"size\": 4000787030016, \"transport\": \"usb\", "         \
	"\"read-only\": true }"

struct test {
	struct arena *arena;
	struct diag diag;
	struct plan *plan;
	int r;
};

/* A plan for @disks, the section's lines, and @more sections. */
static struct test plan_with(struct arena *a, const char *disks, const char *more, const char *devices)
{
	struct test t = { .arena = a, .diag = { .arena = a } };
	const char *text = arena_printf(a, "stowage: 1\nname: t\ndisks:\n%s\n%s", disks, more);
	const char *json = arena_printf(a, "{ \"stowage-machine\": 1, \"root\": true, \"devices\": [ %s ] }",
					devices);
	struct plan_options o = { .root = "/", .mount = true };
	struct machine *m = NULL;
	struct layout *l = NULL;

	if (machine_parse(a, "m.json", json, strlen(json), &t.diag, &m) < 0)
		fail_msg("%s", t.diag.messages.at[0].text);
	t.r = layout_parse(a, "l.yaml", text, strlen(text), &t.diag, &l);
	if (!t.r)
		t.r = plan_make(a, l, m, &o, &t.diag, &t.plan);
	return t;
}

static struct test plan(struct arena *a, const char *disks, const char *devices)
{
	return plan_with(a, disks, "", devices);
}

static const struct node *disk(const struct test *t, const char *name)
{
	const struct node *n;

	if (t->r < 0)
		fail_msg("%s", t->diag.messages.at[0].text);
	n = graph_get(t->plan->want, name);
	assert_non_null(n);
	return n;
}

/* Whether something that was said contains @text. */
static bool said(const struct test *t, const char *text)
{
	for (size_t i = 0; i < t->diag.messages.n; i++)
		if (strstr(t->diag.messages.at[i].text, text))
			return true;
	for (size_t i = 0; i < t->diag.messages.n; i++)
		print_message("said: %s\n", t->diag.messages.at[i].text);
	return false;
}

static void test_by_path_and_by_link(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct test t = plan(a, "  one: /dev/disk/by-id/ata-A1\n  data: [/dev/sdc, /dev/sdb]",
			     SDA "," SDA1 "," SDB "," SDC);

	(void)state;
	assert_string_equal(disk(&t, "one")->dev, "/dev/sda");
	assert_string_equal(disk(&t, "one")->id, "serial:A1");
	assert_string_equal(disk(&t, "data.0")->dev, "/dev/sdc");
	assert_string_equal(disk(&t, "data.1")->dev, "/dev/sdb");
	assert_string_equal(disk(&t, "data.1")->id, "wwn:0x5000b");
	assert_int_equal(disk(&t, "data.1")->size, UINT64_C(4000787030016));
	assert_int_equal(disk(&t, "one")->verdict, VERDICT_KEEP);
	assert_int_equal(t.diag.messages.n, 0);
	assert_string_equal(kind_disk.describe(a, disk(&t, "one")), "ST500, serial A1");
}

static void test_a_path_that_is_no_disk(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct test t = plan(a, "  one: /dev/vdx", SDA "," SDC);

	(void)state;
	assert_true(said(&t, "there is no /dev/vdx on m.json; disks there are /dev/sda (465.76 GiB, serial "
			     "A1), /dev/sdc ("));
	assert_int_equal(t.diag.errors, 1);
	assert_int_equal(t.diag.messages.at[0].pos.line, 4);
	assert_int_equal(t.diag.messages.at[0].pos.col, 8);
	t = plan(a, "  one: /dev/vdx", "");
	assert_true(said(&t, "no disks are there"));
	t = plan(a, "  one: /dev/sda1", SDA "," SDA1);
	assert_true(said(&t, "is a partition of /dev/sda"));
	t = plan(a, "  one: /dev/sdd", SDD);
	assert_true(said(&t, "/dev/sdd is read-only"));
	t = plan(a, "  one: /dev/sr0", "{ \"name\": \"sr0\", \"type\": \"rom\", \"size\": 512 }");
	assert_true(said(&t, "optical"));
	t = plan(a, "  one: /dev/md0", "{ \"name\": \"md0\", \"type\": \"md\", \"size\": 0 }");
	assert_true(said(&t, "no size"));
	t = plan(a, "  one: /dev/sda",
		 "{ \"name\": \"sda\", \"type\": \"disk\", \"size\": 512, \"holders\": [\"dm-0\"] }, "
		 "{ \"name\": \"dm-0\", \"type\": \"dm\", \"size\": 512, \"dm-name\": \"mpatha\", "
		 "\"dm-target\": \"multipath\" }");
	assert_true(said(&t, "one of the ways to /dev/mapper/mpatha"));
}

static void test_one_disk_has_one_name(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct test t = plan(a, "  one: /dev/sda\n  two: /dev/disk/by-id/ata-A1", SDA);

	(void)state;
	assert_true(said(&t, "'two' is /dev/sda, which 'one' is already"));
	assert_int_equal(t.diag.errors, 1);
	assert_int_equal(t.diag.messages.at[1].severity, DIAG_NOTE);
	assert_int_equal(t.diag.messages.at[1].pos.line, 4);
	t = plan(a, "  one: { match: { model: 'ST*' , transport: sas } }\n  two: { match: { serial: 'B*' } }",
		 SDB);
	assert_true(said(&t, "'two' is /dev/sdb, which 'one' is already"));
}

static void test_selectors(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct test t = plan(a,
			     "  big: { match: { size: '>= 1T', transport: sas }, count: 2 }\n  old: { match: "
			     "{ size: 500107862016, rotational: true } }",
			     SDC "," SDD "," SDA "," SDB);

	(void)state;
	assert_string_equal(disk(&t, "big.0")->dev, "/dev/sdb");
	assert_string_equal(disk(&t, "big.1")->dev, "/dev/sdc");
	assert_string_equal(disk(&t, "old")->dev, "/dev/sda");
	/* A path comes first; the selector takes what is left. */
	t = plan(a, "  big: { match: { model: st4* } }\n  first: /dev/sdb", SDA "," SDB "," SDC);
	assert_string_equal(disk(&t, "big")->dev, "/dev/sdc");
	t = plan(a,
		 "  a: { match: { path: '/dev/disk/by-id/*A?' } }\n  b: { match: { wwn: '0X5000*' } }\n  c: "
		 "[ { match: { serial: C1 } } ]",
		 SDA "," SDB "," SDC);
	assert_string_equal(disk(&t, "a")->dev, "/dev/sda");
	assert_string_equal(disk(&t, "b")->dev, "/dev/sdb");
	assert_string_equal(disk(&t, "c.0")->dev, "/dev/sdc");
}

static void test_selectors_that_do_not_fit_say_why(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct test t = plan(a, "  x: { match: { transport: sas } }", SDA "," SDB "," SDC);

	(void)state;
	assert_true(said(&t, "'x' takes 1 disk, but 2 fit: /dev/sdb (3.64 TiB, serial B1), /dev/sdc ("));
	assert_true(said(&t, "'count: 2'"));
	t = plan(a,
		 "  x: { match: { size: '< 1T', transport: nvme, serial: Q*, blank: true }, count: 2 }\n  y: "
		 "/dev/sdb",
		 SDA "," SDA1 "," SDB "," SDD);
	assert_true(said(&t, "'x' takes 2 disks, but of the 3 on m.json none fits"));
	assert_true(said(
		&t, "/dev/sda (465.76 GiB, serial A1) is connected by sata, has the serial number 'A1'"));
	assert_true(said(&t, "is 'y' already"));
	assert_true(said(&t, "/dev/sdd (3.64 TiB) is read-only, has 3.64 TiB (4000787030016 bytes), is "
			     "connected by usb, has no serial number"));
	assert_int_equal(t.diag.errors, 1);
	t = plan(a, "  x: { match: { size: '< 1T', blank: true } }", SDA);
	assert_true(said(&t, "isn't blank (dos)"));
}

/* The second run finds the disks that the first one filled, each under its own name, although the kernel calls them otherwise. */
static void test_blank_disks_are_found_again(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	static const char layout[] = "  x: { match: { transport: sas, blank: true }, count: 2 }";
	static const char more[] = "tables:\n  - disks: x\n    partitions:\n      - { name: p, size: rest }";
	static const char filled[] =
		"{ \"name\": \"%s\", \"type\": \"disk\", \"size\": 4000787030016, \"serial\": \"%s\", "
		"\"transport\": \"sas\", "
		"\"signatures\": [ { \"type\": \"gpt\", \"usage\": \"table\", \"uuid\": \"%s\" } ] }";
	const char *devices = SDC ", { \"name\": \"sdb\", \"type\": \"disk\", \"size\": 4000787030016, "
				  "\"serial\": \"B1\", \"transport\": \"sas\" }";
	struct test t = plan_with(a, layout, more, devices);
	const char *uuid[2];
	struct settle s;

	(void)state;
	assert_string_equal(disk(&t, "x.0")->id, "serial:B1");
	s = (struct settle){ .arena = a, .seed = "t" };
	uuid[0] = uuid_text(a, settle_uuid(&s, disk(&t, "x.0")->above.at[0], ""));
	uuid[1] = uuid_text(a, settle_uuid(&s, disk(&t, "x.1")->above.at[0], ""));
	devices = arena_printf(a,
			       "%s, %s, { \"name\": \"sda\", \"type\": \"disk\", \"size\": 4000787030016, "
			       "\"transport\": \"sas\" }",
			       arena_printf(a, filled, "sdb", "C1", uuid[1]),
			       arena_printf(a, filled, "sdc", "B1", uuid[0]));
	t = plan_with(a, layout, "",
		      devices); /* without the table, nothing says whose they are: too many fit */
	assert_true(t.r < 0);
	t = plan_with(a, layout, more, devices);
	assert_non_null(t.plan);
	assert_string_equal(graph_get(t.plan->want, "x.0")->dev, "/dev/sdc");
	assert_string_equal(graph_get(t.plan->want, "x.1")->dev, "/dev/sdb");
}

static void test_declared_stripes(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct test t = plan(a, "  x: { path: /dev/sdb, stripe: { unit: 1M, width: 5 } }", SDB);

	(void)state;
	assert_int_equal(disk(&t, "x")->geo.min_io, MIB);
	assert_int_equal(disk(&t, "x")->geo.opt_io, 5 * MIB);
	assert_true(disk(&t, "x")->geo.declared);
	assert_int_equal(t.diag.messages.n, 0);
	t = plan(a, "  x: { path: /dev/r, stripe: { unit: 64K, width: 9 } }",
		 "{ \"name\": \"r\", \"type\": \"disk\", \"serial\": \"R\", \"size\": 1099511627776, "
		 "\"min-io\": 65536, \"opt-io\": 262144 }");
	assert_int_equal(disk(&t, "x")->geo.opt_io, 576 * KIB);
	assert_true(said(&t, "itself reports a stripe of 256 KiB in units of 64 KiB; the layout's 576 KiB in "
			     "units of 64 KiB is taken"));
	t = plan(a, "  x: { path: /dev/sdb, stripe: { unit: 1000, width: 5 } }", SDB);
	assert_true(said(&t, "no multiple of a sector"));
	t = plan(a, "  x: { path: /dev/sdb, stripe: { unit: 1M } }", SDB);
	assert_true(said(&t, "'width'"));
}

static void test_absurd_geometry_is_ignored(void **state)
{
	static const struct {
		unsigned physical, min;
		uint64_t opt, kept;
	} cases[] = {
		{ 512, 512, 33553920, 0 },      /* 65535 sectors */
		{ 4096, 4096, 33553920, 0 },    /* no multiple of the sector */
		{ 4096, 4096, 33550336, 0 },    /* 8191 sectors */
		{ 4096, 4096, 268431360, 0 },   /* 65535 sectors of 4096 bytes */
		{ 512, 65536, 100000, 0 },      /* no multiple of the unit */
		{ 512, 65536, 589824, 589824 }, /* 9 * 64 KiB */
		{ 512, 524288, 1572864, 1572864 },
		{ 512, 512, 1048576, 1048576 },
		{ 512, 512, 589824, 589824 },
		{ 4096, 4096, 4096, 0 }, /* a sector is no stripe, but nothing to warn of either */
	};
	_cleanup_arena_ struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct test t = plan(a, "  x: /dev/r",
				     arena_printf(a,
						  "{ \"name\": \"r\", \"type\": \"disk\", \"serial\": \"R\", "
						  "\"size\": 1099511627776, "
						  "\"physical\": %u, \"min-io\": %u, \"opt-io\": %llu }",
						  cases[i].physical, cases[i].min,
						  (unsigned long long)cases[i].opt));

		assert_int_equal(disk(&t, "x")->geo.opt_io, cases[i].kept);
		assert_int_equal(t.diag.warnings, cases[i].kept || cases[i].opt == 4096 ? 0 : 1);
	}
}

static void test_disks_without_identity_are_warned_of(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct test t = plan(a, "  x: /dev/r",
			     "{ \"name\": \"r\", \"type\": \"disk\", \"size\": 1099511627776 }");

	(void)state;
	assert_string_equal(disk(&t, "x")->id, "name:x");
	assert_true(said(&t, "neither a WWN nor a serial number"));
	t = plan(a, "  x: [/dev/r, /dev/s]",
		 "{ \"name\": \"r\", \"type\": \"disk\", \"size\": 512, \"serial\": \"Q\" }, { \"name\": "
		 "\"s\", \"type\": \"disk\", \"size\": 512, \"serial\": \"Q\" }");
	assert_true(said(&t, "both have the serial number Q"));
}

static void test_mistakes_in_the_layout(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct test t = plan(a, "  x: { match: { size: 2T..1T } }", SDA);

	(void)state;
	assert_true(said(&t, "begins with the larger size"));
	t = plan(a, "  x: { match: { size: '>= 1t' } }", SDA);
	assert_true(said(&t, "'size': "));
	t = plan(a, "  x: { match: { } }", SDA);
	assert_true(said(&t, "is empty"));
	t = plan(a, "  x: { count: 2 }", SDA);
	assert_true(t.r < 0);
	t = plan(a, "  x: { }", SDA);
	assert_true(said(&t, "names no disk"));
	t = plan(a, "  x: [ ]", SDA);
	assert_true(said(&t, "names no disk"));
	t = plan(a, "  x: [ { stripe: { unit: 1M, width: 2 } } ]", SDA);
	assert_true(said(&t, "needs a 'path'"));
	t = plan(a, "  x: { path: /dev/sda, match: { serial: A1 } }", SDA);
	assert_true(said(&t, "together"));
	t = plan(a, "  x: sda", SDA);
	assert_true(said(&t, "absolute path"));
}

static void test_sizes_of_selectors(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	static const struct {
		const char *text;
		uint64_t min, max;
	} cases[] = {
		{ ">= 1K", 1024, UINT64_MAX },
		{ ">1K", 1025, UINT64_MAX },
		{ "<= 1K", 0, 1024 },
		{ "<1 KiB", 0, 1023 },
		{ "= 500GB", UINT64_C(500000000000), UINT64_C(500000000000) },
		{ "512", 512, 512 },
		{ "1K..2K", 1024, 2048 },
		{ "1K .. 1K", 1024, 1024 },
	};
	static const char *const bad[] = { "",    ">",       "2K..1K", "1K..",  "..",
					   "< 0", "1K...2K", ">= 10%", "=> 1K", ">> 1K" };
	struct size_span span;
	const char *why;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(disk_parse_size(a, cases[i].text, &span, &why), 0);
		assert_int_equal(span.min, cases[i].min);
		assert_int_equal(span.max, cases[i].max);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		why = NULL;
		assert_true(disk_parse_size(a, bad[i], &span, &why) < 0);
		assert_non_null(why);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_path_and_by_link),
		cmocka_unit_test(test_a_path_that_is_no_disk),
		cmocka_unit_test(test_one_disk_has_one_name),
		cmocka_unit_test(test_selectors),
		cmocka_unit_test(test_selectors_that_do_not_fit_say_why),
		cmocka_unit_test(test_blank_disks_are_found_again),
		cmocka_unit_test(test_declared_stripes),
		cmocka_unit_test(test_absurd_geometry_is_ignored),
		cmocka_unit_test(test_disks_without_identity_are_warned_of),
		cmocka_unit_test(test_mistakes_in_the_layout),
		cmocka_unit_test(test_sizes_of_selectors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
