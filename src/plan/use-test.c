/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "machine/have.h"
#include "machine/machine.h"
#include "plan/settle.h"
#include "plan/use.h"

struct setup {
	struct arena *a;
	struct diag diag;
	struct plan_options options;
	struct settle s;
};

static int setup(void **state)
{
	static struct setup t;

	t = (struct setup){ .a = arena_new() };
	t.diag.arena = t.a;
	*state = &t;
	return 0;
}

static int teardown(void **state)
{
	arena_free(((struct setup *)*state)->a);
	return 0;
}

/* @devices, @rest: JSON, with ' for " */
static void look(struct setup *t, const char *root, const char *devices, const char *rest)
{
	char *text = arena_printf(t->a, "{ 'stowage-machine': 1, 'root': true, 'devices': [ %s ]%s }",
				  devices, rest);
	struct machine *m = NULL;
	struct graph *have = NULL;

	for (char *c = text; *c; c++)
		if (*c == '\'')
			*c = '"';
	if (machine_parse(t->a, "x.json", text, strlen(text), &t->diag, &m) < 0)
		fail_msg("%s", t->diag.messages.at[0].text);
	assert_int_equal(machine_have(t->a, m, &t->diag, &have), 0);
	t->options.root = root;
	t->s = (struct settle){
		.arena = t->a, .diag = &t->diag, .machine = m, .have = have, .options = &t->options
	};
}

/* "loose: ...; bound: ..." */
static const char *uses_of(struct setup *t, const char *dev)
{
	static const char *const bonds[] = { "loose", "busy", "bound" };
	use_list uses = plan_users_of(&t->s, have_dev(t->s.have, dev));
	struct text all = { .arena = t->a };

	vec_each (const struct use *, use, &uses)
		text_printf(&all, "%s%s: %s", all.len ? "; " : "", bonds[use->bond], use->text);
	return text_str(&all);
}

static bool is_root(struct setup *t, const char *dev)
{
	return plan_is_root_disk(&t->s, have_dev(t->s.have, dev));
}

#define DISK(name, more) "{ 'name': '" name "', 'type': 'disk', 'size': 10737418240" more " }"
#define PART(name, disk, more)                                                                               \
	"{ 'name': '" name "', 'type': 'part', 'parent': '" disk                                             \
	"', 'partition': 1, 'start': 1048576, 'size': 1073741824" more " }"

static void test_mounts(void **state)
{
	struct setup *t = *state;
	static const char mounts[] =
		", 'mounts': [ { 'target': '/mnt/t', 'type': 'ext4', 'dev': 'vda1', 'major': 1 },"
		" { 'target': '/mnt/t/srv', 'type': 'ext4', 'dev': 'vda1', 'major': 1 },"
		" { 'target': '/mnt/tt', 'type': 'ext4', 'dev': 'vda1', 'major': 1 } ]";

	look(t, "/mnt/t", DISK("vda", "") "," PART("vda1", "vda", "") "," DISK("vdb", ""), mounts);
	assert_string_equal(
		uses_of(t, "vda"),
		"loose: /dev/vda1 is mounted on /mnt/t; loose: /dev/vda1 is mounted on /mnt/t/srv; "
		"bound: /dev/vda1 is mounted on /mnt/tt");
	assert_string_equal(uses_of(t, "vdb"), "");
	look(t, "/", DISK("vda", "") "," PART("vda1", "vda", ""), mounts);
	assert_string_equal(
		uses_of(t, "vda1"),
		"bound: /dev/vda1 is mounted on /mnt/t; bound: /dev/vda1 is mounted on /mnt/t/srv; "
		"bound: /dev/vda1 is mounted on /mnt/tt");
}

static void test_swap_and_holders(void **state)
{
	struct setup *t = *state;

	look(t, "/",
	     DISK("vda", ", 'holders': [ 'dm-0' ]") "," DISK(
		     "vdb",
		     ", 'holders': [ 'bcache0', 'gone' ]") ","
							   "{ 'name': 'dm-0', 'type': 'dm', 'size': 1048576, "
							   "'dm-name': 'secret', 'dm-target': 'crypt',"
							   " 'slaves': [ 'vda' ] },"
							   "{ 'name': 'bcache0', 'type': 'other', 'size': "
							   "1048576 }",
	     ", 'swaps': [ { 'path': '/dev/dm-0', 'dev': 'dm-0' } ]");
	assert_string_equal(uses_of(t, "vda"),
			    "loose: /dev/vda is part of /dev/mapper/secret (dm crypt, 1 MiB); "
			    "loose: /dev/mapper/secret is in use as swap");
	assert_string_equal(uses_of(t, "vdb"), "bound: /dev/vdb is part of /dev/bcache0; "
					       "bound: /dev/vdb is held by gone, of which no more is known");
}

