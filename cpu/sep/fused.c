/* Separable convolution by few taps, of integers to the same and of anything to floats: each line is passed
 * along and at once met by the column, two rows at a time, and the outputs stay in registers until they are
 * samples. */
#include "fused.h"

#include <math.h>
#include <string.h>

/* Floats of a task's lines: they should stay in the second-level cache with what is read and made. Lines that
 * stay in the first-level one are so short that large pictures take up to half as long again. And elements of a
 * line, which should not spend its time on its ends. */
#define RING_FLOATS 40960
#define LEAST_LINE 512
#define LEAST_ROWS 64
#define TASKS_PER_WORKER 4

typedef struct Fused {
    CpuStencil source; /* for its lines: what of it reads samples is set */
    CpuMask row, column;
    bool stream, past; /* results go past the caches: by way of a row, or from the kernel */
    int64_t tile_cols, tiles, slice_rows, pitch; /* of a task; elements from line to line, */
    int64_t source_pitch;                        /* of the source's, */
    int64_t spare_pitch, sample;                 /* and bytes, of rows of results and of one */
    int64_t at_line, at_source, at_spare, scratch_bytes;
    char *scratch;
} Fused;

/* ---- a task --------------------------------------------------------------------------------------------- */

typedef struct Task {
    const Fused *f;
    int64_t x, cols, n; /* n elements of output a row */
    float *ring, *source;
    char *spare;
} Task;

/* What of the source will be read after row `at` and the one that may be passed along with it, where that is
 * waited for; else what is near. */
static const float *prefetch(const Task *t, int64_t at, const float *near)
{
    const HaloBuf *src = t->f->source.src;
    const int64_t row = at + 2;
    const bool waits = t->f->past && src->shape.dtype == HALO_F32;
    return waits && row >= src->y0 && row < src->y0 + src->rows ? halo_at(src, t->x, row) : near;
}

/* Of source row `at` and row y of the result, where it is one (`down`): what the kernel needs. The row pass of
 * the former becomes the last of the lines. Beyond a border that has a value of its own the column sees that.
 */
static CpuFused row_of(const Task *t, float *const *line, int64_t at, bool down, int64_t y, int which)
{
    const Fused *f = t->f;
    const CpuStencil *s = &f->source;
    CpuFused both = {.row = &f->row, .column = &f->column, .line = line, .n = t->n};
    if (halo_border_index(at, s->src->shape.height, s->border) < 0) {
        for (int64_t i = 0; i < t->n; i++) line[f->column.height - 1][i] = s->value;
    } else {
        float *const source = t->source + which * f->source_pitch;
        cpu_source_line(s, t->x, at, t->cols, source);
        both.source = source;
    }
    both.prefetch = prefetch(t, at, line[0]);
    both.past = f->past;
    if (down) both.out = f->stream ? t->spare + which * f->spare_pitch : halo_at(s->dst, t->x, y);
    return both;
}

static void stream_row(const Task *t, int64_t y, int which)
{
    const Fused *f = t->f;
    const CpuStencil *s = &f->source;
    if (f->stream)
        s->device->kernels->rows->stream(t->spare + which * f->spare_pitch, t->n * f->sample,
                                         halo_at(s->dst, t->x, y));
}

static void run_task(void *context, int64_t index, int worker)
{
    const Fused *f = context;
    const HaloBuf *dst = f->source.dst;
    const HaloDtype dtype = dst->shape.dtype;
    const CpuFusedKernels *kernels = f->source.device->kernels->fused;
    char *const scratch = f->scratch + worker * f->scratch_bytes;
    const int64_t x = index % f->tiles * f->tile_cols, y = index / f->tiles * f->slice_rows;
    const int64_t rows = least(f->slice_rows, dst->rows - y), height = f->column.height;
    Task t = {.f = f, .x = dst->x0 + x, .cols = least(f->tile_cols, dst->cols - x)};
    float *line[CPU_FUSED_ROWS + 1];
    t.n = t.cols * dst->shape.channels;
    t.ring = (float *)(void *)(scratch + f->at_line);
    t.source = (float *)(void *)(scratch + f->at_source);
    t.spare = scratch + f->at_spare;
    for (int64_t at = 0, count; at < rows + height - 1; at += count) {
        const int64_t top = dst->y0 + y + f->source.oy + at, row = dst->y0 + y + at - (height - 1);
        const bool down = at >= height - 1;
        CpuFused both[2];
        count = down && at + 1 < rows + height - 1 ? 2 : 1;
        for (int64_t j = 0; j <= height; j++) line[j] = t.ring + (at + 1 + j) % (height + 1) * f->pitch;
        for (int k = 0; k < count; k++) both[k] = row_of(&t, line + k, top + k, down, row + k, k);
        if (count == 2 && both[0].source != NULL && both[1].source != NULL) {
            kernels->pair[dtype](both);
        } else {
            for (int k = 0; k < count; k++) kernels->row[dtype](&both[k]);
        }
        for (int k = 0; k < count && down; k++) stream_row(&t, row + k, k);
    }
    if (f->stream || f->past) f->source.device->kernels->rows->fence();
}

