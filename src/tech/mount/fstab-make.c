/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "machine/machine.h"
#include "tech/mount/fstab-parse.h"
#include "tech/mount/fstab.h"
#include "tech/mount/sources.h"

enum {
	MOST_BYTES =
		4095, /* of a line, without its end: what getmntent(3) of glibc and busybox's buffers hold */
	WIDEST = 48,  /* a longer field gets no column of its own */
};

/* A line of the file, or one to come. */
struct row {
	struct fstab_line line;                       /* .all.at NULL: to come */
	const char *source, *target, *type, *options; /* decoded; NULL: no entry */
	const struct fstab_entry *entry;              /* the layout's, NULL: somebody else's */
	const char *field[FSTAB_FIELDS];              /* encoded, what changes */
	struct row *twin;                             /* a later line for the same mount point */
};

typedef VEC(struct row *) row_list;

struct making {
	struct arena *arena;
	struct diag *diag;
	const char *file;
	row_list rows; /* as in the file now */
	row_list *
		before; /* lines to come, by the index of the row that they stand before; .at[rows.n] at the end */
	struct map by_target; /* normal form of a mount point -> first row */
	const char *eol;
};

static const char *normal(struct arena *a, const char *path)
{
	struct text t = { .arena = a };

	if (*path != '/')
		return path;
	for (const char *p = path; *p; p++)
		if (*p != '/' || (p[1] != '/' && p[1]))
			text_addc(&t, *p);
	return t.len ? text_str(&t) : "/";
}

static bool is_swap(const struct row *r)
{
	return r->type && !strcmp(r->type, "swap");
}

static unsigned columns(const char *s, size_t len)
{
	unsigned n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)s[i] & 0xc0) != 0x80;
	return n;
}

static struct pos field_pos(const struct making *k, const struct row *r, enum fstab_field f)
{
	const struct fstab_line *l = &r->line;

	return (struct pos){ .file = k->file,
			     .line = l->number,
			     .col = columns(l->all.at, (size_t)(l->field[f].at - l->all.at)) + 1,
			     .width = columns(l->field[f].at, l->field[f].len) };
}

static void read_rows(struct making *k, const char *old)
{
	struct fstab_line line = { 0 };
	size_t pos = 0, len = old ? strlen(old) : 0;

	while (fstab_next(old, len, &pos, &line)) {
		struct row *r = arena_of(k->arena, struct row);

		r->line = line;
		if (!k->eol && line.end.len)
			k->eol = line.end.len == 2 ? "\r\n" : "\n";
		vec_push(k->arena, &k->rows, r);
		if (!line.entry)
			continue;
		r->source = fstab_decode(k->arena, line.field[FSTAB_SOURCE]);
		r->target = fstab_decode(k->arena, line.field[FSTAB_TARGET]);
		r->type = fstab_decode(k->arena, line.field[FSTAB_TYPE]);
		r->options = line.fields > FSTAB_OPTIONS ? fstab_decode(k->arena, line.field[FSTAB_OPTIONS])
							 : "defaults";
		if (*r->target == '/' && !is_swap(r)) {
			struct row *first = map_get(&k->by_target, normal(k->arena, r->target));

			if (!first) {
				map_set(&k->by_target, normal(k->arena, r->target), r);
				continue;
			}
			while (first->twin)
				first = first->twin;
			first->twin = r;
		}
	}
	if (!k->eol)
		k->eol = "\n";
}

typedef VEC(const struct fstab_entry *) entry_list;

struct sorting {
	struct arena *arena;
	struct map by_target, done;
	entry_list out;
};

static void emit(struct sorting *s, const char *target)
{
	struct fstab_entry *e = map_get(&s->by_target, target);

	if (e && !map_set(&s->done, target, e))
		vec_push(s->arena, &s->out, e);
}

