/* TIFF as others write it: depths, palettes, planes, tiles, compressions, byte orders; and what is wrong with
 * it. */
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

#include "codec.h"
#include "random.h"

enum { WIDTH = 37, HEIGHT = 29 };

typedef struct Made {
    const char *mode;
    int bits, format, samples, photometric, planar, tile, compression, predictor, extra, pages;
    bool overviews; /* every second page is one */
    uint16_t (*map)[256];
} Made;

static int64_t row_bytes(const Made *made, int64_t cols)
{
    const int64_t samples = made->planar == PLANARCONFIG_SEPARATE ? 1 : made->samples;
    return (cols * samples * made->bits + 7) / 8;
}

static void set_tags(TIFF *tiff, const Made *made)
{
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, WIDTH);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, HEIGHT);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, made->bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, made->samples);
    if (made->format != 0) TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, made->format);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, made->photometric);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, made->planar != 0 ? made->planar : PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, made->compression != 0 ? made->compression : COMPRESSION_NONE);
    if (made->predictor != 0) TIFFSetField(tiff, TIFFTAG_PREDICTOR, made->predictor);
    if (made->extra != 0) TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &(uint16_t){(uint16_t)made->extra});
    if (made->map != NULL) TIFFSetField(tiff, TIFFTAG_COLORMAP, made->map[0], made->map[1], made->map[2]);
    if (made->tile != 0) {
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, made->tile);
        TIFFSetField(tiff, TIFFTAG_TILELENGTH, made->tile);
    } else {
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 7);
    }
}

/* Writes `samples` (rows without padding; planes one after the other) by libtiff. */
static Bytes make(const Made *made, const uint8_t *samples)
{
    const char *path = test_path("made.tif");
    TIFF *tiff = TIFFOpen(path, made->mode != NULL ? made->mode : "w");
    assert_non_null(tiff);
    const int planes = made->planar == PLANARCONFIG_SEPARATE ? made->samples : 1;
    const int64_t bytes = row_bytes(made, WIDTH);
    uint8_t block[64 * 64 * 32];
    for (int page = 0; page < (made->pages > 0 ? made->pages : 1); page++) {
        set_tags(tiff, made);
        if (made->overviews && page % 2 == 1) TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, FILETYPE_REDUCEDIMAGE);
        for (int plane = 0; plane < planes; plane++) {
            const uint8_t *from = samples + plane * bytes * HEIGHT;
            for (int y = 0; made->tile == 0 && y < HEIGHT; y++) {
                memcpy(block, from + y * bytes, (size_t)bytes);
                assert_int_equal(TIFFWriteScanline(tiff, block, (uint32_t)y, (uint16_t)plane), 1);
            }
            for (int y = 0; made->tile != 0 && y < HEIGHT; y += made->tile) {
                for (int x = 0; x < WIDTH; x += made->tile) {
                    const int64_t skip = row_bytes(made, x), tile_bytes = row_bytes(made, made->tile);
                    memset(block, 0, sizeof block);
                    for (int r = 0; r < made->tile && y + r < HEIGHT; r++)
                        memcpy(block + r * tile_bytes, from + (y + r) * bytes + skip,
                               (size_t)(tile_bytes < bytes - skip ? tile_bytes : bytes - skip));
                    assert_true(TIFFWriteTile(tiff, block, (uint32_t)x, (uint32_t)y, 0, (uint16_t)plane) > 0);
                }
            }
        }
        assert_int_equal(TIFFWriteDirectory(tiff), 1);
    }
    TIFFClose(tiff);
    return bytes_of_file(path);
}

static void read_back(const Bytes *file, Rng *rng, Decoded *image)
{
    if (decode(&halo_format_tiff, file->at, file->size, NULL, rng_between(rng, 0, 20), image) != HALO_OK)
        fail_msg("%s", halo_error());
    assert_int_equal(image->info.shape.width, WIDTH);
    assert_int_equal(image->info.shape.height, HEIGHT);
}

