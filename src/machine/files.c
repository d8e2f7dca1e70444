/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/units.h"
#include "machine/machine.h"
#include "machine/parts.h"
#include "tech/kind.h"

enum { FILE_LIMIT = MIB };

/* What the plans of rooms read of a machine's configuration. */
static const char *const files[] = { "/etc/fstab", "/etc/crypttab", "/etc/mdadm.conf",
				     "/etc/mdadm/mdadm.conf" };

/* What the printed script runs whatever the rooms are; the rooms name their own. */
static const char *const tools[] = { "blkdiscard", "mount", "udevadm", "wipefs" };

/* @below: "" or the root whose file it is. It is the one that will be replaced: where a link leads is seen as from there. */
static void look_file(struct machine *m, const char *below, const char *file, struct diag *d)
{
	const char *path = arena_printf(m->arena, "%s%s", below, file);
	_cleanup_fd_ int fd = -1;
	struct stat st;
	char *content;
	size_t len;
	int r;

	if (map_get(&m->files, path))
		return;
	fd = file_open_in(*below ? below : NULL, file);
	r = fd < 0 ? fd : fstat(fd, &st) < 0 ? -errno : S_ISREG(st.st_mode) ? 0 : -EINVAL;
	if (!r)
		r = file_read_fd(m->arena, fd, FILE_LIMIT, &content, &len);
	if (!r && memchr(content, '\0', len))
		r = -EILSEQ;
	if (!r) {
		(void)map_set(&m->files, path, content);
	} else if (r != -ENOENT && r != -ENOTDIR) {
		const char *why = r == -EINVAL || r == -EILSEQ ? "is no text file" : strerror(-r);

		(void)map_set(&m->unread, path, arena_strdup(m->arena, why));
		diag_warn(d, nowhere, "%s can't be read: %s", path, why);
	}
}

void look_files(struct machine *m, const char *root, struct diag *d)
{
	const char *below = root && !text_eq(root, "/") ? root : NULL;

	m->files.arena = m->arena;
	m->unread.arena = m->arena;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		look_file(m, "", files[i], d);
	for (size_t i = 0; below && i < sizeof(files) / sizeof(files[0]); i++)
		look_file(m, below, files[i], d);
}

const char *look_program(struct arena *a, const char *name)
{
	const char *path = getenv("PATH");
	struct text dirs = { .arena = a };

	/* Those who aren't root often have no sbin in their PATH, where nearly all of these programs are. */
	text_printf(&dirs, "%s:/usr/sbin:/sbin", path && *path ? path : "/usr/bin:/bin");
	for (const char *s = text_str(&dirs); *s;) {
		size_t n = strcspn(s, ":");
		const char *file = arena_printf(a, "%.*s/%s", (int)n, s, name);
		struct stat st;

		/* A word that is no absolute path would mean another program in each directory. */
		if (*s == '/' && access(file, X_OK) == 0 && stat(file, &st) == 0 && S_ISREG(st.st_mode))
			return file;
		s += n + (s[n] == ':');
	}
	return NULL;
}

static void look_tool(struct machine *m, const char *name)
{
	const char *path = look_program(m->arena, name);

	if (path)
		(void)map_set(&m->tools, name, (char *)path);
}

void look_tools(struct machine *m)
{
	m->tools.arena = m->arena;
	m->tools_known = true;
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		look_tool(m, tools[i]);
	for (const struct room *const *room = rooms; *room; room++)
		for (const struct room_tool *t = (*room)->tools; t && t->program; t++)
			look_tool(m, t->program);
}
