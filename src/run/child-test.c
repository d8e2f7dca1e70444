/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "run/child.h"

struct fixture {
	struct arena *a;
	struct child c;
	struct capture out, err;
	char **env;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->a = arena_new();
	f->c.out_text = &f->out;
	f->c.err_text = &f->err;
	f->env = child_environment(f->a);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	child_kill(&f->c);
	arena_free(f->a);
	free(f);
	return 0;
}

static void sh(struct fixture *f, const char *script, uint64_t deadline_ms)
{
	char *argv[] = { arena_strdup(f->a, "sh"), arena_strdup(f->a, "-c"), arena_strdup(f->a, script),
			 NULL };

	assert_int_equal(child_spawn(&f->c, child_find(f->a, f->env, "sh"), argv, -1, f->env, deadline_ms),
			 0);
}

static const char *text_of(struct fixture *f, const struct capture *c)
{
	struct text t = capture_text(c, f->a);

	return text_str(&t);
}

/* Until it has said something. */
static void hear(struct fixture *f)
{
	while (!f->out.total) {
		struct pollfd fd = { .fd = f->c.out, .events = POLLIN };

		assert_int_equal(poll(&fd, 1, -1), 1);
		child_drain(&f->c);
	}
}

static void status_and_words_are_kept(void **state)
{
	struct fixture *f = *state;

	sh(f, "echo out; echo err >&2; exit 3", UINT64_MAX);
	assert_true(child_wait(&f->c, -1));
	assert_false(child_good(&f->c));
	assert_string_equal(child_end_text(&f->c, f->a, 9), "exited with 3");
	assert_string_equal(text_of(f, &f->out), "out\n");
	assert_string_equal(text_of(f, &f->err), "err\n");
}

static void it_is_alone(void **state)
{
	struct fixture *f = *state;
	int pipe_fds[2];

	assert_int_equal(pipe(pipe_fds), 0); /* without O_CLOEXEC, as a careless library would */
	sh(f,
	   "cat; echo $LC_ALL; for f in /proc/self/fd/*; do [ ${f##*/} -lt 3 ] || [ ! -e $f ] || echo open "
	   "$f; done",
	   UINT64_MAX);
	assert_true(child_wait(&f->c, -1));
	assert_true(child_good(&f->c));
	assert_string_equal(text_of(f, &f->out), "C.UTF-8\n");
	(void)close(pipe_fds[0]);
	(void)close(pipe_fds[1]);
}

static void a_deadline_ends_it(void **state)
{
	struct fixture *f = *state;

	sh(f, "echo begun; sleep 100; echo never", UINT64_MAX);
	hear(f);
	f->c.deadline_ms = child_clock_ms() + 20;
	assert_true(child_wait(&f->c, -1));
	assert_true(f->c.late);
	assert_false(child_good(&f->c));
	assert_string_equal(child_end_text(&f->c, f->a, 7), "took longer than 7 s and was stopped");
	assert_string_equal(text_of(f, &f->out), "begun\n");
}

static void who_ignores_sigterm_is_killed(void **state)
{
	struct fixture *f = *state;

	/* Without a loop: whatever becomes of this test, it ends by itself. */
	sh(f, "trap '' TERM; echo deaf; exec sleep 100", UINT64_MAX);
	hear(f);
	f->c.deadline_ms = 0;
	assert_false(child_step(&f->c, child_clock_ms()));
	assert_int_equal(f->c.state, CHILD_ASKED);
	f->c.deadline_ms = 0; /* the grace is over */
	(void)child_step(&f->c, child_clock_ms());
	assert_true(child_wait(&f->c, -1));
	assert_true(WIFSIGNALED(f->c.status));
	assert_int_equal(WTERMSIG(f->c.status), SIGKILL);
}

static void a_signal_is_told(void **state)
{
	struct fixture *f = *state;

	sh(f, "kill -KILL $$", UINT64_MAX);
	assert_true(child_wait(&f->c, -1));
	assert_string_equal(child_end_text(&f->c, f->a, 7), "was killed by signal 9 (Killed)");
}

static void megabytes_are_bounded(void **state)
{
	struct fixture *f = *state;
	const char *text;

	sh(f, "echo first; yes 0123456789 | head -c 3000000; echo; echo last >&2; echo last", UINT64_MAX);
	assert_true(child_wait(&f->c, -1));
	assert_true(child_good(&f->c));
	text = text_of(f, &f->out);
	assert_true(f->out.total > 3000000);
	assert_true(strlen(text) < CAPTURE_HEAD + CAPTURE_TAIL + 100);
	assert_true(text_starts(text, "first\n0123456789\n"));
	assert_string_equal(text + strlen(text) - strlen("last\n"), "last\n");
	assert_non_null(strstr(text, "\n[...]"));
}

static void who_stays_behind_is_not_waited_for(void **state)
{
	struct fixture *f = *state;
	uint64_t start = child_clock_ms();

	sh(f, "sleep 60 & echo $!", UINT64_MAX);
	assert_true(child_wait(&f->c, -1));
	assert_true(child_good(&f->c));
	assert_true(child_clock_ms() - start < 50000);
	assert_int_equal(kill((pid_t)strtol(text_of(f, &f->out), NULL, 10), SIGKILL), 0);
}

