/* Sobel's gradient and similar ones from u8 to u8, two samples an instruction.
 *
 * A byte with a zero byte above it is a subnormal half: 2^-24 times its value. Sums of such halves are integers
 * in units of 2^-24, exact up to 2048; the root is scaled accordingly, so that the conversion to halves rounds
 * it. Where a sum may exceed 2048 the magnitude exceeds 255 anyway, and clips. */
#include <cuda_fp16.h>

#include "chain.cuh"
#include "conv/rolling.cuh"

struct GradientU8Args {
    RollingArgs rolling;
    __half2 side, middle, bias;
};

/* Samples k and k + 2 in one word: a mask extracts such pairs from words. */
union BytesPair {
    uint32_t bits;
    __half2 at;
};

/* `Ones`: side is 1, and no sum needs a bias. */
template <int Step, bool Ones> struct BytesPass {
    static constexpr int own = 16, words = own / 4, pairs = own / 2;
    typedef Rolling<uint8_t, 3, Step, own, false> W;

    /* Horizontal differences and sums of the last even row and of the last odd one. */
    struct Chain {
        __half2 difference[2][pairs], sum[2][pairs];
    };

    /* The thread's samples, with a word on both sides. */
    struct Window {
        uint32_t even[words + 2], odd[words + 2];

        __device__ __forceinline__ explicit Window(const uint8_t *from)
        {
            const uint4 own = *reinterpret_cast<const uint4 *>(from);
            const uint32_t before = *reinterpret_cast<const uint32_t *>(from - 4),
                           after = *reinterpret_cast<const uint32_t *>(from + 16);
            const uint32_t word[words + 2] = {before, own.x, own.y, own.z, own.w, after};
#pragma unroll
            for (int i = 0; i < words + 2; i++) {
                even[i] = word[i] & 0x00ff00ff;
                odd[i] = __byte_perm(word[i], 0, 0x4341);
            }
        }

        /* Samples k and k + 2, counted from the first output's. */
        __device__ __forceinline__ __half2 pair(int k) const
        {
            const int word = (k + 4) / 4, rest = (k + 4) % 4;
            const uint32_t *const from = rest % 2 ? odd : even;
            BytesPair pair;
            pair.bits = rest < 2 ? from[word] : __byte_perm(from[word], from[word + 1], 0x5432);
            return pair.at;
        }
    };

    /* Rounded to a byte, the approximate root of an integer below 2^24 is correct: its error is at most 2^-22,
     * and roots that become bytes stay 2^-11 away from halves. */
    static __device__ __forceinline__ float root(float x, float y)
    {
        float root;
        asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(halo_fma(x, x, y * y)));
        return root;
    }

    /* The magnitudes that are complete at a row, as integers, limited to 256. `Row`: 0 of even ones. */
    template <int Row>
    static __device__ __forceinline__ void row(const GradientU8Args &a, const uint8_t *from, Chain *chain,
                                               uint32_t made[pairs])
    {
        const Window window(from);
        const BytesPair most = {0x01000100};
#pragma unroll
        for (int i = 0; i < pairs; i++) {
            const int k = i / 2 * 4 + i % 2;
            const __half2 left = window.pair(k - Step), right = window.pair(k + Step),
                          both = __hadd2(right, left);
            const __half2 difference = __hsub2(right, left),
                          before = __hadd2(difference, chain->difference[Row][i]);
            const __half2 sum = __hfma2(a.middle, window.pair(k), Ones ? both : __hfma2(a.side, both, a.bias));
            const __half2 x =
                __hfma2(a.middle, chain->difference[1 - Row][i], Ones ? before : __hmul2(a.side, before));
            const __half2 y = __hsub2(sum, chain->sum[Row][i]);
            chain->difference[Row][i] = difference;
            chain->sum[Row][i] = sum;
            BytesPair pair;
            pair.at = __hmin2(
                __floats2half2_rn(root(__low2float(x), __low2float(y)), root(__high2float(x), __high2float(y))),
                most.at);
            made[i] = pair.bits;
        }
    }

    /* As bytes; which of them clip, as bytes of 0 and 1. */
    static __device__ __forceinline__ void pack(const uint32_t made[pairs], uint32_t bytes[words],
                                                uint32_t clips[words])
    {
#pragma unroll
        for (int i = 0; i < words; i++) {
            clips[i] = __byte_perm(made[2 * i], made[2 * i + 1], 0x7351);
            bytes[i] = __byte_perm(made[2 * i], made[2 * i + 1], 0x6240) + clips[i] * 255;
        }
    }
};

/* Stores a row that is incomplete, or not aligned to 16 bytes, byte by byte: results and clip marks go through
 * `made`. All threads call it. */
__device__ __forceinline__ static void gradient_u8_rest(char *to, int count, uint4 bytes, uint4 clips,
                                                        uint4 made[2][CUDA_WARP], unsigned *clipped)
{
    const int lane = (int)threadIdx.x;
    made[0][lane] = bytes;
    made[1][lane] = clips;
    __syncwarp();
#pragma unroll 1
    for (int i = lane; i < count; i += CUDA_WARP) {
        to[i] = reinterpret_cast<const char *>(made[0])[i];
        *clipped += reinterpret_cast<const uint8_t *>(made[1])[i];
    }
    __syncwarp();
}

