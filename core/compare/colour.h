/* Pictures as colours, for measures of how different they look. */
#ifndef CORE_COMPARE_COLOUR_H
#define CORE_COMPARE_COLOUR_H

#include "part.h"

typedef struct Colours {
    const HaloBuf *from;
    double scale;   /* samples times this are parts of full scale */
    double *light;  /* [65536] linear light of integer samples; NULL: of floats */
    int channel[3]; /* of red, green and blue */
} Colours;

/* Have the pictures of a pair colours, or are they gray, with a full scale? */
bool colours_known(const Pair *pair);
HaloStatus colours_open(const Pair *pair, const HaloBuf *from, double scale, Colours *colours);
void colours_close(const Pair *pair, Colours *colours);
/* Row y as linear light of sRGB, 0 to 1: `light` gets three rows, red first; `row` has space for all samples.
 */
void colours_row(const Colours *colours, int64_t y, double *row, double *light);

/* v^(1/3) of v > 0, with the same bits on every machine. */
double colour_cube_root(double v);
/* CIEDE2000, with the parametric factors 1. */
double colour_difference(const double lab[3], const double other[3]);

#endif
