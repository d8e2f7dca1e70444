/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "layout/layout.h"
#include "machine/machine.h"
#include "plan/plan.h"

/* What an interrupted run has left is made anew; what only looks like it is not. */

static const char layout_text[] =
	"stowage: 1\n"
	"name: unfinished\n"
	"disks: { a: /dev/vda, b: /dev/vdb, c: /dev/vdc, d: /dev/vdd, e: /dev/vde }\n"
	"arrays: { m: { level: 1, devices: [d, e] } }\n"
	"filesystems:\n"
	"  - { type: btrfs, devices: [a, b], profile: raid1, mount: /b }\n"
	"  - { type: xfs, devices: c, mount: /x }\n"
	"  - { type: ext4, devices: m, mount: /m }\n";

struct there {
	const char *on[5];      /* signatures of a .. e, as JSON, without brackets */
	const char *holder;     /* of d and e */
	const char *more;       /* further members of the recording */
	const char *unfinished; /* the id of a step that was begun: its name is looked up */
};

struct fixture {
	struct arena *a;
	struct diag d;
	struct layout *l;
	struct plan *blank;
	const char *btrfs, *xfs, *md, *other;
};

static struct plan *plan(struct fixture *f, const struct there *t, const char *unfinished)
{
	struct plan_options o = { .mount = true };
	struct text json = { .arena = f->a };
	struct plan *p = NULL;
	struct machine *m;

	text_add(&json, "{\"stowage-machine\":1,\"root\":true,\"devices\":[");
	for (size_t i = 0; i < 5; i++)
		text_printf(
			&json,
			"%s{\"name\":\"vd%c\",\"path\":\"/dev/vd%c\",\"type\":\"disk\",\"size\":4294967296,"
			"\"logical\":512,\"physical\":512,\"min-io\":512,\"opt-io\":0,\"serial\":\"%c\",%s"
			"\"signatures\":[%s],\"looked\":true}",
			i ? "," : "", (char)('a' + i), (char)('a' + i), (char)('a' + i),
			i > 2 && t->holder ? "\"holders\":[\"md0\"]," : "", t->on[i] ? t->on[i] : "");
	text_printf(&json, "%s]%s", t->holder ? t->holder : "", t->more ? t->more : "");
	if (unfinished)
		text_printf(&json, ",\"unfinished\":{\"%s\":\"a step\"}", unfinished);
	text_add(&json, "}");
	f->d = (struct diag){ .arena = f->a };
	assert_int_equal(machine_parse(f->a, "m.json", text_str(&json), strlen(text_str(&json)), &f->d, &m),
			 0);
	return plan_make(f->a, f->l, m, &o, &f->d, &p) < 0 ? NULL : p;
}

static const struct step *step(const struct plan *p, const char *id)
{
	vec_each (struct step *const *, st, &p->steps)
		if (!strcmp((*st)->id, id))
			return *st;
	return NULL;
}

/* A word of a step's command that begins so: the rest of it. */
static const char *word(const struct plan *p, const char *id, const char *begins)
{
	const text_list *argv = &step(p, id)->op.argv;

	for (size_t i = 0; i < argv->n; i++)
		if (text_starts(argv->at[i], begins))
			return argv->at[i][strlen(begins)] ? argv->at[i] + strlen(begins) : argv->at[i + 1];
	return NULL;
}

static int set_up(void **state)
{
	struct arena *a = arena_new();
	struct fixture *f = arena_of(a, struct fixture);
	const struct there nothing = { .holder = NULL };
	const char *md;

	f->a = a;
	f->d = (struct diag){ .arena = a };
	*state = f;
	if (layout_parse(a, "l.yaml", layout_text, strlen(layout_text), &f->d, &f->l) < 0)
		return -1;
	f->blank = plan(f, &nothing, NULL);
	if (!f->blank)
		return -1;
	f->btrfs = word(f->blank, "format /b", "-U");
	f->xfs = word(f->blank, "format /x", "uuid=");
	md = word(f->blank, "create m", "--uuid=");
	/* 01234567:89abcdef:... as others write it */
	f->md = arena_printf(a, "%.8s-%.4s-%.4s-%.4s-%.4s%.8s", md, md + 9, md + 13, md + 18, md + 22,
			     md + 27);
	f->other = "11111111-2222-4333-8444-555555555555";
	return 0;
}

