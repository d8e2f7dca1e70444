/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/arena.h"
#include "machine/machine.h"
#include "plan/settle.h"
#include "tech/fs.h"
#include "tech/mount/fstab.h"
#include "tech/mount/mount.h"
#include "tech/mount/sources.h"
#include "tech/twins.h"

/*
 * Of those kinds whose devices bear one UUID together only a second one tells; where it isn't known nothing is said. Of btrfs its room
 * speaks, which knows more.
 */
static const char *content_key(struct arena *a, const struct machine *m, const struct blockdev *b)
{
	const struct signature *sig = source_content(b);

	(void)m;
	if (!sig || !sig->uuid || text_eq(sig->type, "btrfs"))
		return NULL;
	if (sig->uuid_sub)
		return arena_printf(a, "%s/%s", sig->uuid, sig->uuid_sub);
	return text_eq(sig->type, "zfs_member") || text_eq(sig->type, "bcachefs") ? NULL : sig->uuid;
}

static const char *crypt_key(struct arena *a, const struct machine *m, const struct blockdev *b)
{
	(void)a;
	(void)m;
	vec_each (const struct signature *, sig, &b->signatures)
		if (text_eq(sig->usage, "crypto"))
			return sig->uuid;
	return NULL;
}

void mount_survey(const struct settle *s, struct why *why)
{
	twins_tell(s, why, content_key, "filesystem or swap");
	twins_tell(s, why, crypt_key, "encrypted device");
	if (!graph_get(s->want, fstab_kind.name))
		fstab_health(NULL, s, why);
}
