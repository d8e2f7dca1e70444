/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/arena.h"
#include "base/units.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_arena_ struct arena *a = arena_new();
	const char *text = fuzz_copy(a, data, size), *why;
	struct size_want want;
	uint64_t bytes;

	if (units_parse_bytes(a, text, &bytes, &why) == 0) {
		(void)units_exact(a, bytes);
		(void)units_align_up(bytes, 4096);
	}
	if (units_parse_size(a, text, &want, &why) == 0)
		(void)units_size_text(a, &want);
	return 0;
}
