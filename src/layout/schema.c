/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "layout/schema.h"

#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "layout/words.h"

enum { NESTING_MAX = 32 };

/* JSON being written: pretty, a member or element per line. */
struct json {
	struct arena *arena;
	struct text out;
	unsigned depth;
	bool filled[NESTING_MAX]; /* something stands at this depth already */
};

static void line(struct json *j, const char *key)
{
	text_add(&j->out, j->filled[j->depth] ? ",\n" : j->depth ? "\n" : "");
	j->filled[j->depth] = true;
	for (unsigned i = 0; i < j->depth; i++)
		text_add(&j->out, "  ");
	if (key)
		text_printf(&j->out, "%s: ", text_quote_json(j->arena, key));
}

static void start(struct json *j, const char *key, char bracket)
{
	line(j, key);
	text_addc(&j->out, bracket);
	j->filled[++j->depth] = false;
}

static void end(struct json *j, char bracket)
{
	bool filled = j->filled[j->depth--];

	if (filled) {
		text_addc(&j->out, '\n');
		for (unsigned i = 0; i < j->depth; i++)
			text_add(&j->out, "  ");
	}
	text_addc(&j->out, bracket);
}

static void string(struct json *j, const char *key, const char *value)
{
	line(j, key);
	text_add(&j->out, text_quote_json(j->arena, value));
}

/* A value that is JSON already. */
static void raw(struct json *j, const char *key, const char *value)
{
	line(j, key);
	text_add(&j->out, value);
}

static void ref(struct json *j, const char *definition)
{
	string(j, "$ref", arena_printf(j->arena, "#/definitions/%s", definition));
}

/* The forms that many keys share. */
static void definitions(struct json *j)
{
	/* YAML readers make numbers and truth values of plain scalars; the layout takes them literally. */
	static const char literal[] = "[\"string\", \"number\", \"boolean\"]";
	static const char bytes[] =
		"^(?!0+(\\.0+)? *([KMGTPE]i?B?|kB|s|B)?$)[0-9]+(\\.[0-9]+)? *([KMGTPE](iB|B)?|kB|s|B)?$";
	static const char size[] = "^((?!0+(\\.0+)? *([KMGTPE]i?B?|kB|s|B)?$)[0-9]+(\\.[0-9]+)? "
				   "*([KMGTPE](iB|B)?|kB|s|B)?|[0-9]+(\\.[0-9]{1,4})?%|rest)$";

	start(j, "definitions", '{');
	start(j, "text", '{');
	raw(j, "type", literal);
	string(j, "pattern", "^[^\\u0000-\\u001f\\u007f-\\u009f]+$");
	end(j, '}');
	start(j, "texts", '{');
	start(j, "anyOf", '[');
	raw(j, NULL, "{ \"$ref\": \"#/definitions/text\" }");
	raw(j, NULL, "{ \"type\": \"array\", \"items\": { \"$ref\": \"#/definitions/text\" } }");
	end(j, ']');
	end(j, '}');
	start(j, "name", '{');
	string(j, "type", "string");
	string(j, "pattern", WORDS_NAME_PATTERN);
	end(j, '}');
	start(j, "names", '{');
	start(j, "anyOf", '[');
	raw(j, NULL, "{ \"$ref\": \"#/definitions/text\" }");
	raw(j, NULL,
	    "{ \"type\": \"array\", \"minItems\": 1, \"items\": { \"$ref\": \"#/definitions/text\" } }");
	end(j, ']');
	end(j, '}');
	start(j, "path", '{');
	string(j, "type", "string");
	string(j, "pattern", "^(/|(/(?!\\.{1,2}(/|$))[^/\\u0000-\\u001f\\u007f-\\u009f]+)+)$");
	end(j, '}');
	start(j, "uuid", '{');
	string(j, "type", "string");
	string(j, "pattern", "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$");
	end(j, '}');
	start(j, "bytes", '{');
	raw(j, "type", "[\"string\", \"integer\"]");
	string(j, "pattern", bytes);
	raw(j, "minimum", "1");
	end(j, '}');
	start(j, "size", '{');
	start(j, "anyOf", '[');
	start(j, NULL, '{');
	raw(j, "type", "[\"string\", \"integer\"]");
	string(j, "pattern", size);
	raw(j, "minimum", "1");
	end(j, '}');
	start(j, NULL, '{');
	string(j, "type", "object");
	raw(j, "minProperties", "1");
	start(j, "properties", '{');
	for (const struct key *k = words_range; k->name; k++)
		raw(j, k->name, "{ \"$ref\": \"#/definitions/bytes\" }");
	end(j, '}');
	raw(j, "additionalProperties", "false");
	end(j, '}');
	end(j, ']');
	end(j, '}');
	end(j, '}');
}

