/* loudnorm: sound as loud as others, by a plain gain, or by a gain and a limiter. */
#include <math.h>

#include "filter.h"
#include "halo/notes.h"
#include "limiter.h"
#include "ops.h"

enum { LOUDNORM_TARGET, LOUDNORM_PEAK, LOUDNORM_LIMIT };

/* v becomes v * gain: what takes its loudness to resolve_arg[0] LUFS, or just its true peak to resolve_arg[1].
 * What has no loudness, such as silence, stays. */
static HaloStatus resolve(HaloStep *step, const HaloResult *measured)
{
    HaloStatus status = HALO_OK;
    const HaloLoudness *loudness = &measured->loudness;
    double gain = 1.0;
    if (loudness->unknown != NULL)
        HALO_FAIL(HALO_ERR_INPUT, "loudnorm: the loudness cannot be measured: %s", loudness->unknown);
    if (isfinite(loudness->integrated)) {
        const double wanted = step->resolve_arg[0] - loudness->integrated;
        const double most = 20.0 * log10(step->resolve_arg[1]) - loudness->true_peak, less = wanted - most;
        HALO_TRY(filter_number("loudnorm: gain", pow(10.0, (less > 0 ? most : wanted) / 20.0), &gain));
        if (less > 0) {
            halo_note(step->notes, HALO_NOTE_QUIETER, 1);
            step->notes->quieter = (float)less;
        }
    } else {
        halo_note(step->notes, HALO_NOTE_NO_LOUDNESS, 1);
    }
    step->u.map.points = 1;
    step->u.map.point[0] = (HaloPoint){HALO_POINT_MUL, gain, 0.0f};
out:
    return status;
}

/* ---- with a limiter ------------------------------------------------------------------------------------- */

/* A limiter takes away what depends on the sound, so gains are tried, each in an analysis pass, until the
 * loudness is as close as this. */
#define CLOSE_LU 0.03
#define MOST_TRIES 8
#define MOST_STEP 20.0
#define BEYOND 0.6

/* A gain in decibels, and the loudness that it led to. */
typedef struct Try {
    double gain, loudness;
} Try;

static HaloStatus amplify(HaloBuilder *builder, double gain, double peak, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloMap map = {.kind = HALO_MAP_POINTS, .points = 1, .point = {{.op = HALO_POINT_MUL}}};
    const double rate = halo_build_shape(builder, in)->rate;
    const LimiterParams params = {.limit = peak,
                                  .ahead = (int64_t)(rate * LIMITER_USUAL_AHEAD + 0.5),
                                  .release = rate * LIMITER_USUAL_RELEASE};
    HALO_TRY(filter_number("loudnorm: gain", pow(10.0, gain / 20.0), &map.point[0].a));
    HALO_TRY(halo_build_map(builder, in, &map, out));
    HALO_TRY(limiter_append(builder, &params, *out, out));
out:
    return status;
}

/* The gain that leads to the target on the line through the last two tries. The slope falls as the gain grows,
 * so that beyond both it is taken to be less. */
static double next_gain(double target, Try before, Try last)
{
    const bool beyond = fmax(before.loudness, last.loudness) < target;
    const double line = (last.loudness - before.loudness) / (last.gain - before.gain),
                 slope = beyond ? BEYOND * line : line;
    const double step = (target - last.loudness) / (slope > 0.05 ? fmin(slope, 1.0) : 0.05);
    return last.gain + fmax(-MOST_STEP, fmin(step, MOST_STEP));
}

/* The loudness in LUFS of the next pass; NULL: it has to run first. */
static HaloStatus next_loudness(HaloBuilder *builder, const HaloLoudness **found)
{
    HaloStatus status = HALO_OK;
    HALO_TRY(halo_build_loudness_found(builder, found));
    if (*found != NULL && (*found)->unknown != NULL)
        HALO_FAIL(HALO_ERR_INPUT, "loudnorm: the loudness cannot be measured: %s", (*found)->unknown);
out:
    return status;
}

static HaloStatus build_limited(HaloBuilder *builder, double target, double peak, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloLoudness *found;
    Try best = {0}, before, last;
    HALO_TRY(next_loudness(builder, &found));
    if (found == NULL) return halo_build_loudness_pass(builder, in);
    const bool silent = !isfinite(found->integrated);
    if (silent) HALO_TRY(halo_build_note(builder, HALO_NOTE_NO_LOUDNESS, 0.0));
    before = last = best = (Try){0.0, silent ? target : found->integrated};
    for (int i = 0; i < MOST_TRIES && (i == 0 ? !silent : fabs(target - best.loudness) > CLOSE_LU); i++) {
        const double gain = i == 0 ? target - last.loudness : next_gain(target, before, last);
        HALO_TRY(next_loudness(builder, &found));
        if (found == NULL) {
            HALO_TRY(amplify(builder, gain, peak, in, out));
            return halo_build_loudness_pass(builder, *out);
        }
        before = last;
        last = (Try){gain, found->integrated};
        if (i == 0 || fabs(target - last.loudness) < fabs(target - best.loudness)) best = last;
    }
    if (target - best.loudness > 0.1)
        HALO_TRY(halo_build_note(builder, HALO_NOTE_QUIETER, target - best.loudness));
    HALO_TRY(amplify(builder, best.gain, peak, in, out));
out:
    return status;
}

static HaloStatus build_loudnorm(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    const HaloMap gain = {.kind = HALO_MAP_POINTS, .points = 1, .point = {{.op = HALO_POINT_MUL}}};
    const double wanted[2] = {arg[LOUDNORM_TARGET].number, arg[LOUDNORM_PEAK].number};
    if (arg[LOUDNORM_LIMIT].integer) return build_limited(builder, wanted[0], wanted[1], in, out);
    return halo_build_map_from_loudness(builder, in, &gain, resolve, wanted, out);
}

static const HaloParam loudnorm_param[] = {
    [LOUDNORM_TARGET] = {.key = "target",
                         .type = HALO_PARAM_NUMBER,
                         .preset = "-23",
                         .min = -70,
                         .max = 0,
                         .unit = "LUFS",
                         .help = "integrated loudness (ITU-R BS.1770, EBU R 128)"},
    [LOUDNORM_PEAK] =
        {.key = "peak",
         .type = HALO_PARAM_FACTOR,
         .preset = "-1dB",
         .min = 1e-3,
         .max = 10,
         .help = "limit of the true peak, relative to full scale; the gain is reduced to meet it, with a note"},
    [LOUDNORM_LIMIT] = {.key = "limit",
                        .type = HALO_PARAM_SWITCH,
                        .preset = "0",
                        .help =
                            "1: a limiter, as that of `limit`, meets the peak, and the target is reached; the "
                            "sound is read several times"},
};

const HaloOp halo_op_loudnorm = {
    .name = "loudnorm",
    .help = "normalize the loudness to a value in LUFS, by a constant gain, or a limiter, too",
    .known_as = "replaygain ebur128 r128 loudness level normalize agc",
    .example = "loudnorm:-16",
    .kinds = HALO_AUDIO,
    HALO_PARAMS(loudnorm_param),
    .build = build_loudnorm};
