/* From source rows to B-spline control points (halo/sep_fast.h), and to sums of blocks of samples.
 *
 * A thread goes down four neighbouring numbers of a row and adds each source row to the six control points
 * around it. It computes `each` of them; cells above and below are read by neighbouring threads, too. */
#include "fast.cuh"
#include "point/quantise.cuh"

/* ---- samples -------------------------------------------------------------------------------------------- */

/* Where a thread's numbers lie in a row of the source, counted from the first that is there. */
struct IntoColumns {
    bool words;       /* they are neighbours, in one word */
    int at[fast_own]; /* -1: the border has a value of its own, or it is not needed */
};

template <typename S> __device__ static IntoColumns into_columns(const FastDecimate &args, int64_t e)
{
    const ConvSource &src = args.src;
    IntoColumns columns;
#pragma unroll
    for (int i = 0; i < fast_own; i++) {
        const int64_t x = args.x + (e + i) / src.channels, ix = halo_border_index(x, src.width, src.border);
        columns.at[i] = ix < 0 || x < args.lo || x >= args.hi
                            ? -1
                            : (int)((ix - src.x0) * src.channels + (e + i) % src.channels);
    }
    columns.words =
        columns.at[0] >= 0 && columns.at[1] == columns.at[0] + 1 && columns.at[2] == columns.at[0] + 2 &&
        columns.at[3] == columns.at[0] + 3 &&
        cuda_aligned(src.data + columns.at[0] * (int64_t)sizeof(S), src.stride, sizeof(CudaWord<S>));
    return columns;
}

/* Four numbers of row y while they are loaded: packed, or each by itself. */
struct IntoRaw {
    uint32_t at[fast_own];
};

__device__ __forceinline__ static void into_word(IntoRaw &raw, uint32_t word) { raw.at[0] = word; }
__device__ __forceinline__ static void into_word(IntoRaw &raw, uint2 word)
{
    raw.at[0] = word.x, raw.at[1] = word.y;
}
__device__ __forceinline__ static void into_word(IntoRaw &raw, float4 word)
{
    raw = {
        {__float_as_uint(word.x), __float_as_uint(word.y), __float_as_uint(word.z), __float_as_uint(word.w)}};
}

__device__ __forceinline__ static float4 into_widen(const IntoRaw &raw, uint8_t)
{
    return cuda_widen4(raw.at[0]);
}
__device__ __forceinline__ static float4 into_widen(const IntoRaw &raw, uint16_t)
{
    return cuda_widen4(make_uint2(raw.at[0], raw.at[1]));
}
__device__ __forceinline__ static float4 into_widen(const IntoRaw &raw, float)
{
    return make_float4(__uint_as_float(raw.at[0]), __uint_as_float(raw.at[1]), __uint_as_float(raw.at[2]),
                       __uint_as_float(raw.at[3]));
}

/* A sample as it is. */
__device__ __forceinline__ static uint32_t into_bits(const uint8_t *at) { return __ldg(at); }
__device__ __forceinline__ static uint32_t into_bits(const uint16_t *at) { return __ldg(at); }
__device__ __forceinline__ static uint32_t into_bits(const float *at) { return __float_as_uint(__ldg(at)); }

/* The row of the source that row y is; -1: one outside that has a value. */
__device__ __forceinline__ static int into_row(const FastDecimate &args, int y)
{
    return (int)halo_border_index(y, args.src.height, args.src.border);
}

template <typename S>
__device__ __forceinline__ static void into_load(const FastDecimate &args, const IntoColumns &columns, int iy,
                                                 IntoRaw &raw)
{
    const S *const row = (const S *)(args.src.data + (iy - args.src.y0) * args.src.stride);
    if (columns.words && iy >= 0) {
        into_word(raw, __ldg((const CudaWord<S> *)(row + columns.at[0])));
        return;
    }
#pragma unroll
    for (int i = 0; i < fast_own; i++)
        if (iy >= 0 && columns.at[i] >= 0) raw.at[i] = into_bits(row + columns.at[i]);
}

/* The same as numbers. */
template <typename S>
__device__ __forceinline__ static float4 into_numbers(const FastDecimate &args, const IntoColumns &columns,
                                                      bool inside, const IntoRaw &raw)
{
    if (columns.words && inside) return into_widen(raw, S());
    float v[fast_own];
#pragma unroll
    for (int i = 0; i < fast_own; i++) {
        const float own = sizeof(S) == sizeof(float) ? __uint_as_float(raw.at[i]) : (float)raw.at[i];
        v[i] = !inside ? args.outside : columns.at[i] >= 0 ? own : args.beside;
    }
    return make_float4(v[0], v[1], v[2], v[3]);
}

/* ---- a thread's work ------------------------------------------------------------------------------------ */

struct IntoThread {
    float4 sum[HALO_SEP_SUPPORT]; /* control points in order of their age */
    float *control;               /* where the oldest goes, */
    int wait;                     /* if it is not one of the first so many */
    int phase;
    float *sums;    /* where the sum of the block that begins here goes, for the next row */
    bool low, high; /* a block begins here; another begins in the middle, and its sum follows */
};

