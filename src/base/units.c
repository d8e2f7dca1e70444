/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/text.h"

enum { MAX_DECIMALS = 18 }; /* 10 to this power fits in 64 bits */

enum { WHOLE_PPM = 1000000, PERCENT_PPM = 10000, PERCENT_DECIMALS = 4 };

static const struct unit {
	const char *name;
	uint64_t bytes;
} units[] = {
	{ "", 1 },
	{ "B", 1 },
	{ "s", SECTOR },
	{ "K", KIB },
	{ "M", MIB },
	{ "G", GIB },
	{ "T", TIB },
	{ "P", TIB << 10 },
	{ "E", TIB << 20 },
	{ "KiB", KIB },
	{ "MiB", MIB },
	{ "GiB", GIB },
	{ "TiB", TIB },
	{ "PiB", TIB << 10 },
	{ "EiB", TIB << 20 },
	{ "kB", UINT64_C(1000) },
	{ "KB", UINT64_C(1000) },
	{ "MB", UINT64_C(1000000) },
	{ "GB", UINT64_C(1000000000) },
	{ "TB", UINT64_C(1000000000000) },
	{ "PB", UINT64_C(1000000000000000) },
	{ "EB", UINT64_C(1000000000000000000) },
};

/* Wrong words whose meaning is plain, beside wrong case. */
static const struct mistake {
	const char *word, *meant;
} mistakes[] = {
	{ "Ki", "KiB" }, { "Mi", "MiB" }, { "Gi", "GiB" },  { "Ti", "TiB" },   { "Pi", "PiB" },
	{ "Ei", "EiB" }, { "byte", "B" }, { "bytes", "B" }, { "sector", "s" }, { "sectors", "s" },
};

/* "1.5 T" taken apart. */
struct number {
	const char *whole, *decimals, *unit;
	size_t whole_count, decimal_count;
};

static const char digits[] = "0123456789";

static bool take_apart(const char *s, struct number *n)
{
	*n = (struct number){ .whole = s, .whole_count = strspn(s, digits) };
	s += n->whole_count;
	if (!n->whole_count)
		return false;
	if (*s == '.') {
		n->decimals = ++s;
		n->decimal_count = strspn(s, digits);
		s += n->decimal_count;
		if (!n->decimal_count)
			return false;
	}
	n->unit = s + strspn(s, " ");
	return *n->unit || n->unit == s; /* no blanks at the end */
}

static const struct unit *find_unit(const char *name)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strcmp(name, units[i].name) == 0)
			return &units[i];
	return NULL;
}

static const char *meant_unit(const char *name)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strcasecmp(name, units[i].name) == 0)
			return units[i].name;
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++)
		if (strcasecmp(name, mistakes[i].word) == 0)
			return mistakes[i].meant;
	return NULL;
}

/* Why the text is no number with something behind it. */
static const char *why_no_number(struct arena *a, const char *s)
{
	struct number n;

	if (!*s)
		return "it is empty; write a size like 512M, 1.5T or 500GB";
	if (*s == '-' && take_apart(s + 1, &n))
		return arena_printf(a, "'%s' is negative, which no size is", s);
	if (*s == '+' && take_apart(s + 1, &n))
		return arena_printf(a, "'%s' has a sign; did you mean %s?", s, s + 1);
	if (*s == '.' && s[1] >= '0' && s[1] <= '9')
		return arena_printf(a, "'%s' has no digit before the point; did you mean 0%s?", s, s);
	return arena_printf(a, "'%s' is not a size; write it like 512M, 1.5T or 500GB", s);
}

static const char *why_no_unit(struct arena *a, const char *s, const struct number *n)
{
	const char *meant = meant_unit(n->unit);

	if (meant)
		return arena_printf(a, "'%s' has no unit that stowage knows; did you mean %.*s%s?", s,
				    (int)(n->unit - s), s, meant);
	if (strcmp(n->unit, "%") == 0)
		return arena_printf(a, "'%s' is a percentage, but it takes a number of bytes here, like 512M",
				    s);
	if (*n->unit == ',' && n->unit[1] >= '0' && n->unit[1] <= '9')
		return arena_printf(a, "'%s' has a comma; decimals stand behind a point, like 1.5T", s);
	for (const char *p = n->unit; *p; p++)
		if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z')))
			return why_no_number(a, s);
	return arena_printf(
		a,
		"'%s' has no unit that stowage knows; those are K M G T P E, KiB to EiB, kB to EB, B and s",
		s);
}

