/* Minima and maxima work on words of 32 bits: one f32, two u16 or four u8, which are compared at once. Along
 * rows the lanes of a word are samples of as many rows, down columns they are neighbours. */
#ifndef HALO_CUDA_RANK_PACKED_CUH
#define HALO_CUDA_RANK_PACKED_CUH

#include "rank.cuh"

template <typename K> constexpr int word_lanes = 4 / (int)sizeof(K);

template <typename K>
constexpr HaloDtype word_dtype = sizeof(K) == 1   ? HALO_U8
                                 : sizeof(K) == 2 ? HALO_U16
                                                  : HALO_F32;

/* ---- comparing ------------------------------------------------------------------------------------------ */

/* Every kernel computes the maximum; for the minimum samples are flipped on input and output by `flip`: all
 * bits of integers, the sign of floats. `open` converts a word for comparison, `close` converts back, `nothing`
 * is the neutral element. The GPU orders -0 below +0. `Nan`: a NaN is the result if there is one; else NaN are
 * ignored. */
template <typename K, bool Nan> struct Extreme;

template <typename K> static inline uint32_t extreme_flip(double fraction)
{
    return fraction > 0 ? 0 : sizeof(K) == sizeof(float) ? 0x80000000u : UINT32_MAX;
}

template <bool Nan> struct Extreme<float, Nan> {
    typedef float Sample;
    typedef float Open;
    __device__ __forceinline__ static Open open(uint32_t word) { return __uint_as_float(word); }
    __device__ __forceinline__ static uint32_t close(Open v) { return __float_as_uint(v); }
    __device__ __forceinline__ static Open nothing() { return Nan ? -INFINITY : NAN; }
    __device__ __forceinline__ static Open join(Open a, Open b)
    {
        float v = fmaxf(a, b);
#if __CUDA_ARCH__ >= 800
        if constexpr (Nan) asm("max.NaN.f32 %0, %1, %2;" : "=f"(v) : "f"(a), "f"(b));
#else
        if (Nan && (a != a || b != b)) v = NAN;
#endif
        return v;
    }
};

template <bool Nan> struct Extreme<uint16_t, Nan> {
    typedef uint16_t Sample;
    typedef uint32_t Open;
    __device__ __forceinline__ static Open open(uint32_t word) { return word; }
    __device__ __forceinline__ static uint32_t close(Open v) { return v; }
    __device__ __forceinline__ static Open nothing() { return 0; }
    __device__ __forceinline__ static Open join(Open a, Open b) { return __vmaxu2(a, b); }
};

/* Pairs of 16 bits are compared by their upper bytes; the lower bytes matter only if these are equal. */
template <bool Nan> struct Extreme<uint8_t, Nan> {
    typedef uint8_t Sample;
    struct Open {
        uint32_t even, odd;
    };
    __device__ __forceinline__ static Open open(uint32_t word) { return {word << 8, word}; }
    __device__ __forceinline__ static uint32_t close(Open v) { return __byte_perm(v.even, v.odd, 0x7351); }
    __device__ __forceinline__ static Open nothing() { return {0, 0}; }
    __device__ __forceinline__ static Open join(Open a, Open b)
    {
        return {__vmaxu2(a.even, b.even), __vmaxu2(a.odd, b.odd)};
    }
};

__device__ __forceinline__ static uint4 words_flipped(uint4 v, uint32_t flip)
{
    return make_uint4(v.x ^ flip, v.y ^ flip, v.z ^ flip, v.w ^ flip);
}

/* ---- four samples of each lane's row -------------------------------------------------------------------- */

/* Four samples of `lanes` rows, row by row, become the words of four places. */
template <typename K> __device__ __forceinline__ static uint4 words_across(uint4 v)
{
    if constexpr (sizeof(K) == 4) {
        return v;
    } else if constexpr (sizeof(K) == 2) {
        return make_uint4(__byte_perm(v.x, v.z, 0x5410), __byte_perm(v.x, v.z, 0x7632),
                          __byte_perm(v.y, v.w, 0x5410), __byte_perm(v.y, v.w, 0x7632));
    } else {
        const uint32_t a = __byte_perm(v.x, v.y, 0x5140), b = __byte_perm(v.z, v.w, 0x5140);
        const uint32_t c = __byte_perm(v.x, v.y, 0x7362), d = __byte_perm(v.z, v.w, 0x7362);
        return make_uint4(__byte_perm(a, b, 0x5410), __byte_perm(a, b, 0x7632), __byte_perm(c, d, 0x5410),
                          __byte_perm(c, d, 0x7632));
    }
}

