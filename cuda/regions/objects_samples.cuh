/* The samples of a region's pixels, added exactly. */
#ifndef HALO_CUDA_REGIONS_OBJECTS_SAMPLES_CUH
#define HALO_CUDA_REGIONS_OBJECTS_SAMPLES_CUH

#include "objects.cuh"

/* ---- integers -------------------------------------------------------------------------------------------- */

CUDA_INLINE void add_integers(const ObjectArgs &a, const TilePixels &t, int c)
{
    const char *const row = a.of + (t.y + t.lane) * a.of_stride;
    ObjectSum sum = 0, squares = 0, along = 0;
    unsigned below = 0, most = 0;
    for (unsigned left = t.mine; left != 0; left &= left - 1) {
        const int k = __ffs((int)left) - 1;
        const int64_t e = (t.x + k) * a.channels + c;
        const unsigned v = a.of_dtype == HALO_U8 ? ((const uint8_t *)row)[e] : ((const uint16_t *)row)[e];
        sum += v;
        squares += (ObjectSum)v * v;
        along += (ObjectSum)v * (ObjectSum)(t.x + k);
        below = max(below, 65535 - v);
        most = max(most, v);
    }
    const ObjectSum down = cuda_warp_sum(sum * (ObjectSum)(t.y + t.lane));
    sum = cuda_warp_sum(sum);
    squares = cuda_warp_sum(squares);
    along = cuda_warp_sum(along);
    below = cuda_warp_max(below);
    most = cuda_warp_max(most);
    if (t.lane != 0) return;
    ObjectIntegers *const to = a.integers + (int64_t)(t.label - 1) * a.channels + c;
    add_sum(&to->sum, sum);
    add_sum(&to->squares, squares);
    add_wide(&to->x, along);
    add_wide(&to->y, down);
    raise(&to->max, most);
    raise(&to->below, below);
}

/* ---- floats ---------------------------------------------------------------------------------------------- */

/* sum += or -= magnitude * 2^shift: each word hands on what it carries, or borrows, by itself, so that the
 * words are right when all have been added. */
CUDA_INLINE void add_exactly(ObjectSum *sum, int words, ObjectSum magnitude, int shift, bool negative)
{
    const int low = shift % 64;
    ObjectSum add = magnitude << low, next = low > 0 ? magnitude >> (64 - low) : 0;
    for (int i = shift / 64; i < words && (add != 0 || next != 0); i++) {
        const ObjectSum before = add == 0 ? 0 : atomicAdd(sum + i, negative ? 0 - add : add);
        const bool over = add != 0 && (negative ? before < add : before + add < before);
        add = next + over;
        next = 0;
    }
}