/* As rolling_strip(), but two rows per step, since even and odd rows have separate parts of the chain. */
template <typename Pass>
__global__ static void __launch_bounds__(CUDA_WARP, 16)
    gradient_u8_kernel(const __grid_constant__ GradientU8Args args)
{
    typedef typename Pass::W W;
    __shared__ alignas(16) char raw[2][rolling_step * W::row_bytes];
    __shared__ uint4 made[2][CUDA_WARP];
    __shared__ int map[W::pitch];
    const RollingArgs &a = args.rolling;
    const RollingPlace p = rolling_place<W>(a, map);
    const uint8_t outside = (uint8_t)halo_border_value(a.src.border, a.src.value);
    const char *const first = a.src.data + (p.sx - a.src.x0);
    const int own = W::own * (int)threadIdx.x, count_x = (int)cuda_min(W::cols, a.dst.cols - p.x);
    const bool usual = a.wide && count_x == W::cols;
    char *to = a.dst.data + p.y * a.dst.stride + p.x;
    typename Pass::Chain chain = {};
    unsigned clipped = 0;
    RollingRows rows = {};
    const auto store = [&](const uint32_t now[Pass::pairs]) {
        uint32_t bytes[Pass::words], clips[Pass::words];
        Pass::pack(now, bytes, clips);
        const uint4 all = make_uint4(bytes[0], bytes[1], bytes[2], bytes[3]);
        if (usual) {
#pragma unroll
            for (int i = 0; i < Pass::words; i++) clipped = __dp4a(clips[i], 0x01010101u, clipped);
            cuda_put(to + own, all);
        } else {
            gradient_u8_rest(to, count_x, all, make_uint4(clips[0], clips[1], clips[2], clips[3]), made,
                             &clipped);
        }
        to += a.dst.stride;
    };
#pragma unroll 1
    for (int t = -rolling_step; t < p.rows; t += rolling_step) {
        const RollingRows next = rolling_find(a, p, t + rolling_step);
        char *const there = raw[(t / rolling_step + 1) % 2];
        rolling_fetch<W>(a, p, first, next, there);
        if (t < 0) {
            rows = next;
            continue;
        }
        char *const here = raw[t / rolling_step % 2];
        __pipeline_wait_prior(1);
        __syncwarp();
        rolling_edges<W>(a, p, first, rows, map, outside, here);
        const int count = min(rolling_step, p.rows - t);
        const unsigned missing = ~rows.exist & ((1u << count) - 1);
        if (missing != 0) {
            rolling_fill<W>(missing, outside, here);
            __syncwarp();
        }
        const uint8_t *from = reinterpret_cast<const uint8_t *>(here) + own + W::before;
#pragma unroll 1
        for (int r = 0; r < count; r += 2, from += 2 * W::pitch) {
            uint32_t now[Pass::pairs];
            Pass::template row<0>(args, from, &chain, now);
            if (t + r >= W::taps - 1) store(now);
            if (r + 1 == count) break;
            Pass::template row<1>(args, from + W::pitch, &chain, now);
            if (t + r >= W::taps - 1) store(now);
        }
        __syncwarp();
        rows = next;
    }
    cuda_count_clipped(a.dst.clipped, clipped);
}

/* ---- the choice, and the launch ------------------------------------------------------------------------- */

/* The fastest heights at 8192 x 8192 on an H200: six steps of rows and two, see docs/tried/chains.md. */
static const int gradient_u8_strip = 46, gradient_u8_rest_strip = 14;

template <typename Pass>
static HaloStatus launch(HaloDevice *device, const ConvArgs *conv, GradientU8Args *args)
{
    typedef typename Pass::W W;
    const RollingShape shape = {W::size,           W::taps,
                                W::step,           W::own,
                                W::cols,           W::lead,
                                HALO_U8,           true,
                                gradient_u8_strip, gradient_u8_rest_strip};
    int64_t blocks = 0;
    CUDA_PASS(
        rolling_prepare(device, conv, shape, (const void *)gradient_u8_kernel<Pass>, &args->rolling, &blocks));
    CUDA_LAUNCH(device, gradient_u8_kernel<Pass>, blocks, CUDA_WARP, 0, *args);
    return HALO_OK;
}

template <bool Ones>
static HaloStatus launch_channels(HaloDevice *device, const ConvArgs *conv, GradientU8Args *args)
{
    switch (conv->dst.channels) {
    case 1: return launch<BytesPass<1, Ones>>(device, conv, args);
    case 3: return launch<BytesPass<3, Ones>>(device, conv, args);
    default: return launch<BytesPass<4, Ones>>(device, conv, args);
    }
}

/* Sums of a row lie from -127 to 128 times the sum of the taps with their bias, and from 0 to 255 times it
 * without. */
bool gradient_u8_takes(float side, float middle)
{
    if (side != rintf(side) || middle != rintf(middle)) return false;
    return side >= 1.0f && side <= 4.0f && middle >= 0.0f && 2.0f * side + middle <= 16.0f;
}

HaloStatus gradient_u8(HaloDevice *device, const ConvArgs *conv, float side, float middle)
{
    const float bias = -127.0f * (2.0f * side + middle) / 16777216.0f;
    GradientU8Args args = {};
    args.side = __float2half2_rn(side);
    args.middle = __float2half2_rn(middle);
    args.bias = __float2half2_rn(bias);
    return side == 1.0f && middle <= 6.0f ? launch_channels<true>(device, conv, &args)
                                          : launch_channels<false>(device, conv, &args);
}
