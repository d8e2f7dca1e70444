/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/text.h"
#include "base/vec.h"
#include "graph/node.h"

struct arena;
struct diag;
struct json_object;

/* What libblkid (or, without the right to read, udev) sees on a device. */
struct signature {
	const char *
		type; /* blkid's TYPE, or PTTYPE for a table: "ext4", "linux_raid_member", "LVM2_member", "gpt" */
	const char *usage;                             /* "filesystem", "raid", "crypto", "other", "table" */
	const char *uuid, *uuid_sub, *label, *version; /* NULL where there is none */
	const char *drawn;                             /* live only: a UUID that goes to machine.drawn */
	uint64_t offset;                               /* bytes, of the magic; of a stray: where it begins */
	uint64_t size; /* bytes that it takes by what its superblock says, 0: not told; of strays only */
};

typedef VEC(struct signature) signature_list;

/* A piece of a disk, in bytes. */
struct extent {
	uint64_t start, size; /* size 0: not known */
};

typedef VEC(struct extent) extent_list;

/* A block device as the kernel shows it. Strings are NULL where it says nothing. */
struct blockdev {
	const char *name; /* kernel name: "sda1" */
	const char *path; /* "/dev/sda1" */
	const char *type; /* "disk", "part", "md", "dm", "loop", "rom", "zram", "other" */
	unsigned major, minor;
	uint64_t size;      /* bytes */
	uint64_t start;     /* bytes, of a partition */
	unsigned partn;     /* number of a partition, 0: none */
	const char *parent; /* kernel name of the partition's disk */
	bool read_only, removable, rotational;
	struct geometry geo;
	const char *serial, *wwn, *model, *vendor,
		*transport; /* transport: "sata", "sas", "nvme", "usb", "virtio", "iscsi", ... */
	text_list
		links; /* "/dev/disk/by-id/...", sorted; none that holds a random UUID (dm-uuid, lvm-pv-uuid) */
	text_list slaves;                /* kernel names below it (md, dm), sorted */
	text_list holders;               /* kernel names on it, sorted */
	const char *dm_name, *dm_target; /* "vg0-home_1"; "linear", "striped", "crypt", ... */
	const char *backing;             /* of a loop device: the path of the file or device behind it */
	signature_list signatures;
	signature_list
		strays; /* of a disk without a table and content of its own: what lies on it all the same, as if behind a table that is gone; by place */
	bool looked;    /* the content was read by us; false: signatures are what udev had noted */
	const char *error; /* why it could not be looked at, NULL: nothing was wrong */
};

struct mount_there {
	const char *source, *target, *type, *options,
		*root;         /* unescaped; root: the directory of the filesystem that is mounted */
	unsigned major, minor; /* of the device; 0 for btrfs and others without one of their own */
	const char *dev;       /* kernel name of the device, NULL: no block device */
};

struct swap_there {
	const char *path;
	const char *dev; /* kernel name, NULL: a file */
};

/* A line of a protection list: a serial number, a WWN, a UUID; no plan writes to the disks that it is about. */
struct protected_line {
	const char *file;
	unsigned line;
	const char *id; /* as written, without blanks around it */
};

typedef VEC(struct protected_line) protected_list;

/* A UUID that is drawn by the tool which makes a thing: no plan states it, and a recording keeps it for protection lists alone. */
struct drawn_uuid {
	const char *id;
	const char *what;  /* "volume group vg0", "the member /dev/sda1 of a btrfs" */
	text_list devices; /* kernel names of those that it is on */
};

typedef VEC(struct drawn_uuid) drawn_list;

#define PROTECTED_FILE "/etc/stowage/protected"

/* A machine, live or recorded: the same after reading. */
struct machine {
	struct arena *arena;
	const char *source; /* "this machine", or the recording's file name */
	bool live;
	bool root;                   /* it was looked at by root: content was read, LVM and others asked */
	struct json_object *json;    /* the recording; rooms read their part of it: json["md"] */
	VEC(struct blockdev *) devs; /* sorted by natural order of kernel name */
	struct map by_name;          /* struct blockdev by kernel name */
	struct map by_link;          /* struct blockdev by /dev path and by each link */
	VEC(struct mount_there)
	mounts; /* in the order of mounting for the live machine; recordings sort them by target */
	VEC(struct swap_there) swaps;
	struct map
		files; /* path -> content (const char *): /etc/fstab, /etc/mdadm/mdadm.conf, below each root asked for. The recording masks secrets in them, the live machine doesn't: the lines are written back */
	struct map
		unread; /* path -> why (const char *): files that are there and could not be read; nobody may replace them */
	bool journal; /* runs have left one here; live only */
	struct map
		unfinished; /* UUID of what a run was making when it was interrupted -> the step's id (const char *); from the journal */
	struct map
		tools; /* name of a program -> its path, for those that are installed; empty map where it wasn't recorded */
	bool tools_known;
	drawn_list drawn;         /* of volume groups, volumes, and members of a btrfs or an array */
	protected_list protected; /* the lines of PROTECTED_FILE, and of the lists that machine_protect() added */
	const char *
		protected_why; /* why PROTECTED_FILE, which is there, could not be read; NULL: nothing was wrong */
};

