/* One image reader against arbitrary bytes: samples or an error, never a crash. */
#ifndef HALO_FUZZ_IMAGE_H
#define HALO_FUZZ_IMAGE_H

#include <stdlib.h>
#include <string.h>

#include "halo/format.h"

#define MAX_PIXELS (1 << 16)
#define MAX_BYTES (1 << 22)

/* Reads the page `band` rows at a time (0: at once), skips some of its rows, and touches every byte; false: it
 * ends with an error or is too large. */
static bool fuzz_read_page(HaloReader *reader, int64_t band, bool skips, unsigned *sum)
{
    const HaloShape shape = reader->info.shape;
    HaloBuf rows = {0};
    int64_t total, got, skipped;
    bool done = false;
    if (shape.width < 1 || shape.height < 1 || shape.channels < 1 || shape.width * shape.height > MAX_PIXELS)
        abort();
    if (halo_shape_bytes(&shape, &total) != HALO_OK || total > MAX_BYTES) return false;
    if (halo_buf_alloc(&rows, &shape) != HALO_OK) return false;
    for (int64_t y = 0; y < shape.height; y += rows.rows) {
        rows.y0 = y;
        rows.rows = band > 0 && band < shape.height - y ? band : shape.height - y;
        if (skips && y > 0 && reader->format->skip != NULL) {
            if (reader->format->skip(reader, rows.rows, &skipped) != HALO_OK) goto out;
            if (skipped < 0 || skipped > rows.rows) abort();
            rows.y0 = y += skipped;
            rows.rows -= skipped;
            if (rows.rows == 0) continue;
        }
        memset(rows.data, 0, (size_t)(rows.stride * rows.rows));
        if (reader->format->read(reader, &rows, &got) != HALO_OK) goto out;
        if (got != rows.rows) abort();
        for (int64_t i = 0; i < rows.stride * rows.rows; i++) *sum += ((const uint8_t *)rows.data)[i];
    }
    done = true;
out:
    halo_buf_free(&rows);
    return done;
}

/* Some pages, one after the other. */
static void fuzz_read(const HaloFormat *format, const uint8_t *bytes, size_t size, bool tolerate, int64_t band)
{
    enum { MOST_PAGES = 3 };
    HaloSource *source;
    unsigned sum = 0;
    if (halo_source_from_memory(bytes, size, &source) != HALO_OK) return;
    HaloReader reader = {.format = format, .source = source, .jobs = tolerate ? 2 : 1};
    reader.options = (HaloReadOptions){.tolerate = tolerate, .max_pixels = MAX_PIXELS};
    HaloStatus status = format->open(&reader);
    while (status == HALO_OK && fuzz_read_page(&reader, band, tolerate, &sum)) {
        const int64_t pages = reader.info.images;
        if (format->next == NULL || ++reader.options.image >= (pages < MOST_PAGES ? pages : MOST_PAGES)) break;
        halo_meta_free(&reader.info.meta);
        reader.info = (HaloInfo){0};
        status = format->next(&reader);
    }
    if (sum == 1) reader.info.bits++; /* the sum is used */
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
