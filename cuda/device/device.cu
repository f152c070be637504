/* Devices: finding, opening, describing and waiting; and the table of the backend. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bilateral/bilateral.cuh"
#include "chain/chain.cuh"
#include "common.cuh"
#include "device/pin.cuh"
#include "halo/text.h"
#include "point/color.cuh"
#include "point/expr.cuh"
#include "point/mix.cuh"
#include "rank/local.cuh"
#include "regions/morphology.cuh"
#include "resample/resample.cuh"
#include "sep/fast.cuh"
#include "warp/warp.cuh"

extern "C" {
extern const HaloBackend halo_backend_cuda;
}

/* ---- errors ---------------------------------------------------------------------------------------------- */

HaloStatus cuda_fail(cudaError_t error, const char *doing)
{
    cudaGetLastError();
    return halo_fail(HALO_ERR_DEVICE, "the GPU failed: %s (%s) at %.60s", cudaGetErrorString(error),
                     cudaGetErrorName(error), doing);
}

/* ---- finding --------------------------------------------------------------------------------------------- */

static int count_devices(void)
{
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count > 0) return count;
    cudaGetLastError();
    int driver = 0;
    if (cudaDriverGetVersion(&driver) != cudaSuccess) driver = 0;
    cudaGetLastError();
    if (error == cudaSuccess || error == cudaErrorNoDevice)
        halo_fail(HALO_ERR_DEVICE, "there is no GPU that CUDA can use");
    else if (driver == 0)
        halo_fail(HALO_ERR_DEVICE, "no NVIDIA driver is installed");
    else if (error == cudaErrorInsufficientDriver)
        halo_fail(HALO_ERR_DEVICE,
                  "the NVIDIA driver is too old: it supports CUDA %d.%d, this build needs %d.%d", driver / 1000,
                  driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    else
        halo_fail(HALO_ERR_DEVICE, "CUDA does not start: %s (%s)", cudaGetErrorString(error),
                  cudaGetErrorName(error));
    return 0;
}

/* ---- opening --------------------------------------------------------------------------------------------- */

static const size_t clip_bytes = CUDA_CLIP_COUNTERS * CUDA_CLIP_PITCH * sizeof(unsigned long long);

/* An empty kernel: if it can be loaded, this build has code for the GPU. */
__global__ static void probe_kernel() {}

static HaloStatus set_up(HaloDevice *device, int index)
{
    device->index = index;
    CUDA_TRY(cudaSetDevice(index));
    CUDA_TRY(cudaGetDeviceProperties(&device->properties, index));
    const cudaDeviceProp *const p = &device->properties;
    cudaFuncAttributes attributes;
    if (cudaFuncGetAttributes(&attributes, (const void *)probe_kernel) == cudaErrorNoKernelImageForDevice) {
        cudaGetLastError();
        return halo_fail(HALO_ERR_DEVICE, "this build has no code for %s (compute capability %d.%d)", p->name,
                         p->major, p->minor);
    }
    device->shared_most = (size_t)cuda_max(CUDA_SHARED_DEFAULT, (int64_t)p->sharedMemPerBlockOptin / 2);
    CUDA_TRY(cudaStreamCreateWithFlags(&device->own, cudaStreamNonBlocking));
    device->stream = device->own;
    const unsigned patient = device->patient ? cudaEventBlockingSync : cudaEventDefault;
    for (int i = 0; i < 2; i++) CUDA_TRY(cudaEventCreate(&device->mark[i]));
    for (int i = 0; i < 2; i++)
        CUDA_TRY(cudaEventCreateWithFlags(&device->ring_done[i], patient | cudaEventDisableTiming));
    CUDA_TRY(cudaEventCreateWithFlags(&device->idle, patient | cudaEventDisableTiming));
    CUDA_TRY(cudaEventCreateWithFlags(&device->order, cudaEventDisableTiming));
    CUDA_PASS(cuda_memory_open(device));
    CUDA_TRY(cudaMalloc((void **)&device->clipped, clip_bytes));
    CUDA_TRY(cudaMemsetAsync(device->clipped, 0, clip_bytes, device->stream));
    CUDA_TRY(cudaMallocHost(&device->staging, CUDA_STAGING_BYTES));
    halo_snprintf(device->description, sizeof device->description, "%s, sm_%d%d, %d multiprocessors, %.1f GiB",
                  p->name, p->major, p->minor, p->multiProcessorCount,
                  (double)p->totalGlobalMem / 1073741824.0);
    return HALO_OK;
}

