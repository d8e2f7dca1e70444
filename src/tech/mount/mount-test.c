/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "tech/fs-test.h"
#include "tech/mount/fstab.h"

#define UA "aaaaaaaa-1111-4111-8111-111111111111"
#define UB "bbbbbbbb-2222-4222-8222-222222222222"

#define SIG(type, uuid, more)                                                                                \
	"{\"type\": \"" type "\", \"usage\": \"filesystem\", \"uuid\": \"" uuid "\"" more "}"
#define ID(name) "\"links\": [\"/dev/disk/by-id/ata-" name "\"], "
#define MOUNT(dev, target, type, more)                                                                       \
	"{\"target\": \"" target "\", \"source\": \"/dev/" dev "\", \"type\": \"" type                       \
	"\", \"major\": 8, \"dev\": \"" dev "\"" more "}"
#define MOUNTS(...)       "\"mounts\": [" __VA_ARGS__ "],"
#define FSTAB(path, text) "\"files\": {\"" path "\": \"" text "\"},"

static const struct step *step_of(const struct trial *t, const char *id)
{
	if (t->plan)
		vec_each (struct step *const *, st, &t->plan->steps)
			if (text_eq((*st)->id, id))
				return *st;
	return NULL;
}

static const struct step *need(const struct trial *t, const char *id)
{
	const struct step *st = step_of(t, id);

	if (!st)
		fail_msg("no step '%s'; said:\n%s", id, t->said);
	return st;
}

static const char *fstab_of(struct trial *t)
{
	const char *text = NULL;

	assert_non_null(t->plan);
	assert_int_equal(fstab_text(t->plan, t->a, &t->diag, &text), 0);
	return text;
}

static struct trial *below(const char *root, const char *filesystems, const char *devices, const char *more)
{
	return trial_new(filesystems, devices, more, (struct plan_options){ .mount = true, .root = root });
}

/* A partition on each of two disks, and what stands on it. */
static struct trial *partitions(const char *filesystems, const char *label)
{
	static const char recording[] = "{\"stowage-machine\": 1, \"root\": true, \"devices\": [" DISK(
		"sda", 4294967296, ID("A")) "," DISK("nvme0n1", 4294967296, ID("B")) "]}";
	struct arena *a = arena_new();
	struct trial *t = arena_of(a, struct trial);
	const char *layout = arena_printf(a,
					  "stowage: 1\nname: trial\ndisks: { a: /dev/sda, b: /dev/nvme0n1 }\n"
					  "tables: [{ disks: [a, b], label: %s, partitions: [{ name: swap, "
					  "size: 1G }, { name: data, size: rest }] }]\n"
					  "filesystems:\n%s\n",
					  label, filesystems);
	struct layout *l = NULL;
	struct machine *m = NULL;

	t->a = a;
	t->diag.arena = a;
	if (machine_parse(a, "trial.json", recording, strlen(recording), &t->diag, &m) == 0 &&
	    layout_parse(a, "trial.yaml", layout, strlen(layout), &t->diag, &l) == 0)
		(void)plan_make(a, l, m, &(struct plan_options){ .mount = true }, &t->diag, &t->plan);
	t->said = trial_said(t);
	return t;
}

