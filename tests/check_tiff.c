/* TIFF as others write it: samples of whole bytes in every layout, byte order and compression. */
#ifdef HALO_HAVE_TIFF
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <tiffio.h>

#include "tiff_files.h"

/* Types of samples, and the types they are read as. */
typedef struct Kind {
    int bits, format;
    HaloDtype dtype;
} Kind;

static const Kind kinds[] = {
    {8, SAMPLEFORMAT_UINT, HALO_U8},     {16, SAMPLEFORMAT_UINT, HALO_U16},
    {16, SAMPLEFORMAT_IEEEFP, HALO_F32}, {32, SAMPLEFORMAT_IEEEFP, HALO_F32},
    {64, SAMPLEFORMAT_IEEEFP, HALO_F32}, {8, SAMPLEFORMAT_INT, HALO_F32},
    {16, SAMPLEFORMAT_INT, HALO_F32},    {32, SAMPLEFORMAT_INT, HALO_F32},
    {32, SAMPLEFORMAT_UINT, HALO_F32},
};

static bool is_whole(const Kind *kind)
{
    return kind->dtype == HALO_F32 && kind->format != SAMPLEFORMAT_IEEEFP;
}

/* IEEE 754, table 3.5 and 3.4: by the definition. NaN stays NaN. */
static float value_of_half(unsigned half)
{
    const int sign = half >> 15 & 1, exponent = half >> 10 & 31, fraction = half & 1023;
    const double size = exponent == 31  ? fraction > 0 ? (double)NAN : (double)INFINITY
                        : exponent == 0 ? ldexp(fraction, -24)
                                        : ldexp(1024 + fraction, exponent - 25);
    return (float)(sign ? -size : size);
}

/* A sample of this kind, and what it is read as. */
static void draw_sample(Rng *rng, const Kind *kind, uint8_t *sample, uint8_t *value)
{
    const uint64_t bits = rng_next(rng);
    const int64_t most = kind->bits >= 32 ? 1 << 24 : 1 << (kind->bits - 1);
    float f = rng_float(rng, -1.0f, 2.0f);
    const double d = (double)f;
    memcpy(sample, &bits, (size_t)kind->bits / 8);
    if (is_whole(kind)) {
        const bool below = kind->format == SAMPLEFORMAT_INT;
        const int32_t v = (int32_t)rng_between(rng, below ? -most : 0, most - (kind->bits < 32));
        memcpy(sample, &v, (size_t)kind->bits / 8); /* least significant first, as on every machine of today */
        f = (float)v;
    } else if (kind->bits == 16 && kind->dtype == HALO_F32) {
        const uint16_t half = (uint16_t)(bits & 0xfbff); /* below 2, so no NaN */
        f = value_of_half(half);
        memcpy(sample, &half, 2);
    } else if (kind->dtype == HALO_F32) {
        memcpy(sample, kind->bits == 64 ? (const void *)&d : &f, (size_t)kind->bits / 8);
    }
    memcpy(value, kind->dtype == HALO_F32 ? (const void *)&f : sample, halo_dtype_size(kind->dtype));
}

