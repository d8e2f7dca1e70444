/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"
#include "base/units.h"
#include "layout/layout.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "show/columns.h"
#include "show/look.h"
#include "show/show.h"
#include "tech/kind.h"

/*
 * For a person who has ten seconds: what is there, what will be, what may fail, what is done. The mark in front says what becomes of each
 * object, so that the eye finds what is new.
 */

enum {
	DEEPEST = 12,   /* levels drawn as a tree; what is deeper gets a tree of its own */
	MOST_NAMES = 6, /* in a list within a line */
	MOST_OTHERS = 12,
};

struct view {
	const struct plan *plan;
	struct arena *arena;
	const struct show_options *o;
	struct text *out;
	struct map given; /* look_given() */
	bool stuck;
};

static const char *safe(const struct view *v, const char *s)
{
	return text_safe(v->arena, s);
}

static void heading(const struct view *v, const char *s)
{
	text_printf(v->out, "%s%s\n", v->out->len ? "\n" : "",
		    columns_style(v->arena, v->o->color, STYLE_BOLD, s));
}

static void paragraph(const struct view *v, enum columns_style style, const char *s)
{
	text_printf(v->out, "  %s\n", columns_style(v->arena, v->o->color, style, s));
}

/* "a, b and 3 more" */
static const char *names(struct arena *a, const node_list *list)
{
	struct text t = { .arena = a };
	size_t shown = list->n > MOST_NAMES ? MOST_NAMES - 1 : list->n;

	for (size_t i = 0; i < shown; i++)
		text_printf(&t, "%s%s", i ? ", " : "", text_safe(a, list->at[i]->name));
	if (shown < list->n)
		text_printf(&t, " and %zu more", list->n - shown);
	return text_str(&t);
}

/* What is there. */

static void add_word(struct text *t, const char *s)
{
	text_printf(t, "%s%s", t->len ? ", " : "", s);
}

static void add_use(const struct view *v, const struct blockdev *b, struct text *t)
{
	const struct machine *m = v->plan->machine;
	text_list mounts = machine_mounts_of(m, v->arena, b);

	vec_each (const char *const *, target, &mounts)
		add_word(t, arena_printf(v->arena, "mounted on %s", safe(v, *target)));
	if (machine_is_swap(m, b))
		add_word(t, "in use as swap");
}

static void add_signatures(const struct view *v, const struct blockdev *b, struct text *t)
{
	vec_each (const struct signature *, sig, &b->signatures)
		add_word(t, sig->label ? arena_printf(v->arena, "%s '%s'", safe(v, sig->type),
						      safe(v, sig->label))
				       : safe(v, sig->type));
}

/* "gpt with 4 partitions: vfat 'EFI' mounted on /boot/efi; ext4 mounted on /" */
static const char *content(const struct view *v, const struct blockdev *disk)
{
	const struct machine *m = v->plan->machine;
	struct text t = { .arena = v->arena }, parts = { .arena = v->arena };
	size_t count = 0, shown = 0;

	if (disk->error)
		return arena_printf(v->arena, "could not be read: %s", safe(v, disk->error));
	add_signatures(v, disk, &t);
	add_use(v, disk, &t);
	vec_each (struct blockdev *const *, b, &m->devs) {
		struct text part = { .arena = v->arena };

		if (!text_eq((*b)->parent, disk->name) || text_eq((*b)->name, disk->name))
			continue;
		count++;
		add_signatures(v, *b, &part);
		add_use(v, *b, &part);
		if (part.len && shown++ < MOST_NAMES)
			text_printf(&parts, "%s%s", parts.len ? "; " : "", text_str(&part));
	}
	if (count)
		text_printf(&t, "%s%zu partition%s%s%s", t.len ? " with " : "", count, count == 1 ? "" : "s",
			    parts.len ? ": " : "", text_str(&parts));
	if (shown > MOST_NAMES)
		text_printf(&t, " and %zu more", shown - MOST_NAMES);
	if (!t.len && disk->holders.n)
		text_printf(&t, "in use by %s", safe(v, text_join(v->arena, &disk->holders, ", ")));
	if (!t.len)
		return disk->looked ? "blank" : "blank as far as udev knows";
	return text_str(&t);
}

static const char *identity(const struct view *v, const struct blockdev *b)
{
	struct text t = { .arena = v->arena };

	if (b->model)
		add_word(&t, safe(v, b->model));
	if (b->serial)
		add_word(&t, arena_printf(v->arena, "serial %s", safe(v, b->serial)));
	else if (b->wwn)
		add_word(&t, arena_printf(v->arena, "WWN %s", safe(v, b->wwn)));
	return text_str(&t);
}

