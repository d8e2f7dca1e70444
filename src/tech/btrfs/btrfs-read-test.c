/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "base/units.h"
#include "machine/probe.h"
#include "tech/btrfs/btrfs-profile.h"
#include "tech/btrfs/btrfs-read.h"

/* A filesystem of a superblock and a chunk tree of up to three blocks, on two devices. */
enum { NODE = 4096, SYSTEM_AT = 1 << 20, LOGICAL = 5 << 20, DEVICES = 2, DEVICE_SIZE = 4 << 20 };

struct image {
	uint8_t *at[DEVICES];
	unsigned dead; /* device that can't be read, 0: none */
	struct btrfs_super super;
};

static void put(uint8_t *p, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

/* Return: bytes. */
static size_t put_chunk(uint8_t *p, uint64_t length, uint64_t type, unsigned stripes, unsigned sub,
			uint64_t offset)
{
	put(p, length, 8);
	put(p + 16, 65536, 8);
	put(p + 24, type, 8);
	put(p + 44, stripes, 2);
	put(p + 46, sub, 2);
	for (unsigned i = 0; i < stripes; i++) {
		put(p + 48 + 32 * i, i % DEVICES + 1, 8);
		put(p + 48 + 32 * i + 8, offset + i / DEVICES * MIB, 8);
	}
	return 48 + 32 * stripes;
}

static void put_header(uint8_t *block, uint64_t address, unsigned level, unsigned items)
{
	put(block + 48, address, 8);
	put(block + 88, 3, 8);
	put(block + 96, items, 4);
	block[100] = (uint8_t)level;
}

/* A leaf with a device item, which is skipped, and a chunk of each type. */
static void put_leaf(uint8_t *block, uint64_t address, const uint64_t *types, unsigned n)
{
	unsigned end = NODE - 101;

	put_header(block, address, 0, n + 1);
	block[101 + 8] = 216;
	for (unsigned i = 1; i <= n; i++) {
		uint8_t *item = block + 101 + 25 * i;

		end -= 48 + 64;
		item[8] = 228;
		put(item + 9, i * GIB, 8);
		put(item + 17, end, 4);
		put(item + 21, put_chunk(block + 101 + end, MIB, types[i - 1], 2, 1, 0), 4);
	}
}

static void put_super(struct image *im, uint64_t system, unsigned stripes, unsigned sub, unsigned level)
{
	uint8_t *super = im->at[0] + BTRFS_SUPER_AT;

	memcpy(super + 64, "_BHRfS_M", 8);
	put(super + 72, 7, 8);
	put(super + 88, LOGICAL, 8);
	put(super + 136, DEVICES, 8);
	put(super + 148, NODE, 4);
	super[199] = (uint8_t)level;
	put(super + 201, 1, 8);
	put(super + 811 + 9, LOGICAL, 8);
	put(super + 160, 17 + put_chunk(super + 811 + 17, 8 * MIB, system, stripes, sub, SYSTEM_AT), 4);
	assert_int_equal(btrfs_read_super(super, &im->super), 0);
}

static struct image *image_new(struct arena *a)
{
	struct image *im = arena_of(a, struct image);

	for (size_t i = 0; i < DEVICES; i++)
		im->at[i] = arena_alloc(a, DEVICE_SIZE);
	return im;
}

static int read_image(void *data, uint64_t devid, uint64_t offset, void *buf, size_t len)
{
	const struct image *im = data;

	if (!devid || devid > DEVICES || devid == im->dead || offset > DEVICE_SIZE ||
	    len > DEVICE_SIZE - offset)
		return -EIO;
	memcpy(buf, im->at[devid - 1] + offset, len);
	return 0;
}

enum {
	DATA = 1,
	SYSTEM = 2,
	METADATA = 4,
	RAID0 = 8,
	RAID1 = 16,
	DUP = 32,
	RAID10 = 64,
	RAID5 = 128,
};

static int walk(struct arena *a, struct image *im, struct btrfs_chunks *ret)
{
	return btrfs_read_chunks(a, &im->super, read_image, im, ret);
}

static void profiles_are_named(void **state)
{
	static const uint64_t types[] = { SYSTEM | DUP, METADATA | RAID1, DATA | RAID1, DATA,
					  METADATA | RAID1 };
	_cleanup_arena_ struct arena *a = arena_new();
	struct image *im = image_new(a);
	struct btrfs_chunks c;

	(void)state;
	put_super(im, SYSTEM | RAID1, 2, 1, 0);
	for (size_t i = 0; i < DEVICES; i++)
		put_leaf(im->at[i] + SYSTEM_AT, LOGICAL, types, 5);
	for (im->dead = 0; im->dead < 3; im->dead++) { /* any one of the mirror's devices does */
		assert_int_equal(walk(a, im, &c), 0);
		assert_string_equal(c.data, "single, raid1");
		assert_string_equal(c.metadata, "raid1");
		assert_string_equal(c.system, "dup");
	}
	im->dead = 0;
	im->at[0][SYSTEM_AT + 48]++; /* not the block that was asked for: the other copy serves */
	assert_int_equal(walk(a, im, &c), 0);
	assert_string_equal(c.metadata, "raid1");
	im->dead = 2;
	assert_int_equal(walk(a, im, &c), -EIO);
}

/* A root with two leaves, the second in the chunk's second stripe. */
static void stripes_are_followed(void **state)
{
	static const uint64_t first[] = { METADATA | RAID0 }, second[] = { DATA | RAID5 };
	static const struct {
		uint64_t type;
		unsigned stripes, sub;
		unsigned dev;    /* where the second stripe lies */
		uint64_t offset; /* in that device's part */
	} cases[] = {
		{ RAID0, 2, 1, 1, 0 },     { RAID10, 2, 2, 1, 65536 }, { RAID10, 4, 2, 0, MIB },
		{ RAID5, 2, 1, 1, 65536 }, { 0, 1, 1, 0, 65536 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_arena_ struct arena *a = arena_new();
		struct image *im = image_new(a);
		uint8_t *root = im->at[0] + SYSTEM_AT;
		struct btrfs_chunks c;

		put_super(im, SYSTEM | cases[i].type, cases[i].stripes, cases[i].sub, 1);
		put_header(root, LOGICAL, 1, 2);
		put(root + 101 + 17, LOGICAL + NODE, 8);
		put(root + 101 + 33 + 17, LOGICAL + 65536, 8);
		put_leaf(root + NODE, LOGICAL + NODE, first, 1);
		put_leaf(im->at[cases[i].dev] + SYSTEM_AT + cases[i].offset, LOGICAL + 65536, second, 1);
		assert_int_equal(walk(a, im, &c), 0);
		assert_string_equal(c.metadata, "raid0");
		assert_string_equal(c.data, "raid5");
	}
}

static void nonsense_is_told(void **state)
{
	static const uint64_t types[] = { DATA };
	_cleanup_arena_ struct arena *a = arena_new();
	struct image *im = image_new(a);
	uint8_t *leaf = im->at[0] + SYSTEM_AT, *super = im->at[0] + BTRFS_SUPER_AT;
	struct btrfs_super s;
	struct btrfs_chunks c;

	(void)state;
	put_super(im, SYSTEM, 1, 1, 0);
	put_leaf(leaf, LOGICAL, types, 1);
	assert_int_equal(walk(a, im, &c), 0);

	put(leaf + 96, UINT32_MAX, 4); /* items beyond the block */
	assert_int_equal(walk(a, im, &c), -EINVAL);
	put(leaf + 96, 2, 4);
	put(leaf + 101 + 25 + 17, 4000, 4); /* a chunk beyond it */
	assert_int_equal(walk(a, im, &c), -EINVAL);
	put(leaf + 101 + 25 + 17, UINT32_MAX, 4);
	assert_int_equal(walk(a, im, &c), -EINVAL);
	leaf[100] = 1; /* a node that points to itself */
	im->super.chunk_level = 1;
	put(leaf + 101 + 17, LOGICAL, 8);
	put(leaf + 96, 1, 4);
	assert_int_equal(walk(a, im, &c), -EINVAL);

	im->super.chunk_root = LOGICAL - 1; /* an address in no chunk */
	assert_int_equal(walk(a, im, &c), -EIO);
	im->super.system_size = 40;
	im->super.chunk_root = LOGICAL;
	assert_int_equal(walk(a, im, &c), -EIO);

	put(super + 148, 5000, 4);
	assert_int_equal(btrfs_read_super(super, &s), -EINVAL);
	put(super + 148, NODE, 4);
	put(super + 160, 2049, 4);
	assert_int_equal(btrfs_read_super(super, &s), -EINVAL);
	super[64] = '!'; /* mkfs.btrfs writes the right one last */
	assert_int_equal(btrfs_read_super(super, &s), -EINVAL);
}

static uint64_t usable(const char *name, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	_cleanup_arena_ struct arena *arena = arena_new();
	const uint64_t sizes[] = { a, b, c, d };
	size_t n = d ? 4 : c ? 3 : 2;

	return profile_usable(arena, profile_get(name), sizes, n);
}

static void usable_bytes(void **state)
{
	(void)state;
	assert_int_equal(usable("single", 1, 2, 3, 0), 6);
	assert_int_equal(usable("raid0", 1, 2, 3, 0), 6);
	assert_int_equal(usable("dup", 4, 4, 0, 0), 4);
	assert_int_equal(usable("raid1", 100, 100, 100, 0), 150);
	assert_int_equal(usable("raid1", 100, 1000, 100, 0), 200);
	assert_int_equal(usable("raid1", 100, 100, 250, 100), 275);
	assert_int_equal(usable("raid10", 100, 100, 100, 100), 200);
	assert_int_equal(usable("raid1c3", 100, 100, 100, 0), 100);
	assert_int_equal(usable("raid1c3", 300, 100, 100, 100), 150);
	assert_int_equal(usable("raid1c3", 500, 500, 10, 10), 20);
	assert_int_equal(usable("raid1c4", 100, 100, 100, 70), 70);
	assert_int_equal(usable("raid1c4", 100, 100, 100, 0), 0);
	assert_int_equal(usable("raid5", 100, 100, 100, 0), 200);
	assert_int_equal(usable("raid5", 100, 200, 300, 0),
			 300); /* 2 x 100, then 1 x 100 on the larger ones */
	assert_int_equal(usable("raid6", 100, 100, 100, 100), 200);
	assert_int_equal(usable("raid6", 100, 200, 200, 200), 300);
	assert_int_equal(usable("raid6", 100, 100, 0, 0), 0);
}

static void profiles(void **state)
{
	(void)state;
	assert_int_equal(profile_tolerates("raid1"), 1);
	assert_int_equal(profile_tolerates("single, raid1"), 0);
	assert_int_equal(profile_tolerates("raid1c3, raid6"), 2);
	assert_int_equal(profile_tolerates(""), 0);
	assert_int_equal(profile_tolerates("raid7"), 0);
	/* mkfs.btrfs 6.2 refuses one byte less */
	assert_int_equal(profile_smallest(profile_get("raid1"), profile_get("raid1")), 131072000);
	assert_int_equal(profile_smallest(profile_get("single"), profile_get("dup")), 114294784);
	assert_int_equal(profile_smallest(profile_get("dup"), profile_get("dup")), 240123904);
	assert_int_equal(profile_smallest(profile_get("single"), profile_get("single")), 47185920);
}

/* What the tool really makes, where it is installed: over two files, with nothing in it, and with a file. */
struct files {
	int fd[2];
	struct btrfs_super super;
};

static int read_file(void *data, uint64_t devid, uint64_t offset, void *buf, size_t len)
{
	const struct files *f = data;

	if (!devid || devid > 2 || f->fd[devid - 1] < 0)
		return -EIO;
	return pread(f->fd[devid - 1], buf, len, (off_t)offset) == (ssize_t)len ? 0 : -EIO;
}

enum { FILE_SIZE = 128 << 20 };

static const char *at(struct arena *a, const char *dir, const char *name)
{
	return arena_printf(a, "%s/%s", dir, name);
}

static void make_file(const char *path, off_t size)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	(void)close(fd);
}

/* @options: words with blanks between them; a single letter or digit is a name in @dir. Return: 0 or -errno; -ENOENT: it isn't installed. */
static int mkfs(struct arena *a, const char *dir, const char *options)
{
	struct diag d = { .arena = a };
	struct probe p = { .arena = a, .diag = &d };
	text_list words = { 0 };
	char *said;

	vec_push(a, &words, "mkfs.btrfs");
	vec_push(a, &words, "-q");
	for (size_t n; *options; options += n, options += strspn(options, " ")) {
		const char *word;

		n = strcspn(options, " ");
		word = arena_strndup(a, options, n);
		vec_push(a, &words, strlen(word) == 1 ? at(a, dir, word) : word);
	}
	vec_push(a, &words, NULL);
	return probe_run(&p, words.at, MIB, &said);
}

static int empty_after(struct arena *a, const char *options, bool damage, bool *ret)
{
	static const char *const names[] = { "1", "2", "d/x" };
	char dir[] = "/tmp/stowage-btrfs-XXXXXX";
	struct files f;
	uint8_t super[BTRFS_SUPER_SIZE];
	int r;

	assert_non_null(mkdtemp(dir));
	assert_int_equal(mkdir(at(a, dir, "d"), 0700), 0);
	for (size_t i = 0; i < 3; i++)
		make_file(at(a, dir, names[i]), i < 2 ? FILE_SIZE : 1);
	r = mkfs(a, dir, options);
	if (!r) {
		f.fd[0] = open(arena_printf(a, "%s/1", dir), O_RDWR | O_CLOEXEC);
		f.fd[1] = open(arena_printf(a, "%s/2", dir), O_RDWR | O_CLOEXEC);
		assert_int_equal(pread(f.fd[0], super, sizeof(super), BTRFS_SUPER_AT), sizeof(super));
		assert_int_equal(btrfs_read_super(super, &f.super), 0);
		if (damage)
			f.super.root += MIB;
		r = btrfs_read_empty(a, &f.super, read_file, &f, ret);
		(void)close(f.fd[0]);
		(void)close(f.fd[1]);
	}
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(unlink(at(a, dir, names[i])), 0);
	assert_int_equal(rmdir(at(a, dir, "d")), 0);
	assert_int_equal(rmdir(dir), 0);
	return r;
}

static void what_mkfs_makes_is_empty(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	bool empty = false;
	int r = empty_after(a, "-d raid1 -m raid1 1 2", false, &empty);

	(void)state;
	if (r == -ENOENT)
		skip();
	assert_int_equal(r, 0);
	assert_true(empty);
	assert_int_equal(empty_after(a, "-d single -m dup 1", false, &empty), 0);
	assert_true(empty);
	assert_int_equal(empty_after(a, "-r d 1", false, &empty), 0);
	assert_false(empty);
	assert_int_equal(empty_after(a, "-d raid1 -m raid1 1 2", true, &empty), -EIO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(profiles_are_named), cmocka_unit_test(stripes_are_followed),
		cmocka_unit_test(nonsense_is_told),   cmocka_unit_test(profiles),
		cmocka_unit_test(usable_bytes),       cmocka_unit_test(what_mkfs_makes_is_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
