#include "inflate.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "source.h"

#define BLOCK_BYTES 32768

typedef struct Inflate {
    HaloSource *below;
    bool owns, ended;
    HaloDeflated how;
    int64_t left; /* bytes that may still be taken */
    z_stream zlib;
    uint8_t block[BLOCK_BYTES];
} Inflate;

static int window_of(HaloDeflated how) { return how == HALO_GZIP_OR_ZLIB ? 15 + 32 : -15; }

/* The next compressed bytes; none are left where zlib.avail_in stays 0. */
static HaloStatus refill(Inflate *inflated)
{
    size_t got;
    const size_t want = inflated->left < BLOCK_BYTES ? (size_t)inflated->left : BLOCK_BYTES;
    const HaloStatus status = halo_source_read(inflated->below, inflated->block, want, &got);
    inflated->left -= (int64_t)got;
    inflated->zlib.next_in = inflated->block;
    inflated->zlib.avail_in = (unsigned)got;
    return status;
}

/* Another member of gzip may follow the end of one. */
static HaloStatus end_member(Inflate *inflated)
{
    HaloStatus status = HALO_OK;
    inflated->ended = true;
    if (inflated->how != HALO_GZIP_OR_ZLIB) return HALO_OK;
    if (inflated->zlib.avail_in == 0) HALO_TRY(refill(inflated));
    if (inflated->zlib.avail_in > 0 && inflated->zlib.next_in[0] == 0x1f)
        inflated->ended = inflateReset(&inflated->zlib) != Z_OK;
out:
    return status;
}

static HaloStatus inflate_more(HaloSource *source, void *bytes, size_t size, size_t *got)
{
    HaloStatus status = HALO_OK;
    Inflate *inflated = source->context;
    z_stream *zlib = &inflated->zlib;
    *got = 0;
    zlib->next_out = bytes;
    zlib->avail_out = size < BLOCK_BYTES * 8 ? (unsigned)size : BLOCK_BYTES * 8;
    const unsigned want = zlib->avail_out;
    while (zlib->avail_out == want && !inflated->ended) {
        if (zlib->avail_in == 0) HALO_TRY(refill(inflated));
        if (zlib->avail_in == 0) break; /* truncated: its reader knows how much there should be */
        const int result = inflate(zlib, Z_NO_FLUSH);
        if (result == Z_MEM_ERROR) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to inflate");
        if (result == Z_STREAM_END)
            HALO_TRY(end_member(inflated));
        else if (result != Z_OK && result != Z_BUF_ERROR)
            HALO_FAIL(HALO_ERR_INPUT, "the compressed samples are damaged");
    }
    *got = want - zlib->avail_out;
out:
    return status;
}

static void drop(void *context)
{
    Inflate *inflated = context;
    inflateEnd(&inflated->zlib);
    if (inflated->owns) halo_source_close(inflated->below);
    free(inflated);
}

HaloStatus halo_source_inflate(HaloSource *below, bool owns, HaloDeflated how, int64_t bytes, HaloSource **out)
{
    Inflate *inflated = calloc(1, sizeof *inflated);
    HaloSource *source = *out = calloc(1, sizeof *source);
    const char *name = halo_source_name(below);
    if (inflated != NULL) *inflated = (Inflate){.below = below, .owns = owns, .how = how, .left = bytes};
    if (source != NULL) {
        source->fd = -1;
        source->size = -1;
        source->name = strdup(name);
        source->buffer = source->owned = malloc(HALO_SOURCE_BUFFER);
        source->capacity = HALO_SOURCE_BUFFER;
    }
    if (inflated != NULL && source != NULL && source->owned != NULL && source->name != NULL &&
        inflateInit2(&inflated->zlib, window_of(how)) == Z_OK) {
        source->fetch = inflate_more;
        source->drop = drop;
        source->context = inflated;
        return HALO_OK;
    }
    free(inflated);
    halo_source_close(source);
    *out = NULL;
    if (owns) halo_source_close(below);
    return halo_fail(HALO_ERR_LIMIT, "not enough memory to inflate");
}

size_t halo_inflate_start(const uint8_t *bytes, size_t size, uint8_t *start, size_t most)
{
    z_stream zlib = {.next_in = (uint8_t *)(uintptr_t)bytes,
                     .avail_in = (unsigned)size,
                     .next_out = start,
                     .avail_out = (unsigned)most};
    if (size < 2 || inflateInit2(&zlib, window_of(HALO_GZIP_OR_ZLIB)) != Z_OK) return 0;
    inflate(&zlib, Z_SYNC_FLUSH);
    inflateEnd(&zlib);
    return most - zlib.avail_out;
}
