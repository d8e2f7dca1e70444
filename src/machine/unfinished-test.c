/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "machine/machine.h"
#include "machine/parts.h"

#define A "11111111-2222-5333-8444-555555555555"
#define B "aaaaaaaa-bbbb-5ccc-8ddd-eeeeeeeeeeee"

#define STARTED(step, uuid)                                                                                  \
	"{\"time\":\"2024-05-06T07:08:09Z\",\"plan\":\"x\",\"event\":\"started\",\"step\":\"" step           \
	"\",\"making\":\"" uuid "\"}\n"
#define DONE(step, uuid) "{\"event\":\"done\",\"step\":\"" step "\",\"ms\":3,\"made\":\"" uuid "\"}\n"

static int set_up(void **state)
{
	*state = arena_new();
	return 0;
}

static int tear_down(void **state)
{
	arena_free(*state);
	return 0;
}

/* The steps that are open, joined. */
static const char *opened(struct arena *a, const char *text, size_t len)
{
	struct map open = { .arena = a };
	struct text t = { .arena = a };

	journal_read(&open, text, len);
	map_each (it, &open)
		if (it->value)
			text_printf(&t, "%s%s=%s", t.len ? ", " : "", it->key, (const char *)it->value);
	return text_str(&t);
}

#define opens(text, wanted) assert_string_equal(opened(*state, text, sizeof(text) - 1), wanted)

static void what_was_begun_is_open_until_it_is_made(void **state)
{
	opens("", "");
	opens(STARTED("format /home", A), A "=format /home");
	opens(STARTED("format /home", A) DONE("format /home", A), "");
	opens(STARTED("format /home", A) DONE("format /srv", B), A "=format /home");
	opens(STARTED("a", A) STARTED("b", B) DONE("a", A), B "=b");
	/* An array is not made before the last of its steps is done. */
	opens(STARTED("create md0",
		      A) "{\"event\":\"done\",\"step\":\"create md0\",\"ms\":1}\n" STARTED("wipe md0", A),
	      A "=wipe md0");
	opens(STARTED("a", A) DONE("a", A) STARTED("a", A), A "=a");
}

static void what_failed_stays_open(void **state)
{
	opens(STARTED("a", A) "{\"event\":\"failed\",\"step\":\"a\",\"ms\":1,\"made\":\"" A "\"}\n", A "=a");
}

static void lines_that_were_cut_are_passed_over(void **state)
{
	opens("{\"event\":\"started\",\"step\":\"a\",\"making\":\"" A, "");
	opens("{\"event\":\"sta\n" STARTED("b", B), B "=b");
	opens("\0\0\0\0made\0\0\n" STARTED("b", B) "\0\0\0m", B "=b");
	opens("m\n[]\n\"making\"\n{\"making\":3,\"event\":\"started\"}\n{\"making\":\"no\",\"event\":"
	      "\"started\"}"
	      "\n\n" STARTED("b", B),
	      B "=b");
	opens("{\"event\":\"started\",\"making\":\"" A "\",\"x\":[[[[[[[[]]]]]]]]}\n", "");
	opens("{\"event\":\"started\",\"making\":\"" A "\"}\n", A "=a step");
}

static void put(struct arena *a, const char *dir, const char *name, const char *text)
{
	FILE *f = fopen(arena_printf(a, "%s/%s", dir, name), "we");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void the_older_journal_is_read_first(void **state)
{
	struct arena *a = *state;
	char dir[] = "/tmp/stowage-journal-XXXXXX";
	struct machine m = { .arena = a };
	struct diag d = { .arena = a };

	assert_non_null(mkdtemp(dir));
	look_journal(&m, arena_printf(a, "%s/none", dir), &d);
	assert_int_equal(m.unfinished.n, 0);
	put(a, dir, "journal.1", STARTED("a", A) STARTED("b", B));
	put(a, dir, "journal", DONE("a", A));
	look_journal(&m, dir, &d);
	assert_int_equal(m.unfinished.n, 1);
	assert_string_equal(map_get(&m.unfinished, B), "b");
	assert_int_equal(d.messages.n, 0);

	/* What is no file is not read. */
	m.unfinished = (struct map){ 0 };
	(void)unlink(arena_printf(a, "%s/journal", dir));
	assert_int_equal(mkfifo(arena_printf(a, "%s/journal", dir), 0600), 0);
	look_journal(&m, dir, &d);
	assert_int_equal(m.unfinished.n, 2);
	assert_int_equal(d.messages.n, 1);
	(void)unlink(arena_printf(a, "%s/journal", dir));
	(void)unlink(arena_printf(a, "%s/journal.1", dir));
	(void)rmdir(dir);
}

static void a_recording_tells_it(void **state)
{
	struct arena *a = *state;
	struct diag d = { .arena = a };
	struct machine *m;
	const char *text = "{\"stowage-machine\":1,\"root\":true,\"devices\":[],\"unfinished\":{\"" A
			   "\":\"format /home\"}}";
	const char *bad = "{\"stowage-machine\":1,\"devices\":[],\"unfinished\":{\"x\":\"format /home\"}}";

	assert_int_equal(machine_parse(a, "m.json", text, strlen(text), &d, &m), 0);
	assert_string_equal(map_get(&m->unfinished, A), "format /home");
	text = machine_write(m, a);
	assert_non_null(strstr(text, "\"" A "\": \"format /home\""));
	assert_true(machine_parse(a, "m.json", bad, strlen(bad), &d, &m) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_was_begun_is_open_until_it_is_made, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_failed_stays_open, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lines_that_were_cut_are_passed_over, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_older_journal_is_read_first, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_recording_tells_it, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
