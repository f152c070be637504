/* Encodes the blocks of a TIFF in threads, as streams of zlib. A block is encoded from its samples alone, so
 * the file does not depend on the threads. */
#ifdef HALO_HAVE_TIFF
#include <stdlib.h>
#include <string.h>

#include "tiffwriter.h"

#define TOGETHER_BYTES ((int64_t)1 << 20) /* of samples for each thread, unless one row of blocks has more */

/* ---- what a thread has ---------------------------------------------------------------------------------- */

static size_t stream_bytes(size_t block) { return HALO_ZLIB_HEAD + halo_deflate_bound(block) + HALO_ZLIB_TAIL; }

static bool open_encoder(TiffEncoder *encoder, const TiffPress *press, int level)
{
    encoder->deflater = halo_deflater_new(level, press->differences);
    encoder->block = malloc(press->block);
    encoder->stream = malloc(stream_bytes(press->block));
    return encoder->deflater != NULL && encoder->block != NULL && encoder->stream != NULL;
}

static void close_encoder(TiffEncoder *encoder)
{
    halo_deflater_free(encoder->deflater);
    free(encoder->block);
    free(encoder->stream);
    *encoder = (TiffEncoder){0};
}

/* ---- all of them ---------------------------------------------------------------------------------------- */

int64_t tiff_press_together(const TiffLayout *layout, int jobs)
{
    const int64_t wish = (2 * (int64_t)jobs + layout->across - 1) / layout->across;
    const int64_t most = TOGETHER_BYTES * jobs / (layout->rows * layout->row_bytes);
    const int64_t down = (layout->shape.height + layout->rows - 1) / layout->rows;
    const int64_t rows = jobs <= 1 || most <= 1 ? 1 : wish < most ? wish : most;
    return rows < down ? rows : down;
}

/* Fewer threads, down to one, are no error. */
HaloStatus tiff_press_new(TiffPress *press, const TiffLayout *layout, int64_t capacity, int jobs, int effort)
{
    HaloStatus status = HALO_OK;
    const size_t block = tiff_block_bytes(layout);
    const bool differences = tiff_predicts(layout) && layout->samples.bits == 8;
    if (press->jobs > 0 && press->block == block && press->differences == differences &&
        press->capacity == capacity)
        return HALO_OK;
    tiff_press_free(press);
    press->block = block;
    press->differences = differences;
    press->capacity = capacity;
    const int wish = jobs < 1 ? 1 : jobs < capacity ? jobs : (int)capacity, level = effort > 0 ? effort : 1;
    press->encoder = calloc((size_t)wish, sizeof *press->encoder);
    press->packed = calloc((size_t)press->capacity, sizeof *press->packed);
    if (press->encoder == NULL || press->packed == NULL)
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write TIFF");
    press->jobs = 1;
    if (!open_encoder(&press->encoder[0], press, level))
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write TIFF");
    while (press->jobs < wish && open_encoder(&press->encoder[press->jobs], press, level)) press->jobs++;
    if (press->jobs < wish) close_encoder(&press->encoder[press->jobs]);
    if (press->jobs > 1 && halo_pool_new(press->jobs, &press->pool) != HALO_OK) press->pool = NULL;
out:
    return status;
}

void tiff_press_free(TiffPress *press)
{
    halo_pool_free(press->pool);
    for (int i = 0; i < press->jobs; i++) close_encoder(&press->encoder[i]);
    for (int64_t i = 0; press->packed != NULL && i < press->capacity; i++) free(press->packed[i].bytes);
    free(press->encoder);
    free(press->packed);
    *press = (TiffPress){0};
}

typedef struct Work {
    TiffPress *press;
    const TiffLayout *layout;
    const uint8_t *rows;
    int64_t count;
} Work;

static HaloStatus keep_stream(TiffPacked *packed, const uint8_t *stream, size_t size)
{
    if (size > packed->capacity) {
        free(packed->bytes);
        packed->bytes = malloc(size);
        packed->capacity = packed->bytes != NULL ? size : 0;
    }
    packed->size = packed->bytes != NULL ? size : 0;
    if (packed->size > 0) memcpy(packed->bytes, stream, size);
    return packed->size > 0 ? HALO_OK : HALO_ERR_LIMIT;
}

/* A block that fails leaves the reason with its thread. */
static void press_task(void *context, int64_t task, int worker)
{
    const Work *work = context;
    TiffEncoder *encoder = &work->press->encoder[worker];
    if (encoder->status != HALO_OK) return;
    const size_t bytes = tiff_cut(work->layout, work->rows, work->count, task, encoder->block);
    const size_t size =
        halo_zlib(encoder->deflater, encoder->block, bytes, encoder->stream, stream_bytes(bytes));
    encoder->status = size == 0 ? HALO_ERR_BUG : keep_stream(&work->press->packed[task], encoder->stream, size);
}

HaloStatus tiff_press_rows(TiffPress *press, const TiffLayout *layout, const uint8_t *rows, int64_t count,
                           int64_t *blocks)
{
    HaloStatus status = HALO_OK;
    Work work = {.press = press, .layout = layout, .rows = rows, .count = count};
    *blocks = (count + layout->rows - 1) / layout->rows * layout->across;
    if (*blocks > press->capacity) HALO_FAIL(HALO_ERR_BUG, "internal: TIFF: more rows than there is room for");
    if (press->pool != NULL)
        halo_pool_run(press->pool, *blocks, press_task, &work);
    else
        for (int64_t task = 0; task < *blocks; task++) press_task(&work, task, 0);
    for (int i = 0; i < press->jobs; i++) {
        if (press->encoder[i].status == HALO_ERR_LIMIT)
            HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write TIFF");
        if (press->encoder[i].status != HALO_OK)
            HALO_FAIL(HALO_ERR_BUG, "internal: TIFF: a block could not be compressed");
    }
out:
    return status;
}
#endif
