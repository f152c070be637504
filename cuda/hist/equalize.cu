/* Equalization on the device: blocks count the levels of their part of a tile (equalize_count.cu), a block
 * makes a part of a tile's table, and every sample is looked up in the tables of the tiles around it
 * (equalize_lookup.cu). */
#include "equalize.cuh"

static const int table_threads = 256;
/* Neighbouring bins of a table per block: tables of bytes have one block each. */
static const int table_part = 4096;
/* Bins of a thread at a time: all of its bins with counters of 32 bits. */
template <typename Count> __device__ constexpr int table_own()
{
    return sizeof(Count) == 4 ? table_part / table_threads : 4;
}

static __host__ __device__ int64_t table_parts(int64_t bins) { return cuda_ceil_div(bins, table_part); }

/* ---- sums over a block ----------------------------------------------------------------------------------- */

/* The inclusive prefix sum over the lanes of the warp. */
CUDA_INLINE uint64_t sum_lanes(uint64_t v)
{
    const int lane = (int)threadIdx.x % CUDA_WARP;
#pragma unroll
    for (int d = 1; d < CUDA_WARP; d *= 2) {
        const uint64_t more = __shfl_up_sync(CUDA_ALL, (unsigned long long)v, d);
        if (lane >= d) v += more;
    }
    return v;
}

/* The exclusive prefix sum over the threads of the block, and the sum of all. */
CUDA_INLINE uint64_t sum_before(uint64_t v, uint64_t *all)
{
    constexpr int warps = table_threads / CUDA_WARP;
    __shared__ uint64_t sum[warps];
    const int lane = (int)threadIdx.x % CUDA_WARP, warp = (int)threadIdx.x / CUDA_WARP;
    const uint64_t upto = sum_lanes(v);
    uint64_t before = 0;
    __syncthreads(); /* the last call's sums have been read */
    if (lane == CUDA_WARP - 1) sum[warp] = upto;
    __syncthreads();
    *all = 0;
#pragma unroll
    for (int w = 0; w < warps; w++) {
        if (w == warp) before = *all;
        *all += sum[w];
    }
    return before + upto - v;
}

/* ---- tables ---------------------------------------------------------------------------------------------- */

/* Of some bins: the sum of the counts, the sum of the counts limited to `most`, and the least bin that counts.
 * Out of line, since it is rarely called and large. */
template <typename Count>
__device__ __noinline__ static TableSums sum_bins(const Count *count, int64_t from, int64_t to, uint64_t most)
{
    __shared__ unsigned long long least;
    TableSums sums = {0, 0, (unsigned long long)INT64_MAX};
    uint64_t total, kept;
    __syncthreads(); /* the last call's least bin has been read */
    if (threadIdx.x == 0) least = (unsigned long long)INT64_MAX;
    __syncthreads();
#pragma unroll 8
    for (int64_t b = from + threadIdx.x; b < to; b += table_threads) {
        const uint64_t n = __ldg(count + b);
        sums.total += n;
        sums.kept += n < most ? n : most;
        if (n > 0) sums.least = min(sums.least, (unsigned long long)b);
    }
    if (sums.least < (unsigned long long)INT64_MAX) atomicMin(&least, sums.least);
    sum_before(sums.total, &total);
    sum_before(sums.kept, &kept);
    return {total, kept, least};
}

/* The sums of each part of each table, as if all samples of a tile were counted, though NaN are not. */
template <typename Count>
__global__ static void __launch_bounds__(table_threads) sums_kernel(const __grid_constant__ EqualizeArgs a)
{
    const int64_t bins = a.how.bins, parts = table_parts(bins), table = blockIdx.x / parts,
                  part = blockIdx.x - table * parts;
    const uint64_t most = halo_equalize_most(a.how.limit, a.expected, bins);
    const TableSums sums = sum_bins((const Count *)a.count + table * bins, part * table_part,
                                    cuda_min(bins, (part + 1) * table_part), most);
    if (threadIdx.x == 0) a.sums[blockIdx.x] = sums;
}

/* halo_equalize_count with few divisions: adds `each` to every bin, and one more to every step-th before
 * `end`. */
struct Spread {
    uint64_t most, each;
    unsigned step, end;

