/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "layout/mend.h"

#include <string.h>

#include "base/arena.h"
#include "layout/words.h"

const struct key *tables_find(const struct tables *t, const char *word)
{
	const struct key *k = words_find(t->keys[0], word);

	return k ? k : words_find(t->keys[1], word);
}

void mend_clear(const struct key *k, void *to)
{
	switch (k->form) {
	case KEY_END:
		break;
	case KEY_BOOL:
		*(bool *)to = false;
		break;
	case KEY_INT:
		*(int64_t *)to = 0;
		break;
	case KEY_WORD:
	case KEY_TEXT:
	case KEY_PATH:
		*(const char **)to = NULL;
		break;
	case KEY_TEXTS:
		*(text_list *)to = (text_list){ 0 };
		break;
	case KEY_SIZE:
		*(struct size_want *)to = (struct size_want){ 0 };
		break;
	case KEY_BYTES:
		*(uint64_t *)to = 0;
		break;
	case KEY_UUID:
		*(struct uuid *)to = (struct uuid){ 0 };
		break;
	case KEY_NAMES:
		*(struct names *)to = (struct names){ 0 };
		break;
	case KEY_MAP: /* as deep as the tables */
		for (const struct key *in = k->keys; in && in->name; in++)
			mend_clear(in, (char *)to + in->offset);
		*(struct item *)to = (struct item){ 0 };
		break;
	case KEY_LIST:
	case KEY_NAMED:
		*(struct items *)to = (struct items){ 0 };
		break;
	}
}

/* A value that the table allows, in place of one that is needed. Return: whether there is one. */
static bool stand_in(struct parse *p, const struct key *k, struct pos pos, void *to)
{
	text_list words, *texts = to;
	struct names *names = to;

	switch (k->form) {
	case KEY_BOOL:
		return true;
	case KEY_INT:
		*(int64_t *)to = k->min;
		return true;
	case KEY_WORD:
		words = words_split(p->arena, k->one_of);
		*(const char **)to = words.n ? words.at[0] : "?";
		return true;
	case KEY_TEXT:
		*(const char **)to = "?";
		return !words_is(k, "name"); /* rooms would call things so */
	case KEY_TEXTS:
		vec_push(p->arena, texts, "?");
		return true;
	case KEY_PATH:
		*(const char **)to = "/";
		return true;
	case KEY_SIZE:
		*(struct size_want *)to = (struct size_want){ .form = SIZE_BYTES, .bytes = MIB };
		return true;
	case KEY_BYTES:
		*(uint64_t *)to = MIB;
		return true;
	case KEY_UUID:
		memset(to, 0xff, sizeof(struct uuid));
		return true;
	case KEY_NAMES: /* build_resolve() finds nothing under it, and says nothing */
		names->at = arena_of(p->arena, struct name_at);
		names->at[0] = (struct name_at){ .name = "", .pos = pos };
		names->n = 1;
		return true;
	case KEY_END:
	case KEY_MAP:
	case KEY_LIST:
	case KEY_NAMED:
		break;
	}
	return false;
}

/* Whether the value says how many things there are. */
static bool counts(const struct key *k)
{
	switch (k->form) {
	case KEY_INT:
	case KEY_TEXTS:
	case KEY_NAMES:
	case KEY_MAP:
	case KEY_LIST:
	case KEY_NAMED:
		return true;
	case KEY_END:
	case KEY_BOOL:
	case KEY_WORD:
	case KEY_TEXT:
	case KEY_PATH:
	case KEY_SIZE:
	case KEY_BYTES:
	case KEY_UUID:
		break;
	}
	return false;
}

/* Whether it is a mere quantity: no names or edges follow from it. */
static bool is_number(const struct key *k)
{
	return k->form == KEY_INT || k->form == KEY_SIZE || k->form == KEY_BYTES || k->form == KEY_BOOL ||
	       k->form == KEY_UUID;
}

static void lack(struct lack *lack, const struct key *k)
{
	lack->group |= counts(k);
	lack->words |= !is_number(k);
}