static void a_new_filesystem(void **state)
{
	_cleanup_trial_ struct trial *t = trial("  - { type: xfs, devices: a, mount: /srv, options: "
						"[noatime, nofail, x-systemd.automount, _netdev] }",
						DISK("sda", 4294967296, ""));
	const struct step *dir = need(t, "mkdir /srv"), *mount = need(t, "mount /srv"),
			  *file = need(t, "write fstab");
	const struct fs *fs = fs_of(graph_get(t->plan->want, "/srv"));

	(void)state;
	assert_quiet(t);
	assert_int_equal(dir->op.form, OP_MKDIR);
	assert_string_equal(dir->op.path, "/srv");
	assert_int_equal(dir->op.mode, 0755);
	assert_int_equal(mount->op.form, OP_MOUNT);
	assert_string_equal(mount->op.dev, "/dev/sda");
	assert_string_equal(mount->op.path, "/srv");
	assert_string_equal(mount->op.type, "xfs");
	assert_string_equal(mount->op.options, "noatime");
	assert_true(need(t, "format /srv")->number < mount->number);
	assert_true(dir->number < mount->number);
	assert_true(mount->number < file->number || need(t, "format /srv")->number < file->number);
	assert_int_equal(file->op.form, OP_FILE);
	assert_int_equal(file->op.mode, 0644);
	assert_string_equal(file->op.path, "/etc/fstab");
	assert_non_null(strstr(
		file->op.content,
		arena_printf(t->a, "\nUUID=%s /srv xfs noatime,nofail,x-systemd.automount,_netdev 0 0\n",
			     fs->uuid)));
	assert_string_equal(fstab_of(t), file->op.content);
	assert_string_equal(plan_file(t->plan, "/etc/fstab"), file->op.content);
	assert_null(step_of(t, "mkdir /etc"));
}

static void several_members_one_line(void **state)
{
	/* C54 */
	_cleanup_trial_ struct trial *t = trial(
		"  - { type: btrfs, devices: [a, b], profile: raid1, mount: /srv, options: [compress=zstd] }",
		DISK("sda", 4294967296, "") "," DISK("sdb", 4294967296, ""));
	const struct fs *fs = fs_of(graph_get(t->plan->want, "/srv"));

	(void)state;
	assert_quiet(t);
	assert_non_null(strstr(fstab_of(t),
			       arena_printf(t->a, "\nUUID=%s /srv btrfs compress=zstd 0 0\n", fs->uuid)));
	assert_string_equal(need(t, "mount /srv")->op.dev, "/dev/sda");
}

static void swap_has_a_line_and_no_mount(void **state)
{
	/* C66 */
	_cleanup_trial_ struct trial *t = trial(
		"  - { type: swap, devices: [a, b], priority: 5 }\n  - { type: swap, devices: c }\n"
		"  - { type: xfs, devices: d }",
		DISK("sda", 4294967296, "") "," DISK("sdb", 4294967296, "") "," DISK(
			"sdc", 4294967296, "") "," DISK("sdd", 4294967296, ""));
	const char *text;
	size_t lines = 0;

	(void)state;
	assert_quiet(t);
	text = fstab_of(t);
	assert_non_null(strstr(text, arena_printf(t->a, "\nUUID=%s none swap sw,pri=5 0 0\n",
						  fs_of(graph_get(t->plan->want, "swap on a"))->uuid)));
	assert_non_null(strstr(text, arena_printf(t->a, "\nUUID=%s none swap sw       0 0\n",
						  fs_of(graph_get(t->plan->want, "swap on c"))->uuid)));
	for (const char *p = text; *p; p++)
		lines += *p == '\n';
	assert_int_equal(lines, 5);
	vec_each (struct step *const *, st, &t->plan->steps)
		assert_true((*st)->op.form != OP_MOUNT && (*st)->op.form != OP_MKDIR);
}

static void a_new_root(void **state)
{
	_cleanup_trial_ struct trial *t = below(
		"/mnt/new",
		"  - { type: xfs, devices: b, mount: /var/tmp }\n  - { type: ext4, devices: a, mount: / }",
		DISK("sda", 4294967296, "") "," DISK("sdb", 4294967296, ""),
		FSTAB("/etc/fstab", "# of the running system\\n"));
	const struct step *root = need(t, "mount /mnt/new"), *tmp = need(t, "mount /mnt/new/var/tmp"),
			  *mode = need(t, "chmod /mnt/new/var/tmp");
	const struct step *file = need(t, "write fstab");

	(void)state;
	assert_quiet(t);
	assert_true(need(t, "mkdir /mnt/new")->number < root->number);
	assert_true(root->number < need(t, "mkdir /mnt/new/var/tmp")->number);
	assert_true(need(t, "mkdir /mnt/new/var/tmp")->number < tmp->number);
	assert_true(tmp->number < mode->number);
	assert_string_equal(text_join(t->a, &mode->op.argv, " "), "chmod 1777 -- /mnt/new/var/tmp");
	assert_true(root->number < file->number);
	assert_string_equal(file->op.path, "/mnt/new/etc/fstab");
	assert_null(strstr(file->op.content, "running"));
	assert_true(strstr(file->op.content, " / ") < strstr(file->op.content, " /var/tmp "));
	assert_non_null(strstr(file->op.content, " /        ext4 defaults 0 1\n"));
}

