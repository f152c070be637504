/* The arithmetic of colours (color.h): one source for every backend. Coordinates are those of CSS Color 4,
 * computed in f64 from correctly rounded operations and the functions of functions.h, and rounded to f32 once.
 * Tables are interpolated in f32. docs/numerics.md has the definitions. */
#ifndef HALO_SPACES_H
#define HALO_SPACES_H

#include "halo/color.h"
#include "halo/functions.h"
#include "halo/numerics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Full scale of the coordinates that have one, on both sides; and what alpha is divided by. */
HALO_CURVE double halo_color_scale(const struct HaloColor *color)
{
    return HALO_SPACE_IS_NUMBERS(color->from) ? 1.0 : (double)color->white;
}

HALO_CURVE float halo_color_alpha(const struct HaloColor *color)
{
    const bool leaves = color->kind == HALO_COLOR_CONVERT && !HALO_SPACE_IS_NUMBERS(color->from) &&
                        HALO_SPACE_IS_NUMBERS(color->to);
    return leaves ? color->white : 1.0f;
}

/* ---- colours --------------------------------------------------------------------------------------------- */

typedef struct HaloTriple {
    double x, y, z;
} HaloTriple;

HALO_CURVE HaloTriple halo_triple(double x, double y, double z)
{
    const HaloTriple made = {x, y, z};
    return made;
}

/* Products and sums from left to right. */
HALO_CURVE HaloTriple halo_matrix(double a, double b, double c, double d, double e, double f, double g,
                                  double h, double i, HaloTriple v)
{
    return halo_triple(a * v.x + b * v.y + c * v.z, d * v.x + e * v.y + f * v.z, g * v.x + h * v.y + i * v.z);
}

HALO_CURVE double halo_least(double a, double b) { return a < b ? a : b; }
HALO_CURVE double halo_most(double a, double b) { return a > b ? a : b; }
/* x - n floor(x / n) */
HALO_CURVE double halo_modulo(double x, double n) { return x - floor(x / n) * n; }

/* Of sRGB, mirrored, of full scale 1. */
HALO_CURVE double halo_light_of(double v)
{
    const double x = fabs(v), power = halo_power((x + 0.055) / 1.055, 2.4);
    return halo_with_sign(x <= 0.04045 ? x / 12.92 : power, v < 0.0);
}

HALO_CURVE double halo_code_of(double v)
{
    const double x = fabs(v), power = 1.055 * halo_power(x, 1.0 / 2.4) - 0.055;
    return halo_with_sign(x <= 0.0031308 ? x * 12.92 : power, v < 0.0);
}

HALO_CURVE double halo_cube_root(double v) { return halo_with_sign(halo_power(fabs(v), 1.0 / 3.0), v < 0.0); }

HALO_CURVE HaloTriple halo_light_to_xyz(HaloTriple v)
{
    return halo_matrix(506752.0 / 1228815.0, 87881.0 / 245763.0, 12673.0 / 70218.0, 87098.0 / 409605.0,
                       175762.0 / 245763.0, 12673.0 / 175545.0, 7918.0 / 409605.0, 87881.0 / 737289.0,
                       1001167.0 / 1053270.0, v);
}

HALO_CURVE HaloTriple halo_xyz_to_light(HaloTriple v)
{
    return halo_matrix(12831.0 / 3959.0, -329.0 / 214.0, -1974.0 / 3959.0, -851781.0 / 878810.0,
                       1648619.0 / 878810.0, 36519.0 / 878810.0, 705.0 / 12673.0, -2585.0 / 12673.0,
                       705.0 / 667.0, v);
}

/* ---- Lab ------------------------------------------------------------------------------------------------- */

/* White of D50 and D65, whose Y is 1, from their chromaticities. */
HALO_CURVE double halo_white_x(bool d65) { return d65 ? 0.3127 / 0.3290 : 0.3457 / 0.3585; }
HALO_CURVE double halo_white_z(bool d65)
{
    return d65 ? (1.0 - 0.3127 - 0.3290) / 0.3290 : (1.0 - 0.3457 - 0.3585) / 0.3585;
}

HALO_CURVE double halo_lab_f(double t)
{
    const double root = halo_cube_root(t), line = (t * (24389.0 / 27.0) + 16.0) / 116.0;
    return t > 216.0 / 24389.0 ? root : line;
}

