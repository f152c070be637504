/* NumPy's NPY format: the header (npy_head.c), shared by both directions (npy.c). */
#ifndef HALO_IO_NPY_H
#define HALO_IO_NPY_H

#include "halo/format.h"

typedef struct NpyHead {
    char kind; /* 'b', 'u', 'i' or 'f' */
    int size;  /* bytes of a sample */
    bool little;
    int dims; /* 1 to 4 */
    int64_t dim[4];
} NpyHead;

/* Reads everything before the samples. */
HaloStatus halo_npy_read_head(HaloSource *source, NpyHead *head);
/* Writes NPY_HEAD_BYTES, whatever the shape: it can be written again over itself. */
HaloStatus halo_npy_write_head(HaloSink *sink, const NpyHead *head);

#define NPY_HEAD_BYTES 128

#endif
