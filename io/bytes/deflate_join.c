/* libdeflate compresses each part to a complete stream, whose last block has the final bit set. If another
 * part follows, that bit is cleared, and an empty stored block pads the stream to a byte, as zlib's example
 * gzjoin does. The last block is found by inflating. */
#include "deflate_join.h"

#ifdef HALO_HAVE_DEFLATE
#include <stdlib.h>
#include <string.h>

#include <libdeflate.h>
#include <zlib.h>

struct HaloJoin {
    struct libdeflate_compressor *deflate;
    z_stream inflate;
    uint8_t beside[32768]; /* what is inflated, which nothing needs */
};

#define MORE_BYTES 5 /* of the empty block, at most */

/* By level of halo_deflater_new; 0: not by libdeflate. docs/performance.md has times and sizes. */
static int level_of(int level)
{
    static const int levels[10] = {[2] = 1, [3] = 3, [8] = 10, [9] = 12};
    return levels[level];
}

bool halo_join_has(int level) { return level_of(level) > 0; }

HaloJoin *halo_join_new(int level)
{
    HaloJoin *join = calloc(1, sizeof *join);
    if (join == NULL) return NULL;
    join->deflate = libdeflate_alloc_compressor(level_of(level));
    if (join->deflate != NULL && inflateInit2(&join->inflate, -MAX_WBITS) == Z_OK) return join;
    halo_join_free(join);
    return NULL;
}

void halo_join_free(HaloJoin *join)
{
    if (join == NULL) return;
    libdeflate_free_compressor(join->deflate);
    inflateEnd(&join->inflate);
    free(join);
}

/* On to the end of a block. */
static bool end_block(HaloJoin *join)
{
    z_stream *zip = &join->inflate;
    int got = Z_OK;
    while (got == Z_OK) {
        zip->next_out = join->beside;
        zip->avail_out = sizeof join->beside;
        got = inflate(zip, Z_BLOCK);
        /* Where the block's end was in bits that had been taken before, zlib says that it could do nothing. */
        if ((got == Z_OK || got == Z_BUF_ERROR) && (zip->data_type & 128) != 0) return true;
    }
    return false;
}

static size_t leave_open(HaloJoin *join, uint8_t *stream, size_t size)
{
    z_stream *zip = &join->inflate;
    uint8_t *at = stream; /* where the block begins, and the bit there that says whether it is the last */
    unsigned mark = 1, spare;
    if (inflateReset(zip) != Z_OK) return 0;
    zip->next_in = stream;
    zip->avail_in = (uInt)size;
    for (;;) {
        if (!end_block(join)) return 0;
        spare = zip->data_type & 7; /* bits of the last byte that are not the block's */
        if ((zip->data_type & 64) != 0) break;
        at = spare > 0 ? zip->next_in - 1 : zip->next_in;
        mark = spare > 0 ? 0x100u >> spare : 1;
    }
    if (zip->avail_in > 0) return 0;
    *at &= (uint8_t)~mark;
    if (spare < 3) stream[size++] = 0; /* the empty block has three bits before it comes to the byte's end */
    memcpy(stream + size, "\x00\x00\xff\xff", 4);
    return size + 4;
}

size_t halo_join_deflate(HaloJoin *join, const uint8_t *bytes, size_t size, bool last, uint8_t *to,
                         size_t capacity)
{
    const size_t got = libdeflate_deflate_compress(join->deflate, bytes, size, to, capacity - MORE_BYTES);
    return last || got == 0 ? got : leave_open(join, to, got);
}

#else

bool halo_join_has(int level)
{
    (void)level;
    return false;
}
HaloJoin *halo_join_new(int level)
{
    (void)level;
    return NULL;
}
void halo_join_free(HaloJoin *join) { (void)join; }
size_t halo_join_deflate(HaloJoin *join, const uint8_t *bytes, size_t size, bool last, uint8_t *to,
                         size_t capacity)
{
    (void)join, (void)bytes, (void)size, (void)last, (void)to, (void)capacity;
    return 0;
}
#endif
