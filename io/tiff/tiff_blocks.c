/* Decodes the blocks of a TIFF, strips or tiles, in threads.
 *
 * Enough rows of blocks are decoded together to give every thread two blocks. Threads take the next block when
 * they are free, each with its own libtiff handle. So memory depends on blocks and threads, never on the image,
 * and errors are the same as when blocks are decoded one after the other. */
#ifdef HALO_HAVE_TIFF
#include <stdlib.h>
#include <string.h>

#include "samples/image.h"
#include "tiffreader.h"

#define WORTH_THREADS ((int64_t)1 << 20) /* bytes of an image: less is decoded before a thread has started */
#define MAX_TOGETHER ((int64_t)8 << 20)  /* bytes decoded together for each thread, unless one row has more */
#define BLOCK_ENTRY 16                   /* bytes that each handle keeps for each block of the image */

/* ---- buffers -------------------------------------------------------------------------------------------- */

/* Of a block, and of what libtiff keeps of it before it is decoded, which is seldom more. */
static int64_t bytes_of_block(const TiffReader *state)
{
    return state->block_bytes <= INT64_MAX / 2 ? 2 * state->block_bytes : INT64_MAX;
}

/* Of a row of blocks when it is decoded. */
static int64_t bytes_of_row(const TiffReader *state)
{
    const HaloShape *shape = &state->reader->info.shape;
    const int64_t rows = state->block_rows < shape->height ? state->block_rows : shape->height;
    return rows * shape->width * shape->channels * (int64_t)halo_dtype_size(shape->dtype);
}

/* As many threads as there are blocks for, and as have all that they need in a quarter of the memory left. */
static int jobs_for(const TiffReader *state)
{
    const int64_t height = state->reader->info.shape.height;
    const int64_t down = (height + state->block_rows - 1) / state->block_rows, blocks = state->across * down;
    const int64_t left = halo_memory_left(state->reader->memory) / 4;
    int64_t jobs = state->reader->jobs, each;
    if (!state->pixels.packed || bytes_of_row(state) < WORTH_THREADS / down) return 1;
    if (bytes_of_block(state) > left || bytes_of_row(state) > left || blocks > left / BLOCK_ENTRY) return 1;
    each = bytes_of_block(state) + 2 * bytes_of_row(state) / state->across + BLOCK_ENTRY * blocks;
    if (jobs > blocks) jobs = blocks;
    return (int)(jobs < left / each ? jobs : left / each);
}

/* Rows of blocks that give each thread two blocks. */
static int64_t together_for(const TiffReader *state)
{
    const int64_t wish = (2 * state->jobs + state->across - 1) / state->across;
    const int64_t most = MAX_TOGETHER * state->jobs / bytes_of_row(state);
    return state->jobs == 1 || most <= 1 ? 1 : wish < most ? wish : most;
}

/* The pool, and a handle and a block for each of its threads; pages that follow use the same threads. False
 * where that cannot be had: one thread does, too. */
static bool take_helpers(TiffReader *state)
{
    const int wish = state->jobs - 1;
    if (state->helper == NULL) {
        state->helper = calloc((size_t)wish, sizeof *state->helper);
        if (state->helper == NULL) return false;
        state->helpers = wish;
    }
    if (state->helpers > wish) return false;
    state->jobs = state->helpers + 1;
    if (state->pool == NULL && halo_pool_new(state->jobs, &state->pool) != HALO_OK) return false;
    const int64_t bytes = bytes_of_block(state) * state->helpers;
    if (halo_memory_hold(state->reader->memory, bytes) != HALO_OK) return false;
    state->held += bytes;
    for (int i = 0; i < state->helpers; i++) {
        TiffDecoder *helper = &state->helper[i];
        if (!tiff_open_helper(state, helper)) return false;
        helper->block = malloc((size_t)state->block_bytes);
        if (helper->block == NULL) return false;
    }
    return true;
}

static void drop_helpers(TiffReader *state)
{
    for (int i = 0; i < state->helpers; i++) {
        free(state->helper[i].block);
        state->helper[i].block = NULL;
    }
}

HaloStatus tiff_take_blocks(TiffReader *state)
{
    HaloStatus status = HALO_OK;
    HaloMemory *memory = state->reader->memory;
    const int64_t bytes = bytes_of_block(state);
    if (state->own.block != NULL) return HALO_OK;
    if (state->held == 0) HALO_TRY(halo_memory_hold(memory, bytes));
    state->held = bytes;
    state->own.block = malloc((size_t)state->block_bytes);
    if (state->own.block == NULL)
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for %lld bytes of TIFF", (long long)state->block_bytes);
    state->jobs = jobs_for(state);
    if (state->jobs > 1 && !take_helpers(state)) {
        drop_helpers(state);
        state->jobs = 1;
    }
    state->together = together_for(state);
out:
    return status;
}

void tiff_drop_blocks(TiffReader *state)
{
    halo_memory_free(state->reader->memory, &state->band);
    state->band_at = -1;
    drop_helpers(state);
    free(state->own.block);
    state->own.block = NULL;
    halo_memory_release(state->reader->memory, state->held);
    state->held = 0;
}