/* A block is the numbers of neighbouring threads, or half of one's. */
__device__ __forceinline__ static void into_sums_begin(const FastDecimate &args, IntoThread &t, int64_t e,
                                                       int y)
{
    const int64_t at = args.x + e - args.block_x, b = at / args.block; /* from the first block on */
    t.sums = fast_row(args.sums, y) + b;
    t.low = at >= 0 && at % args.block == 0 && b < args.blocks;
    t.high = args.block == 2 && b + 1 >= 0 && b + 1 < args.blocks;
}

__device__ __forceinline__ static void into_sums(const FastDecimate &args, IntoThread &t, bool counts, float4 v)
{
    float low = v.x + v.y;
    const float high = v.z + v.w;
    if (args.block > 2) low += high;
    for (int d = 1; d < args.block / fast_own; d *= 2) low += __shfl_down_sync(CUDA_ALL, low, (unsigned)d);
    if (counts && t.low) t.sums[0] = low;
    if (counts && t.high) t.sums[1] = high;
    t.sums += args.sums.stride;
}

__device__ __forceinline__ static float4 into_fma(float t, float4 v, float4 sum)
{
    return make_float4(halo_fma(t, v.x, sum.x), halo_fma(t, v.y, sum.y), halo_fma(t, v.z, sum.z),
                       halo_fma(t, v.w, sum.w));
}

