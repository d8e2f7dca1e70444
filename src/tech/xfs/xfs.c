/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/units.h"
#include "machine/machine.h"
#include "plan/settle.h"
#include "plan/step.h"
#include "tech/fs.h"

enum { BLOCK = 4096 };

#define LOG_MOST    (256 * KIB) /* of a log stripe unit */
#define LOG_ELSE    (32 * KIB)  /* what mkfs.xfs takes, with a remark, where the stripe unit is larger */
#define SMALL       GIB         /* below, mkfs.xfs takes no stripe from the device */
#define SMALLEST    (300 * MIB) /* xfsprogs 5.19 and later */
#define LOG_LOOKED  (512 * KIB) /* more than a record of mkfs's and the gap behind it can take */
#define STRIPE_MOST (UINT64_C(1) << 40) /* a full stripe: 2^31 sectors */

struct xfs_item {
	struct fs_item fs;
	uint64_t su, log_su; /* bytes, 0: not stated */
	int64_t sw;          /* 0: not stated */
};

struct xfs {
	struct fs fs;
	uint64_t su, sw, log_su; /* want: settled; have: recorded; su 0: no stripe */
	const char *
		unlike; /* want: in what the stripe of the one that is there doesn't suit what lies beneath */
	bool noalign;   /* want: the device shows a stripe that isn't taken */
	bool known;     /* have: the superblock was read */
	bool unfinished; /* have: mkfs.xfs was interrupted */
};

static const struct key xfs_keys[] = {
	KEY(BYTES, struct xfs_item, su, .with = "sw", .example = "64K",
	    .doc = "Stripe unit, a multiple of 4 KiB: what is written to one disk before the next. Derived "
		   "from what lies beneath if absent."),
	KEY(INT, struct xfs_item, sw, .min = 1, .max = INT32_MAX, .with = "su", .example = "9",
	    .doc = "Stripe width: stripe units, that is data disks, in a full stripe."),
	KEY(BYTES, struct xfs_item, log_su, .example = "32K",
	    .doc = "Stripe unit of the log, up to 256 KiB. If absent, that of the data; 32 KiB where that is "
		   "larger."),
	{ 0 },
};

static struct xfs *as_xfs(struct node *n)
{
	return (struct xfs *)n;
}

static const struct xfs *xfs_of(const struct node *n)
{
	return (const struct xfs *)n;
}

static const struct xfs_item *item_of(const struct node *n)
{
	return (const struct xfs_item *)fs_of(n)->item;
}

static const struct fs_word elsewhere[] = {
	{ "-L", "state the key 'label'" },
	{ "uuid=", "state the key 'uuid'" },
	{ "su=", "state the keys 'su' and 'log-su'" },
	{ "sw=", "state the key 'sw'" },
	{ "sunit=", "state the keys 'su' and 'log-su' (bytes; sunit counts 512)" },
	{ "swidth=", "state the key 'sw' (stripe units; swidth counts 512 bytes)" },
	{ "logdev=", "a log on another device is not known here" },
	{ "rtdev=", "a section on another device is not known here" },
	{ "name=", "state the key 'devices'" },
	{ "file", "state the key 'devices'" },
	{ 0 },
};

static int check_unit(const struct node *want, const char *key, uint64_t bytes, struct diag *d)
{
	if (bytes % BLOCK)
		return diag_error(d, item_pos(want->item, key),
				  "%s of '%s' is %" PRIu64 " bytes, no multiple of the block of 4096", key,
				  want->name, bytes);
	return 0;
}

static int xfs_check(const struct node *want, struct diag *d)
{
	const struct xfs_item *it = item_of(want);
	int r[] = {
		fs_check_label(want, 12, d),
		fs_check_uuid(want, d),
		fs_check_words(want, elsewhere, d),
		check_unit(want, "su", it->su, d),
		check_unit(want, "log-su", it->log_su, d),
		0,
	};

	if (it->log_su > LOG_MOST)
		r[5] = diag_error(d, item_pos(want->item, "log-su"),
				  "log-su of '%s' is %s, and the log's stripe unit ends at 256 KiB",
				  want->name, units_text(d->arena, it->log_su));
	if (it->su && it->sw > 0 && (it->su >= STRIPE_MOST || (uint64_t)it->sw > (STRIPE_MOST - 1) / it->su))
		r[5] = diag_error(d, item_pos(want->item, "su"),
				  "%" PRIi64 " times %s is more than a full stripe may be (1 TiB)", it->sw,
				  units_text(d->arena, it->su));
	if (it->su && fs_has_word(&xfs_of(want)->fs, "noalign"))
		r[5] = diag_error(d, item_pos(want->item, "mkfs"),
				  "'%s' can't have both noalign and a stripe unit (su)", want->name);
	for (size_t i = 0; i < sizeof(r) / sizeof(*r); i++)
		if (r[i] < 0)
			return r[i];
	return 0;
}

