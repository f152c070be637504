/* Rotations of pictures by any angle. */
#ifndef ROTATION_H
#define ROTATION_H

#include "warp.h"

/* Right angles, 0 to 3, and the cosine and sine of all of it. */
typedef struct Rotation {
    int quarters;
    bool exact; /* of these alone */
    double cosine, sine;
} Rotation;

typedef enum RotationFit { ROTATION_KEEP, ROTATION_GROW, ROTATION_CROP } RotationFit;

#define ROTATION_FIT(otherwise)                                                                               \
    {                                                                                                         \
        .key = "fit", .type = HALO_PARAM_CHOICE, .preset = otherwise, .choices = "keep|grow|crop",            \
        .help = "keep: the size of the input; grow: all of it is there; crop: the largest rectangle without " \
                "border"                                                                                      \
    }

Rotation rotation_by(double degrees); /* clockwise */
/* The size of the result. */
void rotation_size(const HaloShape *shape, const Rotation *turn, RotationFit fit, HaloWarp *warp);
/* The matrix: the centre of the result shows that of the source; or, `at` given, that point stays where it is.
 */
void rotation_matrix(const HaloShape *shape, const Rotation *turn, const HaloValue *at, HaloWarp *warp);

#endif
