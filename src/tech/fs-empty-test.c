/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/field.h"
#include "base/text.h"
#include "base/units.h"
#include "machine/machine.h"
#include "machine/probe.h"
#include "tech/kind.h"

/* Filesystems that the tools make, in a file, where they are installed: nobody has used them until something is changed as use changes it. */
struct image {
	struct arena *a;
	char dir[32];
	const char *path;
	struct machine m;
	struct blockdev dev;
};

extern const struct room room_ext4, room_xfs, room_vfat;

static int set_up(void **state)
{
	struct arena *a = arena_new();
	struct image *im = arena_of(a, struct image);

	im->a = a;
	(void)strcpy(im->dir, "/tmp/stowage-empty-XXXXXX");
	*state = im;
	if (!mkdtemp(im->dir))
		return -1;
	im->path = arena_printf(a, "%s/image", im->dir);
	return 0;
}

/* A tool with words, those behind blanks on their own, and the image as the last. Return: 0 or -errno; -ENOENT: it isn't installed. */
static int run(const struct image *im, const char *command)
{
	struct diag d = { .arena = im->a };
	struct probe p = { .arena = im->a, .diag = &d, .m = &im->m };
	text_list words = { 0 };
	char *said;

	for (size_t n; *command; command += n, command += strspn(command, " ")) {
		n = strcspn(command, " ");
		vec_push(im->a, &words, arena_strndup(im->a, command, n));
	}
	vec_push(im->a, &words, im->path);
	vec_push(im->a, &words, NULL);
	return probe_run(&p, words.at, MIB, &said);
}

static int debugfs(const struct image *im, const char *request)
{
	const char *argv[] = { "debugfs", "-w", "-R", request, im->path, NULL };
	struct diag d = { .arena = im->a };
	struct probe p = { .arena = im->a, .diag = &d, .m = &im->m };
	char *said;

	return probe_run(&p, argv, MIB, &said);
}

static int tear_down(void **state)
{
	struct image *im = *state;

	(void)unlink(im->path);
	(void)rmdir(im->dir);
	arena_free(im->a);
	return 0;
}

static void make(struct image *im, const char *type, const char *command)
{
	static struct signature sig;
	int fd = open(im->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), r;

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, GIB), 0);
	(void)close(fd);
	r = run(im, command);
	if (r == -ENOENT)
		skip();
	assert_int_equal(r, 0);
	sig = (struct signature){ .type = type, .usage = "filesystem" };
	im->dev = (struct blockdev){ .name = "image", .path = im->path, .size = GIB };
	im->m = (struct machine){ .arena = im->a };
	vec_push(im->a, &im->dev.signatures, sig);
	vec_push(im->a, &im->m.devs, &im->dev);
}

/* 1, 0, or -1 where nothing is told. */
static int told(struct image *im, const struct room *room, const char *key)
{
	struct diag d = { .arena = im->a };
	struct probe p = {
		.arena = im->a, .diag = &d, .m = &im->m, .out = json_object_new_object(), .root = true
	};
	int r;

	assert_int_equal(room->probe(&p), 0);
	r = (int)field_int(field_object(field_object(p.out, room->name), "image"), key, -1);
	(void)json_object_put(p.out);
	return r;
}

static int empty(struct image *im, const struct room *room)
{
	return told(im, room, "empty");
}

static void change(const struct image *im, const void *bytes, size_t n, uint64_t at)
{
	int fd = open(im->path, O_WRONLY | O_CLOEXEC);

	assert_int_equal(pwrite(fd, bytes, n, (off_t)at), (ssize_t)n);
	(void)close(fd);
}

static void read_at(const struct image *im, void *buf, size_t n, uint64_t at)
{
	int fd = open(im->path, O_RDONLY | O_CLOEXEC);

	assert_int_equal(pread(fd, buf, n, (off_t)at), (ssize_t)n);
	(void)close(fd);
}

static void ext4_counts_its_mounts(void **state)
{
	struct image *im = *state;

	make(im, "ext4", "mkfs.ext4 -q -F");
	assert_int_equal(empty(im, &room_ext4), 1);
	assert_int_equal(run(im, "tune2fs -C 1"), 0);
	assert_int_equal(empty(im, &room_ext4), 0);
	assert_int_equal(run(im, "tune2fs -C 0"), 0);
	assert_int_equal(debugfs(im, "ssv mtime 1700000000"), 0);
	assert_int_equal(empty(im, &room_ext4), 0);
}