/* Whether the process whose number was said has ended. One that has no parent may stay as a zombie: nobody's fault here. */
static bool is_gone(struct fixture *f)
{
	const char *state = arena_printf(f->a, "/proc/%ld/stat", strtol(text_of(f, &f->out), NULL, 10));
	uint64_t start = child_clock_ms();
	char *text;

	while (!file_read(f->a, AT_FDCWD, state, 4096, &text, NULL) && !strstr(text, ") Z "))
		if (child_clock_ms() - start > 20000)
			return false;
	return true;
}

static void who_fails_takes_its_helpers_along(void **state)
{
	static const char *const ends[] = { "exit 1", "kill -KILL $$", "sleep 60" };
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		f->out.total = 0;
		/* Deaf to SIGTERM, as the last of them is ended by. */
		sh(f, arena_printf(f->a, "(trap '' TERM; exec sleep 60 <&- >&- 2>&-) & echo $!; %s", ends[i]),
		   UINT64_MAX);
		hear(f);
		if (i == 2)
			f->c.deadline_ms = 0;
		assert_true(child_wait(&f->c, -1));
		assert_false(child_good(&f->c));
		assert_true(is_gone(f));
	}
}

static int say_and_fail(void *arg)
{
	(void)!write(STDERR_FILENO, arg, strlen(arg));
	return getpid() == getsid(0) ? 5 : 6;
}

static void a_function_runs_apart(void **state)
{
	struct fixture *f = *state;
	char words[] = "words\n";

	assert_int_equal(child_fork(&f->c, say_and_fail, words, -1, f->env, UINT64_MAX), 0);
	assert_true(child_wait(&f->c, -1));
	assert_string_equal(child_end_text(&f->c, f->a, 9), "exited with 5");
	assert_string_equal(text_of(f, &f->err), "words\n");
}

static void programs_are_found(void **state)
{
	struct fixture *f = *state;
	char *env[] = { arena_strdup(f->a, "PATH=:.:relative:/bin:/usr/bin"), NULL };

	assert_null(child_find(f->a, f->env, "no-such-program"));
	assert_string_equal(child_find(f->a, env, "sh"), "/bin/sh");
	assert_string_equal(child_find(f->a, env, "/x/y"), "/x/y");
}

static void missing_program_is_an_error(void **state)
{
	struct fixture *f = *state;
	char *argv[] = { arena_strdup(f->a, "nothing"), NULL };

	assert_int_equal(child_spawn(&f->c, "/nonexistent/nothing", argv, -1, f->env, UINT64_MAX), -ENOENT);
	assert_int_equal(f->c.state, CHILD_NONE);
}

static void last_lines(void **state)
{
	struct fixture *f = *state;
	const char *text = "one\n\n  \ntwo\rthree  \r\nfour\x1b[m\nfive";
	text_list l;

	capture_add(&f->out, text, strlen(text));
	l = capture_last(&f->out, f->a, 3);
	assert_int_equal(l.n, 3);
	assert_string_equal(l.at[0], "three");
	assert_string_equal(l.at[1], "four\\x1B[m");
	assert_string_equal(l.at[2], "five");
	assert_int_equal(capture_last(&f->out, f->a, 9).n, 4);
	assert_int_equal(capture_last(&f->err, f->a, 9).n, 0);
}

static void ring_keeps_the_end(void **state)
{
	struct fixture *f = *state;
	char text[1000];
	const char *s;

	/* Pieces that don't divide the ring's size. */
	for (int i = 0; i < 100; i++) {
		memset(text, 'a' + i % 26, sizeof(text));
		capture_add(&f->out, text, 997);
		s = text_of(f, &f->out);
		assert_int_equal(s[0], 'a');
		assert_int_equal(s[strlen(s) - 1], 'a' + i % 26);
		assert_int_equal(s[strlen(s) - 997], 'a' + i % 26);
		if (i)
			assert_int_equal(s[strlen(s) - 998], 'a' + (i - 1) % 26);
	}
	assert_int_equal(f->out.total, 99700);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(status_and_words_are_kept, set_up, tear_down),
		cmocka_unit_test_setup_teardown(it_is_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_deadline_ends_it, set_up, tear_down),
		cmocka_unit_test_setup_teardown(who_ignores_sigterm_is_killed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_signal_is_told, set_up, tear_down),
		cmocka_unit_test_setup_teardown(megabytes_are_bounded, set_up, tear_down),
		cmocka_unit_test_setup_teardown(who_stays_behind_is_not_waited_for, set_up, tear_down),
		cmocka_unit_test_setup_teardown(who_fails_takes_its_helpers_along, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_function_runs_apart, set_up, tear_down),
		cmocka_unit_test_setup_teardown(programs_are_found, set_up, tear_down),
		cmocka_unit_test_setup_teardown(missing_program_is_an_error, set_up, tear_down),
		cmocka_unit_test_setup_teardown(last_lines, set_up, tear_down),
		cmocka_unit_test_setup_teardown(ring_keeps_the_end, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
