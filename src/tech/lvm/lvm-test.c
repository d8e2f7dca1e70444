/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "base/arena.h"
#include "base/field.h"
#include "base/text.h"
#include "machine/probe.h"
#include "tech/lvm/lvm.h"

/* A volume group of up to four devices and six volumes. */
struct world {
	struct arena *arena;
	struct diag diag;
	struct place place;
	struct place_pv pvs[4];
	struct place_lv lvs[6];
	struct size_want wants[6];
	size_t on[6][4];
};

static struct world *world(struct arena *a, size_t pv_n, const uint64_t *extents)
{
	static const char *const names[] = { "a.lvm", "b.lvm", "c.lvm", "d.lvm" };
	struct world *w = arena_of(a, struct world);

	w->arena = a;
	w->diag.arena = a;
	w->place = (struct place){ .arena = a,
				   .diag = &w->diag,
				   .what = "volume group 'v'",
				   .extent_size = 4 * MIB,
				   .pvs = w->pvs,
				   .pv_n = pv_n,
				   .lvs = w->lvs };
	for (size_t i = 0; i < pv_n; i++) {
		w->pvs[i].name = names[i];
		w->pvs[i].extents = extents[i];
		vec_push(a, &w->pvs[i].free, (struct place_range){ .count = extents[i] });
	}
	return w;
}

/* @on: digits of the devices, "" for any. @size: as a layout has it. */
static void volume(struct world *w, const char *size, unsigned stripes, const char *on)
{
	static const char *const names[] = { "v/a", "v/b", "v/c", "v/d", "v/e", "v/f" };
	size_t i = w->place.lv_n++;
	const char *why;

	assert_int_equal(units_parse_size(w->arena, size, &w->wants[i], &why), 0);
	w->lvs[i] = (struct place_lv){
		.name = names[i], .want = &w->wants[i], .stripes = stripes, .on = w->on[i]
	};
	for (; *on; on++)
		w->on[i][w->lvs[i].on_n++] = (size_t)(*on - '0');
}

static void range(struct world *w, uint64_t min, uint64_t max)
{
	volume(w, "rest", 1, "");
	w->wants[w->place.lv_n - 1] = (struct size_want){ .form = SIZE_RANGE, .min = min, .max = max };
}

static const char *pieces(const struct world *w, size_t lv)
{
	struct text t = { .arena = w->arena };

	vec_each (const struct place_piece *, p, &w->lvs[lv].pieces)
		text_printf(&t, "%s%zu:%llu-%llu", t.len ? " " : "", p->pv, (unsigned long long)p->start,
			    (unsigned long long)(p->start + p->count - 1));
	return text_str(&t);
}

static void assert_fails(struct world *w, const char *message)
{
	bool said = false;

	assert_true(place_volumes(&w->place) < 0);
	vec_each (const struct diag_message *, m, &w->diag.messages)
		said = said || strstr(m->text, message);
	if (!said)
		vec_each (const struct diag_message *, m, &w->diag.messages)
			print_message("%s\n", m->text);
	assert_true(said);
}

static void test_percent(void **state)
{
	static const char *const thirds[] = { "33%", "33%", "34%" }, *const tens[] = { "30%", "30%", "30%",
										       "10%" };
	_cleanup_arena_ struct arena *a = arena_new();
	struct world *w = world(a, 1, (uint64_t[]){ 941189 });

	(void)state;
	for (size_t i = 0; i < 3; i++)
		volume(w, thirds[i], 1, "");
	assert_int_equal(place_volumes(&w->place), 0);
	assert_int_equal(w->lvs[0].extents, 310592);
	assert_int_equal(w->lvs[1].extents, 310592);
	assert_int_equal(w->lvs[2].extents, 320004);
	assert_int_equal(w->pvs[0].left, 1);

	w = world(a, 1, (uint64_t[]){ 941189 });
	for (size_t i = 0; i < 4; i++)
		volume(w, tens[i], 1, "");
	assert_int_equal(place_volumes(&w->place), 0);
	assert_int_equal(w->lvs[1].extents, 282356);
	assert_int_equal(w->lvs[3].extents, 94118);
	assert_int_equal(w->pvs[0].left, 3);

	w = world(a, 1, (uint64_t[]){ 941189 });
	volume(w, "33.3%", 1, "");
	assert_int_equal(place_volumes(&w->place), 0);
	assert_int_equal(w->lvs[0].extents, 313415);

	w = world(a, 1, (uint64_t[]){ 941189 });
	volume(w, "60%", 1, "");
	volume(w, "50%", 1, "");
	assert_fails(w, "has only");

	/* of what it is pinned to */
	w = world(a, 2, (uint64_t[]){ 941189, 702724 });
	volume(w, "100%", 1, "0");
	volume(w, "100%", 1, "1");
	assert_int_equal(place_volumes(&w->place), 0);
	assert_string_equal(pieces(w, 0), "0:0-941188");
	assert_string_equal(pieces(w, 1), "1:0-702723");

	w = world(a, 1, (uint64_t[]){ 10 });
	volume(w, "1%", 1, "");
	assert_fails(w, "'v/a' is 1% of volume group 'v', less than the least of 4 MiB");
}

