/* Statistics: what to compute, joining partial results, bringing them home. */
#include "reduce.cuh"

static const int merge_width = 256;

/* Joins up to merge_width neighbouring partial results of a channel to one. */
__global__ static void __launch_bounds__(128)
    merge_kernel(const HaloMoments *partial, int64_t count, HaloMoments *joined, int64_t joined_count)
{
    __shared__ HaloMoments node[merge_width];
    const int64_t channel = blockIdx.x / joined_count, at = blockIdx.x % joined_count;
    const int here = (int)cuda_min(merge_width, count - at * merge_width);
    for (int i = (int)threadIdx.x; i < here; i += (int)blockDim.x)
        node[i] = partial[channel * count + at * merge_width + i];
    reduce_tree(node, here);
    if (threadIdx.x == 0) joined[channel * joined_count + at] = node[0];
}

HaloStatus reduce_room(HaloDevice *device, int64_t count, int channels, HaloMoments **partial)
{
    int64_t items, bytes;
    void *block;
    if (!halo_mul(count + cuda_ceil_div(count, merge_width), channels, &items) ||
        !halo_mul(items, (int64_t)sizeof(HaloMoments), &bytes))
        return halo_fail(HALO_ERR_LIMIT, "%d channels are too many for a reduction", channels);
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_PARTIAL, bytes, &block));
    *partial = (HaloMoments *)block;
    return HALO_OK;
}

/* Joins *count partial results of each channel to one; the two halves of the room take turns. */
static HaloStatus join(HaloDevice *device, HaloMoments **partial, int64_t count, int channels)
{
    HaloMoments *from = *partial, *to = from + count * channels;
    while (count > 1) {
        const int64_t joined = cuda_ceil_div(count, merge_width);
        CUDA_LAUNCH(device, merge_kernel, joined * channels, 128, 0, from, count, to, joined);
        HaloMoments *const free_now = from;
        from = to;
        to = free_now;
        count = joined;
    }
    *partial = from;
    return HALO_OK;
}

/* The products of integers, from their histogram. */
static HaloStatus integer_products(HaloDevice *device, const HaloBuf *src, HaloMoments *out)
{
    const int64_t values = src->shape.dtype == HALO_U8 ? 256 : 65536;
    const HaloHist every = {values, 0.0, (double)values};
    HaloHistogram counts;
    CUDA_PASS(halo_histogram_alloc(&counts, src->shape.channels, values, every.lo, every.hi));
    const HaloStatus status = cuda_hist(device, src, &every, &counts);
    if (status == HALO_OK)
        for (int c = 0; c < src->shape.channels; c++)
            halo_product_from_counts(counts.count + c * values, values, &out[c].product, &out[c].product_exp);
    halo_histogram_free(&counts);
    return status;
}

/* Leaves only what was asked for: the rest is as if never computed. */
static void keep_wanted(HaloMoments *m, unsigned want)
{
    const HaloMoments none = halo_moments_none();
    if (!(want & HALO_WANT_EXTREMES)) {
        m->min = none.min;
        m->max = none.max;
    }
    if (!(want & HALO_WANT_POSITIONS)) m->min_at = m->max_at = none.min_at;
    if (!(want & HALO_WANT_MOMENTS)) {
        m->isum = m->isq_lo = m->isq_hi = 0;
        m->sum = m->mean = m->m2 = 0.0;
    }
    if (!(want & HALO_WANT_PRODUCT)) {
        m->product = none.product;
        m->product_exp = none.product_exp;
    }
}

HaloStatus cuda_reduce(HaloDevice *device, const HaloBuf *src, unsigned want, HaloMoments *out)
{
    const int64_t pixels = src->shape.width * src->shape.height;
    const int channels = src->shape.channels;
    const void *data;
    HaloMoments *partial;
    int64_t count;
    CUDA_PASS(cuda_use(device));
    CUDA_PASS(cuda_flat(device, src, &data));
    if (src->shape.dtype == HALO_F32)
        CUDA_PASS(reduce_floats(device, (const float *)data, pixels, channels, want, &partial, &count));
    else
        CUDA_PASS(reduce_integers(device, src->shape.dtype, data, pixels, channels, &partial, &count));
    CUDA_PASS(join(device, &partial, count, channels));
    CUDA_PASS(cuda_fetch(device, out, partial, channels * (int64_t)sizeof *out));
    if (want & HALO_WANT_PRODUCT && src->shape.dtype != HALO_F32) CUDA_PASS(integer_products(device, src, out));
    for (int c = 0; c < channels; c++) keep_wanted(&out[c], want);
    return HALO_OK;
}
