/* The CPU backend's table, and what has no arithmetic in it: opening, memory, threads. */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>

#include "fft.h"
#include "halo/machine.h"

#define ALIGNMENT 64

/* Threads are bounded so that a wrong number cannot ask for a million of them. */
#define MAX_JOBS 1024

/* Below this many multiply-adds, waking a thread takes longer than the work. */
#define WORTH_THREADS 400000.0

/* More than a last-level cache holds beside what is read. Buffers between the steps of a plan stay below it
 * (core/plan/bands.c). */
#define STREAM_BYTES (32 << 20)

static int count(void) { return 1; }

static int threads(int jobs)
{
    const int wanted = jobs < 1 ? halo_machine()->threads : jobs;
    return wanted > MAX_JOBS ? MAX_JOBS : wanted;
}

static void close_device(HaloDevice *device)
{
    if (device == NULL) return;
    halo_pool_free(device->pool);
    free(device->scratch);
    free(device);
}

static HaloStatus open_device(int index, int jobs, HaloDevice **out)
{
    HaloStatus status = HALO_OK;
    HaloDevice *device = NULL;
    char name[64];
    if (index != 0) HALO_FAIL(HALO_ERR_DEVICE, "there is no cpu:%d; the only one is cpu:0", index);
    device = calloc(1, sizeof *device);
    if (device == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to open the CPU backend");
    atomic_init(&device->clipped, 0);
    device->jobs = threads(jobs);
    HALO_TRY(cpu_choose_kernels(&device->kernels));
    HALO_TRY(halo_pool_new(device->jobs, &device->pool));
    cpu_processor_name(name, sizeof name);
    snprintf(device->description, sizeof device->description, "%s, %s, %d thread%s", name,
             device->kernels->name, device->jobs, device->jobs == 1 ? "" : "s");
out:
    if (status != HALO_OK) {
        close_device(device);
        device = NULL;
    }
    *out = device;
    return status;
}

static const char *describe(HaloDevice *device) { return device->description; }

/* ---- memory --------------------------------------------------------------------------------------------- */

static void *aligned(int64_t bytes)
{
    if (bytes < 0 || bytes > INT64_MAX - ALIGNMENT || (uint64_t)bytes > SIZE_MAX - ALIGNMENT) return NULL;
    return aligned_alloc(ALIGNMENT, ((size_t)bytes / ALIGNMENT + 1) * ALIGNMENT);
}

static HaloStatus alloc_buf(HaloDevice *device, HaloBuf *buf)
{
    int64_t pixel, row, bytes;
    (void)device;
    if (!halo_mul(buf->shape.channels, (int64_t)halo_dtype_size(buf->shape.dtype), &pixel) ||
        !halo_mul(buf->cols, pixel, &row) || !halo_mul(buf->rows, row, &bytes))
        return halo_fail(HALO_ERR_LIMIT, "%lld x %lld pixels of %d channels are too many", (long long)buf->cols,
                         (long long)buf->rows, buf->shape.channels);
    void *data = aligned(bytes);
    if (data == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for %lld bytes", (long long)bytes);
    buf->stride = row;
    buf->data = data;
    return HALO_OK;
}

static void release_buf(HaloDevice *device, HaloBuf *buf)
{
    (void)device;
    free(buf->data);
    buf->data = NULL;
}

bool cpu_reserve(int64_t *total, int64_t things, int64_t size, int64_t *at)
{
    int64_t bytes;
    if (!halo_mul(things, size, &bytes) || bytes > INT64_MAX - ALIGNMENT - *total) return false;
    *at = *total;
    *total += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return true;
}

static void ask(HaloDevice *device)
{
    device->asking = true;
    device->asked = 0;
}

static int64_t asked(HaloDevice *device)
{
    const int64_t own = device->jobs * CPU_OWN_BYTES;
    device->asking = false;
    return device->asked > own ? device->asked - own : 0;
}

void cpu_heap(HaloDevice *device, int64_t bytes) { device->asked += bytes; }

HaloStatus cpu_scratch(HaloDevice *device, int64_t bytes, void **block)
{
    if (device->asking) {
        device->asked += bytes < INT64_MAX - device->asked ? bytes : INT64_MAX - device->asked;
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

/* ---- work ----------------------------------------------------------------------------------------------- */

bool cpu_streams(const HaloBuf *dst) { return dst->rows > 0 && dst->stride > STREAM_BYTES / dst->rows; }

bool cpu_are_aligned(const HaloBuf *buf, int64_t x)
{
    return ((uintptr_t)halo_at(buf, x, buf->y0) | (uintptr_t)buf->stride) % ALIGNMENT == 0;
}

int cpu_workers(const HaloDevice *device, double work) { return work < WORTH_THREADS ? 1 : device->jobs; }

void cpu_run(HaloDevice *device, int workers, int64_t tasks, HaloTask *task, void *context)
{
    if (workers > 1) {
        halo_pool_run(device->pool, tasks, task, context);
    } else {
        for (int64_t i = 0; i < tasks; i++) task(context, i, 0);
    }
}

/* At the end of a plan: more than a device may keep for the next one goes. */
static HaloStatus finish(HaloDevice *device, uint64_t *clipped)
{
    if (clipped == NULL) return HALO_OK;
    *clipped = atomic_exchange(&device->clipped, 0);
    if (device->scratch_bytes > device->jobs * CPU_OWN_BYTES) {
        free(device->scratch);
        device->scratch = NULL;
        device->scratch_bytes = 0;
    }
    return HALO_OK;
}

const HaloBackend halo_backend_cpu = {
    .name = "cpu",
    .count = count,
    .open = open_device,
    .close = close_device,
    .describe = describe,
    .alloc = alloc_buf,
    .release = release_buf,
    .finish = finish,
    .query_begin = ask,
    .query_end = asked,
    .conv = cpu_conv,
    .sep = cpu_sep,
    .map = cpu_map,
    .combine = cpu_combine,
    .reduce = cpu_reduce,
    .fold = cpu_fold,
    .hist = cpu_hist,
    .scan = cpu_scan,
    .rank = cpu_rank,
    .mean = cpu_mean,
    .bilateral = cpu_bilateral,
    .equalize = cpu_equalize,
    .gather = cpu_gather,
    .resample = cpu_resample,
    .sections = cpu_sections,
    .spectrum = cpu_spectrum,
    .mix = cpu_mix,
    .fade = cpu_fade,
    .ceilings = cpu_ceilings,
    .uses_fft = cpu_fft_takes,
};