/* The words of a list, each also as the number or truth value that a YAML reader may make of it. */
static void word_enum(struct json *j, const text_list *words)
{
	start(j, "enum", '[');
	for (size_t i = 0; i < words->n; i++) {
		const char *w = words->at[i];
		bool number = *w && !w[strspn(w, "0123456789")] && (*w != '0' || !w[1]);

		raw(j, NULL, text_quote_json(j->arena, w));
		if (number || text_eq(w, "true") || text_eq(w, "false"))
			raw(j, NULL, w);
	}
	end(j, ']');
}

static void item_schema(struct json *j, const struct key *const *tables, const char *scalar,
			const struct kind *kind);

/* What a key takes. draft-07 ignores what stands beside a $ref, so that goes into an allOf. */
static void key_schema(struct json *j, const struct key *k)
{
	static const char *const definition[] = {
		[KEY_TEXT] = "text",   [KEY_TEXTS] = "texts", [KEY_PATH] = "path",   [KEY_SIZE] = "size",
		[KEY_BYTES] = "bytes", [KEY_UUID] = "uuid",   [KEY_NAMES] = "names",
	};
	const struct key *nested[] = { k->keys, NULL };
	text_list words;

	if (k->doc)
		string(j, "description", k->doc);
	switch (k->form) {
	case KEY_END:
		break;
	case KEY_BOOL:
		string(j, "type", "boolean");
		break;
	case KEY_INT:
		string(j, "type", "integer");
		raw(j, "minimum", arena_printf(j->arena, "%lld", (long long)k->min));
		if (k->max || k->min < 0)
			raw(j, "maximum", arena_printf(j->arena, "%lld", (long long)k->max));
		break;
	case KEY_WORD:
		words = words_split(j->arena, k->one_of);
		if (words.n)
			word_enum(j, &words);
		else
			string(j, "type", "string");
		break;
	case KEY_TEXT:
	case KEY_TEXTS:
	case KEY_PATH:
	case KEY_SIZE:
	case KEY_BYTES:
	case KEY_UUID:
	case KEY_NAMES:
		start(j, "allOf", '[');
		start(j, NULL, '{');
		ref(j, definition[k->form]);
		end(j, '}');
		end(j, ']');
		break;
	case KEY_MAP:
		item_schema(j, nested, NULL, NULL);
		break;
	case KEY_LIST:
		if (k->scalar) {
			start(j, "anyOf", '[');
			start(j, NULL, '{');
			key_schema(j, words_find(k->keys, k->scalar));
			end(j, '}');
			start(j, NULL, '{');
		}
		string(j, "type", "array");
		start(j, "items", '{');
		item_schema(j, nested, k->scalar, NULL);
		end(j, '}');
		if (k->scalar) {
			end(j, '}');
			end(j, ']');
		}
		break;
	case KEY_NAMED:
		string(j, "type", "object");
		raw(j, "propertyNames", "{ \"$ref\": \"#/definitions/name\" }");
		start(j, "additionalProperties", '{');
		item_schema(j, nested, k->scalar, NULL);
		end(j, '}');
		break;
	}
}

static const struct key *key_in(const struct key *const *tables, const char *word)
{
	const struct key *k = words_find(tables[0], word);

	return k ? k : words_find(tables[1], word);
}

/* What keys ask of each other: `with` is a dependency, `unless` forbids the pair. */
static void together(struct json *j, const struct key *const *tables)
{
	bool any = false;

	for (size_t i = 0; i < 2; i++)
		for (const struct key *k = tables[i]; k && k->name; k++)
			if (k->with) {
				if (!any)
					start(j, "dependencies", '{');
				any = true;
				raw(j, words_key(j->arena, k),
				    arena_printf(j->arena, "[%s]", text_quote_json(j->arena, k->with)));
			}
	if (any)
		end(j, '}');
	any = false;
	for (size_t i = 0; i < 2; i++)
		for (const struct key *k = tables[i]; k && k->name; k++) {
			const struct key *other = k->unless ? key_in(tables, k->unless) : NULL;

			if (!k->unless || (other && other < k && other->unless && words_is(k, other->unless)))
				continue;
			if (!any)
				start(j, "allOf", '[');
			any = true;
			raw(j, NULL,
			    arena_printf(j->arena, "{ \"not\": { \"required\": [%s, %s] } }",
					 text_quote_json(j->arena, words_key(j->arena, k)),
					 text_quote_json(j->arena, k->unless)));
		}
	if (any)
		end(j, ']');
}

