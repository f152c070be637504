/* Halving: all rows and columns but those at the ends have the same taps, which are kernel parameters. A
 * thread's columns are neighbours, so that a load serves several of them, and rows go in pairs: the first of a
 * pair starts an output, the second completes one. */
#ifndef HALO_CUDA_RESAMPLE_HALF_CUH
#define HALO_CUDA_RESAMPLE_HALF_CUH

#include "resample_strip.cuh"

/* Pixels before the source's pixel 2 i with which output i's taps begin. */
__host__ __device__ static constexpr int half_before(int taps) { return taps / 2 - 1; }

/* A block's parameters for samples of type S and pixels of C channels. */
template <typename S, int C, int Taps> struct Half {
    static constexpr int chain = Taps / 2, size = (int)sizeof(S);
    /* columns of a thread, its samples, and columns of a block */
    static constexpr int columns = C == 1 ? 4 : 2, own = columns * C, strip = columns * CUDA_WARP;
    /* pixels of the source staged before the first output's pixel; samples of a row that a block stages, and
     * its bytes, including those that alignment adds to integers */
    static constexpr int lead = Taps > 8 ? 8 : Taps > 2 ? 4 : 0;
    static constexpr int floats = ((lead - half_before(Taps) + 2 * (strip - 1) + Taps) * C + 15) / 16 * 16;
    static constexpr bool widened = size < 4;
    static constexpr int bytes = floats * size + (widened ? 16 : 0);
    static constexpr int stage = strip_step * bytes,
                         shared = strip_stages * stage + (widened ? strip_step * floats * 4 : 0);
    static constexpr int swizzle = C == 1   ? 1
                                   : C == 4 ? 3
                                            : 0; /* of strip_at: threads are 2, 4 or 3 times 16 bytes apart */
    static constexpr int blocks = C == 1 ? 24 : 16; /* resident per multiprocessor */
};

/* ---- rows ------------------------------------------------------------------------------------------------ */

/* The weights of a pixel in each of a thread's columns. */
template <int Columns> using HalfWeights = CudaPack<float, Columns>;

/* The horizontal pass of a thread's columns; `weights(e)` are those of its pixel e. Each sample goes to all
 * outputs at once, and each output adds its samples in order. */
template <typename H, int C, int Taps, typename W>
CUDA_INLINE void half_row(const float *staged, float v[H::own], W weights)
{
    constexpr int skip = (H::lead - half_before(Taps)) * C, samples = (2 * (H::columns - 1) + Taps) * C;
    const int first = (int)threadIdx.x * (2 * H::own / 4);
    HalfWeights<H::columns> weight = {};
#pragma unroll
    for (int i = 0; i < H::own; i++) v[i] = 0.0f;
#pragma unroll
    for (int q = skip / 4; q < (skip + samples + 3) / 4; q++) {
        const float4 four = reinterpret_cast<const float4 *>(staged)[strip_at<H::swizzle>(first + q)];
        const float sample[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int e = 4 * q + i - skip;
            if (e < 0 || e >= samples) continue;
            if (e % C == 0) weight = weights(e / C);
#pragma unroll
            for (int column = 0; column < H::columns; column++) {
                const int t = e / C - 2 * column, k = column * C + e % C;
                if (t >= 0 && t < Taps) v[k] = halo_fma(weight.at[column], sample[i], v[k]);
            }
        }
    }
}

/* ---- storing --------------------------------------------------------------------------------------------- */

/* Stores a row of the warp's outputs, `count` samples from `first` on. Aligned outputs of the source's type are
 * stored by each thread; all others go through `made`, free memory of the warp, so that their code exists once
 * and not for each of a thread's outputs. All threads call it together. */
template <typename S, typename H>
CUDA_INLINE void half_store(const ResampleArgs &a, char *row, int64_t first, int count, const float v[H::own],
                            float *made, unsigned *clipped)
{
    constexpr HaloDtype own_type = H::size == 1 ? HALO_U8 : H::size == 2 ? HALO_U16 : HALO_F32;
    constexpr int at_once = H::own % 4 == 0 ? 4 : 2;
    const int lane = (int)threadIdx.x;
    const bool plain = a.store.num == 1.0f && a.store.den == 1.0f;
    S *const own = (S *)row + first + lane * H::own;
    if (plain && a.dst_dtype == own_type && count == CUDA_WARP * H::own &&
        (uintptr_t)own % (at_once * sizeof(S)) == 0) {
        if constexpr (at_once == 4) {
#pragma unroll
            for (int k = 0; k < H::own; k += 4) cuda_store_fours<S, 4, true>(own + k, v + k, clipped);
        } else if constexpr (H::size == 4) {
#pragma unroll
            for (int k = 0; k < H::own; k += 2)
                *reinterpret_cast<float2 *>(own + k) =
                    make_float2(cuda_canonical(v[k]), cuda_canonical(v[k + 1]));
        } else {
            uint32_t n[H::own];
            cuda_round<S, H::own>(v, n, clipped);
#pragma unroll
            for (int k = 0; k < H::own; k += 2)
                *reinterpret_cast<CudaPack<S, 2> *>(own + k) = {(S)n[k], (S)n[k + 1]};
        }
        return;
    }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < H::own; k++) made[lane * H::own + k] = v[k];
    __syncwarp();
    cuda_typed(a.dst_dtype, [&](auto zero) {
        using D = decltype(zero);
        D *const to = (D *)row + first;
        const int fours = plain && (uintptr_t)to % (4 * sizeof(D)) == 0 ? count / 4 * 4 : 0;
#pragma unroll 1
        for (int i = 4 * lane; i < fours; i += 4 * CUDA_WARP) {
            const float4 four = *reinterpret_cast<const float4 *>(made + i);
            const float out[4] = {four.x, four.y, four.z, four.w};
            cuda_store_fours<D, 4, true>(to + i, out, clipped);
        }
#pragma unroll 1
        for (int i = fours + lane; i < count; i += CUDA_WARP) to[i] = cuda_sample<D>(made[i], a.store, clipped);
    });
    __syncwarp();
}

