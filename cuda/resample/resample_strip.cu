/* Downsampling: the program of rows, taps by columns, and the choice of a kernel. */
#include "resample_strip.cuh"

static const int strip_threads = 128;

/* ---- the program ----------------------------------------------------------------------------------------- */

__device__ static int64_t end_of(const HaloResampleAxis &y, int64_t i)
{
    int64_t first;
    const int64_t row = resample_row(y, i, &first);
    return first + y.count[row];
}

/* The first output whose taps end after row j. */
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

CUDA_INLINE StripLine make_line(const HaloResampleAxis &y, int64_t j)
{
    const int64_t base = base_of(y, j);
    StripLine line = {};
    line.base = (int)base;
    for (int64_t o = base; o < y.size && end_of(y, o) == j + 1; o++) line.mark++;
    for (int i = 0; i < strip_chain && base + i < y.size; i++) {
        int64_t first;
        const int64_t row = resample_row(y, base + i, &first);
        if (j < first) break; /* later outputs have not begun either */
        line.weight[line.used++] = y.tap[row * y.taps + (j - first)];
    }
    return line;
}

/* The weight in column x of pixel e of its thread, which has so many columns. A pixel outside of the source is
 * +0 and has weight -0, which does not change a sum. */
CUDA_INLINE float half_weight(const ResampleArgs &all, int64_t x, int64_t e, int columns)
{
    int64_t first;
    if (x >= all.cols) return -0.0f;
    const int64_t row = resample_row(all.x, all.dst_x + x, &first), t = e - 2 * (x % columns);
    const int64_t i = 2 * (all.dst_x + x) - (all.x.taps / 2 - 1) + t - first;
    return i >= 0 && i < all.x.count[row] ? all.x.tap[row * all.x.taps + i] : -0.0f;
}

/* Threads make `lines` lines of the program, then `weights` weights for halving. */
__global__ static void __launch_bounds__(strip_threads)
    program_kernel(const __grid_constant__ StripArgs a, StripLine *program, int64_t lines, float *weight,
                   int64_t weights, int columns)
{
    const int64_t k = (int64_t)blockIdx.x * strip_threads + threadIdx.x;
    if (k < lines)
        program[k] = make_line(a.all.y, a.first + k);
    else if (k - lines < weights)
        weight[k - lines] = half_weight(a.all, (k - lines) % a.pitch, (k - lines) / a.pitch, columns);
}

/* ---- the choice ------------------------------------------------------------------------------------------ */

bool resample_strip_takes(const ResampleArgs *args, const HaloResample *host)
{
    if (args->x.length > INT32_MAX / 8 || args->y.length > INT32_MAX / 4 || args->y.size > INT32_MAX / 4)
        return false;
    return resample_half_takes(args, host) || resample_down_takes(args);
}

void strip_slices(StripArgs *args, int64_t blocks, int64_t *slices)
{
    const double over = (double)args->all.y.length / (double)args->all.y.size;
    const int64_t usual = cuda_max(8, (int64_t)(strip_slice / over)),
                  at_once = cuda_max(1, blocks / args->across);
    args->slice_rows = resample_slice(args->all.rows, usual, at_once);
    *slices = cuda_ceil_div(args->all.rows, args->slice_rows);
}

/* The taps of outputs in the middle of an axis. */
static void middle_taps(const HaloResampleAxis *axis, float tap[HALF_TAPS])
{
    const HaloResampleTaps middle = halo_resample_at(axis, axis->left);
    for (int64_t t = 0; t < middle.count; t++) tap[t] = middle.tap[t];
}

HaloStatus resample_strip(HaloDevice *device, const ResampleArgs *all, const HaloResample *host)
{
    StripArgs args = {};
    const HaloResampleTaps last = halo_resample_at(&host->y, all->dst_y + all->rows - 1);
    const bool half = resample_half_takes(all, host);
    void *block;
    args.all = *all;
    args.first = halo_resample_at(&host->y, all->dst_y).first;
    const int64_t lines = last.first + last.count - args.first;
    const int columns = half ? resample_half_columns(all) : 1, strip = columns * CUDA_WARP;
    args.pitch = half ? cuda_ceil_div(all->cols, strip) * strip : 0;
    const int64_t weights = args.pitch * (all->x.taps + 2 * (columns - 1));
    const int64_t line_bytes = lines * (int64_t)sizeof(StripLine); /* a multiple of 16 */
    CUDA_PASS(
        cuda_scratch(device, CUDA_SCRATCH_PARTIAL, line_bytes + weights * (int64_t)sizeof(float), &block));
    StripLine *const program = (StripLine *)block;
    float *const weight = (float *)((char *)block + line_bytes);
    CUDA_LAUNCH(device, program_kernel, cuda_ceil_div(lines + weights, strip_threads), strip_threads, 0, args,
                program, lines, weight, weights, columns);
    args.program = program;
    args.taps = weight;
    if (!half) return resample_down(device, &args);
    middle_taps(&host->x, args.tap);
    middle_taps(&host->y, args.tap_y);
    return resample_half(device, &args);
}
