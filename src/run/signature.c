/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stddef.h>

#include "run/signature.h"

blkid_probe signature_probe(int fd)
{
	blkid_probe pr = blkid_new_probe();

	if (pr && !blkid_probe_set_device(pr, fd, 0, 0) && !blkid_probe_enable_superblocks(pr, 1) &&
	    /* BADCSUM: half of an old signature is as good as a whole one to some tool. */
	    !blkid_probe_set_superblocks_flags(pr, BLKID_SUBLKS_MAGIC | BLKID_SUBLKS_TYPE |
							   BLKID_SUBLKS_BADCSUM) &&
	    !blkid_probe_enable_partitions(pr, 1) &&
	    !blkid_probe_set_partitions_flags(pr, BLKID_PARTS_MAGIC | BLKID_PARTS_FORCE_GPT))
		return pr;
	blkid_free_probe(pr);
	return NULL;
}

const char *signature_type(blkid_probe pr)
{
	const char *type = NULL;

	if (blkid_probe_lookup_value(pr, "TYPE", &type, NULL) &&
	    blkid_probe_lookup_value(pr, "PTTYPE", &type, NULL))
		return "unknown";
	return type;
}
