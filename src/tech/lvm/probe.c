/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/field.h"
#include "base/text.h"
#include "machine/machine.h"
#include "machine/probe.h"
#include "tech/lvm/lvm.h"

/*
 * LVM's report as a recording keeps it: kernel names for devices, numbers as numbers, everything in a fixed order; without sequence numbers and
 * times. The UUIDs of groups and volumes, which LVM draws, are kept apart from it: probe_drawn().
 */

enum { REPORT_MAX = 16 << 20 };

/* LVM's values are all strings. */
static const char *get_text(struct json_object *o, const char *key)
{
	const char *s = field_text(o, key);

	return s ? s : "";
}

static void add_text(struct json_object *o, const char *key, const char *value)
{
	json_object_object_add(o, key, json_object_new_string(value));
}

/* Numbers come as text. */
static void add_number(struct json_object *o, const char *key, const char *value)
{
	json_object_object_add(o, key, json_object_new_uint64(strtoull(value, NULL, 10)));
}

static int by_text(const void *a, const void *b)
{
	struct json_object *const *x = a, *const *y = b;

	return strverscmp(json_object_to_json_string_ext(*x, JSON_C_TO_STRING_PLAIN),
			  json_object_to_json_string_ext(*y, JSON_C_TO_STRING_PLAIN));
}

/*
 * Whether LVM could not read a device's copy of the metadata. There is no field for it, only messages, of which this one comes with each such
 * fault; a count of no copies may be as somebody wanted it. Seen with 2.03.16 and, with a capital letter, 2.03.38. @log: of the report.
 */
static bool is_damaged(struct json_object *log, const char *dev)
{
	static const char said[] = "WARNING: repair VG metadata on ",
			  advice[] = " with vgck --updatemetadata";
	size_t n = strlen(said), len = strlen(dev);

	for (size_t i = 0; len && i < field_count(log); i++) {
		const char *message = get_text(json_object_array_get_idx(log, i), "log_message");

		if (!strncasecmp(message, said, n) && !strncmp(message + n, dev, len) &&
		    text_starts(message + n + len, advice))
			return true;
	}
	return false;
}

static struct json_object *report_pvs(struct json_object *list, struct json_object *log,
				      const struct machine *m)
{
	struct json_object *out = json_object_new_array();

	for (size_t i = 0; i < field_count(list); i++) {
		struct json_object *row = json_object_array_get_idx(list, i), *o = json_object_new_object();
		const struct blockdev *b = machine_dev(m, get_text(row, "pv_name"));

		json_object_object_add(o, "dev",
				       b && !*get_text(row, "pv_missing") ? json_object_new_string(b->name)
									  : NULL);
		add_text(o, "uuid", get_text(row, "pv_uuid"));
		add_number(o, "start", get_text(row, "pe_start"));
		add_number(o, "extents", get_text(row, "pv_pe_count"));
		if (is_damaged(log, get_text(row, "pv_name")))
			json_object_object_add(o, "damaged", json_object_new_boolean(true));
		json_object_array_add(out, o);
	}
	json_object_array_sort(out, by_text);
	return out;
}

static struct json_object *report_volumes(struct json_object *lvs, struct json_object *segs)
{
	struct json_object *out = json_object_new_array();

	for (size_t i = 0; i < field_count(lvs); i++) {
		struct json_object *row = json_object_array_get_idx(lvs, i), *o = json_object_new_object(),
				   *seg = NULL;

		/* Of volumes that were grown with another number of stripes the first segment speaks; its order is by place. */
		for (size_t k = 0; k < field_count(segs) && !seg; k++)
			if (!strcmp(get_text(json_object_array_get_idx(segs, k), "lv_name"),
				    get_text(row, "lv_name")))
				seg = json_object_array_get_idx(segs, k);
		add_text(o, "name", get_text(row, "lv_name"));
		add_number(o, "size", get_text(row, "lv_size"));
		add_text(o, "type", seg ? get_text(seg, "segtype") : "unknown");
		add_number(o, "stripes", seg ? get_text(seg, "stripes") : "0");
		add_number(o, "stripe-size", seg ? get_text(seg, "stripe_size") : "0");
		json_object_array_add(out, o);
	}
	json_object_array_sort(out, by_text);
	return out;
}

/* All extents, in the report's order: by device, then by place. */
static struct json_object *report_extents(struct json_object *list)
{
	struct json_object *out = json_object_new_array();

	for (size_t i = 0; i < field_count(list); i++) {
		struct json_object *row = json_object_array_get_idx(list, i), *o = json_object_new_object();

		add_text(o, "pv", get_text(row, "pv_uuid"));
		add_number(o, "start", get_text(row, "pvseg_start"));
		add_number(o, "count", get_text(row, "pvseg_size"));
		json_object_object_add(
			o, "lv",
			*get_text(row, "lv_name") ? json_object_new_string(get_text(row, "lv_name")) : NULL);
		json_object_array_add(out, o);
	}
	json_object_array_sort(out, by_text);
	return out;
}

struct json_object *lvm_report(struct arena *a, const char *text, const struct machine *m)
{
	struct json_object *in = json_tokener_parse(text), *lvm, *groups, *orphans = NULL, *list, *log;

