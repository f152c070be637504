/* The third and fourth powers of distances from the mean, both sums in one reading: the folds of d * d * d and
 * (d * d) * (d * d) of floats, lane by lane, which docs/numerics.md numbers. A warp sums up a leaf, its block
 * joins eight neighbours, and the host joins the results of blocks. Sums begin with +0 and so are never -0:
 * missing lanes are joined as +0. */
#include "reduce.cuh"

static const int powers_leaves = 8, powers_threads = powers_leaves * CUDA_WARP; /* of a block */
static const int powers_own = HALO_LANES / CUDA_WARP;                           /* lanes of a thread */
static const int powers_at_once = 4;                                            /* rows of lanes in flight */

struct PowersArgs {
    const float *data;
    int64_t pixels, blocks; /* blocks of a channel */
    int channels;
    double own;      /* k of the only channel */
    const double *k; /* [channels], if there are several */
    double *out;     /* [2][channels][blocks]: third powers, fourth ones */
};

/* ---- a leaf ---------------------------------------------------------------------------------------------- */

struct PowerSums {
    double third[powers_own], fourth[powers_own];

    __device__ __forceinline__ void take(float v, double k, int i)
    {
        const double d = (double)v - k, square = d * d;
        third[i] += square * d;
        fourth[i] += square * square;
    }
};

/* Some rows of a leaf's lanes from sample m on; missing samples are NaN. `Line`: one channel, four neighbouring
 * lanes per thread; else lanes 32 apart, so that neighbouring threads read neighbouring pixels. */
template <bool Line>
CUDA_INLINE void load_rows(const float *from, int channels, int count, int m,
                           float (&v)[powers_at_once][powers_own])
{
    const int lane = (int)threadIdx.x % CUDA_WARP, own = m + (Line ? powers_own * lane : lane);
    if (Line && count == HALO_LEAF) {
#pragma unroll
        for (int r = 0; r < powers_at_once; r++)
            *reinterpret_cast<float4 *>(v[r]) =
                __ldg(reinterpret_cast<const float4 *>(from + own + r * HALO_LANES));
        return;
    }
#pragma unroll
    for (int r = 0; r < powers_at_once; r++)
#pragma unroll
        for (int i = 0; i < powers_own; i++) {
            const int at = own + r * HALO_LANES + (Line ? i : CUDA_WARP * i);
            v[r][i] = at < count ? __ldg(from + (int64_t)at * channels) : NAN;
        }
}

/* NaN are left out; 0 times the samples tells whether there are any, so that samples need no test. */
CUDA_INLINE void take_rows(const float (&v)[powers_at_once][powers_own], double k, PowerSums *sums)
{
    float test = 0.0f;
#pragma unroll
    for (int r = 0; r < powers_at_once; r++)
#pragma unroll
        for (int i = 0; i < powers_own; i++) test = __fmaf_rn(v[r][i], 0.0f, test);
    const bool special = __any_sync(CUDA_ALL, test != test);
#pragma unroll
    for (int r = 0; r < powers_at_once; r++)
#pragma unroll
        for (int i = 0; i < powers_own; i++)
            if (!special || v[r][i] == v[r][i]) sums->take(v[r][i], k, i);
}

/* Joins lanes in adjacent pairs, in the order in which load_rows() distributes them. */
template <bool Line> CUDA_INLINE double join_lanes(const double v[powers_own])
{
    const auto warp = [](double w) {
        for (int d = 1; d < CUDA_WARP; d *= 2) w += __shfl_xor_sync(CUDA_ALL, w, d);
        return w;
    };
    if (Line) return warp((v[0] + v[1]) + (v[2] + v[3]));
    return (warp(v[0]) + warp(v[1])) + (warp(v[2]) + warp(v[3]));
}

/* ---- a block --------------------------------------------------------------------------------------------- */

