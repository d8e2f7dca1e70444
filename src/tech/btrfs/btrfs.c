/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/field.h"
#include "base/file.h"
#include "base/units.h"
#include "machine/have.h"
#include "machine/machine.h"
#include "machine/probe.h"
#include "plan/settle.h"
#include "plan/step.h"
#include "tech/btrfs/btrfs-profile.h"
#include "tech/btrfs/btrfs-read.h"
#include "tech/fs.h"
#include "tech/twins.h"

enum { LABEL_MOST = 255 };

struct btrfs_item {
	struct fs_item fs;
	const char *profile, *data, *metadata;
};

struct btrfs {
	struct fs fs;
	const char *data,
		*metadata; /* settled (want), or found (have): NULL: not known; "raid1, single" where both are there */
	uint64_t devices; /* have: as many as it should have; 0: not known */
};

#define PROFILES "single dup raid0 raid1 raid1c3 raid1c4 raid10 raid5 raid6"

static const struct key btrfs_keys[] = {
	KEY(WORD, struct btrfs_item, profile, .one_of = PROFILES, .example = "raid1",
	    .doc = "How data and metadata are laid out on the devices. If absent: on one device data single "
		   "and metadata dup, on several both "
		   "raid1."),
	KEY(WORD, struct btrfs_item, data, .one_of = PROFILES, .unless = "profile",
	    .doc = "The same for data alone."),
	KEY(WORD, struct btrfs_item, metadata, .one_of = PROFILES, .unless = "profile",
	    .doc = "The same for metadata alone. If absent beside `data`, it bears at least the loss that "
		   "data bears."),
	{ 0 },
};

static struct btrfs *as_btrfs(struct node *n)
{
	return (struct btrfs *)n;
}

static const struct btrfs *btrfs_of(const struct node *n)
{
	return (const struct btrfs *)n;
}

static const struct btrfs_item *item_of(const struct node *n)
{
	return (const struct btrfs_item *)fs_of(n)->item;
}

static const char *stated_data(const struct btrfs_item *it)
{
	return it->profile ? it->profile : it->data;
}

static const char *stated_metadata(const struct btrfs_item *it)
{
	return it->profile ? it->profile : it->metadata;
}

/* Stated, or what a careful administrator would take. mkfs.btrfs itself leaves the data of several devices single. */
static const struct profile *data_of(const struct node *want)
{
	const char *stated = stated_data(item_of(want));

	return profile_get(stated ? stated : want->below.n > 1 ? "raid1" : "single");
}

static const struct profile *metadata_of(const struct node *want)
{
	const char *stated = stated_metadata(item_of(want));

	if (stated)
		return profile_get(stated);
	return want->below.n > 1 ? profile_mirror(data_of(want)->tolerates) : profile_get("dup");
}

static unsigned want_tolerates(const struct node *want)
{
	unsigned data = data_of(want)->tolerates, metadata = metadata_of(want)->tolerates;

	return data < metadata ? data : metadata;
}

static const struct fs_word elsewhere[] = {
	{ "-L", "state the key 'label'" },
	{ "--label", "state the key 'label'" },
	{ "-U", "state the key 'uuid'" },
	{ "--uuid", "state the key 'uuid'" },
	{ "-d", "state the key 'data'" },
	{ "--data", "state the key 'data'" },
	{ "-m", "state the key 'metadata'" },
	{ "--metadata", "state the key 'metadata'" },
	{ 0 },
};

