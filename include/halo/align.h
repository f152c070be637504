/* How far pictures are shifted against another (docs/numerics.md, "Aligning"). */
#ifndef HALO_ALIGN_H
#define HALO_ALIGN_H

#include "halo/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HALO_ALIGN_STEPS 20 /* shifts are multiples of 1 / 20 pixel */

typedef struct HaloShift {
    double x, y;     /* moving the picture so far to the right, and down, lays it on the reference, */
    double rotation; /* once it is turned by so many degrees, clockwise, and */
    double scale;    /* enlarged by this factor, both round its centre */
    double peak; /* of the correlation of phases there: 1 of a picture that was only shifted, and nearly 0 where
                    nothing fits */
    double chance; /* what that peak nearly is where pictures have nothing in common, by how many frequencies of
                      theirs count */
} HaloShift;

/* Peaks below so many times chance are doubtful (docs/design-pictures.md). */
#define HALO_ALIGN_DOUBT 2.5

/* Of each picture, the first one of its file, which has to be of the reference's size. `rotation`: rotations
 * and scales are found, too. *shift, one for each, is freed by `free`. HALO_ERR_INPUT, naming it, where one
 * cannot be aligned. */
HALO_API HaloStatus halo_align(HaloSession *session, const char *reference, const char *const *input,
                               size_t inputs, const HaloShape *raw, bool rotation, HaloShift **shift);
/* The matrix of `affine` that does that to a picture of this size. */
HALO_API void halo_shift_matrix(const HaloShift *shift, int64_t width, int64_t height, double matrix[6]);

#ifdef __cplusplus
}
#endif
#endif
