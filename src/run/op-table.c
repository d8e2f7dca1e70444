/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libfdisk/libfdisk.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "run/lock.h"
#include "run/op.h"

static void context_freep(struct fdisk_context **c)
{
	fdisk_unref_context(*c);
}

static void script_freep(struct fdisk_script **s)
{
	fdisk_unref_script(*s);
}

static void table_freep(struct fdisk_table **t)
{
	fdisk_unref_table(*t);
}

static void partition_freep(struct fdisk_partition **p)
{
	fdisk_unref_partition(*p);
}

static void filep_close(FILE **f)
{
	if (*f)
		(void)fclose(*f);
}

#define _cleanup_(fn) __attribute__((cleanup(fn)))

/* libfdisk's dialogs: what it tells becomes our last words, what it asks gets no answer. */
static int ask(struct fdisk_context *c, struct fdisk_ask *question, void *data)
{
	(void)c;
	(void)data;
	switch ((enum fdisk_asktype)fdisk_ask_get_type(question)) {
	case FDISK_ASKTYPE_INFO:
		(void)printf("%s\n", fdisk_ask_print_get_mesg(question));
		return 0;
	case FDISK_ASKTYPE_WARNX:
		(void)op_say("%s", fdisk_ask_print_get_mesg(question));
		return 0;
	case FDISK_ASKTYPE_WARN:
		(void)op_say("%s: %s", fdisk_ask_print_get_mesg(question),
			     strerror(fdisk_ask_print_get_errno(question)));
		return 0;
	case FDISK_ASKTYPE_NONE:
	case FDISK_ASKTYPE_NUMBER:
	case FDISK_ASKTYPE_OFFSET:
	case FDISK_ASKTYPE_YESNO:
	case FDISK_ASKTYPE_STRING:
	case FDISK_ASKTYPE_MENU:
		break;
	}
	(void)op_say("libfdisk asks: %s",
		     fdisk_ask_get_query(question) ? fdisk_ask_get_query(question) : "?");
	return -EINVAL;
}

static bool same_type(struct fdisk_partition *a, struct fdisk_partition *b)
{
	struct fdisk_parttype *s = fdisk_partition_get_type(a), *t = fdisk_partition_get_type(b);
	const char *x, *y;

	if (!s || !t)
		return !s;
	x = fdisk_parttype_get_string(s);
	y = fdisk_parttype_get_string(t);
	if (x || y)
		return x && y && !strcasecmp(x, y);
	return fdisk_parttype_get_code(s) == fdisk_parttype_get_code(t);
}

/* What the script states and what libfdisk has made of it, before anything is written: it rounds, cuts and shrinks without a word. */
static int compare_one(struct fdisk_partition *want, struct fdisk_partition *got, size_t number)
{
	const char *name = fdisk_partition_get_name(want), *has_name = fdisk_partition_get_name(got);
	const char *uuid = fdisk_partition_get_uuid(want), *has_uuid = fdisk_partition_get_uuid(got);

	if (!fdisk_partition_has_start(want) || !fdisk_partition_has_size(want))
		return op_say("partition %zu: the plan states no start or no size", number);
	if (!fdisk_partition_has_start(got) ||
	    fdisk_partition_get_start(got) != fdisk_partition_get_start(want) ||
	    fdisk_partition_get_size(got) != fdisk_partition_get_size(want))
		return op_say("partition %zu would have %" PRIu64 " sectors from %" PRIu64
			      " instead of %" PRIu64 " from %" PRIu64,
			      number, fdisk_partition_get_size(got), fdisk_partition_get_start(got),
			      fdisk_partition_get_size(want), fdisk_partition_get_start(want));
	if (name && !text_eq(name, has_name ? has_name : ""))
		return op_say("partition %zu would be called '%s' instead of '%s'", number,
			      has_name ? has_name : "", name);
	if (uuid && (!has_uuid || strcasecmp(uuid, has_uuid) != 0))
		return op_say("partition %zu would have the UUID %s instead of %s", number,
			      has_uuid ? has_uuid : "(none)", uuid);
	if (!same_type(want, got))
		return op_say("partition %zu would have another type than the plan says", number);
	return 0;
}

