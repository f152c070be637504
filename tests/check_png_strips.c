/* PNG's writer: libpng and stb_image read the samples back, at every level, and the bytes depend on the image
 * alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codec.h"
#include "other_png.h"
#include "png/png_strip.h"
#include "random.h"

/* Noise, slopes or flat areas, of a size that needs up to a few strips. */
static HaloBuf draw_picture(Rng *rng, bool large)
{
    const bool wide = rng_once_in(rng, 2);
    const int channels = (int)rng_between(rng, 1, 4);
    const HaloShape shape = shape_of(wide ? HALO_U16 : HALO_U8, rng_between(rng, 1, large ? 900 : 60),
                                     rng_between(rng, 1, large ? 700 : 60), channels, channels % 2 == 0);
    HaloBuf data;
    if (halo_buf_alloc(&data, &shape) != HALO_OK) abort();
    uint8_t *bytes = data.data;
    const int64_t size = data.stride * data.rows, grain = rng_once_in(rng, 3) ? 255 : rng_between(rng, 0, 3);
    for (int64_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(i % data.stride / 50 + i / data.stride + rng_between(rng, 0, grain));
    return data;
}

/* The file, written in bands of so many rows by so many threads. */
static Bytes write_picture(const HaloBuf *data, int level, int64_t band, int jobs)
{
    HaloSink *sink;
    const char *path = test_path("strips.png");
    if (halo_sink_open(path, &(HaloSinkOptions){.force = HALO_FORCE_YES}, &sink) != HALO_OK) abort();
    HaloWriter writer = {.format = &halo_format_png, .sink = sink, .jobs = jobs, .info.shape = data->shape};
    writer.options.png_level = level == 0 ? HALO_PNG_STORED : level;
    assert_int_equal(halo_format_png.create(&writer), HALO_OK);
    for (int64_t y = 0; y < data->rows; y += band) {
        HaloBuf rows = *data;
        rows.y0 = y;
        rows.rows = band < data->rows - y ? band : data->rows - y;
        rows.data = halo_at(data, 0, y);
        assert_int_equal(halo_format_png.write(&writer, &rows), HALO_OK);
    }
    assert_int_equal(halo_format_png.finish(&writer), HALO_OK);
    halo_format_png.discard(&writer);
    assert_int_equal(halo_sink_commit(sink), HALO_OK);
    return bytes_of_file(path);
}

static void expect_by_stb(Bytes file, const HaloBuf *data)
{
    int width, height, channels;
    const bool wide = data->shape.dtype == HALO_U16;
    void *read = wide ? (void *)stbi_load_16_from_memory(file.at, (int)file.size, &width, &height, &channels, 0)
                      : (void *)stbi_load_from_memory(file.at, (int)file.size, &width, &height, &channels, 0);
    if (read == NULL) fail_case(NULL, "stb_image cannot read it: %s", stbi_failure_reason());
    if (width != data->shape.width || height != data->shape.height || channels != data->shape.channels ||
        memcmp(read, data->data, (size_t)(data->stride * data->rows)) != 0)
        fail_case(NULL, "stb_image reads something else");
    stbi_image_free(read);
}

/* `libpng`: it has to read this, where otherwise ISA-L would. */
static void expect_back(Bytes file, const HaloBuf *data, bool libpng)
{
    Decoded image;
    const HaloReadOptions options = {.tolerate = libpng};
    if (decode(&halo_format_png, file.at, file.size, &options, 13, &image) != HALO_OK)
        fail_case(NULL, "refused: %s", halo_error());
    expect_image("png", data, &image);
    decoded_free(&image);
}

static void images_come_back_from_reproducible_bytes(Rng *rng)
{
    const bool large = rng_once_in(rng, 8);
    HaloBuf data = draw_picture(rng, large);
    const int level = (int)rng_between(rng, 0, 9);
    const Bytes file = write_picture(&data, level, data.rows, 1);
    const Bytes again = write_picture(&data, level, rng_between(rng, 1, 50), (int)rng_between(rng, 1, 5));
    if (file.size != again.size || memcmp(file.at, again.at, file.size) != 0)
        fail_case(NULL, "level %d: other bytes with other bands and threads", level);
    expect_back(file, &data, false);
    expect_back(file, &data, true);
    expect_by_stb(file, &data);
    free(file.at);
    free(again.at);
    halo_buf_free(&data);
}

/* Grain of three bits on a slope: its filtered bytes have 3.5 to 3.6 bits each, which no match makes fewer.
 * Matches that are taken all the same cost a tenth at level 1. */
static void grain_is_not_matched(void **state)
{
    (void)state;
    enum { SIDE = 700 };
    Rng rng = {3};
    const HaloShape shape = shape_of(HALO_U8, SIDE, SIDE, 1, false);
    HaloBuf data;
    assert_int_equal(halo_buf_alloc(&data, &shape), HALO_OK);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            *(uint8_t *)halo_at(&data, x, y) = (uint8_t)(100 + x / 9 + rng_between(&rng, 0, 7));
    for (int level = 1; level <= 9; level++) {
        const Bytes file = write_picture(&data, level, SIDE, 1);
        if (file.size * 100 > SIDE * SIDE * 46)
            fail_case(NULL, "level %d: %zu bytes for %d samples", level, file.size, SIDE * SIDE);
        free(file.at);
    }
    halo_buf_free(&data);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {random_test(images_come_back_from_reproducible_bytes, 400),
                                       cmocka_unit_test(grain_is_not_matched)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}
