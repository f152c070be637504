/* What halo.h says is lost: numbers of arrays that are rounded, and samples that are clipped, are counted as
 * the definition has it (docs/numerics.md), and files keep the types that they have. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arrays.h"
#include "random.h"

enum { SIDE = 9, MOST = 4 * SIDE * SIDE };

/* ---- messages -------------------------------------------------------------------------------------------- */

typedef struct Told {
    int64_t rounded, rounded_wide, vanished, clipped;
    int other;
} Told;

static void hear(void *context, const char *text)
{
    Told *told = context;
    const int64_t count = atoll(text);
    if (strstr(text, "rounded to the 24 bits") != NULL)
        told->rounded += count;
    else if (strstr(text, "rounded to the 53 bits") != NULL)
        told->rounded_wide += count;
    else if (strstr(text, "too small for") != NULL)
        told->vanished += count;
    else if (strstr(text, "clipped") != NULL)
        told->clipped += count;
    else
        told->other++;
}

static HaloSession *listen(Told *told)
{
    HaloOptions options;
    halo_options_defaults(&options);
    options.message = hear;
    options.context = told;
    *told = (Told){0};
    return array_session(&options);
}

static void expect(const Told *told, const Told *wanted, const char *what)
{
    if (told->rounded != wanted->rounded || told->rounded_wide != wanted->rounded_wide ||
        told->vanished != wanted->vanished || told->clipped != wanted->clipped || told->other != 0)
        fail_case(NULL,
                  "%s: %" PRId64 " rounded, %" PRId64 " to 64 bits, %" PRId64 " vanished, %" PRId64
                  " clipped, %d others; expected %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64,
                  what, told->rounded, told->rounded_wide, told->vanished, told->clipped, told->other,
                  wanted->rounded, wanted->rounded_wide, wanted->vanished, wanted->clipped);
}

/* ---- rounding -------------------------------------------------------------------------------------------- */

/* A number that often has about as many bits as a float, or one more. */
static int64_t draw_integer(Rng *rng, int most_bits)
{
    const int bits = (int)rng_between(rng, 0, most_bits);
    int64_t v = bits == 0 ? 0 : (int64_t)(rng_next(rng) >> (64 - bits));
    if (rng_once_in(rng, 3)) v = v >> rng_between(rng, 0, bits) << rng_between(rng, 0, most_bits - bits);
    return rng_once_in(rng, 2) ? -v : v;
}

static double draw_double(Rng *rng)
{
    if (rng_once_in(rng, 3)) return (double)draw_integer(rng, 60);
    return ldexp(rng_unit(rng) - 0.5, (int)rng_between(rng, -200, 60));
}

/* Stores a number at `to`, and counts what f32 and f64 lose of it. */
static void put(Rng *rng, HaloType type, char *to, Told *narrow, Told *wide)
{
    int64_t v;
    double real;
    switch (type) {
    case HALO_TYPE_U32: v = draw_integer(rng, 32), v = v < 0 ? -v : v; break;
    case HALO_TYPE_I32: v = draw_integer(rng, 31); break;
    case HALO_TYPE_I64: v = draw_integer(rng, 62); break;
    default:
        real = draw_double(rng);
        memcpy(to, &real, sizeof real);
        narrow->rounded += fabs(real) >= 0x1p23 && (double)(float)real != real;
        narrow->vanished += real != 0.0 && (float)real == 0.0f;
        return;
    }
    const uint32_t half = (uint32_t)v;
    memcpy(to, type == HALO_TYPE_I64 ? (const void *)&v : &half, halo_type_size(type));
    /* Both are far below 2^63, so that the way back is exact. */
    narrow->rounded += (int64_t)(float)v != v;
    wide->rounded_wide += (int64_t)(double)v != v;
}

