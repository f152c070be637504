/* flatten: a picture with alpha on a colour. */
#include "ops.h"
#include "paint.h"
#include "regions.h"

static HaloStatus build_flatten(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = halo_build_shape(builder, in);
    HaloReg laid;
    Paint paint;
    HALO_TRY(paint_read("flatten: color", arg[0].text, &paint));
    *out = in;
    if (shape->alpha < 0 || shape->channels < 2) goto out;
    HALO_TRY(paint_fits("flatten: color", shape, &paint));
    HALO_TRY(paint_below(builder, in, &paint, &laid));
    HALO_TRY(regions_colours(builder, laid, out));
out:
    return status;
}

static HaloStatus check_opaque(const char *where, const char *text)
{
    Paint paint;
    const HaloStatus status = paint_read(where, text, &paint);
    if (status != HALO_OK || paint.share[3] == 1.0) return status;
    return halo_fail(HALO_ERR_USAGE, "%s: '%.60s' is transparent, and a picture is laid on an opaque color",
                     where, text);
}

static const HaloParam flatten_param[] = {
    {.key = "color",
     .type = HALO_PARAM_TEXT,
     .preset = "white",
     .check = check_opaque,
     .help = "what the picture is laid on: " PAINT_HELP},
};

const HaloOp halo_op_flatten = {.name = "flatten",
                                .help = "lay a picture with alpha on a color; one without alpha stays as it is",
                                .known_as = "background matte remove_alpha removealpha alpharemove opaque",
                                .example = "flatten:white",
                                .within = true,
                                .kinds = HALO_IMAGE,
                                .scale = HALO_SCALE_ANY,
                                HALO_PARAMS(flatten_param),
                                .build = build_flatten};
