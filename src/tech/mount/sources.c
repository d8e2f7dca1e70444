/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tech/mount/sources.h"

#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/text.h"
#include "machine/machine.h"
#include "tech/mount/fstab-parse.h"

const struct signature *source_content(const struct blockdev *b)
{
	const struct signature *content = NULL;

	vec_each (const struct signature *, sig, &b->signatures) {
		/* Of a RAID1 with its superblock at the end, each member shows the filesystem as well: it isn't theirs. */
		if (text_eq(sig->usage, "raid") || text_eq(sig->usage, "crypto"))
			return NULL;
		if (!content && (text_eq(sig->usage, "filesystem") || text_eq(sig->type, "swap")))
			content = sig;
	}
	return content;
}

/* device-mapper's name of a logical volume: '-' doubled, one between. */
static void add_dm_name(struct text *t, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '-')
			text_addc(t, '-');
		text_addc(t, s[i]);
	}
}

const struct blockdev *source_by_path(struct arena *a, const struct machine *m, const char *path)
{
	const struct blockdev *b = machine_dev(m, path);
	struct text name = { .arena = a };
	const char *rest, *slash;

	if (b || !text_starts(path, "/dev/"))
		return b;
	rest = path + strlen("/dev/");
	slash = strchr(rest, '/');
	if (!slash || strchr(slash + 1, '/'))
		return NULL;
	if (text_starts(rest, "mapper/")) {
		text_add(&name, slash + 1);
	} else {
		add_dm_name(&name, rest, (size_t)(slash - rest));
		text_addc(&name, '-');
		add_dm_name(&name, slash + 1, strlen(slash + 1));
	}
	vec_each (struct blockdev *const *, dev, &m->devs)
		if (text_eq((*dev)->dm_name, text_str(&name)))
			return *dev;
	return NULL;
}

static bool same_uuid(const char *a, const char *b)
{
	return a && b && !strcasecmp(a, b);
}

static const struct blockdev *step_up(const struct machine *m, const struct blockdev *b)
{
	const struct signature *mine = source_content(b);

	if (!mine || !mine->uuid)
		return NULL;
	vec_each (const char *const *, name, &b->holders) {
		const struct blockdev *up = machine_dev(m, *name);
		const struct signature *theirs = up ? source_content(up) : NULL;

		if (theirs && same_uuid(theirs->uuid, mine->uuid))
			return up;
	}
	return NULL;
}

const struct blockdev *source_on_top(const struct machine *m, const struct blockdev *b)
{
	/* A recording may be made up: one that goes round in circles ends here, too. */
	for (int level = 0; level < 16; level++) {
		const struct blockdev *up = step_up(m, b);

		if (!up)
			break;
		b = up;
	}
	return b;
}

source_list source_with_uuid(struct arena *a, const struct machine *m, const char *uuid)
{
	source_list list = { 0 };

	vec_each (struct blockdev *const *, dev, &m->devs) {
		const struct signature *sig = source_content(*dev);

		if (sig && same_uuid(sig->uuid, uuid) && !step_up(m, *dev))
			vec_push(a, &list, *dev);
	}
	return list;
}

source_list source_with_label(struct arena *a, const struct machine *m, const char *label)
{
	source_list list = { 0 };

	vec_each (struct blockdev *const *, dev, &m->devs) {
		const struct signature *sig = source_content(*dev);

		if (sig && text_eq(sig->label, label) && !step_up(m, *dev))
			vec_push(a, &list, *dev);
	}
	return list;
}

const struct blockdev *source_device(struct arena *a, const struct machine *m, const char *source)
{
	const char *value;
	source_list list = { 0 };

	if (text_starts(source, "/"))
		return source_by_path(a, m, source);
	if ((value = fstab_tag(a, source, "UUID")))
		list = source_with_uuid(a, m, value);
	else if ((value = fstab_tag(a, source, "LABEL")))
		list = source_with_label(a, m, value);
	return list.n ? list.at[0] : NULL;
}

bool source_is_same(const struct blockdev *a, const struct blockdev *b)
{
	const struct signature *x = source_content(a), *y = source_content(b);

	if (a == b)
		return true;
	return x && y && text_eq(x->type, "btrfs") && text_eq(y->type, "btrfs") &&
	       same_uuid(x->uuid, y->uuid) && !same_uuid(x->uuid_sub, y->uuid_sub);
}

const char *source_names(struct arena *a, const source_list *list)
{
	struct text t = { .arena = a };

	for (size_t i = 0; i < list->n && i < 4; i++)
		text_printf(&t, "%s%s", !i ? "" : i + 1 == list->n ? " and " : ", ", list->at[i]->path);
	if (list->n > 4)
		text_printf(&t, " and %zu more", list->n - 4);
	return text_str(&t);
}

bool source_is_device(const char *source)
{
	static const char *const tags[] = { "UUID=", "LABEL=", "PARTUUID=", "PARTLABEL=", "ID=" };

	if (text_starts(source, "/dev/"))
		return true;
	for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++)
		if (text_starts(source, tags[i]))
			return true;
	return false;
}

bool source_is_elsewhere(const char *type, const char *options)
{
	static const char *const words[] = { "bind", "rbind", "move", "remount" };
	static const char *const types[] = { "none",   "tmpfs",   "ramfs",  "devtmpfs", "proc", "sysfs",
					     "devpts", "overlay", "autofs", "nfs",      "nfs4", "cifs",
					     "smb3",   "ceph",    "9p",     "virtiofs" };

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (text_eq(type, types[i]))
			return true;
	for (size_t i = 0; options && i < sizeof(words) / sizeof(*words); i++)
		if (fstab_has_option(options, words[i]))
			return true;
	return false;
}
