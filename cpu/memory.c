/* Memory of the CPU backend: buffers, scratch, and the workspace query that says how much of it a plan takes.
 */
#include <stdlib.h>

#include "device.h"

static void *aligned(int64_t bytes)
{
    if (bytes < 0 || bytes > INT64_MAX - CPU_ALIGNMENT || (uint64_t)bytes > SIZE_MAX - CPU_ALIGNMENT)
        return NULL;
    return aligned_alloc(CPU_ALIGNMENT, ((size_t)bytes / CPU_ALIGNMENT + 1) * CPU_ALIGNMENT);
}

HaloStatus cpu_alloc(HaloDevice *device, HaloBuf *buf)
{
    int64_t pixel, row, bytes;
    (void)device;
    if (!halo_mul(buf->shape.channels, (int64_t)halo_dtype_size(buf->shape.dtype), &pixel) ||
        !halo_mul(buf->cols, pixel, &row) || !halo_mul(buf->rows, row, &bytes))
        return halo_fail(HALO_ERR_LIMIT,
                         "%lld x %lld pixels of %d channels are more than memory can be addressed for",
                         (long long)buf->cols, (long long)buf->rows, buf->shape.channels);
    void *data = (uint64_t)bytes <= SIZE_MAX / 2 ? halo_large_alloc((size_t)bytes) : NULL;
    if (data == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for %lld bytes", (long long)bytes);
    buf->stride = row;
    buf->data = data;
    return HALO_OK;
}

void cpu_release(HaloDevice *device, HaloBuf *buf)
{
    (void)device;
    free(buf->data);
    buf->data = NULL;
}

bool cpu_reserve(int64_t *total, int64_t count, int64_t size, int64_t *at)
{
    int64_t bytes;
    if (!halo_mul(count, size, &bytes) || bytes > INT64_MAX - CPU_ALIGNMENT - *total) return false;
    *at = *total;
    *total += (bytes + CPU_ALIGNMENT - 1) / CPU_ALIGNMENT * CPU_ALIGNMENT;
    return true;
}

void cpu_query_begin(HaloDevice *device)
{
    device->querying = true;
    device->query_bytes = 0;
}

int64_t cpu_query_end(HaloDevice *device)
{
    const int64_t own = device->jobs * CPU_OWN_BYTES;
    device->querying = false;
    return device->query_bytes > own ? device->query_bytes - own : 0;
}

void cpu_heap(HaloDevice *device, int64_t bytes) { device->query_bytes += bytes; }

HaloStatus cpu_scratch(HaloDevice *device, int64_t bytes, void **block)
{
    if (device->querying) {
        device->query_bytes +=
            bytes < INT64_MAX - device->query_bytes ? bytes : INT64_MAX - device->query_bytes;
        return HALO_ERR_LIMIT;
    }
    if (bytes > device->scratch_bytes) {
        free(device->scratch);
        device->scratch_bytes = 0;
        device->scratch = aligned(bytes);
        if (device->scratch == NULL)
            return halo_fail(HALO_ERR_LIMIT, "not enough memory for %lld bytes of scratch", (long long)bytes);
        device->scratch_bytes = bytes;
    }
    *block = device->scratch;
    return HALO_OK;
}

HaloStatus cpu_scratch_each(HaloDevice *device, int64_t *bytes, void **block)
{
    int64_t one = 0, all = 0, at;
    if (!cpu_reserve(&one, *bytes, 1, &at) || !cpu_reserve(&all, device->jobs, one, &at))
        return halo_fail(HALO_ERR_LIMIT, "not enough memory for scratch of %d threads", device->jobs);
    *bytes = one;
    return cpu_scratch(device, all, block);
}

void cpu_scratch_trim(HaloDevice *device)
{
    if (device->scratch_bytes <= device->jobs * CPU_OWN_BYTES) return;
    free(device->scratch);
    device->scratch = NULL;
    device->scratch_bytes = 0;
}
