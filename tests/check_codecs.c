/* Pictures by optional libraries: samples both ways, metadata, pages, and damaged files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codec.h"
#include "halo/words.h"
#include "random.h"
#ifdef HALO_HAVE_HEIF
#include "heif/libheif.h"
#endif

typedef struct Row {
    const HaloFormat *format;
    bool colour;   /* gray becomes RGB */
    int bits;      /* the most that it holds of 16; 0: all */
    bool no_alpha; /* without loss */
} Row;

static const Row rows[] = {
#ifdef HALO_HAVE_WEBP
    {&halo_format_webp, true, 8, false},
#endif
#ifdef HALO_HAVE_HEIF
    {&halo_format_avif, true, 12, true},  {&halo_format_heic, true, 12, true},
#endif
#ifdef HALO_HAVE_JXL
    {&halo_format_jxl, false, 0, false},
#endif
#ifdef HALO_HAVE_FITS
    {&halo_format_fits, false, 0, false},
#endif
#ifdef HALO_HAVE_EXR
    {&halo_format_exr, false, 0, true}, /* colours are multiplied by alpha */
#endif
    {&halo_format_png, false, 0, false}, /* so that there is one */
};
enum { ROWS = sizeof rows / sizeof *rows };

/* libheif may lack the encoder of a format. */
static bool is_written(const Row *row)
{
    static int known[ROWS]; /* 1: yes, 2: no */
    const HaloShape shape = shape_of(row->format->dtypes & 1u << HALO_U8 ? HALO_U8 : HALO_F32, 8, 8, 3, false);
    HaloBuf data;
    Bytes file;
    int *const state = &known[row - rows];
    if (*state != 0) return *state == 1;
    assert_int_equal(halo_buf_alloc(&data, &shape), HALO_OK);
    memset(data.data, 0, (size_t)(data.stride * data.rows));
    *state = 1;
    if (encode(row->format, &(HaloInfo){.bits = 8}, &data, 0, &file) != HALO_OK) {
        if (strstr(halo_error(), "has no encoder") == NULL) fail_msg("%s: %s", row->format->name, halo_error());
        *state = 2;
    }
    free(file.at);
    halo_buf_free(&data);
    return *state == 1;
}

static const Row *draw_row(Rng *rng)
{
    for (;;) {
        const Row *row = &rows[rng_between(rng, 0, ROWS - 1)];
        if (is_written(row)) return row;
    }
}

/* Of the types and channels that the format takes. */
static HaloShape draw_shape(Rng *rng, const HaloFormat *format)
{
    for (;;) {
        const bool floats = strcmp(format->name, "jxl") != 0; /* which libjxl 0.7 does not keep */
        const HaloDtype dtype = (HaloDtype)rng_between(rng, HALO_U8, floats ? HALO_F32 : HALO_U16);
        const int channels = (int)rng_between(rng, 1, 4);
        const bool alpha = rng_once_in(rng, 2) && channels % 2 == 0;
        const unsigned held = alpha ? format->with_alpha : format->channels;
        if ((format->dtypes >> dtype & 1) == 0 || (held >> (channels - 1) & 1) == 0) continue;
        return shape_of(dtype, rng_between(rng, 1, 40), rng_between(rng, 1, 40), channels, alpha);
    }
}

/* Of `bits` bits, scaled to 16: rounded to nearest, by division of integers. */
static uint16_t scaled(Rng *rng, int bits)
{
    const uint64_t most = (UINT64_C(1) << bits) - 1, v = rng_next(rng) & most;
    return (uint16_t)((2 * v * 65535 + most) / (2 * most));
}

static void draw_samples(Rng *rng, HaloBuf *data, int bits)
{
    const int64_t count = data->cols * data->rows * data->shape.channels;
    for (int64_t i = 0; i < count; i++) {
        if (data->shape.dtype == HALO_U8) ((uint8_t *)data->data)[i] = (uint8_t)rng_next(rng);
        if (data->shape.dtype == HALO_U16) ((uint16_t *)data->data)[i] = scaled(rng, bits);
        if (data->shape.dtype == HALO_F32) ((float *)data->data)[i] = rng_float(rng, -1.0f, 2.0f);
    }
}

