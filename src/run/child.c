/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "run/child.h"
#include "run/expect.h"

static const char sbin_path[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

uint64_t child_clock_ms(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

char **child_environment(struct arena *a)
{
	const char *path = getenv("PATH");
	VEC(char *) env = { 0 };

	for (char **e = environ; *e; e++)
		if (!text_starts(*e, "LC_") && !text_starts(*e, "LANG") && !text_starts(*e, "PATH="))
			vec_push(a, &env, *e);
	vec_push(a, &env, arena_strdup(a, "LC_ALL=C.UTF-8"));
	vec_push(a, &env, arena_strdup(a, "LVM_SUPPRESS_FD_WARNINGS=1"));
	vec_push(a, &env,
		 path && *path ? arena_printf(a, "PATH=%s:%s", path, sbin_path)
			       : arena_printf(a, "PATH=%s", sbin_path));
	/* Killed, udevd leaves its socket's file, and libdevmapper would wait for its answer without end. */
	if (!expect_udev())
		vec_push(a, &env, arena_strdup(a, "DM_DISABLE_UDEV=1"));
	vec_push(a, &env, NULL);
	return env.at;
}

const char *child_find(struct arena *a, char *const *env, const char *name)
{
	const char *path = sbin_path;

	if (strchr(name, '/'))
		return name;
	for (; *env; env++)
		if (text_starts(*env, "PATH="))
			path = *env + strlen("PATH=");
	while (*path) {
		size_t n = strcspn(path, ":");
		struct stat st;

		/* An empty or relative entry would mean the current directory: not for a program that runs as root. */
		if (*path == '/') {
			const char *file = arena_printf(a, "%.*s/%s", (int)n, path, name);

			if (!stat(file, &st) && S_ISREG(st.st_mode) && !access(file, X_OK))
				return file;
		}
		path += n;
		path += *path == ':';
	}
	return NULL;
}

/* Pipes for what the child says: [0] is ours and never blocks. */
static int make_pipe(int fds[2])
{
	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	if (fcntl(fds[0], F_SETFL, O_NONBLOCK))
		return -errno;
	return 0;
}

static int watch(struct child *c, pid_t pid, int *out, int *err, uint64_t deadline_ms)
{
	int fd = pidfd_open(pid, 0);

	c->state = CHILD_RUNS;
	c->pid = pid;
	c->pidfd = fd;
	c->out = take_fd(out);
	c->err = take_fd(err);
	c->deadline_ms = deadline_ms;
	c->late = false;
	if (fd < 0) { /* can't be seen, so can't be waited for beside others */
		int r = -errno;

		child_kill(c);
		return r;
	}
	return 0;
}

int child_spawn(struct child *c, const char *file, char *const *argv, int keep_fd, char *const *env,
		uint64_t deadline_ms)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none, usual;
	int out[2] = { -1, -1 }, err[2] = { -1, -1 };
	pid_t pid = 0;
	int r = make_pipe(out);

	if (!r)
		r = make_pipe(err);
	if (!r) {
		(void)sigemptyset(&none);
		(void)sigfillset(&usual);
		(void)posix_spawnattr_init(&attr);
		(void)posix_spawnattr_setsigmask(&attr, &none);
		(void)posix_spawnattr_setsigdefault(&attr, &usual);
		(void)posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
							      POSIX_SPAWN_SETSIGDEF);
		(void)posix_spawn_file_actions_init(&actions);
		(void)posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
		(void)posix_spawn_file_actions_adddup2(&actions, out[1], 1);
		(void)posix_spawn_file_actions_adddup2(&actions, err[1], 2);
		/* A descriptor put in its own place loses its close-on-exec, too. */
		if (keep_fd >= 0)
			(void)posix_spawn_file_actions_adddup2(&actions, keep_fd, CHILD_KEPT_FD);
		(void)posix_spawn_file_actions_addclosefrom_np(&actions, keep_fd >= 0 ? CHILD_KEPT_FD + 1
										      : CHILD_KEPT_FD);
		r = -posix_spawn(&pid, file, &actions, &attr, argv, env);
		(void)posix_spawn_file_actions_destroy(&actions);
		(void)posix_spawnattr_destroy(&attr);
	}
	if (!r)
		r = watch(c, pid, &out[0], &err[0], deadline_ms);
	for (int i = 0; i < 2; i++) {
		close_fdp(&out[i]);
		close_fdp(&err[i]);
	}
	return r;
}

