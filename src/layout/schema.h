/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

struct arena;
struct room;

/**
 * layout_schema() - the JSON schema (draft-07) of the language, from the key tables of all rooms
 * For editors: what it refuses is wrong, but `stowage check` finds more. Return: JSON in @a, with a newline at its end.
 */
const char *layout_schema(struct arena *a);

/** layout_schema_rooms() - the same for a given list of rooms. */
const char *layout_schema_rooms(const struct room *const *rooms_, struct arena *a);
