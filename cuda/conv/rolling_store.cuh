/* Storing the outputs of a rolling kernel (rolling.cuh). */
#ifndef HALO_CUDA_ROLLING_STORE_CUH
#define HALO_CUDA_ROLLING_STORE_CUH

#include "rolling_copy.cuh"

/* Stores a row of the warp's outputs of any type and scale: from shared memory, so that the code exists once
 * and not for every output of a thread. All threads call it. */
template <typename W>
__device__ __forceinline__ void rolling_store(const RollingArgs &a, const RollingPlace &p, int64_t y,
                                              const float acc[W::own], float made[W::cols], unsigned *clipped)
{
    const int count = (int)cuda_min(W::cols, a.dst.cols - p.x), lane = (int)threadIdx.x;
    const int fours = a.fours ? count / 4 * 4 : 0;
#pragma unroll
    for (int k = 0; k < W::own; k += 4)
        *reinterpret_cast<float4 *>(made + W::own * lane + k) =
            make_float4(acc[k], acc[k + 1], acc[k + 2], acc[k + 3]);
    __syncwarp();
    if (!a.plain) {
#pragma unroll 1
        for (int i = lane; i < count; i += CUDA_WARP)
            made[i] = halo_rescale(conv_affine(a.dst, made[i]), a.dst.store);
        __syncwarp();
    }
    cuda_typed(a.dst.dtype, [&](auto zero) {
        using D = decltype(zero);
        D *const to = reinterpret_cast<D *>(a.dst.data + y * a.dst.stride) + p.x;
#pragma unroll 1
        for (int i = 4 * lane; i < fours; i += 4 * CUDA_WARP) {
            float v[4];
            conv_load4(v, made + i);
            cuda_store_fours<D, 4, true>(to + i, v, clipped);
        }
#pragma unroll 1
        for (int i = fours + lane; i < count; i += CUDA_WARP)
            to[i] = cuda_sample<D>(made[i], {1.0f, 1.0f}, clipped);
    });
    __syncwarp();
}

/* Quotients of integers by an integer up to 4096: the product with the reciprocal and one correction equal the
 * division for every normal float (all significands and divisors were compared). P. Markstein, "Computation of
 * elementary functions on the IBM RISC System/6000 processor", IBM Journal of Research and Development 34,
 * 1990. */
static const float rolling_divisor_most = 4096.0f;

template <typename W> __device__ __forceinline__ void rolling_divide(const RollingArgs &a, float acc[W::own])
{
#pragma unroll
    for (int k = 0; k < W::own; k++) {
        const float quotient = acc[k] * a.inverse;
        acc[k] = halo_fma(halo_fma(-quotient, a.dst.store.den, acc[k]), a.inverse, quotient);
    }
}

/* Stores a thread's outputs as they are. `Often`: u8 of which many are clipped, as in sharpened noise. Without
 * branches: within [-1, 256] the bits of a rounded float, but the lowest byte, are those of zero if it is no
 * level; otherwise the next one's lowest is 1 and the lowest byte is inverted. */
template <typename D, int Own, bool Often>
__device__ __forceinline__ void rolling_put(D *to, const float acc[Own], unsigned *clipped)
{
    if constexpr (!Often || sizeof(D) > 1) {
        cuda_store_fours<D, Own, true>(to, acc, clipped);
    } else {
        CudaPack<uint32_t, Own / 4> word;
#pragma unroll
        for (int q = 0; q < Own / 4; q++) {
            uint32_t n[4];
#pragma unroll
            for (int i = 0; i < 4; i++)
                n[i] = __float_as_uint(__fadd_rn(fminf(fmaxf(acc[4 * q + i], -1.0f), 256.0f), 12582912.0f));
            const uint32_t low = __byte_perm(n[0], n[1], 0x5140), high = __byte_perm(n[2], n[3], 0x5140);
            const uint32_t lost = __byte_perm(low, high, 0x7632) & 0x01010101;
            word.at[q] = __byte_perm(low, high, 0x5410) ^ (lost * 255);
            *clipped = __dp4a(lost, 0x01010101u, *clipped);
        }
        *reinterpret_cast<CudaPack<uint32_t, Own / 4> *>(to) = word;
    }
}

static const int rolling_quick_taps = 9; /* up to here */

/* Stores a warp's outputs of a row as f32. Where few taps leave it bound by memory, through shared memory, so
 * that stores cover whole sectors. There a thread's quads are rotated by its place, against bank conflicts. */
template <typename W>
__device__ __forceinline__ void rolling_put_floats(float *to, const float acc[W::own], float made[W::cols])
{
    constexpr int quads = W::own / 4,
                  at_once = 8 / quads; /* threads whose quads lie in different banks as they are */
    const int lane = (int)threadIdx.x;
    uint4 four[quads];
#pragma unroll
    for (int q = 0; q < quads; q++) cuda_words<float, 4, true>(acc + 4 * q, &four[q].x, NULL);
    if constexpr (W::taps > rolling_quick_taps) {
#pragma unroll
        for (int q = 0; q < quads; q++) cuda_put(to + W::own * lane + 4 * q, four[q]);
    } else {
        const auto slot = [&](int thread, int q) {
            return reinterpret_cast<uint4 *>(made) + thread * quads + (q ^ thread / at_once % quads);
        };
#pragma unroll
        for (int q = 0; q < quads; q++) *slot(lane, q) = four[q];
        __syncwarp();
#pragma unroll
        for (int j = 0; j < quads; j++) {
            const int i = CUDA_WARP * j + lane;
            cuda_put(to + 4 * i, *slot(i / quads, i % quads));
        }
        __syncwarp();
    }
}

/* Applies the point operations (conv_set_points): one decision each for all of a thread's outputs. Longer masks
 * do without. */
static const int rolling_points_most = 17;

template <int Own> __device__ __forceinline__ void rolling_points(const ConvPoints &points, float acc[Own])
{
#pragma unroll 1
    for (int p = 0; p < points.count; p++) {
        const HaloPoint point = points.point[p];
        switch (point.op) {
#define CASE(code)                                                                                             \
    case code:                                                                                                 \
        _Pragma("unroll") for (int k = 0; k < Own; k++) acc[k] = halo_point(acc[k], {code, point.a, point.b}); \
        break;
            CASE(HALO_POINT_FMA)
            CASE(HALO_POINT_CLAMP)
            CASE(HALO_POINT_THRESHOLD)
            CASE(HALO_POINT_ABS)
#undef CASE
        default: break;
        }
    }
}

/* Stores a row of a warp's outputs that has point operations, or is not `packed`, in the kernel's own type. */
template <typename W>
__device__ __forceinline__ void rolling_leave(const RollingArgs &a, const RollingPlace &p, int64_t y,
                                              bool packed, float acc[W::own], float made[W::cols],
                                              unsigned *clipped)
{
    typedef typename W::Stored D;
    char *const row = a.dst.data + y * a.dst.stride;
    const int64_t x = p.x + W::own * (int)threadIdx.x;
    if constexpr (W::taps <= rolling_points_most) rolling_points<W::own>(a.dst.points, acc);
    if (packed && W::taps <= rolling_points_most)
        cuda_store_fours<D, W::own, true>(reinterpret_cast<D *>(row) + x, acc, clipped);
    else
        rolling_store<W>(a, p, y, acc, made, clipped);
}

#endif
