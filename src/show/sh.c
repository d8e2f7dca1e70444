/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"
#include "base/units.h"
#include "layout/layout.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "show/look.h"
#include "show/show.h"
#include "tech/kind.h"

/*
 * The script: functions, the looks before the first write in check(), the steps in work(), and one line at the end that calls them. So
 * sh has read everything before anything is done, and a step that reads standard input can't eat the script.
 */

struct writer {
	const struct plan *plan;
	struct arena *arena;
	struct text *out;
	bool root; /* the plan is for "/" */
};

/* What the script itself uses, beside what every system has (cat, id, mkdir, ...). */
static const struct room_tool own_tools[] = {
	{ "blkdiscard", "util-linux" }, { "blockdev", "util-linux" },
	{ "lsblk", "util-linux" },      { "mount", "mount" },
	{ "sfdisk", "fdisk" },          { "udevadm", "udev" },
	{ "wipefs", "util-linux" },     { 0 },
};

static const char prologue[] =
	/* Words of the layout mean what they say. */
	"# shellcheck disable=SC1003,SC2016\n"
	"\n"
	"set -eu\n"
	"export LC_ALL=C.UTF-8 LVM_SUPPRESS_FD_WARNINGS=1\n"
	"PATH=${PATH:-/usr/bin:/bin}:/usr/local/sbin:/usr/sbin:/sbin\n"
	"export PATH\n"
	"umask 022\n"
	"\n"
	"now=     # what is being done, for the message when it fails\n"
	"missing= # programs\n"
	"bad=0    # whether a look before the first write saw anything wrong\n"
	"\n"
	"ended() {\n"
	"\tstatus=$?\n"
	"\ttrap - EXIT\n"
	"\tif [ \"$status\" -ne 0 ] && [ -n \"$now\" ]; then\n"
	"\t\tprintf '%s\\n' \"FAILED (exit status $status): $now\" \\\n"
	"\t\t\t'What comes before it was done, what comes after it was not. Plan again to go on from here.' "
	">&2\n"
	"\tfi\n"
	"\texit \"$status\"\n"
	"}\n"
	"\n"
	"problem() {\n"
	"\tprintf '%s\\n' \"$1\" >&2\n"
	"\tbad=1\n"
	"}\n"
	"\n"
	"# program, Debian package; empty: not known\n"
	"need() {\n"
	"\tcommand -v \"$1\" >/dev/null 2>&1 || missing=\"$missing\n"
	"  $1${2:+ (Debian package $2)}\"\n"
	"}\n"
	"\n";

static const char looks[] =
	"# A device's number in a file of sysfs, 512-byte sectors, as bytes: path, file\n"
	"sys_bytes() {\n"
	"\tsys=/sys/class/block/$(readlink -f -- \"$1\" | sed 's|^/dev/||; s|/|!|g')/$2\n"
	"\tsectors=-1\n"
	"\tif [ -r \"$sys\" ]; then\n"
	"\t\tread -r sectors <\"$sys\"\n"
	"\t\tsectors=$((sectors * 512))\n"
	"\tfi\n"
	"\tprintf '%s' \"$sectors\"\n"
	"}\n"
	"\n"
	"wrong=\n"
	"\n"
	"# Says in $wrong what isn't as planned: path, start and size in bytes; 0 is not looked at\n"
	"look() {\n"
	"\twrong=\n"
	"\tif [ ! -b \"$1\" ]; then\n"
	"\t\twrong=\"$1 is not there\"\n"
	"\t\treturn 0\n"
	"\tfi\n"
	"\thas=$(sys_bytes \"$1\" size)\n"
	"\tif [ \"$has\" -le 0 ]; then\n"
	"\t\twrong=\"$1 has no size\"\n"
	"\telif [ \"$3\" != 0 ] && [ \"$has\" != \"$3\" ]; then\n"
	"\t\twrong=\"$1 has $has bytes instead of $3\"\n"
	"\telif [ \"$2\" != 0 ]; then\n"
	"\t\thas=$(sys_bytes \"$1\" start)\n"
	"\t\t[ \"$has\" = \"$2\" ] || wrong=\"$1 starts at byte $has instead of $2\"\n"
	"\tfi\n"
	"}\n"
	"\n"
	"# Before the first write, the same: path, start, size\n"
	"there() {\n"
	"\tlook \"$1\" \"$2\" \"$3\"\n"
	"\t[ -z \"$wrong\" ] || problem \"$wrong\"\n"
	"}\n"
	"\n";

