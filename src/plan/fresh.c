/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <json-c/json.h>
#include <string.h>

#include "base/arena.h"
#include "base/field.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "plan/saved.h"
#include "tech/kind.h"

/* Kernel numbers and links change from boot to boot without any loss. */
static bool counts(const char *key)
{
	static const char *const free_to_change[] = { "links", "major", "minor", "removable" };

	for (size_t i = 0; i < sizeof(free_to_change) / sizeof(free_to_change[0]); i++)
		if (!strcmp(key, free_to_change[i]))
			return false;
	return true;
}

static struct json_object *device_json(const struct machine *m, const char *name)
{
	struct json_object *devices = field_list(m->json, "devices");

	for (size_t i = 0; i < field_count(devices); i++) {
		struct json_object *o = json_object_array_get_idx(devices, i);

		if (text_eq(field_text(o, "name"), name))
			return o;
	}
	return NULL;
}

/* A recording leaves out what is empty or false, but where it can't be told from "not looked". */
static bool is_nothing(struct json_object *v)
{
	return !v || (json_object_is_type(v, json_type_array) && !json_object_array_length(v)) ||
	       (json_object_is_type(v, json_type_boolean) && !json_object_get_boolean(v));
}

static const char *shown(struct arena *a, struct json_object *v)
{
	return v ? arena_strdup(a, json_object_to_json_string_ext(v, JSON_C_TO_STRING_NOSLASHESCAPE))
		 : "nothing";
}

/* What one recording says of a device and the other says otherwise. */
static unsigned compare_keys(struct json_object *then, struct json_object *now, const char *path, bool both,
			     struct diag *d)
{
	unsigned differ = 0;

	json_object_object_foreach(then, key, value)
	{
		struct json_object *other = NULL;

		if (!counts(key))
			continue;
		json_object_object_get_ex(now, key, &other);
		if ((other && !both) || (is_nothing(value) && is_nothing(other)) ||
		    json_object_equal(value, other))
			continue;
		diag_note(d, nowhere, "%s: %s was %s, is %s", path, key,
			  shown(d->arena, both ? value : other), shown(d->arena, both ? other : value));
		differ++;
	}
	return differ;
}

/* A disk and all that lies on it, by kernel name. */
static text_list family(struct arena *a, const struct machine *m, const char *disk)
{
	struct map seen = { .arena = a };
	text_list names = { 0 };

	vec_push(a, &names, disk);
	map_set(&seen, disk, (void *)disk);
	for (size_t i = 0; i < names.n; i++) {
		const struct blockdev *b = map_get(&m->by_name, names.at[i]);

		if (b)
			vec_each (const char *const *, up, &b->holders)
				if (!map_set(&seen, *up, (void *)*up))
					vec_push(a, &names, *up);
		vec_each (struct blockdev *const *, part, &m->devs)
			if (text_eq((*part)->parent, names.at[i]) && !map_set(&seen, (*part)->name, *part))
				vec_push(a, &names, (*part)->name);
	}
	return names;
}

static bool in_use(const struct machine *m, struct arena *a, const struct blockdev *b)
{
	return machine_mounts_of(m, a, b).n || machine_is_swap(m, b);
}

static unsigned compare_device(const struct machine *then, const struct machine *now, const char *name,
			       struct diag *d)
{
	struct json_object *old = device_json(then, name), *new = device_json(now, name);
	const struct blockdev *was = map_get(&then->by_name, name), *is = map_get(&now->by_name, name);
	const char *path = arena_printf(d->arena, "/dev/%s", name);
	unsigned differ;

	if (!old || !new) {
		diag_note(d, nowhere, "%s %s", path, old ? "is gone" : "was not there");
		return 1;
	}
	differ = compare_keys(old, new, path, true, d) + compare_keys(new, old, path, false, d);
	if (was && is && in_use(now, d->arena, is) != in_use(then, d->arena, was)) {
		diag_note(d, nowhere, "%s is %sin use now", path, in_use(now, d->arena, is) ? "" : "not ");
		differ++;
	}
	return differ;
}

/* The notes come first and the refusal that they belong to behind them would read badly: so it is said first, and taken back if all is well. */
static bool is_disk_fresh(const struct plan *p, const struct machine *now, struct pos pos, const char *called,
			  const char *name, struct diag *d)
{
	text_list then_names = family(d->arena, p->machine, name), now_names = family(d->arena, now, name);
	struct map seen = { .arena = d->arena };
	size_t messages = d->messages.n;
	unsigned differ = 0;

	(void)diag_refuse(d, pos, "disk '%s' isn't what it was when the plan was made: plan again", called);
	vec_each (const char *const *, n, &then_names) {
		map_set(&seen, *n, (void *)*n);
		differ += compare_device(p->machine, now, *n, d);
	}
	vec_each (const char *const *, n, &now_names)
		if (!map_get(&seen, *n))
			differ += compare_device(p->machine, now, *n, d);
	if (!differ) {
		d->messages.n = messages;
		d->refusals--;
	}
	return !differ;
}

bool saved_is_fresh(const struct plan *p, const struct machine *now, struct diag *d)
{
	struct map seen = { .arena = d->arena };
	bool fresh = true;

	vec_each (struct node *const *, n, &p->want->nodes) {
		const struct blockdev *b = !(*n)->below.n && (*n)->have ? (*n)->have->block : NULL;

		if (b && !map_set(&seen, b->name, (void *)b) &&
		    !is_disk_fresh(p, now, (*n)->pos, (*n)->name, b->name, d))
			fresh = false;
	}
	/* What is given up may reach further than the layout. */
	vec_each (const struct loss_disk *, lost, &p->lost)
		if (!map_get(&seen, lost->disk->block->name) &&
		    !is_disk_fresh(p, now, nowhere, lost->name, lost->disk->block->name, d))
			fresh = false;
	return fresh;
}
