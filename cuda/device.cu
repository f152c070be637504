/* Devices: found, opened, described; their memory; copies; waiting. And the table of the backend. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.cuh"

extern "C" {
extern const HaloBackend halo_backend_cuda;
}

/* ---- errors --------------------------------------------------------------------------------------------- */

HaloStatus cuda_fail(cudaError_t error, const char *doing)
{
    cudaGetLastError();
    return halo_fail(HALO_ERR_DEVICE, "the GPU failed: %s (%s) at %.60s", cudaGetErrorString(error),
                     cudaGetErrorName(error), doing);
}

/* ---- finding -------------------------------------------------------------------------------------------- */

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

/* ---- opening -------------------------------------------------------------------------------------------- */

/* A kernel that does nothing: whether it can be loaded tells whether this build has code for the GPU. */
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
    CUDA_TRY(cudaStreamCreateWithFlags(&device->stream, cudaStreamNonBlocking));
    for (int i = 0; i < 2; i++) CUDA_TRY(cudaEventCreate(&device->mark[i]));
    CUDA_TRY(cudaMalloc((void **)&device->clipped, sizeof *device->clipped));
    CUDA_TRY(cudaMemsetAsync(device->clipped, 0, sizeof *device->clipped, device->stream));
    CUDA_TRY(cudaMallocHost(&device->staging, CUDA_STAGING_BYTES));
    snprintf(device->description, sizeof device->description, "%s, sm_%d%d, %d multiprocessors, %.1f GiB",
             p->name, p->major, p->minor, p->multiProcessorCount, (double)p->totalGlobalMem / 1073741824.0);
    return HALO_OK;
}

static void drop_scratch(HaloDevice *device)
{
    for (int i = 0; i < CUDA_SCRATCHES; i++) {
        cudaFree(device->scratch[i]);
        device->scratch[i] = NULL;
        device->scratch_bytes[i] = 0;
    }
}

static void close_device(HaloDevice *device)
{
    if (device == NULL) return;
    cudaSetDevice(device->index);
    if (device->stream != NULL) cudaStreamSynchronize(device->stream);
    drop_scratch(device);
    cudaFree(device->clipped);
    cudaFreeHost(device->staging);
    for (int i = 0; i < 2; i++)
        if (device->mark[i] != NULL) cudaEventDestroy(device->mark[i]);
    if (device->stream != NULL) cudaStreamDestroy(device->stream);
    cudaGetLastError();
    free(device);
}

