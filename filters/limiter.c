/* A limiter of true peaks. Reductions are integers, in units of 2^-24 octaves of amplitude, so that sums over a
 * window neither depend on where they begin nor drift: gain returns to exactly 1. */
#include "limiter.h"
#include "halo/text.h"

#include <math.h>
#include <stdio.h>

#include "greatest.h"
#include "halo/curves.h"
#include "peaks.h"

#define UNITS 16777216.0 /* in an octave */
#define MOST_OCTAVES 127.0

typedef struct Limiter {
    Peaks peaks;
    int64_t ahead, first, second; /* the frames of two means, one after the other: ahead = first + second - 2 */
    double keep;                  /* of a reduction, from frame to frame */
    double rate, decibels, release;
} Limiter;

/* Followed by the last `first` values of `held`, and the last `second` of `sum`. All 0 before the first frame.
 */
typedef struct LimiterState {
    int64_t held; /* the reduction before it is smoothed */
    int64_t sum;  /* of `first` of these */
    int64_t sums; /* of `second` of those */
} LimiterState;

static int64_t state_bytes(const void *how, const HaloShape *src)
{
    const Limiter *limiter = how;
    (void)src;
    return (int64_t)sizeof(LimiterState) + (limiter->first + limiter->second) * (int64_t)sizeof(int64_t);
}

/* It holds the frames from n - 2 to n + ahead. */
static int64_t window_size(const Limiter *limiter) { return limiter->ahead + 3; }

static int64_t scratch_bytes(const void *how, const HaloShape *src)
{
    (void)src;
    return window_size(how) * (int64_t)sizeof(GreatestItem);
}

/* ---- frame by frame ------------------------------------------------------------------------------------- */

/* The reduction that takes `peak` to the limit, rounded up. */
static int64_t need_of(const Limiter *limiter, double peak)
{
    if (!(peak > limiter->peaks.limit)) return 0;
    return (int64_t)ceil(fmin(halo_log2(peak / limiter->peaks.limit), MOST_OCTAVES) * UNITS);
}

/* The reduction at frame n in octaves, of which the greatest that is needed from n - 1 to n + ahead is `need`.
 */
static double smoothed(const Limiter *limiter, LimiterState *state, int64_t n, int64_t need)
{
    int64_t *held = (int64_t *)(state + 1) + (n + limiter->ahead) % limiter->first;
    int64_t *sum = (int64_t *)(state + 1) + limiter->first + (n + limiter->ahead) % limiter->second;
    const int64_t released = (int64_t)((double)state->held * limiter->keep);
    state->held = need > released ? need : released;
    state->sum += state->held - *held;
    *held = state->held;
    state->sums += state->sum - *sum;
    *sum = state->sum;
    return (double)state->sums / ((double)(limiter->first * limiter->second) * UNITS);
}

static void store(const HaloSequencePart *part, int64_t n, double octaves)
{
    const double gain = octaves > 0 ? halo_exp2(-octaves) : 1.0;
    for (int c = 0; c < part->dst->channels; c++)
        part->dst->at[c][n - part->dst->from] = part->src[0]->at[c][n - part->src[0]->from] * gain;
}

/* Rounds down. */
static int64_t block_of(int64_t frame)
{
    return (frame + PEAKS_BLOCK * (int64_t)LIMITER_MOST_AHEAD) / PEAKS_BLOCK - LIMITER_MOST_AHEAD;
}

/* Silence before the first frame lets the gain fall in time. */
static void run(const void *how, const HaloSequencePart *part)
{
    const Limiter *limiter = how;
    const int64_t from = part->dst->from, start = from == 0 ? -limiter->ahead : from;
    Greatest window = {.ring = part->scratch, .size = window_size(limiter)};
    double peak[PEAKS_BLOCK];
    for (int64_t at = start - 1, block = INT64_MIN; at < part->dst->to + limiter->ahead; at++) {
        if (block_of(at) != block)
            peaks_find(&limiter->peaks, part->simd, part->src[0], block = block_of(at), peak);
        greatest_add(&window, at, (double)need_of(limiter, peak[at - block * PEAKS_BLOCK]));
        const int64_t n = at - limiter->ahead;
        if (n < start) continue;
        const double octaves = smoothed(limiter, part->state, n, (int64_t)greatest_from(&window, n - 1));
        if (n >= from) store(part, n, octaves);
    }
}

static HaloSpan reads(const void *how, int k, const HaloShape *src, HaloSpan part)
{
    (void)k, (void)src;
    return (HaloSpan){part.from - PEAKS_REACH, part.to + ((const Limiter *)how)->ahead + PEAKS_REACH};
}

static void describe(const void *how, char *text, size_t size)
{
    const Limiter *limiter = how;
    halo_snprintf(text, size, "true-peak limiter at %.4g dB, look-ahead %.3g ms, release %.3g ms",
                  limiter->decibels, 1000.0 * (double)(limiter->ahead + PEAKS_REACH) / limiter->rate,
                  1000.0 * limiter->release / limiter->rate);
}

static const HaloSequenceKind limit = {.name = "limit",
                                       .reads = reads,
                                       .state = state_bytes,
                                       .scratch = scratch_bytes,
                                       .ns = 30.0,
                                       .describe = describe,
                                       .run = run};

/* ---- building ------------------------------------------------------------------------------------------- */

/* The gain changes during the window of a filter between samples, so that what lies between them may exceed the
 * limit by some hundredths of a decibel. A second limiter takes that away; what it leaves is below MARGIN. */
#define MARGIN_DB 0.01
#define LEAST_AHEAD 32

static HaloStatus append_once(HaloBuilder *builder, const LimiterParams *params, int64_t ahead, HaloReg in,
                              HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = halo_build_shape(builder, in);
    Limiter *how = halo_build_keep(builder, sizeof *how);
    if (how == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    *how = (Limiter){.ahead = ahead,
                     .first = ahead / 2 + 1,
                     .second = ahead - ahead / 2 + 1,
                     .keep = exp(-1.0 / params->release),
                     .rate = shape->rate,
                     .decibels = 20.0 * log10(params->limit),
                     .release = params->release};
    peaks_open(&how->peaks, params->limit * (double)shape->white * pow(10.0, -MARGIN_DB / 20.0));
    HALO_TRY(halo_build_sequence(builder, in, &limit, how, out));
out:
    return status;
}

HaloStatus limiter_append(HaloBuilder *builder, const LimiterParams *params, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const int64_t ahead = params->ahead > LEAST_AHEAD ? params->ahead : LEAST_AHEAD;
    HALO_TRY(append_once(builder, params, ahead, in, out));
    HALO_TRY(append_once(builder, params, ahead / 4 > LEAST_AHEAD ? ahead / 4 : LEAST_AHEAD, *out, out));
out:
    return status;
}
