/* Stores vertical sums. */
#ifndef HALO_CUDA_MEAN_VERTICAL_STORE_CUH
#define HALO_CUDA_MEAN_VERTICAL_STORE_CUH

#include "sums.cuh"

/* Where the outputs of a run go, from its row 0 on; those in [from, upto) are stored. The type is dispatched
 * here, a few outputs at a time: else the code of the sums would exist once per type. */
struct VerticalStore {
    char *to;
    int64_t stride;
    int from, upto;
    bool plain;
    unsigned *clipped;

    template <int Count>
    __device__ __forceinline__ void operator()(const MeanVertical &a, int k, const double (&sum)[Count])
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

/* For the run whose row 0 is at `position`. */
CUDA_INLINE VerticalStore vertical_store(const MeanVertical &a, int64_t position, int64_t e, int from, int upto,
                                         unsigned *clipped)
{
    VerticalStore p = {};
    if (a.sums != NULL) {
        p.to = (char *)(a.sums + (position - a.first) * a.rows.n + e);
        p.stride = a.rows.n * (int64_t)sizeof(double);
    } else {
        p.to = a.target.data + (position - a.target.base) * a.target.stride + e * cuda_size(a.target.dtype);
        p.stride = a.target.stride;
        p.plain = a.target.store.num == 1.0f && a.target.store.den == 1.0f;
    }
    p.from = from;
    p.upto = upto;
    p.clipped = clipped;
    return p;
}

#endif
