/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/units.h"
#include "plan/settle.h"
#include "plan/step.h"
#include "tech/fs.h"

#define SMALLEST (40 * KIB) /* ten pages of 4 KiB: mkswap */

struct swap_item {
	struct fs_item fs;
	int64_t priority; /* stated where item_has() says so */
};

static const struct key swap_keys[] = {
	KEY(INT, struct swap_item, priority, .min = -1, .max = 32767, .example = "5",
	    .doc = "Swap with a higher one is filled first, equal ones in turn; -1, or absent: the kernel's "
		   "choice."),
	{ 0 },
};

static const struct swap_item *item_of(const struct node *n)
{
	return (const struct swap_item *)fs_of(n)->item;
}

static const struct fs_word elsewhere[] = {
	{ "-L", "state the key 'label'" },
	{ "--label", "state the key 'label'" },
	{ "-U", "state the key 'uuid'" },
	{ "--uuid", "state the key 'uuid'" },
	{ 0 },
};

static int swap_check(const struct node *want, struct diag *d)
{
	const struct fs_item *it = fs_of(want)->item;
	int r[] = { fs_check_label(want, 15, d),
		    fs_check_uuid(want, d),
		    fs_check_words(want, elsewhere, d),
		    0,
		    0,
		    0 };

	if (it->mount)
		r[3] = diag_error(d, item_pos(want->item, "mount"),
				  "swap isn't mounted: '%s' has no place there", it->mount);
	if (it->pass > 0)
		r[4] = diag_error(d, item_pos(want->item, "pass"),
				  "swap isn't checked at boot: its pass is 0, not %" PRIi64, it->pass);
	if (item_has(want->item, "priority"))
		vec_each (const char *const *, o, &it->options)
			if (text_starts(*o, "pri="))
				r[5] = diag_error(
					d, item_pos(want->item, "options"),
					"the option '%s' and the key 'priority' say the same thing twice",
					*o);
	for (size_t i = 0; i < sizeof(r) / sizeof(*r); i++)
		if (r[i] < 0)
			return r[i];
	return 0;
}

static const struct fs_kind swap_kind;

static int swap_find(const struct machine *m, struct graph *have, struct diag *d)
{
	size_t first = have->nodes.n;
	int r = fs_find_type(m, have, &swap_kind.kind, "swap");

	(void)d;
	/* What was swapped out is of no use to anybody once the swap isn't in use. A system that sleeps there bears another signature. */
	for (size_t i = first; i < have->nodes.n; i++)
		as_fs(have->nodes.at[i])->left = LEFTOVER_EMPTY;
	return r;
}

/*
 * The magic ends the first page, whose size is the machine's that made it; version and last page lie 1 KiB behind the start, in that
 * machine's byte order, which the version, 1, tells. Source: union swap_header, include/linux/swap.h.
 */
static uint64_t swap_extent(const char *type, const uint8_t *at, size_t len)
{
	const uint8_t *v = at + 1024, *last = at + 1028;
	uint64_t pages;

	if (!text_eq(type, "swap"))
		return 0;
	for (size_t page = 4 * KIB; page <= 64 * KIB && page <= len; page *= 2) {
		if (memcmp(at + page - 10, "SWAPSPACE2", 10) != 0)
			continue;
		if (v[0] == 1)
			pages = (uint64_t)last[3] << 24 | (uint64_t)last[2] << 16 | (uint64_t)last[1] << 8 |
				last[0];
		else
			pages = (uint64_t)last[0] << 24 | (uint64_t)last[1] << 16 | (uint64_t)last[2] << 8 |
				last[3];
		return (pages + 1) * page;
	}
	return 0;
}

static int swap_settle(struct node *want, struct settle *s)
{
	int r = fs_settle(want, s);

	return r < 0 ? r : fs_settle_min(want, s, SMALLEST, "mkswap");
}

static int swap_create(struct steps *s, const struct node *want)
{
	const struct fs *fs = fs_of(want);
	struct step *st = fs_step(s, want, "mkswap", "");

	step_argv(s, st, "-U", fs->uuid, NULL);
	if (fs->label)
		step_argv(s, st, "-L", fs->label, NULL);
	fs_tool_words(s, st, fs);
	step_word(s, st, want->dev);
	return 0;
}

/* "sw" is there to be read by people. The priority that the layout states takes the place of the one that is there. */
static const char *swap_options(struct arena *a, const struct fs *fs, const char *base)
{
	const struct swap_item *it = (const struct swap_item *)fs->item;
	bool priority = item_has(&it->fs.item, "priority");
	/* Where the layout states no options, these are of a line that is there: its words stay, also the old-fashioned ones. */
	bool stays = base && *base && !fs->item->options.n;
	struct text t = { .arena = a };

	if (stays && !priority)
		return base;
	if (!stays)
		text_add(&t, "sw");
	while (base && *base) {
		size_t n = strcspn(base, ",");
		const char *word = arena_strndup(a, base, n);

		if (n && (stays || (strcmp(word, "sw") != 0 && strcmp(word, "defaults") != 0)) &&
		    !(priority && text_starts(word, "pri=")))
			text_printf(&t, "%s%s", t.len ? "," : "", word);
		base += n + (base[n] == ',');
	}
	if (priority)
		text_printf(&t, "%spri=%" PRIi64, t.len ? "," : "", it->priority);
	return text_str(&t);
}

static const char *swap_describe(struct arena *a, const struct node *n)
{
	const struct fs *fs = fs_of(n);
	struct text t = { .arena = a };

	text_add(&t, "swap");
	if (fs->label)
		text_printf(&t, ", label %s", fs->label);
	if (fs->item && item_has(&fs->item->item, "priority"))
		text_printf(&t, ", priority %" PRIi64, item_of(n)->priority);
	return text_str(&t);
}

static const char *swap_part_type(const struct node *want)
{
	(void)want;
	return "swap";
}

static const struct fs_kind swap_kind = {
	.each = true,
	.options = swap_options,
	.kind = { .name = "swap",
		  .doc = "Swap space; over several devices, one on each.",
		  .size = sizeof(struct fs),
		  .section = "filesystems",
		  .item_size = sizeof(struct swap_item),
		  .keys = swap_keys,
		  .check = swap_check,
		  .find = swap_find,
		  .match = fs_match,
		  .settle = swap_settle,
		  .leftover = fs_leftover,
		  .compare = fs_compare,
		  .create = swap_create,
		  .describe = swap_describe,
		  .part_type = swap_part_type },
};

static const struct kind *const swap_kinds[] = { &swap_kind.kind, NULL };

extern const struct room room_swap;

static const struct room_tool tools[] = { { "mkswap", "util-linux" }, { "swapon", "mount" }, { 0 } };

const struct room room_swap = {
	.name = "swap",
	.tools = tools,
	.doc = "Swap space.",
	.kinds = swap_kinds,
	.extent = swap_extent,
};
