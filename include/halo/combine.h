/* Two values become one, sample by sample. */
#ifndef HALO_COMBINE_H
#define HALO_COMBINE_H

#include "halo/primitive.h"

typedef enum HaloCombineKind {
    HALO_COMBINE_MAGNITUDE,  /* sqrt(fma(a, a, b * b)) */
    HALO_COMBINE_ADD,        /* fma(amount, b, a) */
    HALO_COMBINE_MULTIPLY,   /* a * b */
    HALO_COMBINE_UNSHARP,    /* a the input, b its blur: d = a - b; |d| < threshold ? a : fma(amount, d, a) */
    HALO_COMBINE_UNPREMUL,   /* a filtered and premultiplied, b the input: t = alpha(a) / white; colour: t > 0 ?
                                a / t : b; alpha: a */
    HALO_COMBINE_COPY_ALPHA, /* colour of a, alpha of b */
    HALO_COMBINE_KEEP,       /* a, but b within the margins of the whole */
    HALO_COMBINE_ENDS        /* a, but sums over the ends of b within its margins, which lie left and right */
} HaloCombineKind;

/* out(x, y) from a(x + ax, y + ay) and b(x + bx, y + by): the offsets are non-zero after VALID, which moves
 * the origin. Margins are counted on the output. Where b is `spread`, it may be one pixel, which goes with all of a's,
 * or have one channel, which does.
 *
 * ENDS is for a single row at least `taps` long: sample i of the left margin is the sum of tap[i * taps + j] *
 * b(j) over the first `taps` samples, by one fma each from +0 on; the right margin is its mirror image, summed
 * in the order of the samples too. HALO_ERR_INPUT where the row is shorter. */
struct HaloCombine {
    HaloCombineKind kind;
    int64_t ax, ay, bx, by;
    bool spread;
    float white;
    float amount, threshold;
    int64_t left, right, up, down;
    const float *tap; /* for ENDS: [left][taps], left == right <= taps / 2 */
    int64_t taps;
};

#endif
