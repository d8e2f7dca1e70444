/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/units.h"
#include "machine/machine.h"
#include "machine/parts.h"
#include "tech/kind.h"

/*
 * A table takes a few sectors, and what stands behind it is whole without them. A disk that shows neither table nor content is looked at
 * where partitions would begin, before it is taken for blank.
 */
enum {
	PIECE = 68 *
		KIB, /* holds the start of all that libblkid knows: btrfs's superblock, the last, begins at 64 KiB */
	ENDS = 128 * KIB,       /* before the end of a partition: md's superblocks of 0.90 and 1.0 */
	TAIL = MIB + 256 * KIB, /* before the end of a disk: those of a last partition that ends on a MiB */
	FAR = 32 * MIB,         /* a magic further behind isn't of what begins at that place */
	MOST_BROKEN = 3,        /* places that can't be read: each may take a disk many seconds */
	MOST_FOUND = 1024,
	MOST_PLACES = 4096,
	MOST_OPEN = 64, /* disks at once */
};

struct look {
	struct arena *arena;
	int fd;
	const struct blockdev *dev;
	struct diag *diag;
	extent_list todo; /* sorted by start, each once */
	size_t now;       /* the place in it that is being looked at */
	signature_list found;
	unsigned broken;
	uint8_t *piece; /* of PIECE bytes: a place */
	uint8_t *ends;  /* of TAIL bytes: before an end */
};

/* What was passed already isn't looked at again. */
static void add_place(struct look *l, uint64_t start, uint64_t size, size_t from)
{
	size_t i = from;

	if (!start || start >= l->dev->size || l->dev->size - start < 4 * KIB || l->todo.n >= MOST_PLACES)
		return;
	if (size > l->dev->size - start)
		size = 0;
	while (i < l->todo.n && l->todo.at[i].start < start)
		i++;
	if (i < l->todo.n && l->todo.at[i].start == start) {
		if (!l->todo.at[i].size)
			l->todo.at[i].size = size;
		return;
	}
	vec_push(l->arena, &l->todo, (struct extent){ 0 });
	memmove(&l->todo.at[i + 1], &l->todo.at[i], (l->todo.n - 1 - i) * sizeof(*l->todo.at));
	l->todo.at[i] = (struct extent){ .start = start, .size = size };
}

static void say_broken(struct look *l, uint64_t at, int error)
{
	diag_warn(l->diag, nowhere, "%s can't be read at %s: %s; what lies there isn't known%s", l->dev->path,
		  units_exact(l->arena, at), strerror(error),
		  ++l->broken == MOST_BROKEN ? ", and it isn't looked at further" : "");
}

/* Return: bytes that were read, 0 where they can't be, which is told. */
static size_t read_at(struct look *l, uint8_t *into, uint64_t at, uint64_t len)
{
	ssize_t n;

	if (l->broken >= MOST_BROKEN)
		return 0;
	if (len > l->dev->size - at)
		len = l->dev->size - at;
	n = pread(l->fd, into, len, (off_t)at);
	if (n < 0)
		say_broken(l, at, errno);
	return n < 0 ? 0 : (size_t)n;
}

static bool is_zero(const uint8_t *p, size_t n)
{
	return !n || (!p[0] && !memcmp(p, p + 1, n - 1));
}

static bool is_inside(const struct signature *s, const struct signature *other)
{
	return s->offset == other->offset ||
	       (s->offset > other->offset && s->offset - other->offset < other->size);
}

/* Copies of a superblock within what it is the superblock of (xfs has one in each group). */
static bool is_copy(const struct look *l, const struct signature *s)
{
	vec_each (const struct signature *, f, &l->found)
		if (text_eq(f->type, s->type) && text_eq(f->uuid, s->uuid) && text_eq(f->label, s->label) &&
		    is_inside(s, f))
			return true;
	return false;
}

static void add_found(struct look *l, const struct signature *s)
{
	if (l->found.n < MOST_FOUND && !is_copy(l, s))
		vec_push(l->arena, &l->found, *s);
}

/* The rooms know how long theirs are. */
static uint64_t extent_of(const char *type, const uint8_t *at, size_t len)
{
	for (const struct room *const *r = rooms; *r; r++) {
		uint64_t n = (*r)->extent ? (*r)->extent(type, at, len) : 0;

		if (n)
			return n;
	}
	return 0;
}

static uint64_t number(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | p[n];
	return v;
}

/*
 * A superblock of md that is no more than seen from its end. That of 1.0 says how far behind its start it lies, and libblkid holds it to
 * that. Source: include/uapi/linux/raid/md_p.h; little-endian, but for a 0.90 of a big-endian machine.
 */
