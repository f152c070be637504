/* Levels and spectra of frames; columns of a picture are made some at a time, so that its rows are written in
 * runs. */
#include "halo/spectrum.h"

#include <math.h>
#include <string.h>

#include "device.h"
#include "halo/curves.h"
#include "halo/fourier.h"
#include "halo/numerics.h"
#include "primitives.h"

#define COLUMNS 32                    /* frames of a task */
#define DECIBELS 6.020599913279623904 /* 20 log10(2) */

typedef struct Spectrum {
    const HaloBuf *src;
    HaloBuf *dst;
    const HaloSpectrum *how;
    HaloStore store;
    int64_t tasks;
    int64_t scratch_bytes, at_wide, at_tile, at_row; /* of a worker */
    char *scratch;
    HaloDevice *device;
} Spectrum;

/* Samples [from, from + n) of a channel; those outside of the whole are 0. */
static void load(const Spectrum *s, int channel, int64_t from, int64_t n, double *to)
{
    const int64_t channels = s->src->shape.channels, first = most(from, 0),
                  end = least(from + n, s->src->shape.width);
    memset(to, 0, sizeof *to * (size_t)n);
    if (first >= end) return;
    const char *at =
        (const char *)halo_at(s->src, first, 0) + channel * (int64_t)halo_dtype_size(s->src->shape.dtype);
    s->device->kernels->scan->to_f64[s->src->shape.dtype](at, end - first, channels, to + (first - from));
}

/* ---- levels --------------------------------------------------------------------------------------------- */

static float decibels(double magnitude, double lowest)
{
    if (magnitude != magnitude) return halo_canonical((float)magnitude);
    if (!(magnitude > 0x1p-1000)) return (float)lowest;
    if (magnitude > 0x1p1000) return (float)magnitude; /* an infinity */
    const double level = DECIBELS * halo_log2(magnitude);
    return (float)(level > lowest ? level : lowest);
}

static void make_levels(const Spectrum *s, int64_t frame, double *wide, float *out)
{
    const int64_t from = frame * s->how->hop, n = least(s->how->window, s->src->shape.width - from);
    for (int c = 0; c < s->src->shape.channels; c++) {
        double sum = 0.0, peak = 0.0;
        load(s, c, from, n, wide);
        for (int64_t i = 0; i < n; i++) {
            const double magnitude = fabs(wide[i]);
            sum += wide[i] * wide[i];
            if (magnitude > peak || magnitude != magnitude) peak = magnitude;
        }
        if (sum != sum) peak = sum;
        out[2 * c] = decibels(sqrt(sum / (double)n), s->how->floor);
        out[2 * c + 1] = decibels(peak, s->how->floor);
    }
}

/* ---- spectra -------------------------------------------------------------------------------------------- */

/* |X(k)|^2 from the transform of pairs. */
static double power_at(const double *z, int64_t n, int64_t k, const double *turn)
{
    const double *a = z + 2 * (k % n), *b = z + 2 * ((n - k) % n);
    const double e_re = 0.5 * (a[0] + b[0]), e_im = 0.5 * (a[1] - b[1]);
    const double o_re = 0.5 * (a[0] - b[0]), o_im = 0.5 * (a[1] + b[1]);
    const double t_re = turn[2 * k], t_im = turn[2 * k + 1];
    const double re = e_re + (t_re * o_im + t_im * o_re), im = e_im - (t_re * o_re - t_im * o_im);
    return re * re + im * im;
}

static float sample_of(const HaloSpectrum *how, double power)
{
    const double magnitude = how->scale * sqrt(power);
    if (how->kind == HALO_SPECTRUM_MAGNITUDE) return halo_canonical((float)magnitude);
    const float level = decibels(magnitude, how->floor);
    return level - (float)how->floor;
}

/* A column, as wide as `apart` samples from one row to the next. */
static void make_column(const Spectrum *s, int64_t frame, double *z, float *out, int64_t apart)
{
    const HaloSpectrum *how = s->how;
    const int64_t n = how->window / 2;
    for (int c = 0; c < s->src->shape.channels; c++) {
        load(s, c, frame * how->hop - n, how->window, z);
        for (int64_t i = 0; i < how->window; i++) z[i] = z[i] * how->weight[i];
        halo_fourier(z, n, how->turn, 2 * n);
        for (int64_t k = 0; k <= n; k++)
            out[(n - k) * apart + c] = sample_of(how, power_at(z, n, k, how->turn));
    }
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

static void run_task(void *context, int64_t index, int worker)
{
    const Spectrum *s = context;
    char *const scratch = s->scratch + worker * s->scratch_bytes;
    double *const wide = (double *)(void *)(scratch + s->at_wide);
    float *const tile = (float *)(void *)(scratch + s->at_tile), *const row =
                                                                     (float *)(void *)(scratch + s->at_row);
    const int64_t channels = s->dst->shape.channels, from = s->dst->x0 + index * COLUMNS,
                  columns = least(COLUMNS, s->dst->x0 + s->dst->cols - from);
    uint64_t clipped = 0;
    for (int64_t i = 0; i < columns; i++)
        if (s->how->kind == HALO_SPECTRUM_LEVELS)
            make_levels(s, from + i, wide, tile + i * channels);
        else
            make_column(s, from + i, wide, tile + i * channels, COLUMNS * channels);
    for (int64_t y = s->dst->y0; y < s->dst->y0 + s->dst->rows; y++) {
        memcpy(row, tile + y * COLUMNS * channels, sizeof *row * (size_t)(columns * channels));
        s->device->kernels->rows->store[s->dst->shape.dtype](row, columns * channels, s->store,
                                                             halo_at(s->dst, from, y), &clipped);
    }
    cpu_count_clipped(s->device, clipped);
}

HaloStatus cpu_spectrum(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSpectrum *spectrum,
                        HaloStore store)
{
    HaloStatus status = HALO_OK;
    Spectrum s = {.src = src, .dst = dst, .how = spectrum, .store = store, .device = device};
    int64_t total = 0;
    void *scratch;
    if (dst->cols < 1 || dst->rows < 1) goto out;
    if (src->rows != 1 || src->shape.dtype == HALO_I64 || dst->shape.dtype > HALO_F32)
        HALO_FAIL(HALO_ERR_BUG, "internal: a spectrum needs a single row of samples");
    if (!cpu_reserve(&total, spectrum->window, sizeof(double), &s.at_wide) ||
        !cpu_reserve(&total, dst->shape.height * COLUMNS, dst->shape.channels * (int64_t)sizeof(float),
                     &s.at_tile) ||
        !cpu_reserve(&total, COLUMNS, dst->shape.channels * (int64_t)sizeof(float), &s.at_row))
        HALO_FAIL(HALO_ERR_LIMIT, "frames of %lld samples need more memory than can be addressed",
                  (long long)spectrum->window);
    s.scratch_bytes = total;
    HALO_TRY(cpu_scratch_each(device, &s.scratch_bytes, &scratch));
    s.scratch = scratch;
    s.tasks = (dst->cols + COLUMNS - 1) / COLUMNS;
    const double work = (double)dst->cols * (double)spectrum->window * src->shape.channels * 20.0;
    cpu_run(device, cpu_workers(device, work), s.tasks, run_task, &s);
out:
    return status;
}
