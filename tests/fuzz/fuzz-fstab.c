/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/arena.h"
#include "base/diag.h"
#include "fuzz.h"
#include "machine/machine.h"
#include "tech/mount/fstab.h"

#include <stdlib.h>
#include <string.h>

static const char recording[] =
	"{ \"stowage-machine\": 1, \"root\": true, \"devices\": [ { \"name\": \"sda\", \"path\": "
	"\"/dev/sda\", \"type\": \"disk\", \"size\": 1048576,"
	" \"signatures\": [ { \"type\": \"ext4\", \"usage\": \"filesystem\", \"uuid\": "
	"\"1b4e28ba-2fa1-11d2-883f-0016d3cca427\", \"offset\": 1080 } ] } ] }";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };
	const char *text = fuzz_copy(a, data, size), *made = NULL;
	struct fstab_entry entry = { .name = "/srv",
				     .source = "UUID=1b4e28ba-2fa1-11d2-883f-0016d3cca427",
				     .target = "/srv",
				     .type = "ext4",
				     .options = "defaults",
				     .pass = 2 };
	fstab_entries entries = { 0 };
	struct machine *m;
	size_t len;
	bool all;

	if (machine_parse(a, "recording", recording, strlen(recording), &d, &m) < 0)
		abort();
	(void)fstab_convert(a, m, "fstab", text, strlen(text), &d, &made, &len, &all);
	vec_push(a, &entries, entry);
	if (fstab_make(a, m, "fstab", text, &entries, &d, &made) == 0) {
		const char *again;

		/* What was made once is as it shall be. */
		if (fstab_make(a, m, "fstab", made, &entries, &d, &again) < 0 || strcmp(made, again) != 0)
			abort();
	}
	return 0;
}
