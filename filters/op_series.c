/* diff, integrate and detrend: series along time. */
#include <math.h>
#include <stdio.h>

#include "found.h"
#include "halo/sequence.h"
#include "ops.h"

/* ---- diff ----------------------------------------------------------------------------------------------- */

#define MOST_ORDER 16
#define AT_A_TIME 512 /* results */

typedef struct Diff {
    int64_t order;
} Diff;

static HaloStatus diff_shape(const void *how, const HaloShape *src, HaloShape *dst)
{
    const int64_t order = ((const Diff *)how)->order;
    dst->width = src->width - order;
    if (dst->width > 0) return HALO_OK;
    return halo_fail(HALO_ERR_INPUT, "diff: %lld frame%s ha%s no difference of order %lld",
                     (long long)src->width, src->width == 1 ? "" : "s", src->width == 1 ? "s" : "ve",
                     (long long)order);
}

static HaloSpan diff_reads(const void *how, int k, const HaloShape *src, HaloSpan part)
{
    (void)k, (void)src;
    return (HaloSpan){part.from, part.to + ((const Diff *)how)->order};
}

/* A difference stands at the time of the later sample. */
static void diff_moves(const void *how, HaloMove *move)
{
    move->offset[0] = -(double)((const Diff *)how)->order;
}

static void diff_run(const void *how, const HaloSequencePart *part)
{
    const int64_t order = ((const Diff *)how)->order, from = part->dst->from, to = part->dst->to;
    double value[AT_A_TIME + MOST_ORDER];
    for (int64_t x = from, n; x < to; x += n) {
        n = to - x < AT_A_TIME ? to - x : AT_A_TIME;
        for (int64_t i = 0; i < n + order; i++) value[i] = part->src[0]->at[0][x + i - part->src[0]->from];
        for (int64_t k = order; k > 0; k--)
            for (int64_t i = 0; i < n + k - 1; i++) value[i] = value[i + 1] - value[i];
        for (int64_t i = 0; i < n; i++) part->dst->at[0][x + i - from] = value[i];
    }
}

static void diff_describe(const void *how, char *text, size_t size)
{
    snprintf(text, size, "differences of order %lld", (long long)((const Diff *)how)->order);
}

static const HaloSequenceKind diff = {.name = "diff",
                                      .by_channel = true,
                                      .shape = diff_shape,
                                      .reads = diff_reads,
                                      .moves = diff_moves,
                                      .ns = 1.0,
                                      .describe = diff_describe,
                                      .run = diff_run};

