/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libudev.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "run/identity.h"
#include "run/op.h"
#include "run/signature.h"
#include "run/users.h"

/* A device of the plan, each once. */
struct suspect {
	const struct blockdev *dev;
	struct pos pos;
	bool disk;  /* one whose identity counts */
	bool blank; /* gets content of its own */
};

typedef VEC(struct suspect) suspect_list;

static struct suspect *suspect(struct arena *a, suspect_list *list, const struct blockdev *dev,
			       struct pos pos)
{
	vec_each (struct suspect *, s, list)
		if (s->dev == dev)
			return s;
	vec_push(a, list, (struct suspect){ .dev = dev, .pos = pos });
	return &list->at[list->n - 1];
}

/* As the machine was, whatever of it is given up. */
static const struct blockdev *block_of(const struct plan *p, const struct node *n)
{
	const struct blockdev *b = n->have ? n->have->block : n->block;
	const struct blockdev *was = b && p->machine ? map_get(&p->machine->by_name, b->name) : NULL;

	return was ? was : b;
}

static void collect(struct arena *a, const struct plan *p, suspect_list *list)
{
	vec_each (struct step *const *, st, &p->steps) {
		node_list disks = (*st)->node ? node_disks(a, (*st)->node) : (node_list){ 0 };
		const struct op *op = &(*st)->op;
		const struct blockdev *dev;

		vec_each (struct node *const *, n, &disks)
			if (block_of(p, *n))
				suspect(a, list, block_of(p, *n), (*n)->pos)->disk = true;
		if (op->form != OP_TABLE && op->form != OP_ZERO && op->form != OP_WIPE)
			continue;
		dev = p->machine ? machine_dev(p->machine, op->dev) : NULL;
		if (dev)
			suspect(a, list, dev, (*st)->pos)->blank = true;
	}
	for (size_t i = 0; p->want && i < p->want->nodes.n; i++) {
		const struct node *n = p->want->nodes.at[i];

		vec_each (const struct edge *, e, &n->below)
			if (n->verdict == VERDICT_CREATE && e->claim && block_of(p, e->to))
				suspect(a, list, block_of(p, e->to), n->pos)->blank = true;
	}
}

static bool trimmed_eq(const char *now, const char *then)
{
	size_t n;

	now += strspn(now, " \t\n");
	n = strlen(now);
	while (n && strchr(" \t\n", now[n - 1]))
		n--;
	return n == strlen(then) && !strncmp(now, then, n);
}

/* The same places from which the probe took it, in whatever order it preferred them. */
static bool tells(struct arena *a, const struct blockdev *dev, const char *const *files,
		  const char *const *properties, const char *then, const char **ret_now)
{
	struct udev *udev = udev_new();
	struct udev_device *u = udev ? udev_device_new_from_devnum(udev, 'b', makedev(dev->major, dev->minor))
				     : NULL;
	bool found = false;
	char *s;

	*ret_now = NULL;
	for (; *files && !found; files++) {
		if (file_read(a, AT_FDCWD,
			      arena_printf(a, "/sys/dev/block/%u:%u/%s", dev->major, dev->minor, *files),
			      4096, &s, NULL) ||
		    !*s)
			continue;
		s[strcspn(s, "\n")] = 0;
		if (text_starts(s, "naa."))
			s = arena_printf(a, "0x%s", s + 4);
		found = trimmed_eq(s, then);
		*ret_now = s;
	}
	for (; *properties && !found && u; properties++) {
		const char *value = udev_device_get_property_value(u, *properties);

		if (!value || !*value)
			continue;
		value = arena_strdup(a, value);
		found = trimmed_eq(value, then) || trimmed_eq(text_safe(a, value), then);
		*ret_now = value;
	}
	(void)udev_device_unref(u);
	(void)udev_unref(udev);
	return found;
}

static void check_disk(struct arena *a, const struct suspect *s, struct diag *d)
{
	static const char *const serials[] = { "serial", "device/serial", NULL };
	static const char *const serial_names[] = { "ID_SCSI_SERIAL", "ID_SERIAL_SHORT", "ID_SERIAL", NULL };
	static const char *const wwns[] = { "wwid", "device/wwid", NULL };
	static const char *const wwn_names[] = { "ID_WWN_WITH_EXTENSION", "ID_WWN", NULL };
	const struct blockdev *dev = s->dev;
	const char *now;

	if (dev->serial && !tells(a, dev, serials, serial_names, dev->serial, &now))
		(void)diag_refuse(
			d, s->pos,
			"%s was the disk with serial number '%s' when the plan was made, now it is '%s'",
			dev->path, dev->serial, now ? now : "unknown");
	if (dev->wwn && !tells(a, dev, wwns, wwn_names, dev->wwn, &now))
		(void)diag_refuse(d, s->pos,
				  "%s was the disk with WWN %s when the plan was made, now it is %s",
				  dev->path, dev->wwn, now ? now : "unknown");
}