static void others(const struct view *v, const struct map *ours)
{
	struct text t = { .arena = v->arena };
	size_t n = 0;

	vec_each (struct blockdev *const *, b, &v->plan->machine->devs) {
		if (!text_eq((*b)->type, "disk") || map_get(ours, (*b)->name))
			continue;
		if (n++ < MOST_OTHERS)
			text_printf(&t, "%s%s (%s, %s)", t.len ? ", " : "", safe(v, (*b)->path),
				    units_text(v->arena, (*b)->size), content(v, *b));
	}
	if (n > MOST_OTHERS)
		text_printf(&t, " and %zu more", n - MOST_OTHERS);
	if (n) {
		struct columns c = { .arena = v->arena, .indent = "  " };

		vec_push(v->arena, &c.rows,
			 (struct columns_row){ .cells = { "Left alone:" }, .tail = text_str(&t) });
		columns_print(&c, v->out);
	}
}

static void show_there(const struct view *v)
{
	struct columns c = { .arena = v->arena, .color = v->o->color, .indent = "  " };
	struct map ours = { .arena = v->arena };

	heading(v, v->plan->machine->live
			   ? "What is there"
			   : arena_printf(v->arena, "What is there (%s)", safe(v, v->plan->machine->source)));
	vec_each (struct node *const *, n, &v->plan->want->nodes) {
		const struct blockdev *b = (*n)->have ? (*n)->have->block : NULL;
		struct columns_row row = { 0 };

		if (!look_is_disk(*n))
			continue;
		row.cells[0] = safe(v, (*n)->name);
		if (b) {
			map_set(&ours, b->name, (void *)b);
			row.cells[1] = safe(v, b->path);
			row.cells[2] = units_exact(v->arena, b->size);
			row.cells[3] = identity(v, b);
			row.tail = content(v, b);
		} else {
			row.tail = "not there";
			row.style = STYLE_RED;
		}
		vec_push(v->arena, &c.rows, row);
	}
	columns_print(&c, v->out);
	others(v, &ours);
}

/* What will be. */

static const char *mark(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_CREATE:
		return "+";
	case VERDICT_KEEP:
		return "=";
	case VERDICT_CANNOT:
		return "!";
	case VERDICT_NONE:
		return "?";
	}
	return "?";
}

static enum columns_style mark_style(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_CREATE:
		return STYLE_GREEN;
	case VERDICT_KEEP:
		return STYLE_DIM;
	case VERDICT_CANNOT:
		return STYLE_RED;
	case VERDICT_NONE:
		return STYLE_PLAIN;
	}
	return STYLE_PLAIN;
}

/* A container that has a disk to itself (its table) is told in the disk's line: its parts are the disk's branches. */
static const struct node *inlined(const struct node *n)
{
	const struct node *only = n->above.n == 1 ? n->above.at[0] : NULL;

	return look_is_disk(n) && only && !only->dev && !only->kind->device && !look_is_attached(only) &&
			       look_home(only) == n
		       ? only
		       : NULL;
}

/* What a person calls the thing that @n lies on: a PV is called by its device. */
static const struct node *called(const struct node *n)
{
	while (!n->kind->device && n->below.n == 1 && n->below.at[0].claim)
		n = n->below.at[0].to;
	return n;
}

/* Everything beside its place in the tree that it lies on. */
static const char *lies_on(struct arena *a, const struct node *n)
{
	const struct node *home = look_home(n);
	node_list list = { 0 };

	vec_each (const struct edge *, e, &n->below)
		if (e->to != home)
			vec_push(a, &list, (struct node *)called(e->to));
	return names(a, &list);
}

/* Who uses it from another place of the tree. Parts of a container that is named already aren't. */
static const char *used_by(struct arena *a, const struct node *n)
{
	node_list list = { 0 };

	vec_each (struct node *const *, up, &n->above) {
		bool named = false;

		if (look_home(*up) == n || look_is_attached(*up))
			continue;
		vec_each (struct node *const *, other, &n->above)
			named = named || (*up)->parent == *other;
		if (!named)
			vec_push(a, &list, *up);
	}
	return names(a, &list);
}

static const char *beside(const struct view *v, const struct node *n)
{
	struct text t = { .arena = v->arena };

	vec_each (struct node *const *, up, &n->above) {
		const char *s;

		if (!look_is_beside(*up) || (*up)->below.at[0].to != n)
			continue;
		s = look_describe(v->arena, *up);
		text_printf(&t, "%s%s%s", t.len ? "; " : "", safe(v, *s ? s : (*up)->name),
			    n->verdict == VERDICT_KEEP && (*up)->verdict == VERDICT_CREATE ? " (new)" : "");
	}
	return text_str(&t);
}

