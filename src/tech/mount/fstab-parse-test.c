/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/text.h"
#include "tech/mount/fstab-parse.h"

static struct fstab_line only(const char *text)
{
	struct fstab_line l = { 0 };
	size_t pos = 0;

	assert_true(fstab_next(text, strlen(text), &pos, &l));
	assert_int_equal(l.number, 1);
	return l;
}

static void assert_field(const struct fstab_line *l, enum fstab_field f, const char *written)
{
	assert_true(l->fields > f);
	assert_int_equal(l->field[f].len, strlen(written));
	assert_memory_equal(l->field[f].at, written, strlen(written));
}

static void six_fields(void **state)
{
	struct fstab_line l = only("  /dev/sdb1\t/srv	xfs	noatime	0 2   # old disk\n");

	(void)state;
	assert_true(l.entry);
	assert_int_equal(l.fields, 6);
	assert_field(&l, FSTAB_SOURCE, "/dev/sdb1");
	assert_field(&l, FSTAB_TARGET, "/srv");
	assert_field(&l, FSTAB_TYPE, "xfs");
	assert_field(&l, FSTAB_OPTIONS, "noatime");
	assert_field(&l, FSTAB_DUMP, "0");
	assert_field(&l, FSTAB_PASS, "2");
}

static void short_lines(void **state)
{
	struct fstab_line four = only("/dev/sda2 swap swap defaults"),
			  three = only("/dev/sda2 none swap # mine");

	(void)state;
	assert_true(four.entry);
	assert_int_equal(four.fields, 4);
	assert_true(three.entry);
	assert_int_equal(three.fields, 3);
	assert_false(only("/dev/sda2 /srv\n").entry);
	assert_false(only("/dev/sda2\n").entry);
}

static void no_entries(void **state)
{
	static const char *const lines[] = { "\n",    "   \t\n",
					     "# x\n", "  #UUID=dead /old ext3 defaults 0 2\n",
					     "\r\n",  "#" };
	struct fstab_line l = { 0 };
	size_t pos = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		l = only(lines[i]);
		assert_false(l.entry);
		assert_int_equal(l.fields, 0);
	}
	assert_false(fstab_next("", 0, &pos, &l));
	assert_false(fstab_next(NULL, 0, &pos, &l));
	/* A '#' inside a name is no comment. */
	assert_field((l = only("nas:#1 /srv/#2 nfs4\n"), &l), FSTAB_TARGET, "/srv/#2");
}

static void nul_is_no_entry(void **state)
{
	struct fstab_line l = { 0 };
	size_t pos = 0;

	(void)state;
	assert_true(fstab_next("/dev/a /a\0b xfs\n/dev/b /b xfs\n", 31, &pos, &l));
	assert_false(l.entry);
	assert_true(fstab_next("/dev/a /a\0b xfs\n/dev/b /b xfs\n", 31, &pos, &l));
	assert_true(l.entry);
	assert_int_equal(l.number, 2);
}

static void ends_of_lines(void **state)
{
	struct fstab_line crlf = only("/dev/a /a xfs defaults 0 0\r\n"),
			  none = only("/dev/a /a xfs defaults 0 0");

	(void)state;
	assert_field(&crlf, FSTAB_PASS, "0");
	assert_int_equal(crlf.end.len, 2);
	assert_field(&none, FSTAB_PASS, "0");
	assert_int_equal(none.end.len, 0);
}

