/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

struct arena;
struct diag;
struct plan;

/**
 * identity_check() - whether the machine still is what the plan saw, before the first write
 * Each disk that the steps touch has the same size, serial number and WWN; what is to get content of its own was blank, is blank still, and
 * nobody uses it; files to be replaced are as they were read; no symbolic link leads a mount elsewhere. Writes nothing.
 * Return: 0, or -EPERM after diag_refuse(), all differences at once.
 */
int identity_check(struct arena *a, const struct plan *p, struct diag *d);
