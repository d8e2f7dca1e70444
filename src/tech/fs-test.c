/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tech/fs-test.h"

#include <string.h>

#include "machine/have.h"
#include "machine/machine.h"
#include "plan/settle.h"

#define UUID "11111111-2222-4333-8444-555555555555"
#define EXT4 "{\"type\": \"ext4\", \"usage\": \"filesystem\", \"uuid\": \"" UUID "\", \"label\": \"data\"}"

#define TWO DISK("sda", 1073741824, "") "," DISK("sdb", 1073741824, "")

static void names(void **state)
{
	_cleanup_trial_ struct trial *t = trial(
		"  - { type: ext4, devices: a, mount: /srv }\n  - { type: ext4, devices: b }", TWO);

	(void)state;
	assert_quiet(t);
	assert_non_null(graph_get(t->plan->want, "/srv"));
	assert_non_null(graph_get(t->plan->want, "ext4 on b"));
}

/* Every mistake has one message; the second place is a note. */
static void mistakes(void **state)
{
	static const struct {
		const char *filesystems, *said, *note;
	} bad[] = {
		{ "  - { type: ext4, devices: a, mount: /srv }\n  - { type: ext4, devices: b, mount: /srv }",
		  "error: two filesystems are to be mounted at '/srv'", "note: the first is here" },
		{ "  - { type: ext4, devices: [a, b] }", "ext4 stands on one device, and here are 2 (a, b)",
		  NULL },
		{ "  - { type: ext4, devices: a, mount: /a, options: ['noatime, nodev'] }",
		  "'noatime, nodev' holds a blank", NULL },
		{ "  - { type: ext4, devices: a, mount: /a, options: [noatime, ''] }", "is empty", NULL },
		{ "  - { type: ext4, devices: a, mount: /a, options: 'noatime,,nodev' }",
		  "nothing between two commas of 'noatime,,nodev'", NULL },
		{ "  - { type: ext4, devices: a, mount: /a, options: \"rw\\tnosuid\" }", "error: ", NULL },
		{ "  - { type: ext4, devices: a, mount: \"/a\\n/b\" }", "error: ", NULL },
		{ "  - { type: ext4, devices: a, label: \"a\\nb\" }", "error: ", NULL },
		{ "  - { type: ext4, devices: a, mount: /srv/ }", "error: ", NULL },
		{ "  - { type: ext4, devices: a, mount: /a, key: label }",
		  "by its label, but no label is stated", NULL },
		{ "  - { type: ext4, devices: a, mount: /a, label: x, key: label }\n  - { type: ext4, "
		  "devices: b, label: x }",
		  "error: the label 'x' is stated for two filesystems, and fstab is to call one by it",
		  "note: first here, for '/a'" },
		{ "  - { type: ext4, devices: a, label: x }\n  - { type: ext4, devices: b, label: x }",
		  "warning: the label 'x' is stated for two filesystems",
		  "note: first here, for 'ext4 on a'" },
		{ "  - { type: ext4, devices: a, uuid: " UUID " }\n  - { type: xfs, devices: b, uuid: " UUID
		  " }",
		  "error: the UUID " UUID " is stated for two filesystems",
		  "note: first here, for 'ext4 on a'" },
		{ "  - { type: ext4, devices: a, options: noatime }",
		  "warning: 'options' is for fstab, and this filesystem has no mount point", NULL },
		{ "  - { type: ext4, devices: a, uuid: 00000000-0000-0000-0000-000000000000 }",
		  "a UUID of zeroes is none", NULL },
		{ "  - { type: ext4, devices: nope }", "nope", NULL },
		{ "  - { type: ext3, devices: a }", "ext3", NULL },
		{ "  - { type: ext4, devices: a, pass: -1 }", "pass", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		_cleanup_trial_ struct trial *t = trial(bad[i].filesystems, TWO);

		assert_said(t, bad[i].said);
		if (bad[i].note)
			assert_non_null(strstr(t->said, bad[i].note));
	}
}

/* All mistakes in one run: the one about a device doesn't hide that about a label. */
static void all_mistakes_at_once(void **state)
{
	_cleanup_trial_ struct trial *t = trial(
		"  - { type: ext4, devices: a, label: seventeen-bytes-x, mount: /a }\n"
		"  - { type: xfs, devices: b, mount: /a, options: 'a b', su: 6K, sw: 1 }",
		TWO);

	(void)state;
	assert_said(t, "takes 17 bytes", "two filesystems are to be mounted", "holds a blank",
		    "no multiple of the block");
}

/* YAML's other readings don't happen to labels. */
static void labels_are_literal(void **state)
{
	static const char *const labels[] = { "no", "0123", "1e3", "yes", "0x10", ".5", "'~'", "'null'" };

	(void)state;
	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++) {
		struct arena *a = arena_new();
		_cleanup_trial_ struct trial *t = trial(
			arena_printf(a, "  - { type: ext4, devices: a, label: %s }", labels[i]), TWO);
		const char *bare = labels[i][0] == '\''
					   ? arena_strndup(a, labels[i] + 1, strlen(labels[i]) - 2)
					   : labels[i];

		assert_quiet(t);
		assert_non_null(strstr(trial_words(t, "format ext4 on a"), arena_printf(a, " -L %s ", bare)));
		arena_free(a);
	}
}

