/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "plan/protect.h"
#include "show/look.h"
#include "show/sh-parts.h"
#include "tech/kind.h"

/* What the script itself uses, beside what every system has (cat, id, mkdir, ...). */
static const struct room_tool own_tools[] = {
	{ "blkdiscard", "util-linux" }, { "blockdev", "util-linux" },
	{ "lsblk", "util-linux" },      { "mount", "mount" },
	{ "sfdisk", "fdisk" },          { "udevadm", "udev" },
	{ "wipefs", "util-linux" },     { 0 },
};

static const char *package_of(const char *program)
{
	for (const struct room_tool *t = own_tools; t->program; t++)
		if (!strcmp(t->program, program))
			return t->package;
	for (const struct room *const *room = rooms; *room; room++)
		for (const struct room_tool *t = (*room)->tools; t && t->program; t++)
			if (!strcmp(t->program, program))
				return t->package;
	return "";
}

static void need(const struct sh_writer *w, struct map *seen, const char *program)
{
	if (!map_set(seen, program, (void *)program))
		text_printf(w->out, "\tneed %s %s\n", sh_quote(w, program), sh_quote(w, package_of(program)));
}

static const char *program_of(enum op_form form)
{
	switch (form) {
	case OP_TABLE:
		return "sfdisk";
	case OP_ZERO:
		return "blkdiscard";
	case OP_WIPE:
		return "wipefs";
	case OP_SETTLE:
		return "udevadm";
	case OP_MOUNT:
		return "mount";
	case OP_ARGV:
	case OP_LVM:
	case OP_MKDIR:
	case OP_FILE:
		return NULL;
	}
	return NULL;
}

static void needs(const struct sh_writer *w, bool disks, bool blank)
{
	struct map seen = { .arena = w->arena };

	if (disks) {
		need(w, &seen, "blockdev");
		need(w, &seen, "lsblk");
	}
	if (blank)
		need(w, &seen, "wipefs");
	if (sh_waits(w->plan))
		need(w, &seen, "udevadm");
	vec_each (struct step *const *, st, &w->plan->steps) {
		const struct op *op = &(*st)->op;
		const char *program = op->argv.n ? op->argv.at[0] : program_of(op->form);

		if (program)
			need(w, &seen, program);
	}
	text_add(w->out, "\tif [ -n \"$missing\" ]; then\n"
			 "\t\tprintf '%s\\n' \"These programs are missing:$missing\" >&2\n"
			 "\t\texit 1\n"
			 "\tfi\n");
}

static const char *or_empty(const char *s)
{
	return s ? s : "";
}

static void guard_disks(const struct sh_writer *w, const node_list *disks)
{
	vec_each (struct node *const *, n, disks) {
		const struct blockdev *b = (*n)->have ? (*n)->have->block : NULL;
		const char *path = sh_path_of(*n);

		if (!path)
			continue;
		text_printf(w->out, "\tdisk %s %" PRIu64, sh_quote(w, path), b ? b->size : (*n)->size);
		text_printf(w->out, " %s", sh_quote(w, b ? or_empty(b->serial) : ""));
		text_printf(w->out, " %s\n", sh_quote(w, b ? or_empty(b->wwn) : ""));
	}
}

/* What is kept, and used by what is made. */
bool sh_guard_kept(const struct sh_writer *w, bool print)
{
	bool any = false;

	vec_each (struct node *const *, n, &w->plan->want->nodes) {
		const struct blockdev *b = (*n)->have ? (*n)->have->block : NULL;
		bool used = false;

		if ((*n)->verdict != VERDICT_KEEP || !b || look_is_disk(*n) || !(*n)->kind->device ||
		    !sh_path_of(*n))
			continue;
		vec_each (struct node *const *, up, &(*n)->above)
			used = used || (*up)->verdict == VERDICT_CREATE;
		any = any || used;
		if (used && print)
			text_printf(w->out, "\tthere %s %" PRIu64 " %" PRIu64 "\n",
				    sh_quote(w, sh_path_of(*n)), b->start, b->size);
	}
	return any;
}

/* Whether a filesystem is mounted over it first: then it is another place than the one that is seen now. */
static bool is_covered(const struct plan *p, const char *path)
{
	vec_each (struct step *const *, st, &p->steps) {
		size_t n = (*st)->op.form == OP_MOUNT ? strlen((*st)->op.path) : 0;

		if (n && !strncmp(path, (*st)->op.path, n) && (path[n] == '/' || n == 1) && path[n])
			return true;
	}
	return false;
}

/* As cksum(1) tells it. Source: POSIX.1-2017, cksum. */
static const char *cksum(struct arena *a, const char *s)
{
	size_t len = strlen(s), n = len;
	uint32_t crc = 0;

	for (size_t i = 0; i < len || n; i++) {
		uint8_t byte = i < len ? (uint8_t)s[i] : (uint8_t)n;

		if (i >= len)
			n >>= 8;
		crc ^= (uint32_t)byte << 24;
		for (int bit = 0; bit < 8; bit++)
			crc = crc << 1 ^ (crc & UINT32_C(1) << 31 ? UINT32_C(0x04c11db7) : 0);
	}
	return arena_printf(a, "%" PRIu32 " %zu", ~crc, len);
}