/* ---- down the rows --------------------------------------------------------------------------------------- */

/* Starts the copy of a pair of rows, of which those from `from` up to `to` exist. */
template <typename H>
CUDA_INLINE void half_fetch(const StripArgs &a, StripStage &s, bool complete, int from, int to, char *there)
{
#pragma unroll 1
    for (int r = 0; r < strip_step; r++, s.row += a.all.src_stride) {
        if (r < from || r >= to) continue;
        if (complete)
            strip_copy_complete<(H::bytes + 511) / 512, H::widened ? 0 : H::swizzle>(there + r * H::bytes,
                                                                                     s.row, H::bytes);
        else
            strip_pieces<H::widened ? 0 : H::swizzle>(a, there + r * H::bytes, s);
    }
    __pipeline_commit();
}

/* Goes down the rows; `weights` as for half_row. */
template <typename S, int C, int Taps, typename W>
CUDA_INLINE void half_rows(const StripArgs &a, const StripPlace &p, StripStage s, W weights, unsigned *clipped)
{
    typedef Half<S, C, Taps> H;
    CUDA_SHARED(char, memory);
    const ResampleArgs &all = a.all;
    const int count = (int)cuda_min((all.cols - p.x) * C, CUDA_WARP * H::own);
    const bool complete = a.piece == 16 && s.from == 0 && s.to == H::bytes;
    /* pairs begin with the first row of an output, which may be above the picture */
    const int64_t newest = all.dst_y + p.top, y = 2 * newest - half_before(Taps);
    const int above = (int)(p.y - y), end = above + p.source;
    /* newest outputs of pairs all of whose outputs have the common taps */
    const int usual = (int)cuda_max(0, all.y.left + H::chain - 1 - newest),
              unusual = (int)(all.y.size - all.y.right - newest);
    StripChain<H::own, H::chain> chain;
    const auto store = [&](int out, const float *v, float *used) {
        if ((unsigned)out < (unsigned)p.rows)
            half_store<S, H>(all, all.dst + (p.top + out) * all.dst_stride, p.x * C, count, v, used, clipped);
    };
    s.row -= above * all.src_stride;
    const unsigned top = (unsigned)(uintptr_t)s.row;
    const auto fetch = [&](int t) {
        half_fetch<H>(a, s, complete, above - 2 * t, end - 2 * t, memory + t % strip_stages * H::stage);
    };
#pragma unroll 1
    for (int t = 1 - strip_stages; 2 * t < end; t++) {
        fetch(t + strip_stages - 1);
        if (t < 0) continue;
        char *const here = memory + t % strip_stages * H::stage;
        __pipeline_wait_prior(strip_stages - 1);
        __syncwarp();
        float *from = (float *)here;
        if (H::widened) {
            float *const tile = (float *)(memory + strip_stages * H::stage);
            if constexpr (H::widened)
                strip_widen<S, H::floats, H::swizzle>(a, here + a.extra, tile, H::floats, strip_step,
                                                      top + 2 * t * (unsigned)all.src_stride);
            __syncwarp();
            from = tile;
        }
        constexpr int pitch = H::widened ? H::floats : H::bytes / 4;
        float v[H::own];
        if (t >= usual && t < unusual) {
            half_row<H, C, Taps>(from, v, weights);
#pragma unroll
            for (int k = 0; k < H::chain; k++)
#pragma unroll
                for (int i = 0; i < H::own; i++)
                    chain.sum[k][i] =
                        halo_fma(a.tap_y[Taps - 2 - 2 * k], v[i], k + 1 < H::chain ? chain.sum[k][i] : 0.0f);
            half_row<H, C, Taps>(from + pitch, v, weights);
            float done[H::own];
#pragma unroll
            for (int k = 0; k < H::chain; k++)
#pragma unroll
                for (int i = 0; i < H::own; i++)
                    (k == 0 ? done[i] : chain.sum[(k + H::chain - 1) % H::chain][i]) =
                        halo_fma(a.tap_y[Taps - 1 - 2 * k], v[i], chain.sum[k][i]);
#pragma unroll
            for (int i = 0; i < H::own; i++) chain.sum[H::chain - 1][i] = 0.0f;
            store(t - (H::chain - 1), done, from);
        } else {
#pragma unroll 1
            for (int r = 0; r < strip_step; r++, from += pitch) {
                if (2 * t + r < above || 2 * t + r >= end) continue;
                half_row<H, C, Taps>(from, v, weights);
                chain.take(a.program[y + 2 * t + r - a.first], v,
                           [&](int64_t out, const float *sum) { store((int)(out - newest), sum, from); });
            }
        }
        __syncwarp();
    }
}

