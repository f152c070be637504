/* rate: sound at another sample rate. */
#include <math.h>

#include "geometry.h"
#include "ops.h"

/* How far apart rates may be. */
#define MOST_RATIO 256

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* `to` / `from` in lowest terms. Rates are integers, in hertz, or have a few decimals. */
static HaloStatus find_ratio(double from, double to, int64_t *up, int64_t *down)
{
    double times = 1.0;
    while (times < 1e6 && (from * times != rint(from * times) || to * times != rint(to * times))) times *= 10.0;
    *up = (int64_t)rint(to * times);
    *down = (int64_t)rint(from * times);
    if (*up < 1 || *down < 1 || to * times > 1e15 || from * times > 1e15 || to > from * MOST_RATIO ||
        from > to * MOST_RATIO)
        return halo_fail(HALO_ERR_USAGE,
                         "rate: %.10g Hz cannot be computed from %.10g Hz: they are too far apart", to, from);
    const int64_t common = common_divisor(*up, *down);
    *up /= common;
    *down /= common;
    return HALO_OK;
}

static HaloStatus build_rate(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = halo_build_shape(builder, in);
    HaloResample how = {.rate = arg[0].number};
    int64_t up, down;
    *out = in;
    HALO_TRY(find_ratio(shape->rate, how.rate, &up, &down));
    if (up == down) goto out;
    HALO_TRY(taps_rate(builder, shape->width, up, down, &how.x));
    HALO_TRY(taps_resample(builder, 1, 1, 1, RESAMPLE_NEAREST, &how.y, &how.for_y));
    HALO_TRY(halo_build_resample(builder, in, &how, out));
out:
    return status;
}

static const HaloParam rate_param[] = {
    {.key = "rate",
     .type = HALO_PARAM_FREQUENCY,
     .min = 1e-3,
     .max = 1e9,
     .unit = "Hz",
     .help = "new sample rate, such as 16k or 44100"},
};

const HaloOp halo_op_rate = {.name = "rate",
                             .help = "resample to another sample rate, with zero delay",
                             .synonyms = "aresample",
                             .known_as = "resample_poly src samplerate downsample upsample decimate",
                             .example = "rate:16k",
                             .kinds = HALO_AUDIO,
                             HALO_PARAMS(rate_param),
                             .build = build_rate};
