/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"

static const char layout[] = "disks:\n"
			     "  - name: sys\n"
			     "    size: 8MiB\n"
			     "\tlabel:\tx\n"
			     "    name: \033[2J\xFF \xE7\xA3\x81 end\r\n"
			     "    last: one";

static struct pos at(unsigned line, unsigned col, unsigned width)
{
	return (struct pos){ .file = "layout.yaml", .line = line, .col = col, .width = width };
}

/* What a printing function writes, in the arena of @d. */
static const char *printed(const struct diag *d, bool json, bool color)
{
	char *s = NULL, *copy;
	size_t len = 0;
	FILE *f = open_memstream(&s, &len);

	assert_non_null(f);
	if (json)
		diag_print_json(d, f);
	else
		diag_print(d, f, color);
	assert_int_equal(fclose(f), 0);
	copy = arena_strdup(d->arena, s);
	free(s);
	return copy;
}

static void counts_and_exit(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };

	(void)state;
	assert_false(diag_failed(&d));
	assert_int_equal(diag_exit(&d), 0);
	assert_string_equal(printed(&d, false, false), "");
	assert_string_equal(printed(&d, true, false), "[]\n");
	diag_warn(&d, nowhere, "w");
	diag_note(&d, nowhere, "n");
	assert_false(diag_failed(&d));
	assert_int_equal(diag_exit(&d), 0);
	assert_int_equal(diag_refuse(&d, nowhere, "r"), -EPERM);
	assert_true(diag_failed(&d));
	assert_int_equal(diag_exit(&d), 3);
	assert_int_equal(diag_error(&d, nowhere, "%s", "e"), -EINVAL);
	assert_int_equal(diag_exit(&d), 1);
	assert_int_equal(d.errors, 1);
	assert_int_equal(d.warnings, 1);
	assert_int_equal(d.refusals, 1);
	assert_string_equal(printed(&d, false, false), "stowage: warning: w\n"
						       "  note: n\n"
						       "stowage: refused: r\n"
						       "stowage: error: e\n");
}

static void in_the_order_of_lines(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };

	(void)state;
	diag_source_add(&d, "layout.yaml", layout, strlen(layout));
	(void)diag_error(&d, nowhere, "no place");
	(void)diag_error(&d, at(3, 11, 4), "'%s' is too small", "crypt");
	diag_note(&d, at(2, 11, 0), "it stands on 'sys'");
	(void)diag_refuse(&d, (struct pos){ .file = "other.yaml", .line = 1 }, "in use");
	(void)diag_error(&d, at(2, 3, 0), "earlier");
	(void)diag_error(&d, at(3, 11, 4), "'crypt' is too small");
	diag_note(&d, at(2, 11, 0), "it stands on 'sys'");
	diag_note(&d, nowhere, "another");
	(void)diag_error(&d, at(0, 0, 0), "whole file");
	assert_string_equal(printed(&d, false, false), "layout.yaml: error: whole file\n"
						       "layout.yaml:2:3: error: earlier\n"
						       "    2 |   - name: sys\n"
						       "      |   ^\n"
						       "layout.yaml:3:11: error: 'crypt' is too small\n"
						       "    3 |     size: 8MiB\n"
						       "      |           ^~~~\n"
						       "layout.yaml:2:11: note: it stands on 'sys'\n"
						       "  note: another\n"
						       "other.yaml:1: refused: in use\n"
						       "stowage: error: no place\n");
}

static void nothing_steers_the_terminal(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };

	(void)state;
	diag_source_add(&d, "layout.yaml", layout, strlen(layout));
	(void)diag_error(&d, at(4, 9, 1), "\033]0;x\a\n");
	(void)diag_error(&d, at(5, 18, 3), "end");
	(void)diag_error(&d, at(5, 16, 1), "wide");
	(void)diag_error(&d, at(5, 11, 1), "escape");
	(void)diag_error(&d, (struct pos){ .file = "\033c", .line = 1 }, "name");
	assert_string_equal(printed(&d, false, false), "layout.yaml:4:9: error: \\x1B]0;x\\x07\\x0A\n"
						       "    4 |  label: x\n"
						       "      |         ^\n"
						       "layout.yaml:5:11: error: escape\n"
						       "    5 |     name: \\x1B[2J\\xFF \xE7\xA3\x81 end\n"
						       "      |           ^~~~\n"
						       "layout.yaml:5:16: error: wide\n"
						       "    5 |     name: \\x1B[2J\\xFF \xE7\xA3\x81 end\n"
						       "      |                      ^\n"
						       "layout.yaml:5:18: error: end\n"
						       "    5 |     name: \\x1B[2J\\xFF \xE7\xA3\x81 end\n"
						       "      |                         ^~~\n"
						       "\\x1Bc:1: error: name\n");
}