static const char look_disk[] =
	"# What lsblk, or else sysfs, says about a disk: path, column, file\n"
	"identity() {\n"
	"\tword=$(lsblk -dno \"$2\" -- \"$1\" | sed 's/^ *//; s/ *$//')\n"
	"\tdir=/sys/class/block/$(readlink -f -- \"$1\" | sed 's|^/dev/||; s|/|!|g')\n"
	"\tfor file in \"$dir/$3\" \"$dir/device/$3\"; do\n"
	"\t\tif [ -z \"$word\" ] && [ -r \"$file\" ]; then\n"
	"\t\t\tword=$(sed 's/^naa\\./0x/; s/^ *//; s/ *$//' \"$file\")\n"
	"\t\tfi\n"
	"\tdone\n"
	"\tprintf '%s' \"$word\"\n"
	"}\n"
	"\n"
	"# path, size in bytes, serial number, WWN; empty: not known\n"
	"disk() {\n"
	"\tif [ ! -b \"$1\" ]; then\n"
	"\t\tproblem \"$1 is not there\"\n"
	"\t\treturn 0\n"
	"\tfi\n"
	"\thas=$(blockdev --getsize64 \"$1\")\n"
	"\t[ \"$has\" = \"$2\" ] || problem \"$1 has $has bytes instead of $2: it is another disk\"\n"
	"\tif [ -n \"$3\" ]; then\n"
	"\t\thas=$(identity \"$1\" SERIAL serial)\n"
	"\t\t[ \"$has\" = \"$3\" ] || problem \"$1 has the serial number '$has' instead of '$3': it is "
	"another disk\"\n"
	"\tfi\n"
	"\tif [ -n \"$4\" ]; then\n"
	"\t\thas=$(identity \"$1\" WWN wwid)\n"
	"\t\t[ \"$has\" = \"$4\" ] || problem \"$1 has the WWN '$has' instead of '$4': it is another disk\"\n"
	"\tfi\n"
	"}\n"
	"\n";

static const char look_blank[] =
	"# Neither content nor users: path\n"
	"blank() {\n"
	"\t[ -b \"$1\" ] || return 0\n"
	"\thas=$(wipefs --noheadings -O TYPE,LABEL -- \"$1\") || has='it cannot be read'\n"
	"\t[ -z \"$has\" ] || problem \"$1 is not blank: $(one_line \"$has\")\"\n"
	"\thas=$(lsblk -nro NAME -- \"$1\")\n"
	"\thas=$(printf '%s\\n' \"$has\" | sed 1d)\n"
	"\t[ -z \"$has\" ] || problem \"$1 has something on it: $(one_line \"$has\")\"\n"
	"\thas=$(lsblk -dnro MOUNTPOINT -- \"$1\")\n"
	"\t[ -z \"$has\" ] || problem \"$1 is in use: $(one_line \"$has\")\"\n"
	"}\n"
	"\n"
	"one_line() {\n"
	"\tprintf '%s\\n' \"$1\" | sed 's/^ *//; s/ *$//' | sort -u | tr -s '\\n ' ' '\n"
	"}\n"
	"\n";

static const char look_lost[] =
	"# What is given up is still what the plan saw, nothing more: path, then type and UUID of each\n"
	"holds() {\n"
	"\tpath=$1\n"
	"\tshift\n"
	"\thas=$(wipefs --noheadings -O TYPE,UUID -- \"$path\" | sed 's/^ *//; s/ *$//; s/  */ /g' | sort "
	"-u)\n"
	"\twanted=$(printf '%s\\n' \"$@\" | sort -u)\n"
	"\t[ \"$has\" = \"$wanted\" ] || problem \"$path holds $(one_line \"$has\") instead of $(one_line "
	"\"$wanted\")\"\n"
	"}\n"
	"\n";

static const char step_function[] = "# number, what\n"
				    "step() {\n"
				    "\tnow=\"step $1, $2\"\n"
				    "\tprintf \"[%${#total}s/%s] %s\\\\n\" \"$1\" \"$total\" \"$2\"\n"
				    "}\n"
				    "\n";

