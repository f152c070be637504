/* Rank filters: the choice of a kernel (docs/kernels.md). */
#include "rank.cuh"

#include "adapt.cuh"

/* ---- bytes and words as floats -----------------------------------------------------------------------------
 */

static const int widen_threads = 256;

template <typename S>
__global__ static void __launch_bounds__(widen_threads)
    widen_kernel(const S *from, int64_t stride, float *to, unsigned cols, unsigned blocks)
{
    const int64_t row = blockIdx.x / blocks;
    const unsigned e = blockIdx.x % blocks * widen_threads + threadIdx.x;
    if (e < cols) to[row * cols + e] = (float)((const S *)((const char *)from + row * stride))[e];
}

/* Where the border's value is no integer sample, samples are converted to floats before minima and maxima are
 * computed: too rare for special kernels. */
static HaloStatus widen(HaloDevice *device, const HaloBuf *src, RankArgs *args)
{
    const int64_t cols = src->cols * src->shape.channels, blocks = cuda_ceil_div(cols, widen_threads);
    int64_t samples, bytes;
    void *wide;
    if (cols > UINT32_MAX || !halo_mul(cols, src->rows, &samples) ||
        !halo_mul(samples, (int64_t)sizeof(float), &bytes))
        return halo_fail(HALO_ERR_LIMIT, "%lld samples in a row are too many: use --device cpu",
                         (long long)cols);
    const HaloStatus status = cuda_scratch(device, CUDA_SCRATCH_FLAT, bytes, &wide);
    if (status != HALO_OK) return status;
    args->src = (const char *)wide;
    args->src_stride = cols * (int64_t)sizeof(float);
    if (src->shape.dtype == HALO_U8)
        CUDA_LAUNCH(device, widen_kernel<uint8_t>, blocks * src->rows, widen_threads, 0,
                    (const uint8_t *)src->data, src->stride, (float *)wide, (unsigned)cols, (unsigned)blocks);
    else
        CUDA_LAUNCH(device, widen_kernel<uint16_t>, blocks * src->rows, widen_threads, 0,
                    (const uint16_t *)src->data, src->stride, (float *)wide, (unsigned)cols, (unsigned)blocks);
    return HALO_OK;
}

/* ---- the choice --------------------------------------------------------------------------------------------
 */

static HaloStatus rank_image(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloRank *rank,
                             HaloStore store)
{
    const HaloDtype samples = src->shape.dtype,
                    keys = halo_rank_keys(samples, rank->window.border, rank->window.value);
    RankArgs args = {};
    args.src = (const char *)src->data;
    args.src_stride = src->stride;
    args.src_x0 = src->x0;
    args.src_y0 = src->y0;
    args.src_width = src->shape.width;
    args.src_height = src->shape.height;
    args.border = rank->window.border;
    args.outside = halo_border_value(rank->window.border, rank->window.value);
    args.x0 = dst->x0 + rank->window.ox;
    args.y0 = dst->y0 + rank->window.oy;
    args.width = rank->window.width;
    args.height = rank->window.height;
    args.dst = (char *)dst->data;
    args.dst_stride = dst->stride;
    args.cols = dst->cols * src->shape.channels;
    args.rows = dst->rows;
    args.dtype = dst->shape.dtype;
    args.channels = src->shape.channels;
    args.fraction = rank->fraction;
    args.nan_ignore = rank->window.nan_ignore;
    args.halves = rank->halves && args.nan_ignore;
    args.store = store;
    args.clipped = device->clipped;
    const bool extreme = rank->span != NULL || rank_extreme_takes(&args);
    if (extreme && samples != keys) {
        const HaloStatus status = widen(device, src, &args);
        if (status != HALO_OK && !device->asking) return status; /* a workspace query goes on to the rest */
    }
    if (rank->span != NULL) return rank_span(device, &args, rank->span, keys);
    if (extreme) return rank_extreme(device, &args, keys);
    if (rank_network_takes(&args)) return rank_network(device, &args, samples, keys);
    if (rank_select_takes(&args, samples, keys)) return rank_select(device, &args, samples);
    if (rank_line_takes(&args)) return rank_line(device, &args, samples, keys);
    bool done = false;
    if (rank_tile_takes(&args, keys)) CUDA_PASS(rank_tile(device, &args, samples, keys, &done));
    return done ? HALO_OK : rank_count(device, &args, samples, keys);
}

HaloStatus cuda_rank(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloRank *rank,
                     HaloStore store)
{
    const HaloDtype keys = halo_rank_keys(src->shape.dtype, rank->window.border, rank->window.value);
    CUDA_PASS(cuda_use(device));
    if (dst->cols < 1 || dst->rows < 1) return HALO_OK;
    const bool extreme = rank->span == NULL && (rank->fraction == 0.0 || rank->fraction == 1.0);
    if (extreme || !cuda_is_narrow(dst, &rank->window)) return rank_image(device, src, dst, rank, store);
    return cuda_adapt(device, src, dst, &rank->window, rank->halves ? HALO_F32 : keys, store,
                      [&](const HaloBuf *from, HaloBuf *to, const HaloWindow *inside) {
                          HaloRank within = *rank;
                          within.window = *inside;
                          return rank_image(device, from, to, &within, {1.0f, 1.0f});
                      });
}
