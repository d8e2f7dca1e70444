/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "machine/machine.h"
#include "tech/mount/fstab.h"

#define U1        "UUID=11111111-1111-1111-1111-111111111111"
#define U2        "UUID=22222222-2222-2222-2222-222222222222"
#define U3        "UUID=33333333-3333-3333-3333-333333333333"
#define FILE_NAME "/etc/fstab"

struct made {
	struct arena *arena;
	struct diag diag;
	fstab_entries entries;
	const struct machine *machine;
	const char *text;
	int r;
};

static int begin(void **state)
{
	struct arena *a = arena_new();
	struct made *m = arena_of(a, struct made);

	m->arena = a;
	m->diag.arena = a;
	*state = m;
	return 0;
}

static int end(void **state)
{
	arena_free(((struct made *)*state)->arena);
	return 0;
}

static struct fstab_entry *add(struct made *m, const char *source, const char *target, const char *type,
			       const char *options, int pass)
{
	/* As without `options` in the layout: what is there stays. */
	struct fstab_entry e = {
		.name = target ? target : "swap",
		.pos = { .file = "layout.yaml", .line = (unsigned)m->entries.n + 10, .col = 5 },
		.source = source,
		.target = target,
		.type = type,
		.options = options ? options : "defaults",
		.pass = pass
	};

	vec_push(m->arena, &m->entries, e);
	return &m->entries.at[m->entries.n - 1];
}

static const char *keep(struct arena *a, const struct fs *fs, const char *there)
{
	(void)a;
	(void)fs;
	return there;
}

static struct fstab_entry *add_keeping(struct made *m, const char *source, const char *target,
				       const char *type)
{
	struct fstab_entry *e = add(m, source, target, type, NULL, 0);

	e->over = keep;
	return e;
}

static const char *make(struct made *m, const char *old)
{
	m->text = NULL;
	m->r = fstab_make(m->arena, m->machine, FILE_NAME, old, &m->entries, &m->diag, &m->text);
	if (!m->r) {
		const char *again;

		/* Running twice changes nothing, and says so by the pointer. */
		assert_int_equal(
			fstab_make(m->arena, NULL, FILE_NAME, m->text, &m->entries, &m->diag, &again), 0);
		assert_ptr_equal(again, m->text);
	}
	return m->text;
}

static bool said(const struct made *m, const char *part)
{
	vec_each (const struct diag_message *, msg, &m->diag.messages)
		if (strstr(msg->text, part))
			return true;
	return false;
}

static void new_file(void **state)
{
	struct made *m = *state;

	add(m, U2, "/srv", "btrfs", "noatime", 0);
	add(m, U1, "/", "ext4", NULL, 1);
	add(m, U3, NULL, "swap", "sw,pri=5", 0);
	assert_string_equal(make(m, NULL),
			    "# /etc/fstab: what is mounted where; fstab(5). Lines of other hands are kept.\n"
			    "# <device> <mount point> <type> <options> <dump> <pass>\n" U1
			    " /    ext4  defaults 0 1\n" U2 " /srv btrfs noatime  0 0\n" U3
			    " none swap  sw,pri=5 0 0\n");
	assert_int_equal(m->diag.messages.n, 0);
}

static void one_line_alone(void **state)
{
	struct made *m = *state;

	/* C54: one line whatever the number of members. */
	add(m, U1, "/srv", "btrfs", "compress=zstd", 0);
	assert_non_null(strstr(make(m, ""), "\n" U1 " /srv btrfs compress=zstd 0 0\n"));
}

static void nothing_wanted(void **state)
{
	struct made *m = *state;
	const char *old = "tmpfs /tmp tmpfs";

	assert_string_equal(make(m, NULL), "");
	assert_ptr_equal(make(m, old), old);
}

static void blanks_are_escaped(void **state)
{
	struct made *m = *state;

	/* C56 */
	add(m, "LABEL=Team Share", "/srv/Team Share", "ext4", NULL, 2);
	assert_string_equal(make(m, "LABEL=old\\040disk /mnt/a\\040b ext4 defaults 0 2\n"),
			    "LABEL=old\\040disk /mnt/a\\040b ext4 defaults 0 2\n"
			    "LABEL=Team\\040Share /srv/Team\\040Share ext4 defaults 0 2\n");
	m->entries.n = 0;
	add_keeping(m, "LABEL=old disk", "/mnt/a b", "ext4");
	assert_string_equal(make(m, "LABEL=old\\040disk /mnt/a\\040b ext4 defaults 0 2\n"),
			    "LABEL=old\\040disk /mnt/a\\040b ext4 defaults 0 2\n");
}

