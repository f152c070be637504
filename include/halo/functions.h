/* Elementary functions of expressions, in f64 from correctly rounded operations and integers alone, so that
 * every machine gives the same bits. The relative error is below 2^-42, of sine, cosine and tangent of numbers
 * of f32 as well: rounded to f32 a result is within 0.5001 ulp of the exact one (tests/check_functions.c
 * measures it). Special values are those of C. */
#ifndef HALO_FUNCTIONS_H
#define HALO_FUNCTIONS_H

#include <math.h>
#include <stdbool.h>

#include "halo/curves.h"

HALO_CURVE double halo_infinity(void) { return halo_double_of(UINT64_C(0x7ff0000000000000)); }
HALO_CURVE double halo_not_a_number(void) { return halo_double_of(UINT64_C(0x7ff8000000000000)); }
HALO_CURVE bool halo_is_negative(double x) { return halo_bits_of(x) >> 63 != 0; }
HALO_CURVE double halo_with_sign(double size, bool negative) { return negative ? -size : size; }

/* ---- powers ---------------------------------------------------------------------------------------------- */

/* 2^y, by halves, which do not overflow before the result does. */
HALO_CURVE double halo_two_to(double y)
{
    const double inside = y > 2000.0 ? 2000.0 : y < -2000.0 ? -2000.0 : y;
    const double half = halo_exp2((inside == inside ? inside : 0.0) * 0.5);
    return y == y ? half * half : y;
}

HALO_CURVE double halo_function_exp(double x) { return halo_two_to(x * 1.4426950408889634); }

HALO_CURVE double halo_function_log2(double x)
{
    const bool small = x < 1e-300;
    const double scaled = small ? x * 18014398509481984.0 : x; /* 2^54 */
    const double inside = scaled > 0.0 && scaled < halo_infinity() ? scaled : 1.0;
    const double log = halo_log2(inside) - (small ? 54.0 : 0.0);
    return x > 0.0 ? (x < halo_infinity() ? log : x) : x == 0.0 ? -halo_infinity() : halo_not_a_number();
}

HALO_CURVE double halo_function_log(double x) { return halo_function_log2(x) * 0.6931471805599453; }
HALO_CURVE double halo_function_log10(double x) { return halo_function_log2(x) * 0.3010299956639812; }

/* x^y where x is not negative, and neither is NaN. */
HALO_CURVE double halo_power_of_size(double x, double y)
{
    if (y == 0.0 || x == 1.0) return 1.0;
    if (x == 0.0) return y < 0.0 ? halo_infinity() : 0.0;
    if (y == 1.0) return x;
    if (y == 2.0) return x * x; /* of f32 exact before it is rounded */
    const double z = y * halo_function_log2(x);
    return halo_two_to(z);
}

HALO_CURVE double halo_function_pow(double x, double y)
{
    const bool whole = floor(y) == y, odd = whole && floor(y * 0.5) * 2.0 != y;
    if (y == 0.0 || x == 1.0) return 1.0;
    if (x != x || y != y) return halo_not_a_number();
    if (x == -1.0 && (y == halo_infinity() || y == -halo_infinity())) return 1.0;
    if (x < 0.0 && !whole)
        return x == -halo_infinity() ? (y < 0.0 ? 0.0 : halo_infinity()) : halo_not_a_number();
    return halo_with_sign(halo_power_of_size(fabs(x), y), odd && halo_is_negative(x));
}

/* ---- angles ---------------------------------------------------------------------------------------------- */

/* x - quadrant * pi / 2, between -pi / 4 and pi / 4; the quadrant modulo 4. */
typedef struct HaloAngle {
    double rest;
    unsigned quadrant;
} HaloAngle;

/* The bits of a product with 2 / pi that count, of 1216 of them (M. Payne and R. Hanek, 1983). */
HALO_CURVE HaloAngle halo_large_angle(double x)
{
    const uint64_t two_over_pi[] = {
        UINT64_C(0xa2f9836e4e441529), UINT64_C(0xfc2757d1f534ddc0), UINT64_C(0xdb6295993c439041),
        UINT64_C(0xfe5163abdebbc561), UINT64_C(0xb7246e3a424dd2e0), UINT64_C(0x06492eea09d1921c),
        UINT64_C(0xfe1deb1cb129a73e), UINT64_C(0xe88235f52ebb4484), UINT64_C(0xe99c7026b45f7e41),
        UINT64_C(0x3991d639835339f4), UINT64_C(0x9c845f8bbdf9283b), UINT64_C(0x1ff897ffde05980f),
        UINT64_C(0xef2f118b5a0a6d1f), UINT64_C(0x6d367ecf27cb09b7), UINT64_C(0x4f463f669e5fea2d),
        UINT64_C(0x7527bac7ebe5f17b), UINT64_C(0x3d0739f78a5292ea), UINT64_C(0x6bfb5fb11f8d5d08),
        UINT64_C(0x56033046fc7b6bab), UINT64_C(0xf0cfbc209af4361d)};
    __extension__ typedef unsigned __int128 Wide;
    const uint64_t bits = halo_bits_of(x), digits = (bits & UINT64_C(0xfffffffffffff)) | UINT64_C(1) << 52;
    /* x = digits 2^e; a quarter of the product is a fraction of four quadrants: the table from bit e - 2 on. */
    const int at = (int)(bits >> 52 & 0x7ff) - 1075 - 2 + 64, word = at / 64, bit = at % 64;
    uint64_t part[3];
    for (int i = 0; i < 3; i++) {
        const uint64_t here = word + i > 0 ? two_over_pi[word + i - 1] : 0, next = two_over_pi[word + i];
        part[i] = bit > 0 ? here << bit | next >> (64 - bit) : here;
    }
    const Wide middle = (Wide)digits * part[1], last = (Wide)digits * part[2];
    const uint64_t low = (uint64_t)middle + (uint64_t)(last >> 64);
    const uint64_t high = digits * part[0] + (uint64_t)(middle >> 64) + (low < (uint64_t)middle);
    const uint64_t fraction = high << 2 | low >> 62; /* of a quadrant */
    const bool up = fraction >> 63 != 0;
    const double size = (double)(up ? 0 - fraction : fraction) * 5.421010862427522e-20; /* 2^-64 */
    const double rest = (up ? -size : size) * 1.5707963267948966;
    const unsigned quadrant = (unsigned)(high >> 62) + up;
    const bool negative = bits >> 63 != 0;
    const HaloAngle angle = {negative ? -rest : rest, (negative ? 0 - quadrant : quadrant) & 3};
    return angle;
}

