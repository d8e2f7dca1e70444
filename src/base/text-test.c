/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/arena.h"
#include "base/text.h"

static void text_grows(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct text t = { .arena = a };

	(void)state;
	assert_string_equal(text_str(&t), "");
	text_add(&t, "");
	assert_null(t.s);
	text_add(&t, "lv");
	text_addc(&t, 's');
	text_addn(&t, "createXXX", 6);
	text_printf(&t, " -L %dM", 512);
	assert_string_equal(text_str(&t), "lvscreate -L 512M");
	for (int i = 0; i < 10000; i++)
		text_addc(&t, 'x');
	assert_int_equal(t.len, 10017);
	assert_int_equal(strlen(t.s), t.len);
}

static void join_puts_between(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	text_list l = { 0 };

	(void)state;
	assert_string_equal(text_join(a, &l, ", "), "");
	vec_push(a, &l, "a");
	assert_string_equal(text_join(a, &l, ", "), "a");
	vec_push(a, &l, "");
	vec_push(a, &l, "b");
	assert_string_equal(text_join(a, &l, ", "), "a, , b");
}

static void comparing_takes_null(void **state)
{
	(void)state;
	assert_true(text_eq(NULL, NULL));
	assert_false(text_eq(NULL, ""));
	assert_false(text_eq("", NULL));
	assert_true(text_eq("a", "a"));
	assert_false(text_eq("a", "b"));
	assert_true(text_starts("/dev/sda", "/dev/"));
	assert_true(text_starts("x", ""));
	assert_false(text_starts("/de", "/dev/"));
}

static void safe_disarms(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "\033[2J", "\\x1B[2J" },
		{ "a\nb\tc\x7F", "a\\x0Ab\\x09c\\x7F" },
		{ "\xC2\x9B"
		  "31m",
		  "\\u{009B}31m" },
		{ "\xE2\x80\xAE", "\\u{202E}" },
		{ "\xE2\x81\xA6", "\\u{2066}" },
		{ "\xD8\x9C", "\\u{061C}" },
		{ "caf\xE9!", "caf\\xE9!" },
		{ "\xED\xA0\x80", "\\xED\\xA0\\x80" },
		{ "\xC0\x80", "\\xC0\\x80" },
		{ "ok\xE2\x82", "ok\\xE2\\x82" },
	};
	static const char fine[] = "grün 磁盘 \\x1B 😀 'a\"";
	_cleanup_arena_ struct arena *a = arena_new();
	struct text t = { .arena = a };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(text_safe(a, cases[i].in), cases[i].out);
	assert_ptr_equal(text_safe(a, fine), fine);
	text_add_safe(&t, "a\0b", 3);
	assert_string_equal(text_str(&t), "a\\x00b");
}

static void utf8_is_checked(void **state)
{
	static const char *const bad[] = {
		"\x80",
		"\xC1\xBF",
		"\xC3",
		"\xE0\x9F\xBF",
		"\xED\xA0\x80",
		"\xF0\x8F\xBF\xBF",
		"\xF4\x90\x80\x80",
		"\xF5\x80\x80\x80",
		"\xE2\x82",
		"\xE2(\xA1",
		"\xF0\x9F\x98(",
	};
	static const char *const good[] = {
		"",
		"abc",
		"\xC2\x80",
		"\xE0\xA0\x80",
		"\xED\x9F\xBF",
		"\xEE\x80\x80",
		"\xF0\x90\x80\x80",
		"\xF4\x8F\xBF\xBF",
	};
	uint32_t c;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(text_valid_utf8(bad[i], strlen(bad[i])));
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		assert_true(text_valid_utf8(good[i], strlen(good[i])));
	assert_false(text_valid_utf8("a\0b", 3));
	assert_int_equal(text_char("\xF0\x9F\x98\x80", 4, &c), 4);
	assert_int_equal(c, 0x1F600);
	assert_int_equal(text_char("", 0, &c), 0);
	assert_int_equal(text_utf16_units(""), 0);
	assert_int_equal(text_utf16_units("EFI"), 3);
	assert_int_equal(text_utf16_units("gr\xC3\xBCn"), 4);
	assert_int_equal(text_utf16_units("\xE7\xA3\x81"), 1);
	assert_int_equal(text_utf16_units("\xF0\x9F\x98\x80"), 2);
}

