/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdint.h>

#include "base/vec.h"
#include "plan/step.h"

struct graph;
struct losses;
struct node;
struct steps;

/* Bytes on a device that are to be zero before anything new is seen on it. */
struct scrub_spot {
	const struct node *node;
	uint64_t start, size;
};

struct scrub {
	struct arena *arena;
	VEC(struct scrub_spot) spots;
};

/** scrub_range() - for kinds' scrub(): bytes on what a new device stands on. What reaches beyond its end is cut off. */
void scrub_range(struct scrub *out, const struct node *below, uint64_t start, uint64_t size);

/**
 * plan_scrub() - a step for each device that is there and gets new content: zeroes at both of its ends, and wherever something old would
 * show itself at an end of a new partition or array on it
 *
 * Through the device that is there, before anything new is: so nothing of what once lay on it is found when a table shows its new
 * partitions, or an array its data, to udev.
 */
void plan_scrub(struct steps *s, const struct graph *want, const struct losses *l);

/** scrub_made() - for kinds' create(): the same on a new device itself, which its maker has wiped as far as others see. */
void scrub_made(struct steps *s, const struct node *n);