static void escapes(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	static const char *const pairs[][2] = {
		{ "/srv/Team\\040Share", "/srv/Team Share" },
		{ "a\\011b\\012c\\134d", "a\tb\nc\\d" },
		{ "\\043x#", "#x#" },
		{ "\\015\\177\\033", "\r\177\033" },
		{ "\303\251", "\303\251" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		struct fstab_bytes f = { pairs[i][0], strlen(pairs[i][0]) };

		assert_string_equal(fstab_decode(a, f), pairs[i][1]);
		assert_string_equal(fstab_encode(a, pairs[i][1]), pairs[i][0]);
	}
	/* What is no escape stays, as udev's own form in a link's name does. */
	for (size_t i = 0; i < 6; i++) {
		const char *s =
			(const char *const[]){ "a\\x20b", "\\04", "\\", "\\000", "\\400", "\\08x0" }[i];

		assert_string_equal(fstab_decode(a, (struct fstab_bytes){ s, strlen(s) }), s);
	}
	assert_null(fstab_encode(a, ""));
	assert_null(fstab_encode(a, NULL));
}

static const char *put(struct arena *a, const char *line, const char *const field[FSTAB_FIELDS])
{
	struct text t = { .arena = a };
	struct fstab_line l = only(line);

	fstab_put(&t, &l, field);
	return text_str(&t);
}

static void replaces_fields_alone(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	const char *source[FSTAB_FIELDS] = { "UUID=2222" }, *pass[FSTAB_FIELDS] = { [FSTAB_PASS] = "2" };
	const char *nothing[FSTAB_FIELDS] = { NULL }, *options[FSTAB_FIELDS] = { [FSTAB_OPTIONS] = "sw" };

	(void)state;
	assert_string_equal(put(a, "/dev/sdb1\t/srv\txfs	noatime	0 2   # old disk\r\n", source),
			    "UUID=2222\t/srv\txfs	noatime	0 2   # old disk\r\n");
	assert_string_equal(put(a, " /dev/a /a ext4 ro  ", pass), " /dev/a /a ext4 ro 0 2  ");
	assert_string_equal(put(a, "/dev/a\t/a\text4", pass), "/dev/a\t/a\text4\tdefaults\t0\t2");
	assert_string_equal(put(a, "/dev/a none swap # mine\n", options), "/dev/a none swap sw # mine\n");
	assert_string_equal(put(a, "/dev/a none swap # mine\n", nothing), "/dev/a none swap # mine\n");
}

static void sources(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();

	(void)state;
	assert_true(fstab_same_source("UUID=AbC", "UUID=\"aBc\""));
	assert_true(fstab_same_source("PARTUUID=AB", "PARTUUID='ab'"));
	assert_true(fstab_same_source("LABEL=x", "LABEL=\"x\""));
	assert_false(fstab_same_source("LABEL=x", "LABEL=X"));
	assert_false(fstab_same_source("LABEL=x", "PARTLABEL=x"));
	assert_false(fstab_same_source("UUID=a", "UUID=ab"));
	assert_false(fstab_same_source("/dev/a=UUID", "/dev/A=UUID"));
	assert_true(fstab_same_source("/dev/a", "/dev/a"));
	assert_string_equal(fstab_tag(a, "LABEL=\"old disk\"", "LABEL"), "old disk");
	assert_string_equal(fstab_tag(a, "LABEL=", "LABEL"), "");
	assert_string_equal(fstab_tag(a, "LABEL=\"", "LABEL"), "\"");
	assert_null(fstab_tag(a, "PARTLABEL=x", "LABEL"));
	assert_null(fstab_tag(a, "/dev/LABEL=x", "LABEL"));
	assert_null(fstab_tag(a, "LABEL", "LABEL"));
}

static void paths(void **state)
{
	(void)state;
	assert_true(fstab_same_target("/srv", "/srv/"));
	assert_true(fstab_same_target("//srv//a", "/srv/a"));
	assert_true(fstab_same_target("/", "//"));
	assert_false(fstab_same_target("/", "/srv"));
	assert_false(fstab_same_target("/data", "/data2"));
	assert_true(fstab_same_target("none", "none"));
	assert_true(fstab_is_below("/data/2", "/data"));
	assert_true(fstab_is_below("/data/2/", "/data/"));
	assert_true(fstab_is_below("/data", "/"));
	assert_false(fstab_is_below("/data2", "/data"));
	assert_false(fstab_is_below("/data", "/data"));
	assert_false(fstab_is_below("/data/", "/data"));
	assert_false(fstab_is_below("/", "/"));
	assert_false(fstab_is_below("none", "/"));
	assert_true(fstab_has_option("rw,noauto", "noauto"));
	assert_true(fstab_has_option("pri=5", "pri"));
	assert_false(fstab_has_option("x-noauto,noautox", "noauto"));
	assert_false(fstab_has_option("", "noauto"));
}

/* The same bytes on every machine. */
static uint32_t draw(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 33);
}

static void any_bytes(void **state)
{
	static const char alphabet[] = "  \t\t\n\n\r\\##/=\"0417,aU\303\251\x7f\x01";
	uint64_t seed = 7;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		_cleanup_arena_ struct arena *a = arena_new();
		struct text same = { .arena = a };
		struct fstab_line l = { 0 };
		size_t pos = 0, len = draw(&seed) % 96;
		char s[96];

		for (size_t i = 0; i < len; i++)
			s[i] = alphabet[draw(&seed) % sizeof(alphabet)];
		while (fstab_next(s, len, &pos, &l)) {
			const char *nothing[FSTAB_FIELDS] = { NULL };

			fstab_put(&same, &l, nothing);
			for (unsigned i = 0; i < l.fields; i++) {
				const char *plain = fstab_decode(a, l.field[i]),
					   *again = fstab_encode(a, plain);

				assert_non_null(again);
				assert_null(strpbrk(again, " \t\r\n"));
				assert_string_equal(
					fstab_decode(a, (struct fstab_bytes){ again, strlen(again) }), plain);
			}
		}
		assert_int_equal(pos, len);
		assert_int_equal(same.len, len);
		if (len)
			assert_memory_equal(same.s, s, len);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(six_fields),
		cmocka_unit_test(short_lines),
		cmocka_unit_test(no_entries),
		cmocka_unit_test(nul_is_no_entry),
		cmocka_unit_test(ends_of_lines),
		cmocka_unit_test(escapes),
		cmocka_unit_test(replaces_fields_alone),
		cmocka_unit_test(sources),
		cmocka_unit_test(paths),
		cmocka_unit_test(any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
