/* level and spectrogram: sound as something to look at. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "filter.h"
#include "halo/fourier.h"
#include "halo/spectrum.h"
#include "ops.h"

static const double pi = 3.14159265358979323846;

/* "rms,peak", of several channels "rms1,peak1,rms2,peak2" and so on. */
static HaloStatus name_levels(HaloBuilder *builder, int channels, HaloReg levels)
{
    const size_t size = (size_t)channels * 24 + 1;
    size_t used = 0;
    char *names = malloc(size);
    if (names == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int c = 1; c <= channels && channels > 1; c++)
        used += (size_t)snprintf(names + used, size - used, "%srms%d,peak%d", c > 1 ? "," : "", c, c);
    const HaloStatus status = halo_build_names(builder, levels, channels > 1 ? names : "rms,peak");
    free(names);
    return status;
}

static HaloStatus build_level(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloSpectrum levels = {.kind = HALO_SPECTRUM_LEVELS, .floor = arg[1].number};
    HALO_TRY(filter_samples("level: window", &arg[0], &levels.window));
    levels.hop = levels.window;
    HALO_TRY(halo_build_spectrum(builder, in, &levels, out));
    HALO_TRY(name_levels(builder, halo_build_shape(builder, *out)->channels / 2, *out));
out:
    return status;
}

/* The Hann window, periodic as in SciPy, and the table of twiddle factors. A sine of amplitude 1 in the middle
 * of a bin has magnitude 1. */
static HaloStatus keep_tables(HaloBuilder *builder, HaloSpectrum *spectrum)
{
    const int64_t n = spectrum->window;
    double *weight = halo_build_keep(builder, sizeof *weight * (size_t)n),
           *turn = halo_build_keep(builder, sizeof *turn * (size_t)(n + 2)), sum = 0.0;
    if (weight == NULL || turn == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int64_t i = 0; i < n; i++) {
        weight[i] = 0.5 - 0.5 * cos(2.0 * pi * (double)i / (double)n);
        sum += weight[i];
    }
    halo_fourier_turns(n, turn);
    spectrum->weight = weight;
    spectrum->turn = turn;
    spectrum->scale = 2.0 / sum;
    return HALO_OK;
}

#define MOST_NAME 40

/* "0Hz,15.625Hz,…", and, of several channels, "1:0Hz". */
static HaloStatus name_frequencies(HaloBuilder *builder, int64_t bins, double step, HaloReg table)
{
    const int channels = halo_build_shape(builder, table)->channels;
    char *const names = malloc((size_t)channels * MOST_NAME), *at = names;
    if (names == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int64_t c = 0; c < channels; c++) {
        if (channels > bins) at += snprintf(at, MOST_NAME, "%d:", (int)(c / bins) + 1);
        at += snprintf(at, MOST_NAME, "%.10gHz%s", (double)(c % bins) * step, c + 1 < channels ? "," : "");
    }
    const HaloStatus status = halo_build_names(builder, table, names);
    free(names);
    return status;
}

static HaloStatus build_spectrogram(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloSpectrum spectrum = {.kind = arg[2].integer == 0 ? HALO_SPECTRUM_DECIBELS : HALO_SPECTRUM_MAGNITUDE,
                             .window = arg[0].integer,
                             .hop = arg[1].given ? arg[1].integer : arg[0].integer / 4,
                             .floor = arg[3].number};
    if ((spectrum.window & (spectrum.window - 1)) != 0)
        HALO_FAIL(HALO_ERR_USAGE, "spectrogram: window has to be a power of two, not %lld",
                  (long long)spectrum.window);
    HALO_TRY(keep_tables(builder, &spectrum));
    spectrum.table = halo_build_for_table(builder);
    const double step = halo_build_shape(builder, in)->rate / (double)spectrum.window;
    HALO_TRY(halo_build_spectrum(builder, in, &spectrum, out));
    if (spectrum.table) HALO_TRY(name_frequencies(builder, spectrum.window / 2 + 1, step, *out));
out:
    return status;
}

static const HaloParam level_param[] = {
    {.key = "window",
     .type = HALO_PARAM_LENGTH,
     .preset = "50ms",
     .min = 1,
     .max = HALO_MASK_MAX_SIDE,
     .unit = "samples",
     .help = "length of a block; the result has one frame per block"},
    {.key = "floor",
     .type = HALO_PARAM_NUMBER,
     .preset = "-200",
     .min = -1000,
     .max = -1,
     .unit = "dB",
     .help = "lowest level reported, also for silence"},
};

static const HaloParam spectrogram_param[] = {
    {.key = "window",
     .type = HALO_PARAM_INTEGER,
     .preset = "1024",
     .min = 16,
     .max = 65536,
     .unit = "samples",
     .help = "FFT size, a power of two: a longer window resolves pitch more finely, a shorter one time"},
    {.key = "hop",
     .type = HALO_PARAM_INTEGER,
     .preset = "",
     .min = 1,
     .max = HALO_MASK_MAX_SIDE,
     .unit = "samples",
     .help = "distance of the columns; default: a quarter of the window"},
    {.key = "scale",
     .type = HALO_PARAM_CHOICE,
     .preset = "log",
     .choices = "log|linear",
     .help = "log: decibels above the floor, which is black; linear: magnitudes, a full sine is 1"},
    {.key = "floor",
     .type = HALO_PARAM_NUMBER,
     .preset = "-120",
     .min = -1000,
     .max = -1,
     .unit = "dB",
     .help = "level that is black, relative to full scale"},
};

const HaloOp halo_op_level = {.name = "level",
                              .help = "RMS and peak in dB over time: two channels per channel of the input",
                              .known_as = "vu meter loudness rms astats",
                              .example = "level:50ms",
                              .kinds = HALO_AUDIO,
                              HALO_PARAMS(level_param),
                              .build = build_level};

const HaloOp halo_op_spectrogram = {
    .name = "spectrogram",
    .help = "a picture of the spectrum over time, low frequencies below; as CSV a row for each time",
    .known_as = "spectrum stft sonogram fft showspectrum",
    .example = "spectrogram:window=256,hop=64",
    .kinds = HALO_AUDIO,
    HALO_PARAMS(spectrogram_param),
    .build = build_spectrogram};