/* The kernel's numbers may belong to another device by now. */
static bool check_size(struct arena *a, const struct suspect *s, struct diag *d)
{
	const struct blockdev *dev = s->dev;
	const char *where = arena_printf(a, "/sys/dev/block/%u:%u", dev->major, dev->minor);
	char *name, *text;
	uint64_t size;

	if (file_read(a, AT_FDCWD, arena_printf(a, "%s/size", where), 64, &text, NULL) ||
	    file_read(a, AT_FDCWD, arena_printf(a, "%s/uevent", where), 4096, &name, NULL)) {
		(void)diag_refuse(d, s->pos, "%s was there when the plan was made, now it is gone",
				  dev->path);
		return false;
	}
	name = strstr(name, "DEVNAME=");
	if (name) {
		name += strlen("DEVNAME=");
		name[strcspn(name, "\n")] = 0;
	}
	if (!name ||
	    !text_eq(name, text_starts(dev->path, "/dev/") ? dev->path + strlen("/dev/") : dev->path)) {
		(void)diag_refuse(d, s->pos, "%s was device %u:%u when the plan was made, now that is %s",
				  dev->path, dev->major, dev->minor, name ? name : "another one");
		return false;
	}
	size = strtoull(text, NULL, 10) * SECTOR;
	if (size != dev->size) {
		(void)diag_refuse(d, s->pos, "%s had %s when the plan was made, now it has %s", dev->path,
				  units_exact(a, dev->size), units_exact(a, size));
		return false;
	}
	return true;
}

/* The first partition that the kernel shows on a disk. */
static const char *partition_of(struct arena *a, const struct blockdev *dev)
{
	const char *where = arena_printf(a, "/sys/dev/block/%u:%u", dev->major, dev->minor), *found = NULL;
	DIR *dir = opendir(where);

	for (struct dirent *e; dir && !found && (e = readdir(dir));)
		/* "." is a partition itself where the plan keeps one and fills it. */
		if (e->d_name[0] != '.' &&
		    !access(arena_printf(a, "%s/%s/partition", where, e->d_name), F_OK))
			found = arena_strdup(a, e->d_name);
	if (dir)
		(void)closedir(dir);
	return found;
}

static bool was_blank(const struct plan *p, const struct blockdev *dev)
{
	if (dev->signatures.n || dev->holders.n)
		return false;
	for (size_t i = 0; p->machine && i < p->machine->devs.n; i++)
		if (text_eq(p->machine->devs.at[i]->parent, dev->name))
			return false;
	return true;
}

/* Who holds it is told; where the kernel holds it for nobody that can be seen, what that may be. */
static void tell_users(struct arena *a, const struct suspect *s, const text_list *users, struct diag *d)
{
	if (users->n) {
		(void)diag_refuse(d, s->pos, "%s is in use: %s", s->dev->path, text_join(a, users, "; "));
		diag_note(d, nowhere, "what is in use is never overwritten: end that use, and apply again");
		return;
	}
	(void)diag_refuse(d, s->pos, "%s is in use, but nobody is to be seen who uses it", s->dev->path);
	diag_note(d, nowhere,
		  "the kernel itself holds it: it may be a part of a ZFS pool or a bcache, be given to other "
		  "machines (iSCSI, NVMe over Fabrics), or still be mounted somewhere out of sight");
}

/* What lies where the table puts partitions, or where they usually begin, is content that no signature of the whole disk tells of. */
static void check_strays(struct arena *a, const struct plan *p, const struct suspect *s, int fd,
			 struct diag *d)
{
	const struct blockdev *then = p->machine ? map_get(&p->machine->by_name, s->dev->name) : NULL;
	extent_list places = plan_places(p, a, s->dev->path);
	signature_list now = machine_strays(a, fd, s->dev, &places, d);

	vec_each (const struct signature *, sig, &now) {
		bool known = false;

		for (size_t i = 0; then && i < then->strays.n; i++)
			known |= then->strays.at[i].offset == sig->offset &&
				 text_eq(then->strays.at[i].type, sig->type) &&
				 text_eq(then->strays.at[i].uuid, sig->uuid);
		if (!known)
			(void)diag_refuse(d, s->pos,
					  "%s was blank when the plan was made, now it looks like a lost "
					  "table: it has a %s at %s",
					  s->dev->path, text_safe(a, sig->type), units_exact(a, sig->offset));
	}
}

