/* normalize: stretch the samples to a range, by the minimum and maximum, or by percentiles, of all colour
 * channels, or make sound as loud as it may be; and levels, where the range is given. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "filter.h"
#include "halo/numerics.h"
#include "halo/text.h"
#include "ops.h"

/* The f32 scale of smallest magnitude that takes `span` to `max` or beyond it, where the clamp makes it `max`.
 */
static float reaching(float scale, float span, float min, float max)
{
    if (min < max)
        while (halo_fma(span, scale, min) < max) scale = nextafterf(scale, INFINITY);
    if (min > max)
        while (halo_fma(span, scale, min) > max) scale = nextafterf(scale, -INFINITY);
    return scale;
}

/* The same of f64. */
static double reaching_wide(double scale, double span, double min, double max)
{
    if (min < max)
        while (halo_fma_f64(span, scale, min) < max) scale = nextafter(scale, (double)INFINITY);
    if (min > max)
        while (halo_fma_f64(span, scale, min) > max) scale = nextafter(scale, -(double)INFINITY);
    return scale;
}

/* `resolve` in f64; what is farther apart than f64 reaches is not stretched. */
static void resolve_wide(HaloMap *map, double lowest, double highest, const double range[2])
{
    const double min = range[0], max = range[1], least = lowest + 0.0, span = highest - least;
    map->points = 0;
    if (!(span > 0.0) || !isfinite(span) || !isfinite((max - min) / span)) {
        map->point[map->points++] = (HaloPoint){HALO_POINT_FMA, 0.0, min};
        return;
    }
    map->point[map->points++] = (HaloPoint){HALO_POINT_ADD, -least, 0.0};
    map->point[map->points++] =
        (HaloPoint){HALO_POINT_FMA, reaching_wide((max - min) / span, span, min, max), min};
    map->point[map->points++] = (HaloPoint){HALO_POINT_CLAMP, min < max ? min : max, min < max ? max : min};
}

/* v becomes (v - lowest) * scale + min, clamped to [min, max]. The lowest sample becomes exactly min, since its
 * difference is 0; the highest becomes max, since the scale is never too small. Where there is nothing
 * to stretch (one value, or no finite range) finite samples become min. resolve_arg holds min and max. */
static HaloStatus resolve(HaloStep *step, const HaloResult *measured)
{
    HaloStatus status = HALO_OK;
    const HaloStats *all = &measured->all;
    HaloMap *map = &step->u.map;
    const bool ranked = measured->detail.percents == 2;
    const double lowest = ranked ? all->percentile[0] : all->min,
                 highest = ranked ? all->percentile[1] : all->max;
    const double range = highest - lowest;
    const float part = range > FLT_MAX ? 0x1p-32f : 1.0f; /* of what is beyond f32, or has a scale below it */
    const float least = (float)lowest * part + 0.0f; /* no -0: which of equal zeros came first does not show */
    const float span = (float)highest * part - least;
    float min, max, scale;
    HALO_TRY(filter_f32("normalize: min", step->resolve_arg[0], &min));
    HALO_TRY(filter_f32("normalize: max", step->resolve_arg[1], &max));
    if (measured->shape.dtype == HALO_F64) {
        resolve_wide(map, lowest, highest, step->resolve_arg);
        goto out;
    }
    map->points = 0;
    if (!(range > 0.0) || !isfinite(range)) {
        map->point[map->points++] = (HaloPoint){HALO_POINT_FMA, 0.0f, min};
        goto out;
    }
    HALO_TRY(filter_f32("normalize: scale", ((double)max - (double)min) / (double)span, &scale));
    scale = reaching(scale, span, min, max);
    if (part != 1.0f) map->point[map->points++] = (HaloPoint){HALO_POINT_MUL, part, 0.0f};
    map->point[map->points++] = (HaloPoint){HALO_POINT_ADD, -least, 0.0f};
    map->point[map->points++] = (HaloPoint){HALO_POINT_FMA, scale, min};
    map->point[map->points++] = (HaloPoint){HALO_POINT_CLAMP, min < max ? min : max, min < max ? max : min};
out:
    return status;
}

