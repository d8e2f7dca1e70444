/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/text.h"

struct arena;

enum {
	CAPTURE_HEAD = 4 * 1024,
	CAPTURE_TAIL = 16 * 1024,
	CHILD_GRACE_MS =
		5000, /* between SIGTERM and SIGKILL, and from there until it is given up: it hangs in the kernel */
	CHILD_FDS = 3,     /* that a child is polled by */
	CHILD_KEPT_FD = 3, /* @keep_fd in the child */
};

/* What a process has said: its first words and its last ones, in a bounded place. */
struct capture {
	size_t total;
	char head[CAPTURE_HEAD];
	char tail[CAPTURE_TAIL]; /* a ring */
};

void capture_add(struct capture *c, const char *s, size_t n);

/** capture_text() - all of it; "[...]" where a line begins stands for what is missing in the middle. */
struct text capture_text(const struct capture *c, struct arena *a);

/** capture_last() - the last @n lines that are not blank; a carriage return begins a line anew. */
text_list capture_last(const struct capture *c, struct arena *a, size_t n);

enum child_state {
	CHILD_NONE = 0,
	CHILD_RUNS,
	CHILD_ASKED,  /* its deadline is over, SIGTERM sent */
	CHILD_KILLED, /* SIGKILL sent */
	CHILD_ENDED,  /* .status is what waitpid() said */
	CHILD_STUCK,  /* not even SIGKILL ended it */
};

/* A process of ours. .out_text and .err_text are set by the caller before, and live longer. */
struct child {
	enum child_state state;
	pid_t pid;
	int pidfd, out, err;
	struct capture *out_text, *err_text;
	uint64_t deadline_ms; /* by child_clock_ms(); UINT64_MAX: none */
	bool late;            /* the deadline was over before it ended */
	int status;
};

/** child_clock_ms() - milliseconds of CLOCK_MONOTONIC. */
uint64_t child_clock_ms(void);

/** child_environment() - this process's environment with LC_ALL=C.UTF-8, a PATH that has the sbin directories, and LVM's warnings about
 * descriptors off, and device-mapper not waiting for udev where that doesn't run. Return: ends with NULL, in @a. */
char **child_environment(struct arena *a);

/** child_find() - a program by the PATH of @env. Return: its path in @a; @name itself where it has a slash; NULL: not found. */
const char *child_find(struct arena *a, char *const *env, const char *name);

/**
 * child_spawn() - starts a program
 * Standard input is /dev/null, standard output and error are captured, no other descriptor is open but @keep_fd. It gets a session of its own: no
 * terminal to ask on, and no part in the terminal's ^C.
 * @file: path; @argv, @env: end with NULL
 * @keep_fd: stays open in it, and in what it starts, as CHILD_KEPT_FD; -1: none
 * Return: 0 or -errno; then there is nothing to wait for.
 */
int child_spawn(struct child *c, const char *file, char *const *argv, int keep_fd, char *const *env,
		uint64_t deadline_ms);

/**
 * child_fork() - the same for a function of ours, which then is free to block, to leak and to crash; it is killed where this process is
 * @fn:      returns the exit status
 * @keep_fd: stays open in the child as CHILD_KEPT_FD; -1: none
 */
int child_fork(struct child *c, int (*fn)(void *arg), void *arg, int keep_fd, char **env,
	       uint64_t deadline_ms);

/** child_poll_fds() - what to poll. @fds: room for CHILD_FDS. Return: how many. */
size_t child_poll_fds(const struct child *c, struct pollfd *fds);

/** child_timeout_ms() - milliseconds until child_step() must be called, -1: no need. */
int child_timeout_ms(const struct child *c, uint64_t now_ms);

/**
 * child_step() - reads what it says, sees whether it has ended, sends signals when its time is over
 * Where it ended badly, what it left in its session is killed.
 * Return: whether it is over (CHILD_ENDED or CHILD_STUCK); descriptors are closed then.
 */
bool child_step(struct child *c, uint64_t now_ms);

/** child_drain() - reads what it has said so far. */
void child_drain(struct child *c);

/** child_kill() - SIGKILL to it and its session, and waits for its end, at most a grace: CHILD_STUCK then. */
void child_kill(struct child *c);

/** child_wait() - until it is over. @fd: returns early when this can be read; -1: none. Return: whether it is over. */
bool child_wait(struct child *c, int fd);

/** child_good() - it ended by itself, in time, with status 0. */
bool child_good(const struct child *c);

/** child_end_text() - how it ended: "exited with 1", "was killed by signal 9 (Killed)", "took longer than 30 s and was stopped". */
const char *child_end_text(const struct child *c, struct arena *a, unsigned timeout_s);
