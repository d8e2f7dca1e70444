/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <json-c/json.h>
#include <stdlib.h>

#include "show/show.h"
#include "show/test-plan.h"

/* JSON and dot, the two forms for programs. */

static const char *json_text(struct arena *a, const struct plan *p)
{
	struct show_options o = { 0 };
	struct text t = { .arena = a };

	show_json(p, a, &o, &t);
	return text_str(&t);
}

static struct json_object *parse(const char *s)
{
	struct json_tokener *tok = json_tokener_new_ex(32);
	struct json_object *o;

	json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	o = json_tokener_parse_ex(tok, s, (int)strlen(s) + 1);
	if (json_tokener_get_error(tok) != json_tokener_success)
		fail_msg("%s at %zu", json_tokener_error_desc(json_tokener_get_error(tok)),
			 json_tokener_get_parse_end(tok));
	json_tokener_free(tok);
	assert_non_null(o);
	return o;
}

static struct json_object *get(struct json_object *o, const char *key)
{
	struct json_object *v = NULL;

	if (!json_object_object_get_ex(o, key, &v))
		fail_msg("no '%s' in %s", key, json_object_to_json_string(o));
	return v;
}

static const char *text_of(struct json_object *o, const char *key)
{
	return json_object_get_string(get(o, key));
}

static uint64_t number_of(struct json_object *o, const char *key)
{
	return json_object_get_uint64(get(o, key));
}

static void whole(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	const struct plan *p = test_plan(a);
	struct json_object *o = parse(json_text(a, p)), *list, *it;

	(void)state;
	assert_int_equal(number_of(o, "stowage-plan"), 1);
	assert_string_equal(text_of(o, "layout"), "fileserver");
	assert_string_equal(text_of(o, "root"), "/mnt/a b");
	assert_string_equal(text_of(o, "machine"), "server.json");
	assert_string_equal(text_of(o, "state"), "changes");

	list = get(o, "objects");
	assert_int_equal(json_object_array_length(list), p->want->nodes.n);
	it = json_object_array_get_idx(list, 0);
	assert_string_equal(text_of(it, "name"), "vda");
	assert_string_equal(text_of(it, "verdict"), "keep");
	assert_int_equal(number_of(it, "size"), 64 * GIB + 512);
	assert_string_equal(text_of(get(it, "found"), "serial"), "serial-vda");
	it = json_object_array_get_idx(list, 2);
	assert_int_equal(number_of(it, "start"), MIB);
	assert_string_equal(text_of(it, "part_of"), "table of vda");

	list = get(o, "steps");
	assert_int_equal(json_object_array_length(list), p->steps.n);
	it = json_object_array_get_idx(list, 6);
	assert_int_equal(number_of(it, "number"), 7);
	assert_int_equal(json_object_get_int(json_object_array_get_idx(get(it, "needs"), 0)), 6);
	assert_string_equal(json_object_get_string(json_object_array_get_idx(get(get(it, "op"), "argv"), 2)),
			    "it's $(id) `id` \"%n\" \\");
	assert_string_equal(text_of(json_object_array_get_idx(list, 5), "what"), "wipe \x1b[31mred\x1b[0m");
	assert_string_equal(text_of(get(o, "files"), "/mnt/a b/etc/fstab"), p->steps.at[10]->op.content);
	it = json_object_array_get_idx(get(o, "survival"), 0);
	assert_int_equal(number_of(it, "any"), 1);
	json_object_put(o);
}

/* What is printed must not steer a terminal. */
static void is_harmless(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct plan *p = test_plan(a);
	const char *s;

	(void)state;
	p->steps.at[0]->what = "\xff \xe2\x80\xae \x1b \x7f";
	s = json_text(a, p);
	json_object_put(parse(s));
	for (; *s; s++)
		assert_true(*s == '\n' || (unsigned char)*s >= ' ');
}

static void states(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct plan *p = test_plan(a);
	struct json_object *o;

	(void)state;
	p->steps.n = 0;
	o = parse(json_text(a, p));
	assert_string_equal(text_of(o, "state"), "impossible");
	json_object_put(o);
	vec_each (struct node **, n, &p->want->nodes)
		(*n)->verdict = VERDICT_KEEP;
	o = parse(json_text(a, p));
	assert_string_equal(text_of(o, "state"), "done");
	json_object_put(o);
}

/* What of a draft-07 schema the one here uses. */
static void validate(struct arena *a, struct json_object *root, struct json_object *schema,
		     struct json_object *o, const char *where);

static bool is_type(const char *type, struct json_object *o)
{
	switch (json_object_get_type(o)) {
	case json_type_object:
		return !strcmp(type, "object");
	case json_type_array:
		return !strcmp(type, "array");
	case json_type_string:
		return !strcmp(type, "string");
	case json_type_int:
		return !strcmp(type, "integer");
	case json_type_boolean:
		return !strcmp(type, "boolean");
	case json_type_null:
	case json_type_double:
		return false;
	}
	return false;
}

