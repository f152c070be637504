/* NRRD (Teem's "nearly raw raster data"): the header (nrrd_head.c, nrrd_axes.c), and the format (nrrd.c). */
#ifndef HALO_IO_NRRD_H
#define HALO_IO_NRRD_H

#include "samples/array.h"

enum { NRRD_MOST_AXES = 16, NRRD_MOST_LINE = 65536 };
typedef enum NrrdKind { NRRD_DOMAIN, NRRD_COLOUR, NRRD_LIST, NRRD_TIME, NRRD_UNKNOWN } NrrdKind;

typedef struct NrrdAxis {
    int64_t size;
    NrrdKind kind;
    bool alpha;
    double spacing, first; /* NaN: not said */
    double direction[3];   /* NaN: none */
    char unit[16];
} NrrdAxis;

/* Axes stand as in the file, the fastest first. */
typedef struct NrrdHead {
    char kind; /* 0: not said */
    int size;
    bool little, big;
    bool gzip, raw;
    int axes;
    NrrdAxis axis[NRRD_MOST_AXES];
    bool directed;  /* there are directions */
    int dimensions; /* of the space; 0: not said */
    double sign[3]; /* from the coordinates of the file to LPS */
    bool patient;
    double origin[3];
    char space_unit[16];
    int64_t skip_lines, skip_bytes;
    char file[1024]; /* where the samples are; empty: behind the header */
} NrrdHead;

/* Everything up to the empty line; texts go to `meta`. */
HaloStatus nrrd_read_head(HaloSource *source, NrrdHead *head, HaloMeta *meta);
/* The array, and its place in space. */
HaloStatus nrrd_array(const NrrdHead *head, HaloArrayHead *array, HaloGrid *grid);

#endif