static void odd_places(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };

	(void)state;
	diag_source_add(&d, "layout.yaml", layout, strlen(layout));
	diag_source_add(&d, "bom.yaml",
			"\xEF\xBB\xBF"
			"a: b",
			7);
	diag_source_add(&d, "empty.yaml", NULL, 0);
	(void)diag_error(&d, at(6, 999, 5), "past the end");
	(void)diag_error(&d, at(7, 1, 0), "no such line");
	(void)diag_error(&d, at(6, 11, 99), "too wide");
	(void)diag_error(&d, at(6, 0, 0), "the line");
	(void)diag_error(&d, (struct pos){ .file = "bom.yaml", .line = 1, .col = 1 }, "first");
	(void)diag_error(&d, (struct pos){ .file = "empty.yaml", .line = 1, .col = 1 }, "empty");
	assert_string_equal(printed(&d, false, false), "layout.yaml:6: error: the line\n"
						       "    6 |     last: one\n"
						       "layout.yaml:6:11: error: too wide\n"
						       "    6 |     last: one\n"
						       "      |           ^~~\n"
						       "layout.yaml:6:999: error: past the end\n"
						       "    6 |     last: one\n"
						       "      |              ^\n"
						       "layout.yaml:7:1: error: no such line\n"
						       "bom.yaml:1:1: error: first\n"
						       "    1 | a: b\n"
						       "      | ^\n"
						       "empty.yaml:1:1: error: empty\n");
}

/* The caret of each position has to stand under the character that it names, in a line of about 100 columns.
 */
static void long_lines_are_cut(void **state)
{
	enum { COUNT = 5000 };
	_cleanup_arena_ struct arena *a = arena_new();
	char *text = arena_alloc(a, COUNT + 1);

	(void)state;
	for (unsigned col = 1; col <= COUNT; col += 7) {
		struct diag d = { .arena = a };
		const char *line, *mark, *caret;

		memset(text, 'a', COUNT);
		text[col - 1] = 'X';
		diag_source_add(&d, "layout.yaml", text, COUNT);
		(void)diag_error(&d, at(1, col, 1), "here");
		line = strchr(printed(&d, false, false), '\n') + 1;
		mark = strchr(line, '\n') + 1;
		caret = strchr(mark, '^');
		assert_non_null(caret);
		assert_int_equal(line[caret - mark], 'X');
		assert_true(mark - line <= 8 + 100 + 6 + 1);
		assert_true(mark - line >= 8 + 100);
		assert_int_equal(strncmp(line + 8, "...", 3) == 0, col > 41);
		assert_int_equal(strncmp(mark - 4, "...", 3) == 0, col < COUNT - 59);
	}
}

static void color_marks(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };

	(void)state;
	diag_source_add(&d, "layout.yaml", layout, strlen(layout));
	(void)diag_error(&d, at(3, 11, 4), "x");
	diag_note(&d, nowhere, "y");
	diag_warn(&d, nowhere, "z");
	assert_string_equal(printed(&d, false, true),
			    "\033[1mlayout.yaml:3:11:\033[0m \033[1;31merror:\033[0m x\n"
			    "    3 |     size: 8MiB\n"
			    "      |           \033[1;31m^~~~\033[0m\n"
			    "  \033[1;36mnote:\033[0m y\n"
			    "\033[1mstowage:\033[0m \033[1;35mwarning:\033[0m z\n");
}

static void json_holds_the_same(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };

	(void)state;
	(void)diag_refuse(&d, nowhere, "in \"use\"");
	(void)diag_error(&d, at(3, 11, 4), "x");
	diag_note(&d, at(2, 0, 0), "y");
	diag_note(&d, nowhere, "z");
	assert_string_equal(
		printed(&d, true, false),
		"[\n"
		"  {\"severity\": \"error\", \"file\": \"layout.yaml\", \"line\": 3, \"column\": 11, "
		"\"message\": \"x\", \"notes\": ["
		"{\"severity\": \"note\", \"file\": \"layout.yaml\", \"line\": 2, \"column\": null, "
		"\"message\": \"y\"}, "
		"{\"severity\": \"note\", \"file\": null, \"line\": null, \"column\": null, "
		"\"message\": \"z\"}]},\n"
		"  {\"severity\": \"refusal\", \"file\": null, \"line\": null, \"column\": null, "
		"\"message\": \"in \\\"use\\\"\", \"notes\": []}\n"
		"]\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_and_exit),
		cmocka_unit_test(in_the_order_of_lines),
		cmocka_unit_test(nothing_steers_the_terminal),
		cmocka_unit_test(odd_places),
		cmocka_unit_test(long_lines_are_cut),
		cmocka_unit_test(color_marks),
		cmocka_unit_test(json_holds_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
