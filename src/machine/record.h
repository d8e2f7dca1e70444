/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a struct of the machine is written down: one table serves the writer and the reader. */
enum field_form {
	FIELD_END = 0,
	FIELD_TEXT,  /* const char *: any text without NUL */
	FIELD_NAME,  /* const char *: a kernel name */
	FIELD_PATH,  /* const char *: absolute, no control characters */
	FIELD_PLACE, /* const char *: absolute; what others have made, so any characters */
	FIELD_BOOL,  /* bool */
	FIELD_UINT,  /* unsigned */
	FIELD_U32,   /* uint32_t */
	FIELD_BYTES, /* uint64_t */
	FIELD_NAMES, /* text_list of kernel names */
	FIELD_PATHS, /* text_list of paths */
	FIELD_LIST,  /* a VEC of structs of .size bytes with .fields */
};

struct field {
	const char *name;
	enum field_form form;
	size_t offset;
	bool need;                 /* else: left out where it is empty, 0 or false */
	bool always;               /* written even then */
	uint64_t max;              /* FIELD_UINT, FIELD_U32, FIELD_BYTES */
	uint64_t unit;             /* FIELD_BYTES: a multiple of this; 0: any */
	const char *const *one_of; /* FIELD_TEXT; ends with NULL */
	const struct field *fields;
	size_t size;
};

/* Every VEC has the layout of this one; read and written by memcpy(), since its type is another. */
struct any_list {
	void *at;
	size_t n, room;
};

extern const struct field record_device[], record_mount[], record_swap[], record_protected[], record_drawn[];
