/* Walks (walk.cuh) over pixels of any number of channels: taps are as many samples apart as there are channels,
 * which the kernel is told. A thread makes neighbouring outputs of one channel, so that a sample comes under
 * several of its taps, and reads them one by one from rows of f32 in shared memory; integers are widened there,
 * so that one kernel serves every type. Lanes lie channel by channel, then pixel by pixel, and those that are
 * left over have nothing to do. What they make goes through shared memory, too, and leaves it in words. */
#ifndef HALO_CUDA_MANY_CUH
#define HALO_CUDA_MANY_CUH

#include "many_stage.cuh"

/* ---- the kernel ----------------------------------------------------------------------------------------- */

/* The samples under a thread's outputs, which are `distance` apart. */
template <int Count>
__device__ __forceinline__ static void many_window(const float *from, int distance, float window[Count])
{
#pragma unroll
    for (int j = 0; j < Count; j++) window[j] = from[j * distance];
}

/* Stores outputs [first, end) of some rows from y on, counted from x, a multiple of four. `plain`: nothing is
 * left to do but to round. */
__device__ __forceinline__ static void many_store(const WalkArgs &a, int64_t x, int64_t y, int rows, int first,
                                                  int end, bool plain, float *made, int pitch,
                                                  unsigned *clipped)
{
    const int lane = (int)threadIdx.x;
    const int from = a.fours ? min((first + 3) / 4 * 4, end) : end, to = max(from, end / 4 * 4); /* in fours */
    __syncwarp();
    if (!plain) {
#pragma unroll 1
        for (int r = 0; r < rows; r++)
#pragma unroll 1
            for (int i = first + lane; i < end; i += CUDA_WARP)
                made[r * pitch + i] = halo_rescale(conv_affine(a.dst, made[r * pitch + i]), a.dst.store);
        __syncwarp();
    }
    cuda_typed(a.dst.dtype, [&](auto zero) {
        using D = decltype(zero);
        D *const samples = reinterpret_cast<D *>(a.dst.data + y * a.dst.stride) + x;
#pragma unroll 1
        for (int i = from + 4 * lane; i < to; i += 4 * CUDA_WARP) {
            const float *of = made + i;
            char *four = reinterpret_cast<char *>(samples + i);
#pragma unroll 1
            for (int r = rows; r > 0; r--, of += pitch, four += a.dst.stride) {
                float v[4];
                conv_load4(v, of);
                cuda_store_fours<D, 4, true>(reinterpret_cast<D *>(four), v, clipped);
            }
        }
        if (from == first && to == end) return;
#pragma unroll 1
        for (int r = 0; r < rows; r++) {
            D *const row = reinterpret_cast<D *>(reinterpret_cast<char *>(samples) + r * a.dst.stride);
#pragma unroll 1
            for (int n = first + lane; n < end - (to - from); n += CUDA_WARP) {
                const int i = n < from ? n : n + (to - from);
                row[i] = cuda_sample<D>(made[r * pitch + i], {1.0f, 1.0f}, clipped);
            }
        }
    });
}

/* What one warp does; Pass is as in walk.cuh, but for its row, which is told the distance, and all samples are
 * floats. */