/* Parents first, else as they come. */
static int sort_entries(const struct making *k, const fstab_entries *in, entry_list *ret)
{
	struct sorting s = { .arena = k->arena,
			     .by_target = { .arena = k->arena },
			     .done = { .arena = k->arena } };
	int r = 0;

	vec_each (struct fstab_entry *, e, in) {
		struct fstab_entry *other = e->target ? map_set(&s.by_target, normal(k->arena, e->target), e)
						      : NULL;

		if (!other)
			continue;
		r = diag_error(k->diag, e->pos, "'%s' and '%s' have one mount point, %s", other->name,
			       e->name, e->target);
		diag_note(k->diag, other->pos, "the other one is here");
	}
	vec_each (const struct fstab_entry *, e, in) {
		const char *path;

		if (!e->target) {
			vec_push(k->arena, &s.out, e);
			continue;
		}
		path = normal(k->arena, e->target);
		emit(&s, "/");
		for (size_t i = 1; path[0] && path[i - 1]; i++)
			if (path[i] == '/' || !path[i])
				emit(&s, arena_strndup(k->arena, path, i));
	}
	*ret = s.out;
	return r;
}

bool fstab_is_called(const struct fstab_entry *e, const char *source)
{
	if (fstab_same_source(e->source, source))
		return true;
	vec_each (const char *const *, name, &e->also)
		if (fstab_same_source(*name, source))
			return true;
	return false;
}

static int two_lines(const struct making *k, const struct fstab_entry *e, const struct row *first,
		     const struct row *second)
{
	int r = diag_error(k->diag, field_pos(k, second, FSTAB_SOURCE),
			   "lines %u and %u are both for %s; remove one of them", first->line.number,
			   second->line.number, e->target ? e->target : e->name);

	diag_note(k->diag, field_pos(k, first, FSTAB_SOURCE), "the other line is here");
	diag_note(k->diag, e->pos, "the layout states it once");
	return r;
}

/* The line that is the entry's. Return: 0 with *@ret, NULL where there is none, or -errno. */
static int find_row(const struct making *k, const struct fstab_entry *e, struct row **ret)
{
	struct row *found = NULL;

	*ret = NULL;
	if (e->target) {
		found = map_get(&k->by_target, normal(k->arena, e->target));
		if (found && found->twin)
			return two_lines(k, e, found, found->twin);
		if (found &&
		    (!source_is_device(found->source) || source_is_elsewhere(found->type, found->options))) {
			int r = diag_error(k->diag, field_pos(k, found, FSTAB_SOURCE),
					   "line %u mounts %s (%s) at %s, where the layout has '%s'; remove "
					   "the line, or choose another "
					   "mount point",
					   found->line.number, found->source, found->type, e->target,
					   e->name);

			diag_note(k->diag, e->pos, "the layout states it here");
			return r;
		}
		*ret = found;
		return 0;
	}
	vec_each (struct row *const *, r, &k->rows) {
		if (!is_swap(*r) || !fstab_is_called(e, (*r)->source))
			continue;
		if (found)
			return two_lines(k, e, found, *r);
		found = *r;
	}
	*ret = found;
	return 0;
}

static void warn_of_changes(const struct making *k, const struct machine *m, const struct row *r)
{
	const struct fstab_entry *e = r->entry;
	const struct blockdev *was = m ? source_device(k->arena, m, r->source) : NULL;

	if (was && !fstab_is_called(e, r->source) && !fstab_is_called(e, was->path)) {
		diag_warn(k->diag, field_pos(k, r, FSTAB_SOURCE),
			  "line %u has %s at %s%s%s; the layout has %s there, and the line follows it",
			  r->line.number, r->source, r->target,
			  text_eq(r->source, was->path) ? "" : ", which is ",
			  text_eq(r->source, was->path) ? "" : was->path, e->source);
		diag_note(k->diag, e->pos, "the layout states it here");
	}
	if (r->field[FSTAB_TYPE] && !r->field[FSTAB_OPTIONS] && strcmp(r->options, "defaults") != 0 &&
	    strcmp(r->type, "auto") != 0) {
		diag_warn(k->diag, field_pos(k, r, FSTAB_TYPE),
			  "the type at %s becomes %s where it was %s, and the options '%s' stay: see whether "
			  "they still fit",
			  e->target ? e->target : e->name, e->type, r->type, r->options);
		diag_note(k->diag, e->pos, "`options` in the layout would replace them");
	}
}

