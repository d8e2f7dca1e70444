/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/protect.h"

#include <ctype.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "graph/node.h"
#include "machine/have.h"
#include "plan/plan.h"
#include "tech/kind.h"

enum {
	NAMED_STEPS = 3,
	SHORT_WWN = 16, /* digits; a longer one has an extension behind, which not everybody tells */
};

static bool is_sign(char c)
{
	return strchr(" \t-:._'\"", c);
}

/*
 * An identifier without what people and tools write in different ways: smartctl has "LU WWN Device Id: 5 000c50 0a1b2c3d4", lsblk
 * 0x5000c500a1b2c3d4; mdadm groups the digits of a UUID by colons, blkid by dashes; udev has an underscore for a blank in a serial number.
 */
static const char *plain(struct arena *a, const char *id)
{
	static const char *const before[] = { "uuid=", "partuuid=", "ptuuid=", "serial=", "wwn=",
					      "wwn-",  "naa.",      "eui.",    "uuid.",   "0x" };
	char *s = arena_strdup(a, id), *to = s;
	const char *from = s;

	for (char *c = s; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++)
		if (text_starts(from, before[i]))
			from += strlen(before[i]);
	for (; *from; from++)
		if (!is_sign(*from))
			*to++ = *from;
	*to = '\0';
	return s;
}

/* What is looked for. */
struct search {
	struct arena *arena;
	struct map exact;        /* plain identifier -> line */
	struct map begun;        /* the first digits of those that are longer than a short WWN -> line */
	const struct node *node; /* that is looked at */
	const struct protected_line *line;
	const char *what;
	struct protect_ids *collect; /* what would be looked for is noted instead */
};

static bool is_digits(const char *s, size_t n)
{
	return strlen(s) >= n && strspn(s, "0123456789abcdef") >= n;
}

static void prepare(struct search *s, struct arena *a, const protected_list *list)
{
	*s = (struct search){ .arena = a, .exact.arena = a, .begun.arena = a };
	vec_each (const struct protected_line *, line, list) {
		const char *id = plain(a, line->id);

		/* Of equal lines the first is told. What is nothing but signs is no identifier. */
		if (*id && !map_get(&s->exact, id))
			(void)map_set(&s->exact, id, (void *)line);
		if (*line->id == '/' && !map_get(&s->exact, line->id))
			(void)map_set(&s->exact, line->id, (void *)line);
		if (is_digits(id, SHORT_WWN) && id[SHORT_WWN]) {
			id = arena_strndup(a, id, SHORT_WWN);
			if (!map_get(&s->begun, id))
				(void)map_set(&s->begun, id, (void *)line);
		}
	}
}

static void found(struct search *s, const struct protected_line *line, const char *what)
{
	if (s->line || !line)
		return;
	s->line = line;
	s->what = what;
}

/* As it is written, but for text that no list can hold. */
static void look_exact(struct search *s, const char *id, const char *what)
{
	if (s->collect)
		(void)map_set(&s->collect->exact, id, (void *)what);
	else
		found(s, map_get(&s->exact, id), what);
}

/* @id: may be NULL. */
static void look_id(struct search *s, const char *id, const char *what)
{
	if (s->collect && id && *plain(s->arena, id))
		(void)map_set(&s->collect->exact, plain(s->arena, id), (void *)what);
	else if (id && !s->line)
		found(s, map_get(&s->exact, plain(s->arena, id)), what);
}

static void look_wwn(struct search *s, const char *wwn, const char *what)
{
	const char *id = wwn ? plain(s->arena, wwn) : NULL;

	look_id(s, wwn, what);
	if (!id || s->line || !is_digits(id, SHORT_WWN))
		return;
	if (id[SHORT_WWN])
		look_exact(s, arena_strndup(s->arena, id, SHORT_WWN), what);
	else if (s->collect)
		(void)map_set(&s->collect->begun, id, (void *)what);
	else
		found(s, map_get(&s->begun, id), what);
}

/* Links tell of a disk, and without root of its content, what udev knows of it. */
static void look_link(struct search *s, const char *link, const char *path)
{
	static const char *const dirs[] = { "/dev/disk/by-id/", "/dev/disk/by-uuid/",
					    "/dev/disk/by-partuuid/" };
	const char *what = arena_printf(s->arena, "%s, which now is %s", link, path);

	look_exact(s, link, what);
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		if (text_starts(link, dirs[i]))
			look_id(s, link + strlen(dirs[i]), what);
}