/* In the child: as posix_spawn() would leave it. */
static void settle_in(int out, int err, int keep_fd, char **env, pid_t parent)
{
	struct sigaction usual = { .sa_handler = SIG_DFL };
	sigset_t none;
	int null, kept = -1, top;

	(void)setsid();
	/* Where the parent is killed nobody knows any more what this writes. */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	for (int s = 1; s < NSIG; s++)
		(void)sigaction(s, &usual, NULL);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	/* Above 9 first, so that none of the three stands in the place of another. */
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	out = fcntl(out, F_DUPFD_CLOEXEC, 10);
	err = fcntl(err, F_DUPFD_CLOEXEC, 10);
	if (keep_fd >= 0)
		kept = fcntl(keep_fd, F_DUPFD_CLOEXEC, 10);
	if (dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0 ||
	    (kept >= 0 && dup2(kept, CHILD_KEPT_FD) < 0))
		_exit(127);
	top = kept >= 0 ? CHILD_KEPT_FD + 1 : CHILD_KEPT_FD;
	if (kept >= 0)
		(void)fcntl(CHILD_KEPT_FD, F_SETFD, FD_CLOEXEC);
	/* Not to keep the parent's locks when it has let go of them. */
	(void)close_range((unsigned)top, ~0U, 0);
	(void)umask(022);
	environ = env;
}

int child_fork(struct child *c, int (*fn)(void *arg), void *arg, int keep_fd, char **env,
	       uint64_t deadline_ms)
{
	int out[2] = { -1, -1 }, err[2] = { -1, -1 };
	int r = make_pipe(out);
	pid_t pid, parent = getpid();

	if (!r)
		r = make_pipe(err);
	if (!r) {
		(void)fflush(NULL); /* what waits in our buffers is not the child's to say */
		pid = fork();
		if (!pid) {
			settle_in(out[1], err[1], keep_fd, env, parent);
			r = fn(arg);
			(void)fflush(NULL);
			_exit(r);
		}
		r = pid < 0 ? -errno : watch(c, pid, &out[0], &err[0], deadline_ms);
	}
	for (int i = 0; i < 2; i++) {
		close_fdp(&out[i]);
		close_fdp(&err[i]);
	}
	return r;
}

size_t child_poll_fds(const struct child *c, struct pollfd *fds)
{
	size_t n = 0;

	if (c->state == CHILD_NONE || c->state >= CHILD_ENDED)
		return 0;
	fds[n++] = (struct pollfd){ .fd = c->pidfd, .events = POLLIN };
	if (c->out >= 0)
		fds[n++] = (struct pollfd){ .fd = c->out, .events = POLLIN };
	if (c->err >= 0)
		fds[n++] = (struct pollfd){ .fd = c->err, .events = POLLIN };
	return n;
}

int child_timeout_ms(const struct child *c, uint64_t now_ms)
{
	if (c->state == CHILD_NONE || c->state >= CHILD_ENDED || c->deadline_ms == UINT64_MAX)
		return -1;
	if (c->deadline_ms <= now_ms)
		return 0;
	return c->deadline_ms - now_ms > INT_MAX ? INT_MAX : (int)(c->deadline_ms - now_ms);
}

static void drain(int *fd, struct capture *to)
{
	char buf[16 * 1024];

	/* Bounded: a process that talks without end must not keep us from the others. */
	for (int i = 0; *fd >= 0 && i < 64; i++) {
		ssize_t n = read(*fd, buf, sizeof(buf));

		if (n > 0) {
			capture_add(to, buf, (size_t)n);
		} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
			close_fdp(fd);
			*fd = -1;
		} else if (errno == EAGAIN) {
			return;
		}
	}
}

void child_drain(struct child *c)
{
	drain(&c->out, c->out_text);
	drain(&c->err, c->err_text);
}

