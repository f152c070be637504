/* ewma: the exponentially weighted mean, as pandas has it. */
#include <math.h>

#include "filter.h"
#include "halo/sequence.h"
#include "halo/text.h"
#include "ops.h"

enum { EWMA_SPAN, EWMA_ALPHA, EWMA_HALFLIFE, EWMA_ADJUST };

typedef struct Ewma {
    double alpha;
    bool adjust;
} Ewma;

/* Zeros: nothing was seen yet. */
typedef struct EwmaState {
    double mean, weight; /* the mean so far, and the weight of it against that of the next sample */
    bool started;
} EwmaState;

static int64_t state_bytes(const void *how, const HaloShape *src)
{
    (void)how, (void)src;
    return sizeof(EwmaState);
}

/* A NaN is left out: the mean stays, and its weight fades. */
static void add(const Ewma *how, EwmaState *state, double v)
{
    const double weight = how->adjust ? 1.0 : how->alpha;
    if (!state->started) {
        if (isnan(v)) return;
        *state = (EwmaState){v, 1.0, true};
        return;
    }
    state->weight = state->weight * (1.0 - how->alpha);
    if (isnan(v)) return;
    if (v != state->mean) state->mean = (state->weight * state->mean + weight * v) / (state->weight + weight);
    state->weight = how->adjust ? state->weight + weight : 1.0;
}

static void run(const void *how, const HaloSequencePart *part)
{
    const double *x = part->src[0]->at[0];
    double *y = part->dst->at[0];
    EwmaState state = *(EwmaState *)part->state;
    for (int64_t i = 0; i < part->dst->to - part->dst->from; i++) {
        add(how, &state, x[i]);
        y[i] = state.started ? state.mean : NAN;
    }
    *(EwmaState *)part->state = state;
}

static void describe(const void *how, char *text, size_t size)
{
    halo_snprintf(text, size, "exponentially weighted mean, alpha %.6g", ((const Ewma *)how)->alpha);
}

static const HaloSequenceKind ewma = {
    .name = "ewma", .by_channel = true, .state = state_bytes, .ns = 6.0, .describe = describe, .run = run};

static HaloStatus build_ewma(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    Ewma *how = halo_build_keep(builder, sizeof *how);
    if (how == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    if (arg[EWMA_SPAN].given + arg[EWMA_ALPHA].given + arg[EWMA_HALFLIFE].given != 1)
        HALO_FAIL(HALO_ERR_USAGE, "ewma: give one of span, alpha and halflife, such as ewma:span=20");
    how->adjust = arg[EWMA_ADJUST].integer != 0;
    how->alpha = arg[EWMA_ALPHA].number;
    if (arg[EWMA_SPAN].given) how->alpha = 2.0 / (arg[EWMA_SPAN].number + 1.0);
    if (arg[EWMA_HALFLIFE].given) how->alpha = 1.0 - exp2(-1.0 / arg[EWMA_HALFLIFE].number);
    HALO_TRY(halo_build_rising(builder, in));
    HALO_TRY(halo_build_sequence(builder, in, &ewma, how, out));
out:
    return status;
}

static const HaloParam ewma_param[] = {
    [EWMA_SPAN] = {.key = "span",
                   .type = HALO_PARAM_LENGTH,
                   .preset = "",
                   .min = 1,
                   .max = 1e12,
                   .unit = "samples",
                   .help = "alpha is 2 / (span + 1): as smooth as a mean of this many samples"},
    [EWMA_ALPHA] =
        {.key = "alpha",
         .type = HALO_PARAM_NUMBER,
         .preset = "",
         .min = 1e-12,
         .max = 1,
         .help =
             "weight of the newest sample; each older one weighs 1 - alpha times the next. Give span, alpha or "
             "halflife"},
    [EWMA_HALFLIFE] = {.key = "halflife",
                       .type = HALO_PARAM_LENGTH,
                       .preset = "",
                       .min = 1e-3,
                       .max = 1e12,
                       .unit = "samples",
                       .help = "after how many samples a weight has fallen to half"},
    [EWMA_ADJUST] =
        {.key = "adjust",
         .type = HALO_PARAM_SWITCH,
         .preset = "1",
         .help = "1: divide by the sum of the weights so far; 0: the first sample counts as the mean of "
                 "all before it"},
};

const HaloOp halo_op_ewma = {.name = "ewma",
                             .help = "exponentially weighted mean of the samples so far; NaN is left out",
                             .known_as = "ewm exponential moving average ema smoothing leaky integrator",
                             .example = "ewma:span=20",
                             .kinds = HALO_AUDIO,
                             HALO_PARAMS(ewma_param),
                             .build = build_ewma};