/* mkfs.btrfs takes every word that belongs to no option for one more device, and with -f overwrites what is there. */
static int check_positions(const struct node *want, struct diag *d)
{
	/* Those that the plan sets itself as well: that they can't be here has been said. */
	static const char *const with_value[] = { "-A",         "-b",           "-d",
						  "-L",         "-m",           "-n",
						  "-O",         "-r",           "-R",
						  "-s",         "-u",           "-U",
						  "--data",     "--metadata",   "--label",
						  "--uuid",     "--csum",       "--rootdir",
						  "--features", "--subvol",     "--runtime-features",
						  "--nodesize", "--sectorsize", "--byte-count",
						  "--checksum" };
	const struct fs_item *it = fs_of(want)->item;
	int r = 0;

	for (size_t i = 0; i < it->mkfs.n; i++) {
		const char *word = it->mkfs.at[i];
		bool option = word[0] == '-' && word[1] && strcmp(word, "--") != 0, value = false;

		for (size_t k = 0; option && k < sizeof(with_value) / sizeof(*with_value); k++)
			value |= text_eq(word, with_value[k]);
		if (value)
			i++;
		else if (!option)
			r = diag_error(d, item_pos_at(&it->item, "mkfs", i),
				       "'%s' is no value of an option: mkfs.btrfs would take it for one more "
				       "device to overwrite",
				       text_short(d->arena, word));
	}
	return r;
}

static const char *key_of(const struct btrfs_item *it, const char *key)
{
	return it->profile ? "profile" : key;
}

static int check_profile(const struct node *want, const struct profile *p, const char *key, struct diag *d)
{
	struct pos pos = item_pos(want->item, key_of(item_of(want), key));
	size_t n = want->below.n;

	if (n < p->least)
		return diag_error(d, pos, "%s needs %u devices, and '%s' has %zu", p->name, p->least,
				  want->name, n);
	if (n > 1 && p->copies > 1)
		return diag_error(d, pos,
				  "dup may put both copies on one device, and '%s' has %zu: take raid1",
				  want->name, n);
	if (p->parity)
		diag_warn(d, pos,
			  "%s of btrfs can lose data when power fails while a device is missing%s: raid1 "
			  "doesn't, nor does an array below",
			  p->name, !strcmp(key, "metadata") ? ", and here it would be metadata" : "");
	return 0;
}

/* Copies on one disk go together. Only what stands on a single disk can be judged here: a volume may lie anywhere in its group. */
static void warn_one_disk(const struct node *want, struct diag *d)
{
	unsigned tolerates = want_tolerates(want);
	const struct node **disks = arena_alloc(d->arena, want->below.n * sizeof(const struct node *));

	if (!tolerates)
		return;
	for (size_t i = 0; i < want->below.n; i++) {
		node_list on = node_disks(d->arena, want->below.at[i].to);
		unsigned same = 0;
		size_t first = i;

		if (on.n != 1)
			continue;
		disks[i] = on.at[0];
		for (size_t k = 0; k < i; k++)
			if (disks[k] == disks[i]) {
				same++;
				first = first == i ? k : first;
			}
		if (same != tolerates)
			continue;
		diag_warn(d, want->below.at[i].pos,
			  "'%s' and '%s' lie on one disk, '%s': '%s' won't outlive it as %s should",
			  want->below.at[first].to->name, want->below.at[i].to->name, on.at[0]->name,
			  want->name, data_of(want)->name);
	}
}

static int btrfs_check(const struct node *want, struct diag *d)
{
	int r[] = {
		fs_check_label(want, LABEL_MOST, d),
		fs_check_uuid(want, d),
		fs_check_words(want, elsewhere, d),
		check_positions(want, d),
		check_profile(want, data_of(want), "data", d),
		0,
	};

	if (!item_of(want)->profile)
		r[5] = check_profile(want, metadata_of(want), "metadata", d);
	for (size_t i = 0; i < sizeof(r) / sizeof(*r); i++)
		if (r[i] < 0)
			return r[i];
	warn_one_disk(want, d);
	return 0;
}

/*
 * What the probe records: "btrfs": { UUID: { "devices", "used", "data", "metadata", "system", "busy", "members": { "sda1": devid } } }. Of a mounted
 * filesystem the kernel tells the profiles; what lies on the devices then may be half written, and an old page of it cached.
 */

struct member {
	const char *name;
	int fd;
	struct btrfs_super super;
};

struct members {
	struct member *at;
	size_t n;
};

