/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <json-c/json.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/field.h"
#include "base/text.h"
#include "machine/machine.h"
#include "machine/probe.h"
#include "plan/settle.h"
#include "tech/mount/mount.h"

/*
 * Directories that everybody may write into, but not delete what is others'. A run that was interrupted may have mounted them and gone no
 * further. The recording's part: "mount": { "fresh": [ "/mnt/tmp" ] }, which are as mkfs has made them.
 */

enum { AS_MADE = 0755 };

bool mount_is_for_all(const char *target)
{
	return !strcmp(target, "/tmp") || !strcmp(target, "/var/tmp");
}

static bool ends_so(const char *target)
{
	size_t n = strlen(target);

	return n >= 4 && !strcmp(target + n - 4, "/tmp");
}

static bool is_empty(const char *path)
{
	DIR *dir = opendir(path);
	bool empty = dir != NULL;

	for (struct dirent *e; empty && (e = readdir(dir));)
		empty = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
			!strcmp(e->d_name, "lost+found");
	if (dir)
		(void)closedir(dir);
	return empty;
}

int mount_probe(struct probe *p)
{
	struct json_object *o, *list = NULL;
	struct stat st;

	if (!p->root)
		return 0;
	vec_each (const struct mount_there *, there, &p->m->mounts) {
		/* Of the filesystems of others, such as those of a server that doesn't answer, nothing is asked. */
		if (!there->target || !there->dev || !ends_so(there->target) || stat(there->target, &st))
			continue;
		if (!S_ISDIR(st.st_mode) || (st.st_mode & 07777) != AS_MADE || st.st_uid ||
		    !is_empty(there->target))
			continue;
		if (!list)
			list = json_object_new_array();
		json_object_array_add(list, json_object_new_string(text_safe(p->arena, there->target)));
	}
	if (!list)
		return 0;
	o = json_object_new_object();
	json_object_object_add(o, "fresh", list);
	json_object_object_add(p->out, "mount", o);
	return 0;
}

bool mount_is_fresh(const struct settle *s, const char *target)
{
	struct json_object *list = field_list(field_object(s->machine->json, "mount"), "fresh");

	for (size_t i = 0; i < field_count(list); i++) {
		struct json_object *one = json_object_array_get_idx(list, i);

		if (json_object_is_type(one, json_type_string) &&
		    text_eq(json_object_get_string(one), target))
			return true;
	}
	return false;
}