static void validate_object(struct arena *a, struct json_object *root, struct json_object *schema,
			    struct json_object *o, const char *where)
{
	struct json_object *required, *properties = NULL, *others = NULL, *sub;

	if (json_object_object_get_ex(schema, "required", &required))
		for (size_t i = 0; i < json_object_array_length(required); i++) {
			const char *name = json_object_get_string(json_object_array_get_idx(required, i));

			if (!json_object_object_get_ex(o, name, NULL))
				fail_msg("%s has no %s", where, name);
		}
	(void)json_object_object_get_ex(schema, "properties", &properties);
	(void)json_object_object_get_ex(schema, "additionalProperties", &others);
	json_object_object_foreach(o, name, value)
	{
		if (properties && json_object_object_get_ex(properties, name, &sub))
			validate(a, root, sub, value, arena_printf(a, "%s.%s", where, name));
		else if (json_object_is_type(others, json_type_object))
			validate(a, root, others, value, arena_printf(a, "%s.%s", where, name));
		else
			fail_msg("%s has a key that the schema doesn't know: %s", where, name);
	}
}

static void validate(struct arena *a, struct json_object *root, struct json_object *schema,
		     struct json_object *o, const char *where)
{
	struct json_object *v;

	if (json_object_object_get_ex(schema, "$ref", &v)) {
		const char *name = json_object_get_string(v) + strlen("#/definitions/");

		schema = get(get(root, "definitions"), name);
	}
	if (json_object_object_get_ex(schema, "type", &v) && !is_type(json_object_get_string(v), o))
		fail_msg("%s is no %s", where, json_object_get_string(v));
	if (json_object_object_get_ex(schema, "const", &v) && !json_object_equal(v, o))
		fail_msg("%s isn't %s", where, json_object_get_string(v));
	if (json_object_object_get_ex(schema, "enum", &v)) {
		bool found = false;

		for (size_t i = 0; i < json_object_array_length(v); i++)
			found = found || json_object_equal(json_object_array_get_idx(v, i), o);
		if (!found)
			fail_msg("%s is none of %s", where, json_object_get_string(v));
	}
	if (json_object_is_type(o, json_type_object))
		validate_object(a, root, schema, o, where);
	if (json_object_is_type(o, json_type_array) && json_object_object_get_ex(schema, "items", &v))
		for (size_t i = 0; i < json_object_array_length(o); i++)
			validate(a, root, v, json_object_array_get_idx(o, i),
				 arena_printf(a, "%s[%zu]", where, i));
}

static void fits_the_schema(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct plan *p = test_plan(a);
	const char *dir = getenv("STOWAGE_SCHEMAS");
	struct json_object *schema, *o;

	(void)state;
	if (!dir)
		skip();
	schema = json_object_from_file(arena_printf(a, "%s/plan.schema.json", dir));
	assert_non_null(schema);
	vec_push(a, &p->steps.at[0]->loses, "something");
	p->want->nodes.at[0]->geo = (struct geometry){ 512, 4096, 65536, 131072, true, 512 };
	((struct blockdev *)(uintptr_t)p->want->nodes.at[0]->have->block)->wwn = "0x5";
	vec_push(a, &((struct blockdev *)(uintptr_t)p->want->nodes.at[0]->have->block)->signatures,
		 (struct signature){ .type = "gpt", .uuid = "u", .label = "l", .offset = 512 });
	o = parse(json_text(a, p));
	validate(a, schema, schema, o, "plan");
	json_object_put(o);
	json_object_put(schema);
}

static void dot(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	struct plan *p = test_plan(a);
	struct show_options o = { 0 };
	struct text t = { .arena = a };
	const char *s;

	(void)state;
	p->want->nodes.at[2]->name = "a\"b\\&<c>\n";
	show_dot(p, a, &o, &t);
	s = text_str(&t);
	assert_true(text_starts(s, "digraph \"fileserver\" {\n"));
	assert_non_null(strstr(s, "\t\"vda\" [label=\"vda\\n/dev/vda\\n64.00 GiB (68719477248 bytes)\\nstep "
				  "1\" style=\"rounded,filled\""));
	assert_non_null(strstr(s, "\t\"a\\\"b\\\\&amp;<c>\\\\x0A\" -> \"table of vda\";\n"));
	assert_non_null(strstr(s, "\t\"mount /home\" -> \"/home\" [style=dashed];\n"));
	assert_non_null(strstr(s, "{ rank=max; \"vda\"; \"vdb\"; }"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),           cmocka_unit_test(is_harmless), cmocka_unit_test(states),
		cmocka_unit_test(fits_the_schema), cmocka_unit_test(dot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