static void test_loop_devices(void **state)
{
	struct setup *t = *state;

	look(t, "/",
	     DISK("vda", "") "," DISK(
		     "vdb",
		     "") ","
			 "{ 'name': 'loop0', 'type': 'loop', 'size': 1048576, 'backing': '/dev/vda' },"
			 "{ 'name': 'loop1', 'type': 'loop', 'size': 1048576, 'backing': '/srv/a/image' }",
	     ", 'mounts': [ { 'target': '/srv', 'type': 'ext4', 'dev': 'vdb', 'major': 1 },"
	     " { 'target': '/srv/aa', 'type': 'tmpfs' }, { 'target': '/x', 'type': 'xfs', 'dev': 'loop1', "
	     "'major': "
	     "7 } ]");
	assert_string_equal(uses_of(t, "vda"),
			    "bound: /dev/vda is used by /dev/loop0, a loop device on /dev/vda");
	assert_string_equal(uses_of(t, "vdb"),
			    "bound: /dev/vdb is mounted on /srv; "
			    "bound: /dev/vdb is used by /dev/loop1, a loop device on /srv/a/image; "
			    "bound: /dev/loop1 is mounted on /x");
}

static void test_what_is_under_way(void **state)
{
	struct setup *t = *state;

	look(t, "/",
	     DISK("vda", ", 'holders': [ 'md0' ]") ","
						   "{ 'name': 'md0', 'type': 'md', 'size': 1048576, "
						   "'slaves': [ 'vda' ] }",
	     ", 'md': { 'arrays': [ { 'dev': 'md0', 'state': 'running', 'level': 'raid1', 'disks': 1,"
	     " 'sync': 'recover', 'members': [ { 'dev': 'vda', 'state': 'active', 'slot': 0 } ] } ] }");
	assert_string_equal(uses_of(t, "vda"), "loose: /dev/vda is part of /dev/md0 (RAID1 of 1); "
					       "busy: a recovery is under way on /dev/md0");
	look(t, "/",
	     DISK("vda", ", 'signatures': [ { 'type': 'btrfs', 'usage': 'filesystem', 'uuid': "
			 "'1b1b1b1b-0000-4000-8000-00000000000b' } ]"),
	     ", 'btrfs': { '1b1b1b1b-0000-4000-8000-00000000000b': { 'busy': 'balance' } },"
	     " 'mounts': [ { 'target': '/srv', 'type': 'btrfs', 'dev': 'vda' } ]");
	assert_string_equal(uses_of(t, "vda"), "bound: /dev/vda is mounted on /srv; "
					       "busy: a balance is under way on btrfs on vda");
	look(t, "/",
	     DISK("vda", ", 'holders': [ 'dm-0' ], 'signatures': [ { 'type': 'LVM2_member', 'usage': 'raid', "
			 "'uuid': 'u' } ]") ","
					    "{ 'name': 'dm-0', 'type': 'dm', 'size': 1048576, 'dm-name': "
					    "'vg0-pvmove0', 'slaves': [ 'vda' ] },"
					    "{ 'name': 'dm-1', 'type': 'dm', 'size': 1048576, 'dm-name': "
					    "'vg0-home', 'slaves': [ 'dm-0' ] }",
	     ", 'lvm': { 'groups': [ { 'name': 'vg0', 'extent': 4194304, 'pvs': [ { 'dev': 'vda', 'uuid': "
	     "'u' } ],"
	     " 'lvs': [ { 'name': 'home', 'size': 1048576, 'type': 'linear' } ], 'extents': [] } ] }");
	assert_non_null(strstr(uses_of(t, "vda"), "busy: a pvmove is under way on /dev/mapper/vg0-home"));
}

/* / on a volume on LUKS on an array on partitions of two disks. */
static void test_disks_of_root(void **state)
{
	struct setup *t = *state;

	look(t, "/mnt",
	     DISK("vda", "") "," DISK("vdb", "") "," DISK("vdc", "") "," PART(
		     "vda1", "vda",
		     ", 'holders': [ 'md0' ]") "," PART("vdb1", "vdb",
							", 'holders': [ 'md0' ]") ","
										  "{ 'name': 'md0', 'type': "
										  "'md', 'size': 1048576, "
										  "'slaves': [ 'vda1', "
										  "'vdb1' ], 'holders': [ "
										  "'dm-0' ] },"
										  "{ 'name': 'dm-0', 'type': "
										  "'dm', 'size': 1048576, "
										  "'slaves': [ 'md0' ], "
										  "'holders': [ 'dm-1' ] },"
										  "{ 'name': 'dm-1', 'type': "
										  "'dm', 'size': 1048576, "
										  "'slaves': [ 'dm-0' ] }",
	     ", 'mounts': [ { 'target': '/', 'type': 'ext4', 'dev': 'dm-1', 'major': 253 } ]");
	assert_true(is_root(t, "vda") && is_root(t, "vdb"));
	assert_false(is_root(t, "vdc") || is_root(t, "vda1"));
	assert_non_null(
		strstr(uses_of(t, "vdb"), "bound: /dev/vdb is a disk of the running system: / stands on it"));
	assert_non_null(strstr(uses_of(t, "vdb"), "bound: /dev/dm-1 is mounted on /"));
	assert_string_equal(uses_of(t, "vdc"), "");
}

