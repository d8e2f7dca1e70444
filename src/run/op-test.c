/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/units.h"
#include "run/child.h"
#include "run/op-lvm.h"
#include "run/op.h"

struct fixture {
	struct arena *a;
	const char *dir; /* empty, removed afterwards */
	struct capture out, err;
	struct op op;
	struct op_job job;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char dir[] = "/tmp/stowage-op-XXXXXX";

	f->a = arena_new();
	f->dir = arena_strdup(f->a, mkdtemp(dir));
	f->job = (struct op_job){ .op = &f->op, .root = "/", .timeout_s = 10 };
	*state = f;
	return f->dir ? 0 : -1;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	char *argv[] = { arena_strdup(f->a, "rm"), arena_strdup(f->a, "-rf"), arena_strdup(f->a, f->dir),
			 NULL };
	struct child c = { .out_text = &f->out, .err_text = &f->err };
	char **env = child_environment(f->a);

	(void)child_spawn(&c, child_find(f->a, env, "rm"), argv, -1, env, UINT64_MAX);
	(void)child_wait(&c, -1);
	arena_free(f->a);
	free(f);
	return 0;
}

static const char *path(struct fixture *f, const char *name)
{
	return arena_printf(f->a, "%s/%s", f->dir, name);
}

static void put(const char *file, const char *text)
{
	FILE *to = fopen(file, "w");

	assert_non_null(to);
	assert_true(fputs(text, to) >= 0);
	assert_int_equal(fclose(to), 0);
}

static const char *get(struct fixture *f, const char *file)
{
	char *text = NULL;

	assert_int_equal(file_read(f->a, AT_FDCWD, file, 1 << 26, &text, NULL), 0);
	return text;
}

struct call {
	int (*fn)(const struct op_job *);
	const struct op_job *job;
};

static int enter(void *arg)
{
	const struct call *c = arg;

	return c->fn(c->job);
}

/* As the run does it, so that what is said can be looked at: "" where it succeeds, else its last words. */
static const char *perform(struct fixture *f, int (*fn)(const struct op_job *))
{
	struct call call = { fn, &f->job };
	struct child c = { .out_text = &f->out, .err_text = &f->err };
	text_list said;

	f->out.total = f->err.total = 0;
	assert_int_equal(child_fork(&c, enter, &call, -1, child_environment(f->a), child_clock_ms() + 20000),
			 0);
	assert_true(child_wait(&c, -1));
	if (child_good(&c))
		return "";
	said = capture_last(&f->err, f->a, 1);
	return said.n ? said.at[0] : child_end_text(&c, f->a, 20);
}

