/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

struct arena;
struct diag;
struct room;

/**
 * layout_doc() - the reference of the language as text for a terminal, 80 columns, from the key tables
 * @room: whose part of it; NULL: all.
 * Return: in @a, ends with a newline; NULL after diag_error() where there is no such room.
 */
const char *layout_doc(struct arena *a, const char *room, struct diag *d);

/** layout_doc_scdoc() - the same as the sections of a man page in scdoc's syntax, without the line with its title. */
const char *layout_doc_scdoc(struct arena *a);

/** layout_doc_rooms(), layout_doc_scdoc_rooms() - the same for a given list of rooms. */
const char *layout_doc_rooms(const struct room *const *rooms_, struct arena *a, const char *room,
			     struct diag *d);
const char *layout_doc_scdoc_rooms(const struct room *const *rooms_, struct arena *a);
