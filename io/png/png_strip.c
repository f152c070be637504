/* Compresses one strip to one IDAT chunk: its part of the zlib stream (RFC 1950), padded to a byte.
 *
 * Level 1 is ISA-L's, which does not refer back to the previous strip: that would gain nothing. Neither does
 * libdeflate, which at the lowest and the highest levels makes smaller files than zlib in less time. The other
 * levels are zlib's, which does, so that strips cost no bytes.
 *
 * In the noise (grain) of photographs matches are short and distant, and cost more than literals. Such strips
 * become smaller, and are written and read faster, if only runs are matched. Statistics of the samples tell
 * whether a strip is noisy. */
#include "png_strip.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "bytes/endian.h"
#include "png_fast.h"
#include "png_join.h"
#include "png_sums.h"
#include "png_upper.h"

#define HEAD 10 /* of a chunk: 8; of the stream: 2 */
#define TAIL 8  /* of the stream: 4; of a chunk: 4 */

#define SAMPLES 4
#define SAMPLE_BYTES ((size_t)3072)
#define LEAST_GRAIN \
    10 /* strips that compress to less than a tenth are not noise, whatever the samples suggest */

typedef struct PngPress {
    int level;
    size_t capacity; /* for what the strip becomes */
    z_stream zip, runs;
    PngJoin *join; /* where the level is libdeflate's */
    PngFast *fast;
    uint8_t sample[SAMPLES * SAMPLE_BYTES];
    uint8_t bytes[];
} PngPress;

static bool is_fast(int level) { return level == 1 && halo_png_has_fast(); }

static bool begin_zip(z_stream *zip, int level, int strategy)
{
    *zip = (z_stream){0};
    return deflateInit2(zip, level, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL - 1, strategy) == Z_OK;
}

/* What the level needs, and what runs need: each is NULL or empty where it is not. */
static bool begin_press(PngPress *press, int level)
{
    press->level = level;
    press->join = halo_png_joins(level) ? halo_png_join_new(level) : NULL;
    press->zip = press->runs = (z_stream){0};
    press->fast = NULL;
    if (halo_png_joins(level) && press->join == NULL) return false;
    if (!halo_png_joins(level) && !is_fast(level) &&
        !begin_zip(&press->zip, level, level == 0 ? Z_DEFAULT_STRATEGY : Z_FILTERED))
        return false;
    if (level == 0) return true;
    if (!halo_png_has_fast()) return begin_zip(&press->runs, level, Z_RLE);
    return (press->fast = halo_png_fast_new()) != NULL;
}

