/* Colours in other coordinates, and through tables; fewer levels. Elementary functions are those of
 * functions.h, which check_expr compares with C's; all else is written anew. */
#include <math.h>
#include <stdlib.h>

#include "halo/color.h"
#include "halo/functions.h"
#include "oracle.h"

static void multiply(const double m[9], double v[3])
{
    double out[3];
    for (int i = 0; i < 3; i++) {
        out[i] = m[3 * i] * v[0];
        for (int k = 1; k < 3; k++) out[i] = out[i] + m[3 * i + k] * v[k];
    }
    for (int i = 0; i < 3; i++) v[i] = out[i];
}

static double power_of(double v, double exponent)
{
    const double size = halo_power(fabs(v), exponent);
    return v < 0 ? -size : size;
}

/* ---- CSS Color 4, sample code ---------------------------------------------------------------------------- */

static const double to_xyz[9] = {506752.0 / 1228815, 87881.0 / 245763,  12673.0 / 70218,
                                 87098.0 / 409605,   175762.0 / 245763, 12673.0 / 175545,
                                 7918.0 / 409605,    87881.0 / 737289,  1001167.0 / 1053270};
static const double from_xyz[9] = {12831.0 / 3959,     -329.0 / 214,       -1974.0 / 3959,
                                   -851781.0 / 878810, 1648619.0 / 878810, 36519.0 / 878810,
                                   705.0 / 12673,      -2585.0 / 12673,    705.0 / 667};
static const double d65_to_d50[9] = {1.0479297925449969,    0.022946870601609652, -0.05019226628920524,
                                     0.02962780877005599,   0.9904344267538799,   -0.017073799063418826,
                                     -0.009243040646204504, 0.015055191490298152, 0.7518742814281371};
static const double d50_to_d65[9] = {0.955473421488075,    -0.02309845494876471,  0.06325924320057072,
                                     -0.0283697093338637,  1.0099953980813041,    0.021041441191917323,
                                     0.012314014864481998, -0.020507649298898964, 1.330365926242124};
static const double to_lms[9] = {0.8190224379967030, 0.3619062600528904, -0.1288737815209879,
                                 0.0329836539323885, 0.9292868615863434, 0.0361446663506424,
                                 0.0481771893596242, 0.2642395317527308, 0.6335478284694309};
static const double to_oklab[9] = {0.2104542683093140, 0.7936177747023054,  -0.0040720430116193,
                                   1.9779985324311684, -2.4285922420485799, 0.4505937096174110,
                                   0.0259040424655478, 0.7827717124575296,  -0.8086757549230774};
static const double from_oklab[9] = {1.0, 0.3963377773761749,  0.2158037573099136,
                                     1.0, -0.1055613458156586, -0.0638541728258133,
                                     1.0, -0.0894841775298119, -1.2914855480194092};
static const double from_lms[9] = {1.2268798758459243,  -0.5578149944602171, 0.2813910456659647,
                                   -0.0405757452148008, 1.1122868032803170,  -0.0717110580655164,
                                   -0.0763729366746601, -0.4214933324022432, 1.5869240198367816};

static void white_of(bool d65, double white[3])
{
    const double x = d65 ? 0.3127 : 0.3457, y = d65 ? 0.3290 : 0.3585;
    white[0] = x / y;
    white[1] = 1.0;
    white[2] = (1.0 - x - y) / y;
}

static void polar(double v[3], double least)
{
    const double chroma = sqrt(v[1] * v[1] + v[2] * v[2]);
    double hue = halo_function_atan2(v[2], v[1]) * (180 / 3.141592653589793);
    if (hue < 0) hue += 360;
    v[2] = chroma <= least ? 0.0 : hue;
    v[1] = chroma;
}

static void rectangular(double v[3])
{
    const double chroma = v[1], hue = v[2] * (3.141592653589793 / 180);
    v[1] = chroma * halo_function_cos(hue);
    v[2] = chroma * halo_function_sin(hue);
}

static void lab_of_light(double v[3], bool d65)
{
    double white[3], f[3];
    white_of(d65, white);
    multiply(to_xyz, v);
    if (!d65) multiply(d65_to_d50, v);
    for (int c = 0; c < 3; c++) {
        const double t = c == 1 ? v[1] : v[c] / white[c];
        f[c] = t > 216.0 / 24389 ? power_of(t, 1.0 / 3) : (t * (24389.0 / 27) + 16) / 116;
    }
    v[0] = 116 * f[1] - 16;
    v[1] = 500 * (f[0] - f[1]);
    v[2] = 200 * (f[1] - f[2]);
}

static void light_of_lab(double v[3], bool d65)
{
    double white[3];
    white_of(d65, white);
    const double y = (v[0] + 16) / 116, f[3] = {v[1] / 500 + y, y, y - v[2] / 200};
    for (int c = 0; c < 3; c++) {
        const double cube = f[c] * f[c] * f[c];
        v[c] = cube > 216.0 / 24389 ? cube : (116 * f[c] - 16) / (24389.0 / 27);
        if (c != 1) v[c] = v[c] * white[c];
    }
    if (!d65) multiply(d50_to_d65, v);
    multiply(from_xyz, v);
}

