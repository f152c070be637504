/* Two values become one, sample by sample. */
#ifndef HALO_COMBINE_H
#define HALO_COMBINE_H

#include "halo/primitive.h"

typedef enum HaloCombineKind {
    HALO_COMBINE_MAGNITUDE,  /* sqrt(fma(a, a, b * b)) */
    HALO_COMBINE_ADD,        /* fma(amount, b, a) */
    HALO_COMBINE_MULTIPLY,   /* a * t, where t = b / unit, or b itself where unit is 1 */
    HALO_COMBINE_DIVIDE,     /* a / t; but NaN where t is 0 and `zero_fails` */
    HALO_COMBINE_DIFFERENCE, /* |a - b|: the sign bit of the difference cleared */
    HALO_COMBINE_MIN,        /* b < a, or b is NaN ? b : a */
    HALO_COMBINE_MAX,        /* b > a, or b is NaN ? b : a */
    HALO_COMBINE_BLEND,      /* fma(b, amount, a * (1 - amount)) */
    HALO_COMBINE_UNSHARP,    /* a the input, b its blur: d = a - b; |d| < threshold ? a : fma(amount, d, a) */
    HALO_COMBINE_UNPREMUL,   /* a filtered and premultiplied, b the input: t = alpha(a) / white; colour: t > 0 ?
                                a / t : b; alpha: a */
    HALO_COMBINE_COPY_ALPHA, /* colour of a, alpha of b */
    HALO_COMBINE_KEEP,       /* a, but b within the margins of the whole */
    HALO_COMBINE_ENDS,       /* a, but sums over the ends of b within its margins, which lie left and right */
    HALO_COMBINE_OVER,       /* b lies on a, by its alpha */
    HALO_COMBINE_CUTOUT,     /* a, its alpha times the first channel of b */
    HALO_COMBINES
} HaloCombineKind;

/* out(x, y) from a(x + ax, y + ay) and b(x + bx, y + by): the offsets are non-zero after VALID, which moves
 * the origin. Margins are counted on the output. Where b is `spread`, it may be one pixel or have one channel,
 * which is broadcast over a.
 *
 * ENDS is for a single row at least `taps` long: sample i of the left margin is the sum of tap[i * taps + j] *
 * b(j) over the first `taps` samples, by one fma each from +0 on; the right margin is its mirror image, summed
 * in the order of the samples too. HALO_ERR_INPUT where the row is shorter.
 *
 * OVER: b has any size, one colour or as many as a, and alpha or not; both have the same full scale, `white`.
 * Where no pixel of b lies (its buffer has no data where none is needed) it is a. Elsewhere t = alpha(b) /
 * white and s = alpha(a) / white, each 1 where there is no alpha; r = s * (1 - t), u = t + r; the colours are
 * fma(b, t, a * r) / u, but a where u is not above 0; alpha is u * white.
 *
 * CUTOUT: the output has the colours of a, and alpha: the last channel where a has none. It is alpha(a) * (b /
 * white), with alpha(a) = white where a has none. b may be one pixel where it is `spread`. */
struct HaloCombine {
    HaloCombineKind kind;
    int64_t ax, ay, bx, by;
    bool spread;
    float white;
    double amount, threshold;
    double unit; /* MULTIPLY, DIVIDE: what of b counts as 1 */
    bool zero_fails;
    int64_t left, right, up, down;
    const float *tap;   /* for ENDS: [left][taps], left == right <= taps / 2 */
    const double *wide; /* as in HaloConv */
    int64_t taps;
};

#endif
