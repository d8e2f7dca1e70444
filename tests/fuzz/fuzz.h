/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"

/* Called by libFuzzer; total on any bytes. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes with a NUL behind them, as readers get a file. */
static inline const char *fuzz_copy(struct arena *a, const uint8_t *data, size_t size)
{
	char *copy = arena_alloc(a, size + 1);

	if (size)
		memcpy(copy, data, size);
	return copy;
}
