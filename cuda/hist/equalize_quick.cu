/* Equalization: where samples are looked up. Levels of integers are whole numbers: those of four tables are bytes of a word in
 * shared memory, or 16 bits each, eight bytes in all, in global memory. What is too large, or may lack levels: equalize_join.cu.
 */
#include "equalize_columns.cuh"

/* ---- bytes ---------------------------------------------------------------------------------------------- */

static const int bytes_threads = byte_levels;

/* Levels lie in shared memory. Mixed: those of the tables above left and right and below left and right, a byte each. Else, as
 * floats, of the only one. */
template <bool Mixed> struct LookBytes {
    const unsigned *level; /* [sets][256] */

    __device__ __forceinline__ void operator()(const uint8_t sample[4], const Column &column, const Shares &along,
                                               float made[4]) const
    {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const unsigned word = level[column.set[i] * byte_levels + sample[i]];
            made[i] = Mixed ? mix_four(cuda_widen4(word), column.share[i], along) : __uint_as_float(word);
        }
    }
};

/* A tile of one value has no levels where the least is left out: its samples are theirs. */
template <bool Mixed>
__global__ static void __launch_bounds__(bytes_threads, 4) bytes_kernel(const __grid_constant__ EqualizeArgs a)
{
    CUDA_SHARED(unsigned, level);
    const LookCell cell(a, Mixed);
    const int bin = (int)threadIdx.x;
    for (int set = 0; set < a.sets; set++) {
        const auto from = [&](int64_t x, int64_t y) {
            return __ldg(a.table + ((y * a.how.tiles_x + x) * a.sets + set) * byte_levels + bin);
        };
        const LookSpan &x = cell.across, &y = cell.along;
        const float v = from(x.before, y.before);
        unsigned word = __float_as_uint(v == v ? v : (float)bin);
        if (Mixed)
            word = (unsigned)v | (unsigned)from(x.behind, y.before) << 8 | (unsigned)from(x.before, y.behind) << 16 |
                   (unsigned)from(x.behind, y.behind) << 24;
        level[set * byte_levels + bin] = word;
    }
    __syncthreads();
    look_columns<uint8_t, bytes_threads, 4>(a, cell, LookBytes<Mixed>{level});
}

/* ---- 16 bits and floats --------------------------------------------------------------------------------- */

static const int fours_threads = 1024;

__device__ __forceinline__ static int bin_at(const EqualizeArgs &, uint16_t v) { return v; }
__device__ __forceinline__ static int bin_at(const EqualizeArgs &a, float v) { return v == v ? equalize_bin(a, v) : -1; }
__device__ __forceinline__ static float4 load_four(const EqualizeArgs &a, int64_t at, uint16_t)
{
    return cuda_widen4(__ldg((const uint2 *)a.fours + at));
}
__device__ __forceinline__ static float4 load_four(const EqualizeArgs &a, int64_t at, float)
{
    return __ldg((const float4 *)a.fours + at);
}

/* Levels lie in global memory, those of a cell from entry `tables` on: four side by side where tiles are mixed. NaN stay, and what
 * there is no level for. */
template <typename S> struct LookFours {
    const EqualizeArgs &a;
    int64_t tables;

    __device__ __forceinline__ void operator()(const S sample[4], const Column &column, const Shares &along, float made[4]) const
    {
        int bin[4];
        int64_t at[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            bin[i] = bin_at(a, sample[i]);
            at[i] = tables + column.set[i] * a.scale.bins + max(bin[i], 0);
        }
        if (a.how.mixed) {
            float4 four[4];
#pragma unroll
            for (int i = 0; i < 4; i++) four[i] = load_four(a, at[i], S());
#pragma unroll
            for (int i = 0; i < 4; i++) made[i] = mix_four(four[i], column.share[i], along);
        } else {
#pragma unroll
            for (int i = 0; i < 4; i++) made[i] = __ldg(a.table + at[i]);
        }
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (bin[i] < 0 || made[i] != made[i]) made[i] = (float)sample[i];
    }
};

