/* Asynchronous copies of rows to shared memory, in pieces of 4 to 16 bytes, which begin before the samples
 * where those are not aligned. */
#ifndef HALO_CUDA_RESAMPLE_COPY_CUH
#define HALO_CUDA_RESAMPLE_COPY_CUH

#include <cuda_pipeline.h>

#include "resample.cuh"

/* Starts to copy the first `some` bytes of a piece to shared memory, and fills the rest with 0. */
template <int Piece> CUDA_INLINE void resample_some(char *to, const char *from, int some)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "n"(Piece), "r"(some)
                 : "memory");
#else
    for (int i = 0; i < Piece; i++) to[i] = i < some ? from[i] : 0;
#endif
}

/* Four samples that begin `off` bytes after those words; shifts take their amount modulo 32. */
CUDA_INLINE uint32_t resample_shifted(const uint32_t *word, unsigned off, uint8_t)
{
    word += off / 4;
    return __funnelshift_r(word[0], word[1], 8 * off);
}
CUDA_INLINE uint2 resample_shifted(const uint32_t *word, unsigned off, uint16_t)
{
    word += off / 4;
    return make_uint2(__funnelshift_r(word[0], word[1], 8 * off), __funnelshift_r(word[1], word[2], 8 * off));
}

#endif
