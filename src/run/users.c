/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/users.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/map.h"
#include "machine/machine.h"

/*
 * The kernel says that a device is busy, never for whom. So all the places are searched where that may be read, in the order in which a
 * person would look.
 */

enum { MOST_USERS = 12, TABLE_LIMIT = 1 << 24, LINE_LIMIT = 4096 };

/* The device and its partitions. */
struct part {
	const char *name; /* kernel name */
	dev_t number;
};

struct search {
	struct arena *a;
	VEC(struct part) parts;
	text_list found;
	text_list here; /* what was said of the mounts that this process sees */
};

static void close_dirp(DIR **d)
{
	if (*d)
		(void)closedir(*d);
}
#define _cleanup_dir_ __attribute__((cleanup(close_dirp)))

static void found(struct search *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void found(struct search *s, const char *fmt, ...)
{
	const char *text;
	va_list ap;

	va_start(ap, fmt);
	text = text_safe(s->a, arena_vprintf(s->a, fmt, ap));
	va_end(ap);
	vec_each (const char *const *, other, &s->found)
		if (text_eq(*other, text))
			return;
	if (s->found.n < MOST_USERS)
		vec_push(s->a, &s->found, text);
}

static const char *line_of(struct arena *a, const char *path)
{
	char *s;

	if (file_read(a, AT_FDCWD, path, LINE_LIMIT, &s, NULL) < 0)
		return NULL;
	s[strcspn(s, "\n")] = '\0';
	return s;
}

static bool read_number(const char *s, dev_t *ret)
{
	char *end;
	unsigned long major = s ? strtoul(s, &end, 10) : 0, minor;

	if (!s || *end != ':')
		return false;
	minor = strtoul(end + 1, NULL, 10);
	*ret = makedev((unsigned)major, (unsigned)minor);
	return true;
}

/* "" for the device itself, "vda1 " for a partition. */
static const char *whose(const struct search *s, const struct part *part)
{
	return part == s->parts.at ? "" : arena_printf(s->a, "its partition %s is ", part->name);
}

static const struct part *part_of(const struct search *s, dev_t number)
{
	vec_each (const struct part *, p, &s->parts)
		if (p->number == number)
			return p;
	return NULL;
}

static void add_parts(struct search *s, const struct blockdev *dev)
{
	const char *where = arena_printf(s->a, "/sys/dev/block/%u:%u", dev->major, dev->minor);
	_cleanup_dir_ DIR *dir = opendir(where);

	vec_push(s->a, &s->parts,
		 (struct part){ .name = dev->name, .number = makedev(dev->major, dev->minor) });
	for (struct dirent *e; dir && (e = readdir(dir));) {
		struct part part = { .name = arena_strdup(s->a, e->d_name) };

		if (e->d_name[0] != '.' &&
		    !access(arena_printf(s->a, "%s/%s/partition", where, part.name), F_OK) &&
		    read_number(line_of(s->a, arena_printf(s->a, "%s/%s/dev", where, part.name)),
				&part.number))
			vec_push(s->a, &s->parts, part);
	}
}

/* A word of a line of mountinfo, counted from 0, with the kernel's \NNN read. */
static const char *word(struct arena *a, const char *line, unsigned n)
{
	char *r, *to;

	for (; n && *line && *line != '\n'; n--) {
		line += strcspn(line, " \n");
		line += *line == ' ';
	}
	r = to = arena_strndup(a, line, strcspn(line, " \n"));
	for (const char *from = r; *from; to++) {
		bool octal = from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] >= '0' &&
			     from[2] <= '7' && from[3] >= '0' && from[3] <= '7';

		*to = octal ? (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0')) : *from;
		from += octal ? 4 : 1;
	}
	*to = '\0';
	return r;
}

static dev_t number_of_path(const char *path)
{
	struct stat st;

	return *path == '/' && stat(path, &st) == 0 && S_ISBLK(st.st_mode) ? st.st_rdev : 0;
}

static bool is_here(const struct search *s, const char *mount)
{
	vec_each (const char *const *, text, &s->here)
		if (text_eq(*text, text_safe(s->a, mount)))
			return true;
	return false;
}

/* @of: "" or whose mounts these are. */
static void look_mounts(struct search *s, const char *mountinfo, const char *of)
{
	for (const char *line = mountinfo; *line;) {
		size_t len = strcspn(line, "\n");
		const char *dash = memmem(line, len, " - ", 3);
		dev_t number = 0;
		const struct part *part;

		/* Some filesystems (btrfs) have a number of their own and tell the device by its path. */
		if (!read_number(word(s->a, line, 2), &number) || !major(number))
			number = dash ? number_of_path(word(s->a, dash + 3, 1)) : 0;
		part = number ? part_of(s, number) : NULL;
		if (part &&
		    !is_here(s, arena_printf(s->a, "%smounted on %s", whose(s, part), word(s->a, line, 4))))
			found(s, "%smounted on %s%s", whose(s, part), word(s->a, line, 4), of);
		line += len + (line[len] == '\n');
	}
}

static const char *process(struct arena *a, const char *pid)
{
	const char *name = line_of(a, arena_printf(a, "/proc/%s/comm", pid));

	return arena_printf(a, "process %s (%s)", pid, name && *name ? name : "?");
}

static const char *namespace_of(struct arena *a, const char *pid)
{
	char to[64];
	ssize_t n = readlink(arena_printf(a, "/proc/%s/ns/mnt", pid), to, sizeof(to));

	return n > 0 ? arena_strndup(a, to, (size_t)n) : NULL;
}

static void look_mounts_of(struct search *s, const char *pid, bool mine)
{
	char *text;

	if (file_read(s->a, AT_FDCWD, arena_printf(s->a, "/proc/%s/mountinfo", pid), TABLE_LIMIT, &text,
		      NULL))
		return;
	look_mounts(
		s, text,
		mine ? ""
		     : arena_printf(s->a, " for %s, which has its own mount namespace", process(s->a, pid)));
}

static void look_swaps(struct search *s)
{
	char *text;

	if (file_read(s->a, AT_FDCWD, "/proc/swaps", TABLE_LIMIT, &text, NULL))
		return;
	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\n");
		dev_t number = number_of_path(word(s->a, line, 0));
		const struct part *part = number ? part_of(s, number) : NULL;

		if (part)
			found(s, "%sused as swap", whose(s, part));
		line += len + (line[len] == '\n');
	}
}

