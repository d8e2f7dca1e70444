/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hostile.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "layout/layout.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "plan/saved.h"
#include "run/op-lvm.h"
#include "sh-words.h"
#include "show/show.h"
#include "tech/mount/fstab-parse.h"

enum { TYPES = 5, SWAP = 4 };

static const char *const types[TYPES] = { "btrfs", "xfs", "ext4", "vfat", "swap" };

const char *const hostile_place_names[HOSTILE_PLACES] = {
	[HOSTILE_LAYOUT_NAME] = "name of the layout",
	[HOSTILE_DISK] = "name of a disk",
	[HOSTILE_PARTITION] = "name of a partition",
	[HOSTILE_ARRAY] = "name of an array",
	[HOSTILE_GROUP] = "name of a volume group",
	[HOSTILE_VOLUME] = "name of a volume",
	[HOSTILE_PATTERN] = "pattern for a model",
	[HOSTILE_LABEL] = "label of btrfs",
	[HOSTILE_LABEL + 1] = "label of xfs",
	[HOSTILE_LABEL + 2] = "label of ext4",
	[HOSTILE_LABEL + 3] = "label of vfat",
	[HOSTILE_LABEL + 4] = "label of swap",
	[HOSTILE_MOUNT] = "mount point of btrfs",
	[HOSTILE_MOUNT + 1] = "mount point of xfs",
	[HOSTILE_MOUNT + 2] = "mount point of ext4",
	[HOSTILE_MOUNT + 3] = "mount point of vfat",
	[HOSTILE_MOUNT + 4] = "mount point of swap",
	[HOSTILE_OPTION] = "option of btrfs",
	[HOSTILE_OPTION + 1] = "option of xfs",
	[HOSTILE_OPTION + 2] = "option of ext4",
	[HOSTILE_OPTION + 3] = "option of vfat",
	[HOSTILE_OPTION + 4] = "option of swap",
	[HOSTILE_MKFS] = "word for mkfs.btrfs",
	[HOSTILE_MKFS + 1] = "word for mkfs.xfs",
	[HOSTILE_MKFS + 2] = "word for mkfs.ext4",
	[HOSTILE_MKFS + 3] = "word for mkfs.vfat",
	[HOSTILE_MKFS + 4] = "word for mkswap",
	[HOSTILE_FILE] = "file name of the layout",
	[HOSTILE_RECORDING] = "file name of the recording",
	[HOSTILE_ROOT] = "root",
	[HOSTILE_SEED] = "seed",
	[HOSTILE_MODEL] = "model of a disk",
	[HOSTILE_SERIAL] = "serial number of a disk",
	[HOSTILE_WWN] = "WWN of a disk",
	[HOSTILE_LINK] = "link of a disk",
	[HOSTILE_THERE_LABEL] = "label that is there",
	[HOSTILE_THERE_MOUNT] = "mount that is there",
	[HOSTILE_FSTAB] = "fstab that is there",
	[HOSTILE_MDADM_CONF] = "mdadm.conf that is there",
};

bool hostile_is_layout(enum hostile_place place)
{
	return place < HOSTILE_FILE;
}

struct trial {
	struct arena *arena;
	const char *const *texts;
	struct diag diag;
	struct layout *layout;
	struct machine *machine;
	struct plan *plan;
	const char *why; /* what is wrong; the first thing stays */
};

static void __attribute__((format(printf, 2, 3))) wrong(struct trial *t, const char *fmt, ...)
{
	va_list ap;

	if (t->why)
		return;
	va_start(ap, fmt);
	t->why = arena_vprintf(t->arena, fmt, ap);
	va_end(ap);
}

/* The layout. */

/* Between the quotes of YAML. */
static void add_yaml(struct text *t, const char *s)
{
	text_addc(t, '"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			text_printf(t, "\\%c", *s);
		else if ((unsigned char)*s < ' ' || *s == 0x7f)
			text_printf(t, "\\x%02x", (unsigned)*s);
		else if (text_starts(s, "\302\205") && s++) /* U+0085 would end a line there */
			text_add(t, "\\N");
		else
			text_addc(t, *s);
	}
	text_addc(t, '"');
}

static const char *given(const struct trial *t, enum hostile_place place, const char *otherwise)
{
	return t->texts[place] ? t->texts[place] : otherwise;
}