static void fstab_fields(void **state)
{
	static const struct {
		const char *words, *there, *options;
		int pass;
	} cases[] = {
		{ "type: ext4, mount: /", NULL, "defaults", 1 },
		{ "type: ext4, mount: /a", NULL, "defaults", 2 },
		{ "type: ext4, mount: /a, pass: 0", NULL, "defaults", 0 },
		{ "type: ext4, mount: /a, pass: 02", NULL, "defaults", 2 },
		{ "type: ext4, mount: /a, options: [noatime, 'nodev,nosuid']", NULL, "noatime,nodev,nosuid",
		  2 },
		{ "type: ext4, mount: /a, options: noatime", "relatime", "noatime", 2 },
		{ "type: ext4, mount: /a", "relatime,x-y", "relatime,x-y", 2 },
		{ "type: xfs, mount: /", NULL, "defaults", 0 },
		{ "type: btrfs, mount: /a", NULL, "defaults", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct arena *a = arena_new();
		_cleanup_trial_ struct trial *t = trial_new(
			arena_printf(a, "  - { devices: a, %s }", cases[i].words), TWO, "",
			(struct plan_options){ .mount = true, .root = "/target" });
		const struct fs *fs;

		assert_int_equal(t->diag.errors, 0);
		fs = fs_of(graph_get(t->plan->want, strstr(cases[i].words, "/a") ? "/a" : "/"));
		assert_string_equal(fs_options_over(a, fs, cases[i].there), cases[i].options);
		assert_int_equal(fs_pass(fs), cases[i].pass);
		arena_free(a);
	}
}

static void strangers(void **state)
{
	_cleanup_trial_ struct trial *uuid = trial(
		"  - { type: ext4, devices: a, uuid: " UUID " }",
		DISK("sda", 1073741824, "") "," DISK_WITH("sdb", 1073741824, "", EXT4));
	_cleanup_trial_ struct trial *label = trial(
		"  - { type: ext4, devices: a, mount: /a, label: data, key: label }",
		DISK("sda", 1073741824, "") "," DISK_WITH("sdb", 1073741824, "", EXT4));
	_cleanup_trial_ struct trial *own = trial("  - { type: ext4, devices: b, label: data, uuid: " UUID
						  " }",
						  DISK_WITH("sdb", 1073741824, "", EXT4));

	(void)state;
	assert_said(uuid,
		    "'ext4 on a' would get the UUID " UUID ", but /dev/sdb bears it already: is it a clone?");
	assert_said(label, "by its label 'data', but /dev/sdb bears that label too");
	assert_quiet(own);
}

/* A member of a mirror with its superblock at the end shows the filesystem that lies on the mirror. */
static void members_are_no_filesystems(void **state)
{
	_cleanup_trial_ struct trial *t = trial(
		"  - { type: ext4, devices: a }",
		DISK("sda", 1073741824, "") "," DISK_WITH(
			"sdb", 1073741824, "",
			EXT4 ", {\"type\": \"linux_raid_member\", \"usage\": \"raid\", \"uuid\": \"x\"}"));

	(void)state;
	assert_quiet(t);
	assert_null(graph_get(t->plan->have, "ext4 on sdb"));
}

/* What a probe has recorded of it is told of the object, whatever its type. */
static void used_is_told(void **state)
{
	static const char *const types[] = { "ext4", "ext3", "ext2", "xfs", "vfat" };

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		_cleanup_arena_ struct arena *a = arena_new();
		struct diag d = { .arena = a };
		struct machine *m;
		struct graph *have;
		const struct node *n;
		const char *text = arena_printf(
			a,
			"{\"stowage-machine\": 1, \"devices\": [{\"name\": \"sda\", \"type\": \"disk\", "
			"\"size\": 1048576, \"signatures\": [{\"type\": \"%s\", \"usage\": "
			"\"filesystem\"}]}], "
			"\"%s\": {\"sda\": {\"used\": 4321}}}",
			types[i], types[i]);

		assert_int_equal(machine_parse(a, "test", text, strlen(text), &d, &m), 0);
		assert_int_equal(machine_have(a, m, &d, &have), 0);
		n = graph_get(have, arena_printf(a, "%s on sda", types[i]));
		assert_non_null(n);
		assert_int_equal(n->used, 4321);
	}
}

