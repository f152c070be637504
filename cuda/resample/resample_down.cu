/* Pictures that become smaller in any ratio: a thread keeps the taps of two samples of a row. */
#include "resample_strip.cuh"

/* Samples of a thread, which lie a warp apart, and of a strip. */
static const int down_own = 2, down_strip = down_own * CUDA_WARP;
/* The most taps, and samples of the source that a strip reads. */
static const int down_taps = 32, down_span = 1024;
/* Taps that the rows of a table may have less than the kernel has room for, where all are done at full speed. */
static const int down_loose = 3;

/* A step of rows, and their lines of the program. */
static int down_stage(const StripArgs *a) { return strip_step * (a->bytes + (int)sizeof(StripLine)); }

/* Starts the copy of the next rows, of `left`, and of their lines. */
__device__ __forceinline__ static void down_fetch(const StripArgs &a, StripStage &s, const StripLine *line, bool whole, int left,
                                                  char *there)
{
    const int rows = max(0, min(strip_step, left)), lines = strip_step * a.bytes;
    if ((int)threadIdx.x * 16 < rows * (int)sizeof(StripLine))
        __pipeline_memcpy_async(there + lines + threadIdx.x * 16, (const char *)line + threadIdx.x * 16, 16);
#pragma unroll 1
    for (int r = 0; r < rows; r++, s.row += a.all.src_stride, there += a.bytes) {
        if (whole)
            for (int b = (int)threadIdx.x * 16; b < a.bytes; b += CUDA_WARP * 16)
                __pipeline_memcpy_async(there + b, s.row + b, 16);
        else
            strip_pieces<0>(a, there, s);
    }
    __pipeline_commit();
}

/* Down the rows: `row(staged, v)` makes a thread's samples of the row pass, `store(out, sums)` stores an output of each of
 * its columns. */
template <typename Row, typename Store>
__device__ __forceinline__ static void down_walk(const StripArgs &a, const StripPlace &p, StripStage s, Row row, Store store)
{
    CUDA_SHARED(char, memory);
    const int stage = strip_step * (a.bytes + (int)sizeof(StripLine)), pitch = a.floats > 0 ? a.floats : a.bytes / 4;
    const bool whole = a.piece == 16 && s.to == a.bytes;
    const StripLine *const lines = a.program + (p.y - a.first);
    float *const tile = (float *)(memory + strip_stages * stage);
    const unsigned top = (unsigned)(uintptr_t)s.row, step = strip_step * (unsigned)a.all.src_stride;
    StripChain<down_own, strip_chain> chain;
    for (int t = 0; t < strip_stages - 1; t++)
        down_fetch(a, s, lines + t * strip_step, whole, p.source - t * strip_step, memory + t * stage);
#pragma unroll 1
    for (int t = 0; t * strip_step < p.source; t++) {
        char *const here = memory + t % strip_stages * stage;
        const int next = t + strip_stages - 1, rows = min(strip_step, p.source - t * strip_step);
        down_fetch(a, s, lines + next * strip_step, whole, p.source - next * strip_step, memory + next % strip_stages * stage);
        __pipeline_wait_prior(strip_stages - 1);
        __syncwarp();
        const StripLine *line = (const StripLine *)(here + strip_step * a.bytes);
        const float *from = (const float *)here;
        if (a.floats > 0) {
            if (a.all.src_dtype == HALO_U8)
                strip_widen<uint8_t, down_span, 0>(a, here, tile, a.floats, rows, top + t * step);
            else
                strip_widen<uint16_t, down_span, 0>(a, here, tile, a.floats, rows, top + t * step);
            __syncwarp();
            from = tile;
        }
#pragma unroll 1
        for (int r = 0; r < rows; r++, from += pitch, line++) {
            float v[down_own];
            row(from, v);
            chain.take(*line, v, store);
        }
        __syncwarp();
    }
}