/* What stands on it: "part of md127", "part of dm-3 (vg0-home)". */
static void look_holders(struct search *s, const struct part *part)
{
	const char *where = arena_printf(s->a, "/sys/dev/block/%u:%u", major(part->number),
					 minor(part->number));
	_cleanup_dir_ DIR *dir = opendir(arena_printf(s->a, "%s/holders", where));

	for (struct dirent *e; dir && (e = readdir(dir));) {
		const char *name = e->d_name[0] != '.' ? arena_strdup(s->a, e->d_name) : NULL;
		const char *dm = name ? line_of(s->a, arena_printf(s->a, "/sys/block/%s/dm/name", name))
				      : NULL;

		if (name)
			found(s, "%spart of %s%s%s%s", whose(s, part), name, dm ? " (" : "", dm ? dm : "",
			      dm ? ")" : "");
	}
	if (!access(arena_printf(s->a, "%s/bcache", where), F_OK))
		found(s, "%spart of a bcache", whose(s, part));
}

/* A loop device isn't told among the holders. */
static void look_loops(struct search *s)
{
	_cleanup_dir_ DIR *dir = opendir("/sys/block");

	for (struct dirent *e; dir && (e = readdir(dir));) {
		const char *name = text_starts(e->d_name, "loop") ? arena_strdup(s->a, e->d_name) : NULL;
		const char *file = name ? line_of(s->a,
						  arena_printf(s->a, "/sys/block/%s/loop/backing_file", name))
					: NULL;
		dev_t number = file ? number_of_path(file) : 0;
		const struct part *part = number ? part_of(s, number) : NULL;

		if (part)
			found(s, "%sused by the loop device %s", whose(s, part), name);
	}
}

static bool can_write(struct arena *a, const char *pid, const char *fd)
{
	char *text, *flags;

	if (file_read(a, AT_FDCWD, arena_printf(a, "/proc/%s/fdinfo/%s", pid, fd), LINE_LIMIT, &text, NULL))
		return false;
	flags = strstr(text, "flags:");
	return flags && (strtoul(flags + strlen("flags:"), NULL, 8) & O_ACCMODE) != O_RDONLY;
}

static void look_files(struct search *s, const char *pid, bool writers)
{
	_cleanup_dir_ DIR *dir = opendir(arena_printf(s->a, "/proc/%s/fd", pid));
	struct stat st;

	for (struct dirent *e; dir && (e = readdir(dir));) {
		const struct part *part;

		if (fstatat(dirfd(dir), e->d_name, &st, 0) < 0 || !S_ISBLK(st.st_mode))
			continue;
		part = part_of(s, st.st_rdev);
		if (part && (!writers || can_write(s->a, pid, e->d_name)))
			found(s, "%sopen in %s", whose(s, part), process(s->a, pid));
	}
}

static bool is_pid(const char *s)
{
	return *s && strspn(s, "0123456789") == strlen(s);
}

static void look_processes(struct search *s, bool writers)
{
	struct map seen = { .arena = s->a };
	const char *self = arena_printf(s->a, "%d", (int)getpid()), *mine = namespace_of(s->a, self);
	_cleanup_dir_ DIR *dir = opendir("/proc");

	if (mine)
		(void)map_set(&seen, mine, s);
	for (struct dirent *e; dir && (e = readdir(dir));) {
		const char *pid = is_pid(e->d_name) ? arena_strdup(s->a, e->d_name) : NULL, *space;

		if (!pid || text_eq(pid, self))
			continue;
		space = namespace_of(s->a, pid);
		if (space && !map_set(&seen, space, s))
			look_mounts_of(s, pid, false);
		look_files(s, pid, writers);
	}
}

text_list users_of(struct arena *a, const struct blockdev *dev, enum users_which which)
{
	_cleanup_arena_ struct arena *scratch = arena_new();
	struct search s = { .a = scratch };
	text_list r = { 0 };

	add_parts(&s, dev);
	look_mounts_of(&s, "self", true);
	/* A mount that is here, too, was taken over from here when the other namespace was made, and goes with the one here. */
	s.here = s.found;
	if (which == USERS_APART)
		s.found = (text_list){ 0 };
	if (which != USERS_APART) {
		look_swaps(&s);
		vec_each (const struct part *, part, &s.parts)
			look_holders(&s, part);
	}
	look_loops(&s);
	look_processes(&s, which != USERS_ALL);
	vec_each (const char *const *, text, &s.found)
		vec_push(a, &r, arena_strdup(a, *text));
	return r;
}
