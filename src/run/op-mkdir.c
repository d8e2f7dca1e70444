/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/text.h"
#include "run/op.h"

int op_say(const char *fmt, ...)
{
	_cleanup_arena_ struct arena *a = arena_new();
	va_list ap;

	va_start(ap, fmt);
	/* It may be a terminal's. */
	(void)fprintf(stderr, "%s\n", text_safe(a, arena_vprintf(a, fmt, ap)));
	va_end(ap);
	return 1;
}

static int make(const char *path, mode_t mode)
{
	struct stat st;

	if (!mkdir(path, mode))
		return chmod(path, mode) ? op_say("cannot set the mode of '%s': %s", path, strerror(errno))
					 : 0;
	if (errno != EEXIST)
		return op_say("cannot make the directory '%s': %s", path, strerror(errno));
	if (stat(path, &st))
		return op_say("'%s': %s", path, strerror(errno));
	return S_ISDIR(st.st_mode) ? 0 : op_say("'%s' is not a directory", path);
}

const char *op_link_on_way(struct arena *a, const char *root, const char *path)
{
	size_t n = root && strcmp(root, "/") != 0 ? strlen(root) : 0;
	const char *p = !strncmp(path, root ? root : "", n) && path[n] == '/' ? path + n : path;
	struct stat st;

	do {
		const char *part;

		p = strchrnul(p + 1, '/');
		part = arena_strndup(a, path, (size_t)(p - path));
		if (lstat(part, &st))
			return NULL;
		if (S_ISLNK(st.st_mode))
			return part;
	} while (*p);
	return NULL;
}

int op_mkdir(const struct op_job *j)
{
	_cleanup_arena_ struct arena *a = arena_new();
	const char *path = j->op->path, *link = op_link_on_way(a, j->root, path);
	char part[PATH_MAX];
	int r = 0;

	if (link)
		return op_say("'%s' is a symbolic link: state where it leads, for the place of '%s' is there",
			      link, path);

	if (strlen(path) >= sizeof(part))
		return op_say("'%s': %s", path, strerror(ENAMETOOLONG));
	for (const char *p = strchr(path + 1, '/'); p && !r; p = strchr(p + 1, '/')) {
		(void)snprintf(part, sizeof(part), "%.*s", (int)(p - path), path);
		r = make(part, 0755);
	}
	/* One that is there keeps its mode: it may be somebody's. */
	return r ? r : make(path, j->op->mode ? j->op->mode : 0755);
}
