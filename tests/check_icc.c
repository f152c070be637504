/* Names of ICC profiles (ICC.1): both types of text, and damaged profiles, of which no byte outside is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bytes/endian.h"
#include "halo/file.h"
#include "halo/utf8.h"
#include "random.h"

enum { HEADER = 128, TEXT_AT = HEADER + 4 + 12, MOST = 600, NAME = 128 };

/* A profile that holds a description alone; returns its size. */
static size_t profile(const void *text, size_t size, uint8_t bytes[MOST])
{
    memset(bytes, 0, MOST);
    memcpy(bytes + 16, "RGB ", 4);
    halo_put_be(bytes + HEADER, 1, 4);
    memcpy(bytes + HEADER + 4, "desc", 4);
    halo_put_be(bytes + HEADER + 8, TEXT_AT, 4);
    halo_put_be(bytes + HEADER + 12, size, 4);
    memcpy(bytes + TEXT_AT, text, size);
    return TEXT_AT + size;
}

static void expect_name(const void *text, size_t size, const char *wanted)
{
    uint8_t bytes[MOST];
    char name[NAME];
    const HaloBlob icc = {bytes, profile(text, size, bytes)};
    const bool found = halo_icc_name(&icc, name, sizeof name);
    assert_int_equal(found, *wanted != '\0');
    assert_string_equal(name, wanted);
}

#define OLD "desc\0\0\0\0\0\0\0"
#define NEW                          \
    "mluc\0\0\0\0\0\0\0\1\0\0\0\x0c" \
    "enUS\0\0\0"
#define EXPECT(text, wanted) expect_name(text, sizeof(text) - 1, wanted)

static void names(void **state)
{
    (void)state;
    EXPECT(OLD "\x0b"
               "Display P3\0",
           "Display P3");
    EXPECT(OLD "\x0a"
               "Display P3",
           "Display P3"); /* without its 0 */
    EXPECT(OLD "\xff"
               "Lost",
           "Lost"); /* longer than it is */
    EXPECT(OLD "\x04"
               "a\xff"
               "bc",
           "a");
    EXPECT(OLD "\1\0", "");
    EXPECT(NEW "\x04\0\0\0\x1c"
               "\0P\0003",
           "P3");
    EXPECT(NEW "\x06\0\0\0\x1c"
               "\0\xc9\xd8\x3d\xde\0",
           "\xc3\x89\xf0\x9f\x98\x80");
    EXPECT(NEW "\x04\0\0\0\x1c"
               "\xd8\x3d\0x",
           "\xef\xbf\xbdx"); /* half of a character */
    EXPECT(NEW "\x08\0\0\0\x1c"
               "\0P\0003",
           "");
    EXPECT("XYZ \0\0\0\0\0\0\0\0\0", "");
    expect_name("desc", 4, "");
}

static void long_names_are_cut(void **state)
{
    (void)state;
    uint8_t bytes[MOST];
    char text[300] = OLD, name[10];
    text[10] = 1; /* 256 and more letters */
    memset(text + 12, 'n', sizeof text - 12);
    const HaloBlob icc = {bytes, profile(text, sizeof text, bytes)};
    assert_true(halo_icc_name(&icc, name, sizeof name));
    assert_string_equal(name, "nnnnnnnnn");
}

static void damaged(Rng *rng)
{
    static const char old[] = OLD "\x0b"
                                  "Display P3\0",
                      new[] = NEW "\x08\0\0\0\x1c"
                                  "\0P\0003\xd8\x3d\xde\0";
    uint8_t bytes[MOST];
    char name[NAME];
    const bool first = rng_once_in(rng, 2);
    size_t size = first ? profile(old, sizeof old - 1, bytes) : profile(new, sizeof new - 1, bytes);
    for (int64_t i = rng_between(rng, 1, 4); i > 0; i--)
        bytes[rng_between(rng, HEADER, (int64_t)size - 1)] = (uint8_t)rng_next(rng);
    if (rng_once_in(rng, 2)) size = (size_t)rng_between(rng, 0, (int64_t)size);
    uint8_t *own = malloc(size > 0 ? size : 1); /* so that reading past it is seen */
    memcpy(own, bytes, size);
    const HaloBlob icc = {own, size};
    const size_t most = (size_t)rng_between(rng, 1, NAME);
    const bool found = halo_icc_name(&icc, name, most);
    assert_int_equal(found, name[0] != '\0');
    assert_true(strlen(name) < most && halo_utf8_valid(name, strlen(name)));
    free(own);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names), cmocka_unit_test(long_names_are_cut),
                                       random_test(damaged, 2000)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
