/* NPY: every type, version and spelling of the header, and what is wrong with them. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codec.h"

/* An array with this dictionary, in a version 1, 2 or 3 file. */
static size_t npy(char file[600], int version, const char *dictionary, const char *samples, size_t bytes)
{
    const size_t head = strlen(dictionary), start = version == 1 ? 10 : 12;
    memset(file, 0, 600);
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (char)version;
    file[8] = (char)head;
    memcpy(file + start, dictionary, head);
    if (bytes > 0) memcpy(file + start + head, samples, bytes);
    return start + head + bytes;
}

static void expect_npy(const char *dictionary, const char *samples, size_t bytes, HaloShape shape, float white,
                       const void *expected)
{
    char file[600];
    shape.white = white;
    for (int version = 1; version <= 3; version++) {
        const size_t size = npy(file, version, dictionary, samples, bytes);
        expect_text(&halo_format_npy, file, size, &shape, expected);
    }
}

static void npy_of_every_type(void **unused)
{
    (void)unused;
    const HaloShape u8 = shape_of(HALO_U8, 2, 1, 1, false), u16 = shape_of(HALO_U16, 2, 1, 1, false);
    const HaloShape f32 = shape_of(HALO_F32, 2, 1, 1, false), rgb = shape_of(HALO_U8, 1, 2, 3, false);
    expect_npy("{'descr': '<f2', 'fortran_order': False, 'shape': (1, 4)}", TEXT("\0\x3c\0\xc0\1\0\0\x7c"),
               shape_of(HALO_F32, 4, 1, 1, false), 1, F32(1.0f, -2.0f, 0x1p-24f, INFINITY));
    expect_npy("{'descr': '>f2', 'fortran_order': False, 'shape': (1, 2)}", TEXT("\x3c\0\xc0\0"),
               shape_of(HALO_F32, 2, 1, 1, false), 1, F32(1.0f, -2.0f));
    expect_npy("{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }", TEXT("\1\2"), u8, 255, U8(1, 2));
    expect_npy("{\"shape\":(1,2),\"descr\":\"|u1\",\"fortran_order\":False}\n", TEXT("\1\2"), u8, 255,
               U8(1, 2));
    expect_npy("{'descr': '|u1', 'fortran_order': False, 'shape': (2L, 1L, 3L), }", TEXT("\1\2\3\4\5\6"), rgb,
               255, U8(1, 2, 3, 4, 5, 6));
    expect_npy("{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", TEXT("\1\0"), u8, 1, U8(1, 0));
    expect_npy("{'descr': '<u2', 'fortran_order': False, 'shape': (2,)}", TEXT("\1\2\3\4"), u16, 65535,
               U16(0x201, 0x403));
    expect_npy("{'descr': '>u2', 'fortran_order': False, 'shape': (2,)}", TEXT("\1\2\3\4"), u16, 65535,
               U16(0x102, 0x304));
    expect_npy("{'descr': '|i1', 'fortran_order': False, 'shape': (2,)}", TEXT("\x80\x7f"), f32, 127,
               F32(-128, 127));
    expect_npy("{'descr': '>i2', 'fortran_order': False, 'shape': (2,)}", TEXT("\x80\0\x7f\xff"), f32, 32767,
               F32(-32768, 32767));
    expect_npy("{'descr': '<i4', 'fortran_order': False, 'shape': (2,)}", TEXT("\xff\xff\xff\xff\0\0\0\1"), f32,
               1, F32(-1, 16777216));
    expect_npy("{'descr': '<u8', 'fortran_order': False, 'shape': (2,)}",
               TEXT("\2\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0"), f32, 1, F32(2, 16777216));
    expect_npy("{'descr': '>f4', 'fortran_order': False, 'shape': (2,)}", TEXT("\x3f\x80\0\0\x40\0\0\0"), f32,
               1, F32(1, 2));
    expect_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}",
               TEXT("\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\xc0"), f32, 1, F32(1, -2));
    /* 2^128 - 2^103, halfway from the greatest f32 to the next power, and what lies just below it */
    expect_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}",
               TEXT("\0\0\0\xf0\xff\xff\xef\xc7\xff\xff\xff\xef\xff\xff\xef\x47"), f32, 1,
               F32(-INFINITY, FLT_MAX));
    /* 2^-150, halfway to the least f32, and one and a half of it */
    expect_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}",
               TEXT("\0\0\0\0\0\0\x90\x36\0\0\0\0\0\0\x98\x36"), f32, 1, F32(0, 0x1p-149f));
}