static void edit_row(const struct making *k, struct row *r, const struct fstab_entry *e)
{
	const char *options = e->over ? e->over(k->arena, e->fs, r->options) : e->options;
	const struct fstab_line *l = &r->line;

	r->entry = e;
	if (!fstab_same_source(r->source, e->source))
		r->field[FSTAB_SOURCE] = fstab_encode(k->arena, e->source);
	if (strcmp(r->type, e->type) != 0)
		r->field[FSTAB_TYPE] = fstab_encode(k->arena, e->type);
	if (strcmp(r->options, options) != 0)
		r->field[FSTAB_OPTIONS] = fstab_encode(k->arena, options);
	if (e->pass_stated) {
		const char *pass = arena_printf(k->arena, "%d", e->pass);
		bool there = l->fields > FSTAB_PASS;

		/* What isn't there counts as 0. */
		if (there ? strcmp(fstab_decode(k->arena, l->field[FSTAB_PASS]), pass) != 0 : e->pass != 0)
			r->field[FSTAB_PASS] = pass;
	}
}

/* Whether a line of the file must come after @dir is mounted: it is mounted below, or its source lies there (bind, swap file). */
static bool needs_mount(const struct row *r, const char *dir)
{
	if (!r->source)
		return false;
	return (!is_swap(r) && fstab_is_below(r->target, dir)) ||
	       (!source_is_device(r->source) &&
		(fstab_is_below(r->source, dir) || fstab_same_target(r->source, dir)));
}

static size_t place_for(const struct making *k, const struct fstab_entry *e)
{
	size_t at = 0, top;

	if (!e->target)
		return k->rows.n;
	while (at < k->rows.n && !needs_mount(k->rows.at[at], e->target))
		at++;
	if (at == k->rows.n)
		return at;
	/* A comment right above a line belongs to it, but for the one that the file begins with. */
	for (top = at; top && !k->rows.at[top - 1]->line.fields && k->rows.at[top - 1]->line.all.len; top--)
		;
	return top ? top : at;
}

/* A line that programs would cut: what they read then is another one. */
static int check_length(const struct making *k, const struct row *r)
{
	size_t bytes = r->line.all.len;
	bool changed = false;

	for (unsigned i = 0; i < FSTAB_FIELDS; i++)
		if (r->field[i]) {
			bytes += strlen(r->field[i]) + 1 - r->line.field[i].len;
			changed = true;
		}
	if (bytes <= MOST_BYTES || !changed)
		return 0;
	return diag_error(k->diag, r->entry->pos,
			  "the line of '%s' in %s would have %zu bytes, and programs read at most %d; "
			  "shorten `options` or `mount`",
			  r->entry->name, k->file, bytes, MOST_BYTES);
}

static int add_row(struct making *k, const struct fstab_entry *e)
{
	struct row *r = arena_of(k->arena, struct row);

	r->entry = e;
	r->field[FSTAB_SOURCE] = fstab_encode(k->arena, e->source);
	r->field[FSTAB_TARGET] = fstab_encode(k->arena, e->target ? e->target : "none");
	r->field[FSTAB_TYPE] = fstab_encode(k->arena, e->type);
	r->field[FSTAB_OPTIONS] = fstab_encode(k->arena, e->options);
	r->field[FSTAB_DUMP] = "0";
	r->field[FSTAB_PASS] = arena_printf(k->arena, "%d", e->pass);
	for (int i = 0; i < FSTAB_FIELDS; i++)
		if (!r->field[i])
			return diag_error(k->diag, e->pos, "'%s' has nothing to call it by in %s", e->name,
					  k->file);
	vec_push(k->arena, &k->before[place_for(k, e)], r);
	return check_length(k, r);
}

