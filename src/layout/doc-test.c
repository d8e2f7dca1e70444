/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "layout/test-rooms.h"

#include "layout/doc.h"

static void expect_in(const char *text, const char *part)
{
	if (!strstr(text, part))
		print_error("not there: %s\nin:\n%s\n", part, text);
	assert_non_null(strstr(text, part));
}

static void text_for_a_terminal(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };
	const char *s = layout_doc_rooms(t_rooms, a, NULL, &d);

	(void)state;
	assert_non_null(s);
	expect_in(s, "VOLUME-GROUPS\n\nGroups.\n\n");
	expect_in(s, "    level: 0, 1, 10 or raid10, needed\n        RAID level.\n");
	expect_in(s, "    su: a size in bytes\n        Stripe unit. Only together with sw. Not together with "
		     "chunk.\n");
	expect_in(s, "        Example: `path: /dev/sda`\n");
	expect_in(s, "    stripe: a map of keys\n        Hardware RAID.\n\n        unit: a size in bytes, "
		     "needed\n");
	expect_in(s, "A value in place of the map means `path`.");
	expect_in(s, "filesystems, type: btrfs\n\nOn several devices.\n\n    profile: single or raid1\n");
	expect_in(s, "    type: btrfs or xfs, needed\n");
	for (const char *line = s; *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") < 80);
	assert_int_equal(s[strlen(s) - 1], '\n');
	assert_int_not_equal(s[strlen(s) - 2], '\n');
}

static void one_room(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };
	const char *s = layout_doc_rooms(t_rooms, a, "btrfs", &d);

	(void)state;
	assert_string_equal(s, "filesystems, type: btrfs\n\nOn several devices.\n\n    profile: single or "
			       "raid1\n        For data and metadata.\n");
	s = layout_doc_rooms(t_rooms, a, "storage", &d);
	assert_int_equal(strncmp(s, "What lies below.\n\nDISKS\n", 24), 0);
	assert_null(layout_doc_rooms(t_rooms, a, "brtfs", &d));
	assert_string_equal(d.messages.at[0].text,
			    "no part of the reference is called 'brtfs'; did you mean 'btrfs'?");
	assert_null(layout_doc_rooms(t_rooms, a, "zzz", &d));
	assert_string_equal(d.messages.at[1].text,
			    "no part of the reference is called 'zzz'; there are storage, btrfs, filesystem");
}

static void man_page(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	const char *s = layout_doc_scdoc_rooms(t_rooms, a);

	(void)state;
	expect_in(s, "# VOLUME-GROUPS\n\nGroups.\n");
	expect_in(s, "## filesystems, type: btrfs\n");
	expect_in(s, "\t*bitmap*: true or false\n\t\tWhether it has one\\_bitmap \\[or \\*none\\*\\].\n");
	expect_in(s, "\t\tExample: *path: /dev/sda*\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(text_for_a_terminal), cmocka_unit_test(one_room),
					    cmocka_unit_test(man_page) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
