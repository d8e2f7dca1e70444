/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/arena.h"
#include "base/diag.h"
#include "fuzz.h"
#include "plan/plan.h"
#include "plan/saved.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };
	struct plan *p;

	(void)saved_read(a, "fuzz.json", fuzz_copy(a, data, size), size, &d, &p);
	return 0;
}
