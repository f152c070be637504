/* saturation, hue, sepia: matrices of coded colours, those of the W3C's Filter Effects; and balance, which
 * makes gray what should be. */
#include <math.h>
#include <string.h>

#include "colours.h"
#include "filter.h"
#include "halo/color.h"
#include "halo/gather.h"
#include "halo/text.h"
#include "ops.h"

#define PI 3.14159265358979323846

/* Luminance of sRGB with the W3C's three digits. */
static const double luma[3] = {0.213, 0.715, 0.072};

static HaloStatus build_saturation(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    double weight[3][3], amount;
    HALO_TRY(colours_three("saturation", halo_build_shape(builder, in)));
    HALO_TRY(filter_number("saturation: amount", arg[0].number, &amount));
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++) weight[c][k] = luma[k] + amount * ((c == k) - luma[k]);
    HALO_TRY(colours_mix(builder, weight, in, out));
out:
    return status;
}

/* Gray stays; luminance stays nearly. */
static HaloStatus build_hue(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    static const double across[3][3] = {
        {-0.213, -0.715, 0.928}, {0.143, 0.140, -0.283}, {-0.787, 0.715, 0.072}};
    HaloStatus status = HALO_OK;
    const double degrees = fmod(arg[0].number, 360.0), right = fmod(fabs(degrees), 90.0);
    const double angle = degrees * (PI / 180.0);
    double weight[3][3], cosine = cos(angle), sine = sin(angle);
    if (right == 0.0) cosine = rint(cosine), sine = rint(sine);
    HALO_TRY(colours_three("hue", halo_build_shape(builder, in)));
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++)
            weight[c][k] = luma[k] + cosine * ((c == k) - luma[k]) + sine * across[c][k];
    HALO_TRY(colours_mix(builder, weight, in, out));
out:
    return status;
}

static HaloStatus build_sepia(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    static const double sepia[3][3] = {{0.393, 0.769, 0.189}, {0.349, 0.686, 0.168}, {0.272, 0.534, 0.131}};
    HaloStatus status = HALO_OK;
    double weight[3][3];
    HALO_TRY(colours_three("sepia", halo_build_shape(builder, in)));
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++) weight[c][k] = (c == k) + arg[0].number * (sepia[c][k] - (c == k));
    HALO_TRY(colours_mix(builder, weight, in, out));
out:
    return status;
}

/* ---- balance --------------------------------------------------------------------------------------------- */

enum { BALANCE_WORD, BALANCE_WHITE };

/* "120,80" or "250,240,215"; how many, or 0. */
static int read_white(const char *text, double white[3])
{
    const char *at = text;
    int count = 0;
    while (count < 3 && halo_read_number(at, &white[count], &at)) {
        if (!isfinite(white[count])) return 0;
        count++;
        if (*at != ',') break;
        at++;
    }
    return *at == 0 && count >= 2 ? count : 0;
}

static HaloStatus check_white(const char *where, const char *text)
{
    double white[3];
    const int count = read_white(text, white);
    bool well = count > 0;
    for (int k = 0; k < count; k++)
        well = well &&
               (count == 2 ? white[k] >= 0 && white[k] < 1e9 && floor(white[k]) == white[k] : white[k] > 0);
    if (well) return HALO_OK;
    return halo_fail(
        HALO_ERR_USAGE,
        "%s: expected the position of a pixel that should be gray, such as 120,80, or its red, green "
        "and blue, such as 250,240,215, found '%.60s'",
        where, text);
}

/* Each colour is multiplied by what takes it to the mean of the three, rounded to f32. */
static HaloStatus set_gains(HaloColor *color, const double of[3])
{
    const double gray = (of[0] + of[1] + of[2]) / 3.0;
    for (int c = 0; c < 3; c++) {
        color->scale[c] = (float)(gray / of[c]);
        if (!(of[c] > 0.0) || !isfinite(color->scale[c]) || color->scale[c] == 0.0f)
            return halo_fail(
                HALO_ERR_INPUT,
                "balance: %s is %g where it should be gray: it cannot be scaled to the other colours",
                c == 0   ? "red"
                : c == 1 ? "green"
                         : "blue",
                of[c]);
    }
    return HALO_OK;
}