static void add_clause(struct text *t, const char *s)
{
	text_printf(t, "%s%s", t->len ? "; " : "", s);
}

/* The kind's word, without what stands in columns already: a disk's own line is further up, a partition's place is before this. */
static const char *description(const struct view *v, const struct node *n, uint64_t start)
{
	const char *s = look_describe(v->arena, n), *comma = strstr(s, ", ");
	const char *place = arena_printf(v->arena, " at %s", units_text(v->arena, start)),
		   *found = strstr(s, place);

	if (look_is_disk(n))
		return "";
	if (!start || !found || (comma && comma < found))
		return s;
	return comma ? comma + 2 : "";
}

static bool shows_size(const struct node *n)
{
	return n->size && (n->kind->device || n->dev || n->above.n);
}

static bool is_exact(struct arena *a, uint64_t size)
{
	return !strcmp(units_text(a, size), units_exact(a, size));
}

static const char *details(const struct view *v, const struct node *n)
{
	struct text t = { .arena = v->arena };
	const struct node *in = inlined(n);
	uint64_t start = look_start(&v->given, n);
	const char *describe = description(v, n, start), *on = lies_on(v->arena, n),
		   *by = used_by(v->arena, in ? in : n), *at = beside(v, n);

	if (shows_size(n) && !is_exact(v->arena, n->size))
		add_clause(&t, arena_printf(v->arena, "%" PRIu64 " bytes", n->size));
	if (start)
		add_clause(&t, arena_printf(v->arena, "at %s", units_exact(v->arena, start)));
	if (*describe)
		add_clause(&t, safe(v, describe));
	if (in && *look_describe(v->arena, in))
		add_clause(&t, arena_printf(v->arena, "%s%s", safe(v, look_describe(v->arena, in)),
					    in->verdict == VERDICT_CREATE ? " (new)" : ""));
	if (*on)
		add_clause(&t, arena_printf(v->arena, "on %s", on));
	if (*at)
		add_clause(&t, at);
	if (*by)
		text_printf(&t, "%s→ %s", t.len ? " " : "", by);
	return text_str(&t);
}

/* A place in a tree that is being drawn. */
struct branch {
	const struct node *node;
	const char *before; /* bars of the levels above */
	bool last;
	unsigned depth; /* 0: a root */
};

typedef VEC(struct branch) branch_list;

struct tree {
	const struct view *view;
	struct columns columns;
	branch_list todo;   /* a stack */
	branch_list deeper; /* roots to come */
};

static const char *after(struct arena *a, const struct branch *b)
{
	return b->depth ? arena_printf(a, "%s%s", b->before, b->last ? "   " : "│  ") : "";
}

static void branch_row(struct tree *t, const struct branch *b, bool has_branches)
{
	const struct view *v = t->view;
	const struct node *n = b->node;
	struct columns_row row = { .style = mark_style(n->verdict), .tail = details(v, n) };

	row.cells[0] = mark(n->verdict);
	row.cells[1] = arena_printf(v->arena, "%s%s%s", b->before,
				    !b->depth ? ""
				    : b->last ? "└─ "
					      : "├─ ",
				    safe(v, n->name));
	row.cells[2] = n->kind->device && n->dev ? safe(v, n->dev) : "";
	row.cells[3] = shows_size(n) ? units_text(v->arena, n->size) : "";
	row.under = arena_printf(v->arena, "   %s%s", after(v->arena, b), has_branches ? "│" : " ");
	vec_push(v->arena, &t->columns.rows, row);
}

static void draw(struct tree *t, struct branch root)
{
	struct arena *a = t->view->arena;

	vec_push(a, &t->todo, root);
	while (t->todo.n) {
		struct branch b = t->todo.at[--t->todo.n];
		const struct node *in = inlined(b.node), *top = in ? in : b.node;
		size_t first = t->todo.n;

		/* The last branch goes onto the stack first. */
		for (size_t i = top->above.n; i--;) {
			struct branch up = { .node = top->above.at[i], .depth = b.depth + 1 };

			if (look_home(up.node) != top || look_is_attached(up.node))
				continue;
			if (up.depth > DEEPEST) {
				up.depth = 0;
				up.before = "";
				vec_push(a, &t->deeper, up);
				continue;
			}
			up.before = after(a, &b);
			up.last = t->todo.n == first;
			vec_push(a, &t->todo, up);
		}
		branch_row(t, &b, t->todo.n > first);
	}
}

