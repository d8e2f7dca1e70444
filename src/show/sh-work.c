/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "plan/plan.h"
#include "show/sh-parts.h"

static bool has_line(const char *content, const char *line)
{
	size_t n = strlen(line);

	for (const char *p = content; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (!strncmp(p, line, n) && (p[n] == '\n' || !p[n]))
			return true;
	}
	return false;
}

static const char *delimiter(struct arena *a, const char *content)
{
	const char *word = "EOF";

	for (unsigned i = 2; has_line(content, word); i++)
		word = arena_printf(a, "EOF%u", i);
	return word;
}

static void here_document(const struct sh_writer *w, const char *content)
{
	const char *end = delimiter(w->arena, content);
	size_t n = strlen(content);

	text_printf(w->out, " <<'%s'\n", end);
	text_addn(w->out, content, n);
	if (n && content[n - 1] != '\n')
		text_addc(w->out, '\n');
	text_printf(w->out, "%s\n", end);
}

static bool is_plain(struct arena *a, const char *content)
{
	struct text t = { .arena = a };

	for (const char *p = content; *p; p++)
		text_addc(&t, *p == '\n' || *p == '\t' ? ' ' : *p);
	return text_safe(a, text_str(&t)) == text_str(&t);
}

/* As a format of printf(1): exact, with whatever is no printable ASCII in octal. */
static void as_format(const struct sh_writer *w, const char *content)
{
	text_add(w->out, "\tprintf '");
	for (const char *p = content; *p; p++) {
		unsigned char c = (unsigned char)*p;

		if (c == '\n')
			text_add(w->out, p[1] ? "\\n'\\\n'" : "\\n");
		else if (c == '%')
			text_add(w->out, "%%");
		else if (c < ' ' || c > '~' || c == '\'' || c == '\\')
			text_printf(w->out, "\\%03o", c);
		else
			text_addc(w->out, *p);
	}
	text_add(w->out, "' |\n\t");
}

/* A command that reads standard input. */
static void feed(const struct sh_writer *w, const char *call, const char *content)
{
	size_t n = strlen(content);

	if (!n) {
		text_printf(w->out, "\t%s </dev/null\n", call);
	} else if (content[n - 1] == '\n' && is_plain(w->arena, content)) {
		text_printf(w->out, "\t%s", call);
		here_document(w, content);
	} else {
		/* A here-document always ends with a line end, and would bring raw control characters to the reader's terminal. */
		as_format(w, content);
		text_printf(w->out, "%s\n", call);
	}
}

static void operation(const struct sh_writer *w, const struct op *op)
{
	switch (op->form) {
	case OP_ARGV:
	case OP_LVM:
		for (size_t i = 0; i < op->argv.n; i++)
			text_printf(w->out, "%s%s", i ? " " : "\t", sh_quote(w, op->argv.at[i]));
		text_addc(w->out, '\n');
		break;
	case OP_TABLE:
		feed(w,
		     arena_printf(w->arena, "sfdisk -q --lock=yes --wipe always --wipe-partitions always %s",
				  sh_quote(w, op->dev)),
		     op->script);
		break;
	case OP_ZERO:
		text_printf(w->out, "\tzero %s", sh_quote(w, op->dev));
		vec_each (const struct op_range *, r, &op->ranges)
			text_printf(w->out, "%s%" PRIu64 " %" PRIu64,
				    (r - op->ranges.at) % 4 ? "  " : " \\\n\t\t", r->start, r->size);
		text_addc(w->out, '\n');
		break;
	case OP_WIPE:
		text_printf(w->out, "\twipefs -a -q %s\n", sh_quote(w, op->dev));
		break;
	case OP_SETTLE:
		text_add(w->out, "\tsettle\n");
		break;
	case OP_MKDIR:
		text_printf(w->out, "\tdirectory %04o %s\n", op->mode ? op->mode : 0755,
			    sh_quote(w, op->path));
		break;
	case OP_MOUNT:
		text_add(w->out, "\tmount");
		if (op->type)
			text_printf(w->out, " -t %s", sh_quote(w, op->type));
		if (op->options && *op->options)
			text_printf(w->out, " -o %s", sh_quote(w, op->options));
		text_printf(w->out, " -- %s", sh_quote(w, op->dev));
		text_printf(w->out, " %s\n", sh_quote(w, op->path));
		break;
	case OP_FILE:
		feed(w,
		     arena_printf(w->arena, "put %04o %s", op->mode ? op->mode : 0644, sh_quote(w, op->path)),
		     op->content ? op->content : "");
		break;
	}
}

static void expected(const struct sh_writer *w, const struct op_expect *e)
{
	if (e->gone) {
		text_printf(w->out, "\tgone %s\n", sh_quote(w, e->dev));
		return;
	}
	text_printf(w->out, "\texpect %s %" PRIu64 " %" PRIu64 "\n", sh_quote(w, e->dev), e->start, e->size);
}

static void step(const struct sh_writer *w, const struct step *st)
{
	const char *what = text_safe(w->arena, st->what);

	text_addc(w->out, '\n');
	if (st->pos.file && st->pos.line)
		sh_comment(w, "\t",
			   arena_printf(w->arena, "%zu. %s (%s:%u)", st->number, what, st->pos.file,
					st->pos.line));
	else
		sh_comment(w, "\t", arena_printf(w->arena, "%zu. %s", st->number, what));
	if (st->why)
		sh_comment(w, "\t", arena_printf(w->arena, "   since %s", st->why));
	text_printf(w->out, "\tstep %zu %s\n", st->number, sh_quote(w, what));
	operation(w, &st->op);
	vec_each (const struct op_expect *, e, &st->op.expect)
		expected(w, e);
	vec_each (const struct op_expect *, e, &st->gives)
		expected(w, e);
}

void sh_work(const struct sh_writer *w)
{
	text_add(w->out, "work() {");
	vec_each (struct step *const *, st, &w->plan->steps)
		step(w, *st);
	text_add(w->out, "\n\tnow=\n"
			 "\tprintf '%s\\n' 'Done.'\n"
			 "}\n\n");
}
