/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/units.h"
#include "machine/machine.h"
#include "machine/parts.h"

enum { ATTRIBUTE_MAX = 4096 }; /* the kernel's limit: one page */

static void close_dirp(DIR **d)
{
	if (*d)
		(void)closedir(*d);
}
#define _cleanup_dir_ __attribute__((cleanup(close_dirp)))

/* A device's directory. Attributes are read into @scratch, which ends with the device. */
struct dir {
	int fd;
	struct arena *scratch;
};

/* An attribute without blanks around it, NULL where it is missing or empty. */
static const char *attribute(const struct dir *d, const char *name)
{
	char *s, *end;

	if (file_read(d->scratch, d->fd, name, ATTRIBUTE_MAX, &s, NULL) < 0)
		return NULL;
	s += strspn(s, " \t\n");
	end = s + strlen(s);
	while (end > s && strchr(" \t\n", end[-1]))
		end--;
	*end = '\0';
	return *s ? s : NULL;
}

static uint64_t number(const struct dir *d, const char *name)
{
	const char *s = attribute(d, name);

	return s && *s != '-' ? strtoull(s, NULL, 10) : 0;
}

static bool exists(const struct dir *d, const char *name)
{
	return faccessat(d->fd, name, F_OK, 0) == 0;
}

static bool has_number(const char *name, const char *prefix)
{
	return text_starts(name, prefix) && name[strlen(prefix)] >= '0' && name[strlen(prefix)] <= '9';
}

/* Where a device is in the tree of devices: "../../devices/pci0000:00/.../block/vda/vda1". */
static const char *place(struct arena *a, int class, const char *name)
{
	size_t room = 1024;

	for (;;) {
		char *s = arena_alloc(a, room + 1);
		ssize_t n = readlinkat(class, name, s, room);

		if (n < 0)
			return "";
		if ((size_t)n < room)
			return s;
		room *= 2;
	}
}

/* A partition's directory lies in its disk's. */
static const char *parent_name(struct arena *a, const char *where)
{
	const char *end = strrchr(where, '/'), *start = end;

	if (!end)
		return NULL;
	while (start > where && start[-1] != '/')
		start--;
	return start == end ? NULL : arena_strndup(a, start, (size_t)(end - start));
}

static const char *type_of(const struct dir *d, const char *name)
{
	if (exists(d, "partition"))
		return "part";
	if (exists(d, "md"))
		return "md";
	if (exists(d, "dm"))
		return "dm";
	if (has_number(name, "loop"))
		return "loop";
	if (has_number(name, "sr"))
		return "rom";
	if (has_number(name, "zram"))
		return "zram";
	if (text_starts(name, "mmcblk") && strstr(name, "boot"))
		return "other"; /* the boot area of a flash chip */
	return exists(d, "device") ? "disk" : "other";
}

/* By what a disk is connected, from the way to it in the tree of devices. The last link of the chain comes first. */
static const char *transport_of(const char *name, const char *where)
{
	static const struct {
		const char *part, *transport;
	} ways[] = {
		{ "/usb", "usb" },  { "/session", "iscsi" }, { "/end_device-", "sas" },   { "/rport-", "fc" },
		{ "/ata", "sata" }, { "/mmc_host", "mmc" },  { "/firewire", "firewire" },
	};

	if (text_starts(name, "nvme"))
		return "nvme";
	if (text_starts(name, "vd"))
		return "virtio";
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (strstr(where, ways[i].part))
			return ways[i].transport;
	if (text_starts(name, "sd"))
		return "scsi";
	return text_starts(name, "xvd") ? "xen" : NULL;
}

/* "naa.5000c500..." is what udev and the labels on disks write as 0x5000c500... */
static const char *wwn_of(struct arena *a, const struct dir *d)
{
	const char *s = attribute(d, "wwid");

	s = s ? s : attribute(d, "device/wwid");
	if (!s || text_starts(s, "t10.")) /* vendor, model and serial run together: no number of its own */
		return NULL;
	return text_starts(s, "naa.") ? arena_printf(a, "0x%s", s + 4) : arena_strdup(a, s);
}

static void read_identity(struct arena *a, const struct dir *d, struct blockdev *dev, const char *where)
{
	const char *serial = attribute(d, "serial"), *vendor = attribute(d, "device/vendor");

	dev->serial = arena_strdup(a, serial ? serial : attribute(d, "device/serial"));
	dev->wwn = wwn_of(a, d);
	dev->model = arena_strdup(a, attribute(d, "device/model"));
	dev->vendor = vendor && !text_starts(vendor, "0x") ? arena_strdup(a, vendor)
							   : NULL; /* 0x: a PCI number */
	dev->transport = transport_of(dev->name, where);
}

