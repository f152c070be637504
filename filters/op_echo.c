/* echo: sound and its repetitions. */
#include <stdio.h>

#include "halo/sequence.h"
#include "halo/text.h"
#include "ops.h"

enum { ECHO_DELAY, ECHO_GAIN, ECHO_REPEATS, ECHO_MIX, ECHO_TAIL };

#define MOST_REPEATS 100
/* Of sound that is kept for repetitions. */
#define MOST_SECONDS 600.0

typedef struct Echo {
    int64_t delay, repeats, tail;
    double gain[MOST_REPEATS + 1];
    double rate;
} Echo;

static HaloStatus shape(const void *how, const HaloShape *src, HaloShape *dst)
{
    dst->width = src->width + ((const Echo *)how)->tail;
    return HALO_OK;
}

/* The last delay * repeats samples: that of frame n at n % (delay * repeats). */
static int64_t state_bytes(const void *how, const HaloShape *src)
{
    const Echo *echo = how;
    (void)src;
    return echo->delay * echo->repeats * (int64_t)sizeof(double);
}

static void run(const void *how, const HaloSequencePart *part)
{
    const Echo *echo = how;
    const HaloSequenceLines *src = part->src[0];
    const int64_t size = echo->delay * echo->repeats;
    double *before = part->state;
    for (int64_t n = part->dst->from, at = n % size; n < part->dst->to; n++) {
        const double now = n < src->width ? src->at[0][n - src->from] : 0.0;
        double sum = now;
        int64_t back = at;
        for (int64_t k = 1; k <= echo->repeats; k++) {
            back = back < echo->delay ? back - echo->delay + size : back - echo->delay;
            sum += echo->gain[k] * before[back];
        }
        part->dst->at[0][n - part->dst->from] = sum;
        before[at] = now;
        at = at + 1 < size ? at + 1 : 0;
    }
}

static void describe(const void *how, char *text, size_t size)
{
    const Echo *echo = how;
    halo_snprintf(text, size, "%lld echo%s, %.4g ms apart", (long long)echo->repeats,
                  echo->repeats == 1 ? "" : "es", 1000.0 * (double)echo->delay / echo->rate);
}

static const HaloSequenceKind kind = {.name = "echo",
                                      .by_channel = true,
                                      .shape = shape,
                                      .state = state_bytes,
                                      .ns = 5.0,
                                      .describe = describe,
                                      .run = run};

static HaloStatus build_echo(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    Echo *how = halo_build_keep(builder, sizeof *how);
    if (how == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    *how = (Echo){.delay = (int64_t)arg[ECHO_DELAY].number,
                  .repeats = arg[ECHO_REPEATS].integer,
                  .rate = halo_build_shape(builder, in)->rate};
    if ((double)(how->delay * how->repeats) > how->rate * MOST_SECONDS)
        HALO_FAIL(HALO_ERR_USAGE, "echo: %lld repeats of %.4g s are longer than %g s", (long long)how->repeats,
                  (double)how->delay / how->rate, MOST_SECONDS);
    how->tail = arg[ECHO_TAIL].integer != 0 ? how->delay * how->repeats : 0;
    double gain = arg[ECHO_MIX].number;
    for (int64_t k = 1; k <= how->repeats; k++) how->gain[k] = gain = gain * arg[ECHO_GAIN].number;
    HALO_TRY(halo_build_sequence(builder, in, &kind, how, out));
out:
    return status;
}

static const HaloParam echo_param[] = {
    [ECHO_DELAY] = {.key = "delay",
                    .type = HALO_PARAM_LENGTH,
                    .duration = true,
                    .preset = "300ms",
                    .min = 1,
                    .max = 1e9,
                    .help = "time between repetitions"},
    [ECHO_GAIN] = {.key = "gain",
                   .type = HALO_PARAM_FACTOR,
                   .preset = "-6dB",
                   .min = -10,
                   .max = 10,
                   .help = "of each repetition, against the one before it"},
    [ECHO_REPEATS] = {.key = "repeats",
                      .type = HALO_PARAM_INTEGER,
                      .preset = "1",
                      .min = 1,
                      .max = MOST_REPEATS,
                      .help = "number of repetitions"},
    [ECHO_MIX] = {.key = "mix",
                  .type = HALO_PARAM_FACTOR,
                  .preset = "100%",
                  .min = 0,
                  .max = 10,
                  .help = "gain of all repetitions"},
    [ECHO_TAIL] = {.key = "tail",
                   .type = HALO_PARAM_SWITCH,
                   .preset = "0",
                   .help = "1: the result is longer than the input, by the repetitions of its end"},
};

const HaloOp halo_op_echo = {.name = "echo",
                             .help = "repeat sound after a delay, once or several times, ever quieter",
                             .known_as = "aecho echos delay reverb repeat",
                             .example = "echo:300ms,gain=-6dB",
                             .kinds = HALO_AUDIO,
                             HALO_PARAMS(echo_param),
                             .build = build_echo};
