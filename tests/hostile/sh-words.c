/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sh-words.h"

#include <string.h>

#include "base/arena.h"

struct reader {
	struct arena *arena;
	const char *s;
	const char *why;
};

struct word {
	struct text text;
	bool any, quoted;
};

static bool fail(struct reader *r, const char *why)
{
	if (!r->why)
		r->why = arena_printf(r->arena, "%s at: %.60s", why, r->s);
	return false;
}

const char *sh_printf(struct arena *a, const char *format)
{
	struct text t = { .arena = a };

	for (const char *p = format; *p; p++) {
		int byte = 0, digits = 0;

		if (*p == '%') {
			if (*++p != '%')
				return NULL;
			text_addc(&t, '%');
		} else if (*p != '\\') {
			text_addc(&t, *p);
		} else if (p[1] == 'n') {
			text_addc(&t, '\n');
			p++;
		} else {
			for (; digits < 3 && p[1] >= '0' && p[1] <= '7'; digits++)
				byte = byte * 8 + (*++p - '0');
			if (!digits || !byte || byte > 255)
				return NULL;
			text_addc(&t, (char)byte);
		}
	}
	return text_str(&t);
}

static bool single(struct reader *r, struct text *t)
{
	const char *end = strchr(r->s, '\'');

	if (!end)
		return fail(r, "a quote without its end");
	text_addn(t, r->s, (size_t)(end - r->s));
	r->s = end + 1;
	return true;
}

/* Behind "$(": "printf '...')". sh takes line ends at the end of what was printed away. */
static bool substitution(struct reader *r, struct text *t)
{
	static const char begins[] = "printf '";
	struct text format = { .arena = r->arena };
	const char *printed;
	size_t n;

	if (!text_starts(r->s, begins))
		return fail(r, "an expansion");
	r->s += strlen(begins);
	if (!single(r, &format))
		return false;
	if (*r->s != ')')
		return fail(r, "an expansion that goes on");
	r->s++;
	printed = sh_printf(r->arena, text_str(&format));
	if (!printed)
		return fail(r, "a format of printf that is none");
	for (n = strlen(printed); n && printed[n - 1] == '\n';)
		n--;
	text_addn(t, printed, n);
	return true;
}

static bool twofold(struct reader *r, struct text *t)
{
	for (; *r->s != '"'; r->s++) {
		if (!*r->s)
			return fail(r, "a quote without its end");
		if (*r->s == '`')
			return fail(r, "a backquote");
		if (*r->s == '$' && r->s[1] == '(') {
			r->s += 2;
			if (!substitution(r, t))
				return false;
			r->s--;
		} else if (*r->s == '$') {
			return fail(r, "a dollar");
		} else if (*r->s == '\\' && strchr("$`\"\\\n", r->s[1]) && r->s[1]) {
			r->s++;
			if (*r->s != '\n')
				text_addc(t, *r->s);
		} else {
			text_addc(t, *r->s);
		}
	}
	r->s++;
	return true;
}

/* Return: false on failure; with .any false where no word begins here. */
static bool read_word(struct reader *r, struct word *w)
{
	*w = (struct word){ .text = { .arena = r->arena } };
	for (;;) {
		char c = *r->s;

		if (c == '\'' || c == '"') {
			r->s++;
			w->any = w->quoted = true;
			if (!(c == '"' ? twofold(r, &w->text) : single(r, &w->text)))
				return false;
		} else if (c == '\\' && r->s[1] == '\n') {
			r->s += 2;
		} else if (c == '\\') {
			if (!r->s[1])
				return fail(r, "a backslash at the end");
			w->any = w->quoted = true;
			text_addc(&w->text, r->s[1]);
			r->s += 2;
		} else if (!c || strchr(" \t\n|<", c)) {
			return true;
		} else if (strchr("$`&;()>*?[]{}~!\r\v\f", c) || (c == '#' && !w->any) ||
			   (unsigned char)c < ' ' || c == 0x7f) {
			return fail(r, "a character that sh would act on");
		} else {
			w->any = true;
			text_addc(&w->text, c);
			r->s++;
		}
	}
}

/* Behind the line of the command. */
static bool here_document(struct reader *r, const char *end, const char **ret)
{
	struct text t = { .arena = r->arena };

	for (;;) {
		size_t n = strcspn(r->s, "\n");

		if (!r->s[n])
			return fail(r, "a here-document without its end");
		if (strlen(end) == n && !strncmp(r->s, end, n)) {
			r->s += n + 1;
			break;
		}
		text_addn(&t, r->s, n + 1);
		r->s += n + 1;
	}
	*ret = text_str(&t);
	return true;
}

static bool redirect(struct reader *r, struct sh_command *c, const char **ret_end)
{
	struct word w;
	bool here = r->s[1] == '<';

	r->s += here ? 2 : 1;
	if (!read_word(r, &w) || !w.any)
		return fail(r, "a redirection to nothing");
	if (here && !w.quoted)
		return fail(r, "a here-document in which sh expands");
	if (here)
		*ret_end = text_str(&w.text);
	else if (strcmp(text_str(&w.text), "/dev/null") != 0)
		return fail(r, "a redirection to a file");
	else
		c->input = "";
	return true;
}

/* What a command before a pipe prints. */
static bool printed(struct reader *r, const struct sh_command *c, const char **ret)
{
	if (c->words.n != 2 || strcmp(c->words.at[0], "printf") != 0)
		return fail(r, "a pipe from something else than printf");
	*ret = sh_printf(r->arena, c->words.at[1]);
	return *ret || fail(r, "a format of printf that is none");
}

static void skip(struct reader *r)
{
	for (;;) {
		r->s += strspn(r->s, " \t\n");
		if (r->s[0] == '\\' && r->s[1] == '\n')
			r->s += 2;
		else if (*r->s == '#')
			r->s += strcspn(r->s, "\n");
		else
			return;
	}
}

static bool read_command(struct reader *r, const char *input, struct sh_command *c, bool *ret_piped)
{
	const char *end = NULL;
	struct word w;

	*c = (struct sh_command){ .input = input };
	*ret_piped = false;
	for (;;) {
		r->s += strspn(r->s, " \t");
		if (*r->s == '<') {
			if (!redirect(r, c, &end))
				return false;
			continue;
		}
		if (*r->s == '|') {
			r->s++;
			*ret_piped = true;
			return end ? fail(r, "a here-document before a pipe") : true;
		}
		if (*r->s == '#')
			r->s += strcspn(r->s, "\n");
		if (*r->s == '\n' || !*r->s)
			break;
		if (!read_word(r, &w))
			return false;
		if (w.any)
			vec_push(r->arena, &c->words, text_str(&w.text));
	}
	r->s += *r->s == '\n';
	return end ? here_document(r, end, &c->input) : true;
}

bool sh_read(struct arena *a, const char *s, sh_commands *ret, const char **ret_why)
{
	struct reader r = { .arena = a, .s = s };
	const char *input = NULL;
	bool good = true;

	for (;;) {
		struct sh_command c;
		bool piped;

		skip(&r);
		if (!strncmp(r.s, "}\n", 2) && r.s[-1] == '\n')
			break;
		good = read_command(&r, input, &c, &piped);
		input = NULL;
		if (good && piped)
			good = printed(&r, &c, &input);
		else if (good)
			vec_push(a, ret, c);
		if (!good)
			break;
	}
	*ret_why = r.why;
	return good;
}
