/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "layout/test-rooms.h"

/* What is said of a layout; "" where it is right. */
static void expect(const char *text, const char *messages)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };
	struct layout *l = NULL;
	int r = t_parse(a, text, &d, &l);

	assert_string_equal(t_messages(&d), messages);
	assert_int_equal(r < 0, *messages != '\0');
	assert_true(l || r < 0);
	assert_true(!l || (l->lost != NULL) == (r < 0));
}

/* The same for what stands under a head that is right: lines count from 3. */
static void expect_below(const char *text, const char *messages)
{
	_cleanup_arena_ struct arena *a = arena_new();

	expect(arena_printf(a, T_HEAD "%s", text), messages);
}

static void reads_every_form(void **state)
{
	static const char text[] = T_HEAD
		"filesystems:\n"
		"  - { type: btrfs, devices: [boot, vda.x], label: no, mount: /, pass: 02, profile: raid1 }\n"
		"disks:\n"
		"  vda: /dev/vda\n"
		"  data: [/dev/b, /dev/c]\n"
		"  card: { path: /dev/d, stripe: { unit: 1M, width: 5 } }\n"
		"tables:\n"
		"  - disks: vda\n"
		"    partitions:\n"
		"      - { name: a, size: { min: 1G, max: 2G } }\n"
		"      - b\n"
		"      - { name: c, size: 33.3%, uuid: 01234567-89AB-cdef-0123-456789abcdef }\n"
		"arrays:\n"
		"  md0: { level: 10, devices: [a, missing], bitmap: true, stripe-cache: 0123 }\n"
		"volume-groups:\n"
		"  vg: { devices: md0, volumes: { home: rest } }\n";
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };
	const struct t_disk_item *disk;
	const struct t_table_item *table;
	const struct t_part_item *part;
	const struct t_array_item *array;
	const struct t_btrfs_item *btrfs;
	const struct t_group_item *group;
	struct layout *l = NULL;

	(void)state;
	assert_int_equal(t_parse(a, text, &d, &l), 0);
	assert_string_equal(l->name, "t");
	assert_int_equal(l->sections.n, 5);
	assert_string_equal(l->sections.at[0].section->name, "disks"); /* the rooms' order, not the file's */
	disk = (const struct t_disk_item *)l->sections.at[0].items.at[0];
	assert_string_equal(disk->item.name, "vda");
	assert_int_equal(disk->path.n, 1);
	assert_true(item_has(&disk->item, "path"));
	assert_false(item_has(&disk->item, "stripe"));
	assert_int_equal(item_pos(&disk->item, "path").line, 6);
	assert_int_equal(item_pos(&disk->item, "path").col, 8);
	disk = (const struct t_disk_item *)l->sections.at[0].items.at[2];
	assert_int_equal(disk->stripe.unit, MIB);
	assert_int_equal(disk->stripe.width, 5);
	table = (const struct t_table_item *)l->sections.at[1].items.at[0];
	assert_int_equal(table->partitions.n, 3);
	part = (const struct t_part_item *)table->partitions.at[0];
	assert_int_equal(part->size.form, SIZE_RANGE);
	assert_int_equal(part->size.max, 2 * GIB);
	part = (const struct t_part_item *)table->partitions.at[1];
	assert_string_equal(part->name, "b");
	part = (const struct t_part_item *)table->partitions.at[2];
	assert_int_equal(part->size.ppm, 333000);
	assert_string_equal(uuid_text(a, part->uuid), "01234567-89ab-cdef-0123-456789abcdef");
	array = (const struct t_array_item *)l->sections.at[2].items.at[0];
	assert_string_equal(array->level, "10");
	assert_true(array->bitmap);
	assert_string_equal(array->stripe_cache, "0123");
	assert_true(item_has(&array->item, "stripe_cache"));
	assert_int_equal(item_pos(&array->item, "stripe-cache").line, 16);
	assert_string_equal(array->devices.at[1].name, "missing");
	group = (const struct t_group_item *)l->sections.at[3].items.at[0];
	assert_int_equal(((const struct t_volume_item *)group->volumes.at[0])->size.form, SIZE_REST);
	btrfs = (const struct t_btrfs_item *)l->sections.at[4].items.at[0];
	assert_string_equal(btrfs->fs.type, "btrfs");
	assert_string_equal(btrfs->fs.label, "no");
	assert_string_equal(btrfs->fs.mount, "/");
	assert_int_equal(btrfs->fs.pass, 2);
	assert_string_equal(btrfs->profile, "raid1");
	assert_true(btrfs->fs.item.order < disk->item.order);
}