static void look_block(struct search *s, const struct blockdev *b)
{
	struct arena *a = s->arena;

	look_id(s, b->serial, arena_printf(a, "the serial number of %s", b->path));
	look_wwn(s, b->wwn, arena_printf(a, "the WWN of %s", b->path));
	vec_each (const struct signature *, sig, &b->signatures) {
		const char *what = arena_printf(a, "the UUID of the %s%s on %s", sig->type,
						text_eq(sig->usage, "table") ? " table" : "", b->path);

		look_id(s, sig->uuid, what);
		look_id(s, sig->uuid_sub, what);
	}
	vec_each (const char *const *, link, &b->links)
		look_link(s, *link, b->path);
	look_exact(s, b->path, arena_printf(a, "the path of %s", b->path));
}

static void look_node(struct search *s, const struct node *n)
{
	const char *name = n->block ? n->block->path : n->name;

	s->node = n;
	s->line = NULL;
	if (n->block)
		look_block(s, n->block);
	if (!uuid_is_zero(n->uuid))
		look_id(s, uuid_text(s->arena, n->uuid),
			arena_printf(s->arena, "the UUID of %s '%s'", n->kind->name, name));
	look_id(s, n->partuuid, arena_printf(s->arena, "the UUID of the partition %s", name));
}

const struct protection *plan_protection_of(const protection_list *list, const struct node *disk)
{
	vec_each (const struct protection *, p, list)
		if (disk->block && !strcmp(p->disk->name, disk->block->name))
			return p;
	return NULL;
}

static void add_found(const struct search *s, const struct node *n, protection_list *ret)
{
	node_list disks = node_disks(s->arena, n);

	vec_each (struct node *const *, disk, &disks)
		if ((*disk)->block && !plan_protection_of(ret, *disk))
			vec_push(s->arena, ret,
				 (struct protection){
					 .disk = (*disk)->block, .line = s->line, .what = s->what });
}

static void look_drawn(struct search *s, const struct graph *have, const struct drawn_uuid *drawn,
		       protection_list *ret)
{
	s->line = NULL;
	look_id(s, drawn->id, arena_printf(s->arena, "the UUID of %s", drawn->what));
	if (!s->line)
		return;
	vec_each (const char *const *, name, &drawn->devices) {
		const struct node *dev = have_dev(have, *name);

		if (dev)
			add_found(s, dev, ret);
	}
}

protection_list plan_protections(struct arena *a, const struct machine *m, const struct graph *have,
				 const protected_list *list)
{
	protection_list r = { 0 };
	struct search s;

	if (!list->n)
		return r;
	prepare(&s, a, list);
	vec_each (struct node *const *, n, &have->nodes) {
		look_node(&s, *n);
		if (s.line)
			add_found(&s, *n, &r);
	}
	vec_each (const struct drawn_uuid *, drawn, &m->drawn)
		look_drawn(&s, have, drawn, &r);
	return r;
}

static bool is_on(struct arena *a, const struct node *n, const struct node *disk)
{
	node_list disks = node_disks(a, n);

	vec_each (struct node *const *, at, &disks)
		if (*at == disk)
			return true;
	return false;
}

void plan_protect_ids(struct arena *a, const struct machine *m, const struct graph *have,
		      const struct node *disk, struct protect_ids *ret)
{
	struct search s = { .arena = a, .collect = ret };

	*ret = (struct protect_ids){ .exact.arena = a, .begun.arena = a };
	vec_each (struct node *const *, n, &have->nodes)
		if (is_on(a, *n, disk))
			look_node(&s, *n);
	vec_each (const struct drawn_uuid *, drawn, &m->drawn)
		vec_each (const char *const *, name, &drawn->devices) {
			const struct node *dev = have_dev(have, *name);

			if (dev && is_on(a, dev, disk))
				look_id(&s, drawn->id, drawn->what);
		}
}

static bool writes(const struct step *st)
{
	switch (st->op.form) {
	case OP_ARGV:
	case OP_LVM:
		return !st->uses;
	case OP_TABLE:
	case OP_ZERO:
	case OP_WIPE:
		return true;
	case OP_SETTLE:
	case OP_MKDIR:
	case OP_MOUNT:
	case OP_FILE:
		return false;
	}
	return true;
}

/* The disks that are there, below a node of either side. @all: what is there. */
static void add_disks(struct arena *a, const struct graph *all, const struct node *n, node_list *ret)
{
	node_list disks = node_disks(a, n);

	vec_each (struct node *const *, at, &disks) {
		const struct blockdev *b = (*at)->have ? (*at)->have->block : (*at)->block;
		const struct node *disk = b ? have_dev(all, b->name) : NULL;
		node_list real = { 0 };

		/* What a layout calls a disk may be an array. To write to an image in a file is no more than to write to a mounted filesystem. */
		if (disk && disk->below.n && disk->below.at[0].claim)
			real = node_disks(a, disk);
		else if (disk)
			vec_push(a, &real, (struct node *)disk);
		vec_each (struct node *const *, one, &real)
			vec_push(a, ret, *one);
	}
}