static void a_root_needs_a_place(void **state)
{
	_cleanup_trial_ struct trial *t = below("/", "  - { type: ext4, devices: a, mount: / }",
						DISK("sda", 4294967296, ""),
						MOUNTS(MOUNT("sdz", "/", "ext4", "")));

	(void)state;
	assert_said(t, "'/' isn't the filesystem that this system runs from, which is /dev/sdz (ext4); say "
		       "with --root");
}

static void the_running_root(void **state)
{
	_cleanup_trial_ struct trial *t = below(
		"/", "  - { type: ext4, devices: a, mount: / }",
		DISK_WITH("sda", 4294967296, "", SIG("ext4", UA, "")),
		MOUNTS(MOUNT("sda", "/", "ext4", ", \"root\": \"/\""))
			FSTAB("/etc/fstab", "/dev/sda\\t/\\text4\\terrors=remount-ro\\t0\\t1\\n"));

	(void)state;
	assert_quiet(t);
	assert_int_equal(t->plan->steps.n, 1);
	assert_string_equal(need(t, "write fstab")->op.content,
			    "UUID=" UA "\t/\text4\terrors=remount-ro\t0\t1\n");
}

static void what_is_there_needs_nothing(void **state)
{
	_cleanup_trial_ struct trial *t = below("/", "  - { type: xfs, devices: a, mount: /srv }",
						DISK_WITH("sda", 4294967296, "", SIG("xfs", UA, "")),
						MOUNTS(MOUNT("sda", "/srv", "xfs", ""))
							FSTAB("/etc/fstab", "UUID=" UA " /srv/ xfs noatime"));

	(void)state;
	assert_quiet(t);
	assert_int_equal(t->plan->steps.n, 0);
	assert_string_equal(fstab_of(t), "UUID=" UA " /srv/ xfs noatime");
	assert_string_equal(plan_file(t->plan, "/etc/fstab"), "UUID=" UA " /srv/ xfs noatime");
	assert_int_equal(graph_get(t->plan->want, "mount /srv")->verdict, VERDICT_KEEP);
	assert_string_equal(graph_get(t->plan->have, "mount /srv")
				    ->kind->describe(t->a, graph_get(t->plan->have, "mount /srv")),
			    "/dev/sda at /srv");
}

static void what_is_there_is_mounted(void **state)
{
	_cleanup_trial_ struct trial *t = below(
		"/", "  - { type: xfs, devices: a, mount: /tmp }",
		DISK_WITH("sda", 4294967296, "", SIG("xfs", UA, "")),
		FSTAB("/etc/fstab", "UUID=" UA " /tmp xfs noatime,nofail 0 0\\n"));

	(void)state;
	assert_quiet(t);
	/* It isn't new: its mode is its owner's. With the options that its line has. */
	assert_int_equal(t->plan->steps.n, 2);
	assert_string_equal(need(t, "mount /tmp")->op.options, "noatime");
}

#define TMP         "  - { type: ext4, devices: a, mount: /tmp }"
#define TMP_FSTAB   FSTAB("/mnt/etc/fstab", "UUID=" UA " /tmp ext4 defaults 0 2\\n")
#define TMP_MOUNTED MOUNTS(MOUNT("sda", "/mnt/tmp", "ext4", "")) TMP_FSTAB