/* ---- laying out ----------------------------------------------------------------------------------------- */

/* The sum of the positive taps of a mask, and of the others. */
static void sums_of(const CpuMask *mask, double *positive, double *negative)
{
    *positive = *negative = 0.0;
    for (int64_t i = 0; i < mask->width * mask->height; i++)
        *(mask->tap[i] > 0.0f ? positive : negative) += (double)mask->tap[i];
}

/* Are all results samples of the type, whatever the samples are? Rounding adds less than a tenth. */
static bool never_clips(const CpuStencil *s)
{
    const double white = s->dst->shape.dtype == HALO_U8 ? 255.0 : 65535.0;
    double px, nx, py, ny;
    sums_of(&s->row, &px, &nx);
    sums_of(&s->mask, &py, &ny);
    px = fmax(px, 1.0); /* only the column pass is applied to lines of the border's value */
    return white * (px * py + nx * ny) < white + 0.4 && white * (px * ny + nx * py) > -0.4;
}

bool cpu_sep_is_fused(const CpuStencil *s)
{
    const HaloDtype from = s->src->shape.dtype, to = s->dst->shape.dtype;
    if (s->store.num != 1.0f || s->store.den != 1.0f || s->affine || s->nan_ignore ||
        s->mask.height > CPU_FUSED_ROWS || s->row.width > CPU_FUSED_COLS)
        return false;
    if (to == HALO_F32) return true;
    return from == to && s->value >= 0.0f && s->value <= (to == HALO_U8 ? 255.0f : 65535.0f) && never_clips(s);
}

/* False where sizes do not fit 63 bits. */
static bool choose_shape(Fused *f, int workers)
{
    const HaloBuf *dst = f->source.dst;
    const int64_t channels = dst->shape.channels, height = f->column.height;
    const int64_t elements = most(RING_FLOATS / (height + 1), LEAST_LINE);
    int64_t wide, total = 0;
    const int64_t most_cols = most(divide_up(elements, channels), 4 * f->source.reach);
    f->tile_cols = divide_up(divide_up(dst->cols, divide_up(dst->cols, most_cols)), 16) * 16;
    f->tiles = divide_up(dst->cols, f->tile_cols);
    const int64_t slices = divide_up((int64_t)workers * TASKS_PER_WORKER, f->tiles);
    f->slice_rows = workers == 1 ? dst->rows : most(divide_up(dst->rows, slices), most(LEAST_ROWS, 8 * height));
    if (!halo_mul(f->tile_cols + f->source.reach, channels, &wide) || wide > INT64_MAX / 64) return false;
    f->pitch = divide_up(f->tile_cols * channels + CPU_CONV_SLACK, 16) * 16;
    f->spare_pitch = f->pitch * f->sample;
    f->source_pitch = divide_up(wide + CPU_CONV_SLACK, 16) * 16;
    if (!cpu_reserve(&total, (height + 1) * f->pitch, sizeof(float), &f->at_line) ||
        !cpu_reserve(&total, 2 * f->source_pitch, sizeof(float), &f->at_source) ||
        !cpu_reserve(&total, f->stream ? 2 : 0, f->spare_pitch, &f->at_spare))
        return false;
    f->scratch_bytes = total;
    return true;
}

HaloStatus cpu_sep_fused(HaloDevice *device, const CpuStencil *stencil)
{
    HaloStatus status = HALO_OK;
    const HaloBuf *dst = stencil->dst;
    void *scratch;
    Fused f = {.source = *stencil,
               .row = stencil->row,
               .column = stencil->mask,
               .sample = (int64_t)halo_dtype_size(dst->shape.dtype)};
    f.past = dst->shape.dtype == HALO_F32 && cpu_streams(dst) && cpu_are_aligned(dst, dst->x0);
    f.stream = cpu_streams(dst) && !f.past;
    if (dst->cols < 1 || dst->rows < 1) goto out;
    if (stencil->src->shape.dtype > HALO_F32 || stencil->src->shape.channels != dst->shape.channels ||
        !cpu_holds_needed(stencil))
        HALO_FAIL(HALO_ERR_BUG, "internal: the source of a convolution does not hold the samples it needs");
    const double outputs = (double)dst->cols * (double)dst->rows * dst->shape.channels;
    const int workers = cpu_workers(device, outputs * (double)(f.row.width + f.column.height));
    if (!choose_shape(&f, workers))
        HALO_FAIL(HALO_ERR_LIMIT, "a mask %lld taps wide needs more memory than can be addressed",
                  (long long)(stencil->reach + 1));
    HALO_TRY(cpu_scratch_each(device, &f.scratch_bytes, &scratch));
    f.scratch = scratch;
    cpu_run(device, workers, f.tiles * divide_up(dst->rows, f.slice_rows), run_task, &f);
out:
    return status;
}
