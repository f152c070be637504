/* Windows that are far taller than their picture, of few rows. What the border makes of these rows has the same sums along it, so
 * that these are made once for each row, and once for what lies outside where that has a value of its own: by far fewer than
 * the positions of a window. A thread keeps those of its element, and sums them down the column in their order. */
#include "sums.cuh"

static const int few_threads = 128, few_rows = 16;
static const int few_times = 3; /* below, there are not many more positions than rows */

struct MeanFew {
    const void *rows;     /* [lines][n]: sums along the picture's rows, and outside of it */
    int lines, positions; /* of windows, from `begin` on, where the first run begins: whole runs */
    int window, run, totals;
    int64_t n, begin, first, count, height, oy;
    HaloBorder border;
    double *sums;         /* [position - first][n]; NULL: `target` */
    MeanTarget target;
};

/* The sums of what stands at positions of one column. `In` f32: k equal samples are a product by k, exact in f64. */
template <typename In> struct FewColumn {
    const double *sample; /* of a line: few_threads apart */
    const uint8_t *line;  /* of a position */
    const bool *alike;    /* of a run: is it one line? */
    int run;

    __device__ __forceinline__ double at(int position) const { return sample[line[position] * few_threads]; }
    __device__ __forceinline__ bool product(int position) const { return sizeof(In) == 4 && alike[position / run]; }
    __device__ __forceinline__ double forward(int first, int count) const
    {
        double sum = at(first);
        if (product(first)) return sum * (double)count;
#pragma unroll 4
        for (int i = 1; i < count; i++) sum = sum + at(first + i);
        return sum;
    }
    __device__ __forceinline__ double backward(int first, int count) const
    {
        double sum = at(first + count - 1);
        if (product(first)) return sum * (double)count;
#pragma unroll 4
        for (int i = count - 2; i >= 0; i--) sum = at(first + i) + sum;
        return sum;
    }
};

__device__ __forceinline__ static void few_store(const MeanFew &f, int64_t position, int64_t e, double sum, unsigned *clipped)
{
    float mean[1];
    if (f.sums != NULL) {
        f.sums[(position - f.first) * f.n + e] = sum;
        return;
    }
    const double sums[1] = {sum};
    mean_quotients<1>(sums, f.target.finish, mean);
    cuda_typed(f.target.dtype, [&](auto zero) {
        using D = decltype(zero);
        ((D *)(f.target.data + (position - f.target.base) * f.target.stride))[e] = cuda_sample<D>(mean[0], f.target.store, clipped);
    });
}

template <typename In> __global__ static void __launch_bounds__(few_threads) few_kernel(const __grid_constant__ MeanFew f)
{
    CUDA_SHARED(double, samples);
    double *const totals = samples + f.lines * few_threads + threadIdx.x; /* of the runs behind the first */
    uint8_t *const line = reinterpret_cast<uint8_t *>(samples + (f.lines + f.totals) * few_threads);
    bool *const alike = reinterpret_cast<bool *>(line + f.positions);
    const int64_t e = (int64_t)blockIdx.x * few_threads + threadIdx.x;
    const FewColumn<In> column = {samples + threadIdx.x, line, alike, f.run};
    unsigned clipped = 0;
    for (int i = (int)threadIdx.x; i < f.positions; i += few_threads) {
        const int64_t row = halo_border_index(f.begin + i + f.oy, f.height, f.border);
        line[i] = (uint8_t)(row < 0 ? f.height : row);
    }
    for (int i = 0; i < f.lines; i++)
        samples[i * few_threads + threadIdx.x] = e < f.n ? (double)__ldg((const In *)f.rows + i * f.n + e) : 0.0;
    __syncthreads();
    for (int r = (int)threadIdx.x; r < f.positions / f.run; r += few_threads) {
        bool same = true;
        for (int k = 1; k < f.run; k++) same = same && line[r * f.run + k] == line[r * f.run];
        alike[r] = same;
    }
    __syncthreads();
    for (int r = 0; r < f.totals; r++) totals[r * few_threads] = column.forward((r + 1) * f.run, f.run);
#pragma unroll 1
    for (int64_t y = f.first; e < f.n && y < f.first + f.count; y++) {
        const int at = (int)(y - f.begin), run = at / f.run, end = at + f.window - 1, last = end / f.run, between = last - run - 1;
        double sum = column.backward(at, (run + 1) * f.run - at);
        if (between > 0) {
            const double *const first = totals + run * few_threads;
            sum = sum + mean_window((int)(f.begin / f.run) + run + 1, between, [&](int i) { return first[i * few_threads]; });
        }
        few_store(f, y, e, sum + column.forward(last * f.run, end - last * f.run + 1), &clipped);
    }
    cuda_count_clipped(f.target.clipped, clipped);
}

/* ---- launching ----------------------------------------------------------------------------------------------------- */

/* All but what is in memory. */
static MeanFew few_of(const MeanJob *job)
{
    MeanFew f = {};
    const MeanSource &s = job->source;
    const int64_t run = halo_mean_run(job->window.height);
    f.lines = (int)s.height + (s.border == HALO_BORDER_ZERO || s.border == HALO_BORDER_CONSTANT);
    f.window = (int)job->window.height;
    f.run = (int)run;
    f.n = job->n;
    f.begin = job->y / run * run;
    f.first = job->y;
    f.count = job->rows;
    f.height = s.height;
    f.oy = s.oy;
    f.border = s.border;
    f.target = job->target;
    const int64_t last = (f.first + f.count - 1 + f.window - 1 - f.begin) / run;
    f.totals = (int)cuda_max(0, last - 1);
    f.positions = (int)((last + 1) * run);
    return f;
}

static int64_t few_shared(const MeanFew *f)
{
    return (f->lines + f->totals) * few_threads * (int64_t)sizeof(double) + f->positions + f->positions / f->run;
}

bool mean_few_rows_takes(const MeanJob *job)
{
    const int64_t height = job->source.height, window = job->window.height;
    if (!job->all || height > few_rows || window <= few_times * height) return false;
    if ((window - 1) / halo_mean_run(window) > mean_few) return false;
    const MeanFew f = few_of(job);
    return few_shared(&f) <= (int64_t)job->device->shared_most;
}

HaloStatus mean_few_rows(const MeanJob *job)
{
    const bool doubles = job->target.dtype == HALO_F64, counted = job->source.ignores && !doubles;
    const int64_t used = job->room->used;
    MeanFew f = few_of(job);
    const MeanTarget rows = mean_lines_target(job, -f.oy, f.lines);
    f.rows = rows.data;
    if (counted) f.sums = (double *)mean_take(job->room, f.count * f.n, sizeof(double));
    if (doubles) f.sums = (double *)job->target.data;
    CUDA_PASS(mean_lines(job, -f.oy, f.lines, &rows));
    if (job->room->base != NULL) {
        const int64_t blocks = cuda_ceil_div(f.n, few_threads);
        if (doubles)
            CUDA_LAUNCH(job->device, few_kernel<double>, blocks, few_threads, (int)few_shared(&f), f);
        else
            CUDA_LAUNCH(job->device, few_kernel<float>, blocks, few_threads, (int)few_shared(&f), f);
        if (counted) CUDA_PASS(mean_down_counted(job->device, &job->target, f.sums, f.first, f.count, f.n));
    }
    job->room->used = used;
    return HALO_OK;
}