/* "1,99" */
static HaloStatus read_pair(const char *where, const char *text, double percent[2])
{
    const char *end = text;
    for (int i = 0; i < 2; i++) {
        const char *at = end + strspn(end, " \t,");
        if (!halo_read_number(at, &percent[i], &end) || !(percent[i] >= 0 && percent[i] <= 100)) end = "?";
        if (*end != 0 && strchr(" \t,", *end) == NULL) break;
    }
    if (*end != 0 || !(percent[0] < percent[1]))
        return halo_fail(HALO_ERR_USAGE,
                         "%s: expected two numbers from 0 to 100, the lower first, such as 1,99, found '%.40s'",
                         where, text);
    return HALO_OK;
}

static HaloStatus check_pair(const char *where, const char *text)
{
    double percent[2] = {0, 0};
    return read_pair(where, text, percent);
}

/* `resolve_peak` in f64. */
static double peak_scale(double peak, double largest)
{
    double scale = peak / largest;
    if (!(largest > 0.0) || !isfinite(largest) || !isfinite(scale)) return 1.0;
    while (largest * scale > peak) scale = nextafter(scale, 0.0);
    return scale;
}

/* Sound keeps its zero: v becomes v * scale, where the scale is the greatest f32, up to f32(peak / largest),
 * that takes the sample of largest magnitude no further than the peak, resolve_arg[0]. Silence stays, as does
 * what has no largest sample.
 */
static HaloStatus resolve_peak(HaloStep *step, const HaloResult *measured)
{
    HaloStatus status = HALO_OK;
    const HaloStats *all = &measured->all;
    HaloPoint *point = &step->u.map.point[0];
    const double largest = fmax(fabs(all->min), fabs(all->max)); /* of no sample but NaN: NaN */
    float peak, scale = 1.0f;
    HALO_TRY(filter_f32("normalize: peak", step->resolve_arg[0], &peak));
    if (measured->shape.dtype == HALO_F64) {
        *point = (HaloPoint){HALO_POINT_MUL, peak_scale(step->resolve_arg[0], largest), 0.0};
        goto out;
    }
    if (largest > 0.0 && isfinite(largest))
        HALO_TRY(filter_f32("normalize: scale", (double)peak / largest, &scale));
    while (largest > 0.0 && isfinite(largest) && (float)largest * scale > peak) scale = nextafterf(scale, 0.0f);
    *point = (HaloPoint){HALO_POINT_MUL, scale, 0.0f};
out:
    return status;
}

enum { NORMALIZE_MIN, NORMALIZE_MAX, NORMALIZE_PERCENTILES, NORMALIZE_PEAK };

static HaloStatus build_normalize(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = halo_build_shape(builder, in);
    const bool ranged =
        arg[NORMALIZE_MIN].given || arg[NORMALIZE_MAX].given || arg[NORMALIZE_PERCENTILES].given;
    const HaloMap gain = {.kind = HALO_MAP_POINTS, .points = 1, .point = {{.op = HALO_POINT_MUL}}};
    const HaloMap map = {.kind = HALO_MAP_POINTS,
                         .points = 3,
                         .point = {{.op = HALO_POINT_ADD}, {.op = HALO_POINT_FMA}, {.op = HALO_POINT_CLAMP}}};
    const double max = arg[NORMALIZE_MAX].given ? arg[NORMALIZE_MAX].number : (double)shape->white;
    const double range[2] = {arg[NORMALIZE_MIN].number, max}, peak[2] = {arg[NORMALIZE_PEAK].number, 0.0};
    HaloDetail detail = {0};
    if (arg[NORMALIZE_PEAK].given && (shape->kind != HALO_AUDIO || ranged))
        HALO_FAIL(HALO_ERR_USAGE, "normalize: peak is for sound, without min, max and percentiles");
    if (shape->kind == HALO_AUDIO && !ranged)
        return halo_build_map_from_stats(builder, in, &gain, HALO_WANT_EXTREMES, NULL, resolve_peak, peak, out);
    if (shape->kind == HALO_AUDIO && !arg[NORMALIZE_MAX].given && !arg[NORMALIZE_MIN].percent && range[0] < 0)
        HALO_FAIL(HALO_ERR_USAGE, "normalize: %g needs a unit: %gdB for the peak; as min it needs max, too",
                  range[0], range[0]);
    if (arg[NORMALIZE_PERCENTILES].given) {
        HALO_TRY(read_pair("normalize: percentiles", arg[NORMALIZE_PERCENTILES].text, detail.percent));
        detail.percents = 2;
    }
    const bool scaled = shape->kind == HALO_IMAGE && shape->numbers && arg[NORMALIZE_MAX].given &&
                        !arg[NORMALIZE_MAX].percent && max > 0;
    HALO_TRY(halo_build_map_from_stats(builder, in, &map, HALO_WANT_EXTREMES,
                                       detail.percents > 0 ? &detail : NULL, resolve, range, out));
    if (scaled) halo_build_set_scale(builder, *out, (float)max);
out:
    return status;
}

