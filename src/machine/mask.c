/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "machine/machine.h"
#include "machine/parts.h"

/* Options whose value is a secret itself. credentials= and the like name a file, and stay. */
static size_t secret_option(const char *s)
{
	static const char *const words[] = {
		"password=", "passwd=", "pass=", "password2=", "secret=", "pin="
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strncasecmp(s, words[i], strlen(words[i])))
			return strlen(words[i]);
	return 0;
}

/* Bytes of an option's value: up to the comma or blank, which within "..." belong to it. */
static size_t value_length(const char *s)
{
	size_t n = 0;
	bool quoted = false;

	while (s[n] && s[n] != '\n' && (quoted || !strchr(", \t\r", s[n])))
		quoted ^= s[n++] == '"';
	return n;
}

/* "user:password@host" behind // or #: bytes up to the password, and its length in @ret_len. 0: none. */
static size_t password_in_source(const char *s, size_t *ret_len)
{
	size_t word = strcspn(s, " \t\r\n/"), colon = strcspn(s, ":"), at;

	for (at = word; at && s[at - 1] != '@'; at--)
		;
	if (!at || colon + 1 >= at)
		return 0;
	*ret_len = at - 1 - (colon + 1);
	return colon + 1;
}

static bool is_word_start(const char *text, const char *s)
{
	return s == text || strchr(", \t\n\"#", s[-1]);
}

static const char *mask(struct arena *a, const char *path, const char *content, bool *ret_any)
{
	const char *name = strrchr(path, '/');
	struct text t = { .arena = a };
	const char *s = content;

	name = name ? name + 1 : path;
	if (!text_eq(name, "fstab") && !text_eq(name, "crypttab"))
		return content;
	while (*s) {
		size_t skip = is_word_start(content, s) ? secret_option(s) : 0, hide = 0;

		if (skip) {
			hide = value_length(s + skip);
		} else if (*s == '#' || (s[0] == '/' && s[1] == '/')) {
			size_t lead = *s == '#' ? 1 : 2;

			skip = password_in_source(s + lead, &hide);
			skip = skip ? skip + lead : 0;
		} else if (is_word_start(content, s) &&
			   (!strncasecmp(s, "username=", 9) || !strncasecmp(s, "user=", 5))) {
			/* cifs takes user=NAME%PASSWORD as well. */
			size_t n = value_length(s);
			const char *percent = memchr(s, '%', n);

			if (percent) {
				skip = (size_t)(percent - s) + 1;
				hide = n - skip;
			}
		}
		if (!skip) {
			text_addc(&t, *s++);
			continue;
		}
		text_addn(&t, s, skip);
		if (hide) {
			text_add(&t, "***");
			*ret_any = true;
		}
		s += skip + hide;
	}
	return text_str(&t);
}

const char *machine_mask(struct arena *a, const char *path, const char *content)
{
	bool any = false;

	return mask(a, path, content, &any);
}

bool machine_has_secret(const char *path, const char *content)
{
	_cleanup_arena_ struct arena *a = arena_new();
	bool any = false;

	(void)mask(a, path, content, &any);
	return any;
}
