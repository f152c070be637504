/* What histograms and equalization share: bins of floats without a division, and packed counters of 16 bits. */
#ifndef HALO_CUDA_BINS_CUH
#define HALO_CUDA_BINS_CUH

#include "common.cuh"
#include "halo/measures.h"

static const int u16_bins = 65536; /* packed counters of so many bins fit a block's shared memory */

/* ---- bins ------------------------------------------------------------------------------------------------ */

/* halo_bin without a division: where the quotient is so close to an edge that it might lie on the other side,
 * the sample is compared with the edge. From 0 by a power of two this is never needed. Floats are first tried
 * in single precision: where it tells few bins reliably, or where nothing is rounded (from 0 by a power of
 * two). */
struct BinScale {
    HaloBins of;
    double margin;
    int bins;                /* HALO_MAX_BINS at most */
    float from, times, fast; /* fast < 0: single precision does not do */
};

static inline BinScale bin_scale(double lo, double hi, int64_t bins)
{
    int exponent;
    BinScale s = {halo_bins(lo, hi, bins), 0.0, (int)bins, (float)lo};
    const double range = hi - lo, largest = fmax(fabs(lo), fabs(hi)) * s.of.scale;
    const bool exact = lo == 0.0 && frexp(range, &exponent) == 0.5;
    /* Relative rounding errors of quotients, and of edges by the greater end. */
    s.margin = exact ? -1.0 : (double)bins * 0x1p-48 + largest * 0x1p-50;
    s.times = (float)s.of.scale;
    /* A difference, a factor and a product are rounded, each by 2^-24 of a quotient below `bins`; so is lo. */
    const double off =
        (double)bins * 3.0 * 0x1p-24 + fabs((double)s.from - lo) * s.of.scale + largest * 0x1p-50;
    s.fast = off < 0x1p-6 && range > 1e-30 && range < 1e30 ? (float)(1.01 * off + 0x1p-24) : -1.0f;
    if (exact && frexp((double)bins, &exponent) == 0.5 && bins < 1 << 22 && range > 1e-30 &&
        range <= (double)bins)
        s.fast = 0.0f;
    return s;
}

/* Out of line, since it is rarely called: see below. */
static __device__ __noinline__ int bin_exact(const BinScale &s, double v);

CUDA_INLINE int bin_of(const BinScale &s, double v)
{
    if (!(v >= s.of.lo && v <= s.of.hi)) return v < s.of.lo ? -1 : v > s.of.hi ? -2 : -3;
    const double quotient = (v - s.of.lo) * s.of.scale, at = quotient < s.of.count ? quotient : s.of.count;
    const double magic = 6755399441055744.0, rounded = at + magic; /* the low bits are the nearest integer */
    const double nearest = rounded - magic, part = at - nearest;
    const bool less = fabs(part) > s.margin ? part < 0.0 : v < halo_bin_edge(&s.of, nearest);
    const int bin = __double2loint(rounded) - less;
    return bin < s.bins ? bin : s.bins - 1;
}

/* In single precision, where s.fast is not negative: the bin of v, or `bins` if that is not certain, or no bin
 * holds v. Rounded down, 2^23 plus a number has its integer part in the low bits; numbers far outside have
 * other bits. The fraction must be this far from both edges. */
CUDA_INLINE unsigned bin_fast(const BinScale &s, float v)
{
    const float at = (v - s.from) * s.times, rounded = __fadd_rd(at, 8388608.0f),
                rest = at - (rounded - 8388608.0f);
    const unsigned bin = min(__float_as_uint(rounded) - 0x4b000000u, (unsigned)s.bins);
    return fabsf(rest - 0.5f) <= 0.5f - s.fast ? bin : (unsigned)s.bins;
}

CUDA_INLINE int bin_of(const BinScale &s, float v)
{
    if (s.fast < 0.0f) return bin_of(s, (double)v);
    const unsigned bin = bin_fast(s, v);
    return bin < (unsigned)s.bins ? (int)bin : bin_exact(s, (double)v);
}

static __device__ __noinline__ int bin_exact(const BinScale &s, double v) { return bin_of(s, v); }

/* ---- counters -------------------------------------------------------------------------------------------- */

CUDA_INLINE void clear_shared(unsigned *counter, int n)
{
    for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x) counter[i] = 0;
    __syncthreads();
}