template <typename S>
__global__ static void __launch_bounds__(fours_threads, 1) fours_kernel(const __grid_constant__ EqualizeArgs a)
{
    const LookCell cell(a, a.how.mixed);
    look_columns<S, fours_threads, sizeof(S) == 2 ? 2 : 1>(a, cell, LookFours<S>{a, cell.number * a.sets * a.how.bins});
}

/* ---- one table of 16 bits ------------------------------------------------------------------------------- */

static const int table_threads = 1024, table_shared = word_levels * 2;

struct LookTable {
    const uint16_t *level; /* in shared memory */

    __device__ __forceinline__ void operator()(const uint16_t sample[4], const Column &, const Shares &, float made[4]) const
    {
#pragma unroll
        for (int i = 0; i < 4; i++) made[i] = (float)level[sample[i]];
    }
};

/* Where there is no level the sample is one. */
__global__ static void __launch_bounds__(table_threads, 1) table_kernel(const __grid_constant__ EqualizeArgs a)
{
    CUDA_SHARED(uint16_t, level);
    for (int i = (int)threadIdx.x; i < word_levels; i += table_threads) {
        const float v = __ldg(a.table + i);
        level[i] = v == v ? (uint16_t)v : (uint16_t)i;
    }
    __syncthreads();
    look_columns<uint16_t, table_threads, 4>(a, LookCell(a, false), LookTable{level});
}

/* ---- launches ------------------------------------------------------------------------------------------- */

/* Blocks of a multiprocessor, all of them counted, and samples that a block looks up at least: it brings tables first. */
static const int64_t bytes_blocks_each = 32, bytes_least = 8192, words_blocks_each = 4, words_least = 32768;

static int64_t bytes_shared(const EqualizeArgs *args) { return args->sets * byte_levels * (int64_t)sizeof(unsigned); }

bool equalize_quick_takes(const EqualizeArgs *args)
{
    if (!look_narrow(args) || cells_in(args) > INT32_MAX) return false;
    if (args->how.mixed && args->how.from_least && args->dtype != HALO_F32) return false; /* levels may lack */
    return args->dtype != HALO_U8 || bytes_shared(args) < CUDA_SHARED_DEFAULT;            /* some of which the cell takes */
}

FourForm equalize_form(const HaloDevice *device, const EqualizeArgs *args)
{
    if (!args->quick || args->dtype != HALO_U16) return FOURS_FLOATS;
    return equalize_near_takes(device, args) ? FOURS_NEAR : FOURS_WHOLE;
}

/* One table, which fits into shared memory? */
static bool is_table(const HaloDevice *device, const EqualizeArgs *args)
{
    return args->dtype == HALO_U16 && args->sets == 1 && cells_in(args) == 1 && !args->how.mixed &&
           device->properties.sharedMemPerBlockOptin >= table_shared;
}

static HaloStatus look_bytes(HaloDevice *device, EqualizeArgs *args)
{
    const auto kernel = args->how.mixed ? bytes_kernel<true> : bytes_kernel<false>;
    look_share_out(device, args, bytes_blocks_each, bytes_least);
    CUDA_LAUNCH(device, kernel, cells_in(args) * args->parts, bytes_threads, (size_t)bytes_shared(args), *args);
    return HALO_OK;
}

HaloStatus equalize_quick(HaloDevice *device, EqualizeArgs *args)
{
    if (args->dtype == HALO_U8) return look_bytes(device, args);
    if (args->how.mixed && args->form == FOURS_NEAR) return equalize_near(device, args);
    const bool table = is_table(device, args);
    look_share_out(device, args, table ? 1 : words_blocks_each, words_least);
    if (table) {
        CUDA_LAUNCH(device, table_kernel, args->parts, table_threads, table_shared, *args);
        return HALO_OK;
    }
    const auto kernel = args->dtype == HALO_F32 ? fours_kernel<float> : fours_kernel<uint16_t>;
    const cudaFuncAttribute carveout = cudaFuncAttributePreferredSharedMemoryCarveout;
    CUDA_TRY(cudaFuncSetAttribute((const void *)kernel, carveout, cudaSharedmemCarveoutMaxL1));
    CUDA_LAUNCH(device, kernel, cells_in(args) * args->parts, fours_threads, 0, *args);
    return HALO_OK;
}
