/* For halo's own folders: not installed, and hidden in libhalo.so.
 *
 * What the dimensions of an array are, as --axes says it (core/base/axes.c). */
#ifndef HALO_AXES_H
#define HALO_AXES_H

#include <stdbool.h>

#include "halo/fail.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HALO_MOST_AXES 6 /* three of pages, rows, columns and channels */

typedef struct HaloAxes {
    char
        letter[HALO_MOST_AXES]; /* of each dimension: n (pages), h (rows), w (columns) or c (channels); of files
                                   also t, of pages one volume after the other, while n is within a volume */
    int count;
    bool alpha; /* the last channel is alpha */
} HaloAxes;

/* "hwc", "tzyx", "nhwc,alpha". HALO_ERR_USAGE for what is none. */
HaloStatus halo_read_axes(const char *text, HaloAxes *axes);

#ifdef __cplusplus
}
#endif
#endif
