/* A backend's device and the buffers kept for it. */
#include <stdio.h>

#include "base/side.h"
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

static void drop_side(Slot *slot, SlotSide *side)
{
    if (side->serial != 0) slot->backend->release(slot->device, &side->data);
    *side = (SlotSide){0};
}

void slot_trim(Slot *slot)
{
    while (slot->spares > 0) drop(slot, slot->spares - 1);
    for (int i = 0; i < SLOT_SIDES; i++) drop_side(slot, &slot->side[i]);
}

/* A side input takes an eighth of the free memory at most: plans are made for the rest. */
const HaloBuf *slot_side(Slot *slot, const HaloSide *side)
{
    SlotSide *at = &slot->side[slot->next_side];
    for (int i = 0; i < SLOT_SIDES; i++)
        if (slot->side[i].serial == side->serial) return &slot->side[i].data;
    if (bytes_of(&side->data) > slot->backend->memory(slot->device) / 8) return NULL;
    drop_side(slot, at);
    at->data = side->data;
    if (slot->backend->alloc(slot->device, &at->data) != HALO_OK) return NULL;
    at->serial = side->serial;
    slot->next_side = (slot->next_side + 1) % SLOT_SIDES;
    if (slot->backend->upload(slot->device, &side->data, &at->data) == HALO_OK) return &at->data;
    drop_side(slot, at);
    return NULL;
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