static void test_order(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct world *w = world(a, 3, (uint64_t[]){ 100, 100, 100 });

	(void)state;
	/* What may lie anywhere leaves room for what may not. */
	volume(w, "480M", 1, "");  /* 120 */
	volume(w, "320M", 1, "0"); /* 80 of the first */
	volume(w, "60M", 3, "");   /* 5 of each */
	volume(w, "1M", 1, "2");
	assert_int_equal(place_volumes(&w->place), 0);
	assert_string_equal(pieces(w, 0), "0:0-14 1:0-94 2:0-9");
	assert_string_equal(pieces(w, 1), "0:15-94");
	assert_string_equal(pieces(w, 2), "0:95-99 1:95-99 2:10-14");
	assert_string_equal(pieces(w, 3), "2:15-15");
	assert_int_equal(w->pvs[0].left + w->pvs[1].left, 0);
	assert_int_equal(w->pvs[2].left, 84);
}

static void test_fit(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct world *w = world(a, 2, (uint64_t[]){ 100, 100 });

	(void)state;
	volume(w, "800M", 1, "");
	assert_int_equal(place_volumes(&w->place), 0);
	w = world(a, 2, (uint64_t[]){ 100, 100 });
	volume(w, "801M", 1, "");
	assert_fails(w, "'v/a' wants 804 MiB, but volume group 'v' has 800 MiB in all: 4 MiB too much");
	w = world(a, 2, (uint64_t[]){ 100, 100 });
	volume(w, "4M", 1, "0");
	volume(w, "400M", 1, "0");
	assert_fails(w, "'v/b' wants 400 MiB, but 'a.lvm' has only 396 MiB of 400 MiB left: 4 MiB too much");
	assert_string_equal(w->diag.messages.at[1].text, "'v/a' takes 4 MiB there");
	w = world(a, 2, (uint64_t[]){ 100, 90 });
	volume(w, "724M", 2, "");
	assert_fails(w, "'v/a' wants 728 MiB in 2 stripes, 364 MiB on each of so many devices, but volume "
			"group 'v' has room for 720 MiB");
	w = world(a, 2, (uint64_t[]){ 100, 90 });
	volume(w, "18446744073709551615", 1, "");
	assert_fails(w, "'v/a' wants");
}

