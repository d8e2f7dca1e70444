/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_object;

/*
 * Reading JSON that may come from anywhere: what is missing, or of another type, counts as absent; so does all that is in something
 * absent (@o: NULL, or no object). What comes back lives as long as @o.
 */

/** field_text() - a string. Return: NULL where there is none. */
const char *field_text(struct json_object *o, const char *key);

/** field_int() - a whole number, or @otherwise. */
int64_t field_int(struct json_object *o, const char *key, int64_t otherwise);

/** field_number() - a whole number of 0 or more. Return: 0 where there is none. */
uint64_t field_number(struct json_object *o, const char *key);

/** field_has_number() - the same, told apart from 0. Return: false where there is none; @ret stays as it was. */
bool field_has_number(struct json_object *o, const char *key, uint64_t *ret);

/** field_true() - whether it is there and true. */
bool field_true(struct json_object *o, const char *key);

/** field_object() - an object. Return: NULL where there is none. */
struct json_object *field_object(struct json_object *o, const char *key);

/** field_list() - a list. Return: NULL where there is none. */
struct json_object *field_list(struct json_object *o, const char *key);

/** field_count() - how many a list has; none is in NULL. */
size_t field_count(struct json_object *list);
