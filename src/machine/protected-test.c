/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <json-c/json.h>
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

static char dir[] = "/tmp/stowage-protected-XXXXXX";

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	return rmdir(dir);
}

static const char *path(struct arena *a, const char *name)
{
	return arena_printf(a, "%s/%s", dir, name);
}

static const char *written(struct arena *a, const char *text, size_t len)
{
	const char *file = path(a, "list");
	FILE *f = fopen(file, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
	return file;
}

/* The lines that come of a text, as "1:id 3:other id". */
static const char *lines_of(struct arena *a, const char *text)
{
	const char *file = written(a, text, strlen(text)), *why = "";
	protected_list list = { 0 };
	struct text t = { .arena = a };

	assert_int_equal(machine_protected_read(a, file, true, &list, &why), 0);
	vec_each (const struct protected_line *, line, &list) {
		assert_string_equal(line->file, file);
		text_printf(&t, "%s%u:%s", t.len ? " " : "", line->line, line->id);
	}
	assert_int_equal(unlink(file), 0);
	return text_str(&t);
}

static void test_lines(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();

	(void)state;
	assert_string_equal(lines_of(a, ""), "");
	assert_string_equal(lines_of(a, "\n\n"), "");
	assert_string_equal(lines_of(a, "S1\nS2\n"), "1:S1 2:S2");
	assert_string_equal(lines_of(a, "S1\n\n# all\n  # more\n\tS2"), "1:S1 5:S2");
	assert_string_equal(lines_of(a, "S1\r\n\r\nS2\r\n"), "1:S1 3:S2");
	assert_string_equal(lines_of(a, "S1\rS2\r"), "1:S1 2:S2");
	assert_string_equal(lines_of(a, "\xef\xbb\xbfS1\n"), "1:S1");
	assert_string_equal(lines_of(a, "  S1 \t\n"), "1:S1");
	assert_string_equal(lines_of(a, "WD WCC4 12  # the boss's\n"), "1:WD WCC4 12");
	assert_string_equal(lines_of(a, "AB#12\n"), "1:AB#12");
	assert_string_equal(lines_of(a, "a\x1b[1m\xff\n"), "1:a\\x1B[1m\\xFF");
}

static void test_what_is_no_list(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	const char *file = path(a, "list"), *why = NULL;
	protected_list list = { 0 };

	(void)state;
	assert_int_equal(machine_protected_read(a, file, false, &list, &why), 0);
	assert_int_equal(machine_protected_read(a, path(a, "no/list"), false, &list, &why), 0);
	assert_int_equal(machine_protected_read(a, file, true, &list, &why), -ENOENT);
	assert_string_equal(why, "No such file or directory");

	assert_int_equal(symlink("nowhere", file), 0);
	assert_int_equal(machine_protected_read(a, file, false, &list, &why), -ENOENT);
	assert_string_equal(why, "it is a symbolic link to something that isn't there");
	assert_int_equal(machine_protected_read(a, arena_printf(a, "%s/protected", file), false, &list, &why),
			 -ENOENT);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(symlink(file, file), 0);
	assert_int_equal(machine_protected_read(a, file, false, &list, &why), -ELOOP);
	assert_int_equal(unlink(file), 0);

	assert_int_equal(mkdir(file, 0700), 0);
	assert_int_equal(machine_protected_read(a, file, false, &list, &why), -EINVAL);
	assert_string_equal(why, "it is a directory");
	assert_int_equal(rmdir(file), 0);

	assert_int_equal(mkfifo(file, 0600), 0);
	assert_int_equal(machine_protected_read(a, file, false, &list, &why), -EINVAL);
	assert_string_equal(why, "it is no plain file");
	assert_int_equal(unlink(file), 0);

	assert_int_equal(machine_protected_read(a, written(a, "S\0001\n", 4), false, &list, &why), -EINVAL);
	assert_int_equal(unlink(file), 0);

	assert_int_equal(truncate(written(a, "", 0), 8 << 20), 0);
	assert_int_equal(machine_protected_read(a, file, false, &list, &why), -EFBIG);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(list.n, 0);
}

static void test_a_link_to_a_list_is_a_list(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	const char *link = path(a, "link"), *why;
	protected_list list = { 0 };

	(void)state;
	assert_int_equal(symlink("list", link), 0);
	(void)written(a, "S1\n", 3);
	assert_int_equal(machine_protected_read(a, link, false, &list, &why), 0);
	assert_int_equal(list.n, 1);
	assert_string_equal(list.at[0].file, link);
	assert_int_equal(unlink(link), 0);
	assert_int_equal(unlink(path(a, "list")), 0);
}

/* What a list says goes into the recording, so that a plan from it heeds the list, too. */
static void test_recorded(void **state)
{
	static const char recording[] = "{ \"stowage-machine\": 1, \"devices\": [], \"protected\": "
					"[ { \"file\": \"/x\", \"line\": 2, \"id\": \"S0\" } ] }";
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };
	struct machine *m = NULL, *again = NULL;
	const char *text;

	(void)state;
	assert_int_equal(machine_parse(a, "r", recording, strlen(recording), &d, &m), 0);
	assert_int_equal(machine_protect(m, written(a, "S1\n", 3), &d), 0);
	assert_int_equal(unlink(path(a, "list")), 0);
	text = json_object_to_json_string(m->json);
	assert_int_equal(machine_parse(a, "r", text, strlen(text), &d, &again), 0);
	assert_int_equal(again->protected.n, 2);
	text = machine_write(m, a);
	assert_int_equal(machine_parse(a, "r", text, strlen(text), &d, &again), 0);
	assert_int_equal(again->protected.n, 2);
	assert_string_equal(again->protected.at[0].file, "/x");
	assert_int_equal(again->protected.at[0].line, 2);
	assert_string_equal(again->protected.at[0].id, "S0");
	assert_string_equal(again->protected.at[1].id, "S1");
	assert_int_equal(machine_protect(m, path(a, "list"), &d), -EINVAL);
	assert_int_equal(d.errors, 1);
	assert_int_equal(m->protected.n, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_what_is_no_list),
		cmocka_unit_test(test_a_link_to_a_list_is_a_list),
		cmocka_unit_test(test_recorded),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
