/* Samples that go elsewhere, as they are. */
#ifndef HALO_PICK_H
#define HALO_PICK_H

#include "halo/primitive.h"

/* out(x, y) = in(x * step_x, y * step_y), in every channel. */
struct HaloPick {
    int64_t step_x, step_y;
};

#endif
