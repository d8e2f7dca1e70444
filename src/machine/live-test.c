/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/diag.h"
#include "machine/machine.h"
#include "machine/parts.h"

/* A tree such as sysfs shows. */
struct tree {
	struct arena *arena;
	const char *top;
};

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(path);
}

static void make_dirs(char *path)
{
	for (char *c = path + 1; *c; c++)
		if (*c == '/') {
			*c = '\0';
			(void)mkdir(path, 0755);
			*c = '/';
		}
	(void)mkdir(path, 0755);
}

/* @values: "size=100", ... up to NULL; a name that ends in / is a directory. */
static void add(struct tree *t, const char *place, const char *const *values)
{
	const char *name = strrchr(place, '/') + 1;

	make_dirs(arena_printf(t->arena, "%s/devices/%s", t->top, place));
	make_dirs(arena_printf(t->arena, "%s/class/block", t->top));
	assert_int_equal(symlink(arena_printf(t->arena, "../../devices/%s", place),
				 arena_printf(t->arena, "%s/class/block/%s", t->top, name)),
			 0);
	for (; *values; values++) {
		const char *equals = strchr(*values, '=');
		char *path = arena_printf(t->arena, "%s/devices/%s/%.*s", t->top, place,
					  (int)(equals - *values), *values);
		char *slash = strrchr(path, '/');
		FILE *f;

		*slash = '\0';
		make_dirs(path);
		*slash = '/';
		if (!slash[1])
			continue;
		f = fopen(path, "w");
		assert_non_null(f);
		(void)fprintf(f, "%s\n", equals + 1);
		(void)fclose(f);
	}
}

#define ADD(t, place, ...) add(t, place, (const char *const[]){ __VA_ARGS__, NULL })

