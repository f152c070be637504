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
#include "random.h"

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

static void expect_rounded(const char *dictionary, const void *samples, size_t bytes, const float *expected,
                           size_t n, uint64_t rounded)
{
    char file[600];
    Decoded image;
    const size_t size = npy(file, 1, dictionary, samples, bytes);
    if (decode(&halo_format_npy, file, size, NULL, 0, &image) != HALO_OK)
        fail_msg("%s: %s", dictionary, halo_error());
    assert_memory_equal(image.data.data, expected, n * sizeof *expected);
    assert_int_equal(image.info.notes.count[HALO_NOTE_ROUNDED], rounded);
    assert_int_equal(image.info.notes.count[HALO_NOTE_VANISHED], strstr(dictionary, "f8") != NULL);
    decoded_free(&image);
}

/* Integers of more than 24 bits, and fractions of numbers that have as many before the point. */
static void npy_counts_what_is_rounded(void **unused)
{
    (void)unused;
    const double reals[] = {0.1,       1e-30,        3.9999999999, 8388607.75, 8388608.5,
                            16777216., 1700000000.5, 1e300,        -1e-60,     INFINITY};
    const int64_t signs[] = {16777216, 16777217, -16777217, -16777218, INT64_MIN, INT64_MAX};
    const uint64_t counts[] = {UINT64_MAX, (uint64_t)1 << 63, ((uint64_t)1 << 63) + 1};
    float expected[10];
    for (int i = 0; i < 10; i++) expected[i] = (float)reals[i];
    expect_rounded("{'descr': '=f8', 'fortran_order': False, 'shape': (10,)}", reals, sizeof reals, expected,
                   10, 3);
    for (int i = 0; i < 6; i++) expected[i] = (float)signs[i];
    expect_rounded("{'descr': '=i8', 'fortran_order': False, 'shape': (6,)}", signs, sizeof signs, expected, 6,
                   3);
    for (int i = 0; i < 3; i++) expected[i] = (float)counts[i];
    expect_rounded("{'descr': '=u8', 'fortran_order': False, 'shape': (3,)}", counts, sizeof counts, expected,
                   3, 2);
    expect_rounded("{'descr': '>i4', 'fortran_order': True, 'shape': (1, 2)}", TEXT("\x81\0\0\1\0\0\0\7"),
                   F32((float)(-0x7f000000 + 1), 7), 2, 1);
}

static void expect_npy_error(const char *dictionary, const char *samples, size_t bytes, const char *message)
{
    char file[600];
    const size_t size = npy(file, 1, dictionary, samples, bytes);
    expect_error(&halo_format_npy, file, size, HALO_ERR_INPUT, message);
}

static void npy_errors(void **unused)
{
    (void)unused;
    expect_npy_error("{'descr': '<f4', 'fortran_order': Yes, 'shape': (1, 1)}", TEXT("abcd"),
                     "neither True nor False");
    expect_npy_error("{'descr': '<f1', 'fortran_order': False, 'shape': (1,)}", TEXT("ab"),
                     "an array of '<f1'");
    expect_npy_error("{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", TEXT("ab"),
                     "an array of '<c8'");
    expect_npy_error("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", TEXT(""), "records");
    expect_npy_error("{'descr': '|u1', 'fortran_order': False, 'shape': ()}", TEXT("a"), "without dimensions");
    expect_npy_error("{'descr': '|u1', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1)}", TEXT("a"),
                     "more than 6");
    expect_npy_error("{'descr': '|u1', 'fortran_order': False, 'shape': (1,1,1,1,1)}", TEXT("a"),
                     "an array of 5 dimensions, the last of 1: name them with axes, such as nhwc or tzyx");
    expect_npy_error("{'descr': '|u1', 'fortran_order': False, 'shape': (1,1,1,5)}", TEXT("abcde"),
                     "an array of 4 dimensions, the last of 5: name them with axes, such as nhwc or tzyx");
    expect_npy_error("{'descr': '|u1', 'fortran_order': False, 'shape': (1,1,5)}", TEXT("abcde"),
                     "the last of 5: use axes=nhw (or zyx) for pages, axes=hwc for channels");
    expect_npy_error("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3)}", TEXT("abcde"),
                     "truncated: 5 of 6 samples");
    expect_npy_error("{'descr': '|u1', 'fortran_order': False, 'shape': (0, 4)}", TEXT(""), "without pixels");
    expect_npy_error("{'descr': '|u1', 'fortran_order': False, 'shape': (1)}", TEXT("a"), "not a tuple");
    expect_npy_error("{'descr': '|u1', 'fortran_order': False, 'shape': (1 1)}", TEXT("a"), "comma");
    expect_npy_error("{'descr': '|u1', 'fortran_order': False, 'shape': (-1,)}", TEXT("a"),
                     "number is missing");
    expect_npy_error("{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999999999999,)}", TEXT("a"),
                     "too large");
    expect_npy_error("{'descr': '|u1', 'fortran_order': False, }", TEXT("a"), "is missing");
    expect_npy_error("{'descr': '|u1', 'descr': '|u1', }", TEXT("a"), "duplicate");
    expect_npy_error("{'descr': '|u1', 'fortran_order': False, 'shape': (1,), 'x': 1}", TEXT("a"),
                     "unknown key");
    expect_npy_error("{'descr': '|u1', 'fortran_order': False, 'shape': (1,)} x", TEXT("a"), "follows");
    expect_npy_error("['descr']", TEXT("a"), "not a dictionary");
    expect_npy_error("{'descr': '|u1', 'fortran_order': False, 'shape': (4, 2)}", TEXT("abcde"),
                     "truncated: 2 of 4 rows");
}