	(void)a;
	list = field_list(in, "report");
	if (!list) {
		json_object_put(in);
		return NULL;
	}
	log = field_list(in, "log");
	groups = json_object_new_array();
	for (size_t i = 0; i < field_count(list); i++) {
		struct json_object *r = json_object_array_get_idx(list, i), *o;
		struct json_object *vg = field_count(field_list(r, "vg"))
						 ? json_object_array_get_idx(field_list(r, "vg"), 0)
						 : NULL;

		if (!vg || !*get_text(vg, "vg_name")) {
			if (!orphans)
				orphans = report_pvs(field_list(r, "pv"), log, m);
			continue;
		}
		o = json_object_new_object();
		add_text(o, "name", get_text(vg, "vg_name"));
		add_number(o, "extent", get_text(vg, "vg_extent_size"));
		json_object_object_add(o, "pvs", report_pvs(field_list(r, "pv"), log, m));
		json_object_object_add(o, "lvs", report_volumes(field_list(r, "lv"), field_list(r, "seg")));
		json_object_object_add(o, "extents", report_extents(field_list(r, "pvseg")));
		json_object_array_add(groups, o);
	}
	json_object_array_sort(groups, by_text);
	lvm = json_object_new_object();
	json_object_object_add(lvm, "groups", groups);
	json_object_object_add(lvm, "pvs", orphans ? orphans : json_object_new_array());
	json_object_put(in);
	return lvm;
}

/* Those of a group's devices on which a volume lies; NULL: all of them. */
static text_list devices_of(struct arena *a, const struct machine *m, struct json_object *report,
			    const char *lv_name)
{
	struct json_object *pvs = field_list(report, "pv"), *segs = field_list(report, "pvseg");
	text_list devices = { 0 };

	for (size_t i = 0; i < field_count(pvs); i++) {
		struct json_object *pv = json_object_array_get_idx(pvs, i);
		const struct blockdev *b = machine_dev(m, get_text(pv, "pv_name"));
		bool on = !lv_name;

		for (size_t k = 0; k < field_count(segs) && !on; k++) {
			struct json_object *seg = json_object_array_get_idx(segs, k);

			on = !strcmp(get_text(seg, "pv_uuid"), get_text(pv, "pv_uuid")) &&
			     lvm_belongs_to(get_text(seg, "lv_name"), lv_name);
		}
		if (on && b && !*get_text(pv, "pv_missing"))
			vec_push(a, &devices, b->name);
	}
	return devices;
}

static void note_group(struct probe *p, struct json_object *report)
{
	struct json_object *vgs = field_list(report, "vg"), *lvs = field_list(report, "lv"), *vg;
	text_list all = devices_of(p->arena, p->m, report, NULL);
	const char *name;

	if (!field_count(vgs))
		return;
	vg = json_object_array_get_idx(vgs, 0);
	name = get_text(vg, "vg_name");
	probe_drawn(p, arena_strdup(p->arena, get_text(vg, "vg_uuid")),
		    arena_printf(p->arena, "volume group %s", name), &all);
	for (size_t i = 0; i < field_count(lvs); i++) {
		struct json_object *lv = json_object_array_get_idx(lvs, i);
		const char *lv_name = get_text(lv, "lv_name");
		text_list on = devices_of(p->arena, p->m, report, lv_name);

		/* Where it lies isn't known of each type. */
		probe_drawn(p, arena_strdup(p->arena, get_text(lv, "lv_uuid")),
			    arena_printf(p->arena, "volume %s/%s", name, lv_name), on.n ? &on : &all);
	}
}

void lvm_note_uuids(struct probe *p, const char *text)
{
	struct json_object *in = json_tokener_parse(text), *list = field_list(in, "report");

	for (size_t i = 0; i < field_count(list); i++)
		note_group(p, json_object_array_get_idx(list, i));
	json_object_put(in);
}

int lvm_probe(struct probe *p)
{
	/* --readonly takes no locks and leaves device-mapper alone; which volumes are active is seen by their devices. */
	static const char *const argv[] = { "lvm",
					    "fullreport",
					    "--readonly",
					    "--reportformat",
					    "json",
					    "--units",
					    "b",
					    "--nosuffix",
					    "--config",
					    "log/report_command_log=1",
					    "--configreport",
					    "vg",
					    "-o",
					    "vg_name,vg_uuid,vg_extent_size",
					    "--configreport",
					    "pv",
					    "-o",
					    "pv_name,pv_uuid,pe_start,pv_pe_count,pv_missing",
					    "--configreport",
					    "lv",
					    "-o",
					    "lv_name,lv_uuid,lv_size",
					    "--configreport",
					    "pvseg",
					    "-o",
					    "pv_uuid,pvseg_start,pvseg_size,lv_name",
					    "--configreport",
					    "seg",
					    "-o",
					    "lv_name,seg_start_pe,segtype,stripes,stripe_size",
					    "-O",
					    "lv_name,seg_start_pe",
					    NULL };
	struct json_object *lvm;
	char *text;
	int r;

	if (!p->root)
		return 0;
	r = probe_run(p, argv, REPORT_MAX, &text);
	if (r < 0)
		return 0; /* LVM isn't installed, or probe_run() has said why it can't answer */
	lvm = lvm_report(p->arena, text, p->m);
	if (!lvm) {
		diag_warn(p->diag, nowhere, "LVM's report could not be read");
		return 0;
	}
	json_object_object_add(p->out, "lvm", lvm);
	lvm_note_uuids(p, text);
	return 0;
}
