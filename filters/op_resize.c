/* resize: pictures of another size, by weighted means of the pixels around each place. */
#include <math.h>

#include "geometry.h"
#include "ops.h"

enum { RESIZE_SIZE, RESIZE_FIT, RESIZE_KERNEL, RESIZE_ONLY, RESIZE_ALPHA };
enum { FIT_INSIDE, FIT_COVER, FIT_EXACT };
enum { ONLY_SHRINK, ONLY_GROW };
enum { ALPHA_PREMUL, ALPHA_STRAIGHT };

/* ---- the size ------------------------------------------------------------------------------------------- */

typedef struct Size {
    int64_t width, height;
} Size;

static Size as_wide(const HaloShape *shape, int64_t width)
{
    return (Size){width, geometry_share(width, shape->height, shape->width)};
}

static Size as_high(const HaloShape *shape, int64_t height)
{
    return (Size){geometry_share(height, shape->width, shape->height), height};
}

static int64_t percent_of(int64_t length, double percent)
{
    const double part = floor((double)length * percent / 100.0 + 0.5);
    return part < 1.0 ? 1 : part > (double)GEOMETRY_MOST ? GEOMETRY_MOST + 1 : (int64_t)part;
}

static Size size_for(const HaloShape *shape, const WantedSize *want, int64_t fit)
{
    if (want->percent > 0)
        return (Size){percent_of(shape->width, want->percent), percent_of(shape->height, want->percent)};
    if (want->longer > 0)
        return shape->width >= shape->height ? as_wide(shape, want->longer) : as_high(shape, want->longer);
    if (want->height == 0) return as_wide(shape, want->width);
    if (want->width == 0) return as_high(shape, want->height);
    if (fit == FIT_EXACT) return (Size){want->width, want->height};
    const bool flatter =
        want->width * shape->height <= want->height * shape->width; /* the picture, than what is wanted */
    return flatter == (fit == FIT_INSIDE) ? as_wide(shape, want->width) : as_high(shape, want->height);
}

/* ---- the steps ------------------------------------------------------------------------------------------ */

/* Of colours under alpha the means are weighted by it; where nothing is to be seen they are 0. */
static HaloStatus resample(HaloBuilder *builder, const HaloResample *how, bool premultiplied, HaloReg in,
                           HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const float white = halo_build_shape(builder, in)->white;
    const HaloMap premul = {.kind = HALO_MAP_PREMUL, .white = white};
    const HaloCombine divide = {.kind = HALO_COMBINE_UNPREMUL, .white = white};
    if (premultiplied) HALO_TRY(halo_build_map(builder, in, &premul, &in));
    HALO_TRY(halo_build_resample(builder, in, how, out));
    if (premultiplied) HALO_TRY(halo_build_combine(builder, *out, *out, &divide, out));
out:
    return status;
}

static HaloStatus cut_middle(HaloBuilder *builder, Size size, HaloReg in, HaloReg *out)
{
    const HaloShape *shape = halo_build_shape(builder, in);
    const HaloGather gather = {.width = size.width,
                               .height = size.height,
                               .x0 = (shape->width - size.width) / 2,
                               .y0 = (shape->height - size.height) / 2,
                               .step_x = 1,
                               .step_y = 1};
    return halo_build_gather(builder, in, &gather, out);
}

static bool stays(const HaloShape *shape, Size size, const HaloValue *only)
{
    if (size.width == shape->width && size.height == shape->height) return true;
    if (!only->given) return false;
    return only->integer == ONLY_SHRINK ? size.width > shape->width || size.height > shape->height
                                        : size.width < shape->width || size.height < shape->height;
}

