/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/units.h"
#include "machine/machine.h"
#include "machine/parts.h"

enum { LIST_LIMIT = MIB, MOST_LINES = 10000 };

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

/* Bytes of a line without blanks at its ends and the comment. A # inside of a word is part of it: serial numbers may hold one. */
static size_t trim(const char **line, size_t len)
{
	const char *s = *line, *end = s + len;

	while (s < end && is_blank(*s))
		s++;
	for (const char *c = s; c < end; c++)
		if (*c == '#' && (c == s || is_blank(c[-1]))) {
			end = c;
			break;
		}
	while (end > s && is_blank(end[-1]))
		end--;
	*line = s;
	return (size_t)(end - s);
}

static void read_lines(struct arena *a, const char *file, const char *text, protected_list *list)
{
	unsigned number = 0;

	if (text_starts(text, "\xef\xbb\xbf")) /* as some editors begin every file */
		text += 3;
	while (*text) {
		size_t len = strcspn(text, "\r\n");
		const char *s = text;
		size_t n = trim(&s, len);

		number++;
		text += len;
		text += text[0] == '\r' && text[1] == '\n' ? 2 : *text != '\0';
		if (!n)
			continue;
		s = arena_strndup(a, s, n);
		vec_push(a, list,
			 (struct protected_line){ .file = file, .line = number, .id = text_safe(a, s) });
	}
}

/* A link to a list that isn't there (the other system isn't mounted, say) is no word that nothing is protected. */
static bool is_broken_link(struct arena *a, const char *file)
{
	const char *slash = strrchr(file, '/');
	const char *dir = slash && slash > file ? arena_strndup(a, file, (size_t)(slash - file)) : NULL;
	struct stat st;

	return (lstat(file, &st) == 0 && S_ISLNK(st.st_mode)) ||
	       (dir && lstat(dir, &st) == 0 && S_ISLNK(st.st_mode) && stat(dir, &st) < 0);
}

static int read_text(struct arena *a, const char *file, char **ret, const char **ret_why)
{
	_cleanup_fd_ int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	size_t len = 0;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0) {
		*ret_why = arena_strdup(a, strerror(errno));
		return errno ? -errno : -EIO;
	}
	/* It is read once for the plan and once more before the run: what can be read only once would be empty then. */
	if (!S_ISREG(st.st_mode)) {
		*ret_why = S_ISDIR(st.st_mode) ? "it is a directory" : "it is no plain file";
		return -EINVAL;
	}
	r = file_read_fd(a, fd, LIST_LIMIT, ret, &len);
	if (r < 0) {
		*ret_why = arena_strdup(a, strerror(-r));
		return r;
	}
	if (memchr(*ret, '\0', len)) {
		*ret_why = "it holds a NUL byte, so it is no text in UTF-8";
		return -EINVAL;
	}
	return 0;
}

int machine_protected_read(struct arena *a, const char *file, bool must, protected_list *list,
			   const char **ret_why)
{
	protected_list found = { 0 };
	const char *name = text_safe(a, arena_strdup(a, file));
	char *text = NULL;
	int r = read_text(a, file, &text, ret_why);

	if (r == -ENOENT && is_broken_link(a, file))
		*ret_why = "it is a symbolic link to something that isn't there";
	else if ((r == -ENOENT || r == -ENOTDIR) && !must)
		return 0;
	if (r || !text)
		return r;
	read_lines(a, name, text, &found);
	if (list->n + found.n > MOST_LINES) {
		*ret_why = arena_printf(a, "it has more than the %d lines that a list may have", MOST_LINES);
		return -EFBIG;
	}
	vec_each (const struct protected_line *, line, &found)
		vec_push(a, list, *line);
	return 0;
}

int machine_protect(struct machine *m, const char *file, struct diag *d)
{
	const char *why;
	int r = machine_protected_read(m->arena, file, true, &m->protected, &why);

	if (r < 0)
		return diag_error(d, (struct pos){ .file = arena_strdup(m->arena, file) },
				  "the list of protected disks can't be read, so nothing was done: %s", why);
	if (m->json)
		record_put_protected(m->json, m);
	return 0;
}
