/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"

struct arena;
struct diag;

/*
 * Locks. The state directory's keeps a second stowage out. Those on whole disks are the BSD locks that udev and other tools honour:
 * while one is held, udevd neither looks at the disk nor re-reads its table. But it then puts off the disk's events and those of its partitions,
 * so links would never come: a disk's lock is held from the first check to the last write of its table, and let go before the wait.
 */
enum { LOCK_TIMEOUT_S = 30 };

struct disk_lock {
	const char *path; /* of the whole disk: "/dev/vda" */
	int fd;           /* -1: not held */
	size_t pending;   /* steps that must be over before it is let go */
};

typedef VEC(struct disk_lock) lock_list;

/**
 * lock_state() - makes the state directory (0700) and takes its lock
 * Return: 0 with the directory in *@ret_dir and the lock in *@ret_lock; -EINVAL after diag_error(); -EPERM after diag_refuse() that names
 * the process that has it.
 */
int lock_state(struct arena *a, const char *dir, struct diag *d, int *ret_dir, int *ret_lock);

/** lock_whole() - the whole disk that a device lies on, by its path, whose lock udev honours. Return: path in @a; NULL: none (md, dm, a file). */
const char *lock_whole(struct arena *a, const char *dev);

/**
 * lock_disks() - takes them in order, each within LOCK_TIMEOUT_S
 * @stop_fd: gives up (-EINTR, nothing said) when it can be read; -1: none
 * Return: 0; -EINVAL after diag_error(); -EPERM after diag_refuse() that names who has it. What was taken stays.
 */
int lock_disks(struct arena *a, lock_list *locks, char **env, int stop_fd, struct diag *d);

void lock_release(struct disk_lock *l);

/** lock_block() - waits for a disk's lock in a process that is free to block and has a deadline. Return: fd or -errno. */
int lock_block(const char *path);
