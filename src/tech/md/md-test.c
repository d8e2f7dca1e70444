/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/units.h"
#include "tech/md/md.h"

/* All sizes here were read back from the kernel after mdadm 4.2 had made the array, in sectors. */

static struct md_shape shape(int level, const char *layout, unsigned disks, uint64_t chunk)
{
	struct md_shape s = { .level = level, .disks = disks, .chunk = chunk, .metadata = 2 };

	s.layout = md_layout_default(level);
	if (layout)
		assert_int_equal(md_layout(level, layout, &s.layout), 0);
	return s;
}

static struct md_sizes sizes(struct md_shape s, const uint64_t *sectors)
{
	uint64_t bytes[8];
	struct md_sizes out = { 0 };

	for (unsigned i = 0; i < s.disks; i++)
		bytes[i] = sectors[i] * SECTOR;
	assert_int_equal(md_sizes(&s, bytes, &out), 0);
	return out;
}

static uint64_t mirror(uint64_t member, int metadata)
{
	struct md_shape s = shape(1, NULL, 2, 0);

	s.metadata = metadata;
	return sizes(s, (uint64_t[]){ member / SECTOR, member / SECTOR }).size / SECTOR;
}

static void test_mirror(void **state)
{
	(void)state;
	assert_int_equal(mirror(256 * MIB, 2), 522240);
	assert_int_equal(mirror(512 * MIB, 2), 1046528);
	assert_int_equal(mirror(GIB, 2), 2093056);
	assert_int_equal(mirror(4 * GIB, 2), 8378368);
	assert_int_equal(mirror(8 * GIB, 2), 16758784);
	assert_int_equal(mirror(16 * GIB, 2), 33519616);
	assert_int_equal(mirror(40 * GIB, 2), 83818496);
	assert_int_equal(mirror(100 * GIB, 2), 209582080);
	assert_int_equal(mirror(500 * GIB, 2), 1048311808);
	assert_int_equal(mirror(256 * MIB, 0), 524160);
	assert_int_equal(mirror(512 * MIB, 0), 1048448);
	assert_int_equal(mirror(GIB, 0), 2097024);
	assert_int_equal(mirror(4 * GIB, 0), 8388480);
	assert_int_equal(mirror(16 * GIB, 0), 33554176);
	assert_int_equal(mirror(100 * GIB, 0), 209714944);
	assert_int_equal(mirror(500 * GIB, 0), 1048575616);
	/* four mirrors of a slice of 960 GB */
	assert_int_equal(mirror(UINT64_C(1806174208) * SECTOR, 2), 1805910016);
	assert_int_equal(mirror(300 * MIB, 2), 612352);
}

static void test_data_offset(void **state)
{
	static const struct {
		uint64_t member, offset;
	} at[] = { { 16 * MIB, 1 },  { 512 * MIB, 1 },  { GIB, 2 },         { 2 * GIB, 3 },
		   { 4 * GIB, 5 },   { 8 * GIB, 9 },    { 16 * GIB, 17 },   { 32 * GIB, 33 },
		   { 64 * GIB, 65 }, { 100 * GIB, 65 }, { 128 * GIB, 129 }, { 8 * TIB, 129 } };
	static const struct {
		uint64_t chunk, offset;
	} chunks[] = { { 64 * KIB, 1 }, { 512 * KIB, 2 }, { MIB, 3 }, { 4 * MIB, 9 } };

	(void)state;
	for (size_t i = 0; i < sizeof(at) / sizeof(*at); i++)
		assert_int_equal(sizes(shape(1, NULL, 2, 0),
				       (uint64_t[]){ at[i].member / SECTOR, at[i].member / SECTOR })
					 .data_offset,
				 at[i].offset * MIB);
	for (size_t i = 0; i < sizeof(chunks) / sizeof(*chunks); i++)
		assert_int_equal(
			sizes(shape(5, NULL, 3, chunks[i].chunk), (uint64_t[]){ 1048576, 1048576, 1048576 })
				.data_offset,
			chunks[i].offset * MIB);
}

