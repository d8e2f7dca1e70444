/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/uuid.h"
#include "tech/lvm/lvm.h"

/*
 * LVM by itself takes the first multiple of the device's optimal I/O size from 1 MiB on, where that doesn't divide 1 MiB. This is the same
 * for a device that begins at the start of a stripe; one that doesn't gets what makes up for it, so the alignment is always stated.
 */
uint64_t lvm_data_start(const struct geometry *g)
{
	uint64_t start = MIB, stripe = g->opt_io;

	if (!stripe || stripe % SECTOR || g->offset % SECTOR)
		return start;
	return units_align_up(g->offset + start, stripe) - g->offset;
}

uint64_t lvm_extents(uint64_t device, uint64_t data_start, uint64_t extent_size)
{
	return device > data_start ? (device - data_start) / extent_size : 0;
}

uint64_t lvm_stripe_size(const struct geometry *g, uint64_t extent_size)
{
	uint64_t size = LVM_STRIPE_DEFAULT;

	/* The kernel wants a power of two. A full stripe below is best, else as many whole chunks of it as fit. */
	if (g->opt_io && g->opt_io > g->physical) {
		for (size = 4 * KIB; size * 2 <= g->opt_io;)
			size *= 2;
		if (g->min_io && size % g->min_io)
			size = LVM_STRIPE_DEFAULT;
	}
	while (size > 4 * KIB && extent_size % size)
		size /= 2;
	return size;
}

bool lvm_extent_size_ok(uint64_t bytes)
{
	return bytes >= KIB && (units_is_power_of_two(bytes) || bytes % (128 * KIB) == 0);
}

const char *lvm_size_text(struct arena *a, uint64_t bytes)
{
	if (bytes % MIB == 0)
		return arena_printf(a, "%llum", (unsigned long long)(bytes / MIB));
	if (bytes % KIB == 0)
		return arena_printf(a, "%lluk", (unsigned long long)(bytes / KIB));
	return arena_printf(a, "%llus", (unsigned long long)(bytes / SECTOR));
}

static void add_doubled(struct text *t, const char *s)
{
	for (; *s; s++) {
		text_addc(t, *s);
		if (*s == '-')
			text_addc(t, '-');
	}
}

const char *lvm_dm_name(struct arena *a, const char *vg, const char *lv)
{
	struct text t = { .arena = a };

	add_doubled(&t, vg);
	text_addc(&t, '-');
	add_doubled(&t, lv);
	return text_str(&t);
}

bool lvm_dm_split(struct arena *a, const char *dm_name, const char **ret_vg, const char **ret_lv)
{
	struct text part[2] = { { .arena = a }, { .arena = a } };
	size_t at = 0;

	for (const char *s = dm_name; *s; s++) {
		if (*s != '-') {
			text_addc(&part[at], *s);
		} else if (s[1] == '-') {
			text_addc(&part[at], '-');
			s++;
		} else if (++at > 1) {
			return false; /* a third part: a hidden layer of a volume */
		}
	}
	if (at != 1 || !part[0].len || !part[1].len)
		return false;
	*ret_vg = text_str(&part[0]);
	*ret_lv = text_str(&part[1]);
	return true;
}

int lvm_uuid_plain(const char *text, struct uuid *ret)
{
	struct uuid u = { 0 };
	size_t n = 0;

	for (; *text; text++) {
		int c = tolower((unsigned char)*text);

		if (c == '-')
			continue;
		if (!isxdigit(c) || n == 2 * sizeof(u.b))
			return -EINVAL;
		u.b[n / 2] = (uint8_t)(u.b[n / 2] << 4 | (isdigit(c) ? c - '0' : c - 'a' + 10));
		n++;
	}
	if (n != 2 * sizeof(u.b))
		return -EINVAL;
	*ret = u;
	return 0;
}

const char *lvm_name_why_not(const char *lv)
{
	static const char *const starts[] = { "pvmove", "snapshot" };
	static const char *const within[] = { "_cdata",   "_cmeta",  "_corig", "_cpool",   "_cvol",
					      "_iorig",   "_mimage", "_mlog",  "_pmspare", "_rimage",
					      "_rmeta",   "_tdata",  "_tmeta", "_vdata",   "_imeta",
					      "_vorigin", "_wcorig", "_vpool" };

	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (text_starts(lv, starts[i]))
			return starts[i];
	for (size_t i = 0; i < sizeof(within) / sizeof(*within); i++)
		if (strstr(lv, within[i]))
			return within[i];
	return NULL;
}
