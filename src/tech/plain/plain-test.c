/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "tech/fs-test.h"

extern const struct room room_plain;

static const struct {
	const char *type, *part_type;
	int pass;
	const char *uuid, *format, *number;
} rows[] = {
	{ "f2fs", NULL, 2, "11111111-2222-4333-8444-555555555555",
	  "mkfs.f2fs -f -U 11111111-2222-4333-8444-555555555555 -l it's /dev/sda", NULL },
	{ "exfat", "microsoft-basic-data", 2, "dead-beef", "mkfs.exfat -L it's /dev/sda",
	  "tune.exfat -I 0xDEADBEEF /dev/sda" },
	{ "ntfs", "microsoft-basic-data", 0, "0123456789abcdef", "mkntfs -F -Q -L it's /dev/sda",
	  "ntfslabel --new-serial=0123456789ABCDEF /dev/sda" },
};

enum { COUNT = sizeof(rows) / sizeof(rows[0]) };

static void label_and_number(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		struct arena *a = arena_new();
		_cleanup_trial_ struct trial *t = trial(
			arena_printf(a, "  - { type: %s, devices: a, uuid: '%s', label: it's, mount: /x }",
				     rows[i].type, rows[i].uuid),
			DISK("sda", 536870912, ""));
		const struct node *n;

		assert_quiet(t);
		n = graph_get(t->plan->want, "/x");
		assert_string_equal(trial_words(t, "format /x"), rows[i].format);
		if (rows[i].number)
			assert_string_equal(trial_words(t, "number /x"), rows[i].number);
		else
			assert_null(trial_words(t, "number /x"));
		assert_int_equal(fs_pass(fs_of(n)), rows[i].pass);
		if (rows[i].part_type)
			assert_string_equal(n->kind->part_type(n), rows[i].part_type);
		else
			assert_null(n->kind->part_type(n));
		arena_free(a);
	}
}

/* Two alike on two disks get two of their own, of the right form. */
static void numbers_are_derived(void **state)
{
	static const size_t length[] = { 36, 9, 16 };

	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		struct arena *a = arena_new();
		_cleanup_trial_ struct trial *t = trial(
			arena_printf(a, "  - { type: %s, devices: a }\n  - { type: %s, devices: b }",
				     rows[i].type, rows[i].type),
			DISK("sda", 536870912, "") "," DISK("sdb", 536870912, ""));
		const char *one, *two;

		assert_quiet(t);
		one = fs_of(graph_get(t->plan->want, arena_printf(a, "%s on a", rows[i].type)))->uuid;
		two = fs_of(graph_get(t->plan->want, arena_printf(a, "%s on b", rows[i].type)))->uuid;
		assert_int_equal(strlen(one), length[i]);
		assert_int_equal(strspn(one, i ? "0123456789ABCDEF-" : "0123456789abcdef-"), length[i]);
		assert_string_not_equal(one, two);
		arena_free(a);
	}
}

/* What is there under that number is kept, and nothing is done. */
static void what_is_there_stays(void **state)
{
	static const char *const there[] = { "11111111-2222-4333-8444-555555555555", "DEAD-BEEF",
					     "0123456789ABCDEF" };

	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		struct arena *a = arena_new();
		_cleanup_trial_ struct trial *t = trial(
			arena_printf(a, "  - { type: %s, devices: a, uuid: '%s', label: x }", rows[i].type,
				     rows[i].uuid),
			arena_printf(a,
				     "{\"name\": \"sda\", \"type\": \"disk\", \"serial\": \"S\", \"size\": "
				     "536870912, "
				     "\"looked\": true, \"signatures\": [{\"type\": \"%s\", \"usage\": "
				     "\"filesystem\", \"uuid\": \"%s\", \"label\": \"x\"}]}",
				     rows[i].type, there[i]));

		assert_quiet(t);
		assert_null(trial_words(t, arena_printf(a, "format %s on a", rows[i].type)));
		assert_null(trial_words(t, arena_printf(a, "number %s on a", rows[i].type)));
		arena_free(a);
	}
}

static void limits(void **state)
{
	static const struct {
		const char *type, *words, *said;
	} bad[] = {
		{ "f2fs", "uuid: DEAD-BEEF", "is no UUID" },
		{ "f2fs", "mkfs: [-l, x]", "state the key 'label'" },
		{ "f2fs", "mkfs: [-c]", "further devices can't be planned" },
		{ "exfat", "label: twelve bytes", "has 12 letters, and exfat has room for 11" },
		{ "exfat", "label: 😀😀😀😀😀😀", "has 12 letters, and exfat has room for 11" },
		{ "exfat", "uuid: DEADBEEF", "is no volume number of exfat: 8 hexadecimal digits" },
		{ "exfat", "uuid: 0000-0000", "is no volume number of exfat" },
		{ "exfat", "mkfs: [-L, x]", "state the key 'label'" },
		{ "ntfs", "uuid: DEAD-BEEF", "is no volume number of ntfs: 16 hexadecimal digits" },
		{ "ntfs", "uuid: '0000000000000000'", "is no volume number of ntfs" },
		{ "ntfs", "mkfs: [--no-action]", "nothing would be made" },
	};
	static const struct {
		const char *type, *disk, *said;
	} small[] = {
		{ "f2fs", DISK("sda", 53477376, ""), "it has 51 MiB, and mkfs.f2fs needs 52 MiB" },
		{ "exfat", DISK("sda", 2097152, ""), "it has 2 MiB, and mkfs.exfat needs 3 MiB" },
		{ "ntfs", DISK("sda", 1048576, ""), "it has 1 MiB, and mkntfs needs 2 MiB" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_mistake(bad[i].type, DISK("sda", 536870912, ""), bad[i].words, bad[i].said);
	for (size_t i = 0; i < sizeof(small) / sizeof(*small); i++)
		assert_mistake(small[i].type, small[i].disk, "label: x", small[i].said);
	/* Eleven letters that take 22 bytes */
	{
		_cleanup_trial_ struct trial *t = trial("  - { type: exfat, devices: a, label: äöüäöüäöüäö }",
							DISK("sda", 536870912, ""));

		assert_quiet(t);
	}
}

/* How long each is, by its superblock: for disks whose table is lost. */
static void extents(void **state)
{
	uint8_t at[2048] = { 0 };

	(void)state;
	assert_int_equal(room_plain.extent("ext4", at, sizeof(at)), 0);
	at[1024 + 16] = 12;
	at[1024 + 37] = 1; /* 256 blocks */
	assert_int_equal(room_plain.extent("f2fs", at, sizeof(at)), 256 * 4096);
	assert_int_equal(room_plain.extent("f2fs", at, 1060), 0);
	memset(at + 1024 + 36, 0xff, 8);
	assert_int_equal(room_plain.extent("f2fs", at, sizeof(at)), 0);
	at[108] = 9;
	at[73] = 2;
	assert_int_equal(room_plain.extent("exfat", at, sizeof(at)), 512 * 512);
	at[108] = 200;
	assert_int_equal(room_plain.extent("exfat", at, sizeof(at)), 0);
	at[12] = 2;
	at[40] = 99;
	assert_int_equal(room_plain.extent("ntfs", at, sizeof(at)), 100 * 512);
	memset(at + 40, 0xff, 8);
	assert_int_equal(room_plain.extent("ntfs", at, sizeof(at)), 0);
	at[12] = 3;
	assert_int_equal(room_plain.extent("ntfs", at, sizeof(at)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(label_and_number),
		cmocka_unit_test(numbers_are_derived),
		cmocka_unit_test(what_is_there_stays),
		cmocka_unit_test(limits),
		cmocka_unit_test(extents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