static const char settle_function[] = "# A busy udevd may drop the question at once: it is asked again.\n"
				      "settle() {\n"
				      "\tif [ -e /run/udev/control ]; then\n"
				      "\t\tudevadm settle --timeout=60 || udevadm settle --timeout=60 || "
				      "udevadm settle --timeout=60\n"
				      "\tfi\n"
				      "}\n"
				      "\n"
				      "# Waits until a device is as planned: path, start, size\n"
				      "expect() {\n"
				      "\tlook \"$1\" \"$2\" \"$3\"\n"
				      "\tif [ -n \"$wrong\" ]; then\n"
				      "\t\tsettle\n"
				      "\t\tlook \"$1\" \"$2\" \"$3\"\n"
				      "\tfi\n"
				      "\tif [ -n \"$wrong\" ]; then\n"
				      "\t\tprintf '%s\\n' \"$wrong\" >&2\n"
				      "\t\treturn 1\n"
				      "\tfi\n"
				      "}\n"
				      "\n";

static const char zero_function[] = "# Zeroes: path, then start and size in bytes of each place\n"
				    "zero() {\n"
				    "\tpath=$1\n"
				    "\tshift\n"
				    "\twhile [ $# -gt 1 ]; do\n"
				    "\t\tblkdiscard -z -o \"$1\" -l \"$2\" \"$path\"\n"
				    "\t\tshift 2\n"
				    "\tdone\n"
				    "}\n"
				    "\n";

static const char gone_function[] = "# Waits until the kernel has forgotten a device: path\n"
				    "gone() {\n"
				    "\tif [ -b \"$1\" ] && [ \"$(sys_bytes \"$1\" size)\" -gt 0 ]; then\n"
				    "\t\tsettle\n"
				    "\tfi\n"
				    "\tif [ -b \"$1\" ] && [ \"$(sys_bytes \"$1\" size)\" -gt 0 ]; then\n"
				    "\t\tprintf '%s\\n' \"$1 is still there\" >&2\n"
				    "\t\treturn 1\n"
				    "\tfi\n"
				    "}\n"
				    "\n";

/* %s: the root, "" for "/" */
static const char inside_function[] =
	"root=%s\n"
	"\n"
	"# Whether no symbolic link leads elsewhere: path\n"
	"inside() {\n"
	"\ttop=${root:+$(readlink -m -- \"$root\")}\n"
	"\tif [ \"$(readlink -m -- \"$1\")\" != \"$top${1#\"$root\"}\" ]; then\n"
	"\t\tprintf '%%s\\n' \"$1 leads through a symbolic link to another place: $(readlink -m -- \"$1\")\" "
	">&2\n"
	"\t\treturn 1\n"
	"\tfi\n"
	"}\n"
	"\n";

/* What is in it now becomes a part of what is written, or is lost. */
static const char seen_function[] =
	"# A file as the plan saw it: path, what cksum says of it; empty: it wasn't there\n"
	"seen() {\n"
	"\thas=\n"
	"\tif [ -e \"$1\" ]; then\n"
	"\t\thas=$(cksum <\"$1\")\n"
	"\tfi\n"
	"\t[ \"$has\" = \"$2\" ] || problem \"$1 isn't what it was when the plan was made\"\n"
	"}\n"
	"\n";

static const char mkdir_function[] = "# mode, path\n"
				     "directory() {\n"
				     "\tinside \"$2\"\n"
				     "\tif [ ! -d \"$2\" ]; then\n"
				     "\t\tmkdir -p -- \"$(dirname -- \"$2\")\"\n"
				     "\t\tmkdir -m \"$1\" -- \"$2\"\n"
				     "\tfi\n"
				     "}\n"
				     "\n";

