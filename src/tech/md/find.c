/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/field.h"
#include "base/units.h"
#include "layout/layout.h"
#include "machine/have.h"
#include "machine/machine.h"
#include "plan/settle.h"
#include "tech/kind.h"
#include "tech/md/md.h"

enum { MOST_PLACES = 2048 }; /* more than any metadata has room for */

static void set_places(struct array *r, struct arena *a, int64_t disks)
{
	r->shape.disks = disks > 0 && disks <= MOST_PLACES ? (unsigned)disks : 0;
	for (unsigned i = 0; i < r->shape.disks; i++)
		vec_push(a, &r->places, (struct array_place){ .dev = NULL });
}

static void set_place(struct array *r, int64_t slot, const char *dev)
{
	if (slot >= 0 && (uint64_t)slot < r->places.n)
		r->places.at[slot].dev = dev;
}

/* What the superblocks say that sysfs doesn't, or says otherwise: of metadata 0.90 the kernel shows the UUID in another order. */
static void add_super(struct array *r, struct json_object *super)
{
	const char *uuid = field_text(super, "uuid");

	if (uuid)
		(void)md_uuid_parse(uuid, &r->node.uuid);
}

static struct json_object *super_of(struct json_object *supers, const char *dev)
{
	for (size_t i = 0; i < field_count(supers); i++) {
		struct json_object *s = json_object_array_get_idx(supers, i);

		if (text_eq(field_text(s, "dev"), dev))
			return s;
	}
	return NULL;
}

static void find_members(struct graph *have, struct array *r, struct json_object *members,
			 struct json_object *supers, struct map *used)
{
	for (size_t i = 0; i < field_count(members); i++) {
		struct json_object *m = json_object_array_get_idx(members, i), *super;
		const char *dev = field_text(m, "dev"), *state = field_text(m, "state");

		if (!dev)
			continue;
		have_on(have, &r->node, dev, true);
		(void)map_set(used, dev, r);
		super = super_of(supers, dev);
		if (super)
			add_super(r, super);
		if (text_eq(state, "active"))
			set_place(r, field_int(m, "slot", -1), dev);
		else if (text_eq(state, "spare"))
			vec_push(have->arena, &r->spares, (struct array_place){ .dev = dev });
		if (!r->data_offset && field_int(m, "offset", 0) > 0)
			r->data_offset = (uint64_t)field_int(m, "offset", 0);
	}
}

static void find_running(const struct machine *m, struct graph *have, struct json_object *o,
			 struct json_object *supers, struct map *used)
{
	const char *dev = field_text(o, "dev"), *level = field_text(o, "level"),
		   *metadata = field_text(o, "metadata");
	const struct blockdev *b = dev ? machine_dev(m, arena_printf(have->arena, "/dev/%s", dev)) : NULL;
	struct json_object *now;
	struct array *r;

	if (!b)
		return;
	r = (struct array *)have_add(have, &array_kind, dev, b);
	r->level_text = level ? level : "";
	r->shape.level = level ? md_level(level) : -1;
	r->shape.layout = (int)field_int(o, "layout", 0);
	r->shape.chunk = (uint64_t)field_int(o, "chunk", 0);
	r->shape.metadata = metadata ? md_metadata(metadata) : -1;
	r->component = (uint64_t)field_int(o, "component", 0);
	r->bitmap = field_text(o, "bitmap");
	r->sync = field_text(o, "sync");
	set_places(r, have->arena, field_int(o, "disks", 0));
	r->node.size = b->size;
	r->node.geo = b->geo;
	r->node.dev = b->path;
	now = field_object(field_object(field_object(m->json, "now"), "md"), dev);
	r->degraded = field_number(now, "degraded");
	if (!text_eq(field_text(o, "state"), "running"))
		r->why_not = arena_printf(have->arena, "is %s",
					  field_text(o, "state") ? field_text(o, "state") : "not known");
	find_members(have, r, field_list(o, "members"), supers, used);
}

