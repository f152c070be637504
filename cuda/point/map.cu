/* Point operations: one sample or pixel at a time. */
#include "map.cuh"

static const int map_threads = 256;

/* Loads `Pack` samples in as few accesses as possible. */
template <typename S, int Pack> CUDA_INLINE void load_pack(float v[Pack], const S *from)
{
    if constexpr (Pack % 4 == 0)
        cuda_load_fours<S, Pack>(v, from);
    else {
        const CudaPack<S, Pack> in = *reinterpret_cast<const CudaPack<S, Pack> *>(from);
#pragma unroll
        for (int k = 0; k < Pack; k++) v[k] = (float)in.at[k];
    }
}

template <typename D, int Pack>
CUDA_INLINE void store_pack(D *to, float v[Pack], HaloStore store, unsigned *clipped)
{
    if constexpr (Pack % 4 == 0) {
        if (store.num != 1.0f || store.den != 1.0f)
#pragma unroll
            for (int k = 0; k < Pack; k++) v[k] = halo_rescale(v[k], store);
        cuda_store_fours<D, Pack>(to, v, clipped);
    } else {
        CudaPack<D, Pack> out;
#pragma unroll
        for (int k = 0; k < Pack; k++) out.at[k] = cuda_sample<D>(v[k], store, clipped);
        *reinterpret_cast<CudaPack<D, Pack> *>(to) = out;
    }
}

/* Maps complete packs. With an alpha channel, pixels have 2 or 4 channels and none is split. */
template <int Count> CUDA_INLINE void map_samples(const MapArgs &a, const float straight[Count], float v[Count])
{
#pragma unroll
    for (int k = 0; k < Count; k++) v[k] = straight[k];
    if (a.map.kind == HALO_MAP_PREMUL) {
#pragma unroll
        for (int k = 0; k < Count; k++) /* alpha is the last sample of a pixel: see map_packs */
            v[k] = halo_premul(v[k], a.channels == 4 ? straight[(k | 3) % Count] : straight[(k | 1) % Count],
                               a.map.white);
    }
    apply<Count>(a.map, v);
    if (a.alpha >= 0)
#pragma unroll
        for (int k = 0; k < Count; k++)
            if ((k & (a.channels - 1)) == a.alpha) v[k] = straight[k];
}

/* Gray of three channels: three packs become one. */
template <typename S, typename D, int Pack>
CUDA_INLINE void map_gray(const MapArgs &a, const S *from, D *to, unsigned *clipped)
{
    float rgb[3 * Pack], v[Pack];
#pragma unroll
    for (int i = 0; i < 3; i++) load_pack<S, Pack>(rgb + i * Pack, from + i * Pack);
#pragma unroll
    for (int k = 0; k < Pack; k++) v[k] = halo_gray(rgb[3 * k], rgb[3 * k + 1], rgb[3 * k + 2], a.map.w);
    apply<Pack>(a.map, v);
    store_pack<D, Pack>(to, v, a.store, clipped);
}

template <typename S, typename D, int Pack>
__global__ static void __launch_bounds__(map_threads) gray_kernel(const __grid_constant__ MapArgs a)
{
    const int64_t y = blockIdx.x / a.row_blocks;
    const int64_t e = ((blockIdx.x % a.row_blocks) * map_threads + threadIdx.x) * Pack;
    const S *const row = (const S *)(a.src + y * a.src_stride);
    D *const to = (D *)(a.dst + y * a.dst_stride);
    unsigned clipped = 0;
    if (e + Pack <= a.cols)
        map_gray<S, D, Pack>(a, row + 3 * e, to + e, &clipped);
    else
        for (int k = 0; k < Pack; k++)
            if (e + k < a.cols) to[e + k] = map_one<S, D>(a, row, e + k, &clipped);
    cuda_count_clipped(a.clipped, clipped);
}

/* Packs of a thread, a block's width apart: of floats two are in flight before the first is mapped. */
template <typename S, int Pack> static constexpr int map_turns = Pack == 4 && sizeof(S) <= 4 ? 2 : 1;

/* A thread maps packs of `Pack` samples in one access each, and the last of a row one by one. */
template <typename S, typename D, int Pack>
__global__ static void __launch_bounds__(map_threads) map_kernel(const __grid_constant__ MapArgs a)
{
    constexpr int turns = map_turns<S, Pack>, step = map_threads * Pack;
    const int64_t y = blockIdx.x / a.row_blocks;
    const int64_t e = (blockIdx.x % a.row_blocks) * turns * step + (int)threadIdx.x * Pack;
    const S *const row = (const S *)(a.src + y * a.src_stride);
    D *const to = (D *)(a.dst + y * a.dst_stride);
    unsigned clipped = 0;
    if constexpr (Pack > 1) {
        float straight[turns * Pack] = {}, v[turns * Pack];
#pragma unroll
        for (int t = 0; t < turns; t++)
            if (e + t * step + Pack <= a.cols) load_pack<S, Pack>(straight + t * Pack, row + e + t * step);
        map_samples<turns * Pack>(a, straight, v);
#pragma unroll
        for (int t = 0; t < turns; t++)
            if (e + t * step + Pack <= a.cols)
                store_pack<D, Pack>(to + e + t * step, v + t * Pack, a.store, &clipped);
    }
    for (int t = 0; t < turns; t++) {
        const int64_t at = e + t * step;
        if (Pack > 1 && at + Pack <= a.cols) continue;
        for (int64_t k = at; k < cuda_min(at + Pack, a.cols); k++) to[k] = map_one<S, D>(a, row, k, &clipped);
    }
    cuda_count_clipped(a.clipped, clipped);
}

