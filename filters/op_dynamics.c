/* compress and gate: gains that follow the level of sound. Levels and gains are in octaves of amplitude, 6.02
 * dB; docs/numerics.md ("Dynamics") has the definitions. */
#include <math.h>
#include <stdio.h>

#include "greatest.h"
#include "halo/curves.h"
#include "halo/sequence.h"
#include "halo/text.h"
#include "ops.h"

#define DB_OF_OCTAVE 6.020599913279624
/* Beyond this a reduction is as good as silence; below the other it is none. */
#define MOST_OCTAVES 900.0
#define LEAST_OCTAVES 0x1p-24
/* The time over which compress takes levels. */
#define LEVEL_SECONDS 0.01

typedef struct Dynamics {
    double threshold;             /* in units of the samples */
    double attack, release, rate; /* weights of what was, from frame to frame; frames in a second */
    /* compress */
    bool rms;
    int64_t window;
    double average;                      /* the weight of a new square */
    double octaves, knee, slope, makeup; /* the threshold and the rest in octaves; slope: 1 - 1 / ratio */
    double below;                        /* levels up to here are not reduced */
    /* gate */
    double closes, range; /* the lower threshold; octaves */
    int64_t hold;
} Dynamics;

typedef struct DynamicsState {
    double reduction; /* in octaves */
    double square;    /* compress: the mean */
    int64_t quiet;    /* gate: frames since the lower threshold was reached */
    bool started, open;
} DynamicsState;

static int64_t state_bytes(const void *how, const HaloShape *src)
{
    (void)how, (void)src;
    return sizeof(DynamicsState);
}

/* The greatest magnitude of the channels; NaN are left out, and infinity is a large number. */
static double magnitude(const HaloSequenceLines *src, int64_t n)
{
    double most = 0.0;
    for (int c = 0; c < src->channels; c++) {
        const double v = fabs(src->at[c][n - src->from]);
        if (v > most) most = v;
    }
    return fmin(most, 1e39);
}

/* The reduction goes to `wanted`: by `attack` where the level rises, by `release` where it falls. */
static void approach(DynamicsState *state, double wanted, double keep)
{
    state->reduction = wanted + (state->reduction - wanted) * keep;
    if (wanted == 0.0 && state->reduction < LEAST_OCTAVES) state->reduction = 0.0;
}

static void store(const HaloSequencePart *part, int64_t n, double octaves)
{
    const double gain = octaves != 0.0 ? halo_exp2(octaves) : 1.0;
    for (int c = 0; c < part->dst->channels; c++)
        part->dst->at[c][n - part->dst->from] = part->src[0]->at[c][n - part->src[0]->from] * gain;
}

/* ---- compress ------------------------------------------------------------------------------------------- */

/* The static curve: how far a level is reduced. */
static double reduction_at(const Dynamics *how, double level)
{
    if (!(level > how->below)) return 0.0;
    const double over = halo_log2(level) - how->octaves;
    if (2.0 * over >= how->knee) return fmin(over * how->slope, MOST_OCTAVES);
    const double into = over + how->knee / 2.0;
    return into > 0 ? how->slope * into * into / (2.0 * how->knee) : 0.0;
}

static int64_t held_bytes(const void *how, const HaloShape *src)
{
    (void)src;
    return (((const Dynamics *)how)->window + 1) * (int64_t)sizeof(GreatestItem);
}

static void run_compress(const void *context, const HaloSequencePart *part)
{
    const Dynamics *how = context;
    const HaloSequenceLines *src = part->src[0];
    const int64_t from = part->dst->from, before = how->rms ? 0 : how->window - 1;
    DynamicsState state = *(DynamicsState *)part->state;
    Greatest window = {.ring = part->scratch, .size = how->window + 1};
    for (int64_t n = from > before ? from - before : 0; n < part->dst->to; n++) {
        double level = magnitude(src, n);
        if (how->rms) {
            state.square += how->average * (level * level - state.square);
            level = sqrt(state.square);
        } else {
            greatest_add(&window, n, level);
            level = greatest_from(&window, n - how->window + 1);
        }
        if (n < from) continue;
        const double wanted = reduction_at(how, level);
        approach(&state, wanted, wanted > state.reduction ? how->attack : how->release);
        store(part, n, how->makeup - state.reduction);
    }
    *(DynamicsState *)part->state = state;
}

