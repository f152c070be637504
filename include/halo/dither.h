/* Pictures of fewer levels: one source for every backend. docs/numerics.md has the definitions. */
#ifndef HALO_DITHER_H
#define HALO_DITHER_H

#include "halo/primitive.h"

typedef enum HaloDitherKind {
    HALO_DITHER_ORDERED, /* Bayer's matrix of 8 x 8 */
    HALO_DITHER_TPDF,    /* triangular noise of up to one level */
    HALO_DITHER_ERROR    /* R. Floyd and L. Steinberg, 1976; the CPU alone */
} HaloDitherKind;

/* A sample becomes level / scale, rounded, for an integer 0 <= level <= most; alpha is copied. */
struct HaloDither {
    HaloDitherKind kind;
    float most;
    float scale, unit; /* levels a unit of the samples, and the other way */
};

#endif
