/* How many processors and how much memory control groups allow, read from folders that are laid out as the
 * kernel's are. */
#define _XOPEN_SOURCE 700 /* nftw */
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/machine.h"

#define GIB ((int64_t)1 << 30)

static char root[] = "/tmp/halo-machine-XXXXXX";

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *place)
{
    (void)st;
    (void)kind;
    (void)place;
    return remove(path);
}

static int begin(void **state)
{
    (void)state;
    strcpy(root + sizeof root - 7, "XXXXXX");
    return mkdtemp(root) == NULL;
}

static int end(void **state)
{
    (void)state;
    return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* A file below the root, with the folders above it. */
static void put(const char *path, const char *text)
{
    char name[512];
    snprintf(name, sizeof name, "%s/%s", root, path);
    for (char *at = name + strlen(root) + 1; (at = strchr(at, '/')) != NULL; *at++ = '/') {
        *at = 0;
        mkdir(name, 0777);
    }
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void expect(double processors, int64_t memory)
{
    const CgroupLimits limits = cgroup_limits(root);
    assert_true(limits.processors == processors);
    assert_int_equal(limits.memory, memory);
}

#define MOUNT_2 "31 23 0:28 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"

static void without_groups_there_is_no_limit(void **state)
{
    (void)state;
    expect(0, INT64_MAX);
    put("proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
    put("proc/self/cgroup", "0::/\n");
    expect(0, INT64_MAX);
}

static void version_2_in_a_container(void **state)
{
    (void)state;
    put("proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n" MOUNT_2);
    put("proc/self/cgroup", "0::/\n");
    put("sys/fs/cgroup/memory.max", "4294967296\n");
    put("sys/fs/cgroup/memory.high", "max\n");
    put("sys/fs/cgroup/cpu.max", "150000 100000\n");
    expect(1.5, 4 * GIB);
    put("sys/fs/cgroup/memory.max", "max\n");
    put("sys/fs/cgroup/memory.high", "1073741824\n");
    put("sys/fs/cgroup/cpu.max", "max 100000\n");
    expect(0, GIB);
}

/* The parent group has the smaller limit of one kind, the group itself of the other, and siblings do not
 * matter. */
static void the_smallest_limit_up_to_the_root_counts(void **state)
{
    (void)state;
    put("proc/self/mountinfo", MOUNT_2);
    put("proc/self/cgroup", "0::/jobs.slice/one.scope/step\n");
    put("sys/fs/cgroup/jobs.slice/memory.max", "1073741824\n");
    put("sys/fs/cgroup/jobs.slice/cpu.max", "800000 100000\n");
    put("sys/fs/cgroup/jobs.slice/one.scope/memory.max", "max\n");
    put("sys/fs/cgroup/jobs.slice/one.scope/step/memory.max", "2147483648\n");
    put("sys/fs/cgroup/jobs.slice/one.scope/step/cpu.max", "200000 100000\n");
    put("sys/fs/cgroup/jobs.slice/other.scope/memory.max", "4096\n");
    expect(2, GIB);
}

static void version_1(void **state)
{
    (void)state;
    put("proc/self/mountinfo", "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
                               "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                               "36 31 0:33 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    put("proc/self/cgroup", "9:name=systemd:/a\n4:memory:/a/b\n3:cpu,cpuacct:/c\n0::/a\n");
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "3221225472\n");
    put("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
    put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    put("sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_quota_us", "25000\n");
    put("sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_period_us", "50000\n");
    expect(0.5, 3 * GIB);
}

/* Docker with version 1: the paths are those of the host, of which the container's group alone is mounted. */
static void a_group_mounted_as_the_root(void **state)
{
    (void)state;
    put("proc/self/mountinfo",
        "35 31 0:32 /docker/a\\040b /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
    put("sys/fs/cgroup/memory/in/memory.limit_in_bytes", "4096\n");
    put("proc/self/cgroup", "4:memory:/docker/a b\n");
    expect(0, GIB);
    put("proc/self/cgroup", "4:memory:/docker/a b/in\n");
    expect(0, 4096);
    put("proc/self/cgroup", "4:memory:/docker/a bc\n");
    expect(0, GIB);
    put("proc/self/cgroup", "4:memory:/../in\n");
    expect(0, GIB);
}

static void what_cannot_be_understood_sets_no_limit(void **state)
{
    (void)state;
    char *path = malloc(5001);
    memset(path, 'a', 5000);
    memcpy(path, "0::/", 4);
    path[5000] = 0;
    put("proc/self/mountinfo", "- cgroup2\n31 23 - cgroup2 x\n31 - cgroup \n" MOUNT_2);
    put("proc/self/cgroup", path);
    put("sys/fs/cgroup/memory.max", "1073741824\n");
    expect(0, INT64_MAX);
    put("proc/self/cgroup", "0\n1:\n0::/\n");
    put("sys/fs/cgroup/memory.max", "-5\n");
    put("sys/fs/cgroup/memory.high", "99999999999999999999\n");
    put("sys/fs/cgroup/cpu.max", "100000 0\n");
    expect(0, INT64_MAX);
    put("sys/fs/cgroup/cpu.max", "");
    expect(0, INT64_MAX);
    free(path);
}

static void the_plan_for_a_machine(void **state)
{
    (void)state;
    CgroupLimits limits = {0, INT64_MAX};
    HaloMachine plan = machine_plan(8, 8, 16 * GIB, &limits);
    assert_int_equal(plan.threads, 8);
    assert_int_equal(plan.memory, 12 * GIB);
    assert_string_equal(plan.why_threads, "the machine has 8 processors");
    assert_string_equal(plan.why_memory, "three quarters of the machine's, 16384.0 MiB");
    plan = machine_plan(8, 3, 16 * GIB, &limits);
    assert_int_equal(plan.threads, 3);
    assert_string_equal(plan.why_threads, "3 of the machine's 8 processors may be used");
    limits = (CgroupLimits){1.5, 4 * GIB};
    plan = machine_plan(8, 3, 16 * GIB, &limits);
    assert_int_equal(plan.threads, 2);
    assert_int_equal(plan.memory, 3 * GIB);
    assert_string_equal(plan.why_threads, "a cgroup's quota is 1.5 processors");
    assert_string_equal(plan.why_memory, "three quarters of a cgroup's limit, 4096.0 MiB");
    limits = (CgroupLimits){0.1, 1};
    plan = machine_plan(8, 8, 16 * GIB, &limits);
    assert_int_equal(plan.threads, 1);
    assert_int_equal(plan.memory, 1);
    limits = (CgroupLimits){64, INT64_MAX - 4095}; /* version 1 has no other word for no limit */
    plan = machine_plan(8, 8, 16 * GIB, &limits);
    assert_int_equal(plan.threads, 8);
    assert_int_equal(plan.memory, 12 * GIB);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_groups_there_is_no_limit, begin, end),
        cmocka_unit_test_setup_teardown(version_2_in_a_container, begin, end),
        cmocka_unit_test_setup_teardown(the_smallest_limit_up_to_the_root_counts, begin, end),
        cmocka_unit_test_setup_teardown(version_1, begin, end),
        cmocka_unit_test_setup_teardown(a_group_mounted_as_the_root, begin, end),
        cmocka_unit_test_setup_teardown(what_cannot_be_understood_sets_no_limit, begin, end),
        cmocka_unit_test(the_plan_for_a_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
