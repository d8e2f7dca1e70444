/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "run/child.h"
#include "run/journal.h"
#include "run/run.h"

struct fixture {
	struct arena *a;
	const char *dir;
	struct plan plan;
	struct diag diag;
	struct run_options options;
	struct run_result result;
	char *shown;
	size_t shown_len;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char dir[] = "/tmp/stowage-run-XXXXXX";

	f->a = arena_new();
	f->dir = arena_strdup(f->a, mkdtemp(dir));
	f->plan.arena = f->diag.arena = f->a;
	f->plan.options.root = "/";
	f->options.state_dir = arena_printf(f->a, "%s/lib/state", f->dir);
	f->options.out = open_memstream(&f->shown, &f->shown_len);
	*state = f;
	return f->dir ? 0 : -1;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	char *argv[] = { arena_strdup(f->a, "rm"), arena_strdup(f->a, "-rf"), arena_strdup(f->a, f->dir),
			 NULL };
	static struct capture said;
	struct child c = { .out_text = &said, .err_text = &said };
	char **env = child_environment(f->a);

	(void)child_spawn(&c, child_find(f->a, env, "rm"), argv, -1, env, UINT64_MAX);
	(void)child_wait(&c, -1);
	(void)fclose(f->options.out);
	free(f->shown);
	arena_free(f->a);
	free(f);
	return 0;
}

static struct step *add(struct fixture *f, const char *id)
{
	struct step *st = arena_of(f->a, struct step);

	vec_push(f->a, &f->plan.steps, st);
	st->number = f->plan.steps.n;
	st->id = id;
	st->what = arena_printf(f->a, "%s in words", id);
	st->pos = (struct pos){ .file = "layout.yaml", .line = (unsigned)st->number, .col = 1 };
	st->timeout_s = 30;
	return st;
}

/* A step that runs a script in the test's directory. */
static struct step *sh(struct fixture *f, const char *id, const char *script)
{
	struct step *st = add(f, id);

	vec_push(f->a, &st->op.argv, "sh");
	vec_push(f->a, &st->op.argv, "-c");
	vec_push(f->a, &st->op.argv, arena_printf(f->a, "cd '%s' || exit; %s", f->dir, script));
	return st;
}

static void needs(struct fixture *f, struct step *st, struct step *other)
{
	vec_push(f->a, &st->needs, other);
}

static const char *get(struct fixture *f, const char *name)
{
	char *text = NULL;

	assert_int_equal(
		file_read(f->a, AT_FDCWD, arena_printf(f->a, "%s/%s", f->dir, name), 1 << 20, &text, NULL),
		0);
	return text;
}

static int run(struct fixture *f)
{
	return run_plan(&f->plan, &f->options, &f->diag, &f->result);
}

static bool said(const struct fixture *f, const char *text)
{
	for (size_t i = 0; i < f->diag.messages.n; i++)
		if (strstr(f->diag.messages.at[i].text, text))
			return true;
	return false;
}

/* "started a, done a, ..." */
static const char *journal(struct fixture *f)
{
	char *save = NULL, *text = arena_strdup(f->a, get(f, "lib/state/journal"));
	struct text t = { .arena = f->a };

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		struct json_object *o = json_tokener_parse(line), *event, *step;

		assert_non_null(o);
		assert_true(json_object_object_get_ex(o, "event", &event));
		text_printf(&t, "%s%s", t.len ? ", " : "", json_object_get_string(event));
		if (json_object_object_get_ex(o, "step", &step))
			text_printf(&t, " %s", json_object_get_string(step));
		(void)json_object_put(o);
	}
	return text_str(&t);
}