/* And back. */
template <typename K> __device__ __forceinline__ static uint4 words_along(uint4 v)
{
    if constexpr (sizeof(K) == 2)
        return make_uint4(__byte_perm(v.x, v.y, 0x5410), __byte_perm(v.z, v.w, 0x5410),
                          __byte_perm(v.x, v.y, 0x7632), __byte_perm(v.z, v.w, 0x7632));
    else
        return words_across<K>(v);
}

/* ---- from samples --------------------------------------------------------------------------------------- */

/* `n` elements of as many rows as words have lanes. */
struct WordLine {
    int64_t element; /* the first, counted from the first of the output's row */
    int n, from, to; /* those with from <= i < to lie inside the image */
    int skew;        /* element i becomes word i + skew, so that four that are moved together are aligned, */
    bool aligned;    /* where they can be */
};

template <typename K>
__device__ __forceinline__ static WordLine word_line(const RankArgs &a, int64_t element, int n)
{
    const int64_t start = a.x0 * a.channels + element, whole = a.src_width * a.channels;
    const uintptr_t at = (uintptr_t)a.src + (uintptr_t)((start - a.src_x0 * a.channels) * (int64_t)sizeof(K));
    WordLine line = {element, n};
    line.from = (int)cuda_min(cuda_max(-start, 0), n);
    line.to = (int)cuda_max(cuda_min(whole - start, n), line.from);
    line.skew = (int)(at / sizeof(K) % 4);
    line.aligned = at % sizeof(K) == 0 && a.src_stride % (int64_t)(4 * sizeof(K)) == 0;
    return line;
}

/* Four samples of a row are moved as this many words: piece r of the four that words_across takes. */
template <typename K> __device__ __forceinline__ static void load_words(const void *from, uint32_t *to)
{
    if constexpr (sizeof(K) == 1) {
        to[0] = *(const uint32_t *)from;
    } else if constexpr (sizeof(K) == 2) {
        const uint2 v = *(const uint2 *)from;
        to[0] = v.x, to[1] = v.y;
    } else {
        const uint4 v = *(const uint4 *)from;
        to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
    }
}

template <typename K> __device__ __forceinline__ static void store_words(void *to, const uint32_t *from)
{
    if constexpr (sizeof(K) == 1)
        *(uint32_t *)to = from[0];
    else if constexpr (sizeof(K) == 2)
        *(uint2 *)to = make_uint2(from[0], from[1]);
    else
        *(uint4 *)to = make_uint4(from[0], from[1], from[2], from[3]);
}

template <typename K> __device__ __forceinline__ static K sample_of(const uint32_t *words, int i)
{
    if constexpr (sizeof(K) == 4)
        return __uint_as_float(words[i]);
    else
        return (K)(words[i / word_lanes<K>] >> i % word_lanes<K> * 8 * (int)sizeof(K));
}

template <typename K, typename S> __device__ __forceinline__ static uint32_t bits_of(S v)
{
    if constexpr (sizeof(K) == 4)
        return __float_as_uint((float)v);
    else
        return (uint32_t)(K)v;
}

/* Where the rows of a block's lines begin, and -1 where the border's constant value is used: computed once,
 * into shared memory. */
template <typename F>
__device__ __forceinline__ static void find_rows(const RankArgs &a, int rows, int threads, int64_t *found,
                                                 F row_of)
{
    for (int i = threadIdx.x; i < rows; i += threads) found[i] = rank_row(a, row_of(i));
}

/* Fills words with a line, flipped by `flip`, lane r of which begins at row_at[r]. Threads `mine`, `mine` +
 * `threads`, … do it together. */