static void every_layout(Rng *rng)
{
    static const char *const modes[] = {"wl", "wb", "wl8", "wb8"};
    static const int compressions[] = {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE,
                                       COMPRESSION_PACKBITS};
    const Kind *kind = &kinds[rng_between(rng, 0, sizeof kinds / sizeof *kinds - 1)];
    const bool real = kind->format == SAMPLEFORMAT_IEEEFP;
    TiffMade made = {.mode = modes[rng_between(rng, 0, 3)],
                     .bits = kind->bits,
                     .format = kind->format,
                     .samples = (int)rng_between(rng, 1, 4),
                     .planar = (int)rng_between(rng, 1, 2),
                     .tile = 16 * (int)rng_between(rng, 0, 3),
                     .compression = compressions[rng_between(rng, 0, 3)]};
    const bool predicts = made.compression == COMPRESSION_LZW || made.compression == COMPRESSION_ADOBE_DEFLATE;
    if (predicts && !real && rng_once_in(rng, 2)) made.predictor = PREDICTOR_HORIZONTAL;
    if (predicts && real && made.mode[1] == 'l' && rng_once_in(rng, 2))
        made.predictor =
            PREDICTOR_FLOATINGPOINT; /* big-endian files with it libtiff reads, but writes wrongly */
    made.photometric = made.samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
    made.extra = made.samples % 2 == 0 ? EXTRASAMPLE_UNASSALPHA : 0;
    const int64_t pixels = TIFF_WIDTH * TIFF_HEIGHT, count = pixels * made.samples;
    const int64_t size = (int64_t)halo_dtype_size(kind->dtype);
    uint8_t *samples = calloc((size_t)count, 8), *expected = calloc((size_t)count, 8);
    for (int64_t i = 0; i < count; i++) {
        const bool planar = made.planar == PLANARCONFIG_SEPARATE;
        const int64_t to = planar ? i % pixels * made.samples + i / pixels : i;
        draw_sample(rng, kind, samples + i * (made.bits / 8), expected + to * size);
    }
    Bytes file = tiff_make(&made, samples);
    Decoded image;
    tiff_read_back(&file, rng, &image);
    HaloBuf data = {.shape = shape_of(kind->dtype, TIFF_WIDTH, TIFF_HEIGHT, made.samples, made.extra != 0),
                    .cols = TIFF_WIDTH,
                    .rows = TIFF_HEIGHT,
                    .data = expected};
    data.stride = halo_row_bytes(&data);
    expect_image("layout", &data, &image);
    assert_int_equal(image.info.shape.alpha, data.shape.alpha);
    assert_int_equal(image.info.bits, made.bits);
    assert_int_equal(image.info.real, real);
    assert_true((strstr(image.info.encoding, "signed") != NULL) == (made.format == SAMPLEFORMAT_INT));
    const bool through = made.bits == 64 || (made.bits == 32 && is_whole(kind));
    assert_int_equal(image.info.notes.count[HALO_NOTE_THROUGH_F32], through ? made.bits : 0);
    decoded_free(&image);
    free(file.at);
    free(samples);
    free(expected);
}

/* Compressions that libtiff has where it was built with their libraries; those without loss. */
static void other_compressions(void **unused)
{
    (void)unused;
    static const int compressions[] = {COMPRESSION_ZSTD, COMPRESSION_LZMA, COMPRESSION_LERC};
    Rng rng = {31};
    for (size_t k = 0; k < 3 * sizeof kinds / sizeof *kinds; k++) {
        const Kind *kind = &kinds[k / 3];
        const bool half = kind->bits == 16 && kind->format == SAMPLEFORMAT_IEEEFP; /* which LERC has not */
        TiffMade made = {.bits = kind->bits,
                         .format = kind->format,
                         .samples = 1,
                         .photometric = PHOTOMETRIC_MINISBLACK,
                         .tile = 16,
                         .compression = compressions[k % 3]};
        if (!TIFFIsCODECConfigured((uint16_t)made.compression) ||
            (half && made.compression == COMPRESSION_LERC))
            continue;
        const size_t count = TIFF_WIDTH * TIFF_HEIGHT, size = halo_dtype_size(kind->dtype);
        uint8_t *samples = calloc(count, 8), *expected = calloc(count, 8);
        for (size_t i = 0; i < count; i++)
            draw_sample(&rng, kind, samples + i * (size_t)(made.bits / 8), expected + i * size);
        Bytes file = tiff_make(&made, samples);
        Decoded image;
        tiff_read_back(&file, &rng, &image);
        assert_memory_equal(image.data.data, expected, count * size);
        decoded_free(&image);
        free(file.at);
        free(samples);
        free(expected);
    }
}

