/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <json-c/json.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/field.h"
#include "base/file.h"
#include "base/text.h"
#include "base/uuid.h"
#include "machine/have.h"
#include "machine/machine.h"
#include "machine/probe.h"
#include "tech/fs.h"

/* Filesystems that are there: what blkid says of them, and what the rooms read themselves. */

const struct signature *fs_signature(const struct blockdev *b, const char *type)
{
	const struct signature *found = NULL;

	vec_each (const struct signature *, sig, &b->signatures) {
		/* A mirror's member (metadata 1.0) shows the filesystem that lies on the array. */
		if (text_eq(sig->usage, "raid") || text_eq(sig->usage, "crypto"))
			return NULL;
		if (text_eq(sig->type, type))
			found = sig;
	}
	return found;
}

int fs_find_type(const struct machine *m, struct graph *have, const struct kind *kind, const char *type)
{
	vec_each (struct blockdev *const *, b, &m->devs) {
		const struct signature *sig = fs_signature(*b, type);
		struct node *n;
		struct fs *fs;

		if (!sig)
			continue;
		n = have_add(have, kind, arena_printf(have->arena, "%s on %s", type, (*b)->name), NULL);
		n->size = (*b)->size;
		n->dev = (*b)->path;
		n->geo = (*b)->geo;
		fs = as_fs(n);
		fs->on = (*b)->name;
		fs->uuid = sig->uuid;
		fs->label = sig->label && *sig->label ? sig->label : NULL;
		if (sig->uuid)
			(void)uuid_read(sig->uuid, &n->uuid); /* vfat's is none */
		(void)fs_recorded(m, type, (*b)->name, "used", &n->used);
		have_on(have, n, (*b)->name, true);
	}
	return 0;
}

/* Derived ones are of version 5, or a part of such a one. */
static bool may_be_ours(const char *text)
{
	struct uuid u;

	return text && (uuid_read(text, &u) < 0 || u.b[6] >> 4 == 5);
}

void fs_probe_broken(struct probe *p, const char *type, const struct blockdev *b, const char *const *checker,
		     struct json_object *out)
{
	const struct signature *sig = fs_signature(b, type);
	VEC(const char *) argv = { 0 };
	int status = 0;

	if (p->m->journal || !field_number(out, "empty") || !sig || !may_be_ours(sig->uuid) || b->holders.n ||
	    machine_mounts_of(p->m, p->arena, b).n)
		return;
	for (; *checker; checker++)
		vec_push(p->arena, &argv, *checker);
	vec_push(p->arena, &argv, b->path);
	vec_push(p->arena, &argv, NULL);
	if (!probe_status(p, argv.at, &status) && status)
		json_object_object_add(out, "broken", json_object_new_int(1));
}

int fs_probe_devices(struct probe *p, const char *type, const char *const *checker,
		     bool (*read)(int fd, uint64_t size, struct json_object *out))
{
	struct json_object *all = NULL;

	if (!p->root)
		return 0;
	vec_each (struct blockdev *const *, b, &p->m->devs) {
		_cleanup_fd_ int fd = -1;
		struct json_object *one;

		if (!fs_signature(*b, type))
			continue;
		fd = probe_open(p, (*b)->path);
		if (fd < 0)
			continue;
		one = json_object_new_object();
		if (!read(fd, (*b)->size, one)) {
			json_object_put(one);
			continue;
		}
		if (machine_mounts_of(p->m, p->arena, *b).n)
			json_object_object_del(one, "used");
		if (checker)
			fs_probe_broken(p, type, *b, checker, one);
		if (!all)
			all = json_object_new_object();
		json_object_object_add(all, (*b)->name, one);
	}
	if (all)
		json_object_object_add(p->out, type, all);
	return 0;
}

void fs_add_empty(struct json_object *out, bool empty)
{
	json_object_object_add(out, "empty", json_object_new_int(empty));
}

void fs_find_empty(const struct machine *m, struct graph *have, size_t first, const char *type)
{
	for (size_t i = first; i < have->nodes.n; i++) {
		struct fs *fs = as_fs(have->nodes.at[i]);
		uint64_t empty = 0, broken = 0;

		(void)fs_recorded(m, type, fs->on, "empty", &empty);
		(void)fs_recorded(m, type, fs->on, "broken", &broken);
		fs->left = !empty ? LEFTOVER_NOT : broken ? LEFTOVER_HALF : LEFTOVER_EMPTY;
	}
}

bool fs_recorded(const struct machine *m, const char *type, const char *dev, const char *key, uint64_t *ret)
{
	return field_has_number(field_object(field_object(m->json, type), dev), key, ret);
}
