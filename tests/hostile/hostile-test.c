/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "hostile.h"
#include "sh-words.h"

/* What is put into each place. */
static const char *const strings[] = {
	" ",
	"a b",
	" a",
	"a ",
	"'",
	"a'b",
	"''",
	"\"",
	"a\"b",
	"a'b\"c",
	"$(id)",
	"$(touch /tmp/x)",
	"`id`",
	"$HOME",
	"${IFS}",
	"; echo x",
	"a;b",
	"a&b",
	"a|b",
	"a>b",
	"<<EOF",
	"EOF",
	"!",
	"!!",
	"*",
	"?",
	"[a]",
	"{a,b}",
	"~",
	"a\\b",
	"\\",
	"a\\",
	"\\n",
	"\\040",
	"\\x41",
	"%n",
	"%s%s%s",
	"%",
	"#",
	"#a",
	"a#b",
	"-",
	"--",
	"-rf",
	"-L",
	"--help",
	"a,b",
	",",
	"a=b",
	"x:y",
	"a\nb",
	"\n",
	"a\n/dev/sda1 / ext4 rw 0 0",
	"a\nARRAY /dev/md9 UUID=0",
	"p\r\nsize=1MiB",
	"\r",
	"a\tb",
	"\b",
	"\033[2J",
	"\033]0;x\a",
	"\033[31mred",
	"a\177b",
	"\302\205", /* U+0085, a line end */
	"\302\233"
	"31m", /* U+009B, the start of an escape sequence */
	"\233"
	"31m",      /* the same byte by itself: no UTF-8 */
	"\302\255", /* soft hyphen */
	"\342\200\256"
	"cod.exe",       /* U+202E: from right to left */
	"a\342\200\256", /* at the end */
	"\342\201\246"
	"x\342\201\251",
	"\330\234",          /* U+061C */
	"\342\200\250",      /* U+2028 */
	"\357\273\277",      /* a byte order mark */
	"\303\251t\303\251", /* UTF-8 that is harmless */
	"\316\261\316\262",
	"\346\227\245\346\234\254",
	"\360\237\232\242",
	"\200",
	"\303",         /* half a character */
	"\300\257",     /* overlong */
	"\355\240\200", /* a surrogate */
	"no",
	"~null",
	"null",
	"0123",
	"1e3",
	"(null)",
	"..",
	".",
	"a/b",
	"/",
	"//",
	"../../etc",
	"EFI System Partition",
	"efi sys",
	"esp*1",
	"LABEL=x",
	"UUID=x",
	"none",
	"swap",
	"missing",
	"rest",
	"a+b",
	"<b>&amp;",
};

enum { STRINGS = sizeof(strings) / sizeof(*strings) };

static const char *repeat(struct arena *a, const char *s, size_t n)
{
	struct text t = { .arena = a };

	while (n--)
		text_add(&t, s);
	return text_str(&t);
}

static bool is_path(unsigned place)
{
	return place >= HOSTILE_MOUNT && place < HOSTILE_OPTION;
}

/* Of five filesystems one is asked everything, the others some of it: what sets them apart is in known_verdicts(). */
static bool is_spared(unsigned place, size_t i)
{
	return place >= HOSTILE_LABEL && place < HOSTILE_FILE && (place - HOSTILE_LABEL) % 5 &&
	       (i + place) % 5;
}

static enum hostile_verdict try_one(unsigned place, const char *s)
{
	_cleanup_arena_ struct arena *a = arena_new();
	const char *texts[HOSTILE_PLACES] = { 0 }, *why = NULL;
	enum hostile_verdict verdict;

	texts[place] = is_path(place) ? arena_printf(a, "/%s", s) : s;
	verdict = hostile_try(a, texts, &why);
	if (verdict == HOSTILE_WRONG)
		print_error("%s \"%s\": %s\n", hostile_place_names[place], text_safe(a, s), why);
	return verdict;
}

static void refused_or_carried(void **state)
{
	unsigned counts[3] = { 0 };

	(void)state;
	for (unsigned place = 0; place < HOSTILE_PLACES; place++)
		for (size_t i = 0; i < STRINGS; i++)
			if (!is_spared(place, i))
				counts[try_one(place, strings[i])]++;
	assert_int_equal(counts[HOSTILE_WRONG], 0);
	assert_true(counts[HOSTILE_CARRIED] > 500);
	assert_true(counts[HOSTILE_REFUSED] > 500);
}

