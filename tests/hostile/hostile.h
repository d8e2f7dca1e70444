/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct arena;

/*
 * One layout and one machine with a place for every text that comes from outside. Texts go into places; the layout is planned, and all that
 * comes out is held against what went in.
 */
enum hostile_place {
	/* words of the layout */
	HOSTILE_LAYOUT_NAME,
	HOSTILE_DISK,
	HOSTILE_PARTITION,
	HOSTILE_ARRAY,
	HOSTILE_GROUP,
	HOSTILE_VOLUME,
	HOSTILE_PATTERN, /* that a disk's model has to match */
	HOSTILE_LABEL,
	HOSTILE_MOUNT = HOSTILE_LABEL + 5, /* of each filesystem, in the order of hostile_types */
	HOSTILE_OPTION = HOSTILE_MOUNT + 5,
	HOSTILE_MKFS = HOSTILE_OPTION + 5,
	/* words of the command line */
	HOSTILE_FILE = HOSTILE_MKFS + 5, /* the layout's name */
	HOSTILE_RECORDING,               /* the recording's */
	HOSTILE_ROOT,                    /* one directory in --root */
	HOSTILE_SEED,
	/* of the machine */
	HOSTILE_MODEL,
	HOSTILE_SERIAL,
	HOSTILE_WWN,
	HOSTILE_LINK,
	HOSTILE_THERE_LABEL, /* of a filesystem that is there */
	HOSTILE_THERE_MOUNT,
	HOSTILE_FSTAB,
	HOSTILE_MDADM_CONF,
	HOSTILE_PLACES,
};

extern const char *const hostile_place_names[HOSTILE_PLACES];

/** hostile_is_layout() - whether a place is one in the layout: then a refusal has to name its line. */
bool hostile_is_layout(enum hostile_place place);

enum hostile_verdict {
	HOSTILE_REFUSED, /* with a message, at a line where the place is in the layout */
	HOSTILE_CARRIED, /* through everything, exactly */
	HOSTILE_WRONG,
};

/**
 * hostile_try() - plans with these texts, and looks at everything that comes out of it
 * @texts: HOSTILE_PLACES of them; NULL: a harmless one
 * @ret_why: what is wrong where it is HOSTILE_WRONG, else the message of the refusal; in @a
 */
enum hostile_verdict hostile_try(struct arena *a, const char *const *texts, const char **ret_why);
