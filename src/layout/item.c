/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "layout/words.h"

/* What a layout states for a key, whether the room says stripe_size or stripe-size. */
static const struct yaml *stated(const struct item *it, const char *key)
{
	const struct key k = { .name = key };

	if (it->src->form != YAML_MAP)
		return NULL;
	for (size_t i = 0; i < it->src->items.n; i++)
		if (words_is(&k, it->src->items.at[i].key))
			return it->src->items.at[i].value;
	return NULL;
}

struct pos item_pos(const struct item *it, const char *key)
{
	const struct yaml *y = it->src ? stated(it, key) : NULL;

	return y ? y->pos : it->pos;
}

struct pos item_pos_at(const struct item *it, const char *key, size_t i)
{
	const struct yaml *y = it->src ? stated(it, key) : NULL;

	return y && y->form == YAML_LIST && i < y->items.n ? y->items.at[i].value->pos : item_pos(it, key);
}

bool item_has(const struct item *it, const char *key)
{
	return it->src && stated(it, key);
}