/* Adds up the copies of `bins` counters, into `to`. Neighbouring threads begin with different copies, so that
 * they use different banks. */
CUDA_INLINE void flush_shared(const unsigned *counter, int bins, int copies, unsigned long long *to)
{
    __syncthreads();
    for (int b = (int)threadIdx.x; b < bins; b += (int)blockDim.x) {
        unsigned sum = 0;
        for (int i = 0; i < copies; i++) sum += counter[b * copies + ((i + b) & (copies - 1))];
        if (sum != 0) atomicAdd(to + b, (unsigned long long)sum);
    }
}

/* Are the warp's packs of samples of so many bytes, 2 or 4, complete, and do all hold the same value? */
template <int Bytes> CUDA_INLINE bool all_same(uint4 pack, bool there)
{
    const unsigned first = __shfl_sync(CUDA_ALL, pack.x, 0);
    const unsigned differ = (pack.x ^ first) | (pack.y ^ first) | (pack.z ^ first) | (pack.w ^ first);
    return __all_sync(CUDA_ALL, there && (differ | (Bytes == 4 ? 0 : first >> 16 ^ (first & 0xffffu))) == 0);
}

/* Counts v n times in its half of a word; returns the word before. */
CUDA_INLINE unsigned packed_add(unsigned *counter, unsigned v, unsigned n)
{
    return atomicAdd(counter + v / 2, n << v % 2 * 16);
}

CUDA_INLINE bool packed_wraps(unsigned old, unsigned v, unsigned n)
{
    return (old >> v % 2 * 16 & 0xffffu) + n > 0xffffu;
}

/* Where a half overflows, adds 65536 to the result, of 32 or 64 bits, and takes back the carry of the lower
 * half into the upper. Every change of an upper half detects its own overflow, so the order of concurrent
 * changes does not matter. */
template <typename Count> CUDA_INLINE void packed_carry(unsigned *counter, unsigned v, Count *to)
{
    atomicAdd(to + v, (Count)65536);
    if (v % 2 == 0 && atomicSub(counter + v / 2, 65536u) >> 16 == 0)
        atomicAdd(to + v + 1, (Count)0 - (Count)65536);
}

template <typename Count> CUDA_INLINE void packed_count(unsigned *counter, unsigned v, unsigned n, Count *to)
{
    if (packed_wraps(packed_add(counter, v, n), v, n)) packed_carry(counter, v, to);
}

/* Counts several values, except negative ones: no atomic waits for the result of another. */
template <int Values, typename Count>
CUDA_INLINE void packed_count_all(unsigned *counter, const int v[Values], Count *to)
{
    unsigned old[Values];
    bool wraps = false;
#pragma unroll
    for (int i = 0; i < Values; i++) old[i] = v[i] >= 0 ? packed_add(counter, (unsigned)v[i], 1) : 0;
#pragma unroll
    for (int i = 0; i < Values; i++) wraps = wraps || packed_wraps(old[i], (unsigned)v[i], 1);
    if (!wraps) return; /* nearly always */
#pragma unroll
    for (int i = 0; i < Values; i++)
        if (packed_wraps(old[i], (unsigned)v[i], 1)) packed_carry(counter, (unsigned)v[i], to);
}

/* Adds so many words of two counters each to the result. */
CUDA_INLINE void packed_flush(const unsigned *counter, int words, unsigned long long *to)
{
    __syncthreads();
    for (int b = (int)threadIdx.x; b < words; b += (int)blockDim.x) {
        const unsigned pair = counter[b];
        if (pair & 0xffffu) atomicAdd(to + 2 * b, (unsigned long long)(pair & 0xffffu));
        if (pair >> 16) atomicAdd(to + 2 * b + 1, (unsigned long long)(pair >> 16));
    }
}

/* The same to counters of 32 bits, two at a time: the lower one never decreases, so it does not carry. */
CUDA_INLINE void packed_flush(const unsigned *counter, int words, unsigned *to)
{
    __syncthreads();
    for (int b = (int)threadIdx.x; b < words; b += (int)blockDim.x) {
        const unsigned long long pair = counter[b];
        if (pair != 0) atomicAdd((unsigned long long *)to + b, (pair & 0xffffu) | pair >> 16 << 32);
    }
}

#endif