static void test_first_member_decides(void **state)
{
	struct md_shape s = shape(1, NULL, 2, 0), three = shape(1, NULL, 3, 0);

	(void)state;
	assert_int_equal(sizes(s, (uint64_t[]){ 2097152, 14680064 }).size / SECTOR, 2093056);
	assert_int_equal(sizes(s, (uint64_t[]){ 14680064, 2097152 }).size / SECTOR, 2086912);
	/* 0 is missing: the first that is there */
	assert_int_equal(sizes(three, (uint64_t[]){ 0, 14680064, 2097152 }).size / SECTOR, 2086912);
}

static uint64_t gib_members(int level, const char *layout, unsigned disks)
{
	static const uint64_t m[] = { 2097152, 2097152, 2097152, 2097152, 2097152 };

	return sizes(shape(level, layout, disks, 512 * KIB), m).size / SECTOR;
}

static void test_levels(void **state)
{
	static const uint64_t forty[] = { 83886080, 83886080, 83886080, 83886080, 83886080, 83886080 };
	static const uint64_t slices[] = { 1806174208, 1806174208, 1806174208, 1806174208 };
	struct md_sizes six = sizes(shape(6, NULL, 6, 512 * KIB), forty);

	(void)state;
	assert_int_equal(gib_members(10, "n2", 3), 3139584);
	assert_int_equal(gib_members(10, "o2", 3), 3139584);
	assert_int_equal(gib_members(10, "f2", 3), 3139584);
	assert_int_equal(gib_members(10, "n3", 3), 2093056);
	assert_int_equal(gib_members(10, "n3", 4), 2790400);
	assert_int_equal(gib_members(10, "n2", 5), 5232640);
	assert_int_equal(gib_members(10, "n3", 5), 3487744);
	assert_int_equal(gib_members(5, NULL, 3), 4186112);
	assert_int_equal(gib_members(6, NULL, 4), 4186112);
	assert_int_equal(gib_members(0, NULL, 3), 6279168);
	assert_int_equal(six.data_offset / SECTOR, 67584);
	assert_int_equal(six.size / SECTOR, 335273984);
	assert_int_equal(sizes(shape(10, NULL, 4, 512 * KIB), slices).size / SECTOR, 3611820032);
	/* three slices of 8 TB */
	assert_int_equal(
		sizes(shape(5, NULL, 3, 512 * KIB), (uint64_t[]){ 15625951232, 15625951232, 15625951232 })
				.size /
			SECTOR,
		31251374080);
}

static void test_unequal(void **state)
{
	static const uint64_t raid0[] = { 2097154, 2252800, 2459648, 2666666 },
			      four[] = { 2805760, 2807808, 2811904, 2885632 };
	/* 1367 chunks of 1 MiB: an odd number tells the far layouts from the near ones */
	static const uint64_t odd[] = { 2807808, 2805760, 2811904, 2885632, 3074048 };
	static const struct {
		const char *layout;
		unsigned disks;
		uint64_t size;
	} at[] = { { "n2", 5, 6998016 }, { "o2", 5, 6993920 }, { "f2", 5, 6993920 },
		   { "f3", 5, 4659200 }, { "n3", 5, 4665344 }, { "f2", 3, 4196352 } };
	static const struct {
		int level, metadata;
		uint64_t size;
	} metas[] = { { 0, 2, 11294720 },
		      { 1, 2, 2801664 },
		      { 5, 2, 8404992 },
		      { 6, 2, 5603328 },
		      { 0, 1, 11294720 },
		      { 1, 1, 2801664 },
		      { 4, 1, 8404992 },
		      { 6, 1, 5603328 },
		      { 0, 0, 11307008 },
		      { 1, 0, 2805632 },
		      { 4, 0, 8414208 },
		      { 5, 0, 8414208 },
		      { 6, 0, 5609472 },
		      { 1, MD_METADATA_090, 2805632 },
		      { 4, MD_METADATA_090, 8414208 },
		      { 6, MD_METADATA_090, 5609472 } };

	(void)state;
	assert_int_equal(sizes(shape(0, NULL, 4, 512 * KIB), raid0).size / SECTOR, 9459712);
	for (size_t i = 0; i < sizeof(at) / sizeof(*at); i++)
		assert_int_equal(sizes(shape(10, at[i].layout, at[i].disks, MIB), odd).size / SECTOR,
				 at[i].size);
	for (size_t i = 0; i < sizeof(metas) / sizeof(*metas); i++) {
		struct md_shape s = shape(metas[i].level, NULL, 4, metas[i].level == 1 ? 0 : 512 * KIB);

		s.metadata = metas[i].metadata;
		assert_int_equal(sizes(s, four).size / SECTOR, metas[i].size);
	}
}