/* / on a volume of a group on two disks, on one of which the volume lies: the group goes with either. */
static void test_disks_of_a_group_with_root(void **state)
{
	struct setup *t = *state;

	look(t, "/mnt",
	     DISK("vda", ", 'signatures': [ { 'type': 'LVM2_member', 'usage': 'raid', 'uuid': 'A' } ]") "," DISK(
		     "vdb", ", 'signatures': [ { 'type': 'LVM2_member', 'usage': 'raid', 'uuid': 'B' } ], "
			    "'holders': [ 'dm-0' ]") "," DISK("vdc", "") ","
									 "{ 'name': 'dm-0', 'type': 'dm', "
									 "'dm-name': 'vg0-root', 'size': "
									 "1048576, 'slaves': [ 'vdb' ] }",
	     ", 'mounts': [ { 'target': '/', 'type': 'ext4', 'dev': 'dm-0', 'major': 253 } ],"
	     " 'lvm': { 'groups': [ { 'name': 'vg0', 'extent': 1048576, 'pvs': ["
	     " { 'dev': 'vda', 'uuid': 'A', 'start': 1048576, 'extents': 4 }, { 'dev': 'vdb', 'uuid': 'B', "
	     "'start': 1048576, 'extents': 4 } ],"
	     " 'lvs': [ { 'name': 'root', 'size': 1048576, 'type': 'linear' } ],"
	     " 'extents': [ { 'pv': 'B', 'start': 0, 'count': 1, 'lv': 'root' } ] } ] }");
	assert_true(is_root(t, "vda") && is_root(t, "vdb"));
	assert_false(is_root(t, "vdc"));
}

/* Of a btrfs over several devices the mount table names one; of a ZFS none; of an overlay its directories. */
static void test_disks_of_a_root_that_names_no_device(void **state)
{
	struct setup *t = *state;

	look(t, "/mnt",
	     DISK("vda", ", 'signatures': [ { 'type': 'btrfs', 'usage': 'filesystem', 'uuid': 'u' } ]") "," DISK(
		     "vdb",
		     ", 'signatures': [ { 'type': 'btrfs', 'usage': 'filesystem', 'uuid': 'u' } ]") "," DISK("vdc",
													     ", 'signatures': [ { 'type': 'btrfs', 'usage': 'filesystem', 'uuid': 'v' } ]"),
	     ", 'mounts': [ { 'target': '/', 'type': 'btrfs', 'dev': 'vda' } ]");
	assert_true(is_root(t, "vda") && is_root(t, "vdb"));
	assert_false(is_root(t, "vdc"));
	look(t, "/mnt",
	     DISK("vda", ", 'signatures': [ { 'type': 'zfs_member', 'usage': 'filesystem', 'label': 'rpool' "
			 "} ]") "," DISK("vdb", ", 'signatures': [ { 'type': 'zfs_member', 'usage': "
						"'filesystem', 'label': 'rpoo' } ]"),
	     ", 'mounts': [ { 'target': '/', 'type': 'zfs', 'source': 'rpool/ROOT/debian' } ]");
	assert_true(is_root(t, "vda"));
	assert_false(is_root(t, "vdb"));
	look(t, "/mnt", DISK("vda", "") "," DISK("vdb", "") "," DISK("vdc", "") "," DISK("vdd", ""),
	     ", 'mounts': [ { 'target': '/', 'type': 'overlay', 'source': 'overlay', 'options': "
	     "'rw,lowerdir=/run/live/a:/run/live/b,upperdir=/run/live/c/up,workdir=/run/live/c/work' },"
	     " { 'target': '/run/live/a', 'type': 'squashfs', 'dev': 'vda', 'major': 1 },"
	     " { 'target': '/run/live/b', 'type': 'squashfs', 'dev': 'vdb', 'major': 1 },"
	     " { 'target': '/run/live/c', 'type': 'ext4', 'dev': 'vdc', 'major': 1 },"
	     " { 'target': '/run/live/cc', 'type': 'ext4', 'dev': 'vdd', 'major': 1 } ]");
	assert_true(is_root(t, "vda") && is_root(t, "vdb") && is_root(t, "vdc"));
	assert_false(is_root(t, "vdd"));
}

static void test_protected(void **state)
{
	struct setup *t = *state;

	look(t, "/", DISK("vda", ", 'serial': 'S1'") "," PART("vda1", "vda", ""),
	     ", 'protected': [ { 'file': 'f', 'line': 2, 'id': 's1' } ]");
	assert_string_equal(uses_of(t, "vda1"),
			    "bound: /dev/vda is protected: line 2 of f states 's1', the serial "
			    "number of /dev/vda");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_mounts),        TEST(test_swap_and_holders),
		TEST(test_loop_devices),  TEST(test_what_is_under_way),
		TEST(test_disks_of_root), TEST(test_disks_of_a_root_that_names_no_device),
		TEST(test_protected),     TEST(test_disks_of_a_group_with_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
