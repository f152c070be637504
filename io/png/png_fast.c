/* ISA-L's level 1 is four times as fast as zlib's and makes smaller files. */
#include "png_fast.h"

#ifdef HALO_HAVE_ISAL
#include <stdlib.h>

#include <isa-l.h>

#include "png_upper.h"

#define PLACES 16
#define PLACE_BYTES 65536
#define RUN_BITS 1 /* of a window that reaches back by two bytes */

struct PngFast {
    uint8_t room[ISAL_DEF_LVL1_DEFAULT];
    char places[sizeof(struct isal_zstream) + (PLACES - 1) * PLACE_BYTES]; /* for the stream */
};

bool halo_png_has_fast(void) { return true; }

PngFast *halo_png_fast_new(void) { return malloc(sizeof(PngFast)); }

void halo_png_fast_free(PngFast *fast) { free(fast); }

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
static struct isal_zstream *place_stream(PngFast *fast, const uint8_t *bytes, size_t size)
{
    uint32_t first[3] = {0}, mask = 15;
    for (int i = 0; i < 3; i++)
        for (size_t k = 0; k < 4 && i + k < size; k++) first[i] |= (uint32_t)bytes[i + k] << 8 * k;
    while (mask < 1023 && 4 * (size_t)mask < size) mask = 2 * mask + 1;
    for (int place = 0;; place++) {
        char *at = fast->places + (size_t)place * PLACE_BYTES;
        const uint32_t left = hash_of((uint32_t)((uintptr_t)at >> 16));
        bool met = false;
        for (int i = 0; i < 3; i++) met = met || ((left ^ hash_of(first[i])) & mask) == 0;
        if (!met || place == PLACES - 1) return (struct isal_zstream *)(void *)at;
    }
}

size_t halo_png_fast(PngFast *fast, bool runs, const uint8_t *bytes, size_t size, bool last, uint8_t *to,
                     size_t room)
{
    struct isal_zstream *stream = place_stream(fast, bytes, size);
    isal_deflate_init(stream);
    stream->level = 1;
    stream->level_buf = fast->room;
    stream->level_buf_size = sizeof fast->room;
    stream->hist_bits = runs ? RUN_BITS : 0;
    stream->flush = last ? NO_FLUSH : SYNC_FLUSH;
    stream->end_of_stream = last;
    stream->next_in = (uint8_t *)bytes;
    stream->avail_in = (uint32_t)size;
    stream->next_out = to;
    stream->avail_out = (uint32_t)room;
    const bool pressed = isal_deflate(stream) == COMP_OK;
    halo_png_after_isal(); /* zlib may be next */
    const bool done = pressed && stream->avail_in == 0 && stream->avail_out > 0;
    return done ? room - stream->avail_out : 0;
}

#else

bool halo_png_has_fast(void) { return false; }
PngFast *halo_png_fast_new(void) { return NULL; }
void halo_png_fast_free(PngFast *fast) { (void)fast; }
size_t halo_png_fast(PngFast *fast, bool runs, const uint8_t *bytes, size_t size, bool last, uint8_t *to,
                     size_t room)
{
    (void)fast, (void)runs, (void)bytes, (void)size, (void)last, (void)to, (void)room;
    return 0;
}
#endif