static void test_too_small(void **state)
{
	struct md_shape s = shape(5, NULL, 3, 512 * KIB);
	struct md_sizes out;

	(void)state;
	assert_int_equal(md_sizes(&s, (uint64_t[]){ GIB, 2 * MIB, GIB }, &out), -28);
	assert_int_equal(out.small, 1);
	s.metadata = 0;
	assert_int_equal(md_sizes(&s, (uint64_t[]){ GIB, GIB, 512 }, &out), -28);
	assert_int_equal(out.small, 2);
}

static uint64_t opt(int level, const char *layout, unsigned disks)
{
	struct md_shape s = shape(level, layout, disks, level == 1 ? 0 : 512 * KIB);
	struct geometry member = { .logical = 512, .physical = 512, .min_io = 512 }, members[6], g;

	for (size_t i = 0; i < 6; i++)
		members[i] = member;
	g = md_geometry(&s, MIB, members, disks);
	assert_int_equal(g.min_io, level == 1 ? 512 : 512 * KIB);
	assert_int_equal(g.offset, 0);
	return g.opt_io / (512 * KIB);
}

static void test_geometry(void **state)
{
	struct geometry hints[2] = {
		{ .logical = 512, .physical = 512, .min_io = 64 * KIB, .opt_io = 576 * KIB },
		{ .logical = 4096, .physical = 4096, .min_io = 64 * KIB, .opt_io = 576 * KIB }
	};
	struct md_shape s = shape(0, NULL, 2, 64 * KIB), m = shape(1, NULL, 2, 0);
	struct geometry g;

	(void)state;
	assert_int_equal(opt(0, NULL, 3), 3);
	assert_int_equal(opt(5, NULL, 5), 4);
	assert_int_equal(opt(6, NULL, 6), 4);
	assert_int_equal(opt(1, NULL, 2), 0);
	assert_int_equal(opt(10, "n2", 2), 1);
	assert_int_equal(opt(10, "n2", 4), 2);
	assert_int_equal(opt(10, "n2", 6), 3);
	assert_int_equal(opt(10, "n3", 6), 2);
	assert_int_equal(opt(10, "n2", 3), 3);
	assert_int_equal(opt(10, "n2", 5), 5);
	assert_int_equal(opt(10, "n3", 4), 4);
	assert_int_equal(opt(10, "o2", 4), 4);
	assert_int_equal(opt(10, "f2", 4), 4);

	/* members that have stripes: the kernel says 1152 KiB of the first, 576 KiB of the second */
	g = md_geometry(&s, 3 * MIB, hints, 2);
	assert_int_equal(g.min_io, 64 * KIB);
	assert_int_equal(g.opt_io, 1152 * KIB);
	assert_int_equal(g.logical, 4096);
	g = md_geometry(&m, 3 * MIB, hints, 2);
	assert_int_equal(g.min_io, 64 * KIB);
	assert_int_equal(g.opt_io, 576 * KIB);
	assert_int_equal(g.offset, 192 * KIB);
	assert_false(g.declared);

	/* declared stripes: the kernel doesn't know of them */
	hints[0].declared = hints[1].declared = true;
	assert_int_equal(md_geometry(&s, 3 * MIB, hints, 2).opt_io, 128 * KIB);
	g = md_geometry(&m, 3 * MIB, hints, 2);
	assert_int_equal(g.opt_io, 576 * KIB);
	assert_true(g.declared);
}

static bool alive(int level, const char *layout, const char *members)
{
	struct md_shape s = shape(level, layout, (unsigned)strlen(members), 512 * KIB);
	bool is[8];

	for (size_t i = 0; i < s.disks; i++)
		is[i] = members[i] == 'x';
	return md_alive(&s, is);
}

