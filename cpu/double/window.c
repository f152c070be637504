/* Convolutions and means of windows in f64. */
#include <math.h>

#include "double/double.h"
#include "halo/means.h"
#include "halo/numerics.h"

/* Does the source hold what windows over these frames of the result read? A border may read any sample that the
 * plan has provided. */
static bool holds(const HaloBuf *src, const HaloBuf *dst, const HaloWindow *window)
{
    return window->height == 1 && src->shape.channels == dst->shape.channels &&
           cpu_double_holds(src, dst->x0 + window->ox, dst->cols + window->width - 1);
}

static HaloStatus not_held(const char *name)
{
    return halo_fail(HALO_ERR_BUG, "internal: the source of %s does not hold the samples it needs", name);
}

/* ---- convolution ---------------------------------------------------------------------------------------- */

static double total_of(const HaloConv *conv)
{
    double total = 0.0;
    for (int64_t k = 0; k < conv->window.width; k++) total += conv->wide[k];
    return total;
}

static void renormalise(double *row, const double *weight, int64_t n, double total)
{
    for (int64_t i = 0; i < n; i++) {
        if (total != 0.0)
            row[i] = row[i] * (total / weight[i]);
        else if (weight[i] == 0.0)
            row[i] = (double)NAN;
    }
}

static double *conv_piece(const Doubles *d, int64_t x, int64_t frames, double *row, double *other)
{
    const HaloConv *conv = d->how;
    const HaloWindow *window = &conv->window;
    const CpuDoubleKernels *kernels = d->device->kernels->doubles;
    const int64_t channels = d->dst->shape.channels, n = frames * channels;
    double *const line = other + n;
    cpu_double_line(d, window, x + window->ox, frames + window->width - 1, line);
    if (window->nan_ignore) {
        const double total = total_of(conv);
        kernels->conv_nan(line, conv->wide, window->width, channels, n, total == 0.0, row, other);
        renormalise(row, other, n, total);
    } else {
        kernels->conv(line, conv->wide, window->width, channels, n, row);
    }
    if (conv->affine) kernels->affine(row, n, conv->scale, conv->bias);
    return row;
}

HaloStatus cpu_double_conv(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloConv *conv)
{
    const int64_t channels = dst->shape.channels;
    Doubles d = {.make = conv_piece,
                 .a = src,
                 .dst = dst,
                 .how = conv,
                 .other = conv->window.width * channels,
                 .each = 2 * channels,
                 .work = 2.0 * (double)conv->window.width,
                 .name = "a convolution",
                 .device = device};
    if (!holds(src, dst, &conv->window) || conv->wide == NULL) return not_held(d.name);
    return cpu_double_run(&d);
}

/* ---- means ---------------------------------------------------------------------------------------------- */

/* sum[i] is the sum of the n values from v[i] on, whose position is `position` + i, for `count` of them
 * (docs/numerics.md, "Means of windows"). `room` has space for what window_room says. */
static void window_sums(const double *v, int64_t position, int64_t count, int64_t n, double *sum, double *room);

static int64_t window_room(int64_t count, int64_t n)
{
    const int64_t values = count + n - 1;
    return n <= 1 ? 0 : 2 * values + 2 * (values / halo_mean_run(n) + 2) + window_room(values / 2 + 2, n / 2);
}

/* Sums of k whole runs each, from every run on. */
static void sums_between(const double *total, int64_t first_run, int64_t runs, int64_t k, double *sum,
                         double *room)
{
    if (k > 0 && runs >= k) window_sums(total, first_run, runs - k + 1, k, sum, room);
}

/* How many values from `position` on are in the run that it lies in. */
static int64_t rest_of_run(int64_t position, int64_t run) { return run - position % run; }

