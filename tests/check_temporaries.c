/* Temporary files of outputs: none outlives its process except after SIGKILL, and the next process removes
 * stale ones, never one in use. */
#define _GNU_SOURCE /* for text.c */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../cli/text/text.c" /* in no library */
#include "codec.h"

static const HaloSinkOptions careful = {0}, force = {.force = HALO_FORCE_YES}, synced = {.sync = true};

static int files_in_folder(const char *pattern)
{
    char command[600];
    int count = -1;
    snprintf(command, sizeof command, "find %s -name '%s' ! -type d | wc -l", test_folder(), pattern);
    FILE *list = popen(command, "r");
    if (fscanf(list, "%d", &count) != 1) count = -1;
    pclose(list);
    return count;
}

static void nap(long ms)
{
    const struct timespec time = {.tv_nsec = ms * 1000000};
    nanosleep(&time, NULL);
}

static int exit_of(pid_t child)
{
    int outcome = -1;
    assert_int_equal(waitpid(child, &outcome, 0), child);
    return WIFEXITED(outcome) ? WEXITSTATUS(outcome) : -1;
}

static void put(const char *path, const HaloSinkOptions *options)
{
    HaloSink *sink;
    assert_int_equal(halo_sink_open(path, options, &sink), HALO_OK);
    assert_int_equal(halo_sink_write(sink, "made", 4), HALO_OK);
    assert_int_equal(halo_sink_commit(sink), HALO_OK);
}

/* ---- the end of a process ------------------------------------------------------------------------------- */

static void nothing_is_created_after_a_signal(void **unused)
{
    (void)unused;
    const char *path = test_path("late");
    const pid_t child = fork();
    if (child == 0) {
        HaloSink *sink;
        halo_sink_abandon_all();
        _exit(halo_sink_open(path, &careful, &sink) == HALO_ERR_OUTPUT && sink == NULL ? 0 : 1);
    }
    assert_int_equal(exit_of(child), 0);
    assert_int_equal(files_in_folder("*"), 0);
}

/* Outputs without end: committed, replaced and given up in turn. */
static void *at_work(void *number)
{
    char path[600];
    for (int i = 0;; i++) {
        HaloSink *sink;
        snprintf(path, sizeof path, "%s/w%d-%d", test_folder(), *(int *)number, i % 5);
        if (halo_sink_open(path, i < 5 ? &careful : &force, &sink) != HALO_OK) continue;
        if (i % 3 == 0)
            halo_sink_abandon(sink);
        else
            (void)halo_sink_commit(sink);
    }
    return NULL;
}

static void on_signal(int number)
{
    halo_sink_abandon_all();
    _exit(128 + number);
}

static void a_signal_while_threads_work(void **unused)
{
    (void)unused;
    for (int round = 0; round < 100; round++) {
        const pid_t child = fork();
        if (child == 0) {
            static int number[3] = {1, 2, 3};
            pthread_t thread;
            signal(SIGTERM, on_signal);
            for (int i = 0; i < 3; i++) pthread_create(&thread, NULL, at_work, &number[i]);
            for (;;) pause();
        }
        nap(2 + round % 7);
        kill(child, SIGTERM);
        const int outcome = exit_of(child);
        assert_true(outcome == 128 + SIGTERM || outcome == -1); /* before it had a handler */
        assert_int_equal(files_in_folder(".*.halo-*"), 0);
    }
    for (int i = 1; i <= 15; i++) {
        char name[32];
        snprintf(name, sizeof name, "w%d-%d", (i - 1) / 5 + 1, i % 5);
        unlink(test_path(name));
    }
    assert_int_equal(files_in_folder("*"), 0);
}

static void *without_memory(void *unused)
{
    (void)unused;
    size_t capacity = SIZE_MAX / 4;
    return cli_grow(NULL, capacity, &capacity, 8);
}

