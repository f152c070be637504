/* Equalization: looks up samples. Levels of integers are integers: those of four tables are the bytes of a word
 * in shared memory, or 16 bits each in global memory. Pictures that are too large, and tables that may lack
 * levels: equalize_quads.cu. */
#include "equalize_columns.cuh"

/* ---- bytes ----------------------------------------------------------------------------------------------- */

static const int u8_threads = u8_levels;

/* Levels in shared memory. Mixed: a byte each from the tables at the upper left and right, lower left and
 * right. Else one level, as a float. */
template <bool Mixed> struct LookU8 {
    const unsigned *level; /* [sets][256] */

    __device__ __forceinline__ void operator()(const uint8_t sample[4], const Column &column,
                                               const Shares &vertical, float made[4]) const
    {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const unsigned word = level[column.set[i] * u8_levels + sample[i]];
            made[i] = Mixed ? mix_quad(cuda_widen4(word), column.share[i], vertical) : __uint_as_float(word);
        }
    }
};

/* A tile of one value has no levels if the least is left out: its samples are kept. */
template <bool Mixed>
__global__ static void __launch_bounds__(u8_threads, 4) u8_kernel(const __grid_constant__ EqualizeArgs a)
{
    CUDA_SHARED(unsigned, level);
    const LookCell cell(a, Mixed);
    const int bin = (int)threadIdx.x;
    for (int set = 0; set < a.sets; set++) {
        const auto from = [&](int64_t x, int64_t y) {
            return __ldg(a.table + ((y * a.how.tiles_x + x) * a.sets + set) * u8_levels + bin);
        };
        const LookSpan &x = cell.horizontal, &y = cell.vertical;
        const float v = from(x.before, y.before);
        unsigned word = __float_as_uint(v == v ? v : (float)bin);
        if (Mixed)
            word = (unsigned)v | (unsigned)from(x.behind, y.before) << 8 |
                   (unsigned)from(x.before, y.behind) << 16 | (unsigned)from(x.behind, y.behind) << 24;
        level[set * u8_levels + bin] = word;
    }
    __syncthreads();
    look_columns<uint8_t, u8_threads, 4>(a, cell, LookU8<Mixed>{level});
}

/* ---- 16 bits and floats ---------------------------------------------------------------------------------- */

static const int quads_threads = 1024;

CUDA_INLINE int bin_at(const EqualizeArgs &, uint16_t v) { return v; }
CUDA_INLINE int bin_at(const EqualizeArgs &a, float v) { return v == v ? equalize_bin(a, v) : -1; }
CUDA_INLINE float4 load_four(const EqualizeArgs &a, int64_t at, uint16_t)
{
    return cuda_widen4(__ldg((const uint2 *)a.quads + at));
}
CUDA_INLINE float4 load_four(const EqualizeArgs &a, int64_t at, float)
{
    return __ldg((const float4 *)a.quads + at);
}

/* Levels in global memory, those of a cell from entry `tables` on: quads where tiles are mixed. NaN stay, and
 * samples without a level. */
