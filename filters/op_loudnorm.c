/* loudnorm: sound as loud as others, by a plain gain. */
#include <math.h>

#include "filter.h"
#include "halo/notes.h"
#include "ops.h"

enum { LOUDNORM_TARGET, LOUDNORM_PEAK };

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

static HaloStatus build_loudnorm(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    const HaloMap gain = {.kind = HALO_MAP_POINTS, .points = 1, .point = {{.op = HALO_POINT_MUL}}};
    const double wanted[2] = {arg[LOUDNORM_TARGET].number, arg[LOUDNORM_PEAK].number};
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
};

const HaloOp halo_op_loudnorm = {.name = "loudnorm",
                                 .help = "normalize the loudness to a value in LUFS, by a constant gain",
                                 .known_as = "replaygain ebur128 r128 loudness level normalize",
                                 .example = "loudnorm:-16",
                                 .kinds = HALO_AUDIO,
                                 HALO_PARAMS(loudnorm_param),
                                 .build = build_loudnorm};
