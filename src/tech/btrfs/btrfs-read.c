/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tech/btrfs/btrfs-read.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/units.h"
#include "base/vec.h"
#include "tech/btrfs/btrfs-profile.h"

/* On-disk format, little-endian. Source: uapi/linux/btrfs_tree.h. */
enum {
	KEY_SIZE = 17,
	CHUNK_SIZE = 48,  /* without its stripes */
	STRIPE_SIZE = 32, /* devid, offset, uuid */
	HEADER_SIZE = 101,
	ITEM_SIZE = 25,    /* of a leaf: key, offset, size */
	POINTER_SIZE = 33, /* of a node: key, address, generation */
	CHUNK_ITEM = 228,
	ROOT_ITEM = 132,
	ROOT_TREE = 1,
	CHUNK_TREE = 3,
	FS_TREE = 5,
	FIRST_FREE = 256, /* numbers of subvolumes and files begin here; the root directory has this one */
	INODE_ITEM = 1,
	INODE_REF = 12,
	ROOT_ITEM_SIZE = 239, /* up to its level, which is in its last byte */
	STRIPE_LEN = 65536,
	BLOCKS_MOST = 1 << 17, /* of 16 KiB, that is a chunk tree for petabytes */
};

#define CHUNK_DATA     (UINT64_C(1) << 0)
#define CHUNK_SYSTEM   (UINT64_C(1) << 1)
#define CHUNK_METADATA (UINT64_C(1) << 2)
#define CHUNK_RAID0    (UINT64_C(1) << 3)
#define CHUNK_RAID10   (UINT64_C(1) << 6)
#define CHUNK_PARITY   (UINT64_C(3) << 7)
#define CHUNK_RAID6    (UINT64_C(1) << 8)

static uint64_t le(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | p[n];
	return v;
}

int btrfs_read_super(const uint8_t *at, struct btrfs_super *ret)
{
	struct btrfs_super s = { 0 };

	if (memcmp(at + 64, "_BHRfS_M", 8) != 0)
		return -EINVAL;
	s.generation = le(at + 72, 8);
	s.root = le(at + 80, 8);
	s.root_level = at[198];
	s.chunk_root = le(at + 88, 8);
	s.used = le(at + 120, 8);
	s.devices = le(at + 136, 8);
	s.node_size = (uint32_t)le(at + 148, 4);
	s.system_size = (uint32_t)le(at + 160, 4);
	s.chunk_level = at[199];
	s.devid = le(at + 201, 8);
	s.size = le(at + 209, 8);
	if (s.node_size < 4096 || s.node_size > 65536 || !units_is_power_of_two(s.node_size) ||
	    s.system_size > sizeof(s.system) || s.chunk_level > 7)
		return -EINVAL;
	memcpy(s.system, at + 811, sizeof(s.system));
	*ret = s;
	return 0;
}

/* A chunk as it stands in the superblock or in a leaf. */
struct chunk {
	uint64_t start, length, type;
	const uint8_t *stripes;
	size_t count, sub;
};

/* Return: bytes that it takes, 0 where it is none. @start: its logical address, from the key before it. */
static size_t read_chunk(const uint8_t *p, size_t room, uint64_t start, struct chunk *ret)
{
	struct chunk c = { .start = start };

	if (room < CHUNK_SIZE)
		return 0;
	c.length = le(p, 8);
	c.type = le(p + 24, 8);
	c.count = le(p + 44, 2);
	c.sub = le(p + 46, 2);
	c.stripes = p + CHUNK_SIZE;
	if (!c.count || c.count > (room - CHUNK_SIZE) / STRIPE_SIZE || !c.length ||
	    c.length > UINT64_MAX - start)
		return 0;
	*ret = c;
	return CHUNK_SIZE + c.count * STRIPE_SIZE;
}

static bool find_system(const struct btrfs_super *s, uint64_t address, struct chunk *ret)
{
	size_t at = 0;

	while (at + KEY_SIZE <= s->system_size) {
		uint64_t start = le(s->system + at + 9, 8);
		size_t size = read_chunk(s->system + at + KEY_SIZE, s->system_size - at - KEY_SIZE, start,
					 ret);

		if (!size)
			return false;
		if (address >= start && address - start < ret->length)
			return true;
		at += KEY_SIZE + size;
	}
	return false;
}

struct walk {
	const struct btrfs_super *super;
	btrfs_reader *read;
	void *data;
	uint8_t *block;
	struct arena *arena;
	VEC(struct chunk) chunks; /* those of the chunk tree, when all are wanted */
	bool keep;
};

