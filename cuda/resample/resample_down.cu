/* Downsampling by any ratio: a thread keeps the taps of two samples of a row in registers. Rows become f32,
 * channel by channel, so that the samples under the taps are neighbours; floats of one channel already are. */
#include "resample_strip.cuh"

/* Samples of a thread, which are a warp apart, and of a strip. */
static const int downsample_outputs = 2, downsample_strip = downsample_outputs * CUDA_WARP;
/* The most taps, and samples of the source that a strip reads. */
static const int downsample_taps = 32, downsample_span = 1024;
/* How many taps fewer than the kernel's maximum a row may have to run without a branch per tap. */
__host__ __device__ static constexpr int downsample_loose(int taps)
{
    return taps >= 24 ? 7 : taps >= 18 ? 5 : 3;
}

/* Rows of a strip as f32 in shared memory: channels are `pitch` apart, from pixel -`before` of the strip on,
 * since copies begin before it. */
struct DownsampleLayout {
    int channels, pitch, before;
};

/* Bytes of a step of rows, and of their lines of the program. */
static int downsample_stage(const StripArgs *a) { return strip_step * (a->bytes + (int)sizeof(StripLine)); }

/* Starts the copy of the next rows, of `left`, and of their lines. */
CUDA_INLINE void downsample_fetch(const StripArgs &a, StripStage &s, const StripLine *line, bool complete,
                                  int left, char *there)
{
    const int rows = max(0, min(strip_step, left)), lines = strip_step * a.bytes;
    if ((int)threadIdx.x * 16 < rows * (int)sizeof(StripLine))
        __pipeline_memcpy_async(there + lines + threadIdx.x * 16, (const char *)line + threadIdx.x * 16, 16);
#pragma unroll 1
    for (int r = 0; r < rows; r++, s.row += a.all.src_stride, there += a.bytes) {
        if (complete)
            for (int b = (int)threadIdx.x * 16; b < a.bytes; b += CUDA_WARP * 16)
                __pipeline_memcpy_async(there + b, s.row + b, 16);
        else
            strip_pieces<0>(a, there, s);
    }
    __pipeline_commit();
}

/* Computes where the samples of a staged row go, four at a time. The tile is cleared first: taps of weight 0
 * may read places that are never written. */
CUDA_INLINE void downsample_places(const StripArgs &a, const DownsampleLayout &layout, int off, ushort4 *place,
                                   float *tile)
{
    const int samples = a.bytes / cuda_size(a.all.src_dtype);
    for (int i = (int)threadIdx.x; i < samples; i += CUDA_WARP) {
        const int at = i - off + layout.before * layout.channels, pixel = at / layout.channels;
        reinterpret_cast<uint16_t *>(place)[i] =
            (uint16_t)((at - pixel * layout.channels) * layout.pitch + pixel);
    }
    for (int i = (int)threadIdx.x; i < strip_step * a.floats + downsample_taps; i += CUDA_WARP) tile[i] = 0.0f;
    __syncwarp();
}

/* Converts copied rows to f32, each sample to its place. If pieces begin before the samples, these are `from`
 * bytes later, and those of each next row another stride. */
template <typename S>
CUDA_INLINE void downsample_spread(const StripArgs &a, const char *raw, float *tile, int rows, unsigned from,
                                   const ushort4 *place)
{
    const int groups = a.bytes / (int)sizeof(CudaWord<S>);
    for (int r = 0; r < rows; r++, raw += a.bytes, tile += a.floats, from += (unsigned)a.all.src_stride)
#pragma unroll 2
        for (int i = (int)threadIdx.x; i < groups; i += CUDA_WARP) {
            const CudaWord<S> *const word = reinterpret_cast<const CudaWord<S> *>(raw) + i;
            float4 v;
            if constexpr (sizeof(S) < sizeof(float))
                v = cuda_widen4(
                    a.piece > 0 ? *word
                                : resample_shifted(reinterpret_cast<const uint32_t *>(word), from & 15, S()));
            else
                v = *word;
            if (a.all.channels == 1) {
                reinterpret_cast<float4 *>(tile)[i] = v;
                continue;
            }
            const ushort4 to = place[i];
            tile[to.x] = v.x;
            tile[to.y] = v.y;
            tile[to.z] = v.z;
            tile[to.w] = v.w;
        }
}

