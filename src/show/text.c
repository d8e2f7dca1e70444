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
#include "show/files.h"
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
	show_ends ends;
	bool stuck;
};

static const char *safe(const struct view *v, const char *s)
{
	return text_safe(v->arena, s);
}

static void heading(const struct view *v, const char *s)
{
	columns_heading(v->arena, v->o->color, s, v->out);
}

static void paragraph(const struct view *v, enum columns_style style, const char *s)
{
	text_printf(v->out, "  %s\n", columns_style(v->arena, v->o->color, style, s));
}

/* The same for what may be longer than a line. */
static void wrapped(const struct view *v, const char *s)
{
	struct columns c = { .arena = v->arena, .indent = "  " };

	vec_push(v->arena, &c.rows, (struct columns_row){ .tail = s });
	columns_print(&c, v->out);
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
	if (b->strays.n)
		add_word(t, "looks like a lost table");
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
		/* As it is now, whatever of it is given up. */
		const struct blockdev *was = b ? map_get(&v->plan->machine->by_name, b->name) : NULL;
		struct columns_row row = { 0 };

		if (!look_is_disk(*n))
			continue;
		row.cells[0] = safe(v, (*n)->name);
		if (b) {
			map_set(&ours, b->name, (void *)b);
			row.cells[1] = safe(v, b->path);
			row.cells[2] = units_exact(v->arena, b->size);
			row.cells[3] = identity(v, b);
			row.tail = content(v, was ? was : b);
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
	case VERDICT_LATER:
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
	case VERDICT_LATER:
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

static void add_clause(struct text *t, const char *s)
{
	text_printf(t, "%s%s", t->len ? "; " : "", s);
}

static const char *beside(const struct view *v, const struct node *n)
{
	struct text t = { .arena = v->arena };

	vec_each (struct node *const *, up, &n->above) {
		const char *s;
		bool is_new;

		if (!look_is_beside(*up) || (*up)->below.at[0].to != n)
			continue;
		s = look_describe(v->arena, *up);
		is_new = n->verdict == VERDICT_KEEP && (*up)->verdict == VERDICT_CREATE;
		/* That it is at the place by which it is called needs no word, unless it is all that is new. */
		if (is_new)
			s = arena_printf(v->arena, "%s%s%s (new)", (*up)->kind->name, *s ? ", " : "", s);
		if (*s)
			add_clause(&t, safe(v, s));
	}
	return text_str(&t);
}

/* @s without @part, which may be in it. */
static const char *without(struct arena *a, const char *s, const char *part)
{
	const char *found = strstr(s, part);

	return found ? arena_printf(a, "%.*s%s", (int)(found - s), s, found + strlen(part)) : s;
}

/* The kind's word, without what stands in columns already: a disk's own line is further up, sizes and a partition's place are before this. */
static const char *description(const struct view *v, const struct node *n, uint64_t start)
{
	const char *s = without(v->arena, look_describe(v->arena, n),
				arena_printf(v->arena, ", %s raw", units_text(v->arena, n->size)));
	const char *comma = strstr(s, ", ");
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
		add_clause(&t, start % MIB ? arena_printf(v->arena, "at %s", units_exact(v->arena, start))
					   : arena_printf(v->arena, "at %" PRIu64 " MiB", start / MIB));
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
	bool made = false, kept = false, cannot = false, later = false;
	struct text t = { .arena = v->arena };

	vec_each (struct node *const *, n, &v->plan->want->nodes) {
		made = made || (*n)->verdict == VERDICT_CREATE;
		kept = kept || (*n)->verdict == VERDICT_KEEP;
		cannot = cannot || (*n)->verdict == VERDICT_CANNOT;
		later = later || (*n)->verdict == VERDICT_LATER;
	}
	if (made)
		add_word(&t, "+ made");
	if (kept)
		add_word(&t, "= there, and kept");
	if (later)
		add_word(&t, "? not to be seen yet");
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

/* All of it on one disk that is a hardware RAID: what that bears is not seen from here. */
static bool is_on_card(const struct show_end *end)
{
	return end->disks.n == 1 && end->disks.at[0]->geo.declared;
}

static const char *lost(const struct view *v, const struct show_end *end)
{
	if (is_on_card(end))
		return arena_printf(v->arena, "as much as the hardware RAID '%s' bears: it is on that alone",
				    safe(v, end->disks.at[0]->name));
	return end->none && end->disks.n > 1
		       ? arena_printf(v->arena, "%s: the loss of one is the loss of all", end->text)
		       : end->text;
}

static void show_fail(const struct view *v)
{
	struct columns c = { .arena = v->arena, .color = v->o->color, .indent = "  " };
	bool marks = false;

	vec_each (const struct show_end *, end, &v->ends)
		marks = marks || (look_is_shown(end) && end->none && !is_on_card(end));
	vec_each (const struct show_end *, end, &v->ends) {
		struct columns_row row = { .style = end->any ? STYLE_GREEN : STYLE_YELLOW };

		if (!look_is_shown(end))
			continue;
		row.cells[0] = arena_printf(v->arena, "%s%s",
					    !marks                          ? ""
					    : end->none && !is_on_card(end) ? "!  "
									    : "   ",
					    safe(v, end->node->name));
		row.cells[1] = arena_printf(v->arena, "on %s", names(v->arena, &end->disks));
		row.tail = lost(v, end);
		vec_push(v->arena, &c.rows, row);
	}
	if (!c.rows.n)
		return;
	heading(v, "What may fail without loss");
	columns_print(&c, v->out);
}

/* In place of all that, where there is nothing to do: what stays, and what it bears. */
static void show_kept(const struct view *v)
{
	struct columns c = { .arena = v->arena, .color = v->o->color, .indent = "  ", .right = 1u << 2 };

	vec_each (const struct show_end *, end, &v->ends) {
		struct columns_row row = { .style = mark_style(end->node->verdict) };
		const char *describe = look_describe(v->arena, end->node), *with = beside(v, end->node);
		struct text t = { .arena = v->arena };

		if (!look_is_shown(end))
			continue;
		if (*describe)
			add_clause(&t, safe(v, describe));
		if (*with)
			add_clause(&t, with);
		add_clause(&t, arena_printf(v->arena, "may fail: %s", lost(v, end)));
		row.cells[0] = mark(end->node->verdict);
		row.cells[1] = safe(v, end->node->name);
		row.cells[2] = units_text(v->arena, end->node->size);
		row.cells[3] = arena_printf(v->arena, "on %s", names(v->arena, &end->disks));
		row.tail = text_str(&t);
		vec_push(v->arena, &c.rows, row);
	}
	if (!c.rows.n)
		return;
	heading(v, "What is there");
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

			text_printf(v->out, "%*s", n ? m + 2 : 0, "");
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

/* What is lost, by disk: the one thing that nobody may overlook. */
static void show_lost(const struct view *v)
{
	if (!v->plan->lost.n)
		return;
	heading(v, "What is lost");
	vec_each (const struct loss_disk *, disk, &v->plan->lost) {
		struct columns c = { .arena = v->arena, .color = v->o->color, .indent = "  " };
		const char *id = identity(v, disk->disk->block);

		text_printf(v->out, "  %s\n",
			    columns_style(v->arena, v->o->color, STYLE_RED,
					  arena_printf(v->arena, "on disk '%s' (%s, %s%s%s):",
						       safe(v, disk->name), safe(v, disk->disk->block->path),
						       units_text(v->arena, disk->disk->block->size),
						       *id ? ", " : "", id)));
		if (!disk->items.n)
			vec_push(v->arena, &c.rows,
				 (struct columns_row){ .tail = "  nothing that is known" });
		vec_each (const char *const *, item, &disk->items)
			vec_push(v->arena, &c.rows,
				 (struct columns_row){ .cells = { "-" }, .tail = safe(v, *item) });
		columns_print(&c, v->out);
	}
}

static void show_steps(const struct view *v)
{
	const step_list *steps = &v->plan->steps;
	size_t margin = strlen(arena_printf(v->arena, "%zu", steps->n));

	if (!steps->n)
		return;
	heading(v, arena_printf(v->arena, "Steps (%zu)", steps->n));
	vec_each (struct step *const *, st, steps) {
		struct columns c = { .arena = v->arena, .color = v->o->color, .indent = "  " };
		struct columns_row row = { .style = is_heavy(*st) ? STYLE_YELLOW : STYLE_PLAIN };

		row.cells[0] = arena_printf(v->arena, "%*zu", (int)margin, (*st)->number);
		row.tail = arena_printf(v->arena, "%s%s", safe(v, (*st)->what),
					is_heavy(*st) ? "  (takes long)" : "");
		vec_push(v->arena, &c.rows, row);
		columns_print(&c, v->out);
		vec_each (const char *const *, lost, &(*st)->loses)
			text_printf(v->out, "  %*s  %s %s\n", (int)margin, "",
				    columns_style(v->arena, v->o->color, STYLE_RED, "loses"), safe(v, *lost));
		if (v->o->verbose)
			step_details(v, *st, margin);
	}
}

/* How many there are of each kind: "6 btrfs, 1 ext4 and 1 swap". */
static const char *kinds(const struct view *v, const show_ends *ends)
{
	struct map seen = { .arena = v->arena };
	struct text t = { .arena = v->arena };
	text_list list = { 0 };

	vec_each (const struct show_end *, end, ends) {
		const char *name = end->node->kind->name;
		size_t n = 0;

		if (map_set(&seen, name, (void *)name))
			continue;
		vec_each (const struct show_end *, other, ends)
			n += other->node->kind == end->node->kind;
		vec_push(v->arena, &list, arena_printf(v->arena, "%zu %s", n, name));
	}
	for (size_t i = 0; i < list.n; i++)
		text_printf(&t, "%s%s", !i ? "" : i + 1 < list.n ? ", " : " and ", list.at[i]);
	return text_str(&t);
}

static const char *any_disks(const struct view *v, unsigned any)
{
	return any == 1 ? "any one disk" : arena_printf(v->arena, "any %u disks", any);
}

/* "any one disk may fail, but none under /scratch": the weakest apart from the others. "": not known. */
static const char *weakest(const struct view *v, const show_ends *ends)
{
	unsigned least = UINT32_MAX, next = UINT32_MAX;
	bool none = true;
	node_list weak = { 0 };

	vec_each (const struct show_end *, end, ends) {
		if (is_on_card(end))
			continue;
		if (end->at_least && !end->any)
			return "";
		least = end->any < least ? end->any : least;
	}
	vec_each (const struct show_end *, end, ends) {
		if (is_on_card(end))
			continue;
		if (end->any == least) {
			vec_push(v->arena, &weak, (struct node *)end->node);
			none = none && end->none;
		} else if (end->any < next) {
			next = end->any;
		}
	}
	if (least == UINT32_MAX)
		return "; what may fail is up to the hardware RAID";
	if (next == UINT32_MAX)
		return least  ? arena_printf(v->arena, "; %s may fail", any_disks(v, least))
		       : none ? "; no disk may fail"
			      : "; not every disk may fail";
	return arena_printf(v->arena, "; %s may fail, but %s under %s", any_disks(v, next),
			    least  ? arena_printf(v->arena, "only %s", any_disks(v, least))
			    : none ? "none"
				   : "not every one",
			    names(v->arena, &weak));
}

/* What it comes to: how many filesystems, how much room, and what the weakest of them bears. */
static void second_words(const struct view *v)
{
	struct text t = { .arena = v->arena };
	show_ends ends = { 0 };
	uint64_t sum = 0;

	vec_each (const struct show_end *, end, &v->ends) {
		if (end->node->kind->device)
			continue;
		vec_push(v->arena, &ends, *end);
		sum += end->node->usable ? end->node->usable : end->node->size;
	}
	if (!ends.n)
		return;
	text_add(&t, kinds(v, &ends));
	if (sum >= MIB)
		text_printf(&t, ", about %s%s", units_text(v->arena, sum / MIB * MIB),
			    ends.n > 1 ? " in all" : "");
	text_printf(&t, "%s.", weakest(v, &ends));
	wrapped(v, text_str(&t));
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
			  arena_printf(v->arena, "%zu step%s: %zu object%s made, %zu kept. %s%s.",
				       v->plan->steps.n, v->plan->steps.n == 1 ? "" : "s", made,
				       made == 1 ? " is" : "s are", kept,
				       v->plan->options.mount ? "Mounted below " : "Nothing is mounted",
				       v->plan->options.mount ? safe(v, v->plan->options.root) : ""));
	if (!v->stuck)
		second_words(v);
}

void show_text(const struct plan *p, struct arena *a, const struct show_options *o, struct text *out)
{
	struct view v = { .plan = p,
			  .arena = a,
			  .o = o,
			  .out = out,
			  .given = look_given(a, p),
			  .ends = show_survive(a, &p->want->nodes),
			  .stuck = look_is_stuck(p, o) };

	first_words(&v);
	if (!v.stuck && !p->steps.n && !o->verbose) {
		show_kept(&v);
		return;
	}
	show_there(&v);
	show_will(&v);
	if (!v.stuck)
		show_fail(&v);
	show_lost(&v);
	show_steps(&v);
	files_print(p, a, o->color, out);
}