static HaloSpan reads_compress(const void *how, int k, const HaloShape *src, HaloSpan part)
{
    (void)k, (void)src;
    return (HaloSpan){part.from - ((const Dynamics *)how)->window, part.to};
}

static void describe_compress(const void *context, char *text, size_t size)
{
    const Dynamics *how = context;
    halo_snprintf(text, size, "compressor of %s, %.3g:1 above %.4g dB, no look-ahead",
                  how->rms ? "rms" : "peaks", 1.0 / (1.0 - how->slope), how->octaves * DB_OF_OCTAVE);
}

static const HaloSequenceKind compress = {.name = "compress",
                                          .reads = reads_compress,
                                          .state = state_bytes,
                                          .scratch = held_bytes,
                                          .ns = 20.0,
                                          .describe = describe_compress,
                                          .run = run_compress};

/* ---- gate ----------------------------------------------------------------------------------------------- */

static bool is_open(const Dynamics *how, DynamicsState *state, double level)
{
    state->quiet = level >= how->closes ? 0 : state->quiet + 1;
    if (level >= how->threshold) state->open = true;
    if (state->quiet > how->hold) state->open = false;
    return state->open;
}

/* Sound begins with the gate closed. */
static void run_gate(const void *context, const HaloSequencePart *part)
{
    const Dynamics *how = context;
    DynamicsState state = *(DynamicsState *)part->state;
    if (!state.started) state = (DynamicsState){.reduction = how->range, .started = true};
    for (int64_t n = part->dst->from; n < part->dst->to; n++) {
        const bool open = is_open(how, &state, magnitude(part->src[0], n));
        approach(&state, open ? 0.0 : how->range, open ? how->attack : how->release);
        store(part, n, -state.reduction);
    }
    *(DynamicsState *)part->state = state;
}

static void describe_gate(const void *context, char *text, size_t size)
{
    const Dynamics *how = context;
    halo_snprintf(text, size, "gate, %.4g dB less, no look-ahead", how->range * DB_OF_OCTAVE);
}

static const HaloSequenceKind gate = {
    .name = "gate", .state = state_bytes, .ns = 15.0, .describe = describe_gate, .run = run_gate};

/* ---- building ------------------------------------------------------------------------------------------- */

enum {
    COMPRESS_THRESHOLD,
    COMPRESS_RATIO,
    COMPRESS_ATTACK,
    COMPRESS_RELEASE,
    COMPRESS_KNEE,
    COMPRESS_MAKEUP,
    COMPRESS_DETECT
};
enum { GATE_THRESHOLD, GATE_ATTACK, GATE_HOLD, GATE_RELEASE, GATE_RANGE, GATE_HYSTERESIS };

static HaloStatus begin(HaloBuilder *builder, HaloReg in, double threshold, double attack, double release,
                        Dynamics **made)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = halo_build_shape(builder, in);
    Dynamics *how = *made = halo_build_keep(builder, sizeof *how);
    if (how == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    *how = (Dynamics){.threshold = threshold * (double)shape->white,
                      .attack = exp(-1.0 / attack),
                      .release = exp(-1.0 / release),
                      .rate = shape->rate};
out:
    return status;
}

static HaloStatus build_compress(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    Dynamics *how;
    HALO_TRY(begin(builder, in, arg[COMPRESS_THRESHOLD].number, arg[COMPRESS_ATTACK].number,
                   arg[COMPRESS_RELEASE].number, &how));
    how->rms = arg[COMPRESS_DETECT].integer == 1;
    how->window = how->rate * LEVEL_SECONDS > 1 ? (int64_t)rint(how->rate * LEVEL_SECONDS) : 1;
    how->average = 1.0 - exp(-1.0 / (double)how->window);
    how->octaves = log2(how->threshold);
    how->knee = log2(arg[COMPRESS_KNEE].number);
    how->slope = 1.0 - 1.0 / arg[COMPRESS_RATIO].number;
    how->makeup = log2(arg[COMPRESS_MAKEUP].number);
    how->below = how->threshold / sqrt(arg[COMPRESS_KNEE].number);
    HALO_TRY(halo_build_sequence(builder, in, &compress, how, out));
out:
    return status;
}

