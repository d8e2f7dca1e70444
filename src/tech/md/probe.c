/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/units.h"
#include "machine/machine.h"
#include "machine/probe.h"
#include "tech/md/md.h"

/*
 * Two looks at one machine must record the same: so no counters and nothing of how far a resync is, and of states only whether it runs and
 * who takes part. That a resync is under way is recorded, since who would end the array must know; a look at another time leaves it out.
 * What changes from moment to moment goes to "now", which is looked at but not recorded.
 */

enum { ATTRIBUTE_MAX = 4096 };

static void close_dirp(DIR **d)
{
	if (*d)
		(void)closedir(*d);
}
#define _cleanup_dir_ __attribute__((cleanup(close_dirp)))

/* An attribute without the line's end; "" where there is none. */
static const char *attribute(struct arena *a, int dir, const char *name)
{
	char *s;

	if (file_read(a, dir, name, ATTRIBUTE_MAX, &s, NULL) < 0)
		return "";
	s[strcspn(s, "\n")] = '\0';
	return s;
}

static void add_text(struct json_object *o, const char *key, const char *value)
{
	json_object_object_add(o, key, json_object_new_string(value));
}

static void add_number(struct json_object *o, const char *key, uint64_t value)
{
	json_object_object_add(o, key, json_object_new_uint64(value));
}

/* "faulty", "spare" (waits), "active" (has a place, also while it is being filled). */
static const char *member_state(const char *state, const char *slot)
{
	if (strstr(state, "faulty"))
		return "faulty";
	return slot[0] >= '0' && slot[0] <= '9' ? "active" : "spare";
}

static struct json_object *look_member(struct arena *a, int md, const char *entry)
{
	const char *slot = attribute(a, md, arena_printf(a, "%s/slot", entry));
	const char *state = member_state(attribute(a, md, arena_printf(a, "%s/state", entry)), slot);
	struct json_object *o = json_object_new_object();

	add_text(o, "dev", entry + strlen("dev-"));
	add_text(o, "state", state);
	if (!strcmp(state, "active"))
		add_number(o, "slot", strtoull(slot, NULL, 10));
	add_number(o, "offset",
		   strtoull(attribute(a, md, arena_printf(a, "%s/offset", entry)), NULL, 10) * SECTOR);
	return o;
}

