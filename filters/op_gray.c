/* gray: colours to luminance. */
#include <math.h>
#include <string.h>

#include "halo/text.h"
#include "ops.h"

static const struct {
    const char *name;
    float weight[3];
} known[] = {
    {"709", {.2126f, .7152f, .0722f}}, /* ITU-R BT.709 */
    {"601", {.299f, .587f, .114f}},    /* ITU-R BT.601 */
    {"mean", {1.0f / 3.0f, 1.0f / 3.0f, 1.0f / 3.0f}},
};

/* One of the names, or three numbers. */
static HaloStatus read_weights(const char *where, const char *text, float weight[3])
{
    const char *at = text;
    int count = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(text, known[i].name) == 0) {
            memcpy(weight, known[i].weight, sizeof known[i].weight);
            return HALO_OK;
        }
    for (double number; count < 3 && halo_read_number(at, &number, &at) && isfinite((float)number);) {
        weight[count++] = (float)number;
        if (*at != ',') break;
        at++;
    }
    if (count == 3 && *at == 0) return HALO_OK;
    return halo_fail(HALO_ERR_USAGE,
                     "%s: expected 709, 601, mean or three weights such as 0.3,0.6,0.1, found '%.60s'", where,
                     text);
}

static HaloStatus check_weights(const char *where, const char *text)
{
    float weight[3];
    return read_weights(where, text, weight);
}

static HaloStatus build_gray(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    const HaloShape *shape = halo_build_shape(builder, in);
    const int colours = shape->channels - (shape->alpha >= 0);
    HaloMap map = {.kind = HALO_MAP_GRAY};
    *out = in;
    if (read_weights("gray: weights", arg[0].text, map.w) != HALO_OK) return HALO_ERR_USAGE;
    if (colours == 1) return HALO_OK; /* it is gray already */
    if (colours != 3)
        return halo_fail(HALO_ERR_INPUT, "gray needs red, green and blue, but the image has %d channels",
                         shape->channels);
    return halo_build_map(builder, in, &map, out);
}

static const HaloParam gray_param[] = {
    {.key = "weights",
     .type = HALO_PARAM_TEXT,
     .list = 3,
     .preset = "709",
     .help =
         "weights of red, green and blue: 709 or 601 (ITU-R BT), mean (a third each), or numbers: 0.3,0.6,0.1",
     .check = check_weights},
};

const HaloOp halo_op_gray = {.name = "gray",
                             .help = "colour to gray",
                             .synonyms = "grayscale greyscale grey desaturate",
                             .known_as = "monochrome",
                             .example = "gray",
                             .within = true,
                             .kinds = HALO_IMAGE,
                             HALO_PARAMS(gray_param),
                             .build = build_gray};