/* Owner and mode of a file that is there stay. */
static const char put_function[] =
	"# Standard input becomes the content of a file, at once: mode, path\n"
	"put() {\n"
	"\tpath=$2\n"
	"%s"
	"\tif [ -e \"$path\" ] && [ ! -f \"$path\" ]; then\n"
	"\t\tprintf '%%s\\n' \"$path is not a regular file\" >&2\n"
	"\t\treturn 1\n"
	"\tfi\n"
	"\tmkdir -p -- \"$(dirname -- \"$path\")\"\n"
	"\tnew=$(dirname -- \"$path\")/.$(basename -- \"$path\").stowage-new\n"
	"\trm -f -- \"$new\"\n"
	"\t(umask 077 && cat >\"$new\")\n"
	"\tif [ -e \"$path\" ]; then\n"
	"\t\tcp --attributes-only --preserve=mode,ownership -- \"$path\" \"$new\"\n"
	"\telse\n"
	"\t\tchmod \"$1\" -- \"$new\"\n"
	"\tfi\n"
	"\tsync -- \"$new\"\n"
	"\tmv -f -T -- \"$new\" \"$path\"\n"
	"\tsync -- \"$(dirname -- \"$path\")\"\n"
	"}\n"
	"\n";

static const char put_follow[] = "\tif [ -L \"$path\" ]; then\n"
				 "\t\tpath=$(readlink -f -- \"$path\")\n"
				 "\tfi\n";

/* Below another root a link may lead to this machine's own file. */
static const char put_refuse[] = "\tinside \"$path\"\n";

static bool uses(const struct plan *p, enum op_form form)
{
	vec_each (struct step *const *, st, &p->steps)
		if ((*st)->op.form == form)
			return true;
	return false;
}

static bool ends(const struct plan *p)
{
	vec_each (struct step *const *, st, &p->steps)
		vec_each (const struct op_expect *, e, &(*st)->gives)
			if (e->gone)
				return true;
	return false;
}

static bool waits(const struct plan *p)
{
	vec_each (struct step *const *, st, &p->steps)
		if ((*st)->gives.n)
			return true;
	return uses(p, OP_SETTLE);
}

static const char *quote(const struct writer *w, const char *s)
{
	return text_quote_sh(w->arena, s);
}

/* A comment can't hold a line end; whatever else a terminal might act on is made harmless as well. */
static void comment(const struct writer *w, const char *indent, const char *s)
{
	text_printf(w->out, "%s# %s\n", indent, text_safe(w->arena, s));
}

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

