/* Horizontal sums of narrow images: see narrow.cuh. */
#include "narrow.cuh"

static const int narrow_samples = 128;  /* of a line, at most */
static const int narrow_least = 256;    /* lines, at least */
static const int narrow_rows = 128;     /* lines of a block times channels, at most */
static const int narrow_shared = 37888; /* bytes of a block, about: six are resident */

/* Stores the results of a block's lines. */
template <typename D, typename Made, typename F>
CUDA_INLINE void store_lines(const MeanNarrow &a, int64_t y, int lines, const Made *sums, F stored)
{
    const MeanTarget &t = a.horizontal.target;
    const int64_t first = (y - t.base) % t.ring;
#pragma unroll 2
    for (int i = (int)threadIdx.x; i < lines * a.outputs; i += mean_threads) {
        const int l = a.of_outputs.over(i), e = i - l * a.outputs;
        const int64_t row = first + l < t.ring ? first + l : first + l - t.ring;
        ((D *)(t.data + row * t.stride))[e] =
            stored(sums[l * a.sums_pitch + e], (y + l - t.first) * a.outputs + e);
    }
}

CUDA_INLINE void store_typed(const MeanNarrow &a, int64_t y, int lines, const float *means, unsigned *clipped)
{
    const MeanTarget &t = a.horizontal.target;
    if (t.between) return store_lines<float>(a, y, lines, means, [](float mean, int64_t) { return mean; });
    cuda_typed(t.dtype, [&](auto zero) {
        using D = decltype(zero);
        store_lines<D>(a, y, lines, means,
                       [&](float mean, int64_t) { return cuda_sample<D>(mean, t.store, clipped); });
    });
}

CUDA_INLINE void store_typed(const MeanNarrow &a, int64_t y, int lines, const double *sums, unsigned *clipped)
{
    const MeanTarget &t = a.horizontal.target;
    if (t.dtype == HALO_F64)
        return store_lines<double>(a, y, lines, sums, [](double sum, int64_t) { return sum; });
    cuda_typed(t.dtype, [&](auto zero) {
        using D = decltype(zero);
        store_lines<D>(a, y, lines, sums, [&](double sum, int64_t at) {
            return cuda_sample<D>(mean_counted(sum, t.finish, t.finish.counts[at]), t.store, clipped);
        });
    });
}

template <int Run, typename V, typename Made>
__global__ static void __launch_bounds__(mean_threads, 6) narrow_kernel(const __grid_constant__ MeanNarrow a)
{
    CUDA_SHARED(Made, sums);
    const MeanHorizontal &horizontal = a.horizontal;
    const int64_t y = horizontal.y + (int64_t)blockIdx.x * a.lines;
    const int lines = (int)cuda_min(a.lines, horizontal.y + horizontal.lines - y);
    float *const tile = reinterpret_cast<float *>(sums + a.lines * a.sums_pitch);
    int *const place = reinterpret_cast<int *>(tile + a.lines * a.pitch);
    unsigned clipped = 0;
    find_positions<Run>(a, place);
    cuda_typed(horizontal.source.dtype, [&](auto zero) { stage_lines<decltype(zero)>(a, y, lines, tile); });
    __syncthreads();
    sum_lines<Run, V>(a, place, tile, lines, sums);
    __syncthreads();
    store_typed(a, y, lines, sums, &clipped);
    cuda_count_clipped(horizontal.target.clipped, clipped);
}

/* ---- launching ------------------------------------------------------------------------------------------- */

bool mean_narrow_suits(const MeanSource *source, int64_t cols, int64_t lines)
{
    return source->held * source->channels <= narrow_samples && lines >= narrow_least && source->held > 1 &&
           cols > 1;
}

bool mean_narrow_takes(const MeanHorizontal *a)
{
    return mean_narrow_suits(&a->source, a->cols, a->lines) &&
           (a->window - 1) / halo_mean_run(a->window) <= mean_totals_most;
}

template <int Run> static HaloStatus launch(HaloDevice *device, const MeanHorizontal *args)
{
    MeanNarrow a = narrow_of(args, Run);
    const bool doubles = mean_makes_doubles(args);
    const int made = doubles ? sizeof(double) : sizeof(float);
    const int line = a.sums_pitch * made + a.pitch * (int)sizeof(float), table = a.positions * (int)sizeof(int);
    a.lines = (int)cuda_max(1, cuda_min(narrow_rows / args->source.channels, (narrow_shared - table) / line));
    const int shared = a.lines * line + table;
    auto kernel = doubles ? narrow_kernel<Run, double, double> : narrow_kernel<Run, double, float>;
    if constexpr (Run == HALO_MEAN_RUN)
        if (!doubles && narrow_exact<Run>(args)) kernel = narrow_kernel<Run, float, float>;
    CUDA_LAUNCH(device, kernel, cuda_ceil_div(args->lines, a.lines), mean_threads, shared, a);
    return HALO_OK;
}

HaloStatus mean_narrow(HaloDevice *device, const MeanHorizontal *args)
{
    return mean_by_run(args->window, [&](auto run) { return launch<decltype(run)::value>(device, args); });
}
