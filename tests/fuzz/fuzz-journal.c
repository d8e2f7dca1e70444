/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/arena.h"
#include "base/map.h"
#include "fuzz.h"
#include "machine/parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct map open = { .arena = a };

	journal_read(&open, fuzz_copy(a, data, size), size);
	return 0;
}
