/* Geometry at any angle: matrices, tables of weights, and the steps. */
#include "warp.h"

#include <math.h>

#include "halo/text.h"

/* ---- parameters ---------------------------------------------------------------------------------------------
 */

HaloStatus warp_numbers(const char *where, const char *text, int least, int most, double *number, int *count)
{
    const char *at = text;
    for (*count = 0; *count < most; at++) {
        while (halo_is_blank(*at)) at++;
        if (!halo_read_number(at, &number[*count], &at) || !isfinite(number[*count])) break;
        ++*count;
        while (halo_is_blank(*at)) at++;
        if (*at == 0 && *count >= least) return HALO_OK;
        if (*at != ',') break;
    }
    if (least == most)
        return halo_fail(HALO_ERR_USAGE, "%s: expected %d numbers with commas between them, found '%.60s'",
                         where, most, text);
    return halo_fail(HALO_ERR_USAGE, "%s: expected %d to %d numbers with commas between them, found '%.60s'",
                     where, least, most, text);
}

HaloStatus warp_size(const char *where, const HaloValue *size, int64_t width, int64_t height, HaloWarp *warp)
{
    Rectangle sides = {.width = width, .height = height};
    const HaloStatus status = size->given ? geometry_rectangle(where, size->text, &sides) : HALO_OK;
    warp->width = sides.width;
    warp->height = sides.height;
    return status;
}

/* ---- matrices -------------------------------------------------------------------------------------------- */

bool warp_invert(const double m[9], double inverse[9])
{
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) {
            const int a = (column + 1) % 3, b = (column + 2) % 3, c = (row + 1) % 3, d = (row + 2) % 3;
            inverse[3 * row + column] = m[3 * a + c] * m[3 * b + d] - m[3 * a + d] * m[3 * b + c];
        }
    const double size = m[0] * inverse[0] + m[1] * inverse[3] + m[2] * inverse[6];
    bool finite = size != 0.0;
    for (int k = 0; k < 9; k++) {
        inverse[k] = inverse[k] / size;
        finite = finite && isfinite(inverse[k]);
    }
    return finite;
}

/* Solves eight equations, [8][9], in place, by Gaussian elimination; the result is the last column. */
static bool solve(double row[8][9])
{
    for (int k = 0; k < 8; k++) {
        int best = k;
        for (int i = k + 1; i < 8; i++)
            if (fabs(row[i][k]) > fabs(row[best][k])) best = i;
        if (!(fabs(row[best][k]) > 1e-12)) return false;
        for (int j = 0; j < 9; j++) {
            const double was = row[k][j];
            row[k][j] = row[best][j];
            row[best][j] = was;
        }
        for (int j = 8; j >= k; j--) row[k][j] = row[k][j] / row[k][k];
        for (int i = 0; i < 8; i++)
            for (int j = 8; j >= k && i != k; j--) row[i][j] -= row[i][k] * row[k][j];
    }
    return true;
}

bool warp_between(const double from[8], const double to[8], double m[9])
{
    double row[8][9];
    for (int k = 0; k < 8; k++) {
        const double x = from[k / 2 * 2], y = from[k / 2 * 2 + 1], is = to[k];
        const double here[9] = {x, y, 1, 0, 0, 0, -x * is, -y * is, is},
                     there[9] = {0, 0, 0, x, y, 1, -x * is, -y * is, is};
        for (int j = 0; j < 9; j++) row[k][j] = k % 2 == 0 ? here[j] : there[j];
    }
    if (!solve(row)) return false;
    for (int k = 0; k < 8; k++) m[k] = row[k][8];
    m[8] = 1.0;
    return true;
}

/* ---- points and weights ---------------------------------------------------------------------------------- */

/* How many pixels of the source a step of one pixel along an axis of the result leads across, at a point of it.
 */
static double step_at(const HaloWarp *warp, double x, double y, int axis)
{
    const double *m = warp->m;
    if (warp->by == HALO_WARP_AFFINE) return hypot(m[axis], m[3 + axis]);
    const double w = m[6] * x + m[7] * y + m[8];
    const double u = (m[0] * x + m[1] * y + m[2]) / w, v = (m[3] * x + m[4] * y + m[5]) / w;
    return hypot((m[axis] - u * m[6 + axis]) / w, (m[3 + axis] - v * m[6 + axis]) / w);
}