static void add_place(const struct trial *t, struct text *out, enum hostile_place place,
		      const char *otherwise)
{
	add_yaml(out, given(t, place, otherwise));
}

static void add_key(const struct trial *t, struct text *out, const char *key, unsigned place)
{
	if (!t->texts[place])
		return;
	text_printf(out, ", %s: ", key);
	add_place(t, out, place, "");
}

/* A place on each line, so that a message's line tells which it is about. */
static const char *layout_text(const struct trial *t)
{
	struct text out = { .arena = t->arena };

	text_add(&out, "stowage: 1\nname: ");
	add_place(t, &out, HOSTILE_LAYOUT_NAME, "box");
	text_add(&out, "\ndisks:\n  ");
	add_place(t, &out, HOSTILE_DISK, "a");
	text_add(&out, ": /dev/sda\n  b: { match: { path: /dev/sdb, model: ");
	add_place(t, &out, HOSTILE_PATTERN, "*");
	text_add(&out, " } }\ntables:\n  - disks: [");
	add_place(t, &out, HOSTILE_DISK, "a");
	text_add(&out, ", b]\n    label: gpt\n    partitions:\n      - { name: ");
	add_place(t, &out, HOSTILE_PARTITION, "p");
	text_add(&out, ", size: 8G }\n");
	for (unsigned i = 0; i < TYPES; i++)
		text_printf(&out, "      - { name: for-%s, size: 1G }\n", types[i]);
	text_add(&out, "arrays:\n  ");
	add_place(t, &out, HOSTILE_ARRAY, "r");
	text_add(&out, ":\n    level: 1\n    devices: ");
	add_place(t, &out, HOSTILE_PARTITION, "p");
	text_add(&out, "\nvolume-groups:\n  ");
	add_place(t, &out, HOSTILE_GROUP, "v");
	text_add(&out, ":\n    devices: ");
	add_place(t, &out, HOSTILE_ARRAY, "r");
	text_add(&out, "\n    volumes:\n      ");
	add_place(t, &out, HOSTILE_VOLUME, "l");
	text_add(&out, ": { size: 1G }\nfilesystems:\n");
	for (unsigned i = 0; i < TYPES; i++) {
		text_printf(&out, "  - { type: %s, devices: %sfor-%s", types[i], i == SWAP ? "" : "b.",
			    types[i]);
		add_key(t, &out, "label", HOSTILE_LABEL + i);
		if (i != SWAP || t->texts[HOSTILE_MOUNT + i]) {
			text_add(&out, ", mount: ");
			add_place(t, &out, HOSTILE_MOUNT + i, arena_printf(t->arena, "/%s", types[i]));
		}
		add_key(t, &out, "options", HOSTILE_OPTION + i);
		add_key(t, &out, "mkfs", HOSTILE_MKFS + i);
		text_add(&out, " }\n");
	}
	return text_str(&out);
}

/* The machine. */

static void put(struct json_object *o, const char *key, const char *value)
{
	json_object_object_add(o, key, json_object_new_string(value));
}

static struct json_object *disk(const struct trial *t, unsigned i)
{
	struct json_object *o = json_object_new_object(), *links = json_object_new_array();
	const char *name = i ? "sdb" : "sda";
	const char *path = arena_printf(t->arena, "/dev/%s", name);

	put(o, "name", name);
	put(o, "path", path);
	put(o, "type", "disk");
	json_object_object_add(o, "major", json_object_new_int(8));
	json_object_object_add(o, "minor", json_object_new_int((int)i * 16));
	json_object_object_add(o, "size", json_object_new_int64(INT64_C(1) << 35));
	json_object_object_add(o, "logical", json_object_new_int(512));
	json_object_object_add(o, "physical", json_object_new_int(512));
	put(o, "model", i ? given(t, HOSTILE_MODEL, "m") : "m");
	put(o, "serial", i ? "second" : given(t, HOSTILE_SERIAL, "first"));
	if (!i && t->texts[HOSTILE_WWN])
		put(o, "wwn", t->texts[HOSTILE_WWN]);
	if (!i && t->texts[HOSTILE_LINK])
		json_object_array_add(links,
				      json_object_new_string(arena_printf(t->arena, "/dev/disk/by-id/%s",
									  t->texts[HOSTILE_LINK])));
	json_object_object_add(o, "links", links);
	json_object_object_add(o, "looked", json_object_new_boolean(true));
	return o;
}