static const char human[] = "# managed by humans, do not reorder\n" U1
			    "  /      ext4  errors=remount-ro  0 1\n"
			    "/dev/sdb1	/srv	xfs	noatime	0 2   # old disk\n"
			    "nas:/export   /mnt/nas  nfs4  _netdev,noauto  0 0\n"
			    "\n"
			    "tmpfs /tmp tmpfs size=2g 0 0\n"
			    "#UUID=dead /old ext3 defaults 0 2\n";

static void what_humans_wrote_stays(void **state)
{
	struct made *m = *state;

	/* C58 */
	add_keeping(m, U2, "/srv", "xfs");
	assert_string_equal(make(m, human), "# managed by humans, do not reorder\n" U1
					    "  /      ext4  errors=remount-ro  0 1\n" U2
					    "	/srv	xfs	noatime	0 2   # old disk\n"
					    "nas:/export   /mnt/nas  nfs4  _netdev,noauto  0 0\n"
					    "\n"
					    "tmpfs /tmp tmpfs size=2g 0 0\n"
					    "#UUID=dead /old ext3 defaults 0 2\n");
	assert_int_equal(m->diag.messages.n, 0);
}

static void what_is_stated_replaces(void **state)
{
	struct made *m = *state;
	struct fstab_entry *e = add(m, U2, "/srv/", "xfs", "nodev", 0);

	e->pass_stated = true;
	assert_string_equal(make(m, "/dev/sdb1	/srv	xfs	noatime	0 2   # old disk"),
			    U2 "	/srv	xfs	nodev	0 0   # old disk");
	e->pass = 2;
	assert_string_equal(make(m, "/dev/sdb1 /srv auto\n"), U2 " /srv xfs nodev 0 2\n");
}

static void carriage_returns_stay(void **state)
{
	struct made *m = *state;

	add_keeping(m, U2, "/srv", "xfs");
	add(m, U3, NULL, "swap", "sw", 0);
	assert_string_equal(make(m, "# x\r\n/dev/sdb1 /srv xfs\r\n"),
			    "# x\r\n" U2 " /srv xfs\r\n" U3 " none swap sw 0 0\r\n");
	assert_string_equal(make(m, "# x\r\n/dev/sdb1 /srv xfs"),
			    "# x\r\n" U2 " /srv xfs\r\n" U3 " none swap sw 0 0\r\n");
}

static void no_newline_at_the_end(void **state)
{
	struct made *m = *state;

	add(m, U1, "/home", "xfs", NULL, 0);
	assert_string_equal(make(m, "tmpfs /tmp tmpfs"), "tmpfs /tmp tmpfs\n" U1 " /home xfs defaults 0 0\n");
}

static void only_comments(void **state)
{
	struct made *m = *state;

	add(m, U1, "/", "ext4", NULL, 1);
	add(m, U2, NULL, "swap", "sw", 0);
	assert_string_equal(make(m, "# UNCONFIGURED FSTAB FOR BASE SYSTEM\n"),
			    "# UNCONFIGURED FSTAB FOR BASE SYSTEM\n" U1 " /    ext4 defaults 0 1\n" U2
			    " none swap sw       0 0\n");
}

static void new_lines_in_their_columns(void **state)
{
	struct made *m = *state;

	add(m, U2, "/srv", "xfs", "noatime", 0);
	assert_string_equal(make(m, U1 "  /      ext4   defaults  0  1\n"),
			    U1 "  /      ext4   defaults  0  1\n" U2 "  /srv   xfs    noatime   0  0\n");
	assert_string_equal(make(m, U1 "\t/\text4\tdefaults\t0\t1\n"),
			    U1 "\t/\text4\tdefaults\t0\t1\n" U2 "\t/srv\txfs\tnoatime\t0\t0\n");
}

static void parents_come_first(void **state)
{
	struct made *m = *state;

	/* C100: /data2 is no child of /data. */
	add(m, U3, "/data2", "xfs", NULL, 0);
	add(m, U2, "/data/2/x", "xfs", NULL, 0);
	add(m, U1, "/data", "xfs", NULL, 0);
	assert_non_null(strstr(make(m, NULL),
			       U3 " /data2    xfs defaults 0 0\n" U1 " /data     xfs defaults 0 0\n" U2
				  " /data/2/x xfs defaults 0 0\n"));
}

