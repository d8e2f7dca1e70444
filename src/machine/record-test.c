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
#include "machine/machine.h"
#include "machine/parts.h"

static const char recording[] =
	"{ \"stowage-machine\": 1, \"root\": true,\n"
	"  \"devices\": [\n"
	"    { \"name\": \"vda10\", \"type\": \"part\", \"size\": 1048576, \"parent\": \"vda\", "
	"\"partition\": 10, \"start\": 2097152 },\n"
	"    { \"name\": \"vda2\", \"type\": \"part\", \"size\": 1048576, \"parent\": \"vda\", "
	"\"partition\": 2, \"start\": 1048576,\n"
	"      \"signatures\": [ { \"type\": \"btrfs\", \"usage\": \"filesystem\", \"uuid\": \"11\", "
	"\"offset\": 65600 } ], \"looked\": true },\n"
	"    { \"name\": \"vdb\", \"type\": \"disk\", \"size\": 1048576,\n"
	"      \"signatures\": [ { \"type\": \"btrfs\", \"usage\": \"filesystem\", \"uuid\": \"11\" } ] },\n"
	"    { \"name\": \"vda\", \"type\": \"disk\", \"size\": 21474836480, \"serial\": \"S1\", \"opt-io\": "
	"1572864, \"min-io\": 524288,\n"
	"      \"links\": [ \"/dev/disk/by-id/virtio-S1\" ] } ],\n"
	"  \"mounts\": [ { \"target\": \"/b\", \"type\": \"btrfs\", \"source\": \"/dev/vda2\", \"dev\": "
	"\"vda2\" },\n"
	"              { \"target\": \"/a\", \"type\": \"tmpfs\", \"source\": \"tmpfs\" } ],\n"
	"  \"swaps\": [ { \"path\": \"/dev/vda10\", \"dev\": \"vda10\" } ],\n"
	"  \"files\": { \"/etc/fstab\": \"# a \\u00fc\\n\", \"/etc/crypttab\": { \"latin1\": "
	"\"x\\u00fc\\u007f\" } },\n"
	"  \"tools\": { \"mdadm\": \"/usr/sbin/mdadm\" },\n"
	"  \"drawn\": [ { \"id\": \"2222\", \"what\": \"volume v/l\", \"devices\": [ \"vdb\", \"vda2\" ] } "
	"],\n"
	"  \"md\": { \"md0\": [ 1, 2 ] } }\n";

static struct machine *read_ok(struct arena *a, const char *text)
{
	struct diag d = { .arena = a };
	struct machine *m = NULL;

	if (machine_parse(a, "x.json", text, strlen(text), &d, &m) < 0)
		fail_msg("%s", d.messages.at[0].text);
	assert_int_equal(d.messages.n, 0);
	return m;
}

/* The first thing said of a recording that can't be read. */
static const char *read_bad(struct arena *a, const char *text)
{
	struct diag d = { .arena = a };
	struct machine *m = NULL;

	assert_int_equal(machine_parse(a, "x.json", text, strlen(text), &d, &m), -EINVAL);
	assert_null(m);
	assert_true(d.errors > 0);
	assert_string_equal(d.messages.at[0].pos.file, "x.json");
	return d.messages.at[0].text;
}

