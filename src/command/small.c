/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "command/command.h"
#include "graph/node.h"
#include "layout/doc.h"
#include "layout/layout.h"
#include "layout/schema.h"
#include "machine/machine.h"

int command_check(struct cli *c)
{
	struct layout *l = NULL;
	struct graph *want;
	int r;

	/* What names mean is looked at beside mistakes too: all are told in one run. */
	(void)layout_read(c->arena, c->words.at[0], &c->diag, &l);
	if (l)
		(void)layout_build(c->arena, l, &c->diag, &want);
	/* Here the messages are the output: an editor reads them as JSON from standard output. */
	if (c->json) {
		diag_print_json(&c->diag, stdout);
		return diag_exit(&c->diag);
	}
	r = command_end(c);
	if (!r)
		printf("%s: no mistakes\n", text_safe(c->arena, c->words.at[0]));
	return r;
}

int command_probe(struct cli *c)
{
	struct machine *m;

	if (command_machine(c, &m) == 0) {
		if (m->protected_why)
			diag_warn(&c->diag, nowhere,
				  "the list of protected disks, " PROTECTED_FILE ", can't be read: %s",
				  m->protected_why);
		(void)command_print(c, machine_write(m, c->arena));
	}
	return command_end(c);
}

int command_doc(struct cli *c)
{
	const char *text = NULL;

	if (c->format && !strcmp(c->format, "scdoc"))
		text = layout_doc_scdoc(c->arena);
	else if (!c->format || !strcmp(c->format, "text"))
		text = layout_doc(c->arena, c->words.n ? c->words.at[0] : NULL, &c->diag);
	else {
		(void)fprintf(stderr, "stowage: --format is text or scdoc, not '%s'\n",
			      text_safe(c->arena, c->format));
		return EXIT_MISUSE;
	}
	if (text)
		(void)command_print(c, text);
	return command_end(c);
}

int command_schema(struct cli *c)
{
	(void)command_print(c, layout_schema(c->arena));
	return command_end(c);
}