static void long_ones(void **state)
{
	static const size_t lengths[] = { 13, 17, 37, 128, 256, 1000, 4096, 70000 };
	static const char *const pieces[] = { "a", "\342\200\256" };

	(void)state;
	for (unsigned place = 0; place < HOSTILE_PLACES; place++)
		for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
			for (size_t k = 0; k < sizeof(pieces) / sizeof(*pieces); k++) {
				_cleanup_arena_ struct arena *a = arena_new();

				if (is_spared(place, i))
					continue;
				assert_int_not_equal(
					try_one(place, repeat(a, pieces[k], lengths[i] / strlen(pieces[k]))),
					HOSTILE_WRONG);
			}
}

/* What comes from the layout may be empty nowhere. */
static void empty_ones(void **state)
{
	(void)state;
	for (unsigned place = 0; place < HOSTILE_FILE; place++)
		if (!is_path(place) || place == HOSTILE_MOUNT + 4)
			assert_int_equal(try_one(place, ""), HOSTILE_REFUSED);
}

/* What must be carried, and what must not: the others may go either way. */
static void known_verdicts(void **state)
{
	static const struct {
		unsigned place;
		const char *s;
		enum hostile_verdict verdict;
	} known[] = {
		{ HOSTILE_LABEL, "a b", HOSTILE_CARRIED },
		{ HOSTILE_LABEL, "; touch /pwned", HOSTILE_CARRIED },
		{ HOSTILE_LABEL, "$(id)", HOSTILE_CARRIED },
		{ HOSTILE_LABEL, "`id`", HOSTILE_CARRIED },
		{ HOSTILE_LABEL, "a'b", HOSTILE_CARRIED },
		{ HOSTILE_LABEL, "a\"b", HOSTILE_CARRIED },
		{ HOSTILE_LABEL, "-rf", HOSTILE_CARRIED },
		{ HOSTILE_LABEL, "*", HOSTILE_CARRIED },
		{ HOSTILE_LABEL, "a\\b", HOSTILE_CARRIED },
		{ HOSTILE_LABEL, "%n", HOSTILE_CARRIED },
		{ HOSTILE_LABEL, "\342\200\256x", HOSTILE_CARRIED },
		{ HOSTILE_LABEL, "a\nb", HOSTILE_REFUSED },
		{ HOSTILE_LABEL, "\302\205", HOSTILE_REFUSED },
		{ HOSTILE_LABEL, "\033[2J", HOSTILE_REFUSED },
		{ HOSTILE_LABEL + 1, "123456789012", HOSTILE_CARRIED },
		{ HOSTILE_LABEL + 1, "1234567890123", HOSTILE_REFUSED },
		{ HOSTILE_LABEL + 1, "\303\251\303\251\303\251\303\251\303\251\303\251\303\251",
		  HOSTILE_REFUSED },
		{ HOSTILE_LABEL + 2, "1234567890123456", HOSTILE_CARRIED },
		{ HOSTILE_LABEL + 2, "12345678901234567", HOSTILE_REFUSED },
		{ HOSTILE_LABEL + 3, "12345678901", HOSTILE_CARRIED },
		{ HOSTILE_LABEL + 3, "123456789012", HOSTILE_REFUSED },
		{ HOSTILE_LABEL + 3, "EFI SYS", HOSTILE_CARRIED },
		{ HOSTILE_LABEL + 3, "esp*1", HOSTILE_REFUSED },
		{ HOSTILE_LABEL + 3, "\303\251fi", HOSTILE_REFUSED },
		{ HOSTILE_LABEL + 4, "123456789012345", HOSTILE_CARRIED },
		{ HOSTILE_LABEL + 4, "1234567890123456", HOSTILE_REFUSED },
		{ HOSTILE_MOUNT, "srv/$(id)", HOSTILE_CARRIED },
		{ HOSTILE_MOUNT, "srv/a b", HOSTILE_CARRIED },
		{ HOSTILE_MOUNT, "srv/-rf", HOSTILE_CARRIED },
		{ HOSTILE_MOUNT, "srv/\\040", HOSTILE_CARRIED },
		{ HOSTILE_MOUNT, "srv\n/x", HOSTILE_REFUSED },
		{ HOSTILE_OPTION, "rw\tnosuid", HOSTILE_REFUSED },
		{ HOSTILE_OPTION, "a b", HOSTILE_REFUSED },
		{ HOSTILE_OPTION, "context=\"x'y\"", HOSTILE_CARRIED },
		{ HOSTILE_MKFS, "-x; rm", HOSTILE_CARRIED },
		{ HOSTILE_PARTITION, "EFI System Partition", HOSTILE_CARRIED },
		{ HOSTILE_PARTITION, "p\r\nsize=1MiB", HOSTILE_REFUSED },
		{ HOSTILE_ARRAY, "a\nARRAY /dev/md9", HOSTILE_REFUSED },
		{ HOSTILE_ARRAY, "a/b", HOSTILE_REFUSED },
		{ HOSTILE_VOLUME, "-l", HOSTILE_REFUSED },
		{ HOSTILE_FILE, "\033[2J.yaml", HOSTILE_CARRIED },
		{ HOSTILE_FILE, "-rf\n.yaml", HOSTILE_CARRIED },
		{ HOSTILE_ROOT, "a b'\"$(id)", HOSTILE_CARRIED },
		{ HOSTILE_MODEL, "\033[2J", HOSTILE_CARRIED },
		{ HOSTILE_SERIAL,
		  "\302\233"
		  "31m",
		  HOSTILE_CARRIED },
		{ HOSTILE_THERE_MOUNT, "a\nb\033[2J", HOSTILE_CARRIED },
		{ HOSTILE_THERE_LABEL, "\033]0;x\a", HOSTILE_CARRIED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (try_one(known[i].place, known[i].s) == known[i].verdict)
			continue;
		print_error("%s \"%s\"\n", hostile_place_names[known[i].place], known[i].s);
		fail();
	}
}

/* The reader of shell words is a judge: it must not let through what sh would act on. */
static void the_judge(void **state)
{
	static const struct {
		const char *s, *words; /* NULL: refused */
	} known[] = {
		{ "a 'b c' d\\ e\n}\n", "a|b c|d e" },
		{ "a 'b'\\''c'\n}\n", "a|b'c" },
		{ "a \"b'\\\"\\$\\x\"\n}\n", "a|b'\"$\\x" },
		{ "a \"$(printf '\\342\\200\\256')\"'b'\n}\n", "a|\342\200\256b" },
		{ "\t# x\n\ta b#c # d\n}\n", "a|b#c" },
		{ "a \\\n b\n}\n", "a|b" },
		{ "a ''\n}\n", "a|" },
		{ "a $b\n}\n", NULL },
		{ "a \"$b\"\n}\n", NULL },
		{ "a \"$(id)\"\n}\n", NULL },
		{ "a `id`\n}\n", NULL },
		{ "a; b\n}\n", NULL },
		{ "a & b\n}\n", NULL },
		{ "a *\n}\n", NULL },
		{ "a ~\n}\n", NULL },
		{ "a >b\n}\n", NULL },
		{ "a <b\n}\n", NULL },
		{ "a | b\n}\n", NULL },
		{ "a <<EOF\nx\nEOF\n}\n", NULL },
		{ "a 'b\n}\n", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		_cleanup_arena_ struct arena *a = arena_new();
		sh_commands all = { 0 };
		const char *why = NULL;

		if (!known[i].words) {
			assert_false(sh_read(a, known[i].s, &all, &why));
			assert_non_null(why);
			continue;
		}
		assert_true(sh_read(a, known[i].s, &all, &why));
		assert_int_equal(all.n, 1);
		assert_string_equal(text_join(a, &all.at[0].words, "|"), known[i].words);
	}
}

static void the_judge_of_input(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	sh_commands all = { 0 };
	const char *why = NULL;

	(void)state;
	assert_true(
		sh_read(a, "a <<'EOF'\n$x\nEOF2\nEOF\nb </dev/null\nprintf 'x%%\\n'\\\n'\\047' |\n\tc d\n}\n",
			&all, &why));
	assert_int_equal(all.n, 3);
	assert_string_equal(all.at[0].input, "$x\nEOF2\n");
	assert_string_equal(all.at[1].input, "");
	assert_string_equal(all.at[2].input, "x%\n'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_judge),          cmocka_unit_test(the_judge_of_input),
		cmocka_unit_test(refused_or_carried), cmocka_unit_test(long_ones),
		cmocka_unit_test(empty_ones),         cmocka_unit_test(known_verdicts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
