/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct arena;
struct plan;
struct step;

enum journal_event {
	JOURNAL_BEGIN,   /* .steps, .pid */
	JOURNAL_STARTED, /* on the disk before the step starts */
	JOURNAL_DONE,
	JOURNAL_FAILED,
	JOURNAL_END, /* .done, .steps */
};

/*
 * STATE/journal: one JSON object per line, {"time":"2024-05-06T07:08:09Z","plan":"UUID","event":"started","step":"create md99","making":"UUID"}.
 * To resume is to look at the machine and plan again; of this only what was being made is read back (machine/unfinished.c), since half of
 * it may look like the whole. A step that makes something says so when it starts, "making", and the last of those that make it when it is
 * done, "made"; nothing that needs it starts before that is on the disk.
 */
struct journal {
	const char *path;
	const char *plan;   /* as JSON */
	const char **steps; /* ids as JSON, by number - 1: nothing is allocated between two steps */
	int fd;
	char *buf; /* lines that wait for journal_sync() */
	size_t len, room;
};

/** journal_plan_id() - a name for a plan, equal for equal steps: a UUID. */
const char *journal_plan_id(struct arena *a, const struct plan *p);

/**
 * journal_open() - opens or makes the journal, which is begun anew (the old one kept as journal.1) when it is larger than 1 MiB
 * @jobs: steps that may start or end between two journal_sync()
 * Return: 0 or -errno; nothing is said.
 */
int journal_open(struct journal *j, struct arena *a, int state_fd, const char *state_dir,
		 const struct plan *p, size_t jobs);

/** journal_add() - a line, not written yet. @st: NULL for begin and end. @n, @of: counts, of begin and end; milliseconds in @n of the others. */
void journal_add(struct journal *j, enum journal_event event, const struct step *st, uint64_t n, uint64_t of);

/** journal_sync() - writes what was added, and waits until the disk has it. Return: 0 or -errno. */
int journal_sync(struct journal *j);

void journal_close(struct journal *j);
