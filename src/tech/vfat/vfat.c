/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/units.h"
#include "plan/settle.h"
#include "plan/step.h"
#include "tech/fs.h"

enum {
	LABEL_MOST = 11,
	CLUSTERS_LEAST =
		65525, /* FAT32; with fewer, readers take it for FAT16. Source: Microsoft's FAT specification 1.03 */
	RESERVED_SECTORS = 32, /* before the tables: mkfs.fat 4.2 */
	TRACK_SECTORS = 63,    /* mkfs.fat cuts the end to whole tracks of up to 63 sectors */
};

static const struct key vfat_keys[] = { { 0 } };

static const struct fs_word elsewhere[] = {
	{ "-n", "state the key 'label'" },
	{ "-i", "state the key 'uuid'" },
	{ "-F", "leave it out, vfat is FAT32" },
	{ "-s", "leave it out, the tool picks clusters that suit the size" },
	{ "-S", "leave it out, the device says what its sectors are" },
	{ 0 },
};

static const char *upper(struct arena *a, const char *s)
{
	char *up = arena_strdup(a, s);

	for (char *c = up; c && *c; c++)
		*c = (char)toupper((unsigned char)*c);
	return up;
}

static bool is_serial(const char *s)
{
	if (strlen(s) != 9 || s[4] != '-')
		return false;
	for (size_t i = 0; i < 9; i++)
		if (i != 4 && !isxdigit((unsigned char)s[i]))
			return false;
	return true;
}

static int check_label(const struct node *want, struct diag *d)
{
	const char *label = fs_of(want)->item->label;
	struct pos pos = item_pos(want->item, "label");
	bool small = false;
	int r = fs_check_label(want, LABEL_MOST, d);

	if (!label || r < 0)
		return r;
	for (const char *c = label; *c; c++) {
		if ((unsigned char)*c >= 0x80 || strchr("*?.,;:/\\|+=<>[]\"", *c))
			return diag_error(d, pos, "the label '%s': %s has no place in a label of vfat", label,
					  (unsigned char)*c >= 0x80 ? "a letter beyond ASCII"
								    : arena_printf(d->arena, "'%c'", *c));
		small |= *c >= 'a' && *c <= 'z';
	}
	if (label[0] == ' ' || label[strlen(label) - 1] == ' ')
		return diag_error(d, pos, "the label '%s' begins or ends with a blank, which vfat can't keep",
				  label);
	if (!strcmp(label, "NO NAME"))
		return diag_error(d, pos, "the label 'NO NAME' is how vfat says that there is none");
	if (small)
		diag_warn(d, pos,
			  "the label '%s' has small letters, which some systems won't read: '%s' is safe",
			  label, upper(d->arena, label));
	return 0;
}

static int vfat_check(const struct node *want, struct diag *d)
{
	const char *uuid = fs_of(want)->item->uuid;
	int r[] = { check_label(want, d), fs_check_words(want, elsewhere, d), 0 };

	if (uuid && !is_serial(uuid))
		r[2] = diag_error(d, item_pos(want->item, "uuid"),
				  "'%s' is no volume number of vfat: 8 hexadecimal digits such as DEAD-BEEF",
				  text_short(d->arena, uuid));
	else if (uuid && !strcmp(uuid, "0000-0000"))
		r[2] = diag_error(d, item_pos(want->item, "uuid"),
				  "the volume number 0000-0000 is none: leave it out, and one is derived");
	for (size_t i = 0; i < sizeof(r) / sizeof(*r); i++)
		if (r[i] < 0)
			return r[i];
	return 0;
}

static const struct fs_kind vfat_kind;

static int vfat_find(const struct machine *m, struct graph *have, struct diag *d)
{
	(void)d;
	return fs_find_type(m, have, &vfat_kind.kind, "vfat");
}

/* The smallest device that certainly makes a FAT32, in whole MiB: 33 with sectors of 512, 257 with 4096. One cluster is one sector. */
static uint64_t smallest(uint32_t sector)
{
	uint64_t table = units_align_up((CLUSTERS_LEAST + 2) * UINT64_C(4), sector) / sector;

	return units_align_up((CLUSTERS_LEAST + RESERVED_SECTORS + 2 * table + TRACK_SECTORS) * sector, MIB);
}

/* Of the UUID that others would get, the first four bytes; all zero would be none. */
static const char *serial(struct arena *a, struct uuid u)
{
	if (!(u.b[0] | u.b[1] | u.b[2] | u.b[3]))
		u.b[3] = 1;
	return arena_printf(a, "%02X%02X-%02X%02X", u.b[0], u.b[1], u.b[2], u.b[3]);
}

static int vfat_settle(struct node *want, struct settle *s)
{
	struct fs *fs = as_fs(want);
	uint32_t sector = want->below.at[0].to->geo.logical ? want->below.at[0].to->geo.logical : SECTOR;
	int r;

	fs->uuid = fs->item->uuid ? upper(s->arena, fs->item->uuid)
				  : serial(s->arena, settle_uuid(s, want, ""));
	r = fs_settle(want, s);
	if (r < 0)
		return r;
	return fs_settle_min(want, s, smallest(sector),
			     arena_printf(s->arena, "a FAT32 with sectors of %u bytes", (unsigned)sector));
}

static int vfat_create(struct steps *s, const struct node *want)
{
	const struct fs *fs = fs_of(want);
	struct step *st = fs_step(s, want, "mkfs.vfat", "");

	step_argv(s, st, "-F", "32", "-i", NULL);
	step_wordf(s, st, "%.4s%s", fs->uuid, fs->uuid + 5);
	if (fs->label)
		step_argv(s, st, "-n", fs->label, NULL);
	/* On a whole disk the tool wants to be asked twice, and would put a partition table into the boot sector. */
	if (!want->below.at[0].to->below.n)
		step_argv(s, st, "-I", "--mbr=n", NULL);
	fs_tool_words(s, st, fs);
	step_word(s, st, want->dev);
	return 0;
}

static const char *vfat_describe(struct arena *a, const struct node *n)
{
	const struct fs *fs = fs_of(n);

	return arena_printf(a, "vfat%s%s", fs->label ? ", label " : "", fs->label ? fs->label : "");
}

/* Where firmware looks. */
static const char *vfat_part_type(const struct node *want)
{
	const struct fs_item *it = fs_of(want)->item;

	if (text_eq(it->mount, "/boot/efi") || text_eq(it->mount, "/efi"))
		return "esp";
	if (it->label && (!strncasecmp(it->label, "EFI", 3) || !strncasecmp(it->label, "ESP", 3)))
		return "esp";
	return NULL;
}

static const struct fs_kind vfat_kind = {
	.fsck = true,
	.kind = { .name = "vfat",
		  .doc = "FAT32: for firmware, and to exchange with others.",
		  .size = sizeof(struct fs),
		  .section = "filesystems",
		  .item_size = sizeof(struct fs_item),
		  .keys = vfat_keys,
		  .check = vfat_check,
		  .find = vfat_find,
		  .match = fs_match,
		  .settle = vfat_settle,
		  .compare = fs_compare,
		  .create = vfat_create,
		  .describe = vfat_describe,
		  .part_type = vfat_part_type },
};

static const struct kind *const vfat_kinds[] = { &vfat_kind.kind, NULL };

extern const struct room room_vfat;

static const struct room_tool tools[] = { { "mkfs.vfat", "dosfstools" }, { 0 } };

const struct room room_vfat = {
	.name = "vfat",
	.tools = tools,
	.doc = "FAT32 filesystems.",
	.kinds = vfat_kinds,
};