/* f64 becomes the nearest f32, which may be an infinity or a zero. */
static void doubles_beyond_floats(void **unused)
{
    (void)unused;
    Rng rng = {23};
    static const double from[] = {1e300, -1e300, 1e-300, 0x1.fffffefffffffp127, 0x1.ffffffp127, 0.1};
    const float to[] = {INFINITY, -INFINITY, 0.0f, FLT_MAX, INFINITY, 0.1f};
    double samples[TIFF_WIDTH * TIFF_HEIGHT];
    for (int i = 0; i < TIFF_WIDTH * TIFF_HEIGHT; i++) samples[i] = from[i % 6];
    const TiffMade made = {
        .bits = 64, .format = SAMPLEFORMAT_IEEEFP, .samples = 1, .photometric = PHOTOMETRIC_MINISBLACK};
    Bytes file = tiff_make(&made, (const uint8_t *)samples);
    Decoded image;
    tiff_read_back(&file, &rng, &image);
    for (int i = 0; i < TIFF_WIDTH * TIFF_HEIGHT; i++)
        assert_true(((const float *)image.data.data)[i] == to[i % 6]);
    uint64_t rounded = 0, vanished = 0;
    for (int i = 0; i < TIFF_WIDTH * TIFF_HEIGHT; i++) {
        rounded += i % 6 != 2 && i % 6 != 5;
        vanished += i % 6 == 2;
    }
    assert_int_equal(image.info.notes.count[HALO_NOTE_ROUNDED], rounded);
    assert_int_equal(image.info.notes.count[HALO_NOTE_VANISHED], vanished);
    decoded_free(&image);
    free(file.at);
}

/* Every one, to the bit, the payload of a NaN included. */
static void halves(void **unused)
{
    (void)unused;
    Rng rng = {29};
    uint16_t samples[TIFF_WIDTH * TIFF_HEIGHT];
    const TiffMade made = {
        .bits = 16, .format = SAMPLEFORMAT_IEEEFP, .samples = 1, .photometric = PHOTOMETRIC_MINISBLACK};
    for (unsigned from = 0; from <= UINT16_MAX; from += TIFF_WIDTH * TIFF_HEIGHT) {
        for (unsigned i = 0; i < TIFF_WIDTH * TIFF_HEIGHT; i++) samples[i] = (uint16_t)(from + i);
        Bytes file = tiff_make(&made, (const uint8_t *)samples);
        Decoded image;
        tiff_read_back(&file, &rng, &image);
        for (unsigned i = 0; i < TIFF_WIDTH * TIFF_HEIGHT; i++) {
            const float value = value_of_half(samples[i]);
            const uint32_t nan = (samples[i] & 0x8000u) << 16 | 0x7f800000u | (samples[i] & 1023u) << 13;
            assert_memory_equal((const float *)image.data.data + i, isnan(value) ? (const void *)&nan : &value,
                                4);
        }
        decoded_free(&image);
        free(file.at);
    }
}

/* 2^24 is the last integer that has all its neighbours below among the floats. */
static void integers_beyond_floats_are_counted(void **unused)
{
    (void)unused;
    static const struct {
        int format, planar, tile;
        int64_t value;
    } cases[] = {{SAMPLEFORMAT_UINT, 1, 0, (1 << 24) + 1}, {SAMPLEFORMAT_INT, 1, 16, -(1 << 24) - 1},
                 {SAMPLEFORMAT_INT, 2, 16, INT32_MIN},     {SAMPLEFORMAT_UINT, 2, 0, UINT32_MAX},
                 {SAMPLEFORMAT_INT, 1, 0, 1 << 24},        {SAMPLEFORMAT_INT, 2, 16, -(1 << 24)}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t samples[3 * TIFF_WIDTH * TIFF_HEIGHT] = {0};
        const bool fits = (double)(float)cases[i].value == (double)cases[i].value;
        const TiffMade made = {.bits = 32,
                               .format = cases[i].format,
                               .samples = 3,
                               .photometric = PHOTOMETRIC_RGB,
                               .planar = cases[i].planar,
                               .tile = cases[i].tile};
        const int at = 19 * TIFF_WIDTH + 20; /* row 19, column 20; a sample of green */
        samples[made.planar == 1 ? 3 * at + 1 : TIFF_WIDTH * TIFF_HEIGHT + at] = (uint32_t)cases[i].value;
        Bytes file = tiff_make(&made, (const uint8_t *)samples);
        Decoded image;
        assert_int_equal(decode(&halo_format_tiff, file.at, file.size, NULL, 0, &image), HALO_OK);
        assert_true(((const float *)image.data.data)[3 * at + 1] == (float)cases[i].value);
        assert_int_equal(image.info.notes.count[HALO_NOTE_ROUNDED], !fits);
        decoded_free(&image);
        free(file.at);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(every_layout, 400),
        cmocka_unit_test(other_compressions),
        cmocka_unit_test(doubles_beyond_floats),
        cmocka_unit_test(halves),
        cmocka_unit_test(integers_beyond_floats_are_counted),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}
#else
int main(void) { return 0; }
#endif