HaloStatus halo_png_strip_new(int level, size_t most, PngStrip **out)
{
    /* zlib's bound is larger than ISA-L's, which stores what it cannot compress. */
    const size_t capacity = most + most / 8 + 4096;
    PngStrip *strip = calloc(1, sizeof *strip);
    PngPress *press =
        strip != NULL ? malloc(sizeof *press + PNG_WINDOW_BYTES + most + HEAD + capacity + TAIL) : NULL;
    *out = strip;
    if (press == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to write PNG");
    strip->press = press;
    strip->bytes = press->bytes + PNG_WINDOW_BYTES;
    strip->chunk = strip->bytes + most;
    press->capacity = capacity;
    return begin_press(press, level) ? HALO_OK : halo_fail(HALO_ERR_LIMIT, "not enough memory to write PNG");
}

void halo_png_strip_free(PngStrip *strip)
{
    if (strip != NULL && strip->press != NULL) {
        deflateEnd(&strip->press->zip);
        deflateEnd(&strip->press->runs);
        halo_png_join_free(strip->press->join);
        halo_png_fast_free(strip->press->fast);
        free(strip->press);
    }
    free(strip);
}

/* Each returns how many bytes there are at `to`; 0: it has failed. */
static size_t press_by_zlib(const PngStrip *strip, z_stream *zip, uint8_t *to)
{
    const PngPress *press = strip->press;
    if (deflateReset(zip) != Z_OK) return 0;
    if (strip->before > 0 && zip == &press->zip && press->level > 0 &&
        deflateSetDictionary(zip, strip->bytes - strip->before, (uInt)strip->before) != Z_OK)
        return 0;
    zip->next_in = strip->bytes;
    zip->avail_in = (uInt)strip->size;
    zip->next_out = to;
    zip->avail_out = (uInt)press->capacity;
    const int got = deflate(zip, strip->last ? Z_FINISH : Z_SYNC_FLUSH);
    const bool done = got == (strip->last ? Z_STREAM_END : Z_OK) && zip->avail_in == 0 && zip->avail_out > 0;
    return done ? press->capacity - zip->avail_out : 0;
}

static size_t press_by_isal(const PngStrip *strip, bool runs, uint8_t *to)
{
    const PngPress *press = strip->press;
    return halo_png_fast(press->fast, runs, strip->bytes, strip->size, strip->last, to, press->capacity);
}

static size_t press_by_level(const PngStrip *strip, uint8_t *to)
{
    PngPress *press = strip->press;
    if (is_fast(press->level)) return press_by_isal(strip, false, to);
    if (press->join == NULL) return press_by_zlib(strip, &press->zip, to);
    return halo_png_join(press->join, strip->bytes, strip->size, strip->last, to, press->capacity);
}

static size_t press_runs(const PngStrip *strip, uint8_t *to)
{
    return halo_png_has_fast() ? press_by_isal(strip, true, to) : press_by_zlib(strip, &strip->press->runs, to);
}

/* The size with runs only relative to the level's own, estimated from parts of the strip; 2 if it is not noisy.
 */
static double weigh_runs(const PngStrip *strip, uint8_t *beside)
{
    PngStrip sample = {.bytes = strip->press->sample, .press = strip->press};
    const size_t part = strip->size / SAMPLES, each = part < SAMPLE_BYTES ? part : SAMPLE_BYTES;
    for (size_t i = 0; i < SAMPLES; i++, sample.size += each)
        memcpy(sample.bytes + sample.size, strip->bytes + (strip->size - each) * (2 * i + 1) / (2 * SAMPLES),
               each);
    const size_t by_level = press_by_level(&sample, beside), by_runs = press_runs(&sample, beside);
    return by_level * LEAST_GRAIN <= sample.size ? 2 : (double)by_runs / (double)by_level;
}

/* Up to level 3, which are for speed, samples decide, but at 2 and 3 of pictures of one strip; up to 7 both
 * ways are taken where samples leave a doubt; at 8 and 9 of all that may be grain. */
static double doubt_of(const PngStrip *strip)
{
    const int level = strip->press->level;
    const bool small = strip->first && strip->last;
    return level < (small ? 2 : 4) ? 0 : level < 8 ? 0.04 : 1;
}

static size_t press(const PngStrip *strip, uint8_t *to)
{
    const int level = strip->press->level;
    const double doubt = doubt_of(strip), runs = level == 0 ? 2 : weigh_runs(strip, to);
    if (runs >= 1 + doubt) return press_by_level(strip, to);
    if (runs < 1 - doubt) return press_runs(strip, to);
    const size_t by_runs = press_runs(strip, to), by_level = press_by_level(strip, to);
    return by_runs < by_level ? press_runs(strip, to) : by_level;
}

/* A window of 32 KiB, and how much work was done, as zlib says it. */
static void put_stream_head(uint8_t *to, int level)
{
    const unsigned work = level < 2 ? 0 : level < 6 ? 1 : level == 6 ? 2 : 3, head = 0x7800 | work << 6;
    halo_put_be(to, head + 31 - head % 31, 2);
}

void halo_png_strip_press(PngStrip *strip)
{
    const int level = strip->press->level;
    const size_t head = strip->first ? 2 : 0;
    uint8_t *data = strip->chunk + 8;
    const size_t size = press(strip, data + head);
    strip->failed = size == 0;
    if (strip->first) put_stream_head(data, level);
    halo_put_be(strip->chunk, head + size + (strip->last ? 4 : 0), 4);
    memcpy(strip->chunk + 4, "IDAT", 4);
    strip->chunk_size = 8 + head + size;
    strip->adler = halo_png_adler(1, strip->bytes, strip->size);
    strip->crc = halo_png_crc(0, strip->chunk + 4, strip->chunk_size - 4);
    halo_png_after_isal();
}