/* The superblock, big-endian, in the device's first sector. Source: struct xfs_dsb, xfs_format.h. */

static uint32_t be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint64_t be64(const uint8_t *p)
{
	return (uint64_t)be32(p) << 32 | be32(p + 4);
}

/* Return: bytes in a block, 0 where it is no superblock. */
static uint32_t block_size(const uint8_t *sb)
{
	uint32_t block = be32(sb + 4);

	return memcmp(sb, "XFSB", 4) != 0 || block < 512 || block > 65536 || !units_is_power_of_two(block)
		       ? 0
		       : block;
}

/* sb_dblocks, less those of a log inside (sb_logstart, sb_logblocks) as statfs() has it, less sb_fdblocks. */
static uint64_t used_blocks(const uint8_t *sb)
{
	uint64_t all = be64(sb + 8), log = be64(sb + 48) ? be32(sb + 96) : 0, unused = be64(sb + 144);

	return log > all || unused > all - log ? 0 : all - log - unused;
}

static uint64_t xfs_extent(const char *type, const uint8_t *at, size_t len)
{
	uint32_t block = text_eq(type, "xfs") && len >= 512 ? block_size(at) : 0;

	/* mkfs leaves sb_inprogress set in the copies of later groups: they are no beginning, and by themselves nothing that can be mounted. */
	if (block && at[126])
		return EXTENT_NONE;
	return block && be64(at + 8) <= INT64_MAX / block ? be64(at + 8) * block : 0;
}

/*
 * Whether a record stands in the log behind the first one, which is mkfs's. Whoever mounts it writes there, at the latest when it is
 * unmounted. Source: struct xlog_rec_header, xfs_log_format.h; mkfs.xfs 6.1 writes one record, into the first block.
 */
static bool has_log(int fd, uint64_t size, const uint8_t *sb, uint32_t block, bool *ret)
{
	uint64_t start = be64(sb + 48), per_group = be32(sb + 84), at;
	unsigned shift = sb[124];
	uint8_t head[SECTOR];

	if (!start || shift > 31)
		return false; /* on a device of its own */
	at = ((start >> shift) * per_group + (start & ((UINT64_C(1) << shift) - 1)));
	if (at > size / block || size - at * block < LOG_LOOKED)
		return false;
	*ret = false;
	for (uint64_t i = 1; i < LOG_LOOKED / SECTOR && !*ret; i++) {
		if (pread(fd, head, sizeof(head), (off_t)(at * block + i * SECTOR)) != (ssize_t)sizeof(head))
			return false;
		*ret = be32(head) == 0xfeedbabe && !memcmp(head + 304, sb + 32, 16);
	}
	return true;
}

static bool read_super(int fd, uint64_t size, struct json_object *out)
{
	uint8_t sb[SECTOR];
	uint32_t block;
	bool used;

	if (pread(fd, sb, sizeof(sb), 0) != (ssize_t)sizeof(sb))
		return false;
	block = block_size(sb);
	if (!block)
		return false;
	json_object_object_add(out, "block-size", json_object_new_int64(block));
	json_object_object_add(out, "stripe-unit", json_object_new_int64((int64_t)be32(sb + 184) * block));
	json_object_object_add(out, "stripe-width", json_object_new_int64((int64_t)be32(sb + 188) * block));
	json_object_object_add(out, "log-stripe-unit", json_object_new_int64(be32(sb + 196)));
	if (used_blocks(sb) && used_blocks(sb) <= INT64_MAX / block)
		json_object_object_add(out, "used",
				       json_object_new_int64((int64_t)(used_blocks(sb) * block)));
	if (sb[126]) {
		json_object_object_add(out, "unfinished", json_object_new_int64(1));
		fs_add_empty(out, true); /* no kernel mounts it */
	} else if (has_log(fd, size, sb, block, &used)) {
		fs_add_empty(out, !used);
	}
	return true;
}

