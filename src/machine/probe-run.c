/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/units.h"
#include "machine/machine.h"
#include "machine/parts.h"
#include "machine/probe.h"

enum { DEADLINE_MS = 30 * 1000, LAST_WORDS = 64 * 1024, READ = 16 * 1024 };

/* A running program: its own process group, so that what it starts ends with it. */
struct child {
	pid_t pid;
	int pidfd, out, err;
};

static uint64_t now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/*
 * Reports are read by programs: in English, numbers with points. And lvm complains of descriptors that its caller's caller left open, and
 * tells what it is doing in the midst of a report ("Retrying metadata scan."), if not told to do so elsewhere: lvm(8).
 */
static char **make_environment(struct arena *a)
{
	VEC(char *) env = { 0 };

	for (char **e = environ; e && *e; e++)
		if (!text_starts(*e, "LC_") && !text_starts(*e, "LANG=") && !text_starts(*e, "LANGUAGE=") &&
		    !text_starts(*e, "LVM_SUPPRESS_FD_WARNINGS=") && !text_starts(*e, "LVM_OUT_FD=") &&
		    !text_starts(*e, "LVM_ERR_FD=") && !text_starts(*e, "LVM_REPORT_FD="))
			vec_push(a, &env, *e);
	vec_push(a, &env, arena_strdup(a, "LC_ALL=C.UTF-8"));
	vec_push(a, &env, arena_strdup(a, "LVM_SUPPRESS_FD_WARNINGS=1"));
	vec_push(a, &env, arena_strdup(a, "LVM_OUT_FD=2"));
	vec_push(a, &env, arena_strdup(a, "LVM_REPORT_FD=1"));
	vec_push(a, &env, NULL);
	return env.at;
}

static int spawn(const char *path, const char *const *argv, char **env, int out, int err, pid_t *ret)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none, all;
	int r;

	(void)sigemptyset(&none);
	(void)sigfillset(&all);
	r = posix_spawn_file_actions_init(&actions);
	if (r)
		return -r;
	r = posix_spawnattr_init(&attr);
	if (r) {
		(void)posix_spawn_file_actions_destroy(&actions);
		return -r;
	}
	r = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	r = r ? r : posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	r = r ? r : posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
	r = r ? r
	      : posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
							POSIX_SPAWN_SETSIGDEF);
	r = r ? r : posix_spawnattr_setpgroup(&attr, 0);
	r = r ? r : posix_spawnattr_setsigmask(&attr, &none);
	r = r ? r : posix_spawnattr_setsigdefault(&attr, &all);
	r = r ? r : posix_spawn(ret, path, &actions, &attr, (char *const *)argv, env);
	(void)posix_spawnattr_destroy(&attr);
	(void)posix_spawn_file_actions_destroy(&actions);
	return -r;
}

