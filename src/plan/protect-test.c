/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/diag.h"
#include "layout/layout.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "plan/protect.h"

/* Two disks: vda is blank; vdb has a table with a volume group and, on a partition, an XFS. */
static const char devices[] =
	"{ \"name\": \"vda\", \"type\": \"disk\", \"size\": 21474836480, \"serial\": \"WD-WCC 4E_01\", "
	"\"wwn\": \"0x5000c500a1b2c3d4\", \"looked\": true,\n"
	"  \"links\": [ \"/dev/disk/by-id/ata-WDC_WD40_WD-WCC_4E_01\" ] },\n"
	"{ \"name\": \"vdb\", \"type\": \"disk\", \"size\": 21474836480, \"serial\": \"B\", \"looked\": "
	"true,\n"
	"  \"wwn\": \"0x600508b1001c5e1a000000000000abcd\",\n"
	"  \"signatures\": [ { \"type\": \"gpt\", \"usage\": \"table\", "
	"\"uuid\": \"0a0a0a0a-0000-4000-8000-00000000000a\" } ] },\n"
	"{ \"name\": \"vdb1\", \"type\": \"part\", \"parent\": \"vdb\", \"partition\": 1, \"start\": "
	"1048576, "
	"\"size\": 10737418240, \"looked\": true,\n"
	"  \"signatures\": [ { \"type\": \"LVM2_member\", \"usage\": \"raid\", "
	"\"uuid\": \"abcdEF-abcd-abcd-abcd-abcd-abcd-abcdef\" } ] },\n"
	"{ \"name\": \"vdb2\", \"type\": \"part\", \"parent\": \"vdb\", \"partition\": 2, \"start\": "
	"10738466816, "
	"\"size\": 1073741824, \"looked\": true,\n"
	"  \"signatures\": [ { \"type\": \"xfs\", \"usage\": \"filesystem\", "
	"\"uuid\": \"1b1b1b1b-0000-4000-8000-00000000000b\" } ] }\n";

static const char rooms_parts[] =
	"\"gpt\": { \"vdb\": { \"label\": \"gpt\", \"id\": \"0A0A0A0A-0000-4000-8000-00000000000A\", "
	"\"partitions\": [\n"
	"  { \"number\": 1, \"start\": 1048576, \"size\": 10737418240, \"type\": "
	"\"e6d6d379-f507-44c2-a23c-238f2a3df928\", \"name\": "
	"\"lvm\", "
	"\"uuid\": \"2C2C2C2C-0000-4000-8000-00000000000C\" },\n"
	"  { \"number\": 2, \"start\": 10738466816, \"size\": 1073741824, \"type\": "
	"\"0fc63daf-8483-4772-8e79-3d69d8477de4\", \"name\": "
	"\"data\", "
	"\"uuid\": \"3D3D3D3D-0000-4000-8000-00000000000D\" } ] } },\n"
	"\"lvm\": { \"groups\": [ { \"name\": \"vg0\", \"extent\": 4194304, \"pvs\": [ { \"dev\": \"vdb1\", "
	"\"uuid\": \"abcdEF-abcd-abcd-abcd-abcd-abcd-abcdef\", \"start\": 1048576, \"extents\": 2559 } ],\n"
	"  \"lvs\": [], \"extents\": [ { \"pv\": \"abcdEF-abcd-abcd-abcd-abcd-abcd-abcdef\", \"start\": 0, "
	"\"count\": 2559, \"lv\": null } ] } ], \"pvs\": [] }";

