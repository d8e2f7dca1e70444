/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/arena.h"
#include "base/diag.h"
#include "fuzz.h"
#include "graph/node.h"
#include "layout/layout.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };
	struct layout *l = NULL;
	struct graph *want;

	/* What can be read of a layout with mistakes is built, too. */
	(void)layout_parse(a, "fuzz.yaml", fuzz_copy(a, data, size), size, &d, &l);
	if (l)
		(void)layout_build(a, l, &d, &want);
	return 0;
}