static int read_member(void *data, uint64_t devid, uint64_t offset, void *buf, size_t len)
{
	const struct members *list = data;

	if (offset > INT64_MAX)
		return -EINVAL;
	for (size_t i = 0; i < list->n; i++)
		if (list->at[i].super.devid == devid &&
		    pread(list->at[i].fd, buf, len, (off_t)offset) == (ssize_t)len)
			return 0;
	return -EIO;
}

/* A directory for each profile in use lies in /sys/fs/btrfs/UUID/allocation/data, beside plain files. */
static const char *sysfs_profiles(struct arena *a, const char *uuid, const char *what)
{
	const char *path = arena_printf(a, "/sys/fs/btrfs/%s/allocation/%s", uuid, what);
	DIR *dir = opendir(path);
	const struct dirent *e;
	uint64_t flags = 0;
	bool single = false;

	if (!dir)
		return NULL;
	while ((e = readdir(dir))) {
		const struct profile *p = profile_get(e->d_name);
		struct stat st;

		if (!p || fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISDIR(st.st_mode))
			continue;
		flags |= p->flag;
		single |= !p->flag;
	}
	(void)closedir(dir);
	return profile_names(a, flags, single);
}

static bool read_sysfs(struct arena *a, const char *uuid, struct btrfs_chunks *ret)
{
	struct btrfs_chunks c = { .data = sysfs_profiles(a, uuid, "data"),
				  .metadata = sysfs_profiles(a, uuid, "metadata"),
				  .system = sysfs_profiles(a, uuid, "system") };

	if (!c.data || !c.metadata || !c.system)
		return false;
	*ret = c;
	return true;
}

/* Opens those of one filesystem that can be read. A stale device has an old generation: the newest tells where the chunk tree is. */
static const struct btrfs_super *open_members(struct probe *p, const char *uuid, struct members *list)
{
	const struct btrfs_super *newest = NULL;

	list->at = arena_alloc(p->arena, p->m->devs.n * sizeof(*list->at));
	vec_each (struct blockdev *const *, b, &p->m->devs) {
		const struct signature *sig = fs_signature(*b, "btrfs");
		struct member *one = &list->at[list->n];
		uint8_t super[BTRFS_SUPER_SIZE];

		if (!sig || !text_eq(sig->uuid, uuid))
			continue;
		one->name = (*b)->name;
		one->fd = probe_open(p, (*b)->path);
		if (one->fd < 0)
			continue;
		if (pread(one->fd, super, sizeof(super), BTRFS_SUPER_AT) != (ssize_t)sizeof(super) ||
		    btrfs_read_super(super, &one->super) < 0) {
			(void)close(one->fd);
			continue;
		}
		list->n++;
	}
	for (size_t i = 0; i < list->n; i++)
		if (!newest || list->at[i].super.generation > newest->generation)
			newest = &list->at[i].super;
	return newest;
}

static void add_text(struct json_object *o, const char *key, const char *text)
{
	json_object_object_add(o, key, json_object_new_string(text));
}

/* "balance", "device replace", ...; the kernel has it since 5.11. Not a scrub, which only reads, or writes what it reads. */
static const char *exclusive_operation(struct arena *a, const char *uuid)
{
	char *s;

	if (file_read(a, AT_FDCWD, arena_printf(a, "/sys/fs/btrfs/%s/exclusive_operation", uuid), 4096, &s,
		      NULL) < 0)
		return NULL;
	s[strcspn(s, "\n")] = '\0';
	return !*s || text_eq(s, "none") ? NULL : s;
}

/* One that a power cut has left unreadable tells by the number of its commits that nobody can have used it for long. */
enum { YOUNG = 64 };

/* "empty": 1, where nobody has ever put anything there; "young": 1, where that can't be read. */
static void add_empty(struct probe *p, const struct btrfs_super *super, struct members *list,
		      struct json_object *out)
{
	bool empty;
	int r = super ? btrfs_read_empty(p->arena, super, read_member, list, &empty) : 0;

	if (!super)
		return;
	if (!r)
		fs_add_empty(out, empty);
	else if (super->generation <= YOUNG)
		json_object_object_add(out, "young", json_object_new_int(1));
}