CUDA_INLINE unsigned key_of(float v)
{
    const unsigned bits = __float_as_uint(v);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

/* What the finite samples of a lane add up to, in units of 2^(shift - 149), squares of twice as many bits. */
struct FloatSums {
    long long sum, x, y;
    __int128 squares;
    unsigned count, above, below, least, most;
};

/* Samples of `span` exponents are added as integers: they have 24 + span bits, and there are less than 1024. */
static const int float_span = 28;

CUDA_INLINE int exponent_of(unsigned bits) { return max((int)(bits >> 23 & 0xff), 1); }
CUDA_INLINE ObjectSum digits_of(unsigned bits)
{
    return (bits & 0x7fffff) | ((bits >> 23 & 0xff) > 0 ? 0x800000 : 0);
}

/* A sample far below the others, by itself. */
CUDA_INLINE void add_small(ObjectFloats *to, unsigned bits, ObjectSum x, ObjectSum y)
{
    const ObjectSum digits = digits_of(bits);
    const int shift = exponent_of(bits) - 1;
    const bool negative = bits >> 31 != 0;
    add_exactly(to->sum, HALO_SUM_WORDS, digits, shift, negative);
    add_exactly(to->squares, HALO_SQUARES_WORDS, digits * digits, 2 * shift, false);
    add_exactly(to->x, HALO_PRODUCT_WORDS, digits * x, shift, negative);
    add_exactly(to->y, HALO_PRODUCT_WORDS, digits * y, shift, negative);
}

CUDA_INLINE void add_sample(FloatSums &s, ObjectFloats *to, float v, int lowest, int k, const TilePixels &t)
{
    const unsigned bits = __float_as_uint(v);
    if (v != v) return;
    v += 0.0f; /* 0 and -0 are one minimum, whichever comes first */
    s.count++;
    s.most = max(s.most, key_of(v));
    s.least = max(s.least, ~key_of(v));
    if ((bits >> 23 & 0xff) == 0xff) {
        (bits >> 31 ? s.below : s.above) = 1;
        return;
    }
    if (digits_of(bits) == 0) return;
    const int shift = exponent_of(bits) - lowest;
    if (shift < 0) {
        add_small(to, bits, (ObjectSum)(t.x + k), (ObjectSum)(t.y + t.lane));
        return;
    }
    const long long whole = (long long)(digits_of(bits) << shift), signed_whole = bits >> 31 ? -whole : whole;
    s.sum += signed_whole;
    s.x += signed_whole * k;
    s.y += signed_whole * t.lane;
    s.squares += (__int128)whole * whole;
}

CUDA_INLINE void add_signed(ObjectSum *sum, int words, __int128 value, int shift)
{
    const bool negative = value < 0;
    const unsigned __int128 size = negative ? 0 - (unsigned __int128)value : (unsigned __int128)value;
    add_exactly(sum, words, (ObjectSum)size, shift, negative);
    if (size >> 64 != 0) add_exactly(sum, words, (ObjectSum)(size >> 64), shift + 64, negative);
}

CUDA_INLINE __int128 warp_sum(__int128 v)
{
    for (int d = CUDA_WARP / 2; d > 0; d /= 2) {
        const ObjectSum low = __shfl_xor_sync(CUDA_ALL, (ObjectSum)v, d),
                        high = __shfl_xor_sync(CUDA_ALL, (ObjectSum)(v >> 64), d);
        v += (__int128)((unsigned __int128)high << 64 | low);
    }
    return v;
}

/* Sums are of columns and rows of the tile at first. */
CUDA_INLINE void add_floats(const ObjectArgs &a, const TilePixels &t, int c)
{
    const float *const row = (const float *)(a.of + (t.y + t.lane) * a.of_stride);
    ObjectFloats *const to = a.floats + (int64_t)(t.label - 1) * a.channels + c;
    unsigned highest = 1;
    FloatSums s = {};
    for (unsigned left = t.mine; left != 0; left &= left - 1) {
        const unsigned bits = __float_as_uint(row[(t.x + __ffs((int)left) - 1) * a.channels + c]);
        const unsigned exponent = bits >> 23 & 0xff;
        if (exponent < 0xff) highest = max(highest, exponent);
    }
    const int lowest = max((int)cuda_warp_max(highest) - float_span, 1);
    for (unsigned left = t.mine; left != 0; left &= left - 1) {
        const int k = __ffs((int)left) - 1;
        add_sample(s, to, row[(t.x + k) * a.channels + c], lowest, k, t);
    }
    __syncwarp();
    const __int128 sum = warp_sum((__int128)s.sum), x = warp_sum((__int128)s.x), y = warp_sum((__int128)s.y),
                   squares = warp_sum(s.squares);
    const unsigned count = cuda_warp_sum(s.count), most = cuda_warp_max(s.most), least = cuda_warp_max(s.least),
                   above = cuda_warp_max(s.above), below = cuda_warp_max(s.below);
    if (t.lane != 0 || count == 0) return;
    add_sum(&to->count, count);
    raise(&to->max, most);
    raise(&to->min, least);
    if (above != 0) raise(&to->above, 1);
    if (below != 0) raise(&to->below, 1);
    add_signed(to->sum, HALO_SUM_WORDS, sum, lowest - 1);
    add_signed(to->squares, HALO_SQUARES_WORDS, squares, 2 * (lowest - 1));
    add_signed(to->x, HALO_PRODUCT_WORDS, x + sum * t.x, lowest - 1);
    add_signed(to->y, HALO_PRODUCT_WORDS, y + sum * t.y, lowest - 1);
}

/* The samples of the pixels of a region. */
CUDA_INLINE void add_samples(const ObjectArgs &a, const TilePixels &t)
{
    for (int c = 0; c < a.channels; c++) {
        if (a.integers != NULL)
            add_integers(a, t, c);
        else
            add_floats(a, t, c);
    }
}

#endif