static void look_member(struct look *l, uint64_t at, const uint8_t *super)
{
	signature_list sigs = { 0 };
	uint64_t version = number(super + 4, 4), behind = number(super + 144, 8);
	uint64_t before = units_align_up(number(super + 32, 4) * KIB + 2 * MIB, 64 * KIB);
	/* 0.90 doesn't say where its device begins; libblkid wants room for its data before it, and sees no RAID on what could be a floppy. */
	struct extent area = { .start = at > before ? at - before : 0 };

	area.size = at - area.start + 64 * KIB;
	if (version == 1) {
		if (!behind || behind > at / SECTOR)
			return;
		area = (struct extent){ .start = at - behind * SECTOR, .size = (behind + 16) * SECTOR };
	}
	if (area.start > l->dev->size || area.size > l->dev->size - area.start ||
	    look_area(l->arena, l->fd, area.start, area.size, &sigs) < 0)
		return;
	vec_each (struct signature *, s, &sigs) {
		if (!text_eq(s->usage, "raid") || s->offset != at - area.start)
			continue;
		s->offset = version == 1 ? area.start : at;
		s->size = version == 1 ? area.size : 0;
		add_found(l, s);
	}
}

/* Superblocks at the end of a member, before @end. */
static void look_ends(struct look *l, uint64_t end, uint64_t len)
{
	static const uint8_t magic[] = { 0xfc, 0x4e, 0x2b, 0xa9 };
	uint64_t from = units_align_down(end > len ? end - len : 0, 4 * KIB);
	size_t n = end > l->dev->size ? 0 : read_at(l, l->ends, from, end - from);

	for (size_t i = 0; i + 4 * KIB <= n; i += 4 * KIB)
		if (!memcmp(l->ends + i, magic, sizeof(magic))) {
			uint8_t super[152];

			memcpy(super, l->ends + i, sizeof(super));
			look_member(l, from + i, super);
		}
}

/* What comes next begins where this ends, or on the next MiB. */
static void look_behind(struct look *l, uint64_t end)
{
	uint64_t exact = units_align_up(end, SECTOR), round = units_align_up(end, MIB);

	if (!exact || !round)
		return;
	add_place(l, exact, 0, l->now + 1);
	add_place(l, round, 0, l->now + 1);
	look_ends(l, round, ENDS);
}

/* A table at the end of the disk is the disk's. */
static bool is_of_place(const struct look *l, const struct extent *p, const struct signature *s)
{
	if (s->offset >= FAR)
		return false;
	return !text_eq(s->usage, "table") || l->dev->size - p->start - s->offset > 64 * KIB;
}

static void look_place(struct look *l, const struct extent *p)
{
	signature_list sigs = { 0 };
	size_t n = read_at(l, l->piece, p->start, PIECE);
	bool any = false;
	int r;

	if (p->size)
		look_ends(l, p->start + p->size, ENDS);
	if (is_zero(l->piece, n))
		return;
	errno = 0;
	r = look_area(l->arena, l->fd, p->start, p->size ? p->size : l->dev->size - p->start, &sigs);
	if (r < 0)
		say_broken(l, p->start, -r);
	vec_each (struct signature *, s, &sigs) {
		uint64_t size = extent_of(s->type, l->piece, n);

		if (size == EXTENT_NONE || !is_of_place(l, p, s))
			continue;
		s->offset = p->start;
		s->size = size ? size : p->size;
		add_found(l, s);
		any = true;
		if (size && size <= l->dev->size - p->start)
			look_behind(l, p->start + size);
	}
	if (any)
		look_ends(l, p->start, ENDS);
}

/* Partitions of a table that neither kernel nor libblkid takes for one: the copy at the end, or one for other sectors. */
static void add_tables(struct look *l)
{
	static const uint32_t sectors[] = { 512, 4096 };

	for (size_t i = 0; i < 4; i++) {
		uint32_t sector = sectors[i / 2];
		uint64_t at = i % 2 ? l->dev->size - sector : sector;
		extent_list parts = { 0 };
		struct signature s = {
			.type = "gpt",
			.usage = "table",
			.offset = at,
		};
		bool known = false;

		if (l->dev->size < 64 * KIB ||
		    !gpt_entries(l->arena, l->fd, l->dev->size, at, sector, &parts, &s.uuid))
			continue;
		vec_each (const struct extent *, p, &parts)
			add_place(l, p->start, p->size, 0);
		vec_each (const struct signature *, sig, &l->dev->signatures)
			known |= text_eq(sig->type, "gpt") && text_eq(sig->uuid, s.uuid);
		vec_each (const struct signature *, f, &l->found)
			known |= text_eq(f->type, "gpt") && text_eq(f->uuid, s.uuid);
		if (sector != (l->dev->geo.logical ? l->dev->geo.logical : SECTOR))
			s.version = arena_printf(l->arena, "for sectors of %u bytes", sector);
		if (!known)
			vec_push(l->arena, &l->found, s);
	}
}

static int by_place(const void *a, const void *b)
{
	const struct signature *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return strcmp(x->type, y->type);
}

static void sort(signature_list *list)
{
	if (list->n)
		qsort(list->at, list->n, sizeof(*list->at), by_place);
}

