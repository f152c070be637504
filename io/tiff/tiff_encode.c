/* Encodes the blocks of a TIFF in threads.
 *
 * Each thread has its own libtiff handle on a one-block file in memory. The encoded bytes are copied to the
 * real file in order, so the file does not depend on the threads. */
#ifdef HALO_HAVE_TIFF
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tiffwriter.h"

#define TOGETHER_BYTES ((int64_t)1 << 20) /* of samples for each thread, unless one row of blocks has more */
#define HEAD_BYTES 8                      /* of a classic TIFF: blocks stand behind */

/* ---- the file of one block ------------------------------------------------------------------------------ */

static tmsize_t on_write(thandle_t handle, void *bytes, tmsize_t size)
{
    TiffEncoder *encoder = handle;
    TiffPacked *packed = encoder->packed;
    if (packed == NULL) return size;
    const size_t need = packed->size + (size_t)size;
    uint8_t *grown = need > packed->capacity ? realloc(packed->bytes, need) : packed->bytes;
    if (grown == NULL) encoder->guard.starved = true;
    if (grown == NULL) return -1;
    packed->bytes = grown;
    if (need > packed->capacity) packed->capacity = need;
    memcpy(packed->bytes + packed->size, bytes, (size_t)size);
    packed->size = need;
    return size;
}

static tmsize_t on_read(thandle_t handle, void *bytes, tmsize_t size)
{
    (void)handle;
    (void)bytes;
    (void)size;
    return 0;
}

static toff_t on_seek(thandle_t handle, toff_t offset, int whence)
{
    (void)handle;
    return whence == SEEK_SET ? offset : HEAD_BYTES;
}

static toff_t on_size(thandle_t handle)
{
    (void)handle;
    return HEAD_BYTES;
}

static HaloStatus open_encoder(TiffEncoder *encoder, const TiffLayout *layout)
{
    static const TiffStream stream = {.read = on_read, .write = on_write, .seek = on_seek, .size = on_size};
    HaloStatus status = HALO_OK;
    TiffLayout block = *layout;
    block.shape.width = layout->cols;
    block.shape.height = layout->rows;
    encoder->guard.blame = HALO_ERR_OUTPUT;
    encoder->tiff = halo_tiff_open(&encoder->guard, "wl", &stream, encoder, 0);
    HALO_TRY(halo_tiff_outcome(&encoder->guard, encoder->tiff != NULL));
    HALO_TRY(halo_tiff_outcome(&encoder->guard, tiff_set_layout(&encoder->guard, encoder->tiff, &block)));
    halo_tiff_clear(&encoder->guard);
    if (layout->tiled) encoder->tile = malloc((size_t)TIFFTileSize(encoder->tiff));
    if (layout->tiled && encoder->tile == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write TIFF");
out:
    return status;
}

static void close_encoder(TiffEncoder *encoder)
{
    halo_tiff_shut(&encoder->guard, encoder->tiff);
    free(encoder->tile);
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
HaloStatus tiff_press_new(TiffPress *press, const TiffLayout *layout, int64_t capacity, int jobs)
{
    HaloStatus status = HALO_OK;
    press->capacity = capacity;
    const int wish = jobs < 1 ? 1 : jobs < capacity ? jobs : (int)capacity;
    press->encoder = calloc((size_t)wish, sizeof *press->encoder);
    press->packed = calloc((size_t)press->capacity, sizeof *press->packed);
    if (press->encoder == NULL || press->packed == NULL)
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write TIFF");
    press->jobs = 1;
    HALO_TRY(open_encoder(&press->encoder[0], layout));
    while (press->jobs < wish && open_encoder(&press->encoder[press->jobs], layout) == HALO_OK) press->jobs++;
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
    uint8_t *rows;
    int64_t count;
} Work;

/* The samples of tile k; what lies beyond the image is 0. */
static void cut_tile(const Work *work, int64_t k, TiffEncoder *encoder)
{
    const TiffLayout *layout = work->layout;
    const int64_t pixel_bytes = layout->row_bytes / layout->shape.width,
                  tile_bytes = layout->cols * pixel_bytes;
    const int64_t x = k % layout->across * layout->cols, y = k / layout->across * layout->rows;
    const int64_t left = layout->shape.width - x,
                  bytes = (left < layout->cols ? left : layout->cols) * pixel_bytes;
    memset(encoder->tile, 0, (size_t)(layout->rows * tile_bytes));
    for (int64_t r = 0; r < layout->rows && y + r < work->count; r++)
        memcpy(encoder->tile + r * tile_bytes, work->rows + (y + r) * layout->row_bytes + x * pixel_bytes,
               (size_t)bytes);
}

/* A block that fails has no bytes, and the thread's guard says why. */
static void press_task(void *context, int64_t task, int worker)
{
    const Work *work = context;
    const TiffLayout *layout = work->layout;
    TiffEncoder *encoder = &work->press->encoder[worker];
    const int64_t y = task * layout->rows, left = work->count - y;
    tmsize_t wrote;
    if (encoder->guard.failed || encoder->guard.starved) return;
    encoder->packed = &work->press->packed[task];
    encoder->packed->size = 0;
    if (layout->tiled) {
        cut_tile(work, task, encoder);
        wrote = TIFFWriteEncodedTile(encoder->tiff, 0, encoder->tile, TIFFTileSize(encoder->tiff));
    } else {
        uint8_t *strip = work->rows + y * layout->row_bytes;
        const int64_t rows = left < layout->rows ? left : layout->rows;
        wrote = TIFFWriteEncodedStrip(encoder->tiff, 0, strip, (tmsize_t)(rows * layout->row_bytes));
    }
    if (wrote < 0) encoder->guard.failed = true;
    encoder->packed = NULL;
}

HaloStatus tiff_press_rows(TiffPress *press, const TiffLayout *layout, uint8_t *rows, int64_t count,
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
    for (int i = 0; i < press->jobs; i++)
        HALO_TRY(halo_tiff_outcome(&press->encoder[i].guard, !press->encoder[i].guard.failed));
out:
    return status;
}
#endif
