/* ISA-L's level 1 is four times as fast as zlib's and makes smaller files. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include "deflate_isal.h"

#ifdef HALO_HAVE_ISAL
#include <stdlib.h>
#include <sys/mman.h>

#include <isa-l.h>

#include "after_isal.h"

#define RUN_BITS 1 /* of a window that reaches back by two bytes */

struct HaloIsal {
    uint8_t buffer[ISAL_DEF_LVL1_DEFAULT];
    struct isal_zstream *stream;
    bool placed;
};

bool halo_has_isal(void) { return true; }

/* ---- where the stream lies ------------------------------------------------------------------------------ */

/* ISA-L 2.30 on x86-64 takes the hash of the third position of each of its blocks from what is left in a
 * register, which is the stream's own address less its lowest 16 bits, in the place of the four bytes there.
 * Where that is by chance the hash of these bytes, or of others that matter, the bytes that come out are
 * others, just as right: of a picture of flat areas once in two thousand runs. They are to depend on the
 * picture alone, so the stream is put where this hash is always the same. It is CRC-32C, which is linear in the
 * bits of the address. */
#define PLACE_BYTES ((size_t)1 << 16)
#define PLACE_BITS 15 /* of the address; with fewer not every hash can be had */
#define SPAN (PLACE_BYTES << PLACE_BITS)
#define STREAM_BYTES ((sizeof(struct isal_zstream) + PLACE_BYTES - 1) / PLACE_BYTES * PLACE_BYTES)
#define HASH_BITS 13
#define HASH_MASK ((1u << HASH_BITS) - 1)
#define HASH 0x1555u /* not one of four alike bytes, nor of three zeros and another */

/* CRC-32C of four bytes, without the usual inversions, as far as ISA-L's tables are long. */
static uint32_t hash_of(uint32_t v)
{
    for (int bit = 0; bit < 32; bit++) v = v >> 1 ^ (v & 1 ? 0x82f63b78u : 0);
    return v & HASH_MASK;
}

/* The lowest bits of an address that have this hash, by elimination. */
static uint32_t bits_of(uint32_t hash)
{
    uint32_t value[HASH_BITS], from[HASH_BITS], bits = 0;
    int known = 0;
    for (int i = 0; i < PLACE_BITS && known < HASH_BITS; i++) {
        uint32_t v = hash_of(1u << i), f = 1u << i;
        for (int k = 0; k < known; k++)
            if (v & value[k] & -value[k]) v ^= value[k], f ^= from[k];
        if (v == 0) continue;
        value[known] = v;
        from[known++] = f;
    }
    for (int k = 0; k < known; k++)
        if (hash & value[k] & -value[k]) hash ^= value[k], bits ^= from[k];
    return bits;
}

/* Maps enough addresses to choose from, and unmaps all but one place. */
static struct isal_zstream *place_stream(void)
{
    const size_t size = 2 * SPAN + STREAM_BYTES;
    char *const reserved = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) return NULL;
    char *at = reserved + (SPAN - (uintptr_t)reserved % SPAN) % SPAN;
    at += PLACE_BYTES * bits_of(HASH ^ hash_of((uint32_t)((uintptr_t)at / PLACE_BYTES)));
    if (mprotect(at, STREAM_BYTES, PROT_READ | PROT_WRITE) != 0) {
        munmap(reserved, size);
        return NULL;
    }
    if (at > reserved) munmap(reserved, (size_t)(at - reserved));
    munmap(at + STREAM_BYTES, (size_t)(reserved + size - at) - STREAM_BYTES);
    return (struct isal_zstream *)(void *)at;
}

/* If address space is limited (ulimit -v), any address is used. */
HaloIsal *halo_isal_new(void)
{
    HaloIsal *isal = malloc(sizeof *isal);
    if (isal == NULL) return NULL;
    isal->stream = place_stream();
    isal->placed = isal->stream != NULL;
    if (!isal->placed) isal->stream = malloc(sizeof *isal->stream);
    if (isal->stream != NULL) return isal;
    free(isal);
    return NULL;
}

void halo_isal_free(HaloIsal *isal)
{
    if (isal == NULL) return;
    if (isal->placed)
        munmap(isal->stream, STREAM_BYTES);
    else
        free(isal->stream);
    free(isal);
}

/* ---- compressing ---------------------------------------------------------------------------------------- */

size_t halo_isal_deflate(HaloIsal *isal, bool runs, const uint8_t *bytes, size_t size, bool last, uint8_t *to,
                         size_t capacity)
{
    struct isal_zstream *stream = isal->stream;
    isal_deflate_init(stream);
    stream->level = 1;
    stream->level_buf = isal->buffer;
    stream->level_buf_size = sizeof isal->buffer;
    stream->hist_bits = runs ? RUN_BITS : 0;
    stream->flush = last ? NO_FLUSH : SYNC_FLUSH;
    stream->end_of_stream = last;
    stream->next_in = (uint8_t *)bytes;
    stream->avail_in = (uint32_t)size;
    stream->next_out = to;
    stream->avail_out = (uint32_t)capacity;
    const bool pressed = isal_deflate(stream) == COMP_OK;
    halo_after_isal(); /* zlib may be next */
    const bool done = pressed && stream->avail_in == 0 && stream->avail_out > 0;
    return done ? capacity - stream->avail_out : 0;
}

#else

bool halo_has_isal(void) { return false; }
HaloIsal *halo_isal_new(void) { return NULL; }
void halo_isal_free(HaloIsal *isal) { (void)isal; }
size_t halo_isal_deflate(HaloIsal *isal, bool runs, const uint8_t *bytes, size_t size, bool last, uint8_t *to,
                         size_t capacity)
{
    (void)isal, (void)runs, (void)bytes, (void)size, (void)last, (void)to, (void)capacity;
    return 0;
}
#endif
