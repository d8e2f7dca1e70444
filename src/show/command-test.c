/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "show/show.h"
#include "show/test-plan.h"

static void words_are_quoted(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct op op = { .form = OP_ARGV };

	(void)state;
	vec_push(a, &op.argv, "mkfs.xfs");
	vec_push(a, &op.argv, "");
	vec_push(a, &op.argv, "it's");
	vec_push(a, &op.argv, "a\x1b[m\nb");
	assert_string_equal(show_command(a, &op),
			    "mkfs.xfs '' 'it'\\''s' 'a'\"$(printf '\\033')\"'[m\\x0Ab'");
	op.form = OP_LVM;
	assert_string_equal(show_command(a, &op),
			    "mkfs.xfs '' 'it'\\''s' 'a'\"$(printf '\\033')\"'[m\\x0Ab'");
}

static void each_form_has_a_line(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	const struct plan *p = test_plan(a);
	static const char *const lines[] = {
		"blkdiscard -z -o 0 -l 1048576 /dev/vda && blkdiscard -z -o 67645734912 -l 1048576 /dev/vda",
		"sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/vda",
		"blkdiscard -z -o 0 -l 1048576 /dev/vdb && blkdiscard -z -o 67645734912 -l 1048576 /dev/vdb",
		"sfdisk -q --lock=yes --wipe always --wipe-partitions always /dev/vdb",
		"udevadm settle --timeout=30",
		"wipefs -a -q /dev/vda1",
		"mkfs.btrfs -L 'it'\\''s $(id) `id` \"%n\" \\' /dev/vda1 /dev/vdb1",
		"lvcreate -y",
		"mkdir -p -m 0700 -- '/mnt/a b/home'",
		"mount -t btrfs -o 'noatime,subvol=/a b' -- /dev/vda1 '/mnt/a b/home'",
		"write '/mnt/a b/etc/fstab'",
	};

	(void)state;
	assert_int_equal(p->steps.n, sizeof(lines) / sizeof(*lines));
	for (size_t i = 0; i < p->steps.n; i++)
		assert_string_equal(show_command(a, &p->steps.at[i]->op), lines[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_quoted),
		cmocka_unit_test(each_form_has_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
