/* The prefix left of every run of 16 pixels of a row, for scans without intermediate samples between the axes
 * (scan_xy.cu). All channels of 512 pixels of a row are loaded at a time; a warp has a channel of a row, or of
 * several rows that are shorter than its lanes: it sums up runs, one per lane, and joins their prefixes. */
#include "scan_before.cuh"
#include "scan_run.cuh"

static const int left_warps = 4; /* of a block; up to twice as many for many channels */
static const int left_pixels = HALO_SCAN_RUN * HALO_SCAN_WARP; /* of a warp at a time */
static const int left_tile = HALO_SCAN_WARPS * HALO_SCAN_WARP; /* runs of a tile of docs/numerics.md */
static const int left_slots = HALO_SCAN_GROUP + CUDA_WARP;     /* for the tiles of a group */

/* How rows are distributed. `set` channels of a row are read by as many warps. */
struct LeftCut {
    int set, sets; /* channels of a set, sets of a row */
    int side;      /* sets of a block, of successive rows */
    int lanes;     /* of a row: a power of two, at least 2 */
    int pitch;     /* of a channel's pixels in shared memory */
};

/* u8 and u16 are summed as integers if the results are integers. */
template <typename Kind>
using LeftSample =
    typename std::conditional<std::is_integral<typename Kind::Value>::value, uint32_t, float>::type;

/* A thread's pixels: every 32nd of 512, of one channel. */
struct LeftPlace {
    int64_t row; /* the first */
    int channel, pixel;
};

__host__ __device__ __forceinline__ int left_at(int pixel)
{
    return pixel + pixel / HALO_SCAN_RUN;
} /* runs begin in different banks */

/* Loads the thread's pixels of a piece of 512; missing ones are 0, and do not affect needed results. */
template <typename W>
CUDA_INLINE void load_piece(const ScanArgs &a, const LeftCut &cut, const LeftPlace &p, int64_t piece, W *to)
{
    const int shift = __ffs(cut.lanes * HALO_SCAN_RUN) - 1, mask = (1 << shift) - 1;
    const int64_t first = piece * left_pixels;
    const int rows = (int)cuda_min(a.height - p.row, CUDA_WARP);
    const int pixels = p.channel < a.channels ? (int)cuda_min(a.width - first, left_pixels) : 0;
    cuda_typed(a.dtype, [&](auto zero) {
        using S = decltype(zero);
        const char *const from =
            a.src + p.row * a.src_stride + (first * a.channels + p.channel) * (int64_t)sizeof(S);
        if (rows > 0 && pixels == left_pixels) {
            const S *own = (const S *)from + p.pixel * a.channels;
            S sample[HALO_SCAN_RUN]; /* all in flight before the first is used */
#pragma unroll
            for (int k = 0; k < HALO_SCAN_RUN; k++, own += CUDA_WARP * a.channels) sample[k] = __ldg(own);
#pragma unroll
            for (int k = 0; k < HALO_SCAN_RUN; k++) to[k * left_at(CUDA_WARP)] = (W)sample[k];
            return;
        }
#pragma unroll 4
        for (int k = 0; k < HALO_SCAN_RUN; k++) {
            const int pixel = p.pixel + k * CUDA_WARP, row = pixel >> shift, x = pixel & mask;
            const S *const own = (const S *)(from + row * a.src_stride) + x * a.channels;
            to[k * left_at(CUDA_WARP)] = row < rows && x < pixels ? (W)__ldg(own) : (W)0;
        }
    });
}

/* The total of 16 neighbouring samples. */
template <typename Kind, typename W> CUDA_INLINE typename Kind::Value run_total(const ScanArgs &a, const W *own)
{
    typename Kind::Value total = Kind::of(own[0], a);
#pragma unroll
    for (int k = 1; k < HALO_SCAN_RUN; k++) total = Kind::join(total, Kind::of(own[k], a));
    return total;
}