/* A run was interrupted between the mount and the mode. */
static void an_interrupted_tmp_gets_its_mode(void **state)
{
	static const char fresh[] = TMP_MOUNTED "\"mount\": {\"fresh\": [\"/mnt/tmp\"]},",
			  other[] = TMP_MOUNTED "\"mount\": {\"fresh\": [\"/tmp\"]},";
	_cleanup_trial_ struct trial *half = below(
		"/mnt", TMP, DISK_WITH("sda", 4294967296, "", SIG("ext4", UA, "")), fresh);
	_cleanup_trial_ struct trial *whole = below(
		"/mnt", TMP, DISK_WITH("sda", 4294967296, "", SIG("ext4", UA, "")), TMP_MOUNTED);
	_cleanup_trial_ struct trial *elsewhere = below(
		"/mnt", TMP, DISK_WITH("sda", 4294967296, "", SIG("ext4", UA, "")), other);

	(void)state;
	assert_quiet(half);
	assert_int_equal(half->plan->steps.n, 1);
	assert_string_equal(text_join(half->a, &need(half, "chmod /mnt/tmp")->op.argv, " "),
			    "chmod 1777 -- /mnt/tmp");
	assert_quiet(whole);
	assert_int_equal(whole->plan->steps.n, 0);
	assert_int_equal(elsewhere->plan->steps.n, 0);
}

/* A run was interrupted between making it and mounting it. Nobody has mounted it since: its mode is nobody's. */
static void a_tmp_that_nobody_has_mounted_gets_its_mode(void **state)
{
	_cleanup_trial_ struct trial *blank = below("/mnt", TMP, DISK("sda", 4294967296, ID("A")), "");
	const char *uuid = fs_of(graph_get(blank->plan->want, "/tmp"))->uuid;

	(void)state;
	for (int empty = 0; empty < 2; empty++) {
		_cleanup_trial_ struct trial *t = below(
			"/mnt", TMP,
			arena_printf(blank->a, DISK_WITH("sda", 4294967296, ID("A"), SIG("ext4", "%s", "")),
				     uuid),
			arena_printf(blank->a, "\"ext4\": {\"sda\": {\"block-size\": 4096, \"empty\": %d}},",
				     empty));

		assert_quiet(t);
		(void)need(t, "mount /mnt/tmp");
		assert_int_equal(step_of(t, "chmod /mnt/tmp") != NULL, empty);
	}
}

static void noauto_is_not_mounted(void **state)
{
	/* C68 */
	_cleanup_trial_ struct trial *t = trial(
		"  - { type: xfs, devices: a, mount: /backup, options: [noauto] }\n"
		"  - { type: xfs, devices: b, mount: /archive, options: [nofail, "
		"x-systemd.device-timeout=10s] }",
		DISK("sda", 4294967296, "") "," DISK("sdb", 4294967296, ""));

	(void)state;
	assert_quiet(t);
	assert_null(step_of(t, "mount /backup"));
	assert_null(step_of(t, "mkdir /backup"));
	assert_null(need(t, "mount /archive")->op.options);
	assert_non_null(strstr(fstab_of(t), " /archive xfs nofail,x-systemd.device-timeout=10s 0 0\n"));
}

static void noauto_of_the_line_there(void **state)
{
	_cleanup_trial_ struct trial *t = below("/", "  - { type: xfs, devices: a, mount: /backup }",
						DISK_WITH("sda", 4294967296, "", SIG("xfs", UA, "")),
						FSTAB("/etc/fstab", "UUID=" UA " /backup xfs noauto 0 0\\n"));

	(void)state;
	assert_quiet(t);
	assert_int_equal(t->plan->steps.n, 0);
}

