/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "tech/fs-test.h"

static void serial_and_label(void **state)
{
	_cleanup_trial_ struct trial *t = trial(
		"  - { type: vfat, devices: a, uuid: dead-beef, label: EFI SYS, mount: /boot/efi }",
		DISK("sda", 536870912, ""));

	(void)state;
	assert_quiet(t);
	assert_string_equal(trial_words(t, "format /boot/efi"),
			    "mkfs.vfat -F 32 -i DEADBEEF -n EFI SYS -I --mbr=n /dev/sda");
	assert_string_equal(fs_of(graph_get(t->plan->want, "/boot/efi"))->uuid, "DEAD-BEEF");
	assert_string_equal(
		graph_get(t->plan->want, "/boot/efi")->kind->part_type(graph_get(t->plan->want, "/boot/efi")),
		"esp");
	assert_int_equal(fs_pass(fs_of(graph_get(t->plan->want, "/boot/efi"))), 2);
}

static void serial_is_derived(void **state)
{
	_cleanup_trial_ struct trial *t = trial(
		"  - { type: vfat, devices: a }\n  - { type: vfat, devices: b, label: ESP }",
		DISK("sda", 536870912, "") "," DISK("sdb", 536870912, ""));
	const struct fs *a, *b;

	(void)state;
	assert_quiet(t);
	a = fs_of(graph_get(t->plan->want, "vfat on a"));
	b = fs_of(graph_get(t->plan->want, "vfat on b"));
	assert_int_equal(strlen(a->uuid), 9);
	assert_int_equal(a->uuid[4], '-');
	assert_int_equal(strspn(a->uuid, "0123456789ABCDEF-"), 9);
	assert_string_not_equal(a->uuid, b->uuid);
	assert_null(a->node.kind->part_type(&a->node));
	assert_string_equal(b->node.kind->part_type(&b->node), "esp");
}

static void labels_and_serials_have_limits(void **state)
{
	static const struct {
		const char *words, *said;
	} bad[] = {
		{ "label: TWELVE BYTES", "takes 12 bytes, and vfat has room for 11" },
		{ "label: 'ESP*1'", "'*' has no place" },
		{ "label: 'A\"B'", "'\"' has no place" },
		{ "label: ÉFI", "beyond ASCII" },
		{ "label: ' X'", "begins or ends with a blank" },
		{ "label: NO NAME", "there is none" },
		{ "uuid: 11111111-2222-4333-8444-555555555555", "is no volume number of vfat" },
		{ "uuid: DEADBEEF", "is no volume number of vfat" },
		{ "uuid: DEAD-BEEG", "is no volume number of vfat" },
		{ "uuid: 0000-0000", "is none" },
		{ "mkfs: [-F, 16]", "vfat is FAT32" },
	};
	_cleanup_trial_ struct trial *small = trial("  - { type: vfat, devices: a, label: efi sys }",
						    DISK("sda", 536870912, ""));

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_mistake("vfat", DISK("sda", 536870912, ""), bad[i].words, bad[i].said);
	assert_said(small, "warning: the label 'efi sys' has small letters, which some systems won't read: "
			   "'EFI SYS' is safe");
}

/* mkfs.vfat 4.2 makes these without a word, and readers take them for FAT16. */
static void too_small_for_fat32(void **state)
{
	static const struct {
		const char *device, *said;
	} cases[] = {
		{ DISK("sda", 34603008, ""), NULL },
		{ DISK("sda", 33554432, ""),
		  "it has 32 MiB, and a FAT32 with sectors of 512 bytes needs 33 MiB" },
		{ DISK("sda", 269484032, "\"logical\": 4096, \"physical\": 4096, "), NULL },
		{ DISK("sda", 268435456, "\"logical\": 4096, \"physical\": 4096, "),
		  "it has 256 MiB, and a FAT32 with sectors of 4096 bytes needs 257 MiB" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_trial_ struct trial *t = trial("  - { type: vfat, devices: a }", cases[i].device);

		if (cases[i].said)
			assert_said(t, cases[i].said);
		else
			assert_quiet(t);
	}
}

static void what_is_there_is_kept(void **state)
{
	_cleanup_trial_ struct trial *t = trial(
		"  - { type: vfat, devices: a, uuid: dead-beef }",
		DISK_WITH("sda", 33554432, "",
			  "{\"type\": \"vfat\", \"usage\": \"filesystem\", \"uuid\": \"DEAD-BEEF\"}"));
	_cleanup_trial_ struct trial *other = trial(
		"  - { type: vfat, devices: a, uuid: DEAD-BEEF }",
		DISK_WITH("sda", 33554432, "",
			  "{\"type\": \"vfat\", \"usage\": \"filesystem\", \"uuid\": \"1234-ABCD\"}"));

	(void)state;
	assert_quiet(t);
	assert_null(trial_words(t, "format vfat on a"));
	assert_said(other, "its UUID is 1234-ABCD, and the layout asks for DEAD-BEEF");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(serial_and_label),
		cmocka_unit_test(serial_is_derived),
		cmocka_unit_test(labels_and_serials_have_limits),
		cmocka_unit_test(too_small_for_fat32),
		cmocka_unit_test(what_is_there_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
