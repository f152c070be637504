/* mel and mfcc: the spectrum over time in bands as wide as the ear's, as librosa has them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "filter.h"
#include "found.h"
#include "halo/curves.h"
#include "halo/sequence.h"
#include "mel.h"
#include "ops.h"

static const double pi = 3.14159265358979323846;

#define DECIBELS 3.010299956639812 /* 10 log10(2) */
#define LEAST 1e-10                /* power below which there are no decibels */
#define MOST_WINDOW 65536
#define MOST_BANDS 1024
#define MOST_KEPT ((int64_t)1 << 20) /* values of all bands and frames */

/* ---- decibels and cosines ------------------------------------------------------------------------------- */

typedef struct Cepstrum {
    bool at_once; /* all frames; decibels then end `range` below the greatest, else at `least` */
    double range, least;
    int bands, coefficients;
    const double *cosine; /* [coefficients][bands]; NULL: the bands themselves */
} Cepstrum;

static HaloStatus cepstrum_shape(const void *how, const HaloShape *src, HaloShape *dst)
{
    const Cepstrum *c = how;
    dst->channels = src->channels / c->bands * c->coefficients;
    return HALO_OK;
}

static void cepstrum_moves(const void *how, HaloMove *move)
{
    move->mixed = ((const Cepstrum *)how)->cosine != NULL;
}

static double decibels(double power)
{
    if (isnan(power)) return power;
    if (power > 1e300) return INFINITY;
    return DECIBELS * halo_log2(power > LEAST ? power : LEAST);
}

static void make_decibels(const Cepstrum *how, const HaloSequenceLines *lines)
{
    const int64_t n = lines->to - lines->from;
    double greatest = -INFINITY;
    for (int c = 0; c < lines->channels; c++)
        for (int64_t i = 0; i < n; i++) {
            lines->at[c][i] = decibels(lines->at[c][i]);
            if (lines->at[c][i] > greatest) greatest = lines->at[c][i];
        }
    const double least = how->at_once ? greatest - how->range : how->least;
    for (int c = 0; c < lines->channels; c++)
        for (int64_t i = 0; i < n; i++)
            if (lines->at[c][i] < least) lines->at[c][i] = least;
}

static void make_cosines(const Cepstrum *how, double *const *band, int64_t n, double *const *out)
{
    for (int k = 0; k < how->coefficients; k++) {
        for (int64_t i = 0; i < n; i++) out[k][i] = 0.0;
        for (int b = 0; b < how->bands; b++) {
            const double weight = how->cosine[k * how->bands + b];
            for (int64_t i = 0; i < n; i++) out[k][i] = out[k][i] + weight * band[b][i];
        }
    }
}

static void cepstrum_run(const void *how, const HaloSequencePart *part)
{
    const Cepstrum *c = how;
    const HaloSequenceLines *src = part->src[0];
    const int64_t n = part->dst->to - part->dst->from;
    make_decibels(c, src);
    for (int from = 0, to = 0; from < src->channels; from += c->bands, to += c->coefficients) {
        if (c->cosine != NULL)
            make_cosines(c, src->at + from, n, part->dst->at + to);
        else
            for (int b = 0; b < c->bands; b++)
                for (int64_t i = 0; i < n; i++) part->dst->at[to + b][i] = src->at[from + b][i];
    }
}

static void cepstrum_describe(const void *how, char *text, size_t size)
{
    const Cepstrum *c = how;
    if (c->cosine != NULL)
        snprintf(text, size, "cosine transform of decibels, %d coefficients", c->coefficients);
    else
        snprintf(text, size, "decibels");
}

/* Frame by frame, and all at once, where decibels depend on the greatest of few. */
static const HaloSequenceKind framewise = {.name = "cepstrum",
                                           .shape = cepstrum_shape,
                                           .moves = cepstrum_moves,
                                           .ns = 40.0,
                                           .describe = cepstrum_describe,
                                           .run = cepstrum_run};

static const HaloSequenceKind whole = {.name = "cepstrum",
                                       .whole = true,
                                       .shape = cepstrum_shape,
                                       .moves = cepstrum_moves,
                                       .ns = 40.0,
                                       .describe = cepstrum_describe,
                                       .run = cepstrum_run};

/* Rows of DCT-II, orthonormal; `lifter` weights them as HTK does. NULL without memory. */
static double *make_cosine_table(HaloBuilder *builder, int64_t coefficients, int64_t bands, double lifter)
{
    double *cosine = halo_build_keep(builder, (size_t)(coefficients * bands) * sizeof *cosine);
    for (int64_t k = 0; k < coefficients && cosine != NULL; k++) {
        const double lift = lifter > 0.0 ? 1.0 + 0.5 * lifter * sin(pi * (double)(k + 1) / lifter) : 1.0;
        const double scale = sqrt((k == 0 ? 1.0 : 2.0) / (double)bands) * lift;
        for (int64_t b = 0; b < bands; b++)
            cosine[k * bands + b] =
                scale * cos(pi * (double)k * (2.0 * (double)b + 1.0) / (2.0 * (double)bands));
    }
    return cosine;
}

