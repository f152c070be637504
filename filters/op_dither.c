/* dither: noise before samples are rounded to fewer bits, so that the error of rounding is noise and not
 * distortion. docs/numerics.md has the definition. */
#include <math.h>
#include <stdio.h>

#include "filter.h"
#include "halo/sequence.h"
#include "ops.h"

enum { DITHER_KIND, DITHER_BITS };
enum { DITHER_TPDF, DITHER_SHAPED };

/* Below, the noise that shaping moves upwards would be moved to where ears are sensitive. */
#define LEAST_RATE 40000.0

typedef struct Dither {
    int bits;
    double full; /* steps from 0 to full scale */
} Dither;

/* ---- the noise ------------------------------------------------------------------------------------------ */

#define GOLDEN 0x9e3779b97f4a7c15u

/* SplitMix64's (Steele, Lea and Flood 2014). */
static uint64_t scramble(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* The difference of two uniform numbers: triangular, between -1 and 1 steps. It depends on the channel and the
 * number of the frame alone. */
static double noise(uint64_t channel_seed, int64_t frame)
{
    const uint64_t r = scramble(channel_seed + (uint64_t)frame * GOLDEN);
    return ((double)(r >> 32) - (double)(r & 0xffffffffu)) * 0x1p-32;
}

static uint64_t seed_of(int channel) { return scramble(((uint64_t)channel + 1) * GOLDEN); }

/* Noise alone does not make a sample clip; one that was beyond full scale before stays there. */
static double hold(double steps, double before, double full)
{
    if (steps > full - 1.0 && before <= full) return full - 1.0;
    return steps < -full && before >= -full ? -full : steps;
}

/* ---- both kinds ----------------------------------------------------------------------------------------- */

static void run_tpdf(const void *parameters, const HaloSequencePart *part)
{
    const Dither *how = parameters;
    const HaloSequenceLines *src = part->src[0], *dst = part->dst;
    const double *x = src->at[0] + (dst->from - src->from);
    const uint64_t seed = seed_of(part->channel);
    for (int64_t i = 0; i < dst->to - dst->from; i++) {
        const double v = x[i] * how->full;
        dst->at[0][i] = hold(rint(v + noise(seed, dst->from + i)), v, how->full) / how->full;
    }
}

/* Lipshitz, Vanderkooy and Wannamaker 1991, table 2: five taps for 44.1 kHz, weighted by the sensitivity of
 * ears. */
enum { TAPS = 5 };
static const double shape[TAPS] = {2.033, -2.165, 1.959, -1.590, 0.6149};

typedef struct Errors {
    double at[TAPS]; /* the latest first */
} Errors;

static int64_t errors_bytes(const void *how, const HaloShape *src)
{
    (void)how, (void)src;
    return sizeof(Errors);
}

static void run_shaped(const void *parameters, const HaloSequencePart *part)
{
    const Dither *how = parameters;
    const HaloSequenceLines *src = part->src[0], *dst = part->dst;
    const double *x = src->at[0] + (dst->from - src->from);
    const uint64_t seed = seed_of(part->channel);
    Errors errors = *(Errors *)part->state;
    for (int64_t i = 0; i < dst->to - dst->from; i++) {
        const double v = x[i] * how->full;
        double fed = 0.0;
        for (int k = 0; k < TAPS; k++) fed += shape[k] * errors.at[k];
        const double wanted = v - fed, steps = rint(wanted + noise(seed, dst->from + i));
        for (int k = TAPS - 1; k > 0; k--) errors.at[k] = errors.at[k - 1];
        errors.at[0] = isfinite(v) ? steps - wanted : 0.0;
        dst->at[0][i] = hold(isfinite(v) ? steps : v, v, how->full) / how->full;
    }
    *(Errors *)part->state = errors;
}

/* ---- the operation -------------------------------------------------------------------------------------- */

static void describe_tpdf(const void *how, char *text, size_t size)
{
    snprintf(text, size, "triangular noise, rounded to %d bits", ((const Dither *)how)->bits);
}

static void describe_shaped(const void *how, char *text, size_t size)
{
    snprintf(text, size, "triangular noise, rounded to %d bits with error feedback",
             ((const Dither *)how)->bits);
}

static const HaloSequenceKind kinds[] = {
    [DITHER_TPDF] =
        {.name = "dither", .by_channel = true, .ns = 3.0, .describe = describe_tpdf, .run = run_tpdf},
    [DITHER_SHAPED] = {.name = "dither",
                       .by_channel = true,
                       .state = errors_bytes,
                       .ns = 12.0,
                       .describe = describe_shaped,
                       .run = run_shaped},
};

static HaloStatus build_dither(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape *sound = halo_build_shape(builder, in);
    const int64_t kind = arg[DITHER_KIND].integer;
    Dither *how = halo_build_keep(builder, sizeof *how);
    if (how == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    if (sound->white != 1.0f)
        HALO_FAIL(HALO_ERR_USAGE, "dither: needs sound whose full scale is 1, as WAV and FLAC have");
    if (kind == DITHER_SHAPED && sound->rate < LEAST_RATE)
        HALO_FAIL(HALO_ERR_USAGE, "dither: shaped is for 44.1 kHz and more, not %.10g Hz: use dither:tpdf",
                  sound->rate);
    how->bits = (int)arg[DITHER_BITS].integer;
    how->full = ldexp(1.0, how->bits - 1);
    HALO_TRY(halo_build_sequence(builder, in, &kinds[kind], how, out));
out:
    return status;
}

static const HaloParam dither_param[] = {
    [DITHER_KIND] = {.key = "kind",
                     .type = HALO_PARAM_CHOICE,
                     .preset = "tpdf",
                     .choices = "tpdf|shaped",
                     .help = "tpdf: white triangular noise of up to one step; shaped: the same, moved to "
                             "frequencies where ears are less sensitive, for 44.1 kHz and more"},
    [DITHER_BITS] = {.key = "bits",
                     .type = HALO_PARAM_INTEGER,
                     .preset = "16",
                     .min = 4,
                     .max = 24,
                     .help = "bits of the samples that will be written; --bits sets those of the output"},
};

const HaloOp halo_op_dither = {.name = "dither",
                               .help =
                                   "add noise and round to fewer bits, as the last operation before --bits 16",
                               .known_as = "dither noiseshaping noise shaping triangular requantize bit depth",
                               .example = "dither:tpdf",
                               .kinds = HALO_AUDIO,
                               .scale = HALO_SCALE_NEEDS,
                               HALO_PARAMS(dither_param),
                               .build = build_dither};
