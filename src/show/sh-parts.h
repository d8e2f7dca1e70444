/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

#include "base/text.h"
#include "graph/node.h"
#include "plan/step.h"

struct arena;
struct plan;

/* The parts of a printed script: sh.c has the whole, sh-text.c the functions, sh-guard.c the looks before the first write, sh-work.c the steps. */
struct sh_writer {
	const struct plan *plan;
	struct arena *arena;
	struct text *out;
	bool root; /* the plan is for "/" */
};

extern const char sh_prologue[], sh_looks[], sh_look_disk[], sh_look_blank[], sh_look_lost[],
	sh_look_protected[], sh_step_function[], sh_settle_function[], sh_zero_function[], sh_gone_function[],
	sh_inside_function[], sh_seen_function[], sh_mkdir_function[], sh_put_function[], sh_put_follow[],
	sh_put_refuse[];

/** sh_quote() - a word for sh. */
const char *sh_quote(const struct sh_writer *w, const char *s);

/** sh_comment() - a line of comment; whatever a terminal might act on is made harmless. */
void sh_comment(const struct sh_writer *w, const char *indent, const char *s);

/** sh_path_of() - by which path a device is named; NULL: none. */
const char *sh_path_of(const struct node *n);

/** sh_uses() - whether any step has an operation of that form. */
bool sh_uses(const struct plan *p, enum op_form form);

/** sh_waits() - whether any step's outcome is waited for. */
bool sh_waits(const struct plan *p);

/** sh_guard_kept() - looks at what is kept, and used by what is made. @print: false: only tells. Return: whether there is any. */
bool sh_guard_kept(const struct sh_writer *w, bool print);

/** sh_guard_paths() - looks at directories and files. @print: false: only tells. Return: whether a file is looked at. */
bool sh_guard_paths(const struct sh_writer *w, bool print);

/** sh_check() - the function check(): all looks before the first write. @disks: that are touched; @blank: that have to be. */
void sh_check(const struct sh_writer *w, const node_list *disks, const node_list *blank);

/** sh_writes() - whether any disk is written to. */
bool sh_writes(const struct sh_writer *w);

/** sh_work() - the function work(): the steps. */
void sh_work(const struct sh_writer *w);
