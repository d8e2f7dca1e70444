/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "base/units.h"
#include "layout/layout.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "tech/fs.h"

/*
 * For the tests of filesystems: a layout that puts them on whole disks, which recordings make of any size and geometry.
 */
struct trial {
	struct arena *a;
	struct diag diag;
	struct plan *plan; /* NULL: the layout, or a recording, was wrong */
	const char *said;  /* all messages: "error: TEXT\n..." */
};

#define DISK(name, bytes, more)                                                                              \
	"{\"name\": \"" name "\", \"type\": \"disk\", \"serial\": \"S-" name                                 \
	"\", \"looked\": true, \"size\": " #bytes ", " more "\"signatures\": []}"

#define DISK_WITH(name, bytes, more, signature)                                                              \
	"{\"name\": \"" name "\", \"type\": \"disk\", \"serial\": \"S-" name                                 \
	"\", \"looked\": true, \"size\": " #bytes ", " more "\"signatures\": [" signature "]}"

static inline const char *trial_said(struct trial *t)
{
	static const char *const words[] = { "note", "warning", "error", "refused" };
	struct text all = { .arena = t->a };

	vec_each (const struct diag_message *, m, &t->diag.messages)
		text_printf(&all, "%s: %s\n", words[m->severity], m->text);
	return text_str(&all);
}

/**
 * trial_new() - plans a layout
 * @filesystems: the section's text; disks a, b, c, d are /dev/sda ...
 * @devices: objects of the recording, with commas between them; @more: further members of it, or ""
 */
static inline struct trial *trial_new(const char *filesystems, const char *devices, const char *more,
				      struct plan_options options)
{
	struct arena *a = arena_new();
	struct trial *t = arena_of(a, struct trial);
	const char *disks = "", *layout, *recording;
	struct layout *l = NULL;
	struct machine *m = NULL;

	for (char c = 'a'; c <= 'd'; c++)
		if (strstr(devices, arena_printf(a, "\"sd%c\"", c)))
			disks = arena_printf(a, "%s  %c: /dev/sd%c\n", disks, c, c);
	layout = arena_printf(a, "stowage: 1\nname: trial\ndisks:\n%sfilesystems:\n%s\n", disks, filesystems);
	recording = arena_printf(a, "{\"stowage-machine\": 1, \"root\": true, %s \"devices\": [%s]}", more,
				 devices);
	t->a = a;
	t->diag.arena = a;
	if (machine_parse(a, "trial.json", recording, strlen(recording), &t->diag, &m) == 0 &&
	    layout_parse(a, "trial.yaml", layout, strlen(layout), &t->diag, &l) == 0)
		(void)plan_make(a, l, m, &options, &t->diag, &t->plan);
	t->said = trial_said(t);
	return t;
}

static inline void trial_end(struct trial **t)
{
	if (*t)
		arena_free((*t)->a);
}
#define _cleanup_trial_ __attribute__((cleanup(trial_end)))

static inline struct trial *trial(const char *filesystems, const char *devices)
{
	return trial_new(filesystems, devices, "", (struct plan_options){ .mount = true });
}

/** trial_words() - the words of the step of that id, with blanks between them; NULL: there is no such step. */
static inline const char *trial_words(const struct trial *t, const char *id)
{
	if (!t->plan)
		return NULL;
	vec_each (struct step *const *, st, &t->plan->steps)
		if (text_eq((*st)->id, id))
			return text_join(t->a, &(*st)->op.argv, " ");
	return NULL;
}

/* What is said must hold all of these lines, and as many lines as these. */
#define assert_said(t, ...)                                                                                  \
	trial_assert_said(t, __FILE__, __LINE__, (const char *const[]){ __VA_ARGS__, NULL })

static inline void trial_assert_said(const struct trial *t, const char *file, int line,
				     const char *const *want)
{
	size_t n = 0;

	for (const char *const *w = want; *w; w++, n++)
		if (!strstr(t->said, *w)) {
			print_error("%s:%d: not said: %s\nbut:\n%s", file, line, *w, t->said);
			fail();
		}
	if (t->diag.errors + t->diag.warnings + t->diag.refusals != n) {
		print_error("%s:%d: %zu messages wanted, these were said:\n%s", file, line, n, t->said);
		fail();
	}
}

#define assert_quiet(t) trial_assert_said(t, __FILE__, __LINE__, (const char *const[]){ NULL })

/* A filesystem of that @type with these keys, on a disk that is an object of the recording, is a mistake and says so. */
#define assert_mistake(type, disk, keys, said)                                                               \
	trial_assert_mistake(__FILE__, __LINE__, type, disk, keys, said)

static inline void trial_assert_mistake(const char *file, int line, const char *type, const char *disk,
					const char *keys, const char *said)
{
	struct arena *a = arena_new();
	_cleanup_trial_ struct trial *t = trial(
		arena_printf(a, "  - { type: %s, devices: a, %s }", type, keys), disk);

	trial_assert_said(t, file, line, (const char *const[]){ said, NULL });
	assert_int_equal(t->diag.errors, 1);
	arena_free(a);
}
