/* Equalization: counts the levels of each tile: bytes in shared memory, with a copy of the counters per lane as
 * far as they fit; others in packed counters of 16 bits; and in global memory where a tile has few samples, or
 * too many channels. */
#include "bins.cuh"
#include "equalize.cuh"

static const int count_threads = 1024;

/* ---- the samples of a tile ------------------------------------------------------------------------------- */

/* A block's share of the rows of a tile, or of the packs of its rows. */
struct TilePart {
    int64_t tile, part, left, top;
    int warp, warps, lane;
};

CUDA_INLINE TilePart tile_part(const EqualizeArgs &a)
{
    const int64_t tile = blockIdx.x / a.parts;
    return {tile,
            blockIdx.x - tile * a.parts,
            tile % a.how.tiles_x * a.how.tile_width,
            tile / a.how.tiles_x * a.how.tile_height,
            (int)threadIdx.x / CUDA_WARP,
            (int)blockDim.x / CUDA_WARP,
            (int)threadIdx.x % CUDA_WARP};
}

/* Row j of the tile, mirrored at the picture's end. */
template <typename S> CUDA_INLINE const S *tile_row(const EqualizeArgs &a, const TilePart &p, int64_t j)
{
    const int64_t y = p.top + j;
    return (const S *)(a.src +
                       (y < a.height ? y : halo_border_index(y, a.height, HALO_BORDER_MIRROR)) * a.src_stride);
}

/* 16 bytes of samples, and which of them belong to the tile. */
template <typename S> struct TilePack {
    static constexpr int own = 16 / (int)sizeof(S);
    alignas(16) S v[own];
    int first, end;

    /* Limits them to elements [from, to) of the row, where the pack begins at e. */
    __device__ __forceinline__ void place(int64_t e, int64_t from, int64_t to)
    {
        first = (int)cuda_min(cuda_max(from - e, 0), own);
        end = (int)cuda_max(cuda_min(to - e, own), first);
    }

    __device__ __forceinline__ void load(const EqualizeArgs &a, const S *at)
    {
        if (a.packed && complete())
            *reinterpret_cast<uint4 *>(v) = __ldg((const uint4 *)at);
        else
#pragma unroll
            for (int i = 0; i < own; i++) v[i] = i >= first && i < end ? at[i] : S(0);
    }

    __device__ __forceinline__ bool complete() const { return end - first == own; }

    /* Do all of the warp's packs hold one value? */
    __device__ __forceinline__ bool same() const
    {
        return all_same<(int)sizeof(S)>(*reinterpret_cast<const uint4 *>(v), complete());
    }
};

/* Calls f with the sample, its channel (0 if One: all share counters) and how often it counts; if One, calls
 * `all` with packs that lie entirely in the tile. Warps go down columns of packs, with the next one in
 * flight. */
template <typename S, bool One, typename F, typename W>
CUDA_INLINE void each_sample(const EqualizeArgs &a, F f, W all)
{
    typedef TilePack<S> Pack;
    const TilePart p = tile_part(a);
    const int64_t within = cuda_max(0, cuda_min(a.width - p.left, a.how.tile_width));
    const int64_t from = p.left * a.channels, to = from + within * a.channels;
    const int64_t start = from / Pack::own, packs = within > 0 ? cuda_ceil_div(to, Pack::own) - start : 0;
    const int chunks = (int)cuda_ceil_div(packs, CUDA_WARP), warps = (int)a.parts * p.warps,
              mine = (int)p.part * p.warps + p.warp;
    for (int chunk = chunks == 0 || mine < chunks ? mine : mine % chunks; chunk < chunks; chunk += warps) {
        const int64_t e = (start + (int64_t)chunk * CUDA_WARP + p.lane) * Pack::own;
        const int step = max(1, (warps - chunk + chunks - 1) / chunks);
        Pack next;
        next.place(e, from, to);
        int64_t j = mine / chunks;
        if (j < a.how.tile_height) next.load(a, tile_row<S>(a, p, j) + e);
#pragma unroll 1
        for (; j < a.how.tile_height; j += step) {
            const Pack pack = next;
            if (j + step < a.how.tile_height) next.load(a, tile_row<S>(a, p, j + step) + e);
            if (One && sizeof(S) > 1 && pack.same()) {
                if (p.lane == 0) f(pack.v[0], 0, (unsigned)(CUDA_WARP * Pack::own));
            } else if (One && pack.complete()) {
                all(pack.v);
            } else {
                int c = One ? 0 : (int)(e % a.channels);
#pragma unroll
                for (int i = 0; i < Pack::own; i++) {
                    if (i >= pack.first && i < pack.end) f(pack.v[i], c, 1u);
                    if (!One) c = c + 1 < a.channels ? c + 1 : 0;
                }
            }
        }
    }
    /* Columns of the tile beyond the picture. */
    for (int64_t j = mine; j < a.how.tile_height && within < a.how.tile_width; j += warps)
        for (int64_t i = within + p.lane; i < a.how.tile_width; i += CUDA_WARP) {
            const int64_t x = halo_border_index(p.left + i, a.width, HALO_BORDER_MIRROR);
            for (int c = 0; c < a.channels; c++) f(tile_row<S>(a, p, j)[x * a.channels + c], One ? 0 : c, 1u);
        }
}

