/* diff, integrate and detrend: series along time. */
#include <math.h>
#include <stdio.h>

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
    (void)arg;
    return halo_build_sequence(builder, in, &integrate, NULL, out);
}

/* ---- detrend -------------------------------------------------------------------------------------------- */

#define BLOCK 1024 /* samples whose sum is computed by itself, so that errors do not grow with the length */

typedef struct Trend {
    double count, time, mean, slope;
} Trend;

/* The sums of what `term` makes of the samples that are not NaN: in each block in order, then of the blocks. */
typedef double Term(const Trend *trend, double time, double x);

static double sum_of(const double *x, int64_t n, Term *term, const Trend *trend)
{
    double all = 0.0;
    for (int64_t from = 0; from < n; from += BLOCK) {
        double sum = 0.0;
        for (int64_t i = from; i < from + BLOCK && i < n; i++)
            if (!isnan(x[i])) sum = sum + term(trend, (double)i, x[i]);
        all = all + sum;
    }
    return all;
}

static double one(const Trend *trend, double time, double x) { return (void)trend, (void)time, (void)x, 1.0; }

static double time_of(const Trend *trend, double time, double x) { return (void)trend, (void)x, time; }

static double value_of(const Trend *trend, double time, double x) { return (void)trend, (void)time, x; }

static double square(const Trend *trend, double time, double x)
{
    (void)x;
    return (time - trend->time) * (time - trend->time);
}

static double product(const Trend *trend, double time, double x)
{
    return (time - trend->time) * (x - trend->mean);
}

static void detrend_run(const void *how, const HaloSequencePart *part)
{
    const double *x = part->src[0]->at[0];
    const int64_t n = part->src[0]->width;
    Trend trend = {0};
    trend.count = sum_of(x, n, one, &trend);
    trend.mean = sum_of(x, n, value_of, &trend) / trend.count;
    if (*(const bool *)how) {
        trend.time = sum_of(x, n, time_of, &trend) / trend.count;
        const double squares = sum_of(x, n, square, &trend);
        if (squares > 0.0) trend.slope = sum_of(x, n, product, &trend) / squares;
    }
    for (int64_t i = 0; i < n; i++)
        part->dst->at[0][i] = (x[i] - trend.mean) - trend.slope * ((double)i - trend.time);
}

static void detrend_describe(const void *how, char *text, size_t size)
{
    snprintf(text, size, "subtract the %s", *(const bool *)how ? "line of least squares" : "mean");
}

static const HaloSequenceKind detrend = {.name = "detrend",
                                         .by_channel = true,
                                         .whole = true,
                                         .ns = 6.0,
                                         .describe = detrend_describe,
                                         .run = detrend_run};

static HaloStatus build_detrend(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    static const bool line[] = {true, false};
    return halo_build_sequence(builder, in, &detrend, &line[arg[0].integer], out);
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