    __device__ __forceinline__ Spread(uint64_t most, uint64_t excess, int64_t bins)
        : most(most), each(excess / (uint64_t)bins)
    {
        const unsigned left = (unsigned)(excess % (uint64_t)bins);
        step = left > 0 ? (unsigned)bins / left : 1;
        end = left * step;
    }

    /* What is added to the bins before this one. */
    __device__ __forceinline__ uint64_t before(int64_t bin) const
    {
        return each * (uint64_t)bin + (min((unsigned)bin, end) + step - 1) / step;
    }

    /* `past`: bins since the last that may get one more. */
    __device__ __forceinline__ uint64_t of(uint64_t count, unsigned bin, unsigned past) const
    {
        return (count < most ? count : most) + each + (past == 0 && bin < end ? 1 : 0);
    }
};

/* A thread's counters and levels; counters of 32 bits are complete packs of 16 bytes. */
template <int Own> CUDA_INLINE void load_counts(const unsigned *count, int64_t, unsigned (&own)[Own])
{
#pragma unroll
    for (int i = 0; i < Own; i += 4) *reinterpret_cast<uint4 *>(own + i) = __ldg((const uint4 *)(count + i));
}

template <int Own>
CUDA_INLINE void load_counts(const unsigned long long *count, int64_t there, unsigned long long (&own)[Own])
{
#pragma unroll
    for (int i = 0; i < Own; i++) own[i] = i < there ? __ldg(count + i) : 0;
}

template <typename Count, int Own>
CUDA_INLINE void store_levels(float *table, int64_t there, const float (&level)[Own])
{
#pragma unroll
    for (int i = 0; i < Own; i += 4)
        if (sizeof(Count) == 4)
            *(float4 *)(table + i) = *reinterpret_cast<const float4 *>(level + i);
        else
            for (int k = i; k < i + 4; k++)
                if (k < there) table[k] = level[k];
}

/* A block makes a part of a table from the sums of all parts. Where these are missing, or fewer samples than
 * expected were counted, it computes the sums itself. */
template <typename Count>
__global__ static void __launch_bounds__(table_threads) table_kernel(const __grid_constant__ EqualizeArgs a)
{
    const int64_t bins = a.how.bins, parts = table_parts(bins), number = blockIdx.x / parts,
                  part = blockIdx.x - number * parts;
    const int64_t from = part * table_part, to = cuda_min(bins, from + table_part);
    constexpr int own = table_own<Count>();
    const Count *const count = (const Count *)a.count + number * bins;
    float *const table = a.table + number * bins;
    const bool integers = a.dtype != HALO_F32;
    const float top = integers ? (float)(bins - 1) : a.how.white;
    TableSums all = {0, 0, (unsigned long long)INT64_MAX};
    uint64_t upto = 0, made; /* limited counts in the bins before this part */
#pragma unroll 8
    for (int64_t p = 0; p < parts && parts > 1; p++) {
        const TableSums sums = a.sums[number * parts + p];
        if (p == part) upto = all.kept;
        all.total += sums.total;
        all.kept += sums.kept;
        all.least = min(all.least, sums.least);
    }
    if (parts == 1) all = sum_bins(count, 0, bins, UINT64_MAX);
    const uint64_t most = halo_equalize_most(a.how.limit, all.total, bins);
    if (most < UINT64_MAX && (parts == 1 || (all.total != a.expected && all.total != 0))) {
        upto = sum_bins(count, 0, from, most).kept;
        all.kept = upto + sum_bins(count, from, bins, most).kept;
    }
    const Spread spread(most, all.total - all.kept, bins);
    const uint64_t first = a.how.from_least && all.total > 0 ? count[all.least] : 0;
    upto += spread.before(from);
    for (int64_t base = from; base < to; base += table_threads * own, upto += made) {
        const int64_t b = base + threadIdx.x * own;
        alignas(16) Count counts[own];
        alignas(16) float level[own];
        uint64_t mine = 0;
        unsigned past = (unsigned)b % spread.step;
        load_counts(count + b, to - b, counts);
#pragma unroll
        for (int i = 0; i < own; i++) {
            counts[i] = b + i < to ? (Count)spread.of(counts[i], (unsigned)(b + i), past) : 0;
            mine += counts[i];
            past = past + 1 < spread.step ? past + 1 : 0;
        }
        uint64_t here = upto + sum_before(mine, &made);
#pragma unroll
        for (int i = 0; i < own; i++) {
            here += counts[i];
            level[i] = halo_equalize_level(here, first, all.total, top, integers);
        }
        store_levels<Count>(table + b, to - b, level);
    }
}

