/* A side input: a file that was read whole, to go along with the inputs that are run. Whoever uses it holds it; it
 * does not change, and threads may share it. */
#ifndef CORE_BASE_SIDE_H
#define CORE_BASE_SIDE_H

#include <stdatomic.h>

#include "halo/file.h"
#include "halo/plan.h"

struct HaloSide {
    atomic_int holders;
    uint64_t serial; /* no other of this process has it: devices know by it what they keep */
    char *path;
    HaloRead file; /* id 0, 0: it cannot be told from others */
    HaloBuf data;
};

/* Held once; NULL without memory. `path` is copied. */
HaloSide *side_new(const char *path);
HaloSide *side_hold(HaloSide *side);
void side_release(HaloSide *side); /* NULL is fine */

#endif
