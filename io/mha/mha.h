/* MetaImage (.mha, .mhd), the format of ITK: the header (mha_head.c), and the format (mha.c). */
#ifndef HALO_IO_MHA_H
#define HALO_IO_MHA_H

#include "samples/array.h"

enum { MHA_MOST_DIMENSIONS = 8 };

typedef struct MhaHead {
    int dimensions;
    int64_t size[MHA_MOST_DIMENSIONS];
    double spacing[MHA_MOST_DIMENSIONS], offset[MHA_MOST_DIMENSIONS];
    double matrix[MHA_MOST_DIMENSIONS * MHA_MOST_DIMENSIONS]; /* the direction of each axis after the other */
    bool placed, turned;                                      /* there are spacing or offset; a matrix */
    bool big, compressed;
    char kind;
    int bytes;
    int64_t channels, skip;
    char unit[16];
    char file[1024]; /* where the samples are; empty: behind the header */
} MhaHead;

/* Up to the line that says where the samples are; a comment goes to `meta`. */
HaloStatus mha_read_head(HaloSource *source, MhaHead *head, HaloMeta *meta);
/* The array, and its place in space. */
HaloStatus mha_array(const MhaHead *head, HaloArrayHead *array, HaloGrid *grid);

#endif