static int by_name(const void *a, const void *b)
{
	return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

static struct json_object *look_members(struct arena *a, int md)
{
	struct json_object *list = json_object_new_array();
	_cleanup_dir_ DIR *d = NULL;
	_cleanup_fd_ int fd = openat(md, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	text_list names = { 0 };

	if (fd < 0)
		return list;
	d = fdopendir(fd);
	if (!d)
		return list;
	(void)take_fd(&fd);
	for (struct dirent *e; (e = readdir(d));)
		if (text_starts(e->d_name, "dev-"))
			vec_push(a, &names, arena_strdup(a, e->d_name));
	if (names.n)
		qsort(names.at, names.n, sizeof(*names.at), by_name);
	vec_each (const char **, name, &names)
		json_object_array_add(list, look_member(a, md, *name));
	return list;
}

static const char *coarse_state(const char *state)
{
	static const char *const running[] = { "clean", "active", "write-pending", "active-idle",
					       "read-auto" };

	for (size_t i = 0; i < sizeof(running) / sizeof(*running); i++)
		if (!strcmp(state, running[i]))
			return "running";
	return *state ? state : "unknown";
}

/* Not "idle", nor "frozen", nor a word that is unknown here. */
static bool is_under_way(const char *action)
{
	static const char *const actions[] = { "resync", "recover", "check", "repair", "reshape" };

	for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++)
		if (!strcmp(action, actions[i]))
			return true;
	return false;
}

static struct json_object *look_array(struct arena *a, const struct blockdev *b)
{
	_cleanup_fd_ int md = open(arena_printf(a, "/sys/block/%s/md", b->name),
				   O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct json_object *o;
	const char *location, *sync;

	if (md < 0)
		return NULL;
	o = json_object_new_object();
	add_text(o, "dev", b->name);
	add_text(o, "state", coarse_state(attribute(a, md, "array_state")));
	add_text(o, "level", attribute(a, md, "level"));
	add_text(o, "metadata", attribute(a, md, "metadata_version"));
	add_number(o, "disks", strtoull(attribute(a, md, "raid_disks"), NULL, 10));
	/* RAID0 has a number of its own there, or -1. */
	json_object_object_add(o, "layout",
			       json_object_new_int64(strtoll(attribute(a, md, "layout"), NULL, 10)));
	add_number(o, "chunk", strtoull(attribute(a, md, "chunk_size"), NULL, 10));
	add_number(o, "component", strtoull(attribute(a, md, "component_size"), NULL, 10) * KIB);
	location = attribute(a, md, "bitmap/location");
	add_text(o, "bitmap",
		 *location == '+' || *location == '-' ? "internal"
		 : *location                          ? location
						      : "none");
	sync = attribute(a, md, "sync_action");
	if (is_under_way(sync))
		add_text(o, "sync", sync);
	json_object_object_add(o, "members", look_members(a, md));
	return o;
}

/* A resync is none: all members hold their data then, only that a crash may have left them unlike. */
static void look_now(struct arena *a, const struct blockdev *b, struct json_object *now)
{
	_cleanup_fd_ int md = open(arena_printf(a, "/sys/block/%s/md", b->name),
				   O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	uint64_t degraded = md >= 0 ? strtoull(attribute(a, md, "degraded"), NULL, 10) : 0;
	struct json_object *o;

	if (!degraded)
		return;
	o = json_object_new_object();
	add_number(o, "degraded", degraded);
	json_object_object_add(now, b->name, o);
}

static int signature_metadata(const struct signature *s)
{
	if (!text_eq(s->type, "linux_raid_member") || !s->version)
		return -1;
	return text_starts(s->version, "0.90") ? MD_METADATA_090 : md_metadata(s->version);
}

/*
 * What a member says. Where it can't be read, what its signature says: which array it is of, and no more. Nor is more of use of a member
 * that the kernel has taken, and its place may be changing just then.
 */
static struct json_object *look_super(struct probe *p, const struct blockdev *b, const struct signature *sig,
				      bool taken)
{
	int metadata = signature_metadata(sig);
	uint64_t place = md_super_place(metadata, b->size);
	struct json_object *o = json_object_new_object();
	uint8_t buf[MD_SUPER_BYTES];
	struct md_super super;
	struct uuid uuid;
	_cleanup_fd_ int fd = -1;

	add_text(o, "dev", b->name);
	add_text(o, "metadata", md_metadata_text(metadata));
	if (sig->uuid && !md_uuid_parse(sig->uuid, &uuid))
		add_text(o, "uuid", uuid_text(p->arena, uuid));
	if (sig->label)
		add_text(o, "name", sig->label);
	if (!p->root || place == UINT64_MAX)
		return o;
	fd = probe_open(p, b->path);
	if (fd < 0 || pread(fd, buf, sizeof(buf), (off_t)place) != (ssize_t)sizeof(buf) ||
	    md_super_parse(buf, metadata, &super) < 0)
		return o;
	add_text(o, "uuid", uuid_text(p->arena, super.uuid));
	if (super.name[0])
		add_text(o, "name", text_safe(p->arena, super.name));
	if (taken)
		return o;
	json_object_object_add(o, "level", json_object_new_int(super.shape.level));
	add_number(o, "disks", super.shape.disks);
	json_object_object_add(o, "layout", json_object_new_int(super.shape.layout));
	add_number(o, "chunk", super.shape.chunk);
	add_number(o, "component", super.component);
	add_number(o, "offset", super.data_offset);
	json_object_object_add(o, "bitmap", json_object_new_boolean(super.bitmap));
	if (super.role >= 0)
		json_object_object_add(o, "slot", json_object_new_int(super.role));
	return o;
}

static bool is_taken(const struct machine *m, const struct blockdev *b)
{
	vec_each (const char *const *, holder, &b->holders) {
		const struct blockdev *up = machine_dev(m, *holder);

		if (up && text_eq(up->type, "md"))
			return true;
	}
	return false;
}

int md_probe(struct probe *p)
{
	struct json_object *md = json_object_new_object(), *arrays = json_object_new_array();
	struct json_object *supers = json_object_new_array(), *now = json_object_new_object();

	vec_each (struct blockdev *const *, b, &p->m->devs) {
		struct json_object *o = text_eq((*b)->type, "md") ? look_array(p->arena, *b) : NULL;

		if (o) {
			json_object_array_add(arrays, o);
			look_now(p->arena, *b, now);
		}
		vec_each (const struct signature *, sig, &(*b)->signatures)
			if (signature_metadata(sig) >= 0) {
				json_object_array_add(supers, look_super(p, *b, sig, is_taken(p->m, *b)));
				break;
			}
	}
	json_object_object_add(md, "arrays", arrays);
	json_object_object_add(md, "supers", supers);
	json_object_object_add(p->out, "md", md);
	probe_now(p, "md", now);
	return 0;
}