static HaloStatus build_gate(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    Dynamics *how;
    HALO_TRY(begin(builder, in, arg[GATE_THRESHOLD].number, arg[GATE_ATTACK].number, arg[GATE_RELEASE].number,
                   &how));
    how->closes = how->threshold / arg[GATE_HYSTERESIS].number;
    how->range = -log2(arg[GATE_RANGE].number);
    how->hold = (int64_t)arg[GATE_HOLD].number;
    HALO_TRY(halo_build_sequence(builder, in, &gate, how, out));
out:
    return status;
}

#define TIME(name, time, text)                                                                          \
    {                                                                                                   \
        .key = name, .type = HALO_PARAM_LENGTH, .duration = true, .preset = time, .min = 1, .max = 1e9, \
        .help = text                                                                                    \
    }

static const HaloParam compress_param[] = {
    [COMPRESS_THRESHOLD] = {.key = "threshold",
                            .type = HALO_PARAM_FACTOR,
                            .preset = "-20dB",
                            .min = 1e-6,
                            .max = 10,
                            .help = "level, relative to full scale, above which sound is reduced"},
    [COMPRESS_RATIO] = {.key = "ratio",
                        .type = HALO_PARAM_NUMBER,
                        .preset = "4",
                        .min = 1,
                        .max = 1e6,
                        .ratio = true,
                        .help = "this many decibels above the threshold become one: 4, or 4:1"},
    [COMPRESS_ATTACK] = TIME("attack", "5ms", "time constant of the reduction, in decibels, as it grows"),
    [COMPRESS_RELEASE] = TIME("release", "100ms", "time constant of the reduction as it shrinks"),
    [COMPRESS_KNEE] = {.key = "knee",
                       .type = HALO_PARAM_FACTOR,
                       .preset = "6dB",
                       .min = 1,
                       .max = 1e3,
                       .unit = "dB",
                       .help = "width of the bend about the threshold; 0dB: a sharp one"},
    [COMPRESS_MAKEUP] = {.key = "makeup",
                         .type = HALO_PARAM_FACTOR,
                         .preset = "0dB",
                         .min = 1e-3,
                         .max = 1e3,
                         .unit = "dB",
                         .help = "gain behind the reduction"},
    [COMPRESS_DETECT] = {.key = "detect",
                         .type = HALO_PARAM_CHOICE,
                         .preset = "peak",
                         .choices = "peak|rms",
                         .help = "level: the greatest magnitude of 10 ms, or the root of the mean square"},
};

const HaloOp halo_op_compress = {.name = "compress",
                                 .help = "reduce what is louder than a threshold; channels are linked",
                                 .known_as = "compressor acompressor compand mcompand dynamics drc leveler",
                                 .example = "compress:-20dB,ratio=4",
                                 .kinds = HALO_AUDIO,
                                 HALO_PARAMS(compress_param),
                                 .build = build_compress};

static const HaloParam gate_param[] = {
    [GATE_THRESHOLD] = {.key = "threshold",
                        .type = HALO_PARAM_FACTOR,
                        .preset = "-50dB",
                        .min = 1e-6,
                        .max = 10,
                        .help = "magnitude, relative to full scale, at which the gate opens"},
    [GATE_ATTACK] = TIME("attack", "1ms", "time constant of the gain, in decibels, as the gate opens"),
    [GATE_HOLD] =
        TIME("hold", "50ms",
             "the gate stays open this long after the last sample above the level at which it closes"),
    [GATE_RELEASE] = TIME("release", "100ms", "time constant of the gain as the gate closes"),
    [GATE_RANGE] = {.key = "range",
                    .type = HALO_PARAM_FACTOR,
                    .preset = "-60dB",
                    .min = 1e-9,
                    .max = 1,
                    .help = "gain of the closed gate"},
    [GATE_HYSTERESIS] = {.key = "hysteresis",
                         .type = HALO_PARAM_FACTOR,
                         .preset = "3dB",
                         .min = 1,
                         .max = 1e3,
                         .unit = "dB",
                         .help = "the gate closes at a threshold lower by this"},
};

const HaloOp halo_op_gate = {.name = "gate",
                             .help = "attenuate what is quieter than a threshold; channels are linked",
                             .known_as = "agate noise gate noisegate expander silence",
                             .example = "gate:-50dB",
                             .kinds = HALO_AUDIO,
                             HALO_PARAMS(gate_param),
                             .build = build_gate};