static void in_order_of_needs(void **state)
{
	struct fixture *f = *state;
	struct step *a = sh(f, "a", "echo a >>log"), *b = sh(f, "b", "echo b >>log"), *c = add(f, "c");

	needs(f, b, a);
	needs(f, c, b);
	c->op.form = OP_FILE;
	c->op.path = arena_printf(f->a, "%s/file", f->dir);
	c->op.content = "content\n";
	assert_int_equal(run(f), 0);
	assert_string_equal(get(f, "log"), "a\nb\n");
	assert_string_equal(get(f, "file"), "content\n");
	assert_int_equal(f->result.done, 3);
	assert_int_equal(f->result.processes, 2);
	assert_int_equal(f->result.forks, 1);
	assert_int_equal(f->result.ids_left.n, 0);
	assert_string_equal(f->result.ids_done.at[2], "c");
	assert_string_equal(journal(f),
			    "begin, started a, done a, started b, done b, started c, done c, end");
	assert_int_equal(f->diag.messages.n, 0);
	(void)fflush(f->options.out);
	assert_non_null(strstr(f->shown, "[2/3] b in words ("));
}

/* The journal is for cat(1), the rest goes to a terminal. */
static void nothing_steers_a_terminal(void **state)
{
	static const char *const hostile[] = { "\033[2J",
					       ("\302\233"
						"31m"),
					       "\342\200\256",
					       "\r",
					       "\177",
					       "\233" };
	struct fixture *f = *state;
	struct step *last = NULL;

	for (size_t i = 0; i < sizeof(hostile) / sizeof(*hostile); i++) {
		struct step *st = sh(f, arena_printf(f->a, "x%s%zu", hostile[i], i), "echo a >>log");

		st->what = arena_printf(f->a, "make %s", hostile[i]);
		if (last)
			needs(f, st, last);
		last = st;
	}
	needs(f,
	      sh(f, "fail \033[31m",
		 "printf 'first \\033[2J\\nlast \\302\\233 \\233 \\342\\200\\256\\033]0;x\\007\\n' >&2; exit "
		 "1"),
	      last);
	assert_int_equal(run(f), -EINVAL);
	(void)fflush(f->options.out);
	for (size_t i = 0; i < sizeof(hostile) / sizeof(*hostile); i++) {
		assert_null(strstr(f->shown, hostile[i]));
		assert_null(strstr(get(f, "lib/state/journal"), hostile[i]));
	}
	assert_non_null(strstr(f->shown, "make \\x1B[2J"));
	assert_true(said(f, "last \\u{009B} \\x9B \\u{202E}\\x1B]0;x\\x07"));
	assert_true(said(f, "its words: first \\x1B[2J"));
}

static void side_by_side(void **state)
{
	struct fixture *f = *state;
	struct step *last;

	/* Each waits for the other: one after the other they would never end. */
	assert_int_equal(mkfifo(arena_printf(f->a, "%s/p", f->dir), 0600), 0);
	assert_int_equal(mkfifo(arena_printf(f->a, "%s/q", f->dir), 0600), 0);
	(void)sh(f, "a", "echo x >p; read x <q");
	(void)sh(f, "b", "read x <p; echo x >q");
	last = sh(f, "c", "echo c >log");
	needs(f, last, f->plan.steps.at[0]);
	needs(f, last, f->plan.steps.at[1]);
	f->options.jobs = 2;
	assert_int_equal(run(f), 0);
	assert_string_equal(get(f, "log"), "c\n");
}

static void one_job_at_a_time(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 5; i++)
		(void)sh(f, arena_printf(f->a, "s%d", i),
			 arena_printf(f->a, "mkdir busy && echo %d >>log && rmdir busy", i));
	f->options.jobs = 1;
	assert_int_equal(run(f), 0);
	assert_string_equal(get(f, "log"), "0\n1\n2\n3\n4\n");
}

static void failure_stops_what_has_not_begun(void **state)
{
	struct fixture *f = *state;
	struct step *a, *c;

	assert_int_equal(mkfifo(arena_printf(f->a, "%s/p", f->dir), 0600), 0);
	a = sh(f, "create md99", "echo x >p; echo 'mdadm: cannot open /dev/vda1' >&2; exit 2");
	/* Runs already, and finishes. */
	(void)sh(f, "b",
		 "read x <p; until grep -q failed lib/state/journal; do sleep 0.01; done; echo b >>log");
	c = sh(f, "c", "echo c >>log");
	needs(f, c, a);
	f->options.jobs = 2;
	(void)sh(f, "d", "echo d >>log");
	assert_int_equal(run(f), -EINVAL);
	assert_string_equal(get(f, "log"), "b\n");
	assert_int_equal(f->diag.errors, 1);
	assert_string_equal(f->diag.messages.at[0].text, "cannot create md99: sh exited with 2");
	assert_int_equal(f->diag.messages.at[0].pos.line, 1);
	assert_true(said(f, "the command: sh -c 'cd "));
	assert_true(said(f, "its words: mdadm: cannot open /dev/vda1"));
	assert_true(said(f, "1 of 4 steps are done; not done: create md99, c, d"));
	assert_int_equal(f->result.ids_left.n, 3);
	assert_non_null(strstr(journal(f), "failed create md99"));
	assert_non_null(strstr(journal(f), "done b, end"));
}

