/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/text.h"
#include "layout/yaml.h"

/* A tree on one line: texts in '', keys bare, null as ~. Only for small trees. */
static void draw(struct text *t, const struct yaml *y)
{
	switch (y->form) {
	case YAML_NULL:
		text_add(t, "~");
		return;
	case YAML_SCALAR:
		text_printf(t, "'%s'", y->text);
		return;
	case YAML_LIST:
	case YAML_MAP:
		break;
	}
	text_add(t, y->form == YAML_LIST ? "[" : "{");
	for (size_t i = 0; i < y->items.n; i++) {
		if (i)
			text_add(t, ", ");
		if (y->items.at[i].key)
			text_printf(t, "%s: ", y->items.at[i].key);
		draw(t, y->items.at[i].value);
	}
	text_add(t, y->form == YAML_LIST ? "]" : "}");
}

static void expect_tree(const char *text, const char *tree)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };
	struct text t = { .arena = a };
	struct yaml *y;

	assert_int_equal(yaml_read(a, "t.yaml", text, strlen(text), &d, &y), 0);
	assert_int_equal(d.messages.n, 0);
	draw(&t, y);
	assert_string_equal(text_str(&t), tree);
}

static void expect_bytes(const char *text, size_t len, unsigned line, unsigned col, const char *message)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };
	struct yaml *y = NULL;

	assert_true(yaml_read(a, "t.yaml", text, len, &d, &y) < 0);
	assert_null(y);
	assert_true(d.errors >= 1);
	assert_non_null(strstr(d.messages.at[0].text, message));
	assert_int_equal(d.messages.at[0].pos.line, line);
	assert_int_equal(d.messages.at[0].pos.col, col);
}

static void expect_error(const char *text, unsigned line, unsigned col, const char *message)
{
	expect_bytes(text, strlen(text), line, col, message);
}

static void reads_trees(void **state)
{
	(void)state;
	expect_tree("a: 1\nb: [x, {c: d}, []]\n", "{a: '1', b: ['x', {c: 'd'}, []]}");
	expect_tree("a:\n- b: c\n  d: e\n- f\n", "{a: [{b: 'c', d: 'e'}, 'f']}");
	expect_tree("a: no\nb: 0123\nc: 1e3\nd: \"x\\ty\"\ne: 'it''s'\n",
		    "{a: 'no', b: '0123', c: '1e3', d: 'x\ty', e: 'it's'}");
	expect_tree("a: ~\nb:\nc: null\nd: '~'\ne: \"\"\nf: !!str null\n",
		    "{a: ~, b: ~, c: ~, d: '~', e: '', f: 'null'}");
	expect_tree("a: |\n  x\n  y\nb: >-\n  x\n  y\n", "{a: 'x\ny\n', b: 'x y'}");
	expect_tree("# c\n---\na: 1 # c\n...\n", "{a: '1'}");
	expect_tree("{\"a\":[1,\"b\"],\"c\":{}}", "{a: ['1', 'b'], c: {}}");
	expect_tree("a: 1\r\nb: 2\r\n", "{a: '1', b: '2'}");
	expect_tree("b\xC3\xA9: \xF0\x9F\x98\x80\n", "{b\xC3\xA9: '\xF0\x9F\x98\x80'}");
	expect_tree("a: ''\nb: ' x ''''''''''''''''y '\nc: 'a \n  b\n\n  \n c '\nd: ' '\n",
		    "{a: '', b: ' x ''''''''y ', c: 'a b\n\nc ', d: ' '}");
	expect_tree("a: !!int 5\nb: !!seq [1]\nc: !!map {}\n", "{a: '5', b: ['1'], c: {}}");
	expect_tree("word", "'word'");
}

static void shares_aliases(void **state)
{
	static const char text[] = "a: &x [1, 2]\nb: *x\nc: &y z\nd: [*y, *x]\n*y : e\n";
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };
	struct yaml *y;

	(void)state;
	expect_tree(text, "{a: ['1', '2'], b: ['1', '2'], c: 'z', d: ['z', ['1', '2']], z: 'e'}");
	assert_int_equal(yaml_read(a, "t.yaml", text, strlen(text), &d, &y), 0);
	assert_ptr_equal(yaml_get(y, "a"), yaml_get(y, "b"));
	expect_tree("a: &x 1\nb: &x 2\nc: *x\n", "{a: '1', b: '2', c: '2'}");
}

