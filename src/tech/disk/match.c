/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "machine/have.h"
#include "machine/machine.h"
#include "plan/loss.h"
#include "plan/settle.h"
#include "tech/disk/disk.h"

enum { MOST_SHOWN = 12, MOST_NOTES = 24 };

typedef VEC(const struct blockdev *) dev_list;

/* While the disks of a layout are sought. */
struct search {
	const struct settle *s;
	VEC(struct disk *) wants; /* in the order of the layout */
	struct map taken;         /* struct disk by kernel name */
};

static const char *shown(struct arena *a, const struct blockdev *dev)
{
	return arena_printf(a, "%s (%s%s%s)", dev->path, units_text(a, dev->size),
			    dev->serial ? ", serial " : "", dev->serial ? dev->serial : "");
}

static const char *list_shown(struct arena *a, const dev_list *list)
{
	struct text t = { .arena = a };

	for (size_t i = 0; i < list->n && i < MOST_SHOWN; i++)
		text_printf(&t, "%s%s", t.len ? ", " : "", shown(a, list->at[i]));
	if (list->n > MOST_SHOWN)
		text_printf(&t, " and %zu more", list->n - MOST_SHOWN);
	return text_str(&t);
}

static dev_list disks_there(const struct settle *s)
{
	dev_list r = { 0 };

	vec_each (struct blockdev *const *, dev, &s->losses->machine->devs)
		if (text_eq((*dev)->type, "disk") && (*dev)->size)
			vec_push(s->arena, &r, *dev);
	return r;
}

/* The name that a message calls it by: of the set where it is one of those that a selector takes together. */
static const char *name_of(const struct disk *want)
{
	return want->count > 1 ? want->node.item->name : want->node.name;
}

static void take(struct search *q, struct disk *want, const struct blockdev *dev)
{
	struct disk *other = map_get(&q->taken, dev->name);

	if (!other) {
		(void)map_set(&q->taken, dev->name, want);
		want->found = dev;
		return;
	}
	(void)diag_error(q->s->diag, want->pos,
			 "'%s' is %s, which '%s' is already; a disk can have one name only", want->node.name,
			 dev->path, other->node.name);
	diag_note(q->s->diag, other->pos, "'%s' is stated here", other->node.name);
}

static void no_such_path(const struct settle *s, const struct disk *want)
{
	dev_list there = disks_there(s);

	(void)diag_error(s->diag, want->pos, "there is no %s on %s; %s%s", want->path,
			 s->losses->machine->source, there.n ? "disks there are " : "no disks are there",
			 list_shown(s->arena, &there));
}

/* What stands in the way of using a device as a disk. */
static bool is_usable(const struct settle *s, const struct disk *want, const struct blockdev *dev)
{
	const char *whole = disk_part_of(s, dev);

	if (text_eq(dev->type, "part")) {
		const struct blockdev *parent = map_get(&s->losses->machine->by_name, dev->parent);

		(void)diag_error(s->diag, want->pos,
				 "%s is a partition of %s, but '%s' must be a whole disk: state the disk, "
				 "and its partitions in 'tables'",
				 want->path, parent ? parent->path : dev->parent, want->node.name);
	} else if (text_eq(dev->type, "rom") || text_eq(dev->type, "zram")) {
		(void)diag_error(s->diag, want->pos, "%s can't hold a layout: it is %s", want->path,
				 text_eq(dev->type, "rom") ? "a drive for optical discs" : "memory (zram)");
	} else if (!dev->size) {
		(void)diag_error(s->diag, want->pos,
				 "%s has no size at present: it isn't running, or has no medium", want->path);
	} else if (whole) {
		(void)diag_error(s->diag, want->pos, "%s is only one of the ways to %s: state that one",
				 want->path, whole);
	} else if (dev->read_only) {
		(void)diag_error(s->diag, want->pos, "%s is read-only", want->path);
	} else {
		return true;
	}
	return false;
}

static void find_by_path(struct search *q, struct disk *want)
{
	const struct blockdev *dev = machine_dev(q->s->losses->machine, want->path);

	if (!dev)
		no_such_path(q->s, want);
	else if (is_usable(q->s, want, dev))
		take(q, want, dev);
}

static bool is_blank(const struct settle *s, const struct blockdev *dev)
{
	const struct node *have = have_dev(s->losses->all, dev->name);

	return (!have || !have->above.n) && !dev->signatures.n && !dev->strays.n && !dev->holders.n &&
	       !dev->error && !machine_mounts_of(s->losses->machine, s->arena, dev).n &&
	       !machine_is_swap(s->losses->machine, dev);
}

