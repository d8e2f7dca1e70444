/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "layout/build.h"
#include "plan/settle.h"
#include "plan/step.h"
#include "tech/fs.h"
#include "tech/kind.h"
#include "tech/md/md.h"

/* mdadm reads one of them: Debian's the first, everybody else's the second, and each takes the other one where its own isn't there. */
#define CONF_PATH  "/etc/mdadm/mdadm.conf"
#define OTHER_PATH "/etc/mdadm.conf"

/* mdadm.conf(5): a line that begins with a blank goes on with the one before it, and keywords may be cut down to three letters. */
static const char conf_head[] = "# What mdadm should assemble and watch: mdadm.conf(5).\n"
				"HOMEHOST <system>\n"
				"MAILADDR root\n";

static const char *line_end(const char *s)
{
	s += strcspn(s, "\n");
	return *s ? s + 1 : s;
}

static bool has_word(const char *line)
{
	line += strspn(line, " \t");
	return *line && *line != '\n' && *line != '#';
}

/*
 * The end of an entry: behind its line and all that go on with it. Empty lines and comments don't end one, they only stand between its
 * lines, or behind it. Source: mdadm 4.2, conf_word().
 */
static const char *entry_end(const char *s)
{
	const char *end = line_end(s);

	if (!has_word(s))
		return end;
	for (const char *p = end; *p && strchr(" \t\n#", *p); p = line_end(p))
		if (*p != '#' && has_word(p))
			end = line_end(p);
	return end;
}

/* The words of an entry, without comments. mdadm takes quotes away; so does this. */
static text_list entry_words(struct arena *a, const char *s, const char *end)
{
	text_list words = { 0 };

	while (s < end) {
		struct text w = { .arena = a };
		bool any = false;

		while (s < end && isspace((unsigned char)*s))
			s++;
		if (s < end && *s == '#') {
			while (s < end && *s != '\n')
				s++;
			continue;
		}
		while (s < end && !isspace((unsigned char)*s)) {
			any = true;
			if (*s == '"' || *s == '\'') {
				char quote = *s++;

				while (s < end && *s != quote && *s != '\n')
					text_addc(&w, *s++);
				if (s < end && *s == quote)
					s++;
			} else {
				text_addc(&w, *s++);
			}
		}
		if (any)
			vec_push(a, &words, text_str(&w));
	}
	return words;
}

static bool is_array(const text_list *words)
{
	size_t n = words->n ? strlen(words->at[0]) : 0;

	return n >= 3 && n <= 5 && !strncasecmp(words->at[0], "array", n);
}

/* "/dev/md/data", "md/data" and "data" are one. So are "/dev/md/99", "/dev/md99" and "99". */
static const char *bare(const char *dev)
{
	if (text_starts(dev, "/dev/"))
		dev += strlen("/dev/");
	if (text_starts(dev, "md/"))
		dev += strlen("md/");
	if (text_starts(dev, "md") && isdigit((unsigned char)dev[2]) &&
	    dev[2 + strspn(dev + 2, "0123456789")] == '\0')
		dev += 2;
	return dev;
}

static const char *entry_device(const text_list *words)
{
	for (size_t i = 1; i < words->n; i++)
		if (!strchr(words->at[i], '='))
			return words->at[i];
	return NULL;
}

static bool entry_uuid(const text_list *words, struct uuid *ret)
{
	for (size_t i = 1; i < words->n; i++)
		if (!strncasecmp(words->at[i], "uuid=", 5) && !md_uuid_parse(words->at[i] + 5, ret))
			return true;
	return false;
}

/* A word in quotes where it needs some: there are two kinds, and what is in one kind may follow what is in the other. */
static void add_word(struct text *t, const char *s)
{
	if (!strpbrk(s, " \t\r\v\f'\"")) {
		text_add(t, s);
		return;
	}
	while (*s) {
		char quote = *s == '"' ? '\'' : '"';
		size_t n = quote == '"' ? strcspn(s, "\"") : strspn(s, "\"");

		text_addc(t, quote);
		text_addn(t, s, n);
		text_addc(t, quote);
		s += n;
	}
}

/* What an entry says besides, such as spare-group=; what it says of the shape or the members may be of an array that is no more. */
static void keep_words(struct text *t, const text_list *words)
{
	static const char *const ours[] = { "uuid=",    "metadata=",    "name=",  "super-minor=",
					    "devices=", "num-devices=", "level=", "disks=" };

	for (size_t i = 1; i < words->n; i++) {
		bool keep = strchr(words->at[i], '=');

		for (size_t k = 0; k < sizeof(ours) / sizeof(*ours); k++)
			keep = keep && strncasecmp(words->at[i], ours[k], strlen(ours[k])) != 0;
		if (keep) {
			text_addc(t, ' ');
			add_word(t, words->at[i]);
		}
	}
}

