/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/units.h"
#include "run/lock.h"
#include "run/op.h"

/* Small enough that SIGTERM and a deadline are obeyed within seconds on a slow disk. */
static const uint64_t piece = 64 * MIB;

static int write_zeroes(int fd, uint64_t start, uint64_t size)
{
	static const char zeroes[1 << 16];

	while (size) {
		size_t part = size < sizeof(zeroes) ? (size_t)size : sizeof(zeroes);
		ssize_t n = pwrite(fd, zeroes, part, (off_t)start);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			start += (uint64_t)n;
			size -= (uint64_t)n;
		}
	}
	return 0;
}

static int zero_range(int fd, bool block, uint64_t start, uint64_t size)
{
	while (size) {
		uint64_t range[2] = { start, size < piece ? size : piece };
		int r = 0;

		/* EINVAL: not on the bounds of a sector. The page cache takes those. */
		if (!block)
			r = write_zeroes(fd, range[0], range[1]);
		else if (ioctl(fd, BLKZEROOUT, range))
			r = errno == EOPNOTSUPP || errno == EINVAL || errno == ENOTTY
				    ? write_zeroes(fd, range[0], range[1])
				    : -errno;
		if (r)
			return r;
		start += range[1];
		size -= range[1];
	}
	return 0;
}

int op_zero(const struct op_job *j)
{
	_cleanup_fd_ int lock = j->lock ? lock_block(j->lock) : -1;
	_cleanup_fd_ int fd = -1;
	uint64_t end = 0;
	struct stat st;

	if (j->lock && lock < 0)
		return op_say("cannot lock %s: %s", j->lock, strerror(-lock));
	/* O_EXCL on a block device: fails when something else has claimed it. */
	fd = open(j->op->dev, O_WRONLY | O_CLOEXEC | O_EXCL);
	if (fd < 0)
		return op_say("cannot open %s: %s", j->op->dev,
			      errno == EBUSY ? "it is in use" : strerror(errno));
	if (fstat(fd, &st))
		return op_say("%s: %s", j->op->dev, strerror(errno));
	if (S_ISBLK(st.st_mode)) {
		if (ioctl(fd, BLKGETSIZE64, &end))
			return op_say("%s: cannot tell its size: %s", j->op->dev, strerror(errno));
	} else if (S_ISREG(st.st_mode)) {
		end = (uint64_t)st.st_size;
	} else {
		return op_say("%s is not a block device", j->op->dev);
	}
	vec_each (const struct op_range *, it, &j->op->ranges) {
		int r;

		if (it->start > end || it->size > end - it->start)
			return op_say("%s ends at byte %" PRIu64 ", but zeroes are to go to byte %" PRIu64,
				      j->op->dev, end, it->start + it->size);
		r = zero_range(fd, S_ISBLK(st.st_mode), it->start, it->size);
		if (r)
			return op_say("cannot zero %" PRIu64 " bytes from %" PRIu64 " on %s: %s", it->size,
				      it->start, j->op->dev, strerror(-r));
	}
	if (fsync(fd))
		return op_say("cannot write to %s: %s", j->op->dev, strerror(errno));
	return 0;
}
