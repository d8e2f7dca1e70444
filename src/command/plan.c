/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "command/command.h"
#include "layout/layout.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "plan/protect.h"
#include "plan/saved.h"
#include "show/show.h"

enum { MOST_BYTES = 64 << 20 };

/* A saved plan is told from a layout by its first words, so that a person needn't say which it is. */
static bool is_saved(struct cli *c, const char *path, char **ret, size_t *ret_len)
{
	char head[256];
	_cleanup_fd_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = fd >= 0 ? read(fd, head, sizeof(head)) : -1;

	return n > 0 && saved_is(head, (size_t)n) &&
	       file_read(c->arena, AT_FDCWD, path, MOST_BYTES, ret, ret_len) == 0;
}

/* It heeds the lists of the machine that it was made for, and those that are named now. */
static int read_saved(struct cli *c, const char *path, const char *text, size_t len, struct plan **ret)
{
	protected_list list = { 0 };
	const char *why;
	int r = saved_read(c->arena, path, text, len, &c->diag, ret);

	if (r < 0)
		return r;
	vec_each (const char *const *, file, &c->protected)
		if (machine_protected_read(c->arena, *file, true, &list, &why) < 0)
			r = diag_error(&c->diag, (struct pos){ .file = *file },
				       "the list of protected disks can't be read, so nothing was done: %s",
				       why);
	return r < 0 ? r : plan_protect(*ret, &list, &c->diag) ? 0 : -EPERM;
}

int command_plan(struct cli *c, struct plan **ret)
{
	const char *path = c->words.at[0];
	struct machine *m = NULL;
	struct layout *l = NULL;
	struct graph *want;
	char *text;
	size_t len;
	int r;

	*ret = NULL;
	if (strcmp(path, "-") != 0 && is_saved(c, path, &text, &len))
		return read_saved(c, path, text, len, ret);
	r = layout_read(c->arena, path, &c->diag, &l);
	if (r < 0) {
		/* There will be no plan; the mistakes that are left are told all the same. */
		if (l)
			(void)layout_build(c->arena, l, &c->diag, &want);
		return r;
	}
	r = command_machine(c, &m);
	if (r == 0)
		r = command_protect(c, m);
	if (r < 0)
		return r;
	if (!m->root)
		diag_warn(&c->diag, nowhere,
			  "%s was not looked at by root: what disks hold is known from udev, LVM not at all",
			  m->source);
	return command_plan_for(c, l, m, &c->options, ret);
}

static void warn_tools(struct cli *c, const struct plan *p)
{
	text_list missing = plan_missing_tools(p, c->arena);

	if (missing.n)
		diag_warn(&c->diag, nowhere, "%s lacks %s, which the plan needs", p->machine->source,
			  text_join(c->arena, &missing, ", "));
}

/* A script or a saved plan holds whole files; passwords have no business there. */
static int may_keep(struct cli *c, const struct plan *p)
{
	vec_each (struct step *const *, st, &p->steps)
		if ((*st)->op.form == OP_FILE && machine_has_secret((*st)->op.path, (*st)->op.content))
			return diag_error(&c->diag, nowhere,
					  "%s holds a password, which would be written down with the plan; "
					  "move it to a file that "
					  "credentials= names, or use apply with the layout itself",
					  (*st)->op.path);
	return 0;
}

static int print_plan(struct cli *c, const struct plan *p, const char *format)
{
	struct show_options o = { .color = !c->output && command_color(stdout), .verbose = c->verbose };
	struct text out = { .arena = c->arena };

	if (!strcmp(format, "text"))
		show_text(p, c->arena, &o, &out);
	else if (!strcmp(format, "sh"))
		show_sh(p, c->arena, &o, &out);
	else if (!strcmp(format, "json"))
		show_json(p, c->arena, &o, &out);
	else
		show_dot(p, c->arena, &o, &out);
	return command_print(c, text_str(&out));
}

int command_show_plan(struct cli *c)
{
	static const char *const formats[] = { "text", "sh", "json", "dot" };
	const char *format = c->format ? c->format : c->json ? "json" : "text";
	bool known = false;
	struct plan *p;
	int r;

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		known |= !strcmp(format, formats[i]);
	if (!known) {
		(void)fprintf(stderr, "stowage: --format is text, sh, json or dot, not '%s'\n",
			      text_safe(c->arena, format));
		return EXIT_MISUSE;
	}
	r = command_plan(c, &p);
	if (p && r == 0)
		warn_tools(c, p);
	/* A plan that can't be made is shown as far as it goes where a person reads it; a program gets nothing that it could carry out. */
	if (p && r == 0) {
		bool save = c->output && !c->format && !c->json;

		if (!save && strcmp(format, "sh") != 0)
			(void)print_plan(c, p, format);
		else if (may_keep(c, p) == 0)
			(void)(save ? command_print(c, saved_write(p, c->arena)) : print_plan(c, p, format));
	}
	r = command_end(c);
	if (!r && c->exit_code && p && p->steps.n)
		return EXIT_CHANGES;
	return r;
}