static void test_devices_of_a_tree(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	char top[] = "/tmp/stowage-live-XXXXXX";
	struct tree t = { .arena = a, .top = mkdtemp(top) };
	struct machine m = { .arena = a };
	struct diag d = { .arena = a };
	const struct blockdev *dev;
	const char *what;

	(void)state;
	assert_non_null(t.top);
	ADD(&t, "pci0/ata1/host0/block/sda", "dev=8:0", "size=41943040",
	    "device/=", "device/wwid=naa.5000c50012345678", "device/model=ST4000 ", "device/vendor=ATA",
	    "queue/logical_block_size=512", "queue/physical_block_size=4096", "queue/minimum_io_size=4096",
	    "queue/optimal_io_size=0", "queue/rotational=1", "ro=0", "holders/=", "slaves/=");
	ADD(&t, "pci0/ata1/host0/block/sda/sda10", "dev=8:10", "size=2048", "partition=10", "start=4096",
	    "holders/md0/=", "ro=1");
	ADD(&t, "pci0/ata1/host0/block/sda/sda2", "dev=8:2", "size=2048", "partition=2", "start=2048",
	    "holders/=");
	ADD(&t, "virtual/block/md0", "dev=9:0", "size=0",
	    "md/=", "slaves/sda10/=", "queue/logical_block_size=512");
	ADD(&t, "virtual/block/dm-0", "dev=253:0", "size=8", "dm/name=vg0-home", "dm/suspended=1",
	    "slaves/=");
	ADD(&t, "virtual/block/loop0", "dev=7:0", "size=0", "slaves/=");
	ADD(&t, "virtual/block/ram0", "dev=1:0", "size=8", "slaves/=");
	ADD(&t, "pci0/nvme/nvme0/nvme0c0n1", "dev=259:1", "size=8", "hidden=1", "slaves/=");
	ADD(&t, "virtual/block/cciss!c0d0", "dev=104:0", "size=8", "device/=", "slaves/=");
	ADD(&t, "virtual/block/huge", "dev=1:9", "size=99999999999999999999", "slaves/=");
	assert_int_equal(look_sysfs(&m, t.top, &d), 0);
	assert_null(machine_index(&m, &what));
	assert_int_equal(m.devs.n, 6);
	assert_string_equal(m.devs.at[3]->name, "sda");
	assert_string_equal(m.devs.at[4]->name, "sda2");
	assert_string_equal(m.devs.at[5]->name, "sda10");

	dev = machine_dev(&m, "sda");
	assert_string_equal(dev->type, "disk");
	assert_int_equal(dev->size, UINT64_C(41943040) * 512);
	assert_string_equal(dev->wwn, "0x5000c50012345678");
	assert_string_equal(dev->model, "ST4000");
	assert_string_equal(dev->transport, "sata");
	assert_int_equal(dev->geo.physical, 4096);
	assert_true(dev->rotational && !dev->read_only);
	dev = machine_dev(&m, "/dev/sda10");
	assert_string_equal(dev->parent, "sda");
	assert_int_equal(dev->start, 4096 * 512);
	assert_int_equal(dev->partn, 10);
	assert_int_equal(dev->geo.logical, 512);
	assert_string_equal(dev->holders.at[0], "md0");
	assert_true(dev->read_only);
	dev = machine_dev(&m, "md0");
	assert_string_equal(dev->slaves.at[0], "sda10");
	assert_string_equal(machine_dev(&m, "dm-0")->error, "it is suspended");
	assert_string_equal(machine_dev(&m, "/dev/cciss/c0d0")->name, "cciss!c0d0");

	look_mounts(
		&m,
		"22 27 0:21 / /proc rw,relatime - proc proc rw\n"
		"27 1 8:2 /sub /srv/a\\040b ro,relatime shared:1 master:2 - ext4 /dev/root rw,data=ordered\n"
		"28 1 0:40 / /run rw - tmpfs tmpfs rw,size=10k\n"
		"broken line\n"
		"30 1 8:2 / /srv/x\\012y\\134z rw - ext4 /dev/root rw\n"
		"31 1 8:2 / relative rw - ext4 /dev/root rw\n"
		"29 1 9:0 / /x rw -\n");
	assert_int_equal(m.mounts.n, 3);
	assert_string_equal(m.mounts.at[0].target, "/srv/a b");
	assert_string_equal(m.mounts.at[0].dev, "sda2");
	assert_string_equal(m.mounts.at[0].options, "ro,relatime,data=ordered");
	assert_string_equal(m.mounts.at[0].root, "/sub");
	assert_int_equal(m.mounts.at[1].minor, 0);
	/* Whoever may mount may call the place as he likes. */
	assert_string_equal(m.mounts.at[2].target, "/srv/x\ny\\z");
	look_swaps(&m, "Filename\tType\tSize\tUsed\tPriority\n/swap\\040file file 1 2 -2\n");
	assert_int_equal(m.swaps.n, 1);
	assert_string_equal(m.swaps.at[0].path, "/swap file");
	(void)nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* What an absolute link below another root means there isn't this machine's file. */
static void test_files_below_a_root(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	char top[] = "/tmp/stowage-live-test-XXXXXX";
	struct diag d = { .arena = a };
	struct machine m = { .arena = a };
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(top));
	for (const char *const *dir = (const char *const[]){ "etc", "static", NULL }; *dir; dir++)
		assert_int_equal(mkdir(arena_printf(a, "%s/%s", top, *dir), 0755), 0);
	assert_int_equal(symlink("/static/fstab", arena_printf(a, "%s/etc/fstab", top)), 0);
	f = fopen(arena_printf(a, "%s/static/fstab", top), "w");
	assert_non_null(f);
	assert_true(fputs("# theirs\n", f) >= 0);
	assert_int_equal(fclose(f), 0);
	look_files(&m, top, &d);
	assert_string_equal(machine_file(&m, arena_printf(a, "%s/etc/fstab", top)), "# theirs\n");
	(void)nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Whatever machine this runs on: looking works, and what was recorded reads back as the same. */
static void test_this_machine_reads_back(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };
	struct machine *live = NULL, *again = NULL;
	const char *text;

	(void)state;
	if (access("/sys/class/block", R_OK) < 0)
		skip();
	assert_int_equal(machine_read_live(a, NULL, "/nonexistent", &d, &live), 0);
	assert_int_equal(d.errors, 0);
	text = machine_write(live, a);
	assert_int_equal(machine_parse(a, "again", text, strlen(text), &d, &again), 0);
	assert_string_equal(machine_write(again, a), text);
	assert_int_equal(again->devs.n, live->devs.n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_devices_of_a_tree),
		cmocka_unit_test(test_files_below_a_root),
		cmocka_unit_test(test_this_machine_reads_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