HALO_CURVE double halo_lab_inverse(double f)
{
    const double cube = f * f * f, line = (116.0 * f - 16.0) / (24389.0 / 27.0);
    return cube > 216.0 / 24389.0 ? cube : line;
}

/* Bradford's adaptation between D65 and D50. */
HALO_CURVE HaloTriple halo_light_to_lab(HaloTriple light, bool d65)
{
    HaloTriple v = halo_light_to_xyz(light);
    if (!d65)
        v = halo_matrix(1.0479297925449969, 0.022946870601609652, -0.05019226628920524, 0.02962780877005599,
                        0.9904344267538799, -0.017073799063418826, -0.009243040646204504, 0.015055191490298152,
                        0.7518742814281371, v);
    const double x = halo_lab_f(v.x / halo_white_x(d65)), y = halo_lab_f(v.y),
                 z = halo_lab_f(v.z / halo_white_z(d65));
    return halo_triple(116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z));
}

HALO_CURVE HaloTriple halo_lab_to_light(HaloTriple lab, bool d65)
{
    const double y = (lab.x + 16.0) / 116.0, x = lab.y / 500.0 + y, z = y - lab.z / 200.0;
    HaloTriple v = halo_triple(halo_lab_inverse(x) * halo_white_x(d65), halo_lab_inverse(y),
                               halo_lab_inverse(z) * halo_white_z(d65));
    if (!d65)
        v = halo_matrix(0.955473421488075, -0.02309845494876471, 0.06325924320057072, -0.0283697093338637,
                        1.0099953980813041, 0.021041441191917323, 0.012314014864481998, -0.020507649298898964,
                        1.330365926242124, v);
    return halo_xyz_to_light(v);
}

/* B. Ottosson, "A perceptual color space for image processing", 2020, with CSS's digits. */
HALO_CURVE HaloTriple halo_light_to_oklab(HaloTriple light)
{
    const HaloTriple v =
        halo_matrix(0.8190224379967030, 0.3619062600528904, -0.1288737815209879, 0.0329836539323885,
                    0.9292868615863434, 0.0361446663506424, 0.0481771893596242, 0.2642395317527308,
                    0.6335478284694309, halo_light_to_xyz(light));
    return halo_matrix(0.2104542683093140, 0.7936177747023054, -0.0040720430116193, 1.9779985324311684,
                       -2.4285922420485799, 0.4505937096174110, 0.0259040424655478, 0.7827717124575296,
                       -0.8086757549230774,
                       halo_triple(halo_cube_root(v.x), halo_cube_root(v.y), halo_cube_root(v.z)));
}

HALO_CURVE HaloTriple halo_oklab_to_light(HaloTriple lab)
{
    const HaloTriple v = halo_matrix(1.0, 0.3963377773761749, 0.2158037573099136, 1.0, -0.1055613458156586,
                                     -0.0638541728258133, 1.0, -0.0894841775298119, -1.2914855480194092, lab);
    return halo_xyz_to_light(halo_matrix(1.2268798758459243, -0.5578149944602171, 0.2813910456659647,
                                         -0.0405757452148008, 1.1122868032803170, -0.0717110580655164,
                                         -0.0763729366746601, -0.4214933324022432, 1.5869240198367816,
                                         halo_triple(v.x * v.x * v.x, v.y * v.y * v.y, v.z * v.z * v.z)));
}

/* The hue of what has next to no chroma is 0. */
HALO_CURVE HaloTriple halo_to_polar(HaloTriple v, double least)
{
    const double chroma = sqrt(v.y * v.y + v.z * v.z);
    const double angle = halo_function_atan2(v.z, v.y) * (180.0 / 3.141592653589793);
    return halo_triple(v.x, chroma, chroma <= least ? 0.0 : angle < 0.0 ? angle + 360.0 : angle);
}

HALO_CURVE HaloTriple halo_from_polar(HaloTriple v)
{
    const double angle = v.z * (3.141592653589793 / 180.0);
    return halo_triple(v.x, v.y * halo_function_cos(angle), v.y * halo_function_sin(angle));
}

/* ---- of coded samples ------------------------------------------------------------------------------------ */

/* Degrees; `range` is the greatest less the least. */
HALO_CURVE double halo_hue_of(HaloTriple v, double greatest, double range)
{
    const double red = (v.y - v.z) / range, green = (v.z - v.x) / range + 2.0, blue = (v.x - v.y) / range + 4.0;
    const double hue = greatest == v.x ? (red < 0.0 ? red + 6.0 : red) : greatest == v.y ? green : blue;
    return range == 0.0 ? 0.0 : hue * 60.0;
}