static void before_those_that_need_it(void **state)
{
	struct made *m = *state;

	/* C60: the bind's source lies on it; the comment above the line stays above it. */
	add(m, U1, "/srv", "btrfs", "nofail", 0);
	assert_string_equal(make(m, "# header\n\nproc /proc proc\n# export\n/srv/a /export/a none bind 0 "
				    "0\n/srv2 /x none bind\n"),
			    "# header\n\nproc /proc proc\n" U1 " /srv btrfs nofail 0 0\n"
			    "# export\n/srv/a /export/a none bind 0 0\n/srv2 /x none bind\n");
	assert_string_equal(make(m, "# header\n/dev/sdx /srv/sub xfs\n"),
			    "# header\n" U1 " /srv btrfs nofail 0 0\n/dev/sdx /srv/sub xfs\n");
	assert_string_equal(make(m, "/srv/swapfile none swap\n"),
			    U1 " /srv btrfs nofail 0 0\n/srv/swapfile none swap\n");
	assert_int_equal(m->diag.messages.n, 0);
	m->entries.at[0].target = "/";
	assert_string_equal(make(m, "proc /proc proc\n"), U1 " / btrfs nofail 0 0\nproc /proc proc\n");
}

static void wrong_order_is_told(void **state)
{
	struct made *m = *state;

	add_keeping(m, U1, "/srv/a", "xfs");
	add_keeping(m, U2, "/srv", "xfs");
	assert_non_null(make(m, U1 " /srv/a xfs\n" U2 " /srv xfs\n"));
	assert_int_equal(m->diag.warnings, 2); /* make() makes twice */
	assert_true(said(m, "comes only in line 2"));
}

static void swap_by_its_device(void **state)
{
	struct made *m = *state;
	struct fstab_entry *e = add_keeping(m, U1, NULL, "swap");

	/* C66: "swap" as target and four fields are taken, and kept. */
	vec_push(m->arena, &e->also, "/dev/md99");
	vec_push(m->arena, &e->also, "/dev/md/swap");
	assert_string_equal(make(m, "/dev/sdz9 none swap sw\n/dev/md/swap\tswap swap defaults,pri=3\n"),
			    "/dev/sdz9 none swap sw\n" U1 "\tswap swap defaults,pri=3\n");
	assert_string_equal(make(m, "UUID=\"11111111-1111-1111-1111-111111111111\" none swap sw 0 0\n"),
			    "UUID=\"11111111-1111-1111-1111-111111111111\" none swap sw 0 0\n");
	assert_null(make(m, U1 " none swap sw\n/dev/md99 none swap sw\n"));
	assert_true(said(m, "lines 1 and 2 are both for swap"));
}

static void swaps_never_clash(void **state)
{
	struct made *m = *state;

	add(m, U1, NULL, "swap", "sw", 0);
	add(m, U2, NULL, "swap", "sw,discard", 0);
	add(m, "/dev/mapper/vg0-swap", NULL, "swap", "sw", 0);
	assert_string_equal(make(m, "# x\n"),
			    "# x\n" U1 " none swap sw         0 0\n" U2 " none swap sw,discard 0 0\n"
			    "/dev/mapper/vg0-swap                      none swap sw         0 0\n");
}

static void two_lines_for_one_place(void **state)
{
	struct made *m = *state;
	const struct diag_message *msg;

	add_keeping(m, U1, "/srv", "xfs");
	assert_null(make(m, "# x\n/dev/sdb1 /srv xfs\n\n  /dev/sdc1 /srv/ xfs noauto\n"));
	assert_int_equal(m->r, -EINVAL);
	assert_int_equal(m->diag.errors, 1);
	msg = &m->diag.messages.at[0];
	assert_non_null(strstr(msg->text, "lines 2 and 4 are both for /srv"));
	assert_string_equal(msg->pos.file, FILE_NAME);
	assert_int_equal(msg->pos.line, 4);
	assert_int_equal(msg->pos.col, 3);
	assert_int_equal(msg->pos.width, 9);
	/* Those of other places are nobody's business. */
	m->entries.at[0].target = "/home";
	assert_non_null(make(m, "/dev/sdb1 /srv xfs\n/dev/sdc1 /srv xfs noauto\n"));
}

static void two_entries_for_one_place(void **state)
{
	struct made *m = *state;

	add(m, U1, "/srv", "xfs", NULL, 0);
	add(m, U2, "/srv/", "xfs", NULL, 0);
	assert_null(make(m, NULL));
	assert_int_equal(m->diag.errors, 1);
}

