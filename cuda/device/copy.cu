/* Copies on the device, and between host and device. Pinned memory (pin.cu) is copied directly. Other memory is
 * pageable, which the driver copies at a tenth of the link's rate and while everything waits; so it goes
 * through a small ring of pinned memory: while one half is on the link, the host fills or empties the other. */
#include <sched.h>
#include <string.h>

#include "common.cuh"
#include "device/pin.cuh"

/* Rows of bytes with a stride, in host and in device memory; for a copy on the device, the destination and the
 * source. */
struct Rows {
    char *host, *device;
    int64_t host_stride, device_stride;
    int64_t bytes, rows;
};

/* Without padding on both sides, many rows are one. */
static Rows flatten(Rows r)
{
    if (r.host_stride == r.bytes && r.device_stride == r.bytes) {
        r.bytes *= r.rows;
        r.rows = 1;
    }
    return r;
}

/* The part that fits one slot from row `y`, byte `x` on: complete rows, or a piece of one. */
static Rows piece(const Rows &r, int64_t y, int64_t x)
{
    Rows p = r;
    p.host += y * r.host_stride + x;
    p.device += y * r.device_stride + x;
    p.bytes = cuda_min(r.bytes - x, CUDA_RING_BYTES);
    p.rows = p.bytes < r.bytes ? 1 : cuda_min(r.rows - y, CUDA_RING_BYTES / p.bytes);
    return p;
}

static void advance(const Rows &p, const Rows &all, int64_t *y, int64_t *x)
{
    *x += p.bytes;
    if (*x < all.bytes) return;
    *x = 0;
    *y += p.rows;
}

/* One call if the driver supports such strides: below 2 GiB. */
static HaloStatus copy_rows(HaloDevice *device, void *to, int64_t to_stride, const void *from,
                            int64_t from_stride, int64_t bytes, int64_t rows, cudaMemcpyKind kind)
{
    if (rows > 1 && to_stride <= INT32_MAX && from_stride <= INT32_MAX) {
        CUDA_TRY(cudaMemcpy2DAsync(to, (size_t)to_stride, from, (size_t)from_stride, (size_t)bytes,
                                   (size_t)rows, kind, device->stream));
        return HALO_OK;
    }
    for (int64_t y = 0; y < rows; y++)
        CUDA_TRY(cudaMemcpyAsync((char *)to + y * to_stride, (const char *)from + y * from_stride,
                                 (size_t)bytes, kind, device->stream));
    return HALO_OK;
}

/* A copy of a band takes a third of a millisecond: for about that time the host polls, and yields in between,
 * since waking up takes a third of that. */
#define POLLS 400

static HaloStatus wait_for_copy(cudaEvent_t done)
{
    cudaError_t state = cudaErrorNotReady;
    for (int i = 0; i < POLLS && state == cudaErrorNotReady; i++) {
        state = cudaEventQuery(done);
        if (state == cudaErrorNotReady) sched_yield();
    }
    cudaGetLastError(); /* not ready is no error */
    CUDA_TRY(cudaEventSynchronize(done));
    return HALO_OK;
}

/* From and to pinned memory; returns when it is done. */
static HaloStatus direct(HaloDevice *device, const Rows &r, cudaMemcpyKind kind)
{
    if (kind == cudaMemcpyHostToDevice)
        CUDA_PASS(copy_rows(device, r.device, r.device_stride, r.host, r.host_stride, r.bytes, r.rows, kind));
    else
        CUDA_PASS(copy_rows(device, r.host, r.host_stride, r.device, r.device_stride, r.bytes, r.rows, kind));
    CUDA_TRY(cudaEventRecord(device->ring_done[0], device->stream));
    return wait_for_copy(device->ring_done[0]);
}

/* Not allocated while all samples come from pinned memory. */
static HaloStatus open_ring(HaloDevice *device)
{
    if (device->ring == NULL) CUDA_TRY(cudaMallocHost((void **)&device->ring, 2 * CUDA_RING_BYTES));
    return HALO_OK;
}

/* Copies between a slot, where rows have no padding, and the device. */
static HaloStatus transfer(HaloDevice *device, int slot, const Rows &p, cudaMemcpyKind kind)
{
    char *const pinned = device->ring + slot * CUDA_RING_BYTES;
    if (kind == cudaMemcpyHostToDevice)
        CUDA_PASS(copy_rows(device, p.device, p.device_stride, pinned, p.bytes, p.bytes, p.rows, kind));
    else
        CUDA_PASS(copy_rows(device, pinned, p.bytes, p.device, p.device_stride, p.bytes, p.rows, kind));
    CUDA_TRY(cudaEventRecord(device->ring_done[slot], device->stream));
    return HALO_OK;
}

static void fill(HaloDevice *device, int slot, const Rows &p)
{
    char *const pinned = device->ring + slot * CUDA_RING_BYTES;
    for (int64_t y = 0; y < p.rows; y++)
        memcpy(pinned + y * p.bytes, p.host + y * p.host_stride, (size_t)p.bytes);
}

static void empty(HaloDevice *device, int slot, const Rows &p)
{
    const char *const pinned = device->ring + slot * CUDA_RING_BYTES;
    for (int64_t y = 0; y < p.rows; y++)
        memcpy(p.host + y * p.host_stride, pinned + y * p.bytes, (size_t)p.bytes);
}

