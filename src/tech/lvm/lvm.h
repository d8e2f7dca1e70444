/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/units.h"
#include "graph/node.h"
#include "tech/kind.h"
#include "tech/lvm/place.h"

struct arena;
struct build;
struct diag;
struct json_object;
struct machine;
struct probe;
struct scrub;
struct settle;
struct steps;
struct why;

/* Volume groups of LVM2: the room's own words. Sizes are bytes unless they say extents. */

struct volume_item {
	struct item item;
	struct size_want size;
	struct names each, on;
	int64_t stripes;      /* 0: not stated */
	uint64_t stripe_size; /* 0: not stated */
	const char *type;     /* NULL: not stated */
};

struct vg_item {
	struct item item;
	struct names devices;
	uint64_t extent_size; /* 0: not stated */
	struct items volumes; /* struct volume_item */
};

struct vg;

/* A physical volume, wanted or there. */
struct pv {
	struct node node;
	struct vg *vg;     /* NULL: of none (have) */
	struct node *on;   /* want: its device */
	uint64_t pe_start; /* where its first extent begins; 0: not known */
	uint64_t extents;
	/* have */
	const char *uuid; /* as LVM shows it */
	const char *dev;  /* kernel name; NULL: missing */
	bool damaged;     /* LVM can't read its copy of the group's metadata */
};

/* Extents of a physical volume. */
struct piece {
	struct pv *pv;
	uint64_t start, count;
	const char *lv; /* have: who has them, NULL: nobody; the hidden ones in brackets, as LVM shows them */
};

struct lv {
	struct node node;
	const char *vg_name, *lv_name;
	VEC(struct piece) pieces;
	uint64_t extents;
	unsigned stripes;     /* 1: linear; 0: not known */
	uint64_t stripe_size; /* 0 where it has one stripe */

	/* want */
	const struct volume_item *words;
	struct vg *vg;
	VEC(struct pv *) on; /* pinned to these; empty: anywhere in the group */
	struct pos on_pos;

	/* have */
	const char *type; /* "linear", "striped", "thin", ... */
};

struct vg {
	struct node node;
	const char *vg_name;
	uint64_t extent_size; /* 0: not known (have) */
	VEC(struct pv *) pvs;
	VEC(struct lv *) lvs;
	uint64_t free; /* extents, when all is made */

	const struct vg_item *words; /* want */
	VEC(struct piece) pieces;    /* have: all extents of all physical volumes */
	bool whole;                  /* have: asked of LVM, not guessed from device names */
};

extern const struct kind pv_kind, vg_kind, lv_kind;

static inline const struct pv *pv_of(const struct node *n)
{
	return (const struct pv *)n;
}

static inline const struct vg *vg_of(const struct node *n)
{
	return (const struct vg *)n;
}

static inline const struct lv *lv_of(const struct node *n)
{
	return (const struct lv *)n;
}

enum { LVM_EXTENT_DEFAULT = 4 << 20, LVM_STRIPE_DEFAULT = 64 << 10, LVM_STRIPES_MAX = 128 };

/* sizes.c: the arithmetic of LVM */

/**
 * lvm_data_start() - where the first extent of a new physical volume shall begin
 * @geo: of its device
 * Return: bytes, at least 1 MiB, at the start of a stripe of what lies below.
 */
uint64_t lvm_data_start(const struct geometry *geo);

/** lvm_extents() - what a device has room for; 0: none. */
uint64_t lvm_extents(uint64_t device, uint64_t data_start, uint64_t extent_size);

/** lvm_stripe_size() - for a striped volume on devices of that geometry: 64 KiB, or one that suits the stripes below. */
uint64_t lvm_stripe_size(const struct geometry *geo, uint64_t extent_size);

/** lvm_extent_size_ok() - a power of two of at least 1 KiB, or a multiple of 128 KiB. Source: vgcreate(8), seen with 2.03.16. */
bool lvm_extent_size_ok(uint64_t bytes);