template <typename S, int C, int Taps>
__global__ static void __launch_bounds__(CUDA_WARP, Half<S, C, Taps>::blocks)
    half_kernel(const __grid_constant__ StripArgs a)
{
    typedef Half<S, C, Taps> H;
    const HaloResampleAxis &x = a.all.x;
    const StripPlace p = strip_place(a, H::strip);
    if (p.rows == 0) return;
    /* the first staged pixel, and the bytes from there to the row's samples in the buffer, at both ends */
    const int64_t first = a.all.dst_x + p.x, pixel = 2 * first - H::lead,
                  behind = (a.all.src_x - pixel) * C * H::size + a.extra;
    StripStage s;
    s.row = a.all.src + (p.y - a.all.src_y) * a.all.src_stride - behind;
    s.from = (int)cuda_max(0, behind);
    s.to = (int)cuda_min(H::bytes, behind + a.all.src_cols * C * H::size);
    unsigned clipped = 0;
    typedef HalfWeights<H::columns> Weights;
    if (first >= x.left && first + H::strip <= x.size - x.right) {
        half_rows<S, C, Taps>(
            a, p, s,
            [&](int e) {
                Weights w;
#pragma unroll
                for (int k = 0; k < H::columns; k++)
                    w.at[k] = e >= 2 * k && e < 2 * k + Taps ? a.tap[e - 2 * k] : 0.0f;
                return w;
            },
            &clipped);
    } else {
        const float *const own = a.taps + p.x + (int)threadIdx.x * H::columns;
        half_rows<S, C, Taps>(
            a, p, s, [&](int e) { return *reinterpret_cast<const Weights *>(own + e * a.pitch); }, &clipped);
    }
    cuda_count_clipped(a.all.clipped, clipped);
}

/* ---- launches -------------------------------------------------------------------------------------------- */

template <typename S, int C, int Taps> static HaloStatus half_launch(HaloDevice *device, StripArgs *a)
{
    typedef Half<S, C, Taps> H;
    const int64_t origin = (2 * a->all.dst_x - H::lead - a->all.src_x) * C * H::size; /* of the first strip */
    /* Floats are copied to where they are read; for integers more may be copied, as long as groups of four are
     * aligned. */
    const auto extra = [&](int bytes) { return (int)((origin % bytes + bytes) % bytes); };
    const auto pieces = [&](int bytes) {
        return cuda_aligned(a->all.src, a->all.src_stride, bytes) &&
               extra(bytes) % (H::widened ? 4 * H::size : 16) == 0;
    };
    int resident = 0;
    int64_t slices;
    a->tiles = (unsigned)cuda_ceil_div(a->all.cols, H::strip);
    a->piece = pieces(16) ? 16 : pieces(4) ? 4 : 0;
    a->extra = a->piece > 0 ? extra(a->piece) : 0;
    a->bytes = H::bytes;
    CUDA_PASS(cuda_allow_shared((const void *)half_kernel<S, C, Taps>, H::shared));
    CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, half_kernel<S, C, Taps>, CUDA_WARP,
                                                           H::shared));
    /* strips of columns with weights of their own */
    const HaloResampleAxis &x = a->all.x;
    const int64_t before = cuda_ceil_div(cuda_max(0, x.left - a->all.dst_x), H::strip),
                  inner = (x.size - x.right - a->all.dst_x) / H::strip;
    a->ends[0] = (unsigned)before;
    a->ends[1] = (unsigned)cuda_max(0, a->tiles - cuda_max(0, inner));
    if (a->ends[0] + a->ends[1] > a->tiles) a->ends[0] = a->ends[1] = 0;
    a->across = a->tiles + a->ends[0] + a->ends[1];
    strip_slices(a, (int64_t)resident * device->properties.multiProcessorCount, &slices);
    CUDA_LAUNCH(device, (half_kernel<S, C, Taps>), a->across * slices, CUDA_WARP, H::shared, *a);
    return HALO_OK;
}

template <typename S, int C> static HaloStatus half_taps(HaloDevice *device, StripArgs *a)
{
    switch (a->all.x.taps) {
    case 2: return half_launch<S, C, 2>(device, a);
    case 4: return half_launch<S, C, 4>(device, a);
    case 8: return half_launch<S, C, 8>(device, a);
    default: return half_launch<S, C, 12>(device, a);
    }
}

template <typename S> static HaloStatus half_channels(HaloDevice *device, StripArgs *a)
{
    switch (a->all.channels) {
    case 1: return half_taps<S, 1>(device, a);
    case 3: return half_taps<S, 3>(device, a);
    default: return half_taps<S, 4>(device, a);
    }
}

#endif
