/* color: coordinates of colours. */
#include <string.h>

#include "colours.h"
#include "halo/color.h"
#include "halo/words.h"
#include "ops.h"

#define SPACES "srgb|hsv|hsl|ycbcr|linear|xyz|lab|lch|oklab|oklch" /* in the order of HaloSpace */

/* The names of the channels of each, NULL: r, g, b. */
static const char *const channels[HALO_SPACES] = {
    [HALO_SPACE_HSV] = "h,s,v",   [HALO_SPACE_HSL] = "h,s,l",  [HALO_SPACE_YCBCR] = "y,cb,cr",
    [HALO_SPACE_XYZ] = "x,y,z",   [HALO_SPACE_LAB] = "l,a,b",  [HALO_SPACE_LCH] = "l,c,h",
    [HALO_SPACE_OKLAB] = "l,a,b", [HALO_SPACE_OKLCH] = "l,c,h"};

/* "lab" is from sRGB, "lab>srgb" is not. */
static bool read_spaces(const char *text, HaloSpace *from, HaloSpace *to)
{
    char word[16];
    const char *const arrow = strchr(text, '>'), *const last = arrow != NULL ? arrow + 1 : text;
    int first = HALO_SPACE_SRGB;
    if (arrow != NULL) {
        const size_t length = (size_t)(arrow - text);
        if (length >= sizeof word) return false;
        memcpy(word, text, length);
        word[length] = 0;
        first = halo_find_word(SPACES, '|', word);
    }
    const int second = halo_find_word(SPACES, '|', last);
    *from = (HaloSpace)first;
    *to = (HaloSpace)second;
    return first >= 0 && second >= 0;
}

static HaloStatus check_spaces(const char *where, const char *text)
{
    HaloSpace from, to;
    if (read_spaces(text, &from, &to)) return HALO_OK;
    return halo_fail(
        HALO_ERR_USAGE,
        "%s: expected a colour space, such as lab, or two, such as lab>srgb, found '%.40s': they are "
        "srgb, linear, xyz, lab, lch, oklab, oklch, hsv, hsl and ycbcr",
        where, text);
}

enum { COLOR_SPACE, COLOR_WHITE };

static HaloStatus build_color(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = halo_build_shape(builder, in);
    HaloStep step = {
        .primitive = HALO_COLOR,
        .sources = 1,
        .src = {in},
        .u.color = {.kind = HALO_COLOR_CONVERT, .d65 = arg[COLOR_WHITE].integer == 1, .white = shape->white}};
    HaloColor *const color = &step.u.color;
    read_spaces(arg[COLOR_SPACE].text, &color->from, &color->to);
    HALO_TRY(colours_three("color", shape));
    if (shape->numbers && !HALO_SPACE_IS_NUMBERS(color->from))
        HALO_FAIL(
            HALO_ERR_INPUT,
            "color needs a full scale, which the input lacks: use --white=1 (samples from 0 to 1), or, if "
            "they are in another space, say so, as in color:lab>srgb");
    if (HALO_SPACE_IS_NUMBERS(color->from) && !shape->numbers && shape->alpha >= 0 && shape->white != 1.0f)
        HALO_FAIL(HALO_ERR_INPUT,
                  "color: %s has alpha of full scale %g, and coordinates as read here have alpha up to 1: "
                  "drop it by channels:1,2,3, or read them by --white=1",
                  arg[COLOR_SPACE].text, (double)shape->white);
    *out = in;
    if (color->from == color->to) goto out;
    HALO_TRY(halo_build_step(builder, &step, out));
    if (channels[color->to] != NULL) HALO_TRY(halo_build_names(builder, *out, channels[color->to]));
out:
    return status;
}

/* What the output has to say about the coding of its samples. */
static int light_of(const HaloValue *arg)
{
    HaloSpace from, to;
    read_spaces(arg[COLOR_SPACE].text, &from, &to);
    if (from == to) return 0;
    return to == HALO_SPACE_LINEAR ? 1 : to == HALO_SPACE_SRGB ? -1 : HALO_LIGHT_NONE;
}

static const HaloParam color_param[] = {
    [COLOR_SPACE] = {.key = "space",
                     .type = HALO_PARAM_TEXT,
                     .check = check_spaces,
                     .help = "srgb, linear, xyz, lab, lch, oklab, oklch, hsv, hsl or ycbcr, from sRGB; or from "
                             "another, as in lab>srgb; ranges as in CSS Color 4: L of lab 0 "
                             "to 100, a and b up to about 128, hues in degrees. Files of floats hold them"},
    [COLOR_WHITE] = {.key = "illuminant",
                     .type = HALO_PARAM_CHOICE,
                     .preset = "d50",
                     .choices = "d50|d65",
                     .help = "white of lab and lch: d50 as in profiles and CSS, d65 as in OpenCV and "
                             "scikit-image"},
};

const HaloOp halo_op_color = {.name = "color",
                              .help = "colours in another space, and back",
                              .synonyms = "colour colorspace colourspace",
                              .known_as = "lab oklab lch oklch hsv hsl ycbcr yuv xyz rgb2lab rgb2hsv cvtcolor",
                              .example = "color:lab",
                              .scale = HALO_SCALE_ANY,
                              .kinds = HALO_IMAGE,
                              .light_of = light_of,
                              HALO_PARAMS(color_param),
                              .build = build_color};
