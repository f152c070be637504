/* Rotations: sizes and matrices. */
#include "rotation.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

Rotation rotation_by(double degrees)
{
    const double rest = fmod(degrees, 360.0), positive = rest < 0 ? rest + 360.0 : rest;
    const double quarters = floor(positive / 90.0), more = positive - 90.0 * quarters,
                 angle = more * (pi / 180.0);
    Rotation turn = {.quarters = (int)quarters % 4, .exact = more == 0.0};
    const double c = cos(angle), s = sin(angle);
    turn.cosine = turn.quarters == 0 ? c : turn.quarters == 1 ? -s : turn.quarters == 2 ? -c : s;
    turn.sine = turn.quarters == 0 ? s : turn.quarters == 1 ? c : turn.quarters == 2 ? -s : -c;
    return turn;
}

/* ---- sizes ----------------------------------------------------------------------------------------------- */

static void size_grown(const HaloShape *shape, const Rotation *turn, HaloWarp *warp)
{
    const double c = fabs(turn->cosine), s = fabs(turn->sine), w = (double)shape->width,
                 h = (double)shape->height;
    warp->width = (int64_t)ceil(w * c + h * s - 1e-6);
    warp->height = (int64_t)ceil(w * s + h * c - 1e-6);
}

/* The largest rectangle inside the rotated picture, of pixels whose centres lie between centres of the source.
 */
static void size_cropped(const HaloShape *shape, const Rotation *turn, HaloWarp *warp)
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

void rotation_size(const HaloShape *shape, const Rotation *turn, RotationFit fit, HaloWarp *warp)
{
    warp->width = shape->width;
    warp->height = shape->height;
    if (fit != ROTATION_KEEP && turn->exact) {
        if (turn->cosine == 0.0) warp->width = shape->height, warp->height = shape->width;
        return;
    }
    if (fit == ROTATION_GROW) size_grown(shape, turn, warp);
    if (fit == ROTATION_CROP) size_cropped(shape, turn, warp);
}

void rotation_matrix(const HaloShape *shape, const Rotation *turn, const HaloValue *at, HaloWarp *warp)
{
    const bool placed = at != NULL && at->given && !at->integer;
    const double in_x = placed ? (double)at->point[0] : ((double)shape->width - 1) / 2,
                 in_y = placed ? (double)at->point[1] : ((double)shape->height - 1) / 2,
                 out_x = placed ? in_x : ((double)warp->width - 1) / 2,
                 out_y = placed ? in_y : ((double)warp->height - 1) / 2;
    const double c = turn->cosine, s = turn->sine;
    const double m[9] = {c, s, in_x - (c * out_x + s * out_y), -s, c, in_y - (c * out_y - s * out_x), 0, 0, 1};
    for (int k = 0; k < 9; k++) warp->m[k] = m[k];
}