static void test_reads_all_there_is(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct machine *m = read_ok(a, recording);
	const struct blockdev *vda = machine_dev(m, "/dev/disk/by-id/virtio-S1");

	(void)state;
	assert_true(m->root && !m->live && m->tools_known);
	assert_int_equal(m->devs.n, 4);
	assert_string_equal(m->devs.at[0]->name, "vda");
	assert_string_equal(m->devs.at[1]->name, "vda2");
	assert_string_equal(m->devs.at[2]->name, "vda10");
	assert_ptr_equal(vda, machine_dev(m, "vda"));
	assert_ptr_equal(vda, machine_dev(m, "/dev/vda"));
	assert_null(machine_dev(m, "/dev/vdc"));
	assert_int_equal(vda->size, UINT64_C(21474836480));
	assert_int_equal(vda->geo.logical, 512);
	assert_int_equal(vda->geo.physical, 512);
	assert_string_equal(machine_dev(m, "vda2")->signatures.at[0].type, "btrfs");
	assert_string_equal(machine_file(m, "/etc/fstab"), "# a \303\274\n");
	assert_string_equal(machine_file(m, "/etc/crypttab"), "x\374\177");
	assert_string_equal(map_get(&m->tools, "mdadm"), "/usr/sbin/mdadm");
	assert_true(machine_is_swap(m, machine_dev(m, "vda10")));
	assert_false(machine_is_swap(m, vda));
}

static void test_every_member_of_a_filesystem_is_mounted(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct machine *m = read_ok(a, recording);
	text_list mounts = machine_mounts_of(m, a, machine_dev(m, "vdb"));

	(void)state;
	assert_int_equal(mounts.n, 1);
	assert_string_equal(mounts.at[0], "/b");
	assert_int_equal(machine_mounts_of(m, a, machine_dev(m, "vda2")).n, 1);
	assert_int_equal(machine_mounts_of(m, a, machine_dev(m, "vda")).n, 0);
}

static void test_writing_is_the_same_each_time(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	const char *first = machine_write(read_ok(a, recording), a);
	const char *second = machine_write(read_ok(a, first), a);

	(void)state;
	assert_string_equal(first, second);
	assert_int_equal(first[strlen(first) - 1], '\n');
	assert_non_null(strstr(first, "\n  \"root\": true,\n"));
	assert_non_null(strstr(first, "\"size\": 21474836480,"));
	assert_non_null(strstr(first, "\"/usr/sbin/mdadm\""));
	assert_true(strstr(first, "\"/a\"") < strstr(first, "\"/b\""));
	assert_non_null(strstr(first, "\"md\": {"));
}