static void test_rest(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct world *w = world(a, 3, (uint64_t[]){ 100, 80, 60 });

	(void)state;
	volume(w, "40M", 1, "");
	volume(w, "rest", 1, "");
	assert_int_equal(place_volumes(&w->place), 0);
	assert_string_equal(pieces(w, 1), "0:10-99 1:0-79 2:0-59");

	/* One for each device, as `each` makes them. */
	w = world(a, 3, (uint64_t[]){ 100, 80, 60 });
	volume(w, "rest", 1, "0");
	volume(w, "rest", 1, "1");
	volume(w, "rest", 1, "2");
	volume(w, "400M", 1, "");
	assert_int_equal(place_volumes(&w->place), 0);
	assert_int_equal(w->lvs[0].extents, 1);
	assert_int_equal(w->lvs[1].extents, 79);
	assert_int_equal(w->lvs[2].extents, 60);

	/* A striped one is rounded down to what all devices have, and then goes on with those that have more. */
	w = world(a, 3, (uint64_t[]){ 100, 100, 100 });
	volume(w, "4M", 1, "1");
	volume(w, "rest", 3, "");
	assert_int_equal(place_volumes(&w->place), 0);
	assert_int_equal(w->lvs[1].extents, 297);
	assert_string_equal(pieces(w, 1), "0:0-98 1:1-99 2:0-98");
	w = world(a, 4, (uint64_t[]){ 100, 100, 50, 50 });
	volume(w, "rest", 2, "");
	assert_int_equal(place_volumes(&w->place), 0);
	assert_int_equal(w->lvs[0].extents, 300);

	w = world(a, 2, (uint64_t[]){ 100, 100 });
	volume(w, "rest", 1, "");
	volume(w, "rest", 1, "");
	assert_fails(w, "'v/b' is to get the rest of volume group 'v', but 'v/a' gets it already");
	w = world(a, 2, (uint64_t[]){ 100, 100 });
	volume(w, "rest", 1, "1");
	volume(w, "rest", 1, "1");
	assert_fails(w, "'v/b' is to get the rest of 'b.lvm'");
	w = world(a, 2, (uint64_t[]){ 100, 100 });
	volume(w, "rest", 1, "1");
	volume(w, "rest", 2, "");
	assert_fails(w, "gets it already");
	w = world(a, 2, (uint64_t[]){ 100, 100 });
	volume(w, "rest", 1, "1");
	volume(w, "rest", 1, "");
	assert_int_equal(place_volumes(&w->place), 0);
	assert_int_equal(w->lvs[0].extents, 100);
	assert_int_equal(w->lvs[1].extents, 100);
	w = world(a, 1, (uint64_t[]){ 100 });
	volume(w, "400M", 1, "");
	volume(w, "rest", 1, "");
	assert_fails(w, "nothing is left for 'v/b'");
}

static void test_range(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct world *w = world(a, 2, (uint64_t[]){ 100, 100 });

	(void)state;
	range(w, 5 * MIB, 210 * MIB); /* 2 to 52 */
	range(w, 0, UINT64_MAX);
	volume(w, "400M", 1, "");
	assert_int_equal(place_volumes(&w->place), 0);
	assert_int_equal(w->lvs[0].extents, 52);
	assert_int_equal(w->lvs[1].extents, 48);
	/* min rounded up passes max rounded down */
	w = world(a, 1, (uint64_t[]){ 100 });
	range(w, 1000001, 1000001);
	assert_int_equal(place_volumes(&w->place), 0);
	assert_int_equal(w->lvs[0].extents, 1);
}

static void test_fragments(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct world *w = world(a, 2, (uint64_t[]){ 0, 0 });

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		w->pvs[i].extents = 100;
		w->pvs[i].free.n = 0;
		vec_push(a, &w->pvs[i].free, (struct place_range){ .start = 10, .count = 5 });
		vec_push(a, &w->pvs[i].free, (struct place_range){ .start = 40, .count = 20 });
	}
	volume(w, "80M", 1, "0"); /* in one piece where there is one */
	volume(w, "40M", 1, "1");
	volume(w, "60M", 1, "1");
	volume(w, "8M", 1, "0");
	w->lvs[3].there = true;
	w->lvs[3].extents = 2;
	assert_int_equal(place_volumes(&w->place), 0);
	assert_string_equal(pieces(w, 0), "0:40-59");
	assert_string_equal(pieces(w, 1), "1:40-49");
	assert_string_equal(pieces(w, 2), "1:10-14 1:50-59");
	assert_int_equal(w->lvs[3].extents, 2);
	assert_int_equal(w->lvs[3].pieces.n, 0);
}

/* What LVM's allocator did with these in a test: 48 extents in two stripes were 8 too many for 20, 16 and 12. */
static void test_greedy(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();

	(void)state;
	assert_int_equal(place_greedy(a, (uint64_t[]){ 20, 16, 12 }, 3, 2), 20);
	assert_int_equal(place_greedy(a, (uint64_t[]){ 20, 15, 5 }, 3, 2), 20);
	assert_int_equal(place_greedy(a, (uint64_t[]){ 10, 10 }, 2, 3), 0);
}

