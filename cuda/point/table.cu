/* Point operations on 8- and 16-bit samples by a table of all values. */
#include "map.cuh"

/* Fewer samples are computed faster than a table. */
static const int64_t table_samples = 1 << 20;
/* The largest table that is copied to shared memory. */
static const int table_shared_most = 131072;

static const int table_make_threads =
    256; /* of a block, which also tells whether any of its values is clipped */

template <typename S> static constexpr int table_entries = sizeof(S) == 1 ? 256 : 65536;

/* For 16-bit values, in device memory. For 8-bit values every block makes its own. */
template <typename D> struct Table {
    D *value;       /* [65536] */
    uint8_t *lost;  /* [65536] 1: clipped */
    uint8_t *clips; /* [256] for so many values each: is any clipped? */
};

/* Shared memory serves a warp at once if its lanes use different banks. The 256 values of a byte are few enough
 * for a table per lane in its own bank, one word per value: that of v for lane l is word 32 v + l. */
template <typename S, typename D>
static constexpr int table_bytes = sizeof(S) == 1 ? 256 * CUDA_WARP * 4
                                   : table_entries<S> *(int)sizeof(D) <= table_shared_most
                                       ? table_entries<S> *(int)sizeof(D)
                                       : 0;
template <typename S> static constexpr int table_threads = sizeof(S) == 1 ? 512 : 1024;
template <typename S> static constexpr int table_blocks = sizeof(S) == 1 ? 2 : 1; /* per multiprocessor */

template <typename S, typename D> bool cuda_map_table_pays(const MapArgs *args, int64_t rows)
{
    const bool same = sizeof(S) == sizeof(D), bytes = sizeof(S) == 1;
    bool curve = false;
    if (args->map.kind != HALO_MAP_POINTS || args->map.points == 0 || args->cols * rows < table_samples)
        return false;
    if (args->alpha >= 0 && !(same && args->store.num == args->store.den))
        return false; /* alpha is not changed */
    for (int p = 0; p < args->map.points; p++) curve = curve || args->map.point[p].op >= HALO_POINT_POWER;
    return curve || bytes;
}

/* ---- making a table -------------------------------------------------------------------------------------- */

template <typename T> CUDA_INLINE uint32_t table_bits(T v) { return v; }
template <> __device__ __forceinline__ uint32_t table_bits<float>(float v) { return __float_as_uint(v); }

template <typename D> CUDA_INLINE D table_entry(const MapArgs &a, int value, unsigned *lost)
{
    float v[1] = {(float)value};
    apply<1>(a.map, v);
    return cuda_sample<D>(v[0], a.store, lost);
}

template <typename D>
__global__ static void __launch_bounds__(table_make_threads)
    table_make_kernel(const __grid_constant__ MapArgs a, const Table<D> table)
{
    const int at = blockIdx.x * table_make_threads + threadIdx.x;
    unsigned lost = 0;
    table.value[at] = table_entry<D>(a, at, &lost);
    table.lost[at] = (uint8_t)lost;
    const bool any = __syncthreads_or(lost != 0);
    if (threadIdx.x == 0) table.clips[blockIdx.x] = any;
}

/* Copies the table to shared memory. Is any value clipped? */
template <typename S, typename D>
CUDA_INLINE bool table_fill(const MapArgs &a, const Table<D> &table, uint32_t *shared, uint8_t *lost_of)
{
    if constexpr (sizeof(S) == 1) {
        __shared__ uint32_t value[256];
        unsigned lost = 0;
        if (threadIdx.x < 256) {
            value[threadIdx.x] = table_bits(table_entry<D>(a, threadIdx.x, &lost));
            lost_of[threadIdx.x] = (uint8_t)lost;
        }
        const bool clips = __syncthreads_or(lost != 0);
        for (int i = threadIdx.x; i < 256 * CUDA_WARP; i += table_threads<S>) shared[i] = value[i / CUDA_WARP];
        __syncthreads();
        return clips;
    } else {
        const uint4 *const from = (const uint4 *)table.value;
        for (int i = threadIdx.x; i < table_bytes<S, D> / 16; i += table_threads<S>)
            ((uint4 *)shared)[i] = from[i];
        return __syncthreads_or(threadIdx.x < 256 && table.clips[threadIdx.x] != 0);
    }
}

/* ---- looking up ------------------------------------------------------------------------------------------ */

/* A block's table. */
template <typename S, typename D> struct Lookup {
    const Table<D> &table;
    const uint32_t *shared;
    const uint8_t *lost;
    bool clips;
    int channels, alpha;

    /* The result for a value, as a word. */
    __device__ __forceinline__ uint32_t value(uint32_t v) const
    {
        if constexpr (sizeof(S) == 1)
            return shared[v * CUDA_WARP + threadIdx.x % CUDA_WARP];
        else if constexpr (table_bytes<S, D> > 0)
            return ((const D *)shared)[v];
        else
            return table_bits(__ldg(table.value + v));
    }

    /* The result for element k of a row, or k counted from the start of any pixel. */
    __device__ __forceinline__ uint32_t sample(uint32_t v, int64_t k, unsigned *clipped) const
    {
        if (alpha >= 0 && (k & (channels - 1)) == alpha) return v;
        if (clips) *clipped += lost[v];
        return value(v);
    }
};

/* Unpacks and packs the word of four samples. */
CUDA_INLINE void table_split(uint32_t w, uint32_t v[4])
{
#pragma unroll
    for (int k = 0; k < 4; k++) v[k] = w >> 8 * k & 255;
}