/* A third disk that the layout doesn't name, with a filesystem that is mounted. */
static struct json_object *other_disk(const struct trial *t)
{
	struct json_object *o = json_object_new_object(), *list = json_object_new_array(),
			   *sig = json_object_new_object();

	put(o, "name", "sdc");
	put(o, "path", "/dev/sdc");
	put(o, "type", "disk");
	json_object_object_add(o, "major", json_object_new_int(8));
	json_object_object_add(o, "minor", json_object_new_int(32));
	json_object_object_add(o, "size", json_object_new_int64(INT64_C(1) << 35));
	json_object_object_add(o, "logical", json_object_new_int(512));
	json_object_object_add(o, "physical", json_object_new_int(512));
	put(o, "serial", "third");
	put(sig, "type", "ext4");
	put(sig, "usage", "filesystem");
	put(sig, "uuid", "1b4e28ba-2fa1-11d2-883f-0016d3cca427");
	put(sig, "label", given(t, HOSTILE_THERE_LABEL, "old"));
	json_object_object_add(sig, "offset", json_object_new_int(1080));
	json_object_array_add(list, sig);
	json_object_object_add(o, "signatures", list);
	json_object_object_add(o, "looked", json_object_new_boolean(true));
	return o;
}

static struct json_object *mounted(const struct trial *t)
{
	struct json_object *list = json_object_new_array(), *o = json_object_new_object();

	put(o, "source", "/dev/sdc");
	put(o, "target", arena_printf(t->arena, "/old/%s", given(t, HOSTILE_THERE_MOUNT, "x")));
	put(o, "type", "ext4");
	put(o, "options", "rw");
	put(o, "root", "/");
	json_object_object_add(o, "major", json_object_new_int(8));
	json_object_object_add(o, "minor", json_object_new_int(32));
	put(o, "dev", "sdc");
	json_object_array_add(list, o);
	return list;
}

static const char *root(const struct trial *t)
{
	return arena_printf(t->arena, "/mnt/%s", given(t, HOSTILE_ROOT, "target"));
}

/* Returns it as text: what a recording can't hold (it is Unicode) is left to the reader to refuse. */
static const char *machine_text(const struct trial *t)
{
	struct json_object *o = json_object_new_object(), *devices = json_object_new_array(),
			   *files = json_object_new_object();
	const char *text;

	json_object_object_add(o, "stowage-machine", json_object_new_int(1));
	json_object_object_add(o, "root", json_object_new_boolean(true));
	for (unsigned i = 0; i < 2; i++)
		json_object_array_add(devices, disk(t, i));
	json_object_array_add(devices, other_disk(t));
	json_object_object_add(o, "devices", devices);
	json_object_object_add(o, "mounts", mounted(t));
	if (t->texts[HOSTILE_FSTAB])
		put(files, arena_printf(t->arena, "%s/etc/fstab", root(t)), t->texts[HOSTILE_FSTAB]);
	if (t->texts[HOSTILE_MDADM_CONF])
		put(files, arena_printf(t->arena, "%s/etc/mdadm/mdadm.conf", root(t)),
		    t->texts[HOSTILE_MDADM_CONF]);
	json_object_object_add(o, "files", files);
	text = arena_strdup(t->arena, json_object_to_json_string(o));
	json_object_put(o);
	return text;
}

/* What comes out. */

/* Neither a control that a terminal acts on, nor one that turns the direction of writing, nor what is no text at all. */
static void calm(struct trial *t, const char *what, const char *s)
{
	size_t n = strlen(s), len;

	for (size_t i = 0; i < n; i += len) {
		uint32_t c = 0;

		len = text_char(s + i, n - i, &c);
		if (!len) {
			wrong(t, "%s is no UTF-8 at byte %zu", what, i);
			return;
		}
		if ((c < ' ' && c != '\n' && c != '\t') || (c >= 0x7f && c < 0xa0) || c == 0x61c ||
		    c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
		    (c >= 0x2066 && c <= 0x2069)) {
			wrong(t, "%s would steer a terminal with U+%04X at byte %zu", what, (unsigned)c, i);
			return;
		}
	}
}

