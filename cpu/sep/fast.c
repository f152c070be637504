/* Separable convolution by coarse taps: how it is cut into tasks, and what memory they take. */
#include "fast.h"

/* Outputs of a task in a row, at least: its rings should stay in the second-level cache. Beside them it reads
 * what the mask does, which should not be much more. */
#define LEAST_ELEMENTS 1024
#define MOST_READ 2
/* Source rows that are added to nodes at a time. */
#define BATCH 16

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* ---- memory --------------------------------------------------------------------------------------------- */

static bool reserve(CpuFast *f, FastRows *to, int64_t rows, int64_t pixels)
{
    int64_t elements, bytes;
    if (!halo_mul(pixels, f->channels, &elements) || elements > INT64_MAX / 16) return false;
    *to = (FastRows){.rows = rows, .pitch = divide_up(elements + CPU_CONV_SLACK, 16) * 16};
    return halo_mul(to->pitch, sizeof(float), &bytes) && cpu_reserve(&f->scratch_bytes, rows, bytes, &to->at);
}

/* What the rest takes: sums of blocks, of all rows from the first that an output needs to the last that nodes
 * do. */
static bool reserve_rest(CpuFast *f)
{
    const HaloSepFast *how = f->how;
    const int64_t rows = (how->coarse.first + how->coarse.count + FAST_CELLS + HALO_SEP_NODES) * how->step;
    if (!f->rests) return true;
    const int64_t blocks = f->tile_cols / how->block + 3;
    return reserve(f, &f->half, 3, (blocks + how->cross.count) * (how->block / 2)) &&
           reserve(f, &f->cross, rows - how->rest[0].first, blocks + 1) &&
           reserve(f, &f->rest, FAST_CELLS * how->step, blocks + 1) &&
           cpu_reserve(&f->scratch_bytes, how->block, sizeof(float), &f->at_way);
}

static bool choose_scratch(CpuFast *f)
{
    const HaloSepFast *how = f->how;
    const int64_t cols = f->tile_cols, batch = least(how->step, BATCH);
    const int64_t pointers = most(FAST_CELLS * how->step + how->rest[0].count,
                                  most(how->coarse.count + FAST_SMOOTH, most(batch, HALO_SEP_NODES)));
    f->lead = f->rests ? divide_up(how->block * f->channels, 16) * 16 : 0;
    return reserve(f, &f->line, batch, cols + how->width) &&
           reserve(f, &f->node, HALO_SEP_NODES, cols + f->sep->window.width) &&
           reserve(f, &f->passed, how->coarse.count + FAST_SMOOTH, cols) &&
           reserve(f, &f->smooth, FAST_SMOOTH, cols) &&
           reserve(f, &f->out, FAST_ROWS + 1, cols + 2 * f->lead) && reserve_rest(f) &&
           cpu_reserve(&f->scratch_bytes, pointers, sizeof(float *), &f->at_pointer);
}

/* ---- tasks ---------------------------------------------------------------------------------------------- */

/* A slice begins with all that lies above it under the mask, so tasks lie side by side where they can. */
static void choose_tiles(CpuFast *f, int workers)
{
    const HaloBuf *dst = f->dst;
    const int64_t cols = most(LEAST_ELEMENTS / f->channels + 1, f->how->width / MOST_READ);
    int64_t slices;
    f->tiles = divide_up(dst->cols, cols);
    if (f->tiles > 1) f->tiles = divide_up(f->tiles, workers) * workers;
    f->tile_cols = divide_up(dst->cols, least(f->tiles, dst->cols));
    f->tiles = divide_up(dst->cols, f->tile_cols);
    slices = f->tiles % workers == 0 ? 1 : divide_up(2 * (int64_t)workers, f->tiles);
    f->slice_rows = most(divide_up(dst->rows, slices), least(f->how->height, dst->rows));
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
    f.rests = how->rest[0].count > 0;
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
        HALO_FAIL(HALO_ERR_BUG, "convolution was asked for samples that its source does not hold");
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
