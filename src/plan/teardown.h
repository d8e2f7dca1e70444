/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

struct losses;
struct steps;

/**
 * plan_teardown() - steps that end what is given up, from the top down, one behind the other, all before anything is made
 *
 * Unmounts and swaps off, wipes what is on a device while that is still there, has the rooms stop it, waits until the kernel has forgotten
 * it, then goes on to what it lay on. So what was stopped can't come back: its members bear nothing any more by which it would be found.
 */
void plan_teardown(struct steps *s, const struct losses *l);