/* Goes down the rows: `row(staged, v)` computes a thread's samples of the horizontal pass, `store(out, sums)`
 * stores an output of each of its columns. */
template <typename Row, typename Store>
CUDA_INLINE void downsample_rows(const StripArgs &a, const StripPlace &p, StripStage s,
                                 const DownsampleLayout &layout, int off, Row row, Store store)
{
    CUDA_SHARED(char, memory);
    const int stage = strip_step * (a.bytes + (int)sizeof(StripLine)),
              pitch = a.floats > 0 ? a.floats : a.bytes / 4;
    const bool complete = a.piece == 16 && s.to == a.bytes;
    const StripLine *const lines = a.program + (p.y - a.first);
    float *const tile = (float *)(memory + strip_stages * stage);
    ushort4 *const place = (ushort4 *)(tile + strip_step * a.floats + downsample_taps);
    const unsigned top = (unsigned)(uintptr_t)s.row, step = strip_step * (unsigned)a.all.src_stride;
    StripChain<downsample_outputs, strip_chain> chain;
    for (int t = 0; t < strip_stages - 1; t++)
        downsample_fetch(a, s, lines + t * strip_step, complete, p.source - t * strip_step, memory + t * stage);
    if (a.floats > 0) downsample_places(a, layout, off, place, tile);
#pragma unroll 1
    for (int t = 0; t * strip_step < p.source; t++) {
        char *const here = memory + t % strip_stages * stage;
        const int next = t + strip_stages - 1, rows = min(strip_step, p.source - t * strip_step);
        downsample_fetch(a, s, lines + next * strip_step, complete, p.source - next * strip_step,
                         memory + next % strip_stages * stage);
        __pipeline_wait_prior(strip_stages - 1);
        __syncwarp();
        const StripLine *line = (const StripLine *)(here + strip_step * a.bytes);
        const float *from = (const float *)here;
        if (a.floats > 0) {
            cuda_typed(a.all.src_dtype, [&](auto zero) {
                downsample_spread<decltype(zero)>(a, here, tile, rows, top + t * step, place);
            });
            __syncwarp();
            from = tile;
        }
#pragma unroll 1
        for (int r = 0; r < rows; r++, from += pitch, line++) {
            float v[downsample_outputs];
            row(from, v);
            chain.take(*line, v, store);
        }
        __syncwarp();
    }
}

template <int Taps>
__global__ static void __launch_bounds__(CUDA_WARP, Taps > 18 ? 12 : 16)
    downsample_kernel(const __grid_constant__ StripArgs a)
{
    const ResampleArgs &all = a.all;
    const int channels = all.channels, size = cuda_size(all.src_dtype);
    const int64_t width = all.cols * channels;
    const StripPlace p = strip_place(a, downsample_strip);
    int64_t left, first;
    resample_row(all.x, all.dst_x + p.x / channels, &left);
    const int64_t at = (left - all.src_x) * channels * size; /* offset in the row of the strip's first sample */
    const int off = a.piece > 0 ? (int)(at & (a.piece - 1)) / size : 0;
    const DownsampleLayout layout = {channels, a.floats / channels, (off + channels - 1) / channels};
    StripStage s;
    s.row = all.src + (p.y - all.src_y) * all.src_stride + at - off * size;
    s.from = 0;
    s.to = (int)cuda_min(a.bytes, all.src_cols * channels * size - at + off * size);
    float tap[downsample_outputs][Taps];
    int count[downsample_outputs], from[downsample_outputs];
    bool full = true;
#pragma unroll
    for (int k = 0; k < downsample_outputs; k++) {
        const int64_t e = cuda_min(p.x + threadIdx.x + k * CUDA_WARP, width - 1), pixel = e / channels;
        const int64_t row = resample_row(all.x, all.dst_x + pixel, &first);
        count[k] = (int)all.x.count[row];
        from[k] = a.floats > 0
                      ? (int)(e - pixel * channels) * layout.pitch + (int)(first - left) + layout.before
                      : off + (int)(first - left);
#pragma unroll
        for (int t = 0; t < Taps; t++) tap[k][t] = t < count[k] ? all.x.tap[row * all.x.taps + t] : 0.0f;
        if (size < 4) count[k] = Taps; /* integers of weight 0 change no sum */
        full = full && count[k] >= Taps - downsample_loose(Taps);
    }
    full = __all_sync(CUDA_ALL, full);
    unsigned clipped = 0;
    downsample_rows(
        a, p, s, layout, off,
        [&](const float *staged, float *v) {
#pragma unroll
            for (int k = 0; k < downsample_outputs; k++) {
                const float *const mine = staged + from[k];
                v[k] = 0.0f;
                if (full) {
#pragma unroll
                    for (int t = 0; t < Taps; t++)
                        if (t < Taps - downsample_loose(Taps) || t < count[k])
                            v[k] = halo_fma(tap[k][t], mine[t], v[k]);
                } else {
#pragma unroll
                    for (int t = 0; t < Taps; t++)
                        if (t < count[k]) v[k] = halo_fma(tap[k][t], mine[t], v[k]);
                }
            }
        },
        [&](int64_t out, const float *v) {
            if ((uint64_t)(out - all.dst_y - p.top) >= (uint64_t)p.rows) return;
#pragma unroll
            for (int k = 0; k < downsample_outputs; k++)
                if (p.x + threadIdx.x + k * CUDA_WARP < width)
                    resample_store(all, p.x + threadIdx.x + k * CUDA_WARP, out - all.dst_y, v[k], &clipped);
        });
    cuda_count_clipped(all.clipped, clipped);
}

