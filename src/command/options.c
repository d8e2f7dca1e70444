/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "command/command.h"
#include "machine/machine.h"

enum {
	OPT_MACHINE = 256,
	OPT_ROOT,
	OPT_NO_MOUNT,
	OPT_SEED,
	OPT_ALLOW_LOSS,
	OPT_FORMAT,
	OPT_EXIT_CODE,
	OPT_JSON,
	OPT_YES,
	OPT_JOBS,
	OPT_DEADLINE,
	OPT_STATE,
	OPT_WRITE,
	OPT_CONVERT,
	OPT_SHOW,
	OPT_PROTECTED,
	OPT_OUTPUT = 'o',
	OPT_HELP = 'h',
	OPT_VERBOSE = 'v',
	OPT_VERSION = 'V',
};

struct option_text {
	struct option option;
	const char *value, *summary;
};

static const struct option_text table[] = {
	{ { "machine", required_argument, NULL, OPT_MACHINE },
	  "FILE",
	  "a recording instead of this machine" },
	{ { "root", required_argument, NULL, OPT_ROOT },
	  "DIR",
	  "where filesystems are mounted and whose etc/ gets the files; / if absent" },
	{ { "no-mount", no_argument, NULL, OPT_NO_MOUNT }, NULL, "mount nothing" },
	{ { "seed", required_argument, NULL, OPT_SEED },
	  "TEXT",
	  "what UUIDs are derived from; the layout's name if absent" },
	{ { "allow-loss", required_argument, NULL, OPT_ALLOW_LOSS },
	  "DISK",
	  "what is on DISK may be lost: its name in the layout, serial, WWN or path; repeatable" },
	{ { "format", required_argument, NULL, OPT_FORMAT },
	  "WORD",
	  "text, sh, json or dot; doc: text or scdoc" },
	{ { "output", required_argument, NULL, OPT_OUTPUT },
	  "FILE",
	  "write to FILE; plan without --format: a plan that apply takes" },
	{ { "exit-code", no_argument, NULL, OPT_EXIT_CODE }, NULL, "exit with 2 when changes are due" },
	{ { "json", no_argument, NULL, OPT_JSON }, NULL, "output and diagnostics as JSON" },
	{ { "verbose", no_argument, NULL, OPT_VERBOSE },
	  NULL,
	  "each step's command and reason; all objects where nothing is to do" },
	{ { "yes", no_argument, NULL, OPT_YES }, NULL, "don't ask" },
	{ { "jobs", required_argument, NULL, OPT_JOBS }, "N", "so many steps at once" },
	{ { "deadline", required_argument, NULL, OPT_DEADLINE }, "SECONDS", "end a step that takes longer" },
	{ { "state", required_argument, NULL, OPT_STATE },
	  "DIR",
	  "where the journal lies; /var/lib/stowage if absent" },
	{ { "write", no_argument, NULL, OPT_WRITE }, NULL, "replace the file instead of printing it" },
	{ { "convert", required_argument, NULL, OPT_CONVERT },
	  "FILE",
	  "an fstab whose device paths become UUIDs" },
	{ { "show", no_argument, NULL, OPT_SHOW }, NULL, "the word is a saved plan: show it" },
	{ { "protected", required_argument, NULL, OPT_PROTECTED },
	  "FILE",
	  "a list of disks that are never written to, beside " PROTECTED_FILE "; repeatable" },
	{ { "help", no_argument, NULL, OPT_HELP }, NULL, "this text" },
	{ { "version", no_argument, NULL, OPT_VERSION }, NULL, "the version" },
};

enum { MOST_SECONDS = 365 * 24 * 3600 };
enum { COUNT = sizeof(table) / sizeof(table[0]) };

static bool takes(const struct command *cmd, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = cmd->options; *p;) {
		size_t word = strcspn(p, " ");

		if (word == n && !strncmp(p, name, n))
			return true;
		p += word + (p[word] == ' ');
	}
	return !strcmp(name, "help") || !strcmp(name, "version");
}

