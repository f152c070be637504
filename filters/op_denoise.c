/* denoise: sound with less of its steady noise. */
#include <math.h>
#include <string.h>

#include "denoise.h"
#include "halo/fourier.h"
#include "halo/text.h"
#include "ops.h"
#include "times.h"

static const double pi = 3.14159265358979323846;

enum { DENOISE_PROFILE, DENOISE_REDUCE, DENOISE_THRESHOLD, DENOISE_WINDOW };

#define MOST_WINDOW 65536

/* "0s-0.5s": where the noise is alone. */
static HaloStatus read_stretch(const char *where, const char *text, Time time[2])
{
    HaloStatus status = HALO_OK;
    char first[64];
    int count;
    const char *dash = strchr(text, '-');
    const size_t length = dash == NULL ? 0 : (size_t)(dash - text);
    if (length == 0 || length >= sizeof first || dash[1] == 0)
        HALO_FAIL(HALO_ERR_USAGE, "%s: expected where there is only noise, such as 0s-0.5s, found '%.60s'",
                  where, text);
    memcpy(first, text, length);
    first[length] = 0;
    HALO_TRY(times_read(where, first, 1, &time[0], &count));
    HALO_TRY(times_read(where, dash + 1, 1, &time[1], &count));
    if (time[1].from_end) HALO_FAIL(HALO_ERR_USAGE, "%s: a length cannot be negative: '%.60s'", where, text);
out:
    return status;
}

static HaloStatus check_stretch(const char *where, const char *text)
{
    Time time[2];
    return read_stretch(where, text, time);
}

static HaloStatus find_stretch(const HaloValue *arg, const HaloShape *shape, HaloSpan *part)
{
    HaloStatus status = HALO_OK;
    Time time[2];
    *part = (HaloSpan){0, shape->width};
    if (!arg->given) return HALO_OK;
    HALO_TRY(read_stretch("denoise: profile", arg->text, time));
    HALO_TRY(times_frames("denoise: profile", &time[0], shape->rate, &part->from));
    HALO_TRY(times_frames("denoise: profile", &time[1], shape->rate, &part->to));
    if (part->to <= part->from)
        HALO_FAIL(HALO_ERR_USAGE, "denoise: profile: '%.60s' ends before it begins", arg->text);
    if (part->from >= shape->width)
        HALO_FAIL(HALO_ERR_INPUT, "denoise: the profile begins at frame %lld, after the last of %lld",
                  (long long)part->from, (long long)shape->width);
out:
    return status;
}

static HaloStatus make_tables(HaloBuilder *builder, Denoise *how)
{
    double *window = halo_build_keep(builder, (size_t)how->size * sizeof *window);
    double *turn = halo_build_keep(builder, (size_t)(how->size + 2) * sizeof *turn);
    if (window == NULL || turn == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int64_t i = 0; i < how->size; i++) window[i] = sin(pi * ((double)i + 0.5) / (double)how->size);
    halo_fourier_turns(how->size, turn);
    how->window = window;
    how->turn = turn;
    return HALO_OK;
}

static HaloStatus build_denoise(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = halo_build_shape(builder, in);
    const double wanted = arg[DENOISE_WINDOW].number;
    const void *found;
    Denoise *how = halo_build_keep(builder, sizeof *how);
    if (how == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    *how = (Denoise){.size = 16,
                     .channels = shape->channels,
                     .automatic = !arg[DENOISE_PROFILE].given,
                     .reduce = log2(arg[DENOISE_REDUCE].number),
                     .threshold = arg[DENOISE_THRESHOLD].number * arg[DENOISE_THRESHOLD].number};
    while (how->size < wanted && how->size < MOST_WINDOW) how->size *= 2;
    how->hop = how->size / DENOISE_HOPS;
    HaloAnalysis analysis = {.how = how, .bytes = noise_bytes(how), .take = noise_take};
    HALO_TRY(find_stretch(&arg[DENOISE_PROFILE], shape, &analysis.part));
    HALO_TRY(make_tables(builder, how));
    double *noise = halo_build_keep(builder, sizeof *noise * (size_t)(how->channels * (how->size / 2 + 1)));
    if (noise == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(halo_build_analysis_of_frames(builder, in, &analysis, &found));
    HALO_TRY(noise_power(how, found, noise));
    how->noise = noise;
    HALO_TRY(halo_build_sequence(builder, in, &denoise_kind, how, out));
out:
    return status;
}

static const HaloParam denoise_param[] = {
    [DENOISE_PROFILE] = {.key = "profile",
                         .type = HALO_PARAM_TEXT,
                         .preset = "",
                         .check = check_stretch,
                         .help =
                             "where there is only noise, such as 0s-0.5s; without it the noise is estimated "
                             "from what each frequency falls to in the quietest tenth of the sound"},
    [DENOISE_REDUCE] = {.key = "reduce",
                        .type = HALO_PARAM_FACTOR,
                        .preset = "12dB",
                        .min = 1,
                        .max = 1e6,
                        .unit = "dB",
                        .help = "by how much the noise is lowered; more makes artefacts audible"},
    [DENOISE_THRESHOLD] =
        {.key = "threshold",
         .type = HALO_PARAM_FACTOR,
         .preset = "6dB",
         .min = 1e-3,
         .max = 1e3,
         .unit = "dB",
         .help =
             "what exceeds the noise by less than this is lowered; what exceeds it by 6 dB more stays; between "
             "them less and less is lowered"},
    [DENOISE_WINDOW] = {.key = "window",
                        .type = HALO_PARAM_LENGTH,
                        .preset = "40ms",
                        .min = 0,
                        .max = MOST_WINDOW,
                        .unit = "samples",
                        .help = "length of the spectra, rounded up to a power of two from 16 to 65536 samples"},
};

const HaloOp halo_op_denoise = {
    .name = "denoise",
    .help = "reduce steady noise, such as hiss and hum, by spectral gating",
    .known_as = "afftdn noisered noiseprof noise reduction reduce_noise spectral gating subtraction hiss tape",
    .example = "denoise:profile=0s-0.5s,window=5ms",
    .kinds = HALO_AUDIO,
    HALO_PARAMS(denoise_param),
    .build = build_denoise};
