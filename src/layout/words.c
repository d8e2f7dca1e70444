/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "layout/words.h"

#include <string.h>

#include "base/arena.h"
#include "layout/layout.h"

const struct key words_head[] = {
	{ .name = "stowage",
	  .form = KEY_INT,
	  .need = true,
	  .min = LAYOUT_VERSION,
	  .max = LAYOUT_VERSION,
	  .doc = "Version of the language.",
	  .example = "1" },
	{ .name = "name",
	  .form = KEY_TEXT,
	  .need = true,
	  .offset = offsetof(struct layout, name),
	  .doc = "Name of the layout. UUIDs are derived from it: keep it, and give two machines that share "
		 "disks two names.",
	  .example = "fileserver" },
	{ 0 },
};

const struct key words_range[] = {
	{ .name = "min",
	  .form = KEY_BYTES,
	  .offset = offsetof(struct size_want, min),
	  .doc = "At least this." },
	{ .name = "max",
	  .form = KEY_BYTES,
	  .offset = offsetof(struct size_want, max),
	  .doc = "No more than this." },
	{ 0 },
};

static char written(char c)
{
	return c == '_' ? '-' : c;
}

const char *words_key(struct arena *a, const struct key *k)
{
	char *s;

	if (!strchr(k->name, '_'))
		return k->name;
	s = arena_strdup(a, k->name);
	for (char *c = s; *c; c++)
		*c = written(*c);
	return s;
}

bool words_is(const struct key *k, const char *word)
{
	size_t i = 0;

	for (; k->name[i] && word[i]; i++)
		if (written(k->name[i]) != word[i])
			return false;
	return k->name[i] == word[i];
}

const struct key *words_find(const struct key *keys, const char *word)
{
	for (const struct key *k = keys; k && k->name; k++)
		if (words_is(k, word))
			return k;
	return NULL;
}

text_list words_split(struct arena *a, const char *one_of)
{
	text_list list = { 0 };

	while (one_of && *one_of) {
		size_t n = strcspn(one_of, " ");

		if (n)
			vec_push(a, &list, arena_strndup(a, one_of, n));
		one_of += n + (one_of[n] == ' ');
	}
	return list;
}

const char *words_article(const char *word)
{
	return *word && strchr("aeioux", *word) ? "an" : "a"; /* x is for xfs */
}

const char *words_one(struct arena *a, const char *name)
{
	size_t len = strlen(name);
	char *s = arena_printf(a, "%s %s", words_article(name), name);

	if (len > 1 && name[len - 1] == 's')
		s[strlen(s) - 1] = '\0';
	for (char *c = s; *c; c++)
		if (*c == '-')
			*c = ' ';
	return s;
}

const char *words_form(struct arena *a, const struct key *k)
{
	struct text t = { .arena = a };
	const struct key *scalar;
	text_list list;

	switch (k->form) {
	case KEY_END:
		break;
	case KEY_BOOL:
		return "true or false";
	case KEY_INT:
		if (k->min && k->min == k->max)
			return arena_printf(a, "the number %lld", (long long)k->min);
		if (!k->max)
			return arena_printf(a, "a number from %lld", (long long)k->min);
		return arena_printf(a, "a number from %lld to %lld", (long long)k->min, (long long)k->max);
	case KEY_WORD:
		list = words_split(a, k->one_of);
		if (!list.n)
			return "a word";
		for (size_t i = 0; i < list.n; i++)
			text_printf(&t, "%s%s", i == 0 ? "" : i + 1 < list.n ? ", " : " or ", list.at[i]);
		return text_str(&t);
	case KEY_TEXT:
		return "a text";
	case KEY_TEXTS:
		return "a text, or a list of texts";
	case KEY_PATH:
		return "an absolute path";
	case KEY_SIZE:
		return "a size";
	case KEY_BYTES:
		return "a size in bytes";
	case KEY_UUID:
		return "a UUID";
	case KEY_NAMES:
		if (k->also)
			return arena_printf(a, "a name or '%s', or a list of them", k->also);
		return "a name, or a list of names";
	case KEY_MAP:
		return "a map of keys";
	case KEY_LIST:
		scalar = k->scalar ? words_find(k->keys, k->scalar) : NULL;
		return scalar ? arena_printf(a, "%s, or a list", words_form(a, scalar)) : "a list";
	case KEY_NAMED:
		return "a map of names";
	}
	return "";
}

const struct section *words_section(const struct room *const *rooms_, const char *name)
{
	for (; *rooms_; rooms_++)
		for (const struct section *s = (*rooms_)->sections; s && s->name; s++)
			if (text_eq(s->name, name))
				return s;
	return NULL;
}

const struct kind *words_kind(const struct room *const *rooms_, const char *section, const char *type)
{
	for (; *rooms_; rooms_++)
		for (const struct kind *const *k = (*rooms_)->kinds; k && *k; k++)
			if (text_eq((*k)->section, section) && text_eq((*k)->name, type))
				return *k;
	return NULL;
}

text_list words_kinds(struct arena *a, const struct room *const *rooms_, const char *section)
{
	text_list list = { 0 };

	for (; *rooms_; rooms_++)
		for (const struct kind *const *k = (*rooms_)->kinds; k && *k; k++)
			if (text_eq((*k)->section, section))
				vec_push(a, &list, (*k)->name);
	return list;
}

bool words_is_name(const char *s)
{
	if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z')))
		return false;
	return !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-")];
}
