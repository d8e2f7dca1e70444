/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct arena;

/* A UUID in the byte order of RFC 4122. All zero: none. */
struct uuid {
	uint8_t b[16];
};

/** uuid_derive() - name-based (RFC 4122 version 5), in the project's own name space. @name: e.g. seed, disks
 * and object. */
struct uuid uuid_derive(const char *name);

bool uuid_is_zero(struct uuid u);
bool uuid_eq(struct uuid a, struct uuid b);

/** uuid_read() - any case, 8-4-4-4-12. Return: 0 or -EINVAL. */
int uuid_read(const char *s, struct uuid *ret);

/** uuid_text() - lower case, 8-4-4-4-12. */
const char *uuid_text(struct arena *a, struct uuid u);
