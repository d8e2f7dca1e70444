/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/saved.h"

#include <ctype.h>
#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "base/arena.h"
#include "base/field.h"
#include "layout/layout.h"
#include "machine/machine.h"
#include "plan/plan.h"

enum { VERSION = 1, DEPTH = 32 };

static void add_text(struct json_object *o, const char *key, const char *value)
{
	if (value)
		json_object_object_add(o, key, json_object_new_string(value));
}

static struct json_object *op_json(struct arena *a, const struct op *op)
{
	struct json_object *o = json_object_new_object(), *words = json_object_new_array();
	struct text ranges = { .arena = a };

	json_object_object_add(o, "form", json_object_new_int((int)op->form));
	vec_each (const char *const *, w, &op->argv)
		json_object_array_add(words, json_object_new_string(*w));
	json_object_object_add(o, "words", words);
	add_text(o, "dev", op->dev);
	add_text(o, "path", op->path);
	add_text(o, "type", op->type);
	add_text(o, "options", op->options);
	add_text(o, "script", op->script);
	add_text(o, "content", op->content);
	if (op->mode)
		json_object_object_add(o, "mode", json_object_new_int64(op->mode));
	vec_each (const struct op_range *, r, &op->ranges)
		text_printf(&ranges, "%llu+%llu ", (unsigned long long)r->start, (unsigned long long)r->size);
	vec_each (const struct op_expect *, e, &op->expect)
		text_printf(&ranges, "%s%s@%llu+%llu ", e->gone ? "!" : "", e->dev,
			    (unsigned long long)e->start, (unsigned long long)e->size);
	add_text(o, "places", text_str(&ranges));
	return o;
}

static struct json_object *steps_json(const struct plan *p, struct arena *a)
{
	struct json_object *steps = json_object_new_array();

	vec_each (struct step *const *, st, &p->steps) {
		struct json_object *o = json_object_new_object();

		add_text(o, "id", (*st)->id);
		add_text(o, "what", (*st)->what);
		json_object_object_add(o, "operation", op_json(a, &(*st)->op));
		json_object_array_add(steps, o);
	}
	return steps;
}

const char *saved_write(const struct plan *p, struct arena *a)
{
	struct json_object *o = json_object_new_object(), *layout = json_object_new_object(),
			   *allowed = json_object_new_array();
	const char *text;

	json_object_object_add(o, "stowage-saved-plan", json_object_new_int(VERSION));
	/* A file's name is bytes, and JSON is text; it is only told. */
	add_text(layout, "file",
		 text_valid_utf8(p->layout->file, strlen(p->layout->file)) ? p->layout->file
									   : text_safe(a, p->layout->file));
	json_object_object_add(layout, "text",
			       json_object_new_string_len(p->layout->text, (int)p->layout->len));
	json_object_object_add(o, "layout", layout);
	add_text(o, "root", p->options.root);
	json_object_object_add(o, "mount", json_object_new_boolean(p->options.mount));
	add_text(o, "seed", p->options.seed);
	vec_each (const char *const *, disk, &p->options.allow_loss)
		json_object_array_add(allowed, json_object_new_string(*disk));
	json_object_object_add(o, "allow-loss", allowed);
	json_object_object_add(o, "steps", steps_json(p, a));
	json_object_object_add(o, "machine", json_object_get(p->machine->json));
	text = text_safe_json(a, json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY |
									   JSON_C_TO_STRING_SPACED |
									   JSON_C_TO_STRING_NOSLASHESCAPE));
	text = arena_printf(a, "%s\n", text);
	json_object_put(o);
	return text;
}

bool saved_is(const char *text, size_t len)
{
	size_t i = 0;

	while (i < len && isspace((unsigned char)text[i]))
		i++;
	return i < len && text[i] == '{' && memmem(text, len < 256 ? len : 256, "\"stowage-saved-plan\"", 20);
}

static const char *text_of(struct arena *a, struct json_object *o, const char *key, size_t *ret_len)
{
	struct json_object *v;

	if (!json_object_object_get_ex(o, key, &v) || !json_object_is_type(v, json_type_string))
		return NULL;
	if (ret_len)
		*ret_len = (size_t)json_object_get_string_len(v);
	return arena_strndup(a, json_object_get_string(v), (size_t)json_object_get_string_len(v));
}