static struct json_object *probe_one(struct probe *p, const char *uuid)
{
	struct json_object *out = json_object_new_object(), *names;
	struct members list = { 0 };
	struct btrfs_chunks chunks;
	const char *busy = exclusive_operation(p->arena, uuid);
	const struct btrfs_super *super = p->root ? open_members(p, uuid, &list) : NULL;
	bool is_mounted;

	if (super)
		json_object_object_add(out, "devices",
				       json_object_new_int64((int64_t)(super->devices & INT64_MAX)));
	is_mounted = read_sysfs(p->arena, uuid, &chunks);
	/* Of a mounted one the superblock lags behind, and no two looks would agree. */
	if (super && !is_mounted)
		json_object_object_add(out, "used",
				       json_object_new_int64((int64_t)(super->used & INT64_MAX)));
	if (is_mounted || (super && !btrfs_read_chunks(p->arena, super, read_member, &list, &chunks))) {
		add_text(out, "data", chunks.data);
		add_text(out, "metadata", chunks.metadata);
		add_text(out, "system", chunks.system);
	}
	if (busy)
		add_text(out, "busy", busy);
	add_empty(p, super, &list, out);
	names = json_object_new_object();
	for (size_t i = 0; i < list.n; i++) {
		json_object_object_add(names, list.at[i].name,
				       json_object_new_int64((int64_t)(list.at[i].super.devid & INT64_MAX)));
		(void)close(list.at[i].fd);
	}
	json_object_object_add(out, "members", names);
	return out;
}

static int btrfs_probe(struct probe *p)
{
	static const char *const checker[] = { "btrfs", "check", "--readonly", NULL };
	struct json_object *all = NULL;

	vec_each (struct blockdev *const *, b, &p->m->devs) {
		const struct signature *sig = fs_signature(*b, "btrfs");
		struct uuid u;

		/* It becomes a part of a path. */
		if (!sig || !sig->uuid || uuid_read(sig->uuid, &u) < 0 ||
		    !text_eq(uuid_text(p->arena, u), sig->uuid))
			continue;
		if (!all)
			all = json_object_new_object();
		if (!json_object_object_get_ex(all, sig->uuid, NULL)) {
			struct json_object *one = probe_one(p, sig->uuid);

			fs_probe_broken(p, "btrfs", *b, checker, one);
			json_object_object_add(all, sig->uuid, one);
		}
	}
	if (all)
		json_object_object_add(p->out, "btrfs", all);
	return 0;
}

static uint64_t btrfs_extent(const char *type, const uint8_t *at, size_t len)
{
	struct btrfs_super super;

	if (!text_eq(type, "btrfs") || len < BTRFS_SUPER_AT + BTRFS_SUPER_SIZE ||
	    btrfs_read_super(at + BTRFS_SUPER_AT, &super) < 0)
		return 0;
	return super.size <= INT64_MAX ? super.size : 0;
}

static struct json_object *record_of(const struct machine *m, const char *uuid)
{
	return uuid ? field_object(field_object(m->json, "btrfs"), uuid) : NULL;
}

/* Two devices that say they are the same one of a filesystem: a clone, and mounting may write to either. */
static void warn_clones(const char *uuid, struct json_object *record, struct diag *d)
{
	struct map seen = { .arena = d->arena };
	struct json_object *members = field_object(record, "members");

	if (!members)
		return;
	json_object_object_foreach(members, name, devid)
	{
		const char *id = arena_printf(d->arena, "%" PRIi64, json_object_get_int64(devid));
		const char *first = map_set(&seen, id, name);

		if (first)
			diag_warn(d, nowhere,
				  "%s and %s both say that they are device %s of the btrfs %s: one is a "
				  "clone, and mounting may harm both",
				  first, name, id, uuid);
	}
}

static const struct fs_kind btrfs_kind;

