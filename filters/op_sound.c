/* envelope and preemphasis: what is done to a voice before it is measured. */
#include "filter.h"
#include "ops.h"
#include "taps.h"

static HaloStatus build_envelope(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloMap rectify = {.kind = HALO_MAP_POINTS, .points = 1, .point = {{.op = HALO_POINT_ABS}}};
    HaloReg rectified;
    int64_t window;
    HALO_TRY(filter_samples("envelope: window", &arg[0], &window));
    HALO_TRY(halo_build_map(builder, in, &rectify, &rectified));
    HALO_TRY(filter_means(builder, rectified, window, 1, out));
out:
    return status;
}

static HaloStatus build_preemphasis(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    double tap[2] = {-arg[0].number, 1.0};
    const HaloMask mask = {.width = 2, .height = 1, .anchor_x = 1, .scale = 1.0, .tap = tap};
    return filter_mask(builder, in, &mask, out);
}

static const HaloParam envelope_param[] = {
    {.key = "window",
     .type = HALO_PARAM_LENGTH,
     .preset = "10ms",
     .min = 1,
     .max = HALO_MASK_MAX_SIDE,
     .unit = "samples",
     .help = "full width of the moving average over the magnitudes"},
};

static const HaloParam preemphasis_param[] = {
    {.key = "factor",
     .type = HALO_PARAM_NUMBER,
     .preset = "0.97",
     .min = 0,
     .max = 1,
     .help = "factor of the previous sample, which is subtracted; border=zero starts from silence"},
};

const HaloOp halo_op_envelope = {.name = "envelope",
                                 .help = "moving average of the magnitude, centred: no delay",
                                 .known_as = "follower hilbert compand",
                                 .example = "envelope:20ms",
                                 .kinds = HALO_AUDIO,
                                 .filter = true,
                                 HALO_PARAMS(envelope_param),
                                 .build = build_envelope};

const HaloOp halo_op_preemphasis = {.name = "preemphasis",
                                    .help = "raise the treble: x(n) - factor x(n-1)",
                                    .known_as = "emphasis diff difference aemphasis",
                                    .example = "preemphasis:0.97",
                                    .kinds = HALO_AUDIO,
                                    .filter = true,
                                    HALO_PARAMS(preemphasis_param),
                                    .build = build_preemphasis};
