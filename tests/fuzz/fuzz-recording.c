/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/arena.h"
#include "base/diag.h"
#include "fuzz.h"
#include "graph/node.h"
#include "machine/have.h"
#include "machine/machine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };
	struct machine *m;
	struct graph *have;

	if (machine_parse(a, "fuzz.json", fuzz_copy(a, data, size), size, &d, &m) == 0) {
		(void)machine_have(a, m, &d, &have);
		(void)machine_write(m, a);
	}
	return 0;
}
