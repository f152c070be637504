/* Text line by line, read in pieces of any size, with lines up to the limit and longer ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "halo/lines.h"
#include "random.h"

/* Gives the text in pieces of a few bytes. */
typedef struct Pieces {
    Rng *rng;
    const char *text;
    size_t left;
} Pieces;

static HaloStatus take_piece(void *from, void *bytes, size_t size, size_t *got)
{
    Pieces *pieces = from;
    size_t piece = (size_t)rng_between(pieces->rng, 1, 9);
    if (piece > size) piece = size;
    *got = piece < pieces->left ? piece : pieces->left;
    memcpy(bytes, pieces->text, *got);
    pieces->text += *got;
    pieces->left -= *got;
    return HALO_OK;
}

/* The line that begins at *at, or NULL; the plain definition. */
static const char *plain_line(const char *text, size_t size, size_t *at, size_t *length)
{
    const char *line = text + *at;
    if (*at >= size) return NULL;
    for (*length = 0; *at + *length < size && line[*length] != '\n';) ++*length;
    *at += *length + 1;
    return line;
}

static void test_lines(Rng *rng)
{
    static const char letters[] = "ab\n\n\r\xef\xbb\xbf";
    char text[200];
    const size_t size = (size_t)rng_between(rng, 0, 199);
    for (size_t i = 0; i < size; i++) text[i] = letters[rng_between(rng, 0, (int)sizeof letters - 1)];
    Pieces pieces = {rng, text, size};
    HaloLines lines = {.take = take_piece, .from = &pieces, .most = (size_t)rng_between(rng, 4, 30)};
    lines.skip_long = rng_once_in(rng, 2);
    const bool marked = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0;
    assert_int_equal(halo_lines_skip_mark(&lines), HALO_OK);
    size_t at = marked ? 3 : 0, expected = 0, length;
    char *line;
    for (long long number = 1;; number++) {
        const char *want = plain_line(text, size, &at, &expected);
        if (want != NULL && expected > lines.most && lines.skip_long) continue;
        const HaloStatus status = halo_lines_next(&lines, '\n', &line, &length);
        if (want != NULL && expected > lines.most) {
            assert_int_equal(status, HALO_ERR_INPUT);
            break;
        }
        assert_int_equal(status, HALO_OK);
        if (want == NULL) assert_null(line);
        if (want == NULL) break;
        assert_non_null(line);
        assert_int_equal(length, expected);
        assert_memory_equal(line, want, length);
        assert_int_equal(line[length], 0);
        assert_int_equal(lines.line, number);
    }
    halo_lines_free(&lines);
}

static HaloStatus take_letters(void *from, void *bytes, size_t size, size_t *got)
{
    (void)from;
    memset(bytes, 'a', size);
    *got = size;
    return HALO_OK;
}

/* A line without an end takes no more memory than the limit of a line. */
static void test_endless(void **unused)
{
    (void)unused;
    HaloLines lines = {.take = take_letters, .most = 100000};
    char *line;
    size_t length;
    assert_int_equal(halo_lines_next(&lines, '\n', &line, &length), HALO_ERR_INPUT);
    assert_non_null(strstr(halo_error(), "line 1 has more than 100000 bytes"));
    assert_in_range(lines.capacity, 100000, 1000000);
    halo_lines_free(&lines);
}

int main(int argc, char **argv)
{
    test_arguments(argc, argv);
    const struct CMUnitTest tests[] = {
        random_test(test_lines, 20000),
        cmocka_unit_test(test_endless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