static void program_that_is_not_there(void **state)
{
	struct fixture *f = *state;
	struct step *st = add(f, "create a");

	vec_push(f->a, &st->op.argv, "mkfs.nothing");
	assert_int_equal(run(f), -EINVAL);
	assert_true(said(f, "cannot create a: mkfs.nothing is not installed"));
}

static void operation_that_fails(void **state)
{
	struct fixture *f = *state;
	struct step *st = add(f, "write fstab");

	st->op.form = OP_FILE;
	st->op.path = "/proc/self/missing/fstab";
	st->op.content = "";
	assert_int_equal(run(f), -EINVAL);
	assert_string_equal(f->diag.messages.at[0].text,
			    "cannot write fstab: cannot make the directory '/proc/self/missing': "
			    "No such file or directory");
}

/* What the plan didn't see it would replace unread. */
static void file_that_came_since(void **state)
{
	struct fixture *f = *state;
	struct step *st = add(f, "write fstab"), *mount;
	struct machine m = { .arena = f->a, .live = true, .files.arena = f->a }, *seen;

	assert_int_equal(machine_mounts_now(&m, f->a, &seen), 0);
	m = *seen;
	f->plan.machine = &m;
	st->op.form = OP_FILE;
	st->op.path = arena_printf(f->a, "%s/lib/fstab", f->dir);
	st->op.content = "new\n";
	assert_int_equal(run(f), 0);
	assert_int_equal(run(f), -EPERM);
	assert_true(said(f, "lib/fstab' was not there when the plan was made, now it is"));

	(void)map_set(&m.files, st->op.path, (char *)"new\n");
	assert_int_equal(run(f), 0);
	(void)map_set(&m.files, st->op.path, (char *)"old\n");
	assert_int_equal(run(f), -EPERM);
	assert_true(said(f, "lib/fstab' has been changed since the plan was made"));

	/* The one on a filesystem to come is another one. */
	f->diag.refusals = f->diag.errors = 0;
	mount = add(f, "mount it");
	mount->op.form = OP_MOUNT;
	mount->op.dev = "/dev/null";
	mount->op.path = arena_printf(f->a, "%s/lib", f->dir);
	needs(f, st, mount);
	f->plan.steps.at[0] = mount;
	f->plan.steps.at[1] = st;
	mount->number = 1;
	st->number = 2;
	assert_int_equal(run(f), -EINVAL);
	assert_int_equal(f->diag.refusals, 0);
	assert_string_equal(get(f, "lib/fstab"), "new\n");
}

/* What a person mounts, or takes away, while the plan is read. */
static void mounted_since(void **state)
{
	struct fixture *f = *state;
	struct step *st = add(f, "mount it");
	struct machine nothing = { .arena = f->a, .live = true }, *seen, then;

	assert_int_equal(machine_mounts_now(&nothing, f->a, &seen), 0);
	then = *seen;
	f->plan.machine = &then;
	st->op.form = OP_MOUNT;
	st->op.dev = "/dev/null";
	st->op.path = arena_printf(f->a, "%s/place", f->dir);
	assert_int_equal(run(f), -EINVAL); /* carried out, and that can't be mounted */
	assert_int_equal(f->diag.refusals, 0);

	/* One that is gone. */
	vec_push(f->a, &then.mounts,
		 (struct mount_there){ .target = f->dir, .source = "other", .type = "ext4", .root = "/" });
	assert_int_equal(run(f), -EPERM);
	assert_true(said(f, "/place' was on other (ext4) when the plan was made, now it is on "));

	/* One that has come, at "/" for want of the right to mount. */
	f->diag.refusals = 0;
	assert_true(seen->mounts.n > 0);
	then.mounts.n = 0;
	assert_int_equal(run(f), -EPERM);
	assert_true(said(f, "/place' was on nothing when the plan was made, now it is on "));

	/* Below the place itself. */
	vec_each (const struct mount_there *, m, &seen->mounts)
		if (text_eq(m->target, "/"))
			vec_push(f->a, &then.mounts, *m);
	st->op.path = "/";
	if (seen->mounts.n > then.mounts.n) {
		f->diag.refusals = 0;
		assert_int_equal(run(f), -EPERM);
		assert_true(said(f, " since the plan was made; 'mount it' would hide it"));
	}
}

