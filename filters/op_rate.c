/* rate: sound at another sample rate. */
#include <math.h>

#include "geometry.h"
#include "halo/resample.h"
#include "ops.h"

/* How far apart rates may be. */
#define MOST_RATIO 256

enum { RATE_RATE, RATE_BORDER };

/* `to` / `from` in lowest terms. Rates are integers, in hertz, or have a few decimals. */
static HaloStatus find_ratio(double from, double to, int64_t *up, int64_t *down)
{
    double times = 1.0;
    while (times < 1e6 && (from * times != rint(from * times) || to * times != rint(to * times))) times *= 10.0;
    *up = (int64_t)rint(to * times);
    *down = (int64_t)rint(from * times);
    const double ratio = to > from ? to / from : from / to,
                 middle = to > from ? to / MOST_RATIO : to * MOST_RATIO;
    if (ratio > MOST_RATIO && ratio <= (double)MOST_RATIO * MOST_RATIO)
        return halo_fail(HALO_ERR_USAGE,
                         "rate: %.10g Hz and %.10g Hz are more than %d times apart: go in two steps, "
                         "rate:%.10g | rate:%.10g%s",
                         from, to, MOST_RATIO, middle, to,
                         to < from ? "; or resample:INTERVAL,how=mean takes means" : "");
    if (*up < 1 || *down < 1 || to * times > 1e15 || from * times > 1e15 || ratio > MOST_RATIO)
        return halo_fail(HALO_ERR_USAGE,
                         "rate: %.10g Hz cannot be computed from %.10g Hz: they are too far apart", to, from);
    const int64_t common = halo_common_divisor(*up, *down);
    *up /= common;
    *down /= common;
    return HALO_OK;
}

static HaloStatus extend(HaloBuilder *builder, HaloBorder border, int64_t from, int64_t width, HaloReg *value)
{
    const HaloGather how = {
        .width = width, .height = 1, .x0 = from, .step_x = 1, .step_y = 1, .border = border};
    return halo_build_gather(builder, *value, &how, value);
}

static HaloStatus resample(HaloBuilder *builder, double rate, int64_t up, int64_t down, HaloReg *value)
{
    HaloStatus status = HALO_OK;
    HaloResample how = {.rate = rate};
    HALO_TRY(taps_rate(builder, halo_build_shape(builder, *value)->width, up, down, &how.x));
    HALO_TRY(taps_resample(builder, 1, 1, 1, RESAMPLE_NEAREST, &how.y, &how.for_y));
    HALO_TRY(halo_build_resample(builder, *value, &how, value));
out:
    return status;
}

/* Samples outside are 0, or those that the border makes: then the sound is longer while it is resampled. */
static HaloStatus build_rate(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    static const HaloBorder borders[] = {HALO_BORDER_ZERO, HALO_BORDER_REPLICATE, HALO_BORDER_MIRROR};
    const HaloBorder border = borders[arg[RATE_BORDER].integer];
    const double rate = arg[RATE_RATE].number;
    const int64_t width = halo_build_shape(builder, in)->width;
    int64_t up, down;
    *out = in;
    HALO_TRY(find_ratio(halo_build_shape(builder, in)->rate, rate, &up, &down));
    if (up == down) goto out;
    if (border == HALO_BORDER_ZERO) {
        HALO_TRY(resample(builder, rate, up, down, out));
        goto out;
    }
    if (halo_build_endless(builder, in)) halo_build_wants_length(builder);
    const int64_t margin = taps_rate_reach(up, down);
    HALO_TRY(extend(builder, border, -margin, width + 2 * margin, out));
    HALO_TRY(resample(builder, rate, up, down, out));
    HALO_TRY(extend(builder, border, margin / down * up, (width * up + down - 1) / down, out));
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
    {.key = "border",
     .type = HALO_PARAM_CHOICE,
     .preset = "zero",
     .choices = "zero|replicate|mirror",
     .help = "samples before the first and behind the last: 0, for sound; the nearest sample, or the samples "
             "mirrored, for series that do not begin and end at 0"},
};

const HaloOp halo_op_rate = {
    .name = "rate",
    .help = "resample to another sample rate, with zero delay",
    .synonyms = "aresample",
    .known_as = "resample resampling resample_poly src samplerate downsample downsampling upsample",
    .example = "rate:16k",
    .kinds = HALO_AUDIO,
    HALO_PARAMS(rate_param),
    .build = build_rate};