/* Gray as RGB. */
static void to_colour(HaloBuf *data)
{
    HaloShape shape = data->shape;
    HaloBuf to;
    const int alpha = shape.alpha >= 0;
    if (shape.channels - alpha != 1) return;
    shape.channels = 3 + alpha;
    shape.alpha = alpha ? 3 : -1;
    assert_int_equal(halo_buf_alloc(&to, &shape), HALO_OK);
    const size_t size = halo_dtype_size(shape.dtype);
    for (int64_t i = 0; i < data->cols * data->rows; i++)
        for (int c = 0; c < shape.channels; c++)
            memcpy((char *)to.data + (size_t)(i * shape.channels + c) * size,
                   (const char *)data->data + (size_t)(i * (1 + alpha) + (c == 3)) * size, size);
    halo_buf_free(data);
    *data = to;
}

static void lossless_samples_come_back(Rng *rng)
{
    const Row *row = draw_row(rng);
    HaloShape shape = draw_shape(rng, row->format);
    while (row->no_alpha && shape.alpha >= 0) shape = draw_shape(rng, row->format);
    const HaloWriteOptions options = {.lossless = true, .effort = (int)rng_between(rng, 0, 4)};
    const int most = row->bits > 0 ? row->bits : 16;
    const int bits = strcmp(row->format->name, "heic") == 0 && rng_once_in(rng, 2) ? 10 : most;
    const HaloInfo info = {.bits = shape.dtype == HALO_U8 ? 8 : shape.dtype == HALO_U16 ? bits : 32};
    HaloBuf data;
    Bytes file;
    Decoded image;
    assert_int_equal(halo_buf_alloc(&data, &shape), HALO_OK);
    draw_samples(rng, &data, bits);
    if (encode_with(row->format, row->format->effort ? &options : &(HaloWriteOptions){0}, &info, &data,
                    rng_between(rng, 0, 5), &file) != HALO_OK)
        fail_msg("%s: %s", row->format->name, halo_error());
    if (row->colour) to_colour(&data);
    if (decode(row->format, file.at, file.size, NULL, rng_between(rng, 0, 5), &image) != HALO_OK)
        fail_msg("%s: %s", row->format->name, halo_error());
    expect_image(row->format->name, &data, &image);
    assert_int_equal(image.info.shape.alpha, data.shape.alpha);
    decoded_free(&image);
    halo_buf_free(&data);
    free(file.at);
}

/* A file cut off anywhere is an error with a message, and with --tolerate a picture or an error. */
static void truncated_files(Rng *rng)
{
    const Row *row = draw_row(rng);
    const HaloShape shape = draw_shape(rng, row->format);
    const HaloReadOptions tolerate = {.tolerate = true};
    const HaloInfo info = {.bits = 8};
    HaloBuf data;
    Bytes file;
    Decoded image;
    assert_int_equal(halo_buf_alloc(&data, &shape), HALO_OK);
    draw_samples(rng, &data, 16);
    assert_int_equal(encode(row->format, &info, &data, 0, &file), HALO_OK);
    const size_t size = (size_t)rng_between(rng, 13, (int64_t)file.size - 1);
    const HaloStatus status = decode(row->format, file.at, size, NULL, 0, &image);
    if (status != HALO_ERR_INPUT && status != HALO_OK) fail_msg("%s: %s", row->format->name, halo_error());
    decoded_free(&image);
    decode(row->format, file.at, size, &tolerate, 3, &image);
    decoded_free(&image);
    halo_buf_free(&data);
    free(file.at);
}

static void metadata_comes_back(void **unused)
{
    (void)unused;
    static uint8_t icc[200] = {[16] = 'R', 'G', 'B', ' ', [36] = 'a', 'c', 's', 'p'};
    static uint8_t exif[] = {'I', 'I', '*', 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3,
                             0,   1,   0,   0, 0, 1, 0, 0, 0, 0, 0,    0, 0};
    static char xmp[] = "<x:xmpmeta xmlns:x='adobe:ns:meta/'></x:xmpmeta>";
    const HaloShape shape = shape_of(HALO_U8, 5, 4, 3, false);
    for (int64_t i = 0; i < ROWS; i++) {
        const HaloFormat *format = rows[i].format;
        HaloInfo info = {.bits = 8};
        HaloBuf data;
        Bytes file;
        Decoded image;
        if ((format->dtypes >> HALO_U8 & 1) == 0 || !is_written(&rows[i])) continue;
        if (strcmp(format->name, "jxl") != 0)
            info.meta.icc = (HaloBlob){icc, sizeof icc}; /* it reads profiles */
        info.meta.exif = (HaloBlob){exif, sizeof exif};
        info.meta.xmp = (HaloBlob){(uint8_t *)xmp, strlen(xmp)};
        assert_int_equal(halo_buf_alloc(&data, &shape), HALO_OK);
        memset(data.data, 77, 60);
        if (encode(format, &info, &data, 0, &file) != HALO_OK) fail_msg("%s: %s", format->name, halo_error());
        assert_int_equal(decode(format, file.at, file.size, NULL, 0, &image), HALO_OK);
        const HaloMeta *meta = &image.info.meta;
        if ((format->holds & HALO_META_ICC) != 0 && halo_find_word("png,jxl", ',', format->name) < 0) {
            assert_int_equal(meta->icc.size, sizeof icc);
            assert_memory_equal(meta->icc.data, icc, sizeof icc);
        }
        if ((format->holds & HALO_META_EXIF) != 0) {
            assert_int_equal(meta->exif.size, sizeof exif);
            assert_memory_equal(meta->exif.data, exif, sizeof exif);
        }
        if ((format->holds & HALO_META_XMP) != 0) {
            assert_int_equal(meta->xmp.size, strlen(xmp));
            assert_memory_equal(meta->xmp.data, xmp, strlen(xmp));
        }
        decoded_free(&image);
        halo_buf_free(&data);
        free(file.at);
    }
}