static void expect_npy_error(const char *dictionary, const char *samples, size_t bytes, const char *message)
{
    char file[600];
    const size_t size = npy(file, 1, dictionary, samples, bytes);
    expect_error(&halo_format_npy, file, size, HALO_ERR_INPUT, message);
}

static void npy_mistakes(void **unused)
{
    (void)unused;
    expect_npy_error("{'descr': '<i4', 'fortran_order': False, 'shape': (1,)}", TEXT("\1\0\0\1"),
                     "sample 16777217");
    expect_npy_error("{'descr': '<i8', 'fortran_order': False, 'shape': (1,)}", TEXT("\0\0\0\0\0\0\0\x80"),
                     "sample -9223372036854775808");
    expect_npy_error("{'descr': '<u8', 'fortran_order': False, 'shape': (1,)}",
                     TEXT("\xff\xff\xff\xff\xff\xff\xff\xff"), "sample 18446744073709551615");
    expect_npy_error("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1)}", TEXT("abcd"), "Fortran");
    expect_npy_error("{'descr': '<f1', 'fortran_order': False, 'shape': (1,)}", TEXT("ab"),
                     "an array of '<f1'");
    expect_npy_error("{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", TEXT("ab"),
                     "an array of '<c8'");
    expect_npy_error("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", TEXT(""), "records");
    expect_npy_error("{'descr': '|u1', 'fortran_order': False, 'shape': ()}", TEXT("a"), "without dimensions");
    expect_npy_error("{'descr': '|u1', 'fortran_order': False, 'shape': (1,1,1,1,1)}", TEXT("a"), "more than 4");
    expect_npy_error("{'descr': '|u1', 'fortran_order': False, 'shape': (1,1,1,5)}", TEXT("abcde"), "4 dimensions; --axes");
    expect_npy_error("{'descr': '|u1', 'fortran_order': False, 'shape': (0, 4)}", TEXT(""), "without pixels");
    expect_npy_error("{'descr': '|u1', 'fortran_order': False, 'shape': (1)}", TEXT("a"), "no tuple");
    expect_npy_error("{'descr': '|u1', 'fortran_order': False, 'shape': (1 1)}", TEXT("a"), "comma");
    expect_npy_error("{'descr': '|u1', 'fortran_order': False, 'shape': (-1,)}", TEXT("a"),
                     "number is missing");
    expect_npy_error("{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999999999999,)}", TEXT("a"),
                     "too large");
    expect_npy_error("{'descr': '|u1', 'fortran_order': False, }", TEXT("a"), "is missing");
    expect_npy_error("{'descr': '|u1', 'descr': '|u1', }", TEXT("a"), "twice");
    expect_npy_error("{'descr': '|u1', 'fortran_order': False, 'shape': (1,), 'x': 1}", TEXT("a"),
                     "unknown key");
    expect_npy_error("{'descr': '|u1', 'fortran_order': False, 'shape': (1,)} x", TEXT("a"), "follows");
    expect_npy_error("['descr']", TEXT("a"), "no dictionary");
    expect_npy_error("{'descr': '|u1', 'fortran_order': False, 'shape': (4, 2)}", TEXT("abcde"),
                     "truncated: 2 of 4 rows");
}

static void npy_keeps_scans(void **unused)
{
    (void)unused;
    const HaloInfo info = {0};
    const int64_t values[2] = {INT64_MIN, 1};
    const HaloShape shape = shape_of(HALO_I64, 1, 2, 1, false);
    const HaloBuf data = {.shape = shape, .cols = 1, .rows = 2, .stride = 8, .data = (void *)values};
    Bytes file;
    assert_int_equal(encode(&halo_format_npy, &info, &data, 1, &file), HALO_OK);
    assert_int_equal(file.size, 128 + 16);
    assert_non_null(
        strstr((char *)file.at + 10, "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 1), }"));
    assert_memory_equal(file.at + 128, "\0\0\0\0\0\0\0\x80\1\0\0\0\0\0\0\0", 16);
    free(file.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(npy_of_every_type),
        cmocka_unit_test(npy_mistakes),
        cmocka_unit_test(npy_keeps_scans),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}
