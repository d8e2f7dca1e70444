/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/arena.h"

enum { FIRST_READ = 4096, FIRST_READ_MAX = 1024 * 1024 };

/* The size is a hint only: 0 in /proc and for pipes, 4096 in sysfs, anything for a sparse file. */
static size_t first_room(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size < FIRST_READ)
		return FIRST_READ;
	return st.st_size < FIRST_READ_MAX ? (size_t)st.st_size + 1 : FIRST_READ_MAX;
}

int file_read_fd(struct arena *a, int fd, size_t limit, char **ret, size_t *ret_len)
{
	size_t len = 0, room = first_room(fd);
	char *buf;

	buf = arena_alloc(a, room + 1);
	for (;;) {
		size_t ask;
		ssize_t n;

		if (len == room) {
			buf = arena_grow(a, buf, len, room * 2 + 1);
			room *= 2;
		}
		ask = room - len;
		if (ask > limit - len)
			ask = limit - len + 1; /* one more shows that there is more */
		n = read(fd, buf + len, ask);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += (size_t)n;
		if (len > limit)
			return -EFBIG;
	}
	buf[len] = '\0';
	*ret = buf;
	if (ret_len)
		*ret_len = len;
	return 0;
}

int file_read(struct arena *a, int dirfd, const char *path, size_t limit, char **ret, size_t *ret_len)
{
	_cleanup_fd_ int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	return fd < 0 ? -errno : file_read_fd(a, fd, limit, ret, ret_len);
}

int file_open_in(const char *root, const char *path)
{
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
				.resolve = RESOLVE_IN_ROOT };
	_cleanup_fd_ int top = -1;
	long fd;

	if (!root || !strcmp(root, "/")) {
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
		return fd < 0 ? -errno : (int)fd;
	}
	top = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (top < 0)
		return -errno;
	fd = syscall(SYS_openat2, top, path, &how, sizeof(how));
	return fd < 0 ? -errno : (int)fd;
}