#ifdef HALO_HAVE_HEIF
static struct heif_error put_bytes(struct heif_context *context, const void *data, size_t size, void *user)
{
    Bytes *file = user;
    (void)context;
    bytes_insert(file, file->size, data, size);
    return (struct heif_error){heif_error_Ok, heif_suberror_Unspecified, ""};
}

/* As phones write it: the file turns the picture, and EXIF says so once more. */
static void turned_by_the_file(void **unused)
{
    (void)unused;
    enum { WIDTH = 40, HEIGHT = 24 };
    static const uint8_t exif[] = {'I', 'I', '*', 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3,
                                   0,   1,   0,   0, 0, 6, 0, 0, 0, 0, 0,    0, 0};
    struct heif_encoder *encoder = NULL;
    struct heif_image *image = NULL;
    struct heif_image_handle *handle = NULL;
    struct heif_writer writer = {1, put_bytes};
    Bytes file = {NULL, 0};
    Decoded read;
    int stride;
    assert_int_equal(heif_load(), HALO_OK);
    struct heif_context *context = heif.heif_context_alloc();
    struct heif_encoding_options *options = heif.heif_encoding_options_alloc();
    if (heif.heif_context_get_encoder_for_format(context, heif_compression_AV1, &encoder).code != 0) skip();
    heif.heif_encoder_set_lossy_quality(encoder, 100);
    heif.heif_image_create(WIDTH, HEIGHT, heif_colorspace_RGB, heif_chroma_interleaved_RGB, &image);
    heif.heif_image_add_plane(image, heif_channel_interleaved, WIDTH, HEIGHT, 8);
    uint8_t *samples = heif.heif_image_get_plane(image, heif_channel_interleaved, &stride);
    for (int y = 0; y < HEIGHT; y++) /* white above, black below */
        memset(samples + y * stride, y < HEIGHT / 2 ? 255 : 0, (size_t)3 * WIDTH);
    options->image_orientation = heif_orientation_rotate_90_cw;
    assert_int_equal(heif.heif_context_encode_image(context, image, encoder, options, &handle).code, 0);
    heif.heif_context_add_exif_metadata(context, handle, exif, sizeof exif);
    assert_int_equal(heif.heif_context_write(context, &writer, &file).code, 0);
    assert_int_equal(decode(&halo_format_avif, file.at, file.size, NULL, 0, &read), HALO_OK);
    assert_int_equal(read.info.shape.width, HEIGHT);
    assert_int_equal(read.info.shape.height, WIDTH);
    const uint8_t *row = read.data.data; /* by EXIF's 6 the first row is the right side */
    assert_true(row[0] < 20 && row[3 * HEIGHT - 1] > 235);
    assert_int_equal(read.info.meta.exif.size, sizeof exif);
    assert_int_equal(halo_exif_orientation(&read.info.meta.exif), 1);
    decoded_free(&read);
    heif.heif_image_handle_release(handle);
    heif.heif_image_release(image);
    heif.heif_encoder_release(encoder);
    heif.heif_encoding_options_free(options);
    heif.heif_context_free(context);
    free(file.at);
}
#endif

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(lossless_samples_come_back, 120),
        random_test(truncated_files, 60),
        cmocka_unit_test(metadata_comes_back),
#ifdef HALO_HAVE_HEIF
        cmocka_unit_test(turned_by_the_file),
#endif
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}