/* pi / 2 in three parts, of which the first two have 33 bits: products with a quadrant are exact. */
HALO_CURVE HaloAngle halo_angle(double x)
{
    const double big =
        6755399441055744.0; /* 1.5 * 2^52: adding it leaves the nearest integer in the low bits */
    const double size = fabs(x);
    if (!(size < halo_infinity())) {
        const HaloAngle none = {halo_not_a_number(), 0};
        return none;
    }
    if (size >= 1048576.0) return halo_large_angle(x);
    const double moved = x * 0.6366197723675814 + big, n = moved - big;
    const double rest = ((x - n * 1.5707963267341256) - n * 6.077100506303966e-11) - n * 2.0222662487959506e-21;
    const HaloAngle angle = {rest, (unsigned)(halo_bits_of(moved) & 3)};
    return angle;
}

/* Taylor's series up to r^17 and r^16: the rest is below 2^-50 where |r| < pi / 4. */
HALO_CURVE double halo_sine_of(double r)
{
    const double t = r * r;
    double sum = 2.8114572543455206e-15;
    sum = sum * t - 7.647163731819816e-13;
    sum = sum * t + 1.6059043836821613e-10;
    sum = sum * t - 2.505210838544172e-08;
    sum = sum * t + 2.7557319223985893e-06;
    sum = sum * t - 0.0001984126984126984;
    sum = sum * t + 0.008333333333333333;
    sum = sum * t - 0.16666666666666666;
    return r + r * (t * sum);
}

HALO_CURVE double halo_cosine_of(double r)
{
    const double t = r * r;
    double sum = 4.779477332387385e-14;
    sum = sum * t - 1.1470745597729725e-11;
    sum = sum * t + 2.08767569878681e-09;
    sum = sum * t - 2.755731922398589e-07;
    sum = sum * t + 2.48015873015873e-05;
    sum = sum * t - 0.001388888888888889;
    sum = sum * t + 0.041666666666666664;
    sum = sum * t - 0.5;
    return 1.0 + t * sum;
}

HALO_CURVE double halo_sine_in(HaloAngle angle, unsigned quadrant)
{
    const double sine = halo_sine_of(angle.rest), cosine = halo_cosine_of(angle.rest);
    return halo_with_sign(quadrant & 1 ? cosine : sine, (quadrant & 2) != 0);
}

HALO_CURVE double halo_function_sin(double x)
{
    const HaloAngle angle = halo_angle(x);
    return x == 0.0 ? x : halo_sine_in(angle, angle.quadrant);
}

HALO_CURVE double halo_function_cos(double x)
{
    const HaloAngle angle = halo_angle(x);
    return halo_sine_in(angle, angle.quadrant + 1);
}

HALO_CURVE double halo_function_tan(double x)
{
    const HaloAngle angle = halo_angle(x);
    return x == 0.0 ? x : halo_sine_in(angle, angle.quadrant) / halo_sine_in(angle, angle.quadrant + 1);
}

/* atan(q), 0 <= q <= 1: that of the nearest eighth, and the series of what is left, up to t^13. */
HALO_CURVE double halo_arc_of(double q)
{
    const double arc[] = {0.0,
                          0.12435499454676144,
                          0.24497866312686414,
                          0.35877067027057225,
                          0.4636476090008061,
                          0.5585993153435624,
                          0.6435011087932844,
                          0.7188299996216245,
                          0.7853981633974483};
    const int eighth = (int)(q * 8.0 + 0.5);
    const double from = (double)eighth * 0.125, t = (q - from) / (1.0 + q * from), s = t * t;
    double sum = 0.07692307692307693;
    sum = sum * s - 0.09090909090909091;
    sum = sum * s + 0.1111111111111111;
    sum = sum * s - 0.14285714285714285;
    sum = sum * s + 0.2;
    sum = sum * s - 0.3333333333333333;
    return arc[eighth] + (t + t * (s * sum));
}

HALO_CURVE double halo_function_atan2(double y, double x)
{
    const double pi = 3.141592653589793, ay = fabs(y), ax = fabs(x);
    if (x != x || y != y) return halo_not_a_number();
    const bool steep = ay > ax, both = ay == ax; /* 0 or infinity, too */
    const double quotient = both ? (ay == 0.0 ? 0.0 : 1.0) : (steep ? ax / ay : ay / ax);
    const double arc = halo_arc_of(quotient), up = steep ? pi / 2 - arc : arc;
    return halo_with_sign(halo_is_negative(x) ? pi - up : up, halo_is_negative(y));
}

#endif
