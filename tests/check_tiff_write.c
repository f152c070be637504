/* TIFF as it is written: strips, tiles and overviews, read by libtiff; the same bytes from any number of
 * threads. */
#ifdef HALO_HAVE_TIFF
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

static Bytes write_picture(const HaloBuf *data, const HaloWriteOptions *options, int64_t band, int jobs)
{
    const char *path = test_path("written.tif");
    HaloSink *sink;
    HaloBuf rows = *data;
    assert_int_equal(halo_sink_open(path, &(HaloSinkOptions){.force = HALO_FORCE_YES}, &sink), HALO_OK);
    HaloWriter writer = {.format = &halo_format_tiff,
                         .sink = sink,
                         .options = *options,
                         .jobs = jobs,
                         .info.shape = data->shape};
    if (halo_format_tiff.create(&writer) != HALO_OK) fail_case(NULL, "%s", halo_error());
    for (int64_t y = 0; y < data->rows; y += band) {
        rows.data = (char *)data->data + y * data->stride;
        rows.rows = band < data->rows - y ? band : data->rows - y;
        if (halo_format_tiff.write(&writer, &rows) != HALO_OK) fail_case(NULL, "%s", halo_error());
    }
    if (halo_format_tiff.finish(&writer) != HALO_OK) fail_case(NULL, "%s", halo_error());
    assert_int_equal(halo_format_tiff.end(&writer), HALO_OK);
    halo_format_tiff.discard(&writer);
    assert_int_equal(halo_sink_commit(sink), HALO_OK);
    return bytes_of_file(path);
}

static HaloBuf draw_picture(Rng *rng)
{
    static const HaloDtype dtypes[] = {HALO_U8, HALO_U16, HALO_F32};
    const int channels = (int)rng_between(rng, 1, 5);
    const int64_t width = rng_between(rng, 1, rng_once_in(rng, 4) ? 3 : 300);
    const HaloShape shape =
        shape_of(dtypes[rng_between(rng, 0, 2)], width, rng_between(rng, 1, rng_once_in(rng, 5) ? 900 : 200),
                 channels, channels % 2 == 0);
    HaloBuf data;
    assert_int_equal(halo_buf_alloc(&data, &shape), HALO_OK);
    const int64_t each = (int64_t)halo_dtype_size(shape.dtype);
    for (int64_t i = 0; i < data.rows * data.stride / each; i++) {
        const uint32_t word = rng_once_in(rng, 3) ? 0 : (uint32_t)rng_next(rng);
        const float f = rng_once_in(rng, 500) ? INFINITY : rng_float(rng, -1.0f, 2.0f);
        memcpy((char *)data.data + i * each, shape.dtype == HALO_F32 ? (const void *)&f : &word, (size_t)each);
    }
    return data;
}

/* ---- by the definition ---------------------------------------------------------------------------------- */

static double sample(const HaloBuf *data, int64_t x, int64_t y, int c)
{
    const int64_t i = (x < data->cols ? x : data->cols - 1) * data->shape.channels + c;
    const char *row = (const char *)data->data + (y < data->rows ? y : data->rows - 1) * data->stride;
    return data->shape.dtype == HALO_U8    ? ((const uint8_t *)row)[i]
           : data->shape.dtype == HALO_U16 ? ((const uint16_t *)row)[i]
                                           : (double)((const float *)row)[i];
}

/* The mean of four samples, weighted by alpha where there is one and this is not it. f64 holds every sum of
 * integers here, and the mode of rounding is to even. */
static double mean(const HaloBuf *from, int64_t x, int64_t y, int c)
{
    const int alpha = from->shape.alpha;
    double sum[2], weight[2];
    for (int r = 0; r < 2; r++) {
        double product[2], w[2];
        for (int i = 0; i < 2; i++) {
            w[i] = alpha < 0 || c == alpha ? 1 : sample(from, 2 * x + i, 2 * y + r, alpha);
            product[i] = sample(from, 2 * x + i, 2 * y + r, c) * w[i];
        }
        sum[r] = product[0] + product[1];
        weight[r] = w[0] + w[1];
    }
    const double all = weight[0] + weight[1];
    return all == 0 ? 0 : (sum[0] + sum[1]) / all;
}

static HaloBuf half_of(const HaloBuf *from)
{
    HaloShape shape = from->shape;
    HaloBuf to;
    shape.width = (shape.width + 1) / 2;
    shape.height = (shape.height + 1) / 2;
    assert_int_equal(halo_buf_alloc(&to, &shape), HALO_OK);
    for (int64_t y = 0; y < to.rows; y++) {
        char *row = (char *)to.data + y * to.stride;
        for (int64_t i = 0; i < to.cols * shape.channels; i++) {
            const double v = mean(from, i / shape.channels, y, (int)(i % shape.channels));
            const float f = isnan(v) ? (float)NAN : (float)v;
            if (shape.dtype == HALO_U8)
                ((uint8_t *)row)[i] = (uint8_t)rint(v);
            else if (shape.dtype == HALO_U16)
                ((uint16_t *)row)[i] = (uint16_t)rint(v);
            else
                ((float *)row)[i] = f;
        }
    }
    return to;
}

/* ---- by libtiff ----------------------------------------------------------------------------------------- */

