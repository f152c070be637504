/* Statistics: what to compute, its workspace, and copying the result to the host. */
#include <stdlib.h>

#include "reduce.cuh"

HaloStatus reduce_workspace(HaloDevice *device, int64_t bytes, int64_t arrivals, void **workspace,
                            unsigned **arrival)
{
    const int64_t had = device->scratch_bytes[CUDA_SCRATCH_ARRIVAL];
    int64_t arrival_bytes;
    void *counters;
    if (!halo_mul(arrivals, (int64_t)sizeof(unsigned), &arrival_bytes))
        return halo_fail(HALO_ERR_LIMIT, "the buffer in GPU memory is too large: use --device cpu");
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_ARRIVAL, arrival_bytes, &counters));
    const bool grown = device->scratch_bytes[CUDA_SCRATCH_ARRIVAL] != had;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_PARTIAL, bytes, workspace));
    if (device->scratch[CUDA_SCRATCH_ARRIVAL] == NULL) /* it was released */
        return halo_fail(HALO_ERR_DEVICE, "not enough GPU memory for a reduction");
    if (grown) CUDA_TRY(cudaMemsetAsync(counters, 0, (size_t)arrival_bytes, device->stream));
    *arrival = (unsigned *)counters;
    return HALO_OK;
}

HaloStatus reduce_left_workspace(HaloDevice *device, int64_t bytes, double **workspace)
{
    void *data = device->staging;
    if (bytes > CUDA_STAGING_BYTES) CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_PARTIAL, bytes, &data));
    *workspace = (double *)data;
    return HALO_OK;
}

HaloStatus reduce_left(HaloDevice *device, double *workspace, int64_t bytes, double **left)
{
    *left = workspace;
    if (workspace == device->staging) return cuda_wait(device);
    *left = (double *)malloc((size_t)bytes);
    if (*left == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    const HaloStatus status = cuda_fetch(device, *left, workspace, bytes);
    if (status != HALO_OK) reduce_left_done(device, *left);
    return status;
}

void reduce_left_done(HaloDevice *device, double *left)
{
    if (left != device->staging) free(left);
}

void reduce_keep_wanted(HaloMoments *m, unsigned want)
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

/* Finds extremes alone. *done: they are known, with the signs of zeros. */
static HaloStatus find_extremes(HaloDevice *device, const float *data, int64_t pixels, int channels,
                                HaloMoments *out, bool *done)
{
    HaloMoments *const result = (HaloMoments *)device->staging;
    int *const unsure = (int *)(result + channels);
    CUDA_PASS(reduce_extremes(device, data, pixels, channels, result, unsure));
    CUDA_PASS(cuda_wait(device));
    *done = *unsure == 0;
    memcpy(out, result, (size_t)channels * sizeof *out);
    return HALO_OK;
}

static HaloStatus reduce_all(HaloDevice *device, HaloDtype dtype, const void *data, int64_t pixels,
                             int channels, bool product, HaloMoments *out)
{
    const int64_t bytes = channels * (int64_t)sizeof *out;
    void *result = device->staging; /* kernels write there: no copy */
    if (bytes > CUDA_STAGING_BYTES) CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_BETWEEN, bytes, &result));
    if (dtype == HALO_F32)
        CUDA_PASS(reduce_floats(device, (const float *)data, pixels, channels, product, (HaloMoments *)result));
    else
        CUDA_PASS(reduce_integers(device, dtype, data, pixels, channels, (HaloMoments *)result));
    if (result != device->staging) return cuda_fetch(device, out, result, bytes);
    CUDA_PASS(cuda_wait(device));
    memcpy(out, result, (size_t)bytes);
    return HALO_OK;
}

HaloStatus cuda_reduce(HaloDevice *device, const HaloBuf *src, unsigned want, HaloMoments *out)
{
    const int64_t pixels = src->shape.width * src->shape.height;
    const int channels = src->shape.channels;
    const HaloDtype dtype = src->shape.dtype;
    const bool product = want & HALO_WANT_PRODUCT, counts = dtype != HALO_F32 && product;
    const void *data;
    bool done = false;
    CUDA_PASS(cuda_use(device));
    CUDA_PASS(cuda_flat(device, src, &data));
    if (dtype == HALO_F32 && reduce_extremes_takes(want, pixels, channels))
        CUDA_PASS(find_extremes(device, (const float *)data, pixels, channels, out, &done));
    if (counts)
        CUDA_PASS(reduce_counts(device, src, data, want & HALO_WANT_POSITIONS, out));
    else if (!done)
        CUDA_PASS(reduce_all(device, dtype, data, pixels, channels, product, out));
    for (int c = 0; c < channels; c++) reduce_keep_wanted(&out[c], want);
    return HALO_OK;
}
