/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/machine.h"

struct arena;
struct diag;
struct json_object;
struct machine;
struct map;

/* What the files of machine/ do for one another. Nobody else includes this. */

/** look_sysfs() - the block devices below @sys ("/sys"), without their content. Return: 0 or -errno after diag_error(). */
int look_sysfs(struct machine *m, const char *sys, struct diag *d);

/** look_dm_target() - the kind of a device-mapper device's table ("linear"), by asking the driver; NULL where it doesn't tell. */
const char *look_dm_target(struct arena *a, unsigned major, unsigned minor);

/** look_udev() - serial numbers, links and what udev knows of the content, for all devices. Works without udev. */
void look_udev(struct machine *m);

/**
 * look_udev_text() - what udev calls ..._ENC: each byte that isn't harmless stands there as \xNN
 * @s: NULL counts as empty. @squeeze: without blanks at the ends and runs of them, as disks pad models
 * Return: in @a; NULL where nothing is left.
 */
const char *look_udev_text(struct arena *a, const char *s, bool squeeze);

/**
 * look_content() - reads what is on a device
 * Sets .signatures and .looked, or .error; where the right to read is missing, both stay as they are.
 * Return: false where the device turns out to be none (no medium).
 */
bool look_content(struct machine *m, struct blockdev *dev);

/** look_signatures() - what libblkid finds behind @fd, a device or an image. Return: 0 or -errno; .signatures then is what was found before. */
int look_signatures(struct arena *a, int fd, struct blockdev *dev);

/** look_area() - the same for the part of @fd that begins at @start; offsets count from there. @size: 0 is all. Return: as above. */
int look_area(struct arena *a, int fd, uint64_t start, uint64_t size, signature_list *ret);

/** look_strays() - what lies on disks that have neither table nor content, at the places where partitions like to begin. */
void look_strays(struct machine *m, struct diag *d);

/**
 * stray_find() - what lies in a device or an image at the usual places, and behind what is found there
 * @dev: for its size, and the signatures that are known already. @more: further places.
 * @usual: also the usual places, not those alone.
 * @name: in warnings of what can't be read.
 */
signature_list stray_find(struct arena *a, int fd, const struct blockdev *dev, const extent_list *more,
			  bool usual, struct diag *d);

/** stray_places() - the usual places. In @a. */
extent_list stray_places(struct arena *a);

/**
 * gpt_entries() - the partitions of a GPT that is there, or of what is left of one
 * @header: where its header is; @sector: bytes, 512 or 4096. Numbers are checked against @size, bytes of the device.
 * Return: whether there is one; its partitions join @ret, its UUID is in *@ret_uuid.
 */
bool gpt_entries(struct arena *a, int fd, uint64_t size, uint64_t header, uint32_t sector, extent_list *ret,
		 const char **ret_uuid);

/** look_mounts() - what is mounted, from the text of /proc/self/mountinfo. Devices are in m->devs already. */
void look_mounts(struct machine *m, const char *mountinfo);

/** look_swaps() - what is used as swap, from the text of /proc/swaps. */
void look_swaps(struct machine *m, const char *swaps);

/** look_files() - fstab and its like below "/" and below @root (NULL: none). What can't be read is warned of. */
void look_files(struct machine *m, const char *root, struct diag *d);

/** look_tools() - which programs there are. */
void look_tools(struct machine *m);

/**
 * look_journal() - what the journal in a directory says was begun and not brought to its end
 * Without a journal, or without the right to read it, nothing. Lines that were cut short, or are something else, are passed over.
 */
void look_journal(struct machine *m, const char *state, struct diag *d);

/** journal_read() - a journal's text. @open: UUID -> the step that makes it (const char *), NULL for what was made since; from older ones. */
void journal_read(struct map *open, const char *text, size_t len);

/** look_program() - where a program is: PATH, then /usr/sbin and /sbin. Return: its path, NULL where there is none. */
const char *look_program(struct arena *a, const char *name);

/**
 * run_report() - a program's standard output, collected in @a
 * @path: the program. @argv: its words. Its standard input is /dev/null, its standard error is read for the last line.
 * @ret_status: as from waitid(): exit status, or 128 + signal.
 * @ret_last: the last line that it said on standard error, "" if none.
 * Return: 0, whatever its status; -ETIME (killed), -EFBIG (killed), or -errno where it could not be run.
 */
int run_report(struct arena *a, const char *path, const char *const *argv, size_t limit, unsigned timeout_ms,
	       char **ret, int *ret_status, const char **ret_last);

/**
 * machine_index() - sorts the devices and fills the maps; the first that has a name or link keeps it
 * Return: NULL, or the device whose name, path or link another one had already (then *@ret_what is that text).
 */
const struct blockdev *machine_index(struct machine *m, const char **ret_what);

/** machine_good_name() - whether it can be a kernel name: nothing but letters, digits and -_.!:+~@, and neither "." nor "..". */
bool machine_good_name(const char *s);

/** record_build() - the recording of all but the rooms' parts. Return: a new reference. */
struct json_object *record_build(const struct machine *m);

/** record_put_drawn() - the UUIDs that tools have drawn, in the same way. */
void record_put_drawn(struct json_object *o, const struct machine *m);

/** record_put_protected() - the protection list as a member of a recording, in the place of the one that is in it. */
void record_put_protected(struct json_object *o, const struct machine *m);

/** record_devices() - the recording of the devices alone. Return: a new reference. */
struct json_object *record_devices(const struct machine *m);

/** machine_keep_json() - hands a reference to the arena, which ends it. */
void machine_keep_json(struct machine *m, struct json_object *json);
