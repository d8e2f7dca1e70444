/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/uuid.h"

#include <errno.h>
#include <string.h>

#include <uuid/uuid.h>

#include "base/arena.h"

/* f464ab02-e633-4f21-8349-a904da2dc6b5, drawn once. To change it would change all UUIDs that layouts have
 * got. */
static const uuid_t name_space = { 0xf4, 0x64, 0xab, 0x02, 0xe6, 0x33, 0x4f, 0x21,
				   0x83, 0x49, 0xa9, 0x04, 0xda, 0x2d, 0xc6, 0xb5 };

struct uuid uuid_derive(const char *name)
{
	struct uuid u;

	uuid_generate_sha1(u.b, name_space, name, strlen(name));
	return u;
}

bool uuid_is_zero(struct uuid u)
{
	return uuid_eq(u, (struct uuid){ 0 });
}

bool uuid_eq(struct uuid a, struct uuid b)
{
	return memcmp(a.b, b.b, sizeof(a.b)) == 0;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

int uuid_read(const char *s, struct uuid *ret)
{
	struct uuid u;

	for (size_t i = 0; i < sizeof(u.b); i++) {
		int high, low;

		if ((i == 4 || i == 6 || i == 8 || i == 10) && *s++ != '-')
			return -EINVAL;
		high = hex_digit(s[0]);
		low = high < 0 ? -1 : hex_digit(s[1]);
		if (low < 0)
			return -EINVAL;
		u.b[i] = (uint8_t)(high << 4 | low);
		s += 2;
	}
	if (*s)
		return -EINVAL;
	*ret = u;
	return 0;
}

const char *uuid_text(struct arena *a, struct uuid u)
{
	const uint8_t *b = u.b;

	return arena_printf(a, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0],
			    b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13],
			    b[14], b[15]);
}