template <typename K>
__device__ __forceinline__ static void stage_line(const RankArgs &a, const WordLine &line,
                                                  const int64_t *row_at, int mine, int threads, uint32_t flip,
                                                  uint32_t *words)
{
    constexpr int lanes = word_lanes<K>, batch = 2, piece = (int)sizeof(K);
    const int64_t start = (a.x0 - a.src_x0) * a.channels + line.element;
    const K *row[lanes];
    bool fast = line.aligned;
#pragma unroll
    for (int r = 0; r < lanes; r++) {
        fast = fast && row_at[r] >= 0;
        row[r] = (const K *)(a.src + row_at[r]) + start - line.skew;
    }
    /* Four places at a time, as far as all of them lie inside the image; */
    const int begin = (line.from + line.skew + 3) / 4,
              end = fast ? max((line.to + line.skew) / 4, begin) : begin;
#pragma unroll 1
    for (int q = begin + mine; q < end; q += batch * threads) {
        uint32_t four[batch][4];
#pragma unroll
        for (int u = 0; u < batch; u++)
#pragma unroll
            for (int r = 0; r < lanes; r++)
                if (u == 0 || q + u * threads < end)
                    load_words<K>(row[r] + 4 * (q + u * threads), four[u] + r * piece);
#pragma unroll
        for (int u = 0; u < batch; u++)
            if (u == 0 || q + u * threads < end)
                reinterpret_cast<uint4 *>(words)[q + u * threads] = words_flipped(
                    words_across<K>(make_uint4(four[u][0], four[u][1], four[u][2], four[u][3])), flip);
    }
    /* and one at a time before and behind that. */
    const int before = begin < end ? 4 * begin - line.skew : line.from,
              after = begin < end ? 4 * end - line.skew : line.from;
#pragma unroll 1
    for (int s = mine; s < before + line.n - after; s += threads) {
        const int i = s < before ? s : s - before + after;
        const bool inside = i >= line.from && i < line.to;
        int64_t column = (start + i) * (int64_t)sizeof(K);
        if (!inside) {
            const RankPlace place = rank_place(a.channels, line.element, (unsigned)i);
            column = rank_column<K>(a, a.x0 + place.x, place.channel);
        }
        uint32_t word = 0;
#pragma unroll
        for (int r = 0; r < lanes; r++)
            word |= (row_at[r] < 0 || column < 0 ? bits_of<K>(a.outside)
                                                 : bits_of<K>(*(const K *)(a.src + row_at[r] + column)))
                    << r * 8 * piece % 32;
        words[i + line.skew] = word ^ flip;
    }
}

/* ---- to samples ----------------------------------------------------------------------------------------- */

/* Are keys stored as they are? */
template <typename K> __device__ __forceinline__ static bool stored_plain(const RankArgs &a)
{
    return a.dtype == word_dtype<K> && a.store.num == 1.0f && a.store.den == 1.0f;
}

/* Stores the first n of N samples, which travel as these words, as elements `e`, e + 1, … of a row of the
 * destination. */
template <typename K, int N>
__device__ __forceinline__ static void store_samples(const RankArgs &a, int64_t row, int64_t e,
                                                     const uint32_t *words, int n, unsigned *clipped)
{
    const bool plain = stored_plain<K>(a);
    float scaled[N];
#pragma unroll
    for (int i = 0; i < N; i++) scaled[i] = plain ? 0.0f : cuda_rescale((float)sample_of<K>(words, i), a.store);
    cuda_typed(a.dtype, [&](auto zero) {
        using D = decltype(zero);
        typedef CudaPack<D, N> Pack;
        D *const to = (D *)(a.dst + row * a.dst_stride) + e;
        Pack pack;
#pragma unroll
        for (int i = 0; i < N; i++) {
            if (i >= n) continue; /* what is clipped there does not count */
            if (sizeof(D) == sizeof(K) && plain)
                pack.at[i] = sizeof(D) < 4 ? (D)sample_of<K>(words, i)
                                           : (D)halo_canonical((float)sample_of<K>(words, i));
            else
                pack.at[i] = cuda_sample<D>(scaled[i], {1.0f, 1.0f}, clipped);
        }
        if (n >= N && (uintptr_t)to % sizeof(Pack) == 0) {
            *reinterpret_cast<Pack *>(to) = pack;
        } else {
#pragma unroll
            for (int i = 0; i < N; i++)
                if (i < n) to[i] = pack.at[i];
        }
    });
}

/* The words of four places go to the rows of their lanes: lane r's is row_of(r), if that is below `rows`. */
template <typename K, typename F>
__device__ __forceinline__ static void store_four(const RankArgs &a, int64_t rows, F row_of, int64_t e, int n,
                                                  uint4 words, unsigned *clipped)
{
    const uint4 v = words_along<K>(words);
    const uint32_t along[4] = {v.x, v.y, v.z, v.w};
    if (sizeof(K) < 4 && n >= 4 && e % 4 == 0 && stored_plain<K>(a) &&
        cuda_aligned(a.dst, a.dst_stride, 4 * sizeof(K))) {
#pragma unroll
        for (int r = 0; r < word_lanes<K>; r++)
            if (row_of(r) < rows)
                store_words<K>(a.dst + row_of(r) * a.dst_stride + e * (int64_t)sizeof(K),
                               along + r * (int)sizeof(K));
        return;
    }
#pragma unroll 1 /* it is long */
    for (int r = 0; r < word_lanes<K>; r++) {
        uint32_t own[sizeof(K)];
#pragma unroll
        for (int k = 0; k < word_lanes<K>; k++)
#pragma unroll
            for (int i = 0; i < (int)sizeof(K); i++)
                own[i] = k == 0 || k == r ? along[k * (int)sizeof(K) + i] : own[i];
        if (row_of(r) < rows) store_samples<K, 4>(a, row_of(r), e, own, n, clipped);
    }
}

#endif
