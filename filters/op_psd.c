/* psd: the power spectral density by Welch's method, as scipy.signal.welch has it. */
#include <math.h>
#include <stdio.h>

#include "filter.h"
#include "halo/curves.h"
#include "halo/sequence.h"
#include "ops.h"
#include "transform.h"

static const double pi = 3.14159265358979323846;

#define DECIBELS 3.010299956639812 /* 10 log10(2) */
#define MOST_WINDOW ((int64_t)1 << 24)

enum { PSD_WINDOW, PSD_OVERLAP, PSD_DETREND, PSD_SCALE };
enum { DETREND_CONSTANT, DETREND_LINEAR, DETREND_NONE };
enum { SCALE_DENSITY, SCALE_SPECTRUM, SCALE_DB };

typedef struct Psd {
    Transform transform;
    int64_t window, hop;
    int detrend;
    bool decibels;
    double scale; /* of a power; twice that between the ends of the spectrum */
    const double *weight;
} Psd;

/* Frame k is the frequency k * rate / window: there are window / rate of them in a Hz. */
static HaloStatus psd_shape(const void *how, const HaloShape *src, HaloShape *dst)
{
    const int64_t window = ((const Psd *)how)->window;
    dst->width = window / 2 + 1;
    dst->rate = (double)window / src->rate;
    if (window <= src->width) return HALO_OK;
    if (src->width < 2)
        return halo_fail(HALO_ERR_INPUT,
                         "psd: a spectrum needs at least 2 samples, and the input has 1: a table has a sample "
                         "in each row");
    return halo_fail(HALO_ERR_INPUT,
                     "psd: the window of %lld samples is longer than the input's %lld: give window=%lld "
                     "or less",
                     (long long)window, (long long)src->width, (long long)src->width);
}

static int64_t psd_scratch(const void *how, const HaloShape *src)
{
    const Psd *psd = how;
    (void)src;
    return (transform_space(&psd->transform) + psd->window / 2 + 1) * (int64_t)sizeof(double);
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

static void psd_run(const void *how, const HaloSequencePart *part)
{
    const Psd *psd = how;
    double *const x = part->scratch, *const power = x + transform_space(&psd->transform),
                  *const sum = part->dst->at[0];
    const int64_t bins = psd->window / 2 + 1;
    double segments = 0.0;
    for (int64_t k = 0; k < bins; k++) sum[k] = 0.0;
    for (int64_t at = 0; at + psd->window <= part->src[0]->width; at += psd->hop, segments += 1.0) {
        load(psd, part->src[0]->at[0] + at, x);
        transform_power(&psd->transform, x, power);
        for (int64_t k = 0; k < bins; k++) sum[k] = sum[k] + power[k];
    }
    for (int64_t k = 0; k < bins; k++) sum[k] = scaled(psd, k, sum[k] / segments);
}

static void psd_describe(const void *how, char *text, size_t size)
{
    const Psd *psd = how;
    snprintf(text, size, "Welch's power spectrum, %lld samples every %lld", (long long)psd->window,
             (long long)psd->hop);
}

static const HaloSequenceKind kind = {.name = "psd",
                                      .by_channel = true,
                                      .whole = true,
                                      .shape = psd_shape,
                                      .scratch = psd_scratch,
                                      .ns = 1000.0,
                                      .describe = psd_describe,
                                      .run = psd_run};

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

static HaloStatus build_psd(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const double rate = halo_build_shape(builder, in)->rate;
    Psd *psd = halo_build_keep(builder, sizeof *psd);
    if (psd == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    *psd = (Psd){.detrend = (int)arg[PSD_DETREND].integer, .decibels = arg[PSD_SCALE].integer == SCALE_DB};
    HALO_TRY(filter_samples("psd: window", &arg[PSD_WINDOW], &psd->window));
    psd->hop = psd->window - (int64_t)floor((double)psd->window * arg[PSD_OVERLAP].number);
    if (!(arg[PSD_OVERLAP].number >= 0.0 && psd->hop > 0))
        HALO_FAIL(HALO_ERR_USAGE, "psd: overlap has to be from 0%% to below 100%%");
    HALO_TRY(keep_window(builder, rate, (int)arg[PSD_SCALE].integer, psd));
    HALO_TRY(transform_keep(builder, psd->window, &psd->transform));
    HALO_TRY(halo_build_sequence(builder, in, &kind, psd, out));
    HALO_TRY(halo_build_axis(builder, *out, "frequency", 0.0, rate / (double)psd->window));
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
