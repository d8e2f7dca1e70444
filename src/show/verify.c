/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/verify.h"

#include "base/arena.h"
#include "base/text.h"
#include "layout/layout.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "show/show.h"

/* Without a line it is about the machine, or the layout as a whole. */
static const char *where(struct arena *a, const struct verified *v, const struct difference *d)
{
	const char *file = text_safe(a, d->pos.file ? d->pos.file : v->plan->layout->file);

	return d->pos.line ? arena_printf(a, "%s:%u:%u", file, d->pos.line, d->pos.col) : file;
}

void show_verify_text(const struct verified *v, struct arena *a, struct text *out)
{
	vec_each (const struct difference *, d, &v->differences)
		text_printf(out, "%s: %s: %s%s%s\n", where(a, v, d), verify_class(d->class),
			    d->node ? text_safe(a, d->node->name) : "", d->node ? ": " : "",
			    text_safe(a, d->text));
	if (!v->differences.n)
		text_printf(out, "%s: as asked%s\n", text_safe(a, v->plan->layout->file),
			    v->plan->machine->root ? "" : ", as far as can be seen without being root");
}

static const char *or_null(struct arena *a, const char *s)
{
	return s ? text_quote_json(a, s) : "null";
}

static void show_difference(const struct difference *d, struct arena *a, struct text *out)
{
	text_printf(out,
		    "    {\n      \"class\": \"%s\",\n      \"object\": %s,\n      \"kind\": %s,\n      "
		    "\"key\": %s,\n",
		    verify_class(d->class), or_null(a, d->node ? d->node->name : NULL),
		    or_null(a, d->node ? d->node->kind->name : NULL), or_null(a, d->key));
	text_printf(out, "      \"file\": %s,\n", or_null(a, d->pos.file));
	if (d->pos.line)
		text_printf(out, "      \"line\": %u,\n      \"column\": %u,\n", d->pos.line, d->pos.col);
	else
		text_add(out, "      \"line\": null,\n      \"column\": null,\n");
	text_printf(out, "      \"text\": %s\n    }", text_quote_json(a, d->text));
}

void show_verify_json(const struct verified *v, struct arena *a, struct text *out)
{
	const struct plan *p = v->plan;
	bool first = true;

	text_printf(out, "{\n  \"stowage-verify\": 1,\n  \"layout\": %s,\n  \"file\": %s,\n  \"root\": %s,\n",
		    text_quote_json(a, p->layout->name ? p->layout->name : ""),
		    text_quote_json(a, p->layout->file), text_quote_json(a, p->options.root));
	text_printf(out,
		    "  \"machine\": %s,\n  \"seen-by-root\": %s,\n  \"as-asked\": %s,\n  \"counts\": {\n",
		    or_null(a, p->machine->live ? NULL : p->machine->source),
		    p->machine->root ? "true" : "false", v->differences.n ? "false" : "true");
	for (unsigned rank = 0; rank < VERIFY_CLASSES; rank++)
		for (int class = 0; class < VERIFY_CLASSES; class ++)
			if (verify_rank((enum why_class) class) == rank)
				text_printf(out, "    \"%s\": %zu%s\n", verify_class((enum why_class) class),
					    verify_count(v, (enum why_class) class),
					    rank + 1 < VERIFY_CLASSES ? "," : "");
	text_add(out, "  },\n  \"differences\": [");
	vec_each (const struct difference *, d, &v->differences) {
		text_add(out, first ? "\n" : ",\n");
		show_difference(d, a, out);
		first = false;
	}
	text_add(out, first ? "]\n}\n" : "\n  ]\n}\n");
}