static void test_alive(void **state)
{
	(void)state;
	assert_true(alive(1, NULL, "x-"));
	assert_true(alive(5, NULL, "xx-"));
	assert_true(alive(10, "n2", "x-x-"));
	assert_false(alive(10, "n2", "xx--"));
	assert_false(alive(0, NULL, "x-"));
	assert_false(alive(5, NULL, "x--"));
	assert_true(alive(6, NULL, "xx--"));
	assert_false(alive(6, NULL, "xx---"));
	assert_false(alive(1, NULL, "--"));
	/* n2 of three: chunk 0 on 0 and 1, chunk 1 on 2 and 0, chunk 2 on 1 and 2 */
	assert_true(alive(10, "n2", "-xx"));
	assert_true(alive(10, "n2", "x-x"));
	assert_false(alive(10, "n2", "x--"));
	/* n2 of five wraps round: each neighbour is a pair */
	assert_false(alive(10, "n2", "-xxx-"));
	assert_true(alive(10, "n2", "-x-xx"));
	assert_true(alive(10, "n3", "x--"));
	/* far and offset: the copy is on the next member */
	assert_true(alive(10, "f2", "-x-x"));
	assert_false(alive(10, "f2", "x--x"));
	assert_false(alive(10, "o2", "-xx-"));
	assert_true(alive(10, "f3", "x--xx"));
}

static void test_words(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	int layout = -1;

	(void)state;
	assert_int_equal(md_level("10"), 10);
	assert_int_equal(md_level("raid10"), 10);
	assert_int_equal(md_level("mirror"), 1);
	assert_int_equal(md_level("stripe"), 0);
	assert_int_equal(md_level("linear"), -1);
	assert_int_equal(md_level("50"), -1);
	assert_int_equal(md_layout(10, "n2", &layout), 0);
	assert_int_equal(layout, 0x102);
	assert_int_equal(md_layout(10, "near2", &layout), 0);
	assert_int_equal(layout, 0x102);
	assert_int_equal(md_layout(10, "o2", &layout), 0);
	assert_int_equal(layout, 0x10201);
	assert_int_equal(md_layout(10, "far3", &layout), 0);
	assert_int_equal(layout, 0x301);
	assert_int_equal(md_layout(10, "n0", &layout), -22);
	assert_int_equal(md_layout(10, "n02", &layout), -22);
	assert_int_equal(md_layout(10, "n2x", &layout), -22);
	assert_int_equal(md_layout(10, "n300", &layout), -22);
	assert_int_equal(md_layout(10, "", &layout), -22);
	assert_int_equal(md_layout(5, "n2", &layout), -22);
	assert_int_equal(md_layout(5, "ls", &layout), 0);
	assert_int_equal(layout, 2);
	assert_string_equal(md_layout_text(a, 10, 0x10201), "o2");
	assert_string_equal(md_layout_text(a, 10, 0x102), "n2");
	assert_string_equal(md_layout_text(a, 5, 2), "left-symmetric");
	assert_null(md_layout_text(a, 1, 0));
	assert_int_equal(md_least(10, 0x103), 3);
	assert_int_equal(md_least(6, 0), 4);
	assert_false(md_bitmap_default(1, 100 * GIB));
	assert_true(md_bitmap_default(1, 100 * GIB + KIB));
	assert_false(md_bitmap_default(0, TIB));
}

static void put(uint8_t *b, size_t at, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		b[at + i] = (uint8_t)(value >> 8 * i);
}

static const char uuid_bytes[] = "01020304:05060708:090a0b0c:0d0e0f10";

