/* Device memory: buffers and scratch, in the order of the device's stream, from the GPU's pool. Several devices
 * of a process (one per file) share a GPU: allocating and freeing must not make one wait for the others, as
 * cudaMalloc and cudaFree do. */
#include <stdlib.h>

#include "common.cuh"

/* The pool keeps freed memory for the next file. */
HaloStatus cuda_memory_open(HaloDevice *device)
{
    int supported = 0;
    CUDA_TRY(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device->index));
    if (!supported) return HALO_OK; /* cudaMalloc then */
    uint64_t keep = UINT64_MAX;
    CUDA_TRY(cudaDeviceGetDefaultMemPool(&device->pool, device->index));
    CUDA_TRY(cudaMemPoolSetAttribute(device->pool, cudaMemPoolAttrReleaseThreshold, &keep));
    return HALO_OK;
}

void cuda_set_memory(HaloDevice *device, const HaloOptions *options)
{
    if (options->gpu_alloc == NULL || options->gpu_free == NULL) return;
    device->alloc = options->gpu_alloc;
    device->free = options->gpu_free;
    device->context = options->context;
}

static cudaError_t get(HaloDevice *device, void **data, size_t bytes)
{
    if (device->alloc != NULL) {
        *data = device->alloc(device->context, device->index, bytes, device->stream);
        return *data != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
    }
    return device->pool != NULL ? cudaMallocAsync(data, bytes, device->stream) : cudaMalloc(data, bytes);
}

static void give(HaloDevice *device, void *data)
{
    if (data == NULL) return;
    if (device->free != NULL) {
        device->free(device->context, device->index, data, device->stream);
        return;
    }
    if (device->pool != NULL)
        cudaFreeAsync(data, device->stream);
    else
        cudaFree(data);
    cudaGetLastError();
}

static void drop_scratch(HaloDevice *device)
{
    device->kept = NULL;
    for (int i = 0; i < CUDA_SCRATCHES; i++) {
        if (device->scratch_used[i]) continue;
        give(device, device->scratch[i]);
        device->scratch[i] = NULL;
        device->scratch_bytes[i] = 0;
    }
}

/* Returns idle memory of scratch and pool to the GPU. */
static void give_back(HaloDevice *device)
{
    drop_scratch(device);
    cudaStreamSynchronize(device->stream);
    if (device->pool != NULL && device->alloc == NULL) cudaMemPoolTrimTo(device->pool, 0);
    cudaGetLastError();
}

void cuda_memory_close(HaloDevice *device)
{
    if (device->stream != NULL) give_back(device);
}

int64_t cuda_memory_left(HaloDevice *device)
{
    size_t left = 0, total = 0;
    uint64_t held = 0, used = 0;
    if (cuda_use(device) != HALO_OK || cudaMemGetInfo(&left, &total) != cudaSuccess) {
        cudaGetLastError();
        return 0;
    }
    if (device->pool != NULL &&
        cudaMemPoolGetAttribute(device->pool, cudaMemPoolAttrReservedMemCurrent, &held) == cudaSuccess &&
        cudaMemPoolGetAttribute(device->pool, cudaMemPoolAttrUsedMemCurrent, &used) == cudaSuccess)
        left += held - used;
    cudaGetLastError();
    for (int i = 0; i < CUDA_SCRATCHES; i++) left += (size_t)device->scratch_bytes[i]; /* for the next step */
    return (int64_t)left;
}

/* Idle scratch, and memory of the pool, are freed if there is not enough. */
static HaloStatus take(HaloDevice *device, int64_t bytes, void **data)
{
    cudaError_t error = get(device, data, (size_t)bytes);
    if (error == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        give_back(device);
        error = get(device, data, (size_t)bytes);
    }
    if (error == cudaSuccess) return HALO_OK;
    *data = NULL;
    if (error != cudaErrorMemoryAllocation) return cuda_fail(error, "cudaMallocAsync");
    cudaGetLastError();
    return halo_fail(HALO_ERR_DEVICE, "not enough GPU memory: %lld MiB are needed and %lld MiB are free",
                     (long long)(bytes >> 20) + 1, (long long)(cuda_memory_left(device) >> 20));
}

void cuda_library_takes(HaloDevice *device, int64_t bytes)
{
    if (device->asking) device->requested += bytes;
}

HaloStatus cuda_scratch(HaloDevice *device, CudaScratch which, int64_t bytes, void **data)
{
    if (device->asking) {
        device->requested += bytes;
        *data = NULL;
        return which == CUDA_SCRATCH_ARRIVAL ? HALO_OK
                                             : HALO_ERR_LIMIT; /* reductions ask for more afterwards */
    }
    if (device->scratch_bytes[which] < bytes) {
        device->kept = NULL;
        give(device, device->scratch[which]); /* when the work in flight is done with it */
        device->scratch[which] = NULL;
        device->scratch_bytes[which] = 0;
        void *block = NULL;
        CUDA_PASS(take(device, bytes, &block));
        device->scratch[which] = block;
        device->scratch_bytes[which] = bytes;
    }
    device->scratch_used[which] = true;
    *data = device->scratch[which];
    return HALO_OK;
}

/* Buffers end with a complete word of 16 bytes, so that kernels may read the words that contain samples. */
static const int64_t memory_word = 16;

/* Rows without padding: reductions, histograms and scans then read a buffer as one line, and a copy is one
 * block. Convolutions load through shared memory, where unaligned rows cost little. */
HaloStatus cuda_alloc(HaloDevice *device, HaloBuf *buf)
{
    int64_t bytes;
    buf->data = NULL;
    CUDA_PASS(cuda_use(device));
    buf->stride = halo_row_bytes(buf);
    if (!halo_mul(buf->rows, buf->stride, &bytes) || bytes > INT64_MAX - memory_word)
        return halo_fail(HALO_ERR_LIMIT, "a buffer of %lld rows of %lld bytes is too large: use --device cpu",
                         (long long)buf->rows, (long long)buf->stride);
    const int64_t rest = bytes % memory_word, empty = rest == 0 && bytes > 0 ? 0 : memory_word - rest;
    CUDA_PASS(take(device, bytes + empty, &buf->data));
    if (empty == 0) return HALO_OK;
    const cudaError_t error = cudaMemsetAsync((char *)buf->data + bytes, 0, (size_t)empty, device->stream);
    if (error == cudaSuccess) return HALO_OK;
    cuda_release(device, buf);
    return cuda_fail(error, "cudaMemsetAsync");
}

void cuda_release(HaloDevice *device, HaloBuf *buf)
{
    if (buf->data == NULL || cuda_use(device) != HALO_OK) return;
    give(device, buf->data);
    buf->data = NULL;
}