/* Whether something on a disk has one of the UUIDs that the layout would give to what stands on @want alone, were it that disk. */
static bool is_own(const struct settle *s, const struct disk *want, const struct blockdev *dev)
{
	const char *id = disk_id_or_name(s->arena, dev, want->node.name);

	if (!dev->signatures.n)
		return false;
	vec_each (struct node *const *, up, &want->node.above) {
		struct node would = **up;
		const char *uuid;

		would.id = id;
		uuid = uuid_text(s->arena, settle_uuid(s, &would, ""));
		vec_each (const struct signature *, sig, &dev->signatures)
			/* An MBR has room for the first half of the first part only. */
			if (sig->uuid && (!strcasecmp(sig->uuid, uuid) ||
					  (strlen(sig->uuid) == 8 && !strncasecmp(sig->uuid, uuid, 8))))
				return true;
	}
	return false;
}

/* Derived UUIDs, ours among them, are of version 5. Tools draw theirs, version 4. */
static bool is_derived(const struct blockdev *dev)
{
	vec_each (const struct signature *, sig, &dev->signatures)
		if (sig->uuid && strlen(sig->uuid) == 36 && sig->uuid[14] == '5' &&
		    strchr("89abAB", sig->uuid[19]))
			return true;
	return false;
}

static bool is_own_of_any(const struct settle *s, struct disk *const *wants, size_t n,
			  const struct blockdev *dev)
{
	for (size_t i = 0; i < n; i++)
		if (is_own(s, wants[i], dev))
			return true;
	return false;
}

static const char *content(const struct settle *s, const struct blockdev *dev)
{
	struct arena *a = s->arena;
	struct text t = { .arena = a };

	vec_each (const struct signature *, sig, &dev->signatures)
		text_printf(&t, "%s%s", t.len ? ", " : "", sig->type);
	if (machine_looks_lost(s->losses->machine, dev) && !dev->strays.n)
		return arena_printf(a, "looks like a lost table (%s)", text_str(&t));
	if (dev->strays.n)
		return arena_printf(a, "looks like a lost table (%s at %s%s)", dev->strays.at[0].type,
				    units_text(a, dev->strays.at[0].offset),
				    dev->strays.n > 1 ? ", and more" : "");
	if (dev->error)
		text_printf(&t, "%s%s", t.len ? ", " : "", dev->error);
	return t.len ? arena_printf(a, "isn't blank (%s)", text_str(&t)) : "isn't blank (it is in use)";
}

/*
 * The disks that a selector with `blank: true` takes. Those that this layout has filled itself come first, then blank ones; where these
 * are too few, those with derived UUIDs on them, as an array over whole disks leaves: what exactly is there is looked at later anyhow,
 * and nothing that isn't as asked is overwritten.
 */
static dev_list prefer_blank(const struct settle *s, struct disk *const *wants, size_t n, const dev_list *fit)
{
	dev_list own = { 0 }, rest = { 0 }, r = { 0 };

	for (size_t i = 0; i < fit->n; i++)
		if (is_own_of_any(s, wants, n, fit->at[i]))
			vec_push(s->arena, &own, fit->at[i]);
		else if (is_blank(s, fit->at[i]))
			vec_push(s->arena, &rest, fit->at[i]);
	if (own.n >= n)
		return own;
	if (own.n + rest.n < n)
		for (size_t i = 0; i < fit->n; i++)
			if (is_derived(fit->at[i]) && !is_own_of_any(s, wants, n, fit->at[i]))
				vec_push(s->arena, &rest, fit->at[i]);
	for (size_t i = 0; i < fit->n; i++) { /* back in the order of names */
		bool in = false;

		for (size_t k = 0; k < own.n && !in; k++)
			in = own.at[k] == fit->at[i];
		for (size_t k = 0; k < rest.n && !in; k++)
			in = rest.at[k] == fit->at[i];
		if (in)
			vec_push(s->arena, &r, fit->at[i]);
	}
	return r;
}

static dev_list without_blank(const struct settle *s, const dev_list *fit)
{
	dev_list r = { 0 };

	for (size_t i = 0; i < fit->n; i++)
		if (!is_blank(s, fit->at[i]))
			vec_push(s->arena, &r, fit->at[i]);
	return r;
}

static bool has(const dev_list *list, const struct blockdev *dev)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->at[i] == dev)
			return true;
	return false;
}

/* What each disk has against it, when a selector finds too few. */
static void note_misfits(struct search *q, const struct disk *want, const dev_list *there,
			 const dev_list *hits)
{
	const struct settle *s = q->s;
	size_t said = 0;

	for (size_t i = 0; i < there->n; i++) {
		const struct blockdev *dev = there->at[i];
		const struct disk *other = map_get(&q->taken, dev->name);
		const char *why = disk_misfit(s, want->match, dev);

		if (said++ >= MOST_NOTES)
			continue;
		if (other)
			why = arena_printf(s->arena, "is '%s' already%s%s", other->node.name,
					   *why ? ", " : "", why);
		else if (!*why && !has(hits, dev))
			why = is_blank(s, dev) ? "is blank" : content(s, dev);
		diag_note(s->diag, want->pos, "%s %s", shown(s->arena, dev), *why ? why : "fits");
	}
	if (said > MOST_NOTES)
		diag_note(s->diag, want->pos, "and %zu more disks", said - MOST_NOTES);
}

