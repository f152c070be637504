/* Devices, and the buffers and secondary inputs that they keep. */
#include <stdio.h>

#include "base/operand.h"
#include "device.h"

/* Blocks of sound of any length are kept up to this size. */
#define SOUND_BYTES (4 << 20)

HaloStatus device_open(Device *device, int index, int jobs)
{
    if (device->handle != NULL) return HALO_OK;
    const HaloStatus status = device->backend->open(index, jobs, &device->handle);
    device->index = index;
    device->jobs = jobs;
    if (status == HALO_OK)
        snprintf(device->describe, sizeof device->describe, "%s", device->backend->describe(device->handle));
    if (status == HALO_OK && device->backend->set_memory != NULL && device->options != NULL)
        device->backend->set_memory(device->handle, device->options);
    return status;
}

static int64_t bytes_of(const HaloBuf *buf) { return buf->stride * buf->rows; }

static int64_t spare_bytes(const Device *device)
{
    int64_t bytes = 0;
    for (int i = 0; i < device->spares; i++) bytes += bytes_of(&device->spare[i]);
    return bytes;
}

/* A quarter stays free: some memory is lost to fragmentation, and the driver takes some when a kernel runs for
 * the first time. */
int64_t device_memory(const Device *device, int share)
{
    return (device->backend->memory(device->handle) + spare_bytes(device)) / 4 * 3 / (share > 1 ? share : 1);
}

static void drop(Device *device, int i)
{
    device->backend->release(device->handle, &device->spare[i]);
    device->spare[i] = device->spare[--device->spares];
}

static void drop_operand(Device *device, DeviceOperand *operand)
{
    if (operand->serial != 0) device->backend->release(device->handle, &operand->data);
    *operand = (DeviceOperand){0};
}

static void drop_spares(Device *device)
{
    while (device->spares > 0) drop(device, device->spares - 1);
}

static void unpin(Device *device)
{
    if (device->pinned != NULL) device->backend->unpin(device->handle, device->pinned);
    device->pinned = NULL;
    device->pinned_bytes = 0;
}

void *device_pinned(Device *device, int64_t bytes)
{
    if (device->pinned_bytes >= bytes) return device->pinned;
    unpin(device);
    if (device->backend->pin == NULL) return NULL;
    if (device->backend->pin(device->handle, bytes, &device->pinned) != HALO_OK) return NULL;
    device->pinned_bytes = bytes;
    return device->pinned;
}

void device_trim(Device *device)
{
    unpin(device);
    drop_spares(device);
    for (int i = 0; i < DEVICE_OPERANDS; i++) drop_operand(device, &device->operand[i]);
}

/* A secondary input takes at most an eighth of the free memory, since plans need the rest. One on the device
 * may be in use, so it is freed only between two runs (device_keep_only). */
const HaloBuf *device_operand(Device *device, const HaloOperand *operand)
{
    DeviceOperand *at = NULL;
    for (int i = 0; i < DEVICE_OPERANDS; i++) {
        if (device->operand[i].serial == operand->serial) return &device->operand[i].data;
        if (device->operand[i].serial == 0) at = &device->operand[i];
    }
    if (at == NULL || bytes_of(&operand->data) > device->backend->memory(device->handle) / 8) return NULL;
    at->data = operand->data;
    if (device->backend->alloc(device->handle, &at->data) != HALO_OK) return NULL;
    at->serial = operand->serial;
    if (device->backend->upload(device->handle, &operand->data, &at->data) == HALO_OK) return &at->data;
    drop_operand(device, at);
    return NULL;
}

void device_close(Device *device)
{
    if (device->handle == NULL) return;
    device_trim(device);
    device->backend->close(device->handle);
    device->handle = NULL;
}

/* A buffer of one row, such as sound, may be longer than requested. */
static bool suits(const HaloBuf *spare, const HaloBuf *buf)
{
    if (spare->rows == 1 && buf->rows == 1) return spare->stride >= halo_row_bytes(buf);
    return halo_row_bytes(spare) == halo_row_bytes(buf) && spare->rows >= buf->rows;
}

static void drop_spares_for(Device *device, int64_t bytes)
{
    while (device->limit > 0 && device->spares > 0 &&
           device->taken + spare_bytes(device) + bytes > device->limit)
        drop(device, 0);
}

HaloStatus device_take(Device *device, HaloBuf *buf)
{
    for (int i = 0; i < device->spares; i++) {
        const HaloBuf *spare = &device->spare[i];
        if (!suits(spare, buf)) continue;
        buf->data = spare->data;
        buf->stride = spare->stride;
        device->spare[i] = device->spare[--device->spares];
        device->taken += bytes_of(buf);
        return HALO_OK;
    }
    drop_spares_for(device, halo_row_bytes(buf) * buf->rows);
    HaloStatus status = device->backend->alloc(device->handle, buf);
    if (status != HALO_OK && device->spares > 0) {
        drop_spares(device);
        status = device->backend->alloc(device->handle, buf);
    }
    if (status == HALO_OK) device->taken += bytes_of(buf);
    return status;
}

void device_give(Device *device, HaloBuf *buf)
{
    device->taken -= bytes_of(buf);
    if (device->spares < DEVICE_SPARES)
        device->spare[device->spares++] = *buf;
    else
        device->backend->release(device->handle, buf);
}

static bool uses_operand(const HaloPlan *plan, const DeviceOperand *operand)
{
    for (int i = 1; i < plan->inputs; i++)
        if (plan->input[i].operand->serial == operand->serial) return true;
    return false;
}

void device_keep_only(Device *device, const HaloPlan *plan)
{
    for (int i = 0; i < DEVICE_OPERANDS; i++)
        if (!uses_operand(plan, &device->operand[i])) drop_operand(device, &device->operand[i]);
    for (int i = device->spares - 1; i >= 0; i--) {
        bool fits = false;
        for (int r = 0; r < plan->regs; r++) {
            const HaloBuf as = {.shape = plan->reg[r], .cols = plan->reg[r].width};
            fits = fits || halo_row_bytes(&as) == halo_row_bytes(&device->spare[i]) ||
                   (as.shape.kind == HALO_AUDIO && device->spare[i].stride <= SOUND_BYTES);
        }
        if (!fits) drop(device, i);
    }
    drop_spares_for(device, 0);
}

/* ---- teams ---------------------------------------------------------------------------------------------- */

int64_t team_memory(Team team, int share)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < team.count; i++) least = smaller(least, device_memory(&team.device[i], share));
    return least;
}

void team_describe(Team team, char *text, size_t size)
{
    if (team.count > 1)
        snprintf(text, size, "%d x %s", team.count, team.device->describe);
    else
        snprintf(text, size, "%s", team.device->describe);
}
