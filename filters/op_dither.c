/* dither: noise before samples are rounded to fewer bits, so that the error of rounding is noise and not
 * distortion; of pictures also a pattern, or the errors of neighbours. docs/numerics.md has the definitions. */
#include <math.h>
#include <stdio.h>

#include "filter.h"
#include "halo/levels.h"
#include "halo/sequence.h"
#include "ops.h"

enum { DITHER_KIND, DITHER_BITS };
enum { DITHER_TPDF, DITHER_SHAPED, DITHER_ORDERED, DITHER_ERROR };

#define SOUND_BITS 16 /* where none are given */
#define MOST_PICTURE_BITS 16
#define LEAST_SOUND_BITS 4

/* Below, the noise that shaping moves upwards would be moved to where ears are sensitive. */
#define LEAST_RATE 40000.0

typedef struct Dither {
    int bits;
    double full; /* steps from 0 to full scale */
} Dither;

/* ---- the noise ------------------------------------------------------------------------------------------ */

#define GOLDEN 0x9e3779b97f4a7c15u

/* The difference of two uniform numbers: triangular, between -1 and 1 steps. It depends on the channel and the
 * number of the frame alone. */
static double noise(uint64_t channel_seed, int64_t frame)
{
    const uint64_t r = halo_scramble(channel_seed + (uint64_t)frame * GOLDEN);
    return ((double)(r >> 32) - (double)(r & 0xffffffffu)) * 0x1p-32;
}

static uint64_t seed_of(int channel) { return halo_scramble(((uint64_t)channel + 1) * GOLDEN); }

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
    [DITHER_TPDF] = {.name = "dither",
                     .by_channel = true,
                     .placed = true,
                     .ns = 3.0,
                     .describe = describe_tpdf,
                     .run = run_tpdf},
    [DITHER_SHAPED] = {.name = "dither",
                       .by_channel = true,
                       .placed = true,
                       .state = errors_bytes,
                       .ns = 12.0,
                       .describe = describe_shaped,
                       .run = run_shaped},
};

/* Evenly spaced levels, of which the first is 0 and the last full scale. */
static HaloStatus dither_picture(HaloBuilder *builder, int64_t kind, int64_t bits, HaloReg in, HaloReg *out)
{
    static const HaloDitherKind kinds_of_pictures[] = {[DITHER_TPDF] = HALO_DITHER_TPDF,
                                                       [DITHER_ORDERED] = HALO_DITHER_ORDERED,
                                                       [DITHER_ERROR] = HALO_DITHER_ERROR};
    const double white = (double)halo_build_shape(builder, in)->white, most = ldexp(1.0, (int)bits) - 1.0;
    if (kind == DITHER_SHAPED)
        return halo_fail(HALO_ERR_USAGE, "dither: shaped is for sound: use dither:error");
    if (bits > MOST_PICTURE_BITS)
        return halo_fail(HALO_ERR_USAGE, "dither: bits: pictures have 1 to %d, not %lld", MOST_PICTURE_BITS,
                         (long long)bits);
    const HaloStep step = {.primitive = HALO_DITHER,
                           .sources = 1,
                           .src = {in},
                           .u.dither = {.kind = kinds_of_pictures[kind],
                                        .most = (float)most,
                                        .scale = (float)(most / white),
                                        .unit = (float)(white / most)}};
    return halo_build_step(builder, &step, out);
}

static HaloStatus build_dither(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape *sound = halo_build_shape(builder, in);
    const int64_t kind = arg[DITHER_KIND].integer, bits = arg[DITHER_BITS].integer;
    const bool given = arg[DITHER_BITS].given;
    if (sound->kind == HALO_IMAGE) return dither_picture(builder, kind, given ? bits : 1, in, out);
    Dither *how = halo_build_keep(builder, sizeof *how);
    if (how == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    if (sound->white != 1.0f)
        HALO_FAIL(HALO_ERR_USAGE, "dither: needs sound whose full scale is 1, as WAV and FLAC have");
    if (kind == DITHER_SHAPED && sound->rate < LEAST_RATE)
        HALO_FAIL(HALO_ERR_USAGE, "dither: shaped is for 44.1 kHz and more, not %.10g Hz: use dither:tpdf",
                  sound->rate);
    if (kind > DITHER_SHAPED)
        HALO_FAIL(HALO_ERR_USAGE, "dither: ordered and error are for pictures: use dither:tpdf");
    how->bits = (int)(given ? bits : SOUND_BITS);
    if (how->bits < LEAST_SOUND_BITS)
        HALO_FAIL(HALO_ERR_USAGE, "dither: bits: sound has 4 to 24, not %d", how->bits);
    how->full = ldexp(1.0, how->bits - 1);
    HALO_TRY(halo_build_sequence(builder, in, &kinds[kind], how, out));
out:
    return status;
}

static const HaloParam dither_param[] = {
    [DITHER_KIND] = {.key = "kind",
                     .type = HALO_PARAM_CHOICE,
                     .preset = "tpdf",
                     .choices = "tpdf|shaped|ordered|error",
                     .help =
                         "tpdf: white triangular noise of up to one step; shaped: the same, moved to "
                         "frequencies where ears are less sensitive, for 44.1 kHz and more; of pictures also "
                         "ordered: a pattern of 8 x 8 pixels; error: the error of each pixel goes to its "
                         "neighbours (Floyd and Steinberg)"},
    [DITHER_BITS] =
        {.key = "bits",
         .type = HALO_PARAM_INTEGER,
         .preset = "",
         .min = 1,
         .max = 24,
         .help = "bits that samples are rounded to: of sound 4 to 24, 16 by default; of pictures 1 to 16, 1 by "
                 "default. The output has its own, which --bits sets"},
};

const HaloOp halo_op_dither = {
    .name = "dither",
    .help = "add noise and round to fewer bits, as the last operation; on the CPU alone",
    .known_as = "dither noiseshaping noise shaping triangular requantize bit depth floyd-steinberg "
                "bayer ordered halftone monochrome bilevel",
    .example = "dither:tpdf,bits=8",
    .upright = true,
    .kinds = HALO_IMAGE | HALO_AUDIO,
    .scale = HALO_SCALE_NEEDS,
    HALO_PARAMS(dither_param),
    .build = build_dither};