static void strict_json(struct trial *t, const char *what, const char *s)
{
	struct json_tokener *tok = json_tokener_new_ex(32);
	struct json_object *o;

	calm(t, what, s);
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
	o = json_tokener_parse_ex(tok, s, (int)strlen(s) + 1);
	if (!o || json_tokener_get_error(tok) != json_tokener_success)
		wrong(t, "%s is no JSON: %s", what, json_tokener_error_desc(json_tokener_get_error(tok)));
	json_object_put(o);
	json_tokener_free(tok);
}

/* Outside of its quotes, dot's language has but a few characters that we use. */
static void strict_dot(struct trial *t, const char *s)
{
	bool inside = false;

	calm(t, "dot", s);
	for (const char *p = s; *p; p++) {
		if (inside && *p == '\\' && p[1])
			p++;
		else if (*p == '"')
			inside = !inside;
		else if (!inside && !strchr(" \t\n{}[]=;->,#", *p) && !(*p >= 'a' && *p <= 'z') &&
			 !(*p >= 'A' && *p <= 'Z') && !(*p >= '0' && *p <= '9')) {
			wrong(t, "dot has a bare '%c' at: %.40s", *p, p);
			return;
		}
	}
	if (inside)
		wrong(t, "dot has a quote without its end");
}

static const char *print_diag(struct trial *t, bool json)
{
	char *s = NULL;
	const char *copy;
	size_t n = 0;
	FILE *f = open_memstream(&s, &n);

	if (!f)
		abort();
	if (json)
		diag_print_json(&t->diag, f);
	else
		diag_print(&t->diag, f, false);
	(void)fclose(f);
	if (strlen(s) != n)
		wrong(t, "messages hold a NUL");
	copy = arena_strdup(t->arena, s);
	free(s);
	return copy;
}

static void look_at_messages(struct trial *t)
{
	calm(t, "the text of messages", print_diag(t, false));
	strict_json(t, "messages as JSON", print_diag(t, true));
}

/* The script. */

static bool is_same(const text_list *a, const text_list *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->at[i], b->at[i]) != 0)
			return false;
	return true;
}

static void add_words(struct trial *t, text_list *list, ...)
{
	va_list ap;
	const char *s;

	va_start(ap, list);
	while ((s = va_arg(ap, const char *)))
		vec_push(t->arena, list, s);
	va_end(ap);
}

/* What lvm2_run() does to a line. Source: lvm2 2.03.16, lvm_split(). */
static text_list lvm_words(struct arena *a, const char *line)
{
	text_list words = { 0 };

	for (;;) {
		struct text w = { .arena = a };
		char quote = 0;

		line += strspn(line, " \t\n\r\v\f");
		if (!*line || *line == '#')
			return words;
		if (*line == '\'' || *line == '"')
			quote = *line++;
		while (*line && (quote ? *line != quote : !strchr(" \t\n\r\v\f", *line)))
			text_addc(&w, *line++);
		if (quote && *line)
			line++;
		vec_push(a, &words, text_str(&w));
	}
}

typedef VEC(text_list) command_list;

/* The commands of a step, said once more, from the meaning of its operation. */
static void expected(struct trial *t, const struct op *op, command_list *ret, const char **ret_input)
{
	text_list w = { 0 };
	struct arena *a = t->arena;

	*ret_input = NULL;
	switch (op->form) {
	case OP_ARGV:
		vec_push(a, ret, op->argv);
		return;
	case OP_LVM: {
		const char *line = lvm_line(a, &op->argv);
		text_list back;

		if (!line) {
			wrong(t, "LVM can't be told the words of a step");
			return;
		}
		back = lvm_words(a, line);
		if (!is_same(&back, &op->argv))
			wrong(t, "LVM would read other words: %s", line);
		vec_push(a, ret, op->argv);
		return;
	}
	case OP_TABLE:
		add_words(t, &w, "sfdisk", "-q", "--lock=yes", "--wipe", "always", "--wipe-partitions",
			  "always", op->dev, NULL);
		*ret_input = op->script;
		break;
	case OP_ZERO:
		add_words(t, &w, "zero", op->dev, NULL);
		vec_each (const struct op_range *, r, &op->ranges)
			add_words(t, &w, arena_printf(a, "%" PRIu64, r->start),
				  arena_printf(a, "%" PRIu64, r->size), NULL);
		break;
	case OP_WIPE:
		add_words(t, &w, "wipefs", "-a", "-q", op->dev, NULL);
		break;
	case OP_SETTLE:
		add_words(t, &w, "settle", NULL);
		break;
	case OP_MKDIR:
		add_words(t, &w, "directory", arena_printf(a, "%04o", op->mode ? op->mode : 0755), op->path,
			  NULL);
		break;
	case OP_MOUNT:
		add_words(t, &w, "mount", NULL);
		if (op->type)
			add_words(t, &w, "-t", op->type, NULL);
		if (op->options && *op->options)
			add_words(t, &w, "-o", op->options, NULL);
		add_words(t, &w, "--", op->dev, op->path, NULL);
		break;
	case OP_FILE:
		add_words(t, &w, "put", arena_printf(a, "%04o", op->mode ? op->mode : 0644), op->path, NULL);
		*ret_input = op->content ? op->content : "";
		break;
	}
	vec_push(a, ret, w);
}