static void text_is_literal(void **state)
{
	static const char *const texts[] = {
		"no",   "yes", "0123",  "1e3",        "0x10",    ".5", "12345678901234567890",
		"1:30", "-rf", "$(id)", "2001-01-01", "\xC3\xA9"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		_cleanup_arena_ struct arena *a = arena_new();
		struct diag d = { .arena = a };
		struct layout *l = NULL;
		const struct t_fs_item *it;

		assert_int_equal(
			t_parse(a,
				arena_printf(a, T_HEAD "filesystems: [{ type: xfs, devices: x, label: %s }]",
					     texts[i]),
				&d, &l),
			0);
		it = (const struct t_fs_item *)l->sections.at[0].items.at[0];
		assert_string_equal(it->label, texts[i]);
	}
}

static void head(void **state)
{
	(void)state;
	expect("stowage: 1\nname: x\n", "");
	expect("name: x\n", "1:1: a layout states 'stowage: 1', the version of its language\n");
	expect("stowage: 2\nname: x\n", "1:10: this program knows version 1 of the language, not '2'\n");
	expect("stowage: 1\n", "1:1: a layout needs a 'name', from which its UUIDs are derived\n");
	expect("stowag: 1\nnam: x\n", "1:1: 'stowag' is not a section of a layout; did you mean 'stowage'?\n"
				      "2:1: 'nam' is not a section of a layout; did you mean 'name'?\n");
	expect("- a\n", "1:1: a layout is a map of keys; this is a list\n");
	expect("stowage: 1\nname: x\naray: {}\n",
	       "3:1: 'aray' is not a section of a layout; did you mean 'arrays'?\n");
	expect("stowage: 1\nname: x\nencryption: {}\n",
	       "3:1: 'encryption' is not a section of a layout, which has stowage, name, disks, tables, "
	       "arrays, volume-groups, "
	       "filesystems\n");
	expect("stowage: 1\nname: ~\n",
	       "2:7: 'name' takes a text; ~ is no value (quote it where it is meant as text)\n");
}

static void keys(void **state)
{
	(void)state;
	expect_below("arrays:\n  md0:\n    level: 1\n    devices: a\n    chunck: 64K\n",
		     "7:5: 'chunck' is not a key of an array; did you mean 'chunk'?\n");
	expect_below("arrays: { md0: { level: 1, devices: a, frobnicate: 1 } }\n",
		     "3:40: 'frobnicate' is not a key of an array, which has level, devices, chunk, su, sw, "
		     "bitmap, stripe-cache\n");
	expect_below("arrays: { md0: { level: 1, devices: a, stripe_cache: 1 } }\n",
		     "3:40: 'stripe_cache' is not a key of an array; did you mean 'stripe-cache'?\n");
	expect_below("arrays: { md0: { level: 1 } }\n",
		     "3:11: an array needs 'devices': a name or 'missing', or a list of them\n");
	expect_below("arrays: { md0: { level: 1, devices: a, su: 64K } }\n",
		     "3:40: 'su' needs 'sw' beside it\n");
	expect_below("arrays: { md0: { level: 1, devices: a, su: 64K, sw: 2, chunk: 1M } }\n",
		     "3:56: 'chunk' can't be stated together with 'su'\n3:40: note: 'su' is stated here\n");
	expect_below("disks: { a: { path: x, stripe: { unit: 1M, widht: 2 } } }\n",
		     "3:44: 'widht' is not a key of 'stripe'; did you mean 'width'?\n");
	expect_below("volume-groups: { v: { devices: a, volumes: { x: { size: 1G, sise: 2 } } } }\n",
		     "3:61: 'sise' is not a key of a volume; did you mean 'size'?\n");
}