static void xfs_keeps_a_log(void **state)
{
	static const char *const options[] = { "", "-d su=64k,sw=2", "-l su=256k", "-b size=1024" };
	struct image *im = *state;

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		uint8_t sb[512], head[512] = { 0xfe, 0xed, 0xba, 0xbe };
		uint64_t start, at;

		make(im, "xfs", arena_printf(im->a, "mkfs.xfs -q -f %s", options[i]));
		assert_int_equal(empty(im, &room_xfs), 1);
		read_at(im, sb, sizeof(sb), 0);
		memcpy(head + 304, sb + 32, 16);
		start = (uint64_t)sb[52] << 24 | (uint64_t)sb[53] << 16 | (uint64_t)sb[54] << 8 | sb[55];
		at = (start >> sb[124]) * ((uint64_t)sb[84] << 24 | sb[85] << 16 | sb[86] << 8 | sb[87]) +
		     (start & ((UINT64_C(1) << sb[124]) - 1));
		at = at * ((uint64_t)sb[6] << 8 | sb[7]);
		read_at(im, sb, 4, at);
		assert_memory_equal(sb, head, 4); /* the log is where it is looked for */
		head[304]++;
		change(im, head, sizeof(head), at + 1024); /* of another one, from before */
		assert_int_equal(empty(im, &room_xfs), 1);
		head[304]--;
		change(im, head, sizeof(head), at + 1024);
		assert_int_equal(empty(im, &room_xfs), 0);
		change(im, "\1", 1, 126); /* mkfs hadn't come to its end */
		assert_int_equal(empty(im, &room_xfs), 1);
		assert_int_equal(unlink(im->path), 0);
	}
}

static void vfat_has_a_root_directory(void **state)
{
	static const char *const options[] = { "-F 32", "-F 32 -n LABEL", "-F 16", "-F 32 -s 8 -S 4096" };
	struct image *im = *state;

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		uint8_t boot[512];
		uint64_t sector, tables;

		make(im, "vfat", arena_printf(im->a, "mkfs.vfat %s", options[i]));
		assert_int_equal(empty(im, &room_vfat), 1);
		read_at(im, boot, sizeof(boot), 0);
		sector = (uint64_t)boot[12] << 8 | boot[11];
		tables = (uint64_t)boot[23] << 8 | boot[22];
		if (!tables)
			tables = (uint64_t)boot[38] << 16 | (uint64_t)boot[37] << 8 | boot[36];
		change(im, "FILE    TXT\x20", 12,
		       ((((uint64_t)boot[15] << 8 | boot[14])) + boot[16] * tables) * sector + 32);
		/* Behind a label it is the second entry; without one nothing is read beyond the first. */
		assert_int_equal(empty(im, &room_vfat), strstr(options[i], "-n") ? 0 : 1);
		change(im, "\xe5ILE    TXT\x20", 12,
		       ((((uint64_t)boot[15] << 8 | boot[14])) + boot[16] * tables) * sector);
		assert_int_equal(empty(im, &room_vfat), 0); /* one that was removed again */
		assert_int_equal(unlink(im->path), 0);
	}
}

#define DERIVED "11111111-2222-5333-8444-555555555555"
#define ANY     "11111111-2222-4333-8444-555555555555"

/* A power cut has left the superblock, and not all that it leads to. Only where nobody else can tell, it is looked for. */
static void its_checker_says_what_is_broken(void **state)
{
	static const struct {
		const struct room *room;
		const char *type, *make, *checker;
		uint64_t from, count; /* sectors that were lost */
	} kinds[] = {
		{ &room_ext4, "ext4", "mkfs.ext4 -q -F -U " DERIVED, "e2fsck", 8, 64 },
		{ &room_xfs, "xfs", "mkfs.xfs -q -f -m uuid=" DERIVED, "xfs_repair", 1, 7 },
		{ &room_vfat, "vfat", "mkfs.vfat -F 32 -i 11111111", "fsck.vfat", 32, 64 },
	};
	static const uint8_t zeroes[64 * SECTOR];
	struct image *im = *state;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		bool vfat = kinds[i].room == &room_vfat;

		make(im, kinds[i].type, kinds[i].make);
		if (run(im, arena_printf(im->a, "%s -n", kinds[i].checker)) == -ENOENT)
			skip();
		im->dev.signatures.at[0].uuid = vfat ? "1111-1111" : DERIVED;
		assert_int_equal(told(im, kinds[i].room, "empty"), 1);
		assert_int_equal(told(im, kinds[i].room, "broken"), -1);
		change(im, zeroes, kinds[i].count * SECTOR, kinds[i].from * SECTOR);
		assert_int_equal(told(im, kinds[i].room, "empty"), 1);
		assert_int_equal(told(im, kinds[i].room, "broken"), 1);
		im->m.journal = true; /* it knows */
		assert_int_equal(told(im, kinds[i].room, "broken"), -1);
		im->m.journal = false;
		im->dev.signatures.at[0].uuid = ANY; /* not ours */
		assert_int_equal(told(im, kinds[i].room, "broken"), -1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ext4_counts_its_mounts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(xfs_keeps_a_log, set_up, tear_down),
		cmocka_unit_test_setup_teardown(vfat_has_a_root_directory, set_up, tear_down),
		cmocka_unit_test_setup_teardown(its_checker_says_what_is_broken, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