/* Decimal digits as a number. Return: false past 64 bits. */
static bool read_digits(const char *s, size_t n, uint64_t *ret)
{
	uint64_t r = 0;

	for (size_t i = 0; i < n; i++)
		if (__builtin_mul_overflow(r, 10, &r) ||
		    __builtin_add_overflow(r, (uint64_t)(s[i] - '0'), &r))
			return false;
	*ret = r;
	return true;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The decimals of a number as whole bytes. Return: false where there is no such number. */
static bool read_decimals(const struct number *n, uint64_t unit, uint64_t *ret)
{
	size_t count = n->decimal_count;
	uint64_t part = 0, power = 1, common;

	while (count && n->decimals[count - 1] == '0')
		count--;
	if (count > MAX_DECIMALS)
		return false; /* no unit has that many twos and fives in it */
	for (size_t i = 0; i < count; i++) {
		part = part * 10 + (uint64_t)(n->decimals[i] - '0');
		power *= 10;
	}
	common = gcd(unit, power);
	if (part % (power / common))
		return false;
	*ret = part / (power / common) * (unit / common); /* below unit, as part is below power */
	return true;
}

int units_parse_bytes(struct arena *a, const char *s, uint64_t *ret, const char **ret_why)
{
	const struct unit *unit;
	struct number n;
	uint64_t whole, part;

	if (!take_apart(s, &n)) {
		*ret_why = why_no_number(a, s);
		return -EINVAL;
	}
	unit = find_unit(n.unit);
	if (!unit) {
		*ret_why = why_no_unit(a, s, &n);
		return -EINVAL;
	}
	if (!read_decimals(&n, unit->bytes, &part)) {
		*ret_why = arena_printf(a, "'%s' is not a whole number of bytes", s);
		return -EINVAL;
	}
	if (!read_digits(n.whole, n.whole_count, &whole) ||
	    __builtin_mul_overflow(whole, unit->bytes, &whole) ||
	    __builtin_add_overflow(whole, part, &whole)) {
		*ret_why = arena_printf(a, "'%s' is too large; sizes have to stay below 16E", s);
		return -ERANGE;
	}
	*ret = whole;
	return 0;
}

static int parse_percent(struct arena *a, const char *s, const struct number *n, uint32_t *ret,
			 const char **ret_why)
{
	uint64_t whole, part = 0;

	if (n->decimal_count > PERCENT_DECIMALS) {
		*ret_why = arena_printf(a, "'%s' has more than %d decimals", s, (int)PERCENT_DECIMALS);
		return -EINVAL;
	}
	for (size_t i = 0; i < PERCENT_DECIMALS; i++)
		part = part * 10 + (i < n->decimal_count ? (uint64_t)(n->decimals[i] - '0') : 0);
	if (!read_digits(n->whole, n->whole_count, &whole) || whole > 100 ||
	    whole * PERCENT_PPM + part > WHOLE_PPM) {
		*ret_why = arena_printf(a, "'%s' is more than there is; a percentage goes up to 100%%", s);
		return -EINVAL;
	}
	if (!whole && !part) {
		*ret_why = arena_printf(a, "'%s' would be of no size; a percentage has to be above 0%%", s);
		return -EINVAL;
	}
	*ret = (uint32_t)(whole * PERCENT_PPM + part);
	return 0;
}

int units_parse_size(struct arena *a, const char *s, struct size_want *ret, const char **ret_why)
{
	struct size_want w = { 0 };
	struct number n;
	int r;

	if (strcmp(s, "rest") == 0) {
		w.form = SIZE_REST;
	} else if (strcasecmp(s, "rest") == 0) {
		*ret_why = arena_printf(a, "'%s' is not a size; did you mean rest?", s);
		return -EINVAL;
	} else if (take_apart(s, &n) && strcmp(n.unit, "%") == 0) {
		r = parse_percent(a, s, &n, &w.ppm, ret_why);
		if (r)
			return r;
		w.form = SIZE_PERCENT;
	} else {
		r = units_parse_bytes(a, s, &w.bytes, ret_why);
		if (r)
			return r;
		w.form = SIZE_BYTES;
	}
	*ret = w;
	return 0;
}

static const char *const binary[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };

enum { BINARY_COUNT = sizeof(binary) / sizeof(*binary), LONGEST_COUNT = 9999 };

static const char *size_text(struct arena *a, uint64_t bytes, bool *ret_exact)
{
	unsigned i = 0, top = 0, drop;
	uint64_t unit, rest, hundredths;

	*ret_exact = true;
	while (i + 1 < BINARY_COUNT && bytes && bytes % (UINT64_C(1) << 10 * (i + 1)) == 0)
		i++;
	if (bytes >> 10 * i <= LONGEST_COUNT)
		return arena_printf(a, "%" PRIu64 " %s", bytes >> 10 * i, binary[i]);

	while (top + 1 < BINARY_COUNT && bytes >> 10 * (top + 1))
		top++;
	for (;;) {
		unit = UINT64_C(1) << 10 * top;
		rest = bytes % unit;
		drop = top == BINARY_COUNT - 1 ? 10 : 0; /* of an EiB, so that the product fits */
		hundredths = ((rest >> drop) * 100 + (unit >> drop) / 2) / (unit >> drop);
		if (hundredths < 100 || bytes / unit != 1023 || top + 1 == BINARY_COUNT)
			break;
		top++; /* not "1024.00 KiB" */
	}
	*ret_exact = (rest * 100) % unit ==
		     0; /* holds also where the product wraps: the unit divides 2 to the 64th */
	return arena_printf(a, "%" PRIu64 ".%02" PRIu64 " %s", bytes / unit + hundredths / 100,
			    hundredths % 100, binary[top]);
}

const char *units_text(struct arena *a, uint64_t bytes)
{
	bool exact;

	return size_text(a, bytes, &exact);
}

const char *units_exact(struct arena *a, uint64_t bytes)
{
	bool exact;
	const char *s = size_text(a, bytes, &exact);

	return exact ? s : arena_printf(a, "%s (%" PRIu64 " bytes)", s, bytes);
}

static const char *percent_text(struct arena *a, uint32_t ppm)
{
	unsigned decimals = PERCENT_DECIMALS;
	uint32_t part = ppm % PERCENT_PPM;

	if (!part)
		return arena_printf(a, "%" PRIu32 "%%", ppm / PERCENT_PPM);
	for (; part % 10 == 0; part /= 10)
		decimals--;
	return arena_printf(a, "%" PRIu32 ".%0*" PRIu32 "%%", ppm / PERCENT_PPM, (int)decimals, part);
}

const char *units_size_text(struct arena *a, const struct size_want *w)
{
	switch (w->form) {
	case SIZE_NONE:
		return "no size";
	case SIZE_BYTES:
		return units_text(a, w->bytes);
	case SIZE_PERCENT:
		return percent_text(a, w->ppm);
	case SIZE_REST:
		return "rest";
	case SIZE_RANGE:
		if (w->max == UINT64_MAX)
			return w->min ? arena_printf(a, "%s or more", units_text(a, w->min)) : "any size";
		if (!w->min)
			return arena_printf(a, "up to %s", units_text(a, w->max));
		return arena_printf(a, "%s to %s", units_text(a, w->min), units_text(a, w->max));
	}
	return "no size";
}

uint64_t units_percent(uint64_t whole, uint32_t ppm)
{
	uint64_t r;

	if (__builtin_mul_overflow(whole / WHOLE_PPM, (uint64_t)ppm, &r) ||
	    __builtin_add_overflow(r, whole % WHOLE_PPM * ppm / WHOLE_PPM, &r))
		return UINT64_MAX;
	return r;
}

uint64_t units_lcm(uint64_t a, uint64_t b)
{
	uint64_t r;

	if (!a)
		a = 1;
	if (!b)
		b = 1;
	return __builtin_mul_overflow(a / gcd(a, b), b, &r) ? 0 : r;
}
