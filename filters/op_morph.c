/* erode, dilate, open, close, tophat, blackhat and outline: minima and maxima over windows, one after the
 * other, and differences (J. Serra, "Image analysis and mathematical morphology", 1982). As with median and
 * rank, alpha is copied but under alpha=straight. */
#include "element.h"
#include "ops.h"
#include "upright.h"

enum { MORPH_WIDTH, MORPH_HEIGHT, MORPH_SHAPE, MORPH_MASK, MORPH_HEIGHTS };
enum { SHAPE_BOX, SHAPE_DISK, SHAPE_CROSS };

/* The sides of windows that are no rectangles: the fourth power of half of it has to be an integer here, and
 * who waits for as many rows a sample. */
#define SHAPE_MOST 32767

/* ---- shapes --------------------------------------------------------------------------------------------- */

/* How far sample i of a side is from the middle one; of an even number, from the nearer of the two in the
 * middle. */
static int64_t from_middle(int64_t i, int64_t side)
{
    const int64_t far = i - (side - 1) / 2, near = i - side / 2;
    return far <= 0 ? -far : near;
}

/* With (dx, dy) counted from the middle and rx, ry the farthest of them, a disk is (dx / rx)^2 + (dy / ry)^2 <=
 * 1, a cross what has dx = 0 or dy = 0. */
static bool belongs(int64_t shape, const FilterWindow *window, int64_t i, int64_t j)
{
    const int64_t dx = from_middle(i, window->width), dy = from_middle(j, window->height);
    const int64_t rx = (window->width - 1) / 2, ry = (window->height - 1) / 2;
    if (shape == SHAPE_CROSS) return dx == 0 || dy == 0;
    return dx * dx * ry * ry + dy * dy * rx * rx <= rx * rx * ry * ry;
}