static bool read_stripe(const struct walk *w, const struct chunk *c, size_t stripe, uint64_t within,
			uint64_t address, uint64_t tree)
{
	uint64_t devid, offset;

	if (stripe >= c->count)
		return false;
	devid = le(c->stripes + stripe * STRIPE_SIZE, 8);
	offset = le(c->stripes + stripe * STRIPE_SIZE + 8, 8);
	if (within > UINT64_MAX - offset ||
	    w->read(w->data, devid, offset + within, w->block, w->super->node_size) < 0)
		return false;
	return le(w->block + 48, 8) == address && le(w->block + 88, 8) == tree;
}

static bool find_chunk(const struct walk *w, uint64_t address, struct chunk *ret)
{
	vec_each (const struct chunk *, c, &w->chunks)
		if (address >= c->start && address - c->start < c->length) {
			*ret = *c;
			return true;
		}
	return find_system(w->super, address, ret);
}

/* A block of a tree into w->block. Of mirrors, any that can be read and bears its address. */
static bool read_block(const struct walk *w, uint64_t address, uint64_t tree)
{
	struct chunk c;
	uint64_t within, number, inside;
	size_t parity;

	if (!find_chunk(w, address, &c))
		return false;
	within = address - c.start;
	number = within / STRIPE_LEN;
	inside = within % STRIPE_LEN;
	if (c.type & CHUNK_RAID0)
		return read_stripe(w, &c, number % c.count, number / c.count * STRIPE_LEN + inside, address,
				   tree);
	if (c.type & CHUNK_RAID10) {
		size_t sub = c.sub ? c.sub : 1, groups = c.count / sub;

		for (size_t i = 0; groups && i < sub; i++)
			if (read_stripe(w, &c, number % groups * sub + i,
					number / groups * STRIPE_LEN + inside, address, tree))
				return true;
		return false;
	}
	if (c.type & CHUNK_PARITY) {
		parity = c.type & CHUNK_RAID6 ? 2 : 1;
		if (c.count <= parity)
			return false;
		/* The parity moves on by one with each row. */
		return read_stripe(w, &c,
				   (number % (c.count - parity) + number / (c.count - parity)) % c.count,
				   number / (c.count - parity) * STRIPE_LEN + inside, address, tree);
	}
	for (size_t i = 0; i < c.count; i++)
		if (read_stripe(w, &c, i, within, address, tree))
			return true;
	return false;
}

struct flags {
	uint64_t data, metadata, system; /* or-ed */
	bool data_single, metadata_single, system_single;
};

static void note(struct flags *f, uint64_t type)
{
	uint64_t profile = type & ~(CHUNK_DATA | CHUNK_SYSTEM | CHUNK_METADATA);

	if (type & CHUNK_DATA) {
		f->data |= profile;
		f->data_single |= !profile;
	}
	if (type & CHUNK_METADATA) {
		f->metadata |= profile;
		f->metadata_single |= !profile;
	}
	if (type & CHUNK_SYSTEM) {
		f->system |= profile;
		f->system_single |= !profile;
	}
}

/* The block that it was read from goes. */
static void keep(struct walk *w, struct chunk c)
{
	uint8_t *stripes = arena_alloc(w->arena, c.count * STRIPE_SIZE);

	memcpy(stripes, c.stripes, c.count * STRIPE_SIZE);
	c.stripes = stripes;
	vec_push(w->arena, &w->chunks, c);
}

static int read_leaf(struct walk *w, size_t items, struct flags *f)
{
	for (size_t i = 0; i < items; i++) {
		const uint8_t *item = w->block + HEADER_SIZE + i * ITEM_SIZE;
		uint64_t at = HEADER_SIZE + le(item + KEY_SIZE, 4), size = le(item + KEY_SIZE + 4, 4);
		struct chunk c;

		if (item[8] != CHUNK_ITEM)
			continue;
		if (at > w->super->node_size || size > w->super->node_size - at ||
		    !read_chunk(w->block + at, size, le(item + 9, 8), &c))
			return -EINVAL;
		note(f, c.type);
		if (w->keep)
			keep(w, c);
	}
	return 0;
}

struct todo {
	uint64_t address;
	unsigned level;
};

