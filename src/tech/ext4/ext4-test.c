/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "tech/fs-test.h"

#define STRIPED(name, bytes, min, opt)                                                                       \
	DISK(name, bytes, "\"min-io\": " #min ", \"opt-io\": " #opt ", \"rotational\": true, ")

#define UUID "11111111-2222-4333-8444-555555555555"
#define MKFS "mkfs.ext4 -q -F -U " UUID

static const char *words(struct trial *t)
{
	return trial_words(t, "format ext4 on a");
}

/* Sizes below 512 MiB have blocks of 1 KiB by themselves, and stride counts blocks. */
static void stripe_is_derived(void **state)
{
	static const struct {
		const char *devices, *words;
	} cases[] = {
		{ DISK("sda", 8589934592, ""), MKFS " -E hash_seed=" UUID " /dev/sda" },
		{ STRIPED("sda", 8589934592, 65536, 589824),
		  MKFS " -E hash_seed=" UUID ",stride=16,stripe_width=144 /dev/sda" },
		{ STRIPED("sda", 1072693248, 524288, 1572864),
		  MKFS " -E hash_seed=" UUID ",stride=128,stripe_width=384 /dev/sda" },
		{ STRIPED("sda", 268435456, 524288, 1572864),
		  MKFS " -b 4096 -E hash_seed=" UUID ",stride=128,stripe_width=384 /dev/sda" },
		{ STRIPED("sda", 4194304, 524288, 1572864), MKFS " -E hash_seed=" UUID " /dev/sda" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_trial_ struct trial *t = trial("  - { type: ext4, devices: a, uuid: " UUID " }",
							cases[i].devices);

		assert_quiet(t);
		assert_string_equal(words(t), cases[i].words);
	}
}

static void stated_words(void **state)
{
	_cleanup_trial_ struct trial *t = trial(
		"  - { type: ext4, devices: a, uuid: " UUID
		", label: '-rf', stride: 4, stripe-width: 8, reserved: 0, mkfs: [-E, "
		"lazy_itable_init=0, -N, 1000, -Enodiscard] }",
		STRIPED("sda", 8589934592, 65536, 589824));

	(void)state;
	assert_said(t, "gets stride 4, stripe-width 8 as stated, but what lies beneath has stride 16, "
		       "stripe-width 144");
	assert_string_equal(words(t),
			    MKFS " -L -rf -m 0 -E hash_seed=" UUID
				 ",stride=4,stripe_width=8,lazy_itable_init=0,nodiscard -N 1000 /dev/sda");
}

static void absurd_stripe_is_hidden(void **state)
{
	_cleanup_trial_ struct trial *t = trial("  - { type: ext4, devices: a, uuid: " UUID " }",
						STRIPED("sda", 8589934592, 512, 33553920));

	(void)state;
	assert_int_equal(t->diag.errors, 0);
	assert_non_null(strstr(t->said, "33553920"));
	assert_string_equal(words(t), MKFS " -E hash_seed=" UUID ",stride=0,stripe_width=0 /dev/sda");
}

static void contradictions_are_errors(void **state)
{
	static const struct {
		const char *words, *said;
	} bad[] = {
		{ "stride: 4", "stripe-width" },
		{ "stripe-width: 4", "stride" },
		{ "stride: 4, stripe-width: 9",
		  "stripe-width of 'ext4 on a' is 9, no multiple of its stride 4" },
		{ "stride: 0, stripe-width: 9", "stride" },
		{ "reserved: 51", "reserved" },
		{ "reserved: -1", "reserved" },
		{ "label: seventeen-bytes-x", "takes 17 bytes, and ext4 has room for 16" },
		{ "mkfs: [-E, 'stride=4']", "state the key 'stride'" },
		{ "mkfs: [-L, x]", "state the key 'label'" },
		{ "mkfs: [-b, 1024]", "leave it out" },
		{ "su: 64K", "su" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_mistake("ext4", DISK("sda", 8589934592, ""), bad[i].words, bad[i].said);
}

static void small_ones_are_errors(void **state)
{
	_cleanup_trial_ struct trial *t = trial(
		"  - { type: ext4, devices: a }\n  - { type: ext4, devices: b }",
		DISK("sda", 1048576, "") "," DISK("sdb", 2097152, ""));

	(void)state;
	assert_said(t,
		    "'a' is too small for 'ext4 on a': it has 1 MiB, and an ext4 with a journal needs 2 MiB");
}

static struct trial *over(const char *type, const char *keys, const char *record)
{
	struct arena *a = arena_new();
	const char *disk = arena_printf(
		a,
		DISK_WITH("sda", 8589934592, "",
			  "{\"type\": \"%s\", \"usage\": \"filesystem\", \"uuid\": \"" UUID "\"}"),
		type);
	struct trial *t = trial_new(arena_printf(a, "  - { type: ext4, devices: a, %s }", keys), disk, record,
				    (struct plan_options){ .mount = true });

	arena_free(a);
	return t;
}

static void what_is_there_is_compared(void **state)
{
	static const char record[] =
		"\"ext4\": {\"sda\": {\"block-size\": 4096, \"blocks\": 2097152, \"reserved-blocks\": 20971, "
		"\"stride\": 65536, \"stripe-width\": 589824}},";
	_cleanup_trial_ struct trial *same = over("ext4", "stride: 16, stripe-width: 144, reserved: 1",
						  record);
	_cleanup_trial_ struct trial *other = over(
		"ext4", "stride: 16, stripe-width: 48, reserved: 5, label: x", record);
	_cleanup_trial_ struct trial *unknown = over("ext4", "stride: 16, stripe-width: 48", "");
	_cleanup_trial_ struct trial *ext3 = over("ext3", "pass: 0, mount: /x", "");

	(void)state;
	assert_quiet(same);
	assert_said(other,
		    "it has stride 16, stripe-width 144, and the layout asks for stride 16, stripe-width 48",
		    "1% of it is reserved, and the layout asks for 5%",
		    "it has no label, and the layout asks for 'x'");
	assert_quiet(unknown);
	assert_int_equal(ext3->diag.refusals, 1); /* an ext3 is no ext4, and isn't overwritten either */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stripe_is_derived),       cmocka_unit_test(stated_words),
		cmocka_unit_test(absurd_stripe_is_hidden), cmocka_unit_test(contradictions_are_errors),
		cmocka_unit_test(small_ones_are_errors),   cmocka_unit_test(what_is_there_is_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
