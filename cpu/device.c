/* The CPU as a device: opening, closing, the end of a plan. */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>

void cpu_close(HaloDevice *device)
{
    if (device == NULL) return;
    halo_pool_free(device->pool);
    free(device->scratch);
    free(device);
}

HaloStatus cpu_open(int index, int jobs, HaloDevice **out)
{
    HaloStatus status = HALO_OK;
    HaloDevice *device = NULL;
    char name[64];
    if (index != 0) HALO_FAIL(HALO_ERR_DEVICE, "there is no cpu:%d; the only one is cpu:0", index);
    device = calloc(1, sizeof *device);
    if (device == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to open the CPU backend");
    atomic_init(&device->clipped, 0);
    device->jobs = cpu_threads(jobs);
    HALO_TRY(cpu_choose_kernels(&device->kernels));
    HALO_TRY(halo_pool_new(device->jobs, &device->pool));
    cpu_processor_name(name, sizeof name);
    snprintf(device->description, sizeof device->description, "%s, %s, %d thread%s", name,
             device->kernels->name, device->jobs, device->jobs == 1 ? "" : "s");
out:
    if (status != HALO_OK) {
        cpu_close(device);
        device = NULL;
    }
    *out = device;
    return status;
}

const char *cpu_describe(HaloDevice *device) { return device->description; }

void cpu_count_clipped(HaloDevice *device, uint64_t clipped)
{
    atomic_fetch_add_explicit(&device->clipped, clipped, memory_order_relaxed);
}

HaloStatus cpu_finish(HaloDevice *device, uint64_t *clipped)
{
    if (clipped == NULL) return HALO_OK;
    *clipped = atomic_exchange(&device->clipped, 0);
    cpu_scratch_trim(device);
    return HALO_OK;
}
