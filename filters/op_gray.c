/* gray: colours to luminance. */
#include "ops.h"

static const float weights[][3] = {
    {.2126f, .7152f, .0722f}, /* ITU-R BT.709 */
    {.299f, .587f, .114f},    /* ITU-R BT.601 */
    {1.0f / 3.0f, 1.0f / 3.0f, 1.0f / 3.0f},
};

static HaloStatus build_gray(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    const HaloShape *shape = halo_build_shape(builder, in);
    const int colours = shape->channels - (shape->alpha >= 0);
    const float *w = weights[arg[0].integer];
    const HaloMap map = {.kind = HALO_MAP_GRAY, .w = {w[0], w[1], w[2]}};
    *out = in;
    if (colours == 1) return HALO_OK; /* it is gray already */
    if (colours != 3)
        return halo_fail(HALO_ERR_INPUT, "gray needs red, green and blue, but the image has %d channels",
                         shape->channels);
    return halo_build_map(builder, in, &map, out);
}

static const HaloParam gray_param[] = {
    {.key = "weights",
     .type = HALO_PARAM_CHOICE,
     .preset = "709",
     .choices = "709|601|mean",
     .help = "of red, green and blue: ITU-R BT.709, BT.601, or a third each"},
};

const HaloOp halo_op_gray = {.name = "gray",
                             .help = "colour to gray",
                             .synonyms = "grayscale greyscale grey desaturate",
                             .known_as = "monochrome",
                             .example = "gray",
                             .kinds = HALO_IMAGE,
                             HALO_PARAMS(gray_param),
                             .build = build_gray};