/* The samples of the directory that libtiff is at. */
static void expect_page(TIFF *tiff, const HaloBuf *data, int tile, int page)
{
    uint32_t width = 0, height = 0, kind = 0, cols = 0, rows = 0;
    const int64_t pixel = data->stride / data->cols;
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SUBFILETYPE, &kind);
    if (width != data->cols || height != data->rows || kind != (page > 0 ? FILETYPE_REDUCEDIMAGE : 0))
        fail_case(NULL, "page %d is %u x %u, of kind %u", page, width, height, kind);
    if ((TIFFIsTiled(tiff) != 0) != (tile > 0)) fail_case(NULL, "tiles where there should be none, or strips");
    if (tile > 0) {
        TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &cols);
        TIFFGetField(tiff, TIFFTAG_TILELENGTH, &rows);
        if ((int)cols != tile || (int)rows != tile) fail_case(NULL, "tiles of %u x %u", cols, rows);
    } else {
        TIFFGetField(tiff, TIFFTAG_ROWSPERSTRIP, &rows);
        cols = width;
    }
    uint8_t *block = malloc((size_t)(cols * rows * pixel));
    for (uint32_t y = 0; y < height; y += rows) {
        for (uint32_t x = 0; x < width; x += cols) {
            const tmsize_t got =
                tile > 0 ? TIFFReadTile(tiff, block, x, y, 0, 0)
                         : TIFFReadEncodedStrip(tiff, TIFFComputeStrip(tiff, y, 0), block, cols * rows * pixel);
            if (got < 0) fail_case(NULL, "libtiff cannot read page %d at %u, %u", page, x, y);
            const int64_t bytes = (x + cols < width ? cols : width - x) * pixel;
            for (uint32_t r = 0; r < rows && y + r < height; r++)
                if (memcmp(block + r * cols * pixel,
                           (const char *)data->data + (y + r) * data->stride + x * pixel, (size_t)bytes) != 0)
                    fail_case(NULL, "page %d: other samples in row %u from column %u on", page, y + r, x);
        }
    }
    free(block);
}

static void expect_file(const Bytes *file, const HaloBuf *data, int tile, bool pyramid)
{
    const char *path = test_path("read.tif");
    bytes_to_file(path, file->at, file->size);
    TIFF *tiff = TIFFOpen(path, "r");
    assert_non_null(tiff);
    expect_page(tiff, data, tile, 0);
    HaloBuf level = *data;
    for (int page = 1; pyramid && (level.cols > tile || level.rows > tile); page++) {
        const HaloBuf half = half_of(&level);
        if (page > 1) halo_buf_free(&level);
        level = half;
        if (TIFFReadDirectory(tiff) != 1) fail_case(NULL, "overview %d is missing", page);
        expect_page(tiff, &level, tile, page);
    }
    if (level.data != data->data) halo_buf_free(&level);
    if (!TIFFLastDirectory(tiff)) fail_case(NULL, "there are more pages than there should be");
    TIFFClose(tiff);
}

static void libtiff_reads_what_is_written(Rng *rng)
{
    HaloBuf data = draw_picture(rng);
    const HaloWriteOptions options = {.tile = 16 * (int)rng_between(rng, 0, 6),
                                      .pyramid = rng_once_in(rng, 2),
                                      .effort = (int)rng_between(rng, 0, 9)};
    const Bytes file = write_picture(&data, &options, data.rows, 1);
    const Bytes again = write_picture(&data, &options, rng_between(rng, 1, 50), (int)rng_between(rng, 2, 5));
    if (file.size != again.size || memcmp(file.at, again.at, file.size) != 0)
        fail_case(NULL, "other bytes with other bands and threads");
    const int tile = options.tile == 0 && options.pyramid ? 256 : options.tile;
    expect_file(&file, &data, tile, options.pyramid);
    free(file.at);
    free(again.at);
    halo_buf_free(&data);
}

static int predictor_of(HaloDtype dtype)
{
    const HaloShape shape = shape_of(dtype, 70, 30, 1, false);
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

/* Of `dtype`, with values of a photograph's bytes: slopes with grain. */
static size_t size_by_effort(HaloDtype dtype, int effort)
{
    const HaloShape shape = shape_of(dtype, 300, 300, 1, false);
    HaloBuf data;
    Rng rng = {7};
    assert_int_equal(halo_buf_alloc(&data, &shape), HALO_OK);
    for (int64_t y = 0; y < data.rows; y++)
        for (int64_t x = 0; x < data.cols; x++) {
            const int v = (int)(x / 4 + y / 3 + rng_between(&rng, 0, 30));
            if (dtype == HALO_U8)
                *(uint8_t *)halo_at(&data, x, y) = (uint8_t)v;
            else if (dtype == HALO_U16)
                *(uint16_t *)halo_at(&data, x, y) = (uint16_t)(v * 257);
            else
                *(float *)halo_at(&data, x, y) = (float)v / 255;
        }
    const Bytes file = write_picture(&data, &(HaloWriteOptions){.effort = effort}, data.rows, 1);
    free(file.at);
    halo_buf_free(&data);
    return file.size;
}

/* Also of floats, which are no differences. */
static void more_effort_makes_files_no_larger(void **unused)
{
    (void)unused;
    for (HaloDtype dtype = HALO_U8; dtype <= HALO_F32; dtype++) {
        const size_t fast = size_by_effort(dtype, 1);
        assert_int_equal(size_by_effort(dtype, 0), fast);
        for (int effort = 2; effort <= 9; effort++) {
            const size_t size = size_by_effort(dtype, effort);
            if (size > fast + fast / 50)
                fail_case(NULL, "type %d, effort %d: %zu bytes, %zu at effort 1", (int)dtype, effort, size,
                          fast);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {random_test(libtiff_reads_what_is_written, 150),
                                       cmocka_unit_test(floats_are_written_without_predictor),
                                       cmocka_unit_test(more_effort_makes_files_no_larger)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}
#else
int main(void) { return 0; }
#endif