template <bool Line>
__global__ static void __launch_bounds__(powers_threads, 4) powers_kernel(const __grid_constant__ PowersArgs a)
{
    __shared__ double sum[2][powers_leaves];
    const int warp = (int)threadIdx.x / CUDA_WARP, channel = Line ? 0 : (int)(blockIdx.x % a.channels);
    const int64_t block = Line ? blockIdx.x : blockIdx.x / a.channels,
                  first = (block * powers_leaves + warp) * HALO_LEAF;
    const int count = (int)cuda_max(0, cuda_min(HALO_LEAF, a.pixels - first));
    const float *const from = a.data + first * a.channels + channel;
    const double k = Line ? a.own : __ldg(a.k + channel);
    PowerSums sums = {};
#pragma unroll 1
    for (int m = 0; m < count; m += powers_at_once * HALO_LANES) {
        float v[powers_at_once][powers_own];
        load_rows<Line>(from, a.channels, count, m, v);
        take_rows(v, k, &sums);
    }
    const double third = join_lanes<Line>(sums.third), fourth = join_lanes<Line>(sums.fourth);
    if (threadIdx.x % CUDA_WARP == 0) {
        sum[0][warp] = third;
        sum[1][warp] = fourth;
    }
    __syncthreads();
    if (threadIdx.x >= 2) return;
    const double *const s = sum[threadIdx.x];
    a.out[(threadIdx.x * a.channels + channel) * a.blocks + block] =
        ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

/* ---- the host side --------------------------------------------------------------------------------------- */

/* n >= 1 values joined in adjacent pairs; a value without a neighbour goes up unchanged. */
static double sum_pairs(double *value, int64_t n)
{
    for (; n > 1; n = (n + 1) / 2) {
        for (int64_t i = 0; i < n / 2; i++) value[i] = value[2 * i] + value[2 * i + 1];
        if (n % 2 == 1) value[n / 2] = value[n - 1];
    }
    return halo_canonical_f64(value[0]);
}

/* Copies the constants of several channels to the device. */
static HaloStatus upload_constants(HaloDevice *device, const double *k, PowersArgs *args)
{
    const int64_t bytes = args->channels * (int64_t)sizeof(double);
    void *workspace;
    args->own = k[0];
    if (args->channels == 1) return HALO_OK;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_TAPS, bytes, &workspace));
    CUDA_TRY(cudaMemcpyAsync(workspace, k, (size_t)bytes, cudaMemcpyHostToDevice, device->stream));
    args->k = (const double *)workspace;
    return HALO_OK;
}

/* Joins the results of the blocks in host memory, which it changes. */
static void conclude(const PowersArgs *args, double *made, double *third, double *fourth)
{
    for (int c = 0; c < args->channels; c++) {
        third[c] = sum_pairs(made + c * args->blocks, args->blocks);
        fourth[c] = sum_pairs(made + (args->channels + c) * args->blocks, args->blocks);
    }
}

HaloStatus cuda_powers(HaloDevice *device, const HaloBuf *src, const double *k, double *third, double *fourth)
{
    PowersArgs args = {};
    int64_t nodes, bytes;
    const void *data;
    double *made;
    CUDA_PASS(cuda_use(device));
    CUDA_PASS(cuda_flat(device, src, &data));
    args.data = (const float *)data;
    args.pixels = src->shape.width * src->shape.height;
    args.channels = src->shape.channels;
    args.blocks = cuda_ceil_div(args.pixels, powers_leaves * HALO_LEAF);
    if (!halo_mul(args.blocks, 2 * (int64_t)args.channels, &nodes) ||
        !halo_mul(nodes, (int64_t)sizeof(double), &bytes))
        return halo_fail(HALO_ERR_LIMIT, "%d channels are too many to reduce", args.channels);
    CUDA_PASS(upload_constants(device, k, &args));
    CUDA_PASS(reduce_left_workspace(device, bytes, &args.out));
    if (args.channels == 1)
        CUDA_LAUNCH(device, powers_kernel<true>, args.blocks, powers_threads, 0, args);
    else
        CUDA_LAUNCH(device, powers_kernel<false>, args.blocks * args.channels, powers_threads, 0, args);
    CUDA_PASS(reduce_left(device, args.out, bytes, &made));
    conclude(&args, made, third, fourth);
    reduce_left_done(device, made);
    return HALO_OK;
}
