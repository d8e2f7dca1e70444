/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <string.h>

#include "base/arena.h"
#include "base/units.h"
#include "plan/settle.h"
#include "plan/step.h"
#include "tech/fs.h"

/* Filesystems on one device of which nothing is asked but a label and a UUID: a row each. */

/* What its UUID looks like, and how it gets there. */
enum id_form {
	ID_UUID, /* 8-4-4-4-12, a word of the tool */
	ID_32,   /* "DEAD-BEEF", set by a second program */
	ID_64,   /* "0123456789ABCDEF", set by a second program */
};

struct plain {
	struct fs_kind fs;
	const char *const *tool; /* its first words */
	const char *label_word, *id_word;
	const char *const *id_tool; /* ID_32, ID_64: its first words; the last one gets the number added */
	const char *id_prefix;
	enum id_form form;
	unsigned label_most; /* UTF-16 units */
	uint64_t least;      /* bytes of a device that the tool takes */
	const char *part_type;
	const struct fs_word *elsewhere;
	uint64_t (*extent)(const uint8_t *at, size_t len); /* bytes, 0: not known */
};

static const struct plain *plain_of(const struct node *n)
{
	return (const struct plain *)n->kind;
}

static uint64_t le(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | p[n];
	return v;
}

/* Valid UTF-8, as all text of a layout is. Letters beyond the first 65536 take two units. */
static size_t utf16_units(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80 ? 1 + ((unsigned char)*s >= 0xf0) : 0;
	return n;
}

static int check_label(const struct node *want, struct diag *d)
{
	const char *label = fs_of(want)->item->label;
	unsigned most = plain_of(want)->label_most;

	if (!label || utf16_units(label) <= most)
		return 0;
	return diag_error(d, item_pos(want->item, "label"),
			  "the label '%s' has %zu letters, and %s has room for %u",
			  text_short(d->arena, label), utf16_units(label), want->kind->name, most);
}

static size_t digits(enum id_form form)
{
	return form == ID_32 ? 8 : 16;
}

/* Upper case, as blkid shows it; NULL where it is none. */
static const char *id_read(struct arena *a, enum id_form form, const char *text)
{
	char *s = arena_strdup(a, text);
	size_t n = strlen(s), dash = form == ID_32;

	if (n != digits(form) + dash || (dash && s[4] != '-'))
		return NULL;
	for (size_t i = 0; i < n; i++) {
		if (dash && i == 4)
			continue;
		if (!isxdigit((unsigned char)s[i]))
			return NULL;
		s[i] = (char)toupper((unsigned char)s[i]);
	}
	return strspn(s, "0-") == n ? NULL : s;
}

static int check_id(const struct node *want, struct diag *d)
{
	const char *uuid = fs_of(want)->item->uuid;
	enum id_form form = plain_of(want)->form;

	if (form == ID_UUID)
		return fs_check_uuid(want, d);
	if (!uuid || id_read(d->arena, form, uuid))
		return 0;
	return diag_error(d, item_pos(want->item, "uuid"),
			  "'%s' is no volume number of %s: %zu hexadecimal digits, not all zero, such as %s",
			  text_short(d->arena, uuid), want->kind->name, digits(form),
			  form == ID_32 ? "DEAD-BEEF" : "0123456789ABCDEF");
}

static int plain_check(const struct node *want, struct diag *d)
{
	int r[] = { check_label(want, d), check_id(want, d),
		    fs_check_words(want, plain_of(want)->elsewhere, d) };

	for (size_t i = 0; i < sizeof(r) / sizeof(*r); i++)
		if (r[i] < 0)
			return r[i];
	return 0;
}

/* Of a UUID that others would get as it is, the first bytes; all zero would be none. */
static const char *planned(const struct node *want, const struct settle *s)
{
	const char *stated = fs_of(want)->item->uuid;
	enum id_form form = plain_of(want)->form;
	struct text t = { .arena = s->arena };
	struct uuid u;

	if (stated)
		return form == ID_UUID ? stated : id_read(s->arena, form, stated);
	u = settle_uuid(s, want, "");
	if (form == ID_UUID)
		return uuid_text(s->arena, u);
	u.b[3] |= !(u.b[0] | u.b[1] | u.b[2] | u.b[3]);
	for (size_t i = 0; i < digits(form) / 2; i++)
		text_printf(&t, "%s%02X", form == ID_32 && i == 2 ? "-" : "", u.b[i]);
	return text_str(&t);
}

