/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct arena;

enum { SECTOR = 512 }; /* the unit of sysfs, mdadm and LVM, whatever the disk's own sector is */

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define TIB (UINT64_C(1) << 40)

/* How a layout states a size. */
enum size_form {
	SIZE_NONE = 0, /* nothing stated */
	SIZE_BYTES,    /* .bytes */
	SIZE_PERCENT,  /* .ppm of what holds it */
	SIZE_REST,     /* all that is left */
	SIZE_RANGE,    /* .min to .max, bytes; max UINT64_MAX where not stated */
};

struct size_want {
	enum size_form form;
	uint64_t bytes;
	uint32_t ppm; /* 1% is 10000; so 33.3333% is exact to a hundredth of a thousandth */
	uint64_t min, max;
};

/**
 * units_parse_bytes() - "512M", "1.5T", "10 GiB", "500GB", "2048s", "1048576"
 * K M G T P E and KiB..EiB are powers of 1024, kB/KB..EB powers of 1000, s is 512 bytes, B and no unit bytes.
 * Spaces may stand between number and unit, nothing before and behind. No sign, no exponent, a digit before a
 * point. A fraction is exact or refused (1.5T is fine, 0.3K is not a whole number of bytes: refused).
 * @ret_why: set on failure alone to a sentence fragment in @a, naming the right form where the mistake is
 * known (512m, 512mib).
 *
 * Return: 0, or -EINVAL (not a size), -ERANGE (more than 64 bits).
 */
int units_parse_bytes(struct arena *a, const char *s, uint64_t *ret, const char **ret_why);

/**
 * units_parse_size() - the scalar forms of a size: bytes as above, "25%", "33.3%", "rest"
 * Percent over 100, 0 or with more than 4 decimals: refused.
 * @ret_why: as above
 *
 * Return: as above; what @ret->form does not use is 0.
 */
int units_parse_size(struct arena *a, const char *s, struct size_want *ret, const char **ret_why);

/**
 * units_text() - for people
 * Return: exact in the largest binary unit that divides it ("512 MiB", "1536 GiB", "0 B"); where that would
 * be a number of more than four digits, two decimals, rounded to the nearest ("1.82 TiB").
 */
const char *units_text(struct arena *a, uint64_t bytes);

/** units_exact() - for people who check: "1.82 TiB (1999844147200 bytes)"; plain units_text() where that is
 * exact already. */
const char *units_exact(struct arena *a, uint64_t bytes);

/**
 * units_size_text() - a size as a layout would state it
 * Return: "25%", "rest", "512 MiB", "10 GiB to 20 GiB", "10 GiB or more", "up to 20 GiB", "any size"; "no
 * size" for SIZE_NONE.
 */
const char *units_size_text(struct arena *a, const struct size_want *w);

/** units_align_up() - @unit: any number but 0. Return: 0 where it would pass UINT64_MAX. */
static inline uint64_t units_align_up(uint64_t n, uint64_t unit)
{
	uint64_t rest = n % unit;

	if (!rest)
		return n;
	return n > UINT64_MAX - (unit - rest) ? 0 : n + (unit - rest);
}

static inline uint64_t units_align_down(uint64_t n, uint64_t unit)
{
	return n - n % unit;
}

static inline bool units_is_power_of_two(uint64_t n)
{
	return n && !(n & (n - 1));
}

/**
 * units_percent() - floor(@whole * @ppm / 1000000) without overflow on the way
 *
 * Return: UINT64_MAX where the result would pass it, as only a @ppm over 1000000 (100%) can do.
 */
uint64_t units_percent(uint64_t whole, uint32_t ppm);

/** units_lcm() - least common multiple; 0 counts as 1. Return: 0 where it would pass UINT64_MAX. */
uint64_t units_lcm(uint64_t a, uint64_t b);