static int tear_down(void **state)
{
	arena_free(((struct fixture *)*state)->a);
	return 0;
}

static const char *sig(struct fixture *f, const char *type, const char *usage, const char *uuid)
{
	return arena_printf(f->a, "{\"type\":\"%s\",\"usage\":\"%s\",\"uuid\":\"%s\"}", type, usage, uuid);
}

static const char *making(struct fixture *f, const char *id)
{
	const char *s = step(f->blank, id)->making;

	assert_non_null(s);
	return s;
}

enum outcome { ANEW, KEPT, NO };

static enum outcome outcome(struct fixture *f, const struct there *t, const char *id, const char *unfinished)
{
	const struct plan *p = plan(f, t, unfinished);

	if (!p)
		return NO;
	/* Nobody had to allow it, and nobody is asked. */
	assert_int_equal(p->lost.n, 0);
	return step(p, id) ? ANEW : KEPT;
}

static struct there btrfs(struct fixture *f, const char *uuid, bool both, const char *more)
{
	struct there t = { .on = { sig(f, "btrfs", "filesystem", uuid) } };

	if (both)
		t.on[1] = t.on[0];
	t.more = arena_printf(f->a,
			      ",\"btrfs\":{\"%s\":{\"devices\":2,\"data\":\"raid1\",\"metadata\":\"raid1\","
			      "\"system\":\"raid1\",%s\"members\":{\"vda\":1%s}}}",
			      uuid, more, both ? ",\"vdb\":2" : "");
	return t;
}

static void what_is_empty_and_not_whole_needs_no_journal(void **state)
{
	struct fixture *f = *state;
	struct there t = btrfs(f, f->btrfs, false, "\"empty\":1,");
	const struct plan *p = plan(f, &t, NULL);

	assert_non_null(p);
	assert_non_null(step(p, "wipe vda"));
	assert_null(step(p, "wipe vdb"));
	assert_non_null(step(p, "format /b")->why);
	assert_true(step(p, "wipe vda")->number < step(p, "format /b")->number);
	assert_int_equal(step(p, "wipe vda")->loses.n, 0);

	t = btrfs(f, f->btrfs, false, "\"empty\":0,");
	assert_int_equal(outcome(f, &t, "format /b", making(f, "format /b")), NO);
	t = btrfs(f, f->btrfs, false, "");
	assert_int_equal(outcome(f, &t, "format /b", making(f, "format /b")), NO);
	t = btrfs(f, f->other, false, "\"empty\":1,");
	assert_int_equal(outcome(f, &t, "format /b", making(f, "format /b")), NO);
	/* Too broken to be read, but young: the journal tells. */
	t = btrfs(f, f->btrfs, false, "\"young\":1,");
	assert_int_equal(outcome(f, &t, "format /b", NULL), NO);
	assert_int_equal(outcome(f, &t, "format /b", making(f, "format /b")), ANEW);
	assert_int_equal(outcome(f, &t, "format /b", making(f, "format /x")), NO);
}