/* How the fields of a new line are set apart: each begins at its column, or one blank (or tab) behind the one before. */
struct shape {
	unsigned start[FSTAB_FIELDS];
	bool tabs;
};

static struct shape shape_of_row(const struct row *r)
{
	const struct fstab_line *l = &r->line;
	struct shape s = { .tabs = memchr(l->all.at, '\t', l->all.len) != NULL };

	for (unsigned i = 0; i < l->fields; i++)
		s.start[i] = columns(l->all.at, (size_t)(l->field[i].at - l->all.at));
	return s;
}

/* The columns of a file that has no lines yet. */
static struct shape shape_of_new(const row_list *rows)
{
	struct shape s = { 0 };

	for (int i = 1; i < FSTAB_DUMP + 1; i++) {
		unsigned widest = 0;

		vec_each (struct row *const *, r, rows) {
			unsigned width = columns((*r)->field[i - 1], strlen((*r)->field[i - 1]));

			if (width > widest && width <= WIDEST)
				widest = width;
		}
		s.start[i] = s.start[i - 1] + widest + 1;
	}
	return s;
}

static void put_new(struct text *out, const struct row *r, const struct shape *shape, const char *eol)
{
	unsigned column = 0;
	size_t bytes = 0;
	bool pad;

	for (int i = 0; i < FSTAB_FIELDS; i++)
		bytes += strlen(r->field[i]);
	/* A line has a limit, which blanks mustn't reach; there is nothing to line up with in so long a one. */
	pad = !shape->tabs && bytes < MOST_BYTES / 4;
	for (int i = 0; i < FSTAB_FIELDS; i++) {
		if (i) {
			text_addc(out, shape->tabs ? '\t' : ' ');
			column++;
			if (pad && shape->start[i] <= column + WIDEST)
				for (; column < shape->start[i]; column++)
					text_addc(out, ' ');
		}
		text_add(out, r->field[i]);
		column += columns(r->field[i], strlen(r->field[i]));
	}
	text_add(out, eol);
}

/* The lines to come that stand before row @at, in the manner of the entry before it, or of the next one. */
static void put_before(const struct making *k, struct text *out, size_t at)
{
	const struct row *like = NULL;
	struct shape shape;

	if (!k->before[at].n)
		return;
	for (size_t i = at; i && !like; i--)
		like = k->rows.at[i - 1]->line.entry ? k->rows.at[i - 1] : NULL;
	for (size_t i = at; i < k->rows.n && !like; i++)
		like = k->rows.at[i]->line.entry ? k->rows.at[i] : NULL;
	shape = like ? shape_of_row(like) : shape_of_new(&k->before[at]);
	if (out->len && out->s[out->len - 1] != '\n')
		text_add(out, k->eol);
	vec_each (struct row *const *, r, &k->before[at])
		put_new(out, *r, &shape, k->eol);
}

/* mount -a goes by the file's order; a line that stands before the one it is mounted below is hidden by it. */
static void warn_of_order(const struct making *k)
{
	vec_each (struct row *const *, r, &k->rows) {
		const char *path;

		if (!(*r)->entry || !(*r)->entry->target)
			continue;
		path = normal(k->arena, (*r)->target);
		for (size_t i = 0; path[i + 1]; i++) {
			const struct row *up = path[i] == '/'
						       ? map_get(&k->by_target,
								 i ? arena_strndup(k->arena, path, i) : "/")
						       : NULL;

			if (up && up->line.number > (*r)->line.number)
				diag_warn(k->diag, field_pos(k, *r, FSTAB_TARGET),
					  "line %u mounts %s, but %s comes only in line %u and would hide "
					  "it; move it up",
					  (*r)->line.number, (*r)->target, up->target, up->line.number);
		}
	}
}

