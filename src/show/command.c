/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/arena.h"
#include "base/text.h"
#include "base/units.h"
#include "plan/step.h"
#include "show/show.h"

static void words(struct arena *a, const text_list *argv, struct text *t)
{
	vec_each (const char *const *, word, argv)
		text_printf(t, "%s%s", t->len ? " " : "", text_quote_sh(a, *word));
}

static void zero(struct arena *a, const struct op *op, struct text *t)
{
	uint64_t bytes = 0;

	if (op->ranges.n > 2) {
		vec_each (const struct op_range *, r, &op->ranges)
			bytes += r->size;
		text_printf(t, "zero %zu places of %s, %s in all", op->ranges.n, text_quote_sh(a, op->dev),
			    units_text(a, bytes));
		return;
	}
	vec_each (const struct op_range *, r, &op->ranges)
		text_printf(t, "%sblkdiscard -z -o %llu -l %llu %s", t->len ? " && " : "",
			    (unsigned long long)r->start, (unsigned long long)r->size,
			    text_quote_sh(a, op->dev));
}

static void mount_words(struct arena *a, const struct op *op, struct text *t)
{
	text_add(t, "mount");
	if (op->type)
		text_printf(t, " -t %s", text_quote_sh(a, op->type));
	if (op->options && *op->options)
		text_printf(t, " -o %s", text_quote_sh(a, op->options));
	text_printf(t, " -- %s", text_quote_sh(a, op->dev));
	text_printf(t, " %s", text_quote_sh(a, op->path));
}

const char *show_command(struct arena *a, const struct op *op)
{
	struct text t = { .arena = a };

	switch (op->form) {
	case OP_ARGV:
	case OP_LVM:
		words(a, &op->argv, &t);
		break;
	case OP_TABLE:
		text_printf(&t, "sfdisk -q --lock=yes --wipe always --wipe-partitions always %s",
			    text_quote_sh(a, op->dev));
		break;
	case OP_ZERO:
		zero(a, op, &t);
		break;
	case OP_WIPE:
		text_printf(&t, "wipefs -a -q %s", text_quote_sh(a, op->dev));
		break;
	case OP_SETTLE:
		text_add(&t, "udevadm settle --timeout=30");
		break;
	case OP_MKDIR:
		text_printf(&t, "mkdir -p -m %04o -- %s", op->mode ? op->mode : 0755,
			    text_quote_sh(a, op->path));
		break;
	case OP_MOUNT:
		mount_words(a, op, &t);
		break;
	case OP_FILE:
		text_printf(&t, "write %s", text_quote_sh(a, op->path));
		break;
	}
	return text_safe(a, text_str(&t));
}