/* Can samples be mapped in packs, regardless of pixels? */
static bool map_packs(const MapArgs *a)
{
    if (a->map.kind == HALO_MAP_GRAY) return false;
    if (a->alpha < 0) return a->map.kind == HALO_MAP_POINTS;
    return (a->channels == 2 || a->channels == 4) && a->alpha == a->channels - 1 && a->src_alpha == a->alpha;
}

template <typename S, typename D> static HaloStatus launch(HaloDevice *device, MapArgs *args, int64_t rows)
{
    constexpr int pack = map_pack_of<S, D>;
    const bool packed = map_packs(args) && (pack % 4 == 0 || args->alpha < 0) &&
                        cuda_aligned(args->src, args->src_stride, pack * sizeof(S)) &&
                        cuda_aligned(args->dst, args->dst_stride, pack * sizeof(D));
    if constexpr (sizeof(S) <= sizeof(uint16_t))
        if (packed && cuda_map_table_pays<S, D>(args, rows)) return cuda_map_look<S, D>(device, args, rows);
    const bool gray = args->map.kind == HALO_MAP_GRAY && args->src_channels == 3 && pack % 4 == 0 &&
                      cuda_aligned(args->src, args->src_stride, pack * sizeof(S)) &&
                      cuda_aligned(args->dst, args->dst_stride, pack * sizeof(D));
    args->row_blocks = cuda_ceil_div(args->cols, (int64_t)map_threads * (packed ? pack * map_turns<S, pack>
                                                                         : gray ? pack
                                                                                : 1));
    if constexpr (pack % 4 == 0)
        if (gray) {
            CUDA_LAUNCH(device, (gray_kernel<S, D, pack>), args->row_blocks * rows, map_threads, 0, *args);
            return HALO_OK;
        }
    if (packed)
        CUDA_LAUNCH(device, (map_kernel<S, D, pack>), args->row_blocks * rows, map_threads, 0, *args);
    else
        CUDA_LAUNCH(device, (map_kernel<S, D, 1>), args->row_blocks * rows, map_threads, 0, *args);
    return HALO_OK;
}

template <typename S>
static HaloStatus launch_from(HaloDevice *device, HaloDtype to, MapArgs *args, int64_t rows)
{
    switch (to) {
    case HALO_U8: return launch<S, uint8_t>(device, args, rows);
    case HALO_U16: return launch<S, uint16_t>(device, args, rows);
    default: return launch<S, float>(device, args, rows);
    }
}

HaloStatus cuda_map(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloMap *map, HaloStore store)
{
    MapArgs args;
    int64_t rows = dst->rows;
    CUDA_PASS(cuda_use(device));
    args.src = (const char *)halo_at(src, dst->x0, dst->y0);
    args.dst = (char *)dst->data;
    args.src_stride = src->stride;
    args.dst_stride = dst->stride;
    args.cols = dst->cols * dst->shape.channels;
    args.src_channels = src->shape.channels;
    args.channels = dst->shape.channels;
    args.alpha = dst->shape.alpha;
    args.src_alpha = map->kind == HALO_MAP_GRAY ? 3 : dst->shape.alpha;
    args.map = *map;
    args.store = store;
    args.clipped = device->clipped;
    const int64_t src_row = dst->cols * src->shape.channels * (int64_t)halo_dtype_size(src->shape.dtype);
    if (src->stride == src_row && dst->stride == halo_row_bytes(dst)) { /* one long row */
        args.cols *= rows;
        args.src_stride = args.dst_stride = 0; /* no second row has to be aligned */
        rows = 1;
    }
    switch (src->shape.dtype) {
    case HALO_U8: return launch_from<uint8_t>(device, dst->shape.dtype, &args, rows);
    case HALO_U16: return launch_from<uint16_t>(device, dst->shape.dtype, &args, rows);
    case HALO_I64: return launch_from<int64_t>(device, dst->shape.dtype, &args, rows);
    case HALO_F64: return launch_from<double>(device, dst->shape.dtype, &args, rows);
    default: return launch_from<float>(device, dst->shape.dtype, &args, rows);
    }
}