static void close_device(HaloDevice *device)
{
    if (device == NULL) return;
    cudaSetDevice(device->index);
    for (int i = 0; i < 2; i++) cuda_fft_close(&device->fft[i]);
    cuda_memory_close(device);
    cudaFree(device->clipped);
    cudaFreeHost(device->staging);
    if (device->ring != NULL) cudaFreeHost(device->ring);
    const cudaEvent_t events[] = {device->mark[0], device->mark[1], device->ring_done[0], device->ring_done[1],
                                  device->idle, device->order};
    for (const cudaEvent_t event : events)
        if (event != NULL) cudaEventDestroy(event);
    if (device->own != NULL) cudaStreamDestroy(device->own);
    cudaGetLastError();
    free(device);
}

static HaloStatus open_device(int index, int jobs, HaloDevice **device)
{
    *device = NULL;
    const int count = count_devices();
    if (count == 0) return HALO_ERR_DEVICE;
    if (index < 0 || index >= count)
        return halo_fail(HALO_ERR_DEVICE, "there is no GPU %d; there %s %d", index, count == 1 ? "is" : "are",
                         count);
    HaloDevice *const made = (HaloDevice *)calloc(1, sizeof *made);
    if (made == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    made->patient = jobs == 1;
    const HaloStatus status = set_up(made, index);
    if (status == HALO_OK)
        *device = made;
    else
        close_device(made);
    return status;
}

static const char *describe(HaloDevice *device) { return device->description; }

HaloStatus cuda_use(HaloDevice *device)
{
    for (bool &used : device->scratch_used) used = false;
    CUDA_TRY(cudaSetDevice(device->index));
    return HALO_OK;
}

HaloStatus cuda_allow_shared(const void *kernel, size_t bytes)
{
    CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    return HALO_OK;
}

/* ---- waiting --------------------------------------------------------------------------------------------- */

/* The clock stops here or where the host begins to wait, whichever is first, if nothing was launched since. */
static HaloStatus stop_clock(HaloDevice *device)
{
    if (!device->stopped) CUDA_TRY(cudaEventRecord(device->mark[1], device->stream));
    device->stopped = true;
    return HALO_OK;
}

HaloStatus cuda_wait(HaloDevice *device)
{
    CUDA_PASS(stop_clock(device));
    CUDA_TRY(cudaEventRecord(device->idle, device->stream));
    CUDA_TRY(cudaEventSynchronize(device->idle));
    return HALO_OK;
}

/* All that was queued so far comes first, since scratch memory and buffers are used again. */
static HaloStatus queue_on(HaloDevice *device, cudaStream_t stream)
{
    if (stream == device->stream) return HALO_OK;
    CUDA_TRY(cudaEventRecord(device->order, device->stream));
    CUDA_TRY(cudaStreamWaitEvent(stream, device->order, 0));
    device->stream = stream;
    return HALO_OK;
}

/* The caller's stream may end before the next call: work goes back to the device's own at once. The caller's
 * current device stays what it was. */
static HaloStatus follow(HaloDevice *device, bool theirs, void *stream)
{
    if (theirs) {
        CUDA_TRY(cudaGetDevice(&device->current));
        CUDA_PASS(cuda_use(device));
        device->kept = NULL; /* the caller's samples may have changed */
        return queue_on(device, (cudaStream_t)stream);
    }
    CUDA_PASS(cuda_use(device));
    const HaloStatus status = queue_on(device, device->own);
    CUDA_TRY(cudaSetDevice(device->current));
    return status;
}

static HaloStatus finish(HaloDevice *device, uint64_t *clipped)
{
    unsigned long long counter[CUDA_CLIP_COUNTERS * CUDA_CLIP_PITCH];
    CUDA_PASS(cuda_use(device));
    if (clipped != NULL) {
        CUDA_PASS(cuda_fetch(device, counter, device->clipped, clip_bytes));
        CUDA_TRY(cudaMemsetAsync(device->clipped, 0, clip_bytes, device->stream));
        *clipped = 0;
        for (int i = 0; i < CUDA_CLIP_COUNTERS; i++) *clipped += counter[i * CUDA_CLIP_PITCH];
    }
    CUDA_PASS(cuda_wait(device));
    CUDA_TRY(cudaGetLastError());
    return HALO_OK;
}

/* Keeps the device busy while the host launches what comes next. */
__global__ static void busy_kernel()
{
    uint64_t begun, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begun));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - begun < 50000); /* ns: about ten launches */
}

