/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tech/mount/fstab.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "machine/machine.h"
#include "plan/settle.h"
#include "tech/fs.h"
#include "tech/mount/fstab-parse.h"
#include "tech/mount/sources.h"

static const char path[] = "/etc/fstab";

/* A line of the file that mount(8) reads, decoded. */
struct entry_line {
	unsigned number;
	const char *source, *target, *type, *options;
	long pass;
	const struct fstab_entry *entry; /* the layout's, NULL: somebody else's */
};

typedef VEC(struct entry_line) entry_lines;

struct health {
	const struct settle *s;
	struct why *why;
	const char *file;
	entry_lines lines;
};

static bool is_swap(const struct entry_line *l)
{
	return !strcmp(l->type, "swap");
}

static void read_lines(struct health *h, const char *text)
{
	struct arena *a = h->s->arena;
	struct fstab_line line = { 0 };
	size_t pos = 0;

	while (fstab_next(text, strlen(text), &pos, &line)) {
		struct entry_line l = { .number = line.number };

		if (!line.entry)
			continue;
		l.source = fstab_decode(a, line.field[FSTAB_SOURCE]);
		l.target = fstab_decode(a, line.field[FSTAB_TARGET]);
		l.type = fstab_decode(a, line.field[FSTAB_TYPE]);
		l.options = line.fields > FSTAB_OPTIONS ? fstab_decode(a, line.field[FSTAB_OPTIONS])
							: "defaults";
		if (line.fields > FSTAB_PASS)
			/* What is no number is 0 to mount, too. */
			l.pass = strtol(fstab_decode(a, line.field[FSTAB_PASS]), NULL, 10);
		vec_push(a, &h->lines, l);
	}
}

static bool is_for(const struct entry_line *l, const struct fstab_entry *e)
{
	if (!e->target)
		return is_swap(l) && fstab_is_called(e, l->source);
	return !is_swap(l) && l->target[0] == '/' && fstab_same_target(l->target, e->target);
}

static void tell_at(struct health *h, const struct fstab_entry *e, const char *key, enum why_class class)
{
	why_at(h->why, item_pos(&e->fs->item->item, key));
	why_is(h->why, class);
}

/* sda, nvme0n1p1, md127: which device gets which is dealt out anew at each boot. */
static bool is_kernels(const struct blockdev *b, const char *source)
{
	return text_eq(b->path, source) && !text_starts(source, "/dev/dm-") &&
	       !text_starts(source, "/dev/mapper/");
}

static bool is_own_tag(const char *source)
{
	return text_starts(source, "PART") || text_starts(source, "ID=");
}

static void compare_source(struct health *h, const struct entry_line *l, const struct fstab_entry *e)
{
	const struct blockdev *is;

	/* Where its name had to be given up, since a copy bears it too, the copy is what is wrong. */
	if (fstab_same_source(l->source, e->source) ||
	    (e->source[0] == '/' && !text_eq(e->fs->item->key, "path") && fstab_is_called(e, l->source)))
		return;
	is = source_device(h->s->arena, h->s->machine, l->source);
	if (fstab_is_called(e, l->source) || (is && fstab_is_called(e, is->path))) {
		bool risky = is && is_kernels(is, l->source);

		why_add(h->why, "mount", "line %u has %s, the layout %s%s", l->number, l->source, e->source,
			risky ? "; the kernel deals out such names anew at each boot" : "");
		tell_at(h, e, "mount", risky ? WHY_DANGEROUS : WHY_DIFFERENT);
	} else if (is) {
		why_add(h->why, "mount", "line %u has %s%s%s, the layout %s: that is another device",
			l->number, l->source, text_eq(is->path, l->source) ? "" : ", which is ",
			text_eq(is->path, l->source) ? "" : is->path, e->source);
		tell_at(h, e, "mount", WHY_DANGEROUS);
	} else {
		why_add(h->why, "mount", "line %u has %s, which is on no device; the layout has %s",
			l->number, l->source, e->source);
		tell_at(h, e, "mount", WHY_DANGEROUS);
	}
}

/*
 * The number in the last field. What the layout doesn't state is as the kind of filesystem needs it: one that the boot has to check and
 * doesn't is worse off than one that is checked in vain.
 */
