/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

#include "base/diag.h"
#include "base/text.h"
#include "plan/settle.h"

struct arena;
struct layout;
struct machine;
struct plan;

/* Exit statuses, as promised in stowage(1). */
enum {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_CHANGES = 2, /* plan --exit-code; verify: it differs */
	EXIT_REFUSED = 3,
	EXIT_MISUSE = 64,
};

/* What may stand on the command line. A command names those that it takes. */
struct cli {
	struct arena *arena;
	struct diag diag;
	text_list words;     /* without options */
	const char *machine; /* recording, NULL: this machine */
	const char *output;  /* NULL: standard output */
	const char *format;
	const char *state;
	const char *convert; /* the fstab to convert */
	text_list protected; /* further lists of protected disks */
	struct plan_options options;
	unsigned jobs, deadline_s; /* 0: what is usual */
	bool exit_code, yes, write, json, show, verbose;
};

struct command {
	const char *name, *words, *summary;
	const char *options; /* names of the options that it takes, separated by blanks */
	int (*run)(struct cli *c);
	unsigned min_words, max_words;
};

extern const struct command *const commands[]; /* ends with NULL */

/** command_parse() - the command line. Return: 0, or the exit status after a message. *@ret_run: NULL when all is said (--help). */
int command_parse(int argc, char **argv, struct cli *c, const struct command **ret_run);

/** command_usage() - what a person may type, to standard output. */
void command_usage(void);

/** command_print() - to the file that -o names, or standard output. Return: 0 or -errno after diag_error(). */
int command_print(struct cli *c, const char *text);

/** command_end() - says what there is to say (as JSON with --json) and gives the exit status. */
int command_end(struct cli *c);

/** command_machine() - the machine that the command is about: the recording that --machine names, else this one. */
int command_machine(struct cli *c, struct machine **ret);

/** command_protect() - adds the lists that --protected names to a machine. Return: 0, or -errno after diag_error(). */
int command_protect(struct cli *c, struct machine *m);

/** command_plan() - the plan for the layout (or the saved plan) that the first word names. As plan_make(). */
int command_plan(struct cli *c, struct plan **ret);

/** command_peek() - looks where the plan would put something on disks of @m that look blank. Return: how much was found that wasn't known. */
size_t command_peek(struct cli *c, const struct plan *p, struct machine *m);

/** command_plan_for() - the plan for a machine; of the live one, disks that look blank are looked at where it would put something, too. As plan_make(). */
int command_plan_for(struct cli *c, const struct layout *l, struct machine *m, const struct plan_options *o,
		     struct plan **ret);

/** command_color() - whether a stream shows colours: a terminal, and NO_COLOR isn't set. */
bool command_color(FILE *f);

int command_check(struct cli *c);
int command_probe(struct cli *c);
int command_show_plan(struct cli *c);
int command_apply(struct cli *c);
int command_fstab(struct cli *c);
int command_verify(struct cli *c);
int command_doc(struct cli *c);
int command_schema(struct cli *c);
