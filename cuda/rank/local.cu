/* What is made of the samples of windows one by one, for outputs one by one: each thread reads its own window,
 * as often as its kind takes. Extremes of few samples are near the speed of memory; medians of distances, modes
 * and entropies are for windows of some hundred samples, and for plans that are on a GPU anyway. */
#include "rank/local.cuh"

#include <stdlib.h>

#include "halo/numerics.h"

static const int local_threads = 128;

/* ---- extremes -------------------------------------------------------------------------------------------- */

CUDA_INLINE float local_extreme(const LocalArgs &a, const LocalPlace &p)
{
    const bool greatest = a.kind == HALO_LOCAL_GREATEST;
    /* NaN wins, or, left out, loses */
    const int none = (int)0x80000000, odd = greatest == a.window.nan_ignore ? none : 0x7fffffff;
    int best = greatest ? none : 0x7fffffff;
#pragma unroll 4
    for (int64_t m = 0; m < a.members; m++) {
        const HaloMember member = a.member[m];
        float v = local_sample(a, p, member.x, member.y);
        if (!a.flat) v = v + (greatest ? member.height : -member.height);
        const int key = local_key(v, odd);
        best = greatest ? max(best, key) : min(best, key);
    }
    return local_value(best);
}

/* ---- samples in order ------------------------------------------------------------------------------------ */

/* Calls f(v) for each sample of the window that is not NaN; how many there are. */
template <typename F> CUDA_INLINE int local_each(const LocalArgs &a, const LocalPlace &p, F f)
{
    int n = 0;
    for (int64_t j = 0; j < a.window.height; j++)
        for (int64_t i = 0; i < a.window.width; i++) {
            const float v = local_sample(a, p, i, j) + 0.0f; /* -0 is +0 */
            if (v != v) continue;
            n++;
            f(v);
        }
    return n;
}

CUDA_INLINE bool local_is_nan(const LocalArgs &a, int n)
{
    return n == 0 || (n < a.window.width * a.window.height && !a.window.nan_ignore);
}

/* Of what `of` makes of the samples, number (n - 1) / 2 in order: bit by bit, from the highest. */
template <typename F> CUDA_INLINE float local_middle(const LocalArgs &a, const LocalPlace &p, int n, F of)
{
    unsigned found = 0, rank = (unsigned)(n - 1) / 2;
#pragma unroll 1
    for (int bit = 31; bit >= 0; bit--) {
        unsigned below = 0;
        local_each(a, p, [&](float v) {
            const unsigned key = (unsigned)local_key(of(v), 0) ^ 0x80000000u;
            below += (key ^ found) >> bit == 0; /* as far as it is known, and a 0 here */
        });
        if (rank < below) continue;
        rank -= below;
        found |= 1u << bit;
    }
    return local_value((int)(found ^ 0x80000000u));
}

CUDA_INLINE float local_deviation(const LocalArgs &a, const LocalPlace &p, int n)
{
    const float median = local_middle(a, p, n, [](float v) { return v; });
    return local_middle(a, p, n, [=](float v) {
        return v > median ? v - median : median > v ? median - v : 0.0f;
    });
}

/* From one value to the next greater one. */
CUDA_INLINE float local_mode(const LocalArgs &a, const LocalPlace &p, int n)
{
    float mode = 0.0f;
    int most = 0, at = (int)0x80000000;
    for (int left = n; left > most;) {
        int next = 0x7fffffff, count = 0;
        local_each(a, p, [&](float v) {
            const int key = local_key(v, 0);
            if (key <= at || key > next) return;
            count = key < next ? 1 : count + 1;
            next = key;
        });
        left -= count;
        at = next;
        if (count <= most) continue;
        most = count;
        mode = local_value(next);
    }
    return mode;
}

/* ---- entropy --------------------------------------------------------------------------------------------- */

