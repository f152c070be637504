/* Pictures by optional libraries: samples both ways, metadata, pages, and damaged files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codec.h"
#include "random.h"

typedef struct Row {
    const HaloFormat *format;
    bool colour; /* gray becomes RGB */
} Row;

static const Row rows[] = {
#ifdef HALO_HAVE_WEBP
    {&halo_format_webp, true},
#endif
    {&halo_format_png, false}, /* so that there is one */
};
#define ROWS ((int64_t)(sizeof rows / sizeof *rows))

static const Row *draw_row(Rng *rng) { return &rows[rng_between(rng, 0, ROWS - 1)]; }

/* Of the types and channels that the format takes. */
static HaloShape draw_shape(Rng *rng, const HaloFormat *format)
{
    for (;;) {
        const HaloDtype dtype = (HaloDtype)rng_between(rng, HALO_U8, HALO_F32);
        const int channels = (int)rng_between(rng, 1, 4);
        const bool alpha = rng_once_in(rng, 2) && channels % 2 == 0;
        const unsigned held = alpha ? format->with_alpha : format->channels;
        if ((format->dtypes >> dtype & 1) == 0 || (held >> (channels - 1) & 1) == 0) continue;
        return shape_of(dtype, rng_between(rng, 1, 40), rng_between(rng, 1, 40), channels, alpha);
    }
}

static void draw_samples(Rng *rng, HaloBuf *data)
{
    const int64_t count = data->cols * data->rows * data->shape.channels;
    for (int64_t i = 0; i < count; i++) {
        if (data->shape.dtype == HALO_U8) ((uint8_t *)data->data)[i] = (uint8_t)rng_next(rng);
        if (data->shape.dtype == HALO_U16) ((uint16_t *)data->data)[i] = (uint16_t)rng_next(rng);
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
    for (int64_t i = 0; i < data->cols * data->rows; i++)
        for (int c = 0; c < shape.channels; c++)
            ((uint8_t *)to.data)[i * shape.channels + c] =
                ((const uint8_t *)data->data)[i * (1 + alpha) + (c == 3)];
    halo_buf_free(data);
    *data = to;
}

static void lossless_samples_come_back(Rng *rng)
{
    const Row *row = draw_row(rng);
    const HaloShape shape = draw_shape(rng, row->format);
    const HaloWriteOptions options = {.lossless = true, .effort = (int)rng_between(rng, 0, 4)};
    const HaloInfo info = {.bits = (int)halo_dtype_size(shape.dtype) * 8};
    HaloBuf data;
    Bytes file;
    Decoded image;
    assert_int_equal(halo_buf_alloc(&data, &shape), HALO_OK);
    draw_samples(rng, &data);
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
    draw_samples(rng, &data);
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
    static uint8_t exif[] = {'I', 'I', '*', 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
    static char xmp[] = "<x:xmpmeta xmlns:x='adobe:ns:meta/'></x:xmpmeta>";
    const HaloShape shape = shape_of(HALO_U8, 5, 4, 3, false);
    for (int64_t i = 0; i < ROWS; i++) {
        const HaloFormat *format = rows[i].format;
        HaloInfo info = {.bits = 8};
        HaloBuf data;
        Bytes file;
        Decoded image;
        if ((format->dtypes >> HALO_U8 & 1) == 0) continue;
        info.meta.icc = (HaloBlob){icc, sizeof icc};
        info.meta.exif = (HaloBlob){exif, sizeof exif};
        info.meta.xmp = (HaloBlob){(uint8_t *)xmp, strlen(xmp)};
        assert_int_equal(halo_buf_alloc(&data, &shape), HALO_OK);
        memset(data.data, 77, 60);
        assert_int_equal(encode(format, &info, &data, 0, &file), HALO_OK);
        assert_int_equal(decode(format, file.at, file.size, NULL, 0, &image), HALO_OK);
        const HaloMeta *meta = &image.info.meta;
        if ((format->holds & HALO_META_ICC) != 0 && format != &halo_format_png) {
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(lossless_samples_come_back, 300),
        random_test(truncated_files, 300),
        cmocka_unit_test(metadata_comes_back),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}
