/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <libmount/libmount.h>
#include <string.h>

#include "run/op.h"

static void context_freep(struct libmnt_context **c)
{
	mnt_free_context(*c);
}

int op_mount(const struct op_job *j)
{
	__attribute__((cleanup(context_freep))) struct libmnt_context *c = mnt_new_context();
	const struct op *op = j->op;
	char why[1024] = "";
	int r, status;

	if (!c)
		return op_say("cannot use libmount: %s", strerror(errno));
	if (mnt_context_set_source(c, op->dev) || mnt_context_set_target(c, op->path) ||
	    (op->type && mnt_context_set_fstype(c, op->type)) ||
	    (op->options && mnt_context_set_options(c, op->options)))
		return op_say("libmount does not take %s on '%s' with the options '%s'", op->dev, op->path,
			      op->options ? op->options : "");
	r = mnt_context_mount(c);
	status = mnt_context_get_excode(c, r, why, sizeof(why));
	if (*why)
		(void)op_say("%s: %s", op->path, why);
	if (!status && mnt_context_get_status(c) == 1)
		return 0;
	return *why ? 1 : op_say("mounting %s on '%s' failed with %d", op->dev, op->path, status);
}
