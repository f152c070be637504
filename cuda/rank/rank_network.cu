/* Medians of 3 x 3, by sorting in registers. A thread makes a few outputs below each other, which share what it
 * loads and the rows that it sorts. */
#include "rank.cuh"

static const int network_threads = 256, network_rows = 8;

/* Where rows and then columns of a square have been sorted, no less than (i + 1) (j + 1) of its samples are at
 * most the one in row i and column j, itself too, and as many from the other end are at least that. Can it be
 * the median? */
template <int Side> __host__ __device__ constexpr bool may_be_median(int i, int j)
{
    constexpr int most = Side * Side / 2 + 1;
    return (i + 1) * (j + 1) <= most && (Side - i) * (Side - j) <= most;
}

template <int Side> __host__ __device__ constexpr int candidates()
{
    int n = 0;
    for (int i = 0; i < Side * Side; i++) n += may_be_median<Side>(i / Side, i % Side);
    return n;
}

/* The median of Side rows that are sorted: as many of the others are too small as are too large. */
template <int Side> __device__ __forceinline__ static uint32_t median_of(const uint32_t (*row)[Side])
{
    uint32_t left[candidates<Side>()];
    int n = 0;
#pragma unroll
    for (int j = 0; j < Side; j++) {
        uint32_t column[Side];
#pragma unroll
        for (int i = 0; i < Side; i++) column[i] = row[i][j];
        sort_registers<1, 1>(column);
#pragma unroll
        for (int i = 0; i < Side; i++)
            if (may_be_median<Side>(i, j)) left[n++] = column[i];
    }
    sort_registers<1, 1>(left);
    return left[candidates<Side>() / 2];
}

/* The keys of `rows` rows, from that of output `top` on, each row sorted; of more, the last one's again. */
template <typename S, typename K, int Side, int Most>
__device__ __forceinline__ static void load_keys(const RankArgs &a, RankPlace place, int64_t top, int rows,
                                                 uint32_t (&key)[Most][Side])
{
    const int64_t x = a.x0 + place.x, y = a.y0 + top;
    if (x >= 0 && x + Side <= a.src_width && y >= 0 && y + rows <= a.src_height) {
        const char *from = a.src + (y - a.src_y0) * a.src_stride +
                           ((x - a.src_x0) * a.channels + place.channel) * (int64_t)sizeof(S);
#pragma unroll
        for (int j = 0; j < Most; j++) {
#pragma unroll
            for (int i = 0; i < Side; i++) key[j][i] = key_of<K>(__ldg((const S *)from + i * a.channels));
            from += j + 1 < rows ? a.src_stride : 0;
        }
    } else {
        int64_t column[Side];
#pragma unroll
        for (int i = 0; i < Side; i++) column[i] = rank_column<S>(a, x + i, place.channel);
#pragma unroll
        for (int j = 0; j < Most; j++) {
            const int64_t row = rank_row(a, y + min(j, rows - 1));
#pragma unroll
            for (int i = 0; i < Side; i++)
                key[j][i] = row < 0 || column[i] < 0 ? key_of<K>(a.outside)
                                                     : key_of<K>(*(const S *)(a.src + row + column[i]));
        }
    }
#pragma unroll
    for (int j = 0; j < Most; j++) sort_registers<1, 1>(key[j]);
}

template <typename S, typename K, int Side>
__global__ static void __launch_bounds__(network_threads)
    median_kernel(const __grid_constant__ RankArgs a, unsigned row_blocks)
{
    const int64_t top = (int64_t)(blockIdx.x / row_blocks) * network_rows;
    const int64_t first = (int64_t)(blockIdx.x % row_blocks) * network_threads, e = first + threadIdx.x;
    const int rows = (int)cuda_min(network_rows, a.rows - top);
    unsigned clipped = 0;
    if (e < a.cols) {
        uint32_t key[network_rows + Side - 1][Side], median[network_rows];
        load_keys<S, K>(a, rank_place(a.channels, first, threadIdx.x), top, rows + Side - 1, key);
#pragma unroll
        for (int r = 0; r < network_rows; r++) {
            uint32_t greatest = 0;
#pragma unroll
            for (int j = r; j < r + Side; j++) greatest = max(greatest, key[j][Side - 1]);
            median[r] = sizeof(K) == 4 && greatest == HALO_KEY_NAN ? greatest : median_of<Side>(key + r);
        }
        rank_store<K, network_rows>(a, top, e, rows, median, &clipped);
    }
    cuda_count_clipped(a.clipped, clipped);
}

template <typename S, typename K> static HaloStatus launch(HaloDevice *device, const RankArgs *args)
{
    const int64_t row_blocks = cuda_ceil_div(args->cols, network_threads);
    const int64_t blocks = row_blocks * cuda_ceil_div(args->rows, network_rows);
    CUDA_LAUNCH(device, (median_kernel<S, K, 3>), blocks, network_threads, 0, *args, (unsigned)row_blocks);
    return HALO_OK;
}

bool rank_network_takes(const RankArgs *args)
{
    const int64_t n = args->width * args->height;
    return args->width == 3 && args->height == 3 && !args->nan_ignore &&
           halo_rank_index(args->fraction, n) == n / 2;
}

HaloStatus rank_network(HaloDevice *device, const RankArgs *args, HaloDtype samples, HaloDtype keys)
{
    const bool native = keys == samples;
    switch (samples) {
    case HALO_U8: return (native ? launch<uint8_t, uint8_t> : launch<uint8_t, uint32_t>)(device, args);
    case HALO_U16: return (native ? launch<uint16_t, uint16_t> : launch<uint16_t, uint32_t>)(device, args);
    default: return launch<float, uint32_t>(device, args);
    }
}
