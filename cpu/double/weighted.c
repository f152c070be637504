/* Weighted sums at other distances, and weights that depend on samples, in f64. */
#include "double/double.h"
#include "halo/bilateral.h"
#include "halo/numerics.h"
#include "halo/resample.h"

static HaloStatus not_held(const char *name)
{
    return halo_fail(HALO_ERR_BUG, "internal: the source of %s does not hold the samples it needs", name);
}

/* ---- resampling ----------------------------------------------------------------------------------------- */

#define TOGETHER 32 /* outputs that have the same taps, `down` frames apart */

typedef struct Piece {
    const HaloResampleAxis *axis;
    const double *line; /* frames from `from` on */
    int64_t from, channels;
} Piece;

static const double *wide_of(const HaloResampleAxis *axis, const HaloResampleTaps *taps)
{
    return axis->wide + (taps->tap - axis->tap);
}

/* Output i of every channel. */
static void one_output(const Piece *p, const CpuDoubleKernels *kernels, int64_t i, double *out)
{
    const HaloResampleTaps taps = halo_resample_at(p->axis, i);
    kernels->conv(p->line + (taps.first - p->from) * p->channels, wide_of(p->axis, &taps), taps.count,
                  p->channels, p->channels, out);
}

/* Frame f of a channel is element f / down of row f % down: so outputs of the same phase, `down` frames apart,
 * have what they read side by side. */
static int64_t apart(const HaloResampleAxis *axis, int64_t frames) { return frames / axis->down + 1; }

static void lay_out(const Piece *p, int64_t channel, int64_t frames, double *rows)
{
    const int64_t down = p->axis->down, length = apart(p->axis, frames);
    for (int64_t q = 0; q < length; q++)
        for (int64_t m = 0; m < down && q * down + m < frames; m++)
            rows[m * length + q] = p->line[(q * down + m) * p->channels + channel];
}

static bool is_cut(const HaloResampleAxis *axis, int64_t i)
{
    return halo_resample_at(axis, i).count < axis->count[i % axis->up];
}

/* Can output i and TOGETHER - 1 of its phase be made at once? */
static bool all_whole(const HaloResampleAxis *axis, int64_t i)
{
    return !is_cut(axis, i) && !is_cut(axis, i + (TOGETHER - 1) * axis->up);
}

static double *resample_piece(const Doubles *d, int64_t x, int64_t frames, double *row, double *other)
{
    const HaloResampleAxis *axis = d->how;
    const CpuDoubleKernels *kernels = d->device->kernels->doubles;
    const HaloResampleTaps first = halo_resample_at(axis, x), last = halo_resample_at(axis, x + frames - 1);
    const int64_t channels = d->dst->shape.channels, read = last.first + last.count - first.first,
                  up = axis->up;
    double *const line = other, *const rows = line + read * channels;
    const Piece p = {axis, line, first.first, channels};
    cpu_double_load(d, d->a, first.first, read, line);
    for (int64_t c = 0; c < channels; c++) {
        lay_out(&p, c, read, rows);
        for (int64_t r = 0; r < up; r++)
            for (int64_t i = r; i + (TOGETHER - 1) * up < frames; i += TOGETHER * up) {
                const HaloResampleTaps taps = halo_resample_at(axis, x + i);
                double sum[TOGETHER];
                if (!all_whole(axis, x + i)) continue;
                kernels->conv_every(rows, apart(axis, read), axis->down, taps.first - p.from,
                                    wide_of(axis, &taps), taps.count, TOGETHER, sum);
                for (int64_t j = 0; j < TOGETHER; j++) row[(i + j * up) * channels + c] = sum[j];
            }
    }
    for (int64_t r = 0; r < up; r++)
        for (int64_t i = r; i < frames; i += TOGETHER * up) {
            if (i + (TOGETHER - 1) * up < frames && all_whole(axis, x + i)) continue;
            for (int64_t k = i; k < i + TOGETHER * up && k < frames; k += up)
                one_output(&p, kernels, x + k, row + k * channels);
        }
    return row;
}

/* The frames that so many outputs read. */
static int64_t reach(const HaloResampleAxis *axis, int64_t outputs)
{
    const double over = (double)axis->length / (double)axis->size;
    return (int64_t)((double)outputs * over) + 2 + axis->taps;
}

