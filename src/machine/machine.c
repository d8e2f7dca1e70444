/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/machine.h"

#include <ctype.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "machine/parts.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The drivers that count in letters: sdz is followed by sdaa. */
static size_t counted_prefix(const char *s)
{
	static const char *const prefixes[] = { "sd", "vd", "xvd", "hd" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (text_starts(s, prefixes[i]))
			return strlen(prefixes[i]);
	return 0;
}

int machine_name_order(const char *a, const char *b)
{
	const char *a0 = a, *b0 = b;
	size_t prefix = counted_prefix(a);

	if (prefix && prefix == counted_prefix(b) && !strncmp(a, b, prefix)) {
		size_t la = strspn(a + prefix, "abcdefghijklmnopqrstuvwxyz");
		size_t lb = strspn(b + prefix, "abcdefghijklmnopqrstuvwxyz");

		if (la != lb)
			return la < lb ? -1 : 1;
	}
	while (*a && *b) {
		size_t la, lb;
		int r;

		if (!is_digit(*a) || !is_digit(*b)) {
			if (*a != *b)
				return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
			a++, b++;
			continue;
		}
		a += strspn(a, "0");
		b += strspn(b, "0");
		la = strspn(a, "0123456789");
		lb = strspn(b, "0123456789");
		if (la != lb)
			return la < lb ? -1 : 1;
		r = strncmp(a, b, la);
		if (r)
			return r;
		a += la;
		b += lb;
	}
	if (*a || *b)
		return *a ? 1 : -1;
	return strcmp(a0, b0); /* sda1 and sda01 */
}

static int by_name(const void *a, const void *b)
{
	const struct blockdev *const *x = a, *const *y = b;

	return machine_name_order((*x)->name, (*y)->name);
}

bool machine_good_name(const char *s)
{
	if (!*s || !strcmp(s, ".") || !strcmp(s, "..") || strlen(s) > 255)
		return false;
	for (; *s; s++)
		if (!isascii((unsigned char)*s) || (!isalnum((unsigned char)*s) && !strchr("-_.!:+~@", *s)))
			return false;
	return true;
}

static bool take_link(struct machine *m, const char *link, struct blockdev *dev)
{
	struct blockdev *other = map_get(&m->by_link, link);

	if (!other)
		(void)map_set(&m->by_link, link, dev);
	return !other || other == dev;
}

const struct blockdev *machine_index(struct machine *m, const char **ret_what)
{
	const struct blockdev *clash = NULL;

	m->by_name = m->by_link = (struct map){ .arena = m->arena };
	if (m->devs.n)
		qsort(m->devs.at, m->devs.n, sizeof(struct blockdev *), by_name);
	/* Names before links: no link may hide a device. */
	vec_each (struct blockdev **, d, &m->devs) {
		if (map_get(&m->by_name, (*d)->name) || !take_link(m, (*d)->path, *d)) {
			*ret_what = map_get(&m->by_name, (*d)->name) ? (*d)->name : (*d)->path;
			clash = *d;
			continue;
		}
		(void)map_set(&m->by_name, (*d)->name, *d);
	}
	vec_each (struct blockdev **, d, &m->devs) {
		struct blockdev *dev = *d;

		vec_each (const char *const *, link, &dev->links) {
			if (!take_link(m, *link, dev) && !clash) {
				*ret_what = *link;
				clash = dev;
			}
		}
		/* Where a partition lies in the stripes of its disk follows from the rest; so it isn't recorded. */
		if (dev->parent && dev->geo.opt_io)
			dev->geo.offset = dev->start % dev->geo.opt_io;
	}
	return clash;
}

static void end_json(void *handle)
{
	(void)json_object_put(handle);
}

void machine_keep_json(struct machine *m, struct json_object *json)
{
	m->json = json;
	arena_at_end(m->arena, end_json, json);
}

const struct blockdev *machine_dev(const struct machine *m, const char *path)
{
	const struct blockdev *dev = map_get(&m->by_link, path);

	return dev ? dev : map_get(&m->by_name, path);
}

const char *machine_file(const struct machine *m, const char *path)
{
	return map_get(&m->files, path);
}

/* ZFS is mounted by names: "pool/home". The members of the pool have its name as their label. */
static bool is_of_pool(const char *source, const struct blockdev *dev)
{
	size_t n = source ? strcspn(source, "/") : 0;

	vec_each (const struct signature *, sig, &dev->signatures)
		if (n && text_eq(sig->type, "zfs_member") && sig->label && strlen(sig->label) == n &&
		    !strncmp(sig->label, source, n))
			return true;
	return false;
}

/*
 * A filesystem over several devices has no device number of its own in the mount table, which names one of its members only:
 * the others are told by the UUID that they share with that one.
 */
static bool is_same_filesystem(const struct machine *m, const struct mount_there *mount,
			       const struct blockdev *dev)
{
	const struct blockdev *named = mount->dev && !mount->major ? map_get(&m->by_name, mount->dev) : NULL;

	if (text_eq(mount->type, "zfs"))
		return is_of_pool(mount->source, dev);
	if (!named || !mount->type)
		return false;
	vec_each (const struct signature *, a, &named->signatures) {
		if (!text_eq(a->type, mount->type) || !a->uuid)
			continue;
		vec_each (const struct signature *, b, &dev->signatures)
			if (text_eq(a->type, b->type) && text_eq(a->uuid, b->uuid))
				return true;
	}
	return false;
}

text_list machine_mounts_of(const struct machine *m, struct arena *a, const struct blockdev *dev)
{
	text_list r = { 0 };

	vec_each (const struct mount_there *, mount, &m->mounts)
		if (text_eq(mount->dev, dev->name) || is_same_filesystem(m, mount, dev))
			vec_push(a, &r, mount->target);
	return r;
}

bool machine_is_swap(const struct machine *m, const struct blockdev *dev)
{
	vec_each (const struct swap_there *, swap, &m->swaps)
		if (text_eq(swap->dev, dev->name))
			return true;
	return false;
}