/* ---- dimensions in any order ---------------------------------------------------------------------------- */

#define MOST_AXES 6

/* An array in which each sample is its index in C order, so that its value tells where it was. */
typedef struct Array {
    char axes[MOST_AXES + 1];
    int64_t dim[MOST_AXES];
    int dims;
    bool fortran;
    int size;                 /* of a sample: 1, big-endian 2, or 4 */
    int64_t pages, length[3]; /* rows, columns, channels */
} Array;

static const char row_letters[] = "hy", column_letters[] = "wx";

static Array draw_array(Rng *rng)
{
    static const char orders[][4] = {"hw", "wh", "hwc", "hcw", "chw", "whc", "wch", "cwh"};
    static const char pages[][4] = {"", "", "n", "z", "t", "tz", "zt", "ntz"};
    Array array = {
        .fortran = rng_once_in(rng, 2), .size = 1 << rng_between(rng, 0, 2), .pages = 1, .length = {1, 1, 1}};
    const char *order = orders[rng_between(rng, 0, 7)];
    strcpy(array.axes, pages[rng_between(rng, 0, 7)]);
    strcat(array.axes, order);
    array.dims = (int)strlen(array.axes);
    for (int i = 0; i < array.dims; i++) {
        array.dim[i] = rng_between(rng, 1, 4);
        const char *known = strchr("hwc", array.axes[i]);
        if (known != NULL)
            array.length[known - "hwc"] = array.dim[i];
        else
            array.pages *= array.dim[i];
    }
    return array;
}

static int64_t samples_of(const Array *array)
{
    return array->pages * array->length[0] * array->length[1] * array->length[2];
}

/* The number of a sample in C's order of the dimensions. */
static int64_t number_of(const Array *array, int64_t page, int64_t y, int64_t x, int64_t c)
{
    int64_t place[MOST_AXES], number = 0;
    for (int i = array->dims - 1; i >= 0; i--) {
        const char axis = array->axes[i];
        place[i] = axis == 'h' ? y : axis == 'w' ? x : axis == 'c' ? c : page % array->dim[i];
        if (strchr("hwc", axis) == NULL) page /= array->dim[i];
    }
    for (int i = 0; i < array->dims; i++) number = number * array->dim[i] + place[i];
    return number;
}

/* Where it lies in the file. */
static int64_t place_of(const Array *array, int64_t number)
{
    int64_t place = 0, step = 1, digit[MOST_AXES];
    if (!array->fortran) return number;
    for (int i = array->dims - 1; i >= 0; i--) {
        digit[i] = number % array->dim[i];
        number /= array->dim[i];
    }
    for (int i = 0; i < array->dims; i++) {
        place += digit[i] * step;
        step *= array->dim[i];
    }
    return place;
}

static size_t write_array(const Array *array, uint8_t *file)
{
    static const char *const type[] = {"|u1", ">u2", "", "<i4"};
    char head[300], shape[100] = "";
    for (int i = 0; i < array->dims; i++)
        snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%lld,", (long long)array->dim[i]);
    const int size = snprintf(head, sizeof head, "{'descr': '%s', 'fortran_order': %s, 'shape': (%s)}",
                              type[array->size - 1], array->fortran ? "True" : "False", shape);
    memcpy(file, "\x93NUMPY\1\0", 8);
    file[8] = (uint8_t)size;
    file[9] = 0;
    memcpy(file + 10, head, (size_t)size);
    for (int64_t n = 0; n < samples_of(array); n++) {
        uint8_t *at = file + 10 + size + place_of(array, n) * array->size;
        const uint8_t low = (uint8_t)n, high = (uint8_t)(n >> 8);
        if (array->size == 1) at[0] = low;
        if (array->size == 2) at[0] = high, at[1] = low;
        if (array->size == 4) at[0] = low, at[1] = high, at[2] = at[3] = 0;
    }
    return (size_t)(10 + size + samples_of(array) * array->size);
}

