/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

/*
 * For LD_PRELOAD: kills at the Nth moment, so that a kill can be had again. All processes count together, in a file:
 *
 *   INTERRUPT_COUNT=FILE   sixteen bytes, made by who starts this: how many of the first and of the second kind there were
 *   INTERRUPT_AT=N         the moment, from 1; absent: only count
 *   INTERRUPT_KIND=steps   the borders of steps: a moment before the journal is told of them, and one when that is on the disk
 *   INTERRUPT_KIND=calls   a moment before each call by which any program may change something: write, ioctl, fsync, ...
 *   INTERRUPT_PID=PID      this process alone is killed; what it has started goes on
 *   INTERRUPT_GROUP=FILE   instead: cgroup.kill of a group, all of which is killed
 */

static volatile uint64_t *counters;

/* Nothing more happens in this process, whoever is killed. */
static void strike(void)
{
	const char *group = getenv("INTERRUPT_GROUP"), *pid = getenv("INTERRUPT_PID");

	if (group) {
		int fd = open(group, O_WRONLY | O_CLOEXEC);

		if (fd < 0 || dprintf(fd, "1") != 1)
			abort();
		for (;;)
			(void)pause();
	}
	(void)kill(pid ? (pid_t)strtol(pid, NULL, 10) : getpid(), SIGKILL);
}

enum kind { STEPS, CALLS };

static void moment(enum kind kind)
{
	static const char *const names[] = { [STEPS] = "steps", [CALLS] = "calls" };
	const char *path = getenv("INTERRUPT_COUNT"), *at = getenv("INTERRUPT_AT"),
		   *wanted = getenv("INTERRUPT_KIND");
	uint64_t now;

	if (!counters && path) {
		int fd = open(path, O_RDWR | O_CLOEXEC);
		void *map = fd < 0 ? MAP_FAILED
				   : mmap(NULL, 2 * sizeof(*counters), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
					  0);

		if (fd >= 0)
			(void)close(fd);
		if (map == MAP_FAILED)
			return;
		counters = map;
	}
	if (!counters)
		return;
	now = __atomic_add_fetch(&counters[kind], 1, __ATOMIC_SEQ_CST);
	if (at && wanted && !strcmp(wanted, names[kind]) && now == strtoull(at, NULL, 10))
		strike();
}

/* What is told to people and to the parent changes nothing. */
static void call(int fd)
{
	if (fd > 2)
		moment(CALLS);
}

static bool is_journal(int fd)
{
	char link[64], path[4096];
	ssize_t n;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0)
		return false;
	path[n] = '\0';
	return n > 8 && !strcmp(path + n - 8, "/journal");
}

/* The real one of a function, with its type. */
#define REAL(name, ...)                                                                                      \
	({                                                                                                   \
		__typeof__(name) *real;                                                                      \
		void *found = dlsym(RTLD_NEXT, #name);                                                       \
		memcpy(&real, &found, sizeof(real));                                                         \
		real(__VA_ARGS__);                                                                           \
	})

int fdatasync(int fd)
{
	bool step = is_journal(fd);
	int r;

	call(fd);
	r = REAL(fdatasync, fd);
	if (step)
		moment(STEPS);
	return r;
}

int fsync(int fd)
{
	call(fd);
	return REAL(fsync, fd);
}

ssize_t write(int fd, const void *buf, size_t n)
{
	call(fd);
	if (is_journal(fd))
		moment(STEPS);
	return REAL(write, fd, buf, n);
}

ssize_t writev(int fd, const struct iovec *v, int n)
{
	call(fd);
	return REAL(writev, fd, v, n);
}

ssize_t pwrite(int fd, const void *buf, size_t n, off_t at)
{
	call(fd);
	return REAL(pwrite, fd, buf, n, at);
}

ssize_t pwrite64(int fd, const void *buf, size_t n, off64_t at)
{
	call(fd);
	return REAL(pwrite64, fd, buf, n, at);
}

int ftruncate(int fd, off_t size)
{
	call(fd);
	return REAL(ftruncate, fd, size);
}

int ioctl(int fd, unsigned long what, ...)
{
	void *arg;
	va_list ap;

	va_start(ap, what);
	arg = va_arg(ap, void *);
	va_end(ap);
	call(fd);
	return REAL(ioctl, fd, what, arg);
}

/* libaio's, by which LVM writes. */
int io_submit(void *context, long n, void **blocks);
int io_submit(void *context, long n, void **blocks)
{
	call(3);
	return REAL(io_submit, context, n, blocks);
}
