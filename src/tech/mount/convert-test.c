/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "machine/machine.h"
#include "tech/mount/fstab.h"
#include "tech/mount/sources.h"

struct conversion {
	struct arena *arena;
	struct diag diag;
	struct machine machine;
	bool all;
};

static struct blockdev *device(struct conversion *c, const char *name, const char *type, const char *uuid,
			       const char *label)
{
	struct blockdev *b = arena_of(c->arena, struct blockdev);
	struct signature sig = { .type = type, .usage = "filesystem", .uuid = uuid, .label = label };

	if (text_eq(type, "swap"))
		sig.usage = "other";
	if (text_eq(type, "crypto_LUKS"))
		sig.usage = "crypto";
	if (text_eq(type, "linux_raid_member") || text_eq(type, "LVM2_member"))
		sig.usage = "raid";
	b->name = name;
	b->path = arena_printf(c->arena, "/dev/%s", name);
	b->type = "part";
	b->looked = true;
	if (type)
		vec_push(c->arena, &b->signatures, sig);
	vec_push(c->arena, &c->machine.devs, b);
	map_set(&c->machine.by_name, b->name, b);
	map_set(&c->machine.by_link, b->path, b);
	return b;
}

static void link_to(struct conversion *c, struct blockdev *b, const char *link)
{
	vec_push(c->arena, &b->links, link);
	map_set(&c->machine.by_link, link, b);
}

static void stack(struct conversion *c, struct blockdev *up, struct blockdev *below)
{
	vec_push(c->arena, &up->slaves, below->name);
	vec_push(c->arena, &below->holders, up->name);
}

/* A machine with one of everything. */
static int begin(void **state)
{
	struct arena *a = arena_new();
	struct conversion *c = arena_of(a, struct conversion);
	struct blockdev *b, *pv;

	c->arena = a;
	c->diag.arena = a;
	c->machine = (struct machine){
		.arena = a, .by_name.arena = a, .by_link.arena = a, .files.arena = a, .source = "this machine"
	};
	device(c, "sda1", "ext4", "aaaa", "root");
	b = device(c, "sdb1", "xfs", "bbbb", "data");
	link_to(c, b, "/dev/disk/by-id/wwn-0x5000-part1");
	link_to(c, b, "/dev/disk/by-path/pci-0000:00-part1");
	link_to(c, b, "/dev/disk/by-label/data");
	device(c, "sdc1", "vfat", "DEAD-BEEF", NULL);
	pv = device(c, "sdd1", "LVM2_member", "pvpv", NULL);
	b = device(c, "dm-0", "ext4", "d0d0", NULL);
	b->dm_name = "vg-lv";
	b->dm_target = "linear";
	stack(c, b, pv);
	b = device(c, "dm-1", "ext4", "d1d1", NULL);
	b->dm_name = "my--vg-a--b";
	stack(c, b, pv);
	b = device(c, "md0", "ext4", "0d0d", NULL);
	link_to(c, b, "/dev/md/data");
	*state = c;
	return 0;
}

static int end(void **state)
{
	arena_free(((struct conversion *)*state)->arena);
	return 0;
}

static const char *convert(struct conversion *c, const char *text)
{
	const char *ret = NULL;
	size_t len = 0;

	c->diag.messages.n = 0;
	c->diag.warnings = 0;
	assert_int_equal(fstab_convert(c->arena, &c->machine, "fstab", text, strlen(text), &c->diag, &ret,
				       &len, &c->all),
			 0);
	assert_int_equal(len, strlen(ret));
	assert_int_equal(c->diag.errors, 0);
	assert_int_equal(c->all, !c->diag.warnings);
	return ret;
}

static void assert_stays(struct conversion *c, const char *line, const char *why)
{
	assert_string_equal(convert(c, line), line);
	assert_false(c->all);
	assert_int_equal(c->diag.warnings, 1);
	if (!strstr(c->diag.messages.at[0].text, why))
		fail_msg("'%s' says nothing of '%s'", c->diag.messages.at[0].text, why);
	assert_string_equal(c->diag.messages.at[0].pos.file, "fstab");
	assert_int_equal(c->diag.messages.at[0].pos.line, 1);
}

