/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/arena.h"
#include "run/child.h"

void capture_add(struct capture *c, const char *s, size_t n)
{
	if (c->total < CAPTURE_HEAD) {
		size_t part = CAPTURE_HEAD - c->total < n ? CAPTURE_HEAD - c->total : n;

		memcpy(c->head + c->total, s, part);
		c->total += part;
		s += part;
		n -= part;
	}
	while (n) {
		size_t at = (c->total - CAPTURE_HEAD) % CAPTURE_TAIL;
		size_t part = CAPTURE_TAIL - at < n ? CAPTURE_TAIL - at : n;

		memcpy(c->tail + at, s, part);
		c->total += part;
		s += part;
		n -= part;
	}
}

/* Bytes in the ring, oldest first. */
static void add_tail(const struct capture *c, struct text *t)
{
	size_t over = c->total > CAPTURE_HEAD ? c->total - CAPTURE_HEAD : 0;
	size_t at = over % CAPTURE_TAIL;

	if (over > CAPTURE_TAIL)
		text_addn(t, c->tail + at, CAPTURE_TAIL - at);
	text_addn(t, c->tail, over > CAPTURE_TAIL ? at : over);
}

struct text capture_text(const struct capture *c, struct arena *a)
{
	struct text t = { .arena = a };

	text_addn(&t, c->head, c->total < CAPTURE_HEAD ? c->total : CAPTURE_HEAD);
	if (c->total > CAPTURE_HEAD + CAPTURE_TAIL)
		text_add(&t, "\n[...]"); /* what follows is the rest of a line */
	add_tail(c, &t);
	return t;
}

static bool is_blank(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] != ' ' && s[i] != '\t')
			return false;
	return true;
}

text_list capture_last(const struct capture *c, struct arena *a, size_t n)
{
	text_list lines = { 0 }, last = { 0 };
	struct text t = capture_text(c, a);
	const char *s = text_str(&t);
	size_t at = 0;

	while (at < t.len) {
		size_t end = at, part = at;

		while (end < t.len && s[end] != '\n') {
			if (s[end] == '\r' && end + 1 < t.len && s[end + 1] != '\n')
				part = end + 1;
			end++;
		}
		at = end + 1;
		while (end > part && (s[end - 1] == '\r' || s[end - 1] == ' '))
			end--;
		if (!is_blank(s + part, end - part)) {
			struct text line = { .arena = a };

			text_add_safe(&line, s + part, end - part);
			vec_push(a, &lines, text_str(&line));
		}
	}
	for (size_t i = lines.n > n ? lines.n - n : 0; i < lines.n; i++)
		vec_push(a, &last, lines.at[i]);
	return last;
}
