/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/arena.h"
#include "fuzz.h"
#include "hostile.h"

#include <stdio.h>
#include <stdlib.h>

/* Pieces of: which place, how long, so many bytes. A later one for the same place wins. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_arena_ struct arena *a = arena_new();
	const char *texts[HOSTILE_PLACES] = { 0 }, *why = NULL;

	while (size >= 2) {
		unsigned place = data[0] % HOSTILE_PLACES;
		size_t n = data[1];

		data += 2;
		size -= 2;
		if (n > size)
			n = size;
		texts[place] = arena_strndup(a, (const char *)data, n);
		data += n;
		size -= n;
	}
	if (hostile_try(a, texts, &why) == HOSTILE_WRONG) {
		(void)fprintf(stderr, "%s\n", why);
		abort();
	}
	return 0;
}
