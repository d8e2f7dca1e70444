/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

#include "base/vec.h"

struct arena;
struct blockdev;
struct machine;
struct signature;

/* What the first field of an fstab line may mean on a machine. */

typedef VEC(const struct blockdev *) source_list;

/** source_content() - the filesystem or swap that a device shows; NULL: none, or it is a member of something (RAID, LVM, LUKS). */
const struct signature *source_content(const struct blockdev *b);

/** source_by_path() - the device of a path: kernel names, links, and the two forms of LVM's names; NULL: none. */
const struct blockdev *source_by_path(struct arena *a, const struct machine *m, const char *path);

/**
 * source_with_uuid(), source_with_label() - the devices whose filesystem bears it
 * A device that shows it only because the one on top of it does (multipath, the hidden half of a snapshot) isn't among them.
 */
source_list source_with_uuid(struct arena *a, const struct machine *m, const char *uuid);
source_list source_with_label(struct arena *a, const struct machine *m, const char *label);

/** source_device() - the (first) device that a source stands for: a path, UUID= or LABEL=; NULL: none, or not known. */
const struct blockdev *source_device(struct arena *a, const struct machine *m, const char *source);

/** source_on_top() - the device that shows the same filesystem for others to use: of a path of a multipath device, that device. */
const struct blockdev *source_on_top(const struct machine *m, const struct blockdev *b);

/**
 * source_is_same() - whether two devices of one UUID are parts of one filesystem, or of one that is made of both
 * Members of a btrfs have one UUID, and each a UUID_SUB of its own; a copy has both from its original.
 */
bool source_is_same(const struct blockdev *a, const struct blockdev *b);

/** source_names() - "/dev/sdb1 and /dev/sdc1": at most four by name. */
const char *source_names(struct arena *a, const source_list *list);

/** source_is_device() - whether a source is written as a device: a path below /dev or a tag. Else it is a share, a directory, a file. */
bool source_is_device(const char *source);

/** source_is_elsewhere() - whether a line isn't about a device at all, whatever its source: bind mounts, memory and network filesystems. */
bool source_is_elsewhere(const char *type, const char *options);