/* What no room knows is there all the same, and stands on its device. */
static void unknown_content_is_there(void **state)
{
	_cleanup_trial_ struct trial *t = trial(
		"  - { type: ext4, devices: a }",
		DISK("sda", 1073741824, "") "," DISK_WITH(
			"sdb", 1073741824, "",
			"{\"type\": \"hfsplus\", \"usage\": \"filesystem\", \"label\": \"Win\"}"));
	const struct node *n = graph_get(t->plan->have, "hfsplus on sdb");

	(void)state;
	assert_non_null(n);
	assert_string_equal(n->below.at[0].to->name, "sdb");
	assert_true(n->below.at[0].claim);
	assert_string_equal(n->kind->describe(t->a, n), "hfsplus 'Win'");
}

static struct settle settle_of(const struct trial *t)
{
	return (struct settle){ .arena = t->a,
				.machine = t->plan->machine,
				.want = t->plan->want,
				.have = t->plan->have,
				.options = &t->plan->options };
}

static const char layout[] =
	"  - { type: ext4, devices: a, mount: / }\n  - { type: ext4, devices: b, mount: /etc/mdadm }";
static const char files[] = "\"files\": {\"/t/etc/fstab\": \"here\", \"/t/etc/mdadm/mdadm.conf\": \"there\", "
			    "\"/t/data2/x\": \"x\"},";

static void target_of_a_new_filesystem(void **state)
{
	_cleanup_trial_ struct trial *t = trial_new(layout, TWO, files,
						    (struct plan_options){ .mount = true, .root = "/t" });
	_cleanup_trial_ struct trial *bare = trial_new(layout, TWO, files,
						       (struct plan_options){ .mount = false, .root = "/t" });
	struct settle s;

	(void)state;
	s = settle_of(t);
	assert_string_equal(target_path(&s, "/etc/fstab"), "/t/etc/fstab");
	assert_string_equal(target_path(&s, "etc/fstab"), "/t/etc/fstab");
	assert_string_equal(target_path(&s, "/"), "/t");
	assert_null(target_file(&s, "/etc/fstab")); /* what is there now will be covered */
	assert_true(target_writable(&s, "/etc/fstab"));
	assert_null(target_hidden(&s, "/etc/fstab"));
	s = settle_of(bare);
	assert_false(target_writable(&s, "/etc/fstab"));
}

static void target_of_a_kept_filesystem(void **state)
{
	static const char devices[] = DISK_WITH("sda", 1073741824, "", EXT4) "," DISK("sdb", 1073741824, "");
	const char *mounted = "\"mounts\": [{\"source\": \"/dev/sda\", \"target\": \"/t\", \"type\": "
			      "\"ext4\", \"dev\": \"sda\"}],";
	struct arena *a = arena_new();
	_cleanup_trial_ struct trial *t = trial_new(layout, devices, arena_printf(a, "%s%s", files, mounted),
						    (struct plan_options){ .mount = false, .root = "/t" });
	_cleanup_trial_ struct trial *idle = trial_new(layout, devices, files,
						       (struct plan_options){ .mount = true, .root = "/t" });
	struct settle s;

	(void)state;
	s = settle_of(t);
	assert_string_equal(target_file(&s, "/etc/fstab"), "here");
	assert_null(target_file(&s, "/etc/mdadm2"));
	assert_true(target_writable(&s, "/etc/fstab"));
	assert_null(target_hidden(&s, "/etc/fstab"));
	assert_null(target_file(&s, "/etc/mdadm/mdadm.conf")); /* on the one that is made */
	assert_false(target_writable(&s, "/etc/mdadm/mdadm.conf"));
	s = settle_of(idle);
	assert_null(target_file(&s, "/etc/fstab"));
	assert_string_equal(target_hidden(&s, "/etc/fstab")->name, "/");
	assert_null(target_hidden(&s, "/etc/mdadm/mdadm.conf"));
	arena_free(a);
}

static void target_outside_the_layout(void **state)
{
	_cleanup_trial_ struct trial *t = trial_new("  - { type: ext4, devices: a, mount: /data }", TWO,
						    files,
						    (struct plan_options){ .mount = false, .root = "/t" });
	struct settle s;

	(void)state;
	s = settle_of(t);
	assert_string_equal(target_file(&s, "/etc/fstab"), "here");
	assert_true(target_writable(&s, "/etc/fstab"));
	assert_string_equal(target_file(&s, "/data2/x"), "x"); /* not below /data */
	assert_false(target_writable(&s, "/data/x"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(mistakes),
		cmocka_unit_test(all_mistakes_at_once),
		cmocka_unit_test(labels_are_literal),
		cmocka_unit_test(fstab_fields),
		cmocka_unit_test(strangers),
		cmocka_unit_test(used_is_told),
		cmocka_unit_test(unknown_content_is_there),
		cmocka_unit_test(members_are_no_filesystems),
		cmocka_unit_test(target_of_a_new_filesystem),
		cmocka_unit_test(target_of_a_kept_filesystem),
		cmocka_unit_test(target_outside_the_layout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