/* Whatever is chosen, LVM has to come to the same number of rows with it. */
static void test_greedy_agrees(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		_cleanup_arena_ struct arena *a = arena_new();
		uint64_t extents[4];
		struct world *w;
		unsigned stripes;

		for (size_t i = 0; i < 4; i++)
			extents[i] = 1 + (seed = seed * 1664525 + 1013904223) % 40;
		stripes = 2 + (seed >> 16) % 3;
		w = world(a, 4, extents);
		if (round % 2)
			volume(w, arena_printf(a, "%uM", 4 + (seed >> 8) % 300), stripes, "");
		else
			volume(w, "rest", stripes, "");
		volume(w, "4M", 1, "3");
		if (place_volumes(&w->place) < 0)
			continue;
		assert_int_equal(w->lvs[0].extents % stripes, 0);
		assert_true(place_greedy(a, w->lvs[0].take, 4, stripes) * stripes >= w->lvs[0].extents);
	}
}

static void test_extents(void **state)
{
	struct geometry plain = { .logical = 512, .physical = 512, .min_io = 512 };

	(void)state;
	assert_int_equal(lvm_data_start(&plain), MIB);
	/* 4 TB, 3 TB, a disk of 4096-byte sectors, an array */
	assert_int_equal(lvm_extents(UINT64_C(7710222336) * SECTOR, MIB, 4 * MIB), 941189);
	assert_int_equal(lvm_extents(UINT64_C(5756719104) * SECTOR, MIB, 4 * MIB), 702724);
	assert_int_equal(lvm_extents(UINT64_C(976622848) * 4096, MIB, 4 * MIB), 953733);
	assert_int_equal(lvm_extents(UINT64_C(997326848) * SECTOR, MIB, 4 * MIB), 121743);
	assert_int_equal(lvm_extents(UINT64_C(335273984) * SECTOR, 2 * MIB, 4 * MIB), 40926);
	assert_int_equal(lvm_extents(UINT64_C(4202496) * SECTOR, 1536 * KIB, 4 * MIB), 512);
	assert_int_equal(lvm_extents(2 * GIB, 1280 * KIB, 4608 * KIB), 454);
	assert_int_equal(lvm_extents(MIB, MIB, 4 * MIB), 0);
	assert_int_equal(lvm_extents(5 * MIB - 1, MIB, 4 * MIB), 0);
	assert_int_equal(lvm_extents(5 * MIB, MIB, 4 * MIB), 1);
}

static uint64_t start(uint64_t min, uint64_t opt, uint64_t offset)
{
	return lvm_data_start(&(struct geometry){
		       .logical = 512, .physical = 512, .min_io = min, .opt_io = opt, .offset = offset }) /
	       KIB;
}

static void test_data_start(void **state)
{
	(void)state;
	assert_int_equal(start(512 * KIB, 1536 * KIB, 0), 1536); /* RAID10 of three */
	assert_int_equal(start(512 * KIB, MIB, 0), 1024);
	assert_int_equal(start(512 * KIB, 2 * MIB, 0), 2048);  /* RAID5 of five */
	assert_int_equal(start(64 * KIB, 576 * KIB, 0), 1152); /* hardware, nine data disks */
	assert_int_equal(start(64 * KIB, 1152 * KIB, 0), 1152);
	assert_int_equal(start(256 * KIB, 2560 * KIB, 0), 2560);
	assert_int_equal(start(MIB, 5 * MIB, 0), 5120);
	/* the partition begins 1 MiB into stripes of 576 KiB */
	assert_int_equal(start(64 * KIB, 576 * KIB, MIB % (576 * KIB)), 1280);
	assert_int_equal((1024 + 1280) % 576, 0);
	/* a mirror whose data begins 3 MiB into such a member */
	assert_int_equal(start(64 * KIB, 576 * KIB, 192 * KIB), 1536);
}

static uint64_t stripe(uint64_t min, uint64_t opt, uint64_t extent)
{
	return lvm_stripe_size(
		       &(struct geometry){ .logical = 512, .physical = 512, .min_io = min, .opt_io = opt },
		       extent) /
	       KIB;
}

