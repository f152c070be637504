/* Division of small numbers by a number that the host knows: a multiplication, where a division takes twenty
 * instructions. */
#ifndef HALO_CUDA_DIVISOR_CUH
#define HALO_CUDA_DIVISOR_CUH

#include "common.cuh"

/* n; and 2^32 / n, rounded up, in 32 bits: i / n is exact where i * n is below 2^32. */
struct CudaDivisor {
    unsigned n, inverse;
    __device__ __forceinline__ int over(int i) const
    {
        return n == 1 ? i : (int)__umulhi((unsigned)i, inverse);
    }
};

static inline CudaDivisor cuda_divisor(int64_t n)
{
    return {(unsigned)n, n > 1 ? (unsigned)(((uint64_t)1 << 32) / (uint64_t)n + 1) : 0};
}

#endif
