/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct arena;
struct plan;
struct step;

/* What the person sees meanwhile. */
struct progress {
	FILE *out; /* NULL: nothing */
	bool terminal;
	size_t steps;
	const char **ids, **words; /* as a terminal may show them, by number - 1 */
	uint64_t start_ms;
	bool shown; /* a line is there that is to be rewritten */
};

void progress_init(struct progress *p, struct arena *a, const struct plan *plan, FILE *out, bool terminal);

/** progress_running() - the line of what runs, on a terminal. @running: steps, @n of them. */
void progress_running(struct progress *p, size_t done, const struct step *const *running, size_t n);

/** progress_done() - a step has been brought about: its line, with the number that it has in the plan. */
void progress_done(struct progress *p, const struct step *st, uint64_t ms);

/** progress_say() - a line of its own. */
void progress_say(struct progress *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** progress_end() - leaves the terminal clean. */
void progress_end(struct progress *p);
