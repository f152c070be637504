/* Minima and maxima of columns, over the result of a pass along rows. */
#include "rank_runs.cuh"

static const int columns_threads = 512;
/* Neighbouring blocks that move from top to bottom together. */
static const int64_t columns_beside = 128;

/* Copies sixteen bytes to shared memory, asynchronously where the GPU can; those past `bytes` are 0. */
__device__ __forceinline__ static void fetch_four(uint32_t *to, const char *from, int bytes)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(from), "r"(bytes)
                 : "memory");
#else
    *reinterpret_cast<uint4 *>(to) =
        bytes > 0 ? *reinterpret_cast<const uint4 *>(from) : make_uint4(0, 0, 0, 0);
#endif
}

__device__ __forceinline__ static void fetched()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
    __syncthreads();
}

/* A word goes to its row, as it is. */
template <typename K> __device__ __forceinline__ static void put_word(char *to, uint32_t word)
{
    if constexpr (sizeof(K) == 4) word = __float_as_uint(halo_canonical(__uint_as_float(word)));
    *reinterpret_cast<uint32_t *>(to) = word;
}

/* Runs of R outputs, M of a thread; a block is Step words wide. */
template <typename X, int R, int M, int Step>
__global__ static void __launch_bounds__(columns_threads)
    columns_kernel(const __grid_constant__ ExtremeArgs args)
{
    CUDA_SHARED(uint32_t, tile);
    typedef typename X::Sample K;
    constexpr int lanes = word_lanes<K>, width = Step * 4, fours = Step / 4, step_runs = columns_threads / Step;
    const RankArgs &a = args.rank;
    /* A group of columns of blocks from top to bottom, then the next, so that rows that two blocks share stay
     * in the cache. */
    const unsigned group = blockIdx.x / (args.beside * args.bands),
                   in = blockIdx.x % (args.beside * args.bands);
    const unsigned beside = min(args.beside, args.blocks - group * args.beside);
    const int64_t top = in / beside * (int64_t)args.part,
                  at = (group * args.beside + in % beside) * (int64_t)width;
    const int rows = (int)cuda_min(args.part, args.lines - top), units = args.part / R * Step,
              mine = threadIdx.x;
    const int64_t row_bytes = args.cols * (int64_t)sizeof(K);
    uint32_t made[M][R];
    {
        const int64_t column = at + mine % fours * 16;
        const int bytes = (int)cuda_min(16, row_bytes - column);
        const char *from = args.from + (top + mine / fours) * args.from_pitch + column;
        if (bytes > 0)
            for (int i = mine; i < (rows + args.window - 1) * fours; i += columns_threads) {
                fetch_four(tile + 4 * i, from, bytes);
                from += columns_threads / fours * args.from_pitch;
            }
        fetched();
    }
    const auto place = [](int unit) { return unit / Step * (R * Step) + unit % Step; };
    join_tile<X, R, M>(
        args, tile + args.tile_pitch, units, Step, mine, columns_threads,
        [&](int unit) { return tile + place(unit); }, made);
    const uint32_t flip_back = args.to != NULL ? 0 : args.flip_back;
    const bool kept = args.to != NULL,
               direct = kept || (stored_plain<K>(a) && cuda_aligned(a.dst, a.dst_stride, 4));
    if (direct) {
        const int64_t pitch = kept ? args.to_pitch : a.dst_stride, column = at + mine % Step * 4;
        char *const to = (kept ? args.to : a.dst) + top * pitch + column;
        const bool inside = kept ? column < row_bytes : column + 4 <= row_bytes;
#pragma unroll
        for (int m = 0; m < M; m++) {
            const int row = (mine / Step + m * step_runs) * R, most = inside ? rows - row : 0;
            char *at_row = to + row * pitch;
            if (most >= R) {
#pragma unroll
                for (int k = 0; k < R; k++, at_row += pitch) put_word<K>(at_row, made[m][k] ^ flip_back);
            } else {
#pragma unroll
                for (int k = 0; k < R; k++, at_row += pitch)
                    if (k < most) put_word<K>(at_row, made[m][k] ^ flip_back);
            }
        }
        if (kept || row_bytes % 4 == 0) return;
    }
    unsigned clipped = 0;
    __syncthreads();
#pragma unroll
    for (int m = 0; m < M; m++)
#pragma unroll
        for (int k = 0; k < R; k++)
            if (mine + m * columns_threads < units)
                tile[place(mine + m * columns_threads) + k * Step] = made[m][k] ^ flip_back;
    __syncthreads();
    for (int i = mine; i < rows * Step; i += columns_threads) {
        const int64_t e = at / (int64_t)sizeof(K) + i % Step * lanes, n = args.cols - e;
        if (n > 0 && !(direct && n >= lanes))
            store_samples<K, lanes>(a, top + i / Step, e, tile + i, (int)cuda_min(n, lanes), &clipped);
    }
    cuda_count_clipped(a.clipped, clipped);
}

/* ---- launching ------------------------------------------------------------------------------------------ */

/* Rows of a tile, with the totals of their runs, that a block's shared memory holds. */
static int64_t rows_that_fit(const HaloDevice *device, int64_t step)
{
    return (int64_t)device->shared_most / (step * (int64_t)sizeof(uint32_t)) * 16 / 17 - 2;
}

template <typename X, int R, int M, int Step>
static HaloStatus columns_pass(HaloDevice *device, ExtremeArgs *args, int64_t window)
{
    const int64_t row_bytes = args->cols * (int64_t)sizeof(typename X::Sample);
    const int64_t fit = (rows_that_fit(device, Step) - window) / R;
    set_window(args, window, R, cuda_min(fit, columns_threads / Step * M), 1, args->lines);
    const int64_t shared = set_pitches(args, R, Step, 1), blocks = cuda_ceil_div(row_bytes, Step * 4);
    args->bands = args->blocks;
    args->blocks = (unsigned)blocks;
    args->beside = (unsigned)cuda_min(blocks, columns_beside);
    CUDA_LAUNCH(device, (columns_kernel<X, R, M, Step>), blocks * args->bands, columns_threads, (int)shared,
                *args);
    return HALO_OK;
}

/* Wide blocks read more of a row at once; narrow ones have enough shared memory for tall windows. */
template <typename X> static HaloStatus columns_by(HaloDevice *device, ExtremeArgs *args, int64_t window)
{
    const bool wide = window + 17 * columns_threads / 32 <= rows_that_fit(device, 32);
    if (window < 3) return columns_pass<X, 1, 16, 16>(device, args, window);
    if (window < 7) return columns_pass<X, 3, 5, 16>(device, args, window);
    if (window < 17) return columns_pass<X, 7, 2, 16>(device, args, window);
    return (wide ? columns_pass<X, 17, 1, 32> : columns_pass<X, 17, 1, 16>)(device, args, window);
}

template <typename K> static HaloStatus columns_of(HaloDevice *device, ExtremeArgs *args, int64_t window)
{
    if constexpr (sizeof(K) == 4)
        if (!args->rank.nan_ignore) return columns_by<Extreme<K, true>>(device, args, window);
    return columns_by<Extreme<K, false>>(device, args, window);
}

int64_t rank_columns_most(const HaloDevice *device)
{
    return cuda_min(1024, rows_that_fit(device, 16) - 8 * 17);
}

HaloStatus rank_columns(HaloDevice *device, ExtremeArgs *args, int64_t window, HaloDtype keys)
{
    switch (keys) {
    case HALO_U8: return columns_of<uint8_t>(device, args, window);
    case HALO_U16: return columns_of<uint16_t>(device, args, window);
    default: return columns_of<float>(device, args, window);
    }
}