/* The disks that a step writes to: a part is also entered in its container, which may be on more disks than the part. */
static node_list step_disks(struct arena *a, const struct graph *all, const struct plan *p,
			    const struct step *st)
{
	const struct blockdev *b = st->op.dev ? machine_dev(p->machine, st->op.dev) : NULL;
	const struct node *dev = b ? have_dev(all, b->name) : NULL;
	node_list disks = { 0 };

	for (const struct node *n = st->node; n; n = n->parent)
		add_disks(a, all, n, &disks);
	for (const struct node *n = dev; n; n = n->parent)
		add_disks(a, all, n, &disks);
	return disks;
}

node_list plan_written_disks(const struct plan *p, struct arena *a, const struct graph *all)
{
	struct map seen = { .arena = a };
	node_list written = { 0 };

	vec_each (struct step *const *, st, &p->steps) {
		node_list disks = { 0 };

		if (writes(*st))
			disks = step_disks(a, all, p, *st);
		vec_each (struct node *const *, disk, &disks)
			if ((*disk)->block && !map_set(&seen, (*disk)->name, *disk))
				vec_push(a, &written, *disk);
	}
	return written;
}

/* As the layout calls it: "disk 'data.0' (/dev/sdb)". */
static const char *disk_text(const struct plan *p, struct arena *a, const struct blockdev *disk)
{
	vec_each (struct node *const *, n, &p->want->nodes)
		if ((*n)->have && (*n)->have->block && !strcmp((*n)->have->block->name, disk->name))
			return arena_printf(a, "disk '%s' (%s)", (*n)->name, disk->path);
	return arena_printf(a, "disk %s", disk->path);
}

/* What a plan would do to a protected disk. */
struct harm {
	const struct protection *to;
	step_list steps;
};

typedef VEC(struct harm) harm_list;

static void add_harm(struct arena *a, harm_list *list, const struct protection *to, struct step *st)
{
	struct harm *harm = NULL;

	vec_each (struct harm *, h, list)
		if (h->to == to)
			harm = h;
	if (!harm) {
		vec_push(a, list, (struct harm){ .to = to });
		harm = &list->at[list->n - 1];
	}
	if (!harm->steps.n || harm->steps.at[harm->steps.n - 1] != st)
		vec_push(a, &harm->steps, st);
}

static void tell(const struct plan *p, const struct harm *harm, struct diag *d)
{
	const struct protected_line *line = harm->to->line;
	struct text steps = { .arena = d->arena };

	for (size_t i = 0; i < harm->steps.n && i < NAMED_STEPS; i++)
		text_printf(&steps, "%s%s", i ? "; " : "", harm->steps.at[i]->what);
	if (harm->steps.n > NAMED_STEPS)
		text_printf(&steps, "; and %zu more", harm->steps.n - NAMED_STEPS);
	(void)diag_refuse(d, harm->steps.at[0]->pos, "%s is protected: line %u of %s states '%s', %s",
			  disk_text(p, d->arena, harm->to->disk), line->line, line->file,
			  text_short(d->arena, line->id), harm->to->what);
	diag_note(d, nowhere, "it would be written to: %s", text_str(&steps));
	diag_note(d, nowhere,
		  "no option lifts this: leave the disk out of the layout, or, if it is protected by "
		  "mistake, take that line out of the list");
}

bool plan_protect(const struct plan *p, const protected_list *list, struct diag *d)
{
	struct diag unheard = { .arena = d->arena };
	protection_list protections = { 0 };
	struct graph *all = NULL;
	harm_list harms = { 0 };
	bool any = false;

	/* All that is there, whatever of it the plan has given up; what there is to say of it has been said. */
	if (list->n && p->machine) {
		if (machine_have(d->arena, p->machine, &unheard, &all) < 0)
			return diag_error(d, nowhere, "what is protected can't be told on this machine") == 0;
		protections = plan_protections(d->arena, p->machine, all, list);
	}
	vec_each (struct step *const *, st, &p->steps) {
		node_list disks = { 0 };

		if (!writes(*st))
			continue;
		any = true;
		if (protections.n)
			disks = step_disks(d->arena, all, p, *st);
		vec_each (struct node *const *, disk, &disks) {
			const struct protection *to = plan_protection_of(&protections, *disk);

			if (to)
				add_harm(d->arena, &harms, to, *st);
		}
	}
	vec_each (const struct harm *, harm, &harms)
		tell(p, harm, d);
	if (any && p->machine && p->machine->protected_why) {
		(void)diag_error(d, (struct pos){ .file = PROTECTED_FILE },
				 "the list of protected disks can't be read, so nothing is done: %s",
				 p->machine->protected_why);
		return false;
	}
	return !harms.n;
}
