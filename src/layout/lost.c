/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "layout/lost.h"

#include <string.h>

#include "base/arena.h"
#include "layout/words.h"

#define NAME "name" /* the key by which things in a list are called */

typedef VEC(const struct yaml *) yaml_list;

struct lost *lost_new(struct arena *a)
{
	struct lost *l = arena_of(a, struct lost);

	l->arena = a;
	l->words.arena = a;
	return l;
}

void lost_item(struct lost *l, const struct item *it, unsigned state)
{
	while (l->items.n <= it->order)
		vec_push(l->arena, &l->items, 0);
	l->items.at[it->order] |= (unsigned char)state;
}

unsigned lost_state(const struct lost *l, const struct item *it)
{
	return l && it && it->order < l->items.n ? l->items.at[it->order] : 0;
}

void lost_word(struct lost *l, const char *word)
{
	(void)map_set(&l->words, word, l);
}

static size_t add_scalar(struct lost *l, const struct yaml *y)
{
	if (y->form != YAML_SCALAR || !*y->text)
		return 0;
	lost_word(l, y->text);
	return 1;
}

size_t lost_words(struct lost *l, const struct yaml *y)
{
	yaml_list todo = { 0 };
	size_t count = 0;

	/* As deep as the input is: no recursion. */
	vec_push(l->arena, &todo, y);
	while (todo.n) {
		y = todo.at[--todo.n];
		vec_each (const struct yaml_item *, it, &y->items) {
			if (it->key) {
				lost_word(l, it->key);
				count++;
			}
			if (!it->key || text_eq(it->key, NAME))
				count += add_scalar(l, it->value);
			vec_push(l->arena, &todo, it->value);
		}
	}
	return count;
}

/* As deep as the tables are. */
static size_t add_entries(struct lost *l, const struct key *k, const struct yaml *y)
{
	size_t count = 0;

	if (y->form != YAML_LIST && y->form != YAML_MAP)
		return y->form == YAML_SCALAR && text_eq(k->scalar, NAME) ? add_scalar(l, y) : 0;
	vec_each (const struct yaml_item *, it, &y->items) {
		if (it->key) {
			lost_word(l, it->key);
			count++;
		}
		if (it->value->form == YAML_MAP)
			count += lost_words_of(l, k->keys, it->value);
		else if (text_eq(k->scalar, NAME))
			count += add_scalar(l, it->value);
	}
	return count;
}

size_t lost_words_of(struct lost *l, const struct key *keys, const struct yaml *map)
{
	size_t count = 0;

	vec_each (const struct yaml_item *, it, &map->items) {
		const struct key *k = words_find(keys, it->key);

		if (k && (k->form == KEY_LIST || k->form == KEY_NAMED))
			count += add_entries(l, k, it->value);
		else if (k && text_eq(k->name, NAME))
			count += add_scalar(l, it->value);
	}
	return count;
}

bool lost_makes_names(const struct key *k)
{
	return k->form == KEY_NAMED || (k->form == KEY_LIST && words_find(k->keys, NAME));
}

bool lost_has(const struct lost *l, const char *name)
{
	if (!l || !l->words.n)
		return false;
	if (map_get(&l->words, name))
		return true;
	/* Names are put together from words: "data.0.swap", "vg0/home_1". */
	while (*name) {
		size_t n = strcspn(name, "./");
		char *part = arena_strndup(l->arena, name, n), *number = strrchr(part, '_');

		if (map_get(&l->words, part))
			return true;
		if (number && number[1] && !number[1 + strspn(number + 1, "0123456789")]) {
			*number = '\0';
			if (map_get(&l->words, part))
				return true;
		}
		name += n + (name[n] != '\0');
	}
	return false;
}