static void finish(struct child *c, enum child_state state)
{
	/* Not until the end of file: a daemon that it has left behind (dmeventd, mdmon) may hold the pipes for years. */
	child_drain(c);
	close_fdp(&c->out);
	close_fdp(&c->err);
	close_fdp(&c->pidfd);
	c->out = c->err = c->pidfd = -1;
	c->state = state;
}

static void signal_all(const struct child *c, int sig)
{
	/* The session first: before its setsid() the child has none, and then the process alone is right. */
	if (kill(-c->pid, sig))
		(void)kill(c->pid, sig);
}

/* Whether it has ended; then its number is free for others. */
static bool reap(struct child *c)
{
	siginfo_t info = { 0 };
	pid_t r;

	/* Seen first and let go afterwards: as long as it is a zombie its session's number is nobody else's. */
	do {
		r = waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT);
	} while (r < 0 && errno == EINTR);
	if (!r && !info.si_pid)
		return false;
	/* What it has started and not seen to the end would go on writing behind our back. After a success only daemons are left. */
	if (!r && (c->late || info.si_code != CLD_EXITED || info.si_status))
		(void)kill(-c->pid, SIGKILL);
	do {
		r = waitpid(c->pid, &c->status, WNOHANG);
	} while (r < 0 && errno == EINTR);
	if (r <= 0) /* somebody else has reaped it: how it ended is not known, so it has failed */
		c->status = 255 << 8;
	return true;
}

bool child_step(struct child *c, uint64_t now_ms)
{
	if (c->state == CHILD_NONE || c->state >= CHILD_ENDED)
		return true;
	child_drain(c);
	if (reap(c)) {
		finish(c, CHILD_ENDED);
		return true;
	}
	if (now_ms < c->deadline_ms)
		return false;
	c->late = true;
	c->deadline_ms = now_ms + CHILD_GRACE_MS;
	switch (c->state) {
	case CHILD_RUNS:
		signal_all(c, SIGTERM);
		c->state = CHILD_ASKED;
		break;
	case CHILD_ASKED:
		signal_all(c, SIGKILL);
		c->state = CHILD_KILLED;
		break;
	case CHILD_KILLED:
		finish(c, CHILD_STUCK);
		return true;
	case CHILD_NONE:
	case CHILD_ENDED:
	case CHILD_STUCK:
		break;
	}
	return false;
}

void child_kill(struct child *c)
{
	if (c->state == CHILD_NONE || c->state >= CHILD_ENDED)
		return;
	signal_all(c, SIGKILL);
	c->late = true;
	c->state = CHILD_KILLED;
	c->deadline_ms = child_clock_ms() + CHILD_GRACE_MS;
	(void)child_wait(c, -1);
}

bool child_wait(struct child *c, int fd)
{
	while (!child_step(c, child_clock_ms())) {
		struct pollfd fds[CHILD_FDS + 1];
		size_t n = child_poll_fds(c, fds);

		fds[n] = (struct pollfd){ .fd = fd, .events = POLLIN };
		(void)poll(fds, fd >= 0 ? n + 1 : n, child_timeout_ms(c, child_clock_ms()));
		if (fd >= 0 && fds[n].revents)
			return child_step(c, child_clock_ms());
	}
	return true;
}

bool child_good(const struct child *c)
{
	return c->state == CHILD_ENDED && !c->late && WIFEXITED(c->status) && WEXITSTATUS(c->status) == 0;
}

static const char *signal_text(struct arena *a, int sig)
{
	const char *name = sigdescr_np(sig);

	return name ? arena_printf(a, "was killed by signal %d (%s)", sig, name)
		    : arena_printf(a, "was killed by signal %d", sig);
}

const char *child_end_text(const struct child *c, struct arena *a, unsigned timeout_s)
{
	if (c->state == CHILD_STUCK)
		return arena_printf(a, "took longer than %u s, and not even SIGKILL ended process %d",
				    timeout_s, (int)c->pid);
	if (c->late)
		return arena_printf(a, "took longer than %u s and was stopped", timeout_s);
	if (WIFSIGNALED(c->status))
		return signal_text(a, WTERMSIG(c->status));
	return arena_printf(a, "exited with %d", WEXITSTATUS(c->status));
}