/* A map of keys. @tables: two, either may be NULL. @kind: fixes `type`. */
static void map_schema(struct json *j, const struct key *const *tables, const struct kind *kind)
{
	bool any = false;

	if (kind && kind->doc)
		string(j, "description", kind->doc);
	string(j, "type", "object");
	start(j, "properties", '{');
	if (kind && !key_in(tables, "type"))
		raw(j, "type",
		    arena_printf(j->arena, "{ \"const\": %s }", text_quote_json(j->arena, kind->name)));
	for (size_t i = 0; i < 2; i++)
		for (const struct key *k = tables[i]; k && k->name; k++) {
			start(j, words_key(j->arena, k), '{');
			if (kind && words_is(k, "type")) {
				string(j, "description", k->doc ? k->doc : "");
				string(j, "const", kind->name);
			} else {
				key_schema(j, k);
			}
			end(j, '}');
		}
	end(j, '}');
	for (size_t i = 0; i < 2; i++)
		for (const struct key *k = tables[i]; k && k->name; k++)
			if (k->need || (kind && words_is(k, "type"))) {
				if (!any)
					start(j, "required", '[');
				any = true;
				string(j, NULL, words_key(j->arena, k));
			}
	if (any)
		end(j, ']');
	together(j, tables);
	raw(j, "additionalProperties", "false");
}

/* A map of keys, or what may stand in its place. */
static void item_schema(struct json *j, const struct key *const *tables, const char *scalar,
			const struct kind *kind)
{
	const struct key *k = scalar ? key_in(tables, scalar) : NULL;

	if (!k) {
		map_schema(j, tables, kind);
		return;
	}
	start(j, "anyOf", '[');
	start(j, NULL, '{');
	key_schema(j, k);
	end(j, '}');
	start(j, NULL, '{');
	map_schema(j, tables, kind);
	end(j, '}');
	end(j, ']');
}

static void section_schema(struct json *j, const struct room *const *rooms_, const struct section *s)
{
	const struct key *tables[] = { s->keys, NULL };
	text_list kinds;

	start(j, s->name, '{');
	if (s->doc)
		string(j, "description", s->doc);
	switch (s->form) {
	case SECTION_NAMED:
		string(j, "type", "object");
		raw(j, "propertyNames", "{ \"$ref\": \"#/definitions/name\" }");
		start(j, "additionalProperties", '{');
		item_schema(j, tables, s->scalar, NULL);
		end(j, '}');
		break;
	case SECTION_LIST:
		string(j, "type", "array");
		start(j, "items", '{');
		item_schema(j, tables, s->scalar, NULL);
		end(j, '}');
		break;
	case SECTION_TYPED:
		kinds = words_kinds(j->arena, rooms_, s->name);
		string(j, "type", "array");
		start(j, "items", '{');
		/* Not oneOf: an if for each type keeps an editor's messages to those of the type that is stated. */
		string(j, "type", "object");
		raw(j, "required", "[\"type\"]");
		start(j, "properties", '{');
		start(j, "type", '{');
		word_enum(j, &kinds);
		end(j, '}');
		end(j, '}');
		start(j, "allOf", '[');
		for (size_t i = 0; i < kinds.n; i++) {
			const struct kind *kind = words_kind(rooms_, s->name, kinds.at[i]);

			tables[1] = kind->keys;
			start(j, NULL, '{');
			raw(j, "if",
			    arena_printf(j->arena,
					 "{ \"properties\": { \"type\": { \"const\": %s } }, \"required\": "
					 "[\"type\"] }",
					 text_quote_json(j->arena, kind->name)));
			start(j, "then", '{');
			map_schema(j, tables, kind);
			end(j, '}');
			end(j, '}');
		}
		end(j, ']');
		end(j, '}');
		break;
	}
	end(j, '}');
}

const char *layout_schema_rooms(const struct room *const *rooms_, struct arena *a)
{
	struct json j = { .arena = a, .out = { .arena = a } };

	start(&j, NULL, '{');
	string(&j, "$schema", "http://json-schema.org/draft-07/schema#");
	string(&j, "title", "stowage layout");
	string(&j, "description", "What a machine's storage shall be.");
	string(&j, "type", "object");
	start(&j, "properties", '{');
	for (const struct key *k = words_head; k->name; k++) {
		start(&j, k->name, '{');
		key_schema(&j, k);
		end(&j, '}');
	}
	for (const struct room *const *r = rooms_; *r; r++)
		for (const struct section *s = (*r)->sections; s && s->name; s++)
			section_schema(&j, rooms_, s);
	end(&j, '}');
	start(&j, "required", '[');
	for (const struct key *k = words_head; k->name; k++)
		if (k->need)
			string(&j, NULL, k->name);
	end(&j, ']');
	raw(&j, "additionalProperties", "false");
	definitions(&j);
	end(&j, '}');
	text_addc(&j.out, '\n');
	return text_str(&j.out);
}
