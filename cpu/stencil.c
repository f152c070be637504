/* Convolution over a rectangle: how it is cut into tasks, and what memory each takes (strip.c runs them). */
#include "stencil.h"

/* A ring should stay in the second-level cache of a core while it is used, */
#define RING_FLOATS (96 * 1024)
/* and, of dense masks, never take more than this, however tall: then the sums rest in memory between bands of
 * the mask. A line of separable ones is kept: each band would compute it again. */
#define RING_MOST_FLOATS (2 * 1024 * 1024)
/* A shorter line spends too much of its time on its two ends. */
#define LEAST_LINE 1024
/* No tile has fewer pixels in a row. */
#define LEAST_TILE 16
/* Floats in a cache line. */
#define CACHE_LINE 16
/* Rows of outputs that share each line of a band, or of a mask at least so tall. */
#define BAND_STRIP 32
#define TALL_MASK 24
#define TASKS_PER_WORKER 4

/* ---- laying out ----------------------------------------------------------------------------------------- */

/* Elements in a row of scratch memory for `pixels`. */
static bool pitch(int64_t pixels, int64_t channels, int64_t *elements)
{
    if (!halo_mul(pixels, channels, elements) || *elements > INT64_MAX / 16) return false;
    *elements = divide_up(*elements + CPU_CONV_SLACK, 16) * 16;
    return true;
}

/* Floats that lie where every tap finds its sample need not be copied: columns at both ends become tiles of
 * their own. Rows of tiles begin at multiples of a cache line, so that streams of results do. */
static void choose_ends(CpuStencil *s)
{
    const HaloBuf *src = s->src, *dst = s->dst;
    const int64_t first = dst->x0 + s->ox, last = first + dst->cols + s->reach + CPU_CONV_SLACK;
    const int64_t left = divide_up(most(src->x0 - first, 0), CACHE_LINE) * CACHE_LINE;
    const int64_t right = most(last - (src->x0 + src->cols), 0);
    const int64_t cols = divide_up(s->tile_cols, CACHE_LINE) * CACHE_LINE;
    const bool aligned = ((uintptr_t)src->data | (uintptr_t)src->stride) % sizeof(float) == 0;
    /* Under a tall mask rows at any distance could fall into the same sets of the cache. */
    if (src->shape.dtype != HALO_F32 || !aligned || most(left, right) > cols || left + right > dst->cols / 4 ||
        (s->row.tap == NULL && s->mask.height >= TALL_MASK))
        return;
    s->in_place = true;
    s->left = left;
    s->right = right;
    s->tile_cols = cols;
    s->middle = divide_up(dst->cols - left - right, cols);
    s->tiles = s->middle + (left > 0) + (right > 0);
}

/* Pixels of a tile whose ring holds all lines under a tall mask: each band of one would make its lines anew for
 * every strip, and a line takes its whole row of taps. */
static int64_t narrowed(int64_t height, int64_t channels)
{
    const int64_t elements = RING_MOST_FLOATS / (height + BAND_STRIP) - CPU_CONV_SLACK - CACHE_LINE;
    return most(elements / channels, LEAST_TILE);
}

/* Chooses tile, strip and band; false where sizes do not fit 63 bits. */
static bool choose_shape(CpuStencil *s)
{
    const int64_t channels = s->src->shape.channels, height = s->mask.height;
    const int64_t line_reach = s->row.tap == NULL ? s->reach : 0; /* of a line in the ring */
    int64_t reach_elements;
    if (!halo_mul(line_reach, channels, &reach_elements)) return false;
    const int64_t workspace = RING_FLOATS / (height + CPU_CONV_ROWS - 1) - reach_elements;
    int64_t cols = most(most(workspace, LEAST_LINE) / channels, most(s->reach, 1));
    if (s->row.tap != NULL) cols = least(cols, narrowed(height, channels));
    s->tiles = s->middle = divide_up(s->dst->cols, least(cols, s->dst->cols));
    s->tile_cols = divide_up(s->dst->cols, s->tiles);
    choose_ends(s);
    if (!pitch(s->tile_cols + s->reach, channels, &s->source_pitch)) return false;
    if (!pitch(s->tile_cols, channels, &s->out_pitch)) return false;
    s->line_pitch = s->row.tap == NULL ? s->source_pitch : s->out_pitch;

    s->strip = height >= TALL_MASK ? BAND_STRIP : CPU_CONV_ROWS;
    s->band = height;
    const int64_t lines = RING_MOST_FLOATS / s->line_pitch;
    if (s->row.tap == NULL && height + s->strip - 1 > lines) {
        s->strip = most(CPU_CONV_ROWS, least(BAND_STRIP, lines / 2 / CPU_CONV_ROWS * CPU_CONV_ROWS));
        s->band = least(height, most(1, lines - s->strip + 1));
    }
    s->lines = s->band + s->strip - 1;
    /* Bands without NaN keep no weights, which a later band with NaN would need. */
    if (s->nan_ignore && s->band < height) s->looks = false;
    return true;
}