static void without_mounting(void **state)
{
	_cleanup_trial_ struct trial *t = trial_new(
		"  - { type: xfs, devices: a, mount: /srv }", DISK("sda", 4294967296, ""),
		MOUNTS(MOUNT("sdz", "/srv", "xfs", "")), (struct plan_options){ .mount = false });
	_cleanup_trial_ struct trial *u = trial_new("  - { type: xfs, devices: a, mount: / }",
						    DISK("sda", 4294967296, ""), "",
						    (struct plan_options){ .mount = false, .root = "/mnt" });

	(void)state;
	assert_quiet(t);
	assert_null(step_of(t, "mount /srv"));
	assert_null(step_of(t, "mkdir /srv"));
	need(t, "write fstab");
	/* The file would go to a directory that the new root hides later. */
	assert_said(u, "/mnt/etc/fstab isn't written: with --no-mount");
	assert_null(step_of(u, "write fstab"));
	assert_non_null(strstr(fstab_of(u), " / xfs defaults 0 0\n"));
}

static void something_else_is_there(void **state)
{
	_cleanup_trial_ struct trial *t = below("/", "  - { type: xfs, devices: a, mount: /srv }",
						DISK("sda", 4294967296, "") "," DISK("sdb", 4294967296, ""),
						MOUNTS(MOUNT("sdb", "/srv", "xfs", "")));
	_cleanup_trial_ struct trial *u = below("/", "  - { type: xfs, devices: a, mount: /srv }",
						DISK("sda", 4294967296, "") "," DISK("sdb", 4294967296, ""),
						MOUNTS(MOUNT("sdb", "/srv/data", "xfs", "")));
	_cleanup_trial_ struct trial *v = below("/", "  - { type: xfs, devices: a, mount: /srv }",
						DISK_WITH("sda", 4294967296, "", SIG("xfs", UA, "")),
						MOUNTS(MOUNT("sda", "/srv", "xfs", ", \"root\": \"/a\"")));
	_cleanup_trial_ struct trial *w = below(
		"/", "  - { type: xfs, devices: a, mount: /srv }", DISK("sda", 4294967296, ""),
		MOUNTS("{\"target\": \"/srv\", \"source\": \"systemd-1\", \"type\": \"autofs\"}," MOUNT(
			"sdb", "/srv2", "xfs", "")));

	(void)state;
	assert_said(t, "refused: '/srv' is to be mounted at /srv, but /dev/sdb (xfs) is mounted there; "
		       "unmount it first: umount /srv");
	assert_said(u, "would hide /dev/sdb (xfs), which is mounted at /srv/data");
	assert_said(v, "but /dev/sda, directory /a (xfs) is mounted there");
	assert_quiet(w);
}

static void a_member_of_btrfs_is_mounted(void **state)
{
	_cleanup_trial_ struct trial *t = below(
		"/", "  - { type: btrfs, devices: [a, b], mount: /srv }",
		DISK_WITH("sda", 4294967296, "",
			  SIG("btrfs", UA,
			      ", \"uuid-sub\": \"" UB
			      "\"")) "," DISK_WITH("sdb", 4294967296, "",
						   SIG("btrfs", UA, ", \"uuid-sub\": \"" UA "\"")),
		MOUNTS("{\"target\": \"/srv\", \"source\": \"/dev/sdb\", \"type\": \"btrfs\", \"dev\": "
		       "\"sdb\", \"root\": \"/@\"}")
			FSTAB("/etc/fstab", "UUID=" UA " /srv btrfs subvol=@ 0 0\\n"));

	(void)state;
	if (t->diag.errors) /* what btrfs itself has to say of such a recording is its room's */
		print_message("%s", t->said);
	assert_non_null(t->plan);
	assert_int_equal(graph_get(t->plan->want, "mount /srv")->verdict, VERDICT_KEEP);
}