CUDA_INLINE void table_split(uint2 w, uint32_t v[4])
{
    v[0] = w.x & 65535, v[1] = w.x >> 16, v[2] = w.y & 65535, v[3] = w.y >> 16;
}

CUDA_INLINE void table_join(float4 *to, const uint32_t v[4])
{
    *to =
        make_float4(__uint_as_float(v[0]), __uint_as_float(v[1]), __uint_as_float(v[2]), __uint_as_float(v[3]));
}

template <typename T> CUDA_INLINE void table_join(T *to, const uint32_t v[4]) { cuda_pack4(to, v); }

template <typename T> CUDA_INLINE void table_put(T *to, uint32_t word) { *to = (T)word; }
template <> __device__ __forceinline__ void table_put<float>(float *to, uint32_t word)
{
    *to = __uint_as_float(word);
}

template <typename T, int Pack> using TableWords = CudaPack<CudaWord<T>, Pack / 4>;

template <typename S, typename D, int Pack>
CUDA_INLINE void table_pack(const Lookup<S, D> &look, const TableWords<S, Pack> &in, D *to, unsigned *clipped)
{
    TableWords<D, Pack> out;
#pragma unroll
    for (int q = 0; q < Pack / 4; q++) {
        uint32_t v[4], found[4];
        table_split(in.at[q], v);
#pragma unroll
        for (int k = 0; k < 4; k++) found[k] = look.value(v[k]);
        if (look.alpha >= 0 || look.clips) { /* rare */
#pragma unroll
            for (int k = 0; k < 4; k++) found[k] = look.sample(v[k], k, clipped);
        }
        table_join(&out.at[q], found);
    }
    if constexpr (sizeof out == 16)
        cuda_put(to, *reinterpret_cast<const uint4 *>(&out));
    else
        cuda_put(to, *reinterpret_cast<const uint2 *>(&out));
}

/* Packs are numbered row by row. */
template <typename S, typename D, int Pack> struct Place {
    const S *row;
    D *to;
    int64_t e; /* the first element */
    bool complete;

    __device__ __forceinline__ Place(const MapArgs &a, int64_t row_packs, int64_t packs, int64_t i)
    {
        const int64_t y = row_packs == packs ? 0 : i / row_packs;
        e = (i - y * row_packs) * Pack;
        row = (const S *)(a.src + y * a.src_stride);
        to = (D *)(a.dst + y * a.dst_stride);
        complete = i < packs && e + Pack <= a.cols;
    }
};

/* Persistent blocks, since a table costs as much as many packs. Two packs are in flight at once. */
template <typename S, typename D, int Pack>
__global__ static void __launch_bounds__(table_threads<S>, table_blocks<S>)
    table_look_kernel(const __grid_constant__ MapArgs a, const __grid_constant__ Table<D> table,
                      int64_t row_packs, int64_t packs)
{
    typedef TableWords<S, Pack> Words;
    __shared__ uint8_t lost[256];
    CUDA_SHARED(uint32_t, shared);
    const bool clips = table_fill<S, D>(a, table, shared, lost);
    const Lookup<S, D> look = {table, shared, sizeof(S) == 1 ? lost : table.lost, clips, a.channels, a.alpha};
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    unsigned clipped = 0;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < packs; i += 2 * step) {
        const Place<S, D, Pack> at[2] = {{a, row_packs, packs, i}, {a, row_packs, packs, i + step}};
        Words in[2];
#pragma unroll
        for (int k = 0; k < 2; k++)
            if (at[k].complete) in[k] = *reinterpret_cast<const Words *>(at[k].row + at[k].e);
#pragma unroll
        for (int k = 0; k < 2; k++)
            if (at[k].complete)
                table_pack<S, D, Pack>(look, in[k], at[k].to + at[k].e, &clipped);
            else if (i + k * step < packs)
                for (int64_t e = at[k].e; e < a.cols; e++)
                    table_put(at[k].to + e, look.sample(at[k].row[e], e, &clipped));
    }
    __syncwarp();
    cuda_count_clipped(a.clipped, clipped);
}

template <typename S, typename D>
HaloStatus cuda_map_look(HaloDevice *device, const MapArgs *args, int64_t rows)
{
    constexpr int threads = table_threads<S>, pack = map_pack_of<S, D>;
    const int64_t row_packs = cuda_ceil_div(args->cols, pack), packs = row_packs * rows;
    const int64_t blocks = (int64_t)device->properties.multiProcessorCount * table_blocks<S>;
    Table<D> table = {};
    if constexpr (sizeof(S) == 2) {
        const int64_t entries = 65536, value = entries * (int64_t)sizeof(D);
        char *block;
        CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_PARTIAL, value + entries + 256, (void **)&block));
        table = {(D *)block, (uint8_t *)block + value, (uint8_t *)block + value + entries};
        CUDA_LAUNCH(device, (table_make_kernel<D>), entries / table_make_threads, table_make_threads, 0, *args,
                    table);
    }
    CUDA_LAUNCH(device, (table_look_kernel<S, D, pack>), cuda_min(blocks, cuda_ceil_div(packs, threads)),
                threads, (table_bytes<S, D>), *args, table, row_packs, packs);
    return HALO_OK;
}

#define TABLE(S, D)                                                    \
    template bool cuda_map_table_pays<S, D>(const MapArgs *, int64_t); \
    template HaloStatus cuda_map_look<S, D>(HaloDevice *, const MapArgs *, int64_t)
TABLE(uint8_t, uint8_t);
TABLE(uint8_t, uint16_t);
TABLE(uint8_t, float);
TABLE(uint16_t, uint8_t);
TABLE(uint16_t, uint16_t);
TABLE(uint16_t, float);
