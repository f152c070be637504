/* pad: pictures with more around them, and sound with silence. */
#include <string.h>

#include "geometry.h"
#include "halo/text.h"
#include "halo/words.h"
#include "ops.h"
#include "paint.h"
#include "times.h"

static const char places[] = "center|centre|top|bottom|left|right|top-left|top-right|bottom-left|bottom-right";

enum { PAD_ALL, PAD_LEFT, PAD_RIGHT, PAD_TOP, PAD_BOTTOM, PAD_BORDER, PAD_TO, PAD_AT, PAD_COLOR };

/* Of sound: before its beginning and behind its end. */
static HaloStatus pad_sound(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = halo_build_shape(builder, in);
    Time time[2];
    int64_t by[2] = {0, 0};
    int count;
    for (int k = PAD_LEFT; k <= PAD_COLOR; k++)
        if (arg[k].given && k != PAD_BORDER)
            HALO_FAIL(HALO_ERR_USAGE, "pad: sound has no sides, size or color: give times, such as pad:1,2");
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
    Rectangle size;
    if (times_check_lengths(where, text) == HALO_OK) return HALO_OK;
    if (geometry_rectangle(where, text, &size) == HALO_OK)
        return halo_fail(HALO_ERR_USAGE, "%s: '%.60s' is a size: write pad:to=%.60s", where, text, text);
    return halo_fail(HALO_ERR_USAGE, "%s: expected pixels, or for sound times such as 1,500ms, found '%.60s'",
                     where, text);
}

static HaloStatus check_to(const char *where, const char *text)
{
    Rectangle to;
    if (geometry_rectangle(where, text, &to) == HALO_OK && !to.placed) return HALO_OK;
    return halo_fail(HALO_ERR_USAGE, "%s: expected WxH (for example 800x600), found '%.60s'", where, text);
}

/* What is missing along an axis, half of it on either side, or all of it on one: 1 behind, 2 before. */
static void share_out(int64_t missing, int side, int64_t by[2])
{
    by[0] = side == 1 ? 0 : side == 2 ? missing : missing / 2;
    by[1] = missing - by[0];
}

/* The sides up to a size. */
static HaloStatus sides_to(const HaloShape *shape, const HaloValue *arg, int64_t by[PAD_BORDER])
{
    char word[HALO_WORD_SIZE];
    Rectangle to;
    for (int k = PAD_ALL; k < PAD_BORDER; k++)
        if (arg[k].given)
            return halo_fail(HALO_ERR_USAGE, "pad: to= says the size, so that the sides follow: leave %s out",
                             k == PAD_ALL ? "the pixels" : halo_op_pad.param[k].key);
    const HaloStatus status = geometry_rectangle("pad: to", arg[PAD_TO].text, &to);
    if (status != HALO_OK) return status;
    if (shape->width > to.width || shape->height > to.height)
        return halo_fail(
            HALO_ERR_INPUT,
            "pad: to: the picture is %lld x %lld, larger than %lld x %lld; resize:%lldx%lld before "
            "makes it fit in, crop:%lldx%lld,fit=1 cuts it off",
            (long long)shape->width, (long long)shape->height, (long long)to.width, (long long)to.height,
            (long long)to.width, (long long)to.height, (long long)to.width, (long long)to.height);
    halo_word(places, '|', (int)arg[PAD_AT].integer, word);
    share_out(to.width - shape->width,
              strstr(word, "left") != NULL    ? 1
              : strstr(word, "right") != NULL ? 2
                                              : 0,
              &by[PAD_LEFT]);
    share_out(to.height - shape->height,
              strncmp(word, "top", 3) == 0   ? 1
              : strncmp(word, "bot", 3) == 0 ? 2
                                             : 0,
              &by[PAD_TOP]);
    return HALO_OK;
}

