/* PNG's writer: libpng and stb_image read the samples back, at every level, and the bytes depend on the image
 * alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <zlib.h>

#include "codec.h"
#include "other_png.h"
#include "png/png_join.h"
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

/* ---- streams that are joined ---------------------------------------------------------------------------- */

#define MOST_PARTS 5

static void expect_inflated(const Bytes *stream, const uint8_t *bytes, size_t size)
{
    z_stream zip = {.next_in = stream->at, .avail_in = (uInt)stream->size};
    uint8_t *back = malloc(size + 1);
    if (back == NULL || inflateInit2(&zip, -MAX_WBITS) != Z_OK) abort();
    zip.next_out = back;
    zip.avail_out = (uInt)size + 1;
    const int got = inflate(&zip, Z_FINISH);
    if (got != Z_STREAM_END || zip.avail_in > 0 || zip.total_out != size || memcmp(back, bytes, size) != 0)
        fail_case(NULL, "%zu bytes: zlib says %d after %lu of them", size, got, zip.total_out);
    inflateEnd(&zip);
    free(back);
}

/* Parts of all kinds, of one byte or of several blocks, so that blocks end on every bit. */
static void one_join(Rng *rng)
{
    static const int levels[] = {2, 3, 8, 9};
    const int level = levels[rng_between(rng, 0, 3)], parts = (int)rng_between(rng, 1, MOST_PARTS);
    const int64_t most = rng_once_in(rng, 6) ? 60000 : 40;
    uint8_t *bytes = malloc((size_t)(MOST_PARTS * most));
    Bytes stream = {malloc((size_t)(MOST_PARTS * (2 * most + 100))), 0};
    PngJoin *join = halo_png_join_new(level);
    if (bytes == NULL || stream.at == NULL || join == NULL) abort();
    size_t size = 0;
    for (int part = 0; part < parts; part++) {
        const int64_t some = rng_between(rng, 1, most), grain = rng_between(rng, 0, 9);
        for (int64_t i = 0; i < some; i++)
            bytes[size + (size_t)i] =
                (uint8_t)(i * 3 / some * 40 + rng_between(rng, 0, grain > 7 ? 255 : grain));
        const size_t got = halo_png_join(join, bytes + size, (size_t)some, part + 1 == parts,
                                         stream.at + stream.size, (size_t)(2 * most + 100));
        if (got == 0) fail_case(NULL, "level %d: %d bytes are not compressed", level, (int)some);
        stream.size += got;
        size += (size_t)some;
    }
    expect_inflated(&stream, bytes, size);
    halo_png_join_free(join);
    free(stream.at);
    free(bytes);
}

static void streams_join_on_every_bit(void **unused)
{
    (void)unused;
    if (!halo_png_joins(9)) skip();
    for_each_case(__func__, 1500, one_join);
}

/* The same bytes at any alignment of the memory, also by ISA-L. The beginning of the strip is repeated, once or
 * many times, so that matches show. */
static void alignment_does_not_matter(void **state)
{
    (void)state;
    enum { STRIPS = 6, SIZE = 600 };
    PngStrip *strip[STRIPS];
    Rng rng = {11};
    for (int s = 0; s < STRIPS; s++) assert_int_equal(halo_png_strip_new(1, SIZE, &strip[s]), HALO_OK);
    for (int i = 0; i < 6000; i++) {
        uint8_t bytes[SIZE];
        const size_t size = (size_t)rng_between(&rng, 4, SIZE), again = (size_t)rng_between(&rng, 6, 60);
        const bool all = rng_once_in(&rng, 4);
        for (size_t k = 0; k < size; k++) bytes[k] = all ? 0 : (uint8_t)rng_between(&rng, 0, 255);
        bytes[0] = (uint8_t)rng_between(&rng, 0, 4);
        for (size_t k = 0; k < 6 && again + k < size; k++) bytes[again + k] = bytes[k];
        for (int s = 0; s < STRIPS; s++) {
            memcpy(strip[s]->bytes, bytes, size);
            strip[s]->size = size;
            strip[s]->first = strip[s]->last = true;
            halo_png_strip_press(strip[s]);
            if (strip[s]->chunk_size != strip[0]->chunk_size ||
                memcmp(strip[s]->chunk, strip[0]->chunk, strip[0]->chunk_size) != 0)
                fail_case(NULL, "case %d of %zu bytes: memory at another address, other bytes", i, size);
        }
    }
    for (int s = 0; s < STRIPS; s++) halo_png_strip_free(strip[s]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(images_come_back_from_reproducible_bytes, 400), cmocka_unit_test(grain_is_not_matched),
        cmocka_unit_test(streams_join_on_every_bit), cmocka_unit_test(alignment_does_not_matter)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}
