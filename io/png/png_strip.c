/* One strip becomes one IDAT chunk: its part of the zlib stream (RFC 1950), which ends on a byte where no bit
 * of it is needed by the next.
 *
 * Level 1 is ISA-L's, four times as fast as zlib's and smaller; it does not look back into the strip before,
 * which would gain nothing. Nor does libdeflate, which makes smaller files than zlib at the lowest and the
 * highest levels, and in less time. The others are zlib's, which does: so strips cost no bytes. */
#include "png_strip.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>
#ifdef HALO_HAVE_ISAL
#include <isa-l.h>
#endif

#include "bytes/endian.h"
#include "png_join.h"
#include "png_upper.h"

#define HEAD 10 /* of a chunk: 8; of the stream: 2 */
#define TAIL 8  /* of the stream: 4; of a chunk: 4 */

typedef struct PngPress {
    int level;
    size_t room; /* for what the strip becomes */
    z_stream zip;
    PngJoin *join; /* where the level is libdeflate's */
#ifdef HALO_HAVE_ISAL
    char *places; /* for ISA-L's stream: place_stream */
    uint8_t fast_room[ISAL_DEF_LVL1_DEFAULT];
#endif
    uint8_t bytes[];
} PngPress;

static bool is_fast(int level)
{
#ifdef HALO_HAVE_ISAL
    return level == 1;
#else
    (void)level;
    return false;
#endif
}

#ifdef HALO_HAVE_ISAL
#define PLACES 16
#define PLACE_BYTES 65536
#define PLACES_BYTES (sizeof(struct isal_zstream) + (PLACES - 1) * PLACE_BYTES)
#else
#define PLACES_BYTES 1
#endif