static const HaloParam normalize_param[] = {
    {.key = "min",
     .type = HALO_PARAM_LEVEL,
     .preset = "0",
     .of_result = true,
     .help = "what the minimum becomes"},
    {.key = "max",
     .type = HALO_PARAM_LEVEL,
     .preset = "",
     .of_result = true,
     .help = "what the maximum becomes; default: full scale"},
    {.key = "percentiles",
     .type = HALO_PARAM_TEXT,
     .list = 2,
     .preset = "",
     .help =
         "two percentiles instead of the minimum and maximum, such as 1,99; samples beyond them are clipped",
     .check = check_pair},
    {.key = "peak",
     .type = HALO_PARAM_FACTOR,
     .preset = "-1dB",
     .min = 1e-9,
     .max = 1e9,
     .help = "for sound, without min and max: the peak, relative to full scale; 0 stays 0"},
};

const HaloOp halo_op_normalize = {.name = "normalize",
                                  .help = "stretch the samples to a range; sound to a peak",
                                  .synonyms = "normalise",
                                  .known_as = "contrast stretch autolevel autocontrast level norm "
                                              "rescale",
                                  .example = "normalize",
                                  .scale = HALO_SCALE_SETS,
                                  .kinds = HALO_IMAGE | HALO_AUDIO,
                                  HALO_PARAMS(normalize_param),
                                  .build = build_normalize};

/* ---- levels --------------------------------------------------------------------------------------------- */

/* As normalize, to 0 and full scale, and a power behind it. */
static HaloStatus build_levels(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const float full = halo_build_shape(builder, in)->white;
    HaloMap map = {.kind = HALO_MAP_POINTS, .points = arg[2].number == 1.0 ? 3 : 4};
    float black, white, scale, power;
    HALO_TRY(filter_f32("levels: black", arg[0].number, &black));
    HALO_TRY(filter_f32("levels: white", arg[1].number, &white));
    if (!(black < white))
        HALO_FAIL(HALO_ERR_USAGE, "levels: black (%g) has to be below white (%g)", (double)black,
                  (double)white);
    const float span = white - black;
    HALO_TRY(filter_f32("levels: scale", (double)full / (double)span, &scale));
    HALO_TRY(filter_f32("levels: gamma", 1.0 / arg[2].number, &power));
    map.point[0] = (HaloPoint){HALO_POINT_ADD, -black, 0.0f};
    map.point[1] = (HaloPoint){HALO_POINT_MUL, reaching(scale, span, 0.0f, full), 0.0f};
    map.point[2] = (HaloPoint){HALO_POINT_CLAMP, 0.0f, full};
    map.point[3] = (HaloPoint){HALO_POINT_POWER, power, full};
    HALO_TRY(halo_build_map(builder, in, &map, out));
out:
    return status;
}

static const HaloParam levels_param[] = {
    {.key = "black", .type = HALO_PARAM_LEVEL, .preset = "0", .help = "what is at or below it becomes 0"},
    {.key = "white",
     .type = HALO_PARAM_LEVEL,
     .preset = "100%",
     .help = "what is at or above it becomes full scale"},
    {.key = "gamma",
     .type = HALO_PARAM_NUMBER,
     .preset = "1",
     .min = 0.01,
     .max = 100,
     .help = "above 1 brightens what lies between them"},
};

const HaloOp halo_op_levels = {.name = "levels",
                               .help = "stretch what lies between black and white, with a gamma",
                               .known_as = "level curves contrast window",
                               .example = "levels:5%,90%,1.2",
                               .scale = HALO_SCALE_SETS,
                               .kinds = HALO_IMAGE,
                               HALO_PARAMS(levels_param),
                               .build = build_levels};