static struct btrfs *add_found(const struct machine *m, struct graph *have, const struct signature *sig,
			       const struct blockdev *first, struct diag *d)
{
	struct json_object *record = record_of(m, sig->uuid);
	struct text name = { .arena = have->arena };
	struct btrfs *b;

	text_printf(&name, "btrfs on %s", first->name);
	for (size_t i = 0; sig->uuid && i < m->devs.n; i++) {
		const struct signature *other = fs_signature(m->devs.at[i], "btrfs");

		if (m->devs.at[i] != first && other && text_eq(other->uuid, sig->uuid))
			text_printf(&name, ", %s", m->devs.at[i]->name);
	}
	b = as_btrfs(have_add(have, &btrfs_kind.kind, text_str(&name), NULL));
	b->fs.node.dev = first->path;
	b->fs.node.geo = first->geo;
	b->fs.on = first->name;
	b->fs.uuid = sig->uuid;
	b->fs.label = sig->label && *sig->label ? sig->label : NULL;
	if (sig->uuid)
		(void)uuid_read(sig->uuid, &b->fs.node.uuid);
	if (record) {
		b->data = arena_strdup(have->arena, field_text(record, "data"));
		b->metadata = arena_strdup(have->arena, field_text(record, "metadata"));
		(void)field_has_number(record, "devices", &b->devices);
		b->fs.left = !field_number(record, "empty")
				     ? (field_number(record, "young") ? LEFTOVER_OURS : LEFTOVER_NOT)
			     : field_number(record, "broken") ? LEFTOVER_HALF
							      : LEFTOVER_EMPTY;
		(void)field_has_number(record, "used", &b->fs.node.used);
		warn_clones(sig->uuid, record, d);
	}
	return b;
}

/* The devices of one filesystem bear one UUID. */
static int btrfs_find(const struct machine *m, struct graph *have, struct diag *d)
{
	struct map by_uuid = { .arena = have->arena };

	vec_each (struct blockdev *const *, dev, &m->devs) {
		const struct signature *sig = fs_signature(*dev, "btrfs");
		struct btrfs *b;

		if (!sig)
			continue;
		b = sig->uuid ? map_get(&by_uuid, sig->uuid) : NULL;
		if (!b) {
			b = add_found(m, have, sig, *dev, d);
			if (sig->uuid)
				map_set(&by_uuid, sig->uuid, b);
		}
		b->fs.node.size += (*dev)->size;
		have_on(have, &b->fs.node, (*dev)->name, true);
	}
	return 0;
}

/* raid1 puts each chunk on two devices: what one has beyond all others together stays empty. */
static void warn_waste(const struct node *want, struct settle *s)
{
	const struct node *largest = want->below.at[0].to;
	uint64_t rest;

	if (want->have || strcmp(data_of(want)->name, "raid1") != 0)
		return;
	vec_each (const struct edge *, e, &want->below)
		if (e->to->size > largest->size)
			largest = e->to;
	rest = want->size - largest->size;
	if (largest->size > rest && largest->size - rest >= GIB)
		diag_warn(s->diag, want->pos,
			  "'%s' has %s more than the other devices of '%s' together: that much can't be "
			  "mirrored",
			  largest->name, units_text(s->arena, largest->size - rest), want->name);
}

/* What is there may have chunks of several profiles: then nothing is said. */
static uint64_t usable(struct arena *a, const struct node *n, const char *data)
{
	const struct profile *p = profile_get(data);
	uint64_t *sizes = arena_alloc(a, n->below.n * sizeof(*sizes));

	for (size_t i = 0; i < n->below.n; i++)
		sizes[i] = n->below.at[i].to->size;
	return p && n->below.n > 1 ? profile_usable(a, p, sizes, n->below.n) : 0;
}

static int btrfs_settle(struct node *want, struct settle *s)
{
	const struct btrfs *have = want->have ? btrfs_of(want->have) : NULL;
	struct btrfs *b = as_btrfs(want);
	int r = fs_settle(want, s);

	if (r < 0)
		return r;
	b->data = have && have->data ? have->data : data_of(want)->name;
	b->metadata = have && have->metadata ? have->metadata : metadata_of(want)->name;
	want->usable = usable(s->arena, want, b->data);
	warn_waste(want, s);
	return fs_settle_min(want, s, profile_smallest(data_of(want), metadata_of(want)),
			     "mkfs.btrfs with these profiles");
}

