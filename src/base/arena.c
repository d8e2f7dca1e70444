/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/arena.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define WATCHED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WATCHED 1
#endif
#endif

/* Under the address sanitizer each object is an allocation of its own, so that it sees where each one ends.
 */
#ifdef WATCHED
enum { CHUNK = 0 };
#else
enum { CHUNK = 64 * 1024 };
#endif

struct chunk {
	struct chunk *next;
	size_t used, room;
	max_align_t data[];
};

/* What is to be ended together with an arena. Lies in the arena itself. */
struct ending {
	struct ending *next;
	void (*end)(void *handle);
	void *handle;
};

struct arena {
	struct chunk *chunks; /* the first is the one that still has room */
	struct ending *endings;
};

__attribute__((noreturn)) static void out_of_memory(void)
{
	(void)fputs("stowage: out of memory\n", stderr);
	exit(EXIT_FAILURE);
}

static struct chunk *new_chunk(size_t room)
{
	struct chunk *c;

	if (room > PTRDIFF_MAX - sizeof(*c))
		out_of_memory();
	c = calloc(1, sizeof(*c) + room);
	if (!c)
		out_of_memory();
	c->room = room;
	return c;
}

struct arena *arena_new(void)
{
	struct arena *a = calloc(1, sizeof(*a));

	if (!a)
		out_of_memory();
	return a;
}

void arena_free(struct arena *a)
{
	if (!a)
		return;
	for (struct ending *e = a->endings; e; e = e->next)
		e->end(e->handle);
	for (struct chunk *c = a->chunks, *next; c; c = next) {
		next = c->next;
		free(c);
	}
	free(a);
}

void arena_at_end(struct arena *a, void (*end)(void *handle), void *handle)
{
	struct ending *e = arena_of(a, struct ending);

	*e = (struct ending){ .next = a->endings, .end = end, .handle = handle };
	a->endings = e;
}

/* Bytes that an object takes in a chunk, so that the next one is aligned too. */
static size_t footprint(size_t size)
{
	size_t align = _Alignof(max_align_t);

	if (CHUNK == 0 || size > PTRDIFF_MAX)
		return size;
	return size ? (size + align - 1) / align * align : align;
}

void *arena_alloc(struct arena *a, size_t size)
{
	size_t need = footprint(size);
	struct chunk *first = a->chunks, *c;
	char *p;

	if (first && first->room - first->used >= need) {
		c = first;
	} else if (first && need > CHUNK / 4) {
		/* A large object goes behind the first chunk, whose room stays in use. */
		c = new_chunk(need);
		c->next = first->next;
		first->next = c;
	} else {
		c = new_chunk(need > CHUNK ? need : CHUNK);
		c->next = first;
		a->chunks = c;
	}
	p = (char *)c->data + c->used;
	c->used += need;
	return p;
}

void *arena_grow(struct arena *a, const void *p, size_t old, size_t size)
{
	void *q = arena_alloc(a, size);

	/* Always a copy, also where there is room behind @p: somebody may hold on to the old array and grow
	 * it again. */
	if (p && old)
		memcpy(q, p, old < size ? old : size);
	return q;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return s ? arena_strndup(a, s, strlen(s)) : NULL;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *r = arena_alloc(a, len + 1);

	memcpy(r, s, len);
	return r;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *r;

	va_start(ap, fmt);
	r = arena_vprintf(a, fmt, ap);
	va_end(ap);
	return r;
}

char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
	va_list again;
	char *r;
	int n;

	assert(fmt); /* gcc's sanitizers make it wonder, and warn */
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		out_of_memory(); /* the text passes INT_MAX */
	r = arena_alloc(a, (size_t)n + 1);
	(void)vsnprintf(r, (size_t)n + 1, fmt, ap);
	return r;
}