/* Each row of a shape is in one piece, and as far from the left as from the right. */
static HaloStatus take_shape(HaloBuilder *builder, const char *op, int64_t shape, FilterWindow *window)
{
    HaloStatus status = HALO_OK;
    const int64_t width = window->width, height = window->height;
    int64_t from = 0;
    bool whole = true;
    if (shape == SHAPE_BOX) goto out;
    if (width > SHAPE_MOST || height > SHAPE_MOST)
        HALO_FAIL(HALO_ERR_USAGE,
                  "%s: a window of %lld x %lld needs shape=box; other shapes are at most %d wide and high", op,
                  (long long)width, (long long)height, SHAPE_MOST);
    HaloSpan *span = halo_build_keep(builder, sizeof *span * (size_t)height);
    if (span == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    for (int64_t j = 0; j < height; j++) {
        while (!belongs(shape, window, from, j)) from++;
        while (from > 0 && belongs(shape, window, from - 1, j)) from--;
        span[j] = (HaloSpan){from, width - from};
        whole = whole && from == 0;
    }
    if (!whole) window->span = span;
out:
    return status;
}

/* ---- steps ---------------------------------------------------------------------------------------------- */

typedef enum Morph { ERODE, DILATE, OPEN, CLOSE, TOPHAT, BLACKHAT, OUTLINE } Morph;

/* The windows of what comes first and of what comes second. */
typedef struct Elements {
    Element first, second;
} Elements;

/* What comes second has its anchor on the other side of the middle: else even windows would move the picture.
 */
static HaloStatus take_window(HaloBuilder *builder, const char *op, Morph morph, const HaloValue *arg,
                              HaloReg in, Elements *elements)
{
    HaloStatus status = HALO_OK;
    FilterWindow *window = &elements->first.window;
    *elements = (Elements){{.flat = true}, {.flat = true}};
    HALO_TRY(filter_size(builder, op, in, &arg[MORPH_WIDTH], &arg[MORPH_HEIGHT], window));
    HALO_TRY(take_shape(builder, op, arg[MORPH_SHAPE].integer, window));
    elements->second = elements->first;
    if (morph == OUTLINE) return HALO_OK;
    elements->second.window.anchor_x = window->width - 1 - window->anchor_x;
    elements->second.window.anchor_y = window->height - 1 - window->anchor_y;
out:
    return status;
}

/* Erosion takes the mask as it is written, dilation turns it, as in SciPy. */
static HaloStatus take_mask(HaloBuilder *builder, const char *op, bool greatest_first, const HaloValue *arg,
                            HaloReg in, Elements *elements)
{
    HaloStatus status = HALO_OK;
    Element *least = greatest_first ? &elements->second : &elements->first,
            *greatest = greatest_first ? &elements->first : &elements->second;
    if (halo_build_shape(builder, in)->kind != HALO_IMAGE)
        HALO_FAIL(HALO_ERR_USAGE, "%s: mask and heights are for pictures; the window of sound has a width", op);
    if (arg[MORPH_WIDTH].given || arg[MORPH_HEIGHT].given || arg[MORPH_SHAPE].given)
        HALO_FAIL(HALO_ERR_USAGE, "%s: width, height and shape are mutually exclusive with mask and heights",
                  op);
    HALO_TRY(element_of(builder, op, arg[MORPH_MASK].given ? arg[MORPH_MASK].mask : NULL,
                        arg[MORPH_HEIGHTS].given ? arg[MORPH_HEIGHTS].mask : NULL, least));
    HALO_TRY(element_turned(builder, least, greatest));
out:
    return status;
}

static HaloStatus build(HaloBuilder *builder, const char *op, Morph morph, const HaloValue *arg, HaloReg in,
                        HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const bool greatest = morph != ERODE && morph != OPEN && morph != TOPHAT;
    Filter filter;
    Elements by;
    HaloReg made, least;
    if (arg[MORPH_MASK].given || arg[MORPH_HEIGHTS].given)
        HALO_TRY(take_mask(builder, op, greatest, arg, in, &by));
    else
        HALO_TRY(take_window(builder, op, morph, arg, in, &by));
    HALO_TRY(filter_begin_straight(&filter, builder, in));
    HALO_TRY(element_extreme(&filter, filter.work, &by.first, greatest, &made));
    if (morph == OUTLINE) {
        HALO_TRY(element_extreme(&filter, filter.work, &by.second, false, &least));
        HALO_TRY(filter_difference(&filter, made, least, &made));
    } else if (morph != ERODE && morph != DILATE) {
        HALO_TRY(element_extreme(&filter, made, &by.second, !greatest, &made));
    }
    if (morph == TOPHAT) HALO_TRY(filter_difference(&filter, in, made, &made));
    if (morph == BLACKHAT) HALO_TRY(filter_difference(&filter, made, in, &made));
    HALO_TRY(filter_end(&filter, made, false, NULL, out));
out:
    return status;
}

static const HaloParam morph_param[] = {
    {.key = "width",
     .type = HALO_PARAM_LENGTH,
     .preset = "3",
     .min = 1,
     .max = HALO_MASK_MAX_SIDE,
     .unit = "samples",
     .help =
         "full width of the window, odd or even; samples outside the input do not count unless border= is set"},
    FILTER_HEIGHT,
    {.key = "shape",
     .type = HALO_PARAM_CHOICE,
     .preset = "box",
     .choices = "box|disk|cross",
     .help =
         "box: the whole window; disk: the disk (ellipse) inscribed in it; cross: its middle row and column"},
    {.key = "mask",
     .type = HALO_PARAM_MASK,
     .preset = "",
     .help = "any structuring element in place of width, height and shape: a quoted mask, a file, or a name of "
             "'halo list masks'; what is not 0 belongs to it. erode takes it as written, dilate turned by 180 "
             "degrees, as in SciPy"},
    {.key = "heights",
     .type = HALO_PARAM_MASK,
     .preset = "",
     .help =
         "heights of the element, of the mask's size, or without a mask of all of it: erode takes the least "
         "of sample - height, dilate the greatest of sample + height"},
};

/* ---- the operations ------------------------------------------------------------------------------------- */

static HaloStatus build_erode(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return build(builder, "erode", ERODE, arg, in, out);
}

static HaloStatus build_dilate(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return build(builder, "dilate", DILATE, arg, in, out);
}

static HaloStatus build_open(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return build(builder, "open", OPEN, arg, in, out);
}

static HaloStatus build_close(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return build(builder, "close", CLOSE, arg, in, out);
}

static HaloStatus build_tophat(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return build(builder, "tophat", TOPHAT, arg, in, out);
}

static HaloStatus build_blackhat(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return build(builder, "blackhat", BLACKHAT, arg, in, out);
}

static HaloStatus build_outline(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return build(builder, "outline", OUTLINE, arg, in, out);
}

static bool turns(const HaloValue *arg)
{
    if (!arg[MORPH_MASK].given && !arg[MORPH_HEIGHTS].given)
        return upright_window(&arg[MORPH_WIDTH], &arg[MORPH_HEIGHT]);
    return (arg[MORPH_MASK].given && upright_mask(arg[MORPH_MASK].mask)) ||
           (arg[MORPH_HEIGHTS].given && upright_mask(arg[MORPH_HEIGHTS].mask));
}

const HaloOp halo_op_erode = {.name = "erode",
                              .help = "least sample of the window: bright parts shrink",
                              .synonyms = "erosion",
                              .known_as = "minimum morphology",
                              .example = "erode:5",
                              .upright_of = turns,
                              .kinds = HALO_IMAGE | HALO_AUDIO,
                              .filter = true,
                              HALO_PARAMS(morph_param),
                              .build = build_erode};

const HaloOp halo_op_dilate = {.name = "dilate",
                               .help = "greatest sample of the window: bright parts grow",
                               .synonyms = "dilation",
                               .known_as = "maximum morphology",
                               .example = "dilate:5,shape=disk",
                               .upright_of = turns,
                               .kinds = HALO_IMAGE | HALO_AUDIO,
                               .filter = true,
                               HALO_PARAMS(morph_param),
                               .build = build_dilate};

const HaloOp halo_op_open = {.name = "open",
                             .help = "erode, then dilate: removes bright features narrower than the window",
                             .synonyms = "opening",
                             .known_as = "morphology",
                             .example = "open:5,shape=disk",
                             .upright_of = turns,
                             .kinds = HALO_IMAGE | HALO_AUDIO,
                             .filter = true,
                             HALO_PARAMS(morph_param),
                             .build = build_open};

const HaloOp halo_op_close = {.name = "close",
                              .help = "dilate, then erode: removes dark features narrower than the window",
                              .synonyms = "closing",
                              .known_as = "morphology",
                              .example = "close:width=7,height=3",
                              .upright_of = turns,
                              .kinds = HALO_IMAGE | HALO_AUDIO,
                              .filter = true,
                              HALO_PARAMS(morph_param),
                              .build = build_close};

const HaloOp halo_op_tophat = {.name = "tophat",
                               .help = "input minus open: bright features narrower than the window",
                               .known_as = "morphology background",
                               .example = "tophat:15,shape=disk",
                               .upright_of = turns,
                               .kinds = HALO_IMAGE | HALO_AUDIO,
                               .filter = true,
                               HALO_PARAMS(morph_param),
                               .build = build_tophat};

const HaloOp halo_op_blackhat = {.name = "blackhat",
                                 .help = "close minus input: dark features narrower than the window",
                                 .synonyms = "bottomhat",
                                 .known_as = "morphology background",
                                 .example = "blackhat:15,shape=cross",
                                 .upright_of = turns,
                                 .kinds = HALO_IMAGE | HALO_AUDIO,
                                 .filter = true,
                                 HALO_PARAMS(morph_param),
                                 .build = build_blackhat};

const HaloOp halo_op_outline = {.name = "outline",
                                .help = "dilate minus erode: edges, as wide as the window",
                                .known_as = "morphology gradient edge edges",
                                .example = "outline:3,shape=cross",
                                .upright_of = turns,
                                .kinds = HALO_IMAGE | HALO_AUDIO,
                                .filter = true,
                                HALO_PARAMS(morph_param),
                                .build = build_outline};