static void look_at_script(struct trial *t, const char *script)
{
	const char *work = strstr(script, "\nwork() {\n"), *why = NULL;
	sh_commands all = { 0 };
	size_t at = 0;

	calm(t, "the script", script);
	if (!work) {
		wrong(t, "the script does no work");
		return;
	}
	if (!sh_read(t->arena, work + strlen("\nwork() {\n"), &all, &why)) {
		wrong(t, "sh would not take the script so: %s", why);
		return;
	}
	vec_each (struct step *const *, st, &t->plan->steps) {
		command_list want = { 0 };
		const char *input;

		if (at == all.n || all.at[at].words.n != 3 || strcmp(all.at[at].words.at[0], "step") != 0 ||
		    strcmp(all.at[at].words.at[1], arena_printf(t->arena, "%zu", (*st)->number)) != 0) {
			wrong(t, "step %zu doesn't begin in the script where it should", (*st)->number);
			return;
		}
		at++;
		expected(t, &(*st)->op, &want, &input);
		for (size_t i = 0; i < want.n; i++, at++) {
			if (at == all.n || !is_same(&all.at[at].words, &want.at[i])) {
				wrong(t, "sh would pass other words in step %zu, %s, word '%s'",
				      (*st)->number, (*st)->id,
				      at < all.n ? text_join(t->arena, &all.at[at].words, "|") : "");
				return;
			}
			if (!text_eq(all.at[at].input, input)) {
				wrong(t, "sh would pass another input in step %zu", (*st)->number);
				return;
			}
		}
		while (at < all.n && !strcmp(all.at[at].words.at[0], "expect"))
			at++;
	}
	/* now=, printf 'Done.' */
	if (all.n - at != 2)
		wrong(t, "the script has %zu more commands than the plan", all.n - at);
}

/* Whether what was stated is what the tools get. */

static bool has_word(const struct plan *p, const char *tool, const char *before, const char *word)
{
	vec_each (struct step *const *, st, &p->steps) {
		const text_list *argv = &(*st)->op.argv;

		if ((*st)->op.form != OP_ARGV || strcmp(argv->at[0], tool) != 0)
			continue;
		for (size_t i = 1; i < argv->n; i++)
			if (!strcmp(argv->at[i], word) && (!before || !strcmp(argv->at[i - 1], before)))
				return true;
	}
	return false;
}

/* The part of a list with commas. */
static bool has_part(const char *list, const char *part)
{
	size_t n = strlen(part);

	for (const char *p = list; p; p = strchr(p, ',')) {
		p += *p == ',';
		if (!strncmp(p, part, n) && (!p[n] || p[n] == ','))
			return true;
	}
	return false;
}

static bool has_all_parts(const char *list, const char *parts)
{
	for (const char *p = parts; *p; p += *p == ',') {
		size_t n = strcspn(p, ",");
		char *part = strndup(p, n);
		bool has = part && has_part(list, part);

		free(part);
		if (!has)
			return false;
		p += n;
	}
	return true;
}

static bool has_op(const struct plan *p, enum op_form form, const char *path)
{
	vec_each (struct step *const *, st, &p->steps)
		if ((*st)->op.form == form && !strcmp((*st)->op.path, path))
			return true;
	return false;
}

