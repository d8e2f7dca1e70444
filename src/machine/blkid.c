/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/cdrom.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/arena.h"
#include "base/file.h"
#include "machine/machine.h"
#include "machine/parts.h"

/* More than a device can bear (ZFS: 4 labels of 128 blocks); a guard against a prober that finds the same thing again and again. */
enum { MOST_MAGICS = 1024 };

static void free_probep(blkid_probe *pr)
{
	if (*pr)
		blkid_free_probe(*pr);
}

static const char *value(struct arena *a, blkid_probe pr, const char *name)
{
	const char *data;
	size_t len;

	if (blkid_probe_lookup_value(pr, name, &data, &len) < 0)
		return NULL;
	data = arena_strndup(a, data, len);
	if (!*data)
		return NULL;
	return text_valid_utf8(data, strlen(data)) ? data : text_safe(a, data);
}

/* A second UUID is of the member alone and is drawn by the tool that makes it: no layout can ask for it, no two runs share it. */
static bool is_member_uuid_random(const char *type)
{
	return text_eq(type, "btrfs") || text_eq(type, "linux_raid_member") || text_eq(type, "zfs_member");
}

/* What one step of the search came upon. @ret_len: bytes of the magic, 0 where the prober doesn't tell its place. */
static bool read_signature(struct arena *a, blkid_probe pr, struct signature *ret, size_t *ret_len)
{
	const char *type = value(a, pr, "TYPE"), *table = value(a, pr, "PTTYPE"), *offset;
	const char *magic = NULL;

	*ret_len = 0;
	if (!type && !table)
		return false;
	if (type) {
		*ret = (struct signature){ .type = type,
					   .usage = value(a, pr, "USAGE"),
					   .uuid = value(a, pr, "UUID"),
					   .label = value(a, pr, "LABEL"),
					   .version = value(a, pr, "VERSION") };
		*(is_member_uuid_random(type) ? &ret->drawn : &ret->uuid_sub) = value(a, pr, "UUID_SUB");
		ret->usage = ret->usage ? ret->usage : "other";
	} else {
		*ret = (struct signature){ .type = table, .usage = "table", .uuid = value(a, pr, "PTUUID") };
	}
	offset = value(a, pr, type ? "SBMAGIC_OFFSET" : "PTMAGIC_OFFSET");
	if (offset && blkid_probe_lookup_value(pr, type ? "SBMAGIC" : "PTMAGIC", &magic, ret_len) == 0)
		ret->offset = strtoull(offset, NULL, 10);
	return true;
}

/*
 * One content can have several magics: a FAT has up to three, a GPT its backup and the protective MBR, a ZFS member dozens. They are
 * told once. A backup GPT without its primary, or of another table, stays.
 */
static bool is_part_of_known(const signature_list *known, const struct signature *s)
{
	vec_each (const struct signature *, have, known)
		if ((text_eq(have->type, s->type) && text_eq(have->uuid, s->uuid)) ||
		    (text_eq(have->type, "gpt") && text_eq(s->type, "PMBR")))
			return true;
	return false;
}

int look_area(struct arena *a, int fd, uint64_t start, uint64_t size, signature_list *ret)
{
	__attribute__((cleanup(free_probep))) blkid_probe pr = blkid_new_probe();
	int r = 1;

	if (!pr)
		return -ENOMEM;
	errno = 0;
	if (blkid_probe_set_device(pr, fd, (blkid_loff_t)start, (blkid_loff_t)size) < 0)
		return errno ? -errno : -EIO;
	/* Superblocks with a wrong checksum and tables that the firmware would ignore are content all the same. */
	if (blkid_probe_enable_superblocks(pr, 1) < 0 ||
	    blkid_probe_set_superblocks_flags(pr, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE | BLKID_SUBLKS_UUID |
							  BLKID_SUBLKS_LABEL | BLKID_SUBLKS_VERSION |
							  BLKID_SUBLKS_MAGIC | BLKID_SUBLKS_BADCSUM) < 0 ||
	    blkid_probe_enable_partitions(pr, 1) < 0 ||
	    blkid_probe_set_partitions_flags(pr, BLKID_PARTS_MAGIC | BLKID_PARTS_FORCE_GPT) < 0)
		return -EIO;
	ret->n = 0;
	/* Each magic that was found is hidden from the library (in its buffers alone), which then finds what it would have hidden. */
	for (unsigned i = 0; i < MOST_MAGICS; i++) {
		struct signature s;
		size_t len;

		errno = 0;
		r = blkid_do_probe(pr);
		if (r)
			break;
		if (!read_signature(a, pr, &s, &len))
			continue;
		if (!is_part_of_known(ret, &s))
			vec_push(a, ret, s);
		if (len && (blkid_probe_hide_range(pr, s.offset, len) < 0 || blkid_probe_step_back(pr) < 0))
			return -EIO;
	}
	return r < 0 ? (errno ? -errno : -EIO) : 0;
}

int look_signatures(struct arena *a, int fd, struct blockdev *dev)
{
	return look_area(a, fd, 0, 0, &dev->signatures);
}

bool look_content(struct machine *m, struct blockdev *dev)
{
	_cleanup_fd_ int fd = -1;
	char byte;
	int r;

	if (dev->error || !dev->size)
		return true;
	fd = open(dev->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0) {
		if (text_eq(dev->type, "rom") && errno != EACCES)
			return false;
		if (errno != EACCES)
			dev->error = arena_printf(m->arena, "can't be opened: %s", strerror(errno));
		return true;
	}
	/* A drive without a medium can be opened, and has the size of the last one. */
	if (text_eq(dev->type, "rom") && ioctl(fd, CDROM_DRIVE_STATUS, CDSL_CURRENT) != CDS_DISC_OK)
		return false;
	errno = 0;
	/* The last sectors of a CD are often not there. */
	if (pread(fd, &byte, 1, 0) != 1 ||
	    (!text_eq(dev->type, "rom") && pread(fd, &byte, 1, (off_t)dev->size - 1) != 1)) {
		dev->error = arena_printf(m->arena, "can't be read: %s", strerror(errno ? errno : EIO));
		return true;
	}
	r = look_signatures(m->arena, fd, dev);
	if (r < 0)
		dev->error = arena_printf(m->arena, "can't be read: %s", strerror(-r));
	else
		dev->looked = true;
	return true;
}
