/* Separable convolution by decimated filters: how it is cut into tasks, and what memory they take. */
#include <math.h>

#include "fast.h"
#include "primitives.h"

/* Outputs of a task in a row, at most, but for masks that reach further: its rings should stay in the caches.
 */
#define MOST_ELEMENTS 6144
/* Source rows that are added to nodes at a time. */
#define BATCH 16

/* ---- memory --------------------------------------------------------------------------------------------- */

/* Rows of so many elements of each channel; `slack` more may be touched behind the last. */
static bool reserve(CpuFast *f, FastRows *to, int64_t rows, int64_t pixels, int64_t slack)
{
    int64_t bytes;
    *to = (FastRows){.rows = rows, .plane = divide_up(pixels + slack, 16) * 16};
    return halo_mul(to->plane, f->channels, &to->pitch) && to->pitch < INT64_MAX / 16 &&
           halo_mul(to->pitch, sizeof(float), &bytes) && cpu_reserve(&f->scratch_bytes, rows, bytes, &to->at);
}

/* What the rest takes: sums of blocks, of all rows from the first that an output needs to the last that nodes
 * do. */
static bool reserve_rest(CpuFast *f, int64_t cols)
{
    const HaloSepFast *how = f->how;
    const HaloSepTaps *coarse = &how->vertical.decimated;
    const int64_t rows = (coarse->first + coarse->count + FAST_CELLS + HALO_SEP_SUPPORT) * how->vertical.step,
                  spans = cols / f->span + 1, slack = HALO_SEP_EVERY * CPU_UNDER_SLACK;
    if (!f->rests) return true;
    return reserve(f, &f->sums, 3, (HALO_SEP_EVERY * spans + how->cross.count) * fast_most(how->block / 8, 1),
                   slack) &&
           reserve(f, &f->cross, rows - how->vertical.rest[0].first, spans, CPU_CONV_SLACK) &&
           reserve(f, &f->rest, FAST_CELLS * how->vertical.step, spans, CPU_CONV_SLACK) &&
           cpu_reserve(&f->scratch_bytes, f->span, sizeof(float), &f->at_way);
}

static bool choose_scratch(CpuFast *f)
{
    const HaloSepFast *how = f->how;
    const HaloSepSpline *down = &how->vertical, *along = &how->horizontal;
    const int64_t cols = f->tile_cols + 2 * f->span, line = cols + how->width,
                  batch = fast_least(down->step, BATCH), rings = down->decimated.count + FAST_SMOOTH;
    const int64_t pointers = fast_most(FAST_CELLS * down->step + down->rest[0].count,
                                       fast_most(rings, fast_most(batch, HALO_SEP_SUPPORT)));
    const int64_t under = fast_most(along->step, 1) * CPU_UNDER_SLACK + CPU_CONV_SLACK;
    const int64_t nodes = along->step > 0 ? cols / along->step + HALO_SEP_SUPPORT + along->decimated.count : 0;
    return reserve(f, &f->raw, f->channels > 1, line, CPU_CONV_SLACK) &&
           reserve(f, &f->line, batch, line, CPU_CONV_SLACK) &&
           reserve(f, &f->node, HALO_SEP_SUPPORT, line, under) &&
           reserve(f, &f->along, 2, nodes, CPU_CONV_SLACK) &&
           reserve(f, &f->passed, rings, cols, CPU_CONV_SLACK) &&
           reserve(f, &f->smooth, FAST_SMOOTH, cols, CPU_CONV_SLACK) &&
           reserve(f, &f->out, FAST_ROWS + 1, cols, CPU_CONV_SLACK) && reserve_rest(f, cols) &&
           cpu_reserve(&f->scratch_bytes, pointers, sizeof(float *), &f->at_pointer);
}

/* ---- tasks ---------------------------------------------------------------------------------------------- */

/* A task also reads what the mask does to all sides, which is about half the work of making outputs there: so
 * many tiles and slices as take least time. */
static void choose_tiles(CpuFast *f, int workers)
{
    const HaloBuf *dst = f->dst;
    const int64_t widest = fast_most(MOST_ELEMENTS / f->channels, f->how->width / 2),
                  fewest = divide_up(dst->cols, widest);
    double best = INFINITY;
    for (int64_t tiles = fewest; tiles < fewest + workers; tiles++)
        for (int64_t slices = 1; slices <= workers; slices++) {
            const int64_t cols = divide_up(dst->cols, tiles), rows = divide_up(dst->rows, slices),
                          rounds = divide_up(divide_up(dst->cols, cols) * divide_up(dst->rows, rows), workers);
            const double time = (double)rounds * ((double)cols + 0.5 * (double)f->how->width) *
                                ((double)rows + 0.5 * (double)f->how->height);
            if (time >= best) continue;
            best = time;
            f->tile_cols = cols;
            f->slice_rows = rows;
        }
    f->tiles = divide_up(dst->cols, f->tile_cols);
}

/* Splines reach beyond the mask, where an image may end that the mask does not reach beyond: any samples will
 * do. */
static HaloBorder border_of(const HaloWindow *window)
{
    return window->border == HALO_BORDER_VALID ? HALO_BORDER_REPLICATE : window->border;
}

HaloStatus cpu_sep_fast(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSep *sep,
                        HaloStore store)
{
    HaloStatus status = HALO_OK;
    const HaloSepFast *how = sep->fast;
    void *scratch;
    CpuFast f = {.sep = sep, .how = how, .store = store, .dst = dst, .device = device};
    f.channels = dst->shape.channels;
    f.rests = how->vertical.rest[0].count > 0;
    f.span = f.rests ? HALO_SEP_EVERY * how->block : fast_most(how->horizontal.step, 1);
    f.stream = cpu_streams(dst);
    f.source = (CpuStencil){.src = src,
                            .dst = dst,
                            .ox = how->ox,
                            .oy = how->oy,
                            .reach = how->width - 1,
                            .mask = {.height = how->height},
                            .border = border_of(&sep->window),
                            .value = halo_border_value(sep->window.border, sep->window.value),
                            .device = device};
    if (dst->cols < 1 || dst->rows < 1) goto out;
    if (src->shape.dtype > HALO_F32 || dst->shape.dtype > HALO_F32 ||
        src->shape.channels != dst->shape.channels || !cpu_holds_needed(&f.source))
        HALO_FAIL(HALO_ERR_BUG, "internal: the source of a convolution does not hold the samples it needs");
    f.source.ox = f.source.reach = 0; /* tasks say themselves what they read */
    const int workers = cpu_workers(device, 64.0 * (double)dst->cols * (double)dst->rows * dst->shape.channels);
    choose_tiles(&f, workers);
    if (!choose_scratch(&f))
        HALO_FAIL(HALO_ERR_LIMIT, "a mask of %lld x %lld taps needs more memory than can be addressed",
                  (long long)sep->window.width, (long long)sep->window.height);
    HALO_TRY(cpu_scratch_each(device, &f.scratch_bytes, &scratch));
    f.scratch = scratch;
    cpu_run(device, workers, f.tiles * divide_up(dst->rows, f.slice_rows), cpu_fast_task, &f);
out:
    return status;
}