HALO_CURVE HaloTriple halo_to_hsv(HaloTriple v)
{
    const double greatest = halo_most(halo_most(v.x, v.y), v.z), least = halo_least(halo_least(v.x, v.y), v.z);
    const double range = greatest - least, share = range / greatest;
    return halo_triple(halo_hue_of(v, greatest, range), range == 0.0 ? 0.0 : share * 100.0, greatest * 100.0);
}

HALO_CURVE HaloTriple halo_to_hsl(HaloTriple v)
{
    const double greatest = halo_most(halo_most(v.x, v.y), v.z), least = halo_least(halo_least(v.x, v.y), v.z);
    const double range = greatest - least, light = (greatest + least) / 2.0;
    const double share = (greatest - light) / halo_least(light, 1.0 - light);
    const double saturation = range == 0.0 || light == 0.0 || light == 1.0 ? 0.0 : share;
    const double hue = halo_hue_of(v, greatest, range), turned = saturation < 0.0 ? hue + 180.0 : hue;
    return halo_triple(turned >= 360.0 ? turned - 360.0 : turned, fabs(saturation) * 100.0, light * 100.0);
}

/* v between `low` and 1, and 1 where it is NaN: said by itself, since ptxas 13.0 clamps NaN to `low`. */
HALO_CURVE double halo_part(double v, double low) { return v == v ? halo_most(halo_least(v, 1.0), low) : 1.0; }

HALO_CURVE double halo_hsv_part(HaloTriple v, double n)
{
    const double k = halo_modulo(n + v.x / 60.0, 6.0), part = halo_part(halo_least(k, 4.0 - k), 0.0);
    return (v.z - v.z * (v.y / 100.0) * part) / 100.0;
}

HALO_CURVE double halo_hsl_part(HaloTriple v, double n)
{
    const double k = halo_modulo(n + v.x / 30.0, 12.0), light = v.z / 100.0;
    const double size = v.y / 100.0 * halo_least(light, 1.0 - light);
    return light - size * halo_part(halo_least(k - 3.0, 9.0 - k), -1.0);
}

HALO_CURVE HaloTriple halo_to_ycbcr(HaloTriple v)
{
    const double y = 0.299 * v.x + 0.587 * v.y + 0.114 * v.z;
    return halo_triple(y, (v.z - y) / 1.772, (v.x - y) / 1.402);
}

HALO_CURVE HaloTriple halo_from_ycbcr(HaloTriple v)
{
    const double r = v.x + 1.402 * v.z, b = v.x + 1.772 * v.y;
    return halo_triple(r, (v.x - 0.299 * r - 0.114 * b) / 0.587, b);
}

/* ---- all of them ----------------------------------------------------------------------------------------- */

/* To sRGB of full scale 1, coded, or, of those from LINEAR on, in linear light; and from it. */
HALO_CURVE HaloTriple halo_space_decode(HaloSpace space, HaloTriple v, double white, bool d65)
{
    switch (space) {
    case HALO_SPACE_HSV:
        return halo_triple(halo_hsv_part(v, 5.0), halo_hsv_part(v, 3.0), halo_hsv_part(v, 1.0));
    case HALO_SPACE_HSL:
        return halo_triple(halo_hsl_part(v, 0.0), halo_hsl_part(v, 8.0), halo_hsl_part(v, 4.0));
    case HALO_SPACE_YCBCR: return halo_from_ycbcr(v);
    case HALO_SPACE_XYZ: return halo_xyz_to_light(v);
    case HALO_SPACE_LAB: return halo_lab_to_light(v, d65);
    case HALO_SPACE_LCH: return halo_lab_to_light(halo_from_polar(v), d65);
    case HALO_SPACE_OKLAB: return halo_oklab_to_light(v);
    case HALO_SPACE_OKLCH: return halo_oklab_to_light(halo_from_polar(v));
    default: return halo_triple(v.x / white, v.y / white, v.z / white);
    }
}