static HaloStatus build_diff(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    Diff *how = halo_build_keep(builder, sizeof *how);
    if (how == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    how->order = arg[0].integer;
    HALO_TRY(halo_build_rising(builder, in));
    HALO_TRY(halo_build_sequence(builder, in, &diff, how, out));
out:
    return status;
}

/* ---- integrate ------------------------------------------------------------------------------------------ */

typedef struct Integral {
    double sum, last;
    bool started;
} Integral;

static int64_t integral_bytes(const void *how, const HaloShape *src)
{
    (void)how, (void)src;
    return sizeof(Integral);
}

static void integrate_run(const void *how, const HaloSequencePart *part)
{
    const double *x = part->src[0]->at[0], step = 1.0 / part->src[0]->rate;
    Integral state = *(Integral *)part->state;
    (void)how;
    for (int64_t i = 0; i < part->dst->to - part->dst->from; i++) {
        if (state.started) state.sum = state.sum + step * ((state.last + x[i]) * 0.5);
        state.last = x[i];
        state.started = true;
        part->dst->at[0][i] = state.sum;
    }
    *(Integral *)part->state = state;
}

static const HaloSequenceKind integrate = {.name = "integral by trapezoids",
                                           .by_channel = true,
                                           .state = integral_bytes,
                                           .ns = 2.0,
                                           .run = integrate_run};

static HaloStatus build_integrate(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    const HaloStatus status = halo_build_rising(builder, in);
    (void)arg;
    return status != HALO_OK ? status : halo_build_sequence(builder, in, &integrate, NULL, out);
}

/* ---- detrend -------------------------------------------------------------------------------------------- */

#define BLOCK 1024 /* samples whose sum is computed by itself, so that errors do not grow with the length */

typedef struct Trend {
    double time, mean, slope;
} Trend;

typedef struct Detrend {
    int channels;
    bool linear;
    Trend *trend; /* [channels] */
} Detrend;

/* Sums over the samples that are not NaN: in each block in order, then of the blocks. */
typedef struct Sum {
    double block, all;
} Sum;

static double total(Sum sum) { return sum.all + sum.block; }

/* Of the first pass; of the second one the squares of times and the products with samples, each less its mean.
 */
typedef struct Sums {
    Sum count, time, value, square, product;
} Sums;

typedef struct Moments {
    int64_t frames;
    Sums channel[];
} Moments;

static void end_block(Sum *sum) { *sum = (Sum){0.0, sum->all + sum->block}; }

static void add(Sum *sum, double term) { sum->block = sum->block + term; }

static void take_sample(const Trend *known, Sums *sums, double time, double x)
{
    if (isnan(x)) return;
    add(&sums->count, 1.0);
    add(&sums->time, time);
    add(&sums->value, x);
    add(&sums->square, (time - known->time) * (time - known->time));
    add(&sums->product, (time - known->time) * (x - known->mean));
}

static void take_moments(const void *how, void *found, const HaloBuf *frames)
{
    const Detrend *detrend = how;
    Moments *moments = found;
    for (int64_t i = 0; i < frames->cols; i++, moments->frames++)
        for (int c = 0; c < detrend->channels; c++) {
            Sums *const sums = &moments->channel[c];
            if (moments->frames % BLOCK == 0) {
                Sum *const all[] = {&sums->count, &sums->time, &sums->value, &sums->square, &sums->product};
                for (int k = 0; k < 5; k++) end_block(all[k]);
            }
            take_sample(&detrend->trend[c], sums, (double)moments->frames, found_sample(frames, i, c));
        }
}

static void detrend_run(const void *how, const HaloSequencePart *part)
{
    const Trend *trend = &((const Detrend *)how)->trend[part->channel];
    const double *x = part->src[0]->at[0];
    for (int64_t i = part->dst->from; i < part->dst->to; i++, x++)
        part->dst->at[0][i - part->dst->from] = (*x - trend->mean) - trend->slope * ((double)i - trend->time);
}

static void detrend_describe(const void *how, char *text, size_t size)
{
    snprintf(text, size, "subtract the %s", ((const Detrend *)how)->linear ? "line of least squares" : "mean");
}

static const HaloSequenceKind detrend = {.name = "detrend",
                                         .by_channel = true,
                                         .placed = true,
                                         .ns = 2.0,
                                         .describe = detrend_describe,
                                         .run = detrend_run};

static HaloStatus find_moments(HaloBuilder *builder, const Detrend *how, HaloReg in, const Moments **found)
{
    const HaloAnalysis analysis = {.part = {0, halo_build_shape(builder, in)->width},
                                   .bytes = (int64_t)(sizeof(Moments) + (size_t)how->channels * sizeof(Sums)),
                                   .how = how,
                                   .take = take_moments};
    const void *moments = NULL;
    const HaloStatus status = halo_build_analysis_of_frames(builder, in, &analysis, &moments);
    *found = moments;
    return status;
}

static HaloStatus build_detrend(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const int channels = halo_build_shape(builder, in)->channels;
    const Moments *found;
    Detrend *how = halo_build_keep(builder, sizeof *how);
    Trend *trend = halo_build_keep(builder, (size_t)channels * sizeof *trend);
    if (how == NULL || trend == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    for (int c = 0; c < channels; c++) trend[c] = (Trend){0};
    *how = (Detrend){.channels = channels, .linear = arg[0].integer == 0, .trend = trend};
    HALO_TRY(find_moments(builder, how, in, &found));
    for (int c = 0; c < channels; c++) {
        const Sums *sums = &found->channel[c];
        trend[c].mean = total(sums->value) / total(sums->count);
        if (how->linear) trend[c].time = total(sums->time) / total(sums->count);
    }
    if (how->linear) HALO_TRY(find_moments(builder, how, in, &found));
    for (int c = 0; c < channels && how->linear; c++) {
        const double squares = total(found->channel[c].square);
        if (squares > 0.0) trend[c].slope = total(found->channel[c].product) / squares;
    }
    HALO_TRY(halo_build_sequence(builder, in, &detrend, how, out));
out:
    return status;
}

/* ---- rows ----------------------------------------------------------------------------------------------- */

static const HaloParam diff_param[] = {{.key = "order",
                                        .type = HALO_PARAM_INTEGER,
                                        .preset = "1",
                                        .min = 1,
                                        .max = MOST_ORDER,
                                        .help = "how many times differences are taken"}};

static const HaloParam detrend_param[] = {{.key = "what",
                                           .type = HALO_PARAM_CHOICE,
                                           .preset = "linear",
                                           .choices = "linear|constant",
                                           .help =
                                               "linear: subtract the line of least squares; constant: subtract "
                                               "the mean"}};

const HaloOp halo_op_diff = {.name = "diff",
                             .help = "the difference of each sample from the one before it",
                             .known_as = "difference derivative delta gradient pct_change",
                             .example = "diff",
                             .kinds = HALO_AUDIO,
                             HALO_PARAMS(diff_param),
                             .build = build_diff};

const HaloOp halo_op_integrate = {.name = "integrate",
                                  .help =
                                      "the integral over time so far, in units times seconds, by trapezoids",
                                  .known_as = "cumtrapz cumulative_trapezoid antiderivative velocity",
                                  .example = "integrate",
                                  .kinds = HALO_AUDIO,
                                  .build = build_integrate};

const HaloOp halo_op_detrend = {.name = "detrend",
                                .help = "subtract the linear trend, or the mean; NaN is left out",
                                .known_as = "trend drift baseline dcshift",
                                .example = "detrend:linear",
                                .kinds = HALO_AUDIO,
                                HALO_PARAMS(detrend_param),
                                .build = build_detrend};