static void nearest_finds_slips(void **state)
{
	static const char *const words[] = { "size", "key-file", "device", "type", "gpt", "lv", "luks" };
	static const struct {
		const char *word, *nearest;
	} cases[] = {
		{ "sizes", "size" },
		{ "szie", "size" },
		{ "key_file", "key-file" },
		{ "keyfile", "key-file" },
		{ "devcie", "device" },
		{ "TYPE", "type" },
		{ "gp", "gpt" },
		{ "vg", NULL },
		{ "filesystem", NULL },
		{ "", NULL },
		{ "lusk", "luks" },
		{ "size", "size" },
		{ "tyXX", NULL },
	};
	char endless[200] = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *nearest = text_nearest(cases[i].word, words, sizeof(words) / sizeof(*words));

		if (cases[i].nearest)
			assert_string_equal(nearest, cases[i].nearest);
		else
			assert_null(nearest);
	}
	memset(endless, 'a', sizeof(endless) - 1);
	assert_null(text_nearest(endless, words, 7));
	assert_null(text_nearest("size", words, 0));
}

static void sh_words_are_quoted(void **state)
{
	static const char plain[] = "/dev/disk/by-id/ata-X_1:0,a=b+c%@";
	_cleanup_arena_ struct arena *a = arena_new();

	(void)state;
	assert_ptr_equal(text_quote_sh(a, plain), plain);
	assert_string_equal(text_quote_sh(a, ""), "''");
	assert_string_equal(text_quote_sh(a, "a b"), "'a b'");
	assert_string_equal(text_quote_sh(a, "it's"), "'it'\\''s'");
	assert_string_equal(text_quote_sh(a, "'"), "''\\'''");
	assert_string_equal(text_quote_sh(a, "$(x)`y`\\\n*"), "'$(x)`y`\\\n*'");
	assert_string_equal(text_quote_sh(a, "~root"), "'~root'");
	assert_string_equal(text_quote_sh(a, "{a,b}"), "'{a,b}'");
	assert_string_equal(text_quote_sh(a, "#x"), "'#x'");
	/* What a terminal would act on is printed by sh itself; other letters stay. */
	assert_string_equal(text_quote_sh(a, "\033[2J"), "''\"$(printf '\\033')\"'[2J'");
	assert_string_equal(text_quote_sh(a, "a\302\233\342\200\256b"),
			    "'a'\"$(printf '\\302\\233\\342\\200\\256')\"'b'");
	assert_string_equal(text_quote_sh(a, "\303\251\200\303"), "'\303\251'\"$(printf '\\200\\303')\"''");
	assert_string_equal(text_quote_sh(a, "\r\n"), "''\"$(printf '\\015')\"'\n'");
	assert_string_equal(text_safe_json(a, "{\n \"\303\251\302\205\177\342\200\256\377\" }\n"),
			    "{\n \"\303\251\\u0085\\u007f\\u202e\357\277\275\" }\n");
}

static void json_is_valid(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();

	(void)state;
	assert_string_equal(text_quote_json(a, ""), "\"\"");
	assert_string_equal(text_quote_json(a, "a\"b\\c/"), "\"a\\\"b\\\\c/\"");
	assert_string_equal(text_quote_json(a, "\n\t\033\x7F"), "\"\\n\\t\\u001b\\u007f\"");
	assert_string_equal(text_quote_json(a, "gr\xC3\xBCn \xE2\x80\xAE \xFF"),
			    "\"gr\xC3\xBCn \\u202e \\ufffd\"");
}

static void short_ends_at_a_character(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	char eighty[82] = { 0 }, umlauts[100] = "x";

	(void)state;
	memset(eighty, 'a', 80);
	assert_ptr_equal(text_short(a, eighty), eighty);
	eighty[80] = 'b';
	assert_int_equal(strlen(text_short(a, eighty)), 83);
	for (size_t i = 1; i + 1 < sizeof(umlauts); i += 2)
		memcpy(umlauts + i, "\xC3\xBC", 2);
	assert_true(text_valid_utf8(text_short(a, umlauts), strlen(text_short(a, umlauts))));
	assert_int_equal(strlen(text_short(a, umlauts)), 82);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_grows),
		cmocka_unit_test(join_puts_between),
		cmocka_unit_test(comparing_takes_null),
		cmocka_unit_test(safe_disarms),
		cmocka_unit_test(utf8_is_checked),
		cmocka_unit_test(nearest_finds_slips),
		cmocka_unit_test(sh_words_are_quoted),
		cmocka_unit_test(json_is_valid),
		cmocka_unit_test(short_ends_at_a_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