static void oklab_of_light(double v[3])
{
    multiply(to_xyz, v);
    multiply(to_lms, v);
    for (int c = 0; c < 3; c++) v[c] = power_of(v[c], 1.0 / 3);
    multiply(to_oklab, v);
}

static void light_of_oklab(double v[3])
{
    multiply(from_oklab, v);
    for (int c = 0; c < 3; c++) v[c] = v[c] * v[c] * v[c];
    multiply(from_lms, v);
    multiply(from_xyz, v);
}

static double hue_of(const double v[3], double most, double range)
{
    if (range == 0) return 0;
    if (most == v[0])
        return 60 * ((v[1] - v[2]) / range < 0 ? (v[1] - v[2]) / range + 6 : (v[1] - v[2]) / range);
    return 60 * (most == v[1] ? (v[2] - v[0]) / range + 2 : (v[0] - v[1]) / range + 4);
}

static double greater(double a, double b) { return a > b ? a : b; }
static double lesser(double a, double b) { return a < b ? a : b; }

static void hsv_of(double v[3], bool light)
{
    const double most = greater(greater(v[0], v[1]), v[2]), least = lesser(lesser(v[0], v[1]), v[2]);
    const double range = most - least, middle = (most + least) / 2;
    double hue = hue_of(v, most, range), saturation = 0;
    if (!light && range != 0) saturation = range / most;
    if (light && range != 0 && middle != 0 && middle != 1)
        saturation = (most - middle) / lesser(middle, 1 - middle);
    if (light && saturation < 0) hue += 180;
    if (light) saturation = fabs(saturation); /* of -0, too */
    if (light && hue >= 360) hue -= 360;
    v[0] = hue;
    v[1] = saturation * 100;
    v[2] = (light ? middle : most) * 100;
}

static void of_hsv(double v[3])
{
    static const double n[3] = {5, 3, 1};
    const double h = v[0], s = v[1] / 100, most = v[2];
    for (int c = 0; c < 3; c++) {
        const double turned = n[c] + h / 60, k = turned - floor(turned / 6) * 6;
        v[c] = (most - most * s * greater(lesser(lesser(k, 4 - k), 1), 0)) / 100;
    }
}

static void of_hsl(double v[3])
{
    static const double n[3] = {0, 8, 4};
    const double h = v[0], light = v[2] / 100, size = v[1] / 100 * lesser(light, 1 - light);
    for (int c = 0; c < 3; c++) {
        const double turned = n[c] + h / 30, k = turned - floor(turned / 12) * 12;
        v[c] = light - size * greater(lesser(lesser(k - 3, 9 - k), 1), -1);
    }
}

static void decode(HaloSpace space, double v[3], bool d65)
{
    const double y = v[0], cb = v[1], cr = v[2];
    switch (space) {
    case HALO_SPACE_HSV: of_hsv(v); return;
    case HALO_SPACE_HSL: of_hsl(v); return;
    case HALO_SPACE_YCBCR:
        v[0] = y + 1.402 * cr;
        v[2] = y + 1.772 * cb;
        v[1] = (y - 0.299 * v[0] - 0.114 * v[2]) / 0.587;
        return;
    case HALO_SPACE_XYZ: multiply(from_xyz, v); return;
    case HALO_SPACE_LCH: rectangular(v); /* fallthrough */
    case HALO_SPACE_LAB: light_of_lab(v, d65); return;
    case HALO_SPACE_OKLCH: rectangular(v); /* fallthrough */
    case HALO_SPACE_OKLAB: light_of_oklab(v); return;
    default: return;
    }
}

static void encode(HaloSpace space, double v[3], bool d65)
{
    const double y = 0.299 * v[0] + 0.587 * v[1] + 0.114 * v[2];
    switch (space) {
    case HALO_SPACE_HSV: hsv_of(v, false); return;
    case HALO_SPACE_HSL: hsv_of(v, true); return;
    case HALO_SPACE_YCBCR:
        v[1] = (v[2] - y) / 1.772;
        v[2] = (v[0] - y) / 1.402;
        v[0] = y;
        return;
    case HALO_SPACE_XYZ: multiply(to_xyz, v); return;
    case HALO_SPACE_LAB:
    case HALO_SPACE_LCH: lab_of_light(v, d65); break;
    case HALO_SPACE_OKLAB:
    case HALO_SPACE_OKLCH: oklab_of_light(v); break;
    default: return;
    }
    if (space == HALO_SPACE_LCH) polar(v, 0.0015);
    if (space == HALO_SPACE_OKLCH) polar(v, 0.000004);
}