static void read_limits(const struct dir *d, struct blockdev *dev, const char *queue)
{
	struct arena *a = d->scratch;

	dev->geo.logical = (uint32_t)number(d, arena_printf(a, "%s/logical_block_size", queue));
	dev->geo.physical = (uint32_t)number(d, arena_printf(a, "%s/physical_block_size", queue));
	dev->geo.min_io = number(d, arena_printf(a, "%s/minimum_io_size", queue));
	dev->geo.opt_io = number(d, arena_printf(a, "%s/optimal_io_size", queue));
	dev->rotational = number(d, arena_printf(a, "%s/rotational", queue));
}

static int text_order(const void *a, const void *b)
{
	return machine_name_order(*(const char *const *)a, *(const char *const *)b);
}

static text_list read_names(struct arena *a, const struct dir *d, const char *name)
{
	int fd = openat(d->fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_dir_ DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	text_list r = { 0 };

	if (fd >= 0 && !dir)
		(void)close(fd);
	for (struct dirent *e; dir && (e = readdir(dir));)
		if (e->d_name[0] != '.' && machine_good_name(e->d_name))
			vec_push(a, &r, arena_strdup(a, e->d_name));
	if (r.n)
		qsort(r.at, r.n, sizeof(*r.at), text_order);
	return r;
}

/* Sectors to bytes; what can't be is nothing. */
static uint64_t sectors(uint64_t n)
{
	return n > INT64_MAX / SECTOR ? 0 : n * SECTOR;
}

static const char *node_path(struct arena *a, const char *name)
{
	char *path = arena_printf(a, "/dev/%s", name);

	for (char *c = path; *c; c++)
		if (*c == '!') /* what sysfs writes for the slash in "cciss/c0d0" */
			*c = '/';
	return path;
}

/* A file's name may be any bytes, a recording is Unicode. */
static const char *readable(struct arena *a, const char *s)
{
	return !s || text_valid_utf8(s, strlen(s)) ? arena_strdup(a, s) : arena_strdup(a, text_safe(a, s));
}

static struct blockdev *read_device(struct arena *a, const struct dir *d, const char *name, const char *where)
{
	struct blockdev *dev = arena_of(a, struct blockdev);
	const char *numbers = attribute(d, "dev");
	char *end;

	dev->size = sectors(number(d, "size"));
	dev->slaves = read_names(a, d, "slaves");
	/* An array that isn't running has no size, but holds its members all the same. */
	if (!numbers || number(d, "hidden") || (!dev->size && !dev->slaves.n))
		return NULL;
	dev->major = (unsigned)strtoul(numbers, &end, 10);
	dev->minor = *end == ':' ? (unsigned)strtoul(end + 1, NULL, 10) : 0;
	dev->name = arena_strdup(a, name);
	dev->path = node_path(a, name);
	dev->type = type_of(d, name);
	dev->holders = read_names(a, d, "holders");
	dev->read_only = number(d, "ro");
	dev->removable = number(d, "removable");
	dev->dm_name = arena_strdup(a, attribute(d, "dm/name"));
	if (text_eq(dev->type, "loop"))
		dev->backing = readable(a, attribute(d, "loop/backing_file"));
	if (text_eq(dev->type, "part")) {
		dev->start = sectors(number(d, "start"));
		dev->partn = (unsigned)number(d, "partition");
		dev->parent = parent_name(a, where);
		dev->removable = number(d, "../removable");
		read_limits(d, dev, "../queue");
	} else {
		read_limits(d, dev, "queue");
	}
	if (text_eq(dev->type, "disk"))
		read_identity(a, d, dev, where);
	/* Reading a suspended device would wait until somebody resumes it. */
	if (number(d, "dm/suspended"))
		dev->error = "it is suspended";
	return dev;
}

int look_sysfs(struct machine *m, const char *sys, struct diag *d)
{
	const char *path = arena_printf(m->arena, "%s/class/block", sys);
	_cleanup_dir_ DIR *class = opendir(path);

	if (!class)
		return diag_error(d, nowhere, "can't list the block devices in %s: %s", path,
				  strerror(errno));
	for (struct dirent *e; (e = readdir(class));) {
		_cleanup_fd_ int fd = -1;
		_cleanup_arena_ struct arena *scratch = NULL;
		struct blockdev *dev;

		if (!machine_good_name(e->d_name) || has_number(e->d_name, "ram") ||
		    has_number(e->d_name, "fd"))
			continue;
		fd = openat(dirfd(class), e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			continue; /* it has just gone */
		scratch = arena_new();
		dev = read_device(m->arena, &(struct dir){ .fd = fd, .scratch = scratch }, e->d_name,
				  place(scratch, dirfd(class), e->d_name));
		if (dev)
			vec_push(m->arena, &m->devs, dev);
	}
	return 0;
}
