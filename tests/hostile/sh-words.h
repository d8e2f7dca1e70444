/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* What sh would do with a part of a script, as far as a printed plan needs it. Written from the standard, and not from what prints it. */

/* One simple command. */
struct sh_command {
	text_list words;
	const char *
		input; /* of a here-document, of the printf(1) before the pipe, or "" of /dev/null; NULL: none is stated */
};

typedef VEC(struct sh_command) sh_commands;

/**
 * sh_read() - commands as sh would run them, from @s to the line that is "}" alone
 * Knows '...', "...", \, comments, line joining, <<'WORD', </dev/null, `printf ... |`, and $(printf ...) within double quotes. Whatever
 * else means something to sh (another expansion, a pattern, an operator) stands for a word that wasn't quoted: that is an error.
 * @ret_why: what was wrong, on failure
 * Return: whether it could be read.
 */
bool sh_read(struct arena *a, const char *s, sh_commands *ret, const char **ret_why);

/** sh_printf() - what printf(1) prints of a format without arguments. Return: NULL where it is none. */
const char *sh_printf(struct arena *a, const char *format);
