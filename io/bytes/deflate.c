/* Chooses how the samples of pictures are compressed.
 *
 * Level 1 is ISA-L's, which does not refer back to the previous part: that would gain nothing. Neither does
 * libdeflate, which at the lowest and the highest levels makes smaller files than zlib in less time. The other
 * levels are zlib's, which does, so that parts cost no bytes.
 *
 * In the noise (grain) of photographs matches are short and distant, and cost more than literals. Such parts
 * become smaller, and are written and read faster, if only runs are matched. Statistics of the samples tell
 * whether a part is noisy. */
#include "deflate.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "after_isal.h"
#include "deflate_isal.h"
#include "deflate_join.h"
#include "endian.h"
#include "sums.h"

#define SAMPLES 4
#define SAMPLE_BYTES ((size_t)3072)
#define LEAST_GRAIN \
    10 /* parts that compress to less than a tenth are not noise, whatever the samples suggest */

struct HaloDeflater {
    int level;
    z_stream zip, runs;
    HaloJoin *join; /* where the level is libdeflate's */
    HaloIsal *isal;
    uint8_t sample[SAMPLES * SAMPLE_BYTES];
};

/* ---- what a level needs --------------------------------------------------------------------------------- */

static bool is_fast(int level) { return level == 1 && halo_has_isal(); }

static bool begin_zip(z_stream *zip, int level, int strategy)
{
    return deflateInit2(zip, level, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL - 1, strategy) == Z_OK;
}

/* What the level needs, and what runs need: each is NULL or empty where it is not. */
static bool begin(HaloDeflater *deflater, int level, bool differences)
{
    deflater->level = level;
    deflater->join = halo_join_has(level) ? halo_join_new(level) : NULL;
    if (halo_join_has(level) && deflater->join == NULL) return false;
    if (!halo_join_has(level) && !is_fast(level) &&
        !begin_zip(&deflater->zip, level, level > 0 && differences ? Z_FILTERED : Z_DEFAULT_STRATEGY))
        return false;
    if (level == 0) return true;
    if (!halo_has_isal()) return begin_zip(&deflater->runs, level, Z_RLE);
    return (deflater->isal = halo_isal_new()) != NULL;
}

HaloDeflater *halo_deflater_new(int level, bool differences)
{
    HaloDeflater *deflater = calloc(1, sizeof *deflater);
    if (deflater == NULL || begin(deflater, level, differences)) return deflater;
    halo_deflater_free(deflater);
    return NULL;
}

void halo_deflater_free(HaloDeflater *deflater)
{
    if (deflater == NULL) return;
    deflateEnd(&deflater->zip);
    deflateEnd(&deflater->runs);
    halo_join_free(deflater->join);
    halo_isal_free(deflater->isal);
    free(deflater);
}

/* ---- each way ------------------------------------------------------------------------------------------- */

/* zlib's bound is larger than ISA-L's, which stores what it cannot compress. */
size_t halo_deflate_bound(size_t size) { return size + size / 8 + 4096; }

/* Each returns how many bytes there are at `to`; 0: it has failed. */
static size_t by_zlib(const HaloDeflater *deflater, z_stream *zip, const HaloDeflatePart *part, uint8_t *to,
                      size_t capacity)
{
    if (deflateReset(zip) != Z_OK) return 0;
    if (part->before > 0 && zip == &deflater->zip && deflater->level > 0 &&
        deflateSetDictionary(zip, part->bytes - part->before, (uInt)part->before) != Z_OK)
        return 0;
    zip->next_in = (uint8_t *)(uintptr_t)part->bytes;
    zip->avail_in = (uInt)part->size;
    zip->next_out = to;
    zip->avail_out = (uInt)capacity;
    const int got = deflate(zip, part->last ? Z_FINISH : Z_SYNC_FLUSH);
    const bool done = got == (part->last ? Z_STREAM_END : Z_OK) && zip->avail_in == 0 && zip->avail_out > 0;
    return done ? capacity - zip->avail_out : 0;
}

