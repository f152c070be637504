/* affine and perspective: pixels interpolated where a matrix says. */
#include <math.h>

#include "ops.h"
#include "warp.h"

/* ---- affine ---------------------------------------------------------------------------------------------- */

enum { AFFINE_MATRIX, AFFINE_FIT, AFFINE_AT, AFFINE_SIZE, AFFINE_WARP };

/* Of the matrix, from input to result: the coefficients of x, of y and the constant, for x' and y'. */
static HaloStatus check_affine(const char *where, const char *text)
{
    double m[6];
    int count;
    return warp_numbers(where, text, 6, 6, m, &count);
}

/* Moves the result so that all of the picture is there. */
static void grow(const HaloShape *shape, double m[9], HaloWarp *warp)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int k = 0; k < 4; k++) {
        const double x = k % 2 == 0 ? -0.5 : (double)shape->width - 0.5,
                     y = k < 2 ? -0.5 : (double)shape->height - 0.5;
        for (int axis = 0; axis < 2; axis++) {
            const double to = m[3 * axis] * x + m[3 * axis + 1] * y + m[3 * axis + 2];
            low[axis] = fmin(low[axis], to);
            high[axis] = fmax(high[axis], to);
        }
    }
    const double width = fmin(ceil(high[0] - low[0] - 1e-6), 2.0 * (double)GEOMETRY_MOST),
                 height = fmin(ceil(high[1] - low[1] - 1e-6), 2.0 * (double)GEOMETRY_MOST);
    warp->width = width < 1 ? 1 : (int64_t)width;
    warp->height = height < 1 ? 1 : (int64_t)height;
    m[2] -= (low[0] + high[0] - ((double)warp->width - 1)) / 2;
    m[5] -= (low[1] + high[1] - ((double)warp->height - 1)) / 2;
}

static HaloStatus build_affine(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape shape = *halo_build_shape(builder, in);
    HaloWarp warp = {.by = HALO_WARP_AFFINE};
    double m[9] = {0, 0, 0, 0, 0, 0, 0, 0, 1};
    int count;
    HALO_TRY(warp_numbers("affine: matrix", arg[AFFINE_MATRIX].text, 6, 6, m, &count));
    if (arg[AFFINE_AT].given) {
        const bool placed = !arg[AFFINE_AT].integer;
        const double x = placed ? (double)arg[AFFINE_AT].point[0] : ((double)shape.width - 1) / 2,
                     y = placed ? (double)arg[AFFINE_AT].point[1] : ((double)shape.height - 1) / 2;
        m[2] += x - (m[0] * x + m[1] * y);
        m[5] += y - (m[3] * x + m[4] * y);
    }
    HALO_TRY(warp_size("affine: size", &arg[AFFINE_SIZE], shape.width, shape.height, &warp));
    if (arg[AFFINE_FIT].integer == 1) {
        if (arg[AFFINE_SIZE].given) HALO_FAIL(HALO_ERR_USAGE, "affine: fit=grow and size= exclude each other");
        grow(&shape, m, &warp);
    }
    if (!warp_invert(m, warp.m))
        HALO_FAIL(HALO_ERR_USAGE,
                  "affine: the matrix has no inverse: it maps the picture to a line or a point");
    HALO_TRY(warp_build(builder, &warp, arg + AFFINE_WARP, in, -1, out));
out:
    return status;
}

static const HaloParam affine_param[] = {
    [AFFINE_MATRIX] = {.key = "matrix",
                       .type = HALO_PARAM_TEXT,
                       .list = 6,
                       .check = check_affine,
                       .help = "a,b,c,d,e,f: pixel (x, y) goes to (a x + b y + c, d x + e y + f)"},
    [AFFINE_FIT] = {.key = "fit",
                    .type = HALO_PARAM_CHOICE,
                    .preset = "keep",
                    .choices = "keep|grow",
                    .help = "keep: the size of the input; grow: all of the picture is there"},
    [AFFINE_AT] = {.key = "at",
                   .type = HALO_PARAM_POINT,
                   .preset = "",
                   .choices = "center|centre",
                   .unit = "pixels",
                   .help = "X+Y of the point that coordinates are counted from; the first pixel unless given"},
    [AFFINE_SIZE] = WARP_SIZE("that of the input"),
    WARP_PARAMS(AFFINE_WARP, "zero"),
    WARP_SAMPLES_PARAM(AFFINE_WARP),
};

const HaloOp halo_op_affine = {.name = "affine",
                               .help = "turn, scale, shear and move at once",
                               .known_as = "warpaffine affine_transform shear skew translate similarity",
                               .example = "affine:1,0.2,0,0,1,0",
                               .within = true,
                               .kinds = HALO_IMAGE,
                               .upright = true,
                               HALO_PARAMS(affine_param),
                               .build = build_affine};

/* ---- perspective ----------------------------------------------------------------------------------------- */

enum { PERSPECTIVE_BY, PERSPECTIVE_CORNERS, PERSPECTIVE_SIZE, PERSPECTIVE_WARP };

