/* How the outputs of a walk (walk.cuh) leave a warp. */
#ifndef HALO_CUDA_WALK_STORE_CUH
#define HALO_CUDA_WALK_STORE_CUH

#include "walk_stage.cuh"

/* Stores a row of the warp's outputs, of whatever type, scaled and placed however: from shared memory, so that
 * the code for that is there once and not for every output of a thread. All threads come here together. */
template <typename W>
__device__ __forceinline__ void walk_store(const WalkArgs &a, const WalkPlace &p, int64_t y,
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

/* Whole numbers over a whole number up to 4096: the quotient by the reciprocal, and once more by what that
 * leaves, is the division's for every float that is no subnormal one (all significands by all of these were
 * compared). P. Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor", IBM
 * Journal of Research and Development 34, 1990. */
static const float walk_divisor_most = 4096.0f;

template <typename W> __device__ __forceinline__ void walk_divide(const WalkArgs &a, float acc[W::own])
{
#pragma unroll
    for (int k = 0; k < W::own; k++) {
        const float quotient = acc[k] * a.inverse;
        acc[k] = halo_fma(halo_fma(-quotient, a.dst.store.den, acc[k]), a.inverse, quotient);
    }
}

/* Stores a thread's outputs as they are. `Often`: bytes of which many are clipped, as in noise that is
 * sharpened. No thread then goes a way of its own, nor does a count wait for the one before: within [-1, 256]
 * the bits of a rounded float, but the lowest byte, are those of zero if it is no level, and else the next
 * one's lowest is 1 and the lowest byte has all bits turned round. */
template <typename D, int Own, bool Often>
__device__ __forceinline__ void walk_put(D *to, const float acc[Own], unsigned *clipped)
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

static const int walk_quick_taps = 9; /* up to here */

/* Stores a warp's outputs of a row as f32. Where few taps leave it waiting for memory, by way of shared memory,
 * so that neighbours store neighbours: half a sector costs as much as a whole one. There a thread's quads are
 * turned round by its place, for the sake of the banks. */
template <typename W>
__device__ __forceinline__ void walk_put_floats(float *to, const float acc[W::own], float made[W::cols])
{
    constexpr int quads = W::own / 4,
                  abreast = 8 / quads; /* threads whose quads lie in different banks as they are */
    const int lane = (int)threadIdx.x;
    uint4 four[quads];
#pragma unroll
    for (int q = 0; q < quads; q++) cuda_words<float, 4, true>(acc + 4 * q, &four[q].x, NULL);
    if constexpr (W::taps > walk_quick_taps) {
#pragma unroll
        for (int q = 0; q < quads; q++) cuda_put(to + W::own * lane + 4 * q, four[q]);
    } else {
        const auto slot = [&](int thread, int q) {
            return reinterpret_cast<uint4 *>(made) + thread * quads + (q ^ thread / abreast % quads);
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

/* What lies behind the result, as conv_points left it: one decision a point for all of a thread's outputs.
 * Walks of more taps do without. */
static const int walk_points_most = 17;

template <int Own> __device__ __forceinline__ void walk_points(const ConvPoints &points, float acc[Own])
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

/* A row of a warp's outputs that has points behind it, or is not `packed`: whole, and as its kernel has it in
 * mind. */
template <typename W>
__device__ __forceinline__ void walk_leave(const WalkArgs &a, const WalkPlace &p, int64_t y, bool packed,
                                           float acc[W::own], float made[W::cols], unsigned *clipped)
{
    typedef typename W::Stored D;
    char *const row = a.dst.data + y * a.dst.stride;
    const int64_t x = p.x + W::own * (int)threadIdx.x;
    if constexpr (W::taps <= walk_points_most) walk_points<W::own>(a.dst.points, acc);
    if (packed && W::taps <= walk_points_most)
        cuda_store_fours<D, W::own, true>(reinterpret_cast<D *>(row) + x, acc, clipped);
    else
        walk_store<W>(a, p, y, acc, made, clipped);
}

#endif