static HaloStatus rows_up(HaloDevice *device, const Rows &all)
{
    int slot = 0;
    if (all.rows > 0 && cuda_is_pinned(all.host)) return direct(device, all, cudaMemcpyHostToDevice);
    CUDA_PASS(open_ring(device));
    for (int64_t y = 0, x = 0; y < all.rows; slot ^= 1) {
        const Rows p = piece(all, y, x);
        CUDA_TRY(
            cudaEventSynchronize(device->ring_done[slot])); /* the last copy but one is done with the slot */
        fill(device, slot, p);
        CUDA_PASS(transfer(device, slot, p, cudaMemcpyHostToDevice));
        advance(p, all, &y, &x);
    }
    return HALO_OK;
}

static HaloStatus rows_down(HaloDevice *device, const Rows &all)
{
    Rows waiting = {};
    int slot = 0;
    if (all.rows > 0 && cuda_is_pinned(all.host)) return direct(device, all, cudaMemcpyDeviceToHost);
    CUDA_PASS(open_ring(device));
    for (int i = 0; i < 2; i++) CUDA_TRY(cudaEventSynchronize(device->ring_done[i])); /* an upload's */
    for (int64_t y = 0, x = 0; y < all.rows || waiting.rows > 0; slot ^= 1) {
        Rows p = {};
        if (y < all.rows) {
            p = piece(all, y, x);
            CUDA_PASS(transfer(device, slot, p, cudaMemcpyDeviceToHost));
            advance(p, all, &y, &x);
        }
        if (waiting.rows > 0) {
            CUDA_TRY(cudaEventSynchronize(device->ring_done[slot ^ 1]));
            empty(device, slot ^ 1, waiting);
        }
        waiting = p;
    }
    return HALO_OK;
}

/* The intersection of both rectangles; rows is 0 if it is empty. */
static Rows common_rows(const HaloBuf *host, const HaloBuf *data)
{
    const int64_t x0 = cuda_max(host->x0, data->x0),
                  x1 = cuda_min(host->x0 + host->cols, data->x0 + data->cols);
    const int64_t y0 = cuda_max(host->y0, data->y0),
                  y1 = cuda_min(host->y0 + host->rows, data->y0 + data->rows);
    if (x1 <= x0 || y1 <= y0) return Rows();
    const int64_t pixel = host->shape.channels * (int64_t)halo_dtype_size(host->shape.dtype);
    return flatten({(char *)halo_at(host, x0, y0), (char *)halo_at(data, x0, y0), host->stride, data->stride,
                    (x1 - x0) * pixel, y1 - y0});
}

HaloStatus cuda_upload(HaloDevice *device, const HaloBuf *host, HaloBuf *to)
{
    CUDA_PASS(cuda_use(device));
    return rows_up(device, common_rows(host, to));
}

HaloStatus cuda_download(HaloDevice *device, const HaloBuf *from, HaloBuf *host)
{
    CUDA_PASS(cuda_use(device));
    return rows_down(device, common_rows(host, from));
}

HaloStatus cuda_copy(HaloDevice *device, const HaloBuf *from, HaloBuf *to)
{
    CUDA_PASS(cuda_use(device));
    const Rows r = common_rows(to, from);
    return copy_rows(device, r.host, r.host_stride, r.device, r.device_stride, r.bytes, r.rows,
                     cudaMemcpyDeviceToDevice);
}

HaloStatus cuda_pinned(HaloDevice *device, int64_t bytes, void **memory)
{
    *memory = bytes <= CUDA_STAGING_BYTES ? device->staging : NULL;
    if (bytes <= CUDA_STAGING_BYTES || bytes > 2 * CUDA_RING_BYTES) return HALO_OK;
    CUDA_PASS(open_ring(device));
    *memory = device->ring;
    return HALO_OK;
}

/* In one copy if pinned memory holds it: the clock stops at its end, before the host continues. */
HaloStatus cuda_fetch(HaloDevice *device, void *host, const void *data, int64_t bytes)
{
    void *pinned;
    CUDA_PASS(cuda_pinned(device, bytes, &pinned));
    if (pinned == NULL) return rows_down(device, {(char *)host, (char *)data, bytes, bytes, bytes, 1});
    CUDA_TRY(cudaMemcpyAsync(pinned, data, (size_t)bytes, cudaMemcpyDeviceToHost, device->stream));
    CUDA_PASS(cuda_wait(device));
    memcpy(host, pinned, (size_t)bytes);
    return HALO_OK;
}

HaloStatus cuda_flat(HaloDevice *device, const HaloBuf *src, const void **data)
{
    const int64_t row_bytes = halo_row_bytes(src);
    *data = src->data;
    if ((src->rows == 1 || src->stride == row_bytes) && (uintptr_t)src->data % 16 == 0) return HALO_OK;
    void *flat;
    int64_t bytes;
    if (!halo_mul(row_bytes, src->rows, &bytes))
        return halo_fail(HALO_ERR_LIMIT, "the buffer in GPU memory is too large: use --device cpu");
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_FLAT, bytes, &flat));
    *data = flat;
    return copy_rows(device, flat, row_bytes, src->data, src->stride, row_bytes, src->rows,
                     cudaMemcpyDeviceToDevice);
}