static void check_blank(struct arena *a, const struct plan *p, const struct suspect *s, struct diag *d)
{
	/* O_EXCL: fails where it is mounted, swapped on, or a member of something. */
	_cleanup_fd_ int fd = open(s->dev->path, O_RDONLY | O_CLOEXEC | O_EXCL);
	_cleanup_probe_ blkid_probe pr = NULL;
	const char *part;
	text_list users;
	int r;

	if (fd < 0 && errno == EBUSY) {
		users = users_of(a, s->dev, USERS_ALL);
		tell_users(a, s, &users, d);
		return;
	}
	/* A virtual machine or a loop device that writes to a disk doesn't ask to be alone with it. */
	users = fd < 0 ? (text_list){ 0 } : users_of(a, s->dev, USERS_WRITING);
	if (users.n) {
		tell_users(a, s, &users, d);
		return;
	}
	pr = fd < 0 ? NULL : signature_probe(fd);
	if (!pr) {
		(void)diag_refuse(d, s->pos, "cannot read %s: %s", s->dev->path, strerror(errno));
		return;
	}
	part = partition_of(a, s->dev);
	r = blkid_do_probe(pr);
	if (r == 0)
		(void)diag_refuse(d, s->pos, "%s was blank when the plan was made, now it has a %s signature",
				  s->dev->path, text_safe(a, signature_type(pr)));
	else if (r < 0)
		(void)diag_refuse(d, s->pos, "cannot read %s: %s", s->dev->path, strerror(errno));
	else if (part)
		(void)diag_refuse(d, s->pos,
				  "%s was blank when the plan was made, now it has the partition %s",
				  s->dev->path, part);
	else if (text_eq(s->dev->type, "disk"))
		check_strays(a, p, s, fd, d);
}

static bool has_use(struct arena *a, const struct machine *m, const struct blockdev *b)
{
	return b->holders.n || machine_mounts_of(m, a, b).n || machine_is_swap(m, b);
}

/* By something that the plan will end before it wipes the device, as far as the machine told; by way of a partition, too. */
static bool is_used_as_planned(struct arena *a, const struct machine *m, const struct blockdev *b)
{
	if (has_use(a, m, b))
		return true;
	vec_each (struct blockdev *const *, part, &m->devs)
		if (text_eq((*part)->parent, b->name) && has_use(a, m, *part))
			return true;
	return false;
}

/*
 * What is given up has users that the plan ends, and may have others that it doesn't know of: processes, and mounts that are out of its
 * sight. They are told before anything is ended; later, a step would fail half-way.
 */
static void check_given_up(struct arena *a, const struct plan *p, const struct map *nodes, struct diag *d)
{
	for (size_t i = 0; i < nodes->n; i++) {
		const struct node *n = nodes->items[i].value;
		struct suspect s = { .dev = n->block ? block_of(p, n) : NULL };
		_cleanup_fd_ int fd = -1;
		text_list users;

		if (!s.dev || !s.dev->size)
			continue;
		users = users_of(a, s.dev, USERS_APART);
		if (!users.n && !is_used_as_planned(a, p->machine, s.dev)) {
			fd = open(s.dev->path, O_RDONLY | O_CLOEXEC | O_EXCL);
			if (fd >= 0 || errno != EBUSY)
				continue;
			users = users_of(a, s.dev, USERS_ALL);
		} else if (!users.n) {
			continue;
		}
		tell_users(a, &s, &users, d);
	}
}

static bool is_below(const char *path, const char *dir)
{
	size_t n = strcmp(dir, "/") ? strlen(dir) : 0;

	return !strncmp(path, dir, n) && path[n] == '/' && path[n + 1];
}

/* Whether a filesystem will be mounted over it first: then it is another file than the one that is seen now. */
static bool is_covered(const struct plan *p, const char *path)
{
	vec_each (struct step *const *, st, &p->steps)
		if ((*st)->op.form == OP_MOUNT && (*st)->op.path && is_below(path, (*st)->op.path))
			return true;
	return false;
}

