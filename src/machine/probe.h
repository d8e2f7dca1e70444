/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "machine/machine.h"

struct arena;
struct diag;
struct json_object;

/* A look at the live machine, as the rooms' probe() sees it. */
struct probe {
	struct arena *arena;
	struct diag *diag;
	const struct machine *m; /* devices, signatures, mounts: complete by now */
	struct json_object
		*out; /* the recording; a room adds its own part: json_object_object_add(p->out, "md", ...) */
	drawn_list *drawn; /* the machine's */
	bool root;         /* may read devices and start reporting tools */
};

/**
 * probe_run() - a reporting tool's output
 * Standard input is /dev/null, LC_ALL=C.UTF-8, 30 s deadline (killed then), at most @limit bytes.
 * Return: 0 with *@ret in the arena; -ENOENT where the tool isn't installed; -ETIME, -EFBIG, -EIO (exit status not 0) after a warning.
 */
int probe_run(struct probe *p, const char *const *argv, size_t limit, char **ret);

/** probe_status() - the same where the answer is the exit status alone, in *@ret, and none is a warning. Return: 0, or as above. */
int probe_status(struct probe *p, const char *const *argv, int *ret);

/** probe_now() - adds what changes by itself and so isn't recorded, under json["now"][@name]. @o: taken over. */
void probe_now(struct probe *p, const char *name, struct json_object *o);

/** probe_drawn() - notes a UUID that a tool has drawn: machine.drawn. All in the arena. Nothing where @id is NULL or empty. */
void probe_drawn(struct probe *p, const char *id, const char *what, const text_list *devices);

/** probe_open() - a device for reading: O_RDONLY | O_NONBLOCK | O_CLOEXEC, never exclusive. Return: fd or -errno. */
int probe_open(struct probe *p, const char *path);
