/* A backend's device and the buffers kept for it. */
#include <stdio.h>

#include "core.h"

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

HaloStatus slot_take(Slot *slot, HaloBuf *buf)
{
    for (int i = 0; i < slot->spares; i++) {
        const HaloBuf *spare = &slot->spare[i];
        if (!suits(spare, buf)) continue;
        buf->data = spare->data;
        buf->stride = spare->stride;
        slot->spare[i] = slot->spare[--slot->spares];
        return HALO_OK;
    }
    HaloStatus status = slot->backend->alloc(slot->device, buf);
    if (status == HALO_OK || slot->spares == 0) return status;
    while (slot->spares > 0) drop(slot, slot->spares - 1);
    return slot->backend->alloc(slot->device, buf);
}

void slot_give(Slot *slot, HaloBuf *buf)
{
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
}
