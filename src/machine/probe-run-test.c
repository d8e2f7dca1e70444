/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/diag.h"
#include "machine/parts.h"
#include "machine/probe.h"

struct result {
	int r, status;
	char *out;
	const char *last;
};

static struct result sh(struct arena *a, const char *script, size_t limit, unsigned timeout_ms)
{
	struct result x = { 0 };

	x.r = run_report(a, "/bin/sh", (const char *const[]){ "sh", "-c", script, NULL }, limit, timeout_ms,
			 &x.out, &x.status, &x.last);
	return x;
}

static void test_collects_output_and_last_words(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct result x = sh(a, "echo one; echo two; echo first >&2; echo last words >&2; exit 5", 100,
			     10000);

	(void)state;
	assert_int_equal(x.r, 0);
	assert_int_equal(x.status, 5);
	assert_string_equal(x.out, "one\ntwo\n");
	assert_string_equal(x.last, "last words");
	x = sh(a, "read -r x; echo \"$LC_ALL:$x\"; kill -9 $$", 100, 10000);
	assert_int_equal(x.r, 0);
	assert_int_equal(x.status, 128 + 9);
	assert_string_equal(x.out, "C.UTF-8:\n");
}

static void test_takes_more_than_a_pipe_holds(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct result x = sh(a,
			     "head -c 300000 /dev/zero | tr '\\0' x; head -c 300000 /dev/zero | tr '\\0' y "
			     ">&2; echo end >&2",
			     300000, 20000);

	(void)state;
	assert_int_equal(x.r, 0);
	assert_int_equal(strlen(x.out), 300000);
	assert_string_equal(x.last + strlen(x.last) - 4, "yend");
}

static void test_limits_end_it(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();

	(void)state;
	assert_int_equal(sh(a, "head -c 1001 /dev/zero", 1000, 10000).r, -EFBIG);
	assert_int_equal(sh(a, "head -c 1000 /dev/zero", 1000, 10000).r, 0);
	assert_int_equal(sh(a, "exec sleep 60", 1000, 50).r, -ETIME);
	assert_int_equal(sh(a, "exec >&- 2>&-; exec sleep 60", 1000, 50).r, -ETIME);
}

static void test_what_is_left_running_is_not_waited_for(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct result x = sh(a, "sleep 5 & echo done", 1000, 4000);

	(void)state;
	assert_int_equal(x.r, 0);
	assert_string_equal(x.out, "done\n");
}

static void test_a_missing_tool_is_no_warning(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };
	struct probe p = { .arena = a, .diag = &d };
	char *out = NULL;

	(void)state;
	assert_int_equal(probe_run(&p, (const char *const[]){ "no-such-tool-here", NULL }, 100, &out),
			 -ENOENT);
	assert_int_equal(d.messages.n, 0);
	assert_int_equal(probe_run(&p, (const char *const[]){ "false", NULL }, 100, &out), -EIO);
	assert_int_equal(d.warnings, 1);
	assert_int_equal(probe_run(&p, (const char *const[]){ "echo", "x", NULL }, 100, &out), 0);
	assert_string_equal(out, "x\n");
	assert_int_equal(run_report(a, "/nowhere/tool", (const char *const[]){ "tool", NULL }, 1, 1, &out,
				    &(int){ 0 }, &(const char *){ 0 }),
			 -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_collects_output_and_last_words),
		cmocka_unit_test(test_takes_more_than_a_pipe_holds),
		cmocka_unit_test(test_limits_end_it),
		cmocka_unit_test(test_what_is_left_running_is_not_waited_for),
		cmocka_unit_test(test_a_missing_tool_is_no_warning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