/* Return: whether a file is looked at. */
bool sh_guard_paths(const struct sh_writer *w, bool print)
{
	bool any = false;

	vec_each (struct step *const *, st, &w->plan->steps) {
		const struct op *op = &(*st)->op;
		const char *now;

		if ((op->form != OP_MKDIR && op->form != OP_FILE) || is_covered(w->plan, op->path))
			continue;
		if (print && (op->form == OP_MKDIR || !w->root))
			text_printf(w->out, "\tinside %s || bad=1\n", sh_quote(w, op->path));
		if (op->form != OP_FILE)
			continue;
		now = machine_file(w->plan->machine, op->path);
		/* A recording that hides a password doesn't say what the file is. */
		if (now && machine_has_secret(op->path, now))
			continue;
		any = true;
		if (print)
			text_printf(w->out, "\tseen %s %s\n", sh_quote(w, op->path),
				    sh_quote(w, now ? cksum(w->arena, now) : ""));
	}
	return any;
}

static bool is_given_up(const struct plan *p, const struct node *have)
{
	return have && map_get(&p->losses.clear, have->name);
}

/* What is given up was shown to a person; anything else that lies there by now was not. */
static void guard_lost(const struct sh_writer *w)
{
	if (!w->plan->losses.ends.n && !w->plan->losses.clear.n)
		return;
	vec_each (struct node *const *, n, &w->plan->losses.all->nodes) {
		const struct blockdev *b = (*n)->block;

		if (!b || !b->signatures.n ||
		    (!map_get(&w->plan->losses.ends, (*n)->name) &&
		     !map_get(&w->plan->losses.clear, (*n)->name)))
			continue;
		text_printf(w->out, "\tholds %s", sh_quote(w, b->path));
		vec_each (const struct signature *, sig, &b->signatures)
			text_printf(
				w->out, " %s",
				sh_quote(w, sig->uuid ? arena_printf(w->arena, "%s %s", sig->type, sig->uuid)
						      : sig->type));
		text_addc(w->out, '\n');
	}
}

static node_list written(const struct sh_writer *w)
{
	const struct plan *p = w->plan;

	return p->losses.all ? plan_written_disks(p, w->arena, p->losses.all) : (node_list){ 0 };
}

bool sh_writes(const struct sh_writer *w)
{
	return written(w).n;
}

enum { WIDTH = 110 };

/* A list may have been written since: what it would state of each disk is known. */
static void guard_protected(const struct sh_writer *w)
{
	node_list disks = written(w);

	if (!disks.n)
		return;
	text_add(w->out, "\tread_protected\n");
	vec_each (struct node *const *, n, &disks) {
		const char *path = sh_quote(w, (*n)->block->path);
		struct protect_ids ids;
		size_t column = 0;

		plan_protect_ids(w->arena, w->plan->machine, w->plan->losses.all, *n, &ids);
		text_printf(w->out, "\tspared %s", path);
		map_each (it, &ids.exact) {
			const char *word = sh_quote(w, it->key);

			column = column && column + strlen(word) < WIDTH ? column + strlen(word) + 1
									 : 16 + strlen(word);
			text_printf(w->out, "%s%s", column == 16 + strlen(word) ? " \\\n\t\t" : " ", word);
		}
		text_addc(w->out, '\n');
		map_each (it, &ids.begun)
			text_printf(w->out, "\tspared_wwn %s %s\n", path, sh_quote(w, it->key));
	}
	text_add(w->out, "\tif [ \"$bad\" -ne 0 ]; then\n"
			 "\t\tprintf '%s\\n' 'Nothing was written.' >&2\n"
			 "\t\texit 3\n"
			 "\tfi\n");
}

void sh_check(const struct sh_writer *w, const node_list *disks, const node_list *blank)
{
	text_add(w->out, "check() {\n"
			 "\tif [ \"$(id -u)\" -ne 0 ]; then\n"
			 "\t\tprintf '%s\\n' 'This needs root.' >&2\n"
			 "\t\texit 1\n"
			 "\tfi\n");
	needs(w, disks->n, blank->n);
	guard_protected(w);
	guard_disks(w, disks);
	(void)sh_guard_kept(w, true);
	vec_each (struct node *const *, n, blank)
		if (sh_path_of(*n) && !is_given_up(w->plan, (*n)->have))
			text_printf(w->out, "\tblank %s\n", sh_quote(w, sh_path_of(*n)));
	guard_lost(w);
	(void)sh_guard_paths(w, true);
	text_add(w->out, "\tif [ \"$bad\" -ne 0 ]; then\n"
			 "\t\tprintf '%s\\n' 'Nothing was written: the machine is not as the plan saw it. "
			 "Plan again.' >&2\n"
			 "\t\texit 3\n"
			 "\tfi\n"
			 "}\n\n");
}