#define MOST_NAME 32

/* "mel0,mel1,…", and, of several channels, "1.mel0". */
static HaloStatus name_channels(HaloBuilder *builder, const char *what, int64_t each, HaloReg reg)
{
    HaloStatus status = HALO_OK;
    const int channels = halo_build_shape(builder, reg)->channels;
    char *const names = malloc((size_t)channels * MOST_NAME), *at = names;
    if (names == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    for (int64_t c = 0; c < channels; c++) {
        const int of = (int)(c / each), number = (int)(c - of * each);
        if (channels > each) at += snprintf(at, MOST_NAME, "%d.", of + 1);
        at += snprintf(at, MOST_NAME, "%s%d%s", what, number, c + 1 < channels ? "," : "");
    }
    HALO_TRY(halo_build_names(builder, reg, names));
out:
    free(names);
    return status;
}

/* ---- operations ----------------------------------------------------------------------------------------- */

enum {
    BANK_BANDS,
    BANK_WINDOW,
    BANK_HOP,
    BANK_FFT,
    BANK_LOW,
    BANK_HIGH,
    BANK_FORMULA,
    BANK_NORM,
    BANK_RANGE,
    BANK_KEYS
};
enum { MEL_SCALE = BANK_KEYS };
enum { MFCC_COUNT, MFCC_BANK, MFCC_LIFTER = MFCC_BANK + BANK_KEYS };

/* The powers in bands. */
static HaloStatus build_bands(HaloBuilder *builder, const char *op, const HaloValue *arg, HaloReg in,
                              HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const double rate = halo_build_shape(builder, in)->rate;
    HaloSpectrum spectrum = {.kind = HALO_SPECTRUM_BANDS, .bands = arg[BANK_BANDS].integer};
    char what[16];
    int64_t window;
    snprintf(what, sizeof what, "%s: window", op);
    HALO_TRY(filter_samples(what, &arg[BANK_WINDOW], &window));
    snprintf(what, sizeof what, "%s: hop", op);
    HALO_TRY(filter_samples(what, &arg[BANK_HOP], &spectrum.hop));
    HALO_TRY(mel_length(op, &arg[BANK_FFT], window, &spectrum.window));
    const MelBank bank = {.formula = (MelFormula)arg[BANK_FORMULA].integer,
                          .normed = arg[BANK_NORM].integer == 0,
                          .low = arg[BANK_LOW].number,
                          .high = arg[BANK_HIGH].given ? arg[BANK_HIGH].number : rate / 2.0,
                          .rate = rate,
                          .bands = spectrum.bands,
                          .window = spectrum.window};
    if (!(bank.low < bank.high && bank.high <= rate / 2.0))
        HALO_FAIL(HALO_ERR_USAGE,
                  "%s: bands from %.10g to %.10g Hz: give low below high, and high up to %.10g Hz, "
                  "half the sample rate",
                  op, bank.low, bank.high, rate / 2.0);
    HaloSpan *const bin = halo_build_keep(builder, (size_t)spectrum.bands * sizeof *bin);
    if (bin == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    spectrum.bin = bin;
    spectrum.bank = mel_weights(builder, &bank, bin);
    if (spectrum.bank == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(mel_tables(builder, window, &spectrum));
    HALO_TRY(halo_build_spectrum(builder, in, &spectrum, out));
out:
    return status;
}

typedef struct Greatest {
    bool any;
    double decibels;
} Greatest;

static void take_greatest(const void *how, void *found_at, const HaloBuf *frames)
{
    Greatest *found = found_at;
    (void)how;
    for (int64_t i = 0; i < frames->cols; i++)
        for (int c = 0; c < frames->shape.channels; c++) {
            const double value = decibels(found_sample(frames, i, c));
            if (isnan(value) || (found->any && value <= found->decibels)) continue;
            *found = (Greatest){true, value};
        }
}

/* Few frames are kept until the greatest is known; of more it is found first, in a pass of its own, which takes
 * the time for the spectra once more. */
static HaloStatus build_decibels(HaloBuilder *builder, const HaloValue *arg, const double *cosine,
                                 int64_t coefficients, HaloReg *value)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = halo_build_shape(builder, *value);
    const HaloAnalysis analysis = {.part = {0, shape->width}, .bytes = sizeof(Greatest), .take = take_greatest};
    const void *found;
    Cepstrum *how = halo_build_keep(builder, sizeof *how);
    if (how == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    *how = (Cepstrum){.range = arg[BANK_RANGE].number,
                      .least = -INFINITY,
                      .bands = (int)arg[BANK_BANDS].integer,
                      .coefficients = (int)coefficients,
                      .cosine = cosine};
    how->at_once = how->range > 0.0 && shape->width <= MOST_KEPT / shape->channels;
    if (how->range > 0.0 && !how->at_once) {
        HALO_TRY(halo_build_analysis_of_frames(builder, *value, &analysis, &found));
        if (((const Greatest *)found)->any) how->least = ((const Greatest *)found)->decibels - how->range;
    }
    HALO_TRY(halo_build_sequence(builder, *value, how->at_once ? &whole : &framewise, how, value));
out:
    return status;
}

static HaloStatus build_mel(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HALO_TRY(build_bands(builder, "mel", arg, in, out));
    if (arg[MEL_SCALE].integer == 1) HALO_TRY(build_decibels(builder, arg, NULL, arg[BANK_BANDS].integer, out));
    HALO_TRY(name_channels(builder, "mel", arg[BANK_BANDS].integer, *out));
out:
    return status;
}

static HaloStatus build_mfcc(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloValue *const bank = arg + MFCC_BANK;
    const int64_t bands = bank[BANK_BANDS].integer, count = arg[MFCC_COUNT].integer;
    if (count > bands)
        HALO_FAIL(HALO_ERR_USAGE, "mfcc: %lld coefficients need as many bands, not %lld", (long long)count,
                  (long long)bands);
    const double *cosine = make_cosine_table(builder, count, bands, arg[MFCC_LIFTER].number);
    if (cosine == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(build_bands(builder, "mfcc", bank, in, out));
    HALO_TRY(build_decibels(builder, bank, cosine, count, out));
    HALO_TRY(name_channels(builder, "mfcc", count, *out));
out:
    return status;
}

/* clang-format off */
#define BANK_PARAMS \
    {.key = "bands", .type = HALO_PARAM_INTEGER, .preset = "128", .min = 1, .max = MOST_BANDS, \
     .help = "how many bands"}, \
    {.key = "window", .type = HALO_PARAM_LENGTH, .preset = "2048", .min = 4, .max = MOST_WINDOW, \
     .unit = "samples", .help = "length of a frame, which a Hann window weights, such as 25ms"}, \
    {.key = "hop", .type = HALO_PARAM_LENGTH, .preset = "512", .min = 1, .max = HALO_MASK_MAX_SIDE, \
     .unit = "samples", .help = "distance of the frames, such as 10ms: the first has its centre at 0"}, \
    {.key = "fft", .type = HALO_PARAM_INTEGER, .preset = "", .min = 4, .max = MOST_WINDOW, .unit = "samples", \
     .help = "length of the transform, zeros around the window; default: the next power of two"}, \
    {.key = "low", .type = HALO_PARAM_FREQUENCY, .preset = "0", .min = 0, .max = 1e9, .unit = "Hz", \
     .help = "where the lowest band begins"}, \
    {.key = "high", .type = HALO_PARAM_FREQUENCY, .preset = "", .min = 1e-3, .max = 1e9, .unit = "Hz", \
     .help = "where the highest band ends; default: half the sample rate"}, \
    {.key = "formula", .type = HALO_PARAM_CHOICE, .preset = "slaney", .choices = "slaney|htk", \
     .help = "the mel scale: Slaney's, librosa's default, or HTK's"}, \
    {.key = "norm", .type = HALO_PARAM_CHOICE, .preset = "slaney", .choices = "slaney|none", \
     .help = "slaney: bands have the same area; none: the same height, 1"}, \
    {.key = "range", .type = HALO_PARAM_NUMBER, .preset = "80", .min = 0, .max = 1000, .unit = "dB", \
     .help = "for decibels: values further below the greatest of the whole sound are raised to it; 0: to " \
             "-100 dB"}
/* clang-format on */

static const HaloParam mel_param[] = {
    BANK_PARAMS,
    {.key = "scale",
     .type = HALO_PARAM_CHOICE,
     .preset = "power",
     .choices = "power|db",
     .help = "power: the sum of squared magnitudes; db: 10 log10 of it"},
};

static const HaloParam mfcc_param[] = {
    {.key = "coefficients",
     .type = HALO_PARAM_INTEGER,
     .preset = "20",
     .min = 1,
     .max = MOST_BANDS,
     .help = "how many coefficients, the first of them the loudness"},
    BANK_PARAMS,
    {.key = "lifter",
     .type = HALO_PARAM_NUMBER,
     .preset = "0",
     .min = 0,
     .max = 1000,
     .help = "weighs coefficient k by 1 + lifter / 2 * sin(pi (k + 1) / lifter), as HTK does with 22; 0: not"},
};

const HaloOp halo_op_mel = {.name = "mel",
                            .help = "spectrum over time in bands of the mel scale, a channel for each",
                            .known_as = "melspectrogram melspectrogram_db filterbank fbank logmel",
                            .example = "mel:bands=80",
                            .kinds = HALO_AUDIO,
                            HALO_PARAMS(mel_param),
                            .build = build_mel};

const HaloOp halo_op_mfcc = {.name = "mfcc",
                             .help = "mel-frequency cepstral coefficients over time, a channel for each",
                             .known_as = "cepstrum mfccs speech features",
                             .example = "mfcc:13",
                             .kinds = HALO_AUDIO,
                             HALO_PARAMS(mfcc_param),
                             .build = build_mfcc};
