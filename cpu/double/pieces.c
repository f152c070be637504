/* Pieces of a row of f64, over threads. */
#include "double/double.h"
#include "halo/numerics.h"

#define PIECE 2048 /* elements */

void cpu_double_load(const Doubles *d, const HaloBuf *from, int64_t x, int64_t frames, double *row)
{
    if (frames < 1) return;
    d->device->kernels->doubles->load[from->shape.dtype](halo_at(from, x, from->y0),
                                                         frames * from->shape.channels, row);
}

void cpu_double_line(const Doubles *d, const HaloWindow *window, int64_t x, int64_t frames, double *line)
{
    const HaloBuf *src = d->a;
    const int64_t width = src->shape.width, channels = src->shape.channels;
    const int64_t first = most(x, least(0, x + frames)), end = least(x + frames, most(width, x));
    const int64_t from = most(first, 0), to = most(from, end);
    const double outside = window->border == HALO_BORDER_CONSTANT ? window->value : 0.0;
    cpu_double_load(d, src, from, to - from, line + (from - x) * channels);
    for (int64_t i = x; i < x + frames; i++) {
        if (i == from) i = to;
        if (i >= x + frames) break;
        const int64_t at = halo_border_index(i, width, window->border);
        double *const frame = line + (i - x) * channels;
        if (at >= 0)
            cpu_double_load(d, src, at, 1, frame);
        else
            for (int64_t c = 0; c < channels; c++) frame[c] = outside;
    }
}

bool cpu_double_holds(const HaloBuf *src, int64_t x, int64_t frames)
{
    const int64_t first = most(x, 0), end = least(x + frames, src->shape.width);
    return src->rows == 1 && (first >= end || (first >= src->x0 && end <= src->x0 + src->cols));
}

static void run_task(void *context, int64_t index, int worker)
{
    const Doubles *d = context;
    const HaloBuf *dst = d->dst;
    char *const scratch = d->scratch + worker * d->scratch_bytes;
    const int64_t at = index * d->frames, frames = least(d->frames, dst->cols - at), x = dst->x0 + at;
    const double *made = d->make(d, x, frames, (double *)(void *)(scratch + d->at_row),
                                 (double *)(void *)(scratch + d->at_other));
    d->device->kernels->doubles->store(made, frames * dst->shape.channels, halo_at(dst, x, dst->y0));
}

HaloStatus cpu_double_run(Doubles *d)
{
    HaloStatus status = HALO_OK;
    const HaloBuf *dst = d->dst;
    const int64_t channels = dst->shape.channels;
    int64_t row, other;
    void *scratch;
    if (dst->cols < 1 || dst->rows < 1) goto out;
    if (dst->rows != 1 || dst->shape.dtype != HALO_F64)
        HALO_FAIL(HALO_ERR_BUG, "internal: %s in 64 bits is of sound, into 64 bits", d->name);
    if (d->widest < channels) d->widest = channels;
    if (d->frames == 0) d->frames = most(1, PIECE / d->widest);
    d->frames = least(d->frames, dst->cols);
    if (!halo_mul(d->frames, d->widest, &row) || !halo_mul(d->frames, d->each, &other) ||
        other > INT64_MAX - d->other || !cpu_reserve(&d->scratch_bytes, row, sizeof(double), &d->at_row) ||
        !cpu_reserve(&d->scratch_bytes, other + d->other, sizeof(double), &d->at_other))
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory: %s of %lld frames", d->name, (long long)d->frames);
    HALO_TRY(cpu_scratch_each(d->device, &d->scratch_bytes, &scratch));
    d->scratch = scratch;
    const double work = (double)dst->cols * (double)channels * (4.0 + d->work);
    cpu_run(d->device, cpu_workers(d->device, work), divide_up(dst->cols, d->frames), run_task, d);
out:
    return status;
}