static enum leftover plain_leftover(const struct node *want, const struct node *have, const struct settle *s)
{
	return text_eq(fs_of(have)->uuid, planned(want, s)) ? fs_of(have)->left : LEFTOVER_NOT;
}

static int plain_settle(struct node *want, struct settle *s)
{
	const struct plain *p = plain_of(want);
	int r;

	if (p->form != ID_UUID)
		as_fs(want)->uuid = planned(want, s);
	r = fs_settle(want, s);
	return r < 0 ? r : fs_settle_min(want, s, p->least, arena_printf(s->arena, "%s", p->tool[0]));
}

/* Its tool takes none, or writes one of its own choice: put there before anybody mounts it. */
static void add_id(struct steps *s, const struct node *want)
{
	const struct plain *p = plain_of(want);
	struct step *st = step_new(s, want, "number", "give the %s for %s the volume number %s",
				   want->kind->name, want->name, fs_of(want)->uuid);
	struct text t = { .arena = steps_arena(s) };
	size_t i = 0;

	st->op.form = OP_ARGV;
	for (; p->id_tool[i + 1]; i++)
		step_word(s, st, p->id_tool[i]);
	text_printf(&t, "%s%s", p->id_tool[i], p->id_prefix);
	for (const char *c = fs_of(want)->uuid; *c; c++)
		if (*c != '-')
			text_printf(&t, "%c", *c);
	step_word(s, st, text_str(&t));
	step_word(s, st, want->dev);
}

static int plain_create(struct steps *s, const struct node *want)
{
	const struct plain *p = plain_of(want);
	const struct fs *fs = fs_of(want);
	struct step *st = fs_step(s, want, p->tool[0], "");

	for (size_t i = 1; p->tool[i]; i++)
		step_word(s, st, p->tool[i]);
	if (p->form == ID_UUID)
		step_argv(s, st, p->id_word, fs->uuid, NULL);
	if (fs->label)
		step_argv(s, st, p->label_word, fs->label, NULL);
	fs_tool_words(s, st, fs);
	step_word(s, st, want->dev);
	if (p->form != ID_UUID)
		add_id(s, want);
	return 0;
}

static const char *plain_part_type(const struct node *want)
{
	return plain_of(want)->part_type;
}

static const struct key plain_keys[] = { { 0 } };

#define PLAIN_KIND(type_, doc_, fsck_, find_)                                                                \
	{                                                                                                    \
		.fsck = (fsck_), .kind = {                                                                   \
			.name = (type_),                                                                     \
			.doc = (doc_),                                                                       \
			.size = sizeof(struct fs),                                                           \
			.section = "filesystems",                                                            \
			.item_size = sizeof(struct fs_item),                                                 \
			.keys = plain_keys,                                                                  \
			.check = plain_check,                                                                \
			.find = (find_),                                                                     \
			.match = fs_match,                                                                   \
			.settle = plain_settle,                                                              \
			.leftover = plain_leftover,                                                          \
			.compare = fs_compare,                                                               \
			.create = plain_create,                                                              \
			.describe = fs_describe,                                                             \
			.part_type = plain_part_type,                                                        \
		}                                                                                            \
	}

static int plain_find(const struct machine *m, struct graph *have, struct diag *d);

/* Little-endian: how large a block is (log2), and how many. Source: struct f2fs_super_block, include/linux/f2fs_fs.h. */
static uint64_t f2fs_extent(const uint8_t *at, size_t len)
{
	const uint8_t *sb = at + 1024;
	uint64_t log_block, blocks;

	if (len < 1024 + 44)
		return 0;
	log_block = le(sb + 16, 4);
	blocks = le(sb + 36, 8);
	return log_block >= 9 && log_block <= 16 && blocks <= (uint64_t)INT64_MAX >> log_block
		       ? blocks << log_block
		       : 0;
}

/* VolumeLength in sectors, BytesPerSectorShift. Source: Microsoft's exFAT specification 1.00, section 3.1. */
static uint64_t exfat_extent(const uint8_t *at, size_t len)
{
	uint64_t sectors;

	if (len < 512)
		return 0;
	sectors = le(at + 72, 8);
	return at[108] >= 9 && at[108] <= 12 && sectors <= (uint64_t)INT64_MAX >> at[108] ? sectors << at[108]
											  : 0;
}

