/* Pictures that become smaller in any ratio: a thread keeps the taps of two samples of a row. */
#include "resample_strip.cuh"

/* Samples of a thread, which lie a warp apart, and of a strip. */
static const int down_own = 2, down_strip = down_own * CUDA_WARP;
/* The most taps, and samples of the source that a strip reads. */
static const int down_taps = 32, down_span = 1024;
/* Taps that the rows of a table may have less than the kernel has room for, where all are done at full speed. */
static const int down_loose = 3;

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
    strip_walk<down_own, strip_chain, down_span, false>(
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
#pragma unroll
            for (int k = 0; k < down_own; k++)
                if (p.x + threadIdx.x + k * CUDA_WARP < width)
                    resample_store(all, p.x + threadIdx.x + k * CUDA_WARP, out, v[k], &clipped);
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
    return args->x.taps <= down_taps && span_of(args) <= down_span;
}

template <int Taps> static HaloStatus launch(HaloDevice *device, const StripArgs *a, int64_t slices)
{
    if (a->all.channels == 1)
        CUDA_LAUNCH(device, (down_kernel<Taps, true>), a->tiles * slices, CUDA_WARP, strip_shared(a), *a);
    else
        CUDA_LAUNCH(device, (down_kernel<Taps, false>), a->tiles * slices, CUDA_WARP, strip_shared(a), *a);
    return HALO_OK;
}

HaloStatus resample_down(HaloDevice *device, StripArgs *a, int64_t slices)
{
    static const int sizes[] = {2, 4, 8, 12, 16, 18, 24, 32};
    const int size = (int)halo_dtype_size(a->all.src_dtype), floats = (int)(span_of(&a->all) + 15) / 16 * 16;
    a->tiles = (unsigned)cuda_ceil_div(a->all.cols * a->all.channels, down_strip);
    a->piece = cuda_aligned(a->all.src, a->all.src_stride, 16) ? 16 : cuda_aligned(a->all.src, a->all.src_stride, 4) ? 4 : 0;
    a->bytes = floats * size;
    a->floats = size < 4 ? floats : 0;
    int taps = 0;
    while (sizes[taps] < a->all.x.taps) taps++;
    switch (sizes[taps]) {
#define CASE(taps) case taps: return launch<taps>(device, a, slices);
        CASE(2) CASE(4) CASE(8) CASE(12) CASE(16) CASE(18) CASE(24)
#undef CASE
    default: return launch<32>(device, a, slices);
    }
}
