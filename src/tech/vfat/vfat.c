/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <json-c/json.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

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

enum { BOOT_PIECE = 8192 };

/* The boot sector, little-endian. Source: Microsoft's FAT specification 1.03, "BPB" and "FAT32 FSInfo Sector Structure". */

static uint32_t le16(const uint8_t *p)
{
	return (uint32_t)p[1] << 8 | p[0];
}

static uint32_t le32(const uint8_t *p)
{
	return le16(p + 2) << 16 | le16(p);
}

struct boot {
	uint32_t sector, cluster; /* bytes */
	uint64_t sectors;         /* in all */
	uint32_t clusters;
	uint32_t info; /* sector of FSInfo, 0: none (FAT12, FAT16) */
};

static bool parse_boot(const uint8_t *b, struct boot *ret)
{
	struct boot r = { .sector = le16(b + 11), .cluster = le16(b + 11) * b[13], .sectors = le16(b + 19) };
	uint32_t table = le16(b + 22);
	uint64_t before;

	if (!units_is_power_of_two(r.sector) || r.sector < 512 || r.sector > 4096 ||
	    !units_is_power_of_two(b[13]))
		return false;
	if (!r.sectors)
		r.sectors = le32(b + 32);
	if (!table) {
		table = le32(b + 36);
		r.info = le16(b + 48);
	}
	/* Reserved sectors, the tables, the root directory of the older ones. */
	before = le16(b + 14) + (uint64_t)b[16] * table +
		 units_align_up((uint64_t)le16(b + 17) * 32, r.sector) / r.sector;
	if (before >= r.sectors)
		return false;
	r.clusters = (uint32_t)((r.sectors - before) / b[13]);
	*ret = r;
	return true;
}

/* The count of free clusters is a hint, but one that all writers keep. 2^32 - 1: not known. */
static void add_used(const uint8_t *at, struct json_object *out)
{
	struct boot b;
	const uint8_t *info;
	uint32_t unused;

	if (!parse_boot(at, &b) || !b.info || (b.info + 1) * b.sector > BOOT_PIECE)
		return;
	info = at + (size_t)b.info * b.sector;
	if (le32(info) != 0x41615252 || le32(info + 484) != 0x61417272)
		return;
	unused = le32(info + 488);
	if (unused >= b.clusters)
		return;
	json_object_object_add(out, "used",
			       json_object_new_int64((int64_t)(b.clusters - unused) * b.cluster));
}

static uint64_t vfat_extent(const char *type, const uint8_t *at, size_t len)
{
	struct boot b;

	return text_eq(type, "vfat") && len >= 512 && parse_boot(at, &b) ? b.sectors * b.sector : 0;
}

/*
 * Whether the root directory has never had an entry but the label's. Source: Microsoft's FAT specification (fatgen103): the boot sector,
 * and the 32 bytes of an entry, whose first byte is 0 where none was ever written.
 */
static bool read_vfat(int fd, uint64_t size, struct json_object *out)
{
	uint8_t boot[BOOT_PIECE], entry[32];
	uint64_t sector, reserved, tables, root, room, at;

	if (pread(fd, boot, sizeof(boot), 0) != (ssize_t)sizeof(boot))
		return false;
	add_used(boot, out);
	sector = le16(boot + 11);
	reserved = le16(boot + 14);
	tables = (uint64_t)boot[16] * (le16(boot + 22) ? le16(boot + 22) : le32(boot + 36));
	room = le16(boot + 17) ? le16(boot + 17) * sizeof(entry) : boot[13] * sector;
	root = le16(boot + 17) ? 0 : le32(boot + 44);
	if (!sector || !boot[13] || (root && root < 2))
		return false;
	at = (reserved + tables + (root ? (root - 2) * boot[13] : 0)) * sector;
	if (at > size || room > size - at)
		return false;
	for (uint64_t i = 0; i < room; i += sizeof(entry)) {
		if (pread(fd, entry, sizeof(entry), (off_t)(at + i)) != (ssize_t)sizeof(entry))
			return false;
		if (!entry[0])
			break;
		if (entry[0] != 0xe5 && entry[11] == 0x08) /* the label */
			continue;
		fs_add_empty(out, false);
		return true;
	}
	fs_add_empty(out, true);
	return true;
}

static int vfat_probe(struct probe *p)
{
	return fs_probe_devices(p, "vfat", (const char *const[]){ "fsck.vfat", "-n", NULL }, read_vfat);
}

static int vfat_find(const struct machine *m, struct graph *have, struct diag *d)
{
	size_t first = have->nodes.n;
	int r = fs_find_type(m, have, &vfat_kind.kind, "vfat");

	(void)d;
	fs_find_empty(m, have, first, "vfat");
	return r;
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

static const char *planned(const struct node *want, const struct settle *s)
{
	const char *stated = fs_of(want)->item->uuid;

	return stated ? upper(s->arena, stated) : serial(s->arena, settle_uuid(s, want, ""));
}

static enum leftover vfat_leftover(const struct node *want, const struct node *have, const struct settle *s)
{
	return text_eq(fs_of(have)->uuid, planned(want, s)) ? fs_of(have)->left : LEFTOVER_NOT;
}

static int vfat_settle(struct node *want, struct settle *s)
{
	struct fs *fs = as_fs(want);
	uint32_t sector = want->below.at[0].to->geo.logical ? want->below.at[0].to->geo.logical : SECTOR;
	int r;

	fs->uuid = planned(want, s);
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
		  .leftover = vfat_leftover,
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
	.probe = vfat_probe,
	.extent = vfat_extent,
};
