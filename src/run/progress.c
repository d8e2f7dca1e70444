/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/text.h"
#include "plan/plan.h"
#include "run/child.h"
#include "run/progress.h"

enum { LINE_BYTES = 1024, WIDTH = 80 };

void progress_init(struct progress *p, struct arena *a, const struct plan *plan, FILE *out, bool terminal)
{
	*p = (struct progress){
		.out = out, .terminal = terminal, .steps = plan->steps.n, .start_ms = child_clock_ms()
	};
	p->ids = arena_alloc(a, plan->steps.n * sizeof(*p->ids));
	p->words = arena_alloc(a, plan->steps.n * sizeof(*p->words));
	for (size_t i = 0; i < plan->steps.n; i++) {
		const struct step *st = plan->steps.at[i];

		p->ids[i] = text_safe(a, st->id);
		p->words[i] = text_safe(a, st->what ? st->what : st->id);
	}
}

/* Cuts to a number of characters, so that the terminal doesn't wrap: a wrapped line can't be rewritten. */
static void cut(char *line, size_t width)
{
	size_t at = 0, chars = 0, len = strlen(line);

	while (at < len) {
		uint32_t c;
		size_t n = text_char(line + at, len - at, &c);

		if (!n || chars == width)
			break;
		at += n;
		chars++;
	}
	line[at] = 0;
}

static void rewrite(struct progress *p, char *line)
{
	struct winsize size = { 0 };

	if (ioctl(fileno(p->out), TIOCGWINSZ, &size) || !size.ws_col)
		size.ws_col = WIDTH;
	cut(line, size.ws_col - 1U);
	(void)fprintf(p->out, "\r\033[K%s", line);
	(void)fflush(p->out);
	p->shown = true;
}

static void clear(struct progress *p)
{
	if (p->shown)
		(void)fputs("\r\033[K", p->out);
	p->shown = false;
}

void progress_running(struct progress *p, size_t done, const struct step *const *running, size_t n)
{
	char line[LINE_BYTES];
	size_t len;

	if (!p->out || !p->terminal || !n)
		return;
	len = (size_t)snprintf(line, sizeof(line), "%zu of %zu steps done, %" PRIu64 " s:", done, p->steps,
			       (child_clock_ms() - p->start_ms) / 1000);
	for (size_t i = 0; i < n && len < sizeof(line) - 1; i++)
		len += (size_t)snprintf(line + len, sizeof(line) - len, "%s %s", i ? "," : "",
					p->ids[running[i]->number - 1]);
	rewrite(p, line);
}

void progress_done(struct progress *p, const struct step *st, uint64_t ms)
{
	int width = snprintf(NULL, 0, "%zu", p->steps);

	if (!p->out || p->terminal)
		return;
	(void)fprintf(p->out, "[%*zu/%zu] %s (%" PRIu64 ".%" PRIu64 " s)\n", width, st->number, p->steps,
		      p->words[st->number - 1], ms / 1000, ms % 1000 / 100);
	(void)fflush(p->out);
}

void progress_say(struct progress *p, const char *fmt, ...)
{
	va_list ap;

	if (!p->out)
		return;
	clear(p);
	va_start(ap, fmt);
	(void)vfprintf(p->out, fmt, ap);
	va_end(ap);
	(void)fputc('\n', p->out);
	(void)fflush(p->out);
}

void progress_end(struct progress *p)
{
	if (!p->out)
		return;
	clear(p);
	(void)fflush(p->out);
}