static void test_mistakes_are_told_with_their_place(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();

	(void)state;
#define DEVICES(text) "{ \"stowage-machine\": 1, \"devices\": [ " text " ] }"
#define DEVICE(text)  DEVICES("{ \"name\": \"vda\", \"type\": \"disk\", \"size\": 512, " text " }")
	assert_string_equal(read_bad(a, "{ \"stowage-machine\": 1, "),
			    "this is no valid JSON: it ends too early");
	assert_non_null(strstr(read_bad(a, ""), "ends too early"));
	assert_non_null(strstr(read_bad(a, "{} x"), "no valid JSON"));
	assert_non_null(strstr(read_bad(a, "[]"), "no recording of a machine"));
	assert_non_null(strstr(read_bad(a, "{}"), "no recording of a machine"));
	assert_string_equal(read_bad(a, "{ \"stowage-machine\": 2 }"),
			    "the recording is of version 2, but only version 1 can be read");
	assert_non_null(strstr(read_bad(a, "{ \"stowage-machine\": 1 }"), "no member 'devices'"));
	assert_string_equal(read_bad(a, DEVICES("7")), "devices[0] is a number, but must be an object");
	assert_string_equal(read_bad(a, DEVICES("{ \"name\": \"vda\", \"size\": 512 }")),
			    "devices[0] has no member 'type'");
	assert_string_equal(read_bad(a, DEVICE("\"start\": \"1\"")),
			    "devices[0].start is a text, but must be a whole number");
	assert_string_equal(read_bad(a, DEVICE("\"start\": 1.5")),
			    "devices[0].start is a number with a fraction, but must be a whole number");
	assert_string_equal(read_bad(a, DEVICE("\"start\": -512")),
			    "devices[0].start is -512, but can't be negative");
	assert_string_equal(read_bad(a, DEVICE("\"start\": 513")),
			    "devices[0].start is 513, but must be a multiple of 512");
	assert_string_equal(
		read_bad(a, DEVICE("\"start\": 18446744073709551104")),
		"devices[0].start is 18446744073709551104, more than the 9223372036854775807 that it can be");
	assert_non_null(strstr(read_bad(a, DEVICE("\"start\": 99999999999999999999999")), ""));
	assert_string_equal(read_bad(a, DEVICE("\"colour\": 1")),
			    "devices[0].colour is no member that is known here");
	assert_string_equal(read_bad(a, DEVICE("\"links\": [ \"/dev/x\", 1 ]")),
			    "devices[0].links[1] is a number, but must be a text");
	assert_non_null(strstr(read_bad(a, DEVICE("\"links\": [ \"x\" ]")), "begins with a slash"));
	assert_non_null(strstr(read_bad(a, DEVICE("\"path\": \"/etc/passwd\"")), "isn't below /dev"));
	assert_non_null(strstr(read_bad(a, DEVICE("\"logical\": 768")), "powers of two"));
	assert_non_null(strstr(read_bad(a, DEVICE("\"serial\": \"a\\u0000b\"")), "NUL"));
	assert_string_equal(read_bad(a, DEVICE("\"signatures\": [ { \"type\": \"gpt\" } ]")),
			    "devices[0].signatures[0] has no member 'usage'");
	assert_non_null(
		strstr(read_bad(a, DEVICES("{ \"name\": \"../x\", \"type\": \"disk\", \"size\": 512 }")),
		       "can't be the kernel's name"));
	assert_non_null(strstr(read_bad(a, DEVICES("{ \"name\": \"x\", \"type\": \"disc\", \"size\": 512 }")),
			       "must be one of disk, part"));
	assert_non_null(
		strstr(read_bad(a, DEVICES("{ \"name\": \"x1\", \"type\": \"part\", \"size\": 512 }")),
		       "no member 'parent'"));
	assert_non_null(strstr(read_bad(a, DEVICES("{ \"name\": \"x1\", \"type\": \"part\", \"size\": 512, "
						   "\"parent\": \"x\" }")),
			       "but not x itself"));
	assert_non_null(strstr(read_bad(a, DEVICES("{ \"name\": \"x\", \"type\": \"disk\", \"size\": 512 }, "
						   "{ \"name\": \"x\", \"type\": \"disk\", \"size\": 512 }")),
			       "for a second time"));
	assert_non_null(strstr(read_bad(a, DEVICES("{ \"name\": \"x\", \"type\": \"disk\", \"size\": 512, "
						   "\"links\": [\"/dev/l\"] }, "
						   "{ \"name\": \"y\", \"type\": \"disk\", \"size\": 512, "
						   "\"links\": [\"/dev/l\"] }")),
			       "has '/dev/l' (at y) for a second time"));
	assert_non_null(
		strstr(read_bad(a, "{ \"stowage-machine\": 1, \"devices\": [], \"files\": { \"x\": 1 } }"),
		       "files.x"));
}

static void test_names_in_natural_order(void **state)
{
	(void)state;
	assert_true(machine_name_order("sda2", "sda10") < 0);
	assert_true(machine_name_order("sdz", "sdaa") < 0);
	assert_true(machine_name_order("sdb1", "sdaa") < 0);
	assert_true(machine_name_order("nvme0n1", "nvme0n1p1") < 0);
	assert_true(machine_name_order("nvme2n1", "nvme10n1") < 0);
	assert_true(machine_name_order("sda", "vda") < 0);
	assert_true(machine_name_order("sda01", "sda1") < 0);
	assert_int_equal(machine_name_order("md0", "md0"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_all_there_is),
		cmocka_unit_test(test_every_member_of_a_filesystem_is_mounted),
		cmocka_unit_test(test_writing_is_the_same_each_time),
		cmocka_unit_test(test_mistakes_are_told_with_their_place),
		cmocka_unit_test(test_names_in_natural_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
