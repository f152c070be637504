/* Levels and spectra of frames; columns of a picture are made some at a time, so that its rows are written in
 * runs. */
#include "halo/spectrum.h"

#include <math.h>
#include <string.h>

#include "device.h"
#include "halo/curves.h"
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
    int64_t held;                                    /* frames of a column */
    int64_t apart;                                   /* of the frames in a line */
    int64_t work, power, sum;                        /* behind a line of samples */
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

static float sample_of(const HaloSpectrum *how, double power)
{
    const double magnitude = how->scale * sqrt(power);
    if (how->kind == HALO_SPECTRUM_MAGNITUDE) return halo_canonical((float)magnitude);
    const float level = decibels(magnitude, how->floor);
    return how->table ? level : level - (float)how->floor;
}

static void put_row(const Spectrum *s, const double *power, int64_t count, float *out)
{
    for (int64_t i = 0; i < count; i++)
        for (int64_t k = 0; k <= s->how->window / 2; k++)
            out[i * s->dst->shape.channels + k] = sample_of(s->how, power[k * CPU_FRAMES + i]);
}

/* Samples of a picture's columns: rows are COLUMNS pixels apart, the highest frequency above. */
static void put_columns(const Spectrum *s, const double *power, int64_t count, float *out)
{
    const int64_t channels = s->src->shape.channels, n = s->how->window / 2;
    for (int64_t k = 0; k <= n; k++)
        for (int64_t i = 0; i < count; i++)
            out[((n - k) * COLUMNS + i) * channels] = sample_of(s->how, power[k * CPU_FRAMES + i]);
}

static void put_bands(const Spectrum *s, const double *sum, int64_t count, float *out)
{
    for (int64_t i = 0; i < count; i++)
        for (int64_t b = 0; b < s->how->bands; b++)
            out[i * s->dst->shape.channels + b] = halo_canonical((float)sum[b * CPU_FRAMES + i]);
}

/* The powers of frames [frame, frame + count), at most CPU_FRAMES, of a channel. Those of a line are as far
 * apart as in the sound, or, where they do not overlap, one after the other. */
static double *make_powers(const Spectrum *s, int channel, int64_t frame, int64_t count, char *scratch)
{
    const HaloSpectrum *how = s->how;
    double *const line = (double *)(void *)(scratch + s->at_wide);
    const int64_t from = frame * how->hop - how->window / 2;
    memset(line, 0, sizeof *line * (size_t)s->work); /* frames that are not there */
    if (how->hop == s->apart)
        load(s, channel, from, s->apart * (count - 1) + how->window, line);
    else
        for (int64_t i = 0; i < count; i++)
            load(s, channel, from + i * how->hop, how->window, line + i * s->apart);
    s->device->kernels->fourier->powers(line, s->apart, how, line + s->work, line + s->power);
    return line + s->power;
}

static void make_frames(const Spectrum *s, int64_t frame, int64_t count, char *scratch, float *out)
{
    double *const sum = (double *)(void *)(scratch + s->at_wide) + s->sum;
    for (int c = 0; c < s->src->shape.channels; c++) {
        const double *power = make_powers(s, c, frame, count, scratch);
        if (s->how->table || s->how->strips) {
            put_row(s, power, count, out + c * (s->how->window / 2 + 1));
            continue;
        }
        if (s->how->kind != HALO_SPECTRUM_BANDS) {
            put_columns(s, power, count, out + c);
            continue;
        }
        s->device->kernels->fourier->bands(power, s->how, sum);
        put_bands(s, sum, count, out + c * s->how->bands);
    }
}

/* A column of a picture that holds the greatest power of several frames. */
static void make_held(const Spectrum *s, int64_t column, char *scratch, float *out)
{
    const int64_t bins = s->how->window / 2 + 1, from = column * s->held,
                  to = least(from + s->held, halo_spectrum_frames(s->how, s->src->shape.width));
    double *const greatest = (double *)(void *)(scratch + s->at_wide) + s->sum;
    for (int c = 0; c < s->src->shape.channels; c++) {
        memset(greatest, 0, sizeof *greatest * (size_t)(bins * CPU_FRAMES));
        for (int64_t frame = from; frame < to; frame += CPU_FRAMES) {
            const int64_t count = least(CPU_FRAMES, to - frame);
            const double *power = make_powers(s, c, frame, count, scratch);
            for (int64_t k = 0; k < bins; k++)
                for (int64_t i = 0; i < count; i++) {
                    const double v = power[k * CPU_FRAMES + i];
                    if (v > greatest[k * CPU_FRAMES] || v != v) greatest[k * CPU_FRAMES] = v;
                }
        }
        if (s->how->strips)
            put_row(s, greatest, 1, out + c * bins);
        else
            put_columns(s, greatest, 1, out + c);
    }
}