static void test_super(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	uint8_t b[MD_SUPER_BYTES] = { 0 };
	struct md_super s;

	(void)state;
	put(b, 0, 0xa92b4efc, 4);
	put(b, 4, 1, 4);
	put(b, 8, 1, 4);
	for (size_t i = 0; i < 16; i++)
		b[16 + i] = (uint8_t)(i + 1);
	memcpy(b + 32, "any:data", 8);
	put(b, 72, 10, 4);
	put(b, 76, 0x102, 4);
	put(b, 80, 2801664, 8);
	put(b, 88, 1024, 4);
	put(b, 92, 3, 4);
	put(b, 128, 4096, 8);
	put(b, 160, 2, 4);
	put(b, 220, 128, 4);
	put(b, 256 + 4, 1, 2);
	assert_int_equal(md_super_parse(b, 2, &s), 0);
	assert_string_equal(md_uuid_text(a, s.uuid), uuid_bytes);
	assert_string_equal(s.name, "any:data");
	assert_int_equal(s.shape.level, 10);
	assert_int_equal(s.shape.layout, 0x102);
	assert_int_equal(s.shape.chunk, 512 * KIB);
	assert_int_equal(s.shape.disks, 3);
	assert_int_equal(s.data_offset, 2 * MIB);
	assert_int_equal(s.role, 1);
	assert_true(s.bitmap);
	put(b, 92, 100000, 4);
	assert_int_equal(md_super_parse(b, 2, &s), -22);
	put(b, 0, 0, 4);
	assert_int_equal(md_super_parse(b, 2, &s), -22);
}

/* As mdadm wrote it for --uuid=01020304:...: the words lie apart, each the other way round. */
static void test_super_old(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	uint8_t b[MD_SUPER_BYTES] = { 0 };
	struct md_super s;

	(void)state;
	put(b, 0, 0xa92b4efc, 4);
	put(b, 8, 90, 4);
	put(b, 20, 0x01020304, 4);
	put(b, 28, 1, 4);
	put(b, 32, 1402816, 4);
	put(b, 40, 2, 4);
	put(b, 52, 0x05060708, 4);
	put(b, 56, 0x090a0b0c, 4);
	put(b, 60, 0x0d0e0f10, 4);
	put(b, 992 * 4 + 12, 1, 4);
	put(b, 992 * 4 + 16, 6, 4);
	assert_int_equal(md_super_parse(b, MD_METADATA_090, &s), 0);
	assert_string_equal(md_uuid_text(a, s.uuid), uuid_bytes);
	assert_int_equal(s.shape.level, 1);
	assert_int_equal(s.component, UINT64_C(1402816) * KIB);
	assert_int_equal(s.role, 1);
	assert_int_equal(md_super_place(MD_METADATA_090, 1370 * MIB), 1370 * MIB - 64 * KIB);
	assert_int_equal(md_super_place(2, 1370 * MIB), 4096);
	assert_int_equal(md_super_place(0, 1370 * MIB), 1370 * MIB - 8192);
	assert_true(md_super_place(0, 0) == UINT64_MAX);
}

static struct md_conf_line line(const char *dev)
{
	struct md_conf_line l = { .dev = dev, .metadata = "1.2" };

	assert_int_equal(md_uuid_parse(uuid_bytes, &l.uuid), 0);
	return l;
}

static void test_conf_new(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct md_conf_line l = line("/dev/md/data");

	(void)state;
	assert_string_equal(md_conf_merge(a, NULL, &l, 1),
			    "# What mdadm should assemble and watch: mdadm.conf(5).\n"
			    "HOMEHOST <system>\n"
			    "MAILADDR root\n"
			    "ARRAY /dev/md/data metadata=1.2 UUID=01020304:05060708:090a0b0c:0d0e0f10\n");
}

#define ENTRY(dev) "ARRAY " dev " metadata=1.2 UUID=01020304:05060708:090a0b0c:0d0e0f10\n"
#define OTHER      "ARRAY /dev/md/other UUID=11111111:22222222:33333333:44444444\n"