static HaloStatus set_mark(HaloDevice *device, HaloMark which)
{
    CUDA_PASS(cuda_use(device));
    if (which == HALO_MARK_STOP) return stop_clock(device);
    if (which == HALO_MARK_QUEUED) {
        device->queued = true;
        return HALO_OK;
    }
    if (device->queued) CUDA_LAUNCH(device, busy_kernel, 1, 1, 0);
    CUDA_TRY(cudaEventRecord(device->mark[0], device->stream));
    device->stopped = false;
    return HALO_OK;
}

static HaloStatus elapsed(HaloDevice *device, double *ms)
{
    float between = 0;
    CUDA_PASS(cuda_use(device));
    for (int i = 0; i < 2; i++) CUDA_TRY(cudaEventSynchronize(device->mark[i]));
    CUDA_TRY(cudaEventElapsedTime(&between, device->mark[0], device->mark[1]));
    *ms = (double)between;
    return HALO_OK;
}

static void query_begin(HaloDevice *device)
{
    device->asking = true;
    device->requested = 0;
}

static int64_t query_end(HaloDevice *device)
{
    device->asking = false;
    return device->requested;
}

extern "C" const HaloBackend halo_backend_cuda = {
    .name = "cuda",
    .count = count_devices,
    .started = cuda_started,
    .open = open_device,
    .close = close_device,
    .describe = describe,
    .memory = cuda_memory_left,
    .alloc = cuda_alloc,
    .release = cuda_release,
    .upload = cuda_upload,
    .download = cuda_download,
    .copy = cuda_copy,
    .pin = cuda_pin,
    .unpin = cuda_unpin,
    .follow = follow,
    .set_memory = cuda_set_memory,
    .finish = finish,
    .query_begin = query_begin,
    .query_end = query_end,
    .conv = cuda_conv,
    .sep = cuda_sep,
    .map = cuda_map,
    .combine = cuda_combine,
    .reduce = cuda_reduce,
    .fold = cuda_fold,
    .hist = cuda_hist,
    .scan = cuda_scan,
    .rank = cuda_rank,
    .mean = cuda_mean,
    .equalize = cuda_equalize,
    .gather = cuda_gather,
    .resample = cuda_resample,
    .bilateral = cuda_bilateral,
    .mix = cuda_mix,
    .fade = cuda_fade,
    .local = cuda_local,
    .regions = cuda_regions,
    .distance = cuda_distance,
    .objects = cuda_objects,
    .sort_groups = cuda_sort_groups,
    .reduce_groups = cuda_reduce_groups,
    .suppress = cuda_suppress,
    .reconstruct = cuda_reconstruct,
    .thin = cuda_thin,
    .expr = cuda_expr,
    .warp = cuda_warp,
    .color = cuda_color,
    .chain = cuda_chain,
    .extremes = cuda_extremes,
    .mark = set_mark,
    .elapsed = elapsed,
    .ceilings = cuda_ceilings,
    .uses_fft = cuda_fft_takes,
    .sep_fast = cuda_sep_decimated,
    .can_fuse = cuda_chains,
    .can_fuse_extremes = cuda_measures,
    .powers = cuda_powers,
};
