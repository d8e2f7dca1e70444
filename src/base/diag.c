/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/diag.h"

#include <errno.h>
#include <stdarg.h>

__attribute__((format(printf, 4, 0))) static void say(struct diag *d, enum severity severity, struct pos pos,
						      const char *fmt, va_list ap)
{
	struct diag_message m = { .severity = severity,
				  .pos = pos,
				  .text = arena_vprintf(d->arena, fmt, ap) };

	vec_push(d->arena, &d->messages, m);
	switch (severity) {
	case DIAG_NOTE:
		break;
	case DIAG_WARNING:
		d->warnings++;
		break;
	case DIAG_ERROR:
		d->errors++;
		break;
	case DIAG_REFUSAL:
		d->refusals++;
		break;
	}
}

void diag_source_add(struct diag *d, const char *file, const char *text, size_t len)
{
	vec_push(d->arena, &d->sources, (struct diag_source){ .file = file, .text = text, .len = len });
}

int diag_error(struct diag *d, struct pos pos, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(d, DIAG_ERROR, pos, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

int diag_refuse(struct diag *d, struct pos pos, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(d, DIAG_REFUSAL, pos, fmt, ap);
	va_end(ap);
	return -EPERM;
}

void diag_warn(struct diag *d, struct pos pos, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(d, DIAG_WARNING, pos, fmt, ap);
	va_end(ap);
}

void diag_note(struct diag *d, struct pos pos, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(d, DIAG_NOTE, pos, fmt, ap);
	va_end(ap);
}

bool diag_failed(const struct diag *d)
{
	return d->errors || d->refusals;
}

int diag_exit(const struct diag *d)
{
	return d->errors ? 1 : d->refusals ? 3 : 0;
}