static void legend(const struct view *v)
{
	bool made = false, kept = false, cannot = false;
	struct text t = { .arena = v->arena };

	vec_each (struct node *const *, n, &v->plan->want->nodes) {
		made = made || (*n)->verdict == VERDICT_CREATE;
		kept = kept || (*n)->verdict == VERDICT_KEEP;
		cannot = cannot || (*n)->verdict == VERDICT_CANNOT;
	}
	if (made)
		add_word(&t, "+ made");
	if (kept)
		add_word(&t, "= there, and kept");
	if (cannot)
		add_word(&t, "! in the way, see the messages");
	heading(v, arena_printf(v->arena, "What will be  (%s)", text_str(&t)));
}

static void show_will(const struct view *v)
{
	struct tree t = {
		.view = v,
		.columns = { .arena = v->arena, .color = v->o->color, .indent = "  ", .right = 1u << 3 }
	};

	legend(v);
	vec_each (struct node *const *, n, &v->plan->want->nodes)
		if (!look_home(*n) && !look_is_attached(*n))
			draw(&t, (struct branch){ .node = *n, .before = "" });
	for (size_t i = 0; i < t.deeper.n; i++)
		draw(&t, t.deeper.at[i]);
	columns_print(&t.columns, v->out);
}

/* What may fail. */

static void show_fail(const struct view *v)
{
	show_ends ends = show_survive(v->arena, &v->plan->want->nodes);
	struct columns c = { .arena = v->arena, .color = v->o->color, .indent = "  " };

	vec_each (const struct show_end *, end, &ends) {
		struct columns_row row = { .style = end->any ? STYLE_GREEN : STYLE_YELLOW };

		/* A partition or volume of one disk that nobody uses: there is nothing to say about it. */
		if (end->node->kind->device && end->disks.n < 2)
			continue;

		row.cells[0] = safe(v, end->node->name);
		row.cells[1] = arena_printf(v->arena, "on %s", names(v->arena, &end->disks));
		row.tail = end->text;
		vec_push(v->arena, &c.rows, row);
	}
	if (!c.rows.n)
		return;
	heading(v, "What may fail without loss");
	columns_print(&c, v->out);
}

/* The steps. */

/* What takes minutes or more: time that a person should know of before saying yes. */
static bool is_heavy(const struct step *st)
{
	uint64_t zeroes = 0;

	vec_each (const struct op_range *, r, &st->op.ranges)
		zeroes += r->size;
	return st->timeout_s > 3600 || zeroes > 4 * GIB;
}

static const char *needs(const struct view *v, const struct step *st)
{
	struct text t = { .arena = v->arena };

	vec_each (struct step *const *, need, &st->needs)
		add_word(&t, arena_printf(v->arena, "%zu", (*need)->number));
	return text_str(&t);
}

static void step_details(const struct view *v, const struct step *st, size_t margin)
{
	int m = (int)margin + 4;

	text_printf(
		v->out, "%*s%s\n", m, "",
		columns_style(v->arena, v->o->color, STYLE_DIM, safe(v, show_command(v->arena, &st->op))));
	if (st->op.form == OP_TABLE)
		for (const char *p = st->op.script; *p;) {
			size_t n = strcspn(p, "\n");

			text_printf(v->out, "%*s  ", m, "");
			text_add_safe(v->out, p, n);
			text_addc(v->out, '\n');
			p += n + (p[n] == '\n');
		}
	vec_each (const struct op_expect *, e, &st->op.expect)
		text_printf(v->out, "%*s  %s: start %" PRIu64 ", size %" PRIu64 "\n", m, "", safe(v, e->dev),
			    e->start, e->size);
	if (st->why)
		text_printf(v->out, "%*ssince %s\n", m, "", safe(v, st->why));
	if (st->pos.file && st->pos.line)
		text_printf(v->out, "%*sasked for in %s:%u\n", m, "", safe(v, st->pos.file), st->pos.line);
	if (st->needs.n)
		text_printf(v->out, "%*safter %s\n", m, "", needs(v, st));
}