/* Are sums results as they are, all of a mask at a time? */
static bool are_results(const CpuStencil *s)
{
    const HaloBuf *dst = s->dst;
    return dst->shape.dtype == HALO_F32 && s->store.num == s->store.den && !s->affine && !s->looks &&
           !s->nan_ignore && s->run == NULL && s->band == s->mask.height &&
           s->mask.height >= CPU_CONV_ROWS - 1 &&
           ((uintptr_t)dst->data | (uintptr_t)dst->stride) % sizeof(float) == 0;
}

static bool choose_scratch(CpuStencil *s)
{
    const int64_t element = sizeof(float), sums = s->nan_ignore ? s->strip : 0;
    const bool apart = s->nan_ignore && s->row.tap != NULL;
    int64_t total = 0, line_bytes, source_bytes, out_bytes;
    s->cells = divide_up(s->source_pitch, CPU_CELL);
    if (!halo_mul(s->line_pitch, element, &line_bytes) || !halo_mul(s->source_pitch, element, &source_bytes) ||
        !halo_mul(s->out_pitch, element, &out_bytes))
        return false;
    if (!cpu_reserve(&total, s->lines, sizeof(float *), &s->at_line) ||
        !cpu_reserve(&total, s->lines, line_bytes, &s->at_ring) ||
        !cpu_reserve(&total, s->row.tap == NULL ? 0 : 1, source_bytes, &s->at_source) ||
        !cpu_reserve(&total, s->strip, out_bytes, &s->at_out) ||
        !cpu_reserve(&total, s->stream ? 1 : 0, out_bytes, &s->at_spare) ||
        !cpu_reserve(&total, sums, out_bytes, &s->at_weight) ||
        !cpu_reserve(&total, apart ? s->lines : 0, line_bytes, &s->at_weight_ring) ||
        !cpu_reserve(&total, apart ? s->lines : 0, sizeof(bool), &s->at_weighed) ||
        !cpu_reserve(&total, apart ? 1 : 0, source_bytes, &s->at_value) ||
        !cpu_reserve(&total, apart ? 1 : 0, source_bytes, &s->at_there) ||
        !cpu_reserve(&total, s->lines, sizeof(float *), &s->at_part) ||
        !cpu_reserve(&total, s->looks ? s->lines : 0, s->cells, &s->at_mark) ||
        !cpu_reserve(&total, s->looks ? 1 : 0, s->cells, &s->at_odd))
        return false;
    s->scratch_bytes = total;
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

HaloStatus cpu_stencil_run(HaloDevice *device, CpuStencil *s)
{
    HaloStatus status = HALO_OK;
    void *scratch;
    s->device = device;
    s->stream = cpu_streams(s->dst);
    if (s->dst->cols < 1 || s->dst->rows < 1) goto out;
    if (s->mask.width < 1 || s->mask.height < 1 || s->reach < 0 || s->src->shape.dtype > HALO_F32 ||
        s->dst->shape.dtype > HALO_F32 || s->src->shape.channels != s->dst->shape.channels ||
        !cpu_holds_needed(s))
        HALO_FAIL(HALO_ERR_BUG, "internal: the source of a convolution does not hold the samples it needs");
    if (!choose_shape(s) || !choose_scratch(s))
        HALO_FAIL(HALO_ERR_LIMIT, "a mask %lld taps wide needs more memory than can be addressed",
                  (long long)(s->reach + 1));
    s->direct = are_results(s) && (!s->stream || cpu_are_aligned(s->dst, s->dst->x0));

    const double taps = (double)s->mask.width * (double)s->mask.height + (double)s->row.width;
    const double outputs = (double)s->dst->cols * (double)s->dst->rows * s->dst->shape.channels;
    const int workers = cpu_workers(device, outputs * taps);
    /* A slice begins with the lines above it: it should be taller than those. */
    const int64_t wanted = divide_up((int64_t)workers * TASKS_PER_WORKER, s->middle);
    const int64_t rows = workers == 1 ? s->dst->rows : divide_up(s->dst->rows, wanted);
    s->slice_rows = divide_up(most(rows, least(s->mask.height, 64)), s->strip) * s->strip;
    s->slices = divide_up(s->dst->rows, s->slice_rows);
    HALO_TRY(cpu_scratch_each(device, &s->scratch_bytes, &scratch));
    s->scratch = scratch;
    cpu_run(device, workers, s->tiles * s->slices, cpu_stencil_task, s);
out:
    return status;
}
