/* Local maxima of pictures, as rows of a table. */
#ifndef MAXIMA_H
#define MAXIMA_H

#include "halo/op.h"

typedef struct Maxima {
    int64_t width;    /* of the window in whose middle a maximum lies: an odd number */
    double threshold; /* maxima are greater; NaN: greater than the least sample */
    int64_t border;   /* pixels at the sides of the picture that are no maxima */
} Maxima;

/* A report of the maxima of each channel of `in`. */
HaloStatus maxima_append(HaloBuilder *builder, const Maxima *how, HaloReg in);

#endif
