/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdarg.h>
#include <stddef.h>

/*
 * One arena per stage result. What is taken from it lives until arena_free(); nothing is freed by hand.
 * Running out of memory ends the program with a message: nobody above could do better.
 */
struct arena;

/** arena_new() - an empty arena. Return: the arena, never NULL; arena_free() ends it. */
struct arena *arena_new(void);

/** arena_free() - ends an arena and all that was taken from it. @a: may be NULL. */
void arena_free(struct arena *a);

/**
 * arena_at_end() - lets the arena end a handle of another library, which dies with what is reachable from the arena
 * @end: called once with @handle by arena_free(), the last one added first; it may not use the arena
 */
void arena_at_end(struct arena *a, void (*end)(void *handle), void *handle);

/** arena_alloc() - zeroed memory, aligned for any type. @size: bytes, 0 allowed. Return: never NULL. */
void *arena_alloc(struct arena *a, size_t size);

/**
 * arena_grow() - a larger copy of an array
 * @p:    the array, may be NULL; it stays as it was, and valid
 * @old:  bytes in use at @p
 * @size: bytes wanted
 * Return: never @p and never NULL; zeroed past @old.
 */
void *arena_grow(struct arena *a, const void *p, size_t old, size_t size);

/** arena_strdup() - a copy. Return: NULL only where @s is NULL. */
char *arena_strdup(struct arena *a, const char *s);

/** arena_strndup() - a copy of the first @n bytes, or up to a NUL among them. Return: NUL-terminated, never
 * NULL. */
char *arena_strndup(struct arena *a, const char *s, size_t n);

/** arena_printf() - a formatted text. Return: never NULL. */
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

/** arena_of() - one zeroed object of a type. */
#define arena_of(a, type) ((type *)arena_alloc((a), sizeof(type)))

static inline void arena_freep(struct arena **a)
{
	arena_free(*a);
}
#define _cleanup_arena_ __attribute__((cleanup(arena_freep)))
