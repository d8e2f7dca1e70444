/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

enum { BTRFS_SUPER_AT = 65536, BTRFS_SUPER_SIZE = 4096 };

/* One device's superblock. */
struct btrfs_super {
	uint64_t devid, devices, generation;
	uint64_t size;        /* of this device, bytes */
	uint64_t root;        /* logical address of the root tree's root */
	unsigned root_level;  /* 0: a leaf */
	uint64_t used;        /* of the whole filesystem, bytes; what has copies counts once */
	uint64_t chunk_root;  /* logical address */
	unsigned chunk_level; /* of its root, 0: a leaf */
	uint32_t node_size;   /* bytes of a tree block */
	uint32_t system_size; /* bytes used of system */
	uint8_t system[2048]; /* where the system chunks, which hold the chunk tree, lie */
};

/* Kinds of chunks that are there. Names, "" where there is none. */
struct btrfs_chunks {
	const char *data, *metadata, *system;
};

/** btrfs_read_super() - @at: the BTRFS_SUPER_SIZE bytes at BTRFS_SUPER_AT. Return: 0 with *@ret, -EINVAL where it is none. */
int btrfs_read_super(const uint8_t *at, struct btrfs_super *ret);

/* Reads from the device of that devid. Return: 0, or -errno where it isn't there or can't be read. */
typedef int btrfs_reader(void *data, uint64_t devid, uint64_t offset, void *buf, size_t len);

/**
 * btrfs_read_chunks() - walks the chunk tree of an unmounted filesystem
 * Every number is checked, the walk is bounded; checksums are not looked at, for a mirror is tried where a block isn't what it should be.
 * Return: 0 with *@ret in @a, -EIO where a part can't be read, -EINVAL where it makes no sense.
 */
int btrfs_read_chunks(struct arena *a, const struct btrfs_super *super, btrfs_reader *read, void *data,
		      struct btrfs_chunks *ret);

/**
 * btrfs_read_empty() - whether an unmounted filesystem holds nothing but its root directory, as mkfs leaves it: no file, no subvolume
 * Bounded as btrfs_read_chunks() is. What has more than a leaf of trees isn't empty.
 * Return: 0 with *@ret, -EIO where a part can't be read or isn't what it should be.
 */
int btrfs_read_empty(struct arena *a, const struct btrfs_super *super, btrfs_reader *read, void *data,
		     bool *ret);
