/* Pixels of three colours in other coordinates, or through tables. spaces.h has the arithmetic. */
#ifndef HALO_COLOR_H
#define HALO_COLOR_H

#include "halo/primitive.h"

typedef enum HaloSpace {
    HALO_SPACE_SRGB,   /* coded as sRGB, 0 to full scale, as all pictures are unless something else is said */
    HALO_SPACE_HSV,    /* degrees, percent, percent */
    HALO_SPACE_HSL,    /* the same */
    HALO_SPACE_YCBCR,  /* BT.601, of 1: Y from 0 to 1, Cb and Cr from -0.5 to 0.5 */
    HALO_SPACE_LINEAR, /* linear light with sRGB's primaries, 0 to full scale */
    HALO_SPACE_XYZ,    /* CIE, D65; Y of white is 1 */
    HALO_SPACE_LAB,    /* CIE L*a*b*, L* from 0 to 100 */
    HALO_SPACE_LCH,    /* the same in polar coordinates, degrees */
    HALO_SPACE_OKLAB,  /* L from 0 to 1 */
    HALO_SPACE_OKLCH,
    HALO_SPACES
} HaloSpace;

typedef enum HaloColorKind {
    HALO_COLOR_CONVERT, /* from a space to another */
    HALO_COLOR_GAINS,   /* each times its `scale` */
    HALO_COLOR_CURVES,  /* a table of one dimension for each colour, or one for all */
    HALO_COLOR_CUBE     /* a table of three dimensions */
} HaloColorKind;

/* Alpha is copied; where CONVERT leaves samples without a full scale, it is divided by `white`. */
struct HaloColor {
    HaloColorKind kind;
    HaloSpace from, to;
    bool d65;    /* Lab is relative to D65, not to D50 */
    float white; /* of the source */
    /* Tables: entry k of `size` stands for the sample (k - offset) / scale; those beyond count as the first and
     * the last. CURVES: value[columns][size]; CUBE: value[size][size][size][4], red fastest, the fourth
     * unused. Values are in units of the result. */
    int size, columns;
    float scale[3], offset[3];
    float *value;
};

/* Are its samples numbers, without a full scale? */
#define HALO_SPACE_IS_NUMBERS(space) ((space) != HALO_SPACE_SRGB && (space) != HALO_SPACE_LINEAR)

#endif