static void shapes(void **state)
{
	(void)state;
	expect_below("arrays: []\n", "3:9: 'arrays' takes a map of names; this is a list\n");
	expect_below("arrays:\n", "3:1: 'arrays' has no value; it takes a map of names\n");
	expect_below("tables: { a: b }\n", "3:9: 'tables' takes a list of maps; this is a map\n");
	expect_below("tables: [a]\n", "3:10: a table is a map of keys; this is a single value\n");
	expect_below("arrays: { md0: raid1 }\n", "3:16: 'md0' takes a map of keys; this is a single value\n");
	expect_below("arrays: { md0: { level: [1], devices: { a: b } } }\n",
		     "3:25: 'level' takes 0, 1, 10 or raid10; this is a list\n"
		     "3:39: 'devices' takes a name, or a list of names; this is a map\n");
	expect_below("arrays: { md0: { level: 1, devices: [] } }\n",
		     "3:37: 'devices' is an empty list; it takes one name at least\n");
	expect_below("arrays: { md0: { level: 1, devices: [[a]] } }\n",
		     "3:38: 'devices' takes one name in each place of its list; this is a list\n");
	expect_below("disks: { a: ~ }\n", "3:13: 'a' takes its 'path', or a map of keys; ~ is no value\n");
	expect_below("disks: { a: [x, { y: z }] }\n", "3:17: 'path' takes a text; this is a map\n");
	expect_below("disks: {}\ntables: []\n", "");
}

static void names(void **state)
{
	(void)state;
	expect_below("disks: { 9a: x }\n",
		     "3:10: '9a' can't be a name: a letter, then letters, digits, '_', '+' and '-'\n");
	expect_below("disks: { \"a\\nb\": x }\n",
		     "3:10: 'a\nb' can't be a name: a letter, then letters, digits, '_', '+' and '-'\n");
	expect_below("disks: { a.b: x, a/b: x, A-b_c+9: x }\n",
		     "3:10: 'a.b' can't be a name: a letter, then letters, digits, '_', '+' and '-'\n"
		     "3:18: 'a/b' can't be a name: a letter, then letters, digits, '_', '+' and '-'\n");
}