static void assert_silent(struct conversion *c, const char *line)
{
	assert_string_equal(convert(c, line), line);
	assert_true(c->all);
	assert_int_equal(c->diag.messages.n, 0);
}

static void every_kind_of_path(void **state)
{
	struct conversion *c = *state;

	/* C70 */
	assert_string_equal(convert(c, "# by name\n"
				       "/dev/md0 /data ext4 defaults 0 2\n"
				       "/dev/md/data /data2 ext4\n"
				       "/dev/sdb1\t/x\txfs\tnoatime,subvolid=5\t0 2  # old\r\n"
				       "  /dev/disk/by-id/wwn-0x5000-part1 /x1 xfs\n"
				       "/dev/disk/by-path/pci-0000:00-part1 /x2 xfs\n"
				       "/dev/disk/by-label/data /y auto defaults 0 0\n"
				       "LABEL=data /y2 xfs\n"
				       "LABEL=\"root\" /y3 ext4\n"
				       "/dev/vg/lv /z ext4\n"
				       "/dev/mapper/vg-lv /z2 ext4\n"
				       "/dev/my-vg/a-b /z3 ext4\n"
				       "/dev/sdc1 /boot/efi vfat umask=0077 0 1"),
			    "# by name\n"
			    "UUID=0d0d /data ext4 defaults 0 2\n"
			    "UUID=0d0d /data2 ext4\n"
			    "UUID=bbbb\t/x\txfs\tnoatime,subvolid=5\t0 2  # old\r\n"
			    "  UUID=bbbb /x1 xfs\n"
			    "UUID=bbbb /x2 xfs\n"
			    "UUID=bbbb /y auto defaults 0 0\n"
			    "UUID=bbbb /y2 xfs\n"
			    "UUID=aaaa /y3 ext4\n"
			    "UUID=d0d0 /z ext4\n"
			    "UUID=d0d0 /z2 ext4\n"
			    "UUID=d1d1 /z3 ext4\n"
			    "UUID=DEAD-BEEF /boot/efi vfat umask=0077 0 1");
	assert_true(c->all);
}

static void what_is_no_device_stays_silently(void **state)
{
	struct conversion *c = *state;

	assert_silent(c, "");
	assert_silent(c, "\n\t\n#/dev/sdb1 /x xfs\n");
	assert_silent(c, "UUID=1234 /x xfs\nPARTUUID=1234 /y xfs\nPARTLABEL=x /z xfs\n");
	assert_silent(c, "tmpfs /tmp tmpfs size=2g 0 0\nproc /proc proc\n/dev/shm /chroot/shm none "
			 "bind\n/dev/sdb1 /z xfs bind\n");
	assert_silent(c, "nas:/export /mnt nfs4 _netdev 0 0\n//srv/share /mnt cifs\noverlay /o overlay "
			 "lowerdir=/a\n/srv/a /b none bind 0 0\n");
	assert_silent(c, "/swapfile none swap sw 0 0\n/srv/disk.img /mnt ext4 loop 0 0\n");
	assert_silent(c, "/dev/sr0 /media/cdrom0 udf,iso9660 user,noauto 0 0\n/dev/fd0 /f auto "
			 "noauto\n/dev/cdrom /c iso9660 ro\n/dev/zram0 none swap\n");
	assert_silent(c, "/dev/sdb1 /only-two\n");
}

static void no_such_device(void **state)
{
	struct conversion *c = *state;

	assert_stays(c, "/dev/sdz1 /x xfs noauto\n", "there is no such device on this machine");
	assert_stays(c, "/dev/vg/none /x xfs\n", "no such device");
	assert_stays(c, "/dev/cdvg /x xfs\n", "no such device");
	assert_stays(c, "LABEL=none /x xfs\n", "no device here bears that label");
	assert_stays(c, "/dev/disk/by-label/my\\x20disk /x xfs\n", "no such device");
}

