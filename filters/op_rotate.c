/* rotate: by right angles every pixel as it was, by others interpolated. */
#include <math.h>

#include "ops.h"
#include "warp.h"

enum { ROTATE_ANGLE, ROTATE_FIT, ROTATE_AT, ROTATE_SIZE, ROTATE_WARP };
enum { FIT_KEEP, FIT_GROW, FIT_CROP };

static const double pi = 3.14159265358979323846;

/* A rotation: right angles, 0 to 3, and the cosine and sine of all of it. */
typedef struct Turn {
    int quarters;
    bool exact; /* of these alone */
    double cosine, sine;
} Turn;

static Turn turn_by(double degrees)
{
    const double rest = fmod(degrees, 360.0), positive = rest < 0 ? rest + 360.0 : rest;
    const double quarters = floor(positive / 90.0), more = positive - 90.0 * quarters, angle = more * (pi / 180.0);
    Turn turn = {.quarters = (int)quarters % 4, .exact = more == 0.0};
    const double c = cos(angle), s = sin(angle);
    turn.cosine = turn.quarters == 0 ? c : turn.quarters == 1 ? -s : turn.quarters == 2 ? -c : s;
    turn.sine = turn.quarters == 0 ? s : turn.quarters == 1 ? c : turn.quarters == 2 ? -s : -c;
    return turn;
}

/* ---- sizes ----------------------------------------------------------------------------------------------- */

static void size_grown(const HaloShape *shape, const Turn *turn, HaloWarp *warp)
{
    const double c = fabs(turn->cosine), s = fabs(turn->sine), w = (double)shape->width, h = (double)shape->height;
    warp->width = (int64_t)ceil(w * c + h * s - 1e-6);
    warp->height = (int64_t)ceil(w * s + h * c - 1e-6);
}

/* The largest rectangle inside the rotated picture, of pixels whose centres lie between centres of the source. */
static void size_cropped(const HaloShape *shape, const Turn *turn, HaloWarp *warp)
{
    const double c = fabs(turn->cosine), s = fabs(turn->sine), w = (double)shape->width - 1,
                 h = (double)shape->height - 1;
    const double longer = fmax(w, h), shorter = fmin(w, h), both = c * c - s * s;
    double width, height;
    if (shorter <= 2.0 * s * c * longer || fabs(both) < 1e-9) {
        const double half = 0.5 * shorter;
        width = w >= h ? half / s : half / c;
        height = w >= h ? half / c : half / s;
    } else {
        width = (w * c - h * s) / both;
        height = (h * c - w * s) / both;
    }
    warp->width = 1 + (int64_t)floor(width + 1e-6);
    warp->height = 1 + (int64_t)floor(height + 1e-6);
}

static HaloStatus set_size(const HaloShape *shape, const Turn *turn, int64_t fit, const HaloValue *size,
                           HaloWarp *warp)
{
    HaloStatus status = HALO_OK;
    warp->width = shape->width;
    warp->height = shape->height;
    if (fit == FIT_GROW) size_grown(shape, turn, warp);
    if (fit == FIT_CROP) size_cropped(shape, turn, warp);
    if (size->given) {
        Rectangle sides;
        HALO_TRY(geometry_rectangle("rotate: size", size->text, &sides));
        warp->width = sides.width;
        warp->height = sides.height;
    }
out:
    return status;
}

/* ---- rotate ---------------------------------------------------------------------------------------------- */

/* The centre of the result shows that of the source; or a point stays where it is. */
static void set_matrix(const HaloShape *shape, const Turn *turn, const HaloValue *at, HaloWarp *warp)
{
    const bool placed = at->given && !at->integer;
    const double in_x = placed ? (double)at->point[0] : ((double)shape->width - 1) / 2,
                 in_y = placed ? (double)at->point[1] : ((double)shape->height - 1) / 2,
                 out_x = placed ? in_x : ((double)warp->width - 1) / 2,
                 out_y = placed ? in_y : ((double)warp->height - 1) / 2;
    const double c = turn->cosine, s = turn->sine;
    const double m[9] = {c, s, in_x - (c * out_x + s * out_y), -s, c, in_y - (c * out_y - s * out_x), 0, 0, 1};
    for (int k = 0; k < 9; k++) warp->m[k] = m[k];
}

static HaloStatus build_rotate(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape shape = *halo_build_shape(builder, in);
    const Turn turn = turn_by(arg[ROTATE_ANGLE].number);
    const int64_t fit = arg[ROTATE_FIT].integer;
    HaloWarp warp = {.by = HALO_WARP_AFFINE};
    if (arg[ROTATE_AT].given && !arg[ROTATE_AT].integer && fit != FIT_KEEP)
        HALO_FAIL(HALO_ERR_USAGE, "rotate: at= is the point that stays in place: it needs fit=keep");
    *out = in;
    if (turn.exact && fit == FIT_GROW && !arg[ROTATE_SIZE].given) {
        const int k = turn.quarters;
        if (k > 0) status = geometry_turn(builder, in, k != 1, k != 3, k != 2, out);
        goto out;
    }
    HALO_TRY(set_size(&shape, &turn, fit, &arg[ROTATE_SIZE], &warp));
    set_matrix(&shape, &turn, &arg[ROTATE_AT], &warp);
    HALO_TRY(warp_build(builder, &warp, arg + ROTATE_WARP, in, -1, out));
out:
    return status;
}

static const HaloParam rotate_param[] = {
    [ROTATE_ANGLE] = {.key = "angle",
                      .type = HALO_PARAM_NUMBER,
                      .unit = "degrees",
                      .help = "clockwise; by 90, 180, 270 and so on every pixel stays as it is"},
    [ROTATE_FIT] = {.key = "fit",
                    .type = HALO_PARAM_CHOICE,
                    .preset = "grow",
                    .choices = "keep|grow|crop",
                    .help = "keep: the size of the input; grow: all of it is there; crop: the largest rectangle "
                            "without border"},
    [ROTATE_AT] = {.key = "at",
                   .type = HALO_PARAM_POINT,
                   .preset = "",
                   .choices = "center|centre",
                   .unit = "pixels",
                   .help = "X+Y of the point that stays in place, with fit=keep; the center unless given"},
    [ROTATE_SIZE] = {.key = "size",
                     .type = HALO_PARAM_TEXT,
                     .preset = "",
                     .check = geometry_check_rectangle,
                     .unit = "pixels",
                     .help = "WxH of the result; default: as fit says"},
    WARP_PARAMS(ROTATE_WARP),
};

const HaloOp halo_op_rotate = {.name = "rotate",
                               .help = "turn by any angle, clockwise",
                               .known_as = "rot rot90 turn straighten getrotationmatrix2d",
                               .example = "rotate:3.5,fit=crop",
                               .kinds = HALO_IMAGE,
                               .upright = true,
                               HALO_PARAMS(rotate_param),
                               .build = build_rotate};