template <typename Count>
static HaloStatus make_tables(HaloDevice *device, const EqualizeArgs *args, int64_t tables)
{
    const int64_t blocks = tables * table_parts(args->how.bins);
    if (blocks > tables) CUDA_LAUNCH(device, sums_kernel<Count>, blocks, table_threads, 0, *args);
    CUDA_LAUNCH(device, table_kernel<Count>, blocks, table_threads, 0, *args);
    return HALO_OK;
}

/* ---- the entry ------------------------------------------------------------------------------------------- */

/* Channels that share a set of counters. */
static int counted_channels(const EqualizeArgs *a)
{
    const bool leaves_alpha = a->alpha >= 0 && a->alpha < a->channels;
    return a->how.joint ? a->channels - leaves_alpha : 1;
}

HaloStatus cuda_equalize(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloEqualize *equalize,
                         HaloStore store)
{
    EqualizeArgs args = {};
    int64_t tiles, tables, entries, sums, bytes, quads;
    void *scratch;
    CUDA_PASS(cuda_use(device));
    if (dst->cols < 1 || dst->rows < 1) return HALO_OK;
    args.src = (const char *)src->data;
    args.dst = (char *)dst->data;
    args.src_stride = src->stride;
    args.dst_stride = dst->stride;
    args.width = src->shape.width;
    args.height = src->shape.height;
    args.channels = src->shape.channels;
    args.alpha = dst->shape.alpha;
    args.sets = equalize->joint ? 1 : args.channels;
    args.dtype = src->shape.dtype;
    args.to = dst->shape.dtype;
    args.how = *equalize;
    args.expected =
        (uint64_t)(equalize->tile_width * equalize->tile_height) * (uint64_t)counted_channels(&args);
    args.scale = bin_scale(0.0, (double)equalize->white, equalize->bins);
    args.over_x = 1.0f / (float)equalize->tile_width;
    args.over_y = 1.0f / (float)equalize->tile_height;
    args.packed = cuda_aligned(src->data, src->stride, 16);
    args.stores = row_packs(dst->data, dst->stride, dst->shape.dtype, 4);
    args.store = store;
    args.clipped = device->clipped;
    args.fast = equalize_lookup_takes(&args);
    args.form = equalize_form(device, &args);
    quads = equalize_quads_bytes(&args);
    args.bits32 = equalize_counts32(device, &args);
    const int64_t each = args.bits32 ? sizeof(unsigned) : sizeof(unsigned long long);
    if (!halo_mul(equalize->tiles_x, equalize->tiles_y, &tiles) || !halo_mul(tiles, args.sets, &tables) ||
        !halo_mul(tables, equalize->bins, &entries) ||
        !halo_mul(tables, table_parts(equalize->bins) * (int64_t)sizeof *args.sums, &sums) ||
        !halo_mul(entries, each + (int64_t)sizeof *args.table, &bytes) || quads < 0 ||
        bytes > INT64_MAX - sums || bytes + sums > INT64_MAX - quads)
        return halo_fail(HALO_ERR_LIMIT, "%lld x %lld tables are too many: use --device cpu",
                         (long long)equalize->tiles_x, (long long)equalize->tiles_y);
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_PARTIAL, quads + sums + bytes, &scratch));
    args.quads = scratch; /* first, for their alignment */
    args.count = (char *)scratch + quads;
    args.table = (float *)((char *)args.count + entries * each);
    args.sums = (TableSums *)((char *)scratch + quads + bytes);
    CUDA_TRY(cudaMemsetAsync(args.count, 0, (size_t)(entries * each), device->stream));
    CUDA_PASS(equalize_count(device, &args, tiles));
    if (args.bits32)
        CUDA_PASS(make_tables<unsigned>(device, &args, tables));
    else
        CUDA_PASS(make_tables<unsigned long long>(device, &args, tables));
    CUDA_PASS(equalize_make_quads(device, &args));
    return args.fast ? equalize_lookup(device, &args) : equalize_any(device, &args);
}
