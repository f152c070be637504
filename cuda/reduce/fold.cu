/* Folds by a program of the user's. A thread has a lane of the leaf, as docs/numerics.md numbers them; a block
 * takes some neighbouring leaves and joins all their lanes by pairs; the host joins what blocks leave. */
#include "common.cuh"
#include "halo/program.h"

static const int leaves_each = 8; /* of a block: a power of two */

struct FoldArgs {
    const void *data;
    HaloDtype dtype;
    int64_t pixels, blocks; /* blocks of a channel */
    int channels;
    HaloProgram map, join;
    double identity;
    const double *k; /* [channels], or NULL */
    double *out;     /* [channels][blocks] */
};

/* One lane of a leaf: samples first, first + 128, … of a channel. */
template <typename S>
__device__ __forceinline__ static double fold_lane(const FoldArgs &a, const S *from, int64_t first, int64_t end,
                                                   double k)
{
    double lane = a.identity;
    for (int64_t p = first; p < end; p += HALO_LANES) {
        const double v = (double)__ldg(from + p * a.channels);
        if (v == v) lane = halo_program_run(&a.join, lane, halo_program_run(&a.map, v, v, k), k);
    }
    return lane;
}

/* halo_fold_pairs by a block. The values lie in `value`, and in the end the first of `value` or `other` is the
 * answer, which is returned to all threads. */
__device__ __forceinline__ static double join_block(const HaloProgram &join, double k, double *value,
                                                    double *other, int n)
{
    while (n > 1) {
        __syncthreads();
        for (int i = (int)threadIdx.x; i < (n + 1) / 2; i += HALO_LANES)
            other[i] =
                2 * i + 1 < n ? halo_program_run(&join, value[2 * i], value[2 * i + 1], k) : value[2 * i];
        double *const swapped = value;
        value = other;
        other = swapped;
        n = (n + 1) / 2;
    }
    __syncthreads();
    return value[0];
}

__global__ static void __launch_bounds__(HALO_LANES) fold_kernel(const __grid_constant__ FoldArgs a)
{
    __shared__ double value[leaves_each * HALO_LANES], other[leaves_each * HALO_LANES / 2];
    const int channel = (int)(blockIdx.x % a.channels);
    const int64_t block = blockIdx.x / a.channels, start = block * leaves_each * HALO_LEAF;
    const double k = a.k != NULL ? a.k[channel] : 0.0;
    int leaves = 0;
    for (int64_t first = start; leaves < leaves_each && first < a.pixels; first += HALO_LEAF) {
        const int64_t end = cuda_min(first + HALO_LEAF, a.pixels);
        cuda_typed(a.dtype, [&](auto type) {
            using S = decltype(type);
            value[leaves * HALO_LANES + threadIdx.x] =
                fold_lane<S>(a, (const S *)a.data + channel, first + threadIdx.x, end, k);
        });
        leaves++;
    }
    const double joined = join_block(a.join, k, value, other, leaves * HALO_LANES);
    if (threadIdx.x == 0) a.out[channel * a.blocks + block] = joined;
}

/* The constants of the channels, brought to the device. */
static HaloStatus upload_constants(HaloDevice *device, const HaloFold *fold, FoldArgs *args)
{
    const int64_t bytes = args->channels * (int64_t)sizeof(double);
    void *k;
    if (fold->k == NULL) return HALO_OK;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_TAPS, bytes, &k));
    CUDA_TRY(cudaMemcpyAsync(k, fold->k, (size_t)bytes, cudaMemcpyHostToDevice, device->stream));
    args->k = (const double *)k;
    return HALO_OK;
}

/* What the blocks left, joined. */
static HaloStatus conclude(HaloDevice *device, const FoldArgs *args, const HaloFold *fold, double *out)
{
    const int64_t bytes = args->blocks * args->channels * (int64_t)sizeof(double);
    double *const node = (double *)malloc((size_t)bytes);
    if (node == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    const HaloStatus status = cuda_fetch(device, node, args->out, bytes);
    for (int c = 0; status == HALO_OK && c < args->channels; c++) {
        const double k = fold->k != NULL ? fold->k[c] : 0.0;
        out[c] = halo_canonical_f64(halo_fold_pairs(fold->join, k, node + c * args->blocks, args->blocks));
    }
    free(node);
    return status;
}

HaloStatus cuda_fold(HaloDevice *device, const HaloBuf *src, const HaloFold *fold, double *out)
{
    FoldArgs args = {};
    int64_t nodes, bytes;
    void *room;
    CUDA_PASS(cuda_use(device));
    CUDA_PASS(cuda_flat(device, src, &args.data));
    args.dtype = src->shape.dtype;
    args.pixels = src->shape.width * src->shape.height;
    args.channels = src->shape.channels;
    args.blocks = cuda_ceil_div(args.pixels, leaves_each * HALO_LEAF);
    args.map = *fold->map;
    args.join = *fold->join;
    args.identity = fold->identity;
    if (!halo_mul(args.blocks, args.channels, &nodes) || !halo_mul(nodes, (int64_t)sizeof(double), &bytes))
        return halo_fail(HALO_ERR_LIMIT, "%d channels are too many to reduce", args.channels);
    CUDA_PASS(upload_constants(device, fold, &args));
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_PARTIAL, bytes, &room));
    args.out = (double *)room;
    CUDA_LAUNCH(device, fold_kernel, nodes, HALO_LANES, 0, args);
    return conclude(device, &args, fold, out);
}