/* Reads what is there. Return: bytes, 0 at the end, -EAGAIN where nothing is there now, -EFBIG. */
static ssize_t take(int fd, struct text *t, size_t limit)
{
	size_t room = limit - t->len + 1; /* one more shows that there is more */
	char *buf = arena_alloc(t->arena, READ);
	ssize_t n = read(fd, buf, room < READ ? room : READ);

	if (n < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	if ((size_t)n > limit - t->len)
		return -EFBIG;
	text_addn(t, buf, (size_t)n);
	return n;
}

/* Takes all that a pipe holds now, and closes it at its end. Return: 0, or -errno. */
static int drain(int *fd, struct text *t, size_t limit, bool keep_last)
{
	for (;;) {
		ssize_t n;

		if (keep_last && t->len > limit / 2) { /* of last words, only the last matter */
			memmove(t->s, t->s + t->len - limit / 4, limit / 4);
			t->len = limit / 4;
			t->s[t->len] = '\0';
		}
		n = take(*fd, t, limit);
		if (n == -EAGAIN)
			return 0;
		if (n > 0)
			continue;
		close_fdp(fd);
		*fd = -1;
		return (int)n;
	}
}

/* Collects until the program has ended. What it leaves running may hold the pipes open: that isn't waited for. */
static int collect(struct child *c, struct text *out, size_t limit, struct text *err, unsigned timeout_ms)
{
	uint64_t end = now_ms() + timeout_ms;

	for (;;) {
		struct pollfd fds[] = { { .fd = c->out, .events = POLLIN },
					{ .fd = c->err, .events = POLLIN },
					{ .fd = c->pidfd, .events = POLLIN } };
		uint64_t now = now_ms();
		int r = 0;

		if (now >= end)
			return -ETIME;
		if (poll(fds, 3, (int)(end - now)) < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		if (c->out >= 0)
			r = drain(&c->out, out, limit, false);
		if (!r && c->err >= 0)
			r = drain(&c->err, err, LAST_WORDS, true);
		if (r || fds[2].revents)
			return r;
	}
}

static const char *last_line(struct arena *a, const char *s)
{
	size_t end = strlen(s), start;

	while (end && strchr(" \t\r\n", s[end - 1]))
		end--;
	for (start = end; start && s[start - 1] != '\n'; start--)
		;
	return arena_strndup(a, s + start, end - start);
}

static void close_childp(struct child *c)
{
	close_fdp(&c->pidfd);
	close_fdp(&c->out);
	close_fdp(&c->err);
}

int run_report(struct arena *a, const char *path, const char *const *argv, size_t limit, unsigned timeout_ms,
	       char **ret, int *ret_status, const char **ret_last)
{
	_cleanup_arena_ struct arena *scratch = arena_new();
	struct text out = { .arena = scratch }, err = { .arena = scratch };
	__attribute__((cleanup(close_childp))) struct child c = { .pidfd = -1, .out = -1, .err = -1 };
	_cleanup_fd_ int out_end = -1, err_end = -1;
	siginfo_t info = { 0 };
	int fds[2], r;

	/* Only our ends are non-blocking: the other ones are the program's standard output. */
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	c.out = fds[0];
	out_end = fds[1];
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	c.err = fds[0];
	err_end = fds[1];
	if (fcntl(c.out, F_SETFL, O_NONBLOCK) < 0 || fcntl(c.err, F_SETFL, O_NONBLOCK) < 0)
		return -errno;
	r = spawn(path, argv, make_environment(scratch), out_end, err_end, &c.pid);
	if (r < 0)
		return r;
	close_fdp(&out_end);
	close_fdp(&err_end);
	out_end = err_end = -1;
	c.pidfd = (int)syscall(SYS_pidfd_open, c.pid, 0);
	r = c.pidfd < 0 ? -errno : collect(&c, &out, limit, &err, timeout_ms);
	if (r < 0)
		(void)kill(-c.pid, SIGKILL);
	while (waitid(P_PID, (id_t)c.pid, &info, WEXITED) < 0 && errno == EINTR)
		;
	*ret_last = last_line(a, text_str(&err));
	*ret_status = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
	if (r < 0)
		return r;
	*ret = arena_strndup(a, text_str(&out), out.len);
	return 0;
}

static int run(struct probe *p, const char *const *argv, size_t limit, char **ret, int *ret_status,
	       const char **ret_last)
{
	const char *path = look_program(p->arena, argv[0]);
	int r;

	if (!path)
		return -ENOENT;
	r = run_report(p->arena, path, argv, limit, DEADLINE_MS, ret, ret_status, ret_last);
	if (r == -ETIME) {
		diag_warn(p->diag, nowhere, "%s was stopped after %d s; what it would have told is missing",
			  argv[0], DEADLINE_MS / 1000);
	} else if (r == -EFBIG) {
		diag_warn(p->diag, nowhere, "%s was stopped after %s of output; what it told is not used",
			  argv[0], units_text(p->arena, limit));
	} else if (r < 0) {
		diag_warn(p->diag, nowhere, "%s could not be run: %s", path, strerror(-r));
		return -EIO;
	}
	return r;
}

int probe_run(struct probe *p, const char *const *argv, size_t limit, char **ret)
{
	const char *last = "";
	char *out = NULL;
	int status = 0, r = run(p, argv, limit, &out, &status, &last);

	if (r < 0)
		return r;
	if (status) {
		diag_warn(p->diag, nowhere, "%s ended with status %d%s%s; what it told is not used", argv[0],
			  status, *last ? ": " : "", last);
		return -EIO;
	}
	*ret = out;
	return 0;
}

int probe_status(struct probe *p, const char *const *argv, int *ret)
{
	const char *last;
	char *out;

	return run(p, argv, MIB, &out, ret, &last);
}

int probe_open(struct probe *p, const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	(void)p;
	return fd < 0 ? -errno : fd;
}
