/* speed, tempo and pitch: how fast sound runs, and how high it is. */
#include <math.h>
#include <stdio.h>

#include "filter.h"
#include "geometry.h"
#include "ops.h"
#include "wsola.h"

/* The table of a resampling grows with both sides of its ratio (taps_rate.c). */
#define MOST_TERM 13000

/* The first convergent of x's continued fraction that is within `error` of it, relatively; or the last with
 * terms up to MOST_TERM. */
static void find_fraction(double x, double error, int64_t *above, int64_t *below)
{
    int64_t p = 1, q = 0, last_p = 0, last_q = 1;
    for (double rest = x;;) {
        const double whole = floor(rest);
        const double next_p = whole * (double)p + (double)last_p, next_q = whole * (double)q + (double)last_q;
        if (next_p > MOST_TERM || next_q > MOST_TERM) break;
        last_p = p, last_q = q;
        p = (int64_t)next_p, q = (int64_t)next_q;
        if (p > 0 && fabs((double)p / (double)q - x) <= error * x) break;
        if (rest == whole) break;
        rest = 1.0 / (rest - whole);
    }
    *above = p;
    *below = q;
}

/* ---- speed ---------------------------------------------------------------------------------------------- */

/* `down` frames become `up`, at the same rate. */
static HaloStatus resample(HaloBuilder *builder, HaloReg in, int64_t up, int64_t down, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = halo_build_shape(builder, in);
    HaloResample how = {.rate = shape->rate};
    HALO_TRY(taps_rate(builder, shape->width, up, down, &how.x));
    HALO_TRY(taps_resample(builder, 1, 1, 1, RESAMPLE_NEAREST, &how.y, &how.for_y));
    HALO_TRY(halo_build_resample(builder, in, &how, out));
out:
    return status;
}

static HaloStatus build_speed(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    int64_t down, up;
    find_fraction(arg[0].number, 1e-9, &down, &up);
    *out = in;
    return up == down ? HALO_OK : resample(builder, in, up, down, out);
}

static const HaloParam speed_param[] = {
    {.key = "factor",
     .type = HALO_PARAM_NUMBER,
     .min = 0.01,
     .max = 100,
     .ratio = true,
     .help = "2, or 200%: twice as fast, half as long and an octave higher; 0.5: half as fast"},
};

const HaloOp halo_op_speed = {.name = "speed",
                              .help = "play faster or slower, like a tape: the pitch changes too",
                              .known_as = "asetrate varispeed resample tape turntable rpm",
                              .example = "speed:1.25",
                              .kinds = HALO_AUDIO,
                              HALO_PARAMS(speed_param),
                              .build = build_speed};

/* ---- tempo ---------------------------------------------------------------------------------------------- */

enum { TEMPO_FACTOR, TEMPO_SEGMENT, TEMPO_SEARCH, TEMPO_OVERLAP };

/* Frames that the first step of a search adds up: it needs no more than 12 kHz. */
static int64_t decimation_of(double rate)
{
    const double frames = floor(rate / 12000.0 + 0.5);
    return frames < 1.0 ? 1 : frames > 64.0 ? 64 : (int64_t)frames;
}

