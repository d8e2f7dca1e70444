/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/units.h"
#include "plan/scrub.h"
#include "tech/md/md.h"

/*
 * Whatever an array shows at a byte has to be zero on the members. Where that byte lies is worked out here once more, chunk by chunk, as
 * the kernel's drivers do it, and held against the ranges.
 */

enum { MOST = 8 };

struct place {
	unsigned member;
	uint64_t at; /* from the data's start */
};

static size_t raid10(const struct md_shape *s, uint64_t component, uint64_t at, struct place *ret)
{
	unsigned near = (unsigned)s->layout & 0xff, far = (unsigned)s->layout >> 8 & 0xff;
	bool offset = s->layout >> 16 & 1;
	uint64_t chunk = at / s->chunk * near, within = at % s->chunk, row = chunk / s->disks;
	unsigned dev = (unsigned)(chunk % s->disks);
	uint64_t stride = offset ? s->chunk : component / far / s->chunk * s->chunk;
	size_t n = 0;

	if (offset)
		row *= far;
	for (unsigned i = 0; i < near; i++) {
		uint64_t sector = row * s->chunk + within;
		unsigned d = dev;

		ret[n++] = (struct place){ d, sector };
		for (unsigned j = 1; j < far; j++) {
			d = (d + near) % s->disks;
			sector += stride;
			ret[n++] = (struct place){ d, sector };
		}
		if (++dev >= s->disks) {
			dev = 0;
			row += offset ? far : 1;
		}
	}
	return n;
}

/* All places that hold a byte of the array; of parity any column may, so all of the row are named. */
static size_t places_of(const struct md_shape *s, uint64_t component, uint64_t at, struct place *ret)
{
	unsigned parity = s->level == 6 ? 2 : s->level == 5 || s->level == 4 ? 1 : 0;
	uint64_t row;
	size_t n = 0;

	if (s->level == 10)
		return raid10(s, component, at, ret);
	if (s->level == 1) {
		for (unsigned i = 0; i < s->disks; i++)
			ret[n++] = (struct place){ i, at };
		return n;
	}
	row = at / s->chunk / (s->disks - parity);
	for (unsigned i = 0; i < s->disks; i++)
		ret[n++] = (struct place){ i, row * s->chunk + at % s->chunk };
	return n;
}

static bool covers(const struct scrub *out, const struct node *member, uint64_t at)
{
	vec_each (const struct scrub_spot *, spot, &out->spots)
		if (spot->node == member && at >= spot->start && at - spot->start < spot->size)
			return true;
	return false;
}

static void check(struct md_shape shape, uint64_t member_size)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct array *r = arena_of(a, struct array);
	struct node *members = arena_alloc(a, MOST * sizeof(*members));
	uint64_t sizes[MOST];
	struct md_sizes out_sizes;
	struct scrub out = { .arena = a };
	static const uint64_t lengths[] = { MIB + 4096, 4096 };

	for (unsigned i = 0; i < shape.disks; i++) {
		members[i].size = sizes[i] = member_size;
		vec_push(a, &r->places, (struct array_place){ .node = &members[i] });
	}
	if (md_sizes(&shape, sizes, &out_sizes) < 0)
		return;
	r->shape = shape;
	r->data_offset = out_sizes.data_offset;
	r->component = out_sizes.component;
	r->node.size = out_sizes.size;
	for (size_t k = 0; k < 2; k++) {
		uint64_t starts[] = { 0, 4 * MIB, r->node.size - lengths[k], 64 * MIB };

		for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
			if (starts[i] >= r->node.size)
				continue;
			out.spots.n = 0;
			array_scrub(&r->node, starts[i], lengths[k], &out);
			for (uint64_t at = starts[i]; at < starts[i] + lengths[k] && at < r->node.size;
			     at += 4096) {
				struct place places[MOST * MOST];
				size_t n = places_of(&shape, r->component, at, places);

				for (size_t p = 0; p < n; p++)
					if (!covers(&out, &members[places[p].member],
						    r->data_offset + places[p].at))
						fail_msg("level %d layout %x of %u, chunk %llu: byte %llu, "
							 "member %u at %llu",
							 shape.level, (unsigned)shape.layout, shape.disks,
							 (unsigned long long)shape.chunk,
							 (unsigned long long)at, places[p].member,
							 (unsigned long long)places[p].at);
			}
			/* More than needed is fine, the whole device isn't. */
			vec_each (const struct scrub_spot *, spot, &out.spots)
				assert_true(spot->size <= lengths[k] + 8 * MIB);
		}
	}
}

static void all_shapes(void **state)
{
	static const int layouts[] = { 0x102, 0x103, 0x201, 0x301, 0x10201, 0x10301 };
	static const uint64_t chunks[] = { 64 * KIB, 512 * KIB, MIB };
	static const int levels[] = { 0, 4, 5, 6 };

	(void)state;
	for (unsigned disks = 2; disks <= 6; disks++) {
		check((struct md_shape){ .level = 1, .disks = disks, .metadata = 2 }, 333 * MIB);
		check((struct md_shape){ .level = 1, .disks = disks, .metadata = 0 }, 333 * MIB);
		for (size_t c = 0; c < sizeof(chunks) / sizeof(chunks[0]); c++) {
			for (size_t l = 0; l < sizeof(levels) / sizeof(levels[0]); l++)
				if (disks >= md_least(levels[l], 0))
					check((struct md_shape){ .level = levels[l],
								 .disks = disks,
								 .chunk = chunks[c],
								 .metadata = 2 },
					      777 * MIB + 4096);
			for (size_t l = 0; l < sizeof(layouts) / sizeof(layouts[0]); l++)
				if (disks >= md_least(10, layouts[l]))
					check((struct md_shape){ .level = 10,
								 .layout = layouts[l],
								 .disks = disks,
								 .chunk = chunks[c],
								 .metadata = 2 },
					      777 * MIB + 4096);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(all_shapes) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