static void need(const struct writer *w, struct map *seen, const char *program)
{
	if (!map_set(seen, program, (void *)program))
		text_printf(w->out, "\tneed %s %s\n", quote(w, program), quote(w, package_of(program)));
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

static void needs(const struct writer *w, bool disks, bool blank)
{
	struct map seen = { .arena = w->arena };

	if (disks) {
		need(w, &seen, "blockdev");
		need(w, &seen, "lsblk");
	}
	if (blank)
		need(w, &seen, "wipefs");
	if (waits(w->plan))
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

static const char *path_of(const struct node *n)
{
	if (n->dev)
		return n->dev;
	return n->have && n->have->block ? n->have->block->path : NULL;
}

static const char *or_empty(const char *s)
{
	return s ? s : "";
}

static void guard_disks(const struct writer *w, const node_list *disks)
{
	vec_each (struct node *const *, n, disks) {
		const struct blockdev *b = (*n)->have ? (*n)->have->block : NULL;
		const char *path = path_of(*n);

		if (!path)
			continue;
		text_printf(w->out, "\tdisk %s %" PRIu64, quote(w, path), b ? b->size : (*n)->size);
		text_printf(w->out, " %s", quote(w, b ? or_empty(b->serial) : ""));
		text_printf(w->out, " %s\n", quote(w, b ? or_empty(b->wwn) : ""));
	}
}

/* What is kept, and used by what is made. */
static bool guard_kept(const struct writer *w, bool print)
{
	bool any = false;

	vec_each (struct node *const *, n, &w->plan->want->nodes) {
		const struct blockdev *b = (*n)->have ? (*n)->have->block : NULL;
		bool used = false;

		if ((*n)->verdict != VERDICT_KEEP || !b || look_is_disk(*n) || !(*n)->kind->device ||
		    !path_of(*n))
			continue;
		vec_each (struct node *const *, up, &(*n)->above)
			used = used || (*up)->verdict == VERDICT_CREATE;
		any = any || used;
		if (used && print)
			text_printf(w->out, "\tthere %s %" PRIu64 " %" PRIu64 "\n", quote(w, path_of(*n)),
				    b->start, b->size);
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
static bool guard_paths(const struct writer *w, bool print)
{
	bool any = false;

	vec_each (struct step *const *, st, &w->plan->steps) {
		const struct op *op = &(*st)->op;
		const char *now;

		if ((op->form != OP_MKDIR && op->form != OP_FILE) || is_covered(w->plan, op->path))
			continue;
		if (print && (op->form == OP_MKDIR || !w->root))
			text_printf(w->out, "\tinside %s || bad=1\n", quote(w, op->path));
		if (op->form != OP_FILE)
			continue;
		now = machine_file(w->plan->machine, op->path);
		/* A recording that hides a password doesn't say what the file is. */
		if (now && machine_has_secret(op->path, now))
			continue;
		any = true;
		if (print)
			text_printf(w->out, "\tseen %s %s\n", quote(w, op->path),
				    quote(w, now ? cksum(w->arena, now) : ""));
	}
	return any;
}

static bool is_given_up(const struct plan *p, const struct node *have)
{
	return have && map_get(&p->losses.clear, have->name);
}

/* What is given up was shown to a person; anything else that lies there by now was not. */
static void guard_lost(const struct writer *w)
{
	if (!w->plan->losses.ends.n && !w->plan->losses.clear.n)
		return;
	vec_each (struct node *const *, n, &w->plan->losses.all->nodes) {
		const struct blockdev *b = (*n)->block;

		if (!b || !b->signatures.n ||
		    (!map_get(&w->plan->losses.ends, (*n)->name) &&
		     !map_get(&w->plan->losses.clear, (*n)->name)))
			continue;
		text_printf(w->out, "\tholds %s", quote(w, b->path));
		vec_each (const struct signature *, sig, &b->signatures)
			text_printf(w->out, " %s",
				    quote(w, sig->uuid ? arena_printf(w->arena, "%s %s", sig->type, sig->uuid)
						       : sig->type));
		text_addc(w->out, '\n');
	}
}

static void check_function(const struct writer *w, const node_list *disks, const node_list *blank)
{
	text_add(w->out, "check() {\n"
			 "\tif [ \"$(id -u)\" -ne 0 ]; then\n"
			 "\t\tprintf '%s\\n' 'This needs root.' >&2\n"
			 "\t\texit 1\n"
			 "\tfi\n");
	needs(w, disks->n, blank->n);
	guard_disks(w, disks);
	(void)guard_kept(w, true);
	vec_each (struct node *const *, n, blank)
		if (path_of(*n) && !is_given_up(w->plan, (*n)->have))
			text_printf(w->out, "\tblank %s\n", quote(w, path_of(*n)));
	guard_lost(w);
	(void)guard_paths(w, true);
	text_add(w->out, "\tif [ \"$bad\" -ne 0 ]; then\n"
			 "\t\tprintf '%s\\n' 'Nothing was written: the machine is not as the plan saw it. "
			 "Plan again.' >&2\n"
			 "\t\texit 3\n"
			 "\tfi\n"
			 "}\n\n");
}

static bool has_line(const char *content, const char *line)
{
	size_t n = strlen(line);

	for (const char *p = content; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (!strncmp(p, line, n) && (p[n] == '\n' || !p[n]))
			return true;
	}
	return false;
}

static const char *delimiter(struct arena *a, const char *content)
{
	const char *word = "EOF";

	for (unsigned i = 2; has_line(content, word); i++)
		word = arena_printf(a, "EOF%u", i);
	return word;
}

static void here_document(const struct writer *w, const char *content)
{
	const char *end = delimiter(w->arena, content);
	size_t n = strlen(content);

	text_printf(w->out, " <<'%s'\n", end);
	text_addn(w->out, content, n);
	if (n && content[n - 1] != '\n')
		text_addc(w->out, '\n');
	text_printf(w->out, "%s\n", end);
}

static bool is_plain(struct arena *a, const char *content)
{
	struct text t = { .arena = a };

	for (const char *p = content; *p; p++)
		text_addc(&t, *p == '\n' || *p == '\t' ? ' ' : *p);
	return text_safe(a, text_str(&t)) == text_str(&t);
}

/* As a format of printf(1): exact, with whatever is no printable ASCII in octal. */
static void as_format(const struct writer *w, const char *content)
{
	text_add(w->out, "\tprintf '");
	for (const char *p = content; *p; p++) {
		unsigned char c = (unsigned char)*p;

		if (c == '\n')
			text_add(w->out, p[1] ? "\\n'\\\n'" : "\\n");
		else if (c == '%')
			text_add(w->out, "%%");
		else if (c < ' ' || c > '~' || c == '\'' || c == '\\')
			text_printf(w->out, "\\%03o", c);
		else
			text_addc(w->out, *p);
	}
	text_add(w->out, "' |\n\t");
}

/* A command that reads standard input. */
static void feed(const struct writer *w, const char *call, const char *content)
{
	size_t n = strlen(content);

	if (!n) {
		text_printf(w->out, "\t%s </dev/null\n", call);
	} else if (content[n - 1] == '\n' && is_plain(w->arena, content)) {
		text_printf(w->out, "\t%s", call);
		here_document(w, content);
	} else {
		/* A here-document always ends with a line end, and would bring raw control characters to the reader's terminal. */
		as_format(w, content);
		text_printf(w->out, "%s\n", call);
	}
}

static void operation(const struct writer *w, const struct op *op)
{
	switch (op->form) {
	case OP_ARGV:
	case OP_LVM:
		for (size_t i = 0; i < op->argv.n; i++)
			text_printf(w->out, "%s%s", i ? " " : "\t", quote(w, op->argv.at[i]));
		text_addc(w->out, '\n');
		break;
	case OP_TABLE:
		feed(w,
		     arena_printf(w->arena, "sfdisk -q --lock=yes --wipe always --wipe-partitions always %s",
				  quote(w, op->dev)),
		     op->script);
		break;
	case OP_ZERO:
		text_printf(w->out, "\tzero %s", quote(w, op->dev));
		vec_each (const struct op_range *, r, &op->ranges)
			text_printf(w->out, "%s%" PRIu64 " %" PRIu64,
				    (r - op->ranges.at) % 4 ? "  " : " \\\n\t\t", r->start, r->size);
		text_addc(w->out, '\n');
		break;
	case OP_WIPE:
		text_printf(w->out, "\twipefs -a -q %s\n", quote(w, op->dev));
		break;
	case OP_SETTLE:
		text_add(w->out, "\tsettle\n");
		break;
	case OP_MKDIR:
		text_printf(w->out, "\tdirectory %04o %s\n", op->mode ? op->mode : 0755, quote(w, op->path));
		break;
	case OP_MOUNT:
		text_add(w->out, "\tmount");
		if (op->type)
			text_printf(w->out, " -t %s", quote(w, op->type));
		if (op->options && *op->options)
			text_printf(w->out, " -o %s", quote(w, op->options));
		text_printf(w->out, " -- %s", quote(w, op->dev));
		text_printf(w->out, " %s\n", quote(w, op->path));
		break;
	case OP_FILE:
		feed(w, arena_printf(w->arena, "put %04o %s", op->mode ? op->mode : 0644, quote(w, op->path)),
		     op->content ? op->content : "");
		break;
	}
}

static void expected(const struct writer *w, const struct op_expect *e)
{
	if (e->gone) {
		text_printf(w->out, "\tgone %s\n", quote(w, e->dev));
		return;
	}
	text_printf(w->out, "\texpect %s %" PRIu64 " %" PRIu64 "\n", quote(w, e->dev), e->start, e->size);
}

static void step(const struct writer *w, const struct step *st)
{
	const char *what = text_safe(w->arena, st->what);

	text_addc(w->out, '\n');
	if (st->pos.file && st->pos.line)
		comment(w, "\t",
			arena_printf(w->arena, "%zu. %s (%s:%u)", st->number, what, st->pos.file,
				     st->pos.line));
	else
		comment(w, "\t", arena_printf(w->arena, "%zu. %s", st->number, what));
	if (st->why)
		comment(w, "\t", arena_printf(w->arena, "   since %s", st->why));
	text_printf(w->out, "\tstep %zu %s\n", st->number, quote(w, what));
	operation(w, &st->op);
	vec_each (const struct op_expect *, e, &st->op.expect)
		expected(w, e);
	vec_each (const struct op_expect *, e, &st->gives)
		expected(w, e);
}

static void work_function(const struct writer *w)
{
	text_add(w->out, "work() {");
	vec_each (struct step *const *, st, &w->plan->steps)
		step(w, *st);
	text_add(w->out, "\n\tnow=\n"
			 "\tprintf '%s\\n' 'Done.'\n"
			 "}\n\n");
}

static const char *disk_names(struct arena *a, const node_list *disks)
{
	struct text t = { .arena = a };

	vec_each (struct node *const *, n, disks) {
		const char *path = path_of(*n);

		text_printf(&t, "%s%s", t.len ? ", " : "", (*n)->name);
		if (path)
			text_printf(&t, " (%s)", path);
	}
	return text_str(&t);
}

static void header(const struct writer *w, const node_list *disks)
{
	const struct layout *l = w->plan->layout;
	struct arena *a = w->arena;

	text_add(w->out, "#!/bin/sh\n");
	comment(w, "",
		arena_printf(
			a, "Brings a machine's storage to the layout '%s' (%s): %zu step%s, made by stowage.",
			l->name, l->file, w->plan->steps.n, w->plan->steps.n == 1 ? "" : "s"));
	if (disks->n)
		comment(w, "", arena_printf(a, "Writes to the disks %s.", disk_names(a, disks)));
	vec_each (const struct loss_disk *, disk, &w->plan->lost)
		vec_each (const char *const *, item, &disk->items)
			comment(w, "", arena_printf(a, "On %s is lost: %s.", disk->name, *item));
	if (!w->root)
		comment(w, "",
			arena_printf(a, "Filesystems are mounted below %s, files are written there.",
				     w->plan->options.root));
	text_add(w->out, "# It needs root and looks at every disk before the first write. Exit status: 0 "
			 "done, 3 nothing was written since\n"
			 "# the machine is not as planned, else a step failed. It doesn't go on where it "
			 "ended: plan again for that.\n\n");
}

static void without_steps(const struct writer *w, bool stuck)
{
	if (stuck)
		text_add(w->out, "printf '%s\\n' 'This plan has errors: there is nothing that could be "
				 "done.' >&2\nexit 1\n");
	else
		text_add(w->out, "printf '%s\\n' 'Nothing to do: everything is as the layout asks.'\n");
}

void show_sh(const struct plan *p, struct arena *a, const struct show_options *o, struct text *out)
{
	struct writer w = { .plan = p, .arena = a, .out = out, .root = text_eq(p->options.root, "/") };
	node_list blank = { 0 }, disks = look_touched(a, p, &blank);

	header(&w, &disks);
	if (!p->steps.n) {
		without_steps(&w, look_is_stuck(p, o));
		return;
	}
	text_add(out, prologue);
	/* Only what is used: shellcheck is right about dead code. */
	if (waits(p) || guard_kept(&w, false))
		text_add(out, looks);
	if (disks.n)
		text_add(out, look_disk);
	if (blank.n)
		text_add(out, look_blank);
	if (p->losses.ends.n || p->losses.clear.n)
		text_add(out, look_lost);
	text_printf(out, "total=%zu\n", p->steps.n);
	text_add(out, step_function);
	if (waits(p))
		text_add(out, settle_function);
	if (uses(p, OP_ZERO))
		text_add(out, zero_function);
	if (ends(p))
		text_add(out, gone_function);
	if (uses(p, OP_MKDIR) || (uses(p, OP_FILE) && !w.root))
		text_printf(out, inside_function, w.root ? "" : quote(&w, p->options.root));
	if (uses(p, OP_MKDIR))
		text_add(out, mkdir_function);
	if (guard_paths(&w, false))
		text_add(out, seen_function);
	if (uses(p, OP_FILE))
		text_printf(out, put_function, w.root ? put_follow : put_refuse);
	check_function(&w, &disks, &blank);
	work_function(&w);
	text_add(out, "trap ended EXIT\n"
		      "trap 'exit 129' HUP\n"
		      "trap 'exit 130' INT\n"
		      "trap 'exit 143' TERM\n"
		      "{ exec </dev/null; check; work; }\n");
}
