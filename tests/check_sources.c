/* Inputs: files, pipes and memory. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "codec.h"

#define LONG_BYTES 1000003

static uint8_t *long_bytes(void)
{
    uint8_t *bytes = malloc(LONG_BYTES);
    for (size_t i = 0; i < LONG_BYTES; i++) bytes[i] = (uint8_t)(i * 2654435761u >> 13);
    return bytes;
}

/* Peeks and reads of every size give the bytes in order. */
static void read_through(HaloSource *source, const uint8_t *expected)
{
    static uint8_t got_bytes[400000];
    const uint8_t *peeked;
    size_t at = 0, got, seen;
    for (size_t size = 1; at < LONG_BYTES; size = size * 3 % 399989 + 1) {
        assert_int_equal(halo_source_peek(source, size, &peeked, &seen), HALO_OK);
        assert_true(seen == (size < 4096 ? size : 4096) || seen == LONG_BYTES - at);
        assert_memory_equal(peeked, expected + at, seen);
        assert_int_equal(halo_source_read(source, got_bytes, size, &got), HALO_OK);
        assert_int_equal(got, size < LONG_BYTES - at ? size : LONG_BYTES - at);
        assert_memory_equal(got_bytes, expected + at, got);
        at += got;
    }
    assert_int_equal(halo_source_read(source, got_bytes, 1, &got), HALO_OK);
    assert_int_equal(got, 0);
}

/* Where there are no bytes, in files and in memory. */
static void seek_past_the_end(HaloSource *source, const uint8_t *bytes)
{
    uint8_t some[16];
    size_t got;
    for (int64_t past = 1; past < (int64_t)1 << 40; past <<= 13) {
        assert_int_equal(halo_source_seek(source, LONG_BYTES + past), HALO_OK);
        assert_int_equal(halo_source_tell(source), LONG_BYTES + past);
        assert_int_equal(halo_source_read(source, some, sizeof some, &got), HALO_OK);
        assert_int_equal(got, 0);
        assert_int_equal(halo_source_seek(source, 5000), HALO_OK);
        assert_int_equal(halo_source_tell(source), 5000);
        assert_int_equal(halo_source_read(source, some, sizeof some, &got), HALO_OK);
        assert_memory_equal(some, bytes + 5000, sizeof some);
    }
}

static void sources_give_bytes_in_order(void **unused)
{
    (void)unused;
    uint8_t *bytes = long_bytes(), again[16];
    const char *path = test_path("long");
    HaloSource *source;
    size_t got;
    bytes_to_file(path, bytes, LONG_BYTES);
    assert_int_equal(halo_source_open(path, &source), HALO_OK);
    assert_int_equal(halo_source_size(source), LONG_BYTES);
    read_through(source, bytes);
    for (int64_t at = 999000; at > 0; at -= 99991) {
        assert_int_equal(halo_source_seek(source, at), HALO_OK);
        assert_int_equal(halo_source_read(source, again, sizeof again, &got), HALO_OK);
        assert_memory_equal(again, bytes + at, sizeof again);
    }
    seek_past_the_end(source, bytes);
    halo_source_close(source);
    assert_int_equal(halo_source_from_memory(bytes, LONG_BYTES, &source), HALO_OK);
    read_through(source, bytes);
    seek_past_the_end(source, bytes);
    halo_source_close(source);
    unlink(path);
    free(bytes);
}

/* A pipe that goes to a file, from the middle of its reader's first bytes on. */
static void keep_and_read_twice(HaloSource *source, const uint8_t *bytes)
{
    HaloSource *second;
    uint8_t first[100];
    size_t got;
    assert_int_equal(halo_source_read(source, first, sizeof first, &got), HALO_OK);
    assert_false(halo_source_is_rereadable(source));
    assert_int_equal(halo_source_to_file(source), HALO_OK);
    assert_true(halo_source_seekable(source) && halo_source_is_rereadable(source));
    assert_int_equal(halo_source_size(source), LONG_BYTES);
    assert_int_equal(halo_source_read(source, first, sizeof first, &got), HALO_OK);
    assert_memory_equal(first, bytes + 100, sizeof first);
    assert_int_equal(halo_source_open_again(source, &second), HALO_OK);
    read_through(second, bytes);
    halo_source_close(second);
    assert_int_equal(halo_source_seek(source, 0), HALO_OK);
}

/* A writer in a child, a byte or many at a time, into a FIFO. */
static void pipes_can_be_peeked_and_slurped(void **unused)
{
    (void)unused;
    uint8_t *bytes = long_bytes();
    const char *path = test_path("fifo");
    const uint8_t *whole;
    uint8_t first[1000];
    size_t got;
    for (int how = 0; how < 3; how++) {
        const bool slurp = how == 1;
        assert_int_equal(mkfifo(path, 0600), 0);
        const pid_t child = fork();
        if (child == 0) {
            const int fd = open(path, O_WRONLY);
            for (size_t at = 0, n = 1; at < LONG_BYTES; at += n, n = n * 2 % 70001 + 1) {
                if (n > LONG_BYTES - at) n = LONG_BYTES - at;
                if (write(fd, bytes + at, n) != (ssize_t)n) _exit(1);
            }
            _exit(0);
        }
        HaloSource *source;
        assert_int_equal(halo_source_open(path, &source), HALO_OK);
        assert_int_equal(halo_source_size(source), -1);
        assert_false(halo_source_seekable(source));
        if (slurp) {
            assert_int_equal(halo_source_read(source, first, sizeof first, &got), HALO_OK);
            assert_int_equal(halo_source_slurp(source, &whole, &got), HALO_OK);
            assert_int_equal(got, LONG_BYTES - sizeof first);
            assert_memory_equal(whole, bytes + sizeof first, got);
            assert_true(halo_source_seekable(source));
            assert_int_equal(halo_source_seek(source, 5000), HALO_OK);
            assert_int_equal(halo_source_read(source, first, sizeof first, &got), HALO_OK);
            assert_memory_equal(first, bytes + 5000, sizeof first);
            assert_int_not_equal(halo_source_seek(source, 10), HALO_OK); /* gone: a pipe */
        } else {
            if (how == 2) keep_and_read_twice(source, bytes);
            read_through(source, bytes);
        }
        halo_source_close(source);
        unlink(path);
    }
    free(bytes);
}

static void sources_that_cannot_be_read(void **unused)
{
    (void)unused;
    HaloSource *source;
    assert_int_equal(halo_source_open(test_folder(), &source), HALO_ERR_INPUT);
    assert_non_null(strstr(halo_error(), "is a folder"));
    assert_int_equal(halo_source_open(test_path("missing"), &source), HALO_ERR_INPUT);
    assert_non_null(strstr(halo_error(), "missing: No such file"));
    assert_int_equal(halo_source_open("", &source), HALO_ERR_INPUT);
    assert_null(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sources_give_bytes_in_order),
        cmocka_unit_test(pipes_can_be_peeked_and_slurped),
        cmocka_unit_test(sources_that_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}