/* From one bin to the next one. */
CUDA_INLINE float local_entropy(const LocalArgs &a, const LocalPlace &p)
{
    int64_t sum = 0, inside = 0, at = -1;
    int nan = 0;
    local_each(a, p, [&](float v) { inside += halo_bin(&a.bins, (double)v) >= 0; });
    nan = (int)(a.window.width * a.window.height) - local_each(a, p, [](float) {});
    if (inside == 0 || (nan > 0 && !a.window.nan_ignore)) return __int_as_float(0x7fc00000);
    for (int64_t left = inside; left > 0;) {
        int64_t next = INT64_MAX, count = 0;
        local_each(a, p, [&](float v) {
            const int64_t bin = halo_bin(&a.bins, (double)v);
            if (bin <= at || bin > next) return;
            count = bin < next ? 1 : count + 1;
            next = bin;
        });
        left -= count;
        at = next;
        sum += a.information[count];
    }
    const int64_t bits = a.information[inside] - sum;
    return (float)((double)bits / ((double)inside * 4294967296.0));
}

/* ---- all ------------------------------------------------------------------------------------------------- */

CUDA_INLINE float local_made(const LocalArgs &a, const LocalPlace &p)
{
    if (a.kind <= HALO_LOCAL_GREATEST) return local_extreme(a, p);
    if (a.kind == HALO_LOCAL_ENTROPY) return local_entropy(a, p);
    const int n = local_each(a, p, [](float) {});
    if (local_is_nan(a, n)) return __int_as_float(0x7fc00000);
    return a.kind == HALO_LOCAL_MODE ? local_mode(a, p, n) : local_deviation(a, p, n);
}

__global__ static void __launch_bounds__(local_threads)
    local_kernel(const __grid_constant__ LocalArgs a, int64_t row_blocks)
{
    const int64_t row = blockIdx.x / row_blocks,
                  e = (blockIdx.x % row_blocks) * local_threads + threadIdx.x;
    unsigned clipped = 0;
    if (e < a.cols * a.channels) {
        const int64_t pixel = e / a.channels;
        const LocalPlace p = {a.x0 + pixel, a.y0 + row, (int)(e - pixel * a.channels)};
        const float v = local_made(a, p);
        cuda_store(a, row, e, v, &clipped);
    }
    cuda_count_clipped(a.clipped, clipped);
}

/* What a kind looks up, in device memory. */
static HaloStatus upload_tables(HaloDevice *device, const HaloLocal *local, LocalArgs *a)
{
    const int64_t samples = local->window.width * local->window.height;
    const bool entropy = local->kind == HALO_LOCAL_ENTROPY;
    const int64_t bytes =
        entropy ? (samples + 1) * (int64_t)sizeof(int64_t) : local->members * (int64_t)sizeof(HaloMember);
    void *there;
    if (!entropy && local->kind > HALO_LOCAL_GREATEST) return HALO_OK;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_TAPS, bytes, &there));
    void *const host = entropy ? malloc((size_t)bytes) : NULL;
    if (entropy && host == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    if (entropy) halo_local_information(samples, (int64_t *)host);
    const cudaError_t error = cudaMemcpyAsync(there, entropy ? host : (const void *)local->member,
                                              (size_t)bytes, cudaMemcpyHostToDevice, device->stream);
    free(host); /* pageable memory has been copied by now */
    if (error != cudaSuccess) return cuda_fail(error, "cudaMemcpyAsync");
    a->information = (const int64_t *)there;
    a->member = (const HaloMember *)there;
    return HALO_OK;
}

HaloStatus cuda_local(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloLocal *local,
                      HaloStore store)
{
    CUDA_PASS(cuda_use(device));
    if (dst->cols < 1 || dst->rows < 1) return HALO_OK;
    LocalArgs a = {};
    a.src = (const char *)src->data;
    a.src_stride = src->stride;
    a.src_x = src->x0;
    a.src_y = src->y0;
    a.width = src->shape.width;
    a.height = src->shape.height;
    a.src_dtype = src->shape.dtype;
    a.dtype = dst->shape.dtype;
    static_cast<CudaTarget &>(a) = cuda_target(device, dst, store);
    a.channels = dst->shape.channels;
    a.window = local->window;
    a.kind = local->kind;
    a.flat = local->flat;
    a.members = local->members;
    if (local->kind == HALO_LOCAL_ENTROPY) a.bins = halo_bins(local->lo, local->hi, local->bins);
    CUDA_PASS(upload_tables(device, local, &a));
    if (local->kind == HALO_LOCAL_MAD && local_mad_takes(a)) return local_mad(device, a);
    const int64_t row_blocks = cuda_ceil_div(a.cols * a.channels, local_threads);
    CUDA_LAUNCH(device, local_kernel, row_blocks * dst->rows, local_threads, 0, a, row_blocks);
    return HALO_OK;
}