static void test_stripe_size(void **state)
{
	(void)state;
	assert_int_equal(stripe(512, 0, 4 * MIB), 64);
	assert_int_equal(stripe(512 * KIB, 2 * MIB, 4 * MIB), 2048);
	assert_int_equal(stripe(512 * KIB, 1536 * KIB, 4 * MIB), 1024);
	assert_int_equal(stripe(512 * KIB, 8 * MIB, 4 * MIB), 4096);
	assert_int_equal(stripe(64 * KIB, 576 * KIB, 4 * MIB), 512);
	assert_int_equal(stripe(512, 0, 4608 * KIB), 64);
	assert_int_equal(stripe(512, 0, 16 * KIB), 16);
}

static void test_words(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	const char *vg = NULL, *lv = NULL;
	struct uuid u;

	(void)state;
	assert_true(lvm_extent_size_ok(4 * MIB));
	assert_true(lvm_extent_size_ok(KIB));
	assert_true(lvm_extent_size_ok(4608 * KIB));
	assert_true(lvm_extent_size_ok(384 * KIB));
	assert_false(lvm_extent_size_ok(96 * KIB));
	assert_false(lvm_extent_size_ok(3 * KIB));
	assert_false(lvm_extent_size_ok(512));
	assert_string_equal(lvm_size_text(a, 4 * MIB), "4m");
	assert_string_equal(lvm_size_text(a, 1280 * KIB), "1280k");
	assert_string_equal(lvm_size_text(a, 1536), "3s");
	assert_string_equal(lvm_dm_name(a, "vg-0", "home_1"), "vg--0-home_1");
	assert_true(lvm_dm_split(a, "vg--0-home_1", &vg, &lv));
	assert_string_equal(vg, "vg-0");
	assert_string_equal(lv, "home_1");
	assert_false(lvm_dm_split(a, "vg0-lv-real", &vg, &lv));
	assert_false(lvm_dm_split(a, "crypt", &vg, &lv));
	assert_int_equal(lvm_uuid_plain("012345-6789-abcd-ef01-2345-6789-abcdef", &u), 0);
	assert_string_equal(uuid_text(a, u), "01234567-89ab-cdef-0123-456789abcdef");
	assert_true(lvm_uuid_plain("I4awpf-yHo8-Wxfm-gUBg-hcCO-8tmu-lzTgMA", &u) < 0);
	assert_non_null(lvm_name_why_not("snapshots"));
	assert_non_null(lvm_name_why_not("x_rimage_0"));
	assert_null(lvm_name_why_not("home_0"));
}

/* What LVM itself has drawn: of a group and its volumes, with the devices that each lies on; the hidden parts of a mirror are its own. */
static void test_drawn(void **state)
{
	static const char recording[] = "{ \"stowage-machine\": 1, \"devices\": [ { \"name\": \"sda\", "
					"\"type\": \"disk\", \"size\": 1048576 }, "
					"{ \"name\": \"sdb\", \"type\": \"disk\", \"size\": 1048576 } ] }";
	static const char report[] =
		"{ \"report\": [ { \"vg\": [ { \"vg_name\": \"v\", \"vg_uuid\": \"VG\" } ], "
		"\"pv\": [ { \"pv_name\": \"/dev/sda\", \"pv_uuid\": \"A\", \"pv_missing\": \"\" }, "
		"{ \"pv_name\": \"/dev/sdb\", \"pv_uuid\": \"B\", \"pv_missing\": \"\" }, "
		"{ \"pv_name\": \"[unknown]\", \"pv_uuid\": \"C\", \"pv_missing\": \"missing\" } ], "
		"\"lv\": [ { \"lv_name\": \"l\", \"lv_uuid\": \"L\" }, { \"lv_name\": \"m\", \"lv_uuid\": "
		"\"M\" }, "
		"{ \"lv_name\": \"none\", \"lv_uuid\": \"N\" }, { \"lv_name\": \"old\" } ], "
		"\"pvseg\": [ { \"pv_uuid\": \"B\", \"lv_name\": \"l\" }, { \"pv_uuid\": \"A\", \"lv_name\": "
		"\"[m_rimage_0]\" }, "
		"{ \"pv_uuid\": \"C\", \"lv_name\": \"l\" }, { \"pv_uuid\": \"A\", \"lv_name\": \"\" } ] }, "
		"{ \"vg\": [], \"pv\": [ { \"pv_name\": \"/dev/sdz\" } ] } ] }";
	static const struct {
		const char *id, *what, *devices;
	} want[] = {
		{ "VG", "volume group v", "sda sdb" },
		{ "L", "volume v/l", "sdb" },
		{ "M", "volume v/m", "sda" },
		{ "N", "volume v/none", "sda sdb" },
	};
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };
	drawn_list drawn = { 0 };
	struct machine *m;
	struct probe p = { .arena = a, .diag = &d, .drawn = &drawn };

	(void)state;
	assert_int_equal(machine_parse(a, "r", recording, strlen(recording), &d, &m), 0);
	p.m = m;
	lvm_note_uuids(&p, report);
	assert_int_equal(drawn.n, sizeof(want) / sizeof(*want));
	for (size_t i = 0; i < drawn.n; i++) {
		assert_string_equal(drawn.at[i].id, want[i].id);
		assert_string_equal(drawn.at[i].what, want[i].what);
		assert_string_equal(text_join(a, &drawn.at[i].devices, " "), want[i].devices);
	}
	lvm_note_uuids(&p, "no report");
	lvm_note_uuids(&p, "{ \"report\": [ 1, { \"vg\": [ 2 ], \"lv\": [ 3 ], \"pv\": 4 } ] }");
	assert_int_equal(drawn.n, sizeof(want) / sizeof(*want));
}