static void nothing_to_name(void **state)
{
	struct conversion *c = *state;

	device(c, "sde1", NULL, NULL, NULL);
	device(c, "sde2", "squashfs", NULL, NULL);
	device(c, "sde3", "crypto_LUKS", "eeee", NULL);
	device(c, "sde4", NULL, NULL, NULL)->looked = false;
	device(c, "sde5", NULL, NULL, NULL)->error = "Input/output error";
	assert_stays(c, "/dev/sde1 /x xfs\n", "there is no filesystem on it");
	assert_stays(c, "/dev/sde2 /x squashfs\n", "the squashfs on /dev/sde2 has no UUID");
	assert_stays(c, "/dev/sde3 /x ext4\n", "it holds crypto_LUKS");
	assert_stays(c, "/dev/sde4 /x ext4\n", "take root");
	assert_stays(c, "/dev/sde5 /x ext4\n", "Input/output error");
	assert_stays(c, "/dev/sdd1 /x ext4\n", "it holds LVM2_member");
	assert_stays(c, "/dev/sdb1 /x ext4\n", "the line says ext4, but /dev/sdb1 holds xfs");
	assert_stays(c, "/dev/sdb1 none swap\n", "the line says swap");
}

static void encrypted(void **state)
{
	struct conversion *c = *state;
	struct blockdev *luks = device(c, "sdf1", "crypto_LUKS", "ffff", NULL),
			*plain = device(c, "sdf2", NULL, NULL, NULL);
	struct blockdev *data = device(c, "dm-5", "ext4", "5555", NULL),
			*swap = device(c, "dm-6", "swap", "6666", NULL);

	/* C64: the filesystem inside; a random key has no header beneath. */
	data->dm_name = "cr_data";
	swap->dm_name = "cr_swap";
	data->dm_target = swap->dm_target = "crypt";
	stack(c, data, luks);
	stack(c, swap, plain);
	assert_string_equal(convert(c, "/dev/mapper/cr_data /srv ext4 nofail 0 2\n"),
			    "UUID=5555 /srv ext4 nofail 0 2\n");
	assert_stays(c, "/dev/mapper/cr_swap none swap sw 0 0\n", "may be new at each boot");
}

static void copies(void **state)
{
	struct conversion *c = *state;

	/* C62 */
	device(c, "sdg1", "xfs", "bbbb", "data");
	assert_stays(c, "/dev/sdb1 /x xfs\n",
		     "its UUID bbbb is borne by several devices, /dev/sdb1 and /dev/sdg1");
	assert_stays(c, "LABEL=data /x xfs\n", "several devices bear that label, /dev/sdb1 and /dev/sdg1");
	assert_stays(c, "/dev/disk/by-label/data /x xfs\n", "several devices bear that label");
}

static void one_label_on_two(void **state)
{
	struct conversion *c = *state;

	device(c, "sdg1", "xfs", "9999", "data");
	assert_stays(c, "LABEL=data /x xfs\n", "several devices bear that label");
	assert_string_equal(convert(c, "/dev/sdg1 /x xfs\n"), "UUID=9999 /x xfs\n");
}

static void members_of_one_btrfs(void **state)
{
	struct conversion *c = *state;
	struct blockdev *b[3];

	for (int i = 0; i < 3; i++) {
		b[i] = device(c, arena_printf(c->arena, "sdh%d", i + 1), "btrfs", "cccc", "pool");
		b[i]->signatures.at[0].uuid_sub = arena_printf(c->arena, "sub%d", i);
	}
	assert_string_equal(convert(c, "/dev/sdh2 /srv btrfs subvol=@\nLABEL=pool /srv2 btrfs\n"),
			    "UUID=cccc /srv btrfs subvol=@\nUUID=cccc /srv2 btrfs\n");
	assert_true(c->all);
	b[2]->signatures.at[0].uuid_sub = "sub1";
	assert_stays(c, "/dev/sdh2 /srv btrfs\n", "borne by several devices, /dev/sdh2 and /dev/sdh3");
}

static void the_device_on_top(void **state)
{
	struct conversion *c = *state;
	struct blockdev *path[2], *mpath = device(c, "dm-8", "xfs", "8888", NULL), *real, *origin, *snap;

	/* Multipath: each path shows what the device on top shows. */
	mpath->dm_name = "mpatha";
	for (int i = 0; i < 2; i++) {
		path[i] = device(c, arena_printf(c->arena, "sdm%d", i), "xfs", "8888", NULL);
		stack(c, mpath, path[i]);
	}
	assert_string_equal(convert(c, "/dev/mapper/mpatha /m xfs\n/dev/sdm1 /n xfs\n"),
			    "UUID=8888 /m xfs\nUUID=8888 /n xfs\n");

	/* LVM: a snapshot is a copy. The hidden device beneath both isn't another one. */
	real = device(c, "dm-9", "ext4", "7777", NULL);
	origin = device(c, "dm-10", "ext4", "7777", NULL);
	stack(c, origin, real);
	assert_string_equal(convert(c, "/dev/dm-10 /m ext4\n"), "UUID=7777 /m ext4\n");
	snap = device(c, "dm-11", "ext4", "7777", NULL);
	stack(c, snap, real);
	assert_stays(c, "/dev/dm-10 /m ext4\n", "/dev/dm-10 and /dev/dm-11");
}

