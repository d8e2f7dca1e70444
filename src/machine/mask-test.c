/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "machine/machine.h"
#include "machine/parts.h"

static void test_passwords_are_masked_and_all_else_stays(void **state)
{
	static const struct {
		const char *line, *masked;
	} cases[] = {
		{ "//srv/x /x cifs username=me,password=geheim,uid=0 0 0\n",
		  "//srv/x /x cifs username=me,password=***,uid=0 0 0\n" },
		{ "//srv/x /x cifs PASS=a,credentials=/root/c 0 0\r\n",
		  "//srv/x /x cifs PASS=***,credentials=/root/c 0 0\r\n" },
		{ "//srv/x /x cifs user=me%geheim 0 0\n", "//srv/x /x cifs user=me%*** 0 0\n" },
		{ "//me:geheim@srv/x /x cifs guest 0 0\n", "//me:***@srv/x /x cifs guest 0 0\n" },
		{ "curlftpfs#me:a@b@host /x fuse ro 0 0", "curlftpfs#me:***@host /x fuse ro 0 0" },
		{ "host:/x /x ceph name=a,secret=abc==,ro 0 0\n",
		  "host:/x /x ceph name=a,secret=***,ro 0 0\n" },
		{ "//srv/x /x cifs password=\"a, b\",ro 0 0\n", "//srv/x /x cifs password=***,ro 0 0\n" },
		{ "# //srv/x /x cifs passwd=old 0 0\n", "# //srv/x /x cifs passwd=*** 0 0\n" },
		{ "UUID=1 /pass=x ext4 nopass=1,password= 0 2\n\n",
		  "UUID=1 /pass=x ext4 nopass=1,password= 0 2\n\n" },
		{ "host:/export/a@b /x nfs ro 0 0\n", "host:/export/a@b /x nfs ro 0 0\n" },
		{ "crypt /dev/sda1 /root/key luks,tpm2-pin=1\n",
		  "crypt /dev/sda1 /root/key luks,tpm2-pin=1\n" },
	};
	_cleanup_arena_ struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_string_equal(machine_mask(a, "/mnt/etc/fstab", cases[i].line), cases[i].masked);
		assert_ptr_equal(machine_mask(a, "/etc/mdadm.conf", cases[i].line), cases[i].line);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_passwords_are_masked_and_all_else_stays) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
