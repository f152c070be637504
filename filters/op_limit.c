/* limit: true peaks at most as high as a limit. */
#include "limiter.h"
#include "ops.h"

enum { LIMIT_LIMIT, LIMIT_AHEAD, LIMIT_RELEASE };

static HaloStatus build_limit(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    const LimiterParams params = {.limit = arg[LIMIT_LIMIT].number,
                                  .ahead = (int64_t)arg[LIMIT_AHEAD].number,
                                  .release = arg[LIMIT_RELEASE].number};
    return limiter_append(builder, &params, in, out);
}

static const HaloParam limit_param[] = {
    [LIMIT_LIMIT] = {.key = "limit",
                     .type = HALO_PARAM_FACTOR,
                     .preset = "-1dB",
                     .min = 1e-3,
                     .max = 10,
                     .help = "greatest true peak, relative to full scale"},
    [LIMIT_AHEAD] = {.key = "lookahead",
                     .type = HALO_PARAM_LENGTH,
                     .duration = true,
                     .preset = "5ms",
                     .min = 1,
                     .max = LIMITER_MOST_AHEAD,
                     .help = "time in which the gain falls before a peak"},
    [LIMIT_RELEASE] = {.key = "release",
                       .type = HALO_PARAM_LENGTH,
                       .duration = true,
                       .preset = "50ms",
                       .min = 1,
                       .max = 1e9,
                       .help = "time in which a reduction in decibels falls to 37% behind a peak"},
};

const HaloOp halo_op_limit = {.name = "limit",
                              .help = "limit the true peak of sound, with look-ahead; channels are linked",
                              .known_as = "limiter alimiter brickwall maximizer true peak ceiling clipping",
                              .example = "limit:-1dB",
                              .kinds = HALO_AUDIO,
                              HALO_PARAMS(limit_param),
                              .build = build_limit};