static int walk_chunks(struct walk *w, struct flags *ret)
{
	struct arena *a = w->arena;
	const struct btrfs_super *super = w->super;
	VEC(struct todo) todo = { 0 };
	struct flags f = { 0 };
	size_t blocks = 0;

	vec_push(a, &todo, (struct todo){ .address = super->chunk_root, .level = super->chunk_level });
	while (todo.n) {
		struct todo now = todo.at[--todo.n];
		size_t items;

		if (++blocks > BLOCKS_MOST)
			return -EINVAL;
		if (!read_block(w, now.address, CHUNK_TREE))
			return -EIO;
		items = le(w->block + 96, 4);
		if (w->block[100] != now.level ||
		    items > (super->node_size - HEADER_SIZE) / (now.level ? POINTER_SIZE : ITEM_SIZE))
			return -EINVAL;
		if (!now.level && read_leaf(w, items, &f) < 0)
			return -EINVAL;
		/* Levels only go down, so that a loop ends. */
		for (size_t i = 0; now.level && i < items; i++)
			vec_push(a, &todo,
				 (struct todo){
					 .address = le(w->block + HEADER_SIZE + i * POINTER_SIZE + KEY_SIZE,
						       8),
					 .level = now.level - 1 });
	}
	*ret = f;
	return 0;
}

int btrfs_read_chunks(struct arena *a, const struct btrfs_super *super, btrfs_reader *read, void *data,
		      struct btrfs_chunks *ret)
{
	struct walk w = { .super = super,
			  .read = read,
			  .data = data,
			  .arena = a,
			  .block = arena_alloc(a, super->node_size) };
	struct flags f;
	int r = walk_chunks(&w, &f);

	if (r < 0)
		return r;
	*ret = (struct btrfs_chunks){ .data = profile_names(a, f.data, f.data_single),
				      .metadata = profile_names(a, f.metadata, f.metadata_single),
				      .system = profile_names(a, f.system, f.system_single) };
	return 0;
}

/* The next item of a leaf in w->block. Return: false at its end, or where it makes no sense. */
static bool next_item(const struct walk *w, size_t i, size_t items, uint64_t *ret_object, uint8_t *ret_type,
		      const uint8_t **ret_body, size_t *ret_size)
{
	const uint8_t *item = w->block + HEADER_SIZE + i * ITEM_SIZE;
	uint64_t at, size;

	if (i >= items)
		return false;
	at = HEADER_SIZE + le(item + KEY_SIZE, 4);
	size = le(item + KEY_SIZE + 4, 4);
	if (at > w->super->node_size || size > w->super->node_size - at)
		return false;
	*ret_object = le(item, 8);
	*ret_type = item[8];
	*ret_body = w->block + at;
	*ret_size = size;
	return true;
}

static size_t leaf_items(const struct walk *w)
{
	size_t items = le(w->block + 96, 4);

	return items <= (w->super->node_size - HEADER_SIZE) / ITEM_SIZE ? items : 0;
}

/* Where the tree of files begins; *@ret_other: there are subvolumes. */
static bool find_files(const struct walk *w, uint64_t *ret_address, bool *ret_other)
{
	uint64_t object;
	uint8_t type;
	const uint8_t *body;
	size_t size, items = leaf_items(w);
	bool found = false;

	*ret_other = false;
	for (size_t i = 0; next_item(w, i, items, &object, &type, &body, &size); i++) {
		if (type != ROOT_ITEM)
			continue;
		if (object >= FIRST_FREE && object <= UINT64_MAX - FIRST_FREE)
			*ret_other = true;
		if (object != FS_TREE || size < ROOT_ITEM_SIZE)
			continue;
		*ret_address = le(body + 176, 8);
		*ret_other = *ret_other || body[238] != 0; /* its level */
		found = true;
	}
	return found;
}

int btrfs_read_empty(struct arena *a, const struct btrfs_super *super, btrfs_reader *read, void *data,
		     bool *ret)
{
	struct walk w = { .super = super,
			  .read = read,
			  .data = data,
			  .arena = a,
			  .block = arena_alloc(a, super->node_size),
			  .keep = true };
	uint64_t address, object;
	const uint8_t *body;
	uint8_t type;
	size_t size, items;
	struct flags f;
	bool other;

	*ret = false;
	if (walk_chunks(&w, &f) < 0)
		return -EIO;
	if (super->root_level)
		return 0;
	if (!read_block(&w, super->root, ROOT_TREE) || w.block[100] || !find_files(&w, &address, &other))
		return -EIO;
	if (other)
		return 0;
	if (!read_block(&w, address, FS_TREE) || w.block[100])
		return -EIO;
	items = leaf_items(&w);
	for (size_t i = 0; i < items; i++) {
		if (!next_item(&w, i, items, &object, &type, &body, &size))
			return -EIO;
		if (object != FIRST_FREE || (type != INODE_ITEM && type != INODE_REF))
			return 0;
	}
	*ret = items != 0;
	return items ? 0 : -EIO;
}