static void convert(const HaloColor *color, double v[3])
{
    const bool scaled = color->from == HALO_SPACE_SRGB || color->from == HALO_SPACE_LINEAR;
    const bool light = color->from >= HALO_SPACE_LINEAR, to_light = color->to >= HALO_SPACE_LINEAR;
    for (int c = 0; c < 3 && scaled; c++) v[c] /= (double)color->white;
    decode(color->from, v, color->d65);
    for (int c = 0; c < 3 && light != to_light; c++) {
        const double x = fabs(v[c]);
        double y;
        if (light)
            y = x <= 0.0031308 ? x * 12.92 : 1.055 * halo_power(x, 1 / 2.4) - 0.055;
        else
            y = x <= 0.04045 ? x / 12.92 : halo_power((x + 0.055) / 1.055, 2.4);
        v[c] = v[c] < 0 ? -y : y;
    }
    encode(color->to, v, color->d65);
    const bool rescaled = color->to == HALO_SPACE_SRGB || color->to == HALO_SPACE_LINEAR;
    for (int c = 0; c < 3 && scaled && rescaled; c++) v[c] *= (double)color->white;
}

/* ---- tables ---------------------------------------------------------------------------------------------- */

static float place(const HaloColor *color, int c, float v)
{
    const float at = fmaf(v, color->scale[c], color->offset[c]);
    if (at < 0) return 0;
    return at > (float)(color->size - 1) ? (float)(color->size - 1) : at;
}

static float curve(const HaloColor *color, int column, float v)
{
    const float *value = color->value + (int64_t)column * color->size,
                at = place(color, column < 3 ? column : 0, v);
    if (isnan(at)) return at;
    const int i = (int)floorf(at), next = i == color->size - 1 ? i : i + 1;
    return fmaf(at - (float)i, value[next] - value[i], value[i]);
}

typedef struct Axis {
    int axis;
    float part;
} Axis;

/* The greatest part first; of equal ones blue, then green, as strict comparisons have it. */
static int by_part(const void *a, const void *b)
{
    const Axis *one = a, *other = b;
    if (one->part != other->part) return one->part > other->part ? -1 : 1;
    return other->axis - one->axis;
}

static void cube(const HaloColor *color, const float v[3], float out[3])
{
    Axis axis[3];
    int64_t at[3];
    float weight[4];
    for (int c = 0; c < 3; c++) {
        const float here = place(color, c, v[c]);
        if (isnan(here)) {
            out[0] = out[1] = out[2] = NAN;
            return;
        }
        at[c] = (int64_t)here;
        axis[c] = (Axis){c, here - (float)at[c]};
    }
    qsort(axis, 3, sizeof *axis, by_part);
    weight[0] = 1 - axis[0].part;
    weight[1] = axis[0].part - axis[1].part;
    weight[2] = axis[1].part - axis[2].part;
    weight[3] = axis[2].part;
    for (int k = 0; k < 4; k++) {
        if (k > 0 && at[axis[k - 1].axis] < color->size - 1) at[axis[k - 1].axis]++;
        const float *value = color->value + 4 * ((at[2] * color->size + at[1]) * color->size + at[0]);
        for (int c = 0; c < 3; c++) out[c] = k == 0 ? weight[0] * value[c] : fmaf(weight[k], value[c], out[c]);
    }
}

/* ---- all ------------------------------------------------------------------------------------------------- */

static float make(const HaloColor *color, const float v[3], int k)
{
    double wide[3] = {(double)v[0], (double)v[1], (double)v[2]};
    float out[3];
    switch (color->kind) {
    case HALO_COLOR_GAINS: return v[k] * color->scale[k];
    case HALO_COLOR_CUBE: cube(color, v, out); return out[k];
    default: convert(color, wide); return (float)wide[k];
    }
}

uint64_t oracle_color(const HaloBuf *src, HaloBuf *dst, const HaloColor *color, HaloStore store)
{
    const int channels = dst->shape.channels, alpha = dst->shape.alpha;
    const bool to_numbers = color->kind == HALO_COLOR_CONVERT && !HALO_SPACE_IS_NUMBERS(color->from) &&
                            HALO_SPACE_IS_NUMBERS(color->to);
    uint64_t clipped = 0;
    for (int64_t y = dst->y0; y < dst->y0 + dst->rows; y++)
        for (int64_t x = dst->x0; x < dst->x0 + dst->cols; x++) {
            float v[64];
            int colours = 0;
            for (int c = 0; c < channels; c++)
                if (c != alpha) v[colours++] = oracle_get(src, x, y, c);
            for (int c = 0, k = 0; c < channels; c++) {
                float made = oracle_get(src, x, y, c);
                if (c == alpha)
                    made = to_numbers ? made / color->white : made;
                else if (color->kind == HALO_COLOR_CURVES)
                    made = curve(color, color->columns > 1 ? k : 0, made);
                else
                    made = make(color, v, k);
                k += c != alpha;
                clipped += oracle_put(dst, x, y, c, made, store);
            }
        }
    return clipped;
}

/* ---- fewer levels ---------------------------------------------------------------------------------------- */