static void a_copy(void **state)
{
	/* C62 */
	_cleanup_trial_ struct trial *t = below(
		"/", "  - { type: xfs, devices: a, mount: /srv }",
		DISK_WITH("sda", 4294967296, ID("A"),
			  SIG("xfs", UA, "")) "," DISK_WITH("sdb", 4294967296, ID("B"), SIG("xfs", UA, "")),
		MOUNTS(MOUNT("sda", "/srv", "xfs", ""))
			FSTAB("/etc/fstab", "UUID=" UA " /srv xfs noatime 0 0\\n"));

	(void)state;
	assert_said(t, "/dev/sdb bears the UUID " UA
		       " of '/srv', too: is it a clone? /etc/fstab has /dev/disk/by-id/ata-A instead");
	assert_string_equal(need(t, "write fstab")->op.content,
			    "/dev/disk/by-id/ata-A /srv xfs noatime 0 0\n");
}

static void a_copy_of_btrfs(void **state)
{
	_cleanup_trial_ struct trial *t = below(
		"/", "  - { type: btrfs, devices: a, mount: /srv }",
		DISK_WITH("sda", 4294967296, "",
			  SIG("btrfs", UA,
			      ", \"uuid-sub\": \"" UB
			      "\"")) "," DISK_WITH("sdb", 4294967296, "",
						   SIG("btrfs", UA, ", \"uuid-sub\": \"" UB "\"")),
		"");

	(void)state;
	assert_non_null(strstr(t->said, "error: "));
	assert_true(diag_failed(&t->diag));
}

static void two_lines(void **state)
{
	_cleanup_trial_ struct trial *t = below(
		"/", "  - { type: xfs, devices: a, mount: /srv }", DISK("sda", 4294967296, ""),
		FSTAB("/etc/fstab", "/dev/sdb1 /srv xfs\\n/dev/sdc1 /srv xfs\\n"));

	(void)state;
	assert_non_null(strstr(t->said, "error: lines 1 and 2 are both for /srv"));
	assert_int_equal(t->plan->steps.n, 0);
}

static void a_hidden_file(void **state)
{
	/* The root is there and not mounted: what its fstab says isn't known, and nothing is written in its place. */
	_cleanup_trial_ struct trial *t = below("/mnt", "  - { type: xfs, devices: a, mount: / }",
						DISK_WITH("sda", 4294967296, "", SIG("xfs", UA, "")), "");

	(void)state;
	assert_said(t, "/mnt/etc/fstab is written when '/' is mounted");
	assert_false(diag_failed(&t->diag));
	vec_each (struct step *const *, st, &t->plan->steps)
		assert_int_not_equal((*st)->op.form, OP_FILE);
}

static void a_masked_file(void **state)
{
	_cleanup_trial_ struct trial *t = below(
		"/", "  - { type: xfs, devices: a, mount: /srv }", DISK("sda", 4294967296, ""),
		FSTAB("/etc/fstab", "//nas/x /x cifs user=u,password=*** 0 0\\n"));

	(void)state;
	assert_said(t, "the recording hides a password here");
}

static void paths_of_partitions(void **state)
{
	_cleanup_trial_ struct trial *t = partitions(
		"  - { type: xfs, devices: b.data, mount: /b, key: path }\n"
		"  - { type: swap, devices: a.swap, key: path }\n"
		"  - { type: swap, devices: b.swap, label: sw b, key: label }",
		"gpt");
	const char *text;

	(void)state;
	assert_quiet(t);
	text = fstab_of(t);
	assert_non_null(strstr(text, "\n/dev/disk/by-id/ata-B-part2 /b   xfs  defaults 0 0\n"));
	assert_non_null(strstr(text, "\n/dev/disk/by-id/ata-A-part1 none swap sw       0 0\n"));
	assert_non_null(strstr(text, "\nLABEL=sw\\040b               none swap sw       0 0\n"));
}