static void expect_page(const Array *array, HaloReader *reader, int64_t page, Rng *rng)
{
    const HaloShape *shape = &reader->info.shape;
    HaloBuf data;
    int64_t got, skipped, y = 0;
    assert_int_equal(shape->height, array->length[0]);
    assert_int_equal(shape->width, array->length[1]);
    assert_int_equal(shape->channels, array->length[2]);
    assert_int_equal(halo_buf_alloc(&data, shape), HALO_OK);
    if (rng_once_in(rng, 3)) {
        assert_int_equal((halo_format_npy.skip)(reader, 1, &skipped), HALO_OK);
        y = skipped;
    }
    for (; y < shape->height; y += got) {
        HaloBuf rows = data;
        rows.rows = rng_between(rng, 1, shape->height - y);
        if (halo_format_npy.read(reader, &rows, &got) != HALO_OK)
            fail_case(NULL, "%s: %s", array->axes, halo_error());
        for (int64_t i = 0; i < got * shape->width * shape->channels; i++) {
            const int64_t c = i % shape->channels, x = i / shape->channels % shape->width,
                          r = i / shape->channels / shape->width, number = number_of(array, page, y + r, x, c);
            const double value = array->size == 1   ? ((uint8_t *)data.data)[i]
                                 : array->size == 2 ? ((uint16_t *)data.data)[i]
                                                    : (double)((float *)data.data)[i];
            if (value != (double)(array->size == 1 ? (uint8_t)number : number))
                fail_case(NULL, "%s%s: page %lld, row %lld, column %lld, channel %lld is %g", array->axes,
                          array->fortran ? ", Fortran" : "", (long long)page, (long long)(y + r), (long long)x,
                          (long long)c, value);
        }
    }
    halo_buf_free(&data);
}

static void arrays_of_any_order(Rng *rng)
{
    static uint8_t file[400 + 4096 * 4];
    Array array = draw_array(rng);
    const size_t size = write_array(&array, file);
    HaloSource *source;
    HaloReader reader = {.options.axes = array.axes};
    char spelled[MOST_AXES + 1];
    strcpy(spelled, array.axes);
    for (int i = 0; i < array.dims; i++) {
        if (spelled[i] == 'h') spelled[i] = row_letters[rng_between(rng, 0, 1)];
        if (spelled[i] == 'w') spelled[i] = column_letters[rng_between(rng, 0, 1)];
    }
    reader.options.axes = spelled;
    assert_int_equal(halo_source_from_memory(file, size, &source), HALO_OK);
    reader.source = source;
    if (halo_format_npy.open(&reader) != HALO_OK) fail_case(NULL, "%s: %s", spelled, halo_error());
    assert_int_equal(reader.info.images, array.pages > 1 ? array.pages : 0);
    for (int64_t page = 0; page < array.pages; page++) {
        reader.options.image = page;
        if (page > 0) assert_int_equal(halo_format_npy.next(&reader), HALO_OK);
        expect_page(&array, &reader, page, rng);
    }
    halo_format_npy.close(&reader);
    halo_source_close(source);
}

/* Samples that a damaged file lacks are 0, in their places; the size that it claims is not trusted. */
static void fortran_damaged(void **unused)
{
    (void)unused;
    char file[600];
    Decoded image;
    const HaloReadOptions tolerate = {.tolerate = true};
    size_t size =
        npy(file, 1, "{'descr': '>u2', 'fortran_order': True, 'shape': (2, 3)}", TEXT("\0\1\0\2\0\3\0\4\0"));
    assert_int_equal(decode(&halo_format_npy, file, size, &tolerate, 1, &image), HALO_OK);
    assert_memory_equal(image.data.data, U16(1, 3, 0, 2, 4, 0), 12);
    decoded_free(&image);
    size = npy(file, 1, "{'descr': '<f8', 'fortran_order': True, 'shape': (99999999999, 99999999999)}",
               TEXT("abcdefgh"));
    assert_int_equal(decode(&halo_format_npy, file, size, NULL, 1, &image), HALO_ERR_LIMIT);
    decoded_free(&image);
    size = npy(file, 1, "{'descr': '<f4', 'fortran_order': True, 'shape': (9999, 9999)}", TEXT("abcdefgh"));
    assert_int_equal(decode(&halo_format_npy, file, size, NULL, 1, &image), HALO_ERR_INPUT);
    assert_non_null(strstr(halo_error(), "truncated: 2 of 99980001 samples"));
    decoded_free(&image);
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

int main(int argc, char **argv)
{
    test_arguments(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(npy_of_every_type), cmocka_unit_test(npy_counts_what_is_rounded),
        cmocka_unit_test(npy_errors),        random_test(arrays_of_any_order, 2000),
        cmocka_unit_test(fortran_damaged),   cmocka_unit_test(npy_keeps_scans),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}
