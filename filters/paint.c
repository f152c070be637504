/* Colours that people name, and what is made of them: programs of the primitive of `expr`. */
#include "paint.h"

#include <string.h>

#include "halo/expr_writer.h"
#include "halo/text.h"

/* ---- reading -------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    uint32_t rgba;
} named[] = {
    {"black", 0x000000ff},       {"white", 0xffffffff},  {"gray", 0x808080ff},   {"grey", 0x808080ff},
    {"silver", 0xc0c0c0ff},      {"red", 0xff0000ff},    {"lime", 0x00ff00ff},   {"green", 0x008000ff},
    {"blue", 0x0000ffff},        {"navy", 0x000080ff},   {"yellow", 0xffff00ff}, {"orange", 0xffa500ff},
    {"cyan", 0x00ffffff},        {"aqua", 0x00ffffff},   {"teal", 0x008080ff},   {"magenta", 0xff00ffff},
    {"fuchsia", 0xff00ffff},     {"purple", 0x800080ff}, {"maroon", 0x800000ff}, {"olive", 0x808000ff},
    {"transparent", 0x00000000},
};

/* The digits behind #: 3 or 4, each for a pair of itself, 6 or 8. */
static bool read_digits(const char *text, uint32_t *rgba)
{
    const int digits = (int)strlen(text);
    uint64_t value;
    if ((digits != 3 && digits != 4 && digits != 6 && digits != 8) || !halo_read_hex(text, digits, &value))
        return false;
    if (digits < 6) {
        uint64_t pairs = 0;
        for (int k = digits - 1; k >= 0; k--) pairs = pairs << 8 | (value >> (4 * k) & 15) * 17;
        value = pairs;
    }
    *rgba = (uint32_t)(digits % 4 == 0 ? value : value << 8 | 0xff);
    return true;
}

HaloStatus paint_read(const char *where, const char *text, Paint *paint)
{
    uint32_t rgba = 0;
    bool found = *text == '#' && read_digits(text + 1, &rgba);
    for (size_t k = 0; !found && k < sizeof named / sizeof named[0]; k++) {
        found = strcmp(named[k].name, text) == 0;
        rgba = named[k].rgba;
    }
    if (!found)
        return halo_fail(HALO_ERR_USAGE,
                         "%s: expected a color, such as white, black, red or #ff8000, found '%.60s'", where,
                         text);
    for (int k = 0; k < 4; k++) paint->share[k] = (double)(rgba >> (24 - 8 * k) & 255) / 255.0;
    return HALO_OK;
}

HaloStatus paint_check(const char *where, const char *text)
{
    Paint paint;
    return paint_read(where, text, &paint);
}

/* ---- samples -------------------------------------------------------------------------------------------- */

HaloStatus paint_fits(const char *where, const HaloShape *shape, const Paint *paint)
{
    const int colours = shape->channels - (shape->alpha >= 0);
    const double *share = paint->share;
    if (shape->numbers)
        return halo_fail(HALO_ERR_INPUT,
                         "%s: a color needs a full scale, which the input lacks: use --white=65535 (counts), "
                         "--white=1 (samples from 0 to 1) or normalize",
                         where);
    if (colours != 3 && (share[0] != share[1] || share[1] != share[2]))
        return halo_fail(
            HALO_ERR_INPUT, "%s: the input has %d color%s, so that the color has to be a gray one%s", where,
            colours, colours == 1 ? "" : "s", colours == 1 ? ": channels:1,1,1 before makes three of one" : "");
    if (shape->alpha < 0 && share[3] != 1.0)
        return halo_fail(HALO_ERR_INPUT,
                         "%s: the color is transparent, and the input has no alpha: 'cutout:[gray | gain:0 | "
                         "offset:100%%]' before gives it one",
                         where);
    return HALO_OK;
}

double paint_sample(const HaloShape *shape, const Paint *paint, int channel)
{
    const int k = channel == shape->alpha ? 3 : shape->channels - (shape->alpha >= 0) == 3 ? channel : 0;
    return paint->share[k] * (double)shape->white;
}

/* ---- programs ------------------------------------------------------------------------------------------- */

/* The colour's sample of the result's channel. */
static void write_paint(HaloExprWriter *to, const HaloShape *shape, const Paint *paint, int channel)
{
    const double sample = paint_sample(shape, paint, channel);
    int next = channel + 1;
    while (next < shape->channels && paint_sample(shape, paint, next) == sample) next++;
    if (next == shape->channels) {
        halo_expr_push_number(to, sample);
        return;
    }
    halo_expr_push_code(to, HALO_EXPR_C);
    halo_expr_push_number(to, (double)next); /* channels count from 1 here: this one, and those like it */
    halo_expr_push_code(to, HALO_EXPR_LE);
    halo_expr_push_number(to, sample);
    write_paint(to, shape, paint, next);
    halo_expr_push_code(to, HALO_EXPR_SELECT);
}

/* first <= the coordinate < end */
static void write_within(HaloExprWriter *to, HaloExprCode coordinate, int64_t first, int64_t end)
{
    halo_expr_push_code(to, coordinate);
    halo_expr_push_number(to, (double)first);
    halo_expr_push_code(to, HALO_EXPR_GE);
    halo_expr_push_code(to, coordinate);
    halo_expr_push_number(to, (double)end);
    halo_expr_push_code(to, HALO_EXPR_LT);
    halo_expr_push_code(to, HALO_EXPR_AND);
}

HaloStatus paint_around(HaloBuilder *builder, HaloReg in, const Paint *paint, int64_t x, int64_t y,
                        int64_t width, int64_t height, HaloReg *out)
{
    HaloExprWriter to;
    const HaloStatus status = halo_expr_begin(builder, &to);
    if (status != HALO_OK) return status;
    write_within(&to, HALO_EXPR_X, x, x + width);
    write_within(&to, HALO_EXPR_Y, y, y + height);
    halo_expr_push_code(&to, HALO_EXPR_AND);
    halo_expr_push_sample(&to, 0, -1);
    write_paint(&to, halo_build_shape(builder, in), paint, 0);
    halo_expr_push_code(&to, HALO_EXPR_SELECT);
    const HaloStep step = {.primitive = HALO_EXPR, .sources = 1, .src = {in}, .u.expr = to.expr};
    return halo_build_step(builder, &step, out);
}

HaloStatus paint_below(HaloBuilder *builder, HaloReg in, const Paint *paint, HaloReg *out)
{
    const HaloShape *shape = halo_build_shape(builder, in);
    HaloExprWriter to;
    const HaloStatus status = halo_expr_begin(builder, &to);
    if (status != HALO_OK) return status;
    to.expr->alphas = false;
    write_paint(&to, shape, paint, 0);
    halo_expr_push_sample(&to, 0, -1);
    halo_expr_push_sample(&to, 0, shape->alpha);
    halo_expr_push_number(&to, (double)shape->white);
    halo_expr_push_code(&to, HALO_EXPR_DIV);
    halo_expr_push_code(&to, HALO_EXPR_MIX);
    const HaloStep step = {.primitive = HALO_EXPR, .sources = 1, .src = {in}, .u.expr = to.expr};
    return halo_build_step(builder, &step, out);
}
