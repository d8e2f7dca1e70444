/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/files.h"

#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "show/columns.h"

/* A new file is shown as a whole, of one that is there what changes. */

struct view {
	struct arena *arena;
	const struct machine *machine;
	struct text *out;
	bool color;
};

enum {
	CONTEXT = 3, /* lines shown around one that changes */
	MOST_COMPARED =
		1
		<< 22, /* pairs of lines; beyond that, what is between the first and the last change goes and comes as a whole */
};

struct line {
	const char *s;
	size_t n;
	char sign; /* '+', '-' or ' ' */
};

typedef VEC(struct line) line_list;

static line_list lines_of(struct arena *a, const char *s)
{
	line_list lines = { 0 };

	while (*s) {
		size_t n = strcspn(s, "\n");

		vec_push(a, &lines, (struct line){ .s = s, .n = n, .sign = ' ' });
		s += n + (s[n] == '\n');
	}
	return lines;
}

static bool is_same(const struct line *a, const struct line *b)
{
	return a->n == b->n && !memcmp(a->s, b->s, a->n);
}

static void add_all(struct arena *a, line_list *to, const struct line *from, size_t n, char sign)
{
	for (size_t i = 0; i < n; i++)
		vec_push(a, to, (struct line){ .s = from[i].s, .n = from[i].n, .sign = sign });
}

/* The longest sequence of lines that both have stays; the table says how long it is from each pair on. */
static void compare_lines(struct arena *a, const struct line *old, size_t n, const struct line *new, size_t m,
			  line_list *ret)
{
	uint32_t *common = arena_alloc(a, (n + 1) * (m + 1) * sizeof(*common));
	size_t i, j;

	for (i = n; i-- > 0;)
		for (j = m; j-- > 0;) {
			uint32_t skip_old = common[(i + 1) * (m + 1) + j],
				 skip_new = common[i * (m + 1) + j + 1];

			common[i * (m + 1) + j] = is_same(&old[i], &new[j])
							  ? common[(i + 1) * (m + 1) + j + 1] + 1
						  : skip_old > skip_new ? skip_old
									: skip_new;
		}
	for (i = j = 0; i < n && j < m;) {
		if (is_same(&old[i], &new[j])) {
			add_all(a, ret, &old[i++], 1, ' ');
			j++;
		} else if (common[(i + 1) * (m + 1) + j] >= common[i * (m + 1) + j + 1]) {
			add_all(a, ret, &old[i++], 1, '-');
		} else {
			add_all(a, ret, &new[j++], 1, '+');
		}
	}
	add_all(a, ret, &old[i], n - i, '-');
	add_all(a, ret, &new[j], m - j, '+');
}

static line_list differences(struct arena *a, const char *before, const char *now)
{
	line_list old = lines_of(a, before), new = lines_of(a, now), ret = { 0 };
	size_t least = old.n < new.n ? old.n : new.n, head = 0, tail = 0, n, m;

	while (head < least && is_same(&old.at[head], &new.at[head]))
		head++;
	while (tail < least - head && is_same(&old.at[old.n - 1 - tail], &new.at[new.n - 1 - tail]))
		tail++;
	n = old.n - head - tail;
	m = new.n - head - tail;
	add_all(a, &ret, new.at, head, ' ');
	if (!m || n <= MOST_COMPARED / m) {
		compare_lines(a, old.at + head, n, new.at + head, m, &ret);
	} else {
		add_all(a, &ret, old.at + head, n, '-');
		add_all(a, &ret, new.at + head, m, '+');
	}
	add_all(a, &ret, new.at + head + m, tail, ' ');
	return ret;
}

static void add_line(const struct view *v, const struct line *line)
{
	struct text t = { .arena = v->arena };
	enum columns_style style = line->sign == '+'   ? STYLE_GREEN
				   : line->sign == '-' ? STYLE_RED
						       : STYLE_PLAIN;
	const char *s = line->s;
	size_t n = line->n;

	while (n && (s[n - 1] == ' ' || s[n - 1] == '\t'))
		n--;
	text_printf(&t, "%c", line->sign);
	if (n)
		text_addc(&t, ' ');
	/* Tabs are what fstab is full of. */
	for (size_t i = 0, column = 0; i < n;) {
		size_t k = 0;

		if (s[i] == '\t') {
			do
				text_addc(&t, ' ');
			while (++column % 8);
			i++;
			continue;
		}
		while (i + k < n && s[i + k] != '\t') {
			column += ((unsigned char)s[i + k] & 0xC0) != 0x80;
			k++;
		}
		text_add_safe(&t, s + i, k);
		i += k;
	}
	if (!n && line->sign == ' ')
		text_addc(v->out, '\n');
	else
		text_printf(v->out, "  %s\n", columns_style(v->arena, v->color, style, text_str(&t)));
}

/* Whether a line that stays is near one that doesn't. */
static bool is_context(const line_list *lines, size_t i)
{
	size_t from = i > CONTEXT ? i - CONTEXT : 0;

	for (size_t k = from; k < lines->n && k <= i + CONTEXT; k++)
		if (lines->at[k].sign != ' ')
			return true;
	return false;
}

static void show_lines(const struct view *v, const line_list *lines, bool all)
{
	size_t left_out = 0;

	for (size_t i = 0; i <= lines->n; i++) {
		bool shown = i == lines->n || all || is_context(lines, i);

		if (!shown) {
			left_out++;
			continue;
		}
		if (left_out)
			text_printf(v->out, "    %s\n",
				    columns_style(v->arena, v->color, STYLE_DIM,
						  arena_printf(v->arena, "(%zu line%s as before)", left_out,
							       left_out == 1 ? "" : "s")));
		left_out = 0;
		if (i < lines->n)
			add_line(v, &lines->at[i]);
	}
}

static void show_file(const struct view *v, const struct op *op)
{
	const char *there = machine_file(v->machine, op->path);
	const char *old = there ? machine_mask(v->arena, op->path, there) : NULL;
	const char *now = machine_mask(v->arena, op->path, op->content ? op->content : "");
	line_list lines = old ? differences(v->arena, old, now) : lines_of(v->arena, now);

	columns_heading(v->arena, v->color,
			arena_printf(v->arena, "%s%s", text_safe(v->arena, op->path),
				     old ? "  (+ new lines, - lines that go)" : "  (new)"),
			v->out);
	show_lines(v, &lines, !old);
}

void files_print(const struct plan *p, struct arena *a, bool color, struct text *out)
{
	struct view v = { .arena = a, .machine = p->machine, .out = out, .color = color };

	vec_each (struct step *const *, st, &p->steps)
		if ((*st)->op.form == OP_FILE)
			show_file(&v, &(*st)->op);
}