static struct machine *machine(struct arena *a, const char *id)
{
	struct diag d = { .arena = a };
	const char *text = arena_printf(
		a,
		"{ \"stowage-machine\": 1, \"root\": true, \"devices\": [ %s ],\n"
		"\"drawn\": [ { \"id\": \"Yx3aBc-1111-2222-3333-4444-5555-Z6z7z8\", \"what\": \"volume group "
		"vg0\", "
		"\"devices\": [ \"vdb1\", \"vdz\" ] },\n"
		"  { \"id\": \"4e4e4e4e-0000-4000-8000-00000000000e\", \"what\": \"the member /dev/vdb2 of a "
		"btrfs\", "
		"\"devices\": [ \"vdb2\" ] } ],\n"
		"\"protected\": [ { \"file\": \"/etc/stowage/protected\", \"line\": 3, "
		"\"id\": %s } ],\n%s }",
		devices, text_quote_json(a, id), rooms_parts);
	struct machine *m = NULL;

	if (machine_parse(a, "x.json", text, strlen(text), &d, &m) < 0)
		fail_msg("%s", d.messages.at[0].text);
	return m;
}

static void plan(struct arena *a, const struct machine *m, const char *layout, struct diag *d,
		 struct plan **ret)
{
	struct plan_options o = { .root = "/mnt/t", .mount = true };
	struct layout *l = NULL;

	*d = (struct diag){ .arena = a };
	*ret = NULL;
	assert_int_equal(layout_parse(a, "x.yaml", layout, strlen(layout), d, &l), 0);
	(void)plan_make(a, l, m, &o, d, ret);
	assert_non_null(*ret);
}

static const char on_blank[] = "stowage: 1\nname: x\ndisks: { a: /dev/vda }\n"
			       "tables: [ { disks: a, partitions: [ { name: one, size: rest } ] } ]\n"
			       "filesystems: [ { type: xfs, devices: one, mount: /srv } ]\n";
static const char new_volume[] =
	"stowage: 1\nname: x\ndisks: { b: /dev/vdb }\n"
	"tables: [ { disks: b, partitions: [ { name: lvm, size: 10G }, { name: data, "
	"size: 1G } ] } ]\n"
	"volume-groups: { vg0: { devices: lvm, volumes: { v: { size: 1G } } } }\n";
static const char only_kept[] =
	"stowage: 1\nname: x\ndisks: { b: /dev/vdb }\n"
	"tables: [ { disks: b, partitions: [ { name: lvm, size: 10G, type: lvm }, { name: data, "
	"size: 1G } ] } ]\n"
	"filesystems: [ { type: xfs, devices: data, mount: /srv } ]\n";

/* Whether a list with that one line keeps the layout from the machine. */
static bool is_refused(const char *id, const char *layout)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d;
	struct plan *p;

	plan(a, machine(a, id), layout, &d, &p);
	if (d.errors)
		fail_msg("%s", d.messages.at[0].text);
	assert_int_equal(p->steps.n == 0, d.refusals == 1);
	return d.refusals != 0;
}