/* Somebody else's lines stay, whatever they say. One that will fail at the next boot is worth a word. */
static void warn_of_absent(const struct making *k, const struct machine *m, const fstab_entries *entries)
{
	struct map ours = { .arena = k->arena };

	vec_each (struct fstab_entry *, e, entries) {
		map_set(&ours, e->source, e);
		vec_each (const char *const *, name, &e->also)
			map_set(&ours, *name, e);
	}
	vec_each (struct row *const *, r, &k->rows) {
		const char *source = (*r)->source;

		/* Partitions' own tags aren't looked for: a recording needn't have them. */
		if (!source || (*r)->entry || !source_is_device(source) || text_starts(source, "PART") ||
		    text_starts(source, "ID=") || source_is_elsewhere((*r)->type, (*r)->options))
			continue;
		if (fstab_has_option((*r)->options, "noauto") || fstab_has_option((*r)->options, "nofail") ||
		    map_get(&ours, source) || source_device(k->arena, m, source))
			continue;
		diag_warn(k->diag, field_pos(k, *r, FSTAB_SOURCE),
			  "there is no %s on this machine; the line for %s stays as it is", source,
			  is_swap(*r) ? "swap" : (*r)->target);
	}
}

static const char *write_text(const struct making *k, bool fresh)
{
	struct text out = { .arena = k->arena };

	if (fresh)
		text_add(&out,
			 "# /etc/fstab: what is mounted where; fstab(5). Lines of other hands are kept.\n"
			 "# <device> <mount point> <type> <options> <dump> <pass>\n");
	for (size_t i = 0; i < k->rows.n; i++) {
		put_before(k, &out, i);
		fstab_put(&out, &k->rows.at[i]->line, k->rows.at[i]->field);
	}
	put_before(k, &out, k->rows.n);
	return text_str(&out);
}

/* An entry in the line that is there for it, or in one of its own. */
static int place(struct making *k, const struct machine *m, const struct fstab_entry *e)
{
	struct row *row;

	if (find_row(k, e, &row) < 0)
		return -EINVAL;
	if (!row)
		return add_row(k, e);
	if (row->entry)
		return diag_error(k->diag, e->pos, "'%s' and '%s' would share line %u of %s",
				  row->entry->name, e->name, row->line.number, k->file);
	edit_row(k, row, e);
	warn_of_changes(k, m, row);
	return check_length(k, row);
}

int fstab_make(struct arena *a, const struct machine *m, const char *file, const char *old,
	       const fstab_entries *entries, struct diag *d, const char **ret)
{
	struct making k = { .arena = a, .diag = d, .file = file, .by_target = { .arena = a } };
	entry_list sorted;
	const char *text;
	int r;

	if (old)
		diag_source_add(d, file, old, strlen(old));
	read_rows(&k, old);
	k.before = arena_alloc(a, (k.rows.n + 1) * sizeof(*k.before));
	r = sort_entries(&k, entries, &sorted);
	vec_each (const struct fstab_entry **, e, &sorted)
		if (place(&k, m, *e) < 0)
			r = -EINVAL;
	if (r < 0)
		return r;
	warn_of_order(&k);
	if (m)
		warn_of_absent(&k, m, entries);
	text = write_text(&k, (!old || !*old) && entries->n);
	*ret = old && !strcmp(old, text) ? old : text;
	return 0;
}

/* Most lines are told apart without a copy. */
static bool is_for(struct arena *a, struct fstab_bytes field, const char *target)
{
	size_t len = strlen(target);

	if (!memchr(field.at, '\\', field.len) && (field.len < len || memcmp(field.at, target, len) != 0))
		return false;
	return fstab_same_target(fstab_decode(a, field), target);
}

const char *fstab_options_there(struct arena *a, const char *text, const char *target)
{
	struct fstab_line line = { 0 };
	size_t pos = 0, len = strlen(text);

	while (fstab_next(text, len, &pos, &line))
		if (line.entry && is_for(a, line.field[FSTAB_TARGET], target))
			return line.fields > FSTAB_OPTIONS ? fstab_decode(a, line.field[FSTAB_OPTIONS])
							   : "defaults";
	return NULL;
}