static void what_looks_whole_is_kept_unless_the_journal_knows_better(void **state)
{
	struct fixture *f = *state;
	struct there t = btrfs(f, f->btrfs, true, "\"empty\":1,");

	assert_int_equal(outcome(f, &t, "format /b", NULL), KEPT);
	assert_int_equal(outcome(f, &t, "format /b", making(f, "format /x")), KEPT);
	assert_int_equal(outcome(f, &t, "format /b", making(f, "format /b")), ANEW);
	t = btrfs(f, f->btrfs, true, "\"empty\":0,");
	assert_int_equal(outcome(f, &t, "format /b", making(f, "format /b")), KEPT);
	t = btrfs(f, f->btrfs, true, "\"empty\":1,");
	t.more = arena_printf(
		f->a, "%s,\"mounts\":[{\"target\":\"/mnt\",\"type\":\"btrfs\",\"dev\":\"vda\"}]", t.more);
	assert_int_equal(outcome(f, &t, "format /b", making(f, "format /b")), KEPT);
	/* Somebody else lives there as well. */
	t = btrfs(f, f->btrfs, true, "\"empty\":1,");
	t.on[1] = arena_printf(f->a, "%s,%s", t.on[1], sig(f, "ext4", "filesystem", f->other));
	assert_int_equal(outcome(f, &t, "format /b", making(f, "format /b")), KEPT);
}

static void mkfs_xfs_says_itself_that_it_was_interrupted(void **state)
{
	struct fixture *f = *state;
	struct there t = { .on = { [2] = sig(f, "xfs", "filesystem", f->xfs) },
			   .more = ",\"xfs\":{\"vdc\":{\"block-size\":4096,\"unfinished\":1,\"empty\":1}}" };

	assert_int_equal(outcome(f, &t, "format /x", NULL), ANEW);
	t.on[2] = sig(f, "xfs", "filesystem", f->other);
	assert_int_equal(outcome(f, &t, "format /x", making(f, "format /x")), NO);
}

static void what_is_broken_and_empty_needs_no_journal(void **state)
{
	struct fixture *f = *state;
	struct there t = { .on = { [2] = sig(f, "xfs", "filesystem", f->xfs) },
			   .more = ",\"xfs\":{\"vdc\":{\"block-size\":4096,\"empty\":1}}" };

	assert_int_equal(outcome(f, &t, "format /x", NULL), KEPT);
	t.more = ",\"xfs\":{\"vdc\":{\"block-size\":4096,\"empty\":1,\"broken\":1}}";
	assert_int_equal(outcome(f, &t, "format /x", NULL), ANEW);
	t.more = ",\"xfs\":{\"vdc\":{\"block-size\":4096,\"empty\":0,\"broken\":1}}";
	assert_int_equal(outcome(f, &t, "format /x", NULL), KEPT);
	t = btrfs(f, f->btrfs, true, "\"empty\":1,\"broken\":1,");
	assert_int_equal(outcome(f, &t, "format /b", NULL), ANEW);
	t = btrfs(f, f->other, true, "\"empty\":1,\"broken\":1,");
	assert_int_equal(outcome(f, &t, "format /b", NULL), KEPT);
}

static struct there array(struct fixture *f, bool runs, const char *content)
{
	struct there t = { .on = { [3] = sig(f, "linux_raid_member", "raid", f->md) } };

	t.on[4] = runs ? t.on[3] : NULL;
	t.more = arena_printf(
		f->a,
		",\"md\":{\"arrays\":[%s],\"supers\":[{\"dev\":\"vdd\",\"metadata\":\"1.2\","
		"\"uuid\":\"%s\",\"level\":1,\"disks\":2,\"slot\":0}%s]}",
		runs ? "{\"dev\":\"md0\",\"state\":\"running\",\"level\":\"raid1\",\"metadata\":"
		       "\"1.2\",\"disks\":2,\"layout\":0,\"chunk\":0,\"component\":4289724416,"
		       "\"bitmap\":\"none\",\"members\":[{\"dev\":\"vdd\",\"state\":\"active\","
		       "\"slot\":0,\"offset\":5242880},{\"dev\":\"vde\",\"state\":\"active\","
		       "\"slot\":1,\"offset\":5242880}]}"
		     : "",
		f->md,
		runs ? arena_printf(f->a, ",{\"dev\":\"vde\",\"metadata\":\"1.2\",\"uuid\":\"%s\"}", f->md)
		     : "");
	if (runs)
		t.holder = arena_printf(
			f->a,
			",{\"name\":\"md0\",\"path\":\"/dev/md0\",\"type\":\"md\",\"size\":"
			"4289724416,\"logical\":512,\"physical\":512,\"min-io\":512,\"opt-io\":"
			"0,\"slaves\":[\"vdd\",\"vde\"],\"signatures\":[%s],\"looked\":true}",
			content);
	return t;
}

