/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/units.h"
#include "run/expect.h"

/* A number of 512-byte sectors in sysfs. Return: bytes; false where the file isn't there. */
static bool sysfs_bytes(struct arena *a, dev_t dev, const char *file, uint64_t *ret)
{
	char *s;

	if (file_read(a, AT_FDCWD, arena_printf(a, "/sys/dev/block/%u:%u/%s", major(dev), minor(dev), file),
		      64, &s, NULL))
		return false;
	*ret = strtoull(s, NULL, 10) * SECTOR;
	return true;
}

/* A node outlives its device for a moment; a stopped array may keep one without anything in it while somebody looks at it. */
static bool is_gone(struct arena *a, const struct op_expect *e, const char **ret_why)
{
	uint64_t size;
	struct stat st;

	if (stat(e->dev, &st) || !S_ISBLK(st.st_mode) || !sysfs_bytes(a, st.st_rdev, "size", &size) || !size)
		return true;
	*ret_why = arena_printf(a, "%s is still there", e->dev);
	return false;
}

bool expect_met(struct arena *a, const struct op_expect *e, const char **ret_why)
{
	const char *ignored, **why = ret_why ? ret_why : &ignored;
	uint64_t size = 0, start = 0;
	struct stat st;

	if (e->gone)
		return is_gone(a, e, why);
	if (stat(e->dev, &st)) {
		*why = errno == ENOENT ? arena_printf(a, "%s is not there", e->dev)
				       : arena_printf(a, "%s: %s", e->dev, strerror(errno));
		return false;
	}
	if (!S_ISBLK(st.st_mode)) {
		*why = arena_printf(a, "%s is not a block device", e->dev);
		return false;
	}
	if (!sysfs_bytes(a, st.st_rdev, "size", &size)) { /* a node outlives its device for a moment */
		*why = arena_printf(a, "%s is a node whose device is gone", e->dev);
		return false;
	}
	if (e->size && size != e->size) {
		*why = arena_printf(a, "%s has %llu bytes instead of %llu", e->dev, (unsigned long long)size,
				    (unsigned long long)e->size);
		return false;
	}
	/* A size of 0 is an array that isn't started yet, or a volume without a table. */
	if (!size) {
		*why = arena_printf(a, "%s has no size yet", e->dev);
		return false;
	}
	if (e->start && (!sysfs_bytes(a, st.st_rdev, "start", &start) || start != e->start)) {
		*why = arena_printf(a, "%s starts at byte %llu instead of %llu", e->dev,
				    (unsigned long long)start, (unsigned long long)e->start);
		return false;
	}
	return true;
}

bool expect_all(struct arena *a, const struct op_expect *e, size_t n, const char **ret_why)
{
	for (size_t i = 0; i < n; i++)
		if (!expect_met(a, &e[i], ret_why))
			return false;
	return true;
}

/* A list of all sockets in this network namespace. */
static bool is_listed(const char *path)
{
	_cleanup_arena_ struct arena *a = arena_new();
	char *sockets;

	return !file_read(a, AT_FDCWD, "/proc/net/unix", 16 * MIB, &sockets, NULL) &&
	       strstr(sockets, arena_printf(a, " %s\n", path));
}

bool expect_udev(void)
{
	static const struct sockaddr_un to = { .sun_family = AF_UNIX, .sun_path = "/run/udev/control" };
	_cleanup_fd_ int fd = -1;

	if (access(to.sun_path, F_OK))
		return false;
	/* Only looked at where possible: one that waits to be let in keeps all others out, "udevadm settle" among them. */
	if (is_listed(to.sun_path))
		return true;
	/* The file alone says nothing: it stays when udevd is killed. EAGAIN: somebody waits to be let in. */
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	return fd >= 0 && (!connect(fd, (const struct sockaddr *)&to, sizeof(to)) || errno == EAGAIN);
}
