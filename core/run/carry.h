/* What values that are made in order carry from one band to the next (needs_order). */
#ifndef CORE_CARRY_H
#define CORE_CARRY_H

#include "run.h"

/* What one band leaves for the next, in the memory of the device that makes them all: the state behind its last
 * row (of sound: frame), and rows that are needed once more, up to that. All 0 before the first; carry_free
 * gives it back. */
typedef struct Carried {
    HaloBuf state; /* as bytes; data NULL: none yet */
    int64_t done;  /* rows of the value, so far */
    HaloBuf tail;  /* the last of them; data NULL: none */
} Carried;

/* What later bands need of a value: rows from `from` on, and a number of rows before the end of those made. */
typedef struct Later {
    int64_t from, back;
} Later;

/* Of every value ([regs] of the plan), behind band k; `need` (needs_new) is space for it. */
void carry_find_later(const Bands *bands, int64_t k, Part *need, Later *later);

/* Makes what `dst` has from `done` on, and copies the rest. */
HaloStatus carry_on(Device *device, const Later *later, const HaloStep *step, const HaloBuf *const src[],
                    HaloBuf *dst, Carried *carried);
void carry_free(Device *device, Carried *carried);

#endif