/* A member of an array that doesn't run: all that say the same UUID make one object, so that what holds the device stays visible. */
static void find_idle(struct graph *have, struct json_object *super, struct map *by_uuid)
{
	struct arena *a = have->arena;
	const char *dev = field_text(super, "dev"), *uuid = field_text(super, "uuid"),
		   *metadata = field_text(super, "metadata");
	struct array *r;

	if (!dev || !uuid)
		return;
	r = map_get(by_uuid, uuid);
	if (!r) {
		r = (struct array *)have_add(have, &array_kind, arena_printf(a, "array %s", uuid), NULL);
		(void)map_set(by_uuid, uuid, r);
		(void)md_uuid_parse(uuid, &r->node.uuid);
		r->why_not = "isn't running";
		r->level_text = "";
		r->shape.level = (int)field_int(super, "level", -1);
		r->shape.layout = (int)field_int(super, "layout", 0);
		r->shape.chunk = (uint64_t)field_int(super, "chunk", 0);
		r->shape.metadata = metadata ? md_metadata(metadata) : -1;
		r->component = (uint64_t)field_int(super, "component", 0);
		r->data_offset = (uint64_t)field_int(super, "offset", 0);
		set_places(r, a, field_int(super, "disks", 0));
	}
	have_on(have, &r->node, dev, true);
	if (field_int(super, "slot", -1) >= 0)
		set_place(r, field_int(super, "slot", -1), dev);
	else
		vec_push(a, &r->spares, (struct array_place){ .dev = dev });
}

int array_find(const struct machine *m, struct graph *have, struct diag *d)
{
	struct json_object *md = field_object(m->json, "md");
	struct json_object *arrays = field_list(md, "arrays"), *supers = field_list(md, "supers");
	struct map used = { .arena = have->arena }, by_uuid = { .arena = have->arena };

	(void)d;
	for (size_t i = 0; i < field_count(arrays); i++)
		find_running(m, have, json_object_array_get_idx(arrays, i), supers, &used);
	for (size_t i = 0; i < field_count(supers); i++) {
		struct json_object *s = json_object_array_get_idx(supers, i);

		if (!field_text(s, "dev") || !map_get(&used, field_text(s, "dev")))
			find_idle(have, s, &by_uuid);
	}
	return 0;
}

/* Its members say which one it is. Where they belong to several, that is for compare() to tell. */
const struct node *array_match(const struct node *want, const struct settle *s)
{
	const struct node *found = NULL;

	(void)s;
	vec_each (const struct edge *, e, &want->below) {
		const struct node *user = e->to->have ? have_user(e->to->have, &array_kind) : NULL;

		if (!user)
			continue;
		if (!found)
			found = user;
		/* A member may be in the wrong array; the one that was made by this layout bears its UUID. */
		if (!uuid_is_zero(want->uuid) && uuid_eq(user->uuid, want->uuid))
			return user;
	}
	return found;
}

static const char *kernel_name(const struct node *want)
{
	return want->have && want->have->block ? want->have->block->name : NULL;
}

static const char *layout_or(struct arena *a, const struct array *r)
{
	const char *text = md_layout_text(a, r->shape.level, r->shape.layout);

	return text ? text : "none";
}

static void compare_shape(const struct array *w, const struct array *h, struct why *why)
{
	struct arena *a = why->arena;
	const struct item *it = &w->words->item;

	if (h->shape.level != w->shape.level) {
		why_add(why, "level", "it is %s, where the layout has %s",
			h->shape.level >= 0 ? md_level_text(a, h->shape.level)
			: *h->level_text    ? h->level_text
					    : "of a level not known",
			md_level_text(a, w->shape.level));
		why_anew(why);
	} else if (item_has(it, "layout") && h->shape.layout != w->shape.layout) {
		why_add(why, "layout", "its layout is %s, not %s", layout_or(a, h), layout_or(a, w));
		why_anew(why);
	}
	if (item_has(it, "chunk") && h->shape.chunk != w->shape.chunk) {
		why_add(why, "chunk", "its chunk is %s, not %s", units_text(a, h->shape.chunk),
			units_text(a, w->shape.chunk));
		why_anew(why);
	}
	if (item_has(it, "metadata") && h->shape.metadata != w->shape.metadata) {
		why_add(why, "metadata", "its metadata is %s, not %s", md_metadata_text(h->shape.metadata),
			md_metadata_text(w->shape.metadata));
		why_anew(why);
	}
	if (item_has(it, "bitmap") && h->bitmap && !text_eq(h->bitmap, w->words->bitmap))
		why_add(why, "bitmap", "its bitmap is '%s', not '%s'", h->bitmap, w->words->bitmap);
	if (item_has(it, "uuid") && !uuid_eq(h->node.uuid, w->words->uuid)) {
		why_add(why, "uuid", "its UUID is %s, not %s", uuid_text(a, h->node.uuid),
			uuid_text(a, w->words->uuid));
		why_anew(why);
	}
}

/* Which place a device has in an array that is there: -1 spare, -2 none. */
static int place_of(const struct array *h, const char *dev)
{
	for (size_t i = 0; i < h->places.n; i++)
		if (text_eq(h->places.at[i].dev, dev))
			return (int)i;
	vec_each (const struct array_place *, p, &h->spares)
		if (text_eq(p->dev, dev))
			return -1;
	return -2;
}

