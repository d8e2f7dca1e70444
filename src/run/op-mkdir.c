/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "run/op.h"

int op_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vfprintf(stderr, fmt, ap);
	va_end(ap);
	(void)fputc('\n', stderr);
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

int op_mkdir(const struct op_job *j)
{
	const char *path = j->op->path;
	char part[PATH_MAX];
	int r = 0;

	if (strlen(path) >= sizeof(part))
		return op_say("'%s': %s", path, strerror(ENAMETOOLONG));
	for (const char *p = strchr(path + 1, '/'); p && !r; p = strchr(p + 1, '/')) {
		(void)snprintf(part, sizeof(part), "%.*s", (int)(p - path), path);
		r = make(part, 0755);
	}
	/* One that is there keeps its mode: it may be somebody's. */
	return r ? r : make(path, j->op->mode ? j->op->mode : 0755);
}