/** lvm_size_text() - as LVM's options take it exactly: "4m", "64k", "3s" (sectors). Lower-case letters count in 1024. */
const char *lvm_size_text(struct arena *a, uint64_t bytes);

/** lvm_dm_name() - "vg0-home_1": a '-' within a name is doubled. */
const char *lvm_dm_name(struct arena *a, const char *vg, const char *lv);

/** lvm_dm_split() - the two names in a device-mapper name. Return: false where it is no such name. */
bool lvm_dm_split(struct arena *a, const char *dm_name, const char **ret_vg, const char **ret_lv);

/** lvm_uuid_plain() - LVM's UUID text as one of RFC 4122, where it is made of 32 hexadecimal digits. Return: 0 or -EINVAL. */
int lvm_uuid_plain(const char *text, struct uuid *ret);

/** lvm_name_why_not() - why LVM would not take a name for a volume, NULL: it would. */
const char *lvm_name_why_not(const char *lv);

/* settle.c */
int pv_settle(struct node *want, struct settle *s);
int vg_settle(struct node *want, struct settle *s);
int lv_settle(struct node *want, struct settle *s);

/* probe.c, find.c, compare.c: what is there */
int lvm_probe(struct probe *p);

/** lvm_survey() - the room's survey(): physical volumes that bear one UUID. LVM itself uses neither, or either. */
void lvm_survey(const struct settle *s, struct why *why);

/** lvm_report() - LVM's report as a part of a recording. @dev_name: the kernel name of a device path. Return: a new reference. */
struct json_object *lvm_report(struct arena *a, const char *text, const struct machine *m);

/** lvm_note_uuids() - the UUIDs of groups and volumes in LVM's report, by probe_drawn(). */
void lvm_note_uuids(struct probe *p, const char *text);
/** vg_damaged() - the first device of a group that is there whose copy of the metadata can't be read; NULL: all can. */
const struct pv *vg_damaged(const struct vg *have);
int vg_find(const struct machine *m, struct graph *have, struct diag *d);
const struct lv *vg_volume(const struct vg *have, const char *lv_name);
const struct node *pv_match(const struct node *want, const struct settle *s);
const struct node *vg_match(const struct node *want, const struct settle *s);
const struct node *lv_match(const struct node *want, const struct settle *s);
/** lvm_belongs_to() - whether extents are a volume's, as far as names tell: those of "[home_rimage_0]" are home's. */
bool lvm_belongs_to(const char *segment_lv, const char *lv);
/** lvm_is_ours() - whether a group that is there is the wanted one: LVM gives it a UUID of its own choice, but all its devices bear planned ones. */
bool lvm_is_ours(const struct vg *want, const struct vg *have, const struct settle *s);
enum leftover pv_leftover(const struct node *want, const struct node *have, const struct settle *s);
enum leftover vg_leftover(const struct node *want, const struct node *have, const struct settle *s);
enum leftover lv_leftover(const struct node *want, const struct node *have, const struct settle *s);
void pv_compare(const struct node *want, const struct node *have, struct why *why);
void pv_health(const struct node *want, const struct settle *s, struct why *why);
void vg_compare(const struct node *want, const struct node *have, struct why *why);
void vg_health(const struct node *want, const struct settle *s, struct why *why);
void lv_compare(const struct node *want, const struct node *have, struct why *why);

/* scrub.c: what lies where a new volume will be */
void lv_scrub(const struct node *want, uint64_t start, uint64_t size, struct scrub *out);
/** lvm_clears_itself() - whether a new volume is cleared once it is made: a physical volume that is there can't be written to before. */
bool lvm_clears_itself(const struct lv *lv);

/* end.c: what was there before */
/** lvm_is_missing_some() - whether a group that is there lacks a device. */
bool lvm_is_missing_some(const struct vg *vg);
int vg_retire(struct steps *s, const struct node *have);
int lv_retire(struct steps *s, const struct node *have);
void vg_lose_part(struct node *have, const struct node *part);
