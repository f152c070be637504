/* Outputs: they are complete or do not exist. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "codec.h"

static const HaloSinkOptions careful = {0}, force = {.force = HALO_FORCE_YES},
                             same = {.force = HALO_FORCE_SAME};

static int files_in_folder(void)
{
    char command[600];
    int count = -1;
    snprintf(command, sizeof command, "ls -A %s | wc -l", test_folder());
    FILE *list = popen(command, "r");
    if (fscanf(list, "%d", &count) != 1) count = -1;
    pclose(list);
    return count;
}

static void expect_file(const char *path, const char *text)
{
    const Bytes file = bytes_of_file(path);
    assert_int_equal(file.size, strlen(text));
    assert_memory_equal(file.at, text, file.size);
    free(file.at);
}

static HaloStatus put(const char *path, const HaloSinkOptions *options, const char *text)
{
    HaloSink *sink;
    HaloStatus status = halo_sink_open(path, options, &sink);
    if (status != HALO_OK) return status;
    status = halo_sink_write(sink, text, strlen(text));
    if (status == HALO_OK) return halo_sink_commit(sink);
    halo_sink_abandon(sink);
    return status;
}

static void outputs_are_complete_or_absent(void **unused)
{
    (void)unused;
    const char *path = test_path("out");
    HaloSink *sink;
    assert_int_equal(halo_sink_open(path, &careful, &sink), HALO_OK);
    assert_int_equal(halo_sink_write(sink, "half", 4), HALO_OK);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(files_in_folder(), 1);
    halo_sink_abandon(sink);
    assert_int_equal(files_in_folder(), 0);

    assert_int_equal(put(path, &careful, "one"), HALO_OK);
    expect_file(path, "one");
    assert_int_equal(put(path, &careful, "two"), HALO_ERR_INPUT);
    assert_non_null(strstr(halo_error(), "out exists: use replace=true to replace it"));
    expect_file(path, "one");
    assert_int_equal(put(path, &force, "three"), HALO_OK);
    expect_file(path, "three");
    assert_int_equal(files_in_folder(), 1);
    unlink(path);
}

static void the_same_bytes_stay(void **unused)
{
    (void)unused;
    const char *path = test_path("same");
    struct stat before, after;
    char *long_text = malloc(700001);
    assert_non_null(long_text);
    memset(long_text, 'x', 700000);
    long_text[700000] = 0;
    assert_int_equal(put(path, &same, long_text), HALO_OK);
    assert_int_equal(stat(path, &before), 0);
    assert_int_equal(put(path, &same, long_text), HALO_OK);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    long_text[699999] = 'y'; /* as long, longer, shorter, nothing */
    assert_int_equal(put(path, &same, long_text), HALO_ERR_INPUT);
    assert_non_null(strstr(halo_error(), "same exists: use replace=true to replace it"));
    long_text[699999] = 0;
    assert_int_equal(put(path, &same, long_text), HALO_ERR_INPUT);
    assert_int_equal(put(path, &same, ""), HALO_ERR_INPUT);
    long_text[699999] = 'x';
    expect_file(path, long_text);
    assert_int_equal(files_in_folder(), 1);
    free(long_text);
    unlink(path);
}

/* Another process makes the output while ours is being written. */
static void outputs_that_appear_meanwhile_stay(void **unused)
{
    (void)unused;
    const char *path = test_path("race");
    HaloSink *sink;
    assert_int_equal(halo_sink_open(path, &careful, &sink), HALO_OK);
    bytes_to_file(path, "theirs", 6);
    assert_int_equal(halo_sink_write(sink, "ours", 4), HALO_OK);
    assert_int_equal(halo_sink_commit(sink), HALO_ERR_INPUT);
    expect_file(path, "theirs");
    assert_int_equal(files_in_folder(), 1);
    unlink(path);
}

static void modes_are_kept(void **unused)
{
    (void)unused;
    const char *path = test_path("mode");
    struct stat st;
    const mode_t old = umask(027);
    assert_int_equal(put(path, &careful, "x"), HALO_OK);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    assert_int_equal(chmod(path, 0604), 0);
    assert_int_equal(put(path, &force, "y"), HALO_OK);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0604);
    umask(old);
    unlink(path);
}

static void links_are_followed(void **unused)
{
    (void)unused;
    const char *target = test_path("target"), *link = test_path("link"), *dangling = test_path("dangling");
    struct stat st;
    bytes_to_file(target, "old", 3);
    assert_int_equal(symlink("target", link), 0);
    assert_int_equal(symlink("later", dangling), 0);
    assert_int_equal(put(link, &careful, "no"), HALO_ERR_INPUT);
    assert_int_equal(put(link, &force, "new"), HALO_OK);
    expect_file(target, "new");
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(put(dangling, &careful, "made"), HALO_OK);
    expect_file(test_path("later"), "made");
    unlink(test_path("later"));
    unlink(dangling);
    unlink(link);
    unlink(target);
    assert_int_equal(symlink("loop", test_path("loop")), 0);
    assert_int_equal(put(test_path("loop"), &force, "x"), HALO_ERR_OUTPUT);
    unlink(test_path("loop"));
}

