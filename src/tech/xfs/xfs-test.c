/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "tech/fs-test.h"

#define STRIPED(name, bytes, min, opt)                                                                       \
	DISK(name, bytes, "\"min-io\": " #min ", \"opt-io\": " #opt ", \"rotational\": true, ")

#define UUID "11111111-2222-4333-8444-555555555555"
#define XFS  "{\"type\": \"xfs\", \"usage\": \"filesystem\", \"uuid\": \"" UUID "\", \"label\": \"old\"}"

static void plain_disk_gets_no_stripe(void **state)
{
	_cleanup_trial_ struct trial *t = trial("  - { type: xfs, devices: a, uuid: " UUID
						", label: 'a b', mkfs: [-i, size=1024] }",
						DISK("sda", 8589934592, ""));

	(void)state;
	assert_quiet(t);
	assert_string_equal(trial_words(t, "format xfs on a"),
			    "mkfs.xfs -q -f -m uuid=" UUID " -L a b -i size=1024 /dev/sda");
}

/* Units are mkfs.xfs's own: 64k times 9; the log takes the data's unit up to 256 KiB. */
static void stripe_is_derived(void **state)
{
	static const struct {
		const char *devices, *words;
	} cases[] = {
		{ STRIPED("sda", 8589934592, 65536, 589824), "-d su=64k,sw=9 -l su=64k /dev/sda" },
		{ STRIPED("sda", 8589934592, 262144, 786432), "-d su=256k,sw=3 -l su=256k /dev/sda" },
		{ STRIPED("sda", 8589934592, 524288, 2097152), "-d su=512k,sw=4 -l su=32k /dev/sda" },
		{ STRIPED("sda", 8589934592, 1048576, 5242880), "-d su=1m,sw=5 -l su=32k /dev/sda" },
		{ STRIPED("sda", 8589934592, 524288, 1572864),
		  "-d su=512k,sw=3 -l su=32k /dev/sda" }, /* raid10 n2 of 3: the kernel says 3 */
		{ STRIPED("sda", 8589934592, 524288, 524288), "-d su=512k,sw=1 -l su=32k /dev/sda" },
		{ STRIPED("sda", 8589934592, 512, 0), NULL },
		{ STRIPED("sda", 8589934592, 4096, 0), NULL },
		{ STRIPED("sda", 1073741824, 65536, 589824), "-d su=64k,sw=9 -l su=64k /dev/sda" },
		{ STRIPED("sda", 1072693248, 65536, 589824), NULL }, /* below 1 GiB mkfs.xfs takes none */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_trial_ struct trial *t = trial("  - { type: xfs, devices: a, uuid: " UUID " }",
							cases[i].devices);

		assert_quiet(t);
		assert_string_equal(trial_words(t, "format xfs on a"),
				    arena_printf(t->a, "mkfs.xfs -q -f -m uuid=" UUID " %s",
						 cases[i].words ? cases[i].words : "/dev/sda"));
	}
}

static void stated_beats_derived(void **state)
{
	_cleanup_trial_ struct trial *t = trial("  - { type: xfs, devices: a, uuid: " UUID
						", su: 128K, sw: 5, log-su: 4K }",
						STRIPED("sda", 8589934592, 65536, 589824));

	(void)state;
	assert_said(t, "warning: 'xfs on a' gets su 128 KiB, sw 5 as stated, but what lies beneath has su 64 "
		       "KiB, sw 9");
	assert_string_equal(trial_words(t, "format xfs on a"),
			    "mkfs.xfs -q -f -m uuid=" UUID " -d su=128k,sw=5 -l su=4k /dev/sda");
}

static void stated_counts_below_a_gigabyte(void **state)
{
	_cleanup_trial_ struct trial *t = trial(
		"  - { type: xfs, devices: a, uuid: " UUID ", su: 64K, sw: 9 }", DISK("sda", 1072693248, ""));

	(void)state;
	assert_quiet(t);
	assert_string_equal(trial_words(t, "format xfs on a"),
			    "mkfs.xfs -q -f -m uuid=" UUID " -d su=64k,sw=9 -l su=64k /dev/sda");
}

static void absurd_stripe_is_hidden(void **state)
{
	_cleanup_trial_ struct trial *t = trial("  - { type: xfs, devices: a, uuid: " UUID " }",
						STRIPED("sda", 8589934592, 512, 33553920));

	(void)state;
	assert_non_null(strstr(t->said, "33553920"));
	assert_int_equal(t->diag.errors, 0);
	assert_non_null(strstr(trial_words(t, "format xfs on a"), " -d noalign /dev/sda"));
}

static void user_may_ask_for_no_stripe(void **state)
{
	_cleanup_trial_ struct trial *t = trial("  - { type: xfs, devices: a, uuid: " UUID
						", mkfs: [-d, noalign] }",
						STRIPED("sda", 8589934592, 65536, 589824));

	(void)state;
	assert_quiet(t);
	assert_string_equal(trial_words(t, "format xfs on a"),
			    "mkfs.xfs -q -f -m uuid=" UUID " -d noalign /dev/sda");
}

static void contradictions_are_errors(void **state)
{
	static const struct {
		const char *words, *said;
	} bad[] = {
		{ "su: 512K", "sw" },
		{ "sw: 3", "su" },
		{ "su: 512K, sw: 0", "sw" },
		{ "su: 512K, sw: -1", "sw" },
		{ "su: 512K, sw: 5.5", "sw" },
		{ "su: 6K, sw: 3",
		  "error: su of 'xfs on a' is 6144 bytes, no multiple of the block of 4096" },
		{ "su: 257K, sw: 3", "error: su of 'xfs on a' is 263168 bytes" },
		{ "log-su: 512K",
		  "error: log-su of 'xfs on a' is 512 KiB, and the log's stripe unit ends at 256 KiB" },
		{ "log-su: 6K", "error: log-su of 'xfs on a' is 6144 bytes" },
		{ "su: 64K, sw: 3, mkfs: [-d, 'sunit=128,swidth=384']", "'sunit=128,swidth=384'" },
		{ "mkfs: ['-dsu=64k,sw=3']", "'-dsu=64k,sw=3'" },
		{ "mkfs: [-m, 'crc=1,uuid=" UUID "']", "the key 'uuid'" },
		{ "mkfs: [-L, x]", "the key 'label'" },
		{ "su: 64K, sw: 2, mkfs: [-d, noalign]", "both noalign and a stripe unit" },
		{ "su: 1G, sw: 1024", "more than a full stripe may be" },
		{ "label: thirteenbytes",
		  "error: the label 'thirteenbytes' takes 13 bytes, and xfs has room for 12" },
		{ "label: ééééééé", "takes 14 bytes" },
		{ "label: ''", "is empty" },
		{ "uuid: nonsense", "'nonsense' is no UUID" },
		{ "stride: 4", "stride" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_mistake("xfs", DISK("sda", 8589934592, ""), bad[i].words, bad[i].said);
}

static void small_ones_are_errors(void **state)
{
	_cleanup_trial_ struct trial *t = trial(
		"  - { type: xfs, devices: a }\n  - { type: xfs, devices: b }",
		DISK("sda", 313524224, "") "," DISK("sdb", 314572800, ""));

	(void)state;
	assert_said(t, "error: 'a' is too small for 'xfs on a': it has 299 MiB, and mkfs.xfs needs 300 MiB");
}

static void options_count_sectors(void **state)
{
	_cleanup_trial_ struct trial *fits = trial(
		"  - { type: xfs, devices: a, mount: /a, options: ['sunit=512,swidth=1536'] }",
		STRIPED("sda", 8589934592, 262144, 786432));
	_cleanup_trial_ struct trial *blocks = trial(
		"  - { type: xfs, devices: a, mount: /a, options: ['sunit=64', 'swidth=192'] }",
		STRIPED("sda", 8589934592, 262144, 786432));

	(void)state;
	assert_quiet(fits);
	assert_said(blocks, "mean 32 KiB and 96 KiB (they count 512 bytes), but it has su 256 KiB, sw 3");
}

static struct trial *over(const char *words, const char *record)
{
	struct arena *a = arena_new();
	struct trial *t = trial_new(
		arena_printf(a, "  - { type: xfs, devices: a, %s }", words),
		DISK_WITH("sda", 8589934592, "\"min-io\": 65536, \"opt-io\": 589824, ", XFS), record,
		(struct plan_options){ .mount = true });

	arena_free(a);
	return t;
}

static void what_is_there_is_compared(void **state)
{
	/* 16 and 144 blocks of 4 KiB, recorded in bytes */
	static const char good[] = "\"xfs\": {\"sda\": {\"stripe-unit\": 65536, \"stripe-width\": 589824, "
				   "\"log-stripe-unit\": 65536}},";
	static const char none[] = "\"xfs\": {\"sda\": {\"stripe-unit\": 0, \"stripe-width\": 0}},";
	static const char broken[] = "\"xfs\": {\"sda\": {\"stripe-unit\": \"x\", \"stripe-width\": -1}},";
	static const char half[] =
		"\"xfs\": {\"sda\": {\"stripe-unit\": 0, \"stripe-width\": 0, \"unfinished\": 1}},";
	_cleanup_trial_ struct trial *same = over("su: 64K, sw: 9", good);
	_cleanup_trial_ struct trial *other = over("su: 64K, sw: 5", good);
	_cleanup_trial_ struct trial *open = over("uuid: " UUID, none);
	_cleanup_trial_ struct trial *label = over("label: new, uuid: 99999999-2222-4333-8444-555555555555",
						   good);
	_cleanup_trial_ struct trial *unknown = over("su: 64K, sw: 5", broken);
	_cleanup_trial_ struct trial *cut = over("label: old", half);

	(void)state;
	assert_quiet(same);
	assert_null(trial_words(same, "format xfs on a"));
	assert_int_equal(other->diag.errors, 1);
	assert_non_null(
		strstr(other->said, "it has su 64 KiB, sw 9, and the layout asks for su 64 KiB, sw 5"));
	assert_said(open, "was made with no stripe, but what lies beneath has su 64 KiB, sw 9");
	assert_non_null(strstr(label->said, "its label is 'old', and the layout asks for 'new'"));
	assert_non_null(strstr(label->said, "its UUID is " UUID ", and the layout asks for 99999999-"));
	assert_int_equal(unknown->diag.errors, 0);
	assert_non_null(strstr(cut->said, "mkfs.xfs was interrupted"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_disk_gets_no_stripe), cmocka_unit_test(stripe_is_derived),
		cmocka_unit_test(stated_beats_derived),      cmocka_unit_test(stated_counts_below_a_gigabyte),
		cmocka_unit_test(absurd_stripe_is_hidden),   cmocka_unit_test(user_may_ask_for_no_stripe),
		cmocka_unit_test(contradictions_are_errors), cmocka_unit_test(small_ones_are_errors),
		cmocka_unit_test(options_count_sectors),     cmocka_unit_test(what_is_there_is_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
