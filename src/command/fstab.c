/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tech/mount/fstab.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "command/command.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "run/op.h"

enum { MOST_BYTES = 1 << 20 };

/* Byte for byte into a file or a pipe. What others have written there must not act on a terminal. */
static const char *for_terminal(struct cli *c, const char *text)
{
	struct text t = { .arena = c->arena };

	while (*text) {
		size_t n = strcspn(text, "\t\n");

		text_add_safe(&t, text, n);
		if (text[n])
			text_addc(&t, text[n++]);
		text += n;
	}
	return text_str(&t);
}

static int put(struct cli *c, const char *path, const char *text)
{
	struct op op = { .form = OP_FILE, .path = path, .content = text };
	struct op_job job = { .op = &op, .root = c->options.root };

	if (!c->write)
		return command_print(c, isatty(STDOUT_FILENO) && !c->output ? for_terminal(c, text) : text);
	return op_file(&job) ? diag_error(&c->diag, (struct pos){ .file = path },
					  "was not written, for the reason above")
			     : 0;
}

static int convert(struct cli *c, bool *ret_all)
{
	struct machine *m;
	const char *result, *path;
	char *real;
	char *text;
	size_t len, result_len;
	int r = file_read(c->arena, AT_FDCWD, c->convert, MOST_BYTES, &text, &len);

	if (r < 0)
		return diag_error(&c->diag, (struct pos){ .file = c->convert }, "can't be read: %s",
				  strerror(-r));
	if (memchr(text, '\0', len))
		return diag_error(&c->diag, (struct pos){ .file = c->convert },
				  "holds a NUL byte: not an fstab");
	diag_source_add(&c->diag, c->convert, text, len);
	r = command_machine(c, &m);
	if (r < 0)
		return r;
	r = fstab_convert(c->arena, m, c->convert, text, len, &c->diag, &result, &result_len, ret_all);
	if (r < 0 || (c->write && !strcmp(result, text)))
		return r;
	if (!c->write)
		return command_print(c, result);
	/* A file is written by its place in the whole tree, whatever the working directory is. */
	real = realpath(c->convert, NULL);
	if (!real)
		return diag_error(&c->diag, (struct pos){ .file = c->convert }, "can't be found: %s",
				  strerror(errno));
	path = arena_strdup(c->arena, real);
	free(real);
	return put(c, path, result);
}

/* --write before the filesystems are there would leave a machine that doesn't boot. */
static int write_due(struct cli *c, const struct plan *p)
{
	vec_each (struct node *const *, n, &p->want->nodes)
		vec_each (const struct edge *, e, &(*n)->below)
			if (e->claim && (*n)->verdict == VERDICT_CREATE)
				return diag_error(&c->diag, (*n)->pos,
						  "fstab is only written for what is there, and '%s' isn't "
						  "yet; run apply first",
						  (*n)->name);
	return 0;
}

static int from_layout(struct cli *c)
{
	struct plan *p;
	const char *text;
	int r = command_plan(c, &p);

	if (r < 0)
		return r;
	if (p->partial)
		return diag_error(
			&c->diag, nowhere,
			"fstab can't be known before everything runs that is there; 'stowage apply' "
			"starts it");
	r = fstab_text(p, c->arena, &c->diag, &text);
	if (r < 0 || (c->write && (r = write_due(c, p)) < 0))
		return r;
	return put(
		c,
		arena_printf(c->arena, "%s/etc/fstab", strcmp(p->options.root, "/") ? p->options.root : ""),
		text);
}

int command_fstab(struct cli *c)
{
	bool all = true;
	int r;

	if ((c->convert != NULL) == (c->words.n == 1)) {
		(void)fprintf(stderr, "stowage: fstab takes a layout, or --convert FILE\n");
		return EXIT_MISUSE;
	}
	(void)(c->convert ? convert(c, &all) : from_layout(c));
	r = command_end(c);
	return r || all ? r : EXIT_FAILED;
}
