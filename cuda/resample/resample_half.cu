/* Halves: all columns but those at the ends have the same taps, which stand in the kernel's parameters, and a thread's
 * columns lie side by side, so that what it loads serves several of them. */
#include "resample_strip.cuh"

/* Columns of a thread, by channels; samples of it; and blocks that are to fit a multiprocessor. */
template <int C> struct Half {
    static constexpr int columns = C == 1 ? 4 : 2, own = columns * C, strip = columns * CUDA_WARP, blocks = C == 1 ? 24 : 16;
    /* 16 bytes of threads that load them together lie so far apart that they meet in a bank, unless turned round. */
    static constexpr bool turned = C != 3;
};

/* Pixels before a strip's first pixel of the source that its first tap reads, and that are staged. */
__host__ __device__ static constexpr int half_before(int taps) { return taps / 2 - 1; }
__host__ __device__ static constexpr int half_lead(int taps) { return taps > 8 ? 8 : taps > 2 ? 4 : 0; }

/* Samples of the source that a strip stages of a row. */
__host__ __device__ static constexpr int half_staged(int channels, int taps, int strip)
{
    return ((half_lead(taps) - half_before(taps) + 2 * (strip - 1) + taps) * channels + 15) / 16 * 16;
}

/* Calls f(pixel, channel, sample) for all that a thread's columns read, in their order. */
template <int C, int Taps, typename F> __device__ __forceinline__ static void half_window(const float *staged, F f)
{
    typedef Half<C> H;
    constexpr int skip = (half_lead(Taps) - half_before(Taps)) * C, samples = (2 * (H::columns - 1) + Taps) * C;
    const int first = (int)threadIdx.x * (2 * H::own / 4);
#pragma unroll
    for (int q = skip / 4; q < (skip + samples + 3) / 4; q++) {
        const float4 four = reinterpret_cast<const float4 *>(staged)[strip_at<H::turned>(first + q)];
        const float v[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int e = 4 * q + i - skip;
            if (e >= 0 && e < samples) f(e / C, e % C, v[i]);
        }
    }
}

/* The row pass, with weights from `tap(column, t)`. */
template <int C, int Taps, typename T>
__device__ __forceinline__ static void half_row(const float *staged, float *v, T tap)
{
    typedef Half<C> H;
#pragma unroll
    for (int i = 0; i < H::own; i++) v[i] = 0.0f;
    half_window<C, Taps>(staged, [&](int pixel, int c, float sample) {
#pragma unroll
        for (int column = 0; column < H::columns; column++) {
            const int t = pixel - 2 * column;
            if (t >= 0 && t < Taps) v[column * C + c] = halo_fma(tap(column, t), sample, v[column * C + c]);
        }
    });
}

/* Stores a thread's outputs. */
template <int C>
__device__ __forceinline__ static void half_store(const ResampleArgs &a, int64_t x, int64_t y, int left, const float *v,
                                                  unsigned *clipped)
{
    constexpr int own = Half<C>::own;
    char *const row = a.dst + y * a.dst_stride;
    float made[own];
#pragma unroll
    for (int k = 0; k < own; k++) made[k] = v[k];
    if (a.store.num != 1.0f || a.store.den != 1.0f)
#pragma unroll
        for (int k = 0; k < own; k++) made[k] = halo_rescale(made[k], a.store);
    cuda_typed(a.dst_dtype, [&](auto zero) {
        using D = decltype(zero);
        constexpr int at_once = own % 4 == 0 ? 4 : 2;
        D *const to = (D *)row + x * C;
        if (left < own || (uintptr_t)to % (at_once * sizeof(D)) != 0) {
#pragma unroll
            for (int k = 0; k < own; k++)
                if (k < left) to[k] = cuda_sample<D>(made[k], {1.0f, 1.0f}, clipped);
        } else if constexpr (at_once == 4) {
#pragma unroll
            for (int k = 0; k < own; k += 4) cuda_store_fours<D, 4, true>(to + k, made + k, clipped);
        } else if constexpr (sizeof(D) == sizeof(float)) {
#pragma unroll
            for (int k = 0; k < own; k += 2)
                *reinterpret_cast<float2 *>(to + k) = make_float2(cuda_canonical(made[k]), cuda_canonical(made[k + 1]));
        } else {
            uint32_t n[own];
            cuda_round<D, own>(made, n, clipped);
#pragma unroll
            for (int k = 0; k < own; k += 2) *reinterpret_cast<CudaPack<D, 2> *>(to + k) = {(D)n[k], (D)n[k + 1]};
        }
    });
}

