/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "tech/fs-test.h"

#define UUID "11111111-2222-4333-8444-555555555555"

static void one_on_each(void **state)
{
	_cleanup_trial_ struct trial *t = trial("  - { type: swap, devices: [a, b] }",
						DISK("sda", 536870912, "") "," DISK("sdb", 536870912, ""));
	const struct fs *a, *b;

	(void)state;
	assert_quiet(t);
	a = fs_of(graph_get(t->plan->want, "swap on a"));
	b = fs_of(graph_get(t->plan->want, "swap on b"));
	assert_string_equal(trial_words(t, "format swap on a"),
			    arena_printf(t->a, "mkswap -U %s /dev/sda", a->uuid));
	assert_string_equal(trial_words(t, "format swap on b"),
			    arena_printf(t->a, "mkswap -U %s /dev/sdb", b->uuid));
	assert_string_not_equal(a->uuid, b->uuid);
	assert_string_equal(a->node.kind->part_type(&a->node), "swap");
}

static void options_of_fstab(void **state)
{
	static const struct {
		const char *words, *there, *options;
	} cases[] = {
		{ "", NULL, "sw" },
		{ ", priority: 5", NULL, "sw,pri=5" },
		{ ", priority: -1", NULL, "sw,pri=-1" },
		{ ", options: [discard]", NULL, "sw,discard" },
		{ ", options: [sw, discard], priority: 0", NULL, "sw,discard,pri=0" },
		{ "", "sw,discard,pri=3", "sw,discard,pri=3" },
		{ ", priority: 5", "sw,pri=3,discard", "sw,discard,pri=5" },
		{ "", "defaults", "defaults" }, /* a line that is there stays as it is */
		{ ", priority: 5", "defaults,pri=3", "defaults,pri=5" },
		{ ", options: [discard]", "defaults", "sw,discard" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct arena *a = arena_new();
		_cleanup_trial_ struct trial *t = trial(
			arena_printf(a, "  - { type: swap, devices: a, label: s%s }", cases[i].words),
			DISK("sda", 536870912, ""));
		const struct fs *fs = fs_of(graph_get(t->plan->want, "swap on a"));

		assert_quiet(t);
		assert_string_equal(fs_options_over(a, fs, cases[i].there), cases[i].options);
		assert_int_equal(fs_pass(fs), 0);
		arena_free(a);
	}
}

static void contradictions_are_errors(void **state)
{
	static const struct {
		const char *words, *said;
	} bad[] = {
		{ "priority: 32768", "priority" },
		{ "priority: -2", "priority" },
		{ "mount: /swap", "swap isn't mounted: '/swap' has no place there" },
		{ "pass: 2", "its pass is 0, not 2" },
		{ "label: sixteen bytes xx", "takes 16 bytes, and swap has room for 15" },
		{ "priority: 1, options: ['discard,pri=2']", "'pri=2'" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_mistake("swap", DISK("sda", 536870912, ""), bad[i].words, bad[i].said);
}

static void small_ones_are_errors(void **state)
{
	_cleanup_trial_ struct trial *t = trial("  - { type: swap, devices: [a, b] }",
						DISK("sda", 36864, "") "," DISK("sdb", 40960, ""));

	(void)state;
	assert_said(t, "'a' is too small for 'swap on a': it has 36 KiB, and mkswap needs 40 KiB");
}

static void one_uuid_is_for_one(void **state)
{
	_cleanup_trial_ struct trial *t = trial("  - { type: swap, devices: [a, b], uuid: " UUID
						", label: x }",
						DISK("sda", 536870912, "") "," DISK("sdb", 536870912, ""));

	(void)state;
	assert_said(t, "one UUID is stated for 2 swap devices", "2 swap devices get the same label 'x'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_on_each),
		cmocka_unit_test(options_of_fstab),
		cmocka_unit_test(contradictions_are_errors),
		cmocka_unit_test(small_ones_are_errors),
		cmocka_unit_test(one_uuid_is_for_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