signature_list stray_find(struct arena *a, int fd, const struct blockdev *dev, const extent_list *more,
			  bool usual, struct diag *d)
{
	struct look l = { .arena = a, .fd = fd, .dev = dev, .diag = d };

	l.piece = arena_alloc(a, PIECE);
	l.ends = arena_alloc(a, TAIL);
	if (usual) {
		extent_list places = stray_places(a);

		vec_each (const struct extent *, p, &places)
			add_place(&l, p->start, p->size, 0);
		add_tables(&l);
		if (dev->size > TAIL)
			look_ends(&l, dev->size, TAIL);
	}
	for (size_t i = 0; more && i < more->n; i++)
		add_place(&l, more->at[i].start, more->at[i].size, 0);
	for (; l.now < l.todo.n && l.broken < MOST_BROKEN; l.now++) {
		struct extent p = l.todo.at[l.now];

		look_place(&l, &p);
	}
	sort(&l.found);
	return l.found;
}

/* All that the disk shows by itself is what is left of a table. */
static bool is_tableless(const struct machine *m, const struct blockdev *dev)
{
	if (!text_eq(dev->type, "disk") || !dev->looked || dev->error || !dev->size || dev->holders.n)
		return false;
	vec_each (const struct signature *, s, &dev->signatures)
		if (!text_eq(s->type, "PMBR") && (!text_eq(s->type, "gpt") || s->offset <= 4096))
			return false;
	vec_each (struct blockdev *const *, part, &m->devs)
		if (text_eq((*part)->parent, dev->name))
			return false;
	return true;
}

bool machine_looks_lost(const struct machine *m, const struct blockdev *dev)
{
	bool gpt = false;

	if (dev->strays.n)
		return true;
	vec_each (const struct signature *, s, &dev->signatures)
		gpt |= text_eq(s->type, "gpt");
	return gpt && is_tableless(m, dev);
}

/* The disks seek and read at the same time, each in the order that suits it. */
static void read_ahead(int fd, const struct blockdev *dev, const extent_list *places)
{
	vec_each (const struct extent *, p, places)
		if (p->start < dev->size)
			(void)posix_fadvise(fd, (off_t)p->start, PIECE, POSIX_FADV_WILLNEED);
	if (dev->size > TAIL)
		(void)posix_fadvise(fd, (off_t)(dev->size - TAIL), TAIL, POSIX_FADV_WILLNEED);
}

/* Return: a descriptor or -errno. */
static int open_disk(const struct blockdev *dev)
{
	int fd = open(dev->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

void look_strays(struct machine *m, struct diag *d)
{
	extent_list places = stray_places(m->arena);
	VEC(struct blockdev *) disks = { 0 };
	int fds[MOST_OPEN];

	vec_each (struct blockdev *const *, dev, &m->devs)
		if (is_tableless(m, *dev))
			vec_push(m->arena, &disks, *dev);
	for (size_t first = 0; first < disks.n; first += MOST_OPEN) {
		size_t n = disks.n - first < MOST_OPEN ? disks.n - first : MOST_OPEN;

		for (size_t i = 0; i < n; i++) {
			fds[i] = open_disk(disks.at[first + i]);
			if (fds[i] >= 0)
				read_ahead(fds[i], disks.at[first + i], &places);
		}
		for (size_t i = 0; i < n; i++) {
			struct blockdev *dev = disks.at[first + i];

			if (fds[i] < 0) {
				/* It could be opened a moment ago. */
				dev->error = arena_printf(m->arena, "can't be opened: %s", strerror(-fds[i]));
				continue;
			}
			dev->strays = stray_find(m->arena, fds[i], dev, NULL, true, d);
			(void)close(fds[i]);
		}
	}
}

static bool is_known(const signature_list *list, const struct signature *s)
{
	vec_each (const struct signature *, known, list)
		if (known->offset == s->offset && text_eq(known->type, s->type) &&
		    text_eq(known->uuid, s->uuid))
			return true;
	return false;
}

size_t machine_peek(struct machine *m, const char *path, const extent_list *places, struct diag *d)
{
	struct blockdev *dev = map_get(&m->by_link, path);
	_cleanup_fd_ int fd = -1;
	signature_list found;
	size_t before;

	if (!m->live || !m->root || !places->n || !dev || !is_tableless(m, dev))
		return 0;
	fd = open_disk(dev);
	if (fd < 0)
		return 0; /* who wants to write to it will say so */
	before = dev->strays.n;
	read_ahead(fd, dev, places);
	found = stray_find(m->arena, fd, dev, places, false, d);
	vec_each (const struct signature *, s, &found)
		if (!is_known(&dev->strays, s))
			vec_push(m->arena, &dev->strays, *s);
	if (dev->strays.n == before)
		return 0;
	sort(&dev->strays);
	(void)json_object_object_add(m->json, "devices", record_devices(m));
	return dev->strays.n - before;
}

signature_list machine_strays(struct arena *a, int fd, const struct blockdev *dev, const extent_list *places,
			      struct diag *d)
{
	extent_list usual = stray_places(a);

	read_ahead(fd, dev, &usual);
	read_ahead(fd, dev, places);
	return stray_find(a, fd, dev, places, true, d);
}