static void of_an_array_only_the_journal_can_tell(void **state)
{
	struct fixture *f = *state;
	struct there t = array(f, false, "");
	const struct plan *p;

	assert_int_equal(outcome(f, &t, "create m", NULL), NO);
	assert_int_equal(outcome(f, &t, "create m", making(f, "format /m")), NO);
	assert_int_equal(outcome(f, &t, "create m", making(f, "create m")), ANEW);
	t = array(f, true, "");
	assert_int_equal(outcome(f, &t, "create m", NULL), KEPT);
	p = plan(f, &t, making(f, "create m"));
	assert_non_null(p);
	assert_non_null(step(p, "stop md0"));
	assert_true(step(p, "stop md0")->number < step(p, "wipe vdd")->number);
	assert_true(step(p, "wipe vdd")->number < step(p, "create m")->number);
	/* Something is on it by now. */
	t = array(f, true, sig(f, "ext4", "filesystem", f->other));
	assert_int_equal(outcome(f, &t, "create m", making(f, "create m")), KEPT);
}

static const char *super(struct fixture *f, const char *dev, const char *uuid, int slot)
{
	return arena_printf(f->a,
			    "{\"dev\":\"%s\",\"metadata\":\"1.2\",\"uuid\":\"%s\",\"level\":1,\"disks\":2,"
			    "\"component\":4289724416,\"offset\":5242880,\"slot\":%d}",
			    dev, uuid, slot);
}

static const char *idle(struct fixture *f, const char *uuid)
{
	return arena_printf(f->a, ",\"md\":{\"arrays\":[],\"supers\":[%s,%s]}", super(f, "vdd", uuid, 0),
			    super(f, "vde", uuid, 1));
}

/* Nobody may make a filesystem on something that doesn't run: there may be one. */
static void what_does_not_run_is_started_first(void **state)
{
	struct fixture *f = *state;
	const char *member = sig(f, "linux_raid_member", "raid", f->md);
	struct there t = { .on = { [3] = member, [4] = member } };
	const struct plan *p;

	t.more = idle(f, f->md);
	p = plan(f, &t, NULL);
	assert_non_null(p);
	assert_true(p->partial);
	assert_non_null(step(p, "assemble m"));
	assert_null(step(p, "format /m"));
	assert_null(step(p, "format /x"));
	assert_int_equal(graph_get(p->want, "/m")->verdict, VERDICT_LATER);
	/* One that was being made is made anew instead. */
	p = plan(f, &t, making(f, "create m"));
	assert_non_null(p);
	assert_false(p->partial);
	assert_non_null(step(p, "create m"));
	/* Somebody else's is left alone. */
	t.on[3] = t.on[4] = sig(f, "linux_raid_member", "raid", f->other);
	t.more = idle(f, f->other);
	assert_null(plan(f, &t, making(f, "create m")));
}

static void a_name_is_for_one_object_on_its_disks(void **state)
{
	struct fixture *f = *state;

	assert_string_not_equal(making(f, "format /b"), making(f, "format /x"));
	assert_string_equal(making(f, "create m"), making(f, "wipe m"));
	assert_false(step(f->blank, "create m")->makes);
	assert_true(step(f->blank, "wipe m")->makes);
	assert_null(step(f->blank, "mount /b")->making);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_empty_and_not_whole_needs_no_journal, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_looks_whole_is_kept_unless_the_journal_knows_better,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(mkfs_xfs_says_itself_that_it_was_interrupted, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_is_broken_and_empty_needs_no_journal, set_up, tear_down),
		cmocka_unit_test_setup_teardown(of_an_array_only_the_journal_can_tell, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_does_not_run_is_started_first, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_name_is_for_one_object_on_its_disks, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