static int compare(struct fdisk_context *c, struct fdisk_script *script)
{
	struct fdisk_table *want = fdisk_script_get_table(script);
	_cleanup_(table_freep) struct fdisk_table *got = NULL;
	size_t n = want ? fdisk_table_get_nents(want) : 0, has;

	if (fdisk_get_partitions(c, &got))
		return op_say("cannot read the new table back");
	has = fdisk_table_get_nents(got);
	if (has != n)
		return op_say("the new table would have %zu partitions instead of %zu", has, n);
	for (size_t i = 0; i < n; i++) {
		struct fdisk_partition *pa = fdisk_table_get_partition(want, i);
		size_t number = fdisk_partition_has_partno(pa) ? fdisk_partition_get_partno(pa) : i;
		_cleanup_(partition_freep) struct fdisk_partition *made = NULL;
		int r;

		if (fdisk_get_partition(c, number, &made) || !fdisk_partition_is_used(made))
			return op_say("partition %zu would be missing", number + 1);
		r = compare_one(pa, made, number + 1);
		if (r)
			return r;
		/* Old content at the new starts goes before the kernel shows it to anybody. */
		(void)fdisk_wipe_partition(c, number, 1);
	}
	return 0;
}

static int is_idle(const char *dev)
{
	_cleanup_fd_ int fd = open(dev, O_RDONLY | O_CLOEXEC | O_EXCL);

	return fd < 0 ? op_say("cannot open %s: %s", dev, errno == EBUSY ? "it is in use" : strerror(errno))
		      : 0;
}

static int read_script(struct fdisk_context *c, const char *text, struct fdisk_script **ret)
{
	_cleanup_(filep_close) FILE *f = fmemopen((void *)text, strlen(text), "r");
	_cleanup_(script_freep) struct fdisk_script *script = fdisk_new_script(c);
	int r;

	if (!f || !script)
		return op_say("cannot read the script: %s", strerror(errno));
	r = fdisk_script_read_file(script, f);
	if (r) /* what stands before the bad line is there, and applying that would succeed */
		return op_say("libfdisk does not understand line %d of the script",
			      fdisk_script_get_nlines(script));
	*ret = script;
	script = NULL;
	return 0;
}

int op_table(const struct op_job *j)
{
	_cleanup_fd_ int lock = j->lock ? lock_block(j->lock) : -1;
	_cleanup_(table_freep) struct fdisk_table *before = NULL;
	_cleanup_(script_freep) struct fdisk_script *script = NULL;
	_cleanup_(context_freep) struct fdisk_context *c = NULL;
	int r;

	if (j->lock && lock < 0)
		return op_say("cannot lock %s: %s", j->lock, strerror(-lock));
	if (is_idle(j->op->dev))
		return 1;
	c = fdisk_new_context();
	if (!c || fdisk_set_ask(c, ask, NULL))
		return op_say("cannot use libfdisk: %s", strerror(errno));
	r = fdisk_assign_device(c, j->op->dev, 0);
	if (r)
		return op_say("cannot open %s: %s", j->op->dev, strerror(-r));
	/* Nothing in libfdisk stops a write to a disk whose partitions are mounted. */
	if (fdisk_device_is_used(c))
		return op_say("%s is in use", j->op->dev);
	/* What the kernel has now, for fdisk_reread_changes(). */
	if (fdisk_has_label(c) ? fdisk_get_partitions(c, &before) : !(before = fdisk_new_table()))
		return op_say("cannot read the table that %s has", j->op->dev);
	if (fdisk_enable_wipe(c, 1))
		return op_say("cannot make libfdisk wipe %s", j->op->dev);
	r = read_script(c, j->op->script, &script);
	if (r)
		return r;
	r = fdisk_apply_script(c, script);
	if (r)
		return op_say("libfdisk cannot make this table on %s: %s", j->op->dev, strerror(-r));
	r = compare(c, script);
	if (r)
		return r;
	r = fdisk_write_disklabel(c);
	if (r)
		return op_say("cannot write the table of %s: %s", j->op->dev, strerror(-r));
	/* Each partition by itself: BLKRRPART for the whole disk is what udevd does anyway, once we have closed it. */
	r = fdisk_reread_changes(c, before);
	if (r)
		return op_say("%s has its new table, but the kernel does not take it: %s", j->op->dev,
			      strerror(-r));
	r = fdisk_deassign_device(c, 0);
	return r ? op_say("cannot close %s: %s", j->op->dev, strerror(-r)) : 0;
}