static void test_each_way_to_name_a_disk(void **state)
{
	static const char *const ids[] = {
		"WD-WCC 4E_01",
		"wd-wcc 4e_01",
		"WD-WCC_4E_01",
		"WD-WCC  4E 01",
		"serial=WD-WCC 4E_01",
		"0x5000c500a1b2c3d4",
		"5000c500a1b2c3d4",
		"0X5000C500A1B2C3D4",
		"naa.5000c500a1b2c3d4",
		"5 000c50 0a1b2c3d4",
		"wwn-0x5000c500a1b2c3d4",
		"ata-WDC_WD40_WD-WCC_4E_01",
		"/dev/disk/by-id/ata-WDC_WD40_WD-WCC_4E_01",
		"/dev/vda",
		"5000c500a1b2c3d40000000000000000",
		"\"WD-WCC 4E_01\"",
	};
	static const char *const others[] = { "WD-WCC 4E_0",
					      "WD-WCC 4E_011",
					      "0x5000c500a1b2c3d5",
					      "5000c500a1b2c3d",
					      "vda",
					      "a",
					      "-",
					      "::",
					      "B",
					      "/dev/vd",
					      "5000c500a1b2c3d50000000000000000" };

	(void)state;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		if (!is_refused(ids[i], on_blank))
			fail_msg("'%s' does not protect", ids[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (is_refused(others[i], on_blank))
			fail_msg("'%s' protects", others[i]);
}

/* A volume writes to the group's metadata on every disk of it, whatever on the disk bears the UUID. */
static void test_each_way_to_name_what_is_on_it(void **state)
{
	static const char *const ids[] = {
		"B",
		"0a0a0a0a-0000-4000-8000-00000000000a",
		"0A0A0A0A-0000-4000-8000-00000000000A",
		"0a0a0a0a:00004000:80000000:0000000a",
		"abcdEF-abcd-abcd-abcd-abcd-abcd-abcdef",
		"1b1b1b1b-0000-4000-8000-00000000000b",
		"UUID=1B1B1B1B-0000-4000-8000-00000000000B",
		"2c2c2c2c-0000-4000-8000-00000000000c",
		"PARTUUID=3d3d3d3d-0000-4000-8000-00000000000d",
		"600508b1001c5e1a000000000000abcd",
		"0x600508b1001c5e1a",
		"Yx3aBc-1111-2222-3333-4444-5555-Z6z7z8",
		"UUID=4E4E4E4E-0000-4000-8000-00000000000E",
	};

	(void)state;
	assert_false(is_refused("9e9e9e9e-0000-4000-8000-00000000000e", new_volume));
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		if (!is_refused(ids[i], new_volume))
			fail_msg("'%s' does not protect", ids[i]);
		if (is_refused(ids[i], only_kept))
			fail_msg("'%s': what is only kept and mounted is refused", ids[i]);
		if (is_refused(ids[i], on_blank))
			fail_msg("'%s': another disk is refused", ids[i]);
	}
}

static void test_message(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d;
	struct plan *p;

	(void)state;
	plan(a, machine(a, "1B1B1B1B-0000-4000-8000-00000000000B"), new_volume, &d, &p);
	assert_int_equal(diag_exit(&d), 3);
	assert_string_equal(d.messages.at[0].text,
			    "disk 'b' (/dev/vdb) is protected: line 3 of /etc/stowage/protected states "
			    "'1B1B1B1B-0000-4000-8000-00000000000B', the UUID of the xfs on /dev/vdb2");
	assert_int_equal(d.messages.at[0].pos.line, 5);
	assert_string_equal(
		d.messages.at[1].text,
		"it would be written to: create volume 'vg0/v', 1 GiB, on b.lvm; clear the ends of "
		"vg0/v, and the places where something old would show itself");
}

/* A list of today, against a plan of yesterday. */
static void test_list_read_anew(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct protected_line line = { .file = "f", .line = 1, .id = "wd-wcc 4e 01" };
	protected_list list = { .at = &line, .n = 1, .room = 1 };
	struct diag d;
	struct plan *p;

	(void)state;
	plan(a, machine(a, "none"), on_blank, &d, &p);
	assert_false(diag_failed(&d));
	assert_false(plan_protect(p, &list, &d));
	assert_int_equal(diag_exit(&d), 3);
	plan(a, machine(a, "none"), only_kept, &d, &p);
	assert_true(plan_protect(p, &list, &d));
}

/* Nobody knows what is protected where the list can't be read. */
static void test_list_that_could_not_be_read(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct machine *m = machine(a, "none");
	struct diag d;
	struct plan *p;

	(void)state;
	m->protected_why = "it is a directory";
	plan(a, m, only_kept, &d, &p);
	assert_false(diag_failed(&d));
	plan(a, m, on_blank, &d, &p);
	assert_int_equal(diag_exit(&d), 1);
	assert_int_equal(p->steps.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_way_to_name_a_disk),
		cmocka_unit_test(test_each_way_to_name_what_is_on_it),
		cmocka_unit_test(test_message),
		cmocka_unit_test(test_list_read_anew),
		cmocka_unit_test(test_list_that_could_not_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