static size_t by_level(HaloDeflater *deflater, const HaloDeflatePart *part, uint8_t *to, size_t capacity)
{
    if (is_fast(deflater->level))
        return halo_isal_deflate(deflater->isal, false, part->bytes, part->size, part->last, to, capacity);
    if (deflater->join == NULL) return by_zlib(deflater, &deflater->zip, part, to, capacity);
    return halo_join_deflate(deflater->join, part->bytes, part->size, part->last, to, capacity);
}

static size_t by_runs(HaloDeflater *deflater, const HaloDeflatePart *part, uint8_t *to, size_t capacity)
{
    return halo_has_isal()
               ? halo_isal_deflate(deflater->isal, true, part->bytes, part->size, part->last, to, capacity)
               : by_zlib(deflater, &deflater->runs, part, to, capacity);
}

/* ---- the choice ----------------------------------------------------------------------------------------- */

/* The size with runs only relative to the level's own, estimated from pieces of the part; 2 if it is not noisy.
 */
static double weigh_runs(HaloDeflater *deflater, const HaloDeflatePart *part, uint8_t *beside, size_t capacity)
{
    HaloDeflatePart sample = {.bytes = deflater->sample};
    const size_t piece = part->size / SAMPLES, each = piece < SAMPLE_BYTES ? piece : SAMPLE_BYTES;
    for (size_t i = 0; i < SAMPLES; i++, sample.size += each)
        memcpy(deflater->sample + sample.size, part->bytes + (part->size - each) * (2 * i + 1) / (2 * SAMPLES),
               each);
    const size_t level = by_level(deflater, &sample, beside, capacity),
                 runs = by_runs(deflater, &sample, beside, capacity);
    return level * LEAST_GRAIN <= sample.size ? 2 : (double)runs / (double)level;
}

/* Up to level 3, which are for speed, samples decide, but at 2 and 3 of streams of one part; up to 7 both
 * ways are taken where samples leave a doubt; at 8 and 9 of all that may be grain. */
static double doubt_of(int level, const HaloDeflatePart *part)
{
    const bool small = part->first && part->last;
    return level < (small ? 2 : 4) ? 0 : level < 8 ? 0.04 : 1;
}

size_t halo_deflate(HaloDeflater *deflater, const HaloDeflatePart *part, uint8_t *to, size_t capacity)
{
    const int level = deflater->level;
    const double doubt = doubt_of(level, part),
                 weight = level == 0 ? 2 : weigh_runs(deflater, part, to, capacity);
    if (weight >= 1 + doubt) return by_level(deflater, part, to, capacity);
    if (weight < 1 - doubt) return by_runs(deflater, part, to, capacity);
    const size_t runs = by_runs(deflater, part, to, capacity), own = by_level(deflater, part, to, capacity);
    return runs < own ? by_runs(deflater, part, to, capacity) : own;
}

/* ---- streams of zlib ------------------------------------------------------------------------------------ */

/* A window of 32 KiB, and how much work was done, as zlib says it. */
void halo_zlib_head(int level, uint8_t *to)
{
    const unsigned work = level < 2 ? 0 : level < 6 ? 1 : level == 6 ? 2 : 3, head = 0x7800 | work << 6;
    halo_put_be(to, head + 31 - head % 31, HALO_ZLIB_HEAD);
}

size_t halo_zlib(HaloDeflater *deflater, const uint8_t *bytes, size_t size, uint8_t *to, size_t capacity)
{
    const HaloDeflatePart part = {.bytes = bytes, .size = size, .first = true, .last = true};
    const size_t got =
        halo_deflate(deflater, &part, to + HALO_ZLIB_HEAD, capacity - HALO_ZLIB_HEAD - HALO_ZLIB_TAIL);
    if (got == 0) return 0;
    halo_zlib_head(deflater->level, to);
    halo_put_be(to + HALO_ZLIB_HEAD + got, halo_adler32(1, bytes, size), HALO_ZLIB_TAIL);
    halo_after_isal();
    return HALO_ZLIB_HEAD + got + HALO_ZLIB_TAIL;
}
