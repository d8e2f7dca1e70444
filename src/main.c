/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <unistd.h>

#include "base/arena.h"
#include "command/command.h"

static const struct command check = {
	.name = "check",
	.words = "LAYOUT",
	.summary = "read a layout and say what is wrong with it; needs no machine",
	.options = "json",
	.run = command_check,
	.min_words = 1,
	.max_words = 1,
};

static const struct command probe = {
	.name = "probe",
	.words = "",
	.summary = "record what this machine's storage is",
	.options = "output root state",
	.run = command_probe,
};

static const struct command plan = {
	.name = "plan",
	.words = "LAYOUT",
	.summary = "show the way from what is there to what shall be; --show FILE shows a saved plan",
	.options = "machine root no-mount seed allow-loss format output exit-code state json verbose show "
		   "protected",
	.run = command_show_plan,
	.min_words = 1,
	.max_words = 1,
};

static const struct command apply = {
	.name = "apply",
	.words = "LAYOUT|PLAN",
	.summary = "show the plan, ask, and carry it out",
	.options = "root no-mount seed allow-loss yes jobs deadline state json verbose protected",
	.run = command_apply,
	.min_words = 1,
	.max_words = 1,
};

static const struct command fstab = {
	.name = "fstab",
	.words = "[LAYOUT]",
	.summary = "print fstab with UUIDs, or convert one with --convert FILE; --write replaces the file",
	.options = "machine root seed allow-loss write convert state json",
	.run = command_fstab,
	.max_words = 1,
};

static const struct command verify = {
	.name = "verify",
	.words = "LAYOUT",
	.summary = "say in what the machine isn't as the layout asks; changes nothing",
	.options = "machine root seed json",
	.run = command_verify,
	.min_words = 1,
	.max_words = 1,
};

static const struct command doc = {
	.name = "doc",
	.words = "[ROOM]",
	.summary = "the reference of the language",
	.options = "format output",
	.run = command_doc,
	.max_words = 1,
};

static const struct command schema = {
	.name = "schema",
	.words = "",
	.summary = "the JSON schema of the language, for editors",
	.options = "output",
	.run = command_schema,
};

const struct command *const commands[] = {
	&check, &probe, &plan, &apply, &fstab, &verify, &doc, &schema, NULL
};

/* Who starts us with one of the three closed shall not get our messages into a file, or a disk, that took its number. */
static void fill_standard(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= STDIN_FILENO && fd <= STDERR_FILENO);
	if (fd >= 0)
		(void)close(fd);
}

int main(int argc, char **argv)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct cli c = { .arena = a, .diag = { .arena = a } };
	const struct command *run = NULL;
	int r;

	fill_standard();
	r = command_parse(argc, argv, &c, &run);
	return run ? run->run(&c) : r;
}