static void compare_pass(struct health *h, const struct entry_line *l, const struct fstab_entry *e)
{
	if (l->pass == e->pass)
		return;
	why_add(h->why, "pass", "line %u has pass number %ld for %s, where %s %d", l->number, l->pass,
		e->target ? e->target : l->source, e->pass_stated ? "the layout states" : "it should be",
		e->pass);
	tell_at(h, e, "pass", e->pass || e->pass_stated ? WHY_DEGRADED : WHY_COSMETIC);
}

static void compare_line(struct health *h, const struct entry_line *l, const struct fstab_entry *e)
{
	const char *options = e->over ? e->over(h->s->arena, e->fs, l->options) : e->options;
	const char *what = e->target ? e->target : "swap";

	compare_source(h, l, e);
	if (strcmp(l->type, e->type) != 0) {
		why_add(h->why, "type", "line %u has type %s for %s, the layout %s", l->number, l->type, what,
			e->type);
		tell_at(h, e, "type", strcmp(l->type, "auto") != 0 ? WHY_DANGEROUS : WHY_DIFFERENT);
	}
	if (strcmp(l->options, options) != 0) {
		why_add(h->why, "options", "line %u has options %s for %s, the layout %s", l->number,
			l->options, what, options);
		tell_at(h, e, "options", WHY_DIFFERENT);
	}
	compare_pass(h, l, e);
}

static void compare_entry(struct health *h, const struct fstab_entry *e)
{
	const struct entry_line *found = NULL;

	vec_each (struct entry_line *, l, &h->lines) {
		if (!is_for(l, e))
			continue;
		l->entry = e;
		if (found) {
			why_add(h->why, "mount", "lines %u and %u are both for %s", found->number, l->number,
				e->target ? e->target : e->name);
			tell_at(h, e, "mount", WHY_DANGEROUS);
			return;
		}
		found = l;
	}
	if (found) {
		compare_line(h, found, e);
		return;
	}
	why_add(h->why, "mount", "it has no line for %s, %s", e->target ? e->target : "this swap", e->source);
	tell_at(h, e, "mount", WHY_MISSING);
}

/* Somebody else's line. One that nobody can follow keeps the next boot waiting, or ends it in the emergency shell. */
static void look_at_other(struct health *h, const struct entry_line *l)
{
	const char *label = fstab_tag(h->s->arena, l->source, "LABEL");
	source_list with = { 0 };

	if (!source_is_device(l->source) || is_own_tag(l->source) ||
	    source_is_elsewhere(l->type, l->options) || fstab_has_option(l->options, "noauto") ||
	    fstab_has_option(l->options, "nofail"))
		return;
	if (label)
		with = source_with_label(h->s->arena, h->s->machine, label);
	if (with.n > 1)
		why_add(h->why, NULL, "%s bear the label by which %s is mounted, '%s'",
			source_names(h->s->arena, &with), l->target, label);
	else if (!source_device(h->s->arena, h->s->machine, l->source))
		why_add(h->why, NULL, "%s for %s is on no device", l->source,
			is_swap(l) ? "swap" : l->target);
	else
		return;
	why_at(h->why, (struct pos){ .file = h->file, .line = l->number, .col = 1 });
	why_is(h->why, WHY_DANGEROUS);
}

/* @want: NULL where the layout mounts nothing: then it is about the lines of others alone. */
void fstab_health(const struct node *want, const struct settle *s, struct why *why)
{
	struct health h = { .s = s, .why = why, .file = target_path(s, path) };
	const char *text = target_file(s, path), *unread = map_get(&s->machine->unread, h.file);
	fstab_entries entries = { 0 };

	/* It is on a filesystem that isn't mounted; that has been told. */
	if (target_hidden(s, path))
		return;
	if (unread) {
		why_add(why, NULL, "%s can't be read: %s", h.file, unread);
		return;
	}
	if (want)
		(void)fstab_wanted(s, want, &entries);
	if (!text) {
		if (entries.n) {
			why_add(why, NULL, "%s isn't there", h.file);
			why_is(why, WHY_MISSING);
		}
		return;
	}
	read_lines(&h, text);
	vec_each (const struct fstab_entry *, e, &entries)
		if (e->source)
			compare_entry(&h, e);
	vec_each (const struct entry_line *, l, &h.lines)
		if (!l->entry)
			look_at_other(&h, l);
}