static void add_line(struct text *t, struct arena *a, const struct md_conf_line *l, const text_list *words)
{
	text_printf(t, "ARRAY %s metadata=%s UUID=%s", l->dev, l->metadata, md_uuid_text(a, l->uuid));
	if (words)
		keep_words(t, words);
	text_addc(t, '\n');
}

/* The array that an entry is about, by its UUID, else by its device. */
static const struct md_conf_line *entry_about(const text_list *words, const struct md_conf_line *lines,
					      size_t n)
{
	const char *dev = entry_device(words);
	struct uuid uuid;

	if (entry_uuid(words, &uuid))
		for (size_t i = 0; i < n; i++)
			if (uuid_eq(uuid, lines[i].uuid))
				return &lines[i];
	for (size_t i = 0; dev && i < n; i++)
		if (!strcmp(bare(dev), bare(lines[i].dev)))
			return &lines[i];
	return NULL;
}

/* Of an entry that goes, what somebody wrote between its lines stays. */
static void keep_comments(struct text *t, const char *s, const char *end)
{
	for (; s < end; s = line_end(s))
		if (*s == '#')
			text_addn(t, s, (size_t)(line_end(s) - s));
}

/* One entry of the old file. @said: which arrays it has a line of already. */
static void merge_entry(struct text *t, struct arena *a, const char *s, const char *end,
			const struct md_conf_line *lines, size_t n, bool *said)
{
	text_list words = entry_words(a, s, end);
	const struct md_conf_line *about = is_array(&words) ? entry_about(&words, lines, n) : NULL;
	const char *dev;
	struct uuid uuid;

	if (!about) {
		text_addn(t, s, (size_t)(end - s));
		return;
	}
	if (said[about - lines]) {
		keep_comments(t, s, end);
		return;
	}
	said[about - lines] = true;
	dev = entry_device(&words);
	if (dev && !strcmp(bare(dev), bare(about->dev)) && entry_uuid(&words, &uuid) &&
	    uuid_eq(uuid, about->uuid))
		text_addn(t, s, (size_t)(end - s));
	else {
		add_line(t, a, about, &words);
		keep_comments(t, s, end);
	}
}

const char *md_conf_merge(struct arena *a, const char *old, const struct md_conf_line *lines, size_t n)
{
	struct text t = { .arena = a };
	bool *said = arena_alloc(a, n * sizeof(*said));

	if (!old)
		text_add(&t, conf_head);
	for (const char *s = old ? old : ""; *s;) {
		const char *end = entry_end(s);

		merge_entry(&t, a, s, end, lines, n, said);
		s = end;
	}
	for (size_t i = 0; i < n; i++) {
		if (said[i])
			continue;
		if (t.len && t.s[t.len - 1] != '\n')
			text_addc(&t, '\n');
		add_line(&t, a, &lines[i], NULL);
	}
	return text_str(&t);
}

struct md_conf {
	struct node node;
	const char *path;    /* below the root */
	const char *content; /* as it shall be; NULL: it can't be written */
};

static struct md_conf_line line_of(const struct node *array)
{
	return (struct md_conf_line){ .dev = array->dev,
				      .metadata = md_metadata_text(array_of(array)->shape.metadata),
				      .uuid = array->uuid };
}

/* The one that the target has. Where it has none, the one that goes on to be read when the other is looked for in vain. */
static const char *conf_path(const struct settle *s)
{
	bool other = !target_hidden(s, CONF_PATH) && !target_file(s, CONF_PATH) && target_file(s, OTHER_PATH);

	return other ? OTHER_PATH : CONF_PATH;
}

/* A file as it shall be. */
static const char *wanted_content(const struct node *want, const struct settle *s, const char *path)
{
	VEC(struct md_conf_line) lines = { 0 };

	vec_each (const struct edge *, e, &want->below)
		if (e->to->kind == &array_kind && e->to->dev) /* of one that is missing nothing is settled */
			vec_push(s->arena, &lines, line_of(e->to));
	return md_conf_merge(s->arena, target_file(s, path), lines.at, lines.n);
}

/* A file that says the right thing already stands in for an object that is there. */
static const struct node *md_conf_match(const struct node *want, const struct settle *s)
{
	const char *path = conf_path(s);
	struct node *have;

	if (target_hidden(s, path) || !text_eq(target_file(s, path), wanted_content(want, s, path)))
		return NULL;
	have = arena_of(s->arena, struct node);
	have->kind = want->kind;
	have->name = want->name;
	return have;
}