HaloStatus halo_png_strip_new(int level, size_t most, PngStrip **out)
{
    /* zlib's bound is larger than ISA-L's, which stores what it cannot compress. */
    const size_t room = most + most / 8 + 4096;
    PngStrip *strip = calloc(1, sizeof *strip);
    PngPress *press =
        strip != NULL ? malloc(sizeof *press + PNG_WINDOW_BYTES + most + HEAD + room + TAIL) : NULL;
    *out = strip;
    if (press == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to write PNG");
    strip->press = press;
    strip->bytes = press->bytes + PNG_WINDOW_BYTES;
    strip->chunk = strip->bytes + most;
    press->level = level;
    press->room = room;
    press->zip = (z_stream){0};
    press->join = halo_png_joins(level) ? halo_png_join_new(level) : NULL;
#ifdef HALO_HAVE_ISAL
    press->places = is_fast(level) ? malloc(PLACES_BYTES) : NULL;
    if (is_fast(level) && press->places == NULL)
        return halo_fail(HALO_ERR_LIMIT, "not enough memory to write PNG");
#endif
    const bool ready = is_fast(level) ? true
                       : halo_png_joins(level)
                           ? press->join != NULL
                           : deflateInit2(&press->zip, level, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL - 1,
                                          level == 0 ? Z_DEFAULT_STRATEGY : Z_FILTERED) == Z_OK;
    if (!ready) return halo_fail(HALO_ERR_LIMIT, "not enough memory to write PNG");
    return HALO_OK;
}

void halo_png_strip_free(PngStrip *strip)
{
    if (strip != NULL && strip->press != NULL) {
        deflateEnd(&strip->press->zip);
        halo_png_join_free(strip->press->join);
#ifdef HALO_HAVE_ISAL
        free(strip->press->places);
#endif
        free(strip->press);
    }
    free(strip);
}

/* Each returns how many bytes there are at `to`; 0: it has failed. */
static size_t press_by_zlib(PngStrip *strip, uint8_t *to)
{
    PngPress *press = strip->press;
    z_stream *zip = &press->zip;
    if (deflateReset(zip) != Z_OK) return 0;
    if (strip->before > 0 && press->level > 0 &&
        deflateSetDictionary(zip, strip->bytes - strip->before, (uInt)strip->before) != Z_OK)
        return 0;
    zip->next_in = strip->bytes;
    zip->avail_in = (uInt)strip->size;
    zip->next_out = to;
    zip->avail_out = (uInt)press->room;
    const int got = deflate(zip, strip->last ? Z_FINISH : Z_SYNC_FLUSH);
    const bool done = got == (strip->last ? Z_STREAM_END : Z_OK) && zip->avail_in == 0 && zip->avail_out > 0;
    return done ? press->room - zip->avail_out : 0;
}

#ifdef HALO_HAVE_ISAL
/* CRC-32C of four bytes, without the usual inversions: ISA-L's hash. */
static uint32_t hash_of(uint32_t v)
{
    for (int bit = 0; bit < 32; bit++) v = v >> 1 ^ (v & 1 ? 0x82f63b78u : 0);
    return v;
}

/* ISA-L 2.30 on x86-64 takes the third position's hash from what is left in a register, which is the stream's
 * own address less its lowest 16 bits, in the place of the four bytes there. Where that is by chance the hash
 * of one of the first three positions the bytes that come out are others, just as right. They are to depend on
 * the picture alone, so the stream is put where this is not so. The hash is cut to as many bits as the strip is
 * long: fewer are compared here. */
static struct isal_zstream *place_stream(const PngStrip *strip)
{
    uint32_t first[3] = {0}, mask = 15;
    for (int i = 0; i < 3; i++)
        for (size_t k = 0; k < 4 && i + k < strip->size; k++)
            first[i] |= (uint32_t)strip->bytes[i + k] << 8 * k;
    while (mask < 1023 && 4 * (size_t)mask < strip->size) mask = 2 * mask + 1;
    for (int place = 0;; place++) {
        char *at = strip->press->places + (size_t)place * PLACE_BYTES;
        const uint32_t left = hash_of((uint32_t)((uintptr_t)at >> 16));
        bool met = false;
        for (int i = 0; i < 3; i++) met = met || ((left ^ hash_of(first[i])) & mask) == 0;
        if (!met || place == PLACES - 1) return (struct isal_zstream *)(void *)at;
    }
}

static size_t press_by_isal(PngStrip *strip, uint8_t *to)
{
    PngPress *press = strip->press;
    struct isal_zstream *fast = place_stream(strip);
    isal_deflate_init(fast);
    fast->level = 1;
    fast->level_buf = press->fast_room;
    fast->level_buf_size = sizeof press->fast_room;
    fast->flush = strip->last ? NO_FLUSH : SYNC_FLUSH;
    fast->end_of_stream = strip->last;
    fast->next_in = strip->bytes;
    fast->avail_in = (uint32_t)strip->size;
    fast->next_out = to;
    fast->avail_out = (uint32_t)press->room;
    const bool done = isal_deflate(fast) == COMP_OK && fast->avail_in == 0 && fast->avail_out > 0;
    return done ? press->room - fast->avail_out : 0;
}

static uint32_t crc_of(uint8_t *bytes, size_t size) { return crc32_gzip_refl(0, bytes, size); }
static uint32_t adler_of(const uint8_t *bytes, size_t size) { return isal_adler32(1, bytes, size); }
#else
static size_t press_by_isal(PngStrip *strip, uint8_t *to) { return press_by_zlib(strip, to); }
static uint32_t crc_of(uint8_t *bytes, size_t size) { return (uint32_t)crc32(0, bytes, (uInt)size); }
static uint32_t adler_of(const uint8_t *bytes, size_t size) { return (uint32_t)adler32(1, bytes, (uInt)size); }
#endif

static size_t press(PngStrip *strip, uint8_t *to)
{
    const PngPress *press = strip->press;
    if (is_fast(press->level)) return press_by_isal(strip, to);
    if (press->join == NULL) return press_by_zlib(strip, to);
    return halo_png_join(press->join, strip->bytes, strip->size, strip->last, to, press->room);
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
    strip->adler = adler_of(strip->bytes, strip->size);
    strip->crc = crc_of(strip->chunk + 4, strip->chunk_size - 4);
    halo_png_after_isal();
}
