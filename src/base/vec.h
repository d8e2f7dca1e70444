/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/arena.h"

/*
 * A growing array in an arena: VEC(struct foo *) names; vec_push(arena, &names, foo);
 * names.at[i] for i < names.n. A zeroed VEC is empty.
 */
#define VEC(type)                                                                                            \
	struct {                                                                                             \
		type *at;                                                                                    \
		size_t n, room;                                                                              \
	}

#define vec_push(arena, v, ...)                                                                              \
	do {                                                                                                 \
		if ((v)->n == (v)->room) {                                                                   \
			(v)->room = (v)->room ? (v)->room * 2 : 4;                                           \
			(v)->at = arena_grow((arena), (v)->at, (v)->n * sizeof(*(v)->at),                    \
					     (v)->room * sizeof(*(v)->at));                                  \
		}                                                                                            \
		(v)->at[(v)->n++] = (__VA_ARGS__);                                                           \
	} while (0)

/* for (T *p = ...): vec_each(struct node **, p, &names) */
#define vec_each(ptr, it, v) for (ptr it = (v)->at; it && it < (v)->at + (v)->n; it++)
