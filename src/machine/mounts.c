/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/arena.h"
#include "machine/machine.h"
#include "machine/parts.h"

enum { MOST_MAJOR = 0xfff, MOST_MINOR = 0xfffff }; /* linux/kdev_t.h */

/* The kernel's own filesystems: nobody's data, and what is mounted differs from boot to boot. */
static bool is_pseudo(const char *type)
{
	static const char *const types[] = { "autofs",   "binfmt_misc", "bpf",         "cgroup",
					     "cgroup2",  "configfs",    "debugfs",     "devpts",
					     "devtmpfs", "efivarfs",    "fusectl",     "hugetlbfs",
					     "mqueue",   "nsfs",        "proc",        "pstore",
					     "ramfs",    "rpc_pipefs",  "securityfs",  "selinuxfs",
					     "sysfs",    "tracefs",     "fuse.portal", "fuse.gvfsd-fuse" };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (text_eq(type, types[i]))
			return true;
	return false;
}

/* What stands in the kernel's own filesystems, /dev/shm or the cgroups' tmpfs. */
static bool is_kernels(const char *target)
{
	return text_starts(target, "/dev/") || text_starts(target, "/proc/") || text_starts(target, "/sys/");
}

static bool is_octal(const char *s)
{
	return s[0] >= '0' && s[0] <= '3' && s[1] >= '0' && s[1] <= '7' && s[2] >= '0' && s[2] <= '7';
}

/* The kernel writes blanks, tabs, newlines and backslashes as \NNN. */
static char *unescape(struct arena *a, const char *s, size_t n)
{
	char *r = arena_strndup(a, s, n), *to = r;

	for (const char *from = r; *from; to++) {
		if (*from == '\\' && is_octal(from + 1)) {
			*to = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
	return text_valid_utf8(r, strlen(r)) ? r : arena_strdup(a, text_safe(a, r));
}

static text_list words_of(struct arena *a, const char *line, size_t len)
{
	text_list r = { 0 };
	const char *end = line + len;

	while (line < end) {
		size_t n = strcspn(line, " \t\n");

		if (n)
			vec_push(a, &r, unescape(a, line, n));
		line += n + 1;
	}
	return r;
}

/* Options of the mount and of the filesystem, each once. */
static const char *join_options(struct arena *a, const char *mount, const char *super)
{
	struct text t = { .arena = a };

	text_add(&t, mount);
	while (*super) {
		size_t n = strcspn(super, ",");
		bool there = false;

		for (const char *have = mount; *have && !there;
		     have += strcspn(have, ","), have += *have == ',')
			there = strcspn(have, ",") == n && !strncmp(have, super, n);
		/* The filesystem's "rw" says nothing about a mount that is "ro". */
		if (n && !there && !(n == 2 && (!strncmp(super, "rw", 2) || !strncmp(super, "ro", 2)))) {
			text_addc(&t, ',');
			text_addn(&t, super, n);
		}
		super += n + (super[n] == ',');
	}
	return text_str(&t);
}

static const char *name_of(const struct machine *m, unsigned major, unsigned minor)
{
	vec_each (struct blockdev *const *, d, &m->devs)
		if ((*d)->major == major && (*d)->minor == minor)
			return (*d)->name;
	return NULL;
}

/* The device that a path leads to. */
static const char *name_at(const struct machine *m, const char *path)
{
	struct stat st;

	if (path[0] != '/' || stat(path, &st) < 0 || !S_ISBLK(st.st_mode))
		return NULL;
	return name_of(m, major(st.st_rdev), minor(st.st_rdev));
}

static bool is_same(const struct blockdev *a, const struct blockdev *b, const char *type)
{
	vec_each (const struct signature *, x, &a->signatures)
		vec_each (const struct signature *, y, &b->signatures)
			if (x->uuid && text_eq(x->type, type) && text_eq(y->type, type) &&
			    text_eq(x->uuid, y->uuid))
				return true;
	return false;
}

/* Of the devices of one filesystem, the kernel names the one that it saw last: let it always be the first. */
static void name_first_member(struct machine *m, struct mount_there *mount)
{
	const struct blockdev *named = mount->dev ? map_get(&m->by_name, mount->dev) : NULL;

	if (!named)
		return;
	vec_each (struct blockdev *const *, dev, &m->devs)
		if (*dev == named || is_same(*dev, named, mount->type)) {
			mount->dev = (*dev)->name;
			return;
		}
}

/* Of the names of one device, the kernel keeps the one that was used first, which may be any. */
static void name_source(struct machine *m, struct mount_there *mount)
{
	const struct blockdev *dev = mount->dev ? map_get(&m->by_name, mount->dev) : NULL;

	if (dev)
		mount->source = dev->dm_name ? arena_printf(m->arena, "/dev/mapper/%s", dev->dm_name)
					     : dev->path;
}

static void add_mount(struct machine *m, const text_list *w)
{
	struct mount_there mount = { 0 };
	size_t dash = 6;
	char *end;

	/* id parent major:minor root target options [tags...] - type source super-options */
	while (dash < w->n && !text_eq(w->at[dash], "-"))
		dash++;
	if (w->n < dash + 3 || *w->at[4] != '/' || is_pseudo(w->at[dash + 1]) || is_kernels(w->at[4]))
		return;
	mount.major = (unsigned)strtoul(w->at[2], &end, 10) & MOST_MAJOR;
	mount.minor = *end == ':' ? (unsigned)strtoul(end + 1, NULL, 10) & MOST_MINOR : 0;
	mount.root = w->at[3];
	mount.target = w->at[4];
	mount.type = w->at[dash + 1];
	mount.source = w->at[dash + 2];
	mount.options = join_options(m->arena, w->at[5], w->n > dash + 3 ? w->at[dash + 3] : "");
	if (mount.major) {
		mount.dev = name_of(m, mount.major, mount.minor);
	} else {
		mount.minor = 0; /* drawn from a counter */
		mount.dev = name_at(m, mount.source);
		name_first_member(m, &mount);
	}
	name_source(m, &mount);
	vec_push(m->arena, &m->mounts, mount);
}

static const char *each_line(const char *text, size_t *ret_len)
{
	*ret_len = strcspn(text, "\n");
	return text[*ret_len] ? text + *ret_len + 1 : text + *ret_len;
}

void look_mounts(struct machine *m, const char *mountinfo)
{
	while (*mountinfo) {
		size_t len;
		const char *next = each_line(mountinfo, &len);
		text_list w = words_of(m->arena, mountinfo, len);

		add_mount(m, &w);
		mountinfo = next;
	}
}

void look_swaps(struct machine *m, const char *swaps)
{
	while (*swaps) {
		size_t len;
		const char *next = each_line(swaps, &len);
		text_list w = words_of(m->arena, swaps, len);

		/* Filename Type Size Used Priority; the first line says so. */
		if (w.n >= 2 && w.at[0][0] == '/')
			vec_push(m->arena, &m->swaps,
				 (struct swap_there){ .path = w.at[0], .dev = name_at(m, w.at[0]) });
		swaps = next;
	}
}