static int xfs_probe(struct probe *p)
{
	return fs_probe_devices(p, "xfs", (const char *const[]){ "xfs_repair", "-n", NULL }, read_super);
}

static const struct fs_kind xfs_kind;

static int xfs_find(const struct machine *m, struct graph *have, struct diag *d)
{
	size_t first = have->nodes.n;
	int r = fs_find_type(m, have, &xfs_kind.kind, "xfs");

	(void)d;
	fs_find_empty(m, have, first, "xfs");
	for (size_t i = first; i < have->nodes.n; i++) {
		struct xfs *x = as_xfs(have->nodes.at[i]);
		uint64_t width = 0, unfinished = 0;

		x->known = fs_recorded(m, "xfs", x->fs.on, "stripe-unit", &x->su) &&
			   fs_recorded(m, "xfs", x->fs.on, "stripe-width", &width);
		x->sw = x->su ? width / x->su : 0;
		(void)fs_recorded(m, "xfs", x->fs.on, "log-stripe-unit", &x->log_su);
		x->unfinished = fs_recorded(m, "xfs", x->fs.on, "unfinished", &unfinished) && unfinished;
	}
	return r;
}

static const char *stripe_text(struct arena *a, uint64_t su, uint64_t sw)
{
	return su ? arena_printf(a, "su %s, sw %" PRIu64, units_text(a, su), sw) : "no stripe";
}

/* fstab's sunit and swidth count 512 bytes, unlike what xfs_info prints. Others than the superblock's fail at mount, or harm. */
static void check_mount_options(const struct node *want, struct settle *s)
{
	const struct xfs *x = xfs_of(want);
	uint64_t sunit = 0, swidth = 0;

	vec_each (const char *const *, o, &x->fs.item->options) {
		if (text_starts(*o, "sunit="))
			sunit = strtoul(*o + strlen("sunit="), NULL, 10) % UINT32_MAX * SECTOR;
		if (text_starts(*o, "swidth="))
			swidth = strtoul(*o + strlen("swidth="), NULL, 10) % UINT32_MAX * SECTOR;
	}
	if (!sunit || (sunit == x->su && swidth == x->su * x->sw))
		return;
	diag_warn(s->diag, item_pos(want->item, "options"),
		  "the options sunit and swidth of '%s' mean %s and %s (they count 512 bytes), but it has %s",
		  want->name, units_text(s->arena, sunit), units_text(s->arena, swidth),
		  stripe_text(s->arena, x->su, x->sw));
}

static void settle_stripe(struct node *want, struct settle *s)
{
	const struct xfs_item *it = item_of(want);
	const struct xfs *have = want->have ? xfs_of(want->have) : NULL;
	struct stripe under = fs_stripe(want, s);
	struct xfs *x = as_xfs(want);

	if (under.unit % BLOCK)
		under = (struct stripe){ 0 };
	if (it->su) {
		x->su = it->su;
		x->sw = (uint64_t)it->sw;
		if (under.unit && (under.unit != x->su || under.width != x->sw))
			diag_warn(s->diag, item_pos(want->item, "su"),
				  "'%s' gets %s as stated, but what lies beneath has %s", want->name,
				  stripe_text(s->arena, x->su, x->sw),
				  stripe_text(s->arena, under.unit, under.width));
	} else if (!fs_has_word(&x->fs, "noalign") && want->size >= SMALL) {
		x->su = under.unit;
		x->sw = under.width;
		x->noalign = under.hide;
	}
	x->log_su = it->log_su ? it->log_su : x->su > LOG_MOST ? LOG_ELSE : x->su;
	if (!have || !have->known)
		return;
	if (!it->su && x->su && (x->su != have->su || x->sw != have->sw)) {
		x->unlike = arena_printf(s->arena, "was made with %s, but what lies beneath has %s",
					 stripe_text(s->arena, have->su, have->sw),
					 stripe_text(s->arena, x->su, x->sw));
		diag_warn(s->diag, want->pos, "'%s' %s: it stays as it is, and writes more than it must",
			  want->name, x->unlike);
	}
	if (!it->su) {
		x->su = have->su;
		x->sw = have->sw;
	}
}

