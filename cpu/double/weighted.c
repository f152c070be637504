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

#define TOGETHER 32     /* outputs that have the same taps, `down` frames apart */
#define MOST_TAPS 16384 /* of more each output is by itself */
#define LAID 2048       /* frames for each of TOGETHER that stay in the second-level cache */

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

/* Where there is one phase, frame f of a channel is element f / down of row f % down: so what neighbouring
 * outputs read under a tap is side by side, and no frame is copied more than once. */
static int64_t apart(const HaloResampleAxis *axis, int64_t frames) { return frames / axis->down + 1; }

static void cut_up(const Piece *p, int64_t channel, int64_t frames, double *rows)
{
    const int64_t down = p->axis->down, length = apart(p->axis, frames);
    for (int64_t q = 0; q < length; q++)
        for (int64_t m = 0; m < down && q * down + m < frames; m++)
            rows[m * length + q] = p->line[(q * down + m) * p->channels + channel];
}

/* How many phases read what is laid out once: all, or as many as the cache allows. */
static int64_t phases_at_once(const HaloResampleAxis *axis)
{
    const double most = (double)(LAID - axis->taps) * (double)axis->up / (double)axis->down;
    return most < 1.0 ? 1 : most < (double)axis->up ? (int64_t)most : axis->up;
}

/* Frames that so many phases read. */
static int64_t frames_under(const HaloResampleAxis *axis, int64_t phases)
{
    return axis->taps + (int64_t)((double)phases * (double)axis->down / (double)axis->up) + 2;
}

/* Elements of `under`, or of what is cut up. */
static int64_t laid_out(const HaloResampleAxis *axis, int64_t frames)
{
    if (axis->up == 1) return axis->down * apart(axis, frames);
    return axis->taps <= MOST_TAPS ? TOGETHER * frames_under(axis, phases_at_once(axis)) : 0;
}

/* Outputs i + r, i + r + up and so on, TOGETHER of them, for each phase r; none is cut. What lies under a tap
 * is put side by side. */
static void some_outputs(const Piece *p, const CpuDoubleKernels *kernels, int64_t i, int64_t phases,
                         double *under, double *out)
{
    const HaloResampleAxis *axis = p->axis;
    const HaloResampleTaps last = halo_resample_at(axis, i + phases - 1);
    const int64_t first = halo_resample_at(axis, i).first;
    for (int64_t c = 0; c < p->channels; c++) {
        const double *from = p->line + (first - p->from) * p->channels + c;
        for (int64_t k = 0; k < last.first + last.count - first; k++)
            for (int64_t j = 0; j < TOGETHER; j++)
                under[k * TOGETHER + j] = from[(j * axis->down + k) * p->channels];
        for (int64_t r = 0; r < phases; r++) {
            const HaloResampleTaps taps = halo_resample_at(axis, i + r);
            double sum[TOGETHER];
            kernels->conv(under + (taps.first - first) * TOGETHER, wide_of(axis, &taps), taps.count, TOGETHER,
                          TOGETHER, sum);
            for (int64_t j = 0; j < TOGETHER; j++) out[(j * axis->up + r) * p->channels + c] = sum[j];
        }
    }
}

static bool is_cut(const HaloResampleAxis *axis, int64_t i)
{
    return halo_resample_at(axis, i).count < axis->count[i % axis->up];
}

/* Can output i and TOGETHER - 1 of its phase, and those of the phases behind it, be made at once? */
static bool all_whole(const HaloResampleAxis *axis, int64_t i, int64_t phases)
{
    for (int64_t r = 0; r < phases; r++)
        if (is_cut(axis, i + r) || is_cut(axis, i + r + (TOGETHER - 1) * axis->up)) return false;
    return true;
}

/* Of one phase: all outputs that are not cut, which have the same taps, then the others. */
static void decimate(const Piece *p, const CpuDoubleKernels *kernels, int64_t x, int64_t frames, int64_t read,
                     double *rows, double *row)
{
    const HaloResampleAxis *axis = p->axis;
    int64_t from = 0, to = frames;
    while (from < frames && is_cut(axis, x + from)) from++;
    while (to > from && is_cut(axis, x + to - 1)) to--;
    for (int64_t c = 0; c < p->channels && from < to; c++) {
        cut_up(p, c, read, rows);
        for (int64_t i = from; i < to; i += TOGETHER) {
            const HaloResampleTaps taps = halo_resample_at(axis, x + i);
            const int64_t some = least(TOGETHER, to - i);
            double sum[TOGETHER];
            kernels->conv_every(rows, apart(axis, read), axis->down, taps.first - p->from, wide_of(axis, &taps),
                                taps.count, some, sum);
            for (int64_t j = 0; j < some; j++) row[(i + j) * p->channels + c] = sum[j];
        }
    }
    for (int64_t i = 0; i < frames; i++)
        if (i < from || i >= to) one_output(p, kernels, x + i, row + i * p->channels);
}

static double *resample_piece(const Doubles *d, int64_t x, int64_t frames, double *row, double *other)
{
    const HaloResampleAxis *axis = d->how;
    const CpuDoubleKernels *kernels = d->device->kernels->doubles;
    const HaloResampleTaps first = halo_resample_at(axis, x), last = halo_resample_at(axis, x + frames - 1);
    const int64_t at_once = phases_at_once(axis);
    const int64_t read = last.first + last.count - first.first;
    double *const line = other + laid_out(axis, read);
    const Piece p = {axis, line, first.first, d->dst->shape.channels};
    cpu_double_load(d, d->a, first.first, read, line);
    if (axis->up == 1) {
        decimate(&p, kernels, x, frames, read, other, row);
        return row;
    }
    for (int64_t r = 0; r < axis->up; r += at_once) {
        const int64_t phases = least(at_once, axis->up - r);
        for (int64_t i = r; i < frames;) {
            const int64_t end = i + (TOGETHER - 1) * axis->up + phases;
            const bool together = axis->taps <= MOST_TAPS && end <= frames && all_whole(axis, x + i, phases);
            if (together) some_outputs(&p, kernels, x + i, phases, other, row + i * p.channels);
            for (int64_t k = i; !together && k < least(i + phases, frames); k++)
                one_output(&p, kernels, x + k, row + k * p.channels);
            i += together ? TOGETHER * axis->up : axis->up;
        }
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
    d.other = read * channels + laid_out(axis, read);
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