static HaloStatus check_perspective(const char *where, const char *text)
{
    double number[16];
    int count;
    if (warp_numbers(where, text, 8, 16, number, &count) == HALO_OK && (count == 8 || count == 16))
        return HALO_OK;
    return halo_fail(
        HALO_ERR_USAGE,
        "%s: expected 8 numbers of a matrix, or 16 of four points and where they go, found '%.60s'", where,
        text);
}

static HaloStatus check_corners(const char *where, const char *text)
{
    double corner[8];
    int count;
    return warp_numbers(where, text, 8, 8, corner, &count);
}

/* The longer one of two opposite sides of the corners, in pixels. */
static int64_t longer(const double *corner, int a, int b, int c, int d)
{
    const double one = hypot(corner[2 * b] - corner[2 * a], corner[2 * b + 1] - corner[2 * a + 1]),
                 other = hypot(corner[2 * d] - corner[2 * c], corner[2 * d + 1] - corner[2 * c + 1]);
    const double length = floor(fmax(one, other) + 0.5);
    return length < 2 ? 2 : length > 2.0 * (double)GEOMETRY_MOST ? 2 * GEOMETRY_MOST : (int64_t)length;
}

/* What the four corners hold becomes the whole result. */
static HaloStatus by_corners(const HaloValue *arg, HaloWarp *warp)
{
    HaloStatus status = HALO_OK;
    double corner[8];
    int count;
    HALO_TRY(warp_numbers("perspective: corners", arg[PERSPECTIVE_CORNERS].text, 8, 8, corner, &count));
    HALO_TRY(warp_size("perspective: size", &arg[PERSPECTIVE_SIZE], longer(corner, 0, 1, 3, 2),
                       longer(corner, 0, 3, 1, 2), warp));
    const double right = (double)(warp->width - 1), bottom = (double)(warp->height - 1);
    const double whole[8] = {0, 0, right, 0, right, bottom, 0, bottom};
    if (!warp_between(whole, corner, warp->m))
        HALO_FAIL(HALO_ERR_USAGE, "perspective: three of the corners lie on a line, or the result is one");
out:
    return status;
}

static HaloStatus by_numbers(const HaloValue *arg, HaloWarp *warp)
{
    HaloStatus status = HALO_OK;
    double number[16], m[9], from[8], to[8];
    int count;
    HALO_TRY(warp_numbers("perspective: by", arg[PERSPECTIVE_BY].text, 8, 16, number, &count));
    for (int k = 0; k < 8; k++) {
        m[k] = number[k];
        from[k] = number[k / 2 * 4 + k % 2];
        to[k] = number[k / 2 * 4 + 2 + k % 2];
    }
    m[8] = 1.0;
    if (count == 8 ? !warp_invert(m, warp->m) : !warp_between(to, from, warp->m))
        HALO_FAIL(HALO_ERR_USAGE, "perspective: %s",
                  count == 8 ? "the matrix has no inverse" : "three of the points lie on a line");
out:
    return status;
}

static HaloStatus build_perspective(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape shape = *halo_build_shape(builder, in);
    HaloWarp warp = {.by = HALO_WARP_PERSPECTIVE};
    if (arg[PERSPECTIVE_BY].given == arg[PERSPECTIVE_CORNERS].given)
        HALO_FAIL(HALO_ERR_USAGE, "perspective: give either 8 or 16 numbers, or corners=");
    if (arg[PERSPECTIVE_CORNERS].given) {
        HALO_TRY(by_corners(arg, &warp));
    } else {
        HALO_TRY(warp_size("perspective: size", &arg[PERSPECTIVE_SIZE], shape.width, shape.height, &warp));
        HALO_TRY(by_numbers(arg, &warp));
    }
    HALO_TRY(warp_build(builder, &warp, arg + PERSPECTIVE_WARP, in, -1, out));
out:
    return status;
}

static const HaloParam perspective_param[] = {
    [PERSPECTIVE_BY] = {.key = "by",
                        .type = HALO_PARAM_TEXT,
                        .preset = "",
                        .list = 16,
                        .check = check_perspective,
                        .help =
                            "a,b,c,d,e,f,g,h: (x, y) goes to (a x + b y + c, d x + e y + f) / (g x + h y + 1); "
                            "or x,y,X,Y four times: (x, y) goes to (X, Y). Give this or corners="},
    [PERSPECTIVE_CORNERS] = {.key = "corners",
                             .type = HALO_PARAM_TEXT,
                             .preset = "",
                             .list = 8,
                             .check = check_corners,
                             .unit = "pixels",
                             .help =
                                 "x,y of what becomes the upper left, upper right, lower right and lower left "
                                 "corner"},
    [PERSPECTIVE_SIZE] = WARP_SIZE("that of the input; with corners= the lengths of their longer sides"),
    WARP_PARAMS(PERSPECTIVE_WARP, "zero"),
    WARP_SAMPLES_PARAM(PERSPECTIVE_WARP),
};

const HaloOp halo_op_perspective = {.name = "perspective",
                                    .help = "show a plane as it is seen from elsewhere",
                                    .known_as = "warpperspective homography keystone quad distort rectify",
                                    .example = "perspective:1,0.1,0,0,1,0,0.001,0",
                                    .within = true,
                                    .kinds = HALO_IMAGE,
                                    .upright = true,
                                    HALO_PARAMS(perspective_param),
                                    .build = build_perspective};