bool saved_is_due(const struct plan *p, const struct plan *now, struct diag *d)
{
	struct json_object *then_steps = steps_json(p, d->arena), *now_steps = steps_json(now, d->arena);
	size_t i = 0;

	while (i < p->steps.n && i < now->steps.n &&
	       json_object_equal(json_object_array_get_idx(then_steps, i),
				 json_object_array_get_idx(now_steps, i)))
		i++;
	json_object_put(then_steps);
	json_object_put(now_steps);
	if (i == p->steps.n && i == now->steps.n)
		return true;
	if (i < p->steps.n)
		(void)diag_refuse(d, p->steps.at[i]->pos,
				  "to %s would not be done so on this machine as it is now: plan again",
				  p->steps.at[i]->id);
	else
		(void)diag_refuse(d, now->steps.at[i]->pos,
				  "to %s would have to be done as well on this machine as it is now: plan "
				  "again",
				  now->steps.at[i]->id);
	return false;
}

/* Everything but the JSON itself, which the caller ends. */
static int from_json(struct arena *a, const char *file, struct json_object *o, struct diag *d,
		     struct plan **ret)
{
	struct json_object *layout = field_object(o, "layout"), *machine = field_object(o, "machine");
	struct json_object *steps = field_list(o, "steps"), *allowed = field_list(o, "allow-loss"), *mount,
			   *now;
	struct plan_options options = { 0 };
	struct machine *m;
	struct layout *l;
	struct plan *p = NULL;
	const char *text, *name, *recording;
	size_t len = 0;
	bool same;
	int r;

	if (field_int(o, "stowage-saved-plan", 0) != VERSION)
		return diag_error(d, (struct pos){ .file = file }, "not a saved plan of version %d", VERSION);
	if (!layout || !machine || !steps || !json_object_object_get_ex(o, "mount", &mount) ||
	    !json_object_is_type(mount, json_type_boolean))
		return diag_error(d, (struct pos){ .file = file },
				  "not a whole saved plan: layout, machine, mount or steps are missing");
	text = text_of(a, layout, "text", &len);
	name = text_of(a, layout, "file", NULL);
	options.root = text_of(a, o, "root", NULL);
	options.seed = text_of(a, o, "seed", NULL);
	options.mount = json_object_get_boolean(mount);
	for (size_t i = 0; i < field_count(allowed); i++)
		if (json_object_is_type(json_object_array_get_idx(allowed, i), json_type_string))
			vec_push(a, &options.allow_loss,
				 arena_strdup(a,
					      json_object_get_string(json_object_array_get_idx(allowed, i))));
	if (!text || !name || !options.root || options.root[0] != '/' || !options.seed)
		return diag_error(d, (struct pos){ .file = file },
				  "not a whole saved plan: layout, root or seed are missing");

	r = layout_parse(a, name, text, len, d, &l);
	if (r < 0)
		return r;
	recording = json_object_to_json_string(machine);
	r = machine_parse(a, file, recording, strlen(recording), d, &m);
	if (r < 0)
		return r;
	r = plan_make(a, l, m, &options, d, &p);
	if (r < 0)
		return r;
	now = steps_json(p, a);
	same = json_object_equal(now, steps);
	json_object_put(now);
	if (!same)
		return diag_error(d, (struct pos){ .file = file },
				  "this version would plan other steps than those that were saved, or the "
				  "file was changed: plan again");
	*ret = p;
	return 0;
}

int saved_read(struct arena *a, const char *file, const char *text, size_t len, struct diag *d,
	       struct plan **ret)
{
	struct json_tokener *tok = json_tokener_new_ex(DEPTH);
	struct json_object *o;
	int r;

	/* JSON_TOKENER_VALIDATE_UTF8 of json-c 0.18 refuses escapes like \u00fc. */
	o = len < INT32_MAX && text_valid_utf8(text, len) ? json_tokener_parse_ex(tok, text, (int)len) : NULL;
	if (!json_object_is_type(o, json_type_object))
		r = diag_error(d, (struct pos){ .file = file }, "not a saved plan: %s",
			       json_tokener_error_desc(json_tokener_get_error(tok)));
	else
		r = from_json(a, file, o, d, ret);
	json_object_put(o);
	json_tokener_free(tok);
	return r;
}
