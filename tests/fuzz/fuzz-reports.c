/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "fuzz.h"
#include "graph/node.h"
#include "machine/have.h"
#include "machine/machine.h"
#include "machine/parts.h"
#include "machine/probe.h"
#include "tech/lvm/lvm.h"
#include "tech/md/md.h"

/* What the kernel and the tools say. The first byte says who. */

static const char recording[] =
	"{ \"stowage-machine\": 1, \"root\": true, \"devices\": ["
	" { \"name\": \"sda\", \"path\": \"/dev/sda\", \"type\": \"disk\", \"major\": 8, \"size\": 1048576 },"
	" { \"name\": \"sdb\", \"path\": \"/dev/sdb\", \"type\": \"disk\", \"major\": 8, \"minor\": 16, "
	"\"size\": "
	"1048576 } ] }";

/* What was seen can be written down, and comes back as it was. */
static void write_and_read(struct machine *m, struct diag *d)
{
	const char *text = machine_write(m, m->arena);
	struct machine *again;
	struct graph *have;

	if (machine_parse(m->arena, "again", text, strlen(text), d, &again) < 0) {
		diag_print(d, stderr, false);
		abort();
	}
	if (strcmp(machine_write(again, m->arena), text) != 0)
		abort();
	(void)machine_have(m->arena, again, d, &have);
}

static void lvm(struct machine *m, const char *text, struct diag *d)
{
	struct json_object *report = lvm_report(m->arena, text, m), *before = m->json;
	struct probe p = { .arena = m->arena, .diag = d, .m = m, .drawn = &m->drawn };

	lvm_note_uuids(&p, text);
	if (!report)
		return;
	m->json = json_object_new_object();
	json_object_object_add(m->json, "lvm", report);
	write_and_read(m, d);
	json_object_put(m->json);
	m->json = before;
}

static void mdadm_conf(struct arena *a, const char *text)
{
	static const struct md_conf_line lines[] = {
		{ .dev = "/dev/md/data", .metadata = "1.2", .uuid = { { 1, 2, 3 } } },
		{ .dev = "/dev/md99", .metadata = "1.0", .uuid = { { 4, 5, 6 } } },
	};
	const char *once = md_conf_merge(a, text, lines, 2), *twice = md_conf_merge(a, once, lines, 2);

	if (strcmp(once, twice) != 0) {
		(void)fprintf(stderr, "%s---\n%s", once, twice);
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct diag d = { .arena = a };
	struct machine *m;
	const char *text;

	if (!size)
		return 0;
	if (machine_parse(a, "recording", recording, strlen(recording), &d, &m) < 0)
		abort();
	text = fuzz_copy(a, data + 1, size - 1);
	switch (*data) {
	case 'l':
		lvm(m, text, &d);
		break;
	case 'm':
		look_mounts(m, text);
		write_and_read(m, &d);
		break;
	case 's':
		look_swaps(m, text);
		write_and_read(m, &d);
		break;
	case 'c':
		mdadm_conf(a, text);
		break;
	case 'u':
		m->devs.at[0]->serial = look_udev_text(a, text, false);
		m->devs.at[0]->model = look_udev_text(a, text, true);
		write_and_read(m, &d);
		break;
	}
	return 0;
}