HaloStatus cpu_double_resample(HaloDevice *device, const HaloBuf *src, HaloBuf *dst,
                               const HaloResample *resample)
{
    const HaloResampleAxis *axis = &resample->x;
    const int64_t channels = dst->shape.channels, end = dst->x0 + dst->cols;
    Doubles d = {.make = resample_piece,
                 .a = src,
                 .dst = dst,
                 .how = axis,
                 .frames = least(dst->cols, most(1024, 2 * TOGETHER * axis->up)),
                 .work = 2.0 * (double)axis->taps,
                 .name = "a resampling",
                 .device = device};
    if (dst->cols < 1) return HALO_OK;
    if (axis->wide == NULL || axis->left + axis->right > 0 || axis->up < 1 || src->rows != 1 ||
        src->shape.channels != channels || dst->x0 < 0 || end > axis->size)
        return not_held(d.name);
    const HaloResampleTaps first = halo_resample_at(axis, dst->x0), last = halo_resample_at(axis, end - 1);
    if (first.first < src->x0 || last.first + last.count > src->x0 + src->cols) return not_held(d.name);
    const int64_t read = least(reach(axis, d.frames), src->cols);
    d.other = read * channels + axis->down * apart(axis, read);
    return cpu_double_run(&d);
}

/* ---- bilateral ------------------------------------------------------------------------------------------ */

static double weight_of(double y, double bend)
{
    const double t = y > 0.0 ? y : 0.0, s = t * t, u = s * halo_fma_f64(s, s, bend);
    return u * u;
}

/* Frame p of the window with this start, seen from the one in the middle. */
static void add_frame(const HaloBilateral *how, int64_t channels, const double *p, const double *middle,
                      double start, double *sum, double *weight)
{
    double y = start;
    for (int64_t c = 0; c < channels; c++) {
        const double distance = p[c] - middle[c];
        y = halo_fma_f64(-distance, distance, y);
    }
    if (y != y && how->window.nan_ignore) return;
    const double w = weight_of(y, how->wide_bend);
    for (int64_t c = 0; c < channels; c++) sum[c] = halo_fma_f64(w, p[c] - middle[c], sum[c]);
    *weight = *weight + w;
}

static double *bilateral_piece(const Doubles *d, int64_t x, int64_t frames, double *row, double *other)
{
    const HaloBilateral *how = d->how;
    const HaloWindow *window = &how->window;
    const int64_t channels = d->dst->shape.channels, values = frames + window->width - 1;
    double *const line = other, *const sum = line + values * channels;
    const double scale = (double)how->scale, unscale = (double)how->unscale;
    cpu_double_line(d, window, x + window->ox, values, line);
    for (int64_t i = 0; i < values * channels; i++) line[i] = line[i] * scale;
    for (int64_t i = 0; i < frames; i++) {
        const double *const first = line + i * channels, *const middle = first + window->width / 2 * channels;
        double weight = 0.0;
        for (int64_t c = 0; c < channels; c++) sum[c] = 0.0;
        for (int64_t k = how->span->from; k < how->span->to; k++)
            add_frame(how, channels, first + k * channels, middle, how->wide[k], sum, &weight);
        for (int64_t c = 0; c < channels; c++) row[i * channels + c] = (middle[c] + sum[c] / weight) * unscale;
    }
    return row;
}

HaloStatus cpu_double_bilateral(HaloDevice *device, const HaloBuf *src, HaloBuf *dst,
                                const HaloBilateral *bilateral)
{
    const HaloWindow *window = &bilateral->window;
    const int64_t channels = dst->shape.channels;
    Doubles d = {.make = bilateral_piece,
                 .a = src,
                 .dst = dst,
                 .how = bilateral,
                 .other = (window->width + 1) * channels,
                 .each = channels,
                 .work = 12.0 * (double)window->width,
                 .name = "a bilateral filter",
                 .device = device};
    if (window->height != 1 || bilateral->wide == NULL || src->shape.channels != channels ||
        !cpu_double_holds(src, dst->x0 + window->ox, dst->cols + window->width - 1))
        return not_held(d.name);
    return cpu_double_run(&d);
}
