/* Gathers of narrow images: a block makes groups of four samples of many rows, where gather.cu takes a warp per
 * row. A thread has the same group of several rows, and finds the columns of its samples once. */
#include "gather_samples.cuh"
#include "rows.cuh"

static const int narrow_threads = 256;
static const int narrow_each = 8;     /* rows of a thread, at most */
static const int narrow_blocks = 8;   /* per multiprocessor, before threads have more than one row */
static const int narrow_samples = 64; /* of a row, at most: a wider row keeps a warp busy */
static const int narrow_rows = 64;    /* at least */

/* Makes samples [e, e + Count) of every side_by_side-th row from y on of the destination's rectangle, Count in
 * one access. */
template <bool Plain, int Count, typename S, typename D>
CUDA_INLINE void make_samples(const GatherArgs &a, int e, int64_t y, int side_by_side, int each,
                              unsigned *clipped)
{
    const int64_t begin = a.gather.x0 + a.gather.step_x * a.dst_x;
    const int count = min(Count, (int)a.cols * a.channels - e);
    int at[Count]; /* in a row of the source; -1: outside */
#pragma unroll
    for (int i = 0; i < Count; i++) {
        const int pixel = gather_pixel(a, e + min(i, count - 1));
        const int64_t u = halo_border_index(begin + a.gather.step_x * pixel, a.src_width, a.gather.border);
        at[i] = u < 0 ? -1 : (int)(u - a.src_x) * a.channels + e + min(i, count - 1) - pixel * a.channels;
    }
#pragma unroll 4
    for (int k = 0; k < each; k++, y += side_by_side) {
        if (y >= a.rows) return;
        const int64_t v =
            halo_border_index(a.gather.y0 + a.gather.step_y * (a.dst_y + y), a.src_height, a.gather.border);
        const S *const from = (const S *)(a.src + (v - a.src_y) * a.src_stride);
        D *const to = (D *)(a.dst + y * a.dst_stride) + e;
        const auto sample = [&](int i) {
            if (at[i] < 0 || v < 0)
                return cuda_sample<D>(halo_border_value(a.gather.border, a.gather.value), a.store, clipped);
            return gather_made<Plain, S, D>(a, __ldg(from + at[i]), clipped);
        };
        if (count == Count) {
            CudaPack<D, Count> pack;
#pragma unroll
            for (int i = 0; i < Count; i++) pack.at[i] = sample(i);
            *reinterpret_cast<CudaPack<D, Count> *>(to) = pack;
        } else {
#pragma unroll
            for (int i = 0; i < Count; i++)
                if (i < count) to[i] = sample(i);
        }
    }
}

/* `across`: packs of a row; `each`: rows of a thread. */
template <int Count, typename S, typename D>
__global__ static void __launch_bounds__(narrow_threads)
    narrow_kernel(const __grid_constant__ GatherArgs a, int across, int each)
{
    const int side_by_side = narrow_threads / across, line = (int)threadIdx.x / across,
              pack = (int)threadIdx.x - line * across;
    unsigned clipped = 0;
    if (line < side_by_side)
        gather_either<S, D>(a, [&](auto plain) {
            make_samples<decltype(plain)::value, Count, S, D>(
                a, pack * Count, (int64_t)blockIdx.x * (side_by_side * each) + line, side_by_side, each,
                &clipped);
        });
    cuda_count_clipped(a.clipped, clipped);
}

template <int Count, typename S, typename D>
static HaloStatus launch(HaloDevice *device, const GatherArgs *args)
{
    const int across = (int)cuda_ceil_div(args->cols * args->channels, Count),
              side_by_side = narrow_threads / across;
    const int64_t waves =
        args->rows / ((int64_t)side_by_side * narrow_blocks * device->properties.multiProcessorCount);
    const int each = (int)cuda_max(1, cuda_min(narrow_each, waves));
    CUDA_LAUNCH(device, (narrow_kernel<Count, S, D>), cuda_ceil_div(args->rows, side_by_side * each),
                narrow_threads, 0, *args, across, each);
    return HALO_OK;
}

bool gather_narrow_takes(const GatherArgs *a)
{
    return !a->gather.transposed && a->cols * a->channels <= narrow_samples && a->rows >= narrow_rows &&
           a->src_width <= INT32_MAX / narrow_samples;
}

HaloStatus gather_narrow(HaloDevice *device, const GatherArgs *args, HaloDtype from, HaloDtype to)
{
    return row_types(from, to, [&](auto s, auto d) {
        typedef decltype(s) S;
        typedef decltype(d) D;
        return cuda_aligned(args->dst, args->dst_stride, 4 * sizeof(D)) ? launch<4, S, D>(device, args)
                                                                        : launch<1, S, D>(device, args);
    });
}