/* A column that is known: its frequencies from the lowest up, channel by channel. */
static void turn_column(const Spectrum *s, int64_t column, float *out)
{
    const int64_t channels = s->src->shape.channels, bins = s->how->window / 2 + 1;
    const float *made = s->how->made + column * channels * bins;
    for (int64_t c = 0; c < channels; c++)
        for (int64_t k = 0; k < bins; k++) out[(bins - 1 - k) * COLUMNS * channels + c] = made[c * bins + k];
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
    if (s->how->kind == HALO_SPECTRUM_LEVELS)
        for (int64_t i = 0; i < columns; i++) make_levels(s, from + i, wide, tile + i * channels);
    else if (s->how->made != NULL)
        for (int64_t i = 0; i < columns; i++) turn_column(s, from + i, tile + i * channels);
    else if (s->held > 1)
        for (int64_t i = 0; i < columns; i++) make_held(s, from + i, scratch, tile + i * channels);
    else
        for (int64_t i = 0; i < columns; i += CPU_FRAMES)
            make_frames(s, from + i, least(CPU_FRAMES, columns - i), scratch, tile + i * channels);
    for (int64_t y = s->dst->y0; y < s->dst->y0 + s->dst->rows; y++) {
        memcpy(row, tile + y * COLUMNS * channels, sizeof *row * (size_t)(columns * channels));
        s->device->kernels->rows->store[s->dst->shape.dtype](row, columns * channels, s->store,
                                                             halo_at(s->dst, from, y), &clipped);
    }
    cpu_count_clipped(s->device, clipped);
}

/* A line of samples and what is made of it; multiples of CPU_FRAMES, so that all is aligned. */
static int64_t doubles_of(Spectrum *s)
{
    const HaloSpectrum *how = s->how;
    if (how->kind == HALO_SPECTRUM_LEVELS) return how->window;
    s->apart = least(how->hop, how->window);
    s->work = divide_up(how->window + (CPU_FRAMES - 1) * s->apart, CPU_FRAMES) * CPU_FRAMES;
    s->power = s->work + how->window * CPU_FRAMES;
    s->sum = s->power + (how->window / 2 + 1) * CPU_FRAMES;
    return s->sum + most(how->bands, s->held > 1 ? how->window / 2 + 1 : 0) * CPU_FRAMES;
}

HaloStatus cpu_spectrum(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSpectrum *spectrum,
                        HaloStore store)
{
    HaloStatus status = HALO_OK;
    Spectrum s = {.src = src, .dst = dst, .how = spectrum, .store = store, .device = device};
    int64_t total = 0;
    void *scratch;
    if (dst->cols < 1 || dst->rows < 1) goto out;
    if (dst->shape.kind == HALO_IMAGE || spectrum->strips)
        s.held = halo_spectrum_held(spectrum, src->shape.width);
    if (src->rows != 1 || src->shape.dtype == HALO_I64 || dst->shape.dtype > HALO_F32)
        HALO_FAIL(HALO_ERR_BUG, "internal: a spectrum needs a single row of samples");
    if (!cpu_reserve(&total, doubles_of(&s), sizeof(double), &s.at_wide) ||
        !cpu_reserve(&total, dst->shape.height * COLUMNS, dst->shape.channels * (int64_t)sizeof(float),
                     &s.at_tile) ||
        !cpu_reserve(&total, COLUMNS, dst->shape.channels * (int64_t)sizeof(float), &s.at_row))
        HALO_FAIL(HALO_ERR_LIMIT, "frames of %lld samples need more memory than can be addressed",
                  (long long)spectrum->window);
    s.scratch_bytes = total;
    HALO_TRY(cpu_scratch_each(device, &s.scratch_bytes, &scratch));
    s.scratch = scratch;
    s.tasks = (dst->cols + COLUMNS - 1) / COLUMNS;
    const double flops = (double)dst->cols * (double)spectrum->window * src->shape.channels * 20.0;
    cpu_run(device, cpu_workers(device, flops), s.tasks, run_task, &s);
out:
    return status;
}
