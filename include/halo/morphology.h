/* Steps of morphology on pictures. Definitions are in docs/numerics.md. All work on the one channel that is not
 * alpha, which is copied. NaN is background. */
#ifndef HALO_MORPHOLOGY_H
#define HALO_MORPHOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include "halo/primitive.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Greyscale reconstruction of the first source from the second one, the marker: by dilation the marker, cut to
 * the picture, grows as far as the picture lets it; by erosion it shrinks likewise. */
struct HaloReconstruct {
    bool erosion;
    int connect; /* 4 or 8 */
};

typedef enum HaloThinKind {
    HALO_THIN_ZHANG,   /* T. Zhang and C. Suen, 1984 */
    HALO_THIN_GUO_HALL /* Z. Guo and R. Hall, 1989 */
} HaloThinKind;

/* Pixels of regions that are deleted become 0. */
struct HaloThin {
    HaloThinKind kind;
    int64_t passes; /* at most, of two halves each; 0: until nothing changes */
};

/* The first source is flooded from the second one, whose samples that are not 0 are labels; where there is a
 * third one, only where its samples are not 0. The result is labels, 0 where no flood came. */
struct HaloWatershed {
    int connect;
};

#ifdef __cplusplus
}
#endif
#endif