static void lack_of_memory_ends_all(void **unused)
{
    (void)unused;
    const pid_t child = fork();
    if (child == 0) {
        HaloSink *sink[3];
        pthread_t thread;
        for (int i = 0; i < 3; i++) {
            char name[16];
            snprintf(name, sizeof name, "s%d", i);
            if (halo_sink_open(test_path(name), &careful, &sink[i]) != HALO_OK) _exit(1);
        }
        if (files_in_folder(".*.halo-*") != 3) _exit(2);
        pthread_create(&thread, NULL, without_memory, NULL);
        pthread_join(thread, NULL);
        _exit(3);
    }
    assert_int_equal(exit_of(child), HALO_ERR_LIMIT);
    assert_int_equal(files_in_folder("*"), 0);
}

/* ---- what others left, and what others have in use ---------------------------------------------------------
 */

static void stale_temporaries_are_removed(void **unused)
{
    (void)unused;
    const char *path = test_path("again");
    const pid_t child = fork();
    if (child == 0) {
        HaloSink *sink;
        _exit(halo_sink_open(path, &careful, &sink)); /* as if killed */
    }
    assert_int_equal(exit_of(child), 0);
    assert_int_equal(files_in_folder(".again.halo-*"), 1);
    put(path, &careful);
    assert_int_equal(files_in_folder("*"), 1);
    unlink(path);
}

static void temporaries_in_use_stay(void **unused)
{
    (void)unused;
    const char *path = test_path("alive");
    int ready[2], go[2];
    char byte = 0;
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(go), 0);
    const pid_t child = fork();
    if (child == 0) {
        HaloSink *sink, *dead;
        if (halo_sink_open(path, &force, &sink) != HALO_OK) _exit(1);
        if (halo_sink_open(path, &force, &dead) != HALO_OK) _exit(1); /* beside it: two names */
        if (halo_sink_write(sink, "theirs", 6) != HALO_OK) _exit(2);
        if (write(ready[1], "x", 1) != 1 || read(go[0], &byte, 1) != 1) _exit(3);
        if (halo_sink_commit(sink) != HALO_OK) _exit(4);
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(files_in_folder(".alive.halo-*"), 2);
    halo_sink_sweep(path);
    assert_int_equal(files_in_folder(".alive.halo-*"), 2);
    put(path, &careful); /* and a process that writes the same output does not take them for stale */
    assert_int_equal(files_in_folder(".alive.halo-*"), 2);
    assert_int_equal(write(go[1], "x", 1), 1);
    assert_int_equal(exit_of(child), 0);
    const Bytes file = bytes_of_file(path);
    assert_int_equal(file.size, 6);
    free(file.at);
    assert_int_equal(files_in_folder(".alive.halo-*"), 1);
    halo_sink_sweep(path);
    assert_int_equal(files_in_folder("*"), 1);
    unlink(path);
}

static void other_things_with_such_a_name_stay(void **unused)
{
    (void)unused;
    const char *path = test_path("odd");
    assert_int_equal(mkfifo(test_path(".odd.halo-000000"), 0600), 0);
    assert_int_equal(mkdir(test_path(".odd.halo-000001"), 0700), 0);
    assert_int_equal(symlink("nowhere", test_path(".odd.halo-000002")), 0);
    put(path, &careful);
    halo_sink_sweep(path);
    assert_int_equal(files_in_folder("*odd*"), 3);
    unlink(test_path(".odd.halo-000000"));
    rmdir(test_path(".odd.halo-000001"));
    unlink(test_path(".odd.halo-000002"));
    unlink(path);
}

static void a_file_of_the_user_stays(void **unused)
{
    (void)unused;
    const char *path = test_path("mine"), *name[] = {".mine.halo-000000", ".mine.halo-000001"};
    bytes_to_file(test_path(name[0]), "diary", 5);
    const pid_t child = fork();
    if (child == 0) {
        HaloSink *sink;
        _exit(halo_sink_open(path, &careful, &sink)); /* as if killed: it leaves the second name */
    }
    assert_int_equal(exit_of(child), 0);
    assert_int_equal(files_in_folder(".mine.halo-*"), 2);
    put(path, &careful);
    halo_sink_sweep(path);
    assert_int_equal(files_in_folder(".mine.halo-*"), 1);
    const Bytes file = bytes_of_file(test_path(name[0]));
    assert_int_equal(file.size, 5);
    free(file.at);
    unlink(test_path(name[0]));
    unlink(path);
}