static void inputs_and_folders_are_refused(void **unused)
{
    (void)unused;
    const char *path = test_path("input");
    HaloSource *source;
    HaloSink *sink;
    bytes_to_file(path, "input", 5);
    HaloRead read[2] = {{.what = "another"}, {.what = "the input"}};
    const HaloSinkOptions options = {.force = true, .read = read, .reads = 2};
    assert_int_equal(halo_source_open(path, &source), HALO_OK);
    assert_true(halo_source_identity(source, &read[1]));
    halo_source_close(source);
    assert_int_equal(halo_sink_open(path, &options, &sink), HALO_ERR_USAGE);
    assert_non_null(strstr(halo_error(), "is the input"));
    assert_int_equal(halo_sink_open(test_folder(), &options, &sink), HALO_ERR_USAGE);
    assert_int_equal(halo_sink_open(test_path("no/where"), &options, &sink), HALO_ERR_OUTPUT);
    assert_int_equal(halo_sink_open("", &options, &sink), HALO_ERR_OUTPUT);
    expect_file(path, "input");
    unlink(path);
    assert_int_equal(files_in_folder(), 0);
}

static void devices_are_written_directly(void **unused)
{
    (void)unused;
    struct stat st;
    HaloSink *sink;
    int64_t place;
    assert_int_equal(put("/dev/null", &careful, "x"), HALO_OK);
    assert_int_equal(put("/dev/full", &careful, "x"), HALO_ERR_OUTPUT);
    assert_non_null(strstr(halo_error(), "/dev/full: cannot write: No space left on device"));
    assert_int_equal(stat("/dev/full", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    assert_int_equal(halo_sink_open("/dev/null", &careful, &sink), HALO_OK);
    assert_false(halo_sink_seekable(sink));
    assert_int_equal(halo_sink_tell(sink, &place), HALO_ERR_OUTPUT);
    halo_sink_abandon(sink);
    assert_int_equal(stat("/dev/null", &st), 0);
}

static void a_reader_that_has_closed(void **unused)
{
    (void)unused;
    const char *path = test_path("fifo");
    static char block[100000];
    HaloSink *sink;
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(mkfifo(path, 0600), 0);
    const pid_t child = fork();
    if (child == 0) {
        const int fd = open(path, O_RDONLY);
        close(fd);
        _exit(0);
    }
    assert_int_equal(halo_sink_open(path, &careful, &sink), HALO_OK);
    HaloStatus status = HALO_OK;
    for (int i = 0; i < 100 && status == HALO_OK; i++) status = halo_sink_write(sink, block, sizeof block);
    assert_int_equal(status, HALO_ERR_PIPE);
    assert_int_equal(halo_sink_commit(sink), HALO_ERR_PIPE);
    struct stat st;
    assert_int_equal(stat(path, &st), 0); /* never removed */
    unlink(path);
}

static void headers_can_be_patched(void **unused)
{
    (void)unused;
    const char *path = test_path("patched");
    HaloSink *sink;
    int64_t place;
    assert_int_equal(halo_sink_open(path, &careful, &sink), HALO_OK);
    assert_true(halo_sink_seekable(sink));
    assert_int_equal(halo_sink_write(sink, "????body", 8), HALO_OK);
    assert_int_equal(halo_sink_tell(sink, &place), HALO_OK);
    assert_int_equal(place, 8);
    assert_int_equal(halo_sink_seek(sink, 0), HALO_OK);
    assert_int_equal(halo_sink_write(sink, "head", 4), HALO_OK);
    assert_int_equal(halo_sink_tell(sink, &place), HALO_OK);
    assert_int_equal(place, 4);
    assert_int_equal(halo_sink_commit(sink), HALO_OK);
    expect_file(path, "headbody");
    unlink(path);
}

static void on_signal(int number)
{
    halo_sink_abandon_all();
    _exit(128 + number);
}

static void signals_leave_no_temporaries(void **unused)
{
    (void)unused;
    int outcome;
    const pid_t child = fork();
    if (child == 0) {
        HaloSink *sink[3];
        signal(SIGTERM, on_signal);
        for (int i = 0; i < 3; i++) {
            char name[16];
            snprintf(name, sizeof name, "s%d", i);
            if (halo_sink_open(test_path(name), &careful, &sink[i]) != HALO_OK) _exit(1);
        }
        halo_sink_abandon(sink[1]);
        if (files_in_folder() == 2) raise(SIGTERM);
        _exit(2);
    }
    assert_int_equal(waitpid(child, &outcome, 0), child);
    assert_int_equal(WEXITSTATUS(outcome), 128 + SIGTERM);
    assert_int_equal(files_in_folder(), 0);
}

/* A worker that continues after the signal handler has cleaned up must not leave an output, not even an empty
 * one. */
static void nothing_is_committed_after_a_signal(void **unused)
{
    (void)unused;
    int outcome;
    const pid_t child = fork();
    if (child == 0) {
        HaloSink *sink;
        if (halo_sink_open(test_path("late"), &careful, &sink) != HALO_OK) _exit(1);
        halo_sink_abandon_all();
        _exit((int)halo_sink_commit(sink));
    }
    assert_int_equal(waitpid(child, &outcome, 0), child);
    assert_int_equal(WEXITSTATUS(outcome), HALO_ERR_OUTPUT);
    assert_int_equal(files_in_folder(), 0);
}

static void long_names_fit(void **unused)
{
    (void)unused;
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    const char *path = test_path(name);
    assert_int_equal(put(path, &careful, "long"), HALO_OK);
    expect_file(path, "long");
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_are_complete_or_absent),
        cmocka_unit_test(the_same_bytes_stay),
        cmocka_unit_test(outputs_that_appear_meanwhile_stay),
        cmocka_unit_test(modes_are_kept),
        cmocka_unit_test(links_are_followed),
        cmocka_unit_test(inputs_and_folders_are_refused),
        cmocka_unit_test(devices_are_written_directly),
        cmocka_unit_test(a_reader_that_has_closed),
        cmocka_unit_test(headers_can_be_patched),
        cmocka_unit_test(signals_leave_no_temporaries),
        cmocka_unit_test(nothing_is_committed_after_a_signal),
        cmocka_unit_test(long_names_fit),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}
