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
 * The devices of one filesystem bear its UUID together, and each has a second one; of a kind that has these, a device where it isn't known
 * says nothing.
 */
static const char *content_key(struct arena *a, const struct machine *m, const struct blockdev *b)
{
	const struct signature *sig = source_content(b);

	(void)m;
	if (!sig || !sig->uuid)
		return NULL;
	if (sig->uuid_sub)
		return arena_printf(a, "%s/%s", sig->uuid, sig->uuid_sub);
	return text_eq(sig->type, "btrfs") || text_eq(sig->type, "zfs_member") ||
			       text_eq(sig->type, "bcachefs")
		       ? NULL
		       : sig->uuid;
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