/* Do all channels share one set of counters? */
static bool is_one(const EqualizeArgs *a) { return a->sets == 1 && (a->alpha < 0 || a->alpha >= a->channels); }

/* ---- counters -------------------------------------------------------------------------------------------- */

template <bool One>
__global__ static void __launch_bounds__(count_threads)
    u8_kernel(const __grid_constant__ EqualizeArgs a, int copies)
{
    CUDA_SHARED(unsigned, counter);
    const int counters = a.sets * u8_levels, copy = (int)threadIdx.x & (copies - 1);
    clear_shared(counter, counters * copies);
    each_sample<uint8_t, One>(
        a,
        [&](unsigned v, int c, unsigned n) {
            if (!One && c == a.alpha) return;
            atomicAdd(counter + ((One || a.how.joint ? 0 : c) * u8_levels + v) * copies + copy, n);
        },
        [&](const uint8_t *v) {
#pragma unroll
            for (int i = 0; i < TilePack<uint8_t>::own; i++) atomicAdd(counter + v[i] * copies + copy, 1u);
        });
    flush_shared(counter, counters, copies, (unsigned long long *)a.count + blockIdx.x / a.parts * counters);
}

/* A block counts for one of the sets, which are the second dimension of the grid. */
template <typename S, bool One>
__global__ static void __launch_bounds__(count_threads) u16_kernel(const __grid_constant__ EqualizeArgs a)
{
    CUDA_SHARED(unsigned, counter);
    const int set = (int)blockIdx.y;
    unsigned *const to = (unsigned *)a.count + (blockIdx.x / a.parts * a.sets + set) * u16_levels;
    clear_shared(counter, u16_levels / 2);
    each_sample<S, One>(
        a,
        [&](float v, int c, unsigned n) {
            if (v != v || (!One && (c == a.alpha || (!a.how.joint && c != set)))) return;
            packed_count(counter, (unsigned)equalize_bin(a, v), n, to);
        },
        [&](const S *v) {
            int bin[TilePack<S>::own];
#pragma unroll
            for (int i = 0; i < TilePack<S>::own; i++)
                bin[i] = v[i] != v[i] ? -1 : equalize_bin(a, (float)v[i]);
            packed_count_all<TilePack<S>::own>(counter, bin, to);
        });
    packed_flush(counter, u16_levels / 2, to);
}

/* In global memory, in 64 bits: of lanes with the same counter one adds for all. */
template <typename S>
__global__ static void __launch_bounds__(count_threads) global_kernel(const __grid_constant__ EqualizeArgs a)
{
    unsigned long long *const to = (unsigned long long *)a.count + blockIdx.x / a.parts * a.sets * a.how.bins;
    each_sample<S, false>(
        a,
        [&](float v, int c, unsigned n) {
            if (c == a.alpha || v != v) return;
            const long long at = (a.how.joint ? 0 : c) * a.how.bins + equalize_bin(a, v);
            const unsigned same = __match_any_sync(__activemask(), at);
            if (__ffs((int)same) - 1 == (int)(threadIdx.x % CUDA_WARP))
                atomicAdd(to + at, (unsigned long long)(n * __popc(same)));
        },
        [](const S *) {});
}

