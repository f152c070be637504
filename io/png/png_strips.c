/* Compresses the strips of an image in threads while rows arrive, and writes them in order.
 *
 * The thread that delivers the rows fills a strip, queues it, and fills the next one; other threads take queued
 * strips. Instead of waiting for a strip it compresses one itself, so one thread is enough. */
#include "png_strip.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "bytes/endian.h"
#include "halo/pool.h"

struct PngStrips {
    HaloSink *sink;
    HaloPool *pool;
    int level;
    size_t each;      /* bytes of a strip */
    int64_t to_come;  /* bytes */
    uint32_t adler;   /* of all strips that are written */
    int64_t capacity; /* strips at a time: strip k is at k mod capacity */
    PngStrip **strip; /* made when they are first needed */
    int64_t filling, written;
    bool begun; /* strip `filling` is there */
};

HaloStatus halo_png_strips_new(HaloSink *sink, int level, int jobs, int64_t total, PngStrips **out)
{
    PngStrips *strips = *out = calloc(1, sizeof *strips);
    if (strips == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to write PNG");
    if (jobs < 1) jobs = 1;
    strips->sink = sink;
    strips->level = level;
    strips->each = total < (int64_t)PNG_STRIP_BYTES ? (size_t)total : PNG_STRIP_BYTES;
    strips->to_come = total;
    strips->adler = 1;
    strips->capacity = jobs == 1 ? 1 : jobs + 2;
    strips->strip = calloc((size_t)strips->capacity, sizeof *strips->strip);
    if (strips->strip == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to write PNG");
    return halo_pool_new(jobs, &strips->pool);
}

void halo_png_strips_free(PngStrips *strips)
{
    if (strips == NULL) return;
    halo_pool_free(strips->pool);
    for (int64_t i = 0; strips->strip != NULL && i < strips->capacity; i++)
        halo_png_strip_free(strips->strip[i]);
    free(strips->strip);
    free(strips);
}

static PngStrip *at(const PngStrips *strips, int64_t k) { return strips->strip[k % strips->capacity]; }

/* ---- writing -------------------------------------------------------------------------------------------- */

static HaloStatus write_strip(PngStrips *strips, const PngStrip *strip)
{
    HaloStatus status = HALO_OK;
    uint8_t sums[8];
    size_t more = 0;
    if (strip->failed) HALO_FAIL(HALO_ERR_BUG, "internal: PNG: a strip could not be compressed");
    strips->adler = (uint32_t)adler32_combine(strips->adler, strip->adler, (z_off_t)strip->size);
    if (strip->last) {
        halo_put_be(sums, strips->adler, 4);
        more = 4;
    }
    halo_put_be(sums + more, crc32(strip->crc, sums, (uInt)more), 4);
    HALO_TRY(halo_sink_write(strips->sink, strip->chunk, strip->chunk_size));
    HALO_TRY(halo_sink_write(strips->sink, sums, more + 4));
out:
    return status;
}

/* Writes the compressed strips in order; compresses or waits until strip `until` - 1 is among them. */
static HaloStatus write_until(PngStrips *strips, int64_t until)
{
    HaloStatus status = HALO_OK;
    const int64_t done = halo_pool_done(strips->pool, until);
    for (; strips->written < done; strips->written++)
        HALO_TRY(write_strip(strips, at(strips, strips->written)));
out:
    return status;
}

/* A HaloTask. */
static void press(void *context, int64_t k, int worker)
{
    const PngStrips *strips = context;
    (void)worker;
    halo_png_strip_press(at(strips, k));
}

static HaloStatus put_up(PngStrips *strips)
{
    PngStrip *strip = at(strips, strips->filling);
    strip->first = strips->filling == 0;
    strip->last = strips->to_come == 0;
    strips->filling++;
    halo_pool_put(strips->pool, press, strips);
    return write_until(strips, 0);
}

/* An empty strip, behind the end of the one before. */
static HaloStatus begin_strip(PngStrips *strips)
{
    HaloStatus status = HALO_OK;
    const int64_t k = strips->filling;
    size_t before = 0;
    HALO_TRY(write_until(strips, k - strips->capacity + 1));
    if (at(strips, k) == NULL)
        HALO_TRY(halo_png_strip_new(strips->level, strips->each, &strips->strip[k % strips->capacity]));
    PngStrip *strip = at(strips, k);
    if (k > 0) { /* which may be the same strip */
        const PngStrip *last = at(strips, k - 1);
        before = last->size < PNG_WINDOW_BYTES ? last->size : PNG_WINDOW_BYTES;
        memmove(strip->bytes - before, last->bytes + last->size - before, before);
    }
    strip->before = before;
    strip->size = 0;
out:
    return status;
}

HaloStatus halo_png_strips_put(PngStrips *strips, const uint8_t *bytes, size_t size)
{
    HaloStatus status = HALO_OK;
    while (size > 0) {
        if (!strips->begun) HALO_TRY(begin_strip(strips));
        PngStrip *strip = at(strips, strips->filling);
        const size_t left = strips->each - strip->size, part = size < left ? size : left;
        memcpy(strip->bytes + strip->size, bytes, part);
        strip->size += part;
        strips->to_come -= (int64_t)part;
        bytes += part;
        size -= part;
        strips->begun = strip->size < strips->each && strips->to_come > 0;
        if (!strips->begun) HALO_TRY(put_up(strips));
    }
out:
    return status;
}

HaloStatus halo_png_strips_end(PngStrips *strips)
{
    if (strips->to_come != 0) return halo_fail(HALO_ERR_BUG, "internal: PNG: not all rows were written");
    return write_until(strips, strips->filling);
}
