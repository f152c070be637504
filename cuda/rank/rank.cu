/* Rank filters: minima and maxima have ways of their own (rank_extreme.cu, rank_narrow.cu, rank_span.cu); other small windows go
 * through sorting networks (rank_network.cu, rank_select.cu), windows along a line through a wavelet matrix (rank_line.cu); larger
 * ones are counted: bytes by value (rank_walk.cu), others by their places in a sorted tile (rank_tile.cu). */
#include "rank.cuh"

HaloStatus cuda_rank(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloRank *rank, HaloStore store)
{
    const HaloDtype samples = src->shape.dtype, keys = halo_rank_keys(samples, rank->window.border, rank->window.value);
    RankArgs args = {};
    CUDA_PASS(cuda_use(device));
    if (dst->cols < 1 || dst->rows < 1) return HALO_OK;
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
    args.store = store;
    args.clipped = device->clipped;
    if (rank->span != NULL) return rank_span(device, &args, rank->span, samples, keys);
    if (rank_extreme_takes(&args))
        return rank_narrow_takes(&args, samples) ? rank_narrow(device, &args, samples, keys) : rank_extreme(device, &args, samples, keys);
    if (rank_network_takes(&args)) return rank_network(device, &args, samples, keys);
    if (rank_select_takes(device, &args, samples, keys)) return rank_select(device, &args, samples);
    if (rank_line_takes(&args)) return rank_line(device, &args, samples, keys);
    bool done = false;
    if (rank_tile_takes(&args, keys)) CUDA_PASS(rank_tile(device, &args, samples, keys, &done));
    return done ? HALO_OK : rank_walk(device, &args, samples, keys);
}
