/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tech/fs.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/units.h"
#include "machine/have.h"
#include "machine/machine.h"
#include "plan/settle.h"
#include "plan/step.h"

enum {
	PAGE = 4096
}; /* no stripe is finer: md's chunks, controllers' strips and filesystem blocks are multiples */

bool fs_is(const struct node *n)
{
	return text_eq(n->kind->section, fs_sections[0].name);
}

static const struct fs_kind *kind_of(const struct fs *fs)
{
	return (const struct fs_kind *)fs->node.kind;
}

/* For fstab. */

const char *fs_options_over(struct arena *a, const struct fs *fs, const char *there)
{
	const char *base = fs->item->options.n ? text_join(a, &fs->item->options, ",") : there;

	if (kind_of(fs)->options)
		return kind_of(fs)->options(a, fs, base);
	return base && *base ? base : "defaults";
}

const char *fs_options(struct arena *a, const struct fs *fs)
{
	return fs_options_over(a, fs, NULL);
}

int fs_pass(const struct fs *fs)
{
	if (fs->item->pass >= 0)
		return (int)fs->item->pass;
	if (!kind_of(fs)->fsck)
		return 0;
	return text_eq(fs->item->mount, "/") ? 1 : 2;
}

/* For check(). */

int fs_check_label(const struct node *want, size_t limit, struct diag *d)
{
	const struct fs_item *it = fs_of(want)->item;

	if (!it->label)
		return 0;
	if (strlen(it->label) > limit)
		return diag_error(d, item_pos(&it->item, "label"),
				  "the label '%s' takes %zu bytes, and %s has room for %zu",
				  text_short(d->arena, it->label), strlen(it->label), want->kind->name,
				  limit);
	return 0;
}

int fs_check_uuid(const struct node *want, struct diag *d)
{
	const struct fs_item *it = fs_of(want)->item;
	struct uuid u;

	if (!it->uuid)
		return 0;
	if (uuid_read(it->uuid, &u) < 0)
		return diag_error(d, item_pos(&it->item, "uuid"),
				  "'%s' is no UUID: 32 hexadecimal digits as 8-4-4-4-12",
				  text_short(d->arena, it->uuid));
	if (uuid_is_zero(u))
		return diag_error(d, item_pos(&it->item, "uuid"),
				  "a UUID of zeroes is none: leave it out, and one is derived");
	return 0;
}

/* The suboption of @word that begins so, or the word itself where it is that option. */
static const char *find_word(const char *word, const char *begins)
{
	if (begins[0] == '-')
		return text_starts(word, begins) ? word : NULL;
	if (word[0] == '-' && word[1] && word[1] != '-')
		word += 2; /* "-dsu=64k" */
	while (word) {
		if (text_starts(word, begins))
			return word;
		word = strchr(word, ',');
		if (word)
			word++;
	}
	return NULL;
}

bool fs_has_word(const struct fs *fs, const char *begins)
{
	vec_each (const char *const *, word, &fs->item->mkfs)
		if (find_word(*word, begins))
			return true;
	return false;
}

/* Whatever the option: tools that are told not to ask overwrite a second device as readily as the first. */
static bool names_device(const char *word)
{
	return strstr(word, "/dev/") || text_starts(word, "dev/");
}

int fs_check_words(const struct node *want, const struct fs_word *not_these, struct diag *d)
{
	const struct fs_item *it = fs_of(want)->item;
	int r = 0;

	for (size_t i = 0; i < it->mkfs.n; i++) {
		if (names_device(it->mkfs.at[i])) {
			r = diag_error(d, item_pos_at(&it->item, "mkfs", i),
				       "the tool can't take '%s' from here: it would write to a device that "
				       "was not looked at",
				       text_short(d->arena, it->mkfs.at[i]));
			continue;
		}
		for (const struct fs_word *w = not_these; w->begins; w++) {
			if (!find_word(it->mkfs.at[i], w->begins))
				continue;
			r = diag_error(d, item_pos_at(&it->item, "mkfs", i),
				       "the tool can't take '%s' from here: %s",
				       text_short(d->arena, it->mkfs.at[i]), w->instead);
			break;
		}
	}
	return r;
}

