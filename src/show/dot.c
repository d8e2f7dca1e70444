/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/units.h"
#include "layout/layout.h"
#include "plan/plan.h"
#include "show/look.h"
#include "show/show.h"
#include "tech/kind.h"

/* A text between the quotes of dot. A backslash begins an escape of dot's own there, and an ampersand an entity of HTML. */
static void add_quoted(struct arena *a, struct text *out, const char *s)
{
	for (s = text_safe(a, s); *s; s++) {
		if (*s == '"' || *s == '\\')
			text_addc(out, '\\');
		text_addc(out, *s);
		if (*s == '&')
			text_add(out, "amp;");
	}
}

static const char *style(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_NONE:
		return "style=\"rounded,dotted\"";
	case VERDICT_CREATE:
		return "style=\"rounded,filled\" fillcolor=\"#d5efd5\" color=\"#2e7d32\"";
	case VERDICT_KEEP:
		return "style=\"rounded,filled\" fillcolor=\"#eeeeee\" color=\"#616161\"";
	case VERDICT_LATER:
		return "style=\"rounded,dashed\"";
	case VERDICT_CANNOT:
		return "style=\"rounded,filled\" fillcolor=\"#f8d7d7\" color=\"#b71c1c\"";
	}
	return "";
}

/* The numbers of the steps about each object, struct text by the object's name. */
static struct map step_numbers(struct arena *a, const struct plan *p)
{
	struct map all = { .arena = a };

	vec_each (struct step *const *, st, &p->steps) {
		struct text *t = (*st)->node ? map_get(&all, (*st)->node->name) : NULL;

		if (!(*st)->node)
			continue;
		if (!t) {
			t = arena_of(a, struct text);
			t->arena = a;
			map_set(&all, (*st)->node->name, t);
		}
		text_printf(t, "%s%zu", t->len ? ", " : "", (*st)->number);
	}
	return all;
}

static void object(struct arena *a, struct text *out, const struct node *n, const struct text *steps)
{
	const char *describe = look_describe(a, n);

	text_add(out, "\t\"");
	add_quoted(a, out, n->name);
	text_add(out, "\" [label=\"");
	add_quoted(a, out, n->name);
	if (n->kind->device && n->dev && !text_eq(n->dev, n->name)) {
		text_add(out, "\\n");
		add_quoted(a, out, n->dev);
	}
	if (n->size && n->kind->device)
		text_printf(out, "\\n%s", units_exact(a, n->size));
	if (*describe) {
		text_add(out, "\\n");
		add_quoted(a, out, describe);
	}
	if (steps)
		text_printf(out, "\\nstep %s", text_str(steps));
	text_printf(out, "\" %s%s];\n", style(n->verdict),
		    look_is_disk(n)       ? " shape=cylinder"
		    : look_is_attached(n) ? " shape=note"
					  : "");
}

static void edges(struct arena *a, struct text *out, const struct node *n)
{
	vec_each (const struct edge *, e, &n->below) {
		text_add(out, "\t\"");
		add_quoted(a, out, n->name);
		text_add(out, "\" -> \"");
		add_quoted(a, out, e->to->name);
		text_printf(out, "\"%s;\n", e->claim || e->to == n->parent ? "" : " [style=dashed]");
	}
}

void show_dot(const struct plan *p, struct arena *a, const struct show_options *o, struct text *out)
{
	struct map steps = step_numbers(a, p);

	(void)o;
	text_add(out, "digraph \"");
	add_quoted(a, out, p->layout->name);
	text_add(out, "\" {\n"
		      "\tlabel=\"");
	add_quoted(a, out, p->layout->name);
	text_add(out, ": green is made, grey is there and kept, red can't be\";\n"
		      "\trankdir=TB;\n"
		      "\tnode [shape=box fontname=\"sans-serif\" fontsize=10];\n"
		      "\tedge [arrowhead=vee color=\"#616161\"];\n");
	vec_each (struct node *const *, n, &p->want->nodes)
		object(a, out, *n, map_get(&steps, (*n)->name));
	text_add(out, "\t{ rank=max;");
	vec_each (struct node *const *, n, &p->want->nodes)
		if (look_is_disk(*n)) {
			text_add(out, " \"");
			add_quoted(a, out, (*n)->name);
			text_add(out, "\";");
		}
	text_add(out, " }\n");
	vec_each (struct node *const *, n, &p->want->nodes)
		edges(a, out, *n);
	text_add(out, "}\n");
}