static HaloStatus sides_by(const HaloValue *arg, int64_t by[PAD_BORDER])
{
    const char *end;
    if (arg[PAD_AT].given)
        return halo_fail(HALO_ERR_USAGE,
                         "pad: at= is the place in the size that to= says, as in pad:to=800x600,at=top");
    if (!halo_read_int(arg[PAD_ALL].text, 0, GEOMETRY_MOST, &by[PAD_ALL], &end) || *end != 0)
        return halo_fail(HALO_ERR_USAGE, "pad: by: expected one number of pixels, 0 to %lld, found '%.60s'",
                         (long long)GEOMETRY_MOST, arg[PAD_ALL].text);
    for (int k = PAD_LEFT; k < PAD_BORDER; k++) by[k] = arg[k].given ? arg[k].integer : by[PAD_ALL];
    return HALO_OK;
}

/* The colour round the picture: the border's constant where all channels have the same sample. */
static HaloStatus build_color(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloGather *gather,
                              HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape shape = *halo_build_shape(builder, in);
    Paint paint;
    bool same = true;
    if (arg[PAD_BORDER].given) HALO_FAIL(HALO_ERR_USAGE, "pad: color= and border= exclude each other");
    HALO_TRY(paint_read("pad: color", arg[PAD_COLOR].text, &paint));
    HALO_TRY(paint_fits("pad: color", &shape, &paint));
    gather->border = HALO_BORDER_CONSTANT;
    gather->value = paint_sample(&shape, &paint, 0);
    for (int c = 1; c < shape.channels; c++) same &= paint_sample(&shape, &paint, c) == gather->value;
    HALO_TRY(halo_build_gather(builder, in, gather, out));
    if (same) goto out;
    HALO_TRY(paint_around(builder, *out, &paint, -gather->x0, -gather->y0, shape.width, shape.height, out));
out:
    return status;
}

static HaloStatus build_pad(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = halo_build_shape(builder, in);
    int64_t by[PAD_BORDER];
    if (shape->kind == HALO_AUDIO) return pad_sound(builder, arg, in, out);
    if (arg[PAD_TO].given)
        HALO_TRY(sides_to(shape, arg, by));
    else
        HALO_TRY(sides_by(arg, by));
    HaloGather gather = {.width = shape->width + by[PAD_LEFT] + by[PAD_RIGHT],
                         .height = shape->height + by[PAD_TOP] + by[PAD_BOTTOM],
                         .x0 = -by[PAD_LEFT],
                         .y0 = -by[PAD_TOP],
                         .step_x = 1,
                         .step_y = 1,
                         .border = (HaloBorder)arg[PAD_BORDER].integer,
                         .value = arg[PAD_BORDER].number};
    if (arg[PAD_COLOR].given)
        HALO_TRY(build_color(builder, arg, in, &gather, out));
    else
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
    [PAD_TO] = {.key = "to",
                .type = HALO_PARAM_TEXT,
                .preset = "",
                .check = check_to,
                .unit = "pixels",
                .help = "WxH, the size of the result, in place of the pixels on each side"},
    [PAD_AT] = {.key = "at",
                .type = HALO_PARAM_CHOICE,
                .preset = "center",
                .choices = places,
                .help = "with to=: where the picture is in the result"},
    [PAD_COLOR] = {.key = "color",
                   .type = HALO_PARAM_TEXT,
                   .preset = "",
                   .check = paint_check,
                   .help = "of the pixels there, in place of border=: " PAINT_HELP
                           "; opaque, unless #RRGGBBAA or transparent says otherwise"},
};

const HaloOp halo_op_pad = {.name = "pad",
                            .help = "put pixels around the picture, or silence around the sound",
                            .known_as = "extend extent embed frame copyMakeBorder letterbox gravity canvas",
                            .example = "pad:8,border=mirror",
                            .within = true,
                            .kinds = HALO_IMAGE | HALO_AUDIO,
                            .upright = true,
                            HALO_PARAMS(pad_param),
                            .build = build_pad};
