/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "base/uuid.h"
#include "plan/plan.h"
#include "run/journal.h"

static void add_words(struct text *t, struct arena *a, const char *s)
{
	/* Quoted, so that no two different lists of words read alike. */
	text_add(t, s ? text_quote_json(a, s) : "-");
}

const char *journal_plan_id(struct arena *a, const struct plan *p)
{
	struct text t = { .arena = a };

	for (size_t i = 0; i < p->steps.n; i++) {
		const struct step *st = p->steps.at[i];
		const struct op *op = &st->op;

		add_words(&t, a, st->id);
		text_printf(&t, "%d %o", op->form, op->mode);
		for (size_t k = 0; k < op->argv.n; k++)
			add_words(&t, a, op->argv.at[k]);
		add_words(&t, a, op->dev);
		add_words(&t, a, op->path);
		add_words(&t, a, op->type);
		add_words(&t, a, op->options);
		add_words(&t, a, op->script);
		add_words(&t, a, op->content);
		for (size_t k = 0; k < op->ranges.n; k++)
			text_printf(&t, " %" PRIu64 "+%" PRIu64, op->ranges.at[k].start,
				    op->ranges.at[k].size);
		for (size_t k = 0; k < op->expect.n; k++)
			text_printf(&t, " %s %" PRIu64 "+%" PRIu64, op->expect.at[k].dev,
				    op->expect.at[k].start, op->expect.at[k].size);
		for (size_t k = 0; k < st->needs.n; k++)
			text_printf(&t, " <%zu", st->needs.at[k]->number);
	}
	return uuid_text(a, uuid_derive(text_str(&t)));
}

/* A run that was killed may have left half a line. */
static int end_last_line(int fd)
{
	struct stat st;
	char last;

	if (fstat(fd, &st))
		return -errno;
	if (!st.st_size || pread(fd, &last, 1, st.st_size - 1) != 1 || last == '\n')
		return 0;
	return write(fd, "\n", 1) == 1 ? 0 : -errno;
}

static size_t line_room(const struct journal *j, size_t step_len)
{
	return strlen(j->plan) + step_len + 256;
}

int journal_open(struct journal *j, struct arena *a, int state_fd, const char *state_dir,
		 const struct plan *p, size_t jobs)
{
	_cleanup_fd_ int fd = -1;
	struct stat st;
	size_t longest = 0;
	int r;

	if (!fstatat(state_fd, "journal", &st, 0) && (uint64_t)st.st_size > MIB &&
	    renameat(state_fd, "journal", state_fd, "journal.1"))
		return -errno;
	fd = openat(state_fd, "journal", O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	r = end_last_line(fd);
	if (r)
		return r;
	if (fsync(state_fd)) /* the file's name */
		return -errno;
	*j = (struct journal){
		.path = arena_printf(a, "%s/journal", state_dir),
		.plan = text_quote_json(a, journal_plan_id(a, p)),
		.steps = arena_alloc(a, (p->steps.n + 1) * sizeof(*j->steps)),
	};
	for (size_t i = 0; i < p->steps.n; i++) {
		j->steps[i] = text_quote_json(a, p->steps.at[i]->id);
		if (strlen(j->steps[i]) > longest)
			longest = strlen(j->steps[i]);
	}
	j->room = (2 * jobs + 2) * line_room(j, longest);
	j->buf = arena_alloc(a, j->room);
	j->fd = take_fd(&fd);
	return 0;
}

void journal_add(struct journal *j, enum journal_event event, const struct step *st, uint64_t n, uint64_t of)
{
	static const char *const names[] = {
		[JOURNAL_BEGIN] = "begin",   [JOURNAL_STARTED] = "started", [JOURNAL_DONE] = "done",
		[JOURNAL_FAILED] = "failed", [JOURNAL_END] = "end",
	};
	char more[160] = "", when[32] = "";
	const char *making = st ? st->making : NULL;
	time_t now = time(NULL);
	struct tm tm;
	int len;

	(void)strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
	switch (event) {
	case JOURNAL_BEGIN:
		(void)snprintf(more, sizeof(more), ",\"steps\":%" PRIu64 ",\"pid\":%d", of, (int)getpid());
		break;
	case JOURNAL_STARTED:
		if (making)
			(void)snprintf(more, sizeof(more), ",\"making\":\"%.36s\"", making);
		break;
	case JOURNAL_DONE:
		if (making && st->makes)
			(void)snprintf(more, sizeof(more), ",\"ms\":%" PRIu64 ",\"made\":\"%.36s\"", n,
				       making);
		else
			(void)snprintf(more, sizeof(more), ",\"ms\":%" PRIu64, n);
		break;
	case JOURNAL_FAILED:
		(void)snprintf(more, sizeof(more), ",\"ms\":%" PRIu64, n);
		break;
	case JOURNAL_END:
		(void)snprintf(more, sizeof(more), ",\"done\":%" PRIu64 ",\"steps\":%" PRIu64, n, of);
		break;
	}
	len = snprintf(j->buf + j->len, j->room - j->len,
		       "{\"time\":\"%s\",\"plan\":%s,\"event\":\"%s\"%s%s%s}\n", when, j->plan, names[event],
		       st ? ",\"step\":" : "", st ? j->steps[st->number - 1] : "", more);
	if (len > 0 && (size_t)len < j->room - j->len)
		j->len += (size_t)len;
}

int journal_sync(struct journal *j)
{
	if (!j->len)
		return 0;
	while (j->len) {
		ssize_t n = write(j->fd, j->buf, j->len);

		if (n < 0 && errno != EINTR)
			return -errno;
		/* What a full file system has still taken isn't written again when there is room. */
		if (n > 0) {
			j->len -= (size_t)n;
			memmove(j->buf, j->buf + n, j->len);
		}
	}
	return fdatasync(j->fd) ? -errno : 0;
}

void journal_close(struct journal *j)
{
	close_fdp(&j->fd);
	j->fd = -1;
}
