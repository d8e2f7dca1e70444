/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <lvm2cmd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "run/op-lvm.h"
#include "run/op.h"

enum { MAX_WORDS = 63 }; /* lvm2_run() has room for 64 and refuses 64 */

/* A word in a form that the splitter takes back unchanged: 0 where it is bare, a quote, or -1 where there is none. */
static int quote_of(const char *word)
{
	bool blank = !*word;

	for (const char *p = word; *p; p++)
		blank = blank || isspace((unsigned char)*p);
	/* Quotes within a word are plain characters, unless the word is in the same kind of quotes. */
	if (!blank && *word != '\'' && *word != '"' && *word != '#')
		return 0;
	if (!strchr(word, '\''))
		return '\'';
	if (!strchr(word, '"'))
		return '"';
	return -1;
}

const char *lvm_line(struct arena *a, const text_list *words)
{
	struct text t = { .arena = a };

	if (!words->n || words->n > MAX_WORDS)
		return NULL;
	for (size_t i = 0; i < words->n; i++) {
		int q = quote_of(words->at[i]);

		if (q < 0)
			return NULL;
		if (i)
			text_addc(&t, ' ');
		if (q)
			text_addc(&t, (char)q);
		text_add(&t, words->at[i]);
		if (q)
			text_addc(&t, (char)q);
	}
	return text_str(&t);
}

/* In the worker. Every message of every level comes here, hundreds per command. */
static void heed(int level, const char *file, int line, int dm_errno, const char *message)
{
	(void)file;
	(void)line;
	(void)dm_errno;
	level &= 7; /* liblvm2cmd adds flags above */
	if (level > LVM2_LOG_PRINT || level < LVM2_LOG_FATAL)
		return;
	(void)fprintf(level < LVM2_LOG_PRINT || !strncmp(message, "WARNING", 7) ? stderr : stdout, "%s\n",
		      message);
}

static bool receive_all(int fd, void *buf, size_t n)
{
	char *p = buf;

	while (n) {
		ssize_t k = recv(fd, p, n, 0);

		if (k == 0 || (k < 0 && errno != EINTR))
			return false;
		if (k > 0) {
			p += k;
			n -= (size_t)k;
		}
	}
	return true;
}

/* Notes the devices that a command names, "/dev/vda5:0-127" among them. */
static void note_named(struct arena *a, text_list *devices, const char *line)
{
	for (const char *s = line; (s = strstr(s, "/dev/"));) {
		size_t n = strcspn(s, ": \t\"'");
		bool known = s == line || !strchr(" \t\"'", s[-1]);

		vec_each (const char *const *, dev, devices)
			known = known || (strlen(*dev) == n && !memcmp(*dev, s, n));
		if (!known)
			vec_push(a, devices, arena_strndup(a, s, n));
		s += n;
	}
}

/*
 * LVM writes past the page cache and asks no disk to keep it: what a power cut takes back must not be in the journal as made. And what a
 * command names is not all that it writes to: its group's metadata is on each device of the group. So all that were named so far are flushed.
 * Seen with 2.03.16.
 */
static int flush(const text_list *devices)
{
	vec_each (const char *const *, dev, devices) {
		int fd = open(*dev, O_RDONLY | O_CLOEXEC), e = 0;

		if (fd >= 0 && fsync(fd) < 0)
			e = op_say("cannot flush %s: %s", *dev, strerror(errno));
		if (fd >= 0)
			(void)close(fd);
		if (e)
			return e;
	}
	return 0;
}

/* Commands come as a length and the text, without NUL; results go back as a number. Ends with the socket. */
static int serve(void *arg)
{
	_cleanup_arena_ struct arena *a = arena_new();
	text_list devices = { 0 };
	void *handle;
	uint32_t n;

	(void)arg;
	lvm2_log_fn(heed);
	handle = lvm2_init();
	if (!handle)
		return op_say("liblvm2cmd cannot be initialised");
	while (receive_all(CHILD_KEPT_FD, &n, sizeof(n))) {
		char *line = malloc((size_t)n + 1);
		int32_t result;

		if (!line || !receive_all(CHILD_KEPT_FD, line, n)) {
			free(line);
			break;
		}
		line[n] = 0;
		result = lvm2_run(handle, line);
		note_named(a, &devices, line);
		if (result == 1 && flush(&devices))
			result = 5; /* as LVM says that it has failed */
		free(line);
		/* What it has said must be in the pipes before the result is in the socket. */
		(void)fflush(NULL);
		if (send(CHILD_KEPT_FD, &result, sizeof(result), MSG_NOSIGNAL) != (ssize_t)sizeof(result))
			break;
	}
	lvm2_exit(handle);
	return 0;
}

int lvm_start(struct lvm_worker *w, char **env)
{
	int pair[2], r;

	w->socket = -1;
	w->child.state = CHILD_NONE;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -errno;
	r = child_fork(&w->child, serve, NULL, pair[1], env, UINT64_MAX);
	(void)close(pair[1]);
	if (r) {
		(void)close(pair[0]);
		return r;
	}
	w->socket = pair[0];
	return 0;
}

int lvm_send(struct lvm_worker *w, const char *line)
{
	uint32_t n = (uint32_t)strlen(line);
	struct {
		const void *p;
		size_t n;
	} parts[] = { { &n, sizeof(n) }, { line, n } };

	for (size_t i = 0; i < 2; i++) {
		const char *p = parts[i].p;

		while (parts[i].n) {
			ssize_t k = send(w->socket, p, parts[i].n, MSG_NOSIGNAL);

			if (k < 0 && errno != EINTR)
				return -errno;
			if (k > 0) {
				p += k;
				parts[i].n -= (size_t)k;
			}
		}
	}
	return 0;
}

int lvm_receive(struct lvm_worker *w, int *ret)
{
	int32_t result;
	ssize_t n = recv(w->socket, &result, sizeof(result), MSG_DONTWAIT);

	if (n == (ssize_t)sizeof(result)) {
		child_drain(&w->child);
		*ret = result;
		return 1;
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	return n < 0 ? -errno : -EPIPE;
}

void lvm_stop(struct lvm_worker *w)
{
	close_fdp(&w->socket);
	w->socket = -1;
	if (w->child.state == CHILD_NONE)
		return;
	if (w->child.state < CHILD_ENDED && w->child.deadline_ms == UINT64_MAX)
		w->child.deadline_ms = child_clock_ms() + CHILD_GRACE_MS;
	(void)child_wait(&w->child, -1);
}