/* Which of two an mdadm reads depends on who built it. */
static void warn_of_other(const struct node *want, struct settle *s)
{
	const char *other = target_file(s, OTHER_PATH);

	if (!other || !target_file(s, CONF_PATH) || text_eq(other, wanted_content(want, s, OTHER_PATH)))
		return;
	diag_warn(s->diag, want->pos,
		  "the arrays' names are kept in %s, but there is %s as well, which doesn't have them; mdadm "
		  "reads one of the two: make one a link to the other",
		  target_path(s, CONF_PATH), target_path(s, OTHER_PATH));
}

static int md_conf_settle(struct node *want, struct settle *s)
{
	struct md_conf *c = (struct md_conf *)want;
	const char *path = conf_path(s);
	const struct node *hidden = target_hidden(s, path);

	warn_of_other(want, s);
	c->path = target_path(s, path);
	if (hidden) {
		diag_warn(s->diag, want->pos,
			  "%s is written when '%s' is mounted, which is there but not mounted yet: only "
			  "then can be seen what is in it",
			  c->path, hidden->name);
	} else if (!target_writable(s, path)) {
		diag_warn(s->diag, want->pos, "%s is not written: its filesystem isn't mounted", c->path);
	} else {
		c->content = wanted_content(want, s, path);
	}
	return 0;
}

/* Without its line an array comes up under another name, or waits for members that a time-out would have done without. */
static void md_conf_health(const struct node *want, const struct settle *s, struct why *why)
{
	const char *path = conf_path(s), *old = target_file(s, path);

	if (want->have || target_hidden(s, path))
		return;
	vec_each (const struct edge *, e, &want->below) {
		struct md_conf_line line;

		if (e->to->kind != &array_kind || !e->to->have)
			continue;
		line = line_of(e->to);
		if (old && text_eq(md_conf_merge(s->arena, old, &line, 1), old))
			continue;
		why_add(why, NULL, "it has no line that names '%s' by its UUID %s as %s", e->to->name,
			md_uuid_text(s->arena, line.uuid), line.dev);
		why_at(why, e->to->pos);
		why_is(why, WHY_MISSING);
	}
}

static int md_conf_create(struct steps *s, const struct node *want)
{
	const struct md_conf *c = (const struct md_conf *)want;
	struct step *st;

	if (!c->content)
		return 0;
	st = step_new(s, want, "write", "write %s, by which arrays keep their names", c->path);
	st->op.form = OP_FILE;
	st->op.path = c->path;
	st->op.content = c->content;
	st->op.mode = 0644;
	return 0;
}

static const char *md_conf_describe(struct arena *a, const struct node *n)
{
	size_t arrays = 0;

	vec_each (const struct edge *, e, &n->below)
		arrays += e->to->kind == &array_kind;
	return arena_printf(a, "names %zu array%s", arrays, arrays == 1 ? "" : "s");
}

int md_conf_finish(struct build *b)
{
	static const char *const above[] = { "/", "/etc", "/etc/mdadm" };
	struct graph *g = build_graph(b);
	struct node *conf = NULL;

	for (size_t i = 0, n = g->nodes.n; i < n; i++) {
		if (g->nodes.at[i]->kind != &array_kind)
			continue;
		if (!conf) {
			conf = build_node(b, &md_conf_kind, "mdadm.conf", NULL);
			conf->order = SIZE_MAX; /* files come last */
			conf->pos = g->nodes.at[i]->pos;
		}
		node_on(g, conf, g->nodes.at[i], g->nodes.at[i]->pos, false);
	}
	/* What is in the file depends on where it lies. */
	for (size_t i = 0, n = g->nodes.n; conf && i < n; i++)
		for (size_t k = 0; k < sizeof(above) / sizeof(*above); k++)
			if (fs_is(g->nodes.at[i]) && text_eq(fs_of(g->nodes.at[i])->item->mount, above[k]))
				node_on(g, conf, g->nodes.at[i], g->nodes.at[i]->pos, false);
	return 0;
}

const struct kind md_conf_kind = {
	.name = "mdadm.conf",
	.doc = "The file by which arrays keep their names when a machine starts.",
	.size = sizeof(struct md_conf),
	.match = md_conf_match,
	.settle = md_conf_settle,
	.health = md_conf_health,
	.create = md_conf_create,
	.describe = md_conf_describe,
};
