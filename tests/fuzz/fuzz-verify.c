/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "fuzz.h"
#include "layout/layout.h"
#include "machine/machine.h"
#include "plan/settle.h"
#include "plan/verify.h"
#include "show/show.h"

/* That of tests/cases/verify, whose recordings are the corpus: what a machine shows is held against it, however odd. */
static const char layout[] =
	"stowage: 1\n"
	"name: small\n"
	"disks: { vda: /dev/vda, vdb: /dev/vdb, vdc: /dev/vdc }\n"
	"tables:\n"
	"  - disks: [vda, vdb, vdc]\n"
	"    partitions:\n"
	"      - { name: swap, size: 64M }\n"
	"      - { name: data, size: 256M }\n"
	"      - { name: lvm, size: rest }\n"
	"arrays: { md0: { level: 5, devices: data } }\n"
	"volume-groups:\n"
	"  vg0:\n"
	"    devices: lvm\n"
	"    volumes: { home: { size: 256M, each: lvm }, srv: { size: 320M, on: vdc.lvm } }\n"
	"filesystems:\n"
	"  - { type: btrfs, devices: vg0/home, profile: raid1, mount: /home, label: home }\n"
	"  - { type: ext4, devices: md0, mount: /data, label: data }\n"
	"  - { type: xfs, devices: vg0/srv, mount: /srv, options: [noatime] }\n"
	"  - { type: swap, devices: swap }\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct plan_options o = { .root = "/mnt/small", .mount = true };
	struct diag d = { .arena = a };
	struct text out = { .arena = a };
	struct machine *m;
	struct layout *l = NULL;
	struct verified *v;

	if (layout_parse(a, "layout.yaml", layout, sizeof(layout) - 1, &d, &l) < 0)
		abort();
	if (machine_parse(a, "fuzz.json", fuzz_copy(a, data, size), size, &d, &m) == 0 &&
	    verify_make(a, l, m, &o, &d, &v) == 0) {
		show_verify_text(v, a, &out);
		show_verify_json(v, a, &out);
	}
	return 0;
}