/* One: there is one channel. */
template <int Taps, bool One>
__global__ static void __launch_bounds__(CUDA_WARP, Taps > 18 ? 12 : 16) down_kernel(const __grid_constant__ StripArgs a)
{
    const ResampleArgs &all = a.all;
    const int channels = One ? 1 : all.channels, size = all.src_dtype == HALO_U8 ? 1 : all.src_dtype == HALO_U16 ? 2 : 4;
    const int64_t width = all.cols * channels;
    const StripPlace p = strip_place(a, down_strip);
    int64_t left, first;
    resample_row(all.x, all.dst_x + p.x / channels, &left);
    const int64_t at = (left - all.src_x) * channels * size; /* in the row, where the strip's samples begin */
    const int off = a.piece > 0 ? (int)(at & (a.piece - 1)) : 0;
    StripStage s;
    s.row = all.src + (p.y - all.src_y) * all.src_stride + at - off;
    s.from = 0;
    s.to = (int)cuda_min(a.bytes, all.src_cols * channels * size - at + off);
    float tap[down_own][Taps];
    int count[down_own], from[down_own];
    bool full = true;
#pragma unroll
    for (int k = 0; k < down_own; k++) {
        const int64_t e = cuda_min(p.x + threadIdx.x + k * CUDA_WARP, width - 1), pixel = One ? e : e / channels;
        const int64_t row = resample_row(all.x, all.dst_x + pixel, &first);
        count[k] = (int)all.x.count[row];
        from[k] = off / size + (int)(first - left) * channels + (int)(e - pixel * channels);
        full = full && count[k] >= Taps - down_loose;
#pragma unroll
        for (int t = 0; t < Taps; t++) tap[k][t] = t < count[k] ? all.x.tap[row * all.x.taps + t] : 0.0f;
    }
    full = __all_sync(CUDA_ALL, full);
    unsigned clipped = 0;
    down_walk(
        a, p, s,
        [&](const float *staged, float *v) {
#pragma unroll
            for (int k = 0; k < down_own; k++) {
                const float *const mine = staged + from[k];
                v[k] = 0.0f;
                if (full) {
#pragma unroll
                    for (int t = 0; t < Taps; t++)
                        if (t < Taps - down_loose || t < count[k]) v[k] = halo_fma(tap[k][t], mine[t * channels], v[k]);
                } else {
#pragma unroll
                    for (int t = 0; t < Taps; t++)
                        if (t < count[k]) v[k] = halo_fma(tap[k][t], mine[t * channels], v[k]);
                }
            }
        },
        [&](int64_t out, const float *v) {
            if ((uint64_t)(out - all.dst_y - p.top) >= (uint64_t)p.rows) return;
#pragma unroll
            for (int k = 0; k < down_own; k++)
                if (p.x + threadIdx.x + k * CUDA_WARP < width)
                    resample_store(all, p.x + threadIdx.x + k * CUDA_WARP, out - all.dst_y, v[k], &clipped);
        });
    cuda_count(all.clipped, clipped);
}

/* ---- launching ------------------------------------------------------------------------------------------ */

/* Samples of the source that a strip reads, at most, with what rounding to pieces adds. */
static int64_t span_of(const ResampleArgs *args)
{
    const double over = (double)args->x.length / (double)args->x.size;
    const double pixels = ((double)down_strip / args->channels + 2.0) * over + (double)args->x.taps + 2.0;
    return pixels * args->channels < 1e6 ? (int64_t)(pixels * args->channels) + 16 : 1000000;
}

bool resample_down_takes(const ResampleArgs *args)
{
    const HaloResampleAxis *const y = &args->y;
    return args->x.taps <= down_taps && span_of(args) <= down_span &&
           (double)y->taps * (double)y->size <= (strip_chain - 1) * (double)y->length;
}

template <int Taps, bool One> static HaloStatus launch(HaloDevice *device, StripArgs *a)
{
    const int shared = strip_stages * down_stage(a) + strip_step * a->floats * 4;
    int resident = 0;
    int64_t slices;
    CUDA_PASS(cuda_allow_shared((const void *)down_kernel<Taps, One>, (size_t)shared));
    CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, down_kernel<Taps, One>, CUDA_WARP, (size_t)shared));
    strip_slices(a, (int64_t)resident * device->properties.multiProcessorCount, &slices);
    CUDA_LAUNCH(device, (down_kernel<Taps, One>), a->across * slices, CUDA_WARP, shared, *a);
    return HALO_OK;
}

template <int Taps> static HaloStatus launch_taps(HaloDevice *device, StripArgs *a)
{
    return a->all.channels == 1 ? launch<Taps, true>(device, a) : launch<Taps, false>(device, a);
}

HaloStatus resample_down(HaloDevice *device, StripArgs *a)
{
    static const int sizes[] = {2, 4, 8, 12, 16, 18, 24, 32};
    const int size = (int)halo_dtype_size(a->all.src_dtype), floats = (int)(span_of(&a->all) + 15) / 16 * 16;
    a->across = a->tiles = (unsigned)cuda_ceil_div(a->all.cols * a->all.channels, down_strip);
    a->piece = cuda_aligned(a->all.src, a->all.src_stride, 16) ? 16 : cuda_aligned(a->all.src, a->all.src_stride, 4) ? 4 : 0;
    a->bytes = floats * size;
    a->floats = size < 4 ? floats : 0;
    int taps = 0;
    while (sizes[taps] < a->all.x.taps) taps++;
    switch (sizes[taps]) {
#define CASE(taps) case taps: return launch_taps<taps>(device, a);
        CASE(2) CASE(4) CASE(8) CASE(12) CASE(16) CASE(18) CASE(24)
#undef CASE
    default: return launch_taps<32>(device, a);
    }
}
