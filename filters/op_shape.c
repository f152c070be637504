/* disk and motion: blurs in the shape of a lens out of focus, and of a camera that moved. */
#include "filter.h"
#include "ops.h"
#include "taps.h"

/* Dense masks: twice the size is four times the work. */
#define DISK_MAX 256
#define MOTION_MAX 513

static HaloStatus build_disk(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloMask mask = {0};
    HALO_TRY(taps_disk(arg[0].number, &mask));
    HALO_TRY(filter_mask(builder, in, &mask, out));
out:
    halo_mask_free(&mask);
    return status;
}

static HaloStatus build_motion(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloMask mask = {0};
    HALO_TRY(taps_motion(arg[0].number, arg[1].number, &mask));
    HALO_TRY(filter_mask(builder, in, &mask, out));
out:
    halo_mask_free(&mask);
    return status;
}

static const HaloParam disk_param[] = {
    {.key = "radius",
     .type = HALO_PARAM_LENGTH,
     .min = 0.5,
     .max = DISK_MAX,
     .unit = "pixels",
     .help = "radius, may be fractional; pixels on the edge are weighted by their area inside"},
};

static const HaloParam motion_param[] = {
    {.key = "length",
     .type = HALO_PARAM_LENGTH,
     .min = 1,
     .max = MOTION_MAX,
     .unit = "pixels",
     .help = "length of the blur, both ends included"},
    {.key = "angle",
     .type = HALO_PARAM_NUMBER,
     .preset = "0",
     .min = -360,
     .max = 360,
     .unit = "degrees",
     .help = "direction, counter-clockwise; 0 is horizontal"},
};

const HaloOp halo_op_disk = {.name = "disk",
                             .help = "mean over a disk: defocus blur",
                             .known_as = "blur bokeh defocus",
                             .example = "disk:3.5",
                             .kinds = HALO_IMAGE,
                             .filter = true,
                             HALO_PARAMS(disk_param),
                             .build = build_disk};

const HaloOp halo_op_motion = {.name = "motion",
                               .help = "mean along a line: motion blur",
                               .synonyms = "motionblur",
                               .example = "motion:length=15,angle=30",
                               .upright = true,
                               .kinds = HALO_IMAGE,
                               .filter = true,
                               HALO_PARAMS(motion_param),
                               .build = build_motion};