/* Sectors without the last, in which the copy of this one lies. Source: struct NTFS_BOOT_SECTOR, ntfs-3g: layout.h. */
static uint64_t ntfs_extent(const uint8_t *at, size_t len)
{
	uint64_t sector, sectors;

	if (len < 512)
		return 0;
	sector = le(at + 11, 2);
	sectors = le(at + 40, 8);
	return units_is_power_of_two(sector) && sector >= 256 && sectors < INT64_MAX / sector
		       ? (sectors + 1) * sector
		       : 0;
}

static const struct fs_word f2fs_elsewhere[] = {
	{ "-l", "state the key 'label'" },
	{ "-U", "state the key 'uuid'" },
	{ "-c", "leave it out, further devices can't be planned" },
	{ 0 },
};

static const struct fs_word exfat_elsewhere[] = {
	{ "-L", "state the key 'label'" },
	{ "--volume-label", "state the key 'label'" },
	{ 0 },
};

static const struct fs_word ntfs_elsewhere[] = {
	{ "-L", "state the key 'label'" },
	{ "--label", "state the key 'label'" },
	{ "-s", "leave it out, the device says what its sectors are" },
	{ "--sector-size", "leave it out, the device says what its sectors are" },
	{ "-n", "leave it out, nothing would be made" },
	{ "--no-action", "leave it out, nothing would be made" },
	{ 0 },
};

/* Smallest sizes and room for labels: tried with f2fs-tools 1.15, exfatprogs 1.2.0 and ntfs-3g 2022.10.3. */
static const struct plain plains[] = {
	{
		.fs = PLAIN_KIND("f2fs", "F2FS: for flash that the kernel sees as a disk.", true, plain_find),
		.tool = (const char *const[]){ "mkfs.f2fs", "-f", NULL },
		.label_word = "-l",
		.id_word = "-U",
		.label_most = 512,
		.least = 52 * MIB,
		.elsewhere = f2fs_elsewhere,
		.extent = f2fs_extent,
	},
	{
		.fs = PLAIN_KIND("exfat", "exFAT: to exchange with others.", true, NULL),
		.tool = (const char *const[]){ "mkfs.exfat", NULL },
		.label_word = "-L",
		.form = ID_32,
		.id_tool = (const char *const[]){ "tune.exfat", "-I", "", NULL },
		.id_prefix = "0x",
		.label_most = 11,
		.least = 3 * MIB,
		.part_type = "microsoft-basic-data",
		.elsewhere = exfat_elsewhere,
		.extent = exfat_extent,
	},
	{
		.fs = PLAIN_KIND("ntfs", "NTFS: to exchange with Windows.", false, NULL),
		/* -F: also a whole disk. -Q: without zeroing it. */
		.tool = (const char *const[]){ "mkntfs", "-F", "-Q", NULL },
		.label_word = "-L",
		.form = ID_64,
		.id_tool = (const char *const[]){ "ntfslabel", "--new-serial=", NULL },
		.id_prefix = "",
		.label_most = 128,
		.least = 2 * MIB,
		.part_type = "microsoft-basic-data",
		.elsewhere = ntfs_elsewhere,
		.extent = ntfs_extent,
	},
};

enum { COUNT = sizeof(plains) / sizeof(plains[0]) };

/* The first kind's finds them all. */
static int plain_find(const struct machine *m, struct graph *have, struct diag *d)
{
	int r = 0;

	(void)d;
	for (size_t i = 0; i < COUNT && r == 0; i++)
		r = fs_find_type(m, have, &plains[i].fs.kind, plains[i].fs.kind.name);
	return r;
}

static uint64_t plain_extent(const char *type, const uint8_t *at, size_t len)
{
	for (size_t i = 0; i < COUNT; i++)
		if (text_eq(type, plains[i].fs.kind.name))
			return plains[i].extent(at, len);
	return 0;
}

static const struct kind *const plain_kinds[] = { &plains[0].fs.kind, &plains[1].fs.kind, &plains[2].fs.kind,
						  NULL };

static const struct room_tool tools[] = { { "mkfs.f2fs", "f2fs-tools" },  { "mkfs.exfat", "exfatprogs" },
					  { "tune.exfat", "exfatprogs" }, { "mkntfs", "ntfs-3g" },
					  { "ntfslabel", "ntfs-3g" },     { 0 } };

extern const struct room room_plain;
const struct room room_plain = {
	.name = "plain",
	.doc = "F2FS, exFAT and NTFS, as plain filesystems on one device.",
	.tools = tools,
	.kinds = plain_kinds,
	.extent = plain_extent,
};