/* Points that lie no farther apart than pixels of the source, or by a sixteenth; of perspectives at most 8. */
static int points_for(const HaloWarp *warp, int axis)
{
    const double right = (double)(warp->width - 1), bottom = (double)(warp->height - 1);
    double most = 0.0;
    if (warp->by > HALO_WARP_PERSPECTIVE) return 1;
    for (int k = 0; k < 4; k++) {
        const double at = step_at(warp, k % 2 == 0 ? 0.0 : right, k < 2 ? 0.0 : bottom, axis);
        most = at > most ? at : most;
    }
    const double points = ceil(most - 1.0 / 16.0), limit = warp->by == HALO_WARP_AFFINE ? WARP_MAX_SAMPLES : 8;
    return points < 1.0 ? 1 : (int)(points < limit ? points : limit);
}

static HaloStatus keep_table(HaloBuilder *builder, ResampleKernel kernel, HaloWarp *warp)
{
    float *const tap = halo_build_keep(builder, (size_t)(HALO_WARP_PHASES * warp->taps) * sizeof *tap);
    if (tap == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int phase = 0; phase < HALO_WARP_PHASES; phase++) {
        double weight[HALO_WARP_TAPS], sum = 0.0;
        for (int i = 0; i < warp->taps; i++) {
            weight[i] =
                taps_weight(kernel, (double)(i - warp->taps / 2 + 1) - (double)phase / HALO_WARP_PHASES);
            sum += weight[i];
        }
        for (int i = 0; i < warp->taps; i++) tap[phase * warp->taps + i] = (float)(weight[i] / sum);
    }
    warp->tap = tap;
    return HALO_OK;
}

/* ---- the steps ------------------------------------------------------------------------------------------- */

HaloStatus warp_build(HaloBuilder *builder, HaloWarp *warp, const HaloValue *arg, HaloReg in, HaloReg map,
                      HaloReg *out)
{
    static const int taps[] = {2, 1, 4, 6};
    static const ResampleKernel kernels[] = {RESAMPLE_LINEAR, RESAMPLE_NEAREST, RESAMPLE_CUBIC,
                                             RESAMPLE_LANCZOS3};
    HaloStatus status = HALO_OK;
    const HaloShape shape = *halo_build_shape(builder, in);
    const int64_t kernel = arg[WARP_KERNEL].integer;
    const bool straight = arg[WARP_ALPHA].given ? arg[WARP_ALPHA].integer == 1
                                                : halo_build_common(builder)->alpha != HALO_ALPHA_PREMUL;
    const bool premultiplied = shape.alpha >= 0 && !straight && kernels[kernel] != RESAMPLE_NEAREST;
    const HaloMap premul = {.kind = HALO_MAP_PREMUL, .white = shape.white};
    const HaloCombine divide = {.kind = HALO_COMBINE_UNPREMUL, .white = shape.white};
    if (warp->width > GEOMETRY_MOST || warp->height > GEOMETRY_MOST || shape.width > GEOMETRY_MOST ||
        shape.height > GEOMETRY_MOST)
        HALO_FAIL(HALO_ERR_LIMIT, "a side of more than %lld pixels", (long long)GEOMETRY_MOST);
    warp->taps = taps[kernel];
    warp->border = (HaloBorder)arg[WARP_BORDER].integer;
    warp->value = arg[WARP_BORDER].number;
    const bool asked = warp->by != HALO_WARP_MAP && arg[WARP_SAMPLES].given;
    const int samples = asked ? (int)arg[WARP_SAMPLES].integer : 0;
    warp->samples_x = samples > 0 ? samples : points_for(warp, 0);
    warp->samples_y = samples > 0 ? samples : points_for(warp, 1);
    if (warp->taps == 6) HALO_TRY(keep_table(builder, kernels[kernel], warp));
    if (premultiplied) HALO_TRY(halo_build_map(builder, in, &premul, &in));
    HALO_TRY(halo_build_warp(builder, in, map, warp, out));
    if (premultiplied) HALO_TRY(halo_build_combine(builder, *out, *out, &divide, out));
out:
    return status;
}
