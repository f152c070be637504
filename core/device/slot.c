/* A backend's device and the buffers kept for it. */
#include <stdio.h>

#include "slot.h"

/* Blocks of sound of any length are kept up to this size. */
#define SOUND_BYTES (4 << 20)

HaloStatus slot_open(Slot *slot, int index, int jobs)
{
    if (slot->device != NULL) return HALO_OK;
    const HaloStatus status = slot->backend->open(index, jobs, &slot->device);
    if (status == HALO_OK)
        snprintf(slot->describe, sizeof slot->describe, "%s", slot->backend->describe(slot->device));
    return status;
}

static int64_t bytes_of(const HaloBuf *buf) { return buf->stride * buf->rows; }

static int64_t spare_bytes(const Slot *slot)
{
    int64_t bytes = 0;
    for (int i = 0; i < slot->spares; i++) bytes += bytes_of(&slot->spare[i]);
    return bytes;
}

/* A quarter stays free: memory that a device gives in pieces is never all of use, and the driver takes some when a
 * kernel runs for the first time. */
int64_t slot_memory(const Slot *slot, int share)
{
    return (slot->backend->memory(slot->device) + spare_bytes(slot)) / 4 * 3 / (share > 1 ? share : 1);
}

static void drop(Slot *slot, int i)
{
    slot->backend->release(slot->device, &slot->spare[i]);
    slot->spare[i] = slot->spare[--slot->spares];
}

void slot_trim(Slot *slot)
{
    while (slot->spares > 0) drop(slot, slot->spares - 1);
}

void slot_close(Slot *slot)
{
    if (slot->device == NULL) return;
    slot_trim(slot);
    slot->backend->close(slot->device);
    slot->device = NULL;
}

/* One row, such as sound is, may be longer than asked for. */
static bool suits(const HaloBuf *spare, const HaloBuf *buf)
{
    if (spare->rows == 1 && buf->rows == 1) return spare->stride >= halo_row_bytes(buf);
    return halo_row_bytes(spare) == halo_row_bytes(buf) && spare->rows >= buf->rows;
}

static void make_way(Slot *slot, int64_t bytes)
{
    while (slot->room > 0 && slot->spares > 0 && slot->taken + spare_bytes(slot) + bytes > slot->room)
        drop(slot, 0);
}

HaloStatus slot_take(Slot *slot, HaloBuf *buf)
{
    for (int i = 0; i < slot->spares; i++) {
        const HaloBuf *spare = &slot->spare[i];
        if (!suits(spare, buf)) continue;
        buf->data = spare->data;
        buf->stride = spare->stride;
        slot->spare[i] = slot->spare[--slot->spares];
        slot->taken += bytes_of(buf);
        return HALO_OK;
    }
    make_way(slot, halo_row_bytes(buf) * buf->rows);
    HaloStatus status = slot->backend->alloc(slot->device, buf);
    if (status != HALO_OK && slot->spares > 0) {
        slot_trim(slot);
        status = slot->backend->alloc(slot->device, buf);
    }
    if (status == HALO_OK) slot->taken += bytes_of(buf);
    return status;
}

void slot_give(Slot *slot, HaloBuf *buf)
{
    slot->taken -= bytes_of(buf);
    if (slot->spares < SLOT_SPARES)
        slot->spare[slot->spares++] = *buf;
    else
        slot->backend->release(slot->device, buf);
}

void slot_keep_only(Slot *slot, const HaloPlan *plan)
{
    for (int i = slot->spares - 1; i >= 0; i--) {
        bool fits = false;
        for (int r = 0; r < plan->regs; r++) {
            const HaloBuf as = {.shape = plan->reg[r], .cols = plan->reg[r].width};
            fits = fits || halo_row_bytes(&as) == halo_row_bytes(&slot->spare[i]) ||
                   (as.shape.kind == HALO_AUDIO && slot->spare[i].stride <= SOUND_BYTES);
        }
        if (!fits) drop(slot, i);
    }
    make_way(slot, 0);
}
