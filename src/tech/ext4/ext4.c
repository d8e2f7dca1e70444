/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <json-c/json.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/units.h"
#include "machine/machine.h"
#include "plan/settle.h"
#include "plan/step.h"
#include "tech/fs.h"

enum { BLOCK = 4096 };

#define SMALLEST (2 * MIB)   /* below, mke2fs makes it without a journal, with no more than a remark */
#define SMALL    (512 * MIB) /* below, mke2fs.conf asks for blocks of 1 KiB */
#define STRIDED  (8 * MIB)   /* with blocks of 4 KiB a journal needs so much */

struct ext4_item {
	struct fs_item fs;
	int64_t stride, stripe_width; /* blocks of 4 KiB; 0: not stated */
	int64_t reserved;             /* percent; stated where item_has() says so */
};

struct ext4 {
	struct fs fs;
	uint64_t stride, width; /* bytes. want: settled; have: recorded; 0: none */
	bool hide;              /* want: the device shows a stripe that isn't taken */
	const char *
		unlike; /* want: in what the stripe of the one that is there doesn't suit what lies beneath */
	bool known;     /* have: the superblock was read */
	uint64_t blocks, reserved_blocks; /* have */
};

static const struct key ext4_keys[] = {
	KEY(INT, struct ext4_item, stride, .min = 1, .max = 65535, .with = "stripe-width", .example = "16",
	    .doc = "Blocks of 4 KiB that are written to one disk before the next. Derived from what lies "
		   "beneath if absent."),
	KEY(INT, struct ext4_item, stripe_width, .min = 1, .max = INT32_MAX, .with = "stride",
	    .example = "144", .doc = "Blocks of 4 KiB in a full stripe: stride times data disks."),
	KEY(INT, struct ext4_item, reserved, .min = 0, .max = 50, .example = "1",
	    .doc = "Percent of the blocks that only root may take; mkfs.ext4's 5 if absent."),
	{ 0 },
};

static struct ext4 *as_ext4(struct node *n)
{
	return (struct ext4 *)n;
}

static const struct ext4 *ext4_of(const struct node *n)
{
	return (const struct ext4 *)n;
}

static const struct ext4_item *item_of(const struct node *n)
{
	return (const struct ext4_item *)fs_of(n)->item;
}

static const struct fs_word elsewhere[] = {
	{ "-L", "state the key 'label'" },
	{ "-U", "state the key 'uuid'" },
	{ "-m", "state the key 'reserved'" },
	{ "-b", "leave it out, blocks are 4 KiB (1 KiB below 512 MiB)" },
	{ "stride=", "state the key 'stride'" },
	{ "stripe-width=", "state the key 'stripe-width'" },
	{ "stripe_width=", "state the key 'stripe-width'" },
	{ "hash_seed=", "state the key 'uuid', which the seed follows" },
	{ "device=", "a journal on another device is not known here" },
	{ 0 },
};

static int ext4_check(const struct node *want, struct diag *d)
{
	const struct ext4_item *it = item_of(want);
	int r[] = { fs_check_label(want, 16, d), fs_check_uuid(want, d), fs_check_words(want, elsewhere, d),
		    0 };

	if (it->stride && it->stripe_width % it->stride)
		r[3] = diag_error(d, item_pos(want->item, "stripe-width"),
				  "stripe-width of '%s' is %" PRIi64 ", no multiple of its stride %" PRIi64
				  ": it is stride times data disks",
				  want->name, it->stripe_width, it->stride);
	for (size_t i = 0; i < sizeof(r) / sizeof(*r); i++)
		if (r[i] < 0)
			return r[i];
	return 0;
}

/* The superblock, little-endian, 1 KiB behind the start. Source: struct ext4_super_block, fs/ext4/ext4.h. */

