/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "run/child.h"

struct arena;

/*
 * LVM commands run one after the other in a process of their own that keeps one handle of liblvm2cmd: a third faster than a program each.
 * Its process, since liblvm2cmd sets umask, handles signals, and may block or crash.
 */
struct lvm_worker {
	struct child child;
	int socket; /* -1: it does not run */
};

/**
 * lvm_line() - words as lvm2_run() takes them apart again
 * Its splitter knows blanks, '...' and "..." where a word begins, no escapes, and # begins a comment where a word begins. At most 63 words.
 * Return: in @a; NULL where it can't be said.
 */
const char *lvm_line(struct arena *a, const text_list *words);

/** lvm_start() - .child's captures are set before. Return: 0 or -errno. */
int lvm_start(struct lvm_worker *w, char **env);

/** lvm_send() - starts a command; the next only after lvm_receive() gave its result. Return: 0 or -errno. */
int lvm_send(struct lvm_worker *w, const char *line);

/** lvm_receive() - without waiting. Return: 1 with lvm2_run()'s value in *@ret (1: success); 0: not over yet; -errno: it is gone. */
int lvm_receive(struct lvm_worker *w, int *ret);

/** lvm_stop() - lets it go, or kills it where it doesn't go by itself within a grace. */
void lvm_stop(struct lvm_worker *w);