/* A copy of the metadata that can't be read is told by messages alone; a device that never had one isn't damaged. */
static void test_damaged(void **state)
{
	static const char recording[] = "{ \"stowage-machine\": 1, \"devices\": ["
					" { \"name\": \"sda\", \"type\": \"disk\", \"size\": 1048576 },"
					" { \"name\": \"sda1\", \"type\": \"disk\", \"size\": 1048576 } ] }";
	static const char report[] =
		"{ \"report\": [ { \"vg\": [ { \"vg_name\": \"v\" } ], \"pv\": ["
		" { \"pv_name\": \"/dev/sda\", \"pv_uuid\": \"A\", \"pv_missing\": \"\" },"
		" { \"pv_name\": \"/dev/sda1\", \"pv_uuid\": \"B\", \"pv_missing\": \"\" } ] } ],"
		" \"log\": [ { \"log_message\": \"Retrying metadata scan.\" }, {}, 3,"
		" { \"log_message\": \"%s\" }, ] }";
	static const struct {
		const char *message, *damaged; /* the devices that are */
	} said[] = {
		{ "WARNING: repair VG metadata on /dev/sda1 with vgck --updatemetadata.", "sda1" },
		{ "WARNING: Repair VG metadata on /dev/sda with vgck --updatemetadata.", "sda" },
		{ "WARNING: repair VG metadata on /dev/sdb with vgck --updatemetadata.", "" },
		{ "WARNING: repair VG metadata on ", "" },
		{ "See vgck --updatemetadata to correct inconsistency.", "" },
		{ "WARNING: PV /dev/sda might need repairing.", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++) {
		_cleanup_arena_ struct arena *a = arena_new();
		struct diag d = { .arena = a };
		struct text text = { .arena = a }, damaged = { .arena = a };
		struct json_object *lvm, *pvs;
		struct machine *m;

		assert_int_equal(machine_parse(a, "r", recording, strlen(recording), &d, &m), 0);
		text_printf(&text, report, said[i].message);
		lvm = lvm_report(a, text_str(&text), m);
		pvs = field_list(json_object_array_get_idx(field_list(lvm, "groups"), 0), "pvs");
		assert_int_equal(field_count(pvs), 2);
		for (size_t k = 0; k < 2; k++)
			if (field_true(json_object_array_get_idx(pvs, k), "damaged"))
				text_add(&damaged, field_text(json_object_array_get_idx(pvs, k), "dev"));
		assert_string_equal(text_str(&damaged), said[i].damaged);
		json_object_put(lvm);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_percent),     cmocka_unit_test(test_order),
		cmocka_unit_test(test_fit),         cmocka_unit_test(test_rest),
		cmocka_unit_test(test_range),       cmocka_unit_test(test_fragments),
		cmocka_unit_test(test_greedy),      cmocka_unit_test(test_greedy_agrees),
		cmocka_unit_test(test_extents),     cmocka_unit_test(test_data_start),
		cmocka_unit_test(test_stripe_size), cmocka_unit_test(test_words),
		cmocka_unit_test(test_drawn),       cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
