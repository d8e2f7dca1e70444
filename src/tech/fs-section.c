/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "layout/build.h"
#include "layout/words.h"
#include "tech/fs.h"

/* The section `filesystems`: its keys, and the nodes that its items become. */

static const struct key keys[] = {
	KEY(WORD, struct fs_item, type, .need = true, .doc = "What it is: one of the kinds below."),
	KEY(NAMES, struct fs_item, devices, .need = true,
	    .doc = "What it stands on. btrfs takes several devices for one filesystem; swap over several "
		   "means one on each.",
	    .example = "vg0/home"),
	KEY(TEXT, struct fs_item, label,
	    .doc = "Its label, taken literally; how long it may be depends on the type.", .example = "home"),
	KEY(TEXT, struct fs_item, uuid,
	    .doc = "Its UUID (vfat: a volume number such as DEAD-BEEF). Derived from the disks beneath if "
		   "absent."),
	KEY(PATH, struct fs_item, mount, .doc = "Where it is mounted; not at all if absent.",
	    .example = "/home"),
	KEY(TEXTS, struct fs_item, options, .doc = "Mount options; `defaults` if absent.",
	    .example = "[noatime, nodev]"),
	KEY(INT, struct fs_item, pass, .min = 0, .max = 9,
	    .doc = "When the boot checks it: 0 is never. If absent, 0 for btrfs, xfs, ntfs and swap; for "
		   "others 1 at /, 2 elsewhere."),
	KEY(WORD, struct fs_item, key, .one_of = "uuid partuuid label partlabel path",
	    .doc = "What fstab calls it by; `uuid` if absent."),
	KEY(TEXTS, struct fs_item, mkfs,
	    .doc = "Further words for the tool that makes it, each as the tool reads it.",
	    .example = "[-i, size=1024]"),
	{ 0 },
};

/* fstab's fields end at a blank: an option that holds one would become two fields. "a,b" in one word are two options. */
static void split_options(struct build *b, struct fs_item *it)
{
	struct arena *a = build_arena(b);
	text_list list = { 0 };

	for (size_t i = 0; i < it->options.n; i++) {
		struct pos pos = item_pos_at(&it->item, "options", i);
		const char *s = it->options.at[i], *whole = text_short(a, s);

		if (strpbrk(s, " \t\n\r\v\f")) {
			(void)diag_error(build_diag(b), pos,
					 "the mount option '%s' holds a blank; state each option as one word "
					 "of a list",
					 whole);
			continue;
		}
		for (;;) {
			size_t n = strcspn(s, ",");

			if (n)
				vec_push(a, &list, arena_strndup(a, s, n));
			else
				(void)diag_error(build_diag(b), pos,
						 "there is nothing between two commas of '%s'", whole);
			if (!s[n])
				break;
			s += n + 1;
		}
	}
	it->options = list;
}