/* The line of fstab for a mount point, its fields decoded. Return: whether there is one. */
static bool fstab_of(struct arena *a, const char *text, const char *target, const char **ret_options)
{
	struct fstab_line line = { 0 };
	size_t pos = 0;

	while (fstab_next(text, strlen(text), &pos, &line)) {
		if (!line.entry || strcmp(fstab_decode(a, line.field[FSTAB_TARGET]), target) != 0)
			continue;
		*ret_options = line.fields > FSTAB_OPTIONS ? fstab_decode(a, line.field[FSTAB_OPTIONS]) : "";
		return true;
	}
	return false;
}

static void look_at_filesystem(struct trial *t, unsigned i, const char *fstab)
{
	static const char *const tools[TYPES] = { "mkfs.btrfs", "mkfs.xfs", "mkfs.ext4", "mkfs.vfat",
						  "mkswap" };
	static const char *const label_words[TYPES] = { "-L", "-L", "-L", "-n", "-L" };
	const char *label = t->texts[HOSTILE_LABEL + i], *option = t->texts[HOSTILE_OPTION + i],
		   *word = t->texts[HOSTILE_MKFS + i], *options = NULL;
	const char *target = given(t, HOSTILE_MOUNT + i, arena_printf(t->arena, "/%s", types[i]));
	const char *place = arena_printf(t->arena, "%s%s", root(t), target);

	if (label && !has_word(t->plan, tools[i], label_words[i], label))
		wrong(t, "%s doesn't get its label", tools[i]);
	if (word && !has_word(t->plan, tools[i], NULL, word))
		wrong(t, "%s doesn't get its word", tools[i]);
	if (i == SWAP)
		target = "none";
	else if (!has_op(t->plan, OP_MOUNT, place))
		wrong(t, "nothing is mounted at '%s'", place);
	else if (strcmp(target, "/") != 0 && !has_op(t->plan, OP_MKDIR, place))
		wrong(t, "nobody makes '%s'", place);
	if (!fstab_of(t->arena, fstab, target, &options))
		wrong(t, "fstab has no line for '%s'", target);
	else if (option && !has_all_parts(options, option))
		wrong(t, "fstab has the options '%s' instead of '%s'", options, option);
}

/* Lines that were there, and aren't about what the layout names, stay. */
static void look_at_foreign_lines(struct trial *t, const char *before, const char *after)
{
	size_t most = strlen(after);

	for (const char *p = before; p && *p; p += strspn(p, "\n")) {
		size_t n = strcspn(p, "\n");

		if (!memmem(after, most, p, n) && !memmem(p, n, "/btrfs", 6) && !memmem(p, n, "/xfs", 4) &&
		    !memmem(p, n, "/ext4", 5) && !memmem(p, n, "/vfat", 5) && !memmem(p, n, "swap", 4)) {
			wrong(t, "a line that was in fstab is gone: %.*s", (int)n, p);
			return;
		}
		p += n;
	}
}

static void look_at_use(struct trial *t)
{
	const char *fstab = plan_file(t->plan, "/etc/fstab");

	if (!fstab) {
		wrong(t, "there is no fstab");
		return;
	}
	for (unsigned i = 0; i < TYPES; i++)
		look_at_filesystem(t, i, fstab);
	if (t->texts[HOSTILE_FSTAB])
		look_at_foreign_lines(t, t->texts[HOSTILE_FSTAB], fstab);
}

static bool is_same_step(const struct step *a, const struct step *b)
{
	return !strcmp(a->id, b->id) && a->op.form == b->op.form && is_same(&a->op.argv, &b->op.argv) &&
	       text_eq(a->op.dev, b->op.dev) && text_eq(a->op.path, b->op.path) &&
	       text_eq(a->op.options, b->op.options) && text_eq(a->op.script, b->op.script) &&
	       text_eq(a->op.content, b->op.content);
}

static void look_at_saved(struct trial *t)
{
	const char *saved = saved_write(t->plan, t->arena);
	struct diag d = { .arena = t->arena };
	struct plan *again = NULL;

	strict_json(t, "the saved plan", saved);
	if (saved_read(t->arena, "saved", saved, strlen(saved), &d, &again) < 0) {
		wrong(t, "the saved plan can't be read: %s", d.messages.n ? d.messages.at[0].text : "");
		return;
	}
	if (again->steps.n != t->plan->steps.n) {
		wrong(t, "the saved plan has %zu steps instead of %zu", again->steps.n, t->plan->steps.n);
		return;
	}
	for (size_t i = 0; i < again->steps.n; i++)
		if (!is_same_step(again->steps.at[i], t->plan->steps.at[i])) {
			wrong(t, "the saved plan's step %zu is another one", i + 1);
			return;
		}
}

