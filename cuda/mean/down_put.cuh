/* How sums down columns leave the threads that made them. */
#ifndef HALO_CUDA_MEAN_DOWN_PUT_CUH
#define HALO_CUDA_MEAN_DOWN_PUT_CUH

#include "sums.cuh"

/* Where the outputs of a run go, from its row 0 on, and which of them: those that this calls it with are
 * stored. Their type is asked for here, a few at a time: else all that makes them would be there once for each.
 */
struct DownPut {
    char *to;
    int64_t stride;
    int from, upto;
    bool plain;
    unsigned *clipped;

    template <int Count>
    __device__ __forceinline__ void operator()(const MeanDown &a, int k, const double (&sum)[Count])
    {
        const auto each = [&](auto f) {
#pragma unroll
            for (int u = 0; u < Count; u++, to += stride)
                if (k + u >= from && k + u < upto) f(u);
        };
        if (a.sums != NULL) {
            each([&](int u) { *(double *)to = sum[u]; });
            return;
        }
        float mean[Count];
        mean_quotients<Count>(sum, a.target.finish, mean);
        if (!plain)
#pragma unroll
            for (int u = 0; u < Count; u++) mean[u] = cuda_rescale(mean[u], a.target.store);
        cuda_typed(a.target.dtype, [&](auto zero) {
            using D = decltype(zero);
            each([&](int u) { *(D *)to = cuda_sample<D>(mean[u], {1.0f, 1.0f}, clipped); });
        });
    }
};

/* Of the run whose row 0 is at `position`. */
__device__ __forceinline__ static DownPut down_put(const MeanDown &a, int64_t position, int64_t e, int from,
                                                   int upto, unsigned *clipped)
{
    DownPut p = {};
    if (a.sums != NULL) {
        p.to = (char *)(a.sums + (position - a.first) * a.rows.n + e);
        p.stride = a.rows.n * (int64_t)sizeof(double);
    } else {
        p.to = a.target.data + (position - a.target.base) * a.target.stride +
               e * (a.target.dtype == HALO_U8    ? 1
                    : a.target.dtype == HALO_U16 ? 2
                                                 : 4);
        p.stride = a.target.stride;
        p.plain = a.target.store.num == 1.0f && a.target.store.den == 1.0f;
    }
    p.from = from;
    p.upto = upto;
    p.clipped = clipped;
    return p;
}

#endif
