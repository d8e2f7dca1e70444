/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <libudev.h>
#include <poll.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "run/child.h"
#include "run/expect.h"
#include "run/op.h"

static void udev_freep(struct udev **u)
{
	(void)udev_unref(*u);
}

static void monitor_freep(struct udev_monitor **m)
{
	(void)udev_monitor_unref(*m);
}

static void queue_freep(struct udev_queue **q)
{
	(void)udev_queue_unref(*q);
}

/* Return: its exit status; -1 where it could not be run or was killed. */
static int run_settle(struct arena *a, const char *udevadm, uint64_t left_s)
{
	char *argv[] = { arena_strdup(a, "udevadm"), arena_strdup(a, "settle"),
			 arena_printf(a, "--timeout=%llu", (unsigned long long)left_s), NULL };
	pid_t pid, got;
	int status;

	if (posix_spawn(&pid, udevadm, NULL, NULL, argv, environ))
		return -1;
	do {
		got = waitpid(pid, &status, 0);
	} while (got < 0 && errno == EINTR);
	return got == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/*
 * "udevadm settle" asks udevd itself to answer when it has read all that was pending: also the close of a written disk, after which
 * udevd re-reads the table and nodes may vanish and come back. An empty queue alone doesn't say that: it is empty as well when udevd
 * has not looked yet. libudev has no call for that question. A udevd that is busy may drop the question ("Broken pipe", at once): then it
 * is asked again, and at last what can be seen from outside has to do.
 * Return: 0; 1 after a message: no answer in time.
 */
static int ask_udevd(struct arena *a, unsigned timeout_s)
{
	enum { ATTEMPTS = 8 };
	const char *udevadm = child_find(a, environ, "udevadm");
	uint64_t deadline = child_clock_ms() + (uint64_t)timeout_s * 1000;

	for (int i = 0; udevadm && i < ATTEMPTS; i++) {
		uint64_t now = child_clock_ms();

		if (now + 1000 > deadline)
			return op_say("udev's queue did not become empty within %u s", timeout_s);
		if (run_settle(a, udevadm, (deadline - now) / 1000) == 0)
			return 0;
	}
	return 0;
}

/* Waits for events until all is as expected. */
static int wait_events(const struct op_expect *expect, size_t n, bool empty_queue, unsigned timeout_s)
{
	_cleanup_arena_ struct arena *a = arena_new();
	__attribute__((cleanup(udev_freep))) struct udev *udev = NULL;
	__attribute__((cleanup(monitor_freep))) struct udev_monitor *monitor = NULL;
	__attribute__((cleanup(queue_freep))) struct udev_queue *queue = NULL;
	uint64_t deadline = child_clock_ms() + (uint64_t)timeout_s * 1000;
	const char *why = NULL;
	struct pollfd fds[2];

	if (!expect_udev()) {
		/* Nobody will make links, and the kernel's own nodes are there when the call that made the device returns. */
		if (expect_all(a, expect, n, &why))
			return 0;
		return op_say("%s (udevd does not run here)", why);
	}
	udev = udev_new();
	if (udev) {
		/* Listening comes before looking: else an event between the two is missed. */
		monitor = udev_monitor_new_from_netlink(udev, "udev");
		queue = udev_queue_new(udev);
	}
	if (!monitor || !queue ||
	    udev_monitor_filter_add_match_subsystem_devtype(monitor, "block", NULL) < 0 ||
	    udev_monitor_enable_receiving(monitor) < 0 || udev_queue_get_fd(queue) < 0)
		return op_say("cannot listen to udev: %s", strerror(errno));
	fds[0] = (struct pollfd){ .fd = udev_monitor_get_fd(monitor), .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = udev_queue_get_fd(queue), .events = POLLIN };
	for (;;) {
		uint64_t now = child_clock_ms();
		bool met = expect_all(a, expect, n, &why), empty = udev_queue_get_queue_is_empty(queue) > 0;

		if (met && (empty || !empty_queue))
			return 0;
		if (now >= deadline)
			return met ? op_say("udev's queue did not become empty within %u s", timeout_s)
				   : op_say("%s, after %u s", why, timeout_s);
		(void)poll(fds, 2, (int)(deadline - now));
		for (struct udev_device *dev; fds[0].revents && (dev = udev_monitor_receive_device(monitor));)
			(void)udev_device_unref(dev);
		if (fds[1].revents)
			(void)udev_queue_flush(queue);
		/* Only what was said last is kept. */
		arena_free(a);
		a = arena_new();
	}
}

int op_wait(const struct op_expect *expect, size_t n, unsigned timeout_s)
{
	return wait_events(expect, n, false, timeout_s);
}

int op_settle(const struct op_job *j)
{
	_cleanup_arena_ struct arena *a = arena_new();
	int r = 0;

	if (expect_udev())
		r = ask_udevd(a, j->timeout_s);
	if (!r)
		r = wait_events(j->op->expect.at, j->op->expect.n, true, j->timeout_s);
	return r;
}