static void show_steps(const struct view *v)
{
	const step_list *steps = &v->plan->steps;
	size_t margin = strlen(arena_printf(v->arena, "%zu", steps->n));

	if (!steps->n)
		return;
	heading(v, arena_printf(v->arena, "Steps (%zu)", steps->n));
	vec_each (struct step *const *, st, steps) {
		text_printf(v->out, "  %*zu  %s%s\n", (int)margin, (*st)->number, safe(v, (*st)->what),
			    is_heavy(*st)
				    ? columns_style(v->arena, v->o->color, STYLE_YELLOW, "  (takes long)")
				    : "");
		vec_each (const char *const *, lost, &(*st)->loses)
			text_printf(v->out, "  %*s  %s %s\n", (int)margin, "",
				    columns_style(v->arena, v->o->color, STYLE_RED, "loses"), safe(v, *lost));
		if (v->o->verbose)
			step_details(v, *st, margin);
	}
}

/* The files. */

/* The lines of a text, to be found again: each with the number of times that it is there. */
static struct map lines_of(struct arena *a, const char *s)
{
	struct map lines = { .arena = a };

	while (s && *s) {
		size_t n = strcspn(s, "\n");

		map_set(&lines, arena_strndup(a, s, n), (void *)s);
		s += n + (s[n] == '\n');
	}
	return lines;
}

static void add_line(const struct view *v, const char *sign, enum columns_style style, const char *s,
		     size_t n)
{
	struct text t = { .arena = v->arena };

	/* Tabs are what fstab is full of. */
	for (size_t i = 0, column = 0; i < n;) {
		size_t k = 0;

		if (s[i] == '\t') {
			do
				text_addc(&t, ' ');
			while (++column % 8);
			i++;
			continue;
		}
		while (i + k < n && s[i + k] != '\t') {
			column += ((unsigned char)s[i + k] & 0xC0) != 0x80;
			k++;
		}
		text_add_safe(&t, s + i, k);
		i += k;
	}
	text_printf(v->out, "  %s\n",
		    columns_style(v->arena, v->o->color, style,
				  arena_printf(v->arena, "%s %s", sign, text_str(&t))));
}

static void show_file(const struct view *v, const struct op *op)
{
	const char *there = machine_file(v->plan->machine, op->path);
	const char *old = there ? machine_mask(v->arena, op->path, there) : NULL;
	const char *s = machine_mask(v->arena, op->path, op->content ? op->content : "");
	struct map before = lines_of(v->arena, old), now = lines_of(v->arena, s);

	heading(v, arena_printf(v->arena, "%s%s", safe(v, op->path),
				old ? "  (+ new lines, - lines that go)" : "  (new)"));
	while (*s) {
		size_t n = strcspn(s, "\n");
		bool is_new = old && !map_get(&before, arena_strndup(v->arena, s, n));

		add_line(v, is_new ? "+" : " ", is_new ? STYLE_GREEN : STYLE_PLAIN, s, n);
		s += n + (s[n] == '\n');
	}
	map_each (it, &before)
		if (!map_get(&now, it->key))
			add_line(v, "-", STYLE_RED, it->key, strlen(it->key));
}

static void show_files(const struct view *v)
{
	vec_each (struct step *const *, st, &v->plan->steps)
		if ((*st)->op.form == OP_FILE)
			show_file(v, &(*st)->op);
}

static void first_words(const struct view *v)
{
	const struct layout *l = v->plan->layout;
	size_t made = 0, kept = 0;

	vec_each (struct node *const *, n, &v->plan->want->nodes) {
		made += (*n)->verdict == VERDICT_CREATE && !look_is_attached(*n);
		kept += (*n)->verdict == VERDICT_KEEP && !look_is_attached(*n) && !look_is_disk(*n);
	}
	heading(v, arena_printf(v->arena, "Layout '%s' (%s)", safe(v, l->name), safe(v, l->file)));
	if (v->stuck)
		paragraph(v, STYLE_RED, "There is no plan: what is in the way is told in the messages.");
	else if (!v->plan->steps.n)
		paragraph(v, STYLE_GREEN, "Nothing to do: everything is as the layout asks.");
	else
		paragraph(v, STYLE_PLAIN,
			  arena_printf(v->arena, "%zu step%s: %zu object%s made, %zu kept. Mounted below %s.",
				       v->plan->steps.n, v->plan->steps.n == 1 ? "" : "s", made,
				       made == 1 ? " is" : "s are", kept, safe(v, v->plan->options.root)));
}

void show_text(const struct plan *p, struct arena *a, const struct show_options *o, struct text *out)
{
	struct view v = { .plan = p,
			  .arena = a,
			  .o = o,
			  .out = out,
			  .given = look_given(a, p),
			  .stuck = look_is_stuck(p, o) };

	first_words(&v);
	show_there(&v);
	show_will(&v);
	if (!v.stuck)
		show_fail(&v);
	show_steps(&v);
	show_files(&v);
}