/* A picture, or a series, of any strides. */
static void counts_what_is_rounded(Rng *rng)
{
    static const HaloType types[] = {HALO_TYPE_U32, HALO_TYPE_I32, HALO_TYPE_I64, HALO_TYPE_F64};
    static char memory[8 * MOST];
    const HaloType type = types[rng_between(rng, 0, 3)];
    const bool series = rng_once_in(rng, 3);
    const int64_t unit = (int64_t)halo_type_size(type);
    const int64_t size[] = {rng_between(rng, 1, SIDE), rng_between(rng, 1, SIDE)};
    const int64_t step = rng_between(rng, 1, 2);
    Told narrow = {0}, wide = {0}, told;
    HaloSession *session = listen(&told);
    HaloArray in = array_packed(type, series ? "tc" : "hw", size, memory);
    in.stride[1] = unit * step;
    in.stride[0] = unit * step * size[1] * rng_between(rng, 1, 2);
    if (series) in.rate = 100, in.white = HALO_NO_SCALE;
    for (int64_t y = 0; y < size[0]; y++)
        for (int64_t x = 0; x < size[1]; x++)
            put(rng, type, memory + y * in.stride[0] + x * in.stride[1], &narrow, &wide);
    const HaloArray out = array_run(session, series ? "reverse" : "flip", &in, 1);
    expect(&told, series ? &wide : &narrow, series ? "a series" : "a picture");
    free(out.data);
    halo_session_close(session);
}

/* Integers that are sound are fractions of full scale, of which f32 keeps 24 bits; tiny samples are silence. */
static void sound_is_not_rounded(void **state)
{
    (void)state;
    int32_t loud[] = {INT32_MAX, -12345679, 1, 0};
    double quiet[] = {0.1, 1e-300, -1e-60, 0};
    const int64_t size[] = {4, 1};
    Told told;
    HaloOptions options;
    halo_options_defaults(&options);
    options.precision = HALO_PRECISION_SINGLE;
    options.message = hear;
    options.context = &told;
    told = (Told){0};
    HaloSession *session = array_session(&options);
    HaloArray sounds[] = {array_packed(HALO_TYPE_I32, "tc", size, loud),
                          array_packed(HALO_TYPE_F64, "tc", size, quiet)};
    for (int i = 0; i < 2; i++) {
        sounds[i].rate = 48000;
        free(array_run(session, "reverse", &sounds[i], 1).data);
    }
    expect(&told, &(Told){0}, "sound");
    halo_session_close(session);
}

/* ---- files ----------------------------------------------------------------------------------------------- */

static void save(HaloSession *session, const HaloArray *array, const char *format, HaloBytes *bytes)
{
    const HaloFile out = {
        .struct_size = sizeof out, .write = halo_bytes_write, .context = bytes, .format = format};
    array_ok(halo_save(session, array, &out), format);
}

/* NPY has every type that arrays have. */
static void npy_keeps_types(void **state)
{
    (void)state;
    static const char *const stored[] = {
        [HALO_TYPE_U8] = "|u1",  [HALO_TYPE_U16] = "<u2", [HALO_TYPE_U32] = "<u4", [HALO_TYPE_I8] = "|i1",
        [HALO_TYPE_I16] = "<i2", [HALO_TYPE_I32] = "<i4", [HALO_TYPE_I64] = "<i8", [HALO_TYPE_F16] = "<f2",
        [HALO_TYPE_F32] = "<f4", [HALO_TYPE_F64] = "<f8"};
    const int64_t size[] = {3, 4};
    Told told;
    HaloSession *session = listen(&told);
    for (HaloType type = HALO_TYPE_U8; type <= HALO_TYPE_F64; type++) {
        char memory[8 * 12];
        for (size_t i = 0; i < sizeof memory; i++) memory[i] = (char)(i % 5 == 4 ? 0 : 7 * i % 61);
        HaloBytes bytes = {0};
        const HaloArray array = array_packed(type, "hw", size, memory);
        const size_t length = array_bytes(&array);
        for (size_t i = 7; i < length && type == HALO_TYPE_I64; i += 8) memory[i - 1] = memory[i] = 0;
        save(session, &array, "npy", &bytes);
        assert_int_equal(bytes.size, 128 + length);
        char head[119] = ""; /* the text before the samples */
        memcpy(head, (const char *)bytes.data + 10, sizeof head - 1);
        if (strstr(head, stored[type]) == NULL)
            fail_case(NULL, "%s is not stored as %s", halo_type_name(type), stored[type]);
        if (memcmp((const char *)bytes.data + bytes.size - length, memory, length) != 0)
            fail_case(NULL, "%s: other samples", halo_type_name(type));
        halo_free(bytes.data);
    }
    expect(&told, &(Told){0}, "types that NPY has");
    halo_session_close(session);
}