static void check_file(struct arena *a, const struct plan *p, const struct step *st, struct diag *d)
{
	const char *path = st->op.path, *then = machine_file(p->machine, path), *root = p->options.root;
	bool below = root && strcmp(root, "/") != 0 && is_below(path, root);
	_cleanup_fd_ int fd = -1;
	char *now = NULL;
	int r;

	if (is_covered(p, path))
		return;
	fd = file_open_in(below ? root : NULL, below ? path + strlen(root) : path);
	r = fd < 0 ? fd : file_read_fd(a, fd, 1 << 24, &now, NULL);
	if (!then && r != -ENOENT && r != -ENOTDIR)
		(void)diag_refuse(d, st->pos, "'%s' was not there when the plan was made, now it is", path);
	else if (then && (r || strcmp(now, then) != 0))
		(void)diag_refuse(d, st->pos, "'%s' has been %s since the plan was made", path,
				  r == -ENOENT ? "removed" : "changed");
}

static bool same_mount(const struct mount_there *x, const struct mount_there *y)
{
	return x == y || (x && y && text_eq(x->target, y->target) && text_eq(x->source, y->source) &&
			  text_eq(x->type, y->type) && text_eq(x->root, y->root));
}

/* What a path lies on: of those that are mounted nearest above it, the last. The trap of an automount doesn't count, using the path springs it. */
static const struct mount_there *mount_above(const struct machine *m, const char *path)
{
	const struct mount_there *found = NULL;

	vec_each (const struct mount_there *, there, &m->mounts)
		if (!text_eq(there->type, "autofs") &&
		    (text_eq(there->target, path) || is_below(path, there->target)) &&
		    (!found || strlen(there->target) >= strlen(found->target)))
			found = there;
	return found;
}

/* What came below a place since, which mounting something there would hide. */
static const struct mount_there *new_below(const struct machine *then, const struct machine *now,
					   const char *path)
{
	vec_each (const struct mount_there *, there, &now->mounts) {
		bool known = false;

		vec_each (const struct mount_there *, old, &then->mounts)
			known = known || same_mount(old, there);
		if (!known && is_below(there->target, path))
			return there;
	}
	return NULL;
}

static const char *mount_text(struct arena *a, const struct mount_there *m)
{
	return m ? arena_printf(a, "%s (%s)", m->source, m->type) : "nothing";
}

/* Somebody may have mounted something, or taken it away, while the plan was read. */
static void check_mounts(struct arena *a, const struct plan *p, struct diag *d)
{
	const struct machine *then = p->machine;
	struct machine *now;
	int r = machine_mounts_now(then, a, &now);

	if (r) {
		(void)diag_refuse(d, nowhere, "cannot tell what is mounted: %s", strerror(-r));
		return;
	}
	vec_each (struct step *const *, st, &p->steps) {
		const char *path = (*st)->op.path;
		const struct mount_there *old, *new;

		if (!path || is_covered(p, path))
			continue;
		old = mount_above(then, path);
		new = mount_above(now, path);
		if (!same_mount(old, new)) {
			(void)diag_refuse(
				d, (*st)->pos,
				"'%s' was on %s when the plan was made, now it is on %s, mounted at '%s'",
				path, mount_text(a, old), mount_text(a, new), new ? new->target : "/");
			continue;
		}
		new = (*st)->op.form == OP_MOUNT ? new_below(then, now, path) : NULL;
		if (new)
			(void)diag_refuse(
				d, (*st)->pos,
				"%s has been mounted at '%s' since the plan was made; '%s' would hide it",
				mount_text(a, new), new->target, (*st)->id);
	}
}

int identity_check(struct arena *a, const struct plan *p, struct diag *d)
{
	unsigned before = d->refusals;
	suspect_list list = { 0 };

	collect(a, p, &list);
	vec_each (const struct suspect *, s, &list) {
		if (!check_size(a, s, d))
			continue;
		if (s->disk)
			check_disk(a, s, d);
		if (s->blank && was_blank(p, s->dev))
			check_blank(a, p, s, d);
	}
	check_given_up(a, p, &p->losses.ends, d);
	check_given_up(a, p, &p->losses.clear, d);
	vec_each (struct step *const *, st, &p->steps) {
		const char *link = (*st)->op.form == OP_MKDIR && !is_covered(p, (*st)->op.path)
					   ? op_link_on_way(a, p->options.root, (*st)->op.path)
					   : NULL;

		if (link)
			(void)diag_refuse(d, (*st)->pos,
					  "'%s' is a symbolic link: state where it leads, for the place of "
					  "'%s' is there",
					  link, (*st)->op.path);
	}
	if (p->machine && p->machine->live)
		check_mounts(a, p, d);
	/* A recording masks secrets: its files say nothing about those that are there. */
	vec_each (struct step *const *, st, &p->steps)
		if ((*st)->op.form == OP_FILE && p->machine && p->machine->live)
			check_file(a, p, *st, d);
	return d->refusals > before ? -EPERM : 0;
}
