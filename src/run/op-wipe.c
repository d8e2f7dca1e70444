/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/file.h"
#include "run/lock.h"
#include "run/op.h"
#include "run/signature.h"

int op_wipe(const struct op_job *j)
{
	_cleanup_fd_ int lock = j->lock ? lock_block(j->lock) : -1;
	_cleanup_fd_ int fd = -1;
	_cleanup_probe_ blkid_probe pr = NULL, again = NULL;
	bool table = false;
	int r;

	if (j->lock && lock < 0)
		return op_say("cannot lock %s: %s", j->lock, strerror(-lock));
	fd = open(j->op->dev, O_RDWR | O_CLOEXEC | O_EXCL);
	if (fd < 0)
		return op_say("cannot open %s: %s", j->op->dev,
			      errno == EBUSY ? "it is in use" : strerror(errno));
	pr = signature_probe(fd);
	if (!pr)
		return op_say("cannot look at %s with libblkid", j->op->dev);
	/* blkid_do_wipe() steps back, so that a second copy of the same format is found next. */
	while ((r = blkid_do_probe(pr)) == 0) {
		table = table || blkid_probe_has_value(pr, "PTTYPE");
		(void)printf("%s: %s signature\n", j->op->dev, signature_type(pr));
		if (blkid_do_wipe(pr, 0))
			return op_say("cannot wipe the %s signature on %s: %s", signature_type(pr),
				      j->op->dev, strerror(errno));
	}
	if (r < 0)
		return op_say("cannot read %s: %s", j->op->dev, strerror(errno));
	if (fsync(fd))
		return op_say("cannot write to %s: %s", j->op->dev, strerror(errno));
	again = signature_probe(fd);
	if (!again || blkid_do_probe(again) != 1)
		return op_say("%s still has a %s signature", j->op->dev, again ? signature_type(again) : "");
	/* The kernel forgets the partitions of the table that is gone; where it has none there is nothing to say. */
	if (table)
		(void)ioctl(fd, BLKRRPART);
	return 0;
}