static bool stands_on(const struct node *n, const struct node *below)
{
	vec_each (const struct edge *, e, &n->below)
		if (e->to == below)
			return true;
	return false;
}

static void compare_devices(const struct node *want, const struct btrfs *there, struct why *why)
{
	const struct node *have = &there->fs.node;
	uint64_t absent = 0;

	vec_each (const struct edge *, e, &want->below) {
		if (e->to->have && stands_on(have, e->to->have))
			continue;
		absent++;
		if (e->to->have && e->to->have->block)
			why_add(why, "devices",
				"'%s' isn't one of its devices, as the layout asks: btrfs device add",
				e->to->name);
		else
			why_add(why, "devices", "it is degraded: '%s' is missing", e->to->name);
		why_is(why, WHY_DEGRADED);
	}
	vec_each (const struct edge *, e, &have->below) {
		bool wanted = false;

		vec_each (const struct edge *, w, &want->below)
			wanted |= w->to->have == e->to;
		if (!wanted)
			why_add(why, "devices", "it stands on %s too, which the layout doesn't name",
				e->to->dev ? e->to->dev : e->to->name);
	}
	if (there->devices > have->below.n && there->devices - have->below.n > absent) {
		why_add(why, "devices", "%" PRIu64 " of its %" PRIu64 " devices are missing",
			there->devices - have->below.n, there->devices);
		why_is(why, WHY_DEGRADED);
	}
}

/* "raid1, single": what a balance that wasn't finished leaves, or writing while a device was away. */
static bool is_mixed(const char *profiles)
{
	return profiles && strchr(profiles, ',');
}

static void compare_profile(const struct node *want, const char *key, const char *stated, const char *there,
			    struct why *why)
{
	if (!stated || !there || !*there || !strcmp(stated, there))
		return;
	why_add(why, key_of(item_of(want), key),
		"its %s is %s, and the layout asks for %s: mount it, then btrfs balance start "
		"-%cconvert=%s,soft",
		key, there, stated, key[0], stated);
	if (is_mixed(there) || profile_tolerates(there) < profile_get(stated)->tolerates)
		why_is(why, WHY_DEGRADED);
}

static void btrfs_compare(const struct node *want, const struct node *have, struct why *why)
{
	const struct btrfs_item *it = item_of(want);
	const struct btrfs *there = btrfs_of(have);

	fs_compare(want, have, why);
	compare_devices(want, there, why);
	compare_profile(want, "data", stated_data(it), there->data, why);
	compare_profile(want, "metadata", stated_metadata(it), there->metadata, why);
}

static void tell_mixed(const char *key, const char *stated, const char *there, struct why *why)
{
	/* Where the layout states one, compare() has told. */
	if (stated || !is_mixed(there))
		return;
	why_add(why, NULL, "its %s is %s: only a part of it bears the loss of a device as the rest does", key,
		there);
	why_is(why, WHY_DEGRADED);
}

static void btrfs_health(const struct node *want, const struct settle *s, struct why *why)
{
	const struct btrfs_item *it = item_of(want);
	const struct btrfs *there = want->have ? btrfs_of(want->have) : NULL;

	(void)s;
	if (!there) {
		why_absent(why);
		return;
	}
	tell_mixed("data", stated_data(it), there->data, why);
	tell_mixed("metadata", stated_metadata(it), there->metadata, why);
}

static const char *profiles_text(struct arena *a, const char *data, const char *metadata)
{
	if (!strcmp(data, metadata))
		return arena_printf(a, "data and metadata %s", data);
	return arena_printf(a, "data %s, metadata %s", data, metadata);
}