static void keeps_places(void **state)
{
	static const char text[] = "stowage: 1\n"
				   "\xC3\xA9: { a: 'b', c: \"d\", e: [f, *x] }\n";
	static const char good[] = "z: &x 1\n"
				   "\xC3\xA9: { a: 'b', c: \"d\", e: [f, *x], g: }\n"
				   "h: |\n"
				   "  text\n"
				   "i: &y\n"
				   "  - \xC3\xA9\xC3\xA9: 1\n"
				   "j: \n";
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };
	const struct yaml *map;
	struct yaml *y;

	(void)state;
	expect_error(text, 2, 29, "no anchor '&x'");
	assert_int_equal(yaml_read(a, "t.yaml", good, strlen(good), &d, &y), 0);
	assert_int_equal(y->items.at[1].key_pos.line, 2);
	assert_int_equal(y->items.at[1].key_pos.col, 1);
	assert_int_equal(y->items.at[1].key_pos.width, 1);
	map = yaml_get(y, "\xC3\xA9");
	assert_int_equal(map->pos.col, 4);
	assert_int_equal(yaml_get(map, "a")->pos.col, 9); /* the quote belongs to it */
	assert_int_equal(yaml_get(map, "a")->pos.width, 3);
	assert_int_equal(map->items.at[1].key_pos.col, 14);
	assert_int_equal(yaml_get(map, "c")->pos.col, 17);
	assert_int_equal(yaml_key_pos(map, "e").col, 25);
	assert_int_equal(yaml_key_pos(map, "nothing").col, 4);
	assert_int_equal(yaml_get(map, "g")->pos.col, 34); /* nothing: the key's place */
	assert_int_equal(yaml_get(y, "h")->pos.line, 4);
	assert_int_equal(yaml_get(y, "h")->pos.col, 3);
	map = yaml_get(y, "i")->items.at[0].value;
	assert_int_equal(map->pos.line, 6);
	assert_int_equal(map->pos.col, 5);
	assert_int_equal(yaml_get(map, "\xC3\xA9\xC3\xA9")->pos.col, 9);
	assert_int_equal(yaml_get(y, "j")->pos.line, 7);
	assert_null(yaml_get(map, "x"));
	assert_null(yaml_get(NULL, "x"));
}

static void no_layout(void **state)
{
	(void)state;
	expect_error("", 0, 0, "no layout");
	expect_error("# only\n# comments\n", 0, 0, "no layout");
	expect_error("---\n", 0, 0, "no layout");
	expect_error("null\n", 0, 0, "no layout");
	expect_error("  \n\n", 0, 0, "no layout");
}

static void no_text(void **state)
{
	(void)state;
	expect_bytes("a: x\0y\n", 7, 1, 5, "NUL byte");
	expect_bytes("a\0:\0", 4, 1, 2, "UTF-16");
	expect_bytes("\xFF\xFE"
		     "a\0",
		     4, 0, 0, "UTF-16 mark");
	expect_bytes("\xFE\xFF\0a", 4, 0, 0, "UTF-16 mark");
	expect_error("\xEF\xBB\xBF"
		     "a: 1\n",
		     0, 0, "UTF-8 mark");
	expect_error("a: b\nc: caf\xE9\n", 2, 7, "byte 0xE9 is not UTF-8");
	expect_error("a: \xC0\xAF\n", 1, 4, "byte 0xC0");
	expect_error("# \x1B[31m\n", 1, 3, "U+001B");
	expect_error("a: \"\\0\"\n", 1, 4, "U+0000");
	expect_error("a: \x7F\n", 1, 4, "U+007F");
}

static void no_yaml(void **state)
{
	(void)state;
	expect_error("a:\n\tb: 1\n", 2, 1, "a tab can't indent");
	expect_error("a: 1\n\tb: 2\n", 2, 1, "a tab can't indent");
	expect_error("a: [1, 2\nb: 3\n", 3, 1, "closing bracket");
	expect_error("a: [\n\tb ]\n", 2, 1, "a tab can't indent");
	expect_error("a: b: c\n", 1, 5, "this is not YAML");
	expect_error("a: @b\n", 1, 4, "this is not YAML");
	expect_error("a: \"b\n", 1, 5, "this is not YAML");
	expect_error("a: 1\n  b: 2\n", 1, 4, "indented too far");
}

