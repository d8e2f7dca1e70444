/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "command/command.h"
#include "machine/machine.h"

bool command_color(FILE *f)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fileno(f)) && !(no && *no) && !(term && !strcmp(term, "dumb"));
}

int command_print(struct cli *c, const char *text)
{
	const char *file = c->output && strcmp(c->output, "-") != 0 ? c->output : NULL;
	FILE *f = file ? fopen(file, "we") : stdout;
	bool ok;

	if (!f)
		return diag_error(&c->diag, nowhere, "can't write '%s': %s", file, strerror(errno));
	ok = fputs(text, f) != EOF;
	ok = (file ? fclose(f) : fflush(f)) == 0 && ok;
	return ok ? 0
		  : diag_error(&c->diag, nowhere, "can't write %s: %s", c->output ? c->output : "the output",
			       strerror(errno));
}

int command_end(struct cli *c)
{
	(void)fflush(stdout);
	if (c->json && c->diag.messages.n)
		diag_print_json(&c->diag, stderr);
	else
		diag_print(&c->diag, stderr, command_color(stderr));
	return diag_exit(&c->diag);
}

int command_machine(struct cli *c, struct machine **ret)
{
	if (c->machine)
		return machine_read_file(c->arena, c->machine, &c->diag, ret);
	return machine_read_live(c->arena, c->options.root, c->state, &c->diag, ret);
}

int command_protect(struct cli *c, struct machine *m)
{
	int r = 0;

	vec_each (const char *const *, file, &c->protected)
		if (machine_protect(m, *file, &c->diag) < 0)
			r = -EINVAL;
	return r;
}