/* ---- launches -------------------------------------------------------------------------------------------- */

/* Samples that a block counts at least, and at most: shared counters have 32 bits. */
static const int64_t part_least = 16384, part_most = (int64_t)1 << 30;
/* Bytes of shared memory of two blocks of a multiprocessor, each. */
static const int64_t u8_shared = 112000;
/* Fewer samples of a tile are counted in global memory: clearing the counters would take longer. */
static const int64_t u16_least = 32768;

static void share_out(EqualizeArgs *args, int64_t samples, int64_t blocks)
{
    const int64_t useful = cuda_min(cuda_max(1, blocks), cuda_ceil_div(samples, part_least));
    args->parts = cuda_max(useful, cuda_ceil_div(samples, part_most));
}

static HaloStatus count_u8(HaloDevice *device, const EqualizeArgs *args, int64_t blocks)
{
    const int64_t counters = (int64_t)args->sets * u8_levels * (int64_t)sizeof(unsigned);
    int copies = CUDA_WARP;
    while (copies > 1 && counters * copies > u8_shared) copies /= 2;
    if (is_one(args))
        CUDA_LAUNCH(device, u8_kernel<true>, blocks, count_threads, (size_t)(counters * copies), *args, copies);
    else
        CUDA_LAUNCH(device, u8_kernel<false>, blocks, count_threads, (size_t)(counters * copies), *args,
                    copies);
    return HALO_OK;
}

template <typename S> static HaloStatus count_u16(HaloDevice *device, const EqualizeArgs *args, int64_t blocks)
{
    const int shared = u16_levels * 2;
    const dim3 grid((unsigned)blocks, (unsigned)args->sets);
    const auto kernel = is_one(args) ? u16_kernel<S, true> : u16_kernel<S, false>;
    if (device->asking) return HALO_ERR_LIMIT;
    CUDA_PASS(cuda_allow_shared((const void *)kernel, shared));
    kernel<<<grid, count_threads, shared, device->stream>>>(*args);
    CUDA_TRY(cudaGetLastError());
    device->stopped = false;
    return HALO_OK;
}

template <typename S>
static HaloStatus count_global(HaloDevice *device, const EqualizeArgs *args, int64_t blocks)
{
    CUDA_LAUNCH(device, global_kernel<S>, blocks, count_threads, 0, *args);
    return HALO_OK;
}

static int64_t tile_samples(const EqualizeArgs *args)
{
    return args->how.tile_width * args->how.tile_height * args->channels;
}

/* 16-bit samples and floats in shared memory. */
bool equalize_counts32(const HaloDevice *device, const EqualizeArgs *args)
{
    return args->dtype != HALO_U8 && args->expected <= UINT32_MAX && tile_samples(args) >= u16_least &&
           args->how.bins == u16_levels && args->sets <= 32 &&
           device->properties.sharedMemPerBlockOptin >= u16_levels * 2;
}

HaloStatus equalize_count(HaloDevice *device, EqualizeArgs *args, int64_t tiles)
{
    const int64_t at_once = device->properties.multiProcessorCount;
    const bool bytes = args->dtype == HALO_U8,
               fits = bytes ? args->sets * u8_levels * 4 <= u8_shared : args->bits32;
    share_out(args, tile_samples(args),
              (bytes || !fits ? 2 : 1) * at_once / cuda_max(1, tiles * (args->bits32 ? args->sets : 1)));
    const int64_t blocks = tiles * args->parts;
    switch (args->dtype) {
    case HALO_U8: return fits ? count_u8(device, args, blocks) : count_global<uint8_t>(device, args, blocks);
    case HALO_U16:
        return fits ? count_u16<uint16_t>(device, args, blocks) : count_global<uint16_t>(device, args, blocks);
    default: return fits ? count_u16<float>(device, args, blocks) : count_global<float>(device, args, blocks);
    }
}