/* ---- whole samples in every layout ---------------------------------------------------------------------- */

/* What samples may be, and what they become. */
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

static void one_layout(Rng *rng)
{
    static const char *const modes[] = {"wl", "wb", "wl8", "wb8"};
    static const int compressions[] = {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE,
                                       COMPRESSION_PACKBITS};
    const Kind *kind = &kinds[rng_between(rng, 0, sizeof kinds / sizeof *kinds - 1)];
    const bool real = kind->format == SAMPLEFORMAT_IEEEFP;
    Made made = {.mode = modes[rng_between(rng, 0, 3)],
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
    const int64_t pixels = WIDTH * HEIGHT, count = pixels * made.samples;
    const int64_t size = (int64_t)halo_dtype_size(kind->dtype);
    uint8_t *samples = calloc((size_t)count, 8), *expected = calloc((size_t)count, 8);
    for (int64_t i = 0; i < count; i++) {
        const bool planar = made.planar == PLANARCONFIG_SEPARATE;
        const int64_t to = planar ? i % pixels * made.samples + i / pixels : i;
        draw_sample(rng, kind, samples + i * (made.bits / 8), expected + to * size);
    }
    Bytes file = make(&made, samples);
    Decoded image;
    read_back(&file, rng, &image);
    HaloBuf data = {.shape = shape_of(kind->dtype, WIDTH, HEIGHT, made.samples, made.extra != 0),
                    .cols = WIDTH,
                    .rows = HEIGHT,
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

static void every_layout(void **unused)
{
    (void)unused;
    for_each_case(__func__, 400, one_layout);
}

/* f64 becomes the nearest f32, which may be an infinity or a zero. */
static void doubles_beyond_floats(void **unused)
{
    (void)unused;
    Rng rng = {23};
    static const double from[] = {1e300, -1e300, 1e-300, 0x1.fffffefffffffp127, 0x1.ffffffp127, 0.1};
    const float to[] = {INFINITY, -INFINITY, 0.0f, FLT_MAX, INFINITY, 0.1f};
    double samples[WIDTH * HEIGHT];
    for (int i = 0; i < WIDTH * HEIGHT; i++) samples[i] = from[i % 6];
    const Made made = {
        .bits = 64, .format = SAMPLEFORMAT_IEEEFP, .samples = 1, .photometric = PHOTOMETRIC_MINISBLACK};
    Bytes file = make(&made, (const uint8_t *)samples);
    Decoded image;
    read_back(&file, &rng, &image);
    for (int i = 0; i < WIDTH * HEIGHT; i++) assert_true(((const float *)image.data.data)[i] == to[i % 6]);
    decoded_free(&image);
    free(file.at);
}

/* Every one, to the bit; of a NaN also what it carries. */
static void halves(void **unused)
{
    (void)unused;
    Rng rng = {29};
    uint16_t samples[WIDTH * HEIGHT];
    const Made made = {
        .bits = 16, .format = SAMPLEFORMAT_IEEEFP, .samples = 1, .photometric = PHOTOMETRIC_MINISBLACK};
    for (unsigned from = 0; from <= UINT16_MAX; from += WIDTH * HEIGHT) {
        for (unsigned i = 0; i < WIDTH * HEIGHT; i++) samples[i] = (uint16_t)(from + i);
        Bytes file = make(&made, (const uint8_t *)samples);
        Decoded image;
        read_back(&file, &rng, &image);
        for (unsigned i = 0; i < WIDTH * HEIGHT; i++) {
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
static void integers_that_are_no_floats_are_refused(void **unused)
{
    (void)unused;
    static const struct {
        int format, planar, tile;
        int64_t value;
    } cases[] = {{SAMPLEFORMAT_UINT, 1, 0, (1 << 24) + 1}, {SAMPLEFORMAT_INT, 1, 16, -(1 << 24) - 1},
                 {SAMPLEFORMAT_INT, 2, 16, INT32_MIN},     {SAMPLEFORMAT_UINT, 2, 0, UINT32_MAX},
                 {SAMPLEFORMAT_INT, 1, 0, 1 << 24},        {SAMPLEFORMAT_INT, 2, 16, -(1 << 24)}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t samples[3 * WIDTH * HEIGHT] = {0};
        const bool fits = cases[i].value <= 1 << 24 && cases[i].value >= -(1 << 24);
        const Made made = {.bits = 32,
                           .format = cases[i].format,
                           .samples = 3,
                           .photometric = PHOTOMETRIC_RGB,
                           .planar = cases[i].planar,
                           .tile = cases[i].tile};
        const int at = 19 * WIDTH + 20; /* row 19, column 20; a sample of green */
        samples[made.planar == 1 ? 3 * at + 1 : WIDTH * HEIGHT + at] = (uint32_t)cases[i].value;
        Bytes file = make(&made, (const uint8_t *)samples);
        Decoded image;
        char words[96];
        snprintf(words, sizeof words, "row 19: column 20: sample %lld does not fit", (long long)cases[i].value);
        for (int tolerate = 0; tolerate < 2; tolerate++) {
            const HaloReadOptions options = {.tolerate = tolerate};
            const HaloStatus status = decode(&halo_format_tiff, file.at, file.size, &options, 0, &image);
            assert_int_equal(status, fits ? HALO_OK : HALO_ERR_INPUT);
            if (!fits) assert_non_null(strstr(halo_error(), words));
            if (fits) assert_true(((const float *)image.data.data)[3 * at + 1] == (float)cases[i].value);
            decoded_free(&image);
        }
        free(file.at);
    }
}

/* ---- small depths, palettes, alpha ---------------------------------------------------------------------- */

static void few_bits(void **unused)
{
    (void)unused;
    Rng rng = {11};
    uint8_t samples[WIDTH * HEIGHT];
    for (size_t i = 0; i < sizeof samples; i++) samples[i] = (uint8_t)rng_next(&rng);
    for (int bits = 1; bits <= 8; bits *= 2) {
        for (int white_is_zero = 0; white_is_zero < 2; white_is_zero++) {
            const Made made = {.bits = bits,
                               .samples = 1,
                               .photometric = white_is_zero ? PHOTOMETRIC_MINISWHITE : PHOTOMETRIC_MINISBLACK};
            Bytes file = make(&made, samples);
            Decoded image;
            read_back(&file, &rng, &image);
            for (int i = 0; i < WIDTH * HEIGHT; i++) {
                const int bit = i % WIDTH * bits, most = (1 << bits) - 1;
                const uint8_t byte = samples[i / WIDTH * row_bytes(&made, WIDTH) + bit / 8];
                const int v = (byte >> (8 - bits - bit % 8) & most) * (255 / most);
                assert_int_equal(((uint8_t *)image.data.data)[i], white_is_zero ? 255 - v : v);
            }
            decoded_free(&image);
            free(file.at);
        }
    }
}

static void palettes(void **unused)
{
    (void)unused;
    Rng rng = {13};
    uint16_t map[3][256];
    uint8_t samples[WIDTH * HEIGHT];
    for (size_t i = 0; i < sizeof samples; i++) samples[i] = (uint8_t)rng_next(&rng);
    static const int factors[] = {1, 256, 257, 99}; /* old writers; new ones, both ways; real 16 bits */
    for (int f = 0; f < 4; f++) {
        for (int i = 0; i < 768; i++)
            map[i / 256][i % 256] = (uint16_t)((unsigned)(i * 7 % 256) * (unsigned)factors[f]);
        const Made made = {.bits = 8, .samples = 1, .photometric = PHOTOMETRIC_PALETTE, .map = map};
        Bytes file = make(&made, samples);
        Decoded image;
        read_back(&file, &rng, &image);
        assert_int_equal(image.info.shape.channels, 3);
        assert_int_equal(image.info.shape.dtype, f < 3 ? HALO_U8 : HALO_U16);
        for (int i = 0; i < 3 * WIDTH * HEIGHT; i++) {
            const int v = (i % 3 * 256 + samples[i / 3]) * 7 % 256;
            if (f < 3)
                assert_int_equal(((uint8_t *)image.data.data)[i], v);
            else
                assert_int_equal(((uint16_t *)image.data.data)[i], v * 99);
        }
        decoded_free(&image);
        free(file.at);
    }
}

static void premultiplied_alpha_is_divided_out(void **unused)
{
    (void)unused;
    Rng rng = {17};
    uint8_t samples[2 * WIDTH * HEIGHT];
    for (size_t i = 0; i < sizeof samples; i++) samples[i] = (uint8_t)(rng_next(&rng) % (i % 2 ? 256 : 100));
    const Made made = {
        .bits = 8, .samples = 2, .photometric = PHOTOMETRIC_MINISBLACK, .extra = EXTRASAMPLE_ASSOCALPHA};
    Bytes file = make(&made, samples);
    Decoded image;
    read_back(&file, &rng, &image);
    assert_int_equal(image.info.shape.alpha, 1);
    assert_int_equal(image.info.notes.count[HALO_NOTE_DIVIDED], 1);
    for (int i = 0; i < 2 * WIDTH * HEIGHT; i += 2) {
        const int v = samples[i], a = samples[i + 1], out = a == 0 ? 0 : (int)(v * 255.0 / a + 0.5);
        assert_int_equal(((uint8_t *)image.data.data)[i], out > 255 ? 255 : out);
        assert_int_equal(((uint8_t *)image.data.data)[i + 1], a);
    }
    decoded_free(&image);
    free(file.at);
}

/* ---- what is written ------------------------------------------------------------------------------------ */

static int predictor_of(HaloDtype dtype)
{
    const HaloShape shape = shape_of(dtype, WIDTH, HEIGHT, 1, false);
    const HaloInfo info = {0};
    const char *path = test_path("predictor.tif");
    uint16_t predictor = 0;
    HaloBuf data;
    Bytes file;
    assert_int_equal(halo_buf_alloc(&data, &shape), HALO_OK);
    memset(data.data, 0x3f, (size_t)(data.rows * data.stride));
    assert_int_equal(encode(&halo_format_tiff, &info, &data, 0, &file), HALO_OK);
    bytes_to_file(path, file.at, file.size);
    TIFF *tiff = TIFFOpen(path, "r");
    assert_non_null(tiff);
    assert_int_equal(TIFFGetFieldDefaulted(tiff, TIFFTAG_PREDICTOR, &predictor), 1);
    TIFFClose(tiff);
    free(file.at);
    halo_buf_free(&data);
    return predictor;
}

/* The floating-point predictor is read by few. */
static void floats_are_written_without_predictor(void **unused)
{
    (void)unused;
    assert_int_equal(predictor_of(HALO_U8), PREDICTOR_HORIZONTAL);
    assert_int_equal(predictor_of(HALO_U16), PREDICTOR_HORIZONTAL);
    assert_int_equal(predictor_of(HALO_F32), PREDICTOR_NONE);
}

/* ---- pages, refusals, damage ---------------------------------------------------------------------------- */

static void pages_are_counted(void **unused)
{
    (void)unused;
    Rng rng = {19};
    const uint8_t samples[WIDTH * HEIGHT] = {0};
    Made made = {.bits = 8, .samples = 1, .photometric = PHOTOMETRIC_MINISBLACK};
    for (made.pages = 1; made.pages <= 4; made.pages++) {
        for (int overviews = 0; overviews < 2; overviews++) {
            made.overviews = overviews;
            Bytes file = make(&made, samples);
            Decoded image;
            read_back(&file, &rng, &image);
            assert_int_equal(image.info.images, overviews ? (made.pages + 1) / 2 : made.pages);
            assert_true((strstr(image.info.encoding, "overviews") != NULL) == (overviews && made.pages > 1));
            decoded_free(&image);
            free(file.at);
        }
    }
}

static void refusals(void **unused)
{
    (void)unused;
    static const struct {
        Made made;
        const char *message;
    } cases[] = {
        {{.bits = 8, .samples = 4, .photometric = PHOTOMETRIC_SEPARATED}, "CMYK"},
        {{.bits = 64, .samples = 1, .format = SAMPLEFORMAT_INT, .photometric = PHOTOMETRIC_MINISBLACK},
         "64-bit signed integers"},
        {{.bits = 64, .samples = 1, .photometric = PHOTOMETRIC_MINISBLACK}, "64-bit integers"},
        {{.bits = 64,
          .samples = 1,
          .format = SAMPLEFORMAT_COMPLEXIEEEFP,
          .photometric = PHOTOMETRIC_MINISBLACK},
         "complex"},
        {{.bits = 16, .samples = 1, .format = SAMPLEFORMAT_INT, .photometric = PHOTOMETRIC_MINISWHITE},
         "whose 0 is white"},
        {{.bits = 32, .samples = 2, .photometric = PHOTOMETRIC_MINISBLACK, .extra = EXTRASAMPLE_ASSOCALPHA},
         "multiplied by alpha"},
        {{.bits = 8, .samples = 3, .photometric = PHOTOMETRIC_CIELAB}, "colours of kind"},
    };
    const uint8_t samples[WIDTH * HEIGHT * 8] = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Bytes file = make(&cases[i].made, samples);
        expect_error(&halo_format_tiff, (const char *)file.at, file.size, HALO_ERR_INPUT, cases[i].message);
        free(file.at);
    }
}

/* Bytes changed anywhere: an answer, never more; and tolerated, never a failure that is no refusal. */
static void one_damage(Rng *rng)
{
    static const int compressions[] = {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE};
    uint8_t samples[3 * WIDTH * HEIGHT];
    for (size_t i = 0; i < sizeof samples; i++) samples[i] = (uint8_t)(i / 3);
    const Made made = {.bits = 8,
                       .samples = 3,
                       .photometric = PHOTOMETRIC_RGB,
                       .tile = 16 * (int)rng_between(rng, 0, 1),
                       .compression = compressions[rng_between(rng, 0, 2)]};
    Bytes file = make(&made, samples);
    for (int64_t n = rng_between(rng, 1, 4); n > 0; n--)
        file.at[rng_between(rng, 4, (int64_t)file.size - 1)] = (uint8_t)rng_next(rng);
    const HaloReadOptions options = {.tolerate = rng_once_in(rng, 2), .max_pixels = 1 << 16};
    Decoded image;
    const HaloStatus status =
        decode(&halo_format_tiff, file.at, file.size, &options, rng_between(rng, 0, 9), &image);
    if (status != HALO_OK && status != HALO_ERR_INPUT && status != HALO_ERR_LIMIT)
        fail_msg("status %d: %s", status, halo_error());
    decoded_free(&image);
    free(file.at);
}

static void damage(void **unused)
{
    (void)unused;
    for_each_case(__func__, 2000, one_damage);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layout),
        cmocka_unit_test(doubles_beyond_floats),
        cmocka_unit_test(halves),
        cmocka_unit_test(integers_that_are_no_floats_are_refused),
        cmocka_unit_test(few_bits),
        cmocka_unit_test(palettes),
        cmocka_unit_test(premultiplied_alpha_is_divided_out),
        cmocka_unit_test(floats_are_written_without_predictor),
        cmocka_unit_test(pages_are_counted),
        cmocka_unit_test(refusals),
        cmocka_unit_test(damage),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}
#else
int main(void) { return 0; }
#endif
