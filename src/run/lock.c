/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/text.h"
#include "run/child.h"
#include "run/lock.h"
#include "run/run.h"

/* "process 123 (sfdisk)", from the kernel's list of locks; "another process" where it doesn't say. */
static const char *holder(struct arena *a, int fd)
{
	char *locks, *comm, *save = NULL;
	struct stat st;

	if (fstat(fd, &st) || file_read(a, AT_FDCWD, "/proc/locks", 1 << 20, &locks, NULL))
		return "another process";
	for (char *line = strtok_r(locks, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		unsigned maj, min;
		uint64_t inode;
		char kind[16];
		int pid;

		/* NOLINTNEXTLINE(cert-err34-c): the kernel writes these, and they fit */
		if (sscanf(line, "%*s %15s %*s %*s %d %x:%x:%" SCNu64, kind, &pid, &maj, &min, &inode) != 5)
			continue;
		if (strcmp(kind, "FLOCK") != 0 || inode != st.st_ino || makedev(maj, min) != st.st_dev ||
		    pid <= 0)
			continue;
		if (file_read(a, AT_FDCWD, arena_printf(a, "/proc/%d/comm", pid), 256, &comm, NULL))
			return arena_printf(a, "process %d", pid);
		comm[strcspn(comm, "\n")] = 0;
		return arena_printf(a, "process %d (%s)", pid, text_safe(a, comm));
	}
	return "another process";
}

static int make_dir(const char *dir)
{
	char path[PATH_MAX];

	if (!*dir)
		return -ENOENT;
	if (strlen(dir) >= sizeof(path))
		return -ENAMETOOLONG;
	/* What is above is made as any directory; the last one holds the journal, which is root's alone. */
	for (const char *p = strchr(dir + 1, '/'); p; p = strchr(p + 1, '/')) {
		(void)snprintf(path, sizeof(path), "%.*s", (int)(p - dir), dir);
		if (mkdir(path, 0755) && errno != EEXIST)
			return -errno;
	}
	return mkdir(dir, 0700) && errno != EEXIST ? -errno : 0;
}

/* Who holds the lock of a state directory. The file says it: /proc/locks is empty in another PID namespace. */
static int say_holder(struct arena *a, int fd, struct diag *d)
{
	char pid[32];
	ssize_t n = pread(fd, pid, sizeof(pid) - 1, 0);
	int e;

	pid[n > 0 ? n : 0] = 0;
	pid[strcspn(pid, "\n")] = 0;
	if (!*pid || strspn(pid, "0123456789") != strlen(pid))
		return diag_refuse(d, nowhere, "another stowage, %s, is changing this machine",
				   holder(a, fd));
	e = diag_refuse(d, nowhere, "another stowage, process %s, is changing this machine", pid);
	if (kill((pid_t)strtol(pid, NULL, 10), 0) < 0 && errno == ESRCH)
		diag_note(
			d, nowhere,
			"it was killed, but what it had started is still at work: apply again when that has "
			"ended");
	return e;
}

int run_look_lock(struct arena *a, const char *state_dir, struct diag *d)
{
	const char *dir = state_dir ? state_dir : STATE_DIR;
	_cleanup_fd_ int fd = open(arena_printf(a, "%s/lock", dir),
				   O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	/* What is wrong with it is told when the lock is taken. */
	if (fd < 0 || !flock(fd, LOCK_SH | LOCK_NB) || errno != EWOULDBLOCK)
		return 0;
	return say_holder(a, fd, d);
}

int lock_state(struct arena *a, const char *dir, struct diag *d, int *ret_dir, int *ret_lock)
{
	_cleanup_fd_ int dfd = -1, fd = -1;
	int r = make_dir(dir);
	char pid[32];

	if (!r) {
		dfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		r = dfd < 0 ? -errno : 0;
	}
	if (r)
		return diag_error(d, nowhere,
				  "cannot use the state directory '%s': %s; --state names another one", dir,
				  strerror(-r));
	fd = openat(dfd, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return diag_error(d, nowhere,
				  "cannot write to the state directory '%s': %s; --state names another one",
				  dir, strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK)
			return diag_error(d, nowhere, "cannot lock '%s/lock': %s", dir, strerror(errno));
		return say_holder(a, fd, d);
	}
	(void)snprintf(pid, sizeof(pid), "%d\n", (int)getpid());
	if (ftruncate(fd, 0) || pwrite(fd, pid, strlen(pid), 0) != (ssize_t)strlen(pid))
		return diag_error(d, nowhere, "cannot write '%s/lock': %s", dir, strerror(errno));
	*ret_dir = take_fd(&dfd);
	*ret_lock = take_fd(&fd);
	return 0;
}

const char *lock_whole(struct arena *a, const char *dev)
{
	char path[PATH_MAX], *real, *name;
	struct stat st;

	if (stat(dev, &st) || !S_ISBLK(st.st_mode))
		return NULL;
	(void)snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(st.st_rdev), minor(st.st_rdev));
	real = realpath(path, NULL);
	if (!real)
		return NULL;
	(void)snprintf(path, sizeof(path), "%s/partition", real);
	name = strrchr(real, '/');
	if (!access(path, F_OK)) { /* a partition's directory lies in its disk's */
		*name = 0;
		name = strrchr(real, '/');
	}
	name = arena_strdup(a, name + 1);
	free(real);
	/* udevd takes no lock for these: they have no table that it would re-read. */
	if (text_starts(name, "dm-") || text_starts(name, "md") || text_starts(name, "drbd"))
		return NULL;
	for (char *p = name; *p; p++) /* "cciss!c0d0" */
		if (*p == '!')
			*p = '/';
	return arena_printf(a, "/dev/%s", name);
}

int lock_block(const char *path)
{
	/* For reading: a close after writing is what makes udevd look at a disk anew. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return -errno;
	while (flock(fd, LOCK_EX))
		if (errno != EINTR) {
			int r = -errno;

			(void)close(fd);
			return r;
		}
	return fd;
}

/* In a child: the lock belongs to the open file, which is the parent's as well, so the parent has it afterwards. */
static int wait_for_lock(void *arg)
{
	(void)arg;
	while (flock(CHILD_KEPT_FD, LOCK_EX))
		if (errno != EINTR)
			return 1;
	return 0;
}

int lock_disks(struct arena *a, lock_list *locks, char **env, int stop_fd, struct diag *d)
{
	vec_each (struct disk_lock *, l, locks) {
		_cleanup_fd_ int fd = open(l->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

		if (fd < 0)
			return diag_error(d, nowhere, "cannot open %s: %s", l->path, strerror(errno));
		if (flock(fd, LOCK_EX | LOCK_NB)) {
			struct capture *said = arena_alloc(a, 2 * sizeof(*said));
			struct child c = { .out_text = &said[0], .err_text = &said[1] };
			int r;

			if (errno != EWOULDBLOCK)
				return diag_error(d, nowhere, "cannot lock %s: %s", l->path, strerror(errno));
			/* udevd itself holds it for moments, while it works on an event of the disk. */
			r = child_fork(&c, wait_for_lock, NULL, fd, env,
				       child_clock_ms() + LOCK_TIMEOUT_S * UINT64_C(1000));
			if (r)
				return diag_error(d, nowhere, "cannot wait for the lock on %s: %s", l->path,
						  strerror(-r));
			if (!child_wait(&c, stop_fd)) {
				child_kill(&c);
				return -EINTR;
			}
			if (!child_good(&c))
				return diag_refuse(d, nowhere, "%s has been locked by %s for %d s", l->path,
						   holder(a, fd), LOCK_TIMEOUT_S);
		}
		l->fd = take_fd(&fd);
	}
	return 0;
}

void lock_release(struct disk_lock *l)
{
	close_fdp(&l->fd);
	l->fd = -1;
}