/* Slots. */

const struct node *fs_match(const struct node *want, const struct settle *s)
{
	(void)s;
	vec_each (const struct edge *, e, &want->below) {
		const struct node *there = e->to->have ? have_user(e->to->have, want->kind) : NULL;

		if (there)
			return there;
	}
	return NULL;
}

static bool is_of(const struct node *want, const struct blockdev *b)
{
	vec_each (const struct edge *, e, &want->below)
		if (e->to->have && e->to->have->block == b)
			return true;
	if (want->have)
		vec_each (const struct edge *, e, &want->have->below)
			if (e->to->block == b)
				return true;
	return false;
}

/* Whether somebody else has the name by which this filesystem will be called. */
static int check_strangers(const struct node *want, const struct settle *s)
{
	const struct fs *fs = fs_of(want);
	const struct fs_item *it = fs->item;
	bool by_label = text_eq(it->key, "label") && fs->label;

	if (want->have && !by_label)
		return 0;
	vec_each (struct blockdev *const *, b, &s->machine->devs) {
		vec_each (const struct signature *, sig, &(*b)->signatures) {
			bool label = by_label && text_eq(sig->label, fs->label);

			if (!label && (want->have || !sig->uuid || strcasecmp(sig->uuid, fs->uuid) != 0))
				continue;
			if (is_of(want, *b))
				continue;
			if (label)
				return diag_error(s->diag, item_pos(&it->item, "label"),
						  "fstab is to call '%s' by its label '%s', but %s bears "
						  "that label too",
						  want->name, fs->label, (*b)->path);
			return diag_error(
				s->diag, item_pos(&it->item, "uuid"),
				"'%s' would get the UUID %s, but %s bears it already: is it a clone?",
				want->name, fs->uuid, (*b)->path);
		}
	}
	return 0;
}

int fs_settle(struct node *want, struct settle *s)
{
	struct fs *fs = as_fs(want);
	const struct fs *have = want->have ? fs_of(want->have) : NULL;

	want->size = 0;
	vec_each (const struct edge *, e, &want->below)
		want->size += e->to->size;
	want->geo = want->below.at[0].to->geo;
	want->dev = want->below.at[0].to->dev;

	fs->label = fs->item->label ? fs->item->label : have ? have->label : NULL;
	if (have && have->uuid) {
		want->uuid = have->node.uuid;
		fs->uuid = have->uuid;
	} else {
		if (!fs->item->uuid || uuid_read(fs->item->uuid, &want->uuid) < 0)
			want->uuid = settle_uuid(s, want, "");
		if (!fs->uuid) /* a kind whose UUIDs look different has settled it before */
			fs->uuid = uuid_text(s->arena, want->uuid);
	}
	return check_strangers(want, s);
}

int fs_settle_min(const struct node *want, struct settle *s, uint64_t min, const char *what)
{
	int r = 0;

	if (want->have)
		return 0;
	vec_each (const struct edge *, e, &want->below)
		if (e->to->size < min)
			r = diag_error(s->diag, e->pos.line ? e->pos : want->pos,
				       "'%s' is too small for '%s': it has %s, and %s needs %s", e->to->name,
				       want->name, units_exact(s->arena, e->to->size), what,
				       units_exact(s->arena, min));
	return r;
}

enum leftover fs_leftover(const struct node *want, const struct node *have, const struct settle *s)
{
	const struct fs *there = fs_of(have);
	const char *stated = fs_of(want)->item->uuid;
	struct uuid planned;

	if (!there->uuid || have->kind != want->kind)
		return LEFTOVER_NOT;
	if (!stated || uuid_read(stated, &planned) < 0)
		planned = settle_uuid(s, want, "");
	return uuid_eq(planned, have->uuid) ? there->left : LEFTOVER_NOT;
}

