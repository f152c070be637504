/* Time on the device: the median of many runs, and what this GPU gives when nothing else is asked of it.
 * Every fraction in the tables is of these ceilings, measured in the same process. */
#include <stdlib.h>

#include "ladder.cuh"

namespace
{

constexpr int runs_most = 51, runs_least = 3;
constexpr double budget_ms = 250; /* for the runs of one measurement */

struct Events {
    cudaEvent_t at[2 * runs_most] = {};
    ~Events()
    {
        for (cudaEvent_t event : at)
            if (event != NULL) cudaEventDestroy(event);
    }
};

int ascending(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Runs are asked for one behind the other, so that the GPU never waits for the host, and read afterwards. */
HaloStatus time_runs(LadderRun *run, LadderStep *launch, Events *events, int runs, double *median)
{
    float ms[runs_most];
    cudaStream_t stream = run->device->stream;
    for (int i = 0; i < runs; i++) {
        CUDA_TRY(cudaEventRecord(events->at[2 * i], stream));
        CUDA_PASS(launch(run));
        CUDA_TRY(cudaEventRecord(events->at[2 * i + 1], stream));
    }
    CUDA_TRY(cudaStreamSynchronize(stream));
    for (int i = 0; i < runs; i++)
        CUDA_TRY(cudaEventElapsedTime(&ms[i], events->at[2 * i], events->at[2 * i + 1]));
    qsort(ms, (size_t)runs, sizeof *ms, ascending);
    *median = (double)ms[runs / 2];
    return HALO_OK;
}

} // namespace

HaloStatus ladder_time(LadderRun *run, LadderStep *launch, double *ms)
{
    Events events;
    for (cudaEvent_t &event : events.at) CUDA_TRY(cudaEventCreate(&event));
    CUDA_PASS(launch(run)); /* the first run loads code and wakes clocks */
    CUDA_PASS(time_runs(run, launch, &events, runs_least, ms));
    const double fit = budget_ms / (*ms > 1e-3 ? *ms : 1e-3);
    const int runs = fit > runs_most ? runs_most : (int)fit | 1;
    return runs > runs_least ? time_runs(run, launch, &events, runs, ms) : HALO_OK;
}

/* ---- ceilings ------------------------------------------------------------------------------------------- */

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

/* `variant` blocks a multiprocessor; none: a block for every turn. */
unsigned grid(const LadderRun *run)
{
    const int64_t turns = run->n / (threads * loads);
    const int64_t fill = (int64_t)run->size.variant * run->device->properties.multiProcessorCount;
    return (unsigned)(fill == 0 ? turns : cuda_min(turns, fill));
}

HaloStatus read_launch(LadderRun *run)
{
    LADDER_LAUNCH(run, read_all, grid(run), threads, (const int4 *)run->in, (int *)run->out, run->n);
    return HALO_OK;
}

HaloStatus copy_launch(LadderRun *run)
{
    LADDER_LAUNCH(run, copy_all, grid(run), threads, (const int4 *)run->in, (int4 *)run->out, run->n);
    return HALO_OK;
}

HaloStatus fma_launch(LadderRun *run)
{
    LADDER_LAUNCH(run, multiply_add, fma_blocks * run->device->properties.multiProcessorCount, fma_threads,
                  (float *)run->out, 0.999f, 0.001f);
    return HALO_OK;
}

/* The best of a few sizes of grid: which of them suits memory best differs between GPUs. */
HaloStatus best(LadderRun *run, LadderStep *launch, double *ms)
{
    *ms = INFINITY;
    for (int blocks : {0, 2, 4, 8, 32}) {
        double now;
        run->size.variant = blocks;
        CUDA_PASS(ladder_time(run, launch, &now));
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
    LadderRun run = {};
    run.device = device;
    run.n = bytes / (int64_t)sizeof(int4);
    run.in = in.data;
    run.out = out.data;
    CUDA_PASS(best(&run, read_launch, &read_ms));
    CUDA_PASS(best(&run, copy_launch, &copy_ms));
    CUDA_PASS(ladder_time(&run, fma_launch, &fma_ms));
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
