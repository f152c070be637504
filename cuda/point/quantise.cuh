/* Four neighbouring samples at once: from a word to f32, and back. The GPU's conversion instructions have an
 * eighth of the rate of additions, so both ways use the bits of a float instead: the float 2^23 + n holds the
 * integer n < 2^23 in its low bits. */
#ifndef HALO_CUDA_QUANTISE_CUH
#define HALO_CUDA_QUANTISE_CUH

#include "common.cuh"

/* The word of four samples. */
template <typename T> struct CudaFour;
template <> struct CudaFour<uint8_t> {
    using Word = uint32_t;
    static constexpr uint32_t white = 255;
};
template <> struct CudaFour<uint16_t> {
    using Word = uint2;
    static constexpr uint32_t white = 65535;
};
template <> struct CudaFour<float> {
    using Word = float4;
};
template <typename T> using CudaWord = typename CudaFour<T>::Word;

/* ---- from samples ---------------------------------------------------------------------------------------- */

/* The integer that `select` (see __byte_perm) takes out of `word`. */
__device__ __forceinline__ float cuda_widen(uint32_t word, uint32_t select)
{
    const uint32_t two23 = 0x4b000000;
    return __fsub_rn(__uint_as_float(__byte_perm(word, two23, select)), 8388608.0f);
}

__device__ __forceinline__ float4 cuda_widen4(uint32_t w)
{
    return make_float4(cuda_widen(w, 0x7440), cuda_widen(w, 0x7441), cuda_widen(w, 0x7442),
                       cuda_widen(w, 0x7443));
}

__device__ __forceinline__ float4 cuda_widen4(uint2 w)
{
    return make_float4(cuda_widen(w.x, 0x7410), cuda_widen(w.x, 0x7432), cuda_widen(w.y, 0x7410),
                       cuda_widen(w.y, 0x7432));
}

__device__ __forceinline__ float4 cuda_widen4(float4 w) { return w; }

/* ---- to samples ------------------------------------------------------------------------------------------ */

/* The lowest 8 or 16 bits of four words. */
__device__ __forceinline__ void cuda_pack4(uint32_t *to, const uint32_t v[4])
{
    *to = __byte_perm(__byte_perm(v[0], v[1], 0x0040), __byte_perm(v[2], v[3], 0x0040), 0x5410);
}

__device__ __forceinline__ void cuda_pack4(uint2 *to, const uint32_t v[4])
{
    *to = make_uint2(__byte_perm(v[0], v[1], 0x5410), __byte_perm(v[2], v[3], 0x5410));
}

/* halo_quantise of `Count` samples. v + 1.5 * 2^23 has the bits `zero` + the rounded v; if all of them are in
 * 0..white nothing is clipped, which is nearly always so. */
template <typename T, int Count>
__device__ __forceinline__ void cuda_round(const float *v, uint32_t n[Count], unsigned *clipped)
{
    const uint32_t zero = 0x4b400000, white = CudaFour<T>::white;
    uint32_t seen = 0;
#pragma unroll
    for (int i = 0; i < Count; i++) {
        n[i] = __float_as_uint(__fadd_rn(v[i], 12582912.0f));
        seen |= n[i] ^ zero;
    }
    if (seen <= white) return;
    /* The same in floats, within the two ends: there they have the bits of the integers. */
#pragma unroll
    for (int i = 0; i < Count; i++) {
        const float within = fminf(fmaxf(__uint_as_float(n[i]), 12582912.0f), 12582912.0f + (float)white);
        *clipped += n[i] != __float_as_uint(within); /* NaN becomes 0 */
        n[i] = __float_as_uint(within);
    }
}

/* The integers a and b as bytes, saturated, before the lower half of c. */
__device__ __forceinline__ uint32_t cuda_saturate2(int a, int b, uint32_t c)
{
    uint32_t packed;
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(packed) : "r"(b), "r"(a), "r"(c));
    return packed;
}

/* cuda_round and cuda_pack4 of bytes. Clipped samples are packed by a saturating instruction: noise clips
 * often. */
template <int Count>
__device__ __forceinline__ void cuda_bytes(const float *v, uint32_t word[Count / 4], unsigned *clipped)
{
    const uint32_t zero = 0x4b400000;
    uint32_t n[Count], seen = 0;
#pragma unroll
    for (int i = 0; i < Count; i++) {
        n[i] = __float_as_uint(__fadd_rn(v[i], 12582912.0f));
        seen |= n[i] ^ zero;
    }
    if (seen <= 255) {
#pragma unroll
        for (int q = 0; q < Count / 4; q++) cuda_pack4(word + q, n + 4 * q);
        return;
    }
#pragma unroll
    for (int i = 0; i < Count;
         i++) { /* NaN becomes -1; what is far above 255 still has bits that are greater */
        n[i] = __float_as_uint(__fadd_rn(fmaxf(v[i], -1.0f), 12582912.0f)) - zero;
        *clipped += n[i] > 255;
    }
#pragma unroll
    for (int q = 0; q < Count / 4; q++)
        word[q] = cuda_saturate2((int)n[4 * q], (int)n[4 * q + 1],
                                 cuda_saturate2((int)n[4 * q + 2], (int)n[4 * q + 3], 0));
}