const char *fs_describe(struct arena *a, const struct node *n)
{
	const char *label = fs_of(n)->label;

	return arena_printf(a, "%s%s%s", n->kind->name, label ? ", label " : "", label ? label : "");
}

void fs_compare(const struct node *want, const struct node *have, struct why *why)
{
	const struct fs_item *it = fs_of(want)->item;
	const struct fs *there = fs_of(have);

	if (it->label && !text_eq(it->label, there->label)) {
		if (there->label)
			why_add(why, "label", "its label is '%s', and the layout asks for '%s'", there->label,
				it->label);
		else
			why_add(why, "label", "it has no label, and the layout asks for '%s'", it->label);
		why_is(why, WHY_COSMETIC);
		why_anew(why);
	}
	if (it->uuid && (!there->uuid || strcasecmp(it->uuid, there->uuid) != 0)) {
		why_add(why, "uuid", "its UUID is %s, and the layout asks for %s",
			there->uuid ? there->uuid : "not known", it->uuid);
		why_anew(why);
	}
}

/* Whether a disk beneath shows the tools a stripe that its kind didn't believe. Up to a block they don't believe it either. */
static bool shows_nonsense(const struct node *want, struct settle *s)
{
	node_list disks = node_disks(s->arena, want);

	vec_each (struct node *const *, disk, &disks) {
		const struct blockdev *b = (*disk)->have ? (*disk)->have->block : NULL;

		if (b && b->geo.opt_io > PAGE && !(*disk)->geo.opt_io)
			return true;
	}
	return false;
}

/*
 * Source: mkfs.xfs (libfrog topology) takes no stripe where the minimum I/O size is the physical sector; mkfs.ext4 none where it isn't
 * larger than a block. An optimal size such as 33553920 (65535 sectors) comes from USB bridges and means nothing.
 */
struct stripe fs_stripe(const struct node *want, struct settle *s)
{
	const struct node *on = want->below.at[0].to;
	const struct geometry *g = &on->geo;
	struct stripe none = { 0 };
	struct pos pos = want->below.at[0].pos.line ? want->below.at[0].pos : want->pos;

	if (!g->opt_io || !g->min_io) {
		none.hide = shows_nonsense(want, s);
		return none;
	}
	none.hide = !g->declared;
	if (g->opt_io % PAGE || g->opt_io % g->min_io) {
		if (!want->have)
			diag_warn(s->diag, pos,
				  "'%s' says that its full stripe is %" PRIu64
				  " bytes, which is no multiple of %s: '%s' is made without a stripe",
				  on->name, g->opt_io,
				  g->opt_io % PAGE ? "4 KiB" : units_text(s->arena, g->min_io), want->name);
		return none;
	}
	if (!g->declared && (g->min_io < PAGE || g->min_io <= g->physical)) {
		none.hide = false; /* the tools see as little in it */
		return none;
	}
	if (g->offset) {
		if (!want->have)
			diag_warn(s->diag, pos,
				  "'%s' starts %s behind the start of a stripe of %s: '%s' is made without a "
				  "stripe, and will write more than it must",
				  on->name, units_text(s->arena, g->offset), units_text(s->arena, g->opt_io),
				  want->name);
		return none;
	}
	return (struct stripe){ .unit = g->min_io, .width = g->opt_io / g->min_io };
}

struct step *fs_step(struct steps *s, const struct node *want, const char *tool, const char *with)
{
	struct text on = { .arena = steps_arena(s) };
	const struct fs_item *it = fs_of(want)->item;
	struct step *st;

	vec_each (const struct edge *, e, &want->below)
		text_printf(&on, "%s%s", on.len ? ", " : "", e->to->name);
	st = step_new(s, want, "format", "make %s on %s%s%s%s%s", want->kind->name, text_str(&on),
		      it->mount ? " for " : "", it->mount ? it->mount : "", *with ? ": " : "", with);
	step_argv(s, st, tool, NULL);
	return st;
}

void fs_tool_words(struct steps *s, struct step *st, const struct fs *fs)
{
	vec_each (const char *const *, word, &fs->item->mkfs)
		step_word(s, st, *word);
}