static void test_conf_merge(void **state)
{
	static const struct {
		const char *dev, *old, *want;
	} at[] = {
		/* foreign lines, comments, continued lines and a missing end of the last line */
		{ "/dev/md/data", "# mine\n\nDEVICE partitions\n  /dev/nbd0\n" OTHER "PROGRAM /bin/x # y",
		  "# mine\n\nDEVICE partitions\n  /dev/nbd0\n" OTHER
		  "PROGRAM /bin/x # y\n" ENTRY("/dev/md/data") },
		/* what is right stays as it is, whatever its form */
		{ "/dev/md/data", "array  md/data  uuid=01020304-05060708-090a0b0c-0d0e0f10   # ours\n",
		  "array  md/data  uuid=01020304-05060708-090a0b0c-0d0e0f10   # ours\n" },
		{ "/dev/md99",
		  "ARRAY /dev/md/99\n\tUUID=01020304:05060708:090a0b0c:0d0e0f10 spares=1\n" OTHER,
		  "ARRAY /dev/md/99\n\tUUID=01020304:05060708:090a0b0c:0d0e0f10 spares=1\n" OTHER },
		/* another device, another UUID: replaced in its place, what is said besides is kept */
		{ "/dev/md/data",
		  "ARRAY /dev/md127 name=old:data UUID=01020304:05060708:090a0b0c:0d0e0f10 "
		  "spare-group=a\n" OTHER,
		  "ARRAY /dev/md/data metadata=1.2 UUID=01020304:05060708:090a0b0c:0d0e0f10 "
		  "spare-group=a\n" OTHER },
		{ "/dev/md/data",
		  OTHER "ARRAY /dev/md/data metadata=1.2 UUID=aaaaaaaa:22222222:33333333:44444444\n",
		  OTHER ENTRY("/dev/md/data") },
		/* no duplicates */
		{ "/dev/md/data", ENTRY("/dev/md/data") OTHER ENTRY("/dev/md/data"),
		  ENTRY("/dev/md/data") OTHER },
		{ "/dev/md/data", "", ENTRY("/dev/md/data") },
		/* empty lines and comments stand within an entry, too: what goes on behind them is a part of it */
		{ "/dev/md/data",
		  "ARRAY /dev/md/data\n\n# old\n  UUID=aaaaaaaa:22222222:33333333:44444444\n\n" OTHER,
		  ENTRY("/dev/md/data") "# old\n\n" OTHER },
		{ "/dev/md/data",
		  ENTRY("/dev/md/data") "MAILADDR root\n" ENTRY("/dev/md127") "# why\n  spares=1\n" OTHER,
		  ENTRY("/dev/md/data") "MAILADDR root\n# why\n" OTHER },
		{ "/dev/md/data", OTHER "# more\n \n\tspares=1\n" ENTRY("/dev/md/data"),
		  OTHER "# more\n \n\tspares=1\n" ENTRY("/dev/md/data") },
		{ "/dev/md/data", "# ours\n  ARRAY /dev/md/data UUID=aaaaaaaa:22222222:33333333:44444444\n",
		  "# ours\n" ENTRY("/dev/md/data") },
		/* words with quotes of either kind */
		{ "/dev/md/data",
		  "ARRAY /dev/md/data spare-group='a \"b\"' policy=\"it's\" x=\"a'b\"'\"c d'\n",
		  "ARRAY /dev/md/data metadata=1.2 UUID=01020304:05060708:090a0b0c:0d0e0f10 "
		  "\"spare-group=a \"'\"'\"b\"'\"' \"policy=it's\" \"x=a'b\"'\"'\"c d\"\n" },
		/* keywords that mdadm.conf has besides, and one cut short */
		{ "/dev/md/data", "HOMEHOST <system>\nMAILADDR a@b\nCREATE owner=root\narr /dev/md/data\n",
		  "HOMEHOST <system>\nMAILADDR a@b\nCREATE owner=root\n" ENTRY("/dev/md/data") },
		/* a comment that looks like one */
		{ "/dev/md/data", "#ARRAY /dev/md/data\n", "#ARRAY /dev/md/data\n" ENTRY("/dev/md/data") },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(at) / sizeof(*at); i++) {
		_cleanup_arena_ struct arena *a = arena_new();
		struct md_conf_line l = line(at[i].dev);
		const char *once = md_conf_merge(a, at[i].old, &l, 1);

		assert_string_equal(once, at[i].want);
		assert_string_equal(md_conf_merge(a, once, &l, 1), once);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mirror),
		cmocka_unit_test(test_data_offset),
		cmocka_unit_test(test_first_member_decides),
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_unequal),
		cmocka_unit_test(test_too_small),
		cmocka_unit_test(test_geometry),
		cmocka_unit_test(test_alive),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_super),
		cmocka_unit_test(test_super_old),
		cmocka_unit_test(test_conf_new),
		cmocka_unit_test(test_conf_merge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
