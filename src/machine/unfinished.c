/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/field.h"
#include "base/file.h"
#include "base/units.h"
#include "machine/machine.h"
#include "machine/parts.h"

/* The journal of runs is read back for one thing: what was begun, and isn't known to have come to its end. */

enum {
	JOURNAL_LIMIT = 16 *
			MIB, /* one is begun anew beyond 1 MiB; a run adds some hundred bytes for each step */
	LINE_MOST = 64 * KIB,
	MOST_DEPTH = 4,
	MOST_OPEN = 10000,
};

/* Lines that were cut short by a power cut may hold anything. */
static struct json_object *parse_line(struct json_tokener *tok, const char *line, size_t len)
{
	struct json_object *o;

	json_tokener_reset(tok);
	o = json_tokener_parse_ex(tok, line, (int)len);
	if (o && json_tokener_get_error(tok) == json_tokener_success &&
	    json_object_is_type(o, json_type_object))
		return o;
	(void)json_object_put(o);
	return NULL;
}

static const char *uuid_of(struct arena *a, struct json_object *o, const char *key)
{
	const char *text = field_text(o, key);
	struct uuid u;

	return text && !uuid_read(text, &u) ? uuid_text(a, u) : NULL;
}

static void read_line(struct map *open, struct json_object *o)
{
	const char *making = uuid_of(open->arena, o, "making"), *made = uuid_of(open->arena, o, "made");
	const char *step = field_text(o, "step"), *event = field_text(o, "event");

	if (making && text_eq(event, "started") && open->n < MOST_OPEN)
		(void)map_set(open, making,
			      arena_strdup(open->arena, text_safe(open->arena, step ? step : "a step")));
	if (made && text_eq(event, "done"))
		(void)map_set(open, made, NULL);
}

void journal_read(struct map *open, const char *text, size_t len)
{
	struct json_tokener *tok = json_tokener_new_ex(MOST_DEPTH);
	const char *end = text + len;

	if (!tok)
		return;
	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((stop ? stop : end) - text);
		struct json_object *o = NULL;

		if (n <= LINE_MOST && n && memchr(text, 'm', n))
			o = parse_line(tok, text, n);
		if (o)
			read_line(open, o);
		(void)json_object_put(o);
		text += n + 1;
	}
	json_tokener_free(tok);
}

/* Return: whether it is there. */
static bool read_file(struct map *open, int dir, const char *state, const char *name, struct diag *d)
{
	_cleanup_fd_ int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	int r = fd < 0 ? -errno : 0;
	struct stat st;
	char *text;
	size_t len;

	if (!r && (fstat(fd, &st) || !S_ISREG(st.st_mode)))
		r = -EINVAL;
	if (!r)
		r = file_read_fd(open->arena, fd, JOURNAL_LIMIT, &text, &len);
	if (!r)
		journal_read(open, text, len);
	else if (r != -ENOENT && r != -EACCES)
		diag_warn(d, nowhere,
			  "'%s/%s' can't be read: %s; what an interrupted run was making isn't known then",
			  state, name, r == -EINVAL ? "it is no plain file" : strerror(-r));
	return r != -ENOENT;
}

void look_journal(struct machine *m, const char *state, struct diag *d)
{
	_cleanup_fd_ int dir = open(state, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct map open = { .arena = m->arena };

	m->unfinished.arena = m->arena;
	/* No run has been here, or this isn't root. */
	if (dir < 0)
		return;
	m->journal = read_file(&open, dir, state, "journal.1", d);
	m->journal = read_file(&open, dir, state, "journal", d) || m->journal;
	map_each (it, &open)
		if (it->value)
			(void)map_set(&m->unfinished, it->key, it->value);
}