static void names_of_partitions(void **state)
{
	_cleanup_trial_ struct trial *t = partitions(
		"  - { type: xfs, devices: a.data, mount: /a, key: partuuid }", "gpt");
	_cleanup_trial_ struct trial *u = partitions(
		"  - { type: xfs, devices: a.data, mount: /a, key: partuuid }", "mbr");
	_cleanup_trial_ struct trial *v = partitions(
		"  - { type: xfs, devices: a.data, mount: /a, key: partlabel }", "mbr");
	_cleanup_trial_ struct trial *w = partitions(
		"  - { type: xfs, devices: a.data, mount: /a, key: partlabel }", "gpt");
	const char *text;

	(void)state;
	if (!graph_get(w->plan->want, "a.data")->partuuid)
		return; /* the room of tables doesn't tell */
	assert_quiet(t);
	assert_non_null(strstr(fstab_of(t), arena_printf(t->a, "\nPARTUUID=%s /a xfs defaults 0 0\n",
							 graph_get(t->plan->want, "a.data")->partuuid)));
	assert_quiet(u);
	text = strstr(fstab_of(u), "PARTUUID=");
	assert_non_null(text);
	assert_true(text_starts(text + strcspn(text, "-"), "-02 /a"));
	assert_said(v, "fstab can't call '/a' by its partlabel, since 'a.data' has none: it is not in a GPT");
	assert_said(w, "fstab can't call '/a' by its partlabel 'data': partition 'b.data' has it, too");
}

static void no_partition_no_name(void **state)
{
	_cleanup_trial_ struct trial *t = trial("  - { type: xfs, devices: a, mount: /a, key: partuuid }",
						DISK("sda", 4294967296, ""));

	(void)state;
	assert_said(t, "fstab can't call '/a' by its partuuid, since 'a' has none: it is no partition");
}

static void blanks(void **state)
{
	/* C56 */
	_cleanup_trial_ struct trial *t = trial(
		"  - { type: ext4, devices: a, mount: \"/srv/Team Share\", label: Team Share, key: label }",
		DISK("sda", 4294967296, ""));

	(void)state;
	assert_quiet(t);
	assert_string_equal(need(t, "mount /srv/Team Share")->op.path, "/srv/Team Share");
	assert_non_null(
		strstr(fstab_of(t), "\nLABEL=Team\\040Share /srv/Team\\040Share ext4 defaults 0 2\n"));
}

static void nothing_to_mount(void **state)
{
	_cleanup_trial_ struct trial *t = below("/", "  - { type: xfs, devices: a }",
						DISK("sda", 4294967296, ""),
						FSTAB("/etc/fstab", "# mine\\n"));

	(void)state;
	assert_quiet(t);
	assert_null(graph_get(t->plan->want, "fstab"));
	assert_string_equal(fstab_of(t), "# mine\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_filesystem),
		cmocka_unit_test(several_members_one_line),
		cmocka_unit_test(swap_has_a_line_and_no_mount),
		cmocka_unit_test(a_new_root),
		cmocka_unit_test(a_root_needs_a_place),
		cmocka_unit_test(the_running_root),
		cmocka_unit_test(what_is_there_needs_nothing),
		cmocka_unit_test(what_is_there_is_mounted),
		cmocka_unit_test(an_interrupted_tmp_gets_its_mode),
		cmocka_unit_test(a_tmp_that_nobody_has_mounted_gets_its_mode),
		cmocka_unit_test(noauto_is_not_mounted),
		cmocka_unit_test(noauto_of_the_line_there),
		cmocka_unit_test(without_mounting),
		cmocka_unit_test(something_else_is_there),
		cmocka_unit_test(a_member_of_btrfs_is_mounted),
		cmocka_unit_test(a_copy),
		cmocka_unit_test(a_copy_of_btrfs),
		cmocka_unit_test(two_lines),
		cmocka_unit_test(a_hidden_file),
		cmocka_unit_test(a_masked_file),
		cmocka_unit_test(names_of_partitions),
		cmocka_unit_test(paths_of_partitions),
		cmocka_unit_test(no_partition_no_name),
		cmocka_unit_test(blanks),
		cmocka_unit_test(nothing_to_mount),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
