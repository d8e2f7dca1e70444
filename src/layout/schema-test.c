/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "layout/test-rooms.h"

#include <json-c/json.h>

#include "layout/schema.h"

/* A value by a path of keys, "a/b/0/c" through objects and arrays. */
static struct json_object *at(struct json_object *o, const char *path)
{
	while (*path && o) {
		size_t n = strcspn(path, "/");
		char key[64];

		assert_true(n < sizeof(key));
		memcpy(key, path, n);
		key[n] = '\0';
		if (json_object_is_type(o, json_type_array))
			o = json_object_array_get_idx(o, strtoul(key, NULL, 10));
		else if (!json_object_object_get_ex(o, key, &o))
			o = NULL;
		path += n + (path[n] == '/');
	}
	return o;
}

static void expect(struct json_object *o, const char *path, const char *json)
{
	struct json_object *found = at(o, path);

	if (!found)
		print_error("nothing at %s\n", path);
	assert_non_null(found);
	assert_string_equal(json_object_to_json_string_ext(found, JSON_C_TO_STRING_PLAIN |
									  JSON_C_TO_STRING_NOSLASHESCAPE),
			    json);
}

static void is_a_schema(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct json_object *o = json_tokener_parse(layout_schema_rooms(t_rooms, a));

	(void)state;
	assert_non_null(o);
	expect(o, "$schema", "\"http://json-schema.org/draft-07/schema#\"");
	expect(o, "required", "[\"stowage\",\"name\"]");
	expect(o, "additionalProperties", "false");
	expect(o, "properties/stowage/maximum", "1");
	expect(o, "properties/arrays/propertyNames/$ref", "\"#/definitions/name\"");
	expect(o, "properties/arrays/additionalProperties/properties/level/enum",
	       "[\"0\",0,\"1\",1,\"10\",10,\"raid10\"]");
	expect(o, "properties/arrays/additionalProperties/properties/level/description", "\"RAID level.\"");
	expect(o, "properties/arrays/additionalProperties/properties/stripe-cache/allOf/0/$ref",
	       "\"#/definitions/text\"");
	expect(o, "properties/arrays/additionalProperties/required", "[\"level\",\"devices\"]");
	expect(o, "properties/arrays/additionalProperties/additionalProperties", "false");
	expect(o, "properties/arrays/additionalProperties/dependencies", "{\"su\":[\"sw\"],\"sw\":[\"su\"]}");
	expect(o, "properties/arrays/additionalProperties/allOf/0/not/required", "[\"su\",\"chunk\"]");
	expect(o, "properties/disks/additionalProperties/anyOf/0/allOf/0/$ref", "\"#/definitions/texts\"");
	expect(o, "properties/disks/additionalProperties/anyOf/1/properties/stripe/properties/width/maximum",
	       "64");
	expect(o,
	       "properties/tables/items/properties/partitions/anyOf/1/items/anyOf/1/properties/size/allOf/0/"
	       "$ref",
	       "\"#/definitions/size\"");
	expect(o, "properties/filesystems/items/properties/type/enum", "[\"btrfs\",\"xfs\"]");
	expect(o, "properties/filesystems/items/allOf/0/if/properties/type/const", "\"btrfs\"");
	expect(o, "properties/filesystems/items/allOf/0/then/properties/profile/enum",
	       "[\"single\",\"raid1\"]");
	expect(o, "properties/filesystems/items/allOf/0/then/required", "[\"type\",\"devices\"]");
	assert_null(at(o, "properties/filesystems/items/allOf/1/then/properties/profile"));
	assert_non_null(at(o, "definitions/bytes/pattern"));
	(void)json_object_put(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(is_a_schema) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