static void print_option(const struct option_text *o)
{
	char left[40];

	(void)snprintf(left, sizeof(left), "%c%c%s--%s%s%s", o->option.val < 256 ? '-' : ' ',
		       o->option.val < 256 ? o->option.val : ' ', o->option.val < 256 ? ", " : "  ",
		       o->option.name, o->value ? " " : "", o->value ? o->value : "");
	printf("  %-22s %s\n", left, o->summary);
}

void command_usage(void)
{
	printf("stowage " STOWAGE_VERSION ": one file says what a machine's storage shall be\n\n");
	for (const struct command *const *cmd = commands; *cmd; cmd++)
		printf("  stowage %-7s %-12s %s\n", (*cmd)->name, (*cmd)->words, (*cmd)->summary);
	printf("\n`stowage COMMAND --help` lists the options of a command; stowage(1) and stowage-layout(5) "
	       "have it all.\n"
	       "Exit status: 0 done or nothing to do, 1 failed, 2 changes are due (plan --exit-code) or "
	       "the machine\n"
	       "differs (verify), 3 refused since something would be lost or is in use, 64 misuse.\n");
}

static void command_help(const struct command *cmd)
{
	printf("stowage %s%s%s%s: %s\n\n", cmd->name, *cmd->options ? " [OPTIONS]" : "",
	       *cmd->words ? " " : "", cmd->words, cmd->summary);
	for (size_t i = 0; i < COUNT; i++)
		if (takes(cmd, table[i].option.name) && table[i].option.val != OPT_VERSION)
			print_option(&table[i]);
}

static int misuse(const char *fmt, const char *word, const char *near)
{
	_cleanup_arena_ struct arena *a = arena_new();

	(void)fprintf(stderr, "stowage: ");
	(void)fprintf(stderr, fmt, text_safe(a, word));
	if (near)
		(void)fprintf(stderr, "; did you mean '%s'?", near);
	(void)fprintf(stderr, "\n`stowage --help` says what there is.\n");
	return EXIT_MISUSE;
}

static const struct command *find_command(const char *name, const char **ret_near)
{
	const char *names[16];
	size_t n = 0;

	for (; commands[n] && n < 16; n++) {
		names[n] = commands[n]->name;
		if (!strcmp(commands[n]->name, name))
			return commands[n];
	}
	*ret_near = text_nearest(name, names, n);
	return NULL;
}

/*
 * A directory as the kernel's mount table will call it: absolute, without links, dots and a slash at its end. What isn't there yet begins
 * with what is.
 */
static const char *clean_dir(struct arena *a, const char *dir)
{
	struct text t = { .arena = a };
	size_t n = strlen(dir);
	char *real;

	while (!(real = realpath(arena_strndup(a, dir, n), NULL)) && dir[0] == '/' && n > 1)
		while (n > 1 && dir[--n] != '/')
			;
	if (!real)
		return NULL;
	text_add(&t, strcmp(real, "/") != 0 || !dir[n] ? real : "");
	free(real);
	while (dir[n]) {
		size_t start = n + strspn(dir + n, "/"), len = strcspn(dir + start, "/");

		n = start + len;
		if ((len == 1 && dir[start] == '.') || !len)
			continue;
		if (len == 2 && !strncmp(dir + start, "..", 2))
			return NULL;
		text_addc(&t, '/');
		text_addn(&t, dir + start, len);
	}
	return t.len ? text_str(&t) : "/";
}

