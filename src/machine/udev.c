/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <libudev.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/arena.h"
#include "machine/machine.h"
#include "machine/parts.h"

static void unref_udevp(struct udev **u)
{
	if (*u)
		(void)udev_unref(*u);
}

static void unref_devicep(struct udev_device **d)
{
	if (*d)
		(void)udev_device_unref(*d);
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

const char *look_udev_text(struct arena *a, const char *s, bool squeeze)
{
	struct text t = { .arena = a };

	for (; s && *s; s++) {
		char c = *s;

		if (c == '\\' && s[1] == 'x' && hex(s[2]) >= 0 && hex(s[3]) >= 0) {
			c = (char)(hex(s[2]) * 16 + hex(s[3]));
			s += 3;
		}
		if (!c || (squeeze && c == ' ' && (!t.len || t.s[t.len - 1] == ' ')))
			continue;
		text_addc(&t, c);
	}
	if (squeeze && t.len && t.s[t.len - 1] == ' ')
		t.s[--t.len] = '\0';
	if (!t.len)
		return NULL;
	return text_valid_utf8(t.s, t.len) ? t.s : text_safe(a, t.s);
}

static const char *property(struct udev_device *u, const char *name)
{
	const char *s = udev_device_get_property_value(u, name);

	return s && *s ? s : NULL;
}

/* Links whose names hold what differs on two machines that were set up equally, or changes at each boot. */
static bool is_random(const char *link)
{
	static const char *const prefixes[] = { "/dev/disk/by-id/dm-uuid-", "/dev/disk/by-id/lvm-pv-uuid-",
						"/dev/disk/by-diskseq/", "/dev/disk/by-loop-",
						"/dev/disk/by-dname/" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (text_starts(link, prefixes[i]))
			return true;
	return false;
}

/* Who would like to have a link. udev notes it for each of them; in /dev, the one that was quickest has it. */
struct claim {
	struct blockdev *first; /* by name */
	const char *member;     /* what tells it from the other members of its filesystem, NULL: nothing */
	bool contested, same;   /* by others, who all are further members of the same filesystem */
};

/* Two members of one filesystem (btrfs), not a filesystem and its copy; and a link that is about the filesystem. */
static bool is_fellow(const struct claim *c, const struct blockdev *dev, const char *link, const char *member)
{
	const struct signature *a = c->first->signatures.n ? &c->first->signatures.at[0] : NULL;
	const struct signature *b = dev->signatures.n ? &dev->signatures.at[0] : NULL;

	if (!text_starts(link, "/dev/disk/by-uuid/") && !text_starts(link, "/dev/disk/by-label/"))
		return false;
	return a && b && a->uuid && text_eq(a->type, b->type) && text_eq(a->uuid, b->uuid) && c->member &&
	       member && !text_eq(c->member, member);
}

static void claim(struct machine *m, struct map *claims, struct blockdev *dev, const char *link,
		  const char *member)
{
	struct claim *c;

	if (is_random(link) || text_eq(link, dev->path) || !text_valid_utf8(link, strlen(link)))
		return;
	c = map_get(claims, link);
	if (!c) {
		c = arena_of(m->arena, struct claim);
		*c = (struct claim){ .first = dev, .member = arena_strdup(m->arena, member), .same = true };
		(void)map_set(claims, arena_strdup(m->arena, link), c);
	} else if (c->first != dev) {
		c->contested = true;
		c->same &= is_fellow(c, dev, link, member);
	}
}

static bool leads_to(const char *link, const struct blockdev *dev)
{
	struct stat st;

	return stat(link, &st) == 0 && S_ISBLK(st.st_mode) && st.st_rdev == makedev(dev->major, dev->minor);
}

/*
 * What a contested link leads to is a matter of luck, and may be another device after the next boot: it names nothing. But where all
 * who would have it are members of one filesystem, it names that: here by the first one.
 */
static void give_links(struct machine *m, const struct map *claims)
{
	map_each (it, claims) {
		const struct claim *c = it->value;

		if (c->contested ? c->same : leads_to(it->key, c->first))
			vec_push(m->arena, &c->first->links, it->key);
	}
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* What is better known to udev than to sysfs stays as it was where udev says nothing. */
static void better(struct arena *a, const char **what, const char *s)
{
	if (s)
		*what = text_valid_utf8(s, strlen(s)) ? arena_strdup(a, s) : text_safe(a, s);
}

/*
 * The serial number as it is printed on the disk: of a SCSI disk, udev's ID_SERIAL_SHORT is the WWN once more. ID_SERIAL, in
 * which vendor and model run together with it, is the last resort.
 */
static void read_identity(struct arena *a, struct udev_device *u, struct blockdev *dev)
{
	const char *serial = property(u, "ID_SCSI_SERIAL"), *wwn = property(u, "ID_WWN_WITH_EXTENSION");
	const char *model = look_udev_text(a, property(u, "ID_MODEL_ENC"), true),
		   *vendor = look_udev_text(a, property(u, "ID_VENDOR_ENC"), true);

	serial = serial ? serial : property(u, "ID_SERIAL_SHORT");
	better(a, &dev->serial, serial || dev->serial ? serial : property(u, "ID_SERIAL"));
	better(a, &dev->wwn, wwn ? wwn : property(u, "ID_WWN"));
	better(a, &dev->model, model || dev->model ? model : property(u, "ID_MODEL"));
	better(a, &dev->vendor, vendor);
}

static void read_content(struct arena *a, struct udev_device *u, struct blockdev *dev)
{
	const char *type = property(u, "ID_FS_TYPE"), *table = property(u, "ID_PART_TABLE_TYPE");

	if (type) {
		struct signature s = { 0 };

		better(a, &s.type, type);
		better(a, &s.usage, property(u, "ID_FS_USAGE"));
		better(a, &s.uuid, property(u, "ID_FS_UUID"));
		better(a, &s.version, property(u, "ID_FS_VERSION"));
		s.usage = s.usage ? s.usage : "other";
		s.label = look_udev_text(a, property(u, "ID_FS_LABEL_ENC"), false);
		vec_push(a, &dev->signatures, s);
	}
	/* udev gives a partition the properties of its disk, the table's too. */
	if (table && !text_eq(dev->type, "part")) {
		struct signature s = { .usage = "table" };

		better(a, &s.type, table);
		better(a, &s.uuid, property(u, "ID_PART_TABLE_UUID"));
		vec_push(a, &dev->signatures, s);
	}
}

void look_udev(struct machine *m)
{
	__attribute__((cleanup(unref_udevp))) struct udev *udev = udev_new();
	struct map claims = { .arena = m->arena };

	vec_each (struct blockdev **, at, &m->devs) {
		struct blockdev *dev = *at;
		__attribute__((cleanup(unref_devicep))) struct udev_device *u =
			udev ? udev_device_new_from_devnum(udev, 'b', makedev(dev->major, dev->minor)) : NULL;

		if (u) {
			if (text_eq(dev->type, "disk"))
				read_identity(m->arena, u, dev);
			read_content(m->arena, u, dev);
			for (struct udev_list_entry *e = udev_device_get_devlinks_list_entry(u); e;
			     e = udev_list_entry_get_next(e))
				claim(m, &claims, dev, udev_list_entry_get_name(e),
				      property(u, "ID_FS_UUID_SUB"));
		}
		if (dev->dm_name) /* made by libdevmapper where udev isn't at work */
			claim(m, &claims, dev, arena_printf(m->arena, "/dev/mapper/%s", dev->dm_name), NULL);
	}
	give_links(m, &claims);
	vec_each (struct blockdev **, at, &m->devs)
		if ((*at)->links.n)
			qsort((*at)->links.at, (*at)->links.n, sizeof(*(*at)->links.at), by_text);
}
