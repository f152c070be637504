/* Loops that do nothing but what a benchmark's floor is made of. */
#include "vector.h"

#define CHAINS 12 /* more sums than an addition takes cycles */

static float first_lane(CpuVector v)
{
    float lane[CPU_LANES];
    vector_store(lane, v);
    return lane[0];
}

static double fma_rounds(int64_t rounds, float *result)
{
    CpuVector sum[CHAINS], a = vector_of(0.5f), b = vector_of(0.25f);
    CPU_UNROLL for (int c = 0; c < CHAINS; c++) sum[c] = vector_of((float)c);
    for (int64_t i = 0; i < rounds; i++) {
        CPU_KEEP(a);
        CPU_KEEP(b);
        CPU_UNROLL for (int c = 0; c < CHAINS; c++) sum[c] = vector_fma(sum[c], a, b);
    }
    *result = 0.0f;
    CPU_UNROLL for (int c = 0; c < CHAINS; c++) *result += first_lane(sum[c]);
    return 2.0 * CHAINS * CPU_LANES * (double)rounds;
}

static uint64_t read_all(const uint64_t *from, int64_t words)
{
    uint64_t any = 0;
    for (int64_t i = 0; i < words; i++) any |= from[i];
    return any;
}

const CpuCeilingKernels CPU_TABLE(ceiling) = {fma_rounds, read_all};
