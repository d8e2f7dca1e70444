/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"

static const char *temporary(struct arena *a, size_t n)
{
	char *path = arena_strdup(a, "/tmp/stowage-file-test-XXXXXX");
	_cleanup_fd_ int fd = mkstemp(path);
	char *bytes = arena_alloc(a, n);

	assert_true(fd >= 0);
	memset(bytes, 'x', n);
	assert_int_equal(write(fd, bytes, n), n);
	return path;
}

static void sizes_around_the_limit(void **state)
{
	static const size_t sizes[] = { 0, 1, 4095, 4096, 4097, 100000, 3000000 };
	_cleanup_arena_ struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		const char *path = temporary(a, sizes[i]);
		size_t len = 42;
		char *s = NULL;

		assert_int_equal(file_read(a, AT_FDCWD, path, SIZE_MAX, &s, &len), 0);
		assert_int_equal(len, sizes[i]);
		assert_int_equal(strlen(s), len);
		assert_int_equal(file_read(a, AT_FDCWD, path, sizes[i], &s, NULL), 0);
		if (sizes[i])
			assert_int_equal(file_read(a, AT_FDCWD, path, sizes[i] - 1, &s, &len), -EFBIG);
		(void)unlink(path);
	}
}

static void not_only_plain_files(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	_cleanup_fd_ int dir = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int ends[2];
	size_t len;
	char *s;

	(void)state;
	assert_int_equal(file_read(a, dir, "stat", 100000, &s, &len), 0);
	assert_true(len > 0);
	assert_int_equal(file_read(a, dir, "fd", 100000, &s, &len), -EISDIR);
	assert_int_equal(file_read(a, dir, "nothing-like-it", 100000, &s, &len), -ENOENT);

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(write(ends[1], "a\0b", 3), 3);
	(void)close(ends[1]);
	assert_int_equal(file_read(a, AT_FDCWD, arena_printf(a, "/proc/self/fd/%d", ends[0]), 3, &s, &len),
			 0);
	assert_int_equal(len, 3);
	assert_memory_equal(s, "a\0b\0", 4);
	(void)close(ends[0]);
}

/* "/a" as the target of a link is the root's a, not this system's. */
static void links_do_not_lead_out_of_the_root(void **state)
{
	_cleanup_arena_ struct arena *a = arena_new();
	char *top = arena_strdup(a, "/tmp/stowage-file-test-XXXXXX"), *s = NULL;
	const char *outside = temporary(a, 3), *name = strrchr(outside, '/');

	(void)state;
	assert_non_null(mkdtemp(top));
	assert_int_equal(mkdir(arena_printf(a, "%s/etc", top), 0755), 0);
	assert_int_equal(symlink(outside, arena_printf(a, "%s/etc/fstab", top)), 0);
	assert_int_equal(file_open_in(top, "/etc/fstab"), -ENOENT);
	assert_int_equal(symlink("/etc", arena_printf(a, "%s/tmp", top)), 0);
	assert_int_equal(symlink(arena_printf(a, "/tmp%s", name), arena_printf(a, "%s/etc/x", top)), 0);
	assert_int_equal(rename(outside, arena_printf(a, "%s/etc%s", top, name)), 0);
	for (int i = 0; i < 2; i++) {
		_cleanup_fd_ int fd = file_open_in(i ? NULL : top,
						   i ? arena_printf(a, "%s/etc%s", top, name) : "/etc/x");

		assert_true(fd >= 0);
		assert_int_equal(file_read_fd(a, fd, 3, &s, NULL), 0);
		assert_string_equal(s, "xxx");
	}
	assert_int_equal(unlink(arena_printf(a, "%s/etc%s", top, name)), 0);
	assert_int_equal(unlink(arena_printf(a, "%s/etc/x", top)), 0);
	assert_int_equal(unlink(arena_printf(a, "%s/etc/fstab", top)), 0);
	assert_int_equal(unlink(arena_printf(a, "%s/tmp", top)), 0);
	assert_int_equal(rmdir(arena_printf(a, "%s/etc", top)), 0);
	assert_int_equal(rmdir(top), 0);
}

static void taking_a_handle_leaves_none(void **state)
{
	int fd = 7;

	(void)state;
	assert_int_equal(take_fd(&fd), 7);
	assert_int_equal(fd, -1);
	close_fdp(&fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_around_the_limit),
		cmocka_unit_test(not_only_plain_files),
		cmocka_unit_test(links_do_not_lead_out_of_the_root),
		cmocka_unit_test(taking_a_handle_leaves_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
