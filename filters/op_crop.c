/* crop and pad: pictures with less, or more, around them. */
#include "geometry.h"
#include "halo/text.h"
#include "ops.h"
#include "times.h"

/* ---- crop ----------------------------------------------------------------------------------------------- */

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
                             .kinds = HALO_IMAGE,
                             .upright = true,
                             HALO_PARAMS(crop_param),
                             .build = build_crop};

/* ---- pad ------------------------------------------------------------------------------------------------ */

enum { PAD_ALL, PAD_LEFT, PAD_RIGHT, PAD_TOP, PAD_BOTTOM, PAD_BORDER };

/* Of sound: before its beginning and behind its end. */
static HaloStatus pad_sound(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = halo_build_shape(builder, in);
    Time time[2];
    int64_t by[2] = {0, 0};
    int count;
    for (int k = PAD_LEFT; k < PAD_BORDER; k++)
        if (arg[k].given) HALO_FAIL(HALO_ERR_USAGE, "pad: sound has no sides: give times, such as pad:1,2");
    HALO_TRY(times_read("pad: by", arg[PAD_ALL].text, 2, time, &count));
    for (int k = 0; k < count; k++) HALO_TRY(times_frames("pad: by", &time[k], shape->rate, &by[k]));
    const HaloGather gather = {.width = shape->width + by[0] + by[1],
                               .height = 1,
                               .x0 = -by[0],
                               .step_x = 1,
                               .step_y = 1,
                               .border = arg[PAD_BORDER].given ? (HaloBorder)arg[PAD_BORDER].integer
                                                               : HALO_BORDER_ZERO,
                               .value = arg[PAD_BORDER].number};
    *out = in;
    if (by[0] + by[1] > 0) HALO_TRY(halo_build_gather(builder, in, &gather, out));
out:
    return status;
}

static HaloStatus check_pad(const char *where, const char *text)
{
    if (times_check_lengths(where, text) == HALO_OK) return HALO_OK;
    return halo_fail(HALO_ERR_USAGE, "%s: expected pixels, or for sound times such as 1,500ms, found '%.60s'",
                     where, text);
}

static HaloStatus build_pad(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = halo_build_shape(builder, in);
    int64_t by[PAD_BORDER];
    const char *end;
    if (shape->kind == HALO_AUDIO) return pad_sound(builder, arg, in, out);
    if (!halo_read_int(arg[PAD_ALL].text, 0, GEOMETRY_MOST, &by[PAD_ALL], &end) || *end != 0)
        HALO_FAIL(HALO_ERR_USAGE, "pad: by: expected one number of pixels, 0 to %lld, found '%.60s'",
                  (long long)GEOMETRY_MOST, arg[PAD_ALL].text);
    for (int k = PAD_LEFT; k < PAD_BORDER; k++) by[k] = arg[k].given ? arg[k].integer : by[PAD_ALL];
    const HaloGather gather = {.width = shape->width + by[PAD_LEFT] + by[PAD_RIGHT],
                               .height = shape->height + by[PAD_TOP] + by[PAD_BOTTOM],
                               .x0 = -by[PAD_LEFT],
                               .y0 = -by[PAD_TOP],
                               .step_x = 1,
                               .step_y = 1,
                               .border = (HaloBorder)arg[PAD_BORDER].integer,
                               .value = arg[PAD_BORDER].number};
    HALO_TRY(halo_build_gather(builder, in, &gather, out));
out:
    return status;
}

#define PAD_SIDE(name)                                                                                 \
    {                                                                                                  \
        .key = name, .type = HALO_PARAM_INTEGER, .preset = "", .min = 0, .max = (double)GEOMETRY_MOST, \
        .unit = "pixels", .help = "pixels on this side; default: as by="                               \
    }

static const HaloParam pad_param[] = {
    [PAD_ALL] = {.key = "by",
                 .type = HALO_PARAM_TEXT,
                 .list = 2,
                 .preset = "0",
                 .check = check_pad,
                 .help =
                     "pixels on every side; for sound, seconds before and after it, such as 1,0.5 or 500ms"},
    [PAD_LEFT] = PAD_SIDE("left"),
    [PAD_RIGHT] = PAD_SIDE("right"),
    [PAD_TOP] = PAD_SIDE("top"),
    [PAD_BOTTOM] = PAD_SIDE("bottom"),
    [PAD_BORDER] = {.key = "border",
                    .type = HALO_PARAM_BORDER,
                    .preset = "replicate",
                    .choices = HALO_BORDER_PAD_CHOICES,
                    .help = "samples there: zero, constant=V (in every channel, alpha too), replicate, "
                            "reflect, mirror, wrap; default for sound: zero"},
};

const HaloOp halo_op_pad = {.name = "pad",
                            .help = "put pixels around the picture, or silence around the sound",
                            .known_as = "extend extent embed frame copyMakeBorder",
                            .example = "pad:8,border=mirror",
                            .kinds = HALO_IMAGE | HALO_AUDIO,
                            .upright = true,
                            HALO_PARAMS(pad_param),
                            .build = build_pad};