/* ---- mode and owner ------------------------------------------------------------------------------------- */

static struct stat look_at(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st;
}

static void a_new_file_has_the_mode_of_one(void **unused)
{
    (void)unused;
    const char *path = test_path("fresh");
    const mode_t before = umask(027);
    put(path, &careful);
    assert_int_equal(look_at(path).st_mode, S_IFREG | 0640);
    umask(before);
    unlink(path);
}

static void what_is_replaced_keeps_its_mode(void **unused)
{
    (void)unused;
    static const mode_t mode[] = {0600, 0644, 0666, 0755, 0400};
    const char *path = test_path("modes");
    put(path, &careful);
    for (size_t i = 0; i < sizeof mode / sizeof mode[0]; i++) {
        assert_int_equal(chmod(path, mode[i]), 0);
        put(path, &force);
        assert_int_equal(look_at(path).st_mode, S_IFREG | mode[i]);
    }
    unlink(path);
}

/* A file that root replaces keeps its owner. Other users cannot change owners: then the group is kept if
 * possible, or else gets no more rights than others. */
static void what_is_replaced_keeps_its_owner(void **unused)
{
    (void)unused;
    const char *path = test_path("owned");
    if (geteuid() != 0) skip();
    put(path, &careful);
    assert_int_equal(chown(path, 12345, 23456), 0);
    assert_int_equal(chmod(path, 0664), 0);
    put(path, &force);
    struct stat st = look_at(path);
    assert_int_equal(st.st_uid, 12345);
    assert_int_equal(st.st_gid, 23456);
    assert_int_equal(st.st_mode, S_IFREG | 0664);
    assert_int_equal(chmod(test_folder(), 0777), 0);
    const pid_t child = fork();
    if (child == 0) {
        if (setgid(34567) != 0 || setuid(45678) != 0) _exit(1);
        put(path, &force);
        _exit(0);
    }
    assert_int_equal(exit_of(child), 0);
    assert_int_equal(chmod(test_folder(), 0700), 0);
    st = look_at(path);
    assert_int_equal(st.st_uid, 45678);
    assert_int_equal(st.st_gid, 34567);
    assert_int_equal(st.st_mode, S_IFREG | 0644);
    unlink(path);
}

/* ---- on the disk ---------------------------------------------------------------------------------------- */

static void synced_outputs(void **unused)
{
    (void)unused;
    const HaloSinkOptions same = {.sync = true, .force = HALO_FORCE_SAME};
    const char *path = test_path("synced");
    HaloSink *sink;
    put(path, &synced);
    put(path, &same);
    unlink(path);
    assert_int_equal(halo_sink_open("/dev/null", &synced, &sink), HALO_OK); /* keeps nothing */
    assert_int_equal(halo_sink_commit(sink), HALO_OK);
    assert_int_equal(halo_sync_folder("here"), HALO_OK);
    assert_int_equal(halo_sync_folder("/root-of-all"), HALO_OK);
    assert_int_equal(halo_sync_folder(test_path("no/where")), HALO_ERR_OUTPUT);
    assert_non_null(strstr(halo_error(), "/no: cannot sync it to the disk: No such file or directory"));
    assert_int_equal(halo_sync_file(test_path("none")), HALO_ERR_OUTPUT);
    assert_int_equal(files_in_folder("*"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_created_after_a_signal),
        cmocka_unit_test(a_signal_while_threads_work),
        cmocka_unit_test(lack_of_memory_ends_all),
        cmocka_unit_test(stale_temporaries_are_removed),
        cmocka_unit_test(temporaries_in_use_stay),
        cmocka_unit_test(other_things_with_such_a_name_stay),
        cmocka_unit_test(a_file_of_the_user_stays),
        cmocka_unit_test(a_new_file_has_the_mode_of_one),
        cmocka_unit_test(what_is_replaced_keeps_its_mode),
        cmocka_unit_test(what_is_replaced_keeps_its_owner),
        cmocka_unit_test(synced_outputs),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}