static void foreign_line_at_the_place(void **state)
{
	struct made *m = *state;

	add_keeping(m, U1, "/tmp", "xfs");
	assert_null(make(m, "tmpfs /tmp tmpfs size=2g 0 0\n"));
	assert_true(said(m, "line 1 mounts tmpfs (tmpfs) at /tmp"));
	assert_null(make(m, "/srv/tmp /tmp none bind 0 0\n"));
	assert_null(make(m, "nas:/tmp /tmp nfs\n"));
}

static void other_type_is_told(void **state)
{
	struct made *m = *state;

	add_keeping(m, U1, "/srv", "xfs");
	assert_string_equal(make(m, U1 " /srv ext4 errors=remount-ro 0 2\n"),
			    U1 " /srv xfs errors=remount-ro 0 2\n");
	assert_true(said(m, "the options 'errors=remount-ro' stay"));
}

static void one_entry_is_one_line(void **state)
{
	struct made *m = *state;
	const char *text, *p;
	int lines = 0;

	/* C104: the layout refuses these; the writer can't be made to write a second line all the same. */
	add(m, "LABEL=data\n/dev/sda1 / ext4 rw 0 0", "/srv\n/x", "xfs", "rw\tnosuid\r\n", 0);
	text = make(m, "# x\n");
	assert_string_equal(text, "# x\nLABEL=data\\012/dev/sda1\\040/\\040ext4\\040rw\\0400\\0400 "
				  "/srv\\012/x xfs rw\\011nosuid\\015\\012 0 0\n");
	for (p = text; *p; p++)
		lines += *p == '\n';
	assert_int_equal(lines, 2);
	m->entries.at[0].source = "";
	assert_null(make(m, "# x\n"));
}

static void too_long(void **state)
{
	struct made *m = *state;
	char *s = arena_alloc(m->arena, 5000);

	memset(s, 'x', 4100);
	*s = '/';
	add(m, U1, s, "xfs", NULL, 0);
	assert_null(make(m, NULL));
	assert_true(said(m, "programs read at most 4095"));
	s[3900] = '\0';
	assert_non_null(make(m, NULL));
	/* Another's long line stays. */
	s = arena_printf(m->arena, "/dev/%05000d /x xfs\n", 1);
	assert_true(text_starts(make(m, s), s));
	m->entries.at[0].target = "/x";
	m->entries.at[0].options = arena_printf(m->arena, "%05000d", 1);
	assert_null(make(m, "/dev/sdb1 /x xfs defaults\n"));
}

static struct blockdev *device(struct arena *a, struct machine *m, const char *name, const char *type,
			       const char *uuid, const char *label)
{
	struct blockdev *b = arena_of(a, struct blockdev);
	struct signature sig = { .type = type, .usage = "filesystem", .uuid = uuid, .label = label };

	b->name = name;
	b->path = arena_printf(a, "/dev/%s", name);
	vec_push(a, &b->signatures, sig);
	vec_push(a, &m->devs, b);
	map_set(&m->by_name, b->name, b);
	map_set(&m->by_link, b->path, b);
	return b;
}

static void absent_devices_are_told(void **state)
{
	struct made *m = *state;
	struct machine machine = {
		.arena = m->arena, .by_name.arena = m->arena, .by_link.arena = m->arena, .source = "x"
	};
	const char *old =
		"UUID=aa /a xfs\nUUID=BB /b xfs\n/dev/sdz1 /c xfs\n/dev/sdb1 /d xfs\nLABEL=e /e xfs\nLABEL=f "
		"/f xfs nofail\n"
		"/dev/sr0 /g auto noauto\ntmpfs /h tmpfs\n/dev/shm /i none bind\nPARTUUID=x /j xfs\n" U1
		" /k xfs\n"
		"LABEL=gone none swap\n#UUID=zz /z xfs\n";

	device(m->arena, &machine, "sda1", "xfs", "bb", "e");
	device(m->arena, &machine, "sdb1", "xfs", "dd", NULL);
	m->machine = &machine;
	add(m, U1, "/k", "xfs", NULL, 0);
	assert_string_equal(
		make(m, old),
		"UUID=aa /a xfs\nUUID=BB /b xfs\n/dev/sdz1 /c xfs\n/dev/sdb1 /d xfs\nLABEL=e /e xfs\nLABEL=f "
		"/f xfs nofail\n"
		"/dev/sr0 /g auto noauto\ntmpfs /h tmpfs\n/dev/shm /i none bind\nPARTUUID=x /j xfs\n" U1
		" /k xfs\n"
		"LABEL=gone none swap\n#UUID=zz /z xfs\n");
	assert_int_equal(m->diag.warnings, 3);
	assert_true(said(m, "there is no UUID=aa on this machine; the line for /a stays"));
	assert_true(said(m, "there is no /dev/sdz1 on this machine"));
	assert_true(said(m, "there is no LABEL=gone on this machine; the line for swap"));
}

