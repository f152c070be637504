/* Operations on two: what arrives here, and another picture or sound. */
#include "halo/op.h"
#include "ops.h"

/* Colours only: the alpha of `in` stays. */
static HaloStatus combine_colours(HaloBuilder *builder, HaloReg in, const HaloCombine *combine, HaloReg other,
                                  HaloReg *out)
{
    const HaloCombine keep_alpha = {.kind = HALO_COMBINE_COPY_ALPHA};
    const HaloStatus status = halo_build_combine(builder, in, other, combine, out);
    if (status != HALO_OK || halo_build_shape(builder, in)->alpha < 0) return status;
    return halo_build_combine(builder, *out, in, &keep_alpha, out);
}

static HaloStatus build_subtract(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    const HaloCombine difference = {.kind = HALO_COMBINE_ADD, .amount = -1.0f, .spread = true};
    HaloReg other;
    const HaloStatus status = halo_build_source(builder, &arg[0], in, &other);
    return status == HALO_OK ? combine_colours(builder, in, &difference, other, out) : status;
}

static const HaloParam with_param[] = {
    {.key = "with",
     .type = HALO_PARAM_SOURCE,
     .help =
         "of this size or one pixel, with as many channels or one; {dir}, {stem} and {name} stand for parts of"
         " the input's path; a [pipeline] starts from what arrives here"},
};

const HaloOp halo_op_subtract = {.name = "subtract",
                                 .help =
                                     "subtract another picture or sound, or what a pipeline makes of this one",
                                 .known_as = "minus dark background",
                                 .example = "subtract:[gauss:20]",
                                 .kinds = HALO_IMAGE | HALO_AUDIO,
                                 HALO_PARAMS(with_param),
                                 .build = build_subtract};
