/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "show/show.h"
#include "show/test-plan.h"

/* A place for one test: bin/ is first in PATH. */
struct place {
	struct arena *arena;
	char *dir;
};

static const char *at(const struct place *p, const char *name)
{
	return arena_printf(p->arena, "%s/%s", p->dir, name);
}

static void write_file(const char *path, const char *s, mode_t mode)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(s, f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static const char *content(const struct place *p, const char *name)
{
	char *s = NULL;

	assert_int_equal(file_read(p->arena, AT_FDCWD, at(p, name), 1 << 20, &s, NULL), 0);
	return s;
}

static void fake(const struct place *p, const char *name, const char *script)
{
	write_file(at(p, arena_printf(p->arena, "bin/%s", name)),
		   arena_printf(p->arena, "#!/bin/sh\n%s", script), 0755);
}

static struct place place_new(void)
{
	struct place p = { .arena = arena_new() };
	const char *tmp = getenv("TMPDIR");

	p.dir = arena_printf(p.arena, "%s/stowage-sh-XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(p.dir));
	assert_int_equal(mkdir(at(&p, "bin"), 0755), 0);
	fake(&p, "id", "echo 0\n");
	return p;
}

/* Return: the exit status; what was said is in the files "out" and "err". */
static int run(const struct place *p, const char *const *argv)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		const char *path = arena_printf(p->arena, "%s:/usr/local/bin:/usr/bin:/bin", at(p, "bin"));
		int out = open(at(p, "out"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
		int err = open(at(p, "err"), O_WRONLY | O_CREAT | O_TRUNC, 0600);

		if (out < 0 || err < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0 || setenv("PATH", path, 1))
			_exit(126);
		(void)execvp(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static void place_end(struct place *p)
{
	const char *const argv[] = { "rm", "-rf", "--", p->dir, NULL };

	(void)run(p, argv);
	arena_free(p->arena);
}

static const char *script(struct arena *a, const struct plan *p)
{
	struct show_options o = { 0 };
	struct text t = { .arena = a };

	show_sh(p, a, &o, &t);
	return text_str(&t);
}

static const char *save(const struct place *p, const struct plan *plan)
{
	const char *file = at(p, "script");

	write_file(file, script(p->arena, plan), 0600);
	return file;
}

/* Reads the script without doing it: sh, and shellcheck where it is installed. */
static void check_script(const struct place *p, const struct plan *plan)
{
	const char *file = save(p, plan);
	const char *const sh[] = { "sh", "-n", file, NULL };
	const char *const shellcheck[] = { "shellcheck", "-s", "sh", "--", file, NULL };
	int r;

	assert_int_equal(run(p, sh), 0);
	r = run(p, shellcheck);
	if (r && r != 127)
		fail_msg("shellcheck: %s", content(p, "out"));
}

static int run_script(const struct place *p, const struct plan *plan)
{
	const char *const argv[] = { "sh", save(p, plan), NULL };

	return run(p, argv);
}

/* A plan without disks, so that its script can be run anywhere. */
static struct plan *small_plan(const struct place *p)
{
	struct plan *plan = test_plan(p->arena);

	plan->want = graph_new(p->arena);
	plan->steps.n = 0;
	plan->options.root = p->dir;
	return plan;
}

static struct step *file_step(const struct place *p, struct plan *plan, const char *name, const char *s)
{
	struct step *st = test_step(plan, NULL, OP_FILE, "write");

	st->op.path = at(p, name);
	st->op.content = s;
	st->op.mode = 0640;
	return st;
}

static void sees(struct plan *plan, const char *file, const char *s)
{
	struct map *files = (struct map *)(uintptr_t)&plan->machine->files;

	files->arena = plan->arena;
	(void)map_set(files, file, (char *)(uintptr_t)s);
}

static void contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is missing in:\n%s", part, text);
}

static void is_clean(void **state)
{
	struct place p = place_new();
	struct plan *plan = test_plan(p.arena);
	struct step *st;

	(void)state;
	check_script(&p, plan);
	plan->options.root = "/";
	check_script(&p, plan);
	/* Every form alone, since functions that aren't used are left out. */
	for (size_t i = 0; i < 11; i++) {
		struct plan *one = test_plan(p.arena);

		one->steps.at[0] = one->steps.at[i];
		one->steps.n = 1;
		check_script(&p, one);
	}
	plan = small_plan(&p);
	st = test_step(plan, NULL, OP_ARGV, "a\nb: 'quoted' $(id)");
	st->pos = (struct pos){ .file = "a\nb.yaml", .line = 1 };
	st->why = "x\ny";
	vec_push(p.arena, &st->op.argv, "true");
	check_script(&p, plan);
	plan->steps.n = 0;
	check_script(&p, plan);
	assert_int_equal(run_script(&p, plan), 0);
	place_end(&p);
}

static void order_and_guards(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	const char *s = script(a, test_plan(a));

	(void)state;
	contains(s, "\tdisk /dev/vda 68719477248 serial-vda ''\n");
	contains(s, "\tblank /dev/vda\n\tblank /dev/vdb\n");
	contains(s, "\tneed lvcreate lvm2\n");
	contains(s, "\tzero /dev/vda \\\n\t\t0 1048576  67645734912 1048576\n");
	contains(s, "/dev/vda <<'EOF2'\nlabel: gpt\nstart=2048, size=67108864, name=\"EOF\"\nEOF\nEOF2\n");
	contains(
		s,
		"\tsettle\n\texpect /dev/vda1 1048576 34359738368\n\texpect /dev/vdb1 1048576 34359738368\n");
	contains(s, "\tmkfs.btrfs -L 'it'\\''s $(id) `id` \"%n\" \\' /dev/vda1 /dev/vdb1\n\texpect /dev/vda1 "
		    "0 0\n");
	contains(s, "\tmount -t btrfs -o 'noatime,subvol=/a b' -- /dev/vda1 '/mnt/a b/home'\n");
	contains(s, "\tput 0644 '/mnt/a b/etc/fstab' <<'EOF3'\n");
	contains(s, "\t# 7. format /home (layout.yaml:");
}

static void words_arrive(void **state)
{
	static const char *const words[] = { "",     "; touch pwned", "$(id)", "`id`", "a'b",
					     "a\"b", "a b",           "-rf",   "*",    "a\\b",
					     "%n",   "a\nb",          "=x",    "~",    "é",
					     "a\tb" };
	struct place p = place_new();
	struct plan *plan = small_plan(&p);
	struct step *st = test_step(plan, NULL, OP_ARGV, "call it");
	struct text expected = { .arena = p.arena };

	(void)state;
	fake(&p, "tell", "printf '<%s>' \"$@\"\ncat\n");
	vec_push(p.arena, &st->op.argv, "tell");
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		vec_push(p.arena, &st->op.argv, words[i]);
		text_printf(&expected, "<%s>", words[i]);
	}
	assert_int_equal(run_script(&p, plan), 0);
	contains(content(&p, "out"), "[1/1] call it\n");
	contains(content(&p, "out"), text_str(&expected));
	place_end(&p);
}

/* From standard input as well, though the programs that it calls read standard input. */
static void from_a_pipe(void **state)
{
	struct place p = place_new();
	struct plan *plan = small_plan(&p);

	(void)state;
	fake(&p, "eat", "cat >/dev/null\n");
	for (size_t i = 0; i < 2; i++) {
		struct step *st = test_step(plan, NULL, OP_ARGV, "eat what is there");

		vec_push(p.arena, &st->op.argv, "eat");
	}
	const char *const argv[] = { "sh", "-c", "sh <\"$1\"", "sh", save(&p, plan), NULL };

	assert_int_equal(run(&p, argv), 0);
	assert_string_equal(content(&p, "out"), "[1/2] eat what is there\n[2/2] eat what is there\nDone.\n");
	place_end(&p);
}

static void files_are_exact(void **state)
{
	static const char *const texts[] = { "a\n",
					     "no end",
					     "",
					     "EOF\nEOF2\n",
					     "$x `id` \\ 'q' %s %%\n",
					     "\x1b[31m\n\r\n\xff\xe2\x80\xae\n",
					     "\n\n",
					     "tab\there\n",
					     "50% 'of' \\n\x01" };
	size_t n = sizeof(texts) / sizeof(*texts);
	struct place p = place_new();
	struct plan *plan = small_plan(&p);
	struct stat st;

	(void)state;
	for (size_t i = 0; i < n; i++)
		(void)file_step(&p, plan, arena_printf(p.arena, "it's %zu", i), texts[i]);
	check_script(&p, plan);
	write_file(at(&p, "it's 0"), "old", 0604);
	sees(plan, at(&p, "it's 0"), "old");
	assert_int_equal(run_script(&p, plan), 0);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(content(&p, arena_printf(p.arena, "it's %zu", i)), texts[i]);
	assert_int_equal(stat(at(&p, "it's 0"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0604);
	assert_int_equal(stat(at(&p, "it's 1"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_int_equal(access(at(&p, ".it's 0.stowage-new"), F_OK), -1);
	place_end(&p);
}

static void links(void **state)
{
	struct place p = place_new();
	struct plan *plan = small_plan(&p);

	(void)state;
	assert_int_equal(symlink("real", at(&p, "link")), 0);
	write_file(at(&p, "real"), "old\n", 0600);
	(void)file_step(&p, plan, "link", "new\n");
	sees(plan, at(&p, "link"), "old\n");
	assert_int_equal(run_script(&p, plan), 3);
	contains(content(&p, "err"), "link leads through a symbolic link to another place: ");
	assert_string_equal(content(&p, "real"), "old\n");
	plan->options.root = "/";
	assert_int_equal(run_script(&p, plan), 0);
	assert_string_equal(content(&p, "real"), "new\n");
	place_end(&p);
}

/* Something would be mounted over what the link leads to; below another root that is this machine's. */
static void a_directory_behind_a_link(void **state)
{
	struct place p = place_new();
	struct plan *plan = small_plan(&p);
	struct step *step = test_step(plan, NULL, OP_MKDIR, "make a directory");

	(void)state;
	assert_int_equal(symlink("/etc", at(&p, "srv")), 0);
	step->op.path = at(&p, "srv/nothing");
	assert_int_equal(run_script(&p, plan), 3);
	contains(content(&p, "err"),
		 "srv/nothing leads through a symbolic link to another place: /etc/nothing");
	plan->options.root = "/";
	check_script(&p, plan);
	assert_int_equal(run_script(&p, plan), 3);
	place_end(&p);
}

/* It would be replaced by what follows from what it was. */
static void a_file_that_has_changed(void **state)
{
	struct place p = place_new();
	struct plan *plan = small_plan(&p);

	(void)state;
	(void)file_step(&p, plan, "file", "new\n");
	check_script(&p, plan);
	write_file(at(&p, "file"), "theirs\n", 0600);
	assert_int_equal(run_script(&p, plan), 3);
	contains(content(&p, "err"), "file isn't what it was when the plan was made\n");
	sees(plan, at(&p, "file"), "old\n");
	assert_int_equal(run_script(&p, plan), 3);
	assert_string_equal(content(&p, "file"), "theirs\n");
	sees(plan, at(&p, "file"), "theirs\n");
	assert_int_equal(run_script(&p, plan), 0);
	assert_string_equal(content(&p, "file"), "new\n");
	place_end(&p);
}

static void directories(void **state)
{
	struct place p = place_new();
	struct plan *plan = small_plan(&p);
	struct step *step = test_step(plan, NULL, OP_MKDIR, "make a directory");
	struct stat st;

	(void)state;
	step->op.path = at(&p, "a/b c/d");
	step->op.mode = 01777;
	assert_int_equal(run_script(&p, plan), 0);
	assert_int_equal(stat(at(&p, "a/b c/d"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 01777);
	assert_int_equal(stat(at(&p, "a/b c"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
	step->op.mode = 0700;
	assert_int_equal(run_script(&p, plan), 0);
	assert_int_equal(stat(at(&p, "a/b c/d"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 01777);
	place_end(&p);
}

static void a_failure_ends_it(void **state)
{
	struct place p = place_new();
	struct plan *plan = small_plan(&p);
	struct step *st = test_step(plan, NULL, OP_ARGV, "fail here");

	(void)state;
	fake(&p, "broken", "exit 7\n");
	vec_push(p.arena, &st->op.argv, "broken");
	(void)file_step(&p, plan, "never", "x\n");
	assert_int_equal(run_script(&p, plan), 7);
	contains(content(&p, "err"), "FAILED (exit status 7): step 1, fail here\n");
	assert_int_equal(access(at(&p, "never"), F_OK), -1);
	place_end(&p);
}

static void missing_programs(void **state)
{
	struct place p = place_new();
	struct plan *plan = small_plan(&p);
	struct step *st;

	(void)state;
	(void)file_step(&p, plan, "never", "x\n");
	st = test_step(plan, NULL, OP_ARGV, "call it");
	vec_push(p.arena, &st->op.argv, "no-such-program");
	assert_int_equal(run_script(&p, plan), 1);
	contains(content(&p, "err"), "These programs are missing:\n  no-such-program\n");
	assert_int_equal(access(at(&p, "never"), F_OK), -1);
	place_end(&p);
}

/* What the looks before the first write say, with programs that tell of other disks. */
static void another_disk(void **state)
{
	struct place p = place_new();
	struct plan *plan = test_plan(p.arena);

	(void)state;
	static const char *const programs[] = { "blkdiscard", "blockdev", "lsblk",   "lvcreate", "mkfs.btrfs",
						"mount",      "sfdisk",   "udevadm", "wipefs" };

	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		fake(&p, programs[i],
		     arena_printf(p.arena, "echo %s >>'%s'\n", programs[i], at(&p, "called")));
	vec_each (struct node **, n, &plan->want->nodes)
		(*n)->dev = (*n)->dev ? arena_printf(p.arena, "/dev/no-such-%s", (*n)->name) : NULL;
	assert_int_equal(run_script(&p, plan), 3);
	contains(content(&p, "err"),
		 "/dev/no-such-vda is not there\n/dev/no-such-vdb is not there\n"
		 "Nothing was written: the machine is not as the plan saw it. Plan again.\n");
	assert_int_equal(access(at(&p, "called"), F_OK), -1);
	place_end(&p);
}

/* A script that was cut off anywhere does nothing. */
static void cut_off(void **state)
{
	struct place p = place_new();
	struct plan *plan = small_plan(&p);
	const char *s;

	(void)state;
	(void)file_step(&p, plan, "never", "x\n");
	s = script(p.arena, plan);
	for (size_t n = strlen(s) - 3; n > 100; n -= n > 100 + 97 ? 97 : n - 100) {
		const char *const argv[] = { "sh", at(&p, "cut"), NULL };

		write_file(at(&p, "cut"), arena_strndup(p.arena, s, n), 0600);
		(void)run(&p, argv);
		assert_int_equal(access(at(&p, "never"), F_OK), -1);
	}
	place_end(&p);
}

static void plan_with_errors(void **state)
{
	struct place p = place_new();
	struct plan *plan = test_plan(p.arena);

	(void)state;
	plan->steps.n = 0;
	plan->want->nodes.at[1]->verdict = VERDICT_CANNOT;
	assert_int_equal(run_script(&p, plan), 1);
	place_end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_clean),
		cmocka_unit_test(order_and_guards),
		cmocka_unit_test(words_arrive),
		cmocka_unit_test(from_a_pipe),
		cmocka_unit_test(files_are_exact),
		cmocka_unit_test(links),
		cmocka_unit_test(directories),
		cmocka_unit_test(a_failure_ends_it),
		cmocka_unit_test(a_directory_behind_a_link),
		cmocka_unit_test(a_file_that_has_changed),
		cmocka_unit_test(missing_programs),
		cmocka_unit_test(another_disk),
		cmocka_unit_test(cut_off),
		cmocka_unit_test(plan_with_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
