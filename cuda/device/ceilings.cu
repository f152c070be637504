/* What this GPU gives when it does nothing else: the rates of reading, copying and multiply-adds. */
#include "timing.cuh"

namespace
{

constexpr int threads = 512, loads = 4; /* of 16 bytes, in flight together */

__device__ int64_t first() { return (int64_t)blockIdx.x * (threads * loads) + threadIdx.x; }
__device__ int64_t next() { return (int64_t)gridDim.x * (threads * loads); }

/* n is a multiple of what a block loads at a time. The result is written so that the loads are not dropped,
 * and so that it never happens: `in` is zeros. */
__global__ void read_all(const int4 *in, int *out, int64_t n)
{
    int any = 0;
    for (int64_t i = first(); i < n; i += next()) {
        int4 v[loads];
#pragma unroll
        for (int k = 0; k < loads; k++) v[k] = in[i + k * threads];
#pragma unroll
        for (int k = 0; k < loads; k++) any |= v[k].x | v[k].y | v[k].z | v[k].w;
    }
    if (any != 0) *out = any;
}

__global__ void copy_all(const int4 *in, int4 *out, int64_t n)
{
    for (int64_t i = first(); i < n; i += next()) {
        int4 v[loads];
#pragma unroll
        for (int k = 0; k < loads; k++) v[k] = in[i + k * threads];
#pragma unroll
        for (int k = 0; k < loads; k++) out[i + k * threads] = v[k];
    }
}

constexpr int chains = 16, links = 4096, fma_blocks = 8, fma_threads = 256;

/* As many independent chains as hide the latency; the result is never 0.5, so nothing is written. */
__global__ void multiply_add(float *out, float a, float b)
{
    float x[chains], sum = 0.0f;
#pragma unroll
    for (int c = 0; c < chains; c++) x[c] = (float)(threadIdx.x + c);
#pragma unroll 8
    for (int i = 0; i < links; i++)
#pragma unroll
        for (int c = 0; c < chains; c++) x[c] = __fmaf_rn(x[c], a, b);
#pragma unroll
    for (int c = 0; c < chains; c++) sum += x[c];
    if (sum == 0.5f) *out = sum;
}

struct Ceiling {
    HaloDevice *device;
    const void *in;
    void *out;
    int64_t n;  /* of int4 */
    int blocks; /* of a multiprocessor; 0: each thread loads once */
};

unsigned grid(const Ceiling *c)
{
    const int64_t all = c->n / (threads * loads);
    const int64_t fill = (int64_t)c->blocks * c->device->properties.multiProcessorCount;
    return (unsigned)(fill == 0 ? all : cuda_min(all, fill));
}

HaloStatus read_launch(void *context)
{
    const Ceiling *const c = (const Ceiling *)context;
    CUDA_LAUNCH(c->device, read_all, grid(c), threads, 0, (const int4 *)c->in, (int *)c->out, c->n);
    return HALO_OK;
}

HaloStatus copy_launch(void *context)
{
    const Ceiling *const c = (const Ceiling *)context;
    CUDA_LAUNCH(c->device, copy_all, grid(c), threads, 0, (const int4 *)c->in, (int4 *)c->out, c->n);
    return HALO_OK;
}

HaloStatus fma_launch(void *context)
{
    const Ceiling *const c = (const Ceiling *)context;
    CUDA_LAUNCH(c->device, multiply_add, fma_blocks * c->device->properties.multiProcessorCount, fma_threads, 0,
                (float *)c->out, 0.999f, 0.001f);
    return HALO_OK;
}

/* The best of a few sizes of grid: which of them suits memory best differs between GPUs. */
HaloStatus best(Ceiling *c, CudaTimed *launch, double *ms)
{
    *ms = INFINITY;
    for (int blocks : {0, 2, 4, 8, 32}) {
        double now;
        c->blocks = blocks;
        CUDA_PASS(cuda_time(c->device, launch, c, &now));
        if (now < *ms) *ms = now;
    }
    return HALO_OK;
}

struct Block {
    void *data = NULL;
    ~Block() { cudaFree(data); }
};

HaloStatus measure(HaloDevice *device, HaloCeilings *ceilings)
{
    Block in, out;
    size_t left, total;
    double read_ms, copy_ms, fma_ms;
    int64_t bytes = (int64_t)1 << 30;
    CUDA_TRY(cudaMemGetInfo(&left, &total));
    while (bytes > ((int64_t)1 << 20) && bytes > (int64_t)left / 4) bytes /= 2;
    CUDA_TRY(cudaMalloc(&in.data, (size_t)bytes));
    CUDA_TRY(cudaMalloc(&out.data, (size_t)bytes));
    CUDA_TRY(cudaMemsetAsync(in.data, 0, (size_t)bytes, device->stream));
    Ceiling c = {device, in.data, out.data, bytes / (int64_t)sizeof(int4), 0};
    CUDA_PASS(best(&c, read_launch, &read_ms));
    CUDA_PASS(best(&c, copy_launch, &copy_ms));
    CUDA_PASS(cuda_time(device, fma_launch, &c, &fma_ms));
    ceilings->read_gbs = (double)bytes / (read_ms * 1e6);
    ceilings->copy_gbs = 2 * (double)bytes / (copy_ms * 1e6);
    ceilings->fma_gflops = 2.0 * chains * links * fma_blocks * fma_threads *
                           device->properties.multiProcessorCount / (fma_ms * 1e6);
    return HALO_OK;
}

} // namespace

HaloStatus cuda_ceilings(HaloDevice *device, HaloCeilings *ceilings)
{
    static thread_local HaloCeilings known;
    static thread_local int known_of = -1;
    CUDA_PASS(cuda_use(device));
    if (known_of != device->index) {
        CUDA_PASS(measure(device, &known));
        known_of = device->index;
    }
    *ceilings = known;
    return HALO_OK;
}