/**
 * machine_read_live() - looks at this machine
 * Writes nothing, takes no exclusive lock, starts only reporting tools (lvm) and only as root. A broken device is told in .error.
 * @root: a directory whose etc/ is looked into as well, "/" or NULL: none.
 * @state: the directory that has the journal, NULL: STATE_DIR.
 * Return: 0 with *@ret in @a, or -errno after diag_error().
 */
int machine_read_live(struct arena *a, const char *root, const char *state, struct diag *d,
		      struct machine **ret);

/**
 * machine_peek() - looks at further places of a disk for what lies there without a table: where a plan would put something
 * What is found joins .strays, and the recording in .json. Disks that show a table or content, and machines that aren't live or weren't
 * looked at by root, stay as they are. Reads only; what can't be read is warned of.
 * Return: how many were found that weren't known.
 */
size_t machine_peek(struct machine *m, const char *path, const extent_list *places, struct diag *d);

/**
 * machine_strays() - the same for a device as it is now, at the usual places and at these
 * @fd: of the device. Return: what lies there, in @a.
 */
signature_list machine_strays(struct arena *a, int fd, const struct blockdev *dev, const extent_list *places,
			      struct diag *d);

/**
 * machine_looks_lost() - whether a disk looks like one whose table is lost
 * It shows neither partitions nor content of its own, but things lie where partitions would begin, or a GPT's copy is left.
 */
bool machine_looks_lost(const struct machine *m, const struct blockdev *dev);

/** machine_read_file() - a recording; opens no device, starts no process. @path: "-" is standard input. Limits: 64 MiB. */
int machine_read_file(struct arena *a, const char *path, struct diag *d, struct machine **ret);

/** machine_parse() - a recording from memory. */
int machine_parse(struct arena *a, const char *name, const char *text, size_t len, struct diag *d,
		  struct machine **ret);

/** machine_write() - the recording as text: JSON, pretty, keys and lists in a fixed order, ends with a newline. */
const char *machine_write(const struct machine *m, struct arena *a);

/** machine_dev() - a device by kernel name, /dev path or link; NULL where there is none. */
const struct blockdev *machine_dev(const struct machine *m, const char *path);

/** machine_file() - the content of a file on the machine, NULL where it isn't there (or wasn't recorded). */
const char *machine_file(const struct machine *m, const char *path);

/** machine_mounts_of() - where a device is mounted: the targets, in order. */
text_list machine_mounts_of(const struct machine *m, struct arena *a, const struct blockdev *dev);

/**
 * machine_mounts_now() - what is mounted by now
 * @ret: @m with other .mounts, which are in @a. Return: 0 or -errno.
 */
int machine_mounts_now(const struct machine *m, struct arena *a, struct machine **ret);

/** machine_is_swap() - whether a device is in use as swap. */
bool machine_is_swap(const struct machine *m, const struct blockdev *dev);

/**
 * machine_protected_read() - adds the lines of a protection list to @list
 * One identifier a line; # begins a comment at the start of a line and behind a blank. Lines end with LF, CR LF or CR.
 * @must: a list that isn't there is an error, too. One whose link leads nowhere is in any case, for somebody meant it to be there.
 * Return: 0, or -errno with the reason in *@ret_why, in @a: then @list is as it was.
 */
int machine_protected_read(struct arena *a, const char *file, bool must, protected_list *list,
			   const char **ret_why);

/** machine_protect() - adds the list in a file to the machine and its recording. Return: 0, or -errno after diag_error(). */
int machine_protect(struct machine *m, const char *file, struct diag *d);

/** machine_name_order() - natural order of kernel names, for qsort-like use: sda2 < sda10, sdz < sdaa. Return: <0, 0, >0. */
int machine_name_order(const char *a, const char *b);

/**
 * machine_mask() - a file's content without passwords: password=, pass=, secret= and //user:password@ in an fstab or crypttab
 *
 * @path: the file's, for its name.
 *
 * Return: in @a, or @content itself.
 */
const char *machine_mask(struct arena *a, const char *path, const char *content);

/** machine_has_secret() - whether a file's content holds a password, or the stars of one that was masked. */
bool machine_has_secret(const char *path, const char *content);
