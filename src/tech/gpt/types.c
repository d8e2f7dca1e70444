/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "tech/gpt/gpt.h"

struct type {
	const char *word, *guid, *code; /* code: MBR, NULL: has none */
};

/* The discoverable partitions specification, and what Linux tools agree on. */
static const struct type types[] = {
	{ "linux", "0fc63daf-8483-4772-8e79-3d69d8477de4", "83" },
	{ "raid", "a19d880f-05fc-4d3b-a006-743f0f84911e", "fd" },
	{ "lvm", "e6d6d379-f507-44c2-a23c-238f2a3df928", "8e" },
	{ "swap", "0657fd6d-a4ab-43c4-84e5-0933c84b4f4f", "82" },
	{ "esp", "c12a7328-f81f-11d2-ba4b-00a0c93ec93b", "ef" },
	{ "bios-boot", "21686148-6449-6e6f-744e-656564454649", NULL },
	{ "xbootldr", "bc13c2ff-59e6-4262-a352-b275fd6f7172", NULL },
	{ "home", "933ac7e1-2eb4-4f13-b844-0e14e2aef915", NULL },
	{ "srv", "3b8f8425-20e0-4f3b-907f-1a25a76f98e8", NULL },
	{ "var", "4d21b016-b534-45c2-a9fb-5c16e091fd2d", NULL },
	{ "tmp", "7ec6f557-3bc5-4aca-b293-16ef5df639d1", NULL },
	{ "luks", "ca7d7ccb-63ed-4c53-861c-1742536059cc", NULL },
	{ "root-x86", "44479540-f297-41b2-9af7-d131d5f0458a", NULL },
	{ "root-x86-64", "4f68bce3-e8cd-4db1-96e7-fbcaf984b709", NULL },
	{ "root-arm64", "b921b045-1df0-41c3-af44-4c6f280d3fae", NULL },
	{ "root-riscv64", "72ec70a6-cf74-40e6-bd49-4bda08e8f224", NULL },
	{ "usr-x86-64", "8484680c-9521-48c6-9c11-b0720656f69e", NULL },
	{ "microsoft-basic-data", "ebd0a0a2-b9e5-4433-87c0-68b6b72699c7", "7" },
};

enum { COUNT = sizeof(types) / sizeof(types[0]) };

static bool is_guid(const char *s)
{
	struct uuid u;

	return uuid_read(s, &u) == 0;
}

static bool is_code(const char *s)
{
	size_t n = strspn(s, "0123456789abcdefABCDEF");

	return n && n <= 2 && !s[n] && strcmp(s, "0") != 0 && strcmp(s, "00") != 0;
}

static const char *lower(struct arena *a, const char *s)
{
	char *copy = arena_strdup(a, s);

	for (char *p = copy; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return copy;
}

const char *gpt_type(struct arena *a, bool gpt, const char *word)
{
	for (size_t i = 0; i < COUNT; i++)
		if (!strcmp(types[i].word, word))
			return gpt ? types[i].guid : types[i].code;
	if (gpt ? is_guid(word) : is_code(word))
		return lower(a, !gpt && word[0] == '0' ? word + 1 : word);
	return NULL;
}

const char *gpt_type_word(bool gpt, const char *type)
{
	for (size_t i = 0; type && i < COUNT; i++) {
		const char *known = gpt ? types[i].guid : types[i].code;

		if (known && !strcasecmp(known, type))
			return types[i].word;
	}
	return type;
}

const char *const *gpt_type_names(size_t *ret_n)
{
	static const char *const names[] = {
		"linux",       "raid",       "lvm",          "swap",       "esp",  "bios-boot",
		"xbootldr",    "home",       "srv",          "var",        "tmp",  "root-x86",
		"root-x86-64", "root-arm64", "root-riscv64", "usr-x86-64", "luks", "microsoft-basic-data",
	};

	*ret_n = sizeof(names) / sizeof(names[0]);
	return names;
}

const char *gpt_attributes(struct arena *a, bool gpt, const text_list *words, const char **ret_bad)
{
	struct text t = { .arena = a };

	*ret_bad = NULL;
	vec_each (const char *const *, w, words) {
		const char *bit = NULL;

		if (gpt && !strcmp(*w, "required"))
			bit = "RequiredPartition";
		else if (gpt && !strcmp(*w, "no-block-io"))
			bit = "NoBlockIOProtocol";
		else if (gpt && !strcmp(*w, "legacy-boot"))
			bit = "LegacyBIOSBootable";
		else if (gpt && !strcmp(*w, "read-only"))
			bit = "GUID:60";
		else if (gpt && !strcmp(*w, "grow"))
			bit = "GUID:59";
		else if (gpt && !strcmp(*w, "no-auto"))
			bit = "GUID:63";
		else if (!gpt && !strcmp(*w, "active"))
			bit = "80";
		else {
			*ret_bad = *w;
			return NULL;
		}
		text_printf(&t, "%s%s", t.len ? " " : "", bit);
	}
	return t.len ? text_str(&t) : NULL;
}
