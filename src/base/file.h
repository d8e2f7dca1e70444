/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>
#include <unistd.h>

struct arena;

/* Where a run keeps its journal and its lock. */
#define STATE_DIR "/var/lib/stowage"

/**
 * file_read() - a whole file, in an arena, with a NUL behind it
 * @limit: bytes; more is -EFBIG and is not read. Works on pipes and sysfs, whose size is not known before.
 * @ret_len: bytes without that NUL, may be NULL
 * Return: 0 or -errno (-EISDIR for a directory).
 */
int file_read(struct arena *a, int dirfd, const char *path, size_t limit, char **ret, size_t *ret_len);

/** file_read_fd() - the same of what is open already. */
int file_read_fd(struct arena *a, int fd, size_t limit, char **ret, size_t *ret_len);

/**
 * file_open_in() - for reading, what @path means to those whose "/" is @root: a symbolic link doesn't lead out of it
 * @root: "/" or NULL: this system's. @path: below @root, with a slash before it. Waits for nobody, not even for a writer of a pipe.
 * Return: a descriptor or -errno.
 */
int file_open_in(const char *root, const char *path);

static inline void close_fdp(const int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
}
#define _cleanup_fd_ __attribute__((cleanup(close_fdp)))

static inline int take_fd(int *fd)
{
	int r = *fd;

	*fd = -1;
	return r;
}