static const char *lower(struct arena *a, const char *s)
{
	char *low = arena_strdup(a, s);

	for (char *c = low; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return low;
}

static void check_label(struct build *b, const struct fs_item *it, const struct node *first)
{
	const struct fs_item *other = fs_of(first)->item;
	const char *label = text_short(build_arena(b), it->label);
	struct pos pos = item_pos(&it->item, "label");

	if (text_eq(it->key, "label") || text_eq(other->key, "label"))
		(void)diag_error(
			build_diag(b), pos,
			"the label '%s' is stated for two filesystems, and fstab is to call one by it",
			label);
	else
		diag_warn(build_diag(b), pos, "the label '%s' is stated for two filesystems", label);
	diag_note(build_diag(b), item_pos(&other->item, "label"), "first here, for '%s'", first->name);
}

/* Two filesystems with one label are told apart by their UUIDs alone. */
void fs_check_twins(struct build *b)
{
	struct map labels = { .arena = build_arena(b) }, uuids = { .arena = build_arena(b) };

	vec_each (struct node *const *, n, &build_graph(b)->nodes) {
		const struct fs_item *it = fs_is(*n) ? fs_of(*n)->item : NULL;
		const struct node *first;

		if (!it)
			continue;
		first = it->uuid ? map_get(&uuids, lower(build_arena(b), it->uuid)) : NULL;
		if (first && fs_of(first)->item != it) {
			(void)diag_error(build_diag(b), item_pos(&it->item, "uuid"),
					 "the UUID %s is stated for two filesystems",
					 text_short(build_arena(b), it->uuid));
			diag_note(build_diag(b), item_pos(&fs_of(first)->item->item, "uuid"),
				  "first here, for '%s'", first->name);
		} else if (it->uuid && !first) {
			(void)map_set(&uuids, lower(build_arena(b), it->uuid), *n);
		}
		first = it->label ? map_get(&labels, it->label) : NULL;
		if (first && fs_of(first)->item != it)
			check_label(b, it, first);
		else if (it->label && !first)
			(void)map_set(&labels, it->label, *n);
	}
}

/* What is wrong with an item whatever its type. */
static void check_item(struct build *b, struct fs_item *it, const struct kind *kind, size_t devices)
{
	const struct fs_kind *fk = (const struct fs_kind *)kind;
	struct diag *d = build_diag(b);

	if (text_eq(it->key, "label") && !it->label)
		(void)diag_error(d, item_pos(&it->item, "key"),
				 "fstab is to call it by its label, but no label is stated");
	if (devices > 1 && !fk->each && it->key && text_starts(it->key, "part"))
		(void)diag_error(d, item_pos(&it->item, "key"),
				 "it stands on %zu partitions, and '%s' is one's alone: use uuid or label",
				 devices, it->key);
	if (devices > 1 && fk->each && it->uuid)
		(void)diag_error(
			d, item_pos(&it->item, "uuid"),
			"one UUID is stated for %zu %s devices: state each by itself, or leave it out",
			devices, kind->name);
	if (devices > 1 && fk->each && it->label) {
		if (text_eq(it->key, "label"))
			(void)diag_error(
				d, item_pos(&it->item, "key"),
				"the label '%s' is stated for %zu %s devices: fstab can't call them by it",
				it->label, devices, kind->name);
		else
			diag_warn(d, item_pos(&it->item, "label"), "%zu %s devices get the same label '%s'",
				  devices, kind->name, it->label);
	}
	if (!it->mount && !fk->each)
		for (size_t i = 0; i < 3; i++) {
			const char *idle = (const char *const[]){ "options", "pass", "key" }[i];

			if (item_has(&it->item, idle))
				diag_warn(d, item_pos(&it->item, idle),
					  "'%s' is for fstab, and this filesystem has no mount point", idle);
		}
}

/* The mount point where it has one, else "TYPE on DEVICE". */
static const char *name_of(struct build *b, const struct fs_item *it, const struct node *const *on, size_t n,
			   bool mount)
{
	struct text t = { .arena = build_arena(b) };
	const char *name;

	if (mount)
		return it->mount;
	text_printf(&t, "%s on %s", it->type, on[0]->name);
	for (size_t i = 1; i < n; i++)
		text_printf(&t, ", %s", on[i]->name);
	name = text_str(&t);
	/* Two filesystems on one device are told where claims are: here both only need a name. */
	if (graph_get(build_graph(b), name))
		name = arena_printf(build_arena(b), "%s (%zu)", name, it->item.order);
	return name;
}

static void add(struct build *b, struct fs_item *it, const struct kind *kind, const struct resolved_node *on,
		size_t n, bool mount)
{
	const struct node **below = arena_alloc(build_arena(b), n * sizeof(const struct node *));
	struct node *node;

	for (size_t i = 0; i < n; i++)
		below[i] = on[i].node;
	node = build_node(b, kind, name_of(b, it, below, n, mount), &it->item);
	as_fs(node)->item = it;
	as_fs(node)->label = it->label;
	for (size_t i = 0; i < n; i++)
		node_on(build_graph(b), node, on[i].node, on[i].pos, true);
}

/* Whether the mount point is this filesystem's: a second one there still gets a node, so that its other mistakes show. */
static bool has_mount(struct build *b, const struct fs_item *it)
{
	const struct node *first = it->mount ? graph_get(build_graph(b), it->mount) : NULL;

	if (!first)
		return it->mount;
	(void)diag_error(build_diag(b), item_pos(&it->item, "mount"),
			 "two filesystems are to be mounted at '%s'", text_short(build_arena(b), it->mount));
	diag_note(build_diag(b), first->item ? item_pos(first->item, "mount") : first->pos,
		  "the first is here");
	return false;
}

static int link_fs(struct build *b, struct item *item)
{
	struct fs_item *it = (struct fs_item *)item;
	const struct kind *kind = words_kind(rooms, fs_sections[0].name, it->type);
	struct resolved on = { 0 };
	bool mount;
	int r;

	if (!kind) /* told when the item was read */
		return -EINVAL;
	if (!item_has(item, "pass"))
		it->pass = -1;
	split_options(b, it);
	r = build_resolve(b, &it->devices, NULL, &on);
	if (r < 0)
		return r;
	if (!on.list.n)
		return diag_error(build_diag(b), item_pos(item, "devices"), "a filesystem needs a device");
	check_item(b, it, kind, on.list.n);

	if (on.list.n > 1 && !kind->many && !((const struct fs_kind *)kind)->each) {
		struct text t = { .arena = build_arena(b) };

		for (size_t i = 0; i < on.list.n && i < 4; i++)
			text_printf(&t, "%s%s", i ? ", " : "", on.list.at[i].node->name);
		return diag_error(build_diag(b), item_pos(item, "devices"),
				  "%s stands on one device, and here are %zu (%s%s): state one for each, put "
				  "an array or a volume "
				  "beneath, or take btrfs",
				  kind->name, on.list.n, text_str(&t), on.list.n > 4 ? ", ..." : "");
	}
	mount = has_mount(b, it);
	if (kind->many)
		add(b, it, kind, on.list.at, on.list.n, mount);
	else
		for (size_t i = 0; i < on.list.n; i++)
			add(b, it, kind, &on.list.at[i], 1, mount && !i);
	return 0; /* what was wrong has been said; the objects are whole, and their kind may look at them too */
}

static int declare_fs(struct build *b, struct item *item)
{
	(void)b;
	(void)item; /* nothing stands on a filesystem: all is made when every name is known */
	return 0;
}

const struct section fs_sections[] = {
	{ .name = "filesystems",
	  .form = SECTION_TYPED,
	  .keys = keys,
	  .item_size = sizeof(struct fs_item),
	  .doc = "Filesystems and swap, each on its device, and where they are mounted.",
	  .declare = declare_fs,
	  .link = link_fs },
	{ 0 },
};
