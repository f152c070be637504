/* psd: the power spectral density by Welch's method, as scipy.signal.welch has it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "filter.h"
#include "found.h"
#include "halo/curves.h"
#include "ops.h"
#include "transform.h"

static const double pi = 3.14159265358979323846;

#define DECIBELS 3.010299956639812 /* 10 log10(2) */
#define MOST_TEXT 96

enum { PSD_WINDOW, PSD_OVERLAP, PSD_DETREND, PSD_SCALE };
enum { DETREND_CONSTANT, DETREND_LINEAR, DETREND_NONE };
enum { SCALE_DENSITY, SCALE_SPECTRUM, SCALE_DB };

typedef struct Psd {
    Transform transform;
    int channels;
    int64_t window, hop;
    int detrend;
    bool decibels;
    double scale; /* of a power; twice that between the ends of the spectrum */
    const double *weight;
} Psd;

/* Behind it: [channels][window] samples that wait for the end of a segment, what a transform takes, [bins] of a
 * power, and [channels][bins] sums of powers. */
typedef struct Segments {
    int64_t waiting, frames;
    double count;
} Segments;

static int64_t bins_of(const Psd *psd) { return psd->window / 2 + 1; }

static double *samples_of(const void *found) { return (double *)(void *)((char *)found + sizeof(Segments)); }

static double *work_of(const Psd *psd, const void *found)
{
    return samples_of(found) + psd->channels * psd->window;
}

static double *sums_of(const Psd *psd, const void *found)
{
    return work_of(psd, found) + transform_space(&psd->transform) + bins_of(psd);
}

static int64_t segments_bytes(const Psd *psd)
{
    return (int64_t)sizeof(Segments) +
           (int64_t)sizeof(double) *
               (psd->channels * (psd->window + bins_of(psd)) + transform_space(&psd->transform) + bins_of(psd));
}

/* A segment of samples less its mean, or its line of least squares, under the window. */
static void load(const Psd *psd, const double *from, double *to)
{
    const double n = (double)psd->window, middle = 0.5 * (n - 1.0);
    double mean = 0.0, slope = 0.0;
    if (psd->detrend != DETREND_NONE) {
        for (int64_t i = 0; i < psd->window; i++) mean = mean + from[i];
        mean = mean / n;
    }
    if (psd->detrend == DETREND_LINEAR && psd->window > 1) {
        for (int64_t i = 0; i < psd->window; i++) slope = slope + ((double)i - middle) * (from[i] - mean);
        slope = slope / (n * (n * n - 1.0) / 12.0);
    }
    for (int64_t i = 0; i < psd->window; i++)
        to[i] = psd->weight[i] * ((from[i] - mean) - slope * ((double)i - middle));
}

static double scaled(const Psd *psd, int64_t k, double power)
{
    const bool end = k == 0 || 2 * k == psd->window;
    const double made = power * (end ? psd->scale : 2.0 * psd->scale);
    if (!psd->decibels || isnan(made)) return made;
    return made < 1e-300 ? -INFINITY : made > 1e300 ? INFINITY : DECIBELS * halo_log2(made);
}

static void add_segment(const Psd *psd, Segments *found)
{
    double *const x = work_of(psd, found), *const power = x + transform_space(&psd->transform);
    const int64_t bins = bins_of(psd), kept = psd->window - psd->hop;
    for (int c = 0; c < psd->channels; c++) {
        double *const samples = samples_of(found) + c * psd->window, *const sum =
                                                                         sums_of(psd, found) + c * bins;
        load(psd, samples, x);
        transform_power(&psd->transform, x, power);
        for (int64_t k = 0; k < bins; k++) sum[k] = sum[k] + power[k];
        memmove(samples, samples + psd->hop, sizeof(double) * (size_t)kept);
    }
    found->waiting = kept;
    found->count += 1.0;
}

static void take_frames(const void *how, void *found_at, const HaloBuf *frames)
{
    const Psd *psd = how;
    Segments *found = found_at;
    found->frames += frames->cols;
    for (int64_t i = 0; i < frames->cols; i++) {
        for (int c = 0; c < psd->channels; c++)
            samples_of(found)[c * psd->window + found->waiting] = found_sample(frames, i, c);
        if (++found->waiting == psd->window) add_segment(psd, found);
    }
}

/* Hann's window, periodic, and what the square of a sine under it is divided by. */
static HaloStatus keep_window(HaloBuilder *builder, double rate, int scale, Psd *psd)
{
    double *const weight = halo_build_keep(builder, (size_t)psd->window * sizeof *weight), sum = 0.0,
                  squares = 0.0;
    if (weight == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int64_t i = 0; i < psd->window; i++) {
        weight[i] = psd->window > 1 ? 0.5 - 0.5 * cos(2.0 * pi * (double)i / (double)psd->window) : 1.0;
        sum += weight[i];
        squares += weight[i] * weight[i];
    }
    psd->weight = weight;
    psd->scale = scale == SCALE_SPECTRUM ? 1.0 / (sum * sum) : 1.0 / (rate * squares);
    return HALO_OK;
}