static void values(void **state)
{
	static const struct {
		const char *key, *value, *message;
	} cases[] = {
		{ "label", "~", "'label' takes a text; ~ is no value (quote it where it is meant as text)" },
		{ "label", "", "'label' has no value; it takes a text" },
		{ "label", "\"~\"", NULL },
		{ "label", "\"\"", "the text of 'label' is empty; leave the key out, or state one" },
		{ "label", "\"a\\ab\"", "control character U+0007 in the text of 'label'" },
		{ "label", "\"a\\nb\"", "control character U+000A in the text of 'label' (a line end)" },
		{ "label", "\"a\\x7fb\"", "control character U+007F in the text of 'label'" },
		{ "label", "\"a\\Nb\"", "control character U+0085 in the text of 'label'" },
		{ "label", "\"\\u202e\"", NULL },
		{ "mount", "srv", "'mount' takes an absolute path; 'srv' does not begin with '/'" },
		{ "mount", "/srv/", "the path '/srv/' ends with a slash; leave it out" },
		{ "mount", "/srv//a", "the path '/srv//a' has a double slash; write it with single ones" },
		{ "mount", "/srv/../a", "the path '/srv/../a' has a part '..'; write where it leads" },
		{ "mount", "/.", "the path '/.' has a part '.'; write where it leads" },
		{ "mount", "/", NULL },
		{ "mount", "/..a/.b/Team Share", NULL },
		{ "pass", "08", NULL },
		{ "pass", "10", "'pass' takes a number from 0 to 9, and 10 is out of that" },
		{ "pass", "-1", "'pass' takes a number from 0 to 9, and -1 is out of that" },
		{ "pass", "0x1", "'pass' takes a number from 0 to 9, not '0x1'" },
		{ "pass", "99999999999999999999",
		  "'pass' takes a number from 0 to 9, and 99999999999999999999 is out of that" },
		{ "profile", "riad1",
		  "'riad1' is no value for 'profile', which takes single or raid1; did you mean 'raid1'?" },
		{ "profile", "x", "'x' is no value for 'profile', which takes single or raid1" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_arena_ struct arena *a = arena_new();
		struct diag d = { .arena = a };
		struct layout *l = NULL;

		(void)t_parse(a,
			      arena_printf(a, T_HEAD "filesystems:\n- type: btrfs\n  devices: a\n  %s: %s\n",
					   cases[i].key, cases[i].value),
			      &d, &l);
		assert_int_equal(d.messages.n, cases[i].message ? 1 : 0);
		if (cases[i].message)
			assert_string_equal(d.messages.at[0].text, cases[i].message);
	}
	expect_below("arrays: { m: { level: 1, devices: a, bitmap: yes } }\n",
		     "3:46: 'bitmap' takes true or false; 'yes' is a text in YAML 1.2, write true\n");
	expect_below("arrays: { m: { level: 1, devices: a, chunk: 0 } }\n", "3:45: 'chunk' can't be 0\n");
}

static void sizes(void **state)
{
	(void)state;
	expect_below("volume-groups: { v: { devices: a, volumes: { x: { size: { min: 2G, max: 1G } } } } }\n",
		     "3:73: max is 1 GiB, less than min, which is 2 GiB\n");
	expect_below("volume-groups: { v: { devices: a, volumes: { x: { size: { mim: 2G } } } } }\n",
		     "3:59: 'mim' is not a key of a size, which has min and max\n");
	expect_below("volume-groups: { v: { devices: a, volumes: { x: { size: {} } } } }\n",
		     "3:57: 'size' takes a map with min, max or both; this one is empty\n");
	expect_below("volume-groups: { v: { devices: a, volumes: { x: 0 } } }\n",
		     "3:49: 'size' can't be 0\n");
}

static void types(void **state)
{
	(void)state;
	expect_below("filesystems: [{ devices: a }]\n",
		     "3:15: a filesystem needs a 'type', one of btrfs, xfs\n");
	expect_below(
		"filesystems: [{ type: brtfs, devices: a }]\n",
		"3:23: 'brtfs' is not a type of filesystem, which are btrfs, xfs; did you mean 'btrfs'?\n");
	expect_below("filesystems: [{ type: ntfs-3g, devices: a }]\n",
		     "3:23: 'ntfs-3g' is not a type of filesystem, which are btrfs, xfs\n");
	expect_below("filesystems: [{ type: xfs, devices: a, profile: raid1 }]\n",
		     "3:40: 'profile' is not a key of an xfs filesystem, only of btrfs\n");
}

static void long_words_are_cut(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };
	char word[5000];
	struct layout *l;

	(void)state;
	memset(word, 'x', sizeof(word));
	word[sizeof(word) - 1] = '\0';
	assert_true(
		t_parse(a,
			arena_printf(a, T_HEAD "arrays: { %s1: { level: %s, devices: a, %s: 1 } }\n%s2: 1\n",
				     word, word, word, word),
			&d, &l) < 0);
	for (size_t i = 0; i < d.messages.n; i++)
		assert_true(strlen(d.messages.at[i].text) < 300);
}

static void mistakes_end(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };
	struct text t = { .arena = a };
	struct layout *l;

	(void)state;
	text_add(&t, T_HEAD "disks:\n");
	for (unsigned i = 0; i < 5000; i++)
		text_printf(&t, "  d%u: { path: x, wrong: 1 }\n", i);
	assert_true(t_parse(a, text_str(&t), &d, &l) < 0);
	assert_true(d.errors >= 100 && d.errors < 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_every_form),
		cmocka_unit_test(text_is_literal),
		cmocka_unit_test(head),
		cmocka_unit_test(keys),
		cmocka_unit_test(shapes),
		cmocka_unit_test(names),
		cmocka_unit_test(values),
		cmocka_unit_test(sizes),
		cmocka_unit_test(types),
		cmocka_unit_test(long_words_are_cut),
		cmocka_unit_test(mistakes_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