/* ---- launches -------------------------------------------------------------------------------------------- */

/* Samples of the source that a strip reads, at most, with those that alignment adds. */
static int64_t span_of(const ResampleArgs *args)
{
    const double over = (double)args->x.length / (double)args->x.size;
    const double pixels = ((double)downsample_strip / args->channels + 2.0) * over + (double)args->x.taps + 2.0;
    return pixels * args->channels < 1e6 ? (int64_t)(pixels * args->channels) + 16 : 1000000;
}

bool resample_down_takes(const ResampleArgs *args)
{
    const HaloResampleAxis *const y = &args->y;
    return args->x.taps <= downsample_taps && span_of(args) <= downsample_span &&
           (double)y->taps * (double)y->size <= (strip_chain - 1) * (double)y->length;
}

template <int Taps> static HaloStatus launch(HaloDevice *device, StripArgs *a)
{
    const int samples = a->bytes / (int)halo_dtype_size(a->all.src_dtype);
    const int rows = a->floats > 0 ? (strip_step * a->floats + downsample_taps) * 4 + samples * 2 : 0;
    const int shared = strip_stages * downsample_stage(a) + rows;
    int resident = 0;
    int64_t slices;
    CUDA_PASS(cuda_allow_shared((const void *)downsample_kernel<Taps>, (size_t)shared));
    CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, downsample_kernel<Taps>, CUDA_WARP,
                                                           (size_t)shared));
    strip_slices(a, (int64_t)resident * device->properties.multiProcessorCount, &slices);
    CUDA_LAUNCH(device, downsample_kernel<Taps>, a->across * slices, CUDA_WARP, shared, *a);
    return HALO_OK;
}

HaloStatus resample_down(HaloDevice *device, StripArgs *a)
{
    static const int sizes[] = {2, 4, 8, 12, 16, 18, 24, 32};
    const int size = (int)halo_dtype_size(a->all.src_dtype), channels = a->all.channels,
              samples = (int)(span_of(&a->all) + 15) / 16 * 16;
    a->across = a->tiles = (unsigned)cuda_ceil_div(a->all.cols * channels, downsample_strip);
    a->piece = cuda_aligned(a->all.src, a->all.src_stride, 16)  ? 16
               : cuda_aligned(a->all.src, a->all.src_stride, 4) ? 4
                                                                : 0;
    a->bytes = samples * size;
    /* Pixels of a row: copies begin up to 15 samples before the first, possibly within a pixel. */
    const int pitch = (samples + 15 + channels - 1) / channels + 1;
    a->floats = size == 4 && channels == 1 ? 0 : cuda_ceil_div(channels * (pitch | 1), 4) * 4;
    int taps = 0;
    while (sizes[taps] < a->all.x.taps) taps++;
    switch (sizes[taps]) {
    case 2: return launch<2>(device, a);
    case 4: return launch<4>(device, a);
    case 8: return launch<8>(device, a);
    case 12: return launch<12>(device, a);
    case 16: return launch<16>(device, a);
    case 18: return launch<18>(device, a);
    case 24: return launch<24>(device, a);
    default: return launch<32>(device, a);
    }
}