HALO_CURVE HaloTriple halo_space_encode(HaloSpace space, HaloTriple v, double white, bool d65)
{
    switch (space) {
    case HALO_SPACE_HSV: return halo_to_hsv(v);
    case HALO_SPACE_HSL: return halo_to_hsl(v);
    case HALO_SPACE_YCBCR: return halo_to_ycbcr(v);
    case HALO_SPACE_XYZ: return halo_light_to_xyz(v);
    case HALO_SPACE_LAB: return halo_light_to_lab(v, d65);
    case HALO_SPACE_LCH: return halo_to_polar(halo_light_to_lab(v, d65), 0.0015);
    case HALO_SPACE_OKLAB: return halo_light_to_oklab(v);
    case HALO_SPACE_OKLCH: return halo_to_polar(halo_light_to_oklab(v), 0.000004);
    default: return halo_triple(v.x * white, v.y * white, v.z * white);
    }
}

/* From coded samples to light, or back, or neither. */
HALO_CURVE HaloTriple halo_space_change(HaloSpace from, HaloSpace to, HaloTriple v)
{
    const bool light = from >= HALO_SPACE_LINEAR;
    if (light == (to >= HALO_SPACE_LINEAR)) return v;
    if (light) return halo_triple(halo_code_of(v.x), halo_code_of(v.y), halo_code_of(v.z));
    return halo_triple(halo_light_of(v.x), halo_light_of(v.y), halo_light_of(v.z));
}

HALO_CURVE HaloTriple halo_space_convert(const struct HaloColor *color, HaloTriple v)
{
    const double white = halo_color_scale(color);
    v = halo_space_change(color->from, color->to, halo_space_decode(color->from, v, white, color->d65));
    return halo_space_encode(color->to, v, white, color->d65);
}

/* ---- tables ---------------------------------------------------------------------------------------------- */

/* Where a sample lies among the entries; NaN stays. */
HALO_FN float halo_table_place(const struct HaloColor *color, int c, float v)
{
    const float at = halo_fma(v, color->scale[c], color->offset[c]), last = (float)(color->size - 1);
    return at < 0.0f ? 0.0f : at > last ? last : at;
}

HALO_FN float halo_table_curve(const struct HaloColor *color, const float *value, int c, float v)
{
    const float at = halo_table_place(color, c, v);
    if (at != at) return at;
    const int below = (int)at, above = below + 1 < color->size ? below + 1 : below;
    return halo_fma(at - (float)below, value[above] - value[below], value[below]);
}

/* Tetrahedral interpolation: the corners of the cell on the way from the one below to the one above, along the
 * axis of the largest part first. The corners' numbers, and their weights. */
typedef struct HaloTetrahedron {
    int corner[4];
    float weight[4];
} HaloTetrahedron;

/* The entry below a place, also as a float. A GPU adds 2^23, rounding down: it does few conversions. */
HALO_FN int halo_table_below(float at, float *whole)
{
#if defined(__CUDA_ARCH__)
    const float above = __fadd_rd(at, 8388608.0f);
    *whole = above - 8388608.0f;
    return __float_as_int(above) - 0x4b000000;
#else
    *whole = (float)(int)at;
    return (int)at;
#endif
}

HALO_FN HaloTetrahedron halo_tetrahedron(int size, float r, float g, float b)
{
    float whole_r, whole_g, whole_b;
    const int ri = halo_table_below(r, &whole_r), gi = halo_table_below(g, &whole_g),
              bi = halo_table_below(b, &whole_b);
    const int low = (bi * size + gi) * size + ri;
    const int dr = ri + 1 < size ? 1 : 0, dg = gi + 1 < size ? size : 0, db = bi + 1 < size ? size * size : 0;
    const float x = r - whole_r, y = g - whole_g, z = b - whole_b;
    const bool xy = x > y, yz = y > z, xz = x > z;
    const float most = xy ? (xz ? x : z) : yz ? y : z, least = xy ? (yz ? z : y) : xz ? z : x;
    const float middle = xy ? (yz ? y : xz ? z : x) : yz ? (xz ? x : z) : y;
    const int first = xy ? (xz ? dr : db) : yz ? dg : db;
    const int second = xy ? (yz ? dg : xz ? db : dr) : yz ? (xz ? dr : db) : dg;
    const HaloTetrahedron made = {{low, low + first, low + first + second, low + dr + dg + db},
                                  {1.0f - most, most - middle, middle - least, least}};
    return made;
}

/* One colour of the result; value: of that colour in the first entry. */
HALO_FN float halo_table_cube(const HaloTetrahedron *t, const float *value)
{
    float sum = t->weight[0] * value[4 * t->corner[0]];
    for (int k = 1; k < 4; k++) sum = halo_fma(t->weight[k], value[4 * t->corner[k]], sum);
    return sum;
}

#ifdef __cplusplus
}
#endif
#endif