static void mount_behind_a_link(void **state)
{
	struct fixture *f = *state;
	struct step *st = add(f, "mkdir");

	assert_int_equal(symlink("/etc", arena_printf(f->a, "%s/srv", f->dir)), 0);
	st->op.form = OP_MKDIR;
	st->op.path = arena_printf(f->a, "%s/srv/x", f->dir);
	assert_int_equal(run(f), -EPERM);
	assert_true(said(f, "/srv' is a symbolic link: state where it leads"));
}

static void deadline_is_told(void **state)
{
	struct fixture *f = *state;

	sh(f, "hang", "exec sleep 100")->timeout_s = 1;
	assert_int_equal(run(f), -EINVAL);
	assert_true(said(f, "cannot hang: sh took longer than 1 s and was stopped"));
	(void)fflush(f->options.out);
	assert_non_null(strstr(f->shown, "hang takes longer than 1 s: stopping it"));
}

/* The one of the command line: shorter and longer than the plan's. */
static void deadline_of_the_person(void **state)
{
	struct fixture *f = *state;
	struct step *st = sh(f, "hang", "exec sleep 100");

	f->options.deadline_s = 1;
	assert_int_equal(run(f), -EINVAL);
	assert_true(said(f, "cannot hang: sh took longer than 1 s and was stopped"));
	assert_true(said(f, "--deadline SECONDS gives it more time"));

	st->op.argv.at[2] = "sleep 2";
	st->timeout_s = 1;
	f->options.deadline_s = 60;
	assert_int_equal(run(f), 0);
}

static void interrupted_by(struct fixture *f, const char *signal)
{
	struct step *a = sh(f, "a", arena_printf(f->a, "kill -%s %d; echo a >>log", signal, (int)getpid()));
	struct step *b = sh(f, "b", "echo b >>log");

	needs(f, b, a);
	assert_int_equal(run(f), -EINVAL);
	assert_string_equal(get(f, "log"), "a\n");
	assert_true(f->result.interrupted);
	assert_int_equal(f->result.done, 1);
	assert_true(said(f, "interrupted"));
	assert_true(said(f, "1 of 2 steps are done; not done: b"));
	assert_string_equal(journal(f), "begin, started a, done a, end");
}

static void sigint_lets_finish(void **state)
{
	interrupted_by(*state, "INT");
}

static void sigterm_lets_finish(void **state)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before, after;
	sigset_t mask, mask_after;

	/* A caller that ignores SIGCHLD (as nohup and some supervisors leave it) must not lose us our children. */
	assert_int_equal(sigaction(SIGCHLD, &ignore, &before), 0);
	(void)sigprocmask(SIG_BLOCK, NULL, &mask);
	interrupted_by(*state, "TERM");
	(void)sigprocmask(SIG_BLOCK, NULL, &mask_after);
	assert_int_equal(sigaction(SIGCHLD, &before, &after), 0);
	assert_ptr_equal(after.sa_handler, SIG_IGN);
	assert_int_equal(sigismember(&mask, SIGTERM), sigismember(&mask_after, SIGTERM));
}

