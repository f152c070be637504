/* A chunk is independent if the stream has a flush at its end (the end of a block and of a byte), as it had at
 * the end of the chunk before, and no match refers back before its beginning. Then it can be inflated on its
 * own. No field of the file says so: it is tried, and ISA-L reports it. Files that halo writes consist of such
 * chunks. */
#include "png_ahead.h"

#ifdef HALO_HAVE_ISAL
#include <stdlib.h>
#include <string.h>

#include <isa-l.h>

#include "bytes/after_isal.h"
#include "halo/pool.h"
#include "png_strip.h"

#define MADE_BYTES (PNG_STRIP_BYTES + 64) /* of a chunk, at most; some more, so that its end is looked at */

typedef struct Chunk {
    size_t skip, size, made; /* inflated bytes: 0 if it is not independent */
    bool alone;              /* it may */
    struct inflate_state inflate;
    uint8_t in[PNG_ALONE_BYTES], out[MADE_BYTES];
} Chunk;

/* Chunk k is at k mod capacity; the last one given out stays in place, since the next refers back to it. */
struct PngAhead {
    HaloPool *pool;
    HaloMemory *memory;
    int64_t held;
    int64_t capacity, put, given;
    Chunk *chunk[];
};

PngAhead *halo_png_ahead_new(int jobs, HaloMemory *memory)
{
    const int64_t capacity = jobs + 2;
    PngAhead *ahead = jobs > 1 ? calloc(1, sizeof *ahead + (size_t)capacity * sizeof ahead->chunk[0]) : NULL;
    if (ahead == NULL) return NULL;
    ahead->memory = memory;
    ahead->capacity = capacity;
    if (halo_pool_new(jobs, &ahead->pool) == HALO_OK) return ahead;
    halo_png_ahead_free(ahead);
    return NULL;
}

void halo_png_ahead_free(PngAhead *ahead)
{
    if (ahead == NULL) return;
    if (ahead->pool != NULL) halo_pool_done(ahead->pool, ahead->put);
    halo_pool_free(ahead->pool);
    for (int64_t i = 0; i < ahead->capacity; i++) free(ahead->chunk[i]);
    halo_memory_release(ahead->memory, ahead->held);
    free(ahead);
}

static Chunk *at(const PngAhead *ahead, int64_t k) { return ahead->chunk[k % ahead->capacity]; }

/* Leaves memory for others. */
static Chunk *new_chunk(PngAhead *ahead)
{
    const int64_t size = (int64_t)sizeof(Chunk);
    if (halo_memory_left(ahead->memory) / 4 < size || halo_memory_hold(ahead->memory, size) != HALO_OK)
        return NULL;
    ahead->held += size;
    return malloc(sizeof(Chunk));
}

uint8_t *halo_png_ahead_chunk(PngAhead *ahead)
{
    const int64_t k = ahead->put;
    if (k - ahead->given + 1 >= ahead->capacity) return NULL;
    if (at(ahead, k) == NULL) ahead->chunk[k % ahead->capacity] = new_chunk(ahead);
    return at(ahead, k) != NULL ? at(ahead, k)->in : NULL;
}

static bool stands_alone(const struct inflate_state *inflate)
{
    const bool between = inflate->block_state == ISAL_BLOCK_NEW_HDR ||
                         (inflate->block_state == ISAL_BLOCK_HDR && inflate->tmp_in_size == 0);
    return between && inflate->avail_in == 0 && inflate->read_in_length == 0 && inflate->avail_out > 0 &&
           inflate->tmp_out_valid == inflate->tmp_out_processed;
}

/* A HaloTask. */
static void inflate_alone(void *context, int64_t k, int worker)
{
    Chunk *chunk = at(context, k);
    struct inflate_state *inflate = &chunk->inflate;
    (void)worker;
    chunk->made = 0;
    if (!chunk->alone) return;
    isal_inflate_init(inflate);
    inflate->next_in = chunk->in + chunk->skip;
    inflate->avail_in = (uint32_t)chunk->size;
    inflate->next_out = chunk->out;
    inflate->avail_out = MADE_BYTES;
    const bool done = isal_inflate(inflate) == ISAL_DECOMP_OK && stands_alone(inflate);
    halo_after_isal();
    if (done && MADE_BYTES - inflate->avail_out >= PNG_WINDOW_BYTES)
        chunk->made = MADE_BYTES - inflate->avail_out;
}

void halo_png_ahead_put(PngAhead *ahead, size_t skip, size_t size, bool alone)
{
    Chunk *chunk = at(ahead, ahead->put);
    chunk->skip = skip;
    chunk->size = size;
    chunk->alone = alone;
    ahead->put++;
    halo_pool_put(ahead->pool, inflate_alone, ahead);
}

const uint8_t *halo_png_ahead_next(PngAhead *ahead, size_t *size)
{
    if (ahead->given == ahead->put) return NULL;
    halo_pool_done(ahead->pool, ahead->given + 1);
    const Chunk *chunk = at(ahead, ahead->given);
    if (chunk->made == 0) return NULL;
    ahead->given++;
    *size = chunk->made;
    return chunk->out;
}

uint8_t *halo_png_ahead_window(const PngAhead *ahead, size_t *size)
{
    if (ahead->given == 0) return NULL;
    Chunk *last = at(ahead, ahead->given - 1);
    *size = PNG_WINDOW_BYTES;
    return last->out + last->made - PNG_WINDOW_BYTES;
}

uint8_t *halo_png_ahead_rest(PngAhead *ahead, size_t *size)
{
    if (ahead->given == ahead->put) return NULL;
    halo_pool_done(ahead->pool, ahead->put);
    Chunk *chunk = at(ahead, ahead->given++);
    *size = chunk->size;
    return chunk->in + chunk->skip;
}
#endif