/* Each gets the disk that bears its own marks, so that a set keeps its order when the kernel's names change; the rest goes by name. */
static void assign(struct search *q, struct disk *const *wants, size_t n, const dev_list *hits)
{
	bool *used = arena_alloc(q->s->arena, n * sizeof(*used));
	const struct blockdev **of = arena_alloc(q->s->arena, n * sizeof(*of));

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n && !of[i]; k++) {
			size_t at = (i + k) % n;

			if (!used[at] && is_own(q->s, wants[i], hits->at[at])) {
				of[i] = hits->at[at];
				used[at] = true;
			}
		}
	for (size_t i = 0, at = 0; i < n; i++) {
		while (!of[i] && used[at])
			at++;
		if (!of[i])
			of[i] = hits->at[at++];
		take(q, wants[i], of[i]);
	}
}

/* Too few: who looks at what is left wants those that are there, which their own marks tell. */
static void assign_own(struct search *q, struct disk *const *wants, size_t n, const dev_list *hits)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < hits->n; k++)
			if (!map_get(&q->taken, hits->at[k]->name) && is_own(q->s, wants[i], hits->at[k])) {
				take(q, wants[i], hits->at[k]);
				break;
			}
}

/* Those disks of the layout that share a selector. */
static void find_by_selector(struct search *q, struct disk *const *wants, size_t n)
{
	const struct settle *s = q->s;
	const struct disk *first = wants[0];
	const struct match_item *match = first->match;
	dev_list there = disks_there(s), hits = { 0 };

	for (size_t i = 0; i < there.n; i++) {
		const struct disk *other = map_get(&q->taken, there.at[i]->name);

		/* Paths come first; but two selectors that take the same disk are a mistake, not a matter of their order. */
		if ((!other || other->match) && !*disk_misfit(s, match, there.at[i]))
			vec_push(s->arena, &hits, there.at[i]);
	}
	if (item_has(&match->item, "blank"))
		hits = match->blank ? prefer_blank(s, wants, n, &hits) : without_blank(s, &hits);
	if (hits.n == n) {
		assign(q, wants, n, &hits);
	} else if (hits.n > n) {
		(void)diag_error(s->diag, first->pos, "'%s' takes %zu disk%s, but %zu fit: %s",
				 name_of(first), n, n == 1 ? "" : "s", hits.n, list_shown(s->arena, &hits));
		diag_note(s->diag, first->pos,
			  "narrow the selector (serial, path, size), or take all of them with 'count: %zu'",
			  hits.n);
	} else {
		(void)diag_error(s->diag, first->pos, "'%s' takes %zu disk%s, but of the %zu on %s %s",
				 name_of(first), n, n == 1 ? "" : "s", there.n, s->losses->machine->source,
				 !hits.n             ? "none fits"
				 : hits.n == there.n ? "all fit"
						     : arena_printf(s->arena, "only %zu fit%s", hits.n,
								    hits.n == 1 ? "s" : ""));
		note_misfits(q, first, &there, &hits);
		if (s->verify)
			assign_own(q, wants, n, &hits);
	}
}

/* Two disks that say they are one: two ways to the same disk, or a clone of a virtual one. */
static void warn_of_twins(const struct search *q)
{
	struct map by_id = { .arena = q->s->arena };

	vec_each (struct disk *const *, want, &q->wants) {
		const char *id = (*want)->found ? disk_id(q->s->arena, (*want)->found) : NULL;
		struct disk *other = id ? map_set(&by_id, id, *want) : NULL;

		if (!other)
			continue;
		diag_warn(q->s->diag, (*want)->pos,
			  "%s and %s both have the %s; if they are two ways to one disk, its data is at risk",
			  other->found->path, (*want)->found->path,
			  text_starts(id, "wwn:") ? arena_printf(q->s->arena, "WWN %s", id + 4)
						  : arena_printf(q->s->arena, "serial number %s", id + 7));
	}
}

void disk_resolve(const struct settle *s)
{
	struct search q = { .s = s, .taken.arena = s->arena };

	vec_each (struct node *const *, n, &s->want->nodes)
		if ((*n)->kind == &kind_disk) {
			as_disk(*n)->resolved = true;
			vec_push(s->arena, &q.wants, as_disk(*n));
		}
	vec_each (struct disk **, want, &q.wants)
		if ((*want)->path)
			find_by_path(&q, *want);
	for (size_t i = 0; i < q.wants.n;
	     i += q.wants.at[i]->count) /* those of one selector follow one another */
		if (q.wants.at[i]->match)
			find_by_selector(&q, &q.wants.at[i], q.wants.at[i]->count);
	warn_of_twins(&q);
}