static void second_stowage_is_refused(void **state)
{
	struct fixture *f = *state;
	_cleanup_fd_ int fd = -1;

	(void)sh(f, "a", "echo a >>log");
	assert_int_equal(run(f), 0); /* makes the directory */
	assert_int_equal(run_look_lock(f->a, f->options.state_dir, &f->diag), 0);
	fd = open(arena_printf(f->a, "%s/lock", f->options.state_dir), O_RDWR | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(run_look_lock(f->a, f->options.state_dir, &f->diag), -EPERM);
	f->diag.messages.n = 0;
	assert_int_equal(run(f), -EPERM);
	assert_true(said(f, arena_printf(f->a, "another stowage, process %d, is changing this machine",
					 (int)getpid())));
	assert_int_equal(diag_exit(&f->diag), 3);
	assert_string_equal(get(f, "log"), "a\n");
}

/* Killed, it leaves its programs at work: who comes next waits until they have ended. */
static void what_was_started_keeps_the_lock(void **state)
{
	struct fixture *f = *state;
	const char *fifo = arena_printf(f->a, "%s/fifo", f->dir), *go = arena_printf(f->a, "%s/go", f->dir);
	char byte;
	pid_t pid;
	int fd, go_fd;

	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(mkfifo(go, 0600), 0);
	go_fd = open(go, O_RDWR | O_CLOEXEC);
	assert_true(go_fd >= 0);
	(void)sh(f, "a", arena_printf(f->a, "echo x >%s; read x <%s; echo a >>log", fifo, go));
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(run(f) ? 1 : 0);
	fd = open(fifo, O_RDONLY | O_CLOEXEC);
	assert_int_equal(read(fd, &byte, 1), 1);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(run(f), -EPERM);
	assert_true(
		said(f, arena_printf(f->a, "another stowage, process %d, is changing this machine", pid)));
	assert_true(said(f, "what it had started is still at work"));
	(void)close(fd);
	/* It goes on, and its end lets go of the lock. */
	assert_int_equal(write(go_fd, "x\n", 2), 2);
	fd = open(arena_printf(f->a, "%s/lock", f->options.state_dir), O_RDWR | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_string_equal(get(f, "log"), "a\n");
	(void)close(go_fd);
	(void)close(fd);
}

static void state_directory(void **state)
{
	struct fixture *f = *state;
	struct stat st;

	(void)sh(f, "a", "echo a >>log");
	f->options.state_dir = "/proc/stowage";
	assert_int_equal(run(f), -EINVAL);
	assert_true(said(f, "cannot use the state directory '/proc/stowage'"));
	f->options.state_dir = "";
	assert_int_equal(run(f), -EINVAL);
	assert_int_equal(access(arena_printf(f->a, "%s/log", f->dir), F_OK), -1);

	f->options.state_dir = arena_printf(f->a, "%s/x/state", f->dir);
	assert_int_equal(run(f), 0);
	assert_int_equal(stat(f->options.state_dir, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
}

static void journal_goes_on(void **state)
{
	struct fixture *f = *state;
	FILE *half;

	(void)sh(f, "say \"hi\"\n", "true");
	assert_int_equal(run(f), 0);
	half = fopen(arena_printf(f->a, "%s/journal", f->options.state_dir), "a");
	(void)fputs("{\"time\":\"cut", half);
	(void)fclose(half);
	assert_int_equal(run(f), 0);
	assert_non_null(strstr(get(f, "lib/state/journal"), "\"cut\n{\"time\":"));
	assert_string_equal(journal_plan_id(f->a, &f->plan), journal_plan_id(f->a, &f->plan));
}

static void plans_have_names_of_their_own(void **state)
{
	struct fixture *f = *state;
	struct step *st = sh(f, "a", "true");
	const char *id = journal_plan_id(f->a, &f->plan);

	st->op.argv.at[2] = "false";
	assert_string_not_equal(journal_plan_id(f->a, &f->plan), id);
}

static void loss_is_refused(void **state)
{
	struct fixture *f = *state;
	struct step *st = sh(f, "remove old", "echo gone >log");

	vec_push(f->a, &st->loses, "old");
	assert_int_equal(run(f), -EPERM);
	assert_true(said(f, "to remove old would lose 'old'"));
	f->options.may_lose = true;
	assert_int_equal(run(f), 0);
	assert_string_equal(get(f, "log"), "gone\n");
}

static void nothing_to_do(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(run(f), 0); /* nothing to do */
	assert_int_equal(access(f->options.state_dir, F_OK), -1);
}

static void many_steps(void **state)
{
	struct fixture *f = *state;
	struct step *before = NULL;

	for (int i = 0; i < 200; i++) {
		struct step *st = add(f, arena_printf(f->a, "make %d", i));

		st->op.form = OP_MKDIR;
		st->op.path = arena_printf(f->a, "%s/d%d", f->dir, i);
		if (i % 7 == 0 && before)
			needs(f, st, before);
		before = st;
	}
	f->options.progress = true;
	assert_int_equal(run(f), 0);
	assert_int_equal(f->result.done, 200);
	assert_int_equal(access(arena_printf(f->a, "%s/d199", f->dir), F_OK), 0);
}

/* Words that liblvm2cmd refuses at once, so that nothing of the machine is looked at. */
static void lvm_failure_is_told(void **state)
{
	struct fixture *f = *state;
	struct step *st = add(f, "create vg0");

	st->op.form = OP_LVM;
	vec_push(f->a, &st->op.argv, "vgnonsense");
	vec_push(f->a, &st->op.argv, "vg 0");
	assert_int_equal(run(f), -EINVAL);
	assert_true(said(f, "cannot create vg0: vgnonsense "));
	assert_true(said(f, "the command: lvm vgnonsense 'vg 0'"));
	assert_int_equal(f->result.lvm_commands, 1);
}

/* A program in the place of another one, for what runs from now on. */
static const char *fake(struct fixture *f, const char *name, const char *script)
{
	const char *path = getenv("PATH");
	FILE *file = fopen(arena_printf(f->a, "%s/%s", f->dir, name), "w");

	(void)fprintf(file, "#!/bin/sh\ncd '%s' || exit\n%s\n", f->dir, script);
	assert_int_equal(fchmod(fileno(file), 0755), 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(setenv("PATH", arena_printf(f->a, "%s:%s", f->dir, path), 1), 0);
	return path;
}

static void drivers_are_loaded_first(void **state)
{
	struct fixture *f = *state;
	const char *path = fake(f, "modprobe", "echo modprobe \"$@\" >>log; sleep 0.3; echo loaded >>log");
	struct step *st;

	for (int i = 0; i < 2; i++) {
		st = add(f, arena_printf(f->a, "mount %d", i));
		st->op.form = OP_MOUNT;
		st->op.dev = "/dev/null";
		st->op.type = "strangefs";
		st->op.path = "/nonexistent";
	}
	st->op.type = "proc"; /* is there */
	f->options.jobs = 1;
	assert_int_equal(run(f), -EINVAL);
	assert_string_equal(get(f, "log"), "modprobe -qa -- fs-strangefs\nloaded\n");
	assert_true(said(f, "cannot mount 1"));

	/* It is waited for also where nothing needs it any more. */
	f->plan.steps.n = 1;
	needs(f, f->plan.steps.at[0], sh(f, "first", "exit 1"));
	f->plan.steps.at[1]->number = 1;
	f->plan.steps.at[0]->number = 2;
	st = f->plan.steps.at[0];
	f->plan.steps.at[0] = f->plan.steps.at[1];
	f->plan.steps.at[1] = st;
	assert_int_equal(run(f), -EINVAL);
	assert_true(said(f, "cannot first"));
	assert_non_null(strstr(get(f, "log"), "loaded\nmodprobe -qa -- fs-strangefs\nloaded\n"));

	/* One that hangs ends with the deadline, and those who need the driver complain themselves. */
	f->plan.steps.at[0]->op.argv.at[2] = "true";
	(void)fake(f, "modprobe", "exec sleep 100");
	f->options.deadline_s = 1;
	assert_int_equal(run(f), -EINVAL);
	assert_true(said(f, "cannot mount 0"));
	assert_int_equal(setenv("PATH", path, 1), 0);
}

/* The process that LVM's commands go to is killed while it has nothing to do: the next command gets another one. */
static void lvm_worker_that_dies_idle(void **state)
{
	struct fixture *f = *state;
	struct step *kill = sh(
		f, "kill",
		"for p in /proc/[0-9]*; do read -r pid comm s parent x <$p/stat || continue; "
		"[ $parent != $PPID ] || [ $pid = $$ ] || kill -KILL $pid; while [ $parent = $PPID ] && [ -d "
		"/proc/$pid ] && [ $pid != $$ ]; do :; done; done 2>/dev/null; :");
	struct step *st = add(f, "create vg0");

	needs(f, st, kill);
	st->op.form = OP_LVM;
	vec_push(f->a, &st->op.argv, "vgnonsense");
	assert_int_equal(run(f), -EINVAL);
	assert_true(said(f, "cannot create vg0: vgnonsense failed with "));
	assert_int_equal(f->result.forks, 2);
}

/* A file system under the journal that takes a part of a line. */
static void journal_that_is_full(void **state)
{
	struct fixture *f = *state;
	struct rlimit before, little = { .rlim_cur = 700, .rlim_max = RLIM_INFINITY };
	struct sigaction ignore = { .sa_handler = SIG_IGN }, usual;
	struct step *last = NULL;
	const char *text;

	for (int i = 0; i < 20; i++) {
		struct step *st = sh(f, arena_printf(f->a, "s%d", i), "echo x >>log");

		if (last)
			needs(f, st, last);
		last = st;
	}
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(sigaction(SIGXFSZ, &ignore, &usual), 0);
	little.rlim_max = before.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
	assert_int_equal(run(f), -EINVAL);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(sigaction(SIGXFSZ, &usual, NULL), 0);
	assert_true(said(f, "lib/state/journal': File too large; nothing more was started"));
	assert_true(said(f, " of 20 steps are done; not done: "));
	assert_int_equal(strlen(get(f, "log")), 2 * f->result.done);
	assert_true(f->result.done > 0 && f->result.done < 20);
	/* Each line once, as far as there was room. */
	text = strstr(get(f, "lib/state/journal"), "\"started\",\"step\":\"s1\"");
	assert_non_null(text);
	assert_null(strstr(text + 1, "\"started\",\"step\":\"s1\""));
	/* And goes on in a line of its own. */
	assert_int_equal(run(f), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(in_order_of_needs, set_up, tear_down),
		cmocka_unit_test_setup_teardown(nothing_steers_a_terminal, set_up, tear_down),
		cmocka_unit_test_setup_teardown(side_by_side, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_job_at_a_time, set_up, tear_down),
		cmocka_unit_test_setup_teardown(failure_stops_what_has_not_begun, set_up, tear_down),
		cmocka_unit_test_setup_teardown(program_that_is_not_there, set_up, tear_down),
		cmocka_unit_test_setup_teardown(operation_that_fails, set_up, tear_down),
		cmocka_unit_test_setup_teardown(file_that_came_since, set_up, tear_down),
		cmocka_unit_test_setup_teardown(mounted_since, set_up, tear_down),
		cmocka_unit_test_setup_teardown(mount_behind_a_link, set_up, tear_down),
		cmocka_unit_test_setup_teardown(deadline_is_told, set_up, tear_down),
		cmocka_unit_test_setup_teardown(deadline_of_the_person, set_up, tear_down),
		cmocka_unit_test_setup_teardown(drivers_are_loaded_first, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lvm_worker_that_dies_idle, set_up, tear_down),
		cmocka_unit_test_setup_teardown(journal_that_is_full, set_up, tear_down),
		cmocka_unit_test_setup_teardown(sigint_lets_finish, set_up, tear_down),
		cmocka_unit_test_setup_teardown(sigterm_lets_finish, set_up, tear_down),
		cmocka_unit_test_setup_teardown(second_stowage_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_was_started_keeps_the_lock, set_up, tear_down),
		cmocka_unit_test_setup_teardown(state_directory, set_up, tear_down),
		cmocka_unit_test_setup_teardown(journal_goes_on, set_up, tear_down),
		cmocka_unit_test_setup_teardown(plans_have_names_of_their_own, set_up, tear_down),
		cmocka_unit_test_setup_teardown(loss_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(nothing_to_do, set_up, tear_down),
		cmocka_unit_test_setup_teardown(many_steps, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lvm_failure_is_told, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
