/* NumPy's NPY format: the header (npy_head.c), what its dimensions are (npy_layout.c), reading (npy_read.c,
 * npy_samples.c), and writing (npy.c). */
#ifndef HALO_IO_NPY_H
#define HALO_IO_NPY_H

#include "halo/axes.h"
#include "halo/format.h"

typedef struct NpyHead {
    char kind; /* 'b', 'u', 'i' or 'f' */
    int size;  /* bytes of a sample */
    bool little;
    bool fortran; /* the first dimension runs fastest, not the last */
    int dims;     /* 1 to HALO_MOST_AXES */
    int64_t dim[HALO_MOST_AXES];
} NpyHead;

/* Reads everything before the samples. */
HaloStatus halo_npy_read_head(HaloSource *source, NpyHead *head);
/* Writes NPY_HEAD_BYTES, whatever the shape: it can be written again over itself. */
HaloStatus halo_npy_write_head(HaloSink *sink, const NpyHead *head);

#define NPY_HEAD_BYTES 128

/* npy_read.c: members of the format's row. */
bool npy_probe(const uint8_t *head, size_t size);
HaloStatus npy_open(HaloReader *reader);
HaloStatus npy_next(HaloReader *reader);
HaloStatus npy_read(HaloReader *reader, HaloBuf *rows, int64_t *got);
HaloStatus npy_skip(HaloReader *reader, int64_t rows, int64_t *skipped);
void npy_close(HaloReader *reader);

#endif