static void window_sums(const double *v, int64_t position, int64_t count, int64_t n, double *sum, double *room)
{
    const int64_t values = count + n - 1, run = halo_mean_run(n);
    double *const suffix = room, *const prefix = suffix + values, *const total = prefix + values;
    if (n == 1) {
        for (int64_t i = 0; i < count; i++) sum[i] = v[i];
        return;
    }
    for (int64_t i = 0, end = rest_of_run(position, run); i < values; i = end, end += run) {
        const int64_t last = least(end, values) - 1;
        prefix[i] = v[i];
        suffix[last] = v[last];
        for (int64_t k = i + 1; k <= last; k++) prefix[k] = prefix[k - 1] + v[k];
        for (int64_t k = last - 1; k >= i; k--) suffix[k] = v[k] + suffix[k + 1];
    }
    /* Runs that lie in these values as a whole, from `first_run` on. */
    const int64_t first_run = (position + run - 1) / run, end_run = (position + values) / run;
    const int64_t runs = end_run > first_run ? end_run - first_run : 0;
    double *const between = total + values / run + 2, *const rest = between + values / run + 2;
    for (int64_t k = 0; k < runs; k++) total[k] = prefix[(first_run + k + 1) * run - 1 - position];
    /* A window has one of two numbers of runs between its first and its last. */
    const int64_t fewest = (n - 1) / run - 1;
    for (int64_t whole = fewest; whole <= fewest + 1; whole++) {
        sums_between(total, first_run, runs, whole, between, rest);
        int64_t at = position / run, last = (position + n - 1) / run, end;
        int64_t at_end = rest_of_run(position, run), last_end = rest_of_run(position + n - 1, run);
        for (int64_t i = 0; i < count; i = end) {
            const double *const more =
                last - at - 1 == whole && whole > 0 ? &between[at + 1 - first_run] : NULL;
            end = least(least(at_end, last_end), count);
            if (more != NULL)
                for (int64_t k = i; k < end; k++) sum[k] = (suffix[k] + *more) + prefix[k + n - 1];
            else if (last - at - 1 == whole)
                for (int64_t k = i; k < end; k++) sum[k] = suffix[k] + prefix[k + n - 1];
            if (end == at_end) at++, at_end += run;
            if (end == last_end) last++, last_end += run;
        }
    }
}

/* NaN samples count as 0, and not among the samples. */
static void leave_out(double *v, int64_t values, int64_t count, int64_t n, double *number)
{
    int64_t there = 0;
    for (int64_t i = 0; i < values; i++) {
        there += v[i] == v[i];
        if (i >= n - 1 && i - n + 1 < count) number[i - n + 1] = (double)there;
        if (i >= n - 1) there -= v[i - n + 1] == v[i - n + 1];
    }
    for (int64_t i = 0; i < values; i++) v[i] = v[i] == v[i] ? v[i] : 0.0;
}

static double made_of(HaloMeanKind kind, double sum, double squares, double number)
{
    if (number == 0.0) return (double)NAN;
    if (kind == HALO_MEAN_PLAIN) return sum / number;
    double variance = (squares - sum * sum / number) / number;
    if (variance < 0.0) variance = 0.0;
    return kind == HALO_MEAN_SD ? sqrt(variance) : variance;
}

static double *mean_piece(const Doubles *d, int64_t x, int64_t frames, double *row, double *other)
{
    const HaloMean *mean = d->how;
    const HaloWindow *window = &mean->window;
    const int64_t channels = d->dst->shape.channels, n = window->width, values = frames + n - 1;
    double *const line = other, *const v = line + values * channels, *const sum = v + values,
                  *const squares = sum + frames, *const number = squares + frames,
                  *const room = number + frames;
    cpu_double_line(d, window, x + window->ox, values, line);
    for (int64_t c = 0; c < channels; c++) {
        for (int64_t i = 0; i < values; i++) v[i] = line[i * channels + c];
        for (int64_t i = 0; i < frames; i++) number[i] = (double)n;
        if (window->nan_ignore) leave_out(v, values, frames, n, number);
        window_sums(v, x, frames, n, sum, room);
        for (int64_t i = 0; mean->kind != HALO_MEAN_PLAIN && i < values; i++) v[i] = v[i] * v[i];
        if (mean->kind != HALO_MEAN_PLAIN) window_sums(v, x, frames, n, squares, room);
        for (int64_t i = 0; i < frames; i++)
            row[i * channels + c] = made_of(mean->kind, sum[i], squares[i], number[i]);
    }
    return row;
}

HaloStatus cpu_double_mean(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloMean *mean)
{
    const int64_t channels = dst->shape.channels, n = mean->window.width;
    Doubles d = {.make = mean_piece,
                 .a = src,
                 .dst = dst,
                 .how = mean,
                 .frames = least(dst->cols, most(1024, n)), /* so that most of a window's sums are used again */
                 .work = 16.0,
                 .name = "a mean",
                 .device = device};
    if (!holds(src, dst, &mean->window)) return not_held(d.name);
    d.other = (d.frames + n) * (channels + 1) + 3 * d.frames + window_room(d.frames, n);
    return cpu_double_run(&d);
}