template <int C, int Taps>
__global__ static void __launch_bounds__(CUDA_WARP, Half<C>::blocks) half_kernel(const __grid_constant__ StripArgs a)
{
    typedef Half<C> H;
    constexpr int floats = half_staged(C, Taps, H::strip);
    const HaloResampleAxis &x = a.all.x;
    const StripPlace p = strip_place(a, H::strip);
    const int64_t mine = p.x + (int)threadIdx.x * H::columns, left = (a.all.cols - mine) * C;
    const int size = a.all.src_dtype == HALO_U8 ? 1 : a.all.src_dtype == HALO_U16 ? 2 : 4;
    /* the first pixel that is staged, and those that there are */
    const int64_t pixel = 2 * (a.all.dst_x + p.x) - half_lead(Taps);
    StripStage s;
    s.row = a.all.src + (p.y - a.all.src_y) * a.all.src_stride + (pixel - a.all.src_x) * C * size - a.extra;
    s.from = (int)cuda_max(0, (a.all.src_x - pixel) * C * size + a.extra);
    s.to = (int)cuda_min(a.bytes, (a.all.src_x + a.all.src_cols - pixel) * C * size + a.extra);
    unsigned clipped = 0;
    const auto store = [&](int64_t out, const float *v) {
        if (left > 0) half_store<C>(a.all, mine, out, (int)cuda_min(left, H::own), v, &clipped);
    };
    const int64_t first = a.all.dst_x + p.x;
    if (first >= x.left && first + H::strip <= x.size - x.right)
        strip_walk<H::own, Taps / 2, floats, H::turned>(
            a, p, s,
            [&](const float *staged, float *v) { half_row<C, Taps>(staged, v, [&](int, int t) { return a.tap[t]; }); },
            store);
    else
        strip_walk<H::own, Taps / 2, floats, H::turned>(
            a, p, s,
            [&](const float *staged, float *v) {
                const float *const own = a.taps + mine;
                half_row<C, Taps>(staged, v, [&](int column, int t) { return own[t * a.pitch + column]; });
            },
            store);
    cuda_count(a.all.clipped, clipped);
}

/* ---- launching ------------------------------------------------------------------------------------------ */

/* Taps of halves: of area, linear, cubic (lanczos2 and mitchell have as many) and lanczos3. */
static bool half_taps(int64_t taps) { return taps == 2 || taps == 4 || taps == 8 || taps == 12; }

bool resample_half_takes(const ResampleArgs *args, const HaloResample *host)
{
    const HaloResampleAxis *const x = &host->x;
    if (args->channels == 2 || args->channels > 4 || x->up != 1 || x->down != 2 || !half_taps(x->taps)) return false;
    const HaloResampleTaps middle = halo_resample_at(x, x->left);
    return middle.count == x->taps && middle.first == 2 * x->left - half_before((int)x->taps) &&
           2 * resample_most(&host->y) <= x->taps;
}

template <int C, int Taps> static HaloStatus launch(HaloDevice *device, StripArgs *a, int64_t slices)
{
    const int size = (int)halo_dtype_size(a->all.src_dtype), floats = half_staged(C, Taps, Half<C>::strip);
    const int64_t origin = (2 * a->all.dst_x - half_lead(Taps) - a->all.src_x) * C * size; /* of the first strip */
    /* Floats are copied to where they are read; of integers more may be copied, as long as fours begin where words do. */
    const auto extra = [&](int bytes) { return (int)((origin % bytes + bytes) % bytes); };
    const auto pieces = [&](int bytes) {
        return cuda_aligned(a->all.src, a->all.src_stride, bytes) && extra(bytes) % (size < 4 ? 4 * size : 16) == 0;
    };
    a->tiles = (unsigned)cuda_ceil_div(a->all.cols, Half<C>::strip);
    a->piece = pieces(16) ? 16 : pieces(4) ? 4 : 0;
    a->extra = a->piece > 0 ? extra(a->piece) : 0;
    a->floats = size < 4 ? floats : 0;
    a->bytes = (floats * size + a->extra + 15) / 16 * 16;
    CUDA_LAUNCH(device, (half_kernel<C, Taps>), a->tiles * slices, CUDA_WARP, strip_shared(a), *a);
    return HALO_OK;
}

template <int C> static HaloStatus launch_taps(HaloDevice *device, StripArgs *args, int64_t slices)
{
    switch (args->all.x.taps) {
    case 2: return launch<C, 2>(device, args, slices);
    case 4: return launch<C, 4>(device, args, slices);
    case 8: return launch<C, 8>(device, args, slices);
    default: return launch<C, 12>(device, args, slices);
    }
}

int resample_half_columns(const ResampleArgs *args)
{
    return args->channels == 1 ? Half<1>::strip : args->channels == 3 ? Half<3>::strip : Half<4>::strip;
}

HaloStatus resample_half(HaloDevice *device, StripArgs *args, int64_t slices)
{
    switch (args->all.channels) {
    case 1: return launch_taps<1>(device, args, slices);
    case 3: return launch_taps<3>(device, args, slices);
    default: return launch_taps<4>(device, args, slices);
    }
}