static HaloStatus resolve_gains(HaloStep *step, const HaloResult *measured)
{
    double mean[3];
    for (int c = 0, k = 0; c < measured->shape.channels && k < 3; c++)
        if (c != measured->shape.alpha) mean[k++] = measured->channel[c].mean;
    return set_gains(&step->u.color, mean);
}

static HaloStatus build_balance(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = halo_build_shape(builder, in);
    HaloStep step = {.primitive = HALO_COLOR, .sources = 1, .src = {in}, .u.color = {.kind = HALO_COLOR_GAINS}};
    HaloReg of = in;
    double white[3];
    HALO_TRY(colours_three("balance", shape));
    if (!arg[BALANCE_WHITE].given) return halo_build_gains_from_stats(builder, in, in, resolve_gains, out);
    if (read_white(arg[BALANCE_WHITE].text, white) == 3) {
        HALO_TRY(set_gains(&step.u.color, white));
        return halo_build_step(builder, &step, out);
    }
    if (white[0] >= (double)shape->width || white[1] >= (double)shape->height)
        HALO_FAIL(HALO_ERR_INPUT, "balance: white: there is no pixel %g,%g: the image has %lld x %lld",
                  white[0], white[1], (long long)shape->width, (long long)shape->height);
    const HaloGather pixel = {
        .width = 1, .height = 1, .x0 = (int64_t)white[0], .y0 = (int64_t)white[1], .step_x = 1, .step_y = 1};
    HALO_TRY(halo_build_gather(builder, in, &pixel, &of));
    HALO_TRY(halo_build_gains_from_stats(builder, in, of, resolve_gains, out));
out:
    return status;
}

static const HaloParam saturation_param[] = {
    {.key = "amount",
     .type = HALO_PARAM_FACTOR,
     .min = 0,
     .max = 1e6,
     .help = "0 leaves gray, 1 changes nothing, above 1 colours become stronger"},
};

static const HaloParam hue_param[] = {
    {.key = "angle", .type = HALO_PARAM_NUMBER, .unit = "degrees", .help = "turns colours, red towards yellow"},
};

static const HaloParam sepia_param[] = {
    {.key = "amount",
     .type = HALO_PARAM_FACTOR,
     .preset = "1",
     .min = 0,
     .max = 1,
     .help = "0 changes nothing, 1 leaves nothing of the colours"},
};

static const HaloParam balance_param[] = {
    [BALANCE_WORD] = {.key = "by",
                      .type = HALO_PARAM_CHOICE,
                      .preset = "gray",
                      .choices = "gray",
                      .help = "gray: the mean of the picture becomes gray (gray world)"},
    [BALANCE_WHITE] = {.key = "white",
                       .type = HALO_PARAM_TEXT,
                       .list = 3,
                       .preset = "",
                       .check = check_white,
                       .help = "what should be gray, in place of by=: a pixel, white=120,80 (x,y from 0), or a "
                               "colour, white=250,240,215"},
};

const HaloOp halo_op_saturation = {.name = "saturation",
                                   .help = "make colours stronger or weaker",
                                   .synonyms = "saturate",
                                   .known_as = "modulate vibrance colorfulness chroma",
                                   .example = "saturation:1.2",
                                   .kinds = HALO_IMAGE,
                                   HALO_PARAMS(saturation_param),
                                   .build = build_saturation};

const HaloOp halo_op_hue = {.name = "hue",
                            .help = "turn colours around the circle of hues",
                            .known_as = "modulate hue-rotate colorize",
                            .example = "hue:30",
                            .kinds = HALO_IMAGE,
                            HALO_PARAMS(hue_param),
                            .build = build_hue};

const HaloOp halo_op_sepia = {.name = "sepia",
                              .help = "brown tones as of old photographs",
                              .known_as = "sepia-tone vintage tint",
                              .example = "sepia",
                              .kinds = HALO_IMAGE,
                              HALO_PARAMS(sepia_param),
                              .build = build_sepia};

const HaloOp halo_op_balance = {.name = "balance",
                                .help = "white balance: make gray what should be",
                                .known_as = "whitebalance grayworld white-balance colour cast temperature",
                                .example = "balance",
                                .kinds = HALO_IMAGE,
                                .upright = true,
                                HALO_PARAMS(balance_param),
                                .build = build_balance};