static void file_is_made(void **state)
{
	struct fixture *f = *state;
	struct stat st;

	f->op = (struct op){ .form = OP_FILE, .path = path(f, "fstab"), .content = "new\n", .mode = 0640 };
	assert_string_equal(perform(f, op_file), "");
	assert_string_equal(get(f, f->op.path), "new\n");
	assert_int_equal(stat(f->op.path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
}

static void file_keeps_mode_and_owner(void **state)
{
	struct fixture *f = *state;
	struct stat st;

	f->op = (struct op){ .form = OP_FILE, .path = path(f, "fstab"), .content = "new\n", .mode = 0644 };
	put(f->op.path, "old\n");
	assert_int_equal(chmod(f->op.path, 0604), 0);
	put(path(f, ".fstab.stowage-new"), "left by a run that was killed");
	if (!geteuid())
		assert_int_equal(chown(f->op.path, 12, 34), 0);
	assert_string_equal(perform(f, op_file), "");
	assert_string_equal(get(f, f->op.path), "new\n");
	assert_int_equal(stat(f->op.path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0604);
	if (!geteuid())
		assert_int_equal(st.st_uid * 100 + st.st_gid, 1234);
	assert_int_equal(access(path(f, ".fstab.stowage-new"), F_OK), -1);
}

static void links_lead_within_the_root(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(mkdir(path(f, "etc"), 0755), 0);
	assert_int_equal(mkdir(path(f, "real"), 0755), 0);
	assert_int_equal(symlink("/real/table", path(f, "etc/fstab")), 0);
	put(path(f, "real/table"), "old\n");
	f->job.root = f->dir;
	f->op = (struct op){
		.form = OP_FILE, .path = path(f, "etc/fstab"), .content = "new\n", .mode = 0644
	};
	assert_string_equal(perform(f, op_file), "");
	assert_string_equal(get(f, path(f, "real/table")), "new\n");
	assert_int_equal(readlink(f->op.path, (char[64]){ 0 }, 63), (ssize_t)strlen("/real/table"));

	/* A relative one, as /etc/mtab has, and one whose target isn't there yet. */
	assert_int_equal(symlink("../real/other", path(f, "etc/other")), 0);
	f->op.path = path(f, "etc/other");
	assert_string_equal(perform(f, op_file), "");
	assert_string_equal(get(f, path(f, "real/other")), "new\n");

	assert_int_equal(symlink("circle", path(f, "etc/circle")), 0);
	f->op.path = path(f, "etc/circle");
	assert_non_null(strstr(perform(f, op_file), strerror(ELOOP)));
}

static void file_makes_its_directories(void **state)
{
	struct fixture *f = *state;
	mode_t mask = umask(077);
	struct stat st;

	f->op = (struct op){ .form = OP_FILE, .path = path(f, "etc/a b/c/file"), .content = "new\n" };
	assert_string_equal(perform(f, op_file), "");
	assert_string_equal(get(f, f->op.path), "new\n");
	assert_int_equal(stat(path(f, "etc/a b"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0755);

	/* The root itself, and what lies beyond a link that must not lead out of it. */
	f->job.root = path(f, "new/root");
	f->op.path = path(f, "new/root/etc/file");
	assert_string_equal(perform(f, op_file), "");
	assert_string_equal(get(f, f->op.path), "new\n");
	assert_int_equal(symlink("/etc", path(f, "new/root/link")), 0);
	f->op.path = path(f, "new/root/link/stowage-test/file");
	assert_string_equal(perform(f, op_file), "");
	assert_string_equal(get(f, path(f, "new/root/etc/stowage-test/file")), "new\n");
	(void)umask(mask);
}

static void file_that_cannot_be_written(void **state)
{
	struct fixture *f = *state;

	put(path(f, "file"), "");
	f->op = (struct op){ .form = OP_FILE, .path = path(f, "file/fstab"), .content = "new\n" };
	assert_string_equal(
		perform(f, op_file),
		arena_printf(f->a, "cannot open the directory '%s': Not a directory", path(f, "file")));
	f->op.path = "/proc/self/fstab"; /* read-only for root too */
	assert_true(text_starts(perform(f, op_file), "cannot write '/proc/self/fstab': "));
	assert_int_equal(mkdir(path(f, "fstab"), 0755), 0);
	f->op.path = path(f, "fstab");
	assert_string_equal(perform(f, op_file),
			    arena_printf(f->a, "'%s' is not a regular file", f->op.path));
	assert_int_equal(access(path(f, ".fstab.stowage-new"), F_OK), -1);
}

static void directories(void **state)
{
	struct fixture *f = *state;
	struct stat st;

	f->op = (struct op){ .form = OP_MKDIR, .path = path(f, "srv/a b/c"), .mode = 0700 };
	assert_string_equal(perform(f, op_mkdir), "");
	assert_int_equal(stat(f->op.path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(stat(path(f, "srv/a b"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
	f->op.mode = 0755;
	assert_string_equal(perform(f, op_mkdir), "");
	assert_int_equal(stat(f->op.path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	put(path(f, "file"), "");
	f->op.path = path(f, "file/x");
	assert_string_equal(perform(f, op_mkdir),
			    arena_printf(f->a, "'%s' is not a directory", path(f, "file")));
}

/* An absolute link below another root leads to this machine's directories, and something would be mounted over those. */
static void directories_behind_links(void **state)
{
	struct fixture *f = *state;
	struct stat st;

	f->job.root = path(f, "root");
	assert_int_equal(mkdir(f->job.root, 0755), 0);
	assert_int_equal(mkdir(path(f, "data"), 0755), 0);
	assert_int_equal(symlink(path(f, "data"), path(f, "root/srv")), 0);
	for (int i = 0; i < 2; i++) {
		f->op = (struct op){ .form = OP_MKDIR, .path = path(f, i ? "root/srv" : "root/srv/new") };
		assert_true(text_starts(perform(f, op_mkdir),
					arena_printf(f->a, "'%s' is a symbolic link", path(f, "root/srv"))));
	}
	assert_int_equal(stat(path(f, "data/new"), &st), -1);
	/* How one comes to the root itself is the person's affair. */
	assert_int_equal(symlink(f->job.root, path(f, "link")), 0);
	f->job.root = path(f, "link");
	f->op.path = path(f, "link/home/a");
	assert_string_equal(perform(f, op_mkdir), "");
	assert_int_equal(stat(path(f, "root/home/a"), &st), 0);
}

static void zero(void **state)
{
	struct fixture *f = *state;
	char *text = arena_alloc(f->a, 200001), *now;
	size_t len;

	memset(text, 'x', 200000);
	put(path(f, "image"), text);
	f->op = (struct op){ .form = OP_ZERO, .dev = path(f, "image") };
	vec_push(f->a, &f->op.ranges, (struct op_range){ 0, 10 });
	vec_push(f->a, &f->op.ranges, (struct op_range){ 100, 150000 });
	assert_string_equal(perform(f, op_zero), "");
	assert_int_equal(file_read(f->a, AT_FDCWD, f->op.dev, 1 << 20, &now, &len), 0);
	assert_int_equal(len, 200000);
	memset(text, 0, 10);
	memset(text + 100, 0, 150000);
	assert_memory_equal(text, now, 200000);
	vec_push(f->a, &f->op.ranges, (struct op_range){ 199999, 2 });
	assert_non_null(
		strstr(perform(f, op_zero), "ends at byte 200000, but zeroes are to go to byte 200001"));
}

static const char *image(struct fixture *f, off_t size)
{
	const char *name = path(f, "disk.img");
	_cleanup_fd_ int fd = open(name, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	return name;
}

static void wipe(void **state)
{
	struct fixture *f = *state;
	const char *name = image(f, MIB);
	_cleanup_fd_ int fd = open(name, O_WRONLY | O_CLOEXEC);
	uint32_t swap[2] = { 1, 255 }; /* version, last page */

	assert_int_equal(pwrite(fd, swap, sizeof(swap), 1024), sizeof(swap));
	assert_int_equal(pwrite(fd, "SWAPSPACE2", 10, 4096 - 10), 10);
	f->op = (struct op){ .form = OP_WIPE, .dev = name };
	assert_string_equal(perform(f, op_wipe), "");
	assert_non_null(strstr(capture_last(&f->out, f->a, 1).at[0], "swap signature"));
	assert_string_equal(perform(f, op_wipe), "");
	assert_int_equal(capture_last(&f->out, f->a, 1).n, 0);
}

#define HEAD "label: gpt\nlabel-id: 0B1E11B0-0000-4000-8000-000000000000\n"
#define PART "uuid=0B1E11B0-0000-4000-8000-000000000001, type=0FC63DAF-8483-4772-8E79-3D69D8477DE4"

static const char *table(struct fixture *f, const char *script)
{
	f->op = (struct op){ .form = OP_TABLE, .dev = image(f, 64 * MIB), .script = script };
	return perform(f, op_table);
}

static void tables(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(table(f, HEAD "start=2048, size=10001, name=\"a, b\", " PART
					  "\nstart=20480, size=4096, name=\"z\"\n"),
			    "");
	/* The same again on a disk that has it. */
	assert_string_equal(perform(f, op_table), "");
	assert_non_null(strstr(get(f, f->op.dev) + 512, "EFI PART"));
	assert_string_equal(table(f, "label: dos\nlabel-id: 0xdeadbeef\nstart=2048, size=2048, type=fd\n"),
			    "");
}

static void tables_that_are_not_as_planned(void **state)
{
	struct fixture *f = *state;

	/* Cut by libfdisk, without a word. */
	assert_non_null(strstr(
		table(f, HEAD "start=2048, size=10000, name=\"0123456789012345678901234567890123456789\"\n"),
		"would be called"));
	assert_int_equal(get(f, f->op.dev)[510], 0);
	assert_non_null(strstr(table(f, HEAD "start=2048, size=1000s\n"), "does not understand"));
	assert_string_not_equal(table(f, HEAD "start=2048, size=1000000\n"), "");
	assert_string_not_equal(table(f, HEAD "start=2048, size=2048\nstart=3000, size=2048\n"), "");
	assert_string_not_equal(table(f, HEAD "start=2048, size=2048, uuid=nonsense\n"), "");
	assert_non_null(strstr(table(f, HEAD "start=2048\n"), "states no"));
	assert_int_equal(get(f, f->op.dev)[510], 0);
	f->op.dev = path(f, "missing");
	assert_true(text_starts(perform(f, op_table), "cannot open "));
}

/* What lvm2_run() does to a line. Source: lvm2 2.03.16, lvm_split(). */
static text_list split(struct arena *a, const char *line)
{
	char *b = arena_strdup(a, line);
	text_list r = { 0 };

	for (;;) {
		char *e, quote = 0;

		b += strspn(b, " \t\n");
		if (!*b || *b == '#')
			return r;
		if (*b == '\'' || *b == '"')
			quote = *b++;
		for (e = b; *e && (quote ? *e != quote : !strchr(" \t\n", *e)); e++)
			;
		vec_push(a, &r, b);
		if (!*e)
			return r;
		*e = 0;
		b = e + 1;
	}
}

static void lvm_quoting(void **state)
{
	static const char *const words[] = { "lvcreate", "-L512m",         "",   "a b", "it's",
					     "'quoted'", "\"double\"",     "#x", "x#",  "say \"hi\"",
					     "a\\b",     "don't \\ worry", "\t" };
	struct fixture *f = *state;
	text_list list = { 0 }, back;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		vec_push(f->a, &list, words[i]);
	back = split(f->a, lvm_line(f->a, &list));
	assert_int_equal(back.n, list.n);
	for (size_t i = 0; i < list.n; i++)
		assert_string_equal(back.at[i], list.at[i]);
	assert_string_equal(lvm_line(f->a, &(text_list){ .at = list.at, .n = 2 }), "lvcreate -L512m");

	/* Can't be said: both kinds of quotes and a blank; more words than it has room for. */
	list.at[1] = "'both\" kinds";
	assert_null(lvm_line(f->a, &list));
	list = (text_list){ 0 };
	assert_null(lvm_line(f->a, &list));
	for (int i = 0; i < 63; i++)
		vec_push(f->a, &list, "/dev/vda1");
	assert_non_null(lvm_line(f->a, &list));
	vec_push(f->a, &list, "/dev/vda1");
	assert_null(lvm_line(f->a, &list));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(file_is_made, set_up, tear_down),
		cmocka_unit_test_setup_teardown(file_keeps_mode_and_owner, set_up, tear_down),
		cmocka_unit_test_setup_teardown(links_lead_within_the_root, set_up, tear_down),
		cmocka_unit_test_setup_teardown(file_makes_its_directories, set_up, tear_down),
		cmocka_unit_test_setup_teardown(file_that_cannot_be_written, set_up, tear_down),
		cmocka_unit_test_setup_teardown(directories, set_up, tear_down),
		cmocka_unit_test_setup_teardown(directories_behind_links, set_up, tear_down),
		cmocka_unit_test_setup_teardown(zero, set_up, tear_down),
		cmocka_unit_test_setup_teardown(wipe, set_up, tear_down),
		cmocka_unit_test_setup_teardown(tables, set_up, tear_down),
		cmocka_unit_test_setup_teardown(tables_that_are_not_as_planned, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lvm_quoting, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