static HaloStatus open_device(int index, int jobs, HaloDevice **device)
{
    (void)jobs;
    *device = NULL;
    const int count = count_devices();
    if (count == 0) return HALO_ERR_DEVICE;
    if (index < 0 || index >= count)
        return halo_fail(HALO_ERR_DEVICE, "there is no GPU %d; there %s %d", index, count == 1 ? "is" : "are",
                         count);
    HaloDevice *const made = (HaloDevice *)calloc(1, sizeof *made);
    if (made == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
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
    CUDA_TRY(cudaSetDevice(device->index));
    return HALO_OK;
}

HaloStatus cuda_allow_shared(const void *kernel, size_t bytes)
{
    CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    return HALO_OK;
}

/* ---- memory --------------------------------------------------------------------------------------------- */

static int64_t memory_left(HaloDevice *device)
{
    size_t left = 0, total = 0;
    if (cuda_use(device) != HALO_OK || cudaMemGetInfo(&left, &total) != cudaSuccess) {
        cudaGetLastError();
        return 0;
    }
    return (int64_t)left;
}

/* cudaMalloc; scratch memory gives way when there is not enough. */
static HaloStatus take(HaloDevice *device, int64_t bytes, void **data)
{
    cudaError_t error = cudaMalloc(data, (size_t)bytes);
    if (error == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        CUDA_TRY(cudaStreamSynchronize(device->stream));
        drop_scratch(device);
        error = cudaMalloc(data, (size_t)bytes);
    }
    if (error == cudaSuccess) return HALO_OK;
    *data = NULL;
    if (error != cudaErrorMemoryAllocation) return cuda_fail(error, "cudaMalloc");
    cudaGetLastError();
    return halo_fail(HALO_ERR_DEVICE, "not enough GPU memory: %lld MiB are needed and %lld MiB are free",
                     (long long)(bytes >> 20) + 1, (long long)(memory_left(device) >> 20));
}

HaloStatus cuda_scratch(HaloDevice *device, CudaScratch which, int64_t bytes, void **data)
{
    if (device->scratch_bytes[which] < bytes) {
        /* Work in flight may still use the old block. */
        CUDA_TRY(cudaStreamSynchronize(device->stream));
        void *const old = device->scratch[which];
        device->scratch[which] = NULL;
        device->scratch_bytes[which] = 0;
        CUDA_TRY(cudaFree(old));
        void *block = NULL;
        CUDA_PASS(take(device, bytes, &block));
        device->scratch[which] = block;
        device->scratch_bytes[which] = bytes;
    }
    *data = device->scratch[which];
    return HALO_OK;
}

/* Rows without padding: reductions, histograms and scans then read a buffer as one line, and a copy is one
 * block. Convolutions load through shared memory, where rows that start anywhere cost little. */
static HaloStatus alloc_buffer(HaloDevice *device, HaloBuf *buf)
{
    int64_t bytes;
    buf->data = NULL;
    CUDA_PASS(cuda_use(device));
    buf->stride = halo_row_bytes(buf);
    if (!halo_mul(buf->rows, buf->stride, &bytes))
        return halo_fail(HALO_ERR_LIMIT, "a buffer of %lld rows of %lld bytes is too large",
                         (long long)buf->rows, (long long)buf->stride);
    return take(device, cuda_max(bytes, 1), &buf->data);
}

static void release_buffer(HaloDevice *device, HaloBuf *buf)
{
    if (buf->data == NULL || cuda_use(device) != HALO_OK) return;
    cudaFree(buf->data);
    cudaGetLastError();
    buf->data = NULL;
}

/* ---- copies --------------------------------------------------------------------------------------------- */

static HaloStatus copy_rows(HaloDevice *device, void *to, int64_t to_stride, const void *from,
                            int64_t from_stride, int64_t row_bytes, int64_t rows, cudaMemcpyKind kind)
{
    const int64_t pitch_most = (int64_t)device->properties.memPitch;
    if (rows <= 0 || row_bytes <= 0) return HALO_OK;
    if (rows == 1 || (to_stride == row_bytes && from_stride == row_bytes)) {
        CUDA_TRY(cudaMemcpyAsync(to, from, (size_t)(row_bytes * rows), kind, device->stream));
    } else if (to_stride <= pitch_most && from_stride <= pitch_most) {
        CUDA_TRY(cudaMemcpy2DAsync(to, (size_t)to_stride, from, (size_t)from_stride, (size_t)row_bytes,
                                   (size_t)rows, kind, device->stream));
    } else {
        for (int64_t y = 0; y < rows; y++)
            CUDA_TRY(cudaMemcpyAsync((char *)to + y * to_stride, (const char *)from + y * from_stride,
                                     (size_t)row_bytes, kind, device->stream));
    }
    return HALO_OK;
}

/* What both rectangles hold. */
static HaloStatus copy_common(HaloDevice *device, const HaloBuf *from, HaloBuf *to, cudaMemcpyKind kind)
{
    const int64_t x0 = cuda_max(from->x0, to->x0), x1 = cuda_min(from->x0 + from->cols, to->x0 + to->cols);
    const int64_t y0 = cuda_max(from->y0, to->y0), y1 = cuda_min(from->y0 + from->rows, to->y0 + to->rows);
    const int64_t sample = (int64_t)halo_dtype_size(from->shape.dtype);
    CUDA_PASS(cuda_use(device));
    if (x1 <= x0 || y1 <= y0) return HALO_OK;
    return copy_rows(device, halo_at(to, x0, y0), to->stride, halo_at(from, x0, y0), from->stride,
                     (x1 - x0) * from->shape.channels * sample, y1 - y0, kind);
}

static HaloStatus upload(HaloDevice *device, const HaloBuf *host, HaloBuf *to)
{
    return copy_common(device, host, to, cudaMemcpyHostToDevice);
}

static HaloStatus download(HaloDevice *device, const HaloBuf *from, HaloBuf *host)
{
    CUDA_PASS(copy_common(device, from, host, cudaMemcpyDeviceToHost));
    CUDA_TRY(cudaStreamSynchronize(device->stream));
    return HALO_OK;
}

HaloStatus cuda_fetch(HaloDevice *device, void *host, const void *data, int64_t bytes)
{
    void *const to = bytes <= CUDA_STAGING_BYTES ? device->staging : host;
    CUDA_TRY(cudaMemcpyAsync(to, data, (size_t)bytes, cudaMemcpyDeviceToHost, device->stream));
    CUDA_TRY(cudaStreamSynchronize(device->stream));
    if (to != host) memcpy(host, to, (size_t)bytes);
    return HALO_OK;
}

HaloStatus cuda_flat(HaloDevice *device, const HaloBuf *src, const void **data)
{
    const int64_t row_bytes = halo_row_bytes(src);
    *data = src->data;
    if ((src->rows == 1 || src->stride == row_bytes) && (uintptr_t)src->data % 16 == 0) return HALO_OK;
    void *flat;
    int64_t bytes;
    if (!halo_mul(row_bytes, src->rows, &bytes)) return halo_fail(HALO_ERR_LIMIT, "the buffer is too large");
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_FLAT, bytes, &flat));
    *data = flat;
    return copy_rows(device, flat, row_bytes, src->data, src->stride, row_bytes, src->rows,
                     cudaMemcpyDeviceToDevice);
}

/* ---- waiting -------------------------------------------------------------------------------------------- */

static HaloStatus finish(HaloDevice *device, uint64_t *clipped)
{
    unsigned long long count = 0;
    CUDA_PASS(cuda_use(device));
    if (clipped != NULL) {
        CUDA_PASS(cuda_fetch(device, &count, device->clipped, sizeof count));
        CUDA_TRY(cudaMemsetAsync(device->clipped, 0, sizeof *device->clipped, device->stream));
        *clipped = count;
    }
    CUDA_TRY(cudaStreamSynchronize(device->stream));
    CUDA_TRY(cudaGetLastError());
    return HALO_OK;
}

static HaloStatus set_mark(HaloDevice *device, int which)
{
    CUDA_PASS(cuda_use(device));
    CUDA_TRY(cudaEventRecord(device->mark[which != 0], device->stream));
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

extern "C" const HaloBackend halo_backend_cuda = {
    "cuda",         count_devices, open_device, close_device, describe,  memory_left, alloc_buffer,
    release_buffer, upload,        download,    finish,       cuda_conv, cuda_sep,    cuda_map,
    cuda_combine,   cuda_reduce,   cuda_hist,   cuda_scan,    set_mark,  elapsed,     cuda_ladder,
};
