/* One image reader against arbitrary bytes: samples or an error, never a crash. */
#ifndef HALO_FUZZ_IMAGE_H
#define HALO_FUZZ_IMAGE_H

#include <stdlib.h>
#include <string.h>

#include "halo/format.h"

#define MAX_PIXELS (1 << 16)
#define MAX_BYTES (1 << 22)

/* Reads the image `band` rows at a time (0: at once) and touches every byte of it. */
static void fuzz_read(const HaloFormat *format, const uint8_t *bytes, size_t size, bool tolerate, int64_t band)
{
    HaloSource *source;
    HaloBuf rows = {0};
    int64_t total, got;
    unsigned sum = 0;
    if (halo_source_from_memory(bytes, size, &source) != HALO_OK) return;
    HaloReader reader = {.format = format, .source = source, .jobs = tolerate ? 2 : 1};
    reader.options = (HaloReadOptions){.tolerate = tolerate, .max_pixels = MAX_PIXELS};
    if (format->open(&reader) != HALO_OK) goto out;
    HaloShape shape = reader.info.shape;
    if (shape.width < 1 || shape.height < 1 || shape.channels < 1 || shape.width * shape.height > MAX_PIXELS)
        abort();
    if (halo_shape_bytes(&shape, &total) != HALO_OK || total > MAX_BYTES) goto out;
    if (halo_buf_alloc(&rows, &shape) != HALO_OK) goto out;
    for (int64_t y = 0; y < shape.height; y += rows.rows) {
        rows.y0 = y;
        rows.rows = band > 0 && band < shape.height - y ? band : shape.height - y;
        memset(rows.data, 0, (size_t)(rows.stride * rows.rows));
        if (format->read(&reader, &rows, &got) != HALO_OK) goto out;
        if (got != rows.rows) abort();
        for (int64_t i = 0; i < rows.stride * rows.rows; i++) sum += ((const uint8_t *)rows.data)[i];
    }
    if (sum == 1) reader.info.bits++; /* the sum is used */
out:
    halo_buf_free(&rows);
    format->close(&reader);
    halo_meta_free(&reader.info.meta);
    halo_source_close(source);
}

#define FUZZ_IMAGE(id)                                                                        \
    extern const HaloFormat halo_format_##id;                                                 \
    int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);                            \
    int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)                             \
    {                                                                                         \
        if (halo_format_##id.probe != NULL && !halo_format_##id.probe(bytes, size)) return 0; \
        fuzz_read(&halo_format_##id, bytes, size, false, 0);                                  \
        fuzz_read(&halo_format_##id, bytes, size, true, 3);                                   \
        return 0;                                                                             \
    }

#endif
