/* Writes a page of a TIFF in blocks, and makes its overviews at the same time.
 *
 * libtiff writes one directory after the other, so the encoded blocks of overviews are kept in memory, which
 * counts as held, until the page is written. As in GDAL and libvips, overviews follow their page as pages with
 * NewSubfileType 1. */
#ifdef HALO_HAVE_TIFF
#include <stdlib.h>
#include <string.h>

#include "tiffwriter.h"

#define STRIP_BYTES 262144

HaloStatus tiff_levels_plan(TiffLevels *levels, const HaloShape *shape, TiffSamples samples, int tile,
                            bool pyramid, int64_t *bytes)
{
    HaloStatus status = HALO_OK;
    HaloShape next = *shape;
    *levels = (TiffLevels){0};
    *bytes = 0;
    for (;;) {
        TiffLayout *layout = &levels->level[levels->levels++].layout;
        int64_t one, block;
        HALO_TRY(halo_shape_bytes(&next, &one));
        const int64_t values = one / next.height / (int64_t)halo_dtype_size(next.dtype);
        const int64_t row_bytes = samples.bits == 1 ? (values + 7) / 8 : values * (samples.bits / 8);
        *layout = (TiffLayout){.shape = next, .samples = samples, .tiled = tile > 0, .row_bytes = row_bytes};
        const int64_t strip = layout->row_bytes < STRIP_BYTES ? STRIP_BYTES / layout->row_bytes : 1;
        layout->cols = tile > 0 ? tile : next.width;
        layout->rows = tile > 0 ? tile : strip < next.height ? strip : next.height;
        layout->across = (next.width + layout->cols - 1) / layout->cols;
        if (!(tile > 0 ? halo_mul(layout->cols * layout->rows, layout->row_bytes / next.width, &block)
                       : halo_mul(layout->rows, layout->row_bytes, &block)) ||
            block > INT32_MAX)
            HALO_FAIL(HALO_ERR_OUTPUT, "TIFF cannot hold tiles of %d x %d pixels with %d channels", tile, tile,
                      next.channels);
        const int64_t down = (next.height + layout->rows - 1) / layout->rows, blocks = layout->across * down;
        *bytes = block <= (INT64_MAX - *bytes) / blocks ? *bytes + block * blocks : INT64_MAX;
        if (!pyramid || (next.width <= tile && next.height <= tile)) break;
        next = tiff_halved(&next);
    }
out:
    return status;
}

static HaloStatus allocate_rows(TiffLevel *level, bool keeps)
{
    const TiffLayout *layout = &level->layout;
    const int64_t down = (layout->shape.height + layout->rows - 1) / layout->rows;
    level->rows = malloc((size_t)(level->capacity * layout->row_bytes));
    if (keeps) level->size = malloc((size_t)(layout->across * down) * sizeof *level->size);
    if (level->rows != NULL && (level->size != NULL || !keeps)) return HALO_OK;
    return halo_fail(HALO_ERR_LIMIT, "not enough memory to write TIFF");
}

HaloStatus tiff_levels_new(TiffLevels *levels, HaloMemory *memory, int jobs, int effort)
{
    HaloStatus status = HALO_OK;
    int64_t bytes = 0, most = 0;
    levels->memory = memory;
    for (int i = 0; i < levels->levels; i++) {
        const TiffLayout *layout = &levels->level[i].layout;
        const int64_t together = tiff_press_together(layout, jobs), rows = together * layout->rows;
        if (together * layout->across > most) most = together * layout->across;
        levels->level[i].capacity = rows < layout->shape.height ? rows : layout->shape.height;
        levels->level[i].kept.memory = memory;
        bytes += levels->level[i].capacity * layout->row_bytes;
    }
    /* Strips have a fixed size; tiles next to each other grow with the image. */
    if (levels->level[0].layout.tiled) {
        HALO_TRY(halo_memory_hold(memory, bytes));
        levels->held = bytes;
    }
    for (int i = 0; i < levels->levels; i++) HALO_TRY(allocate_rows(&levels->level[i], i > 0));
    HALO_TRY(tiff_press_new(&levels->press, &levels->level[0].layout, most, jobs, effort));
out:
    return status;
}