static uint32_t le32(const uint8_t *p)
{
	return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static uint32_t le16(const uint8_t *p)
{
	return (uint32_t)p[1] << 8 | p[0];
}

enum { SUPER_AT = 1024, SUPER_SIZE = 1024 };

/* A number of blocks whose upper half counts with the feature 64bit. */
static uint64_t blocks_at(const uint8_t *sb, size_t low, size_t high)
{
	bool wide = le32(sb + 96) & 0x80;

	return (wide ? (uint64_t)le32(sb + high) << 32 : 0) | le32(sb + low);
}

/* Return: bytes in a block, 0 where it is no superblock. */
static int64_t block_size(const uint8_t *sb)
{
	uint32_t log_block = le32(sb + 24);

	return le16(sb + 56) != 0xef53 || log_block > 6 ? 0 : INT64_C(1024) << log_block;
}

/* What is neither free (s_free_blocks_count) nor the filesystem's own (s_overhead_clusters, where mke2fs or the kernel noted it). */
static uint64_t used_blocks(const uint8_t *sb)
{
	uint64_t all = blocks_at(sb, 4, 336), unused = blocks_at(sb, 12, 344), own = le32(sb + 584);
	uint32_t log_block = le32(sb + 24), log_cluster = le32(sb + 28);

	if (log_cluster >= log_block && log_cluster - log_block < 32)
		own <<= log_cluster - log_block;
	return unused > all || own > all - unused ? 0 : all - unused - own;
}

/* Sixteen bits of a magic are no proof. */
static bool is_likely(const uint8_t *sb)
{
	uint64_t all = blocks_at(sb, 4, 336);

	return block_size(sb) && all && all <= (uint64_t)(INT64_MAX / block_size(sb)) &&
	       blocks_at(sb, 8, 340) <= all && blocks_at(sb, 12, 344) <= all && le32(sb) &&
	       le32(sb + 16) <= le32(sb) /* inodes, free ones */ && le32(sb + 20) <= 1 /* first block */ &&
	       le32(sb + 76) <= 1 /* revision */ && le32(sb + 32) /* blocks per group */;
}

static uint64_t ext4_extent(const char *type, const uint8_t *at, size_t len)
{
	const uint8_t *sb = at + SUPER_AT;

	if (!text_eq(type, "ext4") && !text_eq(type, "ext3") && !text_eq(type, "ext2") &&
	    !text_eq(type, "ext4dev"))
		return 0;
	if (len < SUPER_AT + SUPER_SIZE || !is_likely(sb))
		return EXTENT_NONE;
	return blocks_at(sb, 4, 336) * (uint64_t)block_size(sb);
}

static void add_used(const uint8_t *sb, struct json_object *out)
{
	uint64_t used = used_blocks(sb);

	if (used && is_likely(sb))
		json_object_object_add(out, "used", json_object_new_int64((int64_t)used * block_size(sb)));
}

/* Of those that are others to us: what they hold. */
static bool read_old_super(int fd, uint64_t size, struct json_object *out)
{
	uint8_t sb[SUPER_SIZE];

	(void)size;
	if (pread(fd, sb, sizeof(sb), SUPER_AT) != (ssize_t)sizeof(sb))
		return false;
	add_used(sb, out);
	return block_size(sb) != 0;
}

static bool read_super(int fd, uint64_t size, struct json_object *out)
{
	uint8_t sb[SUPER_SIZE];
	int64_t block;

	(void)size;
	if (pread(fd, sb, sizeof(sb), SUPER_AT) != (ssize_t)sizeof(sb))
		return false;
	block = block_size(sb);
	if (!block)
		return false;
	json_object_object_add(out, "block-size", json_object_new_int64(block));
	json_object_object_add(out, "blocks", json_object_new_int64((int64_t)blocks_at(sb, 4, 336)));
	json_object_object_add(out, "reserved-blocks", json_object_new_int64((int64_t)blocks_at(sb, 8, 340)));
	add_used(sb, out);
	json_object_object_add(out, "stride", json_object_new_int64((int64_t)le16(sb + 356) * block));
	json_object_object_add(out, "stripe-width", json_object_new_int64((int64_t)le32(sb + 368) * block));
	/* Every mount notes its time, and counts: s_mtime, s_mnt_count. */
	fs_add_empty(out, !le32(sb + 44) && !le16(sb + 52));
	return true;
}

static int ext4_probe(struct probe *p)
{
	(void)fs_probe_devices(p, "ext3", NULL, read_old_super);
	(void)fs_probe_devices(p, "ext2", NULL, read_old_super);
	return fs_probe_devices(p, "ext4", (const char *const[]){ "e2fsck", "-fn", NULL }, read_super);
}

static const struct fs_kind ext4_kind, ext3_kind, ext2_kind;

static int ext3_find(const struct machine *m, struct graph *have, struct diag *d)
{
	(void)d;
	return fs_find_type(m, have, &ext3_kind.kind, "ext3");
}

static int ext2_find(const struct machine *m, struct graph *have, struct diag *d)
{
	(void)d;
	return fs_find_type(m, have, &ext2_kind.kind, "ext2");
}

/* ext2 and ext3 are others: what blkid calls by their names isn't taken for an ext4. */
static int ext4_find(const struct machine *m, struct graph *have, struct diag *d)
{
	size_t first = have->nodes.n;
	int r = fs_find_type(m, have, &ext4_kind.kind, "ext4");

	(void)d;
	fs_find_empty(m, have, first, "ext4");
	for (size_t i = first; i < have->nodes.n; i++) {
		struct ext4 *e = as_ext4(have->nodes.at[i]);

		e->known = fs_recorded(m, "ext4", e->fs.on, "stride", &e->stride) &&
			   fs_recorded(m, "ext4", e->fs.on, "stripe-width", &e->width) &&
			   fs_recorded(m, "ext4", e->fs.on, "blocks", &e->blocks) &&
			   fs_recorded(m, "ext4", e->fs.on, "reserved-blocks", &e->reserved_blocks);
	}
	return r;
}

static const char *stripe_text(struct arena *a, uint64_t stride, uint64_t width)
{
	if (!stride && !width)
		return "no stripe";
	return arena_printf(a, "stride %" PRIu64 ", stripe-width %" PRIu64, stride / BLOCK, width / BLOCK);
}

static void settle_stripe(struct node *want, struct settle *s)
{
	const struct ext4_item *it = item_of(want);
	const struct ext4 *have = want->have ? ext4_of(want->have) : NULL;
	struct stripe under = fs_stripe(want, s);
	struct ext4 *e = as_ext4(want);

	if (under.unit % BLOCK || under.unit / BLOCK > UINT16_MAX)
		under = (struct stripe){ 0 };
	if (it->stride) {
		e->stride = (uint64_t)it->stride * BLOCK;
		e->width = (uint64_t)it->stripe_width * BLOCK;
		if (under.unit && (under.unit != e->stride || under.unit * under.width != e->width))
			diag_warn(s->diag, item_pos(want->item, "stride"),
				  "'%s' gets %s as stated, but what lies beneath has %s (blocks of 4 KiB)",
				  want->name, stripe_text(s->arena, e->stride, e->width),
				  stripe_text(s->arena, under.unit, under.unit * under.width));
	} else if (want->size >= STRIDED) {
		e->stride = under.unit;
		e->width = under.unit * under.width;
		e->hide = under.hide;
	}
	if (!have || !have->known || it->stride)
		return;
	if (e->stride && (e->stride != have->stride || e->width != have->width)) {
		e->unlike = arena_printf(s->arena,
					 "was made with %s, but what lies beneath has %s (blocks of 4 KiB)",
					 stripe_text(s->arena, have->stride, have->width),
					 stripe_text(s->arena, e->stride, e->width));
		diag_warn(s->diag, want->pos, "'%s' %s: it stays as it is", want->name, e->unlike);
	}
	e->stride = have->stride;
	e->width = have->width;
}

static int ext4_settle(struct node *want, struct settle *s)
{
	int r = fs_settle(want, s);

	if (r < 0)
		return r;
	settle_stripe(want, s);
	return fs_settle_min(want, s, ext4_of(want)->stride ? STRIDED : SMALLEST, "an ext4 with a journal");
}

static void ext4_compare(const struct node *want, const struct node *have, struct why *why)
{
	const struct ext4_item *it = item_of(want);
	const struct ext4 *there = ext4_of(have);
	uint64_t percent;

	fs_compare(want, have, why);
	if (!there->known)
		return;
	if (it->stride && (there->stride != (uint64_t)it->stride * BLOCK ||
			   there->width != (uint64_t)it->stripe_width * BLOCK))
		why_add(why, "stride",
			"it has %s, and the layout asks for stride %" PRIi64 ", stripe-width %" PRIi64
			" (blocks of 4 KiB)",
			stripe_text(why->arena, there->stride, there->width), it->stride, it->stripe_width);
	if (!item_has(want->item, "reserved") || !there->blocks || there->reserved_blocks > there->blocks ||
	    there->blocks > UINT64_MAX / 200)
		return;
	percent = (there->reserved_blocks * 200 + there->blocks) /
		  (there->blocks * 2); /* to the nearest: the tool cuts the fraction off */
	if (percent != (uint64_t)it->reserved)
		why_add(why, "reserved",
			"%" PRIu64 "%% of it is reserved, and the layout asks for %" PRIi64
			"%%: tune2fs -m %" PRIi64 " %s",
			percent, it->reserved, it->reserved, have->dev);
}

static void ext4_health(const struct node *want, const struct settle *s, struct why *why)
{
	(void)s;
	if (!want->have)
		why_absent(why);
	else if (ext4_of(want)->unlike) {
		why_add(why, NULL, "its alignment is lost: it %s", ext4_of(want)->unlike);
		why_is(why, WHY_DANGEROUS);
	}
}

/* mkfs.ext4 heeds only the last -E: those among the `mkfs` words are joined to ours. */
static int ext4_create(struct steps *s, const struct node *want)
{
	const struct ext4 *e = ext4_of(want);
	const struct ext4_item *it = item_of(want);
	struct arena *a = steps_arena(s);
	struct step *st = fs_step(s, want, "mkfs.ext4", e->stride ? stripe_text(a, e->stride, e->width) : "");
	struct text extended = { .arena = a };
	text_list words = { 0 };

	text_printf(&extended, "hash_seed=%s", e->fs.uuid);
	if (e->stride)
		text_printf(&extended, ",stride=%" PRIu64 ",stripe_width=%" PRIu64, e->stride / BLOCK,
			    e->width / BLOCK);
	else if (e->hide)
		text_add(&extended, ",stride=0,stripe_width=0");
	for (size_t i = 0; i < it->fs.mkfs.n; i++) {
		const char *word = it->fs.mkfs.at[i];

		if (!text_starts(word, "-E"))
			vec_push(a, &words, word);
		else if (word[2])
			text_printf(&extended, ",%s", word + 2);
		else if (i + 1 < it->fs.mkfs.n)
			text_printf(&extended, ",%s", it->fs.mkfs.at[++i]);
	}

	step_argv(s, st, "-q", "-F", "-U", e->fs.uuid, NULL);
	if (e->fs.label)
		step_argv(s, st, "-L", e->fs.label, NULL);
	if (e->stride && want->size < SMALL)
		step_argv(s, st, "-b", "4096", NULL); /* the unit of stride, which would be 1 KiB here */
	if (item_has(want->item, "reserved")) {
		step_word(s, st, "-m");
		step_wordf(s, st, "%" PRIi64, it->reserved);
	}
	step_argv(s, st, "-E", text_str(&extended), NULL);
	vec_each (const char **, word, &words)
		step_word(s, st, *word);
	step_word(s, st, want->dev);
	return 0;
}

static const char *ext4_describe(struct arena *a, const struct node *n)
{
	const struct ext4 *e = ext4_of(n);

	return arena_printf(a, "ext4%s%s%s%s", e->stride ? ", " : "",
			    e->stride ? stripe_text(a, e->stride, e->width) : "",
			    e->fs.label ? ", label " : "", e->fs.label ? e->fs.label : "");
}

static const struct fs_kind ext4_kind = {
	.fsck = true,
	.kind = { .name = "ext4",
		  .doc = "ext4: the common one; the boot checks it.",
		  .size = sizeof(struct ext4),
		  .section = "filesystems",
		  .item_size = sizeof(struct ext4_item),
		  .keys = ext4_keys,
		  .check = ext4_check,
		  .find = ext4_find,
		  .match = fs_match,
		  .settle = ext4_settle,
		  .leftover = fs_leftover,
		  .compare = ext4_compare,
		  .health = ext4_health,
		  .create = ext4_create,
		  .describe = ext4_describe },
};

/* No layout asks for these; they are known so that it can be said what would be lost. */
static const struct fs_kind ext3_kind = {
	.fsck = true,
	.kind = { .name = "ext3",
		  .doc = "ext3, that is there.",
		  .size = sizeof(struct fs),
		  .find = ext3_find,
		  .describe = fs_describe },
};

static const struct fs_kind ext2_kind = {
	.fsck = true,
	.kind = { .name = "ext2",
		  .doc = "ext2, that is there.",
		  .size = sizeof(struct fs),
		  .find = ext2_find,
		  .describe = fs_describe },
};

static const struct kind *const ext4_kinds[] = { &ext4_kind.kind, &ext3_kind.kind, &ext2_kind.kind, NULL };

extern const struct room room_ext4;

static const struct room_tool tools[] = { { "mkfs.ext4", "e2fsprogs" }, { 0 } };

const struct room room_ext4 = {
	.name = "ext4",
	.tools = tools,
	.doc = "ext4 filesystems.",
	.kinds = ext4_kinds,
	.probe = ext4_probe,
	.extent = ext4_extent,
};