/*
 * Who is in it. Places count for RAID10 alone, where they say who mirrors whom; mdadm itself gives RAID6 members other places than they
 * were named for when one is missing. A member that is a spare is about to be filled.
 */
static void compare_members(const struct array *w, const struct array *h, struct why *why)
{
	size_t absent = 0, missing = 0;

	for (size_t i = 0; i < w->places.n; i++) {
		const struct array_place *p = &w->places.at[i];
		const char *dev = p->node ? kernel_name(p->node) : NULL;
		int place;

		if (!p->node) {
			missing++;
			continue;
		}
		place = dev ? place_of(h, dev) : -2;
		if (place == -2) {
			absent++;
			why_add(why, "devices", "it is degraded: '%s' is missing (%s)", p->node->name,
				dev ? arena_printf(why->arena, "%s is no member of it",
						   p->node->have->block->path)
				    : "there is no such device");
			why_is(why, WHY_DEGRADED);
		} else if (place >= 0 && w->shape.level == 10 && (size_t)place != i) {
			why_add(why, "devices",
				"'%s' is in place %d of it, where the layout has it in place %zu",
				p->node->name, place + 1, i + 1);
		}
	}
	if (h->shape.disks != w->places.n) {
		why_add(why, "devices", "it has %u places for devices, where the layout has %zu",
			h->shape.disks, w->places.n);
		why_anew(why);
	}
	for (size_t i = 0, gaps = 0; i < h->places.n && h->shape.disks == w->places.n; i++) {
		if (h->places.at[i].dev)
			continue;
		/* Those that the layout leaves out, and those told above. */
		if (++gaps <= missing + absent + h->spares.n)
			continue;
		why_add(why, "devices", "it is degraded: nothing is in place %zu", i + 1);
		why_is(why, WHY_DEGRADED);
	}
}

/* Those in it that the layout doesn't know. */
static void compare_others(const struct array *w, const struct array *h, struct why *why)
{
	vec_each (const struct edge *, e, &h->node.below) {
		bool known = false;

		vec_each (const struct edge *, f, &w->node.below)
			known = known || f->to->have == e->to;
		if (known)
			continue;
		why_add(why, "devices", "%s is a member of it, which the layout doesn't name",
			e->to->block ? e->to->block->path : e->to->name);
		why_anew(why);
	}
}

void array_compare(const struct node *want, const struct node *have, struct why *why)
{
	const struct array *w = array_of(want), *h = array_of(have);

	if (h->why_not && !want->closed) {
		why_add(why, NULL, "it %s: 'mdadm --assemble --scan --uuid=%s' may start it", h->why_not,
			md_uuid_text(why->arena, have->uuid));
		/* What came with a used disk will never run; what this layout made may. */
		if (!uuid_eq(w->planned, have->uuid))
			why_anew(why);
		why_is(why, WHY_DANGEROUS);
		return;
	}
	compare_shape(w, h, why);
	compare_members(w, h, why);
	compare_others(w, h, why);
	vec_each (const struct array_place *, p, &w->spares)
		if (place_of(h, kernel_name(p->node) ? kernel_name(p->node) : "") == -2) {
			why_add(why, "spares", "'%s' is no spare of it", p->node->name);
			why_is(why, WHY_DEGRADED);
		}
}

/*
 * A member that is being filled has its place already, one that waits for it is a spare in front of a gap: compare() is content with both.
 * Until they are full, one more that fails may be too many.
 */
void array_health(const struct node *want, const struct settle *s, struct why *why)
{
	const struct array *h;
	uint64_t lacking = 0, missing = 0;

	(void)s;
	if (!want->have) {
		why_absent(why);
		return;
	}
	h = array_of(want->have);
	vec_each (const struct why_line *, line, &why->lines)
		if (line->class == WHY_DEGRADED)
			return; /* compare() has told */
	vec_each (const struct array_place *, p, &array_of(want)->places)
		missing += !p->node;
	vec_each (const struct array_place *, p, &h->places)
		lacking += !p->dev;
	if (h->degraded > lacking)
		lacking = h->degraded;
	if (h->why_not || lacking <= missing)
		return;
	lacking -= missing;
	why_add(why, "devices", "it is degraded: of its %u members %llu %s not filled yet%s%s",
		h->shape.disks, (unsigned long long)lacking, lacking == 1 ? "is" : "are",
		h->sync ? ", md says " : "", h->sync ? h->sync : "");
	why_is(why, WHY_DEGRADED);
}
