/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/units.h"
#include "machine/machine.h"
#include "machine/parts.h"
#include "machine/probe.h"
#include "tech/kind.h"

enum { TABLE_LIMIT = 16 * MIB };

/* One of the kernel's tables in /proc. */
static const char *read_table(struct machine *m, const char *path, struct diag *d)
{
	char *s;
	int r = file_read(m->arena, AT_FDCWD, path, TABLE_LIMIT, &s, NULL);

	if (!r)
		return s;
	if (r != -ENOENT) /* a kernel without swap */
		diag_warn(d, nowhere, "%s can't be read: %s", path, strerror(-r));
	return "";
}

/* Without it, all would seem to be free. */
static int read_mounts(struct machine *m)
{
	char *s;
	int r = file_read(m->arena, AT_FDCWD, "/proc/self/mountinfo", TABLE_LIMIT, &s, NULL);

	if (!r)
		look_mounts(m, s);
	return r;
}

int machine_mounts_now(const struct machine *m, struct arena *a, struct machine **ret)
{
	struct machine *now = arena_of(a, struct machine);

	*now = *m;
	now->arena = a;
	memset(&now->mounts, 0, sizeof(now->mounts));
	*ret = now;
	return read_mounts(now);
}

static void look_devices(struct machine *m)
{
	size_t kept = 0;

	vec_each (struct blockdev **, at, &m->devs) {
		struct blockdev *dev = *at;

		if (text_eq(dev->type, "dm") && m->root)
			dev->dm_target = look_dm_target(m->arena, dev->major, dev->minor);
		if (look_content(m, dev))
			m->devs.at[kept++] = dev;
	}
	m->devs.n = kept;
}

void probe_now(struct probe *p, const char *name, struct json_object *o)
{
	struct json_object *now;

	if (!json_object_object_get_ex(p->out, "now", &now)) {
		now = json_object_new_object();
		json_object_object_add(p->out, "now", now);
	}
	json_object_object_add(now, name, o);
}

/* Without it, nobody can say which disks are protected: a plan that would write is then an error. To look is not. */
static void look_protected(struct machine *m)
{
	const char *why;

	if (machine_protected_read(m->arena, PROTECTED_FILE, false, &m->protected, &why) < 0)
		m->protected_why = why;
}

void probe_drawn(struct probe *p, const char *id, const char *what, const text_list *devices)
{
	if (p->drawn && id && *id && devices->n)
		vec_push(p->arena, p->drawn,
			 (struct drawn_uuid){ .id = id, .what = what, .devices = *devices });
}

/* Those of members, which libblkid shows. */
static void note_members(struct probe *p)
{
	vec_each (struct blockdev *const *, dev, &p->m->devs) {
		text_list one = { 0 };

		vec_push(p->arena, &one, (*dev)->name);
		vec_each (const struct signature *, s, &(*dev)->signatures)
			probe_drawn(p, s->drawn,
				    arena_printf(p->arena, "the member %s of a %s", (*dev)->path, s->type),
				    &one);
	}
}

static void ask_rooms(struct machine *m, struct diag *d)
{
	struct probe p = {
		.arena = m->arena, .diag = d, .m = m, .out = m->json, .drawn = &m->drawn, .root = m->root
	};

	for (const struct room *const *r = rooms; *r; r++)
		if ((*r)->probe)
			(void)(*r)->probe(&p); /* it has said what is missing; the rest is worth having */
	note_members(&p);
	record_put_drawn(m->json, m);
}

int machine_read_live(struct arena *a, const char *root, const char *state, struct diag *d,
		      struct machine **ret)
{
	struct machine *m = arena_of(a, struct machine);
	const char *what;
	int r;

	*m = (struct machine){ .arena = a, .source = "this machine", .live = true, .root = geteuid() == 0 };
	r = look_sysfs(m, "/sys", d);
	if (r < 0)
		return r;
	(void)machine_index(m, &what); /* in the order of names; udev's links come after */
	look_udev(m);
	look_devices(m);
	look_strays(m, d);
	(void)machine_index(m, &what); /* the kernel's names are unique, and each link was given once */
	r = read_mounts(m);
	if (r)
		return diag_error(d, nowhere, "cannot tell what is mounted: /proc/self/mountinfo: %s",
				  strerror(-r));
	look_swaps(m, read_table(m, "/proc/swaps", d));
	look_files(m, root, d);
	look_tools(m);
	look_protected(m);
	look_journal(m, state ? state : STATE_DIR, d);
	machine_keep_json(m, record_build(m));
	ask_rooms(m, d);
	*ret = m;
	return 0;
}
