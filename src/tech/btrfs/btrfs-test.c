/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "tech/fs-test.h"

#define UUID "11111111-2222-4333-8444-555555555555"
#define SIG  "{\"type\": \"btrfs\", \"usage\": \"filesystem\", \"uuid\": \"" UUID "\"}"

#define THREE DISK("sda", 1073741824, "") "," DISK("sdb", 1073741824, "") "," DISK("sdc", 1073741824, "")
#define FOUR  THREE "," DISK("sdd", 1073741824, "")

static void profiles_are_chosen_with_care(void **state)
{
	static const struct {
		const char *words, *profiles, *devices;
	} cases[] = {
		{ "devices: a", "-d single -m dup", "/dev/sda" },
		{ "devices: [a, b]", "-d raid1 -m raid1", "/dev/sda /dev/sdb" },
		{ "devices: [c, a, b], profile: raid1c3", "-d raid1c3 -m raid1c3",
		  "/dev/sdc /dev/sda /dev/sdb" },
		{ "devices: [a, b, c], data: raid0", "-d raid0 -m raid1", "/dev/sda /dev/sdb /dev/sdc" },
		{ "devices: [a, b, c], data: raid1c3", "-d raid1c3 -m raid1c3",
		  "/dev/sda /dev/sdb /dev/sdc" },
		{ "devices: [a, b, c, d], data: raid1c4", "-d raid1c4 -m raid1c4",
		  "/dev/sda /dev/sdb /dev/sdc /dev/sdd" },
		{ "devices: [a, b], metadata: single", "-d raid1 -m single", "/dev/sda /dev/sdb" },
		{ "devices: [a, b, c], profile: raid10", "-d raid10 -m raid10",
		  "/dev/sda /dev/sdb /dev/sdc" },
		{ "devices: a, profile: single", "-d single -m single", "/dev/sda" },
		{ "devices: a, profile: dup", "-d dup -m dup", "/dev/sda" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct arena *a = arena_new();
		_cleanup_trial_ struct trial *t = trial(
			arena_printf(a, "  - { type: btrfs, mount: /x, uuid: " UUID ", %s }", cases[i].words),
			FOUR);

		assert_quiet(t);
		assert_string_equal(trial_words(t, "format /x"),
				    arena_printf(a, "mkfs.btrfs -q -f -U " UUID " %s %s", cases[i].profiles,
						 cases[i].devices));
		assert_int_equal(fs_pass(fs_of(graph_get(t->plan->want, "/x"))), 0);
		arena_free(a);
	}
}

static void profiles_need_devices(void **state)
{
	static const struct {
		const char *words, *said;
	} bad[] = {
		{ "devices: a, profile: raid1", "raid1 needs 2 devices, and '/x' has 1" },
		{ "devices: [a, b], profile: raid1c3", "raid1c3 needs 3 devices, and '/x' has 2" },
		{ "devices: [a, b, c], metadata: raid1c4", "raid1c4 needs 4 devices" },
		{ "devices: a, data: raid10", "raid10 needs 2 devices" },
		{ "devices: [a, b], profile: dup",
		  "dup may put both copies on one device, and '/x' has 2: take raid1" },
		{ "devices: [a, b], profile: raid1, data: raid1", "profile" },
		{ "devices: [a, b], profile: raid2", "raid2" },
		{ "devices: a, mkfs: [-d, single]", "state the key 'data'" },
		{ "devices: a, mkfs: [--metadata=single]", "state the key 'metadata'" },
		{ "devices: [a, b], key: partuuid",
		  "it stands on 2 partitions, and 'partuuid' is one's alone" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct arena *a = arena_new();
		_cleanup_trial_ struct trial *t = trial(
			arena_printf(a, "  - { type: btrfs, mount: /x, %s }", bad[i].words), FOUR);

		assert_said(t, bad[i].said);
		assert_int_equal(t->diag.errors, 1);
		arena_free(a);
	}
}

static void parity_is_warned_of(void **state)
{
	_cleanup_trial_ struct trial *t = trial("  - { type: btrfs, devices: [a, b, c], data: raid5 }", FOUR);
	_cleanup_trial_ struct trial *both = trial("  - { type: btrfs, devices: [a, b, c], profile: raid6 }",
						   FOUR);

	(void)state;
	assert_said(t, "warning: raid5 of btrfs can lose data when power fails while a device is missing");
	assert_non_null(strstr(trial_words(t, "format btrfs on a, b, c"), "-d raid5 -m raid1 "));
	assert_said(both, "warning: raid6 of btrfs can lose data");
}

static void small_ones_are_errors(void **state)
{
	_cleanup_trial_ struct trial *t = trial("  - { type: btrfs, devices: [a, b] }",
						DISK("sda", 131072000, "") "," DISK("sdb", 130023424, ""));

	(void)state;
	assert_said(t, "'b' is too small for 'btrfs on a, b': it has 124 MiB, and mkfs.btrfs with these "
		       "profiles needs 125 MiB");
}

static void waste_is_told(void **state)
{
	_cleanup_trial_ struct trial *t = trial("  - { type: btrfs, devices: [a, b] }",
						DISK("sda", 10737418240, "") "," DISK("sdb", 4294967296, ""));

	(void)state;
	assert_said(t, "'a' has 6 GiB more than the other devices of 'btrfs on a, b' together: that much "
		       "can't be mirrored");
}

#define HELD(name) DISK_WITH(name, 1073741824, "", SIG)

static struct trial *over(const char *keys, const char *devices, const char *record)
{
	struct arena *a = arena_new();
	struct trial *t = trial_new(arena_printf(a, "  - { type: btrfs, %s }", keys), devices,
				    arena_printf(a, "\"btrfs\": {\"" UUID "\": {%s}},", record),
				    (struct plan_options){ .mount = true });

	arena_free(a);
	return t;
}

static void what_is_there_is_compared(void **state)
{
	static const char two[] = "\"devices\": 2, \"data\": \"raid1\", \"metadata\": \"raid1\", "
				  "\"members\": {\"sda\": 1, \"sdb\": 2}";
	static const char mixed[] = "\"devices\": 2, \"data\": \"single, raid1\", \"metadata\": \"raid1\", "
				    "\"members\": {\"sda\": 1, \"sdb\": 1}";
	static const char three[] = "\"devices\": 3, \"data\": \"raid1\", \"metadata\": 7, \"members\": 5";
	_cleanup_trial_ struct trial *same = over("devices: [a, b], profile: raid1",
						  HELD("sda") "," HELD("sdb"), two);
	_cleanup_trial_ struct trial *open = over("devices: [b, a]", HELD("sda") "," HELD("sdb"), two);
	_cleanup_trial_ struct trial *other = over("devices: [a, b], data: raid0",
						   HELD("sda") "," HELD("sdb"), two);
	_cleanup_trial_ struct trial *half = over("devices: [a, b], profile: raid1",
						  HELD("sda") "," HELD("sdb"), mixed);
	_cleanup_trial_ struct trial *missing = over("devices: [a, b], profile: raid1",
						     HELD("sda") "," HELD("sdb"), three);
	_cleanup_trial_ struct trial *fewer = over("devices: a", HELD("sda") "," HELD("sdb"), two);
	_cleanup_trial_ struct trial *more = over(
		"devices: [a, b, c]", HELD("sda") "," HELD("sdb") "," DISK("sdc", 1073741824, ""), two);

	(void)state;
	assert_quiet(same);
	assert_quiet(open);
	assert_null(trial_words(open, "format btrfs on b, a"));
	assert_said(other, "its data is raid1, and the layout asks for raid0");
	assert_said(half,
		    "its data is single, raid1, and the layout asks for raid1: mount it, then btrfs balance "
		    "start -dconvert=raid1,soft",
		    "sda and sdb both say that they are device 1");
	assert_said(missing, "1 of its 3 devices are missing");
	assert_said(fewer, "it stands on /dev/sdb too, which the layout doesn't name");
	assert_said(more, "'c' isn't one of its devices, as the layout asks: btrfs device add");
}

static void survives(void **state)
{
	static const bool all[] = { true, true, true }, one_dead[] = { true, false, true },
			  two_dead[] = { false, false, true };
	_cleanup_trial_ struct trial *mirror = trial("  - { type: btrfs, devices: [a, b, c], mount: /x }",
						     FOUR);
	_cleanup_trial_ struct trial *striped = trial(
		"  - { type: btrfs, devices: [a, b, c], mount: /x, data: raid0 }", FOUR);
	_cleanup_trial_ struct trial *three = trial(
		"  - { type: btrfs, devices: [a, b, c], mount: /x, data: raid1c3 }", FOUR);
	const struct node *n = graph_get(mirror->plan->want, "/x");

	(void)state;
	assert_true(n->kind->alive(n, all));
	assert_true(n->kind->alive(n, one_dead));
	assert_false(n->kind->alive(n, two_dead));
	n = graph_get(striped->plan->want, "/x");
	assert_false(n->kind->alive(n, one_dead));
	n = graph_get(three->plan->want, "/x");
	assert_true(n->kind->alive(n, two_dead));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(profiles_are_chosen_with_care),
		cmocka_unit_test(profiles_need_devices),
		cmocka_unit_test(parity_is_warned_of),
		cmocka_unit_test(small_ones_are_errors),
		cmocka_unit_test(waste_is_told),
		cmocka_unit_test(what_is_there_is_compared),
		cmocka_unit_test(survives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