/* The segments of `op`, whose parameters begin with the factor. */
static HaloStatus find_segments(HaloBuilder *builder, const char *op, const HaloValue *arg, HaloReg in,
                                Wsola **how)
{
    HaloStatus status = HALO_OK;
    static const char *const key[] = {"segment", "search", "overlap"};
    int64_t frames[3];
    for (int i = 0; i < 3; i++) {
        char what[32];
        snprintf(what, sizeof what, "%s: %s", op, key[i]);
        HALO_TRY(filter_samples(what, &arg[TEMPO_SEGMENT + i], &frames[i]));
    }
    const int64_t segment = frames[0], overlap = frames[2];
    if (2 * overlap > segment)
        HALO_FAIL(HALO_ERR_USAGE,
                  "%s: an overlap of %lld samples is more than half of a segment of %lld: choose less", op,
                  (long long)overlap, (long long)segment);
    *how = halo_build_keep(builder, sizeof **how);
    if (*how == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    **how = (Wsola){.hop = segment - overlap,
                    .overlap = overlap,
                    .search = frames[1],
                    .decimation = decimation_of(halo_build_shape(builder, in)->rate)};
out:
    return status;
}

static HaloStatus build_tempo(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    Wsola *how;
    *out = in;
    HALO_TRY(find_segments(builder, "tempo", arg, in, &how));
    find_fraction(arg[TEMPO_FACTOR].number, 1e-9, &how->down, &how->up);
    if (how->up != how->down) HALO_TRY(wsola_build(builder, in, how, out));
out:
    return status;
}

#define SEGMENTS                                                                                       \
    [TEMPO_SEGMENT] = {.key = "segment",                                                               \
                       .type = HALO_PARAM_LENGTH,                                                      \
                       .preset = "82ms",                                                               \
                       .min = 2,                                                                       \
                       .max = HALO_MASK_MAX_SIDE,                                                      \
                       .unit = "samples",                                                              \
                       .help = "length of the pieces that are moved; less, such as 40ms, for speech"}, \
    [TEMPO_SEARCH] = {.key = "search",                                                                 \
                      .type = HALO_PARAM_LENGTH,                                                       \
                      .preset = "12ms",                                                                \
                      .min = 1,                                                                        \
                      .max = HALO_MASK_MAX_SIDE,                                                       \
                      .unit = "samples",                                                               \
                      .help = "how far to both sides a piece may be moved to fit the one before"},     \
    [TEMPO_OVERLAP] = {.key = "overlap",                                                               \
                       .type = HALO_PARAM_LENGTH,                                                      \
                       .preset = "12ms",                                                               \
                       .min = 1,                                                                       \
                       .max = HALO_MASK_MAX_SIDE,                                                      \
                       .unit = "samples",                                                              \
                       .help = "over which pieces are compared and crossfaded"}

static const HaloParam tempo_param[] = {
    [TEMPO_FACTOR] =
        {.key = "factor",
         .type = HALO_PARAM_NUMBER,
         .min = 0.1,
         .max = 10,
         .ratio = true,
         .help = "1.25, or 125%: a quarter faster, so that it takes 80% of the time; 0.5: half as fast"},
    SEGMENTS,
};

const HaloOp halo_op_tempo = {.name = "tempo",
                              .help = "play faster or slower at the same pitch",
                              .synonyms = "atempo",
                              .known_as = "time_stretch timestretch rubberband stretch speed wsola slow fast",
                              .example = "tempo:1.25",
                              .kinds = HALO_AUDIO,
                              HALO_PARAMS(tempo_param),
                              .build = build_tempo};

/* ---- pitch ---------------------------------------------------------------------------------------------- */

/* A higher pitch is more frames at the same pitch, played faster; a lower one is played slower first. That way
 * round the lengths are such that the result is exactly as long as its source. */
static HaloStatus build_pitch(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    Wsola *how;
    HaloReg between;
    *out = in;
    HALO_TRY(find_segments(builder, "pitch", arg, in, &how));
    find_fraction(exp2(arg[TEMPO_FACTOR].number / 12.0), 1e-6, &how->up, &how->down);
    if (how->up == how->down) goto out;
    how->length = how->up > how->down ? WSOLA_BEFORE_RATE : WSOLA_BEHIND_RATE;
    if (how->up > how->down) {
        HALO_TRY(wsola_build(builder, in, how, &between));
        HALO_TRY(resample(builder, between, how->down, how->up, out));
    } else {
        HALO_TRY(resample(builder, in, how->down, how->up, &between));
        HALO_TRY(wsola_build(builder, between, how, out));
    }
out:
    return status;
}

static const HaloParam pitch_param[] = {
    [TEMPO_FACTOR] = {.key = "semitones",
                      .type = HALO_PARAM_NUMBER,
                      .min = -36,
                      .max = 36,
                      .unit = "semitones",
                      .help = "2: a whole tone higher; -12: an octave lower; 0.5: 50 cents"},
    SEGMENTS,
};

const HaloOp halo_op_pitch = {.name = "pitch",
                              .help = "make sound higher or lower at the same tempo",
                              .known_as = "pitch_shift transpose key semitones cents rubberband",
                              .example = "pitch:2",
                              .kinds = HALO_AUDIO,
                              HALO_PARAMS(pitch_param),
                              .build = build_pitch};
