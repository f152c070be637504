/* Resampling to fewer rows: the program of rows, taps by columns, and the choice of a kernel. */
#include "resample_strip.cuh"

static const int strip_threads = 128;

/* ---- the program ---------------------------------------------------------------------------------------- */

__device__ static int64_t end_of(const HaloResampleAxis &y, int64_t i)
{
    int64_t first;
    const int64_t row = resample_row(y, i, &first);
    return first + y.count[row];
}

/* The first output whose taps end behind row j. */
__device__ static int64_t base_of(const HaloResampleAxis &y, int64_t j)
{
    int64_t low = 0, high = y.size - 1;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (end_of(y, middle) > j)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

__device__ __forceinline__ static StripLine make_line(const HaloResampleAxis &y, int64_t j)
{
    const int64_t base = base_of(y, j);
    StripLine line = {};
    line.base = (int)base;
    for (int64_t o = base; o < y.size && end_of(y, o) == j + 1; o++) line.mark++;
    for (int i = 0; i < strip_chain && base + i < y.size; i++) {
        int64_t first;
        const int64_t row = resample_row(y, base + i, &first);
        if (j < first) break; /* nor do those after it begin yet */
        line.weight[line.used++] = y.tap[row * y.taps + (j - first)];
    }
    return line;
}

/* Tap t of column x where every column has `count` taps from sample 2 x - before on, but those that lie outside: -0,
 * which leaves a sum what it is where the sample is +0. */
__device__ __forceinline__ static float half_tap(const ResampleArgs &all, int64_t x, int64_t t)
{
    int64_t first;
    if (x >= all.cols) return -0.0f;
    const int64_t row = resample_row(all.x, all.dst_x + x, &first);
    const int64_t i = 2 * (all.dst_x + x) - (all.x.taps / 2 - 1) + t - first;
    return i >= 0 && i < all.x.count[row] ? all.x.tap[row * all.x.taps + i] : -0.0f;
}

/* Threads make `lines` lines, then the taps of columns, where there are any. */
__global__ static void __launch_bounds__(strip_threads)
    program_kernel(const __grid_constant__ StripArgs a, StripLine *program, int64_t lines, float *taps)
{
    const int64_t k = (int64_t)blockIdx.x * strip_threads + threadIdx.x;
    if (k < lines)
        program[k] = make_line(a.all.y, a.first + k);
    else if (k - lines < a.pitch * a.all.x.taps)
        taps[k - lines] = half_tap(a.all, (k - lines) % a.pitch, (k - lines) / a.pitch);
}

/* ---- the choice ----------------------------------------------------------------------------------------- */

int64_t resample_most(const HaloResampleAxis *host)
{
    int64_t most = 0;
    for (int64_t i = 0, base = 0; i < host->size; i++) {
        const int64_t first = halo_resample_at(host, i).first;
        for (;; base++) {
            const HaloResampleTaps taps = halo_resample_at(host, base);
            if (taps.first + taps.count > first) break;
        }
        most = cuda_max(most, i - base + 1);
    }
    return most;
}

bool resample_strip_takes(const ResampleArgs *args, const HaloResample *host)
{
    if (args->x.length > INT32_MAX / 8 || args->y.length > INT32_MAX / 4 || args->y.size > INT32_MAX / 4) return false;
    return (resample_half_takes(args, host) || resample_down_takes(args)) && resample_most(&host->y) <= strip_chain;
}

/* Fills in what a strip of halves needs to know of the columns' taps. */
static void middle_taps(StripArgs *args, const HaloResampleAxis *x)
{
    const HaloResampleTaps middle = halo_resample_at(x, x->left);
    for (int64_t t = 0; t < middle.count; t++) args->tap[t] = middle.tap[t];
}

HaloStatus resample_strip(HaloDevice *device, const ResampleArgs *all, const HaloResample *host)
{
    StripArgs args = {};
    const HaloResampleTaps last = halo_resample_at(&host->y, all->dst_y + all->rows - 1);
    const bool half = resample_half_takes(all, host);
    void *block;
    args.all = *all;
    args.first = halo_resample_at(&host->y, all->dst_y).first;
    const int64_t lines = last.first + last.count - args.first, line_bytes = lines * (int64_t)sizeof(StripLine);
    const int columns = half ? resample_half_columns(all) : 1;
    args.pitch = half ? cuda_ceil_div(all->cols, columns) * columns : 0;
    const int64_t taps = args.pitch * all->x.taps;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_PARTIAL, line_bytes + taps * (int64_t)sizeof(float), &block));
    StripLine *const program = (StripLine *)block;
    float *const table = (float *)((char *)block + line_bytes);
    CUDA_LAUNCH(device, program_kernel, cuda_ceil_div(lines + taps, strip_threads), strip_threads, 0, args, program, lines,
                table);
    args.program = program;
    args.taps = table;
    if (half) middle_taps(&args, &host->x);
    const double over = (double)all->y.length / (double)all->y.size;
    args.slice_rows = cuda_max(8, cuda_min(all->rows, (int64_t)(strip_slice / over)));
    const int64_t slices = cuda_ceil_div(all->rows, args.slice_rows);
    return half ? resample_half(device, &args, slices) : resample_down(device, &args, slices);
}