template <typename T> __device__ __forceinline__ CudaWord<T> cuda_quantise4(const float v[4], unsigned *clipped)
{
    CudaWord<T> word;
    if constexpr (sizeof(T) == 1) {
        cuda_bytes<4>(v, &word, clipped);
    } else {
        uint32_t n[4];
        cuda_round<T, 4>(v, n, clipped);
        cuda_pack4(&word, n);
    }
    return word;
}

/* halo_canonical of a result of the GPU's arithmetic: that has one NaN, 0x7fffffff ("Floating-Point Standard"
 * in NVIDIA's CUDA C++ Programming Guide), and halo's is less than it as an integer. */
__device__ __forceinline__ float cuda_canonical(float v)
{
    return __int_as_float(min(__float_as_int(v), __float_as_int(halo_canonical(NAN))));
}

/* The word of four results of arithmetic. */
template <> __device__ __forceinline__ float4 cuda_quantise4<float>(const float v[4], unsigned *)
{
    return make_float4(cuda_canonical(v[0]), cuda_canonical(v[1]), cuda_canonical(v[2]), cuda_canonical(v[3]));
}

/* ---- several fours --------------------------------------------------------------------------------------- */

/* The accesses of `Count` samples, a multiple of 4: up to 16 bytes at a time, so aligned. */
template <typename T, int Count> struct CudaFours {
    static constexpr int most = 16 / (int)sizeof(CudaWord<T>), at_once = Count / 4 < most ? Count / 4 : most;
    typedef CudaPack<CudaWord<T>, at_once> Pack;
};

template <typename T, int Count> __device__ __forceinline__ void cuda_load_fours(float *v, const T *from)
{
    typedef CudaFours<T, Count> Fours;
#pragma unroll
    for (int q = 0; q < Count / 4; q += Fours::at_once) {
        const typename Fours::Pack pack = *reinterpret_cast<const typename Fours::Pack *>(from + 4 * q);
#pragma unroll
        for (int i = 0; i < Fours::at_once; i++) {
            const float4 four = cuda_widen4(pack.at[i]);
            v[4 * (q + i)] = four.x;
            v[4 * (q + i) + 1] = four.y;
            v[4 * (q + i) + 2] = four.z;
            v[4 * (q + i) + 3] = four.w;
        }
    }
}

/* Count samples as 32-bit words. Integers are tested together: one branch for all. `Made`: all of `v` are
 * results of the GPU's arithmetic, such as sums, not copies, such as a minimum. */
template <typename T, int Count, bool Made>
__device__ __forceinline__ void cuda_words(const float *v, uint32_t *word, unsigned *clipped)
{
    if constexpr (sizeof(T) == sizeof(float)) {
#pragma unroll
        for (int i = 0; i < Count; i++)
            word[i] = __float_as_uint(Made ? cuda_canonical(v[i]) : halo_canonical(v[i]));
    } else if constexpr (sizeof(T) == 1) {
        cuda_bytes<Count>(v, word, clipped);
    } else {
        uint32_t n[Count];
        cuda_round<T, Count>(v, n, clipped);
#pragma unroll
        for (int q = 0; q < Count / 4; q++) {
            CudaWord<T> four;
            cuda_pack4(&four, n + 4 * q);
            word[2 * q] = four.x, word[2 * q + 1] = four.y;
        }
    }
}

/* Stores of 8 and 16 bytes in assembly: nvcc 13 may store a vector member by member, and separable convolution
 * of f32 then took a third longer on an H200. */
__device__ __forceinline__ void cuda_put(void *to, uint2 v)
{
    asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(to)), "r"(v.x), "r"(v.y)
                 : "memory");
}

__device__ __forceinline__ void cuda_put(void *to, uint4 v)
{
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)), "r"(v.x),
                 "r"(v.y), "r"(v.z), "r"(v.w)
                 : "memory");
}

template <typename T, int Count, bool Made = false>
__device__ __forceinline__ void cuda_store_fours(T *to, const float *v, unsigned *clipped)
{
    constexpr int words = Count * (int)sizeof(T) / 4;
    uint32_t word[words];
    cuda_words<T, Count, Made>(v, word, clipped);
    if constexpr (words == 1) {
        *reinterpret_cast<uint32_t *>(to) = word[0];
    } else if constexpr (words == 2) {
        cuda_put(to, make_uint2(word[0], word[1]));
    } else {
        static_assert(words % 4 == 0, "whole vectors");
#pragma unroll
        for (int i = 0; i < words; i += 4)
            cuda_put(reinterpret_cast<uint4 *>(to) + i / 4,
                     make_uint4(word[i], word[i + 1], word[i + 2], word[i + 3]));
    }
}

#endif