/* PNG has no samples above full scale, nor NaN. */
static void png_tells_of_clipping(void **state)
{
    (void)state;
    float image[] = {0.5f, 1.5f, NAN, -1, 1, 0, 2, 0.25f};
    const int64_t size[] = {2, 4};
    Told told;
    HaloBytes bytes = {0};
    HaloSession *session = listen(&told);
    HaloArray array = array_packed(HALO_TYPE_F32, "hw", size, image);
    array.white = 1;
    save(session, &array, "png", &bytes);
    expect(&told, &(Told){.clipped = 4}, "png");
    halo_free(bytes.data);
    halo_session_close(session);
}

static void loading_tells(void **state)
{
    (void)state;
    int32_t numbers[] = {1, (1 << 24) + 1, 1 << 25, -(1 << 24) - 1};
    const int64_t size[] = {2, 2};
    Told told;
    HaloBytes bytes = {0};
    HaloArray back;
    HaloSession *session = listen(&told);
    const HaloArray array = array_packed(HALO_TYPE_I32, "hw", size, numbers);
    save(session, &array, "npy", &bytes);
    const HaloFile from = {.struct_size = sizeof from, .bytes = bytes.data, .size = bytes.size};
    halo_array_defaults(&back);
    array_ok(halo_load(session, &from, false, &back), "load");
    expect(&told, &(Told){.rounded = 2}, "loading");
    halo_free(back.data);
    halo_free(bytes.data);
    halo_session_close(session);
}

/* ---- several arrays -------------------------------------------------------------------------------------- */

static void stacks_tell(void **state)
{
    (void)state;
    int32_t numbers[2][2] = {{1, (1 << 24) + 1}, {300, 1 << 24}};
    uint8_t bytes[2][2] = {{200, 3}, {100, 4}}, sum[2];
    float mean[2];
    const int64_t size[] = {2, 1, 2}, one[] = {1, 2};
    Told told;
    HaloSession *session = listen(&told);
    const HaloArray wide = array_packed(HALO_TYPE_I32, "nhw", size, numbers);
    const HaloArray small = array_packed(HALO_TYPE_U8, "nhw", size, bytes);
    const HaloArray to_mean = array_packed(HALO_TYPE_F32, "hw", one, mean);
    const HaloArray to_sum = array_packed(HALO_TYPE_U8, "hw", one, sum);
    array_ok(halo_stack_arrays(session, "mean", &wide, 1, &to_mean), "mean");
    expect(&told, &(Told){.rounded = 1}, "the mean");
    told = (Told){0};
    array_ok(halo_stack_arrays(session, "sum", &small, 1, &to_sum), "sum");
    expect(&told, &(Told){.clipped = 1}, "the sum");
    assert_true(sum[0] == 255 && sum[1] == 7);
    halo_session_close(session);
}

/* What f32 does not hold differs all the same. */
static void compares_all_digits(void **state)
{
    (void)state;
    double a[] = {1, 2, 1e300, 4}, b[] = {1, 2 + 1e-12, 1e300, 4};
    int32_t c[] = {1 << 30, 5, 6, 7}, d[] = {(1 << 30) + 1, 5, 6, 7};
    const int64_t size[] = {2, 2};
    Told told;
    HaloSession *session = listen(&told);
    const HaloArray reals[] = {array_packed(HALO_TYPE_F64, "hw", size, a),
                               array_packed(HALO_TYPE_F64, "hw", size, b)};
    const HaloArray whole[] = {array_packed(HALO_TYPE_I32, "hw", size, c),
                               array_packed(HALO_TYPE_I32, "hw", size, d)};
    HaloDifference difference = {.struct_size = sizeof difference};
    array_ok(halo_compare_arrays(session, reals, &difference), "f64");
    assert_int_equal(difference.differing, 1);
    assert_true(difference.max == b[1] - a[1] && difference.max_x == 1 && difference.max_y == 0);
    array_ok(halo_compare_arrays(session, whole, &difference), "i32");
    assert_true(difference.differing == 1 && difference.max == 1);
    expect(&told, &(Told){0}, "comparisons");
    halo_session_close(session);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(counts_what_is_rounded, 2000), cmocka_unit_test(sound_is_not_rounded),
        cmocka_unit_test(npy_keeps_types),         cmocka_unit_test(png_tells_of_clipping),
        cmocka_unit_test(loading_tells),           cmocka_unit_test(stacks_tell),
        cmocka_unit_test(compares_all_digits),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