/* Adds a row. With the last of a cell the oldest control point is complete, and a new one begins. */
__device__ __forceinline__ static void into_add(const FastDecimate &args, IntoThread &t, float4 v)
{
    const float4 low = args.taps.at[2 * t.phase], high = args.taps.at[2 * t.phase + 1];
    t.sum[0] = into_fma(low.x, v, t.sum[0]);
    t.sum[1] = into_fma(low.y, v, t.sum[1]);
    t.sum[2] = into_fma(low.z, v, t.sum[2]);
    t.sum[3] = into_fma(low.w, v, t.sum[3]);
    t.sum[4] = into_fma(high.x, v, t.sum[4]);
    t.sum[5] = into_fma(high.y, v, t.sum[5]);
    if (++t.phase < args.step) return;
    t.phase = 0;
    if (t.wait-- <= 0) *reinterpret_cast<float4 *>(t.control) = t.sum[HALO_SEP_SUPPORT - 1];
    t.control += args.control.stride;
#pragma unroll
    for (int k = HALO_SEP_SUPPORT - 1; k > 0; k--) t.sum[k] = t.sum[k - 1];
    t.sum[0] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

/* ---- all rows ------------------------------------------------------------------------------------------- */

static const int into_least = 4; /* control points of a thread */
static const int into_ahead = 4; /* rows that are being loaded */

/* Rows [top, bottom), of which it sums the blocks of [from, mine). */
struct IntoRows {
    int top, bottom, from, mine;
};

/* Rows from y on, the first at `next`, that are all in the source, under columns that are, as words. */
template <typename S>
__device__ __forceinline__ static void into_fetch(const FastDecimate &args, const char *&next,
                                                  const IntoRows &rows, int y, CudaWord<S> word[into_ahead])
{
#pragma unroll
    for (int u = 0; u < into_ahead; u++) {
        if (y + u < rows.bottom) word[u] = __ldg((const CudaWord<S> *)next);
        next += args.src.stride;
    }
}

template <typename S, bool Sums>
__device__ __forceinline__ static void into_words(const FastDecimate &args, IntoThread &t, const IntoRows &rows,
                                                  int y, const CudaWord<S> word[into_ahead])
{
#pragma unroll
    for (int u = 0; u < into_ahead; u++) {
        if (y + u >= rows.bottom) break;
        const float4 v = cuda_widen4(word[u]);
        if (Sums) into_sums(args, t, y + u >= rows.from && y + u < rows.mine, v);
        into_add(args, t, v);
    }
}

template <typename S, bool Sums>
__device__ __forceinline__ static void into_inside(const FastDecimate &args, IntoThread &t,
                                                   const IntoRows &rows, const char *next)
{
    CudaWord<S> word[2][into_ahead];
    into_fetch<S>(args, next, rows, rows.top, word[0]);
#pragma unroll 1
    for (int y = rows.top; y < rows.bottom; y += 2 * into_ahead) {
        into_fetch<S>(args, next, rows, y + into_ahead, word[1]);
        into_words<S, Sums>(args, t, rows, y, word[0]);
        into_fetch<S>(args, next, rows, y + 2 * into_ahead, word[0]);
        into_words<S, Sums>(args, t, rows, y + into_ahead, word[1]);
    }
}

template <typename S, bool Sums>
__device__ __forceinline__ static void into_edges(const FastDecimate &args, IntoThread &t, const IntoRows &rows,
                                                  const IntoColumns &columns)
{
#pragma unroll 1
    for (int y = rows.top; y < rows.bottom; y += into_ahead) {
        IntoRaw raw[into_ahead];
#pragma unroll
        for (int u = 0; u < into_ahead; u++)
            into_load<S>(args, columns, into_row(args, min(y + u, rows.bottom - 1)), raw[u]);
#pragma unroll
        for (int u = 0; u < into_ahead; u++) {
            if (y + u >= rows.bottom) break;
            const float4 v = into_numbers<S>(args, columns, into_row(args, y + u) >= 0, raw[u]);
            if (Sums) into_sums(args, t, y + u >= rows.from && y + u < rows.mine, v);
            into_add(args, t, v);
        }
    }
}

template <typename S, bool Sums>
__global__ static void __launch_bounds__(fast_threads, fast_blocks)
    into_kernel(const __grid_constant__ FastDecimate args)
{
    const int64_t e = ((int64_t)(blockIdx.x % (unsigned)args.tiles_x) * fast_threads + threadIdx.x) * fast_own;
    const int first = (int)args.control.first + (int)(blockIdx.x / (unsigned)args.tiles_x) * args.each,
              end = min(first + args.each, (int)(args.control.first + args.control.rows));
    const bool last = end == args.control.first + args.control.rows, live = e < args.numbers;
    const IntoColumns columns = into_columns<S>(args, cuda_min(e, args.numbers - fast_own));
    IntoRows rows;
    rows.top = (first - HALO_SEP_SUPPORT / 2) * args.step;
    rows.bottom = (end + HALO_SEP_SUPPORT / 2 - 1) * args.step;
    rows.from = (int)args.sums.first;
    rows.mine = min(last ? rows.bottom : rows.top + args.each * args.step, rows.from + (int)args.sums.rows);
    IntoThread t = {};
    t.control = fast_row(args.control, first - HALO_SEP_SUPPORT + 1) + e; /* what the first cell completes */
    t.wait = live ? HALO_SEP_SUPPORT - 1 : end - first + HALO_SEP_SUPPORT;
    if (Sums) into_sums_begin(args, t, e, rows.top);
    if (rows.top >= 0 && rows.bottom <= args.src.height && __all_sync(CUDA_ALL, columns.words))
        into_inside<S, Sums>(args, t, rows,
                             args.src.data + (rows.top - args.src.y0) * args.src.stride +
                                 columns.at[0] * (int64_t)sizeof(S));
    else
        into_edges<S, Sums>(args, t, rows, columns);
}

HaloStatus fast_decimate(HaloDevice *device, const FastDecimate *given)
{
    FastDecimate args = *given;
    args.tiles_x = cuda_ceil_div(args.numbers, fast_threads * fast_own);
    /* As many threads down the columns as the GPU runs at a time: results do not depend on it. */
    const int64_t down = cuda_max(fast_blocks * device->properties.multiProcessorCount / args.tiles_x, 1);
    args.each = (int)cuda_max(cuda_ceil_div(args.control.rows, down), into_least);
    const int64_t blocks = args.tiles_x * cuda_ceil_div(args.control.rows, args.each);
    const bool sums = args.sums.rows > 0;
#define INTO(S)                                                                          \
    do {                                                                                 \
        if (sums)                                                                        \
            CUDA_LAUNCH(device, (into_kernel<S, true>), blocks, fast_threads, 0, args);  \
        else                                                                             \
            CUDA_LAUNCH(device, (into_kernel<S, false>), blocks, fast_threads, 0, args); \
    } while (0)
    switch (args.src.dtype) {
    case HALO_U8: INTO(uint8_t); break;
    case HALO_U16: INTO(uint16_t); break;
    default: INTO(float); break;
    }
#undef INTO
    return HALO_OK;
}

/* ---- sums alone ----------------------------------------------------------------------------------------- */

/* One sum a thread, of any channel. */
__global__ static void __launch_bounds__(256) sums_kernel(const __grid_constant__ FastDecimate args)
{
    const ConvSource &src = args.src;
    const int64_t e = (int64_t)(blockIdx.x % args.tiles_x) * 256 + threadIdx.x,
                  y = args.sums.first + blockIdx.x / args.tiles_x;
    const int64_t b = e / src.channels, c = e - b * src.channels, x = args.block_x + b * args.block;
    if (b >= args.blocks) return;
    const int64_t iy = halo_border_index(y, src.height, src.border);
    float sum = 0.0f;
    cuda_typed(src.dtype, [&](auto zero) {
        using S = decltype(zero);
        const S *const row = (const S *)(src.data + (iy - src.y0) * src.stride) - src.x0 * src.channels + c;
        for (int i = 0; i < args.block; i++) {
            const int64_t ix = halo_border_index(x + i, src.width, src.border);
            sum += iy < 0   ? args.outside
                   : ix < 0 ? halo_border_value(src.border, src.value)
                            : (float)__ldg(row + ix * src.channels);
        }
    });
    fast_row(args.sums, y)[c * args.sums.plane + b] = sum;
}

HaloStatus fast_sums(HaloDevice *device, const FastDecimate *given)
{
    FastDecimate args = *given;
    args.tiles_x = cuda_ceil_div(args.blocks * args.src.channels, 256);
    CUDA_LAUNCH(device, sums_kernel, args.tiles_x * args.sums.rows, 256, 0, args);
    return HALO_OK;
}