template <typename Pass>
__global__ static void __launch_bounds__(CUDA_WARP, Pass::warps)
    many_kernel(const __grid_constant__ typename Pass::Args args, const __grid_constant__ ManyShape m)
{
    CUDA_SHARED(char, shared);
    constexpr int own = Pass::own;
    const WalkArgs &a = args.walk;
    const int shift = a.src.dtype == HALO_U8 ? 0 : a.src.dtype == HALO_U16 ? 1 : 2, size = 1 << shift;
    const ManyRoom room = many_room(m, size, shared);
    const ManyPlace place = many_place(a, m, Pass::taps, room.map);
    const WalkPlace &p = place.at;
    const float outside = halo_border_value(a.src.border, a.src.value);
    const char *const first = a.src.data + (p.sx - a.src.x0) * size;
    /* Lanes that are left over do what the last one does, and write the same. */
    const int busy = min((int)threadIdx.x, m.lanes - 1), block = busy / m.channels,
              at = block * (own - 1) * m.channels + busy;
    const int ahead = (int)(p.x % 4), left = (int)cuda_min(m.cols, a.dst.cols - p.x),
              step_bytes = many_step * m.pitch * size;
    float chain[Pass::links][own] = {};
    unsigned clipped = 0;
    WalkRows rows = {};
    unsigned leads = 0;
    int here = 1;
#pragma unroll 1
    for (int t = -many_step; t < p.rows; t += many_step) {
        const WalkRows next = walk_find<many_step>(a, p, t + many_step);
        here ^= 1;
        const unsigned leads_next =
            many_fetch(a, place, size, m.pitch * size, first, next, room.raw + here * step_bytes);
        if (t < 0) { /* nothing was there before */
            rows = next;
            leads = leads_next;
            continue;
        }
        __pipeline_wait_prior(1);
        __syncwarp();
        float *const tile =
            many_widen(a.src.dtype, many_step * m.pitch, room.raw + (here ^ 1) * step_bytes, room.tile);
        if (!p.whole) {
            float *row[many_step];
#pragma unroll
            for (int r = 0; r < many_step; r++) row[r] = tile + r * m.pitch + ((leads >> 8 * r & 255) >> shift);
            if (p.far)
                many_gather(a, place, first, rows, room.map, outside, row);
            else
                many_edges(place, room.map, outside, row);
        }
        const int count = min(many_step, p.rows - t);
        const unsigned missing = ~rows.exist & ((1u << count) - 1);
        if (Pass::fills && missing != 0) many_fill(missing, m.pitch, outside, tile);
        const int skipped = min(count, max(0, Pass::taps - 1 - t)); /* rows that end no output */
        const float *from = tile + at;
        float *to = room.made + ahead + at;
#pragma unroll 1
        for (int r = 0; r < count; r++, from += m.pitch) {
            float acc[own];
            const int lead = (int)(leads >> 8 * r & 255) >> shift;
            Pass::row(args, from + lead, m.channels, rows.exist >> r & 1, outside, chain, acc);
            if (r < skipped) continue;
            if (a.inverse != 0.0f) walk_divide<Pass>(a, acc);
#pragma unroll
            for (int k = 0; k < own; k++) to[k * m.channels] = acc[k];
            to += m.row;
        }
        many_store(a, p.x - ahead, p.y + t + skipped - (Pass::taps - 1), count - skipped, ahead, ahead + left,
                   a.plain || a.inverse != 0.0f, room.made, m.row, &clipped);
        __syncwarp();
        rows = next;
        leads = leads_next;
    }
    cuda_count_clipped(a.dst.clipped, clipped);
}

/* ---- launching ------------------------------------------------------------------------------------------ */

/* Fewer have walks of their own. */
static inline bool many_takes(const HaloBuf *src, const HaloBuf *dst)
{
    const int channels = dst->shape.channels;
    return dst->rows > 1 && channels > 4 && channels <= many_channels &&
           src->shape.width <= (INT32_MAX - 4096) / channels;
}

/* `args` has its taps; the rest is filled in here. */
template <typename Pass>
static HaloStatus many_launch(HaloDevice *device, const ConvArgs *conv, typename Pass::Args *args)
{
    const int channels = conv->dst.channels, size = (int)halo_dtype_size(conv->src.dtype), sector = 32;
    ManyShape m = {};
    m.channels = channels;
    m.lanes = CUDA_WARP / channels * channels;
    m.cols = m.lanes * Pass::own;
    m.row = (m.cols + 6) / 4 * 4;
    m.pitch = (m.cols + (Pass::taps - 1) * channels + 2 * sector - 1) / sector * sector;
    const WalkShape shape = {size,   Pass::taps, channels,           Pass::own,
                             m.cols, 0,          conv->src.dtype,    Pass::light && size == (int)sizeof(float),
                             0,      0,          many_bytes(m, size)};
    int64_t blocks = 0;
    CUDA_PASS(walk_prepare(device, conv, shape, (const void *)many_kernel<Pass>, &args->walk, &blocks));
    args->walk.piece = conv->src.stride % 16 == 0 ? 16 : 4;
    CUDA_LAUNCH(device, many_kernel<Pass>, blocks, CUDA_WARP, shape.shared, *args, m);
    return HALO_OK;
}

#endif
