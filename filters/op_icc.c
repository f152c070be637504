/* icc: samples of a profile become sRGB. */
#include <string.h>

#include "colours.h"
#include "filter.h"
#include "halo/changes.h"
#include "halo/color.h"
#include "halo/picture.h"
#include "halo/profile.h"
#include "ops.h"

/* Entries spread over full scale, whose values are multiplied by it. */
static HaloStatus build_table(HaloBuilder *builder, const HaloColor *like, const float *from, HaloReg in,
                              HaloReg *out)
{
    const double white = (double)halo_build_shape(builder, in)->white;
    const bool cube = like->kind == HALO_COLOR_CUBE;
    const int64_t size = like->size, entries = cube ? size * size * size : size * like->columns;
    HaloStep step = {.primitive = HALO_COLOR, .sources = 1, .src = {in}, .u.color = *like};
    float *value = halo_build_keep(builder, (size_t)entries * (cube ? 4 : 1) * sizeof *value);
    if (value == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for a profile");
    for (int64_t i = 0; i < entries; i++) {
        for (int c = 0; cube && c < 3; c++) value[4 * i + c] = (float)((double)from[3 * i + c] * white);
        if (cube)
            value[4 * i + 3] = 0.0f;
        else
            value[i] = (float)((double)from[i] * white);
    }
    step.u.color.value = value;
    for (int c = 0; c < 3; c++) step.u.color.scale[c] = (float)((double)(size - 1) / white);
    return halo_build_step(builder, &step, out);
}

static HaloStatus build_profile(HaloBuilder *builder, const HaloProfile *profile, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const float white = halo_build_shape(builder, in)->white;
    const HaloMap coded = {.kind = HALO_MAP_POINTS, .points = 1, .point = {{HALO_POINT_SRGB, white, 0.0}}};
    const HaloColor cube = {.kind = HALO_COLOR_CUBE, .size = HALO_PROFILE_CUBE, .columns = 3};
    const HaloColor curves = {
        .kind = HALO_COLOR_CURVES, .size = HALO_PROFILE_CURVE, .columns = profile->colours};
    if (profile->cube != NULL) return build_table(builder, &cube, profile->cube, in, out);
    HALO_TRY(build_table(builder, &curves, profile->curve, in, out));
    if (profile->colours == 3) HALO_TRY(colours_mix(builder, profile->matrix, *out, out));
    HALO_TRY(halo_build_map(builder, *out, &coded, out));
out:
    return status;
}

static HaloStatus build_icc(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = halo_build_shape(builder, in);
    const int colours = shape->channels - (shape->alpha >= 0);
    const char *const name = arg[0].given ? arg[0].text : "the input's profile";
    const void *bytes;
    size_t size;
    HaloProfile profile = {0};
    *out = in;
    if (arg[0].given) {
        bytes = arg[0].bytes;
        size = arg[0].size;
    } else {
        halo_build_profile(builder, &bytes, &size);
    }
    if (size == 0 && !arg[0].given) goto out; /* then it is sRGB */
    if (shape->numbers)
        HALO_FAIL(HALO_ERR_INPUT,
                  "icc: %s needs samples with a full scale: use --white=1 (samples from 0 to 1)", name);
    HALO_TRY(halo_profile_read(name, bytes, size, &profile));
    if (profile.colours != colours)
        HALO_FAIL(HALO_ERR_INPUT, "icc: %s is for %s, and the input has %d colours", name,
                  profile.colours == 3 ? "RGB" : "gray", colours);
    HALO_TRY(build_profile(builder, &profile, in, out));
out:
    halo_profile_free(&profile);
    return status;
}

static int light_of(const HaloValue *arg) { return arg[0].given ? HALO_LIGHT_CONVERTED : HALO_LIGHT_PROFILE; }

static const HaloParam icc_param[] = {
    {.key = "profile",
     .type = HALO_PARAM_FILE,
     .preset = "",
     .help = "a file with the profile of the samples; default: the one in the input, and from here on in files "
             "that are combined with it; without one they stay"},
};

const HaloOp halo_op_icc = {.name = "icc",
                            .help =
                                "convert colours from an ICC profile to sRGB; has to be the first operation",
                            .known_as = "icc_transform profile convert srgb adobe display p3 prophoto",
                            .example = "icc",
                            .kinds = HALO_IMAGE,
                            .light_of = light_of,
                            HALO_PARAMS(icc_param),
                            .build = build_icc};