static HaloStatus build_resize(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape shape = *halo_build_shape(builder, in);
    const ResampleKernel kernel = (ResampleKernel)arg[RESIZE_KERNEL].integer;
    const bool cover = arg[RESIZE_FIT].integer == FIT_COVER;
    const bool straight = arg[RESIZE_ALPHA].given ? arg[RESIZE_ALPHA].integer == ALPHA_STRAIGHT
                                                  : halo_build_common(builder)->alpha != HALO_ALPHA_PREMUL;
    WantedSize want;
    HaloResample how = {0};
    *out = in;
    HALO_TRY(geometry_size("resize: size", arg[RESIZE_SIZE].text, &want));
    if (cover && (want.width == 0 || want.height == 0))
        HALO_FAIL(HALO_ERR_USAGE, "resize: fit=cover needs width and height, such as 800x600");
    if (shape.width > GEOMETRY_MOST || shape.height > GEOMETRY_MOST)
        HALO_FAIL(HALO_ERR_LIMIT, "resize: a side of more than %lld pixels", (long long)GEOMETRY_MOST);
    const Size size = size_for(&shape, &want, arg[RESIZE_FIT].integer);
    if (size.width > GEOMETRY_MOST || size.height > GEOMETRY_MOST)
        HALO_FAIL(HALO_ERR_USAGE, "resize: a side would have more than %lld pixels", (long long)GEOMETRY_MOST);
    if (stays(&shape, size, &arg[RESIZE_ONLY]) && !cover) return HALO_OK;
    if (cover && arg[RESIZE_ONLY].given && stays(&shape, size, &arg[RESIZE_ONLY])) return HALO_OK;
    if (size.width != shape.width || size.height != shape.height) {
        const int64_t shrunk = halo_build_shrunk(builder, in);
        HALO_TRY(taps_resample(builder, shape.width, shrunk, size.width, kernel, &how.x, &how.for_x));
        HALO_TRY(taps_resample(builder, shape.height, shrunk, size.height, kernel, &how.y, &how.for_y));
        HALO_TRY(resample(builder, &how, shape.alpha >= 0 && !straight && kernel != RESAMPLE_NEAREST, in, out));
    }
    if (cover) HALO_TRY(cut_middle(builder, (Size){want.width, want.height}, *out, out));
out:
    return status;
}

static const HaloParam resize_param[] = {
    [RESIZE_SIZE] = {.key = "size",
                     .type = HALO_PARAM_TEXT,
                     .check = geometry_check_size,
                     .unit = "pixels",
                     .help = "800x600, 800x, x600, 800 (the longer side) or 50%"},
    [RESIZE_FIT] = {.key = "fit",
                    .type = HALO_PARAM_CHOICE,
                    .preset = "inside",
                    .choices = "inside|cover|exact",
                    .help = "for WxH, inside: no larger than that; cover: at least that, cropped to the "
                            "centre; exact: stretched to that size"},
    [RESIZE_KERNEL] =
        {.key = "kernel",
         .type = HALO_PARAM_CHOICE,
         .preset = "lanczos3",
         .choices = "lanczos3|lanczos2|cubic|mitchell|linear|area|nearest",
         .help = "how pixels are weighted: cubic is Catmull-Rom's, area counts how much of each is covered"},
    [RESIZE_ONLY] = {.key = "only",
                     .type = HALO_PARAM_CHOICE,
                     .preset = "",
                     .choices = "shrink|grow",
                     .help =
                         "shrink: pictures that would grow stay as they are; grow: those that would shrink do"},
    [RESIZE_ALPHA] = {.key = "alpha",
                      .type = HALO_PARAM_CHOICE,
                      .preset = "",
                      .choices = "premul|straight",
                      .help = "weight colours by alpha (premul, the default), or resize alpha like any channel "
                              "(straight)"},
};

const HaloOp halo_op_resize = {.name = "resize",
                               .help = "change the size; keeps the aspect ratio unless fit=exact",
                               .known_as = "scale thumbnail thumb zoom resample rescale shrink",
                               .example = "resize:50%",
                               .within = true,
                               .kinds = HALO_IMAGE,
                               .upright = true,
                               HALO_PARAMS(resize_param),
                               .build = build_resize};