static int btrfs_create(struct steps *s, const struct node *want)
{
	const struct btrfs *b = btrfs_of(want);
	struct step *st = fs_step(s, want, "mkfs.btrfs", profiles_text(steps_arena(s), b->data, b->metadata));

	step_argv(s, st, "-q", "-f", "-U", b->fs.uuid, NULL);
	if (b->fs.label)
		step_argv(s, st, "-L", b->fs.label, NULL);
	step_argv(s, st, "-d", b->data, "-m", b->metadata, NULL);
	fs_tool_words(s, st, &b->fs);
	vec_each (const struct edge *, e, &want->below)
		step_word(s, st, e->to->dev);
	return 0;
}

static const char *btrfs_describe(struct arena *a, const struct node *n)
{
	const struct btrfs *b = btrfs_of(n);
	struct text t = { .arena = a };

	text_add(&t, "btrfs");
	if (n->below.n > 1)
		text_printf(&t, " over %zu devices", n->below.n);
	if (n->usable && n->usable < n->size)
		text_printf(&t, ", %s raw, about %s usable", units_text(a, n->size),
			    units_text(a, n->usable / MIB * MIB));
	if (b->data && b->metadata)
		text_printf(&t, ", %s", profiles_text(a, b->data, b->metadata));
	if (b->fs.label)
		text_printf(&t, ", label %s", b->fs.label);
	return text_str(&t);
}

static bool btrfs_alive(const struct node *n, const bool *alive)
{
	const struct btrfs *b = btrfs_of(n);
	unsigned dead = 0, tolerates;

	for (size_t i = 0; i < n->below.n; i++)
		dead += !alive[i];
	if (b->fs.item && !b->data) {
		tolerates = want_tolerates(n);
	} else {
		unsigned data = profile_tolerates(b->data ? b->data : ""),
			 metadata = profile_tolerates(b->metadata ? b->metadata : "");

		tolerates = data < metadata ? data : metadata;
	}
	return dead <= tolerates && dead < n->below.n;
}

static const char *btrfs_busy(struct arena *a, const struct machine *m, const struct node *have)
{
	const char *busy = field_text(record_of(m, fs_of(have)->uuid), "busy");

	return busy ? arena_printf(a, "a %s", busy) : NULL;
}

static const struct fs_kind btrfs_kind = {
	.kind = { .name = "btrfs",
		  .doc = "btrfs: checksums, snapshots, and one filesystem over several devices.",
		  .size = sizeof(struct btrfs),
		  .many = true,
		  .section = "filesystems",
		  .item_size = sizeof(struct btrfs_item),
		  .keys = btrfs_keys,
		  .check = btrfs_check,
		  .find = btrfs_find,
		  .match = fs_match,
		  .settle = btrfs_settle,
		  .leftover = fs_leftover,
		  .compare = btrfs_compare,
		  .health = btrfs_health,
		  .create = btrfs_create,
		  .busy = btrfs_busy,
		  .describe = btrfs_describe,
		  .alive = btrfs_alive },
};

/* The UUID is that of all devices together; which one of them this is, its number says. */
static const char *member_key(struct arena *a, const struct machine *m, const struct blockdev *b)
{
	const struct signature *sig = fs_signature(b, "btrfs");
	uint64_t devid;

	if (!sig || !sig->uuid)
		return NULL;
	if (field_has_number(field_object(record_of(m, sig->uuid), "members"), b->name, &devid))
		return arena_printf(a, "%s, its device %" PRIu64, sig->uuid, devid);
	return sig->uuid_sub ? arena_printf(a, "%s/%s", sig->uuid, sig->uuid_sub) : NULL;
}

static void btrfs_survey(const struct settle *s, struct why *why)
{
	twins_tell(s, why, member_key, "device of a btrfs");
}

static const struct kind *const btrfs_kinds[] = { &btrfs_kind.kind, NULL };

extern const struct room room_btrfs;

static const struct room_tool tools[] = { { "mkfs.btrfs", "btrfs-progs" }, { 0 } };

const struct room room_btrfs = {
	.name = "btrfs",
	.tools = tools,
	.doc = "btrfs filesystems.",
	.kinds = btrfs_kinds,
	.probe = btrfs_probe,
	.survey = btrfs_survey,
	.extent = btrfs_extent,
};