static const struct fault *fault_at(const fault_list *faults, const struct yaml_item *it)
{
	vec_each (const struct fault *, f, faults)
		if (f->at == it)
			return f;
	return NULL;
}

static const struct yaml_item *stated(const struct yaml *map, const struct key *k)
{
	vec_each (const struct yaml_item *, it, &map->items)
		if (words_is(k, it->key))
			return it;
	return NULL;
}

/* Whether an unknown key may be meant to say how many there are, as one could that isn't stated. */
static bool may_count(const struct tables *t, const struct yaml *map, const struct yaml *value)
{
	bool number = value->form == YAML_SCALAR && *value->text >= '0' && *value->text <= '9';

	for (size_t i = 0; i < 2; i++)
		for (const struct key *k = t->keys[i]; k && k->name; k++)
			if (counts(k) && k->form != KEY_TEXTS && (k->form == KEY_INT) == number &&
			    !stated(map, k))
				return true;
	return false;
}

/* What may have been named in a value that can't be read. */
static void lose(struct parse *p, const struct fault *f)
{
	size_t n = lost_words(p->lost, f->at->value);

	if (f->at->value->form == YAML_SCALAR && *f->at->value->text) {
		lost_word(p->lost, f->at->value->text);
		n++;
	}
	if (!n && f->key && lost_makes_names(f->key))
		p->lost->any = true;
}

static void *member(const struct key *k, void *to)
{
	return (char *)to + k->offset;
}

/* Keys that need one that is gone, and the second of two that exclude each other. Return: whether one was taken out. */
static bool drop_lonely(const struct tables *t, struct yaml *left, void *to, struct lack *ret)
{
	for (size_t i = 0; i < left->items.n; i++) {
		const struct key *k = tables_find(t, left->items.at[i].key), *with, *unless;

		with = k && k->with ? tables_find(t, k->with) : NULL;
		unless = k && k->unless ? tables_find(t, k->unless) : NULL;
		if (!(with && !stated(left, with)) && !(unless && stated(left, unless)))
			continue;
		lack(ret, k);
		mend_clear(k, member(k, to));
		left->items.n--;
		memmove(&left->items.at[i], &left->items.at[i + 1],
			(left->items.n - i) * sizeof(*left->items.at));
		return true;
	}
	return false;
}

enum outcome mend(struct parse *p, const struct tables *t, const struct yaml *map, const fault_list *faults,
		  void *to, struct lack *ret)
{
	struct item *item = to;
	struct yaml *left = arena_of(p->arena, struct yaml);
	enum outcome r = PARTS;
	bool gone = false;

	*left = (struct yaml){ .form = YAML_MAP, .pos = map->pos };
	vec_each (const struct yaml_item *, it, &map->items) {
		const struct fault *f = fault_at(faults, it);
		struct yaml_item as = *it;

		if (f && (f->guessed || f->outcome > PARTS))
			r = BROKEN;
		if (f && f->outcome == GONE) {
			if (f->key)
				lack(ret, f->key);
			else
				ret->group |= may_count(t, map, it->value);
			ret->words |= !f->key;
			if (!f->key || f->key->form == KEY_LIST || f->key->form == KEY_NAMED)
				lose(p, f);
			if (!f->key)
				continue;
			mend_clear(f->key, member(f->key, to));
			if (!f->key->need)
				continue;
			gone |= !stand_in(p, f->key, it->value->pos, member(f->key, to));
		} else if (f && f->outcome == BROKEN) {
			ret->group |= f->key->form != KEY_MAP && counts(f->key);
			ret->words = true;
		}
		if (f && f->guessed)
			as.key = words_key(p->arena, f->key);
		vec_push(p->arena, &left->items, as);
	}
	while (drop_lonely(t, left, to, ret))
		r = BROKEN;
	for (size_t i = 0; i < 2; i++)
		for (const struct key *k = t->keys[i]; k && k->name; k++) {
			if (!k->need || stated(left, k))
				continue;
			gone |= !stand_in(p, k, map->pos, member(k, to));
			lack(ret, k);
			r = BROKEN;
		}
	item->src = left;
	return gone ? GONE : r;
}