template <typename S> struct LookQuads {
    const EqualizeArgs &a;
    int64_t tables;

    __device__ __forceinline__ void operator()(const S sample[4], const Column &column, const Shares &vertical,
                                               float made[4]) const
    {
        int bin[4];
        int64_t at[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            bin[i] = bin_at(a, sample[i]);
            at[i] = tables + column.set[i] * a.scale.bins + max(bin[i], 0);
        }
        if (a.how.mixed) {
            float4 quad[4];
#pragma unroll
            for (int i = 0; i < 4; i++) quad[i] = load_four(a, at[i], S());
#pragma unroll
            for (int i = 0; i < 4; i++) made[i] = mix_quad(quad[i], column.share[i], vertical);
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
__global__ static void __launch_bounds__(quads_threads, 1) quads_kernel(const __grid_constant__ EqualizeArgs a)
{
    const LookCell cell(a, a.how.mixed);
    look_columns<S, quads_threads, sizeof(S) == 2 ? 2 : 1>(a, cell,
                                                           LookQuads<S>{a, cell.number * a.sets * a.how.bins});
}

/* ---- one table of 16 bits -------------------------------------------------------------------------------- */

static const int table_threads = 1024, table_shared = u16_levels * 2;

struct LookTable {
    const uint16_t *level; /* in shared memory */

    __device__ __forceinline__ void operator()(const uint16_t sample[4], const Column &, const Shares &,
                                               float made[4]) const
    {
#pragma unroll
        for (int i = 0; i < 4; i++) made[i] = (float)level[sample[i]];
    }
};

/* A sample without a level stays. */
__global__ static void __launch_bounds__(table_threads, 1) table_kernel(const __grid_constant__ EqualizeArgs a)
{
    CUDA_SHARED(uint16_t, level);
    for (int i = (int)threadIdx.x; i < u16_levels; i += table_threads) {
        const float v = __ldg(a.table + i);
        level[i] = v == v ? (uint16_t)v : (uint16_t)i;
    }
    __syncthreads();
    look_columns<uint16_t, table_threads, 4>(a, LookCell(a, false), LookTable{level});
}

/* ---- launches -------------------------------------------------------------------------------------------- */

/* Blocks per multiprocessor in all, and the least number of samples per block, since it loads tables first. */
static const int64_t u8_blocks_each = 32, u8_least = 8192, u16_blocks_each = 4, u16_least = 32768;

static int64_t u8_shared(const EqualizeArgs *args)
{
    return args->sets * u8_levels * (int64_t)sizeof(unsigned);
}

bool equalize_lookup_takes(const EqualizeArgs *args)
{
    if (!look_fits_32(args) || cells_in(args) > INT32_MAX) return false;
    if (args->how.mixed && args->how.from_least && args->dtype != HALO_F32)
        return false;                                                       /* levels may be missing */
    return args->dtype != HALO_U8 || u8_shared(args) < CUDA_SHARED_DEFAULT; /* the cell needs a little */
}

QuadForm equalize_form(const HaloDevice *device, const EqualizeArgs *args)
{
    if (!args->fast || args->dtype != HALO_U16) return QUADS_F32;
    return equalize_packed_takes(device, args) ? QUADS_PACKED : QUADS_U16;
}

/* Is there one table, which fits into shared memory? */
static bool is_table(const HaloDevice *device, const EqualizeArgs *args)
{
    return args->dtype == HALO_U16 && args->sets == 1 && cells_in(args) == 1 && !args->how.mixed &&
           device->properties.sharedMemPerBlockOptin >= table_shared;
}

static HaloStatus look_u8(HaloDevice *device, EqualizeArgs *args)
{
    const auto kernel = args->how.mixed ? u8_kernel<true> : u8_kernel<false>;
    look_share_out(device, args, u8_blocks_each, u8_least);
    CUDA_LAUNCH(device, kernel, cells_in(args) * args->parts, u8_threads, (size_t)u8_shared(args), *args);
    return HALO_OK;
}

HaloStatus equalize_lookup(HaloDevice *device, EqualizeArgs *args)
{
    if (args->dtype == HALO_U8) return look_u8(device, args);
    if (args->how.mixed && args->form == QUADS_PACKED) return equalize_packed(device, args);
    const bool table = is_table(device, args);
    look_share_out(device, args, table ? 1 : u16_blocks_each, u16_least);
    if (table) {
        CUDA_LAUNCH(device, table_kernel, args->parts, table_threads, table_shared, *args);
        return HALO_OK;
    }
    const auto kernel = args->dtype == HALO_F32 ? quads_kernel<float> : quads_kernel<uint16_t>;
    const cudaFuncAttribute carveout = cudaFuncAttributePreferredSharedMemoryCarveout;
    CUDA_TRY(cudaFuncSetAttribute((const void *)kernel, carveout, cudaSharedmemCarveoutMaxL1));
    CUDA_LAUNCH(device, kernel, cells_in(args) * args->parts, quads_threads, 0, *args);
    return HALO_OK;
}