static void look_at_machine(struct trial *t)
{
	const char *text = machine_write(t->machine, t->arena);
	struct diag d = { .arena = t->arena };
	struct machine *again;

	strict_json(t, "the recording", text);
	if (machine_parse(t->arena, "again", text, strlen(text), &d, &again) < 0) {
		wrong(t, "the recording can't be read back: %s", d.messages.n ? d.messages.at[0].text : "");
		return;
	}
	if (strcmp(machine_write(again, t->arena), text) != 0)
		wrong(t, "the recording comes back otherwise");
}

static void look_at_shown(struct trial *t, bool failed)
{
	struct show_options o = { .verbose = true, .failed = failed };
	struct text text = { .arena = t->arena }, sh = text, json = text, dot = text;

	show_text(t->plan, t->arena, &o, &text);
	calm(t, "the text", text_str(&text));
	show_json(t->plan, t->arena, &o, &json);
	strict_json(t, "the plan as JSON", text_str(&json));
	show_dot(t->plan, t->arena, &o, &dot);
	strict_dot(t, text_str(&dot));
	show_sh(t->plan, t->arena, &o, &sh);
	if (t->plan->steps.n)
		look_at_script(t, text_str(&sh));
	else
		calm(t, "the script", text_str(&sh));
}

/* An error must say where, if the one hostile text is in the layout. */
static bool has_place(const struct trial *t)
{
	vec_each (const struct diag_message *, m, &t->diag.messages)
		if (m->severity >= DIAG_ERROR && m->pos.line)
			return true;
	return false;
}

static int make(struct trial *t)
{
	const char *text = layout_text(t), *recording = machine_text(t),
		   *file = given(t, HOSTILE_FILE, "layout.yaml");
	struct plan_options o = { .root = root(t), .mount = true, .seed = t->texts[HOSTILE_SEED] };
	int r = layout_parse(t->arena, file, text, strlen(text), &t->diag, &t->layout);

	if (r < 0)
		return r;
	r = machine_parse(t->arena, given(t, HOSTILE_RECORDING, "machine.json"), recording, strlen(recording),
			  &t->diag, &t->machine);
	return r < 0 ? r : plan_make(t->arena, t->layout, t->machine, &o, &t->diag, &t->plan);
}

/* A layout can't say what isn't UTF-8: the characters of those numbers stand for it. */
static const char *as_characters(struct arena *a, const char *s)
{
	struct text t = { .arena = a };

	if (text_valid_utf8(s, strlen(s)))
		return s;
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c >= 0x80)
			text_addc(&t, (char)(0xc0 | c >> 6));
		text_addc(&t, (char)(c >= 0x80 ? 0x80 | (c & 0x3f) : c));
	}
	return text_str(&t);
}

enum hostile_verdict hostile_try(struct arena *a, const char *const *given_texts, const char **ret_why)
{
	const char *texts[HOSTILE_PLACES];
	struct trial t = { .arena = a, .texts = texts, .diag = { .arena = a } };
	bool in_layout = true;
	int r;

	for (unsigned i = 0; i < HOSTILE_PLACES; i++)
		texts[i] = given_texts[i] && hostile_is_layout(i) ? as_characters(a, given_texts[i])
								  : given_texts[i];
	r = make(&t);
	for (unsigned i = 0; i < HOSTILE_PLACES; i++)
		in_layout = in_layout && (!texts[i] || hostile_is_layout(i));
	look_at_messages(&t);
	if (t.plan)
		look_at_shown(&t, r < 0);
	if (r >= 0) {
		look_at_use(&t);
		look_at_saved(&t);
	}
	if (t.machine && !in_layout)
		look_at_machine(&t);
	if (r < 0 && !diag_failed(&t.diag))
		wrong(&t, "it is refused without a word");
	if (r < 0 && in_layout && !has_place(&t))
		wrong(&t, "no message says where in the layout");
	*ret_why = t.why ? t.why : t.diag.messages.n ? t.diag.messages.at[0].text : "";
	return t.why ? HOSTILE_WRONG : r < 0 ? HOSTILE_REFUSED : HOSTILE_CARRIED;
}
