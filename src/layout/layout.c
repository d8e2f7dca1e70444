/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "layout/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/file.h"
#include "layout/doc.h"
#include "layout/schema.h"
#include "layout/words.h"

int layout_read(struct arena *a, const char *path, struct diag *d, struct layout **ret)
{
	bool is_stdin = text_eq(path, "-");
	const char *file = is_stdin ? "standard input" : arena_strdup(d->arena, path);
	char *text;
	size_t len;
	int r;

	/* In the arena of the messages, which show the text's lines. */
	r = file_read(d->arena, AT_FDCWD, is_stdin ? "/dev/stdin" : path, YAML_TEXT_MAX, &text, &len);
	if (r == -EFBIG)
		return diag_error(d, (struct pos){ .file = file },
				  "larger than the %d MiB that a layout may have", YAML_TEXT_MAX >> 20);
	if (r < 0) {
		(void)diag_error(d, (struct pos){ .file = file }, "can't read the layout: %s", strerror(-r));
		return r;
	}
	return layout_parse(a, file, text, len, d, ret);
}

int layout_parse(struct arena *a, const char *file, const char *text, size_t len, struct diag *d,
		 struct layout **ret)
{
	return layout_parse_rooms(rooms, a, file, text, len, d, ret);
}

int layout_build(struct arena *a, const struct layout *l, struct diag *d, struct graph **ret)
{
	return layout_build_rooms(rooms, a, l, d, ret);
}

const char *layout_schema(struct arena *a)
{
	return layout_schema_rooms(rooms, a);
}

const char *layout_doc(struct arena *a, const char *room, struct diag *d)
{
	return layout_doc_rooms(rooms, a, room, d);
}

const char *layout_doc_scdoc(struct arena *a)
{
	return layout_doc_scdoc_rooms(rooms, a);
}
