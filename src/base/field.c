/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/field.h"

#include <json-c/json_object.h>

/* NULL as well for a null, which is of another type than all that is asked for. */
static struct json_object *field(struct json_object *o, const char *key, enum json_type type)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) && json_object_is_type(v, type) ? v : NULL;
}

const char *field_text(struct json_object *o, const char *key)
{
	struct json_object *v = field(o, key, json_type_string);

	return v ? json_object_get_string(v) : NULL;
}

int64_t field_int(struct json_object *o, const char *key, int64_t otherwise)
{
	struct json_object *v = field(o, key, json_type_int);

	return v ? json_object_get_int64(v) : otherwise;
}

uint64_t field_number(struct json_object *o, const char *key)
{
	uint64_t n = 0;

	(void)field_has_number(o, key, &n);
	return n;
}

bool field_has_number(struct json_object *o, const char *key, uint64_t *ret)
{
	struct json_object *v = field(o, key, json_type_int);

	if (!v || json_object_get_int64(v) < 0)
		return false;
	*ret = json_object_get_uint64(v);
	return true;
}

bool field_true(struct json_object *o, const char *key)
{
	return json_object_get_boolean(field(o, key, json_type_boolean));
}

struct json_object *field_object(struct json_object *o, const char *key)
{
	return field(o, key, json_type_object);
}

struct json_object *field_list(struct json_object *o, const char *key)
{
	return field(o, key, json_type_array);
}

size_t field_count(struct json_object *list)
{
	return list ? json_object_array_length(list) : 0;
}
