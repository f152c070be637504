/* Where a session's work runs: one backend with its open device, opened on first use. Buffers between steps
 * are kept for the next band and the next file, since making them costs more than many a step. */
#ifndef CORE_DEVICE_SLOT_H
#define CORE_DEVICE_SLOT_H

#include "core.h"

#define SLOT_SPARES 16
#define SLOT_SIDES 4

/* A side input that is on the device, whole. */
typedef struct SlotSide {
    uint64_t serial; /* HaloSide's; 0: none */
    HaloBuf data;
} SlotSide;

typedef struct Slot {
    const HaloBackend *backend;
    HaloDevice *device;
    char describe[96];
    HaloCeilings ceilings; /* once known */
    int spares;
    HaloBuf spare[SLOT_SPARES];
    int64_t taken; /* bytes of buffers that are in use */
    int64_t room;  /* for those and the spares: spares go before there are more; 0: any */
    SlotSide side[SLOT_SIDES];
    int next_side; /* the next that goes for another */
} Slot;

HaloStatus slot_open(Slot *slot, int index, int jobs);
void slot_close(Slot *slot);
void slot_trim(Slot *slot); /* frees all spares, and side inputs */
HaloStatus slot_take(Slot *slot, HaloBuf *buf); /* a spare with rows as long, else a new one */
void slot_give(Slot *slot, HaloBuf *buf);
/* A side input on the device, uploaded when it is first asked for; NULL where it is too large to stay there. */
const HaloBuf *slot_side(Slot *slot, const HaloSide *side);
void slot_keep_only(Slot *slot, const HaloPlan *plan); /* frees spares that the plan has no use for */
int64_t slot_memory(const Slot *slot, int share); /* of the device's own, free or in spares, one session's part */

#endif