static void other_device_is_told(void **state)
{
	struct made *m = *state;
	struct machine machine = {
		.arena = m->arena, .by_name.arena = m->arena, .by_link.arena = m->arena, .source = "x"
	};

	/* C70: /dev/sdb1 is something else today. */
	device(m->arena, &machine, "sdb1", "xfs", "dd", NULL);
	m->machine = &machine;
	add_keeping(m, U1, "/x", "xfs");
	assert_string_equal(make(m, "/dev/sdb1 /x xfs\n"), U1 " /x xfs\n");
	assert_true(said(m, "line 1 has /dev/sdb1 at /x; the layout has "));
	m->diag.messages.n = 0;
	vec_push(m->arena, &m->entries.at[0].also, "/dev/sdb1");
	assert_string_equal(make(m, "/dev/sdb1 /x xfs\n"), U1 " /x xfs\n");
	assert_int_equal(m->diag.messages.n, 0);
}

static void options_that_are_there(void **state)
{
	struct made *m = *state;
	const char *text = "# /a\n/dev/x /ab xfs ro\n/dev/y //a/ xfs noauto\n/dev/z /b\\040c xfs\n";

	assert_string_equal(fstab_options_there(m->arena, text, "/ab"), "ro");
	assert_string_equal(fstab_options_there(m->arena, text, "/b c"), "defaults");
	assert_null(fstab_options_there(m->arena, text, "/b"));
	assert_null(fstab_options_there(m->arena, text, "/c"));
	assert_null(fstab_options_there(m->arena, "", "/"));
	assert_string_equal(fstab_options_there(m->arena, "/dev/y /a/ xfs noauto\n", "/a"), "noauto");
}

static uint32_t draw(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 33);
}

/* Whatever stands there: an error, or a file that stays as it is from then on; and no line of others is lost. */
static void any_file(void **state)
{
	static const char *const words[] = { "/srv",      "/",   "/srv/a",      "none", "swap", U1,
					     "/dev/sdb1", "xfs", "defaults,ro", "0",    " ",    "  ",
					     "\t",        "\n",  "\n",          "\n",   "\r\n", "#",
					     "\\040",     "\\",  "/dev/md99",   "\"",   "bind" };
	uint64_t seed = 11;

	(void)state;
	for (int round = 0; round < 5000; round++) {
		struct made *m;
		struct fstab_entry *swap;
		struct text t = { 0 };
		void *s;

		begin(&s);
		m = s;
		t.arena = m->arena;
		for (unsigned n = draw(&seed) % 40; n; n--)
			text_printf(&t, "%s%s", words[draw(&seed) % (sizeof(words) / sizeof(*words))],
				    draw(&seed) % 2 ? " " : "");
		add(m, U1, "/srv", "xfs", "noatime", 0);
		add_keeping(m, U2, "/", "ext4")->pass_stated = true;
		swap = add_keeping(m, U3, NULL, "swap");
		vec_push(m->arena, &swap->also, "/dev/md99");
		if (make(m, text_str(&t)))
			assert_int_equal(m->r, 0);
		else
			assert_true(m->diag.errors > 0);
		end(&s);
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(new_file),
		TEST(one_line_alone),
		TEST(nothing_wanted),
		TEST(blanks_are_escaped),
		TEST(what_humans_wrote_stays),
		TEST(what_is_stated_replaces),
		TEST(carriage_returns_stay),
		TEST(no_newline_at_the_end),
		TEST(only_comments),
		TEST(new_lines_in_their_columns),
		TEST(parents_come_first),
		TEST(before_those_that_need_it),
		TEST(wrong_order_is_told),
		TEST(swap_by_its_device),
		TEST(swaps_never_clash),
		TEST(two_lines_for_one_place),
		TEST(two_entries_for_one_place),
		TEST(foreign_line_at_the_place),
		TEST(other_type_is_told),
		TEST(one_entry_is_one_line),
		TEST(too_long),
		TEST(absent_devices_are_told),
		TEST(other_device_is_told),
		TEST(options_that_are_there),
		cmocka_unit_test(any_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