/* ---- decoding ------------------------------------------------------------------------------------------- */

/* Rows of blocks; task k is their k-th block, from left to right, those of all planes at a place one after the
 * other. */
typedef struct Work {
    TiffReader *state;
    const HaloBuf *rows;
    int64_t y;
    int64_t first, across; /* the first block of a row of them, and how many are wanted */
    int64_t failed;        /* the first block that could not be decoded, or INT64_MAX */
    HaloFailure failure;
} Work;

/* Decodes the block with pixel (x, y) of one plane. What a damaged one does not give is 0. */
static HaloStatus decode(TiffDecoder *decoder, int64_t x, int64_t y, int plane)
{
    TiffReader *state = decoder->reader;
    TIFF *tiff = decoder->tiff;
    const uint32_t column = (uint32_t)x, row = (uint32_t)y;
    tmsize_t got;
    memset(decoder->block, 0, (size_t)state->block_bytes);
    halo_tiff_clear(&decoder->guard);
    if (state->tiled) {
        const uint32_t tile = TIFFComputeTile(tiff, column, row, 0, (uint16_t)plane);
        got = TIFFReadEncodedTile(tiff, tile, decoder->block, (tmsize_t)state->block_bytes);
    } else {
        const uint32_t strip = TIFFComputeStrip(tiff, row, (uint16_t)plane);
        got = TIFFReadEncodedStrip(tiff, strip, decoder->block, (tmsize_t)state->block_bytes);
    }
    const HaloStatus status = halo_tiff_outcome(&decoder->guard, got >= 0);
    const bool damage = decoder->guard.status == HALO_OK && status == HALO_ERR_INPUT;
    if (!damage || !state->reader->options.tolerate) return status;
    pthread_mutex_lock(&state->lock);
    halo_image_damaged(state->reader, y);
    pthread_mutex_unlock(&state->lock);
    return HALO_OK;
}

static HaloStatus decode_block(const Work *work, int64_t task, TiffDecoder *decoder, HaloLost *lost)
{
    HaloStatus status = HALO_OK;
    const TiffReader *state = work->state;
    const HaloBuf *rows = work->rows;
    const int planes = state->planar ? state->pixels.samples : 1, plane = (int)(task % planes);
    const int64_t x = (work->first + task % work->across / planes) * state->block_cols;
    const int64_t top = task / work->across * state->block_rows;
    const int64_t end = top + state->block_rows < rows->rows ? top + state->block_rows : rows->rows;
    const int64_t left = state->reader->info.shape.width - x;
    const int64_t cols = left < state->block_cols ? left : state->block_cols;
    const size_t pixel_bytes = halo_dtype_size(state->pixels.dtype) * (size_t)state->pixels.channels;
    HALO_TRY(decode(decoder, x, work->y + top, plane));
    for (int64_t r = top; r < end; r++) {
        const uint8_t *from = decoder->block + (r - top) * state->row_bytes;
        char *to = (char *)halo_row(rows, r) + (size_t)(x - rows->x0) * pixel_bytes;
        halo_tiff_unpack(&state->pixels, from, to, cols, state->planar ? plane : -1, lost);
    }
out:
    return status;
}

static void decode_task(void *context, int64_t task, int worker)
{
    Work *work = context;
    TiffReader *state = work->state;
    pthread_mutex_lock(&state->lock);
    const bool in_vain = work->failed < task;
    pthread_mutex_unlock(&state->lock);
    if (in_vain) return;
    HaloLost lost = {0};
    const HaloStatus status =
        decode_block(work, task, worker == 0 ? &state->own : &state->helper[worker - 1], &lost);
    if (status == HALO_OK && lost.rounded + lost.vanished == 0) return;
    pthread_mutex_lock(&state->lock);
    halo_note_lost(&state->reader->info.notes, &lost, false);
    if (status != HALO_OK && task < work->failed) {
        work->failed = task;
        halo_failure_keep(&work->failure, status);
    }
    pthread_mutex_unlock(&state->lock);
}

HaloStatus tiff_decode(TiffReader *state, const HaloBuf *rows, int64_t y, int64_t *good)
{
    const int64_t blocks = (rows->cols + state->block_cols - 1) / state->block_cols;
    Work work = {.state = state,
                 .rows = rows,
                 .y = y,
                 .first = rows->x0 / state->block_cols,
                 .across = blocks * (state->planar ? state->pixels.samples : 1),
                 .failed = INT64_MAX};
    const int64_t tasks = (rows->rows + state->block_rows - 1) / state->block_rows * work.across;
    if (state->jobs > 1)
        halo_pool_run(state->pool, tasks, decode_task, &work);
    else
        for (int64_t task = 0; task < tasks && work.failure.status == HALO_OK; task++)
            decode_task(&work, task, 0);
    *good = work.failed < tasks ? work.failed / work.across * state->block_rows : rows->rows;
    for (int64_t r = 0; r < *good && state->pixels.premultiplied; r++)
        halo_tiff_divide(&state->pixels, halo_row(rows, r), rows->cols);
    return work.failure.status == HALO_OK ? HALO_OK : halo_failure_again(&work.failure);
}
#endif