static int xfs_settle(struct node *want, struct settle *s)
{
	int r = fs_settle(want, s);

	if (r < 0)
		return r;
	settle_stripe(want, s);
	check_mount_options(want, s);
	return fs_settle_min(want, s, SMALLEST, "mkfs.xfs");
}

static void xfs_compare(const struct node *want, const struct node *have, struct why *why)
{
	const struct xfs_item *it = item_of(want);
	const struct xfs *there = xfs_of(have);

	if (there->unfinished) {
		why_add(why, NULL, "mkfs.xfs was interrupted before it was done: clear it with wipefs -a %s",
			have->dev);
		why_is(why, WHY_DANGEROUS);
	}
	fs_compare(want, have, why);
	if (it->su && there->known && (there->su != it->su || there->sw != (uint64_t)it->sw))
		why_add(why, "su", "it has %s, and the layout asks for %s",
			stripe_text(why->arena, there->su, there->sw),
			stripe_text(why->arena, it->su, (uint64_t)it->sw));
}

static void xfs_health(const struct node *want, const struct settle *s, struct why *why)
{
	(void)s;
	if (!want->have)
		why_absent(why);
	else if (xfs_of(want)->unlike) {
		why_add(why, NULL, "its alignment is lost: it %s", xfs_of(want)->unlike);
		why_is(why, WHY_DANGEROUS);
	}
}

/* "64k", "16m": with a unit in lower case, which any mkfs.xfs reads. */
static const char *unit_word(struct arena *a, uint64_t bytes)
{
	return bytes % MIB ? arena_printf(a, "%" PRIu64 "k", bytes / KIB)
			   : arena_printf(a, "%" PRIu64 "m", bytes / MIB);
}

static int xfs_create(struct steps *s, const struct node *want)
{
	const struct xfs *x = xfs_of(want);
	struct arena *a = steps_arena(s);
	struct step *st = fs_step(s, want, "mkfs.xfs", x->su ? stripe_text(a, x->su, x->sw) : "");

	step_argv(s, st, "-q", "-f", "-m", NULL);
	step_wordf(s, st, "uuid=%s", x->fs.uuid);
	if (x->fs.label)
		step_argv(s, st, "-L", x->fs.label, NULL);
	if (x->su) {
		step_word(s, st, "-d");
		step_wordf(s, st, "su=%s,sw=%" PRIu64, unit_word(a, x->su), x->sw);
	} else if (x->noalign) {
		step_argv(s, st, "-d", "noalign", NULL);
	}
	if (x->log_su) {
		step_word(s, st, "-l");
		step_wordf(s, st, "su=%s", unit_word(a, x->log_su));
	}
	fs_tool_words(s, st, &x->fs);
	step_word(s, st, want->dev);
	return 0;
}

static const char *xfs_describe(struct arena *a, const struct node *n)
{
	const struct xfs *x = xfs_of(n);

	return arena_printf(a, "xfs%s%s%s%s", x->su ? ", " : "", x->su ? stripe_text(a, x->su, x->sw) : "",
			    x->fs.label ? ", label " : "", x->fs.label ? x->fs.label : "");
}

static const struct fs_kind xfs_kind = {
	.kind = { .name = "xfs",
		  .doc = "XFS: for large files and many disks; it grows, and never shrinks.",
		  .size = sizeof(struct xfs),
		  .section = "filesystems",
		  .item_size = sizeof(struct xfs_item),
		  .keys = xfs_keys,
		  .check = xfs_check,
		  .find = xfs_find,
		  .match = fs_match,
		  .settle = xfs_settle,
		  .leftover = fs_leftover,
		  .compare = xfs_compare,
		  .health = xfs_health,
		  .create = xfs_create,
		  .describe = xfs_describe },
};

static const struct kind *const xfs_kinds[] = { &xfs_kind.kind, NULL };

extern const struct room room_xfs;

static const struct room_tool tools[] = { { "mkfs.xfs", "xfsprogs" }, { 0 } };

const struct room room_xfs = {
	.name = "xfs",
	.tools = tools,
	.doc = "XFS filesystems.",
	.kinds = xfs_kinds,
	.probe = xfs_probe,
	.extent = xfs_extent,
};
