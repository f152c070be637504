#include "upright.h"

#include <math.h>

bool upright_window(const HaloValue *width, const HaloValue *height)
{
    const bool square = height == NULL || !height->given || height->number == width->number;
    return !square || fmod(width->number, 2.0) != 1.0;
}

/* A mirror image from left to right and a transposition together make all turns. */
bool upright_mask(const HaloMask *mask)
{
    const int64_t side = mask->width, middle = side / 2;
    if (mask->height != side || side % 2 == 0 || mask->anchor_x != middle || mask->anchor_y != middle)
        return true;
    for (int64_t j = 0; j < side; j++)
        for (int64_t i = 0; i < side; i++) {
            const double tap = mask->tap[j * side + i];
            if (tap != mask->tap[j * side + side - 1 - i] || tap != mask->tap[i * side + j]) return true;
        }
    return false;
}