static void members_of_a_raid1(void **state)
{
	struct conversion *c = *state;
	struct signature raid = { .type = "linux_raid_member", .usage = "raid" };

	/* With the superblock at the end, a member shows the filesystem as well. */
	for (int i = 0; i < 2; i++) {
		struct blockdev *b = device(c, arena_printf(c->arena, "sdr%d", i), "ext4", "0d0d", NULL);

		vec_push(c->arena, &b->signatures, raid);
	}
	assert_string_equal(convert(c, "/dev/md0 /m ext4\n"), "UUID=0d0d /m ext4\n");
	assert_stays(c, "/dev/sdr0 /m ext4\n", "");
}

static void circles_end(void **state)
{
	struct conversion *c = *state;
	struct blockdev *a = device(c, "dm-20", "xfs", "2020", NULL),
			*b = device(c, "dm-21", "xfs", "2020", NULL);

	stack(c, a, b);
	stack(c, b, a);
	assert_non_null(convert(c, "/dev/dm-20 /x xfs\n"));
}

static void position_of_the_source(void **state)
{
	struct conversion *c = *state;
	struct pos *p;

	convert(c, "# one\n\n  /dev/sdz9\t/x xfs\n");
	assert_int_equal(c->diag.messages.n, 1);
	p = &c->diag.messages.at[0].pos;
	assert_int_equal(p->line, 3);
	assert_int_equal(p->col, 3);
	assert_int_equal(p->width, 9);
}

static void nul_bytes_stay(void **state)
{
	static const char text[] = "/dev/sdb1 /x xfs\n/dev/sdb1 /\0y xfs\n";
	struct conversion *c = *state;
	const char *ret;
	size_t len;

	assert_int_equal(fstab_convert(c->arena, &c->machine, "fstab", text, sizeof(text) - 1, &c->diag, &ret,
				       &len, &c->all),
			 0);
	assert_int_equal(len, sizeof(text) - 1);
	assert_memory_equal(ret, "UUID=bbbb /x xfs\n/dev/sdb1 /\0y xfs\n", len);
}

static uint32_t draw(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 33);
}

static void any_file(void **state)
{
	static const char *const words[] = {
		"/dev/sdb1",    "/dev/vg/lv", "LABEL=data", "LABEL=\"", "UUID=", "/dev/",
		"/dev//",       "/x",         "xfs",        "swap",     " ",     "\t",
		"\n",           "\n",         "\r\n",       "#",        "\\040", "\\",
		"/dev/mapper/", "/dev/sr",    "bind",       "\377"
	};
	uint64_t seed = 3;

	(void)state;
	for (int round = 0; round < 5000; round++) {
		void *s;
		struct conversion *c;
		struct text t = { 0 };
		const char *once;

		begin(&s);
		c = s;
		t.arena = c->arena;
		for (unsigned n = draw(&seed) % 30; n; n--)
			text_printf(&t, "%s%s", words[draw(&seed) % (sizeof(words) / sizeof(*words))],
				    draw(&seed) % 2 ? " " : "");
		once = convert(c, text_str(&t));
		assert_string_equal(convert(c, once), once);
		end(&s);
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_kind_of_path), TEST(what_is_no_device_stays_silently),
		TEST(no_such_device),     TEST(nothing_to_name),
		TEST(encrypted),          TEST(copies),
		TEST(one_label_on_two),   TEST(members_of_one_btrfs),
		TEST(the_device_on_top),  TEST(members_of_a_raid1),
		TEST(circles_end),        TEST(position_of_the_source),
		TEST(nul_bytes_stay),     cmocka_unit_test(any_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