static HaloStatus check_length(const Psd *psd, int64_t frames)
{
    if (frames < 2)
        return halo_fail(
            HALO_ERR_INPUT,
            "psd: a spectrum needs at least 2 samples, and the input has 1: a table has a sample in each row");
    if (psd->window <= frames) return HALO_OK;
    return halo_fail(
        HALO_ERR_INPUT,
        "psd: the window of %lld samples is longer than the input's %lld: give window=%lld or less",
        (long long)psd->window, (long long)frames, (long long)frames);
}

/* *out = the mean of what all segments have in each bin: frame k is the frequency k * rate / window, so that
 * there are window / rate of them in a Hz. */
static HaloStatus append_mean(HaloBuilder *builder, const Psd *psd, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape *const shape = halo_build_shape(builder, in);
    const double rate = shape->rate;
    const int64_t bins = bins_of(psd), all = psd->channels * bins;
    const HaloAnalysis analysis = {
        .part = {0, shape->width}, .bytes = segments_bytes(psd), .how = psd, .take = take_frames};
    const void *found;
    HALO_TRY(check_length(psd, shape->width));
    double *const value = halo_build_keep(builder, (size_t)all * sizeof *value);
    char *const what = halo_build_keep(builder, MOST_TEXT);
    if (value == NULL || what == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    snprintf(what, MOST_TEXT, "Welch's power spectrum, %lld samples every %lld", (long long)psd->window,
             (long long)psd->hop);
    HALO_TRY(halo_build_analysis_of_frames(builder, in, &analysis, &found));
    HALO_TRY(check_length(psd, ((const Segments *)found)->frames)); /* of a stream it was not known before */
    for (int64_t i = 0; i < all; i++)
        value[i] = scaled(psd, i % bins, sums_of(psd, found)[i] / ((const Segments *)found)->count);
    HALO_TRY(found_append(
        builder, in, &(Found){.what = what, .frames = bins, .rate = (double)psd->window / rate, .value = value},
        out));
    HALO_TRY(halo_build_axis(builder, *out, "frequency", 0.0, rate / (double)psd->window));
out:
    return status;
}

static HaloStatus build_psd(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape *const shape = halo_build_shape(builder, in);
    Psd *psd = halo_build_keep(builder, sizeof *psd);
    if (psd == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    *psd = (Psd){.channels = shape->channels,
                 .detrend = (int)arg[PSD_DETREND].integer,
                 .decibels = arg[PSD_SCALE].integer == SCALE_DB};
    HALO_TRY(filter_samples("psd: window", &arg[PSD_WINDOW], &psd->window));
    psd->hop = psd->window - (int64_t)floor((double)psd->window * arg[PSD_OVERLAP].number);
    if (!(arg[PSD_OVERLAP].number >= 0.0 && psd->hop > 0))
        HALO_FAIL(HALO_ERR_USAGE, "psd: overlap has to be from 0%% to below 100%%");
    HALO_TRY(keep_window(builder, shape->rate, (int)arg[PSD_SCALE].integer, psd));
    HALO_TRY(transform_keep(builder, psd->window, &psd->transform));
    HALO_TRY(append_mean(builder, psd, in, out));
out:
    return status;
}

static const HaloParam param[] = {
    [PSD_WINDOW] =
        {.key = "window",
         .type = HALO_PARAM_LENGTH,
         .preset = "256",
         .min = 2,
         .max = HALO_MASK_MAX_SIDE,
         .unit = "samples",
         .help = "length of a segment, which a Hann window weights: frequencies are rate / window apart; "
                 "powers of two are fastest"},
    [PSD_OVERLAP] = {.key = "overlap",
                     .type = HALO_PARAM_FACTOR,
                     .preset = "50%",
                     .help = "how much of a segment lies in the next one, too"},
    [PSD_DETREND] =
        {.key = "detrend",
         .type = HALO_PARAM_CHOICE,
         .preset = "constant",
         .choices = "constant|linear|none",
         .help = "what is subtracted from each segment: its mean, its line of least squares, or nothing"},
    [PSD_SCALE] =
        {.key = "scale",
         .type = HALO_PARAM_CHOICE,
         .preset = "density",
         .choices = "density|spectrum|db",
         .help = "density: power per Hz; spectrum: power, a sine's mean square; db: 10 log10 of the density"},
};

const HaloOp halo_op_psd = {.name = "psd",
                            .help = "power spectral density by Welch's method: a frame for each frequency",
                            .known_as = "welch pwelch periodogram power spectrum density asd spectrum",
                            .example = "psd:window=64",
                            .kinds = HALO_AUDIO,
                            HALO_PARAMS(param),
                            .build = build_psd};
