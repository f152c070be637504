/* Writes PBM: one bit per pixel, 1 is black. It is a format of its own, since it holds black and white only:
 * other values are refused, never rounded. Reading is in pnm_read.c. */
#include "pnm.h"
#include "samples/image.h"

#include <stdio.h>
#include <stdlib.h>

static HaloStatus create(HaloWriter *writer)
{
    char head[64];
    const int size = snprintf(head, sizeof head, "P4\n%lld %lld\n", (long long)writer->info.shape.width,
                              (long long)writer->info.shape.height);
    return halo_sink_write(writer->sink, head, (size_t)size);
}

static float sample(const void *row, HaloDtype dtype, int64_t x)
{
    if (dtype == HALO_U8) return ((const uint8_t *)row)[x];
    return dtype == HALO_U16 ? ((const uint16_t *)row)[x] : ((const float *)row)[x];
}

/* The place of the first sample that is neither black nor white, or the width. */
static int64_t pack(const void *row, const HaloShape *shape, uint8_t *packed)
{
    for (int64_t x = 0; x < shape->width; x++) {
        const float v = sample(row, shape->dtype, x);
        const uint8_t bit = (uint8_t)(0x80 >> x % 8);
        if (v != 0.0f && v != shape->white) return x;
        if (x % 8 == 0) packed[x / 8] = 0;
        if (v == 0.0f) packed[x / 8] |= bit;
    }
    return shape->width;
}

static HaloStatus write_rows(HaloWriter *writer, const HaloBuf *rows)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = &rows->shape;
    const size_t bytes = (size_t)((shape->width + 7) / 8);
    uint8_t *packed = malloc(bytes);
    if (packed == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for a row");
    for (int64_t y = 0; y < rows->rows; y++) {
        const void *row = halo_row(rows, y);
        const int64_t x = pack(row, shape, packed);
        if (x < shape->width)
            HALO_FAIL(HALO_ERR_INPUT,
                      "pbm stores black and white only, and sample %lld of row %lld is %g, of %g; use "
                      "'threshold' to make the image black and white, or .pgm to store all levels",
                      (long long)x, (long long)(rows->y0 + y), (double)sample(row, shape->dtype, x),
                      (double)shape->white);
        HALO_TRY(halo_sink_write(writer->sink, packed, bytes));
    }
out:
    free(packed);
    return status;
}

static HaloStatus finish(HaloWriter *writer)
{
    (void)writer;
    return HALO_OK;
}

static void discard(HaloWriter *writer) { (void)writer; }

/* No probe: pnm recognises the file, so that a pipe's output, which follows the input's format, is not limited
 * to black and white. */
const HaloFormat halo_format_pbm = {
    .name = "pbm",
    .help = "PBM: a bit a pixel, black or white; what has other levels is refused",
    .extensions = "pbm",
    .kinds = HALO_IMAGE,
    .dtypes = 1u << HALO_U8 | 1u << HALO_U16 | 1u << HALO_F32,
    .channels = 1,
    .several = HALO_SEVERAL,
    .open = halo_pnm_open,
    .read = halo_pnm_read,
    .skip = halo_pnm_skip,
    .close = halo_pnm_close,
    .create = create,
    .write = write_rows,
    .finish = finish,
    .discard = discard,
};