void tiff_levels_free(TiffLevels *levels)
{
    tiff_press_free(&levels->press);
    for (int i = 0; i < levels->levels; i++) {
        free(levels->level[i].rows);
        free(levels->level[i].size);
        halo_spool_free(&levels->level[i].kept);
    }
    halo_memory_release(levels->memory, levels->held);
    *levels = (TiffLevels){0};
}

/* ---- blocks --------------------------------------------------------------------------------------------- */

static HaloStatus write_block(TiffGuard *guard, TIFF *tiff, bool tiled, int64_t k, uint8_t *bytes, size_t size)
{
    const tmsize_t wrote = tiled ? TIFFWriteRawTile(tiff, (uint32_t)k, bytes, (tmsize_t)size)
                                 : TIFFWriteRawStrip(tiff, (uint32_t)k, bytes, (tmsize_t)size);
    return halo_tiff_outcome(guard, wrote >= 0);
}

/* Encodes the rows that there are. Blocks of the page itself are written, those of overviews are kept. */
static HaloStatus flush(TiffLevels *levels, int which, TiffGuard *guard, TIFF *tiff)
{
    HaloStatus status = HALO_OK;
    TiffLevel *level = &levels->level[which];
    int64_t blocks;
    HALO_TRY(tiff_press_rows(&levels->press, &level->layout, level->rows, level->there, &blocks));
    for (int64_t i = 0; i < blocks; i++, level->blocks++) {
        const TiffPacked *packed = &levels->press.packed[i];
        if (which == 0) {
            HALO_TRY(write_block(guard, tiff, level->layout.tiled, level->blocks, packed->bytes, packed->size));
        } else {
            HALO_TRY(halo_spool_write(&level->kept, level->kept.end, packed->bytes, packed->size));
            level->size[level->blocks] = (uint32_t)packed->size;
        }
    }
    level->there = 0;
out:
    return status;
}

static uint8_t *row_at(const TiffLevel *level, int64_t y) { return level->rows + y * level->layout.row_bytes; }

/* A level has one more row, and the next one, too, for every two. A buffer ends with a tile, so that both are
 * in it. */
static HaloStatus take_row(TiffLevels *levels, int which, TiffGuard *guard, TIFF *tiff)
{
    HaloStatus status = HALO_OK;
    TiffLevel *level = &levels->level[which], *next = level + 1;
    level->there++;
    level->given++;
    const bool last = level->given == level->layout.shape.height, even = level->given % 2 == 0;
    if (which + 1 < levels->levels && (even || last)) {
        const uint8_t *lower = row_at(level, level->there - 1);
        tiff_halve_rows(&level->layout.shape, even ? lower - level->layout.row_bytes : lower, lower,
                        row_at(next, next->there));
        HALO_TRY(take_row(levels, which + 1, guard, tiff));
    }
    if (level->there == level->capacity || last) HALO_TRY(flush(levels, which, guard, tiff));
out:
    return status;
}

HaloStatus tiff_levels_put(TiffLevels *levels, TiffGuard *guard, TIFF *tiff, const void *row)
{
    TiffLevel *page = &levels->level[0];
    if (page->given == page->layout.shape.height)
        return halo_fail(HALO_ERR_BUG, "internal: more rows than the image has");
    memcpy(row_at(page, page->there), row, (size_t)page->layout.row_bytes);
    return take_row(levels, 0, guard, tiff);
}

HaloStatus tiff_levels_end(TiffLevels *levels, TiffGuard *guard, TIFF *tiff)
{
    HaloStatus status = HALO_OK;
    for (int i = 1; i < levels->levels; i++) {
        TiffLevel *level = &levels->level[i];
        uint8_t *at = level->kept.bytes;
        HALO_TRY(halo_tiff_outcome(guard, tiff_set_layout(guard, tiff, &level->layout) &&
                                              TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, FILETYPE_REDUCEDIMAGE)));
        for (int64_t k = 0; k < level->blocks; at += level->size[k++])
            HALO_TRY(write_block(guard, tiff, true, k, at, level->size[k]));
        HALO_TRY(halo_tiff_outcome(guard, TIFFWriteDirectory(tiff) == 1));
        halo_spool_free(&level->kept);
    }
out:
    return status;
}
#endif