template <typename Kind>
__global__ static void __launch_bounds__(CUDA_WARP * 2 * left_warps)
    left_kernel(const __grid_constant__ ScanArgs a, const __grid_constant__ ScanLeft<typename Kind::Value> l,
                const __grid_constant__ LeftCut cut)
{
    using T = typename Kind::Value;
    using W = LeftSample<Kind>;
    CUDA_SHARED(T, slots); /* tiles of each warp, if rows have several; then samples of two pieces */
    const int lane = (int)threadIdx.x % CUDA_WARP, warp = (int)threadIdx.x / CUDA_WARP, at = lane % cut.lanes;
    const int side = warp / cut.set, in = (int)threadIdx.x - side * cut.set * CUDA_WARP,
              warps = cut.side * cut.set;
    T *const slot = slots + warp * left_slots;
    W *const workspace = (W *)(slots + (l.runs > left_tile ? warps * left_slots : 0));
    if (l.runs > left_tile)
        for (int i = lane; i < left_slots; i += CUDA_WARP) slot[i] = Kind::identity();

    const int64_t first_row =
        ((int64_t)(blockIdx.x / (unsigned)cut.sets) * cut.side + side) * (CUDA_WARP / cut.lanes);
    const int first_channel = (int)(blockIdx.x % (unsigned)cut.sets) * cut.set;
    const LeftPlace p = {first_row, first_channel + in % cut.set, in / cut.set};
    W *const to = workspace + (side * cut.set + in % cut.set) * cut.pitch + left_at(p.pixel);
    const W *const own = workspace + warp * cut.pitch + left_at(lane * HALO_SCAN_RUN);
    const int64_t row = first_row + lane / cut.lanes;
    const int channel = first_channel + warp % cut.set;
    const int64_t runs = row < a.height && channel < a.channels ? l.runs : 0;
    T *const left = l.run + row * l.runs * a.channels + channel;

    T known = Kind::identity(), upto = Kind::identity(); /* E, W */
    int other = 0;
    for (int64_t piece = 0, first = 0; first < l.runs;
         piece++, first += CUDA_WARP, other = warps * cut.pitch - other) {
        load_piece(a, cut, p, piece, to + other);
        __syncthreads();
        if (first > 0 && first % left_tile == 0) {
            if (lane == 0) slot[slot_at((int)(first / left_tile) - 1)] = upto;
            __syncwarp();
            known = __shfl_sync(CUDA_ALL, fold_group<Kind>(slot), 0);
            upto = Kind::identity();
        }
        T total = run_total<Kind>(a, own + other);
        const T before = scan_warp<Kind>(&total, at);
        if (first + at < runs)
            left[(first + at) * a.channels] =
                Kind::join(Kind::join(Kind::identity(), known), Kind::join(upto, before));
        upto = Kind::join(upto, __shfl_sync(CUDA_ALL, total,
                                            CUDA_WARP - 1)); /* if more follow, all lanes have the same row */
    }
}

bool scan_left_fits(const HaloDevice *device, const ScanArgs *args)
{
    /* A warp goes from tile to tile: with few warps, blocks that pass prefixes on are faster. */
    const bool many = args->height * args->channels >= 8 * device->properties.multiProcessorCount;
    return args->width <= HALO_SCAN_TILE || (many && args->width <= HALO_SCAN_TILE * HALO_SCAN_GROUP);
}

template <typename Kind>
HaloStatus scan_left(HaloDevice *device, const ScanArgs *args, const ScanLeft<typename Kind::Value> *left)
{
    using T = typename Kind::Value;
    LeftCut cut = {};
    cut.sets = (int)cuda_ceil_div(args->channels, 2 * left_warps);
    cut.set = (int)cuda_ceil_div(args->channels, cut.sets);
    cut.side = (int)cuda_max(1, left_warps / cut.set);
    cut.lanes = 2;
    while (cut.lanes < CUDA_WARP && cut.lanes < left->runs) cut.lanes *= 2;
    /* Neighbouring threads store neighbouring channels, in different banks. */
    cut.pitch = left_at(left_pixels) + (int)cuda_ceil_div(CUDA_WARP, cut.set) % CUDA_WARP;
    const int warps = cut.side * cut.set;
    const size_t slots = left->runs > left_tile ? left_slots * sizeof(T) : 0;
    const size_t shared = (size_t)warps * (slots + 2 * (size_t)cut.pitch * sizeof(LeftSample<Kind>));
    const int64_t blocks = cuda_ceil_div(args->height, cut.side * (CUDA_WARP / cut.lanes)) * cut.sets;
    CUDA_LAUNCH(device, left_kernel<Kind>, blocks, warps * CUDA_WARP, shared, *args, *left, cut);
    return HALO_OK;
}

template HaloStatus scan_left<ScanSum<uint32_t>>(HaloDevice *, const ScanArgs *, const ScanLeft<uint32_t> *);
template HaloStatus scan_left<ScanSum<int64_t>>(HaloDevice *, const ScanArgs *, const ScanLeft<int64_t> *);
template HaloStatus scan_left<ScanSum<double>>(HaloDevice *, const ScanArgs *, const ScanLeft<double> *);
template HaloStatus scan_left<ScanKind<double, HALO_SCAN_PRODUCT>>(HaloDevice *, const ScanArgs *,
                                                                   const ScanLeft<double> *);
template HaloStatus scan_left<ScanLeast>(HaloDevice *, const ScanArgs *, const ScanLeft<float> *);
