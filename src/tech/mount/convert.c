/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/arena.h"
#include "machine/machine.h"
#include "tech/kind.h"
#include "tech/mount/fstab-parse.h"
#include "tech/mount/fstab.h"
#include "tech/mount/sources.h"

struct converting {
	struct arena *arena;
	const struct machine *machine;
	struct diag *diag;
	const char *file;
	const struct fstab_line *line;
	const char *source, *type, *options; /* decoded */
	bool all;
};

static void stays(struct converting *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void stays(struct converting *c, const char *fmt, ...)
{
	const struct fstab_bytes *f = &c->line->field[FSTAB_SOURCE];
	struct pos pos = { .file = c->file, .line = c->line->number, .col = 1 };
	const char *why;
	va_list ap;

	va_start(ap, fmt);
	why = arena_vprintf(c->arena, fmt, ap);
	va_end(ap);
	/* Blanks alone can stand before it, so bytes are characters here. */
	pos.col += (unsigned)(f->at - c->line->all.at);
	for (size_t i = 0; i < f->len; i++)
		pos.width += ((unsigned char)f->at[i] & 0xc0) != 0x80;
	diag_warn(c->diag, pos, "%s stays: %s", c->source, why);
	c->all = false;
}

/*
 * Plain dm-crypt has no header on the device beneath. Its usual use is swap and /tmp with a random key: the filesystem is made
 * anew at each boot, and so is its UUID. Only the name lasts.
 */
static bool is_passing_crypt(const struct machine *m, const struct blockdev *b)
{
	if (!text_eq(b->dm_target, "crypt"))
		return false;
	vec_each (const char *const *, name, &b->slaves) {
		const struct blockdev *below = machine_dev(m, *name);

		if (!below)
			continue;
		vec_each (const struct signature *, sig, &below->signatures)
			if (text_eq(sig->usage, "crypto"))
				return false;
	}
	return true;
}

static bool is_known_type(const char *type)
{
	for (const struct room *const *r = rooms; *r; r++)
		for (const struct kind *const *k = (*r)->kinds; k && *k; k++)
			if (text_eq((*k)->section, "filesystems") && text_eq((*k)->name, type))
				return true;
	return false;
}

static const char *holds(struct arena *a, const struct blockdev *b)
{
	vec_each (const struct signature *, sig, &b->signatures)
		return arena_printf(a, "it holds %s, no filesystem", sig->type);
	if (b->error)
		return arena_printf(a, "it could not be read (%s)", b->error);
	return b->looked ? "there is no filesystem on it"
			 : "no filesystem on it is known; it may take root to see it";
}

/* What bears a UUID and isn't @b, nor a member of one btrfs with it. @b first. */
static source_list copies(const struct converting *c, const struct blockdev *b, const char *uuid)
{
	source_list all = source_with_uuid(c->arena, c->machine, uuid), list = { 0 };

	vec_push(c->arena, &list, b);
	vec_each (const struct blockdev *const *, other, &all)
		if (!source_is_same(b, *other))
			vec_push(c->arena, &list, *other);
	return list;
}

/* The one filesystem that bears a label; NULL after saying why not. */
static const struct blockdev *by_label(struct converting *c, const char *label)
{
	source_list list = source_with_label(c->arena, c->machine, label);

	if (!list.n) {
		stays(c, "no device here bears that label");
		return NULL;
	}
	for (size_t i = 1; i < list.n; i++)
		if (!source_is_same(list.at[0], list.at[i])) {
			stays(c, "several devices bear that label, %s", source_names(c->arena, &list));
			return NULL;
		}
	return list.at[0];
}

/* The device that a path stands for now; NULL after saying why there is none. */
static const struct blockdev *by_path(struct converting *c)
{
	const struct blockdev *b = source_by_path(c->arena, c->machine, c->source);
	const struct signature *sig = b ? source_content(b) : NULL;

	if (!b) {
		stays(c, "there is no such device on %s", c->machine->source);
		return NULL;
	}
	/* Of two devices with one label the link leads to either. */
	if (sig && sig->label && text_starts(c->source, "/dev/disk/by-label/"))
		return by_label(c, sig->label) ? b : NULL;
	return b;
}

/* Drives whose medium changes, and memory that is formatted at each boot: the UUID of today says nothing, their names last. */
static bool is_changing(const struct converting *c)
{
	static const char *const names[] = { "sr", "scd", "cdrom", "dvd", "fd", "floppy", "zram", "ram" };
	const struct blockdev *b = text_starts(c->source, "/")
					   ? source_by_path(c->arena, c->machine, c->source)
					   : NULL;
	const char *name = b ? b->name : text_starts(c->source, "/dev/") ? c->source + strlen("/dev/") : "";

	if (b && (text_eq(b->type, "rom") || text_eq(b->type, "zram")))
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (text_starts(name, names[i]) &&
		    !name[strlen(names[i]) + strspn(name + strlen(names[i]), "0123456789")])
			return true;
	return !b &&
	       (text_eq(c->type, "iso9660") || text_eq(c->type, "udf") || text_eq(c->type, "udf,iso9660"));
}

/* Return: "UUID=...", or NULL where the source stays; what should have changed has been told. */
static const char *uuid_for(struct converting *c)
{
	const char *label = fstab_tag(c->arena, c->source, "LABEL");
	const struct blockdev *b;
	const struct signature *sig;
	source_list twins;

	/* A partition's own tags name it as well as a UUID does its filesystem, and last longer than that: somebody chose them. */
	if ((!label && !text_starts(c->source, "/dev/")) || source_is_elsewhere(c->type, c->options) ||
	    is_changing(c))
		return NULL;
	b = label ? by_label(c, label) : by_path(c);
	if (!b)
		return NULL;
	b = source_on_top(c->machine, b);
	sig = source_content(b);
	if (is_passing_crypt(c->machine, b)) {
		stays(c,
		      "%s is encrypted without a header, so its key, and with it the UUID, may be new at "
		      "each boot",
		      b->path);
	} else if (!sig) {
		stays(c, "%s", holds(c->arena, b));
	} else if (!sig->uuid || !*sig->uuid) {
		stays(c, "the %s on %s has no UUID", sig->type, b->path);
	} else if (is_known_type(c->type) && is_known_type(sig->type) && !text_eq(c->type, sig->type)) {
		stays(c, "the line says %s, but %s holds %s", c->type, b->path, sig->type);
	} else {
		twins = copies(c, b, sig->uuid);
		if (twins.n == 1)
			return arena_printf(c->arena, "UUID=%s", sig->uuid);
		stays(c, "its UUID %s is borne by several devices, %s", sig->uuid,
		      source_names(c->arena, &twins));
	}
	return NULL;
}

int fstab_convert(struct arena *a, const struct machine *m, const char *file, const char *text, size_t len,
		  struct diag *d, const char **ret, size_t *ret_len, bool *ret_all)
{
	struct converting c = { .arena = a, .machine = m, .diag = d, .file = file, .all = true };
	struct text out = { .arena = a };
	struct fstab_line line = { 0 };
	size_t pos = 0;

	diag_source_add(d, file, text, len);
	while (fstab_next(text, len, &pos, &line)) {
		const char *field[FSTAB_FIELDS] = { NULL };

		if (line.entry) {
			c.line = &line;
			c.source = fstab_decode(a, line.field[FSTAB_SOURCE]);
			c.type = fstab_decode(a, line.field[FSTAB_TYPE]);
			c.options = line.fields > FSTAB_OPTIONS ? fstab_decode(a, line.field[FSTAB_OPTIONS])
								: "";
			field[FSTAB_SOURCE] = fstab_encode(a, uuid_for(&c));
		}
		fstab_put(&out, &line, field);
	}
	*ret = text_str(&out);
	*ret_len = out.len;
	*ret_all = c.all;
	return 0;
}
