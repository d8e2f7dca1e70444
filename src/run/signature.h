/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <blkid/blkid.h>

/**
 * signature_probe() - a search for everything that libblkid knows: broken checksums and the backup of a GPT without its first half too
 * @fd: stays the caller's. Return: for blkid_do_probe(); NULL on failure.
 */
blkid_probe signature_probe(int fd);

/** signature_type() - what blkid_do_probe() has just found: "ext4", "gpt". Valid until the next call with @pr. */
const char *signature_type(blkid_probe pr);

static inline void signature_freep(blkid_probe *pr)
{
	blkid_free_probe(*pr);
}
#define _cleanup_probe_ __attribute__((cleanup(signature_freep)))
