/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/text.h"
#include "run/op.h"

enum { LINKS = 40 }; /* as many as the kernel follows */

/* A path below the root, resolved as if the root were "/": "/etc" as the target of a link is the root's etc, not this machine's. */
static int open_dir(int root, const char *path)
{
	struct open_how how = { .flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	long fd = syscall(SYS_openat2, root, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

/* One directory that isn't there yet, in one that is. */
static int make_dir(struct arena *a, int root, const char *path)
{
	const char *name = basename(arena_strdup(a, path));
	_cleanup_fd_ int fd = open_dir(root, dirname(arena_strdup(a, path)));

	if (fd < 0)
		return fd;
	if (mkdirat(fd, name, 0755))
		return errno == EEXIST ? 0 : -errno;
	/* Whatever the umask is. */
	return fchmodat(fd, name, 0755, 0) || fsync(fd) ? -errno : 0;
}

/* The directory that a path lies in, with its parents. */
static int make_parents(struct arena *a, int root, const char *path)
{
	for (const char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
		const char *dir = arena_strndup(a, path, (size_t)(p - path));
		_cleanup_fd_ int fd = open_dir(root, dir);
		int r = fd == -ENOENT ? make_dir(a, root, dir) : 0;

		if (r)
			return op_say("cannot make the directory '%s': %s", dir, strerror(-r));
	}
	return 0;
}

/* The directory and the name of the file itself, where the path leads through symbolic links. */
static int resolve(struct arena *a, int root, const char *path, int *ret_dir, const char **ret_name)
{
	for (int i = 0; i < LINKS; i++) {
		const char *dir = dirname(arena_strdup(a, path)), *name = basename(arena_strdup(a, path));
		_cleanup_fd_ int fd = open_dir(root, dir);
		char target[PATH_MAX];
		ssize_t n;

		if (fd < 0)
			return op_say("cannot open the directory '%s': %s", dir, strerror(-fd));
		n = readlinkat(fd, name, target, sizeof(target) - 1);
		if (n < 0) {
			*ret_dir = take_fd(&fd);
			*ret_name = name;
			return 0;
		}
		target[n] = 0;
		path = *target == '/' ? arena_strdup(a, target) : arena_printf(a, "%s/%s", dir, target);
	}
	return op_say("'%s': %s", path, strerror(ELOOP));
}

/* ACLs and security labels. What the file system can't keep is not worth a failure. */
static void copy_attributes(struct arena *a, int from, int to)
{
	char names[4096];
	ssize_t n = flistxattr(from, names, sizeof(names));

	for (char *p = names; n > 0 && p < names + n; p += strlen(p) + 1) {
		ssize_t len = fgetxattr(from, p, NULL, 0);
		void *value = arena_alloc(a, len > 0 ? (size_t)len : 0);

		if (len >= 0 && fgetxattr(from, p, value, (size_t)len) == len)
			(void)fsetxattr(to, p, value, (size_t)len, 0);
	}
}

/* Owner and mode of the file that is there, else what the plan says. */
static int dress(struct arena *a, int dir, const char *name, int fd, mode_t mode)
{
	_cleanup_fd_ int old = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (old < 0)
		return errno == ENOENT && !fchmod(fd, mode) ? 0 : -errno;
	if (fstat(old, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EEXIST;
	if (fchown(fd, st.st_uid, st.st_gid))
		return -errno;
	copy_attributes(a, old, fd);
	return fchmod(fd, st.st_mode & 07777) ? -errno : 0;
}

static int write_all(int fd, const char *s, size_t n)
{
	while (n) {
		ssize_t k = write(fd, s, n);

		if (k < 0 && errno != EINTR)
			return -errno;
		if (k > 0) {
			s += k;
			n -= (size_t)k;
		}
	}
	return 0;
}

static int replace(struct arena *a, int dir, const char *name, const struct op *op)
{
	const char *temp = arena_printf(a, ".%.200s.stowage-new", name);
	_cleanup_fd_ int fd = -1;
	int r;

	/* Of a run that was killed. */
	if (unlinkat(dir, temp, 0) && errno != ENOENT)
		return -errno;
	fd = openat(dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	r = write_all(fd, op->content, strlen(op->content));
	if (!r)
		r = dress(a, dir, name, fd, op->mode ? op->mode : 0644);
	if (!r && fsync(fd))
		r = -errno;
	if (!r && renameat(dir, temp, dir, name))
		r = -errno;
	if (r)
		(void)unlinkat(dir, temp, 0);
	else if (fsync(dir))
		r = -errno;
	return r;
}

int op_file(const struct op_job *j)
{
	_cleanup_arena_ struct arena *a = arena_new();
	_cleanup_fd_ int root = -1, dir = -1;
	const char *top = j->root && strcmp(j->root, "/") != 0 ? j->root : "", *path = j->op->path,
		   *name = "";
	size_t n = strlen(top);
	int r;

	if (n && (!text_starts(path, top) || path[n] != '/')) { /* not below the root: as it stands */
		n = 0;
		top = "";
	}
	root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root >= 0 && n) {
		_cleanup_fd_ int slash = take_fd(&root);

		r = make_parents(a, slash, arena_printf(a, "%s/", top));
		if (r)
			return r;
		root = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	if (root < 0)
		return op_say("cannot open '%s': %s", n ? top : "/", strerror(errno));
	r = make_parents(a, root, path + n);
	if (!r)
		r = resolve(a, root, path + n, &dir, &name);
	if (r)
		return r;
	r = replace(a, dir, name, j->op);
	if (r == -EEXIST)
		return op_say("'%s' is not a regular file", path);
	return r ? op_say("cannot write '%s': %s", path, strerror(-r)) : 0;
}