static void not_in_the_language(void **state)
{
	(void)state;
	expect_error("a: 1\nb: 2\na: 3\n", 3, 1, "duplicate key 'a'");
	expect_error("a: &x { b: 1 }\nc:\n  <<: *x\n", 3, 3, "merge keys");
	expect_error("a: !foo 1\n", 1, 9, "the tag '!foo'");
	expect_error("a: !!set {}\n", 1, 10, "the tag");
	expect_error("[a]: 1\n", 1, 1, "a key must be a word");
	expect_error("~: 1\n", 1, 1, "a key must be a word");
	expect_error("a: 1\n---\nb: 2\n", 2, 1, "one document");
	expect_error("a: 1\n...\nb: 2\n", 3, 1, "one document");
	expect_error("a: &x [*x]\n", 1, 8, "contains itself");
	expect_error("a: &x { b: { c: *x } }\n", 1, 17, "contains itself");
}

static void tells_all_duplicates(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };
	struct text t = { .arena = a };
	struct yaml *y;

	(void)state;
	for (unsigned i = 0; i < 20; i++)
		text_printf(&t, "k%u: 1\n", i);
	text_add(&t, "k3: 2\nnew: 1\nk19: 2\nnew: 2\nk3: 4\n");
	assert_true(yaml_read(a, "t.yaml", text_str(&t), t.len, &d, &y) < 0);
	assert_int_equal(d.errors, 4);
	assert_int_equal(d.messages.at[0].pos.line, 21);
	assert_int_equal(d.messages.at[1].pos.line, 4);
	assert_string_equal(d.messages.at[1].text, "first stated here");
	assert_int_equal(d.messages.at[7].pos.line, 4);
}

static char *repeated(struct arena *a, const char *s, size_t n)
{
	size_t len = strlen(s);
	char *r = arena_alloc(a, len * n + 1);

	for (size_t i = 0; i < n; i++)
		memcpy(r + i * len, s, len);
	return r;
}

static void limits(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct text t = { .arena = a };

	(void)state;
	expect_error(repeated(a, "[", 90000), 1, 65, "nested deeper than 64");
	expect_error(repeated(a, "- ", 90000), 1, 129, "nested deeper than 64");
	expect_error(repeated(a, "{", 200000), 1, 100001, "more than the 100000 brackets");
	expect_error(repeated(a, "- x\n", 300000), 200000, 3, "more than the 200000 values");
	expect_error(repeated(a, "\n", 1000001), 1000000, 1, "more than the 1000000 lines");
	expect_error(repeated(a, "x", 70000), 1, 1, "64 KiB");
	expect_bytes("", (size_t)YAML_TEXT_MAX + 1, 0, 0, "16 MiB"); /* nothing of it is looked at */
	expect_error(repeated(a, "a: 1\n", 1000), 2, 1, "duplicate");
	/* Nine levels of nine: 9^9 values. */
	text_add(&t, "a: &a [x,x,x,x,x,x,x,x,x]\n");
	for (char c = 'b'; c < 'k'; c++) {
		text_printf(&t, "%c: &%c [", c, c);
		for (int i = 0; i < 9; i++)
			text_printf(&t, "%s*%c", i ? "," : "", c - 1);
		text_add(&t, "]\n");
	}
	expect_error(text_str(&t), 6, 11, "more than the 200000 values");
	t = (struct text){ .arena = a };
	text_add(&t, "a0: &a0 [x]\n");
	for (unsigned i = 1; i < 100; i++)
		text_printf(&t, "a%u: &a%u [*a%u]\n", i, i, i - 1);
	expect_error(text_str(&t), 64, 12, "nested deeper than 64");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_trees),
		cmocka_unit_test(shares_aliases),
		cmocka_unit_test(keeps_places),
		cmocka_unit_test(no_layout),
		cmocka_unit_test(no_text),
		cmocka_unit_test(no_yaml),
		cmocka_unit_test(not_in_the_language),
		cmocka_unit_test(limits),
		cmocka_unit_test(tells_all_duplicates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