static int take(struct cli *c, int option, const char *value)
{
	char *end;
	unsigned long n;

	switch (option) {
	case OPT_MACHINE:
		c->machine = value;
		return 0;
	case OPT_ROOT:
		c->options.root = clean_dir(c->arena, value);
		return c->options.root
			       ? 0
			       : misuse("--root takes a directory's absolute path, not '%s'", value, NULL);
	case OPT_NO_MOUNT:
		c->options.mount = false;
		return 0;
	case OPT_SEED:
		c->options.seed = value;
		return 0;
	case OPT_ALLOW_LOSS:
		vec_push(c->arena, &c->options.allow_loss, value);
		return 0;
	case OPT_FORMAT:
		c->format = value;
		return 0;
	case OPT_EXIT_CODE:
		c->exit_code = true;
		return 0;
	case OPT_JSON:
		c->json = true;
		return 0;
	case OPT_VERBOSE:
		c->verbose = true;
		return 0;
	case OPT_YES:
		c->yes = true;
		return 0;
	case OPT_JOBS:
		n = strtoul(value, &end, 10);
		if (*end || end == value || n < 1 || n > 256 || *value == '-')
			return misuse("--jobs takes a number from 1 to 256, not '%s'", value, NULL);
		c->jobs = (unsigned)n;
		return 0;
	case OPT_DEADLINE:
		n = strtoul(value, &end, 10);
		if (*end || end == value || n < 1 || n > MOST_SECONDS || *value == '-')
			return misuse("--deadline takes seconds, from 1 to 31536000 (a year), not '%s'",
				      value, NULL);
		c->deadline_s = (unsigned)n;
		return 0;
	case OPT_STATE:
		c->state = value;
		return 0;
	case OPT_WRITE:
		c->write = true;
		return 0;
	case OPT_CONVERT:
		c->convert = value;
		return 0;
	case OPT_SHOW:
		c->show = true;
		return 0;
	case OPT_PROTECTED:
		vec_push(c->arena, &c->protected, value);
		return 0;
	case OPT_OUTPUT:
		c->output = value;
		return 0;
	default:
		return EXIT_MISUSE;
	}
}

static const char *nearest_option(struct arena *a, const struct command *cmd, const char *word)
{
	const char *names[COUNT], *near;
	size_t n = 0;

	for (size_t i = 0; i < COUNT; i++)
		if (takes(cmd, table[i].option.name))
			names[n++] = table[i].option.name;
	near = text_nearest(word + strspn(word, "-"), names, n);
	return near ? arena_printf(a, "--%s", near) : NULL;
}

int command_parse(int argc, char **argv, struct cli *c, const struct command **ret_run)
{
	struct option longs[COUNT + 1] = { 0 };
	const struct command *cmd;
	const char *near = NULL;
	const char *word;
	int opt, r;

	*ret_run = NULL;
	c->options.mount = true;
	if (argc < 2) {
		command_usage();
		return EXIT_MISUSE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		command_usage();
		return EXIT_DONE;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("stowage " STOWAGE_VERSION "\n");
		return EXIT_DONE;
	}
	cmd = find_command(argv[1], &near);
	if (!cmd)
		return misuse("'%s' is no command", argv[1], near);

	for (size_t i = 0; i < COUNT; i++)
		longs[i] = table[i].option;
	argv[1] = argv[0];
	opterr = 0;
	while ((opt = getopt_long(argc - 1, argv + 1, ":o:hv", longs, NULL)) != -1) {
		const char *name = NULL;

		if (opt == ':')
			return misuse("%s lacks its value", argv[optind], NULL);
		if (opt == '?') {
			word = argv[optind];
			return misuse("'%s' is no option", word, nearest_option(c->arena, cmd, word));
		}
		for (size_t i = 0; i < COUNT; i++)
			if (table[i].option.val == opt)
				name = table[i].option.name;
		if (opt == OPT_HELP) {
			command_help(cmd);
			return EXIT_DONE;
		}
		if (!takes(cmd, name))
			return misuse("this command has no option --%s", name, NULL);
		r = take(c, opt, optarg);
		if (r)
			return r;
	}
	for (int i = optind + 1; i < argc; i++)
		vec_push(c->arena, &c->words, argv[i]);
	if (c->words.n < cmd->min_words)
		return misuse("%s is missing", cmd->words, NULL);
	if (c->words.n > cmd->max_words)
		return misuse("'%s' is one word too many", c->words.at[cmd->max_words], NULL);
	*ret_run = cmd;
	return 0;
}
