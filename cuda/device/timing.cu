/* Time on the device: the median of many runs. */
#include <stdlib.h>

#include "timing.cuh"

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

/* Runs are queued one behind the other, so that the GPU never waits for the host, and read afterwards. */
HaloStatus time_runs(HaloDevice *device, CudaTimed *launch, void *context, Events *events, int runs,
                     double *median)
{
    float ms[runs_most];
    cudaStream_t stream = device->stream;
    for (int i = 0; i < runs; i++) {
        CUDA_TRY(cudaEventRecord(events->at[2 * i], stream));
        CUDA_PASS(launch(context));
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

HaloStatus cuda_time(HaloDevice *device, CudaTimed *launch, void *context, double *ms)
{
    Events events;
    for (cudaEvent_t &event : events.at) CUDA_TRY(cudaEventCreate(&event));
    CUDA_PASS(launch(context)); /* the first run loads code and wakes clocks */
    CUDA_PASS(time_runs(device, launch, context, &events, runs_least, ms));
    const double fit = budget_ms / (*ms > 1e-3 ? *ms : 1e-3);
    const int runs = fit > runs_most ? runs_most : (int)fit | 1;
    return runs > runs_least ? time_runs(device, launch, context, &events, runs, ms) : HALO_OK;
}
