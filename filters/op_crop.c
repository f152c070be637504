/* crop: a rectangle of a picture. */
#include "geometry.h"
#include "ops.h"

enum { CROP_SIZE, CROP_AT, CROP_FIT };

/* From here on, of `length`, what is inside. */
static void clip(int64_t length, int64_t *from, int64_t *size)
{
    const int64_t end = *from + *size < length ? *from + *size : length;
    *from = *from > 0 ? *from : 0;
    *size = end - *from;
}

static HaloStatus build_crop(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = halo_build_shape(builder, in);
    Rectangle cut;
    HALO_TRY(geometry_rectangle("crop: size", arg[CROP_SIZE].text, &cut));
    if (cut.placed && arg[CROP_AT].given)
        HALO_FAIL(HALO_ERR_USAGE, "crop: the position is given twice, in size and in at");
    HaloGather gather = {.width = cut.width, .height = cut.height, .step_x = 1, .step_y = 1};
    const bool at = arg[CROP_AT].given && !arg[CROP_AT].integer;
    gather.x0 = cut.placed ? cut.x : at ? arg[CROP_AT].point[0] : (shape->width - cut.width) / 2;
    gather.y0 = cut.placed ? cut.y : at ? arg[CROP_AT].point[1] : (shape->height - cut.height) / 2;
    if (gather.x0 < -GEOMETRY_MOST || gather.y0 < -GEOMETRY_MOST || gather.x0 > GEOMETRY_MOST ||
        gather.y0 > GEOMETRY_MOST)
        HALO_FAIL(HALO_ERR_USAGE, "crop: %lld+%lld is out of range", (long long)gather.x0,
                  (long long)gather.y0);
    if (arg[CROP_FIT].integer) {
        clip(shape->width, &gather.x0, &gather.width);
        clip(shape->height, &gather.y0, &gather.height);
        if (gather.width < 1 || gather.height < 1)
            HALO_FAIL(HALO_ERR_INPUT, "crop: the rectangle is outside the picture, which is %lld x %lld",
                      (long long)shape->width, (long long)shape->height);
    } else if (gather.x0 < 0 || gather.y0 < 0 || gather.x0 + gather.width > shape->width ||
               gather.y0 + gather.height > shape->height) {
        HALO_FAIL(HALO_ERR_INPUT,
                  "crop: %lldx%lld%+lld%+lld reaches out of the picture, which is %lld x %lld; use fit=1 to "
                  "clip the rectangle",
                  (long long)gather.width, (long long)gather.height, (long long)gather.x0, (long long)gather.y0,
                  (long long)shape->width, (long long)shape->height);
    }
    HALO_TRY(halo_build_gather(builder, in, &gather, out));
out:
    return status;
}

static const HaloParam crop_param[] = {
    [CROP_SIZE] = {.key = "size",
                   .type = HALO_PARAM_TEXT,
                   .check = geometry_check_rectangle,
                   .unit = "pixels",
                   .help = "WxH, or WxH+X+Y with the place of the upper left corner"},
    [CROP_AT] = {.key = "at",
                 .type = HALO_PARAM_POINT,
                 .preset = "",
                 .choices = "center|centre",
                 .unit = "pixels",
                 .help = "X+Y of the upper left corner; in the center unless given"},
    [CROP_FIT] = {.key = "fit",
                  .type = HALO_PARAM_SWITCH,
                  .preset = "0",
                  .help = "clip the rectangle to the picture where it extends beyond"},
};

const HaloOp halo_op_crop = {.name = "crop",
                             .help = "cut out a rectangle",
                             .known_as = "cut extract extract_area clip trim",
                             .example = "crop:16x12",
                             .within = true,
                             .kinds = HALO_IMAGE,
                             .upright = true,
                             HALO_PARAMS(crop_param),
                             .build = build_crop};
